"""Merging players on a real log: who sat together, what comes meanwhile, and the matches that are opened afterwards."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import adopt, announced, catch_up, found, league_at, opened, send, start_anew
from processes import context, started
from waiting import LIMIT

from league.application.bootstrap import League, clock
from league.application.decisions import SharedMatchSearch
from league.domain.collected_refusals import SheetRefused
from league.domain.match import VoidMatch
from league.domain.match_refusals import NotMerged, PlayedTogether, SeriesLocked
from league.domain.player import (
    ErasePlayer,
    MergePlayers,
    Merges,
    MergeUndone,
    PlayersMerged,
    RegisterPlayer,
    UndoMerge,
    canonical,
    evolve_merges,
)
from league.domain.refusals import InvalidInput, NotFound, Refusal, WrongState
from league.eventlog.records import Append, AppendRequest, VersionConflict
from league.eventlog.store import EventStore
from league.infra.database import connect
from league.transfer.sheets.sheet_import import SheetFile, SheetOptions, import_sheet

BY_TEST = AppendRequest("test", "manual")
COUPLES = 25
tried = settings(
    max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)


def aliases(league: League) -> list[Any]:
    with connect(league.database.url) as conn:
        return conn.execute("SELECT * FROM player_aliases ORDER BY player_id").fetchall()


# ---------------------------------------------------------------- what is refused


def test_two_who_sat_together_are_two(league: League) -> None:
    """Ids that were merged before count too; voided matches and undone merges do not."""
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
    send(league, MergePlayers("ana", "bea"), ErasePlayer("bea"))
    for keep, drop, kind in (("ana", "cira", WrongState), ("cira", "x y", NotFound)):
        with pytest.raises(kind):
            send(league, MergePlayers(keep, drop))
    send(league, UndoMerge("ana", "bea"))
    with pytest.raises(NotMerged):
        send(league, UndoMerge("ana", "bea"))


# ---------------------------------------------------------------- what comes meanwhile


def meanwhile(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """Let something happen once after a merge has looked for matches, and before it is stored."""
    find = SharedMatchSearch.find

    def and_do(search: SharedMatchSearch, states: Any) -> Any:
        found = find(search, states)
        monkeypatch.setattr(SharedMatchSearch, "find", find)
        do()
        return found

    monkeypatch.setattr(SharedMatchSearch, "find", and_do)


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
    """One that the decision rests on. Streams that the request itself continues may be among them."""
    store, (moved,) = league.store, [stored.event for stored in league.store.load("player:ana")]
    appends = [Append("player:new", 0, (moved,))]
    with pytest.raises(VersionConflict) as conflict:
        store.append(appends, BY_TEST, unchanged={"merges": 1})
    assert (conflict.value.stream, store.version("player:new")) == ("merges", 0)
    store.append(appends, BY_TEST, unchanged={"merges": 0, "player:new": 0})
    assert store.version("player:new") == 1


# ---------------------------------------------------------------- at the same moment


def merge_each(url: str, together: Any) -> None:
    """In a process of its own: merge the two of every number when the other process opens their match."""
    each_with_the_other(url, together, lambda number: MergePlayers(f"x{number}", f"y{number}"))


def open_each(url: str, together: Any) -> None:
    """In a process of its own: open a match of the two of every number."""
    each_with_the_other(url, together, lambda number: opened(f"m{number}", (f"x{number}", f"y{number}"), 1))


def each_with_the_other(url: str, together: Any, command: Callable[[int], Any]) -> None:
    with league_at(url) as league:
        for number in range(COUPLES):
            together.wait(LIMIT)
            with suppress(PlayedTogether, InvalidInput):
                send(league, command(number))


@pytest.mark.heavy
def test_a_merge_and_a_match_of_both_never_both_pass(league: League) -> None:
    """Two processes try at the same moment, again and again: of each two exactly one is stored."""
    send(league, [RegisterPlayer(f"{kind}{number}", "Max") for kind in "xy" for number in range(COUPLES)])
    together = context.Barrier(2)
    processes = [started(work, league.database.url, together) for work in (merge_each, open_each)]
    for process in processes:
        process.join(LIMIT)
        assert process.exitcode == 0
    merged = {stored.event.drop for stored in league.store.load("merges")}
    played = {number for number in range(COUPLES) if league.store.version(f"match:m{number}")}
    assert merged == {f"y{number}" for number in range(COUPLES) if number not in played}


def test_an_opening_sees_the_merge_that_comes_meanwhile(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by hand and one of an import are decided again: the two cannot sit in one match any more."""
    append = EventStore.append

    def after_merge(store: EventStore, appends: Any, *rest: Any, **more: Any) -> int:
        monkeypatch.setattr(EventStore, "append", append)
        send(league, MergePlayers("ana", "bea"))
        return append(store, appends, *rest, **more)

    monkeypatch.setattr(EventStore, "append", after_merge)
    with pytest.raises(InvalidInput, match="one player") as refused:
        send(league, opened("m1", ("cira", "ana", "dora", "bea"), 1))
    assert refused.value.at == "seats.3"
    send(league, UndoMerge("ana", "bea"))
    monkeypatch.setattr(EventStore, "append", after_merge)
    sheet = SheetFile("s.csv", b"date,rules,side 1,side 2,score 1,score 2\n2026-03-01,cuban-150,Ana,Bea,150,90\n")
    with pytest.raises(SheetRefused, match="one player"):
        import_sheet(sheet, SheetOptions(), league.store, clock, BY_TEST)
    catch_up(league)


# ---------------------------------------------------------------- the lock of the series

IDS = ("ana", "bea", "cira", "dora")


@pytest.mark.heavy
@tried
@given(
    st.lists(
        st.one_of(
            *[st.tuples(st.sampled_from(["won", "lost", "open", "void"]), st.permutations(IDS))] * 3,
            st.tuples(st.sampled_from(["merge", "merge", "undo"]), st.permutations(IDS)),
        ),
        min_size=8,
        max_size=25,
    )
)
def test_the_lock_counts_what_is_played_under_all_ids(league: League, happened: list[tuple[str, list[str]]]) -> None:
    """It counts nothing else: when a merge is undone, each of the two has their own games again."""
    start_anew(league.database.url)
    found(league)
    adopt(league, "series.limit = 1")
    merges, matches = Merges(), dict[str, tuple[tuple[str, str], str]]()
    for number, (what, order) in enumerate(happened):
        (one, other, *_), aliases = order, merges.aliases()
        read = canonical((one, other), aliases)
        of_both = {m: it for m, it in matches.items() if {*canonical(it[0], aliases)} == {*read}}
        if what in ("merge", "undo"):
            dropped = next((player for player in order if player in merges.into), other)
            two = (one, other) if what == "merge" else (merges.into.get(dropped, one), dropped)
            with suppress(Refusal):
                send(league, MergePlayers(*two) if what == "merge" else UndoMerge(*two))
                merges = evolve_merges(merges, PlayersMerged(*two) if what == "merge" else MergeUndone(*two))
        elif what == "void":
            for match in of_both:
                send(league, VoidMatch(match, "a test"))
                del matches[match]
        elif read[0] != read[1]:
            wins = [0, 0]
            for seats, result in of_both.values():
                if result != "open":
                    wins[canonical(seats, aliases).index(read[0]) ^ (result == "lost")] += 1
            is_locked = max(wins) + sum(result == "open" for _, result in of_both.values()) >= 1
            match, score = f"m{number}", (150, 90) if what == "won" else (90, 150)
            whole = announced(match, (one, other), number, score)
            with suppress(SeriesLocked):
                send(league, whole[:1] if what == "open" else whole)
                matches[match] = ((one, other), what)
            assert (match in matches) is not is_locked


def test_an_undone_merge_leaves_each_their_own_games(league: League) -> None:
    """This includes games that were entered while the two were one."""
    adopt(league, "series.limit = 2")
    send(league, MergePlayers("ana", "bea"))
    send(league, announced("m1", ("bea", "cira"), 1), announced("m2", ("bea", "cira"), 2), UndoMerge("ana", "bea"))
    with pytest.raises(SeriesLocked) as refused:
        send(league, opened("m3", ("cira", "bea"), 3))
    assert (refused.value.a, refused.value.a_wins) == ("bea", 2)
    send(league, opened("m4", ("cira", "ana"), 4))


def test_a_pair_is_locked_under_all_ids_of_its_players(league: League) -> None:
    """Each partner may have sat under any of them."""
    adopt(league, "series.limit = 2")
    send(league, announced("m1", ("ana", "cira", "bea", "dora"), 1), announced("m2", ("eva", "flor", "bea", "dora"), 2))
    send(league, MergePlayers("ana", "eva"), MergePlayers("cira", "flor"))
    with pytest.raises(SeriesLocked) as refused:
        send(league, opened("m3", ("bea", "flor", "ana", "dora"), 3))
    assert (refused.value.a, refused.value.b, refused.value.a_wins) == ("ana+bea", "cira+dora", 2)
    send(league, UndoMerge("ana", "eva"), opened("m4", ("bea", "flor", "ana", "dora"), 3))
    assert len(league.store.load("series:2v2:2026-03:ana+bea:cira+dora")) == 2


# ---------------------------------------------------------------- what is folded


def test_the_aliases_are_folded(league: League) -> None:
    """Chains end at one id, and a merge that is undone leaves the others."""
    send(league, MergePlayers("bea", "ana"), MergePlayers("cira", "bea"), MergePlayers("cira", "dora"))
    catch_up(league)
    assert aliases(league) == [("ana", "bea", "cira"), ("bea", "cira", "cira"), ("dora", "cira", "cira")]
    send(league, UndoMerge("cira", "bea"))
    catch_up(league)
    assert aliases(league) == [("ana", "bea", "bea"), ("dora", "cira", "cira")]
