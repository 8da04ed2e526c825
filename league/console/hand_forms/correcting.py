"""Correcting a recorded hand: its present facts stand in the form."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.controls import number_in
from league.console.forms import FormPage, Look
from league.console.hand_forms.asked import asked_of, photos_in
from league.console.hand_forms.facts import facts_in
from league.console.hand_forms.recording import HERE, score_variables
from league.console.match_forms.form_of_match import TO_MATCH
from league.console.site_part import evidence_of

WORDS = {True: "yes", False: "no", None: ""}


def _number(request: Request) -> int:
    number = request.path_params["number"]
    if not (number.isascii() and number.isdigit() and len(number) <= len("1000")):
        raise NoPage(404)
    return int(number)


def _correction(form: FormData, request: Request) -> Mapping[str, Any]:
    return {
        "match": request.path_params["id"],
        "hand": _number(request),
        "facts": facts_in(form),
        "reason": str(form.get("reason", "")),
        "settles": number_in(form, "settles"),
        "photos": photos_in(form),
    }


def _shown(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    number, hands = _number(request), data["match"]["hands"]
    if not 1 <= number <= len(hands):
        raise NoPage(404)
    hand = hands[number - 1]
    sides = [seat["side"] for seat in data["match"]["seats"]]
    evidence = evidence_of(data["match"], number, int(hand["position"]), sides)
    return {
        **asked_of(data["match"]),
        "hand": hand,
        "next_hand": number,
        "last_hand": None,
        **evidence,
        "suggested": {
            **suggested_of(hand, sides),
            "facts.ended.fitsBothEnds": WORDS[hand["closing"]["fitsBothEnds"]],
            **evidence["counted_pips"],
        },
        "recorded": json.dumps(kept_of(hand, sides)),
    }


def suggested_of(hand: Mapping[str, Any], sides: list[int]) -> Mapping[str, Any]:
    """The content of the controls: the recorded facts, by the names of the controls. `sides`: the side of each seat."""
    closing = hand["closing"]
    found: dict[str, Any] = {
        "facts.ended.by": hand["endedBy"],
        "facts.ended.seat": _known(hand["seat"]),
        "facts.statedWinner": _known(hand["statedWinner"]),
        "facts.starter": _known(hand["starter"]),
        "facts.ended.tile": "" if closing["tile"] is None else "-".join(map(str, closing["tile"])),
        "facts.statedCapicua": WORDS[hand["statedCapicua"]],
        "facts.ended.blocksToo": WORDS[closing["blocksToo"]],
        "facts.passes.openingPass": WORDS[hand["openingPass"]],
        "facts.passes.drew": "unknown" if hand["drew"] is None else "",
    }
    for held in hand["leftover"]:
        found[f"facts.leftover.{held['seat']}"] = _known(held["pips"])
    for side, pips in enumerate(hand["sideLeftover"] or []):
        found[f"facts.sideLeftover.{side}"] = _known(pips)
    for side, count in enumerate(_corridos_by_side(hand, sides) or []):
        found[f"facts.passes.corridosBySide.{side}"] = count
    for seat in hand["drew"] or []:
        found[f"facts.passes.drew.{seat}"] = "yes"
    return found


def kept_of(hand: Mapping[str, Any], sides: list[int]) -> Mapping[str, Any]:
    """Recorded facts that the form does not show, and what it shows of them: they stay unless that changes."""
    return {
        "tiles": {held["seat"]: held["tiles"] for held in hand["leftover"] if held["tiles"] is not None},
        "endedBy": hand["endedBy"],
        "blocksToo": hand["closing"]["blocksToo"],
        "statedCapicua": hand["statedCapicua"],
        "tile": hand["closing"]["tile"],
        "fitsBothEnds": hand["closing"]["fitsBothEnds"],
        "endsEqual": hand["closing"]["endsEqual"],
        "corridos": hand["corridos"],
        "corridosBySide": _corridos_by_side(hand, sides),
        "drew": hand["drew"],
    }


def _corridos_by_side(hand: Mapping[str, Any], sides: list[int]) -> list[int] | None:
    if hand["corridos"] is None:
        by_side: list[int] | None = hand["corridosBySide"]
        return by_side
    return [sum(sides[seat] == side for seat in hand["corridos"]) for side in range(max(sides) + 1)]


def _known(value: object) -> object:
    return "" if value is None else value


CORRECT = FormPage(
    path="/matches/{id}/hands/{number}/correct",
    folder=HERE,
    document="record.graphql",
    template="correct.html",
    needs="match",
    adds=_shown,
    mutation="correctHand",
    input=_correction,
    overwrites=True,
    then=TO_MATCH,
    look=Look(document="score.graphql", variables=score_variables, template="score.html"),
)
