"""The forms that record and correct a hand, with few large buttons. They show the points before anything is stored."""

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.asking import NoPage
from league.console.controls import PLAYED_AT, FieldErrors, moment_in, number_in
from league.console.forms import FormPage, Look, NextPage, Question
from league.console.scorekeeping.matches import TO_MATCH
from league.console.site_part import evidence_of
from league.domain.bonuses import BONUSES, HandFact
from league.domain.seating import FULL_TABLE
from league.domain.sentences import say
from league.domain.tiles import full_set, tile_pips


def asked_of(match: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the template of a hand's form needs besides the match: seats, sides, and which questions the rules ask."""
    rules = match["ruleset"]["rules"]
    points = rules.get("bonuses") or {}
    facts = _facts_of_bonuses(points)
    seats = [
        {"number": seat["number"], "side": seat["side"], "name": seat["player"]["displayName"]}
        for seat in match["seats"]
    ]
    sides = [
        {
            "number": side["number"],
            "name": " & ".join(one["displayName"] for one in side["players"]),
            "seats": [seat for seat in seats if seat["side"] == side["number"]],
        }
        for side in match["sides"]
    ]
    counts = rules["scoring"] == "points"
    return {
        "seats": seats,
        "sides": sides,
        "pairs": len(seats) > len(sides),
        # Asks for the pips of each player: the rules compare hands, or score the partner of the player who went out.
        "by_seat": len(seats) > len(sides)
        and ((counts and rules["counted_pips"] == "all_others") or rules["block_winner"] == "lowest_hand"),
        # In a block the rules compare players, of whom no total of a side tells.
        "block_by_seat": len(seats) > len(sides) and rules["block_winner"] in ("lowest_hand", "locker_vs_next"),
        "most_pips": _most_pips(rules, len(seats)),
        "only_losers": counts and rules["counted_pips"] == "opponents",
        "asks_opening_pass": "opening_pass" in facts,
        "asks_corridos": "corrido" in facts,
        "asks_draws": "drew" in facts and len(seats) < FULL_TABLE,
        "asks_key_bone": points.get("key_bone") is not None,
        # Hands that score by their ending need it too, in words that fit games without a key bone.
        "asks_both_ends": rules.get("ending") is not None,
        # The capicúa has its own question. If it gives no points, the question about the key bone asks the same.
        "asks_capicua": points.get("capicua") is not None or points.get("key_bone") is None,
        "asks_chuchazo": points.get("chuchazo") is not None,  # players' word for going out with 0-0
        "asks_tile": "closing" in facts or bool(rules["capicua_void_on"]) or rules.get("ending") is not None,
        "control_names": [
            *(f"facts.leftover.{seat['number']}" for seat in seats),
            *(f"facts.passes.drew.{seat['number']}" for seat in seats),
            *(f"facts.{name}.{side['number']}" for name in ("sideLeftover", "passes.corridosBySide") for side in sides),
        ],
    }


def _most_pips(rules: Mapping[str, Any], seats: int) -> Mapping[str, int]:
    """The most pips that a seat and a side can have left."""
    pips = sorted((tile_pips(tile) for tile in full_set(rules["set"])), reverse=True)
    each = rules["tiles_each"] if seats == FULL_TABLE else len(pips)
    return {"seat": sum(pips[:each]), "side": sum(pips[: 2 * each])}


def _facts_of_bonuses(points: Mapping[str, Any]) -> set[HandFact]:
    """The facts that a ruleset's bonuses rest on. The capicúa is left out: it has its own question."""
    played = [bonus for setting, bonus in BONUSES.items() if points.get(setting) is not None and setting != "capicua"]
    return {fact for bonus in played for fact in bonus.facts}


def photos_in(form: FormData) -> list[str]:
    """The ids of the photos whose counts the form uses."""
    return [str(photo) for photo in form.getlist("photos")]


RECORDED = "recorded"
"""The hidden control with recorded facts that the form does not show, or shows with less detail."""
CHUCHAZO = [0, 0]
"""The tile of a chuchazo, which has its own control."""
KEY_BONE = "facts.ended.fitsBothEnds"
"""The control that the form has if the rules give points for the key bone, or for the ending of a hand."""
CAPICUA = "facts.statedCapicua"
UNTICKED = "unticked"
"""The hidden controls with the names of boxes that say no if they are not ticked."""
TILE = re.compile(r"\s*(\d)\s*[-|/:., ]?\s*(\d)\s*")


def facts_in(form: FormData) -> Mapping[str, Any]:
    """What was typed, as the `facts` of the API. Raises FieldErrors."""
    before = _recorded(form)
    # Who names a player, and says nothing else, says that this player went out.
    ending = "BLOCK" if form.get("facts.ended.by") == "BLOCK" else "DOMINO"
    by_domino = ending == "DOMINO"
    who, winner = number_in(form, "facts.ended.seat"), number_in(form, "facts.statedWinner")
    if by_domino and who is None and winner is None:
        raise FieldErrors({"facts.ended.seat": say("Say who went out, or at least which side has won.")})
    seats, sides = _count(form, "seats"), _count(form, "sides")
    asked = _yes_or_no(form, CAPICUA) if is_asked(form, CAPICUA) else before.get("statedCapicua")
    capicua = asked if by_domino else None
    tile = _tile(form, by_domino=by_domino)
    ended: dict[str, Any] = {"by": ending, "seat" if by_domino else "locker": who, "tile": tile}
    if by_domino:
        ended["blocksToo"] = _yes_or_no(form, "facts.ended.blocksToo")
    elif ending == before.get("endedBy"):
        ended["blocksToo"] = before.get("blocksToo")
    if (ending, capicua, tile) == tuple(before.get(name) for name in ("endedBy", "statedCapicua", "tile")):
        ended |= {name: before.get(name) for name in ("fitsBothEnds", "endsEqual")}
    if by_domino and is_asked(form, KEY_BONE):
        ended["fitsBothEnds"] = _yes_or_no(form, KEY_BONE)
    leftover, totals = _leftover(form, seats, sides, before)
    return {
        "starter": number_in(form, "facts.starter"),
        "ended": ended,
        "leftover": leftover,
        "sideLeftover": totals if any(one is not None for one in totals) else None,
        "statedWinner": winner,
        "statedCapicua": capicua,
        "passes": _passes(form, seats, sides, before),
    }


def _recorded(form: FormData) -> Mapping[str, Any]:
    try:
        read = json.loads(str(form.get(RECORDED, "")) or "{}")
    except ValueError:
        read = {}
    return read if isinstance(read, dict) else {}


def _count(form: FormData, name: str) -> int:
    """How many seats or sides the match has, from a hidden control. Raises FieldErrors."""
    count = number_in(form, name) or 0
    if not 1 < count <= FULL_TABLE:
        raise FieldErrors({"": say("The form is not whole. Load the page again.")})
    return count


def is_asked(form: FormData, name: str) -> bool:
    """Whether the form has this control, as a choice or as a box."""
    return name in form or name in form.getlist(UNTICKED)


def _yes_or_no(form: FormData, name: str) -> bool | None:
    if name in form.getlist(UNTICKED) and not form.get(name):
        return False
    return {"yes": True, "no": False}.get(str(form.get(name, "")))


def _tile(form: FormData, *, by_domino: bool) -> list[int] | None:
    tile = _typed_tile(form)
    if not by_domino or not form.get("chuchazo"):
        return tile
    if tile not in (None, CHUCHAZO):
        raise FieldErrors({"chuchazo": say("The chuchazo is 0-0, but the last tile below is another one.")})
    return CHUCHAZO


def _typed_tile(form: FormData) -> list[int] | None:
    text = str(form.get("facts.ended.tile", ""))
    if not text.strip():
        return None
    read = TILE.fullmatch(text)
    if read is None:
        raise FieldErrors({"facts.ended.tile": say("Write the tile as 6-3.")})
    return sorted((int(read[1]), int(read[2])))


def _leftover(form: FormData, seats: int, sides: int, before: Mapping[str, Any]) -> tuple[list[Any], list[int | None]]:
    """What each seat held, and the totals of sides that were counted together."""
    leftover: list[Any] = []
    for seat in range(seats):
        pips = number_in(form, f"facts.leftover.{seat}")
        tiles = (before.get("tiles") or {}).get(str(seat))
        if tiles is not None and pips == sum(map(sum, tiles)):
            leftover.append({"tiles": tiles})
        else:
            leftover.append(None if pips is None else {"pips": pips})
    return leftover, [number_in(form, f"facts.sideLeftover.{side}") for side in range(sides)]


def _passes(form: FormData, seats: int, sides: int, before: Mapping[str, Any]) -> Mapping[str, Any]:
    passes: dict[str, Any] = {"openingPass": _yes_or_no(form, "facts.passes.openingPass"), "drew": before.get("drew")}
    corridos = [number_in(form, f"facts.passes.corridosBySide.{side}") for side in range(sides)]
    by_seat = before.get("corridos")
    if by_seat is not None and corridos in (before.get("corridosBySide"), [None] * sides):
        passes["corridos"] = by_seat
    elif any(count is not None for count in corridos):
        passes["corridosBySide"] = [count or 0 for count in corridos]
    if "draws" in form:
        unknown = form.get("facts.passes.drew") == "unknown"
        drew = [seat for seat in range(seats) if form.get(f"facts.passes.drew.{seat}")]
        passes["drew"] = None if unknown and not drew else drew
    return passes


def score_variables(given: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The variables of `score.graphql`."""
    return {"id": given["match"], "facts": given["facts"], "hand": given["hand"], "photos": given["photos"]}


def _hand(form: FormData, request: Request) -> Mapping[str, Any]:
    played_at = moment_in(form, PLAYED_AT)
    return {
        "match": request.path_params["id"],
        "hand": number_in(form, "hand"),
        "playedAt": played_at,
        # Only a queued form has a time. Two devices may send hands out of order: the numbers order them.
        "outOfOrder": played_at is not None,
        "facts": facts_in(form),
        "photos": photos_in(form),
    }


def _next_hand(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    hands = data["match"]["hands"]
    next_hand = len(hands) + 1
    return {
        **asked_of(data["match"]),
        "next_hand": next_hand,
        "last_hand": hands[-1] if hands else None,
        **evidence_of(data["match"], next_hand, None, [seat["side"] for seat in data["match"]["seats"]]),
        "suggested": {},
        "recorded": "",
    }


def _next(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    """The address after storing: the form of the next hand, or the match if this hand ended it."""
    match = answer["match"]
    page = "record_hand" if match is None or match["status"] == "OPEN" else "match"
    return url(page, id=answer["matchId"])


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
        "reopens": form.get(REOPENS.name) == "yes",
    }


def takes_back_the_end(looked: Mapping[str, Any]) -> bool:
    """Whether the match had reached its end and, with the hand as it is now typed, no longer does."""
    match = looked["match"]
    after = match["scoreHand"].get("matchAfter")
    return match["lastHand"] is not None and after is not None and after["lastHand"] is None


REOPENS = Question(
    "reopens",
    say("With this correction the match has not reached its end. Say whether it goes on."),
    takes_back_the_end,
)
"""What becomes of a match whose corrected hands no longer end it."""


def _hand_to_correct(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    number, hands = _number(request), data["match"]["hands"]
    if not 1 <= number <= len(hands):
        raise NoPage(404)
    hand = hands[number - 1]
    sides = [seat["side"] for seat in data["match"]["seats"]]
    evidence = evidence_of(data["match"], number, int(hand["position"]), sides)
    return {
        **asked_of(data["match"]),
        "takes_back_the_end": takes_back_the_end,
        "hand": hand,
        "next_hand": number,
        "last_hand": None,
        **evidence,
        "suggested": {
            **suggested_of(hand, sides),
            "facts.ended.fitsBothEnds": WORDS[hand["closing"]["fitsBothEnds"]],
            **evidence["counted_pips"],
        },
        "recorded": json.dumps(unshown_facts_of(hand, sides)),
    }


def suggested_of(hand: Mapping[str, Any], sides: list[int]) -> Mapping[str, Any]:
    """The content of the controls, by name, from the recorded facts. `sides`: the side of each seat."""
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


def unshown_facts_of(hand: Mapping[str, Any], sides: list[int]) -> Mapping[str, Any]:
    """Recorded facts that the form does not show in full. They stay unless what it shows of them is changed."""
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


form_of_hand = partial(
    FormPage,
    folder=Path(__file__).parent,
    document="hand_form.graphql",
    needs="match",
    look=Look(document="score.graphql", variables=score_variables, template="score.html"),
)

PAGES = (
    form_of_hand(
        mutation="recordHand",
        path="/matches/{id}/record",
        adds=_next_hand,
        input=_hand,
        then=NextPage("matchId match { status }", _next),
    ),
    form_of_hand(
        mutation="correctHand",
        path="/matches/{id}/hands/{number}/correct",
        adds=_hand_to_correct,
        input=_correction,
        overwrites=True,
        question=REOPENS,
        then=TO_MATCH,
    ),
)
