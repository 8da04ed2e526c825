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

FORMATS = ("ROTATING_PARTNERS", "SWISS", "ROUND_ROBIN", "FIXTURES")
NUMBERS = ("rounds", "minutes", "lateEntries", "differenceCap")
SHOWN = ("name", "format", "mode", "ruleset", "firstRound", "atBell", "checkIn", "withdrawals", *NUMBERS)
"""The settings of a plan that have a control. Once a tournament runs, only the number of rounds has one."""
USUAL = {
    "name": "", "format": "ROTATING_PARTNERS", "mode": "TWO_ON_TWO", "ruleset": None, "rounds": None,
    "firstRound": "DRAWN", "minutes": None, "atBell": "FINISH_HAND", "lateEntries": 0, "checkIn": True,
    "differenceCap": None, "withdrawals": "ANNUL_BELOW_HALF", "rules": NEWEST_RULES,
}  # fmt: skip
"""The plan that the form for a new tournament shows."""


def choices(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """The choices of the form, and the plan that it shows for a new tournament."""
    return {
        "formats": [(key, words_of_format(key.lower())) for key in FORMATS],
        "modes": [("TWO_ON_TWO", say("pairs, 2v2")), ("ONE_ON_ONE", say("one on one"))],
        "rulesets": [(one["name"], one["title"]) for one in rulesets_in_force(data["timeline"])],
        "tournament": data.get("tournament"),
        "plan": USUAL,
        "running": False,
    }


def with_plan(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The stored plan, and its settings that have no control."""
    plan, running = dict(data["tournament"]["plan"]), data["tournament"]["status"] != "PLANNED"
    others = {name: value for name, value in plan.items() if name != "rules" and (running or name not in SHOWN)}
    usual = {"opponentWindow": 3 if plan["format"] == "ROTATING_PARTNERS" else None, "partnerWindow": 3}
    for name, rounds in usual.items():
        others[name] = None if plan[name] == rounds else {"rounds": plan[name]}
    return {**choices(data, request), "plan": plan, "running": running, "others": json.dumps(others)}


def planned(form: FormData, _request: Request) -> Mapping[str, Any]:
    """The plan from the filled-in form. Raises FieldErrors."""
    plan = _others(form)
    for name in ("name", "format", "mode", "ruleset", "firstRound", "atBell", "withdrawals"):
        if f"plan.{name}" in form:
            plan[name] = str(form[f"plan.{name}"])
    if plan.get("format") != "ROUND_ROBIN":
        plan.pop("withdrawals", None)
    for name in NUMBERS:
        text = str(form.get(f"plan.{name}", "")).strip()
        if text and number_in(form, f"plan.{name}") is None:
            raise FieldErrors({f"plan.{name}": say("Write a number.")})
        if text:
            plan[name] = number_in(form, f"plan.{name}")
    plan.setdefault("checkIn", form.get("plan.checkIn") == "yes")
    return {"plan": plan}


def _others(form: FormData) -> dict[str, Any]:
    """The settings without a control, from a hidden field. Raises FieldErrors if it is damaged."""
    try:
        others = json.loads(str(form.get("others", "{}")))
    except ValueError:
        others = None
    if not isinstance(others, dict):
        raise FieldErrors({"": say("The form is damaged. Load the page again.")})
    return others
