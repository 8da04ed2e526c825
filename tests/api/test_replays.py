"""Replays asked for over the API and folded by a worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, token

from league.jobs import Jobs, broker_for

ADMIN = token("admin")
START = """mutation ($input: StartReplayInput!) { startReplay(input: $input) {
  ... on StartReplaySuccess { replay { number state } } ... on UserError { code message field } } }"""
REPLAY = """query ($number: Int!) { replay(number: $number) { state done total failure
  difference { totals { largestMove matchesChanged } moves { totalCount nodes { change } } } } }"""


@pytest.fixture
def worker(season: Served) -> Iterator[None]:
    """A worker of the served league."""
    ended = threading.Event()
    jobs = Jobs(season.league.database.url, broker_for(None))
    thread = threading.Thread(target=jobs.work, args=(ended.is_set,))
    thread.start()
    yield
    ended.set()
    thread.join()


def start(season: Served, document: str, **given: Any) -> Any:
    return season.ask(START, ADMIN, input={"document": document, **given})["startReplay"]


@pytest.mark.usefixtures("worker")
def test_a_replay_is_folded_by_a_worker_and_says_who_moves(season: Served) -> None:
    """It waits, is done, and tells the difference; the official league stays as it is."""
    board = "{ board { places(first: 5) { nodes { competitorId value } } } }"
    before = season.ask(board)
    number = start(season, "[rating.k]\nprovisional = 32")["replay"]["number"]
    deadline = time.monotonic() + 30
    while (replay := season.ask(REPLAY, number=number)["replay"])["state"] == "WAITING":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert (replay["state"], replay["failure"]) == ("DONE", None)
    assert replay["done"] == replay["total"] == 60
    found = replay["difference"]
    assert found["moves"]["totalCount"] > 0 == found["totals"]["matchesChanged"]
    assert abs(found["moves"]["nodes"][0]["change"]) >= found["totals"]["largestMove"] > 0
    assert season.ask(board) == before


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"document": "[rating]\ncapp = 1"}, "INVALID_RULEBOOK", ["document"]),
        ({"document": "", "season": "none"}, "NOT_FOUND", ["season"]),
        ({"document": "", "from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}, "INVALID", ["to"]),
    ],
)
def test_a_replay_that_cannot_be_is_refused(season: Served, given: Any, code: str, field: list[str]) -> None:
    """A bad document, an unknown season, a span that ends before it starts."""
    said = season.ask(START, ADMIN, input=given)["startReplay"]
    assert (said["code"], said["field"]) == (code, field)


def test_only_an_admin_asks_for_replays(season: Served) -> None:
    """Anybody may read what came of one; there is none of this number."""
    assert season.ask(START, token("scorekeeper"), input={"document": ""})["startReplay"]["code"] == "FORBIDDEN"
    assert season.ask(REPLAY, number=999) == {"replay": None}
