"""A board as a picture to share, written as a PNG or as a page of HTML."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer
from msgspec import Struct

from league.cli import terminal
from league.cli.places import regions_of
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.pictures.drawing import html, png
from league.pictures.table_picture import Row, Table, table_picture
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.queries import catalogue
from league.projections.queries.official import names_of
from league.projections.queries.places import PlaceRow, Rank
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _, counted, language, spoken
from league.wording.numbers import date_of, month_of

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page to share to this file; it needs no network."),
]
Png = Annotated[Path | None, typer.Option("--png", metavar="FILE", help="Write a picture to share to this file.")]


class Shared(Struct, frozen=True):
    """The files that were asked for."""

    html: Path | None = None
    png: Path | None = None

    def __bool__(self) -> bool:
        """Whether there is any."""
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
            terminal.out.print(terminal.shown(_("Written: {file}", file=file)), markup=False, soft_wrap=True)


def share_board(
    snapshot: Snapshot, board: Board, places: Sequence[PlaceRow], before: Mapping[str, Rank], total: int, now: datetime
) -> tuple[str, str]:
    """The title and the drawing of a board; `before`: the ranks a week ago, `total`: how many places there are."""
    names, regions = names_of(snapshot.conn, {p.id for p in places}), regions_of(snapshot, [p.id for p in places])
    definition = BOARDS[board.kind]
    rows = [
        Row(
            place.rank,
            names[place.id],
            _detail(regions[place.id], counted("{count} match", "{count} matches", place.matches)),
            definition.in_words(place.value),
            None if place.rank is None or place.id not in before else before[place.id].rank - place.rank,
        )
        for place in places
    ]
    title = spoken(definition.title)
    month = month_of(board.month) + f", {board.mode}" if board.month else ""
    who = _("pair") if definition.competitor(board.mode) == "team" else _("player")
    subtitle = _detail(month, board.region or "", _as_of(snapshot, board.as_of)) or _("Leaderboard")
    heading = spoken(definition.heading)
    return title, table_picture(
        Table(title, subtitle, who, heading, rows, _foot(snapshot, now), _shown_of(len(rows), total))
    )


def _shown_of(rows: int, total: int) -> str:
    if not total:
        return _("There are no places yet.")
    return _("{shown} of {total} are shown", shown=rows, total=total) if rows < total else ""


def _as_of(snapshot: Snapshot, moment: datetime | None) -> str:
    return "" if moment is None else _("as of {day}", day=date_of(moment, ZoneInfo(snapshot.zone)))


def _foot(snapshot: Snapshot, now: datetime) -> tuple[str, str]:
    settings = catalogue.settings(snapshot)
    return ("" if settings is None else settings.name), date_of(now, ZoneInfo(snapshot.zone))


def _detail(*parts: str) -> str:
    return " · ".join(part for part in parts if part and part != "-")
