"""`league board`: a leaderboard for people, or as JSON for scripts."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, select

from league import console
from league.domain.rating import shown
from league.domain.refusals import NotFound
from league.projections import tables as t
from league.projections.boards import RATING_BOARDS, Board
from league.projections.official import names_of
from league.projections.reads.pages import PageOf
from league.projections.reads.places import count_places, ranks_before, read_around, read_places
from league.projections.reads.snapshot import Snapshot

WEEK = 7
AROUND = 5
NAMES = {
    "global": "Global",
    "1v1": "One on one",
    "2v2": "Two on two",
    "teams": "Teams",
    "capicuas": "Capicúas",
    "capicuas_per_hand": "Capicúas per hand won",
    "pollonas": "Pollonas",
    "viajeras": "Viajeras",
}
"""The boards, as people call them."""


def show(snapshot: Snapshot, board: Board, around: str | None, first: int, *, as_json: bool) -> None:
    """Print the first places, or those around somebody. Raises NotFound when they do not stand on the board."""
    if around is None:
        places = read_places(snapshot, board, PageOf(first)).rows
    else:
        places = read_around(snapshot, board, around, AROUND)
        if not places:
            raise NotFound("around", "place on this board of", around)
    if as_json:
        _print_json(snapshot, board, places)
        return
    where = "" if board.region is None else f", {board.region}"
    when = "" if board.as_of is None else f", as of {board.as_of:%Y-%m-%d %H:%M %Z}"
    print_places(snapshot, board, places, f"{NAMES[board.kind]}{where}{when}")
    _print_hidden(snapshot, board)


def print_places(snapshot: Snapshot, board: Board, places: Sequence[Row[Any]], title: str) -> None:
    """Places with names, regions, and the ranks gained or lost in a week."""
    names, regions = names_of(snapshot.conn, {place.id for place in places}), _regions(snapshot, places)
    before = ranks_before(snapshot, board, WEEK, [place.id for place in places])
    value = "rating" if board.kind in RATING_BOARDS else "number"
    rows = [(p.rank or "-", _move(p, before), names[p.id], regions[p.id], _value(board, p), p.matches) for p in places]
    who = "team" if board.kind == "teams" else "player"
    numbers = ("rank", "week", value, "matches")
    console.table(title, ("rank", "week", who, "region", value, "matches"), rows, numbers=numbers)


def _print_json(snapshot: Snapshot, board: Board, places: Sequence[Row[Any]]) -> None:
    names, regions = names_of(snapshot.conn, {place.id for place in places}), _regions(snapshot, places)
    before = ranks_before(snapshot, board, WEEK, [place.id for place in places])
    rows = [
        {
            "rank": place.rank,
            "rank_a_week_before": before[place.id].rank if place.id in before else None,
            "id": place.id,
            "name": names[place.id],
            "region": regions[place.id],
            "value": place.value,
            "matches": place.matches,
            "provisional": place.provisional,
            "last_decided_at": place.last_decided_at,
        }
        for place in places
    ]
    console.print_json({"board": board.kind, "region": board.region, "as_of": board.as_of, "places": rows})


def _print_hidden(snapshot: Snapshot, board: Board) -> None:
    everybody = Board(board.kind, board.region, include_inactive=True, as_of=board.as_of)
    hidden = 0 if board.include_inactive else count_places(snapshot, everybody) - count_places(snapshot, board)
    if hidden:
        console.out.print(f"[dim]{hidden} are not shown: they have not finished a match for long.[/]\n")


def _regions(snapshot: Snapshot, places: Sequence[Row[Any]]) -> dict[str, str]:
    """The regions by id; of teams both, where they differ."""
    p = t.players.c
    players = {player for place in places for player in place.id.split("+")}
    rows = snapshot.conn.execute(select(p.player_id, p.region).where(p.player_id.in_(players)))
    known = {row.player_id: row.region or "-" for row in rows}
    return {
        place.id: " & ".join(dict.fromkeys(known.get(player, "-") for player in place.id.split("+")))
        for place in places
    }


def _move(place: Row[Any], before: Any) -> str:
    if place.rank is None or place.id not in before:
        return ""
    gained = before[place.id].rank - place.rank
    return f"{gained:+d}" if gained else "="


def _value(board: Board, place: Row[Any]) -> str:
    return f"{place.value:.4f}" if board.kind == "capicuas_per_hand" else str(shown(place.value))
