"""The page of a night with its picture, and the screen for the hall with its clock."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.domain.sentences import Sentence, joined, say, say_count
from league.domain.texts_and_times import read_day
from league.nights.console.tonight import FOLDER
from league.nights.night import moment_in
from league.pictures.pictures import PictureRow, PictureTable, table_picture
from league.wording.language import spoken
from league.wording.numbers import date_of, signed


def _night(request: Request) -> Mapping[str, Any]:
    day = request.path_params["day"]
    try:
        read_day(day)
    except ValueError:
        raise NoPage(404) from None
    return {"day": day}


def _on_screen(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    zone = ZoneInfo(data["league"]["timeZone"])
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
    """Players in the order of a night, each with a place. Equal numbers share a place."""
    place, before = 0, None
    for number, one in enumerate(players, 1):
        if before != (before := (one["won"], one["matches"])):
            place = number
        yield place, one


MOST_PLACES, MOST_SAID, MOST_RISEN = 8, 3, 4
"""Limits on the players in the picture of a night, in what is said beside it, and who share the largest rise in it."""


def _told(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The places of those who have won, and what a message says of the night."""
    night = data["night"]
    winners = list(_places([one for one in night["players"]["nodes"] if one["won"]]))
    told = []
    if winners:
        first = [f"{one['player']['displayName']} {one['won']}" for _place, one in winners[:MOST_SAID]]
        told.append(joined(": ", (say("Who has won most"), ", ".join(first))))
    return {"winners": winners, "told": [spoken(line) for line in (*told, *_highlights(night))]}


def _highlights(night: Mapping[str, Any]) -> Iterator[Sentence]:
    """A line each about the capicúas of a night, its best hand, and whose rating rose most."""
    if night["capicuas"]:
        yield joined(": ", (say("Capicúas"), str(night["capicuas"])))
    if (best := night["bestHand"]) is not None:
        yield joined(": ", (say("Best hand"), f"{best['points']}, {_names(best['players'])}"))
    rise = night["largestRise"]
    if rise is not None and len(rise["players"]) <= MOST_RISEN:
        yield joined(": ", (say("Largest rise of a rating"), f"{signed(rise['points'])}, {_names(rise['players'])}"))


def _names(players: Sequence[Mapping[str, Any]]) -> str:
    return " & ".join(player["displayName"] for player in players)


def _picture(data: Mapping[str, Any]) -> str:
    """The picture of a night as SVG: who has won most, how much was played, capicúas and the best hand."""
    night, winners = data["night"], data["winners"]
    rows = [
        PictureRow(
            place,
            one["player"]["displayName"],
            say_count("of {count} match", "of {count} matches", one["matches"]),
            str(one["won"]),
        )
        for place, one in winners[:MOST_PLACES]
    ]
    played = say_count("{count} match", "{count} matches", night["matches"]["totalCount"])
    more = max(len(winners) - len(rows), 0)
    notes = [say_count("and {count} more", "and {count} more", more)] if more else []
    title = say("Night of {day}", day=date_of(date.fromisoformat(night["day"])))
    foot = (data["league"]["name"], "")
    note = joined(" · ", (*notes, *_highlights(night)))
    return table_picture(PictureTable(title, played, say("Who has won most"), say("Won"), rows, foot, note))


NIGHT_PAGES = (
    Page(
        path="/nights/{day}",
        name="night",
        folder=FOLDER,
        variables=_night,
        adds=_told,
        picture=_picture,
        needs="league",
    ),
    Page(
        path="/nights/{day}/screen",
        name="night_screen",
        folder=FOLDER,
        variables=_night,
        adds=_on_screen,
        needs="league",
    ),
)
