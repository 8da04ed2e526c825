"""The lists of a comparison: each a page of its own, filtered by the address, and a CSV file for spreadsheets."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from league.api.replays.difference_files import difference_file
from league.console.addresses import MOST_NUMBER, number_of
from league.console.asking import NoPage, Visitor
from league.console.named_players import players_named
from league.console.pages import Console
from league.console.sent_forms import FilterPage
from league.console.under_replay import no_replay
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import Sentence, say
from league.wording.language import spoken

# ---------------------------------------------------------------- the two sides in an address


AGAINST = "against"
"""The parameter of an address that names another replay to compare with; left out, it is the official league."""


def two_sides(request: Request) -> dict[str, Any]:
    """The variables that name both sides. Raises NoPage."""
    number, written = number_of(request), request.query_params.get(AGAINST, "")
    if not written:
        return {"number": number, "against": None, "other": 0, "compared": False}
    if not (written.isascii() and written.isdigit() and len(written) < len(str(MOST_NUMBER))):
        raise NoPage(404)
    return {"number": number, "against": int(written), "other": int(written), "compared": True}


def check_sides(data: Mapping[str, Any], request: Request) -> None:
    """Raise NoPage, with the replays that are there, if either side is not there. `data`: of the page's document."""
    sides, replay, other = two_sides(request), data["replay"], data.get("other")
    if replay is None:
        raise no_replay(sides["number"])
    if sides["compared"] and (other is None or other["run"] is None):
        raise no_replay(sides["other"], None if other is None else other["state"])
    if replay["state"] == "DROPPED":
        raise no_replay(replay["number"], replay["state"])


def check_difference(data: Mapping[str, Any], request: Request) -> None:
    """Raise NoPage also if there is nothing to compare. A page that did not ask for the difference has none."""
    check_sides(data, request)
    if data["replay"].get("difference", ...) is None:
        raise no_replay(data["replay"]["number"], data["replay"]["state"])


def is_comparison(data: Mapping[str, Any]) -> bool:
    """Whether a page compares two runs.

    It then follows from the state: whatever changes the rows of a replay or of its run raises the generation.
    """
    return bool(data["replay"]) and data["replay"].get("difference") is not None


def query_of(request: Request, *left_out: str) -> dict[str, str]:
    """The parameters of an address that say something, without some of them."""
    return {name: value for name, value in request.query_params.items() if value and name not in left_out}


# ---------------------------------------------------------------- the lists


HERE = Path(__file__).parent


class ComparedList(Struct, frozen=True):
    """A list of a comparison."""

    name: str
    """A key of `LISTS` in `league.projections.difference.totals`, and the end of its address."""
    title: Sentence
    filters: tuple[str, ...] = ()
    """The parameters of the address that are arguments of the list, besides the player."""
    usual: Mapping[str, str] = {}
    """Their values where the address leaves them out."""

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"replay_{self.name}"

    def asked(self, request: Request) -> dict[str, str]:
        """The filters in an address."""
        given = {name: request.query_params.get(name, "") for name in self.filters}
        return {**self.usual, **{name: value for name, value in given.items() if value}}


COMPARED = (
    ComparedList("moves", say("Ratings that move"), ("mode", "subject", "once")),
    ComparedList("changes", say("Rating changes, match by match"), ("mode", "subject", "of")),
    ComparedList("divergences", say("Where ratings first part"), ("mode", "subject")),
    ComparedList(
        "places",
        say("Places on boards"),
        ("board", "region", "month", "mode"),
        {"board": "GLOBAL", "mode": "ONE_ON_ONE"},
    ),
    ComparedList("results", say("Results that change"), ("mode", "season", "month")),
    ComparedList("hands", say("Hands that score otherwise"), ("mode", "season", "month")),
    ComparedList("standings", say("Standings of the series"), ("mode", "month")),
    ComparedList("encounters", say("Encounters of the series"), ("mode", "month")),
    ComparedList("badges", say("Badges"), ("fate",)),
    ComparedList("seasons", say("Seasons that differ")),
    ComparedList("months", say("Months that differ")),
)
"""The lists in the order of the page of a comparison."""
BY_NAME = {one.name: one for one in COMPARED}


class ComparedListPage(FilterPage, frozen=True, kw_only=True):
    """The page of a list."""

    listed: ComparedList

    def with_players(self, variables: Mapping[str, Any], ids: Mapping[str, str]) -> Mapping[str, Any]:
        """The variables with the id of the named player."""
        return {**variables, **ids}


def _page(listed: ComparedList) -> ComparedListPage:
    def variables(request: Request) -> Mapping[str, Any]:
        asked: dict[str, Any] = dict(listed.asked(request))
        if "once" in listed.filters:
            asked["once"] = "once" in asked
        return {**two_sides(request), **asked}

    def adds(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
        check_difference(data, request)
        difference = data["replay"].get("difference")
        return {
            "listed": listed,
            "asked": listed.asked(request),
            "given": query_of(request, "after", "against"),
            "found": None if difference is None else difference["list"],
        }

    return ComparedListPage(
        path=f"/admin/replays/{{number}}/{listed.name}",
        name=listed.page,
        folder=HERE,
        document=f"{listed.name}.graphql",
        template=f"{listed.name}.html",
        named=("player",),
        listed=listed,
        variables=variables,
        follows_from_state=is_comparison,
        adds=adds,
    )


PAGES = tuple(map(_page, COMPARED))


# ---------------------------------------------------------------- their files


_SIDES = """
    query ComparedSides($number: Int!, $other: Int!, $compared: Boolean!) {
      replay(number: $number) { number state run { number } }
      other: replay(number: $other) @include(if: $compared) { number state run { number } }
    }
"""


def routes(console: Console) -> list[BaseRoute]:
    """The routes of the files."""
    return [Route("/admin/replays/{number}/{list}.csv", partial(_file, console), name="replay_file")]


async def _file(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        listed = BY_NAME.get(request.path_params["list"])
        if listed is None:
            raise NoPage(404)
        ask = partial(console.executor.ask, request, visitor)
        sides = two_sides(request)
        data = await ask(_SIDES, {name: sides[name] for name in ("number", "other", "compared")})
        check_sides(data, request)
        replay, other = data["replay"], data.get("other")
        if replay["run"] is None:
            raise no_replay(replay["number"], replay["state"])
        named = await players_named(ask, {"player": request.query_params.get("player", "")})
        if named.errors:
            raise NoPage(422, spoken(named.errors["player"]))
        asked = {**listed.asked(request), **named.ids}
        against = None if other is None else other["run"]["number"]
        context = console.executor.context(request, visitor)
        try:
            chunks = await difference_file(context, replay["run"]["number"], against, listed.name, asked)
        except (InvalidInput, NotFound) as refused:
            raise NoPage(400, refused.said(spoken)) from None
        if chunks is None:
            raise no_replay(replay["number"], "DROPPED")
        name = f"{listed.name}-{replay['number']}" + ("" if other is None else f"-{other['number']}")
        headers = {
            "Content-Disposition": f'attachment; filename="{name}.csv"',
            "Cache-Control": "private, no-store",
            "Vary": "Cookie",
        }
        return StreamingResponse(chunks, media_type="text/csv; charset=utf-8", headers=headers)

    return await console.answer(request, make)
