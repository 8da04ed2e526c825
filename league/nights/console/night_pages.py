"""The page of a night, and the screen for the hall: what is played, the latest results, who has won most, a clock."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.domain.sentences import say
from league.domain.texts_and_times import read_day
from league.nights.console.tonight import FOLDER
from league.nights.night import moment_in


def _night(request: Request) -> Mapping[str, Any]:
    day = request.path_params["day"]
    try:
        read_day(day)
    except ValueError:
        raise NoPage(404) from None
    return {"day": day}


def _on_screen(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    zone = ZoneInfo(data["league"]["timeZone"] if data["league"] else "UTC")
    won = [one for one in data["night"]["players"]["nodes"] if one["won"]]
    return {
        "winners": list(_places(won)),
        "bell": _bell(request, date.fromisoformat(data["night"]["day"]), zone),
    }


def _bell(request: Request, night: date, zone: ZoneInfo) -> Mapping[str, str] | None:
    """When the bell rings, as the address says; None if it says nothing. Raises NoPage for what is no time of day."""
    written = request.query_params.get("bell", "").strip()
    if not written:
        return None
    try:
        shown = datetime.strptime(written, "%H:%M").time()  # noqa: DTZ007  # a time of the league's clock
    except ValueError:
        message = say("{time} is not a time of day; write it as 22:30.", time=written[:40])
        raise NoPage(400, message) from None
    return {"time": f"{shown:%H:%M}", "at": moment_in(night, shown, zone).isoformat()}


def _places(players: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Players in the order of a night, each with a place. Those with equal numbers share it."""
    place, before = 0, None
    for number, one in enumerate(players, 1):
        if before != (before := (one["won"], one["matches"])):
            place = number
        yield place, one


NIGHT_PAGES = (
    Page(path="/nights/{day}", name="night", folder=FOLDER, variables=_night),
    Page(path="/nights/{day}/screen", name="night_screen", folder=FOLDER, variables=_night, adds=_on_screen),
)
