"""Writes the rows of fold 1: the facts of every match with their disputes, and each run's scored matches and hands."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct
from psycopg import sql
from sqlalchemy import Table

from league.domain.match import MatchState
from league.domain.player import Aliases, canonical
from league.domain.result import ScoredMatch
from league.domain.seating import competitor_of
from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.folds.match_fold import DecidedMatch, HashedEdition, RulesTimeline, all_read_as, decide_match
from league.projections.runs import Conn, table_of

Key = tuple[datetime, str]
"""A match's place in the rating order: when it was decided, and its id."""


class TouchedMatches(Struct, frozen=True):
    """The changes that fold 1 made in a run, as input for fold 2."""

    earliest: Key | None = None
    """The earliest place in the rating order that an old or a new row of the matches has."""
    players: frozenset[str] = frozenset()
    """Every player in one of the matches, under the ids of the rows before and of those after."""
    corrected: bool = False
    """Whether one of the matches had been decided before."""
    rules: bool = False
    """Whether the timeline changed: a month may then end under another edition, even if no match began under it."""

    def and_also(self, other: "TouchedMatches") -> "TouchedMatches":
        """Both together."""
        keys = [key for key in (self.earliest, other.earliest) if key is not None]
        return TouchedMatches(
            earliest=min(keys, key=sort_key, default=None),
            players=self.players | other.players,
            corrected=self.corrected or other.corrected,
            rules=self.rules or other.rules,
        )


# ---------------------------------------------------------------- facts


FACTS_PAGE = 2_000
"""Matches whose facts are read at once."""

_PACK = msgspec.msgpack.Encoder()
_JSON = msgspec.json.Encoder()
_STATE = msgspec.msgpack.Decoder(MatchState)
_DECIDED = msgspec.msgpack.Decoder(DecidedMatch)


def load_facts(conn: Conn, match_ids: Iterable[str]) -> dict[str, MatchState]:
    """The facts of these matches, as far as they are known."""
    query = "SELECT match_id, state FROM match_facts WHERE match_id = ANY(%s)"
    with conn.cursor(binary=True) as cursor:
        return {match: _STATE.decode(state) for match, state in cursor.execute(query, (list(match_ids),))}


def store_facts(
    conn: Conn, after: Iterable[tuple[str, MatchState]], known: Collection[str], position: int, aliases: Aliases
) -> dict[str, MatchState]:
    """Store the facts of matches as they are made, and return them. `known`: the matches that have facts already.

    For new matches it also stores who played them, under the ids that `aliases` gives.
    """
    states: dict[str, MatchState] = {}

    def rows() -> Iterator[tuple[Any, ...]]:
        for match, state in after:
            states[match] = state
            yield fact_row(match, state, position)

    remove_facts(conn, known)
    copy_rows(conn, t.match_facts, rows())
    new = {match: state for match, state in states.items() if match not in known}
    copy_rows(conn, t.match_players, match_players(new, aliases))
    return states


def remove_facts(conn: Conn, matches: Collection[str]) -> None:
    """Remove the facts of these matches."""
    if matches:
        conn.execute("DELETE FROM match_facts WHERE match_id = ANY(%s)", (list(matches),))


def fact_row(match: str, state: MatchState, position: int) -> tuple[Any, ...]:
    """The facts of a match as of a position, as a row."""
    assert state.played is not None
    return match, state.played.began_at, position, _PACK.encode(state)


def match_players(states: Mapping[str, MatchState], aliases: Aliases) -> Iterator[tuple[str, datetime, str]]:
    """Who played which match, and when it began: each player once, also one with two seats in a voided match."""
    for match, state in states.items():
        assert state.played is not None
        for player in dict.fromkeys(canonical(state.played.seats, aliases)):
            yield player, state.played.began_at, match


def competitors_in(states: Mapping[str, MatchState]) -> frozenset[str]:
    """The players and pairs in these matches."""
    sides = [side for state in states.values() if state.played for side in state.played.sides]
    return frozenset({*(competitor_of(side) for side in sides), *(player for side in sides for player in side)})


def facts_in_pages(conn: Conn) -> Iterator[dict[str, MatchState]]:
    """All facts, page by page in the order in which the matches began."""
    return _pages(conn, "began_at", "-infinity")


def facts_changed_after(conn: Conn, position: int) -> Iterator[dict[str, MatchState]]:
    """The facts of the matches changed by events after this position, page by page."""
    return _pages(conn, "changed_position", position + 1)


def _pages(conn: Conn, order: str, start: Any) -> Iterator[dict[str, MatchState]]:
    """Facts ordered by a column and by id, starting after a value of that column."""
    query = sql.SQL(
        "SELECT match_id, {0}, state FROM match_facts WHERE ({0}, match_id) > (%s, %s) ORDER BY {0}, match_id LIMIT %s"
    ).format(sql.Identifier(order))
    after: tuple[Any, ...] = (start, "")
    while True:
        with conn.cursor(binary=True) as cursor:
            rows = cursor.execute(query, (*after, FACTS_PAGE)).fetchall()
        if not rows:
            return
        yield {match: _STATE.decode(state) for match, _, state in rows}
        after = (rows[-1][1], rows[-1][0])


# ---------------------------------------------------------------- scored matches and hands


def store_matches(
    conn: Conn, run: int, facts: Mapping[str, MatchState], rules: RulesTimeline, new: Container[str], aliases: Aliases
) -> TouchedMatches:
    """Score matches and store their rows in a run, with the players' ids that `aliases` gives.

    `new`: matches without rows in the run.
    """
    removed = remove_matches(conn, run, [match_id for match_id in facts if match_id not in new])
    made = ScoredRows(run, facts, rules, aliases)
    # Matches are scored and rows are made while the database stores those before them.
    for table, rows in made.by_table():
        copy_rows(conn, table, rows, run)
    return removed.and_also(made.touched())


class ScoredRows:
    """The rows of matches under the rules of a run. Each match is scored when the first of its rows is made."""

    def __init__(self, run: int, facts: Mapping[str, MatchState], rules: RulesTimeline, aliases: Aliases) -> None:
        """`aliases`: the canonical ids of merged players, which the rows get."""
        self.states = all_read_as(facts, aliases)
        self._run, self._rules = run, rules
        self._scored: list[tuple[ScoredMatch, DecidedMatch | None, HashedEdition]] = []

    def by_table(self) -> Iterator[tuple[Table, Iterator[tuple[Any, ...]]]]:
        """The rows of each table. All rows of a table have to be made before the first of the next table."""
        yield t.hands, self._of_hands()
        of_matches = zip(self.states.items(), self._scored, strict=True)
        yield t.matches, (_match_row(self._run, match, state, *scored) for (match, state), scored in of_matches)
        of_decided = ((decided, result) for result, decided, _ in self._scored if decided is not None)
        yield t.appearances, (row for each in of_decided for row in _appearance_rows(self._run, *each))

    def touched(self) -> TouchedMatches:
        """The changes that these matches make in the run, known once their rows are made."""
        keys = [(decided.decided_at, decided.match) for _, decided, _ in self._scored if decided is not None]
        players = frozenset(player for state in self.states.values() if state.played for player in state.played.seats)
        return TouchedMatches(min(keys, key=sort_key, default=None), players)

    def _of_hands(self) -> Iterator[tuple[Any, ...]]:
        for match_id, state in self.states.items():
            played = state.played
            assert played is not None
            edition = self._rules.at(played.began_at)
            result, decided = decide_match(match_id, state, edition)
            self._scored.append((result, decided, edition))
            if result.status != "voided":
                yield from _hand_rows(self._run, match_id, state, result)


def remove_matches(conn: Conn, run: int, match_ids: list[str]) -> TouchedMatches:
    """Remove the rows of these matches from a run."""
    if not match_ids:
        return TouchedMatches()
    for table in ("hands", "appearances"):
        conn.execute(sql.SQL("DELETE FROM {} WHERE match_id = ANY(%s)").format(table_of(run, table)), (match_ids,))
    query = sql.SQL("DELETE FROM {} WHERE match_id = ANY(%s) RETURNING decided_at, match_id, seats")
    removed = conn.execute(query.format(table_of(run, "matches")), (match_ids,)).fetchall()
    keys = [(decided_at, match_id) for decided_at, match_id, _ in removed if decided_at is not None]
    players = frozenset(player for _, _, seats in removed for player in seats)
    return TouchedMatches(min(keys, key=sort_key, default=None), players, corrected=bool(keys))


def decided_after(conn: Conn, run: int, key: Key | None, limit: int) -> list[DecidedMatch]:
    """The next decided matches after a place in the rating order; None: from the beginning."""
    query = sql.SQL(
        "SELECT decided FROM {} WHERE run = {} AND decided IS NOT NULL AND (decided_at, match_id) > (%s, %s)"
        " ORDER BY decided_at, match_id LIMIT %s"
    ).format(table_of(run, "matches"), run)
    with conn.cursor(binary=True) as cursor:
        rows = cursor.execute(query, (*(key or ("-infinity", "")), limit)).fetchall()
    return [_DECIDED.decode(row[0]) for row in rows]


def first_decided(conn: Conn, run: int) -> Key | None:
    """The first place in the rating order."""
    first = decided_after(conn, run, None, 1)
    return (first[0].decided_at, first[0].match) if first else None


def sort_key(key: Key) -> tuple[datetime, bytes]:
    """The key by which places in the rating order are compared, with ids as bytes."""
    return (key[0], key[1].encode())


def _match_row(
    run: int,
    match_id: str,
    state: MatchState,
    result: ScoredMatch,
    decided: DecidedMatch | None,
    edition: HashedEdition,
) -> tuple[Any, ...]:
    played = state.played
    assert played is not None
    announced = None if played.announced is None else msgspec.json.encode(played.announced).decode()
    return (
        run,
        match_id,
        played.ruleset,
        played.mode,
        played.competition,
        played.began_at,
        None if decided is None else decided.decided_at,
        _array(played.seats),
        result.status,
        result.winner,
        None if result.score is None else _array(result.score),
        result.last_hand,
        announced,
        _JSON.encode(result.terms).decode(),
        _array(result.not_judged),
        edition.hash,
        state.decided_position,
        None if decided is None else _PACK.encode(decided),
    )


def _hand_rows(run: int, match_id: str, state: MatchState, result: ScoredMatch) -> Iterator[tuple[Any, ...]]:
    played = state.played
    assert played is not None
    recorded = zip(played.hands, result.hands, state.hand_positions, strict=True)
    for number, (facts, hand, position) in enumerate(recorded, 1):
        yield (
            run,
            match_id,
            number,
            played.ruleset,
            hand.winner,
            hand.winning_seat,
            hand.ended_by,
            _array(hand.points),
            _JSON.encode(hand.terms).decode(),
            _array(hand.not_judged),
            hand.counted,
            position,
            hand.winner_by,
            facts.stated_winner,
        )


def _appearance_rows(run: int, match: DecidedMatch, result: ScoredMatch) -> Iterator[tuple[Any, ...]]:
    # Without points there is no score difference: neither hands won nor unknown scores are points.
    score = None if match.difference is None else result.score
    pollona = match.achievements.pollona
    for side, players in enumerate(match.sides):
        won = side == match.winner
        others = tuple(player for other, their in enumerate(match.sides) if other != side for player in their)
        other_score = None if score is None else max(points for other, points in enumerate(score) if other != side)
        for player, tally in zip(players, match.tallies_of(side), strict=True):
            yield (
                run,
                match.match,
                player,
                match.began_at,
                match.decided_at,
                match.mode,
                match.competition,
                match.ruleset,
                side,
                won,
                None if score is None else score[side],
                other_score,
                tally.hands_won,
                tally.hands_won_by_block,
                tally.capicuas,
                tally.viajeras,
                tally.blocks,
                pollona and won,
                pollona and not won,
                match.achievements.trailed_by if won else 0,
                next((partner for partner in players if partner != player), None),
                _array(others),
            )


@lru_cache(maxsize=10_000)
def _array(items: tuple[object, ...]) -> str:
    """An array in PostgreSQL's text format. Cached, since the same points and players come again and again."""
    quoted = [str(item).replace("\\", "\\\\").replace('"', '\\"') for item in items]
    return '{"' + '","'.join(quoted) + '"}' if quoted else "{}"


# ---------------------------------------------------------------- disputes


def store_reviews(conn: Conn, states: Mapping[str, MatchState], known: Mapping[str, MatchState]) -> None:
    """Replace the disputes and pending confirmations of matches; `known`: the former states of those that had one."""
    remove_reviews(conn, [m for m, state in known.items() if state.review.disputes or state.review.confirm_by])
    copy_rows(conn, t.disputes, dispute_rows(states))
    copy_rows(conn, t.pending_matches, pending_rows(states))


def remove_reviews(conn: Conn, matches: list[str]) -> None:
    """Remove the disputes and pending confirmations of these matches."""
    if matches:
        conn.execute("DELETE FROM disputes WHERE match_id = ANY(%s)", (matches,))
        conn.execute("DELETE FROM pending_matches WHERE match_id = ANY(%s)", (matches,))


def dispute_rows(states: Mapping[str, MatchState]) -> Iterator[tuple[Any, ...]]:
    """The disputes of matches."""
    for match, state in states.items():
        for one in state.review.disputes:
            yield match, one.number, one.player, one.reason, one.opened_at, one.outcome, one.closed_at, one.answer


def pending_rows(states: Mapping[str, MatchState]) -> Iterator[tuple[Any, ...]]:
    """Rows of matches that wait for a confirmation: each with the time at which it is decided without one."""
    for match, state in states.items():
        if state.review.due_at is not None:
            yield match, state.review.due_at
