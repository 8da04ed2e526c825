"""How to score, in words: every setting that decides points is told, and what is told is what the scoring does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from given import EDITION, block, domino, points_of, ruleset, scored
from msgspec.structs import fields, replace

from league.domain.bonuses import HAND_TERMS
from league.domain.hand import HandFacts
from league.domain.rules import Bonuses, EndingPoints, Ruleset
from league.wording.how_to_score.way import ToldWay
from league.wording.how_to_score.ways import WAYS, ways_of

NO_RULES = {"title", "description", "bonuses", "made_from", "live"}
"""Fields of a ruleset that decide nothing in a hand themselves."""
HINTS = get_type_hints(Ruleset)


def told(rules: Ruleset) -> tuple[str, ...]:
    """Everything that the page says about how hands are scored."""
    return tuple(str((way.title, way.points, way.told, way.does_not_count)) for way in ways_of(rules))


def way(rules: Ruleset, key: str) -> ToldWay:
    """The entry of this name."""
    return next(one for one in ways_of(rules) if one.key == key)


def points_shown(rules: Ruleset, key: str) -> tuple[int, ...] | None:
    """The points of the example of an entry; None without an example."""
    example = way(rules, key).example
    return None if example is None else example.points


def test_every_setting_of_a_ruleset_is_told_by_some_way() -> None:
    """A setting with an effect on a hand needs a place in an entry, and a bonus needs an entry of its own."""
    named = {setting for entry in WAYS for setting in entry.settings}
    settings = {field.name for field in fields(Ruleset)} - NO_RULES
    settings |= {f"bonuses.{bonus.name}" for bonus in fields(Bonuses)}
    assert settings - named == set(), "give each a place in an entry of league/wording/how_to_score/"
    assert HAND_TERMS.keys() - {entry.key for entry in WAYS} == set()


def choices() -> Iterator[tuple[str, Any]]:
    """Every choice of every setting, and each bonus switched on and off."""
    for name, hint in HINTS.items():
        if get_origin(hint) is Literal:
            yield from ((name, choice) for choice in get_args(hint))
    yield from (("capicua_void_on", kinds) for kinds in ((), ("double",), ("blank_half",), ("double_blank",)))
    yield from (("viajera_from", 20), ("target", 77), ("capicua_doubles", True))
    yield "ending", EndingPoints(domino=1, double=2, both_ends=3, double_both_ends=4, block=5)


HANDS = (
    domino(0, (), 13, 2, 5),
    domino(1, 13, (), 2, 5, tile=(0, 0), both=True, equal=True),
    domino(0, (), 13, 2, 5, tile=(3, 3), both=True, equal=True),
    domino(0, (), 13, 2, 5, tile=(0, 3), both=True, equal=True),
    domino(0, (), 13, 2, 5, tile=(3, 5), both=True, equal=False, opening=True, corridos=(1, 1)),
    block(0, 6, 9, 8, 2, starter=2),
    block(0, 7, 7, 9, 9, starter=3),
    block(1, 7, 7, 9, 9, starter=0),
)
"""Hands in which every choice of some setting scores otherwise."""


def outcomes(rules: Ruleset) -> list[Any]:
    """Who wins the hands and what they score, the side 0 being behind, as the side 1 has won the hand before."""
    draw = ((6, 6), (0, 1), (0, 2), (0, 3))
    found = (scored(hand, rules, mode="2v2", score=(1, 3), last_winner=1, draw=draw) for hand in HANDS)
    return [(hand.winner, hand.points, hand.capicua) for hand in found]


@pytest.mark.parametrize(
    "name", ["cuban-150", "caribbean-500-bonus", "partnership-6", "chiva-4", "dominican-500-bonus"]
)
def test_rulesets_that_score_a_hand_differently_read_differently(name: str) -> None:
    """No choice of a setting changes who wins or scores without changing what the page says."""
    rules = replace(EDITION.rulesets[name], modes=("1v1", "2v2", "individuals"))
    for setting, choice in choices():
        other = replace(rules, **{setting: choice})
        if outcomes(other) != outcomes(rules):
            assert told(other) != told(rules), f"{setting} = {choice} is not told"
    for bonus in fields(Bonuses):
        other = replace(rules, bonuses=replace(rules.bonuses, **{bonus.name: (5,) if bonus.name == "rounds" else 5}))
        if outcomes(other) != outcomes(rules):
            assert told(other) != told(rules), f"{bonus.name} is not told"


@pytest.mark.parametrize("name", sorted(EDITION.rulesets))
def test_an_example_earns_what_it_shows(name: str) -> None:
    """Every entry with points has an example under each shipped ruleset, and its term is among those scored."""
    for entry in ways_of(EDITION.rulesets[name]):
        assert (entry.example is not None) == (entry.part != "game"), entry.key
        if entry.example is not None and entry.part == "points" and entry.key in HAND_TERMS:
            assert entry.key in {term.rule for term in entry.example.terms}, entry.key
            assert sum(entry.example.points) == sum(term.points for term in entry.example.terms)


def test_the_points_of_an_example_are_computed_under_the_ruleset() -> None:
    """A capicúa of 80 gives 80 in the example; a block counts what the ruleset counts."""
    rules = ruleset("dominican-200", bonuses=Bonuses(capicua=80))
    assert points_shown(rules, "capicua") == (18 + 80, 0)
    assert points_shown(replace(rules, counted_pips="all_others"), "block") == (9 + 8 + 2, 0)


def test_house_rules_are_told_with_an_example() -> None:
    """Pips twice with a capicúa, a number by the ending, who starts after a tie, all pips after a block."""
    rules = ruleset("cuban-150", modes=("2v2",))
    assert points_shown(replace(rules, capicua_doubles=True), "capicua_doubled") == (36, 0)
    points = EndingPoints(domino=1, double=2, both_ends=3, double_both_ends=4, block=5)
    brazil = replace(rules, hand_points="by_ending", ending=points)
    assert (points_shown(brazil, "ending"), points_shown(brazil, "block")) == ((3, 0), (0, 5))
    assert {"leftover", "viajera"}.isdisjoint(entry.key for entry in ways_of(brazil))
    assert way(rules, "start").does_not_count == ()
    assert "nobody has won" in str(way(replace(rules, block_tie="next_starts"), "start").does_not_count)
    everybody = replace(rules, counted_pips="all_on_block")
    assert points_shown(everybody, "block") == (0, 6 + 9 + 8 + 2)
    assert "also the winner's own" in str(way(everybody, "block").told)


def test_an_example_that_cannot_happen_is_left_out() -> None:
    """Nobody can hold a viajera of 5,000; and where nobody draws, nobody goes out without having drawn."""
    assert points_shown(ruleset("cuban-150", viajera_from=5000), "viajera") is None
    rules = ruleset("dominican-200", bonuses=Bonuses(domino_without_draw=25))
    assert points_shown(rules, "domino_without_draw") is None
    assert any("never given" in reason for reason in way(rules, "domino_without_draw").does_not_count)


VOIDS: list[tuple[str, str, str, HandFacts, tuple[int, ...]]] = [
    ("dominican-200", "capicua", "a double", domino(0, (), 9, 9, 9, tile=(3, 3), both=True, equal=True), (0, 0)),
    ("dominican-200", "capicua", "a blank", domino(0, (), 9, 9, 9, tile=(0, 3), both=True, equal=True), (0, 0)),
    ("dominican-200", "capicua", "in a block", block(0, 6, 9, 8, 2, tile=(3, 5), both=True, equal=True), (0, 0)),
    ("dominican-200", "chuchazo", "in a block", block(0, 6, 9, 8, 2, tile=(0, 0)), (0, 0)),
    ("dominican-200", "capicua", "a blank", domino(0, (), 9, 9, 9, tile=(0, 0), both=True, equal=True), (0, 0)),
    ("caribbean-500-bonus", "double_out", "in a block", block(0, 6, 9, 8, 2, tile=(5, 5)), (0, 0)),
    ("caribbean-500-bonus", "domino_without_draw", "four players", domino(0, (), 9, 9, 9), (0, 0)),
    ("caribbean-500-bonus", "domino_without_draw", "has drawn", domino(0, (), 9, drew=(0,)), (0, 0)),
    ("partnership-6", "key_bone", "in a block", block(0, 6, 9, 8, 2, tile=(3, 5), both=True), (0, 0)),
    ("partnership-6", "key_bone", "back to 0-0", domino(0, (), 9, 9, 9, tile=(3, 5), both=True), (1, 3)),
    ("partnership-6", "hand_won", "was behind", domino(0, (), 9, 9, 9), (1, 3)),
]


@pytest.mark.parametrize(("name", "key", "says", "facts", "score"), VOIDS)
def test_what_is_said_not_to_count_does_not_count(
    name: str, key: str, says: str, facts: HandFacts, score: tuple[int, ...]
) -> None:
    """The entry says so, and the hand does not earn the term."""
    assert any(says in reason for reason in way(ruleset(name), key).does_not_count)
    assert points_of(key, scored(facts, ruleset(name), score=score)) is None


def test_a_way_that_a_ruleset_does_not_play_is_not_told() -> None:
    """The Cuban page has no opening pass, and its capicúa is noted."""
    assert "opening_pass" not in {entry.key for entry in ways_of(ruleset("cuban-150"))}
    noted = way(ruleset("cuban-150"), "capicua")
    assert (noted.part, noted.points) == ("noted", ())
