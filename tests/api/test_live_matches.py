"""New and changed matches over a WebSocket: from now on, or from a position of the log on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, heard, served, subscribe, token
from leagues import announced, catch_up, found, league_at, own_database, send
from waiting import LIMIT

from league.projections.projector import Projector
from league.projections.queries import matches as match_reads

ADMIN = token("admin")
CHANGES = """subscription ($f: MatchFilterInput, $after: BigInt) { matchesChanged(filter: $f, after: $after) {
  position match { matchId status score hands { number } } } }"""


@pytest.fixture
def folded(embedded_server: str) -> Iterator[str]:
    """The database of a league of six players with three matches."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, *(one for number in range(3) for one in announced(f"old{number}", ("ana", "bea"), number)))
            catch_up(league)
        yield url


@pytest.fixture
def played(folded: str) -> Iterator[Served]:
    """The league of six players, served."""
    with served(folded) as server:
        yield server


def opened(served: Served, match: str, *seats: str) -> int:
    """A casual match that begins; the position of its opening."""
    asked = {
        "matchId": match,
        "ruleset": "cuban-150",
        "mode": "ONE_ON_ONE",
        "seats": list(seats),
        "competition": "CASUAL",
    }
    return int(served.do("openMatch", ADMIN, **asked)["position"])


def hand(served: Served, match: str, pips: int = 20) -> int:
    """A hand that seat 0 wins; the position of its event."""
    facts: Any = {"ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": pips}]}
    return int(served.do("recordHand", ADMIN, match=match, facts=facts)["position"])


def change(socket: Any) -> tuple[int, str | None]:
    """Position and match of the next message."""
    said = heard(socket)["matchesChanged"]
    return int(said["position"]), said["match"] and said["match"]["matchId"]


def resync(socket: Any) -> str:
    """The reason why the subscription has ended."""
    message = json.loads(socket.recv(LIMIT))
    errors = message["payload"] if message["type"] == "error" else message["payload"]["errors"]
    assert errors[0]["extensions"]["code"] == "RESYNC", message
    return str(errors[0]["extensions"]["reason"])


def test_changes_come_from_now_on_with_their_positions(played: Served) -> None:
    """First the position; then each new and each changed match as it is, with its hands."""
    with played.socket() as socket:
        subscribe(socket, CHANGES)
        assert change(socket) == (played.league.store.head(), None)
        first = opened(played, "m1", "ana", "bea")
        assert change(socket) == (first, "m1")
        position = hand(played, "m1")
        said = heard(socket)["matchesChanged"]
        assert (int(said["position"]), said["match"]["score"]) == (position, [20, 0])
        assert [hand["number"] for hand in said["match"]["hands"]] == [1]
        voided = int(played.do("voidMatch", ADMIN, match="m1", reason="a test")["position"])
        said = heard(socket)["matchesChanged"]
        assert (int(said["position"]), said["match"]["status"]) == (voided, "VOIDED")


def test_only_matches_of_the_filter_are_sent(played: Served) -> None:
    """Only the matches of a player, or of a region, are sent."""
    with played.socket() as socket, played.socket() as of_region:
        subscribe(socket, CHANGES, f={"competitor": "dora"})
        subscribe(of_region, CHANGES, f={"region": "Granma"})
        change(socket), change(of_region)
        opened(played, "m1", "ana", "bea")
        hers = opened(played, "m2", "ana", "dora")
        of_evas = opened(played, "m3", "ana", "eva")
        assert change(socket) == (hers, "m2")
        assert [change(of_region)[1] for _ in range(2)] == ["m2", "m3"]
        assert of_evas > hers


def test_nothing_is_missed_while_disconnected(played: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that end after each second message, and small pages of the log: each change comes, in order."""
    monkeypatch.setattr(match_reads, "EVENTS_AT_ONCE", 3)
    begin = played.league.store.head()
    latest: dict[str, int] = {}
    for number in range(9):
        match = f"m{number % 4}"
        latest[match] = hand(played, match, 5) if match in latest else opened(played, match, "cira", "dora")
    after, got = begin, list[tuple[int, str]]()
    while not got or got[-1][0] < max(latest.values()):
        with played.socket() as socket:
            subscribe(socket, CHANGES, after=str(after))
            for _ in range(2):
                position, match = change(socket)
                after = position
                if match is not None:
                    got.append((position, match))
                if position == max(latest.values()):
                    break
    positions = [position for position, _ in got]
    assert positions == sorted(set(positions))
    assert {match: position for position, match in got} == latest
    with played.socket() as socket:
        subscribe(socket, CHANGES, after=str(after))
        position = opened(played, "later", "eva", "flor")
        assert change(socket) == (position, "later")


def test_a_quiet_filter_still_moves_on(played: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a page without a match of the filter a message has only the position, so that it never is too old."""
    monkeypatch.setattr(match_reads, "EVENTS_AT_ONCE", 2)
    with played.socket() as socket:
        subscribe(socket, CHANGES, f={"competitor": "flor"})
        begin, _ = change(socket)
        opened(played, "m1", "ana", "bea")
        hand(played, "m1")
        position, match = change(socket)
        assert (position >= begin + 2, match) == (True, None)


def test_other_rules_end_it(played: Served) -> None:
    """Also those that were adopted while the client was away."""
    after = played.league.store.head()
    with played.socket() as socket:
        subscribe(socket, CHANGES)
        change(socket)
        wanted = "... on RulesSuccess { edition { number } }"
        said = played.do("publishEdition", ADMIN, wanted, document="[rating.k]\nprovisional = 32")
        played.do("adoptEdition", ADMIN, edition=said["edition"]["number"])
        assert resync(socket) == "RECOMPUTED"
    with played.socket() as socket:
        subscribe(socket, CHANGES, after=str(after))
        assert resync(socket) == "RECOMPUTED"


@pytest.mark.heavy
def test_another_run_ends_it(folded: str) -> None:
    """Also at the same position of the log, as after a rebuild of the read side."""
    with served(folded, projecting=False) as server, server.socket() as socket:
        subscribe(socket, CHANGES)
        change(socket)
        with Projector(folded, server.league.store) as projector:
            projector.rebuild()
        assert resync(socket) == "RECOMPUTED"


def test_a_filter_that_cannot_be_read_is_refused_at_once(played: Served) -> None:
    """Before the first message, although nothing has changed yet."""
    with played.socket() as socket:
        subscribe(socket, CHANGES, f={"region": "a\0"})
        message = json.loads(socket.recv(LIMIT))
        errors = message["payload"] if message["type"] == "error" else message["payload"]["errors"]
        assert errors[0]["extensions"]["code"] == "BAD_REQUEST", message


def test_a_position_that_cannot_be_followed_says_so(played: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the log, as after a restored backup, and too far back."""
    head = played.league.store.head()
    with played.socket() as socket:
        subscribe(socket, CHANGES, after=str(head + 1))
        assert resync(socket) == "BEYOND_HEAD"
    monkeypatch.setattr(match_reads, "MOST_BEHIND", 3)
    with played.socket() as socket:
        subscribe(socket, CHANGES, after=str(head - 4))
        assert resync(socket) == "TOO_FAR_BACK"
