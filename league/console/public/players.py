"""Players, pairs and comparisons, with the chart and the picture of ratings."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from starlette.requests import Request

from league.console.addresses import beginning_of, day_of, end_of
from league.console.pages import Page
from league.domain.sentences import joined, say
from league.pictures.pictures import PlayerChart, Portrait, player_picture
from league.wording.numbers import date_of, percent

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)

CHARTS = {"one_on_one": "oneOnOne", "two_on_two": "twoOnTwo"}


def _by_the_end_of_the_day(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The last moment of the day in the address, so that the day's matches count, and the first moment after it."""
    day = day_of(request, "day")
    return {"asOf": end_of(day, zone), "before": day and beginning_of(day + timedelta(days=1), zone)}


def _as_of(data: Mapping[str, Any], request: Request) -> str | None:
    """The moment that the page shows; None for now."""
    return end_of(day_of(request, "day"), ZoneInfo(data["league"]["timeZone"]))


def _adds_to_player(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The charts, the badges earned by then, and the next badges: progress is known only for now, not for past days."""
    player, as_of = data["player"], _as_of(data, request)
    coming = [one for one in player["badgeProgress"] if as_of is None and one["next"] is not None]
    coming.sort(key=lambda one: -one["reached"] / one["next"]["threshold"])
    charts = {mode: rating_chart(player[field]["points"]) for mode, field in CHARTS.items()}
    return {**charts, "coming": coming, "badges": _earned_by(as_of, player["badges"]), "as_of": as_of}


def _adds_to_team(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The chart, the badges earned by then, and the notices of what moved the rating."""
    team, as_of = data["team"], _as_of(data, request)
    chart = rating_chart(team["ratingSeries"]["points"])
    told = [entry for entry in team["journal"]["nodes"] if entry["notice"] is not None]
    return {"chart": chart, "badges": _earned_by(as_of, team["badges"]), "as_of": as_of, "told": told}


def _earned_by(as_of: str | None, badges: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if as_of is None:
        return badges
    moment = datetime.fromisoformat(as_of)
    return [earned for earned in badges if datetime.fromisoformat(earned["earnedAt"]) <= moment]


WIDTH, HEIGHT = 640.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 8.0, 12.0, 22.0
"""The margins of the chart: room for numbers at the left, and for dates below."""
STEPS = (5, 10, 20, 25, 50, 100, 200, 500, 1000)
"""The possible distances of grid lines, in rating points."""
MOST_LINES = 5


class ChartPoint(Struct, frozen=True):
    """A match on the chart."""

    x: float
    y: float
    match_id: str
    shown: int
    decided_at: str


class GridLine(Struct, frozen=True):
    """A grid line: a height, and the rating it stands for."""

    y: float
    rating: int


class RatingChart(Struct, frozen=True):
    """The chart of a rating: the points of the line, and the grid behind it."""

    points: Sequence[ChartPoint]
    grid: Sequence[GridLine]

    @property
    def line(self) -> str:
        """The points as a `polyline` has them."""
        return " ".join(f"{point.x:.1f},{point.y:.1f}" for point in self.points)


def rating_chart(points: Sequence[Mapping[str, Any]]) -> RatingChart | None:
    """The chart of a rating series as the API answers it, in order; None for fewer than two points."""
    if len(points) < 2:  # noqa: PLR2004  # a line has two ends
        return None
    times = [datetime.fromisoformat(point["decidedAt"]).timestamp() for point in points]
    low, high = min(point["rating"] for point in points), max(point["rating"] for point in points)
    step = next((step for step in STEPS if (high - low) / step <= MOST_LINES), STEPS[-1])
    bottom, top = int(low // step) * step, (int(high // step) + 1) * step
    across = (WIDTH - LEFT - RIGHT) / ((times[-1] - times[0]) or 1.0)
    down = (HEIGHT - TOP - BOTTOM) / (top - bottom)

    def height(rating: float) -> float:
        return round(TOP + (top - rating) * down, 1)

    drawn = [
        ChartPoint(
            round(LEFT + (time - times[0]) * across, 1),
            height(point["rating"]),
            point["matchId"],
            point["shown"],
            point["decidedAt"],
        )
        for point, time in zip(points, times, strict=True)
    ]
    return RatingChart(drawn, [GridLine(height(rating), rating) for rating in range(bottom, top + 1, step)])


LONGEST = 100
"""Limit on the characters of a name or a region that is looked for."""
MODES = {"oneOnOne": "1v1", "twoOnTwo": "2v2"}
MOST_FIGURES = 3
"""Limit on the figures in a row of the picture."""


def picture_of_player(data: Mapping[str, Any]) -> str:
    """The picture of a player as SVG, from the data of the page's document."""
    player = data["player"]
    rating = next((one for one in player["ratings"] if one["mode"] == "OVERALL"), None)
    most = max(MODES, key=lambda field: player[field]["total"])
    title = say("Rating in {mode}", mode=MODES[most])
    return _picture(data, player, player["region"] or say("Player"), rating, title, player[most]["points"])


def picture_of_pair(data: Mapping[str, Any]) -> str:
    """The picture of a pair as SVG, from the data of the page's document."""
    pair = data["team"]
    points = pair["ratingSeries"]["points"]
    return _picture(data, pair, say("A pair of the league"), pair["rating"], say("Rating over time"), points)


def _picture(
    data: Mapping[str, Any],
    who: Mapping[str, Any],
    about: str,
    rating: Mapping[str, Any] | None,
    title: str,
    points: list[Mapping[str, Any]],
) -> str:
    """The picture of a player or a pair. `about`: the line below the name; `title` and `points`: for the chart."""
    league, statistics = data["league"], who["statistics"]
    zone = ZoneInfo(league["timeZone"])
    figures = []
    if rating is not None:
        figures.append((say("rating (provisional)") if rating["provisional"] else say("rating"), str(rating["shown"])))
        if rating["rank"]:
            figures.append((say("rank"), str(rating["rank"])))
    figures.append((say("matches"), str(statistics["matches"])))
    if statistics["winRate"] is not None and len(figures) < MOST_FIGURES:
        figures.append((say("won"), percent(statistics["winRate"])))
    if data["as_of"] is not None:
        day = date_of(datetime.fromisoformat(data["as_of"]), zone)
        about = joined(" · ", (about, say("as of {day}", day=day)))
    chart = _chart(points, title, zone)
    return player_picture(Portrait(who["displayName"], about, chart, figures, (), (league["name"], "")))


def _chart(points: list[Mapping[str, Any]], title: str, zone: ZoneInfo) -> PlayerChart | None:
    if not points:
        return None
    drawn = [(datetime.fromisoformat(point["decidedAt"]), float(point["rating"])) for point in points]
    return PlayerChart(title, drawn, date_of(drawn[0][0], zone), date_of(drawn[-1][0], zone))


def _wanted(request: Request) -> Mapping[str, Any]:
    """The filter of the list. An empty control asks for nothing."""
    typed = {name: request.query_params.get(name, "").strip()[:LONGEST] or None for name in ("name", "region")}
    return {**typed, "after": request.query_params.get("after")}


PAGES = (
    page(path="/players", name="players", variables=_wanted),
    page(
        path="/players/{id}",
        name="player",
        at_replay=True,
        by_clock=_by_the_end_of_the_day,
        needs="player",
        picture=picture_of_player,
        adds=_adds_to_player,
    ),
    page(
        path="/teams/{id}",
        name="team",
        at_replay=True,
        by_clock=_by_the_end_of_the_day,
        needs="team",
        picture=picture_of_pair,
        adds=_adds_to_team,
    ),
    page(
        path="/players/{id}/against/{other}",
        name="head_to_head",
        at_replay=True,
        variables=lambda request: {"a": request.path_params["id"], "b": request.path_params["other"]},
        needs="headToHead",
    ),
)
