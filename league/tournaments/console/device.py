"""JSON endpoints through which the page of a tournament lets the device take part in drawings."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from league.console.asking import NoPage, Visitor, document_in
from league.console.forms import NO_CONTENT, UNPROCESSABLE
from league.console.mutations import document_of
from league.console.pages import Console
from league.console.posts import sent_form
from league.domain.sentences import say
from league.tournaments.console.whole_lists import FOLDER, whole

HEADERS = {"Cache-Control": "no-store"}
_WHOLE = whole("device.graphql", "lastRound.commitments", "lastRound.contributions")
Input = Callable[[FormData], Mapping[str, Any]]


def routes(console: Console) -> list[BaseRoute]:
    """The routes of the endpoints."""
    path = "/tournaments/{id}/device"
    return [
        Route(path, partial(_state, console), name="device"),
        Route(f"{path}/proof", partial(_proof, console), name="device_proof"),
        Route(f"{path}/{{move}}", partial(_send, console), methods=["POST"], name="device_move"),
    ]


async def _state(console: Console, request: Request) -> Response:
    """Answer with the visitor's competitor, the commitment of their device, and the last round."""

    async def make(visitor: Visitor) -> Response:
        ask = partial(console.executor.ask, request, visitor)
        given = {"id": request.path_params["id"], "player": visitor.viewer.sub or ""}
        data = await ask(document_in(FOLDER / "device.graphql"), given)
        await _WHOLE(ask, given, data, visitor)
        tournament = data["tournament"]
        if tournament is None:
            raise NoPage(404)
        mine = tournament["entry"]
        if mine is not None and mine["withdrawnAt"]:
            mine = None
        return JSONResponse(
            {
                "tournament": tournament["tournamentId"],
                "takesPart": bool(mine) and tournament["asksDevices"] and tournament["status"] != "ENDED",
                "competitor": mine and mine["competitorId"],
                "commitment": mine and mine["commitment"],
                "round": tournament["lastRound"],
            },
            headers=HEADERS,
        )

    return await console.answer(request, make)


async def _proof(console: Console, request: Request) -> Response:
    """Answer with the proof that the device checks before it gives its bytes; 204 while there is none."""

    async def make(visitor: Visitor) -> Response:
        variables = {"id": request.path_params["id"], "competitor": request.query_params.get("competitor", "")}
        data = await console.executor.ask(request, visitor, document_in(FOLDER / "device_proof.graphql"), variables)
        of = data["tournament"] and data["tournament"]["lastRound"]
        if not of or of["proofOfCommitment"] is None:
            return Response(status_code=NO_CONTENT, headers=HEADERS)  # the root is not signed yet
        return Response(of["proofOfCommitment"], media_type="application/json", headers=HEADERS)

    return await console.answer(request, make)


def _taking(**fields: Callable[[Any], Any]) -> Input:
    return lambda sent: {name: convert(sent[name]) for name, convert in fields.items() if name in sent}


MOVES: Mapping[str, tuple[str, Input]] = {
    "commit": ("commitToDrawing", _taking(competitor=str, commitment=str, idempotencyKey=str)),
    "contribute": (
        "contributeToDrawing",
        _taking(competitor=str, round=int, drawing=int, contribution=str, nextCommitment=str, idempotencyKey=str),
    ),
}
"""Maps the last part of the address to its mutation and the reader of its input."""


async def _send(console: Console, request: Request) -> Response:
    async def make(visitor: Visitor) -> Response:
        if request.path_params["move"] not in MOVES:
            raise NoPage(404)
        mutation, read = MOVES[request.path_params["move"]]
        form = await sent_form(request, console.public_url)
        try:
            given = {"tournament": request.path_params["id"], **read(form)}
        except ValueError as error:
            raise NoPage(400, say("This is no part of a drawing.")) from error
        [answer] = (await console.executor.ask(request, visitor, document_of(mutation), {"input": given})).values()
        is_refused = "message" in answer
        return JSONResponse(answer if is_refused else {}, UNPROCESSABLE if is_refused else 200, HEADERS)

    return await console.answer(request, make)
