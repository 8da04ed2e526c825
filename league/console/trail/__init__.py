"""The auditor's pages: the trail of who did what, and any event of the log as it is stored."""

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from starlette.requests import Request

from league.console.asking import NoPage
from league.console.pages import Page
from league.wording.language import _

HERE = Path(__file__).parent
FILTERS = ("player", "match", "kind", "actor", "day")


def _asked(request: Request) -> Mapping[str, Any]:
    """The filter in the address. Raises NoPage for a day that is none."""
    asked = {name: request.query_params.get(name, "").strip() for name in FILTERS}
    day = asked.pop("day")
    wanted: dict[str, Any] = {name: value for name, value in asked.items() if value}
    if day:
        try:
            begins = datetime.combine(date.fromisoformat(day), time(), UTC)
            wanted |= {"recordedFrom": begins.isoformat(), "recordedBefore": (begins + timedelta(days=1)).isoformat()}
        except (ValueError, OverflowError):
            raise NoPage(400, _("{day} is not a day; write it as 2026-11-22.", day=day[:40])) from None
    return {"filter": wanted, "after": request.query_params.get("after")}


def _position(request: Request) -> Mapping[str, Any]:
    text = request.path_params["position"]
    if not (text.isascii() and text.isdigit() and len(text) < len(str(2**63))):
        raise NoPage(404)
    return {"position": text}


def _stored(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The event's content, one field a line."""
    found = data["event"]
    return {"stored": json.dumps(json.loads(found["entry"]["body"]), indent=2, ensure_ascii=False) if found else ""}


TRAIL = Page(
    path="/trail",
    name="trail",
    folder=HERE,
    document="trail.graphql",
    template="trail.html",
    variables=_asked,
    requires="readLogDetails",
    adds=lambda _data, _request: {"filters": FILTERS},
)

EVENT = Page(
    path="/log/{position}",
    name="event",
    folder=HERE,
    document="event.graphql",
    template="event.html",
    variables=_position,
    needs="event",
    requires="readLogDetails",
    adds=_stored,
)

PAGES = (TRAIL, EVENT)
