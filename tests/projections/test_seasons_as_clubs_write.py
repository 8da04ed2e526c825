"""The recorded seasons, reduced to what a club would write: equal where that is enough, and said where it is not."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

import pytest
from club_sheets import Folded, Kept, as_written, recorded
from leagues import EXAMPLES, SEASONS
from msgspec import Struct

from league.domain.not_judged import NotJudged, not_judged_in_match
from league.domain.scoring import HandScore
from league.projections.folds.league_fold import RatingState, evolve
from league.projections.folds.match_fold import HashedEdition
from league.rulebook import shipped_edition

pytestmark = pytest.mark.heavy

EDITION = HashedEdition("", shipped_edition(1))

Pairs = list[tuple[Folded, Folded]]
"""Each match as it was recorded, and as the club has written it."""


class Counts(Struct, frozen=True):
    """How much of a season is equal; by rule, the hands in which it is not judged, where it was before."""

    hands: tuple[int, int]
    """Equal ones, and all."""
    matches: tuple[int, int]
    rules: dict[str, int]


EXPECTED = {
    ("cuban-2026", "totals"): Counts((3298, 3298), (423, 423), {}),
    ("cuban-2026", "paper"): Counts((3298, 3298), (186, 423), {"critical_block": 357, "capicua_blocks": 31}),
    ("caribbean-2026", "totals"): Counts((924, 985), (44, 62), {"leftover": 61}),
    ("caribbean-2026", "paper"): Counts(
        (800, 985),
        (17, 62),
        {
            "double_out": 258,
            "capicua_blocks": 136,
            "leftover": 61,
            "domino_without_draw": 165,
            "critical_block": 9,
            "key_bone": 124,
        },
    ),
    ("dominican-2026", "totals"): Counts((1167, 1167), (60, 60), {}),
    ("dominican-2026", "paper"): Counts(
        (1047, 1167), (4, 60), {"chuchazo": 859, "capicua_blocks": 80, "opening_pass": 86, "critical_block": 19}
    ),
}


@pytest.fixture(scope="module")
def seasons() -> dict[tuple[str, str], Pairs]:
    """Every season in every form."""
    full = {season: list(recorded(EXAMPLES / season, EDITION)) for season in SEASONS}
    return {
        (season, kept): [(match, as_written(match, kept, EDITION)) for match in full[season]]
        for season in SEASONS
        for kept in get_args(Kept)
    }


def score_of(hand: HandScore) -> Any:
    """What a hand gives. Where pases corridos are known by side, their order is not."""
    return hand.winner, hand.points, sorted((t.side, t.rule, t.points) for t in hand.terms), hand.counted, hand.capicua


def result_of(match: Folded) -> Any:
    """How a match ended, and all that a rating reads of it."""
    result, decided = match.result, match.decided
    return result.winner, result.score, result.status, decided and (decided.difference, decided.achievements)


def unknown(match: Folded) -> list[NotJudged]:
    """What is not judged in a match for want of a fact."""
    found = not_judged_in_match(match.played, EDITION.rulebook.rulesets[match.read.ruleset], match.result)
    return [one for one in found if one.why == "unknown"]


def lost(full: Folded, club: Folded) -> list[NotJudged]:
    """What is not judged for want of what the club has not written."""
    before = {(one.rule, one.hand) for one in unknown(full)}
    return [one for one in unknown(club) if (one.rule, one.hand) not in before]


def counts(pairs: Pairs) -> Counts:
    """What is equal in a season. Whatever differs is said: in the hand or in one before it, and in the match."""
    hands, matches, rules = list[bool](), list[bool](), Counter[str]()
    for full, club in pairs:
        missing = lost(full, club)
        rules.update({(one.rule, one.hand): one.rule for one in missing}.values())
        for number, (was, now) in enumerate(zip(full.result.hands, club.result.hands, strict=True), 1):
            hands.append(score_of(was) == score_of(now))
            assert hands[-1] or any((one.hand or 0) <= number for one in missing), (full.read.match, number)
        matches.append(result_of(full) == result_of(club))
        assert matches[-1] or missing, full.read.match
    return Counts((sum(hands), len(hands)), (sum(matches), len(matches)), dict(rules))


@pytest.mark.parametrize(("season", "kept"), EXPECTED)
def test_what_the_club_has_written_is_scored_or_said(
    seasons: dict[tuple[str, str], Pairs], season: str, kept: Kept
) -> None:
    """Hands and matches are equal, or name the rule that lacks a fact. Other counts mean other rules: look first."""
    assert counts(seasons[season, kept]) == EXPECTED[season, kept]


@pytest.mark.parametrize("season", ["cuban-2026", "dominican-2026"])
def test_totals_of_sides_give_the_same_ratings(seasons: dict[tuple[str, str], Pairs], season: str) -> None:
    """Totals of sides give the same ratings to the last bit: the rules need only the sides' pips and stated winners."""
    pairs = seasons[season, "totals"]
    assert ratings([full for full, _ in pairs]) == ratings([club for _, club in pairs]) != {}


def test_no_statement_differs_from_the_facts(seasons: dict[tuple[str, str], Pairs]) -> None:
    """The statements are those of the full season, and no rule says otherwise by fewer facts."""
    for pairs in seasons.values():
        for _, club in pairs:
            rules = EDITION.rulebook.rulesets[club.read.ruleset]
            found = not_judged_in_match(club.played, rules, club.result)
            assert not [one for one in found if one.why == "facts_hold" and one.rule != "announced"]


def ratings(matches: list[Folded]) -> dict[tuple[str, str, str], float]:
    """Every rating after every match."""
    state, found = RatingState(), {}
    decided = [match.decided for match in matches if match.decided is not None]
    for match in sorted(decided, key=lambda one: (one.decided_at, one.match.encode())):
        for change in evolve(state, match, EDITION.formula):
            found[match.match, change.subject, change.id] = change.after
    return found
