"""The signed log: its heads, the proofs of matches, and the trail of its events."""

import json
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from league.console import checker_page
from league.console.addresses import beginning_of, day_of
from league.console.asking import NoPage, Visitor
from league.console.pages import Console, Page, check_rights
from league.console.sent_forms import FilterPage
from league.domain.sentences import say

HERE = Path(__file__).parent
page = partial(Page, folder=HERE)


def _what_it_holds(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    """How much a proof holds, so that its reader knows what to expect."""
    proof = data["match"] and data["match"]["proof"]
    if not proof:
        return {"events": 0, "bytes": 0, "head_position": None}
    read = json.loads(proof)
    return {"events": len(read["events"]), "bytes": len(proof.encode()), "head_position": read["head"]["position"]}


LOG = page(path="/log", name="log")

PROOF = page(
    path="/matches/{id}/proof",
    name="proof",
    document="""
      query Proof($id: ID!) {
        league { name timeZone }
        match(id: $id) { matchId status proof }
        signedHead { position signedAt key }
      }
    """,
    needs="match",
    requires="readProof",
    adds=_what_it_holds,
)


def routes(console: Console) -> list[BaseRoute]:
    """The routes of files and of the page that checks proofs, which links to the files by relative addresses."""
    return [
        Route("/check-proof.html", checker_page.answer, name="check_proof"),
        Route("/check-proof.js", checker_page.answer_module, name="proof_module"),
        Route("/matches/{id}/proof.json", partial(_proof, console), name="proof_file"),
        Route("/signed-heads.json", partial(_heads, console), name="heads_file"),
    ]


async def _proof(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        check_rights(PROOF, visitor)
        data = await console.executor.ask(request, visitor, PROOF.text, PROOF.asked(request))
        if data["match"] is None:
            raise NoPage(404)
        if data["match"]["proof"] is None:
            raise NoPage(
                404, say("There is no proof of this match: no head signs all of it yet, or you did not play in it.")
            )
        return _download("proof.json", data["match"]["proof"])

    return await console.answer(request, make)


async def _heads(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        data = await console.executor.ask(request, visitor, LOG.text, LOG.asked(request))
        documents = [head["document"] for head in data["signedHeads"]["nodes"]]
        return _download("signed-heads.json", f"[{','.join(documents)}]")

    return await console.answer(request, make)


def _download(name: str, content: str) -> Response:
    """A file that browsers save rather than show, and that no shared cache stores."""
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Cookie",
    }
    return Response(content, media_type="application/json", headers=headers)


def _filter(request: Request, zone: ZoneInfo) -> Mapping[str, Any]:
    """The filter in the address, without the player, whom the page finds by `named`."""
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
    """The content of the event as indented JSON."""
    found = data["event"]
    return {"stored": json.dumps(json.loads(found["entry"]["body"]), indent=2, ensure_ascii=False) if found else ""}


PAGES = (
    LOG,
    PROOF,
    FilterPage(
        folder=HERE,
        path="/trail",
        name="trail",
        by_clock=_filter,
        named=("player",),
        requires="readLogDetails",
    ),
    page(
        path="/log/{position}",
        name="event",
        variables=_position,
        needs="event",
        requires="readLogDetails",
        adds=_stored,
    ),
)
