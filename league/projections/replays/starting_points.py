"""The starting points of a replay: the log up to a position, or the scored matches of the official run.

The log up to a position gives the rules and the calendar that applied there, and the facts of its matches. A replay
that changes ratings alone copies the scored matches of the official run and rates them again.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from msgspec import Struct
from psycopg import sql

from league.domain import league, rulebook
from league.domain.league import MonthClosed, MonthReopened
from league.domain.match import MatchState
from league.domain.player import Aliases
from league.domain.refusals import InvalidInput
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.series import bounds
from league.eventlog.codec import UNFOLDED
from league.eventlog.records import match_after, state_after
from league.eventlog.store import EventStore
from league.projections.copy_rows import copy_to_run
from league.projections.folds.careers import LeagueCalendar, MonthClosure
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.runs import Conn, table_of
from league.projections.writers.catalogue import aliases_at
from league.projections.writers.league_rows import rate_all
from league.projections.writers.series_rows import store_honours

# ---------------------------------------------------------------- the log up to a position


class LogPrefix(Struct, frozen=True):
    """All events up to a position, and the rules and months that they define."""

    position: int
    rules: RulesTimeline
    calendar: LeagueCalendar
    aliases: Aliases


def prefix_known_at(store: EventStore, moment: datetime) -> LogPrefix:
    """The log as of a moment. Raises InvalidInput, also for a moment before the league had rules."""
    if moment.tzinfo is None:
        raise InvalidInput("known_at", say("needs an offset from UTC"))
    position = store.position_at(moment)
    rules = rules_until(store, position)
    if not rules.timeline:
        raise InvalidInput("known_at", say("nothing had been recorded at {moment}", moment=moment))
    return LogPrefix(position, rules, _calendar(store, position), aliases_at(store, position))


def facts_until(store: EventStore, position: int, size: int = 2_000) -> Iterator[dict[str, MatchState]]:
    """The facts of all matches as of a position, page by page."""
    states: dict[str, MatchState] = {}
    events = store.streams_until("match:", position, skip=UNFOLDED)
    for stream, of_match in groupby(events, key=lambda stored: stored.stream):
        states[stream.partition(":")[2]] = match_after(of_match)
        if len(states) == size:
            yield states
            states = {}
    if states:
        yield states


def rules_until(store: EventStore, position: int) -> RulesTimeline:
    """The rules as of a position of the log."""
    events = [stored for stored in store.load("rulebook") if stored.position <= position]
    state = state_after(events, rulebook.evolve, rulebook.RulebookState())
    return RulesTimeline(state.timeline, {e.edition: HashedEdition(e.hash, e.document) for e in state.editions})


def _calendar(store: EventStore, position: int) -> LeagueCalendar:
    state, closings = league.LeagueState(), dict[str, MonthClosure]()
    for stored in store.load("league"):
        if stored.position <= position:
            state = state_after([stored], league.evolve, state)
            match stored.event:
                case MonthClosed(month):
                    _, ends_at = bounds(month, ZoneInfo(state.time_zone))
                    closings[month] = MonthClosure(month, ends_at, stored.position)
                case MonthReopened(month):
                    del closings[month]
    return LeagueCalendar(ZoneInfo(state.time_zone), tuple(closings.values()))


# ---------------------------------------------------------------- rows of the official run


WITHOUT_EDITION = ("hands", "appearances", "series_pairs", "standings")
"""Tables whose rows do not name the edition of a match."""
THEIR_EDITION = sql.SQL("""
    CROSS JOIN LATERAL (
        SELECT hash FROM unnest(%s::timestamptz[], %s::text[]) AS span (start, hash)
        WHERE coalesce(start <= began_at, true) ORDER BY start DESC NULLS LAST LIMIT 1
    ) AS theirs
""")
# A decided match contains the hash of its edition. Hashes have one length, so one can be written over another.
DECIDED = sql.SQL(
    "overlay(decided PLACING convert_to(theirs.hash, 'UTF8') FROM position(convert_to(edition, 'UTF8') IN decided))"
)


SECTIONS = ("rating", "series", "badges", "boards")
"""The sections of an edition, except for its rulesets."""


def changes_ratings_alone(before: RulesTimeline, after: RulesTimeline) -> bool:
    """Whether every match has the same rules under both timelines, except for the section `rating`.

    Rulesets that only `after` has change nothing: no match was played under them.
    """
    return scores_alike(before, after) and sections_that_differ(before, after) <= {"rating"}


def sections_that_differ(before: RulesTimeline, after: RulesTimeline) -> frozenset[str]:
    """The sections of `SECTIONS` that any match has otherwise under the other timeline."""
    return frozenset(
        name
        for one, other in _side_by_side(before, after)
        for name in SECTIONS
        if getattr(one, name) != getattr(other, name)
    )


def scores_alike(before: RulesTimeline, after: RulesTimeline) -> bool:
    """Whether every match has the same ruleset under both timelines. Any other section may differ."""
    return all(_scores_alike(one, other) for one, other in _side_by_side(before, after))


def rate_anew(
    conn: Conn, official: int, run: int, rules: RulesTimeline, calendar: LeagueCalendar, progress: Callable[[int], None]
) -> None:
    """Fill a new run with the matches of the official run, rated under `rules`, which change ratings alone.

    `progress` is called with the number of matches rated, first when all are copied.
    """
    for table in WITHOUT_EDITION:
        copy_to_run(conn, table, official, run)
    copy_scored_matches(conn, official, run, rules)
    match = sql.SQL("JOIN {} AS match USING (match_id)").format(table_of(run, "matches"))
    copy_to_run(conn, "series_games", official, run, match, (), {"edition": sql.SQL("match.edition")})
    progress(0)
    rate_all(conn, run, rules, progress)
    store_honours(conn, run, rules, calendar.closings)


def copy_scored_matches(conn: Conn, official: int, run: int, rules: RulesTimeline) -> None:
    """Copy the matches of the official run to another. Each has its edition under `rules`, which score it alike."""
    starts, hashes = zip(*rules.hashes(), strict=True)
    of_match = {"edition": sql.SQL("theirs.hash"), "decided": DECIDED}
    copy_to_run(conn, "matches", official, run, THEIR_EDITION, (list(starts), list(hashes)), of_match)


def _side_by_side(before: RulesTimeline, after: RulesTimeline) -> Iterator[tuple[Rulebook, Rulebook]]:
    """The editions of both timelines, for each span in which neither changes."""
    for start in {span.start for rules in (before, after) for span in rules.timeline}:
        yield _edition_at(before, start), _edition_at(after, start)


def _edition_at(rules: RulesTimeline, start: datetime | None) -> Rulebook:
    edition = rules.editions[rules.timeline[0].edition] if start is None else rules.at(start)
    return edition.rulebook


def _scores_alike(before: Rulebook, after: Rulebook) -> bool:
    return all(after.rulesets.get(name) == ruleset for name, ruleset in before.rulesets.items())
