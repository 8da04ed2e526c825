"""The metrics that are counted from the turns of a hand."""

from __future__ import annotations

from given import EDITION
from hypothesis import given
from hypothesis import strategies as st
from play import random_hand

from league.domain.hand import held_pips
from league.domain.play import Turn
from league.domain.transcript import (
    CountedTurn,
    SeatPlay,
    Transcript,
    derive_facts,
    left_of,
    play_of_seats,
    transcribed,
)


def test_a_hand_is_counted_for_each_seat() -> None:
    """Seat 1 cannot answer the lead, then plays after thinking; seat 0 goes out."""
    turns = [
        CountedTurn(0, "play", (2, 4), 1_500),
        CountedTurn(1, "draw"),
        CountedTurn(1, "pass"),
        CountedTurn(0, "play", (4, 6), 500),
        CountedTurn(1, "play", (6, 1), 9_000),
        CountedTurn(0, "play", (1, 1)),
    ]
    assert play_of_seats(turns, ((), ((3, 3), (0, 5)))) == (
        SeatPlay(3, 0, 1, 2, 2_000, (2, 4), "domino", 0),
        SeatPlay(2, 1, 0, 1, 9_000, None, None, 11),
    )


def test_a_pass_by_the_clock_is_a_turn_and_no_more() -> None:
    """The seat did not pass for want of a tile, so nobody made it pass."""
    turns = [CountedTurn(0, "play", (2, 4)), CountedTurn(1, "timeout"), CountedTurn(0, "play", (4, 4))]
    first, second = play_of_seats(turns, ((), ((4, 5),)))
    assert (second.turns, second.passes, first.passes_caused) == (1, 0, 0)


def test_only_the_pass_of_the_next_seat_is_caused() -> None:
    """After one play three seats pass: it caused one pass, and a locked hand is closed by its locker."""
    turns = [CountedTurn(0, "play", (6, 6)), *(CountedTurn(seat, "pass") for seat in (1, 2, 3, 0))]
    played = play_of_seats(turns, (((0, 0),), ((1, 1),), ((2, 2),), ((3, 3),)))
    assert [seat.passes_caused for seat in played] == [1, 0, 0, 0]
    assert [seat.passes for seat in played] == [1, 1, 1, 1]
    assert [seat.closed_by for seat in played] == ["block", None, None, None]


def test_turns_of_a_transcript() -> None:
    """Plays, draws, passes, and those by the clock."""
    turns = (Turn(0, (1, 2)), Turn(1, (5, 5), "draw"), Turn(1, None), Turn(0, None, "timeout"))
    assert transcribed(turns) == [
        CountedTurn(0, "play", (1, 2)), CountedTurn(1, "draw"), CountedTurn(1, "pass"), CountedTurn(0, "timeout"),
    ]  # fmt: skip
    assert left_of(Transcript((((2, 1), (3, 3)), ((0, 0), (4, 6))), turns)) == (((3, 3),), ((0, 0), (4, 6), (5, 5)))


@given(st.integers(0, 2**32), st.sampled_from([("cuban-150", 2), ("cuban-150", 4), ("doscientos-200", 3)]))
def test_sums_over_the_seats_of_a_hand(seed: int, table: tuple[str, int]) -> None:
    """Every turn, pass and pip belongs to a seat; one seat led, and one closed the hand."""
    name, seats = table
    transcript = random_hand(seed, EDITION.rulesets[name], seats).transcript
    facts = derive_facts(transcript, EDITION.rulesets[name], seats)
    turns = transcribed(transcript.plays)
    played = play_of_seats(turns, left_of(transcript))
    assert left_of(transcript) == facts.leftover
    assert [seat.pips for seat in played] == [held_pips(held) for held in facts.leftover]
    assert sum(seat.turns for seat in played) == sum(turn.what != "draw" for turn in turns)
    assert sum(seat.passes for seat in played) == sum(turn.what == "pass" for turn in turns)
    assert sum(seat.passes_caused for seat in played) <= sum(seat.passes for seat in played)
    assert [n for n, seat in enumerate(played) if seat.led] == [facts.starter]
    assert [(n, seat.closed_by) for n, seat in enumerate(played) if seat.closed_by] == [(facts.seat, facts.ended_by)]
