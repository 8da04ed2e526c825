"""The rules in words: the edition in force, and each of its rulesets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.console.present import edition_in_force

HERE = Path(__file__).parent


def _ruleset(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The ruleset that the address names. Raises NoPage."""
    edition = edition_in_force(data["timeline"])
    for ruleset in edition["rulesets"] if edition else ():
        if ruleset["name"] == request.path_params["name"]:
            return {"edition": edition, "ruleset": ruleset}
    raise NoPage(404)


RULES = Page(
    path="/rules",
    name="rules",
    folder=HERE,
    document="rules.graphql",
    template="rules.html",
    adds=lambda data, _request: {"edition": edition_in_force(data["timeline"])},
)

RULESET = Page(
    path="/rules/{name}",
    name="ruleset",
    folder=HERE,
    document="ruleset.graphql",
    template="ruleset.html",
    adds=_ruleset,
)

PAGES = (RULES, RULESET)
