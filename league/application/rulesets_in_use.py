"""Rulesets in use: no timeline is adopted under which a recorded match would have no ruleset.

A rollback can come to such a timeline: a revision added a ruleset, and matches were played under it since. The earlier
rules are then adopted with that ruleset added.
"""

from collections.abc import Callable, Collection, Iterator
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from league.domain.match import MatchOpened
from league.domain.rulebook import content_hash
from league.domain.rules import Rulebook, Ruleset
from league.domain.sentences import say
from league.domain.timeline import EditionSpan
from league.domain.wrong_states import RulesetIsInUse
from league.eventlog.store import EventStore
from league.projections import runs
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.runs import Conn

_IN_USE = (
    "SELECT name FROM unnest(%s::text[]) AS name WHERE EXISTS (SELECT FROM matches WHERE run = %s AND ruleset = name"
    " AND began_at >= coalesce(%s::timestamptz, '-infinity')"
    " AND began_at < coalesce(%s::timestamptz, 'infinity'))"
)


class LostRulesets(Struct, frozen=True):
    """Rulesets that a span of a timeline lacks, and some edition in force has."""

    span: int
    """The index of the span in its timeline."""
    start: datetime | None
    end: datetime | None
    """The span covers the matches that began in [start, end); None means without bound."""
    rulesets: dict[str, Ruleset]


InUse = Callable[[LostRulesets], Collection[str]]
"""The rulesets that a span lacks and under which a match of the official run was played in it."""


def in_use(conn: Conn) -> InUse:
    """Looks for such matches in the official run."""
    run = runs.official_run(conn)

    def found(lost: LostRulesets) -> list[str]:
        return [name for (name,) in conn.execute(_IN_USE, (list(lost.rulesets), run, lost.start, lost.end))]

    return found


def lost_rulesets(held: RulesTimeline, wanted: RulesTimeline) -> Iterator[LostRulesets]:
    """The spans of `wanted` that lack rulesets of `held`, the timeline in force."""
    known: dict[str, Ruleset] = {}
    for span in held.timeline:
        known |= held.editions[span.edition].rulebook.rulesets
    ends = [*(span.start for span in wanted.timeline[1:]), None]
    for index, (span, end) in enumerate(zip(wanted.timeline, ends, strict=True)):
        there = wanted.editions[span.edition].rulebook.rulesets
        lost = {name: ruleset for name, ruleset in known.items() if name not in there}
        if lost:
            yield LostRulesets(index, span.start, end, lost)


def with_rulesets_in_use(held: RulesTimeline, wanted: RulesTimeline, is_in_use: InUse) -> RulesTimeline:
    """`wanted`, where each span under which a match of the official run would have no ruleset gets that ruleset.

    Such a span has a new edition, whose title names what was added.
    """
    editions, spans = dict(wanted.editions), list(wanted.timeline)
    for lost in lost_rulesets(held, wanted):
        played = is_in_use(lost)
        if not played:
            continue
        stays = {name: ruleset for name, ruleset in lost.rulesets.items() if name in played}
        rulebook = _with_rulesets(editions[spans[lost.span].edition].rulebook, stays)
        added = HashedEdition(content_hash(rulebook), rulebook)
        number = next((number for number, known in editions.items() if known.hash == added.hash), max(editions) + 1)
        editions[number] = added
        spans[lost.span] = EditionSpan(lost.start, number)
    return RulesTimeline(tuple(spans), editions)


def added_rulesets(wanted: RulesTimeline, back: RulesTimeline) -> dict[str, Rulebook]:
    """The rulesets that some span of `back` has and the same span of `wanted` lacks, each with a rulebook that has it.

    See `with_rulesets_in_use`.
    """
    added: dict[str, Rulebook] = {}
    for before, after in zip(wanted.timeline, back.timeline, strict=True):
        there = wanted.editions[before.edition].rulebook.rulesets
        with_added = back.editions[after.edition].rulebook
        added |= {name: with_added for name in with_added.rulesets if name not in there}
    return added


def check_unfolded_matches(store: EventStore, position: int, held: RulesTimeline, wanted: RulesTimeline) -> None:
    """Raise RulesetIsInUse if a match opened after `position` would have no ruleset under `wanted`.

    Earlier matches were folded under `wanted`, and the fold raises RulesetIsInUse itself. The caller holds the lock of
    the log, so no match can be opened before the adoption.
    """
    if next(lost_rulesets(held, wanted), None) is None:
        return
    while unfolded := store.read_after(position, 1000):
        for stored in unfolded:
            opened, began_at = stored.event, stored.played_at
            if not isinstance(opened, MatchOpened) or began_at is None:
                continue
            if wanted.at(began_at).rulebook.ruleset(opened.ruleset) is None:
                raise RulesetIsInUse(
                    say("the ruleset {ruleset}", ruleset=opened.ruleset),
                    say("in use"),
                    say("a match was opened under it meanwhile, and the earlier rules lack it; preview it again"),
                )
        position = unfolded[-1].position


def _with_rulesets(rulebook: Rulebook, added: dict[str, Ruleset]) -> Rulebook:
    return replace(
        rulebook,
        title=f"{rulebook.title} + {', '.join(sorted(added))}",
        rulesets={**rulebook.rulesets, **added},
    )
