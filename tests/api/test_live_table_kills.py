"""The processes of a league are killed in the middle of a hand: its players reconnect, and the table goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import httpx
import pytest
from api_server import SECRET, token
from http_clients import http_client, web_socket
from kills import free_port
from leagues import TABLE_SECRET, at_once
from live_tables import events, league_with_tables, now
from processes import league_command
from waiting import LIMIT, wait_until
from websockets.sync.client import ClientConnection

from league.application.bootstrap import League
from league.infra import database
from league.tables.application.live_rows import STANDSTILL
from league.tables.domain import commands_and_events as table_events

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

RULES = """[rulesets.cuban-150.live]
turn_seconds = 2
on_timeout = "play"
timeouts_before_ai = 1000
contribution_seconds = 1
reshuffle_doubles = 0
away_after_seconds = 10
away_seconds = 3600
"""
CHANGES = """subscription ($after: BigInt) { tableChanged(id: "t1", after: $after) {
  __typename position table { phase hand { number turn toMove legalPlays { tile end } } } } }"""


class Player:
    """A player with a socket, who remembers what was heard and what was answered."""

    def __init__(self, name: str) -> None:
        self.name, self._token = name, token("player", sub=name)
        self.heard: list[int] = []
        self.answered: dict[tuple[int, int], int] = {}
        """The position of each acknowledged move, by hand and turn."""

    def do(self, port: int, mutation: str, **given: Any) -> int | None:
        """The position that a mutation answers, None for a refusal."""
        kind = mutation[0].upper() + mutation[1:]
        text = f"mutation ($i: {kind}Input!) {{ it: {mutation}(input: $i) {{ ... on Success {{ position }} }} }}"
        with http_client(port) as client:
            sent = {"query": text, "variables": {"i": given}}
            answer = client.post("/graphql", json=sent, headers={"Authorization": f"Bearer {self._token}"}).json()
        done = answer["data"]["it"]
        return int(done["position"]) if "position" in done else None

    @contextmanager
    def connected(self, port: int) -> Iterator[ClientConnection]:
        """A socket that goes on where the last one broke off."""
        with web_socket(port) as socket:
            socket.send(json.dumps({"type": "connection_init", "payload": {"Authorization": f"Bearer {self._token}"}}))
            assert json.loads(socket.recv(LIMIT))["type"] == "connection_ack"
            variables = {"after": str(self.heard[-1])} if self.heard else {}
            payload = {"query": CHANGES, "variables": variables}
            socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
            yield socket

    def play(self, socket: ClientConnection, port: int, enough: Callable[[], bool]) -> None:
        """Play at the table until there is enough."""
        while not enough():
            table = self.hear(socket)
            hand = table["hand"]
            if table["phase"] == "PLAYING" and hand["legalPlays"]:
                move = {"hand": hand["number"], "turn": hand["turn"], **hand["legalPlays"][0]}
                position = self.do(port, "playTile", table="t1", **move)
                if position is not None:  # else the clock was faster
                    self.answered[(hand["number"], hand["turn"])] = position

    def hear(self, socket: ClientConnection) -> Any:
        """The table after the next thing that happened."""
        message = json.loads(socket.recv(LIMIT))
        assert message["type"] == "next", message
        moment = message["payload"]["data"]["tableChanged"]
        self.heard.append(int(moment["position"]))
        return moment["table"]


@contextmanager
def playing(players: list[Player], port: int, moves: int) -> Iterator[None]:
    """Let the players connect, and play until the server has answered so many moves. They stay connected."""

    def answered() -> int:
        return sum(len(player.answered) for player in players)

    target = answered() + moves
    with ExitStack() as sockets:
        connected = [(player, sockets.enter_context(player.connected(port))) for player in players]
        at_once(*(partial(player.play, socket, port, lambda: answered() >= target) for player, socket in connected))
        yield


@contextmanager
def serving(port: int) -> Iterator[subprocess.Popen[str]]:
    """`league serve`, which answers."""
    with league_command("serve", "--port", str(port), "--ai-processes", "0") as running:
        wait_until(lambda: running.poll() is not None or answers(port))
        assert running.poll() is None
        yield running


def answers(port: int) -> bool:
    """Whether the API can be reached."""
    with suppress(httpx.TransportError), http_client(port) as client:
        return client.get("/healthz").status_code == 200
    return False


def kill(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def test_a_table_outlives_kills_of_the_processes_that_serve_it(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that was answered is lost, and another process keeps the clock while one is alive.

    While there is none, it stands still. A player of a dead process is away until the next connection.
    """
    for name, value in {"DATABASE_URL": database_url, "SECRET": SECRET, "TABLE_SECRET": TABLE_SECRET}.items():
        monkeypatch.setenv(f"LEAGUE_{name}", value)
    players, port = [Player("ana"), Player("bea")], free_port()
    with league_with_tables(database_url, RULES) as league, league_command("worker") as worker:
        league.project()
        with serving(port) as api:
            sit_down(players, port)
            with playing(players, port, moves=4):
                kill(api)
        # The worker meets the deadline of the turn, and finds out that the players are gone.
        wait_until(lambda: now(league, "t1").phase == "paused")
        heard = max(player.heard[-1] for player in players)
        assert any(one.by == "clock" for one in moves(league, heard))
        with serving(port) as api, playing(players, port, moves=4):
            kill(api, worker)
        stand_still(league)
        with league_command("worker"), serving(port), playing(players, port, moves=4):
            pass
        check(league, players)


def sit_down(players: list[Player], port: int) -> None:
    """The players sit down at a table, and are ready."""
    players[0].do(port, "openTable", tableId="t1", ruleset="cuban-150", mode="ONE_ON_ONE", competition="CASUAL")
    for seat, player in enumerate(players):
        player.do(port, "takeSeat", table="t1", seat=seat)
    for player in players:
        player.do(port, "sayReady", table="t1")


def stand_still(league: League) -> None:
    """Wait until no process has been alive for so long that the clocks stood still."""
    query = "SELECT clock_timestamp() - beat_at > %s * interval '1 second' FROM live_heartbeat"
    with database.connect(league.database.url, autocommit=True) as conn:
        wait_until(lambda: conn.execute(query, [STANDSTILL + 0.5]).fetchone() == (True,))


def moves(league: League, after: int) -> list[table_events.TilePlayed]:
    """The tiles that were played after a position."""
    played = events(league, "t1", table_events.TilePlayed)
    return [one.event for one in played if one.position > after]  # type: ignore[misc]


def check(league: League, players: list[Player]) -> None:
    """Each answered move is stored once, and each event was heard once, up to where each player stopped listening."""
    stored = events(league, "t1")
    played = [one for one in stored if isinstance(one.event, table_events.TilePlayed)]
    at = {(one.actor, one.event.hand, one.event.turn): one.position for one in played}  # type: ignore[union-attr]
    assert len(at) == len(played) == len({(hand, turn) for _, hand, turn in at}), "each turn is taken once"
    for player in players:
        # An answer names the last event of its save, perhaps one of the match.
        assert all(at[player.name, *turn] <= position for turn, position in player.answered.items())
        positions = [one.position for one in stored if player.heard[0] < one.position <= player.heard[-1]]
        assert player.heard[1:] == positions
    assert len(events(league, "t1", table_events.ClockStood)) == 1
    assert len(events(league, "t1", table_events.SeatBack)) >= 2
