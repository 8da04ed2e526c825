"""Rows out, for spreadsheets and auditors: unrounded numbers, times in UTC, in a stable order."""

import csv
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, TextIO

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, select

from league.domain.hand import side_of
from league.projections import tables as t
from league.projections.boards.definitions import BOARDS, boards_of, in_order, ranked
from league.projections.boards.series import months
from league.projections.display_rules import shown_now
from league.projections.queries.players import regions
from league.projections.queries.snapshot import snapshot_of

Row = dict[str, Any]


def hands(conn: Connection, run: int) -> Iterator[Row]:
    """Every hand of a match that is not voided, with what it scored and why."""
    h = t.hands.c
    for row in _stream(conn, select(t.hands).where(h.run == run).order_by(h.match_id, h.hand)):
        yield {
            "match": row.match_id,
            "hand": row.hand,
            "ruleset": row.ruleset,
            "winner": row.winner,
            "ended_by": row.ended_by,
            "points": row.points,
            "terms": [{"side": side, "rule": rule, "points": points} for side, rule, points in row.terms],
            "not_judged": row.not_judged,
            "counted": row.counted,
        }


def matches(conn: Connection, run: int) -> Iterator[Row]:
    """Every match, the open and the voided ones too."""
    m = t.matches.c
    for row in _stream(conn, select(t.matches).where(m.run == run).order_by(m.match_id)):
        sides: dict[int, list[str]] = {}
        for seat, player in enumerate(row.seats):
            sides.setdefault(side_of(seat, row.mode), []).append(player)
        yield {
            "match": row.match_id,
            "ruleset": row.ruleset,
            "mode": row.mode,
            "competition": row.competition,
            "played_at": row.began_at,
            "decided_at": row.decided_at,
            "sides": list(sides.values()),
            "winner": row.winner,
            "score": row.score,
            "status": row.status,
        }


def changes(conn: Connection, run: int) -> Iterator[Row]:
    """Every rating change, with every term of it."""
    c = t.changes.c
    order = (c.decided_at, c.match_id, c.mode, c.subject, c.id)
    for row in _stream(conn, select(t.changes).where(c.run == run).order_by(*order)):
        yield {
            "decided_at": row.decided_at,
            "match": row.match_id,
            "mode": row.mode,
            "subject": row.subject,
            "id": row.id,
            "before": row.before,
            "after": row.after,
            "k": row.k,
            "k_rule": row.k_rule,
            "outcome": row.outcome,
            "expected": row.expected,
            "modifier": row.modifier,
            "modifier_terms": [{"rule": rule, "value": value} for rule, value in row.modifier_terms],
            "capped": row.capped,
            "edition": row.edition,
            "position": row.position,
        }


def ratings(conn: Connection, run: int) -> Iterator[Row]:
    """Every rating of a player or a team with a rated match."""
    r = t.ratings.c
    for row in _stream(conn, select(t.ratings).where(r.run == run).order_by(r.subject, r.id, r.mode)):
        yield {
            "subject": row.subject,
            "id": row.id,
            "mode": row.mode,
            "rating": row.rating,
            "matches": row.matches,
            "provisional": row.provisional,
        }


def achievements(conn: Connection, run: int) -> Iterator[Row]:
    """What everyone with a match has achieved."""
    a = t.achievements.c
    for row in _stream(conn, select(t.achievements).where(a.run == run).order_by(a.player_id)):
        yield {
            "id": row.player_id,
            "capicuas": row.capicuas,
            "viajeras": row.viajeras,
            "pollonas": row.pollonas,
            "hands_won": row.hands_won,
        }


def badges(conn: Connection, run: int) -> Iterator[Row]:
    """Every badge, with the event that earned it."""
    b = t.badges.c
    for row in _stream(conn, select(t.badges).where(b.run == run).order_by(b.player_id, b.badge)):
        yield {"id": row.player_id, "badge": row.badge, "earned_at": row.earned_at, "position": row.position}


def standings(conn: Connection, run: int) -> Iterator[Row]:
    """The standings of every month, as they are now."""
    shown = shown_now(conn, run)
    for board in boards_of(BOARDS["series"], months(conn, run)):
        assert shown is not None, "who stands somewhere has played"
        places = ranked(run, board, shown)
        for row in _stream(conn, select(places).order_by(places.c.rank, places.c.id)):
            yield {
                "month": board.month,
                "mode": board.mode,
                "rank": row.rank,
                "id": row.id,
                "wins": row.wins,
                "losses": row.losses,
                "series_points": row.series_points,
                "total": row.total,
            }


def series(conn: Connection, run: int) -> Iterator[Row]:
    """What any two competitors who met hold of each other, month by month."""
    p = t.series_pairs.c
    for row in _stream(conn, select(t.series_pairs).where(p.run == run).order_by(p.month, p.mode, p.a, p.b)):
        yield {
            "month": row.month,
            "mode": row.mode,
            "a": row.a,
            "b": row.b,
            "a_wins": row.a_wins,
            "b_wins": row.b_wins,
            "a_series_points": row.a_series_points,
            "locked": row.locked,
            "ignored": row.ignored,
        }


def boards(conn: Connection, run: int) -> Iterator[Row]:
    """Every place of every board, for the whole league and for each region."""
    snapshot = snapshot_of(conn, run)
    if snapshot.shown is None:
        return
    everywhere = (None, *regions(snapshot))
    of_league = months(conn, run)
    for kind, definition in sorted(BOARDS.items()):
        for region in everywhere:
            for board in boards_of(definition, of_league):
                places = ranked(run, replace(board, region=region), snapshot.shown)
                for row in _stream(conn, select(places).order_by(*in_order(places))):
                    yield {
                        "board": kind,
                        "region": region,
                        "month": board.month or None,
                        "mode": board.mode or None,
                        "rank": row.rank,
                        "id": row.id,
                        "value": row.value,
                    }


class Export(Struct, frozen=True):
    """Rows that can be written out, and what each of them has."""

    columns: tuple[str, ...]
    rows: Callable[[Connection, int], Iterator[Row]]


EXPORTS: dict[str, Export] = {
    "hands": Export(
        ("match", "hand", "ruleset", "winner", "ended_by", "points", "terms", "not_judged", "counted"), hands
    ),
    "matches": Export(
        ("match", "ruleset", "mode", "competition", "played_at", "decided_at", "sides", "winner", "score", "status"),
        matches,
    ),
    "changes": Export(
        ("decided_at", "match", "mode", "subject", "id", "before", "after", "k", "k_rule", "outcome", "expected",
         "modifier", "modifier_terms", "capped", "edition", "position"),
        changes,
    ),
    "ratings": Export(("subject", "id", "mode", "rating", "matches", "provisional"), ratings),
    "standings": Export(("month", "mode", "rank", "id", "wins", "losses", "series_points", "total"), standings),
    "series": Export(
        ("month", "mode", "a", "b", "a_wins", "b_wins", "a_series_points", "locked", "ignored"), series
    ),
    "achievements": Export(("id", "capicuas", "viajeras", "pollonas", "hands_won"), achievements),
    "badges": Export(("id", "badge", "earned_at", "position"), badges),
    "boards": Export(("board", "region", "month", "mode", "rank", "id", "value"), boards),
}  # fmt: skip
"""What can be exported, by name."""


def write_jsonl(rows: Iterator[Row], out: TextIO) -> int:
    """One JSON object a line. Returns the number of rows."""
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  # the last number is the count
        out.write(msgspec.json.encode(in_utc(row)).decode() + "\n")
    return count


def write_csv(rows: Iterator[Row], out: TextIO, columns: Sequence[str]) -> int:
    """A heading and a line a row; lists are written as JSON, unknown as nothing. Returns the number of rows."""
    writer, count = csv.DictWriter(out, columns, lineterminator="\n"), 0
    writer.writeheader()
    for count, row in enumerate(rows, 1):  # noqa: B007  # the last number is the count
        writer.writerow({name: _cell(value) for name, value in in_utc(row).items()})
    return count


def in_utc(row: Row) -> Row:
    """A row with its times as text, in UTC."""
    return {k: v.astimezone(UTC).isoformat() if isinstance(v, datetime) else v for k, v in row.items()}


def _cell(value: Any) -> Any:
    if isinstance(value, list | dict | bool):
        return msgspec.json.encode(value).decode()
    # A cell that begins like a formula would be computed by a spreadsheet.
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value


def _stream(conn: Connection, query: Any) -> Iterator[Any]:
    return iter(conn.execution_options(yield_per=1_000).execute(query))
