"""A form about one match, which leads back to the page of the match."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from league.console.addresses import match_of_address
from league.console.forms import FormPage


def to_match(answer: Mapping[str, Any], url: Callable[..., str]) -> str:
    """The page of the match that was changed."""
    return url("match", id=answer["matchId"])


def form_of_match(
    operation: str, page: str, path: str, read: Callable[..., Mapping[str, Any]], **more: Any
) -> FormPage:
    """A form about a match. `operation` is its mutation; template and document are named like the page."""
    return FormPage(
        path=path,
        name=page,
        folder=Path(__file__).parent,
        document=more.pop("document", "match.graphql"),
        template=f"{page}.html",
        variables=match_of_address,
        needs="match",
        requires=operation,
        mutation=f"{page}.mutation.graphql",
        input=read,
        then=to_match,
        **more,
    )
