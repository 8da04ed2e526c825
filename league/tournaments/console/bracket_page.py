"""The page with the groups of a tournament and the bracket of its knock-out: for a phone, the wall and paper."""

from collections.abc import Mapping, Sequence
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
        "groups": groups_of(tournament["standing"], tournament["plan"]["tieBreaks"]),
        "parts_of_bracket": parts,
        "is_large": bool(parts) and fills_sheet(parts[0]),
    }


def groups_of(places: list[Mapping[str, Any]], tie_breaks: Sequence[str]) -> list[tuple[int, list[Mapping[str, Any]]]]:
    """The places by group, and within a group by rank, each with what orders it. Who is out of it comes last."""
    of_groups = [place for place in places if place["group"] is not None]
    of_groups.sort(key=lambda place: (place["group"], place["groupRank"] is None, place["groupRank"] or 0))
    by_group = [(number, [*own]) for number, own in groupby(of_groups, lambda place: place["group"])]
    return [(number, [{**one, "by": ordered_by(one, own, tie_breaks)} for one in own]) for number, own in by_group]


def ordered_by(
    place: Mapping[str, Any], places: Sequence[Mapping[str, Any]], tie_breaks: Sequence[str]
) -> list[Mapping[str, Any]]:
    """The tie-breaks that order a place among those who have won as often, up to the one that parts all of them."""
    level = [one["values"] for one in places if one["groupRank"] is not None and one["won"] == place["won"]]
    if place["groupRank"] is None or len(level) < 2:  # noqa: PLR2004  # nobody else
        return []
    enough = next((n for n in range(1, len(tie_breaks)) if len({(*of[:n],) for of in level}) == len(level)), None)
    named = zip(tie_breaks[:enough], place["values"][:enough], strict=True)
    return [{"name": name, "value": value} for name, value in named]


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
