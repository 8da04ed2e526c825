"""Every house rule against a second computation: over three recorded seasons, and over hands with unknown facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import house_rules_by_hand as by_hand
import msgspec
import pytest
from club_sheets import Folded, recorded
from given import EDITION
from house_rules_by_hand import Before, Ended
from hypothesis import given
from hypothesis import strategies as st
from leagues import EXAMPLES, SEASONS
from msgspec.structs import replace

from league.domain.dealing import next_starter
from league.domain.hand import Closing, HandContext, HandFacts
from league.domain.not_judged import not_judged_in_hand
from league.domain.result import result_of
from league.domain.rules import EndingPoints, Mode, Ruleset
from league.domain.scoring import HandScore, score_hand
from league.projections.folds.match_fold import HashedEdition

BRAZIL = EndingPoints(domino=1, double=2, both_ends=3, double_both_ends=4, block=1)
HOUSES: dict[str, dict[str, Any]] = {
    "nothing changed": {},
    "all pips on the table after a block": {"counted_pips": "all_on_block"},
    "a tie that the next seat starts after": {"block_tie": "next_starts"},
    "a capicúa doubles": {"capicua_doubles": True},
    "points by the ending": {"hand_points": "by_ending", "ending": BRAZIL, "target": 12},
    "all together": {"counted_pips": "all_on_block", "block_tie": "next_starts", "capicua_doubles": True},
}


@cache
def season(name: str) -> list[tuple[dict[str, Any], Folded]]:
    """The matches of a recorded season that play for points and have hands: as they are written, and as imported."""
    lines = (EXAMPLES / name / "matches.jsonl").read_text(encoding="utf-8").splitlines()
    both = zip(map(json.loads, lines), recorded(EXAMPLES / name, HashedEdition("", EDITION)), strict=True)
    return [(line, match) for line, match in both if line["hands"] and rules_of(line).scoring == "points"]


def rules_of(line: dict[str, Any]) -> Ruleset:
    return EDITION.rulesets[line["ruleset"]]


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("name", SEASONS)
def test_a_house_rule_scores_each_recorded_hand_as_it_is_computed_by_hand(name: str, house: str) -> None:
    """Winner, terms, what is not judged, the next starter, and of each match the score, the winner and the viajeras."""
    for line, match in season(name):
        rules = replace(rules_of(line), **HOUSES[house])
        result = result_of(match.played, rules)
        hands = [by_hand.read(hand) for hand in line["hands"]]
        wanted = by_hand.play(hands, settings(rules), line["mode"], line["starting_draw"])
        for number, (hand, scored, other) in enumerate(zip(hands, result.hands, wanted.hands, strict=True), 1):
            assert told(scored) == told_by_hand(other), (line["match"], number)
            if hand.by == "block" and scored.winner is None:
                played = replace(match.played, hands=match.played.hands[:number], ended_at=None, forfeited_by=None)
                assert next_starter(played, rules) == by_hand.next_starter(hand, other, settings(rules))
        if result.status in ("completed", "cut_short"):
            assert (result.winner, list(result.score or ())) == (wanted.winner, wanted.score), line["match"]
            assert result.achievements.viajeras == wanted.viajeras, line["match"]
            assert ("viajera" not in result.not_judged) == wanted.viajera_known, line["match"]
            assert ("differential" in result.not_judged) == wanted.is_lower_bound, line["match"]


def settings(rules: Ruleset) -> dict[str, Any]:
    """A ruleset as a table."""
    found: dict[str, Any] = msgspec.to_builtins(rules)
    return found


def told(hand: HandScore) -> Any:
    """What is compared of a hand."""
    terms = sorted((term.side, term.rule, term.points) for term in hand.terms)
    return hand.winner, hand.winning_seat, hand.winner_known, terms, set(hand.not_judged), hand.counted


def told_by_hand(hand: by_hand.Scored) -> Any:
    """What the second computation says of a hand, in equal form."""
    return hand.winner, hand.seat, hand.known, sorted(hand.terms), hand.unjudged, hand.counted


# ---------------------------------------------------------------- any hand, with facts that are not known


@st.composite
def house_rulesets(draw: st.DrawFn) -> Ruleset:
    """A ruleset with points and any of the house rules."""
    rules = EDITION.rulesets[draw(st.sampled_from(["cuban-150", "doscientos-200", "dominican-500-bonus"]))]
    changed: dict[str, Any] = {
        "block_winner": draw(st.sampled_from(["side_total", "lowest_hand", "locker_vs_next"])),
        "block_tie": draw(st.sampled_from(["next_starts", "no_score", "previous_winner", "starter", "locker"])),
        "counted_pips": draw(st.sampled_from(["all_on_block", "opponents", "all_others"])),
        "capicua": draw(st.sampled_from(["fits_both_ends", "ends_equal"])),
        "capicua_void_on": draw(st.sampled_from([(), ("double",), ("double_blank", "blank_half")])),
    }
    if draw(st.booleans()):
        return replace(rules, **changed, capicua_doubles=draw(st.booleans()))
    numbers = draw(st.lists(st.integers(0, 4), min_size=5, max_size=5).filter(any))
    return replace(
        rules, **changed, hand_points="by_ending", ending=EndingPoints(**dict(zip(KINDS, numbers, strict=True)))
    )


KINDS = ("domino", "double", "both_ends", "double_both_ends", "block")
HALF = st.integers(0, 6)


@st.composite
def ended_hands(draw: st.DrawFn, seats: int) -> Ended:
    """A hand that can have happened, of which anything may be unknown."""

    def known(fact: Any) -> Any:
        return fact if draw(st.integers(0, 3)) else None

    seat = draw(st.integers(0, seats - 1))
    tile = sorted((draw(HALF), draw(HALF)))
    fits = draw(st.booleans())
    equal = fits if tile[0] == tile[1] else fits and draw(st.booleans())
    hand = Ended(known(draw(st.integers(0, seats - 1))), draw(st.sampled_from(["domino", "block"])), known(seat), [])
    hand.pips = [known(draw(st.integers(0, 3) | st.integers(0, 60))) for _ in range(seats)]
    hand.tile, hand.fits, hand.equal = known(tile), known(fits), known(equal)
    hand.opening_pass, hand.drew = known(draw(st.booleans())), known([])
    hand.corridos = known(draw(st.lists(st.integers(0, seats - 1), max_size=2)))
    hand.stated_winner = draw(st.none() | st.integers(0, 1))
    hand.stated_capicua = draw(st.none() | st.booleans())
    if hand.by == "domino":
        if hand.seat is None and hand.stated_winner is None:
            hand.seat = seat
        if hand.seat is not None:
            hand.pips[hand.seat] = known(0)
    if seats == 4:  # partners whose tiles nobody counted apart may have a total
        totals = [draw(st.integers(0, 90)) if hand.pips[one] is None is hand.pips[one + 2] else None for one in (0, 1)]
        hand.totals = totals if any(total is not None for total in totals) and draw(st.booleans()) else None
    return hand


@st.composite
def played_hands(draw: st.DrawFn) -> tuple[Ended, Ruleset, Mode, Before]:
    """A hand, and all that its score depends on."""
    modes: list[tuple[Mode, int]] = [("1v1", 2), ("2v2", 4), ("individuals", 3)]
    mode, seats = draw(st.sampled_from(modes))
    before = Before(draw(st.integers(1, 5)), draw(st.none() | st.integers(0, 1)), draw(st.booleans()))
    before.last_winner = before.last_winner if before.last_known else None
    return draw(ended_hands(seats)), draw(house_rulesets()), mode, before


def facts_of(hand: Ended) -> HandFacts:
    """The hand as the league has it."""
    tile = None if hand.tile is None else (hand.tile[0], hand.tile[1])
    return HandFacts(
        starter=hand.starter,
        ended_by="domino" if hand.by == "domino" else "block",
        seat=hand.seat,
        leftover=tuple(hand.pips),
        closing=Closing(tile, hand.fits, hand.equal),
        opening_pass=hand.opening_pass,
        corridos=None if hand.corridos is None else tuple(hand.corridos),
        drew=None if hand.drew is None else tuple(hand.drew),
        side_leftover=None if hand.totals is None else tuple(hand.totals),
        stated_winner=hand.stated_winner,
        stated_capicua=hand.stated_capicua,
    )


@given(played_hands())
def test_any_hand_scores_as_it_is_computed_by_hand(played: tuple[Ended, Ruleset, Mode, Before]) -> None:
    """Under any house rules, with any facts unknown; and what is not judged names a fact that is not known."""
    hand, rules, mode, before = played
    facts = facts_of(hand)
    score = (0,) * (2 if mode == "2v2" else len(hand.pips))
    context = HandContext(before.number, score, before.last_winner, before.last_known)
    scored = score_hand(facts, rules, mode, context)
    wanted = by_hand.score(hand, settings(rules), mode, before)
    assert told(scored) == told_by_hand(wanted)
    assert scored.viajera_pips == wanted.viajera_pips
    named = {one.rule for one in not_judged_in_hand(facts, rules, mode, scored) if one.why == "unknown"}
    assert {"leftover", "capicua_doubled", "ending"} & wanted.unjudged <= named


def unknown_endings() -> Iterator[Any]:
    """Closing tiles of which something is not known, and the points of Brazil where they are known all the same."""
    for tile, fits, equal, points in (
        (None, None, None, None), (None, None, True, None), (None, None, False, None), (None, True, None, None),
        (None, False, None, None), (None, True, False, 3), ((3, 3), None, True, 4), ((3, 3), None, False, 2),
        ((3, 3), None, None, None), ((3, 4), None, True, 3), ((3, 4), None, False, None), ((3, 4), False, None, 1),
    ):  # fmt: skip
        yield pytest.param(Closing(tile, fits, equal), points, id=f"{tile}, {fits}, {equal}")


@pytest.mark.parametrize(("closing", "points"), [*unknown_endings()])
def test_an_ending_is_judged_where_everything_possible_gives_one_number(closing: Closing, points: int | None) -> None:
    """Equal ends mean that the tile had fitted both; for a double each gives the other."""
    rules = replace(EDITION.rulesets["dominican-200"], **HOUSES["points by the ending"])
    facts = HandFacts(0, "domino", 0, (0, 9, 9, 9), closing, False, ())
    scored = score_hand(facts, rules, "2v2", HandContext(1, (0, 0)))
    assert [term.points for term in scored.terms if term.rule == "ending"] == ([] if points is None else [points])
    assert ("ending" in scored.not_judged) == (points is None)
    lacked = {one.at for one in not_judged_in_hand(facts, rules, "2v2", scored) if one.rule == "ending"}
    unknown = {f"ended.{name}" for name in ("tile", "fits_both_ends") if getattr(closing, name) is None}
    assert lacked <= unknown
    assert bool(lacked) == (points is None)
