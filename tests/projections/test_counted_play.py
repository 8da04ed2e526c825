"""How hands were played: what is counted of transcripts and of live tables, and which hands count."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from databases import copy_of, lent
from leagues import SIXTY_MATCHES, catch_up, found, league_at, opened, reading, rebuild, send
from live_tables import alive

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.domain.hand import HandFacts
from league.domain.match import CorrectHand, EndMatch, ForfeitMatch, RecordHand, VoidMatch
from league.domain.play import Turn
from league.domain.player import MergePlayers, UndoMerge
from league.domain.result import AnnouncedResult
from league.domain.transcript import Transcript
from league.projections.projector import Projector
from league.projections.queries.statistics import MatchOwner, PlayTotals, StatisticsFilter, counted, play_of
from league.projections.writers import play_metrics
from league.projections.writers.play_metrics import count_play
from league.tables.application.live_rows import table_state
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    ContributeSeed,
    HandDealt,
    LeaveSeat,
    OpenTable,
    PlayAsAI,
    PlayTile,
    SayReady,
    SeatAI,
    TableEvent,
    TakeSeat,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.state import TableState, ai_to_act

sys.path.append(str(Path(__file__).parents[1] / "domain"))
from play import random_hand  # the tests of the domain play hands

from league.rulebook import shipped_edition

CUBAN = shipped_edition(1).rulesets["cuban-150"]
ANA_CIRA = ("ana", "bea", "cira", "dora")
"""ana and cira are a pair, bea and dora the other one."""


def rows_of(league: League) -> list[Any]:
    """Everything that is counted."""
    with lent(league.database.url) as conn:
        return conn.execute("SELECT * FROM play_metrics ORDER BY match_id, hand, player_id").fetchall()


def play(league: League, of: str, against: str | None = None, **wanted: Any) -> PlayTotals:
    """How a competitor played."""
    catch_up(league)
    whose = MatchOwner(of, against)
    with reading(league.database.url) as snapshot:
        return play_of(snapshot, counted(snapshot, StatisticsFilter(**wanted)), [whose])[whose]


def hand(seed: int, seats: int = 2) -> Transcript:
    return random_hand(seed, CUBAN, seats).transcript


def recorded(match: str, hours: float, *hands: Transcript, seats: tuple[str, ...] = ("ana", "bea")) -> list[Any]:
    """A match of these hands, which then is stopped."""
    return [
        opened(match, seats, hours, "casual"),
        *(RecordHand(match, transcript=each) for each in hands),
        EndMatch(match, AnnouncedResult(0, None)),
    ]


def plays(transcript: Transcript, seat: int) -> list[Turn]:
    return [turn for turn in transcript.plays if turn.seat == seat and turn.where != "draw"]


# ---------------------------------------------------------------- recorded hands


@pytest.mark.also_on_server
def test_the_play_of_two_hands_is_added(league: League) -> None:
    """Turns, passes and the numbers that were led with; times are not known."""
    first, second = hand(1), hand(2)
    send(league, recorded("m1", 0, first, second))
    found_ = play(league, "ana")
    own = [*plays(first, 0), *plays(second, 0)]
    led = [each.plays[0].tile for each in (first, second) if each.plays[0].seat == 0]
    assert (found_.hands, found_.turns) == (2, len(own))
    assert found_.passes == sum(turn.tile is None for turn in own)
    assert dict(found_.led) == {
        half: sum(half in tile for tile in led if tile) for tile in led if tile for half in tile
    }
    assert found_.average_milliseconds is None
    both = (found_, play(league, "bea"))
    assert sum(one.closed_by_domino + one.closed_by_block for one in both) == 2
    assert sum(count for one in both for _, count in one.led) == sum(
        len({*(each.plays[0].tile or ())}) for each in (first, second)
    )


def test_a_pair_adds_both_players_and_filters_count(league: League) -> None:
    """Against whom, in which mode; a hand of a pair counts once."""
    send(league, recorded("m1", 0, hand(3, 4), seats=ANA_CIRA), recorded("m2", 2, hand(4)))
    pair, ana, cira = (play(league, who, mode="2v2") for who in ("ana+cira", "ana", "cira"))
    assert (pair.hands, pair.turns, pair.passes) == (1, ana.turns + cira.turns, ana.passes + cira.passes)
    assert pair.passes_caused == ana.passes_caused + cira.passes_caused
    assert play(league, "ana").hands == 2
    assert play(league, "ana", "bea", mode="1v1").hands == 1
    assert play(league, "ana", "dora") == ana
    assert play(league, "ana", "flor") == PlayTotals()


def test_a_corrected_hand_has_no_turns_any_more(league: League) -> None:
    """A corrected hand has no turns, whether it is corrected before or after it is counted."""
    facts = HandFacts(0, "domino", 0, ((), 12))
    send(league, recorded("m1", 0, hand(1), hand(2)))
    assert play(league, "ana").hands == 2
    send(league, CorrectHand("m1", 2, facts, "a test"))
    assert play(league, "ana").hands == 1
    send(league, recorded("m2", 2, hand(1)), CorrectHand("m2", 1, facts, "a test"))
    assert play(league, "ana").hands == 1
    assert {match for match, *_ in rows_of(league)} == {"m1"}


def test_only_hands_that_count_are_counted(league: League) -> None:
    """Hands of open, voided and forfeited matches are not counted."""
    send(league, recorded("void", 0, hand(1)), VoidMatch("void", "a test"))
    send(league, opened("open", ("ana", "bea"), 2), RecordHand("open", transcript=hand(2)))
    send(league, opened("given-up", ("ana", "bea"), 4), RecordHand("given-up", transcript=hand(3)))
    send(league, ForfeitMatch("given-up", 0))
    assert play(league, "ana") == PlayTotals()


@pytest.mark.heavy
@pytest.mark.parametrize("page", [1, 2, 2_000])
def test_the_hands_of_merged_players_are_counted_together(league: League, page: int) -> None:
    """Hands of merged players are added up, and separated after the undoing, for any size of page."""
    send(league, recorded("m1", 0, hand(1), hand(2)), recorded("m2", 1, hand(3), seats=("flor", "cira")))
    send(league, recorded("m3", 2, hand(4), seats=("eva", "bea")))
    catch_up(league)
    apart = rows_of(league)
    send(
        league,
        MergePlayers("eva", "flor"),
        MergePlayers("ana", "eva"),
        recorded("m4", 3, hand(5), seats=("flor", "bea")),
    )
    steps = [[], [UndoMerge("eva", "flor")], [UndoMerge("ana", "eva"), MergePlayers("eva", "flor")]]
    for step, hands in zip(steps, ({"ana": 5}, {"ana": 3, "flor": 2}, {"ana": 2, "eva": 3}), strict=True):
        if step:
            send(league, step)
        with Projector(league.database.url, league.store) as projector, lent(league.database.url) as conn:
            projector.rebuild()
            conn.autocommit = True
            count_play(conn, league.store, league.store.head(), page)
        assert {player: play(league, player).hands for player in hands} == hands
        in_steps = rows_of(league)
        with lent(league.database.url) as conn:
            conn.execute("DELETE FROM play_progress")
        catch_up(league)
        assert rows_of(league) == in_steps
    send(league, UndoMerge("eva", "flor"))
    catch_up(league)
    assert [row for row in rows_of(league) if row[0] != "m4"] == apart


@pytest.mark.heavy
def test_counting_in_steps_equals_counting_at_once(embedded_server: str) -> None:
    """Counting in steps of any size, or after a rebuild of the folds, gives the same rows as counting at once."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, league_at(url) as league:
        rows = rows_of(league)
        assert len({row[:3] for row in rows}) == len(rows) > 500
        rebuild(league)
        assert rows_of(league) == rows
        head = league.store.head()
        with lent(url, autocommit=True) as conn:
            for page in (7, 1_000_000):
                conn.execute("DELETE FROM play_progress")
                for until in range(0, head + 500, 500):
                    count_play(conn, league.store, min(until, head), page)
                assert rows_of(league) == rows


def test_another_version_of_the_counting_counts_again(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of the counting counts from the beginning of the log."""
    send(league, recorded("m1", 0, hand(1)))
    catch_up(league)
    rows = rows_of(league)
    with lent(league.database.url, autocommit=True) as conn:
        conn.execute("UPDATE play_metrics SET turns = 99")
    catch_up(league)
    assert rows_of(league) != rows
    monkeypatch.setattr(play_metrics, "COUNTING", "another")
    catch_up(league)
    assert rows_of(league) == rows


@pytest.mark.also_on_server
def test_the_counting_reads_an_index(league: League) -> None:
    """The counting finds the events of turns by an index, and does not read the whole log."""
    send(league, recorded("m1", 0, hand(1)))
    with lent(league.database.url) as conn:
        conn.execute("SET enable_seqscan = off")
        names = ", ".join(f"'{name}'" for name in play_metrics.names())
        query = f"EXPLAIN SELECT * FROM stored_events WHERE position > 0 AND topic IN ({names}) ORDER BY position"  # noqa: S608
        plan = "\n".join(line for (line,) in conn.execute(query.encode()))
    assert "stored_events_of_play_idx" in plan


# ---------------------------------------------------------------- live tables


@pytest.fixture
def live(database_url: str) -> Iterator[League]:
    """A league of six players, with live tables."""
    with league_at(database_url) as league:
        found(league)
        alive(league, days=1)
        yield league


def do(league: League, *sent: Any) -> None:
    for command in sent:
        league.dispatcher.send(command, "somebody", "live")


def table_of(league: League, table: str) -> TableState:
    return table_state(StreamStates(league.store, league.dispatcher.clock()), table)


def play_hands(league: League, table: str, hands: int) -> None:
    """Play a number of hands at a table, or to its end; each seat plays its first legal tile, and the AIs theirs."""
    while (state := table_of(league, table)).hand <= hands and state.phase != "closed":
        for seat in state.awaited:
            do(league, ContributeSeed(table, state.seats[seat].player or "", state.hand, "ab" * 32))
        for seat in state.offers:
            do(league, AnswerReshuffle(table, state.seats[seat].player or "", state.hand, accept=False))
        if state.phase == "playing" and state.play is not None:
            seat, (tile, end) = state.play.to_move, state.play.legal_plays()[0]
            if ai_to_act(state) is not None:
                do(league, PlayAsAI(table, seat, state.hand, state.turn, tile, end))
            else:
                player = state.seats[seat].player or ""
                do(league, PlayTile(table, player, state.hand, state.turn, tile, end))


def turns_of(league: League, table: str) -> list[tuple[TableEvent, float]]:
    """The deals and turns of a table, each with the milliseconds since the event before it."""
    moments = [
        stored
        for stored in league.store.load(f"table:{table}")
        if isinstance(stored.event, HandDealt | TilePlayed | TileDrawn | TurnPassed)
    ]
    return [
        (one.event, (one.recorded_at - before.recorded_at).total_seconds() * 1_000) for before, one in pairwise(moments)
    ]


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_the_hands_of_a_live_table_are_counted_with_their_times(live: League) -> None:
    """Hands of a live table are counted with the times of the plays that the players made themselves."""
    do(live, OpenTable("t", "cuban-150", "1v1", "casual"))
    do(live, TakeSeat("t", 0, "ana"), TakeSeat("t", 1, "bea"))
    do(live, SayReady("t", "ana"), SayReady("t", "bea"))
    play_hands(live, "t", 1)
    do(live, LeaveSeat("t", "bea"))  # an AI plays on for her
    play_hands(live, "t", 2)
    play_hands(live, "t", 100)
    assert table_of(live, "t").phase == "closed"
    turns = turns_of(live, "t")
    for seat, player in enumerate(("ana", "bea")):
        found_ = play(live, player)
        own = [(turn, ms) for turn, ms in turns if isinstance(turn, TilePlayed | TurnPassed) and turn.seat == seat]
        times = [ms for turn, ms in own if isinstance(turn, TilePlayed) and turn.by == "player"]
        assert found_.turns == len(own)
        assert found_.passes == sum(isinstance(turn, TurnPassed) for turn, _ in own)
        assert found_.average_milliseconds == pytest.approx(sum(times) / len(times), abs=1)


def test_a_practice_table_counts_nothing(live: League) -> None:
    """An AI has a seat from the start, so there is no match."""
    do(live, OpenTable("t", "cuban-150", "1v1", "casual"))
    do(live, TakeSeat("t", 0, "ana"), SeatAI("t", 1, "random"), SayReady("t", "ana"))
    play_hands(live, "t", 1)
    assert play(live, "ana") == PlayTotals()
    assert rows_of(live) == []


def test_a_hand_that_cannot_be_counted_does_not_stop_the_folds(
    live: League, monkeypatch: pytest.MonkeyPatch, logs: list[Any]
) -> None:
    """A hand that cannot be counted is logged, and the others are counted."""
    count = play_metrics.transcribed

    def fail_at_hand_1(turns: Any) -> Any:
        if turns == hand(1).plays:
            raise IndexError("a bug")
        return count(turns)

    monkeypatch.setattr(play_metrics, "transcribed", fail_at_hand_1)
    send(live, recorded("m1", 0, hand(1), hand(2)))
    catch_up(live)
    assert {number for _, _, number, *_ in rows_of(live)} == {2}
    assert [line["event"] for line in logs] == ["hand_not_counted"]
