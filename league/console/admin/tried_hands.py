"""Rules tried on a recorded hand while somebody edits them: the hands to choose from, and the question to the API."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from league.console.admin.typed_rules import document_of
from league.console.controls import FieldErrors, number_in
from league.console.forms import Look
from league.domain.sentences import say
from league.wording.language import spoken

MOST_CHOICES = 40
"""Limit on the hands in the list; every other hand is named by its match and its number."""


def hands_to_try(
    data: Mapping[str, Any], ruleset: str = "", rules: Mapping[str, Any] | None = None
) -> Sequence[tuple[str, str]]:
    """The hands of the latest matches, as (value, label). `ruleset`: the one whose matches come first.

    `rules`: its `set` and its `modes`. Hands that have another set or mode cannot be tried, and are left out.
    """
    latest = data["tryable"]["nodes"]
    if rules is not None:
        of_set = [one for one in latest if one["ruleset"]["rules"]["set"] == rules["set"]]
        latest = [one for one in of_set if one["mode"] in rules["modes"]]
    matches = sorted(latest, key=lambda match: match["ruleset"]["name"] != ruleset)
    found = [
        (f"{hand['number']} {match['matchId']}", _label(match, hand))
        for match in matches
        for hand in reversed(match["hands"])
    ]
    return found[:MOST_CHOICES]


def _label(match: Mapping[str, Any], hand: Mapping[str, Any]) -> str:
    sides = " - ".join(" & ".join(one["displayName"] for one in side["players"]) for side in match["sides"])
    points = "" if hand["points"] is None else f" ({sum(hand['points'])})"
    return spoken(say("{sides}, hand {number}", sides=sides, number=hand["number"])) + points


def _question(rules: Callable[[Request], Mapping[str, Any]], form: FormData, request: Request) -> Mapping[str, Any]:
    """The variables of `try_hand.graphql`. Raises FieldErrors."""
    match, hand = str(form.get("triedMatch", "")).strip(), number_in(form, "triedHand")
    if not match:
        number, _, match = str(form.get("tried", "")).partition(" ")
        hand = int(number) if number.isascii() and number.isdigit() and len(number) < len("10000") else None
    if not match:
        raise FieldErrors({"tried": say("Choose a hand.")})
    if hand is None:
        raise FieldErrors({"triedHand": say("Write the number of the hand, such as 3.")})
    return {"input": {"match": match, "hand": hand, "settings": document_of(form), **rules(request)}}


def trying(rules: Callable[[Request], Mapping[str, Any]]) -> Look:
    """The preview of a form of rules. `rules`: what the address says of them, the base or the ruleset to try."""
    return Look(document="try_hand.graphql", template="tried.html", question=partial(_question, rules))
