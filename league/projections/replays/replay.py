"""Replay: fold the league into a run beside the official one, under other rules or as known at an earlier moment."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import LiteralString

from msgspec import Struct
from psycopg import sql
from psycopg.errors import LockNotAvailable, SerializationFailure

from league.domain.match import MatchState
from league.domain.player import Aliases
from league.domain.player_names import name_key
from league.domain.refusals import Conflict, InvalidInput, Refusal, WrongState
from league.domain.rulebook import content_hash
from league.domain.rules import Rulebook
from league.domain.sentences import say
from league.domain.timeline import check_span, overlay
from league.domain.wrong_states import NoLeagueYet, ReplayIsShown, RunIsNeeded, RunIsOfficial, RunIsOutdated
from league.eventlog import codec
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.projections import runs
from league.projections.folds.careers import LeagueCalendar
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.replays.starting_points import changes_ratings_alone, facts_until, prefix_known_at, rate_anew
from league.projections.runs import Conn, first_value, raise_generation
from league.projections.writers import catalogue
from league.projections.writers.catalogue import aliases_at, aliases_of, facts_of_moved
from league.projections.writers.league_rows import fold_from
from league.projections.writers.match_rows import (
    TouchedMatches,
    facts_changed_after,
    facts_in_pages,
    first_decided,
    store_matches,
)
from league.projections.writers.series_rows import calendar_of

MATCHES: LiteralString = (
    "SELECT count(*) FROM stored_events WHERE originator_version = 1"
    " AND originator_id COLLATE \"C\" >= 'match:' AND originator_id COLLATE \"C\" < 'match;' AND position + 0 <= %s"
)
MONTH_CLOSED_OR_REOPENED: LiteralString = "topic IN ('month-closed/1', 'month-reopened/1')"
MERGED_OR_UNDONE: LiteralString = "topic IN ('players-merged/1', 'merge-undone/1')"
TIME_ZONE_CHANGED: LiteralString = (
    "topic = 'settings-changed/1' AND convert_from(state, 'UTF8')::json #>> '{body,time_zone}' IS NOT NULL"
)
"""Every match may then belong to another month."""

Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all): two steps per match, which is scored and then rated."""


class ReplayPeriod(Struct, frozen=True):
    """Matches that began within [start, end) are played under the candidate; None means unbounded."""

    start: datetime | None = None
    end: datetime | None = None


def period_of_season(url: str, season: str) -> ReplayPeriod:
    """The period of the season with this id or name. Raises InvalidInput if it names none, or several."""
    with connect(url) as conn:
        rows = conn.execute("SELECT season_id, name, starts_at, ends_at FROM seasons ORDER BY starts_at").fetchall()
    found = [row for row in rows if row[0] == season] or [row for row in rows if name_key(row[1]) == name_key(season)]
    if len(found) == 1:
        return ReplayPeriod(*found[0][2:])
    if found:
        ids = ", ".join(row[0] for row in found)
        raise InvalidInput(
            "season", say("{season!r} is the name of several: name one of {ids}", season=season, ids=ids)
        )
    if not rows:
        raise InvalidInput("season", say("there is no season {season!r}; none was opened yet", season=season))
    there_are = ", ".join(f"{name!r} ({id_})" for id_, name, *_ in rows)
    raise InvalidInput(
        "season", say("there is no season {season!r}; there are {known}", season=season, known=there_are)
    )


def edition_to_revise(url: str) -> Rulebook:
    """The edition that applies to matches that begin now: a candidate is a revision of it."""
    with connect(url) as conn:
        rules = catalogue.rules_of_run(conn, _official(conn))
    return rules.editions[rules.timeline[-1].edition].rulebook


def replay(
    url: str,
    candidate: Rulebook | None,
    period: ReplayPeriod,
    progress: Progress | None = None,
    known_at: datetime | None = None,
    number: int | None = None,
) -> int:
    """Fold the league, as the official run has it, with the candidate applied over the period. Returns the run.

    `known_at`: fold only events recorded by that moment, under the rules that applied then. Without a candidate those
    rules alone apply. `number`: the number that the run gets; a run of this number is not folded again. Without a
    number, a run with the same timeline, position and code is not folded again. The official run does not change. Only
    the latest `runs.MOST_REPLAYS` replays stay. Raises WrongState before the league exists, InvalidInput when the
    candidate lacks a ruleset in use or the period is empty.
    """
    check_span(period.start, period.end)
    return fold_under(url, lambda rules: revised(rules, candidate, period), progress, known_at, number)


def fold_under(
    url: str,
    revise: Callable[[RulesTimeline], RulesTimeline],
    progress: Progress | None = None,
    known_at: datetime | None = None,
    number: int | None = None,
) -> int:
    """Fold the league under its rules as changed by `revise`. Returns the run; see `replay`."""
    run = _fold(url, revise, progress, known_at, number)
    with connect(url, autocommit=True) as conn:
        runs.prune(conn)
    return run


def same_replay(
    url: str, store: EventStore, candidate: Rulebook | None, period: ReplayPeriod, known_at: datetime | None
) -> int | None:
    """The finished replay that a new one would equal and that can be promoted like it; None if there is none."""
    with connect(url) as conn, suppress(Refusal):
        official = _official(conn)
        if known_at is None:
            position, rules = runs.position_of(conn, official), catalogue.rules_of_run(conn, official)
        else:
            prefix = prefix_known_at(store, known_at)
            position, rules = prefix.position, prefix.rules
        other_than = None if known_at is None else official
        wanted, of_known = revised(rules, candidate, period), known_at is not None
        return runs.find(conn, wanted, position, other_than, of_replay=rules, of_known=of_known)
    return None


def run_known_at(url: str, store: EventStore, moment: datetime) -> int | None:
    """The run that shows what was known at a moment, which may be the official run; None if none is folded yet.

    Raises InvalidInput, and WrongState if the league did not exist yet.
    """
    prefix = prefix_known_at(store, moment)
    with connect(url) as conn:
        return runs.find(conn, prefix.rules, prefix.position)


def retire_run(conn: Conn, run: int) -> None:
    """Stop directing readers to a replay's run once the transaction commits; `remove_retired` removes the run.

    Does not block. Raises NotFound, Conflict while the league or the run is being folded, and WrongState for the
    official run, the run that a rollback would need, and the run of a shown candidate.
    """
    try:
        official, *kept = runs.runs_in_use(conn) or (None,)
        if run == official:
            raise RunIsOfficial(say("run {run}", run=run), say("official"), say("it is the official run"))
        if run in kept:
            raise RunIsNeeded(say("run {run}", run=run), say("kept"), say("a rollback would need it"))
        if not conn.execute("SELECT FROM runs WHERE run = %s AND ready FOR UPDATE NOWAIT", (run,)).rowcount:
            raise runs.no_run(conn, run)
        # Asked for after its row is locked: whoever shows a candidate locks the row of its run, too.
        if conn.execute("SELECT FROM shown_replays WHERE replay = %s", (run,)).rowcount:
            raise ReplayIsShown(
                say("run {run}", run=run), say("shown"), say("everybody can read it; withdraw it first")
            )
    except LockNotAvailable:
        raise Conflict(say("the league")) from None
    runs.retire(conn, run)
    raise_generation(conn)


def remove_retired(url: str, run: int) -> bool:
    """Remove retired runs. Returns whether this run is gone: a reader may still be using it."""
    with connect(url, autocommit=True) as conn:
        runs.sweep(conn)
        return conn.execute("SELECT FROM runs WHERE run = %s", (run,)).fetchone() is None


def catch_up(url: str, run: int) -> None:
    """Bring a replay's run to the official run's position by folding the matches that came or changed meanwhile.

    Raises NotFound when the run is gone, WrongState when another version of the folds folded it.
    """
    while True:
        try:
            with connect(url) as conn:
                conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                _catch_up(url, conn, run)
            return
        except SerializationFailure:
            continue  # another process has just folded the same


class _Source(Struct, frozen=True):
    """The input of a fold: the log up to a position, and the rules that apply there."""

    position: int
    rules: RulesTimeline
    calendar: LeagueCalendar
    aliases: Aliases
    facts: Iterator[dict[str, MatchState]]
    matches: int


def _fold(
    url: str,
    revise: Callable[[RulesTimeline], RulesTimeline],
    progress: Progress | None,
    known_at: datetime | None,
    number: int | None,
) -> int:
    with connect(url) as conn, _source(url, conn, known_at) as source:
        if not source.rules.timeline:
            raise WrongState(
                say("the league"), say("without rules"), say("adopt an edition, and let the projector run")
            )
        rules = revise(source.rules)
        if number is None:
            # Wait for another process that folds the same.
            runs.claim(conn, rules, source.position)
        with connect(url) as apart:
            # The snapshot of `conn` would not show what another replay has just finished or stored.
            found = _folded_already(apart, rules, source.position, known_at, number)
            if found is not None:
                return found
            for edition in rules.editions.values():
                catalogue.store_edition(apart, edition, None)
            raise_generation(apart)
        run = runs.new_run(conn, rules, source.position, source.rules, number)
        steps = 2 * source.matches

        def tell(done: int) -> None:
            if progress is not None:
                progress(done, steps)

        official = _official(conn)
        scores_alike = known_at is None and changes_ratings_alone(source.rules, rules)
        if scores_alike and runs.is_of_these_folds(conn, official) and runs.hold(conn, official):
            rate_anew(conn, official, run, rules, source.calendar, lambda rated: tell(source.matches + rated))
        else:
            _score_and_rate(conn, run, rules, source, tell)
        runs.attach(conn, run)
        runs.analyze(conn, run)
        tell(steps)
        return run


def _score_and_rate(conn: Conn, run: int, rules: RulesTimeline, source: _Source, tell: Callable[[int], None]) -> None:
    touched, scored = TouchedMatches(), 0
    for states in source.facts:
        touched = touched.and_also(store_matches(conn, run, states, rules, states, source.aliases))
        scored += len(states)
        tell(scored)
    fold_from(
        conn,
        run,
        rules,
        touched,
        None,
        calendar=source.calendar,
        progress=lambda rated: tell(source.matches + rated),
    )


def fold_beside(conn: Conn, other: int, others_rules: RulesTimeline, run: int, rules: RulesTimeline) -> None:
    """Fold the facts of the read tables into a new run under other rules than those of a run that has folded them."""
    calendar = calendar_of(conn)
    if changes_ratings_alone(others_rules, rules):
        rate_anew(conn, other, run, rules, calendar, lambda _: None)
        return
    matches = first_value(conn, "SELECT count(*) FROM match_facts")
    source = _Source(
        runs.position_of(conn, run), others_rules, calendar, aliases_of(conn), facts_in_pages(conn), matches
    )
    _score_and_rate(conn, run, rules, source, lambda _: None)


def _folded_already(
    conn: Conn, rules: RulesTimeline, position: int, known_at: datetime | None, number: int | None
) -> int | None:
    """The run of this number, or without a number one that equals it; None if it has to be folded."""
    if number is not None:
        return number if runs.is_ready(conn, number) else None
    if known_at is None:
        return runs.find(conn, rules, position, of_known=False)
    return runs.find(conn, rules, position, other_than=_official(conn))


@contextmanager
def _source(url: str, conn: Conn, known_at: datetime | None) -> Iterator[_Source]:
    """The league as the official run has it, in one snapshot of `conn`; or as it was known at a moment."""
    # If the process is killed, the server stops its statement, even a long one.
    conn.execute("SET client_connection_check_interval = '500ms'")
    conn.commit()
    if known_at is None:
        # In one snapshot, facts, position and rules belong to the same official run.
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        official = _official(conn)
        rules, calendar = catalogue.rules_of_run(conn, official), calendar_of(conn)
        matches = first_value(conn, "SELECT count(*) FROM match_facts")
        position, aliases = runs.position_of(conn, official), aliases_of(conn)
        yield _Source(position, rules, calendar, aliases, facts_in_pages(conn), matches)
        return
    with EventStore(url, codec) as store:
        prefix = prefix_known_at(store, known_at)
        matches = first_value(conn, MATCHES, (prefix.position,))
        facts = facts_until(store, prefix.position)
        yield _Source(prefix.position, prefix.rules, prefix.calendar, prefix.aliases, facts, matches)


def _catch_up(url: str, conn: Conn, run: int) -> None:
    row = conn.execute("SELECT position, code FROM runs WHERE run = %s AND ready FOR UPDATE", (run,)).fetchone()
    if row is None:
        raise runs.no_run(conn, run)
    position, code = row
    if code != runs.FOLDS:
        raise RunIsOutdated(
            say("run {run}", run=run), say("outdated"), say("another version of the program folded it; replay again")
        )
    official = _official(conn)
    head = runs.position_of(conn, official)
    if position >= head:
        return
    rules, aliases = catalogue.rules_of_run(conn, run), aliases_of(conn)
    touched = TouchedMatches(rules=_happened(conn, MONTH_CLOSED_OR_REOPENED, position, head))
    for states in facts_changed_after(conn, position):
        touched = touched.and_also(store_matches(conn, run, states, rules, (), aliases))
    if _happened(conn, MERGED_OR_UNDONE, position, head):
        with EventStore(url, codec) as store:
            before = aliases_at(store, position)
        for states in facts_of_moved(conn, before, aliases, stored=aliases):
            touched = touched.and_also(store_matches(conn, run, states, rules, (), aliases))
    if _happened(conn, TIME_ZONE_CHANGED, position, head):
        touched = touched.and_also(TouchedMatches(first_decided(conn, run)))
    fold_from(conn, run, rules, touched, None)
    runs.set_position(conn, run, head)
    raise_generation(conn)


def _happened(conn: Conn, what: LiteralString, after: int, until: int) -> bool:
    query = sql.SQL("SELECT EXISTS (SELECT FROM followed_events WHERE position > %s AND position <= %s AND {})")
    return bool(first_value(conn, query.format(sql.SQL(what)), (after, until)))


def _official(conn: Conn) -> int:
    official = runs.official_run(conn)
    if official is None or not first_value(conn, "SELECT true FROM league"):
        raise NoLeagueYet(
            say("the league"), say("not there"), say("create it first (`league init`), and let the projector run")
        )
    return official


def revised(rules: RulesTimeline, candidate: Rulebook | None, period: ReplayPeriod) -> RulesTimeline:
    """Rules with a candidate laid over a period. Raises InvalidInput for one that lacks a ruleset in use."""
    if candidate is None:
        return rules
    for edition in rules.editions.values():
        for name in edition.rulebook.rulesets:
            if name not in candidate.rulesets:
                raise InvalidInput(f"rulesets.{name}", say("is missing, and matches may be played under it"))
    new = HashedEdition(content_hash(candidate), candidate)
    number = next((n for n, edition in rules.editions.items() if edition.hash == new.hash), len(rules.editions) + 1)
    return RulesTimeline(overlay(rules.timeline, number, period.start, period.end), {**rules.editions, number: new})
