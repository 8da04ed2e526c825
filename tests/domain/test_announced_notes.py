"""Announced scores that may be a slip of the pen are noted, and no score that can be is."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from given import BEGAN, EDITION
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from play import random_hand

from league.domain.hand_faults import checked
from league.domain.match_faults import AnnouncedNote, most_in_a_hand, notes_on
from league.domain.result import AnnouncedResult, MatchFacts, result_of
from league.domain.rules import Bonuses, Mode, Ruleset
from league.domain.seating import count_sides
from league.domain.transcript import derive_facts

CUBAN = EDITION.rulesets["cuban-150"]


def said(score: tuple[int, int], ruleset: Ruleset = CUBAN, **more: bool) -> list[tuple[str, int]]:
    return [(note.doubt, note.score) for note in notes_on(AnnouncedResult(0, score), ruleset, "2v2", 4, **more)]


def test_what_cannot_be_is_noted() -> None:
    """A winner above the possible score, a loser at the target and a winner below it are noted."""
    assert said((1500, 95)) == [("above_one_hand", 1500)]
    assert said((160, 155)) == [("loser_at_target", 155)]
    assert said((149, 95)) == [("below_target", 149)]
    assert said((150, 149)) == said((419, 0)) == []
    assert said((420, 0)) == [("above_one_hand", 420)]
    assert notes_on(AnnouncedResult(0, (420, 0)), CUBAN, "2v2", 4) == [AnnouncedNote("above_one_hand", 420, 150, 419)]


def test_a_bell_ends_a_match_below_its_target() -> None:
    """The bell does not silence the other notes."""
    assert said((149, 95), has_bell=True) == []
    assert said((160, 155), has_bell=True) == [("loser_at_target", 155)]


def test_a_loser_may_be_at_the_target_where_others_score_too() -> None:
    """A pase corrido in the last hand can bring them there. Without a score there is no note."""
    assert said((210, 205), EDITION.rulesets["dominican-200"]) == []
    assert said((210, 205), EDITION.rulesets["doscientos-200"]) == [("loser_at_target", 205)]
    assert said((7, 2), EDITION.rulesets["partnership-6"]) == []
    assert said((8, 2), EDITION.rulesets["partnership-6"]) == [("above_one_hand", 8)]
    assert notes_on(AnnouncedResult(0), CUBAN, "2v2", 4) == []


GIVEN = Bonuses(
    first_hand=100, double_out=50, domino_without_draw=25, block_won=25, shutout=100, capicua=50, chuchazo=50,
    opening_pass=10, pase_corrido=25, key_bone=1, rounds=(100, 75, 50, 25),
)  # fmt: skip
TABLES: list[tuple[Mode, int]] = [("1v1", 2), ("2v2", 4), ("individuals", 3), ("individuals", 4)]


@given(
    st.sampled_from(sorted(EDITION.rulesets)),
    st.sampled_from(TABLES),
    st.booleans(),
    st.sampled_from(["off", "per_match", "per_hand"]),
    st.sampled_from(["pass", "draw_one", "draw_until_playable"]),
    st.integers(0, 2**32),
)
def test_no_hand_gives_more_than_the_most(
    name: str, table: tuple[Mode, int], has_bonuses: bool, shutout: str, cannot_play: str, seed: int
) -> None:
    """Hands that were dealt and played by the rules, under rulesets with all bonuses, too."""
    mode, seats = table
    rules = replace(EDITION.rulesets[name], shutout=shutout, cannot_play=cannot_play, reset="off")
    rules = replace(rules, bonuses=GIVEN) if has_bonuses else rules
    random, most = Random(seed), most_in_a_hand(rules, mode, seats)
    deals = [random_hand(random.randrange(2**32), rules, seats).transcript for _ in range(3)]
    hands = [checked(derive_facts(deal, rules, seats), rules, mode, seats) for deal in deals]
    players = ("ana", "bea", "coc", "dan")[:seats]
    scores = [(0,) * count_sides(mode, seats)]
    for number in range(1, len(hands) + 1):
        played = MatchFacts(name, mode, "casual", players, None, BEGAN, tuple(hands[:number]), ended_at=BEGAN)
        scores.append(result_of(played, rules).score or scores[-1])
    for before, after in pairwise(scores):
        assert all(have - had <= most for had, have in zip(before, after, strict=True))
