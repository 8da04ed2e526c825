"""The paths that pages link to, found by the names of routes."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import NoMatchFound, Route

from league.console.addresses import path_for

PATHS = {"home": ["/"], "player": ["/players/{id}", "/players/{id}/in/{month}", "/people/{id}"]}


async def answer(_request: Request) -> Response:
    """Nothing."""
    return Response()


def request_to(paths: dict[str, list[str]]) -> Request:
    """A request to an application with these paths, by the names of their routes."""
    app = Starlette(routes=[Route(path, answer, name=name) for name, each in paths.items() for path in each])
    return Request({"type": "http", "app": app})


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("home", {}), ("player", {"id": "p%2F1"}), ("player", {"id": "p1", "month": "2026-01"})],
)
def test_a_path_is_the_one_that_starlette_finds(name: str, parameters: dict[str, str]) -> None:
    """It is that of the first route with this name and these parameters."""
    request = request_to(PATHS)
    assert path_for(request, name, **parameters) == request.app.url_path_for(name, **parameters)


@pytest.mark.parametrize(("name", "parameters"), [("nobody", {}), ("home", {"id": "p1"}), ("player", {})])
def test_a_name_without_a_route_has_no_path(name: str, parameters: dict[str, str]) -> None:
    """So has a name of which no route has these parameters."""
    with pytest.raises(NoMatchFound):
        path_for(request_to(PATHS), name, **parameters)


def test_two_applications_have_paths_of_their_own() -> None:
    """Routes are remembered by application."""
    one, other = request_to({"home": ["/"]}), request_to({"home": ["/start"]})
    assert [path_for(each, "home") for each in (one, other, one)] == ["/", "/start", "/"]
