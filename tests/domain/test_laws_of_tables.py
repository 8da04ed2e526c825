"""Laws of a live table, whatever its players, its AIs and its clock do, for every ruleset and mode."""

from __future__ import annotations

from typing import Any

import pytest
from given import EDITION
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tables import NAMES, GivenTable
from test_matches_at_tables import MODES

from league.domain.match import MatchState
from league.domain.match import evolve as evolve_match
from league.domain.match_decider import play_hand
from league.domain.refusals import Refusal
from league.domain.result import MatchFacts, result_of
from league.domain.tiles import Tile, full_set, ordered
from league.eventlog.codec import encode_body
from league.tables.domain.commands_and_events import (
    AnswerReshuffle,
    HandDealt,
    HandEnded,
    LeaveSeat,
    NoteAway,
    NoteBack,
    NoteStandstill,
    PlayTile,
    SeatAI,
    ShuffleCommitted,
    TableEvent,
    TakeSeat,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.evolve import evolve
from league.tables.domain.proof_of_deal import DatedTableEvent, faults_of_deal, finished_hands
from league.tables.domain.state import TableState, ai_to_act, due_of

STEPS = ("move", "clock", "away", "back", "leave", "sit", "standstill", "accept", "again")


@pytest.mark.heavy
@settings(max_examples=60, deadline=None)
@given(
    case=st.sampled_from(MODES),
    seed=st.integers(0, 10_000),
    steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 30)), max_size=60),
    doubles=st.sampled_from((0, 1, 3, 5)),
    on_timeout=st.sampled_from(("pass", "play")),
    practice=st.booleans(),
)
def test_laws(
    case: tuple[str, Any, int], seed: int, steps: list[tuple[str, int]], doubles: int, on_timeout: str, practice: bool
) -> None:
    """After any steps the match is played out, and all laws hold at each event."""
    ruleset, mode, count = case
    table = GivenTable(
        ruleset, mode, count, seed=seed, live={"reshuffle_doubles": doubles, "on_timeout": on_timeout},
    )  # fmt: skip
    table.sit(*NAMES[: count - practice])
    if practice:
        table.take(SeatAI("t", count - 1, "random"))
    table.ready()
    for step, number in steps:
        table.wait(number / 10)
        take_step(table, step, number)
        check_rest(table.state)
    table.play_out()
    check_events(table)


def take_step(table: GivenTable, step: str, number: int) -> None:
    """One thing that may happen at a table; what is refused changes nothing."""
    state = table.state
    player = NAMES[number % len(NAMES)]
    command: Any = {
        "away": NoteAway("t", player),
        "back": NoteBack("t", player),
        "leave": LeaveSeat("t", player),
        "sit": TakeSeat("t", number % len(state.seats), player),
        "standstill": NoteStandstill("t", table.now, table.now.replace(year=2027)),
        "accept": AnswerReshuffle("t", player, state.hand, number % 2 == 0),
        "again": PlayTile("t", player, state.hand, max(1, state.turn - 1), (0, number % 7), "left"),
    }.get(step)
    if step == "clock" and table.due is not None:
        plays = state.play.legal_plays() if state.play is not None else ()
        table.meet(plays[number % len(plays)] if plays else None)
    elif step == "move":
        if state.phase == "playing":
            table.move(number)
        else:
            table.contribute()
    elif command is not None:
        try:
            table.take(command)
        except Refusal:
            assert table.state is state


def check_rest(state: TableState) -> None:
    """Between commands: somebody is waited for, and nothing that is forced is left to do."""
    if state.phase == "closed":
        return
    waits = due_of(state) is not None
    assert waits != (ai_to_act(state) is not None)
    if state.play is not None:
        assert state.play.forced is None
        assert not state.play.is_over
        held = [tile for mask in state.play.held for tile in state.play.tiles.of_mask(mask)]
        laid = [ordered(turn.tile) for turn in state.play.turns if turn.tile is not None and turn.where != "draw"]
        known = [*held, *laid, *state.play.boneyard]
        assert len(known) == len(set(known))
        assert set(known) <= full_set(state.ruleset.set)


def check_events(table: GivenTable) -> None:
    """The events by themselves: the same state, the same result as of the match, and no secret before its time."""
    state = TableState("t")
    finished = table.state.played
    if finished is None:
        assert table.state.closed == "abandoned"
        return
    played = MatchFacts(
        finished.ruleset, finished.mode, finished.competition, finished.seats, finished.starting_draw, finished.began_at
    )
    match_state = MatchState(played)
    turns: list[tuple[int, int]] = []
    position = 0
    for event, when in zip(table.events, table.times, strict=True):
        before, state = state, evolve(state, event, when)
        check_secrecy(before, event)
        if isinstance(event, TilePlayed | TileDrawn | TurnPassed):
            turns.append((event.hand, event.turn))
        if isinstance(event, HandDealt):
            turns = []
        if isinstance(event, HandEnded):
            assert [turn for _, turn in turns] == list(range(1, len(turns) + 1))
            assert state.played is not None
            for recorded in play_hand(state.played.hands[-1], match_state, state.ruleset):
                position += 1
                match_state = evolve_match(match_state, recorded, when, position)
    happened = map(DatedTableEvent, range(1, len(table.events) + 1), table.times, table.events)
    assert [fault for hand in finished_hands("t", happened) for fault in faults_of_deal(hand.proof)] == []
    assert replace(state, play=None) == replace(table.state, play=None)
    if table.state.closed == "abandoned":
        assert table.state.practice
        return
    assert match_state.played is not None
    assert match_state.played.hands == finished.hands
    assert match_state.played.ended_at is not None
    assert result_of(match_state.played, EDITION.rulesets[finished.ruleset]).status == "completed"


def check_secrecy(before: TableState, event: TableEvent) -> None:
    """Before a hand ends, only the event that plays a tile names it, and the secret is only committed to."""
    if isinstance(event, ShuffleCommitted | HandEnded):
        return
    assert before.secret is None or before.secret.encode() not in encode_body(event)
    if before.play is None:
        return
    named = tiles_in(event)
    assert named == ([ordered(event.tile)] if isinstance(event, TilePlayed) else [])


def tiles_in(event: TableEvent) -> list[Tile]:
    """Every tile that an event of a running hand names."""
    values = [getattr(event, name) for name in event.__struct_fields__ if name in ("tile", "tiles", "deal", "dealt")]
    return [ordered(value) for value in values]
