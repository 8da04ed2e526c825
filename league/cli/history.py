"""`league history`: every change of a rating with its cause, including changes not caused by the player's matches."""

from collections.abc import Mapping
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from sqlalchemy import literal

from league.cli import terminal
from league.cli.competitors import find
from league.cli.opening import existing_league, reading
from league.cli.options import Json, Who
from league.domain.competitor import CompetitorId, players_of, subject_of
from league.domain.rating import shown
from league.domain.rules import SeriesMode
from league.domain.seating import side_of
from league.projections import tables as t
from league.projections.queries import journal
from league.projections.queries.log import entries_by_position
from league.projections.queries.matches import MatchRow, matches_by_id
from league.projections.queries.official import chosen_run, names_of
from league.projections.queries.pages import PageOf, count, read_page
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.wording import reasons
from league.wording.language import _
from league.wording.numbers import moment_of, signed


def history(
    who: Who,
    mode: Annotated[SeriesMode | None, typer.Option(help=_("Only the rating of this mode."))] = None,
    first: Annotated[int, typer.Option(help=_("How many changes to print."), min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print every change of a rating, and what caused it.

    The causes are matches, corrections, and changes of the rules. The latest change comes first.
    """
    with existing_league() as league:
        league.project()
        with reading(league) as conn:
            snapshot = snapshot_of(conn, chosen_run(conn, None))
            _print(snapshot, find(snapshot, who, "player"), mode, first, as_json=as_json)


def _print(snapshot: Snapshot, id_: CompetitorId, mode: SeriesMode | None, first: int, *, as_json: bool) -> None:
    query = journal.entries_of(subject_of(id_), literal(id_, t.Id), mode)
    rows = read_page(snapshot.conn, journal.JournalRow, query, journal.LATEST_FIRST, PageOf(first)).rows
    events = entries_by_position(snapshot, [row.position for row in rows])
    met = matches_by_id(snapshot, sorted({row.match_id for row in rows if row.match_id is not None}))
    moves: list[dict[str, Any]] = [
        {
            "recorded_at": events[row.position].recorded_at,
            "position": row.position,
            "event": events[row.position].name,
            "cause": row.cause,
            "mode": row.mode,
            "match": row.match_id,
            "played_at": met[row.match_id].decided_at if row.match_id in met else None,
            "opponents": _opponents(met.get(row.match_id or ""), id_),
            "side": _side(met.get(row.match_id or ""), id_),
            "won": _won(met.get(row.match_id or ""), id_),
            "score": met[row.match_id].score if row.match_id in met else None,
            "before": row.before,
            "after": row.after,
            "text": reasons.journal_reason(row.cause, events[row.position].name, row.match_id),
        }
        for row in rows
    ]
    name, total = names_of(snapshot.conn, {id_})[id_], count(snapshot.conn, query)
    if as_json:
        terminal.print_json({"id": id_, "name": name, "total": total, "moves": moves})
    elif moves:
        opponents = names_of(snapshot.conn, {one for move in moves for one in move["opponents"]})
        _print_moves(name, moves, opponents, ZoneInfo(snapshot.zone))
        terminal.print_more(len(moves), total)
    else:
        terminal.out.print(_("{name} has no rating yet.", name=terminal.shown(name)), markup=False)
        terminal.out.print(_("Ratings come with matches: `{command}`", command="league match open"), markup=False)


def _side(match: MatchRow | None, id_: CompetitorId) -> int | None:
    """The side of a player or a pair; None: they did not play this match."""
    if match is None or not set(players_of(id_)) <= set(match.seats):
        return None
    return side_of(match.seats.index(players_of(id_)[0]), match.mode)


def _opponents(match: MatchRow | None, id_: CompetitorId) -> list[str]:
    """The ids of the players on other sides."""
    side = _side(match, id_)
    if match is None or side is None:
        return []
    return [player for seat, player in enumerate(match.seats) if side_of(seat, match.mode) != side]


def _won(match: MatchRow | None, id_: CompetitorId) -> bool | None:
    side = _side(match, id_)
    return None if match is None or side is None or match.winner is None else match.winner == side


def _print_moves(name: str, moves: list[dict[str, Any]], names: Mapping[str, str], zone: ZoneInfo) -> None:
    before, after, change = _("before"), _("after"), _("change")
    rows = [
        (
            moment_of(move["played_at"] or move["recorded_at"], zone),
            move["mode"],
            shown(move["before"]),
            "-" if move["after"] is None else shown(move["after"]),
            "" if move["after"] is None else signed(move["after"] - move["before"], 1),
            _why(move, names),
        )
        for move in moves
    ]
    terminal.table(
        _("How the rating of {name} came about, the latest first", name=name),
        (_("when"), _("mode"), before, after, change, _("why")),
        rows,
        numbers=(before, after, change),
    )
    terminal.out.print(_("[dim]Dates are in the time zone {zone}.[/]", zone=zone))


def _why(move: dict[str, Any], names: Mapping[str, str]) -> str:
    """The result of the player's own match, their points first, or what else moved the rating."""
    if move["cause"] != "match" or move["won"] is None:
        return str(move["text"])
    others = " & ".join(names[one] for one in move["opponents"])
    points, side = move["score"] or [], move["side"]
    own_first = points[side : side + 1] + sorted(points[:side] + points[side + 1 :], reverse=True)
    score = "-".join(map(str, own_first))
    said = {"match": move["match"], "score": score, "others": others}
    if move["won"]:
        return _("{match}: won {score} against {others}", **said)
    return _("{match}: lost {score} against {others}", **said)
