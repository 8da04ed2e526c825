"""The auditor's pages: the trail of who did what, and any event of the log as it is stored."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request

from league.console.addresses import beginning_of, day_of
from league.console.asking import NoPage
from league.console.pages import Page
from league.console.sent_forms import FilterPage

HERE = Path(__file__).parent


def _filter(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The filter in the address; `named` has the player."""
    asked = {name: request.query_params.get(name, "").strip() for name in ("match", "kind", "actor")}
    wanted: dict[str, Any] = {name: value for name, value in asked.items() if value}
    day = day_of(request, "day")
    if day is not None:
        wanted["recordedFrom"] = beginning_of(day, zone)
        wanted["recordedBefore"] = beginning_of(day + timedelta(days=1), zone)
    return {"filter": wanted}


def _position(request: Request) -> Mapping[str, Any]:
    text = request.path_params["position"]
    if not (text.isascii() and text.isdigit() and len(text) < len(str(2**63))):
        raise NoPage(404)
    return {"position": text}


def _stored(data: Mapping[str, Any], _request: Request) -> Mapping[str, Any]:
    """The event's content, one field a line."""
    found = data["event"]
    return {"stored": json.dumps(json.loads(found["entry"]["body"]), indent=2, ensure_ascii=False) if found else ""}


TRAIL = FilterPage(
    path="/trail",
    name="trail",
    folder=HERE,
    document="trail.graphql",
    template="trail.html",
    by_clock=_filter,
    named=("player",),
    requires="readLogDetails",
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
