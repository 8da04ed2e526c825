"""Reads the facts of a hand from its form. An empty control means: not known."""

import json
import re
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData

from league.console.controls import FieldErrors, number_in
from league.domain.seating import FULL_TABLE
from league.wording.language import _

RECORDED = "recorded"
"""The hidden control with those recorded facts that the form does not show, or shows in fewer words."""
CHUCHAZO = [0, 0]
"""The tile of a chuchazo, which people say in a word."""
KEY_BONE = "facts.ended.fitsBothEnds"
"""The control that the form has where the rules give a point for the key bone."""
TILE = re.compile(r"\s*(\d)\s*[-|/:., ]?\s*(\d)\s*")


def facts_in(form: FormData) -> Mapping[str, Any]:
    """What was typed, as the `facts` of the API. Raises FieldErrors."""
    before = _recorded(form)
    ending = str(form.get("facts.ended.by", ""))
    if ending not in ("DOMINO", "BLOCK"):
        raise FieldErrors({"facts.ended.by": _("Say how the hand ended.")})
    by_domino = ending == "DOMINO"
    who, winner = number_in(form, "facts.ended.seat"), number_in(form, "facts.statedWinner")
    if by_domino and who is None and winner is None:
        raise FieldErrors({"facts.ended.seat": _("Say who went out, or at least which side has won.")})
    seats, sides = _count(form, "seats"), _count(form, "sides")
    asked = _yes_or_no(form, "facts.statedCapicua") if "facts.statedCapicua" in form else before.get("statedCapicua")
    capicua = asked if by_domino else None
    tile = _tile(form, by_domino=by_domino)
    ended: dict[str, Any] = {"by": ending, "seat" if by_domino else "locker": who, "tile": tile}
    if by_domino:
        ended["blocksToo"] = _yes_or_no(form, "facts.ended.blocksToo")
    elif ending == before.get("endedBy"):
        ended["blocksToo"] = before.get("blocksToo")
    if (ending, capicua, tile) == tuple(before.get(name) for name in ("endedBy", "statedCapicua", "tile")):
        ended |= {name: before.get(name) for name in ("fitsBothEnds", "endsEqual")}
    if by_domino and KEY_BONE in form:
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
    """How many seats or sides the match has, as the form says itself."""
    count = number_in(form, name) or 0
    if not 1 < count <= FULL_TABLE:
        raise FieldErrors({"": _("The form is not whole. Load the page again.")})
    return count


def _yes_or_no(form: FormData, name: str) -> bool | None:
    return {"yes": True, "no": False}.get(str(form.get(name, "")))


def _tile(form: FormData, *, by_domino: bool) -> list[int] | None:
    tile = _typed_tile(form)
    if not by_domino or not form.get("chuchazo"):
        return tile
    if tile not in (None, CHUCHAZO):
        raise FieldErrors({"chuchazo": _("The chuchazo is 0-0, but the last tile below is another one.")})
    return CHUCHAZO


def _typed_tile(form: FormData) -> list[int] | None:
    text = str(form.get("facts.ended.tile", ""))
    if not text.strip():
        return None
    read = TILE.fullmatch(text)
    if read is None:
        raise FieldErrors({"facts.ended.tile": _("Write the tile as 6-3.")})
    return sorted((int(read[1]), int(read[2])))


def _leftover(form: FormData, seats: int, sides: int, before: Mapping[str, Any]) -> tuple[list[Any], list[int | None]]:
    """What each seat held, and the totals of the sides whose seats were not all counted apart."""
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
