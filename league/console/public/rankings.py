"""Leaderboards and the monthly series, with the pictures that chats show of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from starlette.requests import Request

from league.api.graphql.leaf_types import BoardKind
from league.console.addresses import day_of, end_of
from league.console.asking import NoPage
from league.console.pages import Page
from league.domain.sentences import joined, say, say_count
from league.pictures.pictures import PictureRow, PictureTable, table_picture
from league.projections.boards.definitions import BOARDS
from league.wording.language import spoken
from league.wording.numbers import date_of, month_of, signed

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


def _board_of(request: Request) -> Mapping[str, Any]:
    """The variables of the board in the address. Raises NoPage if there is no such board."""
    kind, asked = request.path_params["kind"].upper(), request.query_params
    if kind not in BoardKind.__members__:
        raise NoPage(404)
    is_series = kind == "SERIES"
    return {
        "kind": kind,
        "region": asked.get("region") or None,
        "month": (asked.get("month") or None) if is_series else None,
        "mode": (asked.get("mode") or None) if is_series else None,
        "all": asked.get("all") == "1",
        "after": asked.get("after"),
    }


def _at_the_end_of_the_day(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The last moment of the day in the address, so that the day's matches count."""
    return {"asOf": end_of(day_of(request, "day"), zone)}


SHOWN = 5
"""Places in the picture: it is then about as high as wide."""


def board_picture(data: Mapping[str, Any]) -> str:
    """The picture of a board as SVG, from the data of the page's document."""
    board, league = data["board"], data["league"]
    definition = BOARDS[BoardKind[board["kind"]].value]
    places = board["places"]
    rows = [
        PictureRow(
            place["rank"],
            place["competitor"]["displayName"],
            " · ".join(_details(place)),
            definition.in_words(place["value"]),
            (place["moves"]["week"] or {}).get("change"),
            _among_the_new(place),
        )
        for place in places["nodes"][:SHOWN]
    ]
    day = board["asOf"] and date_of(datetime.fromisoformat(board["asOf"]), ZoneInfo(league["timeZone"]))
    parts = (
        month_of(board["month"]) if board["month"] else "",
        board["region"] or "",
        spoken(say("as of {day}", day=day)) if day else "",
    )
    subtitle = " · ".join(part for part in parts if part) or say("Leaderboard")
    who = say("pair") if board["kind"] == "TEAMS" or board["mode"] == "TWO_ON_TWO" else say("player")
    total = places["totalCount"]
    note = say("{shown} of {total} are shown", shown=len(rows), total=total) if len(rows) < total else ""
    return table_picture(
        PictureTable(
            spoken(definition.title), subtitle, who, spoken(definition.heading), rows, (league["name"], ""), note
        )
    )


def _among_the_new(place: Mapping[str, Any]) -> str:
    """What stands in place of a rank for who has none yet, as on the page."""
    new = place["amongProvisional"]
    return "-" if new is None else f"({new['rank']})"


def _details(place: Mapping[str, Any]) -> list[str]:
    region = place["competitor"].get("region")
    matches = spoken(say_count("{count} match", "{count} matches", place["matches"]))
    return [region, matches] if region else [matches]


def _mode_of(request: Request) -> Mapping[str, Any]:
    return {"mode": request.query_params.get("mode") or "ONE_ON_ONE"}


def _with_cross_table(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The cross table, which only the first page of the standings shows."""
    is_first = "after" not in request.query_params
    return {"cross": cross_table(data["seriesMonth"]) if is_first else []}


ROWS = 14
"""Rows of the cross table: as many as the document asks meetings for."""


class CrossCell(Struct, frozen=True):
    """The games that the row's competitor won and lost against the column's, and the series points from them."""

    wins: int
    losses: int
    series_points: int

    @property
    def mark(self) -> str:
        """`ahead` if the row's competitor holds series points of the other, `behind` if the other does, or `even`."""
        return "ahead" if self.series_points > 0 else "behind" if self.series_points < 0 else "even"


class CrossRow(Struct, frozen=True):
    """A row of the cross table: a standing, and a cell for each column; None if the two have not met."""

    standing: Mapping[str, Any]
    cells: Sequence[CrossCell | None]


def cross_table(month: Mapping[str, Any]) -> Sequence[CrossRow]:
    """The cross table of a month. `month`: as the API answers it."""
    cells = {}
    for one in month["meetings"]["nodes"]:
        cells[one["a"], one["b"]] = CrossCell(one["aWins"], one["bWins"], one["aSeriesPoints"])
        cells[one["b"], one["a"]] = CrossCell(one["bWins"], one["aWins"], -one["aSeriesPoints"])
    first = month["standings"]["nodes"][:ROWS]
    ids = [row["competitorId"] for row in first]
    return [CrossRow(row, [cells.get((row["competitorId"], other)) for other in ids]) for row in first]


def month_picture(data: Mapping[str, Any]) -> str:
    """The picture of a month as SVG, from the data of the page's document."""
    month = data["seriesMonth"]
    is_of_pairs = month["mode"] == "TWO_ON_TWO"
    rows = [
        PictureRow(
            row["rank"],
            row["competitor"]["displayName"],
            joined(
                " · ",
                (
                    say_count("{count} game won", "{count} games won", row["wins"]),
                    say_count("{count} lost", "{count} lost", row["losses"]),
                    say("series {points}", points=signed(row["seriesPoints"])),
                ),
            ),
            str(row["total"]),
        )
        for row in month["standings"]["nodes"][:SHOWN]
    ]
    title = say("Series, {month}", month=month_of(month["month"]))
    subtitle, who = (say("pairs"), say("pair")) if is_of_pairs else (say("players"), say("player"))
    return table_picture(PictureTable(title, subtitle, who, say("total"), rows, (data["league"]["name"], "")))


PAGES = (
    page(path="/boards", name="boards", at_replay=True),
    page(
        path="/boards/{kind}",
        name="board",
        at_replay=True,
        variables=_board_of,
        by_clock=_at_the_end_of_the_day,
        picture=board_picture,
        needs="league",
    ),
    page(path="/series", name="series", at_replay=True),
    page(
        path="/series/{month}",
        name="series_month",
        at_replay=True,
        document="month.graphql",
        template="month.html",
        variables=_mode_of,
        adds=_with_cross_table,
        picture=month_picture,
        needs="league",
    ),
)
