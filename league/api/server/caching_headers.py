"""Headers by which caches learn what an answer depends on, and whether the one that they have still holds."""

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response


def revalidated(request: Request, response: Response, tag: str) -> Response:
    """The response to a GET with its entity tag: 304 without a body if the client has it already."""
    response.headers["ETag"] = tag
    known = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
    if tag.removeprefix("W/") not in known and "*" not in known:
        return response
    unchanged = Response(status_code=304, headers=dict(response.headers), background=response.background)
    for header in ("content-length", "content-type"):
        del unchanged.headers[header]
    return unchanged


def add_to_vary(headers: MutableHeaders, *names: str) -> None:
    """Name headers of the request on which the response depends, each once."""
    once: dict[str, str] = {}
    for name in (*headers.get("vary", "").split(","), *names):
        once.setdefault(name.strip().lower(), name.strip())
    headers["Vary"] = ", ".join(filter(None, once.values()))
