"""The difference of two runs as rows, for spreadsheets and scripts: unrounded, in a stable order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection

from league.projections.difference import badges as badge_reads
from league.projections.difference import divergences as divergence_reads
from league.projections.difference import moves as move_reads
from league.projections.difference import places as place_reads
from league.projections.difference import results as result_reads
from league.projections.difference import standings as standing_reads
from league.projections.difference.hands import FirstHand, first_hands
from league.projections.difference.two_runs import TwoRuns
from league.projections.queries.pages import Order, Query, count
from league.projections.queries.rows import R, typed
from league.transfer.export import Row

PAGE = 1_000


class Part(Struct, frozen=True):
    """Which rows of a list."""

    player: str | None = None
    """Only rows that concern this player or their pairs."""
    first: int | None = None
    """At most this many rows; None: all."""
    skip: int = 0
    """How many rows to skip first."""


def moves(conn: Connection, two: TwoRuns, part: Part) -> Iterator[Row]:
    """Ratings that differ, largest move first."""
    query = _moves(conn, two, part.player)
    for row in _read(conn, move_reads.MoveRow, query, move_reads.LARGEST_FIRST, part):
        yield _columns(row, "subject", "id", "mode", "before", "after", "change")


def places(conn: Connection, two: TwoRuns, part: Part) -> Iterator[Row]:
    """Ranks and values on the boards of the whole league, largest change of a rank first."""
    query = _places(conn, two, part.player)
    for row in _read(conn, place_reads.PlaceMoveRow, query, place_reads.LARGEST_FIRST, part):
        yield {
            "board": row.board,
            "month": row.month or None,
            "mode": row.mode or None,
            **_columns(row, "id", "rank_before", "rank_after", "value_before", "value_after"),
        }


def standings(conn: Connection, two: TwoRuns, part: Part) -> Iterator[Row]:
    """Ranks and totals in the series of the months, largest change of a total first."""
    columns = ("month", "mode", "id", "rank_before", "rank_after", "total_before", "total_after")
    query = _standings(conn, two, part.player)
    for row in _read(conn, standing_reads.StandingMoveRow, query, standing_reads.LARGEST_FIRST, part):
        yield _columns(row, *columns)


def badges(conn: Connection, two: TwoRuns, part: Part) -> Iterator[Row]:
    """Badges that are gained, lost, or earned by a different event."""
    query = _badges(conn, two, part.player)
    for row in _read(conn, badge_reads.BadgeMoveRow, query, badge_reads.BY_ID, part):
        yield {
            **_columns(row, "id", "badge", "what", "earned_at_before", "earned_at_after"),
            "match_before": row.match_id_before,
            "match_after": row.match_id_after,
            **_columns(row, "position_before", "position_after"),
        }


def results(conn: Connection, two: TwoRuns, part: Part) -> Iterator[Row]:
    """Matches with a different result, each with its first hand that is scored differently (null: none)."""
    query = _results(conn, two, part.player)
    rows = _read(conn, result_reads.ResultRow, query, result_reads.BY_BEGINNING, part)
    while page := list(islice(rows, PAGE)):
        hands = first_hands(conn, two, [row.match_id for row in page])
        for row in page:
            yield {"match": row.match_id, **_result(row), **_hand(hands.get(row.match_id))}


def divergences(conn: Connection, two: TwoRuns, part: Part) -> Iterator[Row]:
    """For each player or team and mode, the first match after which the ratings differ, in the order decided."""
    query = _divergences(conn, two, part.player)
    for row in _read(conn, divergence_reads.DivergenceRow, query, divergence_reads.EARLIEST_FIRST, part):
        yield divergence_of(row)


def divergence_of(row: divergence_reads.DivergenceRow) -> Row:
    """A row of divergences in the export's format."""
    terms = divergence_reads.terms_of(row)
    return {
        **_columns(row, "subject", "id", "mode"),
        "match": row.match_id,
        **_columns(row, "decided_at", "position_before", "position_after"),
        "rating_before": row.after_before,
        "rating_after": row.after_after,
        "terms": [{"term": one.term, "before": one.before, "after": one.after} for one in terms],
    }


def _moves(_conn: Connection, two: TwoRuns, player: str | None) -> Query:
    return move_reads.moves(two, player=player)


def _standings(_conn: Connection, two: TwoRuns, player: str | None) -> Query:
    return standing_reads.standings(two, player=player)


def _badges(_conn: Connection, two: TwoRuns, player: str | None) -> Query:
    return badge_reads.badges(two, player=player)


def _results(_conn: Connection, two: TwoRuns, player: str | None) -> Query:
    return result_reads.results(two, player=player)


def _divergences(_conn: Connection, two: TwoRuns, player: str | None) -> Query:
    return divergence_reads.divergences(two, player=player)


def _places(conn: Connection, two: TwoRuns, player: str | None) -> Query:
    return place_reads.places(two, place_reads.every_board(conn, two), player=player)


class List(Struct, frozen=True):
    """One kind of difference: how to read its rows, and their columns."""

    columns: tuple[str, ...]
    rows: Callable[[Connection, TwoRuns, Part], Iterator[Row]]
    query: Callable[[Connection, TwoRuns, str | None], Query]
    """What it lists of one player, or of all."""

    def count(self, conn: Connection, two: TwoRuns, player: str | None) -> int:
        """How many rows the whole list has."""
        return count(conn, self.query(conn, two, player))


LISTS: dict[str, List] = {
    "moves": List(("subject", "id", "mode", "before", "after", "change"), moves, _moves),
    "places": List(
        ("board", "month", "mode", "id", "rank_before", "rank_after", "value_before", "value_after"),
        places,
        _places,
    ),
    "standings": List(
        ("month", "mode", "id", "rank_before", "rank_after", "total_before", "total_after"),
        standings,
        _standings,
    ),
    "badges": List(
        ("id", "badge", "what", "earned_at_before", "earned_at_after", "match_before", "match_after",
         "position_before", "position_after"),
        badges,
        _badges,
    ),
    "results": List(
        ("match", "ruleset", "mode", "decided_at_before", "decided_at_after", "winner_before", "winner_after",
         "score_before", "score_after", "status_before", "status_after", "terms_before", "terms_after",
         "hands", "hand", "position", "hand_winner_before", "hand_winner_after", "hand_points_before",
         "hand_points_after", "hand_counted_before", "hand_counted_after", "hand_terms_before", "hand_terms_after"),
        results,
        _results,
    ),
    "divergences": List(
        ("subject", "id", "mode", "match", "decided_at", "position_before", "position_after", "rating_before",
         "rating_after", "terms"),
        divergences,
        _divergences,
    ),
}  # fmt: skip
"""The kinds of difference, by name."""


def _read(conn: Connection, kind: type[R], query: Query, order: Order, part: Part) -> Iterator[R]:
    rows = query.order_by(*order.columns).limit(part.first).offset(part.skip)
    with conn.execute(rows, execution_options={"yield_per": PAGE}) as result:
        yield from typed(kind, result)


def _columns(row: object, *names: str) -> Row:
    return {name: getattr(row, name) for name in names}


def _result(row: result_reads.ResultRow) -> Row:
    shown = _columns(row, "ruleset", "mode", "decided_at_before", "decided_at_after", "winner_before", "winner_after")
    shown |= _columns(row, "score_before", "score_after", "status_before", "status_after")
    return shown | {f"terms_{when}": _terms(getattr(row, f"terms_{when}")) for when in ("before", "after")}


def _hand(first: FirstHand | None) -> Row:
    """The columns of a first hand; without one they are null."""
    both = [f"{name}_{when}" for name in ("winner", "points", "counted", "terms") for when in ("before", "after")]
    found = {name: None if first is None else getattr(first.hand, name) for name in ("hand", "position", *both)}
    for terms in ("terms_before", "terms_after"):
        found[terms] = _terms(found[terms])
    hand, position = found.pop("hand"), found.pop("position")
    hands = 0 if first is None else first.hands
    return {"hands": hands, "hand": hand, "position": position, **{f"hand_{name}": v for name, v in found.items()}}


def _terms(terms: Sequence[Any] | None) -> list[Row] | None:
    return None if terms is None else [{"side": side, "rule": rule, "points": points} for side, rule, points in terms]
