"""The page of a live table with its moves and its stream of events, and the page of a finished hand, turn by turn.

Each move is a mutation, which the page's JavaScript or a plain form sends. The stream has server-sent events, each with
its position, so that a broken connection loses nothing. The process executes the page's subscription with the rights of
the session. A stream ends after a while, and the browser asks for the next one. So the server notices a device that has
gone without closing its connection, and counts its player as away.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from league.api.graphql.executing.plain_fields import json_bytes
from league.console.asking import NoPage, Visitor, document_in
from league.console.forms import SEE_OTHER, UNPROCESSABLE
from league.console.mutations import document_of
from league.console.pages import Console, Page
from league.console.posts import sent_form
from league.console.present import titles_in_force
from league.domain.sentences import say
from league.tables.console.table_words import CLOSED, LEVELS, MODES, PHASES, SENTENCES, said
from league.wording.facts import label_of
from league.wording.language import speak, spoken

FOLDER = Path(__file__).parent
AROUND = {2: ("mine", "top"), 3: ("mine", "right", "left"), 4: ("mine", "right", "top", "left")}
"""Where each seat is drawn, by the number of seats: counter-clockwise, beginning with the viewer."""
TURN_SECONDS = 30
"""Seconds per turn that are shown before play begins, when the table has no rules yet."""


def names_of(seats: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """The name of the player or AI on each seat. Several AIs are numbered. `known.js` names them alike."""
    ais = [seat["number"] for seat in seats if seat["player"] is None and seat["aiLevel"] is not None]
    return [_name(seat, ais) for seat in seats]


def _name(seat: Mapping[str, Any], ais: Sequence[int]) -> str:
    if seat["player"] is not None:
        return str(seat["player"]["displayName"])
    if seat["number"] not in ais:
        return spoken(say("somebody")) if seat["playerId"] else spoken(say("free"))
    level = LEVELS[seat["aiLevel"]]
    if len(ais) == 1:
        return spoken(say("AI ({level})", level=level))
    return spoken(say("AI {number} ({level})", number=ais.index(seat["number"]) + 1, level=level))


def names_by_side(seats: Sequence[Mapping[str, Any]]) -> Mapping[int, str]:
    """The names of the players of each side, by side."""
    sides: dict[int, list[str]] = {}
    for seat, name in zip(seats, names_of(seats), strict=True):
        sides.setdefault(seat["side"], []).append(name)
    return {side: " & ".join(names) for side, names in sides.items()}


def partners_of(table: Mapping[str, Any]) -> Mapping[int, str]:
    """Who plays with whom, by seat. Empty where everybody plays alone."""
    seats, mine = table["seats"], table["viewerSeat"]
    names = names_of(seats)
    told: dict[int, str] = {}
    for seat in seats:
        other = next((one for one in seats if one["side"] == seat["side"] and one is not seat), None)
        if other is None:
            continue
        if other["number"] == mine:
            told[seat["number"]] = spoken(say("your partner, opposite"))
        elif other["playerId"] is None and other["aiLevel"] is None:
            told[seat["number"]] = spoken(say("partner: whoever sits opposite"))
        else:
            told[seat["number"]] = spoken(say("partner: {name}", name=names[other["number"]]))
    return told


def places_of(seats: Sequence[Mapping[str, Any]], viewer_seat: int | None) -> Mapping[int, str]:
    """Where each seat is drawn, by seat. A spectator looks from seat 0."""
    around, first = AROUND[len(seats)], viewer_seat or 0
    return {(first + step) % len(seats): place for step, place in enumerate(around)}


def result_of_hand(hand: Mapping[str, Any], names: Mapping[int, str]) -> str:
    """A sentence that says who won a hand, and how."""
    is_block = hand["facts"]["endedBy"] == "BLOCK"
    if hand["winner"] is None:
        return say("Blocked. Nobody wins the hand.") if is_block else say("Nobody wins the hand.")
    values = {"names": names[hand["winner"]], "points": hand["points"][hand["winner"]]}
    if is_block:
        return say("Blocked. {names} won {points} points.", **values)
    return say("{names} went out and won {points} points.", **values)


def terms_of_hand(hand: Mapping[str, Any], names: Mapping[int, str]) -> Sequence[tuple[str, str, int]]:
    """Where the points of a hand come from: the label of each term, the side that gets it, and its points."""
    return [(label_of(term["rule"].lower()), names[term["side"]], term["points"]) for term in hand["terms"]]


def _around_the_table(data: dict[str, Any], _request: Request) -> Mapping[str, Any]:
    table = data["table"]
    if table is None:
        return {}
    seats, mine = table["seats"], table["viewerSeat"]
    names = names_by_side(seats)
    rules, name = table["ruleset"], table["rulesetName"]
    return {
        "places": places_of(seats, mine),
        "seat_names": names_of(seats),
        "partners": partners_of(table),
        "names": names,
        "sides": sorted(names),
        "title": rules["title"] if rules else titles_in_force(data["timeline"]).get(name, name),
        "turn_seconds": rules["rules"].get("live", {}).get("turn_seconds", TURN_SECONDS) if rules else TURN_SECONDS,
        "free": [seat["number"] for seat in seats if seat["playerId"] is None and seat["aiLevel"] is None],
        "results": [
            (hand, result_of_hand(hand, names), terms_of_hand(hand, names)) for hand in reversed(table["finishedHands"])
        ],
        "modes": said(MODES),
        "levels": list(said(LEVELS).items()),
        "phases": said(PHASES),
        "closings": said(CLOSED),
        "sentences": {
            **said(SENTENCES),
            **{f"closed_{reason}": text for reason, text in said(CLOSED).items()},
            **{f"level_{level}": text for level, text in said(LEVELS).items()},
        },
        "refusal": None,
    }


TABLE = Page(
    path="/tables/{id}",
    name="table",
    folder=FOLDER,
    needs="table",
    adds=_around_the_table,
)


# ---------------------------------------------------------------- moves

FOUR = 4

Variables = Callable[[str, FormData], Mapping[str, Any]]
"""Reads the variables of a mutation from the table's id and the form. Raises ValueError, KeyError or TypeError."""


def _taking(**fields: Callable[[Any], Any]) -> Variables:
    """A reader of variables for a mutation whose input has the table and these fields."""

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
    "sit": ("takeSeat", _taking(seat=int)),
    "leave": ("leaveSeat", _taking()),
    "ready": ("sayReady", _taking()),
    "close": ("closeTable", _taking()),
    "seat-ai": ("seatAi", _taking(seat=int, level=str)),
    "practise": ("practise.graphql", _practice),
    "contribute": ("contributeSeed", _taking(hand=int, contribution=str)),
    "reshuffle": ("acceptReshuffle", _taking(hand=int)),
    "keep": ("declineReshuffle", _taking(hand=int)),
    "play": ("playTile", _tile),
    "say": ("sayPhrase", _taking(phrase=str)),
    "mute": ("mutePlayer", _taking(player=str)),
    "unmute": ("unmutePlayer", _taking(player=str)),
}
"""The moves, by the last part of the address: a mutation, or a document with several, and the reader of variables."""


async def answer_move(console: Console, request: Request) -> Response:
    """Make a move. The page's JavaScript gets JSON; a browser that sent a form goes back to the table."""
    table = request.path_params["id"]
    is_module = "application/json" in request.headers.get("accept", "")

    async def make(visitor: Visitor) -> Response:
        if request.path_params["move"] not in MOVES:
            raise NoPage(404)
        form = await sent_form(request, console.public_url)
        sends, read = MOVES[request.path_params["move"]]
        document = document_in(FOLDER / sends) if sends.endswith(".graphql") else document_of(sends)
        try:
            variables = read(table, form)
        except (ValueError, KeyError, TypeError) as error:
            raise NoPage(400, say("This is no move.")) from error
        data = await console.executor.ask(request, visitor, document, variables)
        refusal = next((answer for answer in data.values() if answer and "message" in answer), None)
        if is_module:
            return JSONResponse(refusal or {}, UNPROCESSABLE if refusal else 200, {"Cache-Control": "no-store"})
        if refusal is not None:
            because = {"refusal": refusal["message"]}
            return await console.shown(TABLE, request, visitor, {"id": table}, status=UNPROCESSABLE, **because)
        path = str(request.app.url_path_for("table", id=table))
        return RedirectResponse(console.address_of(request, path), SEE_OTHER)

    return await console.answer(request, make)


# ---------------------------------------------------------------- the stream of events

LIFE = 20.0
"""Seconds after which a stream ends and the browser asks for the next one."""
RETRY = 200
"""Milliseconds after which the browser asks for the next stream."""


async def answer_stream(console: Console, request: Request) -> Response:
    """Answer with the stream, which continues after the position that the browser had last."""

    async def make(visitor: Visitor) -> Response:
        context = console.executor.context(request, visitor)
        after = request.headers.get("last-event-id") or request.query_params.get("after")
        variables = {"id": request.path_params["id"], "after": after if after and after.isdecimal() else None}
        answers = console.executor.schema.stream(
            document_in(FOLDER / "table_changed.graphql"), variable_values=variables, context_value=context
        )
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        messages = _messages(await answers, context, visitor)
        return StreamingResponse(messages, media_type="text/event-stream", headers=headers)

    return await console.answer(request, make)


async def _messages(answers: Any, context: Any, visitor: Visitor) -> AsyncIterator[str]:
    """Each answer as a server-sent event whose id is its position. After an error the stream ends."""
    speak(visitor.language)
    yield f"retry: {RETRY}\n\n"
    end = time.monotonic() + LIFE
    async with aclosing(answers):
        coming = asyncio.ensure_future(anext(answers, None))
        try:
            while (rest := end - time.monotonic()) > 0:
                done, _waiting = await asyncio.wait([coming], timeout=rest)
                if not done:
                    return
                answer = coming.result()
                if answer is None:
                    yield "event: over\ndata: {}\n\n"
                    return
                if answer.errors:
                    yield f"event: refused\ndata: {_refusal(answer.errors[0])}\n\n"
                    return
                moment = answer.data["tableChanged"]
                told = {"now": context.clock().isoformat(), **moment}
                yield f"id: {moment['position']}\ndata: {json_bytes(told).decode()}\n\n"
                coming = asyncio.ensure_future(anext(answers, None))
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)


def _refusal(error: Any) -> str:
    return json_bytes({"code": (error.extensions or {}).get("code"), "message": error.message}).decode()


# ---------------------------------------------------------------- a finished hand

Turn = Mapping[str, Any]


def _at_a_turn(data: dict[str, Any], request: Request) -> Mapping[str, Any]:
    """The hand after the turn that the address names, or after the last turn."""
    table = data["table"]
    if table is None:
        return {}
    number = request.path_params["number"]
    hand = next((one for one in table["finishedHands"] if one["number"] == number), None)
    if hand is None:
        raise NoPage(404)
    turns = hand["turns"]
    wanted = request.query_params.get("turn", "")
    shown = min(int(wanted), len(turns)) if wanted.isdecimal() and len(wanted) < len("99999") else len(turns)
    names = names_by_side(table["seats"])
    return {
        "hand": hand,
        "turn": shown,
        "chain": _chain(turns[:shown]),
        "held": _held(hand["dealt"], turns[:shown]),
        "said": [_turn_in_words(turn, names_of(table["seats"])) for turn in turns],
        "names": names,
        "seat_names": names_of(table["seats"]),
        "places": places_of(table["seats"], table["viewerSeat"]),
        "result": result_of_hand(hand, names),
        "terms": terms_of_hand(hand, names),
        "sentences": said(SENTENCES),
        "last_hand": len(table["finishedHands"]),
    }


def _chain(turns: Sequence[Turn]) -> Sequence[Mapping[str, Any]]:
    """The chain from left to right."""
    chain: list[Mapping[str, Any]] = []
    for turn in turns:
        if turn["tile"] is None or turn["where"] == "DRAW":
            continue
        high, low = turn["tile"]
        laid = {"tile": turn["tile"], "double": high == low, "turn": turn["number"]}
        chain.insert(0 if turn["where"] == "LEFT" else len(chain), laid)
    return chain


def _held(dealt: Sequence[Sequence[Sequence[int]]], turns: Sequence[Turn]) -> Sequence[Sequence[Sequence[int]]]:
    """The tiles that each seat holds after these turns."""
    held = [[list(tile) for tile in hand] for hand in dealt]
    for turn in turns:
        if turn["tile"] is None:
            continue
        tile = sorted(turn["tile"])
        if turn["where"] == "DRAW":
            held[turn["seat"]].append(tile)
        else:
            held[turn["seat"]].remove(tile)
    return held


def _turn_in_words(turn: Turn, names: Sequence[str]) -> str:
    values = {"name": names[turn["seat"]]}
    if turn["tile"] is None:
        if turn["where"] == "TIMEOUT":
            return say("The time of {name} was up: a pass.", **values)
        return say("{name} passes.", **values)
    tile = "-".join(map(str, turn["tile"]))
    match turn["where"]:
        case "LEFT":
            return say("{name} played {tile} on the left.", **values, tile=tile)
        case "RIGHT":
            return say("{name} played {tile} on the right.", **values, tile=tile)
        case "DRAW":
            return say("{name} drew {tile}.", **values, tile=tile)
        case _:
            return say("{name} began with {tile}.", **values, tile=tile)


TABLE_HAND = Page(
    path="/tables/{id}/hands/{number:int}",
    name="table_hand",
    folder=FOLDER,
    needs="table",
    adds=_at_a_turn,
)
