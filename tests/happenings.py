"""What may happen to the matches of a small league, drawn by Hypothesis; the league may refuse it."""

from __future__ import annotations

from hypothesis import strategies as st
from leagues import PLAYERS, announced, at, domino, played

from league.domain.hand import HandFacts
from league.domain.match import CorrectHand, ForfeitMatch, ReopenMatch, VoidMatch

_seats = st.permutations(PLAYERS[:5]).flatmap(lambda order: st.sampled_from([tuple(order[:2]), tuple(order[:4])]))
_names = st.sampled_from(["m1", "m2", "m3", "m4", "m5", "m6"])
_hours = st.integers(0, 40)
_pips = st.integers(1, 150)


def hand(seats: int, winner: int, pips: int) -> HandFacts:
    """One of so many seats goes out, and all others hold so many pips."""
    return domino(winner, *(0 if seat == winner else pips for seat in range(seats)))


@st.composite
def _with_hands(draw: st.DrawFn) -> list[object]:
    seats = draw(_seats)
    hands = draw(st.lists(st.tuples(st.integers(0, len(seats) - 1), _pips), min_size=1, max_size=3))
    return played(draw(_names), seats, draw(_hours), *(hand(len(seats), *one) for one in hands))


recorded = st.one_of(st.builds(announced, _names, _seats, _hours), _with_hands(), _with_hands())
"""A match from its opening on, often a late one."""

corrections = st.one_of(
    st.builds(lambda m, n, s, w, p: [CorrectHand(m, n, hand(s, w, p), "misread")],
              _names, st.integers(1, 2), st.sampled_from([2, 4]), st.integers(0, 1), _pips),
    st.builds(lambda m: [VoidMatch(m, "never played")], _names),
    st.builds(lambda m: [ReopenMatch(m, "it goes on")], _names),
    st.builds(lambda m, s: [ForfeitMatch(m, s, at(50))], _names, st.integers(0, 1)),
)  # fmt: skip
"""Facts of a match are taken back or changed."""

revisions = st.sampled_from(
    ["rating.start = 1600", "rating.cap = false\nrating.k.provisional = 32", "rulesets.cuban-150.target = 100"]
)
"""Other rules, as changes of edition 1."""
