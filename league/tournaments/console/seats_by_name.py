"""Where everybody sits in a round, by name: for the page on which people find their table, and for paper."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from starlette.requests import Request

from league.console.pages import written


class NamedSeat(NamedTuple):
    """Where a player sits in a round, for the list by name."""

    name: str
    competitor: str
    table: int | None
    """The number of their table; None if they sit out."""
    partner: str = ""
    opponents: str = ""


def seats_by_name(of: Mapping[str, Any]) -> list[tuple[str, list[NamedSeat]]]:
    """Everybody in a round by name, in groups by the first letter. Names of players are ordered without accents."""
    seats = sorted((*_seated(of["tables"]), *_sitting_out(of)), key=lambda seat: (sort_key(seat.name), seat.competitor))
    return [(letter, [*group]) for letter, group in groupby(seats, lambda seat: sort_key(seat.name)[:1].upper())]


def sort_key(name: str) -> str:
    """A name as lists sort it: without accents and case, from its first letter or digit on."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(one for one in letters if not unicodedata.combining(one))
    first = next((at for at, one in enumerate(plain) if one.isalnum()), 0)
    return plain[first:]


def _seated(tables: Iterable[Mapping[str, Any]]) -> Iterator[NamedSeat]:
    for table in tables:
        for own, other in (table["sides"], reversed(table["sides"])):
            for player in own["players"]:
                id_ = player["playerId"]
                competitor = next((one for one in own["competitorIds"] if id_ in one.split("+")), id_)
                partner = joined_names(one for one in own["players"] if one["playerId"] != id_)
                opponents = joined_names(other["players"])
                yield NamedSeat(player["displayName"], competitor, table["number"], partner, opponents)


def _sitting_out(of: Mapping[str, Any]) -> Iterator[NamedSeat]:
    for one in (*of["byes"], *of["requestedByes"]):
        yield NamedSeat(one["displayName"], one["competitorId"], None)


def joined_names(players: Iterable[Mapping[str, Any]]) -> str:
    """The names of players, as a side of a table shows them."""
    return " & ".join(one["displayName"] for one in players)


def links_on_paper(request: Request) -> Mapping[str, Any]:
    """What makes the address of a page, below the address by which browsers reach the league, for QR codes."""

    def path(page: str, **parameters: Any) -> str:
        return str(request.app.url_path_for(page, **written(parameters)))

    return {"path_of": path}
