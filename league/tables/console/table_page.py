"""The page of a live table: who sits where, the chain, the own hand, the hands that have ended."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.edition_in_force import titles_in_force
from league.console.pages import Page
from league.tables.console.table_words import CLOSED, LEVELS, MODES, PHASES, SENTENCES, said
from league.wording.facts import label_of
from league.wording.language import _

FOLDER = Path(__file__).parent
AROUND = {2: ("mine", "top"), 3: ("mine", "right", "left"), 4: ("mine", "right", "top", "left")}
"""By the number of seats, where each sits around the table, counter-clockwise from who looks."""
TURN_SECONDS = 30
"""Shown before play, when a table has no rules of its own yet."""


def name_of(seat: Mapping[str, Any]) -> str:
    """The name of who sits on a seat."""
    if seat["player"] is not None:
        return str(seat["player"]["displayName"])
    if seat["aiLevel"] is not None:
        return _("AI ({level})", level=said(LEVELS)[seat["aiLevel"]])
    return seat["playerId"] or _("free")


def names_by_side(seats: Sequence[Mapping[str, Any]]) -> Mapping[int, str]:
    """The names of each side's players."""
    sides: dict[int, list[str]] = {}
    for seat in seats:
        sides.setdefault(seat["side"], []).append(name_of(seat))
    return {side: " & ".join(names) for side, names in sides.items()}


def places_of(seats: Sequence[Mapping[str, Any]], viewer_seat: int | None) -> Mapping[int, str]:
    """Where each seat is drawn. A spectator sits where seat 0 does."""
    around, first = AROUND[len(seats)], viewer_seat or 0
    return {(first + step) % len(seats): place for step, place in enumerate(around)}


def result_of_hand(hand: Mapping[str, Any], names: Mapping[int, str]) -> str:
    """Who won a hand, and how, in a sentence."""
    is_block = hand["facts"]["endedBy"] == "BLOCK"
    if hand["winner"] is None:
        return _("Blocked. Nobody wins the hand.") if is_block else _("Nobody wins the hand.")
    values = {"names": names[hand["winner"]], "points": hand["points"][hand["winner"]]}
    if is_block:
        return _("Blocked. {names} won {points} points.", **values)
    return _("{names} went out and won {points} points.", **values)


def terms_of_hand(hand: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[tuple[str, str, int]]:
    """Where the points of a hand come from: what they are for, who gets them, how many."""
    return [(label_of(term["rule"].lower()), names[term["side"]], term["points"]) for term in hand["terms"]]


def _around_the_table(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    table = data["table"]
    if table is None:
        return {}
    seats, mine = table["seats"], table["viewerSeat"]
    names = names_by_side(seats)
    rules, name = table["ruleset"], table["rulesetName"]
    return {
        "places": places_of(seats, mine),
        "name_of": name_of,
        "names": names,
        "sides": sorted(names),
        "title": rules["title"] if rules else titles_in_force(data["timeline"]).get(name, name),
        "turn_seconds": rules["rules"].get("live", {}).get("turn_seconds", TURN_SECONDS) if rules else TURN_SECONDS,
        "free": [seat["number"] for seat in seats if seat["playerId"] is None and seat["aiLevel"] is None],
        "results": [
            (hand, result_of_hand(hand, names), terms_of_hand(hand, names)) for hand in reversed(table["finishedHands"])
        ],
        "modes": said(MODES),
        "levels": list(said(LEVELS).items()),
        "phases": said(PHASES),
        "closings": said(CLOSED),
        "sentences": {**said(SENTENCES), **{f"closed_{reason}": text for reason, text in said(CLOSED).items()}},
        "refusal": None,
    }


TABLE = Page(
    path="/tables/{id}",
    name="table",
    folder=FOLDER,
    document="table.graphql",
    template="table.html",
    needs="table",
    adds=_around_the_table,
)
