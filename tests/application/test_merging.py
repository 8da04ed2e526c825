"""Merging players on a real log: who sat together, what comes meanwhile, and the matches that are opened afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from leagues import announced, catch_up, opened, send

from league.application.bootstrap import League
from league.application.merged_players import SeatedTogether
from league.domain.match import VoidMatch
from league.domain.merge_refusals import NotMerged, PlayedTogether
from league.domain.merges import MergePlayers, UndoMerge
from league.domain.player import ErasePlayer
from league.domain.refusals import NotFound, WrongState
from league.eventlog.store import Append, Request, VersionConflict
from league.infra.database import connect

BY_TEST = Request("test", "manual")


def aliases(league: League) -> list[Any]:
    with connect(league.database.url) as conn:
        return conn.execute("SELECT * FROM player_aliases ORDER BY player_id").fetchall()


# ---------------------------------------------------------------- what is refused


def test_two_who_sat_together_are_two(league: League) -> None:
    """Also under ids that were merged before; not in a voided match, and a merge that was undone is forgotten."""
    send(league, announced("m1", ("ana", "cira"), 1), announced("m2", ("bea", "cira"), 2))
    send(league, MergePlayers("bea", "ana"))
    with pytest.raises(PlayedTogether) as refused:
        send(league, MergePlayers("cira", "bea"))
    assert refused.value == PlayedTogether("m1", ("cira", "ana"))
    send(league, VoidMatch("m1", "never played"))
    with pytest.raises(PlayedTogether) as refused:
        send(league, MergePlayers("bea", "cira"))
    assert refused.value == PlayedTogether("m2", ("bea", "cira"))
    send(league, UndoMerge("bea", "ana"), MergePlayers("ana", "cira"))


def test_a_request_is_decided_on_its_own_matches(league: League) -> None:
    """A match that the same request opens seats the two as well."""
    with pytest.raises(PlayedTogether):
        send(league, opened("m1", ("ana", "bea"), 1), MergePlayers("ana", "bea"))
    assert league.store.load("merges") == []


def test_unknown_and_erased_players_are_not_merged(league: League) -> None:
    """But a merge of two who were erased since can be undone."""
    send(league, MergePlayers("ana", "bea"), ErasePlayer("ana"), ErasePlayer("bea"))
    for keep, drop, kind in (("ana", "cira", WrongState), ("cira", "x y", NotFound)):
        with pytest.raises(kind):
            send(league, MergePlayers(keep, drop))
    send(league, UndoMerge("ana", "bea"))
    with pytest.raises(NotMerged):
        send(league, UndoMerge("ana", "bea"))


# ---------------------------------------------------------------- what comes meanwhile


def meanwhile(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """Let something happen once after a merge has looked for matches, and before it is stored."""
    find = SeatedTogether.find

    def and_do(search: SeatedTogether, states: Any) -> Any:
        found = find(search, states)
        monkeypatch.setattr(SeatedTogether, "find", find)
        do()
        return found

    monkeypatch.setattr(SeatedTogether, "find", and_do)


def test_a_merge_sees_the_match_that_is_opened_meanwhile(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is decided again; other matches do not hold it up."""
    meanwhile(monkeypatch, lambda: send(league, opened("m1", ("ana", "bea"), 1)))
    with pytest.raises(PlayedTogether):
        send(league, MergePlayers("ana", "bea"))
    meanwhile(monkeypatch, lambda: send(league, opened("m2", ("cira", "dora"), 2)))
    league.dispatcher.send(MergePlayers("cira", "eva"), "test", once=True)


def test_a_merge_sees_the_erasure_that_comes_meanwhile(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """An erased player is not merged."""
    meanwhile(monkeypatch, lambda: send(league, ErasePlayer("bea")))
    with pytest.raises(WrongState):
        send(league, MergePlayers("ana", "bea"))


def test_an_append_demands_that_a_stream_stays(league: League) -> None:
    """Without events of its own; events of the same request may follow or come before."""
    store, (moved,) = league.store, [stored.event for stored in league.store.load("player:ana")]
    with pytest.raises(VersionConflict) as conflict:
        store.append([Append("merges", 1, ()), Append("player:new", 0, (moved,))], BY_TEST)
    assert (conflict.value.stream, store.version("player:new")) == ("merges", 0)
    store.append([Append("merges", 0, ()), Append("player:new", 0, (moved,)), Append("player:new", 1, ())], BY_TEST)
    with pytest.raises(ValueError, match="at least one event"):
        store.append([Append("merges", 0, ())], BY_TEST)


# ---------------------------------------------------------------- what is folded


def test_the_aliases_are_folded(league: League) -> None:
    """Chains end at one id, and a merge that is undone leaves the others."""
    send(league, MergePlayers("bea", "ana"), MergePlayers("cira", "bea"), MergePlayers("cira", "dora"))
    catch_up(league)
    assert aliases(league) == [("ana", "bea", "cira"), ("bea", "cira", "cira"), ("dora", "cira", "cira")]
    send(league, UndoMerge("cira", "bea"))
    catch_up(league)
    assert aliases(league) == [("ana", "bea", "bea"), ("dora", "cira", "cira")]
