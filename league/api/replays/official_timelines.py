"""Official timelines: the rules that were in force once, who adopted them and why, and what bringing them back changes.

They follow from the log: from the adoptions in the stream of the rulebook, and from the acts in the trail before them.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Any, NamedTuple

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, word
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.object_fields import RulesetRef, TimelineSpanRef, field_of
from league.api.graphql.shaping.relay import Connection, PageableInMemory, paged
from league.api.graphql.shaping.shared_fields import detail_field
from league.api.replays.run_difference import RulesInSpan
from league.application.earlier_rules import (
    AdoptedTimeline,
    adopted_timelines,
    decide_alike,
    is_same,
    spans_that_differ,
)
from league.application.rulesets_in_use import InUse, added_rulesets, in_use, with_rulesets_in_use
from league.domain.audit_trail import RolledBack, RunPromoted
from league.domain.rules import Rulebook, Ruleset
from league.domain.timeline import OtherRules
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries import adoptions as reads
from league.projections.queries.adoptions import Adoption
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import HashSpan


class EarlierRules(NamedTuple):
    """Rules that were adopted once, and what bringing them back would put in force now."""

    adoption: Adoption
    rules: RulesTimeline
    held: RulesTimeline
    """The rules in force."""
    in_use: InUse

    def back(self) -> RulesTimeline:
        """The rules with the rulesets that are in use added."""
        return with_rulesets_in_use(self.held, self.rules, self.in_use)


@strawberry.enum(description="How rules came into force.")
class AdoptedBy(Enum):
    ADOPTION = word("adoption", "An edition was adopted, by `adoptEdition` or when the league was created.")
    PROMOTION = word("promotion", "A replay was promoted.")
    ROLLBACK = word("rollback", "Earlier rules came back.")


@strawberry.type(
    description="Rules that were official once: the timeline that an event of the log adopted, until the next one took "
    "its place."
)
class OfficialTimeline:
    position: BigInt = field(
        description="The position of the event that adopted it. `startReplay(input: {restore})` and "
        "`rollBack(input: {to})` take it."
    )
    adopted_at: datetime = field(description="When it was adopted.")
    how: AdoptedBy = field(description="How it came into force.")
    title: str | None = field(description="The name of the replay that was promoted; null: nobody named it.")
    reason: str | None = field(
        description="The reason that was given; null for editions that were adopted by themselves, and for promotions "
        "and rollbacks from before there were reasons."
    )
    is_in_force: bool = field(description="Whether these rules are in force now, perhaps by a later adoption.")
    earlier: strawberry.Private[EarlierRules]

    @classmethod
    def of(cls, found: EarlierRules) -> "OfficialTimeline":
        """Rules that were adopted once."""
        adoption = found.adoption
        return cls(
            position=BigInt(adoption.position),
            adopted_at=adoption.adopted_at,
            how=_how(adoption),
            title=adoption.title,
            reason=adoption.reason,
            is_in_force=is_same(found.held, found.rules),
            earlier=found,
        )

    adopted_by = detail_field("The `sub` of the token that adopted it.", "earlier.adoption.actor")

    @field_of(list[TimelineSpanRef], "The timeline: which edition held when.")
    def timeline(self) -> list[HashSpan]:
        return [HashSpan(start, hash_) for start, hash_ in self.earlier.rules.hashes()]

    @field(
        description="Whether bringing it back would change more than titles of the rules in force. It would not where "
        "they differ only in rulesets under which matches were played since."
    )
    async def can_come_back(self, info: Info) -> bool:
        return not decide_alike(self.earlier.held, await _back(info, self.earlier))

    @field_of(
        list[RulesetRef],
        "Rulesets that it lacks and under which matches were played since. Bringing it back adds them.",
    )
    async def added_rulesets(self, info: Info) -> list[tuple[str, Ruleset, Rulebook]]:
        added = added_rulesets(self.earlier.rules, await _back(info, self.earlier))
        return [(name, rulebook.rulesets[name], rulebook) for name, rulebook in sorted(added.items())]

    @field_of(
        list[RulesInSpan],
        "The spans of play time for which bringing it back would change the rules in force: those are the first run, "
        "and these the second. Empty where nothing would change.",
    )
    async def changes(self, info: Info) -> list[OtherRules[str]]:
        back = await _back(info, self.earlier)
        spans = spans_that_differ(self.earlier.held, back)
        for span in spans:
            await loaders.runs.edition_of(info, span.after, back.by_hash[span.after].rulebook)
        return spans


def _how(adoption: Adoption) -> AdoptedBy:
    match adoption.act:
        case RunPromoted():
            return AdoptedBy.PROMOTION
        case RolledBack():
            return AdoptedBy.ROLLBACK
    return AdoptedBy.ADOPTION


async def _back(info: Info, earlier: EarlierRules) -> RulesTimeline:
    return await info.context.reader.read(lambda _: earlier.back())


async def official_timelines(info: Info) -> list[EarlierRules]:
    """Every timeline that was adopted, latest first."""
    return list(await info.context.reader.once(_read))


async def official_timeline(info: Info, position: int) -> EarlierRules | None:
    """The timeline that the event at a position adopted; None if it adopted none."""
    return next((one for one in await official_timelines(info) if one.adoption.position == position), None)


def _read(snapshot: Snapshot) -> Sequence[EarlierRules]:
    found = reads.rulebook_log(snapshot)
    adopted: list[AdoptedTimeline] = adopted_timelines(found.events)
    conn: Any = snapshot.conn.connection.driver_connection  # SQLAlchemy does not type it
    played = in_use(conn)
    return [
        EarlierRules(adoption, one.rules, adopted[-1].rules, played)
        for adoption, one in zip(reversed(found.adoptions), reversed(adopted), strict=True)
    ]


@strawberry.type
class OfficialTimelineQueries:
    @paged(
        Connection[OfficialTimeline],
        "The rules that were official, latest first: who adopted them when, why, and what bringing them back would "
        "change.",
    )
    async def official_timelines(self, info: Info) -> PageableInMemory[EarlierRules]:
        return PageableInMemory(await official_timelines(info), lambda one: (-one.adoption.position,), "latest_first")
