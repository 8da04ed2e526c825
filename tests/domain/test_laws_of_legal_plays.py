"""A viewer of a live table is shown the plays that `play_tile` accepts at that moment, and no others."""

from __future__ import annotations

from typing import Any

import pytest
from given import EDITION
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import NAMES, GivenTable
from test_laws_of_tables import STEPS, take_step
from test_matches_at_tables import MODES

from league.domain.play import Play
from league.domain.refusals import Refusal
from league.domain.tiles import full_set
from league.tables.domain.commands_and_events import NoteAway, PlayTile, SeatAI
from league.tables.domain.moves import as_it_lies
from league.tables.domain.state import view_of


@pytest.mark.heavy
@settings(max_examples=40, deadline=None)
@given(
    case=st.sampled_from(MODES),
    seed=st.integers(0, 10_000),
    steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 30)), max_size=25),
    doubles=st.sampled_from((0, 1, 3)),
    practice=st.booleans(),
)
def test_the_plays_shown_are_those_that_are_accepted(
    case: tuple[str, Any, int], seed: int, steps: list[tuple[str, int]], doubles: int, practice: bool
) -> None:
    """In every phase, for every seat: while a reshuffle is offered, in a pause, when an AI plays for a player."""
    ruleset, mode, count = case
    table = GivenTable(ruleset, mode, count, seed=seed, live={"reshuffle_doubles": doubles})
    table.sit(*NAMES[: count - practice])
    if practice:
        table.take(SeatAI("t", count - 1, "random"))
    table.ready()
    check_plays(table)
    for step, number in steps:
        table.wait(number / 10)
        take_step(table, step, number)
        check_plays(table)


def test_no_play_is_shown_while_a_reshuffle_is_offered() -> None:
    """All plays are shown once the offers are declined."""
    table = GivenTable(live={"reshuffle_doubles": 1}, seed=1).sit("ana", "bea").ready().contribute()
    assert table.state.play is not None
    to_move = table.state.play.to_move
    assert (table.phase(), shown(table, to_move)) == ("offering", set())
    table.decline()
    assert shown(table, to_move) == set(table.state.play.legal_plays())


def test_who_alone_is_waited_for_comes_back_with_a_play() -> None:
    """The table is paused, and yet their plays are shown; once another player is missing too they are not."""
    table = GivenTable(seed=1).sit("ana", "bea").dealt()
    assert table.state.play is not None
    to_move = table.state.play.to_move
    table.take(NoteAway("t", NAMES[to_move]))
    assert table.phase() == "paused"
    assert shown(table, to_move) == set(table.state.play.legal_plays()) != set()
    table.take(NoteAway("t", NAMES[1 - to_move]))
    assert shown(table, to_move) == set()


def check_plays(table: GivenTable) -> None:
    """Every play that is shown is accepted, and every other one is refused."""
    play = table.state.play
    tiles = sorted(full_set(EDITION.rulesets["cuban-150"].set)) if play is None else play.tiles.of_mask(play.tiles.all)
    for seat, state in enumerate(table.state.seats):
        if state.player is None:
            continue
        accepted = set()
        for tile in tiles:
            for end in (None, "left", "right"):
                move = PlayTile("t", state.player, table.state.hand, table.state.turn, tile, end)
                try:
                    table.decided(move)
                except Refusal:
                    continue
                assert play is not None, "a tile is played in a hand"
                accepted.add(Play(as_it_lies(play, tile, end), end))
        assert accepted == shown(table, seat)


def shown(table: GivenTable, seat: int) -> set[Play]:
    """The plays that the viewer of a seat is shown."""
    hand = view_of(table.state, seat).hand
    return set() if hand is None or hand.seen is None else set(hand.seen.plays)
