"""No payload has a tile that its viewer may not know before the hand has ended, for any viewer and any question."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from api_server import Served, served, token
from chance import chance_of
from leagues import adopt, catch_up, found, league_at, own_database
from table_clients import TABLE, WHOLE_CHANGES, AtTable, deal
from waiting import LIMIT

from league.domain.tiles import Tile, ordered
from league.infra.database import connect
from league.tables.application import table_commands
from league.tables.application.live_rows import stored_table
from league.tables.application.table_commands import SECRET_BYTES
from league.tables.domain.commands_and_events import TileDrawn
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState
from league.transfer.backup import write_backup

pytestmark = pytest.mark.heavy

NO_TILES = {"score", "points", "ends", "counts", "reshuffleOffers"}
"""Lists of numbers that are no tiles."""
ENDED = {"finishedHands", "finished", "startingDraw", "startingDraws"}
"""What tells of hands that have ended, and of tiles that went back into the set."""
PAIR = re.compile(r"\[\s*(\d)\s*,\s*(\d)\s*\]")
GAMES = [
    ("cuban-150", "TWO_ON_TWO", ("ana", "bea", "cira", "dora")),
    ("doscientos-100", "ONE_ON_ONE", ("ana", "bea")),
    ("caribbean-500-bonus", "INDIVIDUALS", ("ana", "bea", "cira")),
]


class Payload(NamedTuple):
    """What a viewer got: their seat, the JSON, and up to which position of the log it tells."""

    seat: int | None
    said: Any
    position: int


@pytest.fixture(scope="module")
def offering(embedded_server: str) -> Iterator[Served]:
    """A served league in which almost every deal leads to the offer of a reshuffle; the seed of the run decides it."""
    with own_database(embedded_server) as url, pytest.MonkeyPatch.context() as patch:
        secrets = chance_of("offering")
        patch.setattr(table_commands, "new_secret", lambda: secrets.randbytes(SECRET_BYTES))
        with league_at(url) as league:
            found(league)
            changed = {ruleset for ruleset, *_ in GAMES}
            adopt(league, "\n".join(f"[rulesets.{name}.live]\nreshuffle_doubles = 1" for name in sorted(changed)))
            catch_up(league)
        with served(url) as server:
            yield server


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game[0]}-{game[1]}")
def test_no_payload_has_a_hidden_tile(offering: Served, game: tuple[str, str, tuple[str, ...]]) -> None:
    """Answers to queries and mutations, errors and subscriptions, of players, spectators and those in charge."""
    ruleset, mode, players = game
    table, choose = f"{ruleset}-{mode.lower()}", random.Random(repr(game))
    seated = [AtTable(offering, table, player) for player in players]
    others = [
        AtTable(offering, table, "eva"),
        AtTable(offering, table, players[0], "admin"),
        AtTable(offering, table, players[0], "auditor", "scorekeeper"),
    ]
    seated[0].open(ruleset, mode, competition="CASUAL", **({"seats": len(players)} if mode == "INDIVIDUALS" else {}))
    for seat, player in enumerate(seated):
        player.sit(seat)
    got: list[Payload] = []

    def note(seat: int | None, said: Any) -> None:
        got.append(Payload(seat, said, offering.league.store.newest_position(f"table:{table}")))

    with ExitStack() as stack:
        sockets = [stack.enter_context(viewer.following("1", WHOLE_CHANGES)) for viewer in (*seated, *others)]
        _play(seated, others, choose, note)
        # A hand in which nobody draws says nothing about draws.
        while ruleset != "cuban-150" and not _has_draw(offering, table):
            _play(seated, others, choose, note)
        head = offering.league.store.newest_position(f"table:{table}")
        for number, socket in enumerate(sockets):
            position = 0
            while position < head:
                message = json.loads(socket.recv(LIMIT))
                position = int(message["payload"]["data"]["tableChanged"]["position"])
                got.append(Payload(number if number < len(seated) else None, message, position))
    states = _states(offering, table)
    assert any(_is_drawn(payload) for payload in got) == (ruleset != "cuban-150")
    for payload in got:
        state = states[payload.position]
        text = json.dumps(_without_ended(payload.said))
        seen = {ordered((int(a), int(b))) for a, b in PAIR.findall(text)}
        assert not seen & _hidden(state, payload.seat), payload
        if state.play is not None:
            assert state.secret is not None
            assert state.secret not in json.dumps(payload.said), payload
            # The check itself is no use if tiles are not found.
            view = _view_in(payload.said)
            if view is not None and payload.seat is not None:
                assert {tuple(tile) for tile in view["hand"]["ownTiles"]} == _held(state, payload.seat)


def test_what_is_stored_and_exported_has_no_hidden_tile(offering: Served) -> None:
    """The trail, the log of the match, a backup and every row of the database, in the middle of a hand."""
    table = "stored"
    seated = [AtTable(offering, table, player) for player in ("eva", "flor")]
    seated[0].open("doscientos-100")
    for seat, player in enumerate(seated):
        player.sit(seat)
    deal(seated)
    for _ in range(4):
        view = seated[0].look()
        seated[view["hand"]["toMove"]].play()
    state = stored_table(offering.league.dispatcher.state_cache, table)
    assert state.play is not None, "the hand goes on"
    assert state.secret is not None
    hidden = _hidden(state, None)
    for role in ("admin", "auditor"):
        query = '{ trail(first: 100, filter: {stream: "table:stored"}) { nodes { text body kind } } }'
        said = offering.ask(query, token(role))["trail"]["nodes"]
        assert {"table-opened", "table-tile-played", "table-shuffle-committed"} <= {node["kind"] for node in said}
        text = json.dumps([node for node in said if node["kind"] != "table-starting-drawn"])
        assert not {ordered((int(a), int(b))) for a, b in PAIR.findall(text)} & hidden
        assert state.secret not in text
    backup = io.BytesIO()
    write_backup(offering.league.database.url, backup, datetime(2026, 6, 1, tzinfo=UTC))
    secret = bytes.fromhex(state.secret)
    for stored in (backup.getvalue(), *_rows(offering)):
        assert state.secret.encode() not in stored
        assert secret not in stored


def test_a_hand_is_open_to_everybody_once_it_has_ended(offering: Served) -> None:
    """Whole: the deal, each turn, and the secret, by which the deal can be checked."""
    table = "open"
    seated = [AtTable(offering, table, player) for player in ("cira", "dora")]
    seated[0].open("doscientos-100", competition="CASUAL")
    for seat, player in enumerate(seated):
        player.sit(seat)
    _play(seated, [], random.Random(3), lambda *_: None)
    [hand] = offering.ask(f"query ($id: ID!) {{ table(id: $id) {{ ...T }} }} {TABLE}", id=table)["table"][
        "finishedHands"
    ]
    dealt = [tuple(tile) for tiles in [*hand["dealt"], hand["boneyard"]] for tile in tiles]
    assert len(set(dealt)) == len(dealt) == 28
    assert json.loads(hand["proof"])["secret"] == hand["secret"]


def _play(seated: list[AtTable], others: list[AtTable], choose: random.Random, note: Any) -> None:
    """Play a hand, with a reshuffle if it is offered; in each turn some look, and somebody tries to play for others.

    What everybody could see after each event comes by the subscriptions.
    """
    for player in seated:
        player.contribute()
    view = seated[0].look()
    for seat in view["hand"]["reshuffleOffers"][:1]:
        note(seat, seated[seat].do("acceptReshuffle", hand=view["hand"]["number"]))
    number = view["hand"]["number"]
    while True:
        view = seated[0].look()
        note(0, view)
        looking = choose.randrange(len(seated) + len(others))
        note(looking if looking < len(seated) else None, [*seated, *others][looking].look())
        if view["phase"] != "PLAYING" or view["hand"]["number"] != number:
            return
        mover = view["hand"]["toMove"]
        move = {"hand": number, "turn": view["hand"]["turn"], "tile": [choose.randrange(7), choose.randrange(7)]}
        if looking != mover:
            tried = [*seated, *others][looking].do("playTile", **move, end="LEFT")
            note(looking if looking < len(seated) else None, tried)
        note(mover, seated[mover].play(choose))


def _has_draw(offering: Served, table: str) -> bool:
    return any(isinstance(stored.event, TileDrawn) for stored in offering.league.store.load(f"table:{table}"))


def _states(offering: Served, table: str) -> dict[int, TableState]:
    """The table after each of its events, by position."""
    state, found = TableState(table), {}
    for stored in offering.league.store.load(f"table:{table}"):
        state = evolve(state, stored.event, stored.recorded_at)  # type: ignore[arg-type]  # the stream has no others
        found[stored.position] = state
    return found


def _held(state: TableState, seat: int) -> set[Tile]:
    assert state.play is not None
    return set(state.play.tiles.of_mask(state.play.held[seat]))


def _hidden(state: TableState, seat: int | None) -> set[Tile]:
    """The tiles of the running hand that a seat, or a spectator, may not know."""
    if state.play is None or state.deal is None:
        return set()
    tiles = {tile for tiles in (*state.deal.dealt, state.deal.boneyard) for tile in tiles}
    played = {ordered(turn.tile) for turn in state.play.turns if turn.tile is not None and turn.where != "draw"}
    return tiles - played - (set() if seat is None else _held(state, seat))


def _without_ended(said: Any) -> Any:
    """A payload without what is no tile, and without hands that have ended."""
    if isinstance(said, list):
        return [_without_ended(one) for one in said]
    if not isinstance(said, dict):
        return said
    left_out = NO_TILES | ENDED | ({"tiles"} if said.get("__typename") == "StartingDrawn" else set())
    return {name: _without_ended(value) for name, value in said.items() if name not in left_out}


def _view_in(said: Any) -> Any:
    """The table in a payload whose hand is dealt."""
    view = said.get("table", said) or {}
    return view if (view.get("hand") or {}).get("counts") else None


def _is_drawn(payload: Payload) -> bool:
    return '"TileDrawn"' in json.dumps(payload.said)


def _rows(offering: Served) -> Iterator[bytes]:
    """All tables of the league, as PostgreSQL writes their rows."""
    with connect(offering.league.database.url) as conn:
        names = conn.execute("SELECT tablename FROM pg_tables WHERE schemaname IN ('league', 'runs')").fetchall()
        for (name,) in names:
            with conn.cursor().copy(f'COPY (SELECT * FROM "{name}") TO STDOUT (FORMAT binary)') as copy:  # noqa: S608  # names of tables
                yield b"".join(bytes(block) for block in copy)
