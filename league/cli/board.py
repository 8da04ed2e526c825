"""`league board`: a leaderboard for people, as JSON for scripts, or as a picture to share."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import select

from league.application.bootstrap import clock
from league.cli import terminal
from league.cli.opening import find, in_utc, reading_run
from league.cli.terminal import AROUND, FIRST, Around, AsOf, First, Json, KnownAt, Region, Run
from league.domain.player_names import there_are
from league.domain.refusals import InvalidInput, NotFound
from league.domain.rules import SeriesMode
from league.domain.seating import CompetitorId, players_of
from league.domain.sentences import say, say_count
from league.pictures.drawing import html, png
from league.pictures.pictures import PictureRow, PictureTable, table_picture
from league.projections import tables as t
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS
from league.projections.queries import catalogue, players
from league.projections.queries.pages import PageRequest
from league.projections.queries.places import (
    PlaceRow,
    RankAtMoment,
    count_places,
    display_rules_for,
    ranks_before,
    read_around,
    read_places,
)
from league.projections.queries.players import names_of
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot
from league.wording.language import language, spoken
from league.wording.numbers import date_of, moment_of, month_of, signed

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page to share to this file; it needs no network."),
]
Png = Annotated[Path | None, typer.Option("--png", metavar="FILE", help="Write a picture to share to this file.")]


class ShareFiles(Struct, frozen=True):
    """The files into which a board is written, to share it."""

    html: Path | None = None
    png: Path | None = None

    def __bool__(self) -> bool:
        """Whether a file was asked for."""
        return self.html is not None or self.png is not None

    def write(self, title: str, svg: str, *, as_json: bool) -> None:
        """Write the drawing to the files, and say so. Raises InvalidInput for a file that cannot be written."""
        made: tuple[tuple[str, Path | None, Callable[[], bytes]], ...] = (
            ("html", self.html, lambda: html(svg, title, language()).encode()),
            ("png", self.png, lambda: png(svg)),
        )
        for option, file, content in made:
            if file is not None:
                try:
                    file.write_bytes(content())
                except OSError as error:
                    raise InvalidInput(
                        option, say("cannot write {file}: {why}", file=file, why=error.strerror)
                    ) from None
        written = [file for _option, file, _content in made if file is not None]
        if as_json:
            terminal.print_json({"written": list(map(str, written))})
            return
        for file in written:
            terminal.out.print(terminal.shown(say("Written: {file}", file=file)), markup=False, soft_wrap=True)


def places_of(snapshot: Snapshot, board: BoardKey, around: str | None, first: int | None) -> Sequence[PlaceRow]:
    """The first places of a board, or those around a player or a team (an id or a name).

    `first`: how many places, or how many on either side; None for the defaults. Raises InvalidInput for a region
    without players, and NotFound for a player who has no place on the board.
    """
    known = players.regions(snapshot)
    if board.region is not None and board.region not in known:
        raise InvalidInput(
            "region",
            say(
                "there are no players from {region!r}; {there_are}",
                region=board.region,
                there_are=there_are(board.region, known) if known else say("there are no regions"),
            ),
        )
    if around is None:
        return read_places(snapshot, PlaceRow, board, PageRequest(first or FIRST)).rows
    id_ = find(snapshot, around, "around")
    places = read_around(snapshot, PlaceRow, board, id_, first or AROUND)
    if not places:
        raise NotFound("around", "competitor", id_, called=say("place on this board of"))
    return places


def regions_of(snapshot: Snapshot, ids: Iterable[CompetitorId]) -> dict[CompetitorId, str]:
    """The regions by id. A team has the regions of both players, if they differ."""
    p, wanted = t.players.c, list(ids)
    members = {player for id_ in wanted for player in players_of(id_)}
    rows = snapshot.conn.execute(select(p.player_id, p.region).where(p.player_id.in_(members)))
    known = {row.player_id: row.region or "-" for row in rows}
    return {id_: " & ".join(dict.fromkeys(known.get(player, "-") for player in players_of(id_))) for id_ in wanted}


WEEK = 7
"""The number of days over which rank changes are counted."""

Kind = StrEnum("Kind", {kind.upper(): kind for kind in BOARDS})  # type: ignore[misc]  # the names are known when it runs


def board(
    kind: Annotated[Kind, typer.Argument(help="Which board.")] = Kind("global"),
    region: Region = None,
    around: Around = None,
    month: Annotated[
        str | None, typer.Option(metavar="YYYY-MM", help="The month of the series (default: the latest with games).")
    ] = None,
    mode: Annotated[
        SeriesMode | None, typer.Option(help="In the series: players (1v1, the default) or fixed pairs (2v2).")
    ] = None,
    as_of: AsOf = None,
    run: Run = None,
    known_at: KnownAt = None,
    first: First = None,
    everybody: Annotated[bool, typer.Option("--all", help="Include inactive players and pairs.")] = False,
    html: Html = None,
    png: Png = None,
    as_json: Json = False,
) -> None:
    """Print a leaderboard, or write it as a picture to share.

    Beside each rank is the number of ranks gained or lost in a week.
    """
    monthly = BOARDS[kind.value].monthly
    if not monthly and (month or mode):
        raise InvalidInput("month" if month else "mode", say("only the series has months and modes"))
    with reading_run(run, known_at) as (league, snapshot):
        wanted = BoardKey(kind.value, region, everybody, in_utc(as_of, league))
        if monthly:
            named = month_named(snapshot, mode or "1v1", month)
            wanted = replace(wanted, month=named.month, mode=named.mode)
        if shared := ShareFiles(html, png):
            places = places_of(snapshot, wanted, around, first)
            before = ranks_before(snapshot, wanted, WEEK, [place.id for place in places])
            total = count_places(snapshot, wanted)
            shared.write(*share_board(snapshot, wanted, places, before, total, clock()), as_json=as_json)
        else:
            print_board(snapshot, wanted, around, first, as_json=as_json)


def print_board(snapshot: Snapshot, board: BoardKey, around: str | None, first: int | None, *, as_json: bool) -> None:
    """Print the first places of a board, or those around a player. Raises InvalidInput, NotFound."""
    places = places_of(snapshot, board, around, first)
    if as_json:
        _print_json(snapshot, board, places)
        return
    month = f" {board.month}, {board.mode}" if board.month else ""
    where = "" if board.region is None else f", {board.region}"
    when = (
        ""
        if board.as_of is None
        else ", " + spoken(say("as of {time}", time=moment_of(board.as_of, ZoneInfo(snapshot.zone))))
    )
    title = f"{spoken(BOARDS[board.kind].title)}{month}{where}{when}"
    if not places:
        _print_empty(snapshot, board, title)
        return
    _print_places(snapshot, board, places, title)
    if around is None:
        terminal.print_more(len(places), count_places(snapshot, board), _command(board))
    _print_notes(snapshot, board, places)


def _print_empty(snapshot: Snapshot, board: BoardKey, title: str) -> None:
    """Say that the board is empty, and which command prints more places, or how to add a match."""
    terminal.out.print(terminal.quoted(title), style="bold")
    terminal.out.print(say("This board is empty."))
    everybody = replace(board, include_inactive=True)
    if BOARDS[board.kind].drops_inactive and count_places(snapshot, everybody):
        said = say("With those who have not played lately: `{command}`", command=_command(everybody))
    elif board.as_of is not None or board.region is not None:
        said = say("The whole board as it is now: `{command}`", command=f"league board {board.kind}")
    else:
        said = say("Record a match on the pages of the league, or import one: `{command}`", command="league import")
    terminal.out.print(said, markup=False, soft_wrap=True)


def _command(board: BoardKey) -> str:
    """The command that prints a board."""
    options = {
        "--region": board.region,
        "--month": board.month,
        "--mode": board.mode if board.month else None,
        "--as-of": board.as_of and board.as_of.isoformat(),
    }
    given = [part for option, value in options.items() if value for part in (option, value)]
    return shlex.join(["league", "board", board.kind, *given, *["--all"] * board.include_inactive])


def _print_places(snapshot: Snapshot, board: BoardKey, places: Sequence[PlaceRow], title: str) -> None:
    """Print places with names, regions, and the ranks gained or lost in a week."""
    names, regions = names_of(snapshot.conn, {p.id for p in places}), regions_of(snapshot, [p.id for p in places])
    before = ranks_before(snapshot, board, WEEK, [place.id for place in places])
    definition = BOARDS[board.kind]
    who = say("pair") if definition.competitor(board.mode) == "team" else say("player")
    rank, week, value, matches = say("rank"), say("week"), spoken(definition.heading), say("matches")
    rows = [
        (p.rank or "-", _move(p, before), names[p.id], regions[p.id], definition.in_words(p.value), p.matches)
        for p in places
    ]
    numbers = (rank, week, value, matches)
    terminal.table(title, (rank, week, who, say("region"), value, matches), rows, numbers=numbers)


def _print_json(snapshot: Snapshot, board: BoardKey, places: Sequence[PlaceRow]) -> None:
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
    total = count_places(snapshot, board)
    which = {"board": board.kind, **series, "region": board.region, "as_of": board.as_of}
    terminal.print_json({**which, "total": total, "places": rows})


def _print_notes(snapshot: Snapshot, board: BoardKey, places: Sequence[PlaceRow]) -> None:
    """Say what a dash means, and how many inactive competitors are hidden."""
    how = display_rules_for(snapshot, board)
    if how is not None and any(place.provisional for place in places):
        below = how.rulebook.rating.provisional_below
        if len(BOARDS[board.kind].modes) > 1:
            said = say("- provisional: fewer than {below} rated matches in each mode", below=below)
        else:
            said = say("- provisional: fewer than {below} rated matches", below=below)
        terminal.out.print(f"[dim]{spoken(said)}[/]")
    if BOARDS[board.kind].drops_inactive and not board.include_inactive:
        hidden = count_places(snapshot, replace(board, include_inactive=True)) - count_places(snapshot, board)
        if hidden and BOARDS[board.kind].competitor(board.mode) == "team":
            said = say_count(
                "{count} inactive pair is hidden; add --all", "{count} inactive pairs are hidden; add --all", hidden
            )
            terminal.out.print(f"[dim]{spoken(said)}[/]")
        elif hidden:
            said = say_count(
                "{count} inactive player is hidden; add --all", "{count} inactive players are hidden; add --all", hidden
            )
            terminal.out.print(f"[dim]{spoken(said)}[/]")
    terminal.out.print()


def _move(place: PlaceRow, before: Mapping[str, RankAtMoment]) -> str:
    if place.rank is None or place.id not in before:
        return ""
    gained = before[place.id].rank - place.rank
    return signed(gained) if gained else "="


def share_board(
    snapshot: Snapshot,
    board: BoardKey,
    places: Sequence[PlaceRow],
    before: Mapping[str, RankAtMoment],
    total: int,
    now: datetime,
) -> tuple[str, str]:
    """The title and the drawing (SVG) of a board. `before`: the ranks a week ago; `total`: the number of all places."""
    names, regions = names_of(snapshot.conn, {p.id for p in places}), regions_of(snapshot, [p.id for p in places])
    definition = BOARDS[board.kind]
    rows = [
        PictureRow(
            place.rank,
            names[place.id],
            _detail(regions[place.id], say_count("{count} match", "{count} matches", place.matches)),
            definition.in_words(place.value),
            None if place.rank is None or place.id not in before else before[place.id].rank - place.rank,
        )
        for place in places
    ]
    title = spoken(definition.title)
    month = month_of(board.month) + f", {board.mode}" if board.month else ""
    who = say("pair") if definition.competitor(board.mode) == "team" else say("player")
    subtitle = _detail(month, board.region or "", _as_of(snapshot, board.as_of)) or say("Leaderboard")
    heading = spoken(definition.heading)
    return title, table_picture(
        PictureTable(title, subtitle, who, heading, rows, _foot(snapshot, now), _shown_of(len(rows), total))
    )


def _shown_of(rows: int, total: int) -> str:
    if not total:
        return say("There are no places yet.")
    return say("{shown} of {total} are shown", shown=rows, total=total) if rows < total else ""


def _as_of(snapshot: Snapshot, moment: datetime | None) -> str:
    return "" if moment is None else say("as of {day}", day=date_of(moment, ZoneInfo(snapshot.zone)))


def _foot(snapshot: Snapshot, now: datetime) -> tuple[str, str]:
    settings = catalogue.settings(snapshot)
    return ("" if settings is None else settings.name), date_of(now, ZoneInfo(snapshot.zone))


def _detail(*parts: str) -> str:
    return " · ".join(part for part in parts if part and part != "-")
