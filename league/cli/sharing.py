"""Pictures to share: a board, the standings of a month and a player, written as a PNG or as a page of HTML."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer
from msgspec import Struct

from league.cli import terminal
from league.cli.places import regions_of
from league.domain.competitor import CompetitorId, subject_of
from league.domain.rating import shown
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.pictures.drawing import html, png
from league.pictures.player_picture import Chart, Listing, Portrait, player_picture
from league.pictures.table_picture import Row, Table, table_picture
from league.projections.boards.board import Board
from league.projections.boards.definitions import BOARDS
from league.projections.queries import catalogue
from league.projections.queries.official import names_of
from league.projections.queries.places import PlaceRow, Rank
from league.projections.queries.rating_series import SeriesFilter, rating_series
from league.projections.queries.series import Month, StandingRow
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _, counted, language, spoken
from league.wording.numbers import date_of, month_of, percent, signed

LISTED = 4
"""How many badges and partners a player's picture has."""

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help=_("Write a page to share to this file; it needs no network.")),
]
Png = Annotated[Path | None, typer.Option("--png", metavar="FILE", help=_("Write a picture to share to this file."))]


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


def share_standings(
    snapshot: Snapshot, month: Month, rows: Sequence[StandingRow], *, subtitle: str, total: int, now: datetime
) -> tuple[str, str]:
    """The title and the drawing of the standings of a month."""
    names = names_of(snapshot.conn, {row.id for row in rows})
    drawn = [
        Row(
            row.rank,
            names[row.id],
            _(
                "{won} won, {lost} lost, series {points}",
                won=row.wins,
                lost=row.losses,
                points=signed(row.series_points),
            ),
            str(row.total),
        )
        for row in rows
    ]
    title = _("Series, {month}", month=month_of(month.month))
    who = _("player") if month.mode == "1v1" else _("pair")
    table = Table(title, subtitle, who, _("total"), drawn, _foot(snapshot, now), _shown_of(len(rows), total))
    return title, table_picture(table)


def share_player(snapshot: Snapshot, page: dict[str, Any], now: datetime) -> tuple[str, str]:
    """The title and the drawing of the page that `league player` prints."""
    id_ = CompetitorId(page["id"])
    zone, rated = ZoneInfo(snapshot.zone), page.get("ratings", ())
    totals = page["totals"]
    figures = [*_rating_figures(page), (_("matches"), str(totals.matches))]
    if totals.matches:
        share = percent(totals.wins / totals.matches)
        figures.append((_("won"), f"{totals.wins} ({share})"))
    if (streak := page["streaks"].current) is not None:
        said = counted("{count} won", "{count} won", streak.length)
        figures.append(
            (_("current streak"), said if streak.won else counted("{count} lost", "{count} lost", streak.length))
        )
    figures.append((_("capicúas"), str(totals.capicuas)))
    badges = [(spoken(one["for"]), date_of(one["earned_at"], zone)) for one in page.get("badges", ())[:LISTED]]
    partners = [_met(one) for one in page["partners"][:LISTED]]
    opponents = [_met(one) for one in page["opponents"][:LISTED]]
    lists = ((_("Badges"), badges), (_("Partners"), partners), (_("Opponents"), opponents))
    region = regions_of(snapshot, [id_])[id_].replace("-", "")
    only = ", ".join(page["only"].values())
    subtitle = _detail(region, only, _as_of(snapshot, page["as_of"])) or _("Player")
    listings = [Listing(title, entries) for title, entries in lists if entries]
    chart = _chart(snapshot, id_, page["as_of"], zone) if rated else None
    return page["name"], player_picture(
        Portrait(page["name"], subtitle, chart, figures, listings, _foot(snapshot, now))
    )


def _rating_figures(page: dict[str, Any]) -> list[tuple[str, str]]:
    """The overall rating of a player, or the only one of a pair, its rank, and the highest rating in a mode."""
    rated = {rating["mode"]: rating for rating in page.get("ratings", ())}
    if not rated:
        return []
    main = rated.get("overall") or next(iter(rated.values()))
    figures = [(_("rating (provisional)") if main["provisional"] else _("rating"), str(shown(main["rating"])))]
    rank = page["ranks"].get("global", page["ranks"].get("teams"))
    if rank is not None:
        figures.append((_("rank"), str(rank)))
    return figures


def _chart(snapshot: Snapshot, id_: CompetitorId, as_of: datetime | None, zone: ZoneInfo) -> Chart | None:
    points = rating_series(snapshot, subject_of(id_), SeriesFilter(), [id_])[id_].points
    drawn = [(point.decided_at, point.rating) for point in points if as_of is None or point.decided_at <= as_of]
    if not drawn:
        return None
    return Chart(
        _("Rating over time") if "+" in id_ else _("Overall rating over time"),
        drawn,
        date_of(drawn[0][0], zone),
        date_of(drawn[-1][0], zone),
    )


def _met(one: dict[str, Any]) -> tuple[str, str]:
    matches = counted("{count} match", "{count} matches", one["matches"])
    return one["name"], f"{matches}, {percent(one['wins'] / one['matches'])}"


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
