"""How a rebuild comes to the matches of a log: by windows, in a thread or in processes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from leagues import (
    PLAYERS,
    announced,
    at,
    caught_up_digest,
    digest,
    domino,
    everything,
    played,
    rebuild,
    send,
    shared_rows,
)

from league.application.bootstrap import League
from league.domain.league import CloseMonth
from league.domain.match import CorrectHand, OpenMatch, RecordHand, VoidMatch
from league.domain.player import MergePlayers
from league.projections.writers import scored_matches


def interleaved(league: League) -> int:
    """Matches whose events alternate. Returns a position between them: all go on after it, and one begins."""
    for match in ("m1", "m2"):
        send(league, OpenMatch(match, "cuban-150", "1v1", "competitive", PLAYERS[:2], None, at(1)))
    for match in ("m1", "m2", "m1"):
        send(league, RecordHand(match, domino(0, 0, 90), None, at(2)))
    between = league.store.head()
    send(league, CloseMonth("2026-03"), MergePlayers(PLAYERS[2], PLAYERS[3]))
    send(league, *played("m3", (PLAYERS[2], PLAYERS[4]), 3, domino(0, 0, 100), domino(0, 0, 90)))
    send(league, CorrectHand("m1", 1, domino(1, 90, 0), "the other one"), VoidMatch("m2", "not played"))
    return between


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_each_changed_match_is_in_one_window_and_whole(league: League, size: int) -> None:
    """Matches that were there before come with their first events; those that do not change do not come."""
    send(league, *announced("m0", PLAYERS[:2], 0))
    between, head = interleaved(league), league.store.head()
    for after, until, matches in ((0, between, {"m0", "m1", "m2"}), (between, head, {"m1", "m2", "m3"})):
        found: list[str] = []
        for start in range(after, until, size):
            events = league.store.changed_streams("match:", start, min(start + size, until), after, until)
            streams = list(dict.fromkeys(one.stream for one in events))
            found += streams
            whole = [one for stream in streams for one in league.store.load(stream) if one.position <= until]
            assert events == whole
        assert sorted(found) == sorted(f"match:{match}" for match in matches)


def test_other_events_come_in_the_order_of_the_log(league: League) -> None:
    """The events outside matches come in the order of the log, up to a position, for any size of page."""
    interleaved(league)
    until = league.store.head() - 1
    wanted = [one for one in league.store.read_after(0, 1000) if one.position <= until]
    wanted = [one for one in wanted if not one.stream.startswith("match:")]
    for page in (1, 3, 1000):
        assert list(league.store.events_apart_from("match:", until, page=page)) == wanted


@pytest.mark.also_on_server
@pytest.mark.heavy
def test_processes_fold_a_log_as_one_does(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes fold a log to the digest, and to the shared rows, of a single process."""
    interleaved(league)
    url = league.database.url
    rows: list[object] = [caught_up_digest(league), everything(url), shared_rows(url)]
    monkeypatch.setattr(scored_matches, "WORTH_PROCESSES", 0)
    monkeypatch.setattr(scored_matches, "cores", lambda: 2)
    used = counted(monkeypatch)
    assert rebuild(league, page=2) == rows[0] == digest(url)
    assert [everything(url), shared_rows(url)] == rows[1:]
    assert used == [2]


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many processes each pool gets that is made from now on."""
    made: list[int] = []
    pool: Callable[[int], object] = scored_matches.process_pool
    monkeypatch.setattr(scored_matches, "process_pool", lambda number: made.append(number) or pool(number))
    return made
