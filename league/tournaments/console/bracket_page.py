"""The page with the groups of a tournament and the bracket of its knock-out: for a phone, the wall and paper."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.tournaments.console.bracket_parts import fills_sheet, parts_of, rounds_of
from league.tournaments.console.pages import follows_from_state, words
from league.tournaments.console.whole_lists import FOLDER, whole

WITH_BRACKET = ("KNOCKOUT", "GROUPS")


def _with_bracket(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The groups, each by rank, and the parts of the bracket. Raises NoPage in other formats."""
    tournament = data["tournament"]
    if tournament["plan"]["format"] not in WITH_BRACKET:
        raise NoPage(404)
    parts = parts_of(rounds_of(tournament["bracket"]))
    return {
        **words(),
        "groups": groups_of(tournament["standing"]),
        "parts_of_bracket": parts,
        "is_large": bool(parts) and fills_sheet(parts[0]),
    }


def groups_of(places: list[Mapping[str, Any]]) -> list[tuple[int, list[Mapping[str, Any]]]]:
    """The places by group, and within a group by rank. Who is out of the standing comes last."""
    of_groups = [place for place in places if place["group"] is not None]
    of_groups.sort(key=lambda place: (place["group"], place["groupRank"] is None, place["groupRank"] or 0))
    return [(number, [*own]) for number, own in groupby(of_groups, lambda place: place["group"])]


BRACKET_PAGES = (
    Page(
        path="/tournaments/{id}/bracket",
        name="tournament_bracket",
        folder=FOLDER,
        needs="tournament",
        completes=whole("tournament_bracket.graphql", "standing", "bracket"),
        adds=_with_bracket,
        follows_from_state=follows_from_state,
    ),
)
