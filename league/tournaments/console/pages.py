"""The pages that show tournaments."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.tournaments.words import words_of_format, words_of_relaxed, words_of_status, words_of_tie_break

FOLDER = Path(__file__).parent
ON_A_SCREEN = 12
"""Tables or places that a page of the screen for the wall shows."""


def of_address(request: Request) -> Mapping[str, Any]:
    """The tournament that the address names."""
    return {"id": request.path_params["id"]}


def words(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the parts of the pages need: the words of the API's enums, names, and who has withdrawn."""
    entries = (data.get("tournament") or {}).get("entries", ())
    return {
        "names": {one["competitorId"]: one["competitor"]["displayName"] for one in entries if one["competitor"]},
        "withdrawn": {one["competitorId"] for one in entries if one.get("withdrawnAt")},
        "format_words": lambda key: words_of_format(key.lower()),
        "status_words": lambda key: words_of_status(key.lower()),
        "tie_break_words": lambda key: words_of_tie_break(key.lower()),
        "relaxed_words": _relaxed,
    }


def _relaxed(one: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """What gave way, with the names of those whom it concerns."""
    who = " & ".join(names.get(id_, id_) for id_ in one["competitorIds"])
    return words_of_relaxed(one["criterion"].lower(), who, one["round"])


def with_round(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The words, the last published round, and the pages of the screen for the wall."""
    tournament = data["tournament"]
    published = [one for one in tournament["rounds"] if one["status"] != "DRAWN"]
    shown = published[-1] if published else None
    standing = tournament["standing"] if published else []
    return {
        **words(data),
        "shown": shown,
        "table_pages": [] if shown is None else _pages(shown["tables"]),
        "standing_pages": _pages(standing),
    }


def _pages(rows: Sequence[Any]) -> list[Sequence[Any]]:
    return [rows[at : at + ON_A_SCREEN] for at in range(0, len(rows), ON_A_SCREEN)]


def _with_words(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    return words(data)


def of_round(request: Request) -> Mapping[str, Any]:
    """The tournament and the round that the address names."""
    return {"id": request.path_params["id"], "number": min(request.path_params["number"], 1_000)}


def _with_why(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    of = data["tournament"]["round"]
    if of is None:
        raise NoPage(404)
    return {**words(data), "round": of}


def _page(name: str, path: str, template: str, **more: Any) -> Page:
    given = {"document": "tournament.graphql", "adds": with_round, **more}
    return Page(
        path=path, name=name, folder=FOLDER, template=template, variables=of_address, needs="tournament", **given
    )


PAGES = (
    Page(
        path="/tournaments",
        name="tournaments",
        folder=FOLDER,
        document="tournaments.graphql",
        template="tournaments.html",
        variables=lambda request: {"after": request.query_params.get("after")},
        adds=_with_words,
    ),
    Page(
        path="/tournaments/{id}/rounds/{number:int}",
        name="tournament_round",
        folder=FOLDER,
        document="tournament_round.graphql",
        template="tournament_round.html",
        variables=of_round,
        needs="tournament",
        adds=_with_why,
    ),
    _page("tournament_screen", "/tournaments/{id}/screen", "screen.html"),
    _page("tournament_sheets", "/tournaments/{id}/sheets", "sheets.html"),
    _page(
        "tournament_preview",
        "/tournaments/{id}/preview",
        "preview.html",
        document="preview.graphql",
        adds=_with_words,
        requires="drawRound",
    ),
)
