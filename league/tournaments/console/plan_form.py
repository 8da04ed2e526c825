"""The form of a plan: its choices, the values that it shows, and how it is read."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.controls import FieldErrors, number_in
from league.console.present import rulesets_in_force
from league.domain.sentences import say
from league.tournaments.domain.plan import NEWEST_RULES
from league.tournaments.words import words_of_format

FORMATS = ("ROTATING_PARTNERS", "SWISS", "ROUND_ROBIN", "KNOCKOUT", "GROUPS", "FIXTURES")
MODES = ("TWO_ON_TWO", "ONE_ON_ONE")
WITH_EITHER_MODE = ("SWISS", "ROUND_ROBIN", "KNOCKOUT", "GROUPS", "FIXTURES")
WITH_WITHDRAWALS = ("ROUND_ROBIN", "GROUPS")
WITH_KNOCKOUT = ("KNOCKOUT", "GROUPS")
WITH_REQUESTED_BYES = ("ROTATING_PARTNERS", "SWISS")
NUMBERS = ("rounds", "minutes", "setupMinutes", "lateEntries", "differenceCap", "groups", "advance")
ONLY: Mapping[str, tuple[str, ...]] = {
    "rounds": ("ROTATING_PARTNERS", "SWISS", "ROUND_ROBIN", "FIXTURES"),
    "lateEntries": ("ROTATING_PARTNERS", "SWISS", "FIXTURES"), "requestedBye": WITH_REQUESTED_BYES,
    "withdrawals": WITH_WITHDRAWALS, "groups": ("GROUPS",), "advance": ("GROUPS",), "bestOf": WITH_KNOCKOUT,
    "thirdPlace": WITH_KNOCKOUT,
}  # fmt: skip
"""Settings that only some formats have. For the others the page hides them, and what the form has is left out."""
BYE_NUMBERS = ("requestedBye.pointsFor", "requestedBye.pointsAgainst")
WORDS = {
    "rounds": "ROUNDS", "minutes": "MINUTES", "setupMinutes": "SETUP_MINUTES", "lateEntries": "LATE_ENTRIES",
    "differenceCap": "DIFFERENCE_CAP", "withdrawals": "WITHDRAWALS", "groups": "GROUPS", "advance": "ADVANCE",
    "bestOf": "BEST_OF", "thirdPlace": "THIRD_PLACE",
}  # fmt: skip
"""Settings that a form can leave empty, each with the word that removes it."""
USUAL = {
    "name": "", "format": "ROTATING_PARTNERS", "mode": "TWO_ON_TWO", "ruleset": None, "rounds": None,
    "firstRound": "DRAWN", "minutes": None, "setupMinutes": 0, "atBell": "FINISH_HAND", "lateEntries": 0,
    "checkIn": True, "differenceCap": None, "withdrawals": "ANNUL_BELOW_HALF", "rules": NEWEST_RULES,
    "requestedBye": {"won": False, "pointsFor": 0, "pointsAgainst": 0}, "groups": None, "advance": None,
    "bestOf": [1], "thirdPlace": None,
}  # fmt: skip
"""The plan that the form for a new tournament shows."""

OF_ANY_FORMAT = ("competition", "lockedPlayCasually", "tieBreaks", "scoreCap", "walkover")
OF_ITS_FORMAT = ("legs", "opponentWindow", "partnerWindow", "partners", "fullCycle", "regionRounds", "bye")
"""Settings without a control, which a plan takes over from an earlier tournament, the latter for the same format."""
TAKEN_OVER = "taken"
"""The hidden control with these settings, as JSON."""


def choices(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The choices of the form, and the plan that it shows for a new tournament."""
    return {
        "formats": [(key, words_of_format(key.lower())) for key in FORMATS],
        "modes": [("TWO_ON_TWO", say("pairs, 2v2")), ("ONE_ON_ONE", say("one on one"))],
        "rulesets": _rulesets(data["timeline"]),
        "format_words": lambda key: words_of_format(key.lower()),
        "tournament": data.get("tournament"),
        "plan": USUAL,
        "running": False,
        "earlier": [],
        "taken": "",
        "only": {name: " ".join(formats) for name, formats in {**ONLY, "mode": WITH_EITHER_MODE}.items()},
    }


def _rulesets(timeline: Any) -> list[Mapping[str, Any]]:
    """The rulesets in force that are played in a mode of tournaments, each with these modes."""
    found = [{**one, "modes": [mode for mode in MODES if mode in one["modes"]]} for one in rulesets_in_force(timeline)]
    return [one for one in found if one["modes"]]


def as_last_time(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The choices of the form, and the plan that it shows: the usual one, or that of the tournament in the address."""
    shown, like = choices(data, request), data["like"]
    shown = {**shown, "tournament": None, "earlier": data["tournaments"]["nodes"], "like": like}
    if like is None:
        return shown
    plan = like["plan"]
    taken = {name: plan[name] for name in ("format", *OF_ANY_FORMAT, *OF_ITS_FORMAT)}
    return {**shown, "plan": {**plan, "rules": NEWEST_RULES}, "taken": json.dumps(taken)}


def with_plan(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The stored plan, and whether only its number of rounds may change."""
    running = data["tournament"]["status"] != "PLANNED"
    return {**choices(data, request), "plan": data["tournament"]["plan"], "running": running}


def planned(form: FormData, _request: Request) -> Mapping[str, Any]:
    """The plan from the filled-in form of a new tournament. Raises FieldErrors."""
    plan = _settings(form)
    return {"plan": {**_taken_over(form, plan.get("format")), **plan, "checkIn": form.get("plan.checkIn") == "yes"}}


def _taken_over(form: FormData, format_: str | None) -> Mapping[str, Any]:
    """The settings without a control that the plan takes over. Raises FieldErrors for what this page did not write."""
    text = str(form.get(TAKEN_OVER, ""))
    if not text:
        return {}
    try:
        taken = json.loads(text)
        names = [*OF_ANY_FORMAT, *(OF_ITS_FORMAT if taken["format"] == format_ else ())]
        found = {name: taken[name] for name in names}
    except (ValueError, KeyError, TypeError):
        raise FieldErrors({"": say("Choose the earlier tournament again.")}) from None
    if taken["format"] != format_ and {taken["format"], format_} & {*WITH_KNOCKOUT}:
        del found["tieBreaks"]  # these formats have others
    elif format_ == "ROTATING_PARTNERS":
        found["tieBreaks"] = [name for name in found["tieBreaks"] if name != "DIRECT"]
    return found


def changed(form: FormData) -> Mapping[str, Any]:
    """What the form of a stored plan changes: the settings with a control. One that is empty is removed.

    Raises FieldErrors.
    """
    plan = _settings(form)
    removed = [WORDS[name] for name in WORDS if f"plan.{name}" in form and name not in plan]
    if "plan.name" in form:  # otherwise only the number of rounds has a control
        plan["checkIn"] = form.get("plan.checkIn") == "yes"
        if plan.get("format") not in WITH_REQUESTED_BYES:
            removed.append("REQUESTED_BYE")
    return {"plan": plan, "remove": removed}


def _settings(form: FormData) -> dict[str, Any]:
    """The settings that were filled in. Raises FieldErrors."""
    plan: dict[str, Any] = {}
    for name in ("name", "format", "mode", "ruleset", "firstRound", "atBell", "withdrawals"):
        if f"plan.{name}" in form:
            plan[name] = str(form[f"plan.{name}"])
    plan |= _of_knockout(form)
    numbers = {name: _number(form, name) for name in (*NUMBERS, *BYE_NUMBERS)}
    plan |= {name: numbers[name] for name in NUMBERS if numbers[name] is not None}
    if f"plan.{BYE_NUMBERS[0]}" in form:
        own, other = (numbers[name] or 0 for name in BYE_NUMBERS)
        won = form.get("plan.requestedBye.won") == "yes"
        plan["requestedBye"] = {"won": won, "pointsFor": own, "pointsAgainst": other}
    if "format" not in plan:  # only the number of rounds has a control
        return plan
    if plan["format"] == "ROTATING_PARTNERS":
        plan["mode"] = "TWO_ON_TWO"  # its control is hidden, and may have another mode
    return {name: value for name, value in plan.items() if plan["format"] in ONLY.get(name, FORMATS)}


def _of_knockout(form: FormData) -> dict[str, Any]:
    """The games of a tie, and whether the third place is played for. Raises FieldErrors."""
    plan: dict[str, Any] = {}
    written = str(form.get("plan.bestOf", "")).replace(",", " ").split()
    if not all(one.isdecimal() for one in written):
        raise FieldErrors({"plan.bestOf": say("Write one odd number, or several with commas between them.")})
    if written:
        plan["bestOf"] = [int(one) for one in written]
    if form.get("plan.thirdPlace") in {"yes", "no"}:
        plan["thirdPlace"] = form["plan.thirdPlace"] == "yes"
    return plan


def _number(form: FormData, name: str) -> int | None:
    """The number in a control; None if it is empty. Raises FieldErrors."""
    text = str(form.get(f"plan.{name}", "")).strip()
    found = number_in(form, f"plan.{name}") if text else None
    if text and found is None:
        raise FieldErrors({f"plan.{name}": say("Write a number.")})
    return found
