"""A finished hand turn by turn, with all tiles open, and the check of its deal."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.tables.console.table_page import FOLDER, name_of, names_by_side, places_of, result_of_hand, terms_of_hand
from league.tables.console.table_words import SENTENCES, said
from league.wording.language import _

Turn = Mapping[str, Any]


def _at_a_turn(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The hand as it lay after the turn that the address names; after the last one without."""
    table = data["table"]
    if table is None:
        return {}
    number = request.path_params["number"]
    hand = next((one for one in table["finishedHands"] if one["number"] == number), None)
    if hand is None:
        raise NoPage(404)
    turns = hand["turns"]
    wanted = request.query_params.get("turn", "")
    shown = min(int(wanted), len(turns)) if wanted.isdecimal() and len(wanted) < len("99999") else len(turns)
    names = names_by_side(table["seats"])
    return {
        "hand": hand,
        "turn": shown,
        "chain": _chain(turns[:shown]),
        "held": _held(hand["dealt"], turns[:shown]),
        "said": [_turn_in_words(turn, table["seats"]) for turn in turns],
        "names": names,
        "name_of": name_of,
        "places": places_of(table["seats"], table["viewerSeat"]),
        "result": result_of_hand(hand, names),
        "terms": terms_of_hand(hand, names),
        "sentences": said(SENTENCES),
        "last_hand": len(table["finishedHands"]),
    }


def _chain(turns: Sequence[Turn]) -> Sequence[Mapping[str, Any]]:
    """The chain from left to right."""
    chain: list[Mapping[str, Any]] = []
    for turn in turns:
        if turn["tile"] is None or turn["where"] == "DRAW":
            continue
        high, low = turn["tile"]
        laid = {"tile": turn["tile"], "double": high == low, "turn": turn["number"]}
        chain.insert(0 if turn["where"] == "LEFT" else len(chain), laid)
    return chain


def _held(dealt: Sequence[Sequence[Sequence[int]]], turns: Sequence[Turn]) -> Sequence[Sequence[Sequence[int]]]:
    """What each seat holds after these turns."""
    held = [[list(tile) for tile in hand] for hand in dealt]
    for turn in turns:
        if turn["tile"] is None:
            continue
        tile = sorted(turn["tile"])
        if turn["where"] == "DRAW":
            held[turn["seat"]].append(tile)
        else:
            held[turn["seat"]].remove(tile)
    return held


def _turn_in_words(turn: Turn, seats: Sequence[Mapping[str, Any]]) -> str:
    values = {"name": name_of(seats[turn["seat"]])}
    if turn["tile"] is None:
        if turn["where"] == "TIMEOUT":
            return _("The time of {name} was up: a pass.", **values)
        return _("{name} passes.", **values)
    tile = "-".join(map(str, turn["tile"]))
    match turn["where"]:
        case "LEFT":
            return _("{name} played {tile} on the left.", **values, tile=tile)
        case "RIGHT":
            return _("{name} played {tile} on the right.", **values, tile=tile)
        case "DRAW":
            return _("{name} drew {tile}.", **values, tile=tile)
        case _:
            return _("{name} began with {tile}.", **values, tile=tile)


TABLE_HAND = Page(
    path="/tables/{id}/hands/{number:int}",
    name="table_hand",
    folder=FOLDER,
    document="table_hand.graphql",
    template="table_hand.html",
    needs="table",
    adds=_at_a_turn,
)
