"""Exports of tournaments. `docs/exports.md` describes every column."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from league.projections.queries.snapshot import snapshot_of
from league.tournaments.domain.corrected_results import RoundThen, corrected_games
from league.tournaments.domain.drawn import PlacedCompetitor, placed, sides_of_players
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.outcomes import TableResult, table_result
from league.tournaments.domain.plan import plan_hash, tie_breaks_of, withdrawals_of
from league.tournaments.domain.schedule import stage_of
from league.tournaments.domain.settings import award_document, settings_that_hold
from league.tournaments.domain.standing import as_read
from league.tournaments.domain.state import RoundState, TableOfRound
from league.tournaments.domain.ties import TieGame, tie_result
from league.tournaments.logged_tournaments import dropped_drawings, rounds_then
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import Drawings, all_tournaments, drawings_by_tournament, tournaments_by_id
from league.transfer.transfer_part import Export, Read


class RowOfGame(Struct, frozen=True):
    """A game of a tie, with its table."""

    table: TableOfRound
    game: TieGame


class TournamentRow(Struct, frozen=True):
    """A row of an export: one part of a tournament, with the tournament."""

    seen: SeenTournament
    part: Any
    """A competitor, a round, a table or a game of a tie there, an id of who sits out, or a place."""
    of: Any = None
    """The round, drawing and corrected results of a table, the inputs of a round, or the bounds of a place."""


Columns = dict[str, Callable[[Any], Any]]


def _of(name: str) -> Callable[[TournamentRow], Any]:
    return attrgetter(f"part.{name}")


COLUMNS_OF_ENTRY = ("id", "entered_at", "withdrawn_at", "region", "checked_in", "fixed_table", "replaces")
_ID: Columns = {"tournament": attrgetter("seen.state.id")}


def read_tournaments(conn: Connection, run: int) -> Iterator[SeenTournament]:
    """Every tournament, ordered by id. Reads one at a time, because each may be large."""
    snapshot = snapshot_of(conn, run)
    for id_ in all_tournaments(snapshot):
        yield tournaments_by_id(snapshot, [id_])[id_]


def entries_of(seen: SeenTournament) -> Iterator[TournamentRow]:
    """Every competitor, ordered by id."""
    for _, entry in sorted(seen.state.entries.items(), key=lambda item: item[0].encode()):
        yield TournamentRow(seen, entry)


def rounds_of(
    seen: SeenTournament, drawings: Drawings, dropped: Mapping[tuple[int, int], RoundState]
) -> Iterator[TournamentRow]:
    """Every drawing, in the order of rounds and drawings. The last one is left out until its tables are computed.

    `dropped`: drawings that were dropped before that, by round and drawing.
    """
    for number in range(1, len(seen.state.rounds) + 1):
        for of in seen.state.drawings_of(number):
            named = of.number, of.drawings
            drawn = dropped.get(named, of)
            if drawn.root is not None:
                yield TournamentRow(seen, drawn, drawings[named])


def pairings_of(seen: SeenTournament, drawings: Drawings, then: Mapping[int, RoundThen]) -> Iterator[TournamentRow]:
    """The tables of each published or withdrawn round, followed by the competitors who sit out.

    `then`: rounds by number as they were when the next one was published.
    """
    for number in range(1, len(seen.state.rounds) + 1):
        for of in seen.state.drawings_of(number):
            if of.status not in {"drawn", "dropped"}:
                corrected = _corrected(seen, of, then.get(of.number))
                tables = (part for table in of.tables for part in _of_table(seen, table))
                for part in (*tables, *sorted((*of.byes, *of.requested), key=str.encode)):
                    yield TournamentRow(seen, part, (of, drawings[of.number, of.drawings], corrected))


def _corrected(seen: SeenTournament, of: RoundState, then: RoundThen | None) -> set[tuple[int, int]]:
    """The table and the game of each result of a round that changed after the next round was published."""
    if of.status == "withdrawn":
        return set()
    found = set() if then is None else corrected_games(of, seen.results, then, seen.points)
    if then is not None and not then.is_imported:
        return found
    # An import has only the last result of each match. Its brackets still show that another side plays on.
    ties = [table for table in of.tables if table in seen.corrected_ties]
    known = {table for table, _ in found}
    games = [(table, tie_result(table, seen.results).games) for table in ties if table.number not in known]
    return found | {(table.number, game.number) for table, its_games in games for game in its_games}


def _of_table(seen: SeenTournament, table: TableOfRound) -> Iterator[TableOfRound | RowOfGame]:
    """The table, or each game of its tie up to the one that decides."""
    if table.best_of is None or table.withdrawn:
        yield table
    else:
        yield from (RowOfGame(table, game) for game in tie_result(table, seen.results).games)


def standing_of(seen: SeenTournament) -> Iterator[TournamentRow]:
    """Every place in the standing, ordered by rank."""
    bounds = seen.possible()
    for place in seen.standing():
        yield TournamentRow(seen, place, bounds.get(place.id))


def _of_each(parts: Callable[[SeenTournament], Iterator[TournamentRow]]) -> Read:
    """A reader of these parts of every tournament."""
    return lambda conn, run: chain.from_iterable(map(parts, read_tournaments(conn, run)))


def _read_rounds(conn: Connection, run: int) -> Iterator[TournamentRow]:
    snapshot = snapshot_of(conn, run)
    for seen in read_tournaments(conn, run):
        drawings = drawings_by_tournament(snapshot, [seen.state.id])[seen.state.id]
        yield from rounds_of(seen, drawings, dropped_drawings(snapshot, seen))


def _read_pairings(conn: Connection, run: int) -> Iterator[TournamentRow]:
    snapshot = snapshot_of(conn, run)
    for seen in read_tournaments(conn, run):
        drawings = drawings_by_tournament(snapshot, [seen.state.id])[seen.state.id]
        yield from pairings_of(seen, drawings, rounds_then(snapshot, seen))


def _awarded(name: str) -> Callable[[SeenTournament], dict[str, Any]]:
    return lambda seen: award_document(getattr(seen.points, name))


def _input(row: TournamentRow) -> Any:
    drawing: RoundDrawn = row.of
    return [_of_input(one) for one in placed(drawing.competitors, row.part.seed)]


def _of_input(one: PlacedCompetitor) -> dict[str, Any]:
    """A competitor among the inputs of a round. The first drawing of a knock-out after groups has two more keys."""
    names = ("id", "won", "rank", "rating", "place", "region", "byes", "met", "partners")
    more = ("group_rank", "strength") if one.group_rank is not None else ()
    return {name: _written(getattr(one, name)) for name in (*names, *more)}


def _table(row: TournamentRow) -> TableOfRound | None:
    """The table that a row is about; None for a bye."""
    if isinstance(row.part, RowOfGame):
        return row.part.table
    return row.part if isinstance(row.part, TableOfRound) else None


def _result(row: TournamentRow) -> TableResult:
    """The result of a table, or of a game of its tie."""
    if isinstance(row.part, RowOfGame):
        game = row.part.game
        return TableResult(game.status, game.winner, score=game.score)
    return table_result(row.part, row.seen.results, row.seen.points)


def _at_table(value: Callable[[TableOfRound], Any], of_bye: Any = None) -> Callable[[TournamentRow], Any]:
    """The value of a column for a table. The value for a bye is always `of_bye`."""

    def value_of(row: TournamentRow) -> Any:
        table = _table(row)
        return of_bye if table is None else value(table)

    return value_of


def _with_result(value: Callable[[TournamentRow], Any]) -> Callable[[TournamentRow], Any]:
    """The value of a column for a table or a game. A bye has none."""
    return lambda row: None if _table(row) is None else value(row)


def _sides(row: TournamentRow) -> list[list[str]]:
    of, table = row.of[0], _table(row)
    if table is not None:
        return [list(side) for side in sides_of_players(table.sides, of.seed)]
    return [row.part.split("+")]


def _match(row: TournamentRow) -> str | None:
    return row.part.game.match if isinstance(row.part, RowOfGame) else row.part.match


def _group(row: TournamentRow) -> int | None:
    table = _table(row)
    if table is not None:
        return table.group
    state, of = row.seen.state, row.of[0]
    # A first round that was withdrawn had drawn groups of its own.
    groups = enumerate(of.groups or state.groups, 1) if stage_of(state, of) == "group" else ()
    return next((number for number, members in groups if row.part in members), None)


def _game(row: TournamentRow) -> int | None:
    several = isinstance(row.part, RowOfGame) and row.part.table.best_of != 1
    return row.part.game.number if several else None


def _relaxed(row: TournamentRow) -> Any:
    table = _table(row)
    if table is not None:
        return _written(table.relaxed)
    return _written([one for one in row.of[0].relaxed if row.part in one.ids])


def _written(value: Any) -> Any:
    """The value as plain JSON types: lists and dictionaries."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _score(row: TournamentRow) -> list[int] | None:
    """Match points by side as the match has them. Version 1 keeps what it said: the points that count."""
    result = _result(row)
    return _listed(result.counts if row.seen.points.rules == 1 else result.score)


def _status(row: TournamentRow) -> str:
    if _table(row) is not None:
        return _result(row).status
    return "requested_bye" if row.part in row.of[0].requested else "bye"


def _counts(row: TournamentRow) -> list[int] | None:
    """Match points that count, by side; for a bye the own ones and those of the other side."""
    if _is_annulled(row):
        return None
    if _table(row) is not None:
        return _listed(_result(row).counts)
    if row.of[0].status == "withdrawn" or stage_of(row.seen.state, row.of[0]) == "knockout":
        return None
    points = row.seen.points
    return _listed((points.requested_bye if _status(row) == "requested_bye" else points.bye)[1:])


def _is_annulled(row: TournamentRow) -> bool:
    """Whether a table or bye counts for nobody, because a competitor left."""
    if stage_of(row.seen.state, row.of[0]) == "knockout":
        return False
    table = _table(row)
    return not row.seen.annulled.isdisjoint((row.part,) if table is None else table.competitors)


def _is_by_hand(row: TournamentRow) -> bool:
    table = _table(row)
    return table is not None and (table.by_hand or row.of[1].meetings is not None)


def _settings(seen: SeenTournament) -> dict[str, Any]:
    entered = len(seen.state.knockout[0].bracket) if seen.state.knockout else None
    return settings_that_hold(seen.state.known_plan, seen.points, entered)


def _is_for_third_place(row: TournamentRow) -> bool:
    table = _table(row)
    return row.part == row.of[0].third_place_bye if table is None else table.third_place


def _is_corrected(row: TournamentRow) -> bool:
    table, corrected = _table(row), row.of[2]
    game = row.part.game.number if isinstance(row.part, RowOfGame) else 1
    return table is not None and (table.number, game) in corrected


def _listed(points: Sequence[int] | None) -> list[int] | None:
    return None if points is None else list(points)


def _tie_breaks(row: TournamentRow) -> list[dict[str, Any]]:
    named, rules = tie_breaks_of(row.seen.state.known_plan), row.seen.points.rules
    return [
        {"name": name, "value": as_read(name, value, rules)} for name, value in zip(named, row.part.values, strict=True)
    ]


EXPORTS = {
    "tournaments": Export(
        read_tournaments,
        {
            "tournament": attrgetter("state.id"),
            **{name: attrgetter(f"state.plan.{name}") for name in ("name", "ruleset", "mode", "competition", "format")},
            "plan": lambda seen: _written(seen.state.plan),
            "plan_hash": lambda seen: plan_hash(seen.state.plan),
            "tie_breaks": lambda seen: list(tie_breaks_of(seen.state.plan)),
            "score_cap": attrgetter("points.cap"),
            "bye": _awarded("bye"),
            "walkover": _awarded("walkover"),
            "status": attrgetter("state.status"),
            "rounds": lambda seen: len(seen.state.published),
            "requested_bye": _awarded("requested_bye"),
            "difference_cap": attrgetter("points.difference_cap"),
            "rules": attrgetter("points.rules"),
            "withdrawals": lambda seen: withdrawals_of(seen.state.known_plan),
            "settings": _settings,
        },
    ),
    "entries": Export(
        _of_each(entries_of),
        {**_ID, **{name: _of(name) for name in COLUMNS_OF_ENTRY}},
    ),
    "rounds": Export(
        _read_rounds,
        {
            **_ID,
            "round": _of("number"),
            **{name: _of(name) for name in ("position", "root", "signed", "seed")},
            "input": _input,
            **{name: _of(name) for name in ("published_at", "status")},
            "drawing": _of("drawings"),
            "locked": lambda row: [list(two) for two in row.of.locked],
            "fixed": lambda row: dict(row.of.fixed),
            **{name: _of(name) for name in ("day", "until")},
            "stage": lambda row: stage_of(row.seen.state, row.part),
            "commitments": lambda row: _written(row.part.commitments),
            "contributions": lambda row: _written(row.part.contributions),
        },
    ),
    "pairings": Export(
        _read_pairings,
        {
            **_ID,
            "round": lambda row: row.of[0].number,
            "table": _at_table(attrgetter("number")),
            "sides": _sides,
            "match": _with_result(_match),
            "status": _status,
            "winner": _with_result(lambda row: _result(row).winner),
            "score": _with_result(_score),
            "relaxed": _relaxed,
            "by_hand": _is_by_hand,
            "counts": _counts,
            "drawing": lambda row: row.of[0].drawings,
            "annulled": _is_annulled,
            "group": _group,
            "game": _game,
            "third_place": _is_for_third_place,
            "corrected": _is_corrected,
        },
    ),
    "tournament_standings": Export(
        _of_each(standing_of),
        {
            **_ID,
            **{name: _of(name) for name in ("rank", "id", "won")},
            **{name: _of(name) for name in ("lost", "byes")},
            "tie_breaks": _tie_breaks,
            "best_rank": lambda row: None if row.of is None else row.of.best,
            "worst_rank": lambda row: None if row.of is None else row.of.worst,
            "annulled": lambda row: row.part.id in row.seen.annulled,
            **{name: _of(name) for name in ("group", "group_rank", "reached")},
        },
    ),
}
"""The exports of tournaments, by name."""
