"""How soon moves are heard, and deadlines met, at many live tables that play at once through the API.

Each player is a client with a token and a socket. A client plays the heaviest tile that it may play, some seconds after
its turn began. In the end some tables fall silent in the same second, so that their turns run out in one second too.
"""

from __future__ import annotations

import asyncio
import json
import math
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from msgspec import Struct
from websockets.asyncio.client import ClientConnection, connect

from league.api.auth.tokens import issue_token
from league.application.bootstrap import League, open_league
from league.domain.player import RegisterPlayer
from league.domain.rulebook import AdoptEdition, PublishEdition, parse_rulebook
from league.infra.settings import Settings
from league.rulebook import shipped_edition
from league.tables.domain.commands_and_events import TilePlayed
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState, due_of
from tests.bench.measure import say
from tests.bench.requests import SECRET, Server, serving
from tests.bench.sockets import more_open_files

SEATS = 4
TURN = 15
"""Seconds that a player has for a turn."""
MOVE_EVERY = 5.0
"""Seconds between two moves at a table."""
SILENT = 20
"""Tables that fall silent in the same second."""
AT_ONCE = 20
"""Tables that are opened together."""
RULES = f"[rulesets.cuban-150.live]\nturn_seconds = {TURN}\n"

CHANGES = """subscription ($table: ID!) { tableChanged(id: $table) {
  __typename position ... on TilePlayed { hand turn seat by }
  table { phase hand { number turn toMove reshuffleOffers legalPlays { tile end } } } } }"""
MUTATION = """mutation ($input: %sInput!) { done: %s(input: $input) {
  __typename ... on Success { position } ... on UserError { code message } } }"""

Turn = tuple[int, int]
"""The numbers of a hand and of a turn."""


TOO_LATE = ("HAND_DEALT", "HAND_OVER", "OTHER_SEED", "TABLE_CLOSED")
"""Codes of contributions that another device or the clock was faster than."""


class Delays(Struct, frozen=True):
    """How long something took, in seconds."""

    seconds: list[float]

    def __str__(self) -> str:
        """The median, what one in a hundred exceeds, and the longest, in milliseconds."""
        found = sorted(self.seconds)
        shown = (
            [found[len(found) // 2], found[math.ceil(0.99 * len(found)) - 1], found[-1]] if found else [math.nan] * 3
        )
        return "".join(f"{value * 1000:>10.0f}" for value in shown)


class Found(Struct, frozen=True):
    """What came of the tables."""

    acknowledged: int
    """Moves that the server has answered."""
    moves: Delays
    """When all tables are open: from a client's sending a move to another seat's client hearing of it."""
    answers: Delays
    """From a client's sending a move to its answer."""
    deadlines: Delays
    """From a deadline to the recording of what the clock did."""
    late: int
    """Moves that came when the clock had taken the turn."""
    silenced: int
    """Turns that ran out at the tables that fell silent together."""
    cpu: float
    """CPU of the server's processes, in cores."""


class Table:
    """A table of the bench, and the clients at it."""

    def __init__(self, number: int) -> None:
        self.name = f"table-{number}"
        self.players = [f"p{number}-{seat}" for seat in range(SEATS)]
        self.sent: dict[Turn, float] = {}
        self.acknowledged: dict[Turn, int] = {}
        """The acknowledged position, by turn."""
        self.heard: list[list[int]] = [[] for _ in range(SEATS)]
        """The positions of the messages that a seat's client got, by seat."""
        self.moves: list[float] = []
        self.answers: list[float] = []
        self.late = 0
        """Moves that came after the clock had taken the turn."""
        self.silent_from = math.inf
        self.is_measured = False
        """Whether all tables are open by now."""


class Client:
    """A player at a table."""

    def __init__(self, table: Table, seat: int, http: httpx.AsyncClient, port: int) -> None:
        self._table, self._seat, self._http, self._port = table, seat, http, port
        self._player = table.players[seat]
        self._bearer = {"Authorization": f"Bearer {issue_token(SECRET, self._player, ['player'], 86_400)}"}
        self._taken: set[tuple[str, Turn]] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def sit(self) -> None:
        """Sit down and be ready."""
        await self._do("takeSeat", table=self._table.name, seat=self._seat)
        await self._do("sayReady", table=self._table.name)

    async def open(self) -> None:
        """Open the table."""
        given = {"ruleset": "cuban-150", "mode": "TWO_ON_TWO", "competition": "CASUAL"}
        await self._do("openTable", tableId=self._table.name, **given)

    async def play(self, subscribed: asyncio.Event) -> None:
        """Follow the table and play at it until cancelled."""
        try:
            await self._follow(subscribed)
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _follow(self, subscribed: asyncio.Event) -> None:
        async with _socket(self._port, self._bearer) as socket:
            payload = {"query": CHANGES, "variables": {"table": self._table.name}}
            await socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
            async for text in socket:
                message = json.loads(text)
                assert message["type"] == "next", message
                assert "errors" not in message["payload"], message
                subscribed.set()
                self._hear(message["payload"]["data"]["tableChanged"])
                for task in [task for task in self._tasks if task.done()]:
                    self._tasks.remove(task)
                    task.result()

    def _hear(self, moment: dict[str, Any]) -> None:
        now, table = time.perf_counter(), self._table
        table.heard[self._seat].append(int(moment["position"]))
        if moment["__typename"] == "TilePlayed" and moment["seat"] != self._seat:
            sent = table.sent.get((moment["hand"], moment["turn"]))
            if sent is not None and moment["by"] == "PLAYER" and table.is_measured:
                table.moves.append(now - sent)
        hand, phase = moment["table"]["hand"], moment["table"]["phase"]
        if hand is None:
            return
        number = hand["number"]
        if phase == "SHUFFLING":
            self._once(("seed", (number, 0)), self._contribute(number))
        elif phase == "OFFERING" and self._seat in hand["reshuffleOffers"]:
            self._once(("offer", (number, 0)), self._do("declineReshuffle", table=table.name, hand=number))
        elif phase == "PLAYING" and hand["toMove"] == self._seat and hand["legalPlays"]:
            self._once(("turn", (number, hand["turn"])), self._move((number, hand["turn"]), hand["legalPlays"]))

    def _once(self, what: tuple[str, Turn], do: Any) -> None:
        if what in self._taken:
            do.close()
        else:
            self._taken.add(what)
            self._tasks.add(asyncio.create_task(do))

    async def _contribute(self, hand: int) -> None:
        given = {"table": self._table.name, "hand": hand, "contribution": secrets.token_hex(32)}
        await self._do("contributeSeed", accepts=TOO_LATE, **given)

    async def _move(self, turn: Turn, plays: Sequence[dict[str, Any]]) -> None:
        """Play the heaviest tile, some seconds after the turn began; or, if the table falls silent then, never."""
        table, now = self._table, time.perf_counter()
        if now >= table.silent_from:
            return
        # The last move at the tables that fall silent is made in the same second at all of them.
        last = now + 2 * MOVE_EVERY >= table.silent_from
        await asyncio.sleep(table.silent_from - now if last else MOVE_EVERY)
        best = max(plays, key=lambda play: sum(play["tile"]))
        table.sent[turn] = time.perf_counter()
        move = {"table": table.name, "hand": turn[0], "turn": turn[1], **best}
        position = await self._do("playTile", accepts=("TURN_TAKEN", "HAND_OVER"), **move)
        if not position:
            table.late += 1
            return
        table.acknowledged[turn] = position
        if table.is_measured:
            table.answers.append(time.perf_counter() - table.sent[turn])

    async def _do(self, mutation: str, accepts: Sequence[str] = (), **given: Any) -> int:
        """Send a mutation. Returns its position; 0 for a refusal that the client accepts."""
        kind = mutation[0].upper() + mutation[1:]
        given["idempotencyKey"] = secrets.token_hex(8)
        sent = {"query": MUTATION % (kind, mutation), "variables": {"input": given}}
        while True:
            # As any client does: a connection that was kept may be closed in this moment.
            with suppress(httpx.TransportError):
                answer = (await self._http.post("/graphql", json=sent, headers=self._bearer)).json()
                break
        assert "errors" not in answer, answer
        done = answer["data"]["done"]
        if "code" in done:
            assert done["code"] in accepts, done
            return 0
        return int(done["position"])


def _socket(port: int, bearer: dict[str, str]) -> Any:
    class Opened:
        async def __aenter__(self) -> ClientConnection:
            url = f"ws://127.0.0.1:{port}/graphql"
            self.socket = await connect(url, subprotocols=["graphql-transport-ws"], compression=None, open_timeout=60)  # type: ignore[list-item]
            await self.socket.send(json.dumps({"type": "connection_init", "payload": bearer}))
            await self.socket.recv()
            return self.socket

        async def __aexit__(self, *_: object) -> None:
            await self.socket.close()

    return Opened()


def bench_tables(tables: int, seconds: float) -> None:
    """Print it."""
    more_open_files()
    with TemporaryDirectory(prefix="league-bench-") as folder:
        data = Path(folder) / "data"
        with open_league(Settings(data_dir=data), prepare=True) as league:
            prepare(league, tables)
            with serving(DATA_DIR=str(data)) as server:
                found = measured(league, server, tables, seconds)
    say(f"{tables} tables of {SEATS} players, a move every {MOVE_EVERY:.0f} s at each, {found.acknowledged:,} moves")
    say(f"  {'':<44}{'p50 ms':>10}{'p99 ms':>10}{'max ms':>10}")
    say(f"  {'a move, until another seat has heard of it':<44}{found.moves}")
    say(f"  {'a move, until it is answered':<44}{found.answers}")
    say(f"  {f'a deadline, {found.silenced} of them in one second':<44}{found.deadlines}")
    say(f"  {found.late} moves came when the clock had taken the turn; the server used {found.cpu:.2f} cores")
    say("  no move was lost or stored twice, and every client heard every event once\n")


def prepare(league: League, tables: int) -> None:
    """Create the league, with a player for each seat."""
    league.create("Bench", "UTC", "bench")
    rules = parse_rulebook(RULES, shipped_edition(1))
    league.dispatcher.send_all([PublishEdition(rules), AdoptEdition(2)], "bench")
    players = [player for number in range(tables) for player in Table(number).players]
    league.dispatcher.send_all([RegisterPlayer(player, player, None) for player in players], "bench")
    league.project()


def measured(league: League, server: Server, number: int, seconds: float) -> Found:
    """What comes of so many tables in so many seconds. Raises AssertionError for a move that is lost or doubled."""
    tables = [Table(each) for each in range(number)]
    processes = [server.process, *server.process.children(recursive=True)]
    before, started = sum(map(_cpu, processes)), time.perf_counter()
    asyncio.run(played(tables, server.port, seconds))
    cpu = (sum(map(_cpu, processes)) - before) / (time.perf_counter() - started)
    return found_in(league, tables, cpu)


def _cpu(process: Any) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


async def played(tables: Sequence[Table], port: int, seconds: float) -> None:
    """Let the clients play for so long, and some tables fall silent in the end."""
    url, limits = f"http://127.0.0.1:{port}", httpx.Limits(max_connections=64, keepalive_expiry=3)
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=limits) as http:
        clients = [[Client(table, seat, http, port) for seat in range(SEATS)] for table in tables]
        playing: list[asyncio.Task[None]] = []
        for first in range(0, len(tables), AT_ONCE):
            some = clients[first : first + AT_ONCE]
            await asyncio.gather(*(seats[0].open() for seats in some))
            subscribed = [asyncio.Event() for seats in some for _ in seats]
            players = [client for seats in some for client in seats]
            playing += [asyncio.create_task(one.play(event)) for one, event in zip(players, subscribed, strict=True)]
            await _unless_failed(playing, asyncio.gather(*(event.wait() for event in subscribed)))
            await asyncio.gather(*(_in_turn(client.sit() for client in seats) for seats in some))
        for table in tables:
            table.is_measured = True
        await _unless_failed(playing, asyncio.sleep(seconds))
        silent_from = time.perf_counter() + 3 * MOVE_EVERY
        for table in tables[:SILENT]:
            table.silent_from = silent_from
        await _unless_failed(playing, asyncio.sleep(3 * MOVE_EVERY + TURN + 3))
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)


async def _in_turn(all_of: Any) -> None:
    for one in all_of:
        await one


async def _unless_failed(playing: Sequence[asyncio.Task[None]], until: Awaitable[Any]) -> None:
    """Wait for something. Raises what has failed meanwhile at a table."""
    waiting = asyncio.ensure_future(until)
    done, _ = await asyncio.wait([waiting, *playing], return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
    assert waiting in done, "a client has ended"


def found_in(league: League, tables: Sequence[Table], cpu: float) -> Found:
    """What the log says about the moves that clients sent, and about the deadlines."""
    late, silenced = [], 0
    for table in tables:
        stored = league.store.load(f"table:{table.name}")
        moves = Counter(
            (one.event.hand, one.event.turn)
            for one in stored
            if isinstance(one.event, TilePlayed) and one.event.by == "player"
        )
        assert set(moves.values()) <= {1}, "a move was stored twice"
        assert set(table.acknowledged) <= set(moves), "a move was lost"
        assert set(moves) <= set(table.sent), "a move was stored that no client sent"
        positions = [one.position for one in stored]
        for heard in table.heard:
            assert heard[1:] == [position for position in positions if heard[0] < position <= heard[-1]], "not once"
        state = TableState(table.name)
        for one in stored:
            due = due_of(state)
            if one.actor == "clock" and due is not None and due.what == "turn" and due.at <= one.recorded_at:
                late.append((one.recorded_at - due.at) / timedelta(seconds=1))
                silenced += table.silent_from < math.inf
            state = evolve(state, one.event, one.recorded_at)  # type: ignore[arg-type]  # it is of a table
    answers = [seconds for table in tables for seconds in table.answers]
    heard_after = [seconds for table in tables for seconds in table.moves]
    came_late = sum(table.late for table in tables)
    acknowledged = sum(len(table.acknowledged) for table in tables)
    return Found(acknowledged, Delays(heard_after), Delays(answers), Delays(late), came_late, silenced, cpu)
