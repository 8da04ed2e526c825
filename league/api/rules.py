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
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.mutations import (
    USUAL,
    Answer,
    MutationInput,
    OverwritingInput,
    RulesSuccess,
    carry_out,
    mutation,
)
from league.api.graphql.shaping.object_fields import EditionRef, cacheable_field_of
from league.api.graphql.shaping.relay import Connection, Node, PageableList, cacheable_paged
from league.api.graphql.shaping.shared_fields import edition_field
from league.api.graphql.shaping.user_errors import AlreadyExistsError, ChangedSinceError, InvalidRulebookError
from league.api.graphql.threads import in_thread
from league.domain import rules as domain
from league.domain.bonuses import source_of
from league.domain.rulebook import AdoptEdition, EditionPublished, PublishChanges, differences
from league.domain.rulebook_defaults import written_out
from league.domain.sentences import say
from league.projections.queries import catalogue as reads
from league.projections.queries.candidates import RuleChange, edition_made_from, edition_titles
from league.projections.queries.catalogue import EditionDocument, EditionRow
from league.projections.runs import HashSpan
from league.wording.candidates import title_of_edition
from league.wording.house_rules import base_of, description_of, ruleset_changes
from league.wording.how_to_score.example import ExampleHand as ScoredExample
from league.wording.how_to_score.way import ToldWay
from league.wording.how_to_score.ways import ways_of
from league.wording.language import spoken
from league.wording.rulebook import ruleset_lines, section_lines, setting_in_words, value_in_words


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

    @field(description="The section of the source text that it comes from; null where no section is known.")
    def source(self) -> str | None:
        return source_of(self.setting)

    @classmethod
    def of(cls, change: RuleChange) -> Self:
        """A setting with its value before and after."""
        key, before, after = change
        values = {"before": before, "after": after}
        words = {name: spoken(value_in_words(key, value)) for name, value in values.items()}
        return cls(setting=key, decides=setting_in_words(key), **words)


@strawberry.enum(description="A part of an edition beside its rulesets.")
class RuleSection(Enum):
    RATING = word("rating", "How ratings change.")
    SERIES = word("series", "The monthly series.")
    BADGES = word("badges", "What badges are awarded for.")
    BOARDS = word("boards", "Which players and pairs the boards list.")


@strawberry.enum(description="What a line of `howToScore` is about.")
class WayPart(Enum):
    POINTS = word("points", "A way to score in a hand or in the match.")
    GAME = word("game", "What else holds: how the match ends, who starts, what is dealt.")
    NOTED = word("noted", "A feat that is noted and gives no points.")


@strawberry.type(description="A made-up hand that shows a way to score. The league scores it by the ruleset.")
class ExampleHand:
    mode: MatchMode = field(description="The mode in which it is played.")
    told: str = field(description="Who plays, and what happens.")
    outcome: str = field(description="Who wins it, and who scores how many points for what.")
    points: list[int] = field(description="The points of each side.")

    @classmethod
    def of(cls, example: ScoredExample) -> Self:
        """A scored example in words."""
        told, outcome = spoken(example.told), spoken(example.outcome)
        return cls(mode=MatchMode(example.mode), told=told, outcome=outcome, points=list(example.points))


@strawberry.type(description="A way to score under a ruleset in words, or something else that holds in its matches.")
class WayToScore:
    key: str = field(
        description="Its name, such as `capicua`: the name of a `ScoringRule` in lower case, if it is one."
    )
    part: WayPart = field(description="What it is about.")
    title: str = field(description="Its title.")
    points: list[int] = field(
        description="The points that it gives; several: by the number of the hand; none: pips decide, or it gives none."
    )
    told: str = field(description="How it works.")
    does_not_count: list[str] = field(description="When it does not count.")
    settings: list[str] = field(description="The settings that decide it, as `inWords` names them.")
    example: ExampleHand | None = field(description="An example; null where none is needed, or none is possible.")

    @classmethod
    def of(cls, way: ToldWay) -> Self:
        """An entry in words."""
        return cls(
            key=way.key,
            part=WayPart(way.part),
            title=spoken(way.title),
            points=list(way.points),
            told=spoken(way.told),
            does_not_count=[spoken(reason) for reason in way.does_not_count],
            settings=list(way.settings),
            example=None if way.example is None else ExampleHand.of(way.example),
        )


@strawberry.type(description="The ruleset from which house rules were made.")
class RulesetBase:
    name: str = field(description="Its name, such as `dominican-200`.")
    title: str = field(description="Its title for people.")
    differences: list[RuleDifference] = field(
        description="The settings of the house rules that it has otherwise in the same edition."
    )


@strawberry.type(description="One way to play a match, under one edition.")
class Ruleset:
    name: str = field(description="The name that matches refer to, such as `cuban-150`.")
    title: str = field(description="The title for people.")
    description: str = field(
        description="A description for people, with the decisions where the source texts are silent. For house rules "
        "without one it says what they change, such as `As Dominican, 200, but: …`."
    )
    modes: list[MatchMode] = field(description="The modes it is played in.")
    target: int = field(description="The points, hand points or hands in a row that end a match.")
    read: strawberry.Private[domain.Ruleset]
    rulebook: strawberry.Private[domain.Rulebook | None]

    @field(description="The description that it has in its edition; empty for house rules without one.")
    def own_description(self) -> str:
        return spoken(say(self.read.description))

    @field(description="All its settings as JSON, including those at their default.")
    def rules(self) -> JSON:
        document = written_out({"rulesets": {self.name: msgspec.to_builtins(self.read)}})
        return JSON(document["rulesets"][self.name])

    @field(description="All its settings in words, without bonuses that are not played.")
    def in_words(self) -> list[Rule]:
        return [Rule(setting=key, decides=what, value=value) for key, what, value in ruleset_lines(self.read)]

    @field(description="How one scores: each way in words, when it does not count, and an example.")
    def how_to_score(self) -> list[WayToScore]:
        return [WayToScore.of(way) for way in ways_of(self.read)]

    @field(description="For house rules, what they were made from; null for other rulesets, and without it.")
    def made_from(self) -> RulesetBase | None:
        base, name = base_of(self.read, self.rulebook), self.read.made_from
        if base is None or name is None:
            return None
        changes = [RuleDifference.of(change) for change in ruleset_changes(self.name, base, self.read)]
        return RulesetBase(name=name, title=spoken(say(base.title)), differences=changes)

    @classmethod
    def of(cls, found: tuple[str, domain.Ruleset] | tuple[str, domain.Ruleset, domain.Rulebook]) -> "Ruleset":
        """A ruleset with its name. The rulebook that has it, if known, says what house rules change in their base."""
        name, read, *known = found
        rulebook = known[0] if known else None
        modes = [MatchMode(mode) for mode in read.modes]
        return cls(
            name=name,
            title=say(read.title),
            description=description_of(name, read, rulebook),
            modes=modes,
            target=read.target,
            read=read,
            rulebook=rulebook,
        )


@strawberry.type(description="One edition of all rules of the league; it never changes.")
class Edition(FromRow, Node, key="hash", number="edition", stored_title="title"):
    number: int | None = field(description="Its number; null for a candidate that is not published.")
    hash: str = field(description="SHA-256 of its content, which is the same in every league.")
    stored_title: strawberry.Private[str]

    @field(
        description="The title for people: the one that somebody gave it or its document has; where an earlier edition "
        "has that title, what it changes, such as `K in standard matches 20 → 16`."
    )
    @cacheable
    async def title(self, info: Info) -> str:
        titles = {} if self.number is None else await info.context.reader.once(edition_titles)
        return spoken(say(self.stored_title)) if self.number is None else title_of_edition(titles[self.number])

    @field(description="The whole edition as JSON.")
    @cacheable
    async def document(self, info: Info) -> JSON:
        row = await loaders.runs.edition(info, self.hash)
        return JSON(json.loads(bytes(row.document)))

    @field(description="The rulesets it has, in the order of their names.")
    @cacheable
    async def rulesets(self, info: Info) -> list[Ruleset]:
        rulebook = await loaders.runs.rulebook(info, self.hash)
        return [Ruleset.of((name, read, rulebook)) for name, read in sorted(rulebook.rulesets.items())]

    @field(description="The ruleset of this name; null when it has none such.")
    @cacheable
    async def ruleset(
        self, info: Info, name: Annotated[str, argument("The name, such as `cuban-150`.")]
    ) -> Ruleset | None:
        rulebook = await loaders.runs.rulebook(info, self.hash)
        read = rulebook.ruleset(name)
        return None if read is None else Ruleset.of((name, read, rulebook))

    @field(description="The settings of one section in words.")
    @cacheable
    async def in_words(self, info: Info, section: Annotated[RuleSection, argument("Which section.")]) -> list[Rule]:
        rulebook, name = await loaders.runs.rulebook(info, self.hash), section.value
        lines = section_lines(rulebook, name)
        return [Rule(setting=f"{name}.{key}", decides=what, value=value) for key, what, value in lines]

    @cacheable_field_of(
        EditionRef | None,
        "The published edition from which it was made: the earlier one with the fewest different settings. Null for "
        "the first edition, and for a candidate that is not published.",
    )
    async def made_from(self, info: Info) -> EditionDocument | None:
        against = await self._base(info)
        hash_ = None if against is None else await info.context.reader.read(reads.edition_hash, against)
        return None if hash_ is None else await loaders.runs.edition(info, hash_)

    async def _base(self, info: Info) -> int | None:
        return None if self.number is None else await info.context.reader.read(edition_made_from, self.number)

    @field(description="The settings that differ from those of another edition; null when there is none such.")
    @cacheable
    async def difference(
        self,
        info: Info,
        against: Annotated[int | None, argument("The number of the other edition; null: that of `madeFrom`.")] = None,
    ) -> list[RuleDifference] | None:
        against = await self._base(info) if against is None else against
        if against is None:
            return None
        other = await info.context.reader.read(reads.edition_hash, against)
        if other is None:
            return None
        before, after = await loaders.runs.rulebook(info, other), await loaders.runs.rulebook(info, self.hash)
        return [RuleDifference.of(change) for change in differences(before, after)]


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
class PublishEditionInput(OverwritingInput):
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
        refusals=(InvalidRulebookError, AlreadyExistsError, ChangedSinceError, *USUAL),
        result="The result of publishing an edition.",
    )
    async def publish_edition(self, info: Info, given: PublishEditionInput) -> Answer:
        command = PublishChanges(given.document, given.base_edition)
        position = await carry_out(info, given, lambda: command)
        return {"position": position, "edition_hash": await in_thread(_published_at, info, position)}

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


def _published_at(info: Info, position: int) -> str:
    """The hash of the edition that an event published. Blocks."""
    (stored,) = info.context.league.store.read_after(position - 1, 1)
    assert isinstance(stored.event, EditionPublished)
    return stored.event.hash
