"""The form of a plan: its choices, the values that it shows, and how it is read."""

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
WORDS = {
    "rounds": "ROUNDS", "minutes": "MINUTES", "lateEntries": "LATE_ENTRIES", "differenceCap": "DIFFERENCE_CAP",
    "withdrawals": "WITHDRAWALS",
}  # fmt: skip
"""Settings that a form can leave empty, each with the word that removes it."""
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
        "format_words": lambda key: words_of_format(key.lower()),
        "tournament": data.get("tournament"),
        "plan": USUAL,
        "running": False,
    }


def with_plan(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The stored plan, and whether only its number of rounds may change."""
    running = data["tournament"]["status"] != "PLANNED"
    return {**choices(data, request), "plan": data["tournament"]["plan"], "running": running}


def planned(form: FormData, _request: Request) -> Mapping[str, Any]:
    """The plan from the filled-in form of a new tournament. Raises FieldErrors."""
    return {"plan": {**_settings(form), "checkIn": form.get("plan.checkIn") == "yes"}}


def changed(form: FormData) -> Mapping[str, Any]:
    """What the form of a stored plan changes: the settings with a control. One that is empty is removed.

    Raises FieldErrors.
    """
    plan = _settings(form)
    if "plan.name" in form:  # otherwise only the number of rounds has a control
        plan["checkIn"] = form.get("plan.checkIn") == "yes"
    empty = [name for name in WORDS if f"plan.{name}" in form and name not in plan]
    return {"plan": plan, "remove": [WORDS[name] for name in empty]}


def _settings(form: FormData) -> dict[str, Any]:
    """The settings that were filled in. Raises FieldErrors."""
    plan: dict[str, Any] = {}
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
    return plan
