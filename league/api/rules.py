"""Editions of the rules, the timeline of which edition applies when, and the mutations that publish and adopt one."""

import json
from datetime import datetime
from enum import Enum
from typing import Annotated, Self

import msgspec
import strawberry
from strawberry import field
from strawberry.scalars import JSON

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import MatchMode, argument, optional, word
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.mutations import USUAL, Answer, MutationInput, RulesSuccess, carry_out, mutation
from league.api.graphql.shaping.object_fields import cacheable_field_of
from league.api.graphql.shaping.relay import Connection, Node, PageableList, cacheable_paged
from league.api.graphql.shaping.shared_fields import edition_field
from league.api.graphql.shaping.user_errors import AlreadyExistsError, InvalidRulebookError
from league.domain import rules as domain
from league.domain.refusals import NotFound
from league.domain.rulebook import AdoptEdition, PublishEdition, content_hash, differences, parse_rulebook, written_out
from league.domain.sentences import say
from league.projections.queries import catalogue as reads
from league.projections.queries.catalogue import EditionDocument, EditionRow
from league.projections.runs import HashSpan
from league.wording.rulebook import plain_value, ruleset_lines, section_lines, setting_in_words


@strawberry.type(description="A setting of the rules in words.")
class Rule:
    setting: str = field(description="Its key in the document, such as `rating.k.standard`.")
    decides: str = field(description="What it decides.")
    value: str = field(description="Its value; for a setting of a ruleset, in words.")


@strawberry.type(description="A setting of the rules that two editions have differently.")
class RuleDifference:
    setting: str = field(description="Its key in the document, such as `rating.k.standard`.")
    decides: str = field(description="What it decides; empty for titles and descriptions.")
    before: str = field(description="Its value in the other edition.")
    after: str = field(description="Its value in this edition.")


@strawberry.enum(description="A part of an edition beside its rulesets.")
class RuleSection(Enum):
    RATING = word("rating", "How ratings change.")
    SERIES = word("series", "The monthly series.")
    BADGES = word("badges", "What badges are awarded for.")
    BOARDS = word("boards", "Which players and pairs the boards list.")


@strawberry.type(description="One way to play a match, under one edition.")
class Ruleset:
    name: str = field(description="The name that matches refer to, such as `cuban-150`.")
    title: str = field(description="The title for people.")
    description: str = field(
        description="A description for people, with the decisions where the source texts are silent."
    )
    modes: list[MatchMode] = field(description="The modes it is played in.")
    target: int = field(description="The points, hand points or hands in a row that end a match.")
    read: strawberry.Private[domain.Ruleset]

    @field(description="All its settings as JSON, including those at their default.")
    def rules(self) -> JSON:
        document = written_out({"rulesets": {self.name: msgspec.to_builtins(self.read)}})
        return JSON(document["rulesets"][self.name])

    @field(description="All its settings in words, without bonuses that are not played.")
    def in_words(self) -> list[Rule]:
        return [Rule(setting=key, decides=what, value=value) for key, what, value in ruleset_lines(self.read)]

    @classmethod
    def of(cls, found: tuple[str, domain.Ruleset]) -> "Ruleset":
        """A ruleset with its name."""
        name, read = found
        modes = [MatchMode(mode) for mode in read.modes]
        return cls(
            name=name,
            title=say(read.title),
            description=say(read.description),
            modes=modes,
            target=read.target,
            read=read,
        )


@strawberry.type(description="One edition of all rules of the league; it never changes.")
class Edition(FromRow, Node, key="hash", number="edition"):
    number: int | None = field(description="Its number; null for a candidate that is not published.")
    hash: str = field(description="SHA-256 of its content, which is the same in every league.")
    title: str = field(description="The title for people.")

    @classmethod
    def of(cls, row: EditionRow | EditionDocument) -> Self:
        """A row of editions."""
        return made_of(cls, row, title=say(row.title))

    @field(description="The whole edition as JSON.")
    @cacheable
    async def document(self, info: Info) -> JSON:
        row = await loaders.runs.edition(info, self.hash)
        return JSON(json.loads(bytes(row.document)))

    @field(description="The rulesets it has, in the order of their names.")
    @cacheable
    async def rulesets(self, info: Info) -> list[Ruleset]:
        rulebook = await loaders.runs.rulebook(info, self.hash)
        return [Ruleset.of(found) for found in sorted(rulebook.rulesets.items())]

    @field(description="The settings of one section in words.")
    @cacheable
    async def in_words(self, info: Info, section: Annotated[RuleSection, argument("Which section.")]) -> list[Rule]:
        rulebook, name = await loaders.runs.rulebook(info, self.hash), section.value
        lines = section_lines(rulebook, name)
        return [Rule(setting=f"{name}.{key}", decides=what, value=value) for key, what, value in lines]

    @field(description="The settings that differ from those of another edition; null when there is none such.")
    @cacheable
    async def difference(
        self, info: Info, against: Annotated[int, argument("The number of the other edition.")]
    ) -> list[RuleDifference] | None:
        other = await info.context.reader.read(reads.edition_hash, against)
        if other is None:
            return None
        before, after = await loaders.runs.rulebook(info, other), await loaders.runs.rulebook(info, self.hash)
        return [
            RuleDifference(
                setting=key, decides=setting_in_words(key), before=plain_value(first), after=plain_value(second)
            )
            for key, first, second in differences(before, after)
        ]


@strawberry.type(description="A span of play time. The edition applies to the matches that began in it.")
class TimelineSpan(FromRow, edition_hash="hash"):
    start: datetime | None = field(description="When the span starts; null: at the beginning.")
    edition_hash: strawberry.Private[str]

    edition = edition_field("The edition that applies until the next span starts.")


@strawberry.type
class RulebookQueries:
    @cacheable_field_of(Edition | None, "A published edition; null when there is none with this number.")
    async def edition(self, info: Info, number: Annotated[int, argument("From 1.")]) -> EditionDocument | None:
        hash_ = await info.context.reader.read(reads.edition_hash, number)
        return None if hash_ is None else await loaders.runs.edition(info, hash_)

    @cacheable_paged(Connection[Edition], "The published editions, by number.")
    def editions(self) -> PageableList[EditionRow]:
        return PageableList(EditionRow, lambda _: (reads.editions(), reads.EDITIONS_IN_ORDER))

    @cacheable_field_of(list[TimelineSpan], "The timeline of editions; the first span starts at the beginning.")
    async def timeline(self, info: Info) -> list[HashSpan]:
        return await loaders.runs.timeline(info)


@strawberry.input(description="An edition to publish under the next number.")
class PublishEditionInput(MutationInput):
    document: str = field(description="The edition as TOML; it may contain only what it changes.")
    base_edition: int | None = optional("The number of the edition that it changes; null: the one in force now.")


@strawberry.input(description="An edition to adopt for matches that began within a span.")
class AdoptEditionInput(MutationInput):
    edition: int = field(description="The number of a published edition.")
    start: datetime | None = optional("From here on; null: from the beginning.", name="from")
    end: datetime | None = optional("Until here, exclusive; null: without end.", name="to")


@strawberry.type
class RulebookMutations:
    @mutation(
        "Publish an edition under the next number. Role: admin.",
        of=RulesSuccess,
        refusals=(InvalidRulebookError, AlreadyExistsError, *USUAL),
        result="The result of publishing an edition.",
    )
    async def publish_edition(self, info: Info, given: PublishEditionInput) -> Answer:
        hashes: list[str] = []

        def command() -> PublishEdition:
            states, number = info.context.states(), given.base_edition
            rules = states.rulebook()
            if number is not None and not 1 <= number <= len(rules.editions):
                raise NotFound("base_edition", "edition", str(number))
            base = rules.at(states.now) if number is None else rules.edition(number)
            rulebook = parse_rulebook(given.document, base)
            hashes.append(content_hash(rulebook))
            return PublishEdition(rulebook)

        position = await carry_out(info, given, command)
        return {"position": position, "edition_hash": hashes[-1]}

    @mutation(
        "Adopt an edition for a span of play time. Role: admin.",
        of=RulesSuccess,
        refusals=USUAL,
        result="The result of adopting an edition.",
    )
    async def adopt_edition(self, info: Info, given: AdoptEditionInput) -> Answer:
        position = await carry_out(
            info,
            given,
            lambda: AdoptEdition(given.edition, given.start, given.end),
            paths={"start": "from", "end": "to", "rulesets.*": "edition"},
        )
        return {"position": position}
