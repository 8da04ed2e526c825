"""The rules in words: the edition in force, and each of its rulesets."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page

HERE = Path(__file__).parent


def edition_in_force(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The edition that holds now, of the `timeline` of a document."""
    now = datetime.now(UTC)
    begun = [span for span in data["timeline"] if not span["start"] or datetime.fromisoformat(span["start"]) <= now]
    return {"edition": begun[-1]["edition"] if begun else None}


def _ruleset(data: Mapping[str, Any], request: Request) -> Mapping[str, Any]:
    """The ruleset that the address names. Raises NoPage."""
    edition = edition_in_force(data, request)["edition"]
    for ruleset in edition["rulesets"] if edition else ():
        if ruleset["name"] == request.path_params["name"]:
            return {"edition": edition, "ruleset": ruleset}
    raise NoPage(404)


RULES = Page(
    path="/rules", name="rules", folder=HERE, document="rules.graphql", template="rules.html", adds=edition_in_force
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
