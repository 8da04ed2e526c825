"""Live tables over a WebSocket: each event once and in order, as the viewer may see it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import msgspec
import pytest
from api_server import Served
from table_clients import WHOLE_CHANGES, AtTable, begin, deal, moment, play_hand
from waiting import LIMIT
from websockets.sync.client import ClientConnection

from league.tables.api.live_tables import FinishedHandsCache


def until(socket: ClientConnection, kind: str) -> Iterator[Any]:
    """The messages up to the first one of a type."""
    while True:
        said = moment(socket)
        yield said
        if said["__typename"] == kind:
            return


@pytest.mark.heavy
def test_the_events_of_a_hand_come_in_order_to_players_and_spectators(small: Served) -> None:
    """After a snapshot all get the same events in order, and each player sees only their own tiles."""
    ana, bea = AtTable(small, "order", "ana"), AtTable(small, "order", "bea")
    ana.open()
    with ExitStack() as stack:
        viewers = [stack.enter_context(one.following()) for one in (ana, bea, AtTable(small, "order", "cira"))]
        assert [moment(socket)["__typename"] for socket in viewers] == ["TableSnapshot"] * 3
        ana.sit(0), bea.sit(1)
        deal([ana, bea])
        play_hand([ana, bea])
        heard = [list(until(socket, "HandEnded")) for socket in viewers]
    assert [said["position"] for said in heard[0]] == [said["position"] for said in heard[2]]
    positions = [int(said["position"]) for said in heard[0]]
    assert positions == sorted(set(positions))
    kinds = [said["__typename"] for said in heard[0]]
    assert kinds[:5] == ["SeatTaken", "SeatReady", "SeatTaken", "SeatReady", "PlayBegan"]
    dealt = [next(said for said in of if said["__typename"] == "HandDealt") for of in heard]
    ended = heard[2][-1]
    assert [one["ownTiles"] for one in dealt] == [*ended["finished"]["dealt"], None]


@pytest.mark.heavy
def test_a_reconnected_client_goes_on_where_it_was(small: Served) -> None:
    """A client whose sockets end after every third message gets each event once, with the table of that moment."""
    seated = begin(small, "again", "cira", "dora")
    with seated[0].following("1", WHOLE_CHANGES) as socket:
        whole = [said["__typename"] for said in until(socket, "HandDealt")]
    play_hand(seated)
    got, after = list[Any](), "1"
    while not got or got[-1]["__typename"] != "HandEnded":
        with seated[0].following(after, WHOLE_CHANGES) as socket:
            for _ in range(3):
                got.append(moment(socket))
                after = got[-1]["position"]
                assert got[-1]["table"]["position"] == after
                if got[-1]["__typename"] == "HandEnded":
                    break
    assert [said["__typename"] for said in got][: len(whole)] == whole
    assert whole[0] == "TableOpened"
    positions = [int(said["position"]) for said in got]
    assert positions == sorted(set(positions))
    played = [said for said in got if said["__typename"] in ("TilePlayed", "TurnPassed")]
    assert [said["turn"] for said in played] == list(range(1, len(played) + 1))


@pytest.mark.heavy
def test_finished_hands_are_remembered(small: Served) -> None:
    """Cached hands grow by hands that end later, and equal what another process reads."""
    seated = begin(small, "review", "eva", "flor", competition="CASUAL")
    with seated[0].following() as socket:
        for number in (1, 2):
            if number > 1:
                deal(seated)
            play_hand(seated)
            finished = list(until(socket, "HandEnded"))[-1]["finished"]
            assert finished["number"] == number
            known = asyncio.run(FinishedHandsCache(small.league.store).hands("review", number))
            assert [hand.proof.hand for hand in known] == list(range(1, number + 1))
            shown = [json.loads(hand["proof"]) for hand in seated[1].look()["finishedHands"]]
            assert shown == [json.loads(msgspec.json.encode(hand.proof)) for hand in known]
            assert finished["dealt"] == [sorted(map(list, held)) for held in known[-1].proof.deals[-1].dealt]


def test_a_subscription_completes_when_its_table_is_closed(small: Served) -> None:
    """It completes right after the closing event; for a table that is already closed, after the snapshot."""
    ana = AtTable(small, "completes", "ana")
    ana.open()
    with ana.following() as socket:
        assert moment(socket)["__typename"] == "TableSnapshot"
        ana.do("closeTable")
        closed = moment(socket)
        assert closed["__typename"] == "TableClosed"
        assert json.loads(socket.recv(timeout=LIMIT))["type"] == "complete"
    with ana.following() as socket:
        assert moment(socket)["__typename"] == "TableSnapshot"
        assert json.loads(socket.recv(timeout=LIMIT))["type"] == "complete"
    with ana.following(closed["position"]) as socket:
        assert json.loads(socket.recv(timeout=LIMIT))["type"] == "complete"


def test_a_client_goes_on_from_the_end_of_the_log(small: Served) -> None:
    """A client may continue from the end of the log, even if the last event is not of its table."""
    table = AtTable(small, "end", "eva")
    table.open()
    head = small.league.store.head()
    AtTable(small, "other", "flor").open()
    for after in (head, small.league.store.head()):
        with table.following(str(after), WHOLE_CHANGES) as socket:
            table.do("takeSeat", seat=0)
            said = moment(socket)
            assert (said["__typename"], said["table"]["seats"][0]["playerId"]) == ("SeatTaken", "eva")
            table.do("leaveSeat")
            assert (said := moment(socket))["__typename"] == "SeatLeft"
            assert said["table"]["seats"][0]["playerId"] is None
        with table.following(str(after), WHOLE_CHANGES) as socket:
            assert moment(socket)["table"]["seats"][0]["playerId"] == "eva"


def test_a_table_that_cannot_be_followed_says_so(small: Served) -> None:
    """A missing table, a table by invitation and a position beyond the log are refused."""
    flor = AtTable(small, "secret", "flor")
    flor.open(listed=False, invited=["eva"])
    assert error(AtTable(small, "none", "flor")) == "UNKNOWN_ID"
    assert error(AtTable(small, "secret", "ana")) == "UNKNOWN_ID"
    assert error(AtTable(small, "secret", "flor"), str(small.league.store.head() + 1_000)) == "RESYNC"
    for sub, role in (("eva", "player"), ("kim", "admin"), ("kim", "auditor")):
        with AtTable(small, "secret", sub, role).following() as socket:
            assert moment(socket)["__typename"] == "TableSnapshot"


def error(viewer: AtTable, after: str | None = None) -> str:
    """The code of the error with which a subscription ends at once."""
    with viewer.following(after) as socket:
        message = json.loads(socket.recv(LIMIT))
        errors = message["payload"] if message["type"] == "error" else message["payload"]["errors"]
        return str(errors[0]["extensions"]["code"])


@pytest.mark.parametrize("roles", [("admin",), ("scorekeeper",), ("auditor",), ("admin", "auditor")])
def test_a_token_without_the_role_of_a_player_sees_no_tiles(small: Served, roles: tuple[str, ...]) -> None:
    """A token without the role of a player sees no tiles, even with the id of a seated player."""
    table = "-".join(("roles", *roles))
    begin(small, table, "eva", "flor", competition="CASUAL")
    view = AtTable(small, table, "eva", *roles).look()
    assert (view["viewerSeat"], view["hand"]["ownTiles"], view["hand"]["legalPlays"]) == (None, None, None)
    assert AtTable(small, table, "eva", *roles, "player").look()["hand"]["ownTiles"] is not None
