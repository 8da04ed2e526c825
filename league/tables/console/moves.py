"""What a person does at a table: each move is a mutation of its own, sent by the page's module or by a plain form."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from league.console.asking import NoPage, document_in
from league.console.forms import SEE_OTHER, UNPROCESSABLE
from league.console.pages import Console
from league.console.posts import sent_form
from league.console.visitors import Visitor
from league.tables.console.table_page import TABLE
from league.wording.language import _

DOCUMENTS = Path(__file__).parent / "move_documents"
FOUR = 4

Variables = Callable[[str, FormData], Mapping[str, Any]]
"""Reads the variables of a mutation from the table's id and what was sent. Raises ValueError."""


def _taking(**fields: Callable[[Any], Any]) -> Variables:
    """The variables of a mutation whose input has the table and these fields."""

    def read(table: str, sent: FormData) -> Mapping[str, Any]:
        given = {name: convert(sent[name]) for name, convert in fields.items() if name in sent}
        return {"input": {"table": table, **given}}

    return read


def _tile(table: str, sent: FormData) -> Mapping[str, Any]:
    tile = [int(str(half)) for half in str(sent["tile"]).split("-")]
    given = {"table": table, "hand": int(str(sent["hand"])), "turn": int(str(sent["turn"])), "tile": tile}
    return {"input": {**given, "end": sent.get("end") or None}}


def _practice(table: str, sent: FormData) -> Mapping[str, Any]:
    seats, level = int(str(sent["seats"])), str(sent["level"])
    ais = [{"table": table, "seat": seat, "level": level} for seat in (1, 2, 3)]
    variables = dict(zip(("second", "third", "fourth"), ais, strict=True))
    sit, ready = {"table": table, "seat": 0}, {"table": table}
    return {**variables, "sit": sit, "ready": ready, "hasThird": seats > 2, "hasFourth": seats == FOUR}  # noqa: PLR2004


MOVES: Mapping[str, tuple[str, Variables]] = {
    "sit": ("take_seat.graphql", _taking(seat=int)),
    "leave": ("leave_seat.graphql", _taking()),
    "ready": ("say_ready.graphql", _taking()),
    "close": ("close_table.graphql", _taking()),
    "seat-ai": ("seat_ai.graphql", _taking(seat=int, level=str)),
    "practise": ("practise.graphql", _practice),
    "contribute": ("contribute_seed.graphql", _taking(hand=int, contribution=str)),
    "reshuffle": ("accept_reshuffle.graphql", _taking(hand=int)),
    "keep": ("decline_reshuffle.graphql", _taking(hand=int)),
    "play": ("play_tile.graphql", _tile),
    "say": ("say_phrase.graphql", _taking(phrase=str)),
    "mute": ("mute_player.graphql", _taking(player=str)),
    "unmute": ("unmute_player.graphql", _taking(player=str)),
}
"""By the last part of the address, the document and how its variables are read."""


async def answer_move(console: Console, request: Request) -> Response:
    """Make a move. The module gets JSON; the browser that sent a form goes back to the table."""
    table = request.path_params["id"]
    is_module = "application/json" in request.headers.get("accept", "")

    async def make(visitor: Visitor) -> Response:
        if request.path_params["move"] not in MOVES:
            raise NoPage(404)
        form = await sent_form(request, console.public_url)
        document, read = MOVES[request.path_params["move"]]
        try:
            variables = read(table, form)
        except (ValueError, KeyError, TypeError) as error:
            raise NoPage(400, _("This is no move.")) from error
        data = await console.asking.ask(request, visitor, document_in(DOCUMENTS / document), variables)
        refusal = next((answer for answer in data.values() if answer and "message" in answer), None)
        if is_module:
            return JSONResponse(refusal or {}, UNPROCESSABLE if refusal else 200, {"Cache-Control": "no-store"})
        if refusal is not None:
            said = {"refusal": refusal["message"]}
            return await console.shown(TABLE, request, visitor, {"id": table}, status=UNPROCESSABLE, **said)
        path = str(request.app.url_path_for("table", id=table))
        return RedirectResponse(console.address_of(request, path), SEE_OTHER)

    return await console.answer(request, make)
