"""`league board`: a leaderboard for people, or as JSON for scripts."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Row, select

from league.cli import terminal
from league.cli.player_command import find
from league.domain.competitor import CompetitorId, players_of
from league.domain.refusals import InvalidInput, NotFound
from league.projections import tables as t
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.queries import players
from league.projections.queries.official import names_of
from league.projections.queries.pages import PageOf
from league.projections.queries.places import count_places, ranks_before, read_around, read_places, shown_for
from league.projections.queries.snapshot import Snapshot

WEEK = 7
FIRST, AROUND = 20, 5
"""Places that are printed: of a board, and on either side of somebody."""


def show(snapshot: Snapshot, board: Board, around: str | None, first: int | None, *, as_json: bool) -> None:
    """Print the first places, or those around somebody. Raises InvalidInput, and NotFound for who is not there."""
    places = places_of(snapshot, board, around, first)
    if as_json:
        _print_json(snapshot, board, places)
        return
    month = f" {board.month}, {board.mode}" if board.month else ""
    where = "" if board.region is None else f", {board.region}"
    when = "" if board.as_of is None else f", as of {board.as_of:%Y-%m-%d %H:%M} UTC"
    print_places(snapshot, board, places, f"{BOARDS[board.kind].title}{month}{where}{when}")
    _print_notes(snapshot, board, places)


def places_of(snapshot: Snapshot, board: Board, around: str | None, first: int | None) -> Sequence[Row[Any]]:
    """The first places, or those around somebody (an id or a name) with `first` on either side; None: as usual.

    Raises InvalidInput for a region that nobody is of, and NotFound for who is not on the board.
    """
    known = players.regions(snapshot)
    if board.region is not None and board.region not in known:
        raise InvalidInput("region", f"nobody is from {board.region!r}; the regions are {', '.join(known) or 'none'}")
    if around is None:
        return read_places(snapshot, board, PageOf(first or FIRST)).rows
    id_ = find(snapshot, around, "around")
    places = read_around(snapshot, board, id_, first or AROUND)
    if not places:
        raise NotFound("around", "place on this board of", id_)
    return places


def print_places(snapshot: Snapshot, board: Board, places: Sequence[Row[Any]], title: str) -> None:
    """Places with names, regions, and the ranks gained or lost in a week."""
    names, regions = names_of(snapshot.conn, {p.id for p in places}), regions_of(snapshot, [p.id for p in places])
    before = ranks_before(snapshot, board, WEEK, [place.id for place in places])
    definition = BOARDS[board.kind]
    who, value = definition.competitor(board.mode), definition.heading
    rows = [
        (p.rank or "-", _move(p, before), names[p.id], regions[p.id], definition.in_words(p.value), p.matches)
        for p in places
    ]
    numbers = ("rank", "week", value, "matches")
    terminal.table(title, ("rank", "week", who, "region", value, "matches"), rows, numbers=numbers)


def regions_of(snapshot: Snapshot, ids: Iterable[CompetitorId]) -> dict[CompetitorId, str]:
    """The regions by id; of teams both, where they differ."""
    p, wanted = t.players.c, list(ids)
    members = {player for id_ in wanted for player in players_of(id_)}
    rows = snapshot.conn.execute(select(p.player_id, p.region).where(p.player_id.in_(members)))
    known = {row.player_id: row.region or "-" for row in rows}
    return {id_: " & ".join(dict.fromkeys(known.get(player, "-") for player in players_of(id_))) for id_ in wanted}


def _print_json(snapshot: Snapshot, board: Board, places: Sequence[Row[Any]]) -> None:
    names, regions = names_of(snapshot.conn, {p.id for p in places}), regions_of(snapshot, [p.id for p in places])
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
    series = {"month": board.month, "mode": board.mode} if board.month else {}
    terminal.print_json({"board": board.kind, **series, "region": board.region, "as_of": board.as_of, "places": rows})


def _print_notes(snapshot: Snapshot, board: Board, places: Sequence[Row[Any]]) -> None:
    """What a dash means, and who is not shown."""
    how = shown_for(snapshot, board)
    if how is not None and any(place.provisional for place in places):
        each = " in each mode" if len(BOARDS[board.kind].modes) > 1 else ""
        below = how.rulebook.rating.provisional_below
        terminal.out.print(f"[dim]- provisional: fewer than {below} rated matches{each}[/]")
    if BOARDS[board.kind].drops_inactive and not board.include_inactive:
        hidden = count_places(snapshot, replace(board, include_inactive=True)) - count_places(snapshot, board)
        who = BOARDS[board.kind].competitor(board.mode) + ("" if hidden == 1 else "s")
        if hidden:
            is_, them = ("is", "everybody") if hidden == 1 else ("are", "them")
            terminal.out.print(f"[dim]{hidden} inactive {who} {is_} hidden; --all shows {them}[/]")
    terminal.out.print()


def _move(place: Row[Any], before: Any) -> str:
    if place.rank is None or place.id not in before:
        return ""
    gained = before[place.id].rank - place.rank
    return f"{gained:+d}" if gained else "="
