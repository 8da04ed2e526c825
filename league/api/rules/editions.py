"""Editions of the rules, and the timeline of which edition applies when."""

import json
from datetime import datetime
from typing import Annotated

import msgspec
import strawberry
from strawberry import field
from strawberry.scalars import JSON

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.enums import MatchMode
from league.api.graphql.ids import global_id
from league.api.graphql.keepable import keepable
from league.api.graphql.references import field_of
from league.api.graphql.relay import Connection, Listed, Node, paged
from league.domain import rules as domain
from league.domain.rulebook_growth import written_out
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import EditionDocument, EditionRow
from league.projections.runs import HashSpan
from league.wording.language import _


@strawberry.type(description="One way to play a match, under one edition.")
class Ruleset:
    name: str = field(description="The name that matches refer to, such as `cuban-150`.")
    title: str = field(description="For people.")
    description: str = field(description="The title for people, including decisions where the source texts are silent.")
    modes: list[MatchMode] = field(description="The modes it is played in.")
    target: int = field(description="The points, hand points or hands in a row that end a match.")
    read: strawberry.Private[domain.Ruleset]

    @field(description="All its settings as JSON, those at their default too.")
    def rules(self) -> JSON:
        document = written_out({"rulesets": {self.name: msgspec.to_builtins(self.read)}})
        return JSON(document["rulesets"][self.name])

    @classmethod
    def of(cls, found: tuple[str, domain.Ruleset]) -> "Ruleset":
        """A ruleset with its name."""
        name, read = found
        modes = [MatchMode(mode) for mode in read.modes]
        return cls(
            name=name, title=_(read.title), description=_(read.description), modes=modes, target=read.target, read=read
        )


@strawberry.type(description="One edition of all rules of the league; it never changes.")
class Edition(Node):
    number: int | None = field(description="Null for a candidate that is not published.")
    hash: str = field(description="SHA-256 of its content, which is the same in every league.")
    title: str = field(description="For people.")

    @classmethod
    def of(cls, row: EditionRow | EditionDocument) -> "Edition":
        """A row of editions."""
        return cls(
            id=strawberry.ID(global_id("Edition", row.hash)), number=row.edition, hash=row.hash, title=_(row.title)
        )

    @field(description="The whole edition as JSON.")
    @keepable
    async def document(self, info: Info) -> JSON:
        row = await loaders.rules.edition(info, self.hash)
        return JSON(json.loads(bytes(row.document)))

    @field(description="The rulesets it has, in the order of their names.")
    @keepable
    async def rulesets(self, info: Info) -> list[Ruleset]:
        rulebook = await loaders.rules.rulebook(info, self.hash)
        return [Ruleset.of(found) for found in sorted(rulebook.rulesets.items())]


@strawberry.type(description="The span of play time in which an edition applies, by the time when a match began.")
class TimelineSpan:
    start: datetime | None = field(description="Null: from the beginning.")
    edition_hash: strawberry.Private[str]

    @classmethod
    def of(cls, span: HashSpan) -> "TimelineSpan":
        """A span of a timeline."""
        return cls(start=span.start, edition_hash=span.hash)

    @field_of(Edition, "The edition that applies until the next span starts.")
    @keepable
    async def edition(self, info: Info) -> EditionDocument:
        return await loaders.rules.edition(info, self.edition_hash)


@strawberry.type
class RulebookQueries:
    @field_of(Edition | None, "A published edition; null when there is none with this number.")
    @keepable
    async def edition(
        self,
        info: Info,
        number: Annotated[int, strawberry.argument(description="From 1.")],
    ) -> EditionDocument | None:
        hash_ = await info.context.reader.read(reads.edition_hash, number)
        return None if hash_ is None else await loaders.rules.edition(info, hash_)

    @paged(Connection[Edition], "The published editions, by number.")
    @keepable
    def editions(
        self,
    ) -> Listed[EditionRow]:
        return Listed(EditionRow, lambda _: (reads.editions(), reads.EDITIONS_IN_ORDER))

    @field_of(list[TimelineSpan], "The timeline of editions; the first span starts at the beginning.")
    @keepable
    async def timeline(self, info: Info) -> list[HashSpan]:
        return await loaders.rules.timeline(info)
