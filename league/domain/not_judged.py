"""Parts of a match that the rules did not judge: each with the rule and the fact that was missing or not used."""

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from league.domain.bonuses import HAND_TERMS, HandFact
from league.domain.endings import facts_that_would_tell
from league.domain.hand import NOBODY_WINS, HandFacts, pips_by_seat, pips_by_side
from league.domain.result import MatchFacts, ScoredMatch
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import HandScore
from league.domain.seating import count_sides, seats_of

Why = Literal["unknown", "not_played", "facts_hold", "after_end"]
"""`unknown`: the rule needs a fact that is not known. `not_played`: the ruleset does not play the rule. `facts_hold`:
the facts contradict a statement, and they hold. `after_end`: the hand came after the end of the match."""

WINNER, ANNOUNCED, HAND = "winner", "announced", "hand"
"""Values of `NotJudged.rule` that are no terms of a hand or of the rating's modifier."""
LAST_BLOCK = "critical_block"
"""The term of the modifier that depends on the last hand of the match."""
PREVIOUS = "previous_winner"
"""The value of `NotJudged.at` if a tie depends on the winner of an earlier hand. It is not a path within this hand."""


class NotJudged(Struct, frozen=True):
    """A rule, or a statement, that was not judged."""

    rule: str
    """A term of a hand or of the rating's modifier, or `WINNER`, `ANNOUNCED` or `HAND`."""
    why: Why
    at: str | None
    """The path of the fact: within the hand, such as `ended.locker` or `leftover.1`, or within the match."""
    hand: int | None = None
    """The number of the hand; None: the match as a whole."""


class _ScoredHand(Struct, frozen=True):
    """A hand with its score."""

    facts: HandFacts
    ruleset: Ruleset
    mode: Mode
    score: HandScore


def not_judged_in_hand(
    facts: HandFacts, ruleset: Ruleset, mode: Mode, score: HandScore, number: int | None = None
) -> list[NotJudged]:
    """Everything that was not judged in one hand. `number`: the number of the hand, for the result."""
    if not score.counted:
        return [NotJudged(HAND, "after_end", None, number)]
    hand = _ScoredHand(facts, ruleset, mode, score)
    found = [NotJudged(WINNER, "unknown", at, number) for at in _lacked_for_winner(hand)]
    found += [NotJudged(rule, "facts_hold", at, number) for rule, at in _statements_denied(facts, score)]
    for rule in score.not_judged:
        found += [NotJudged(rule, "unknown", at, number) for at in _lacked_by(rule, hand)]
    if score.capicua and facts.closing.blocks_too is None:
        found.append(NotJudged("capicua_blocks", "unknown", "ended.blocks_too", number))
    found += [NotJudged(rule, "not_played", at, number) for rule, at in _not_played(facts, ruleset)]
    return found


def not_judged_in_match(match: MatchFacts, ruleset: Ruleset, result: ScoredMatch) -> list[NotJudged]:
    """Everything that was not judged in a match: in each hand, in its end, and in the announced result."""
    found: list[NotJudged] = []
    for number, (facts, score) in enumerate(zip(match.hands, result.hands, strict=True), 1):
        found += not_judged_in_hand(facts, ruleset, match.mode, score, number)
    if not result.hands:
        found += [
            NotJudged(rule, "unknown", "announced.score" if rule in ("differential", "pollona") else None)
            for rule in result.not_judged
        ]
    elif LAST_BLOCK in result.not_judged:
        last = max(number for number, hand in enumerate(result.hands, 1) if hand.counted)
        found.append(NotJudged(LAST_BLOCK, "unknown", "ended.locker", last))
    announced = match.announced
    if announced is not None and match.hands and result.winner is not None:
        if announced.winner != result.winner:
            found.append(NotJudged(ANNOUNCED, "facts_hold", "announced.winner"))
        if announced.score is not None and result.score is not None and announced.score != result.score:
            found.append(NotJudged(ANNOUNCED, "facts_hold", "announced.score"))
    return found


def _not_played(facts: HandFacts, ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Recorded bonuses that the ruleset does not play: the rule and the path of the fact."""
    if facts.opening_pass and ruleset.bonuses.opening_pass is None:
        yield "opening_pass", "passes.opening_pass"
    if facts.corridos and ruleset.bonuses.pase_corrido is None:
        yield "pase_corrido", "passes.corridos"
    if facts.side_corridos and ruleset.bonuses.pase_corrido is None:
        yield "pase_corrido", "passes.corridos_by_side"


def _statements_denied(facts: HandFacts, score: HandScore) -> Iterator[tuple[str, str]]:
    """Statements of the sheet that contradict the facts: the rule and the path of the statement."""
    if facts.stated_winner is not None and score.winner_known and facts.stated_winner != score.winner:
        yield WINNER, "stated_winner"
    if facts.stated_capicua is not None and score.capicua is not None and facts.stated_capicua != score.capicua:
        yield "capicua", "stated_capicua"


# ---------------------------------------------------------------- facts that a rule lacked


def _lacked_by(rule: str, hand: _ScoredHand) -> list[str]:
    """The paths of the unknown facts that a rule needs."""
    if rule in _OF_RULE:
        found = _OF_RULE[rule](hand)
    else:
        found = [at for fact in HAND_TERMS[rule].facts for at in OF_FACT[fact](hand)]
    return list(dict.fromkeys(found))


def _lacked_for_winner(hand: _ScoredHand) -> list[str]:
    """The unknown facts that would name the winner; none if the winner is known."""
    return [] if hand.score.winner_known else _lacked_to_derive_winner(hand)


def _lacked_to_derive_winner(hand: _ScoredHand) -> list[str]:
    """The unknown facts that are needed to derive the winner from facts alone."""
    facts, ruleset = hand.facts, hand.ruleset
    if facts.ended_by == "domino":
        return ["ended.seat"] if facts.seat is None else []
    duel = ruleset.block_winner == "locker_vs_next"
    if duel and facts.seat is None:
        return ["ended.locker"]
    seats = range(len(facts.leftover))
    if ruleset.block_winner == "side_total":
        unknown = [at for side in range(count_sides(hand.mode, len(seats))) for at in _unknown_of_side(side, hand)]
    else:
        compared = [facts.seat, ((facts.seat or 0) + 1) % len(seats)] if duel else seats
        unknown = [f"leftover.{seat}" for seat in compared if seat is not None and facts.leftover[seat] is None]
    return unknown or _lacked_by_tie(facts, ruleset)


def _lacked_by_tie(facts: HandFacts, ruleset: Ruleset) -> list[str]:
    """The unknown facts that the rule for ties needs when the pips are equal."""
    if ruleset.block_tie in NOBODY_WINS:
        return []
    if ruleset.block_tie == "locker":
        return ["ended.locker"] if facts.seat is None else []
    if facts.starter is None:
        return ["starter"]
    if ruleset.block_tie != "previous_winner":
        return []
    return ["stated_winner"] if facts.stated_winner is None else [PREVIOUS]


def _lacked_by_leftover(hand: _ScoredHand) -> list[str]:
    """The paths of unknown pips that count for the winner."""
    facts, winner, seat = hand.facts, hand.score.winner, hand.score.winning_seat
    if winner is None:
        return _lacked_for_winner(hand)
    sides = range(count_sides(hand.mode, len(facts.leftover)))
    if hand.ruleset.counted_pips == "all_on_block" and facts.ended_by == "block":
        return [at for side in sides for at in _unknown_of_side(side, hand)]
    found = [at for side in sides if side != winner for at in _unknown_of_side(side, hand)]
    if hand.ruleset.counted_pips != "all_others":
        return found
    if seat is None and facts.ended_by == "domino":
        return found + _unknown_of_side(winner, hand)
    if seat is None and hand.score.winner_by == "stated":
        found += _lacked_to_derive_winner(hand)
    pips = pips_by_seat(facts)
    of_side = seats_of(winner, hand.mode, len(pips))
    return found + [f"leftover.{other}" for other in of_side if other != seat and pips[other] is None]


def _unknown_of_side(side: int, hand: _ScoredHand) -> list[str]:
    """The facts that would give the pips of a side: one seat's pips, or the side's total. None if they are known."""
    pips = pips_by_seat(hand.facts)
    if pips_by_side(hand.facts, pips, hand.mode)[side] is not None:
        return []
    seats = seats_of(side, hand.mode, len(pips))
    unknown = [seat for seat in seats if pips[seat] is None]
    return [f"side_leftover.{side}"] if len(unknown) > 1 else [f"leftover.{seat}" for seat in unknown]


def _lacked_by_capicua(hand: _ScoredHand) -> list[str]:
    closing, ruleset = hand.facts.closing, hand.ruleset
    made = closing.fits_both_ends if ruleset.capicua == "fits_both_ends" else closing.ends_equal
    found = [f"ended.{ruleset.capicua}"] if made is None else []
    return [*found, "ended.tile"] if ruleset.capicua_void_on and closing.tile is None else found


def _lacked_by_capicua_doubled(hand: _ScoredHand) -> list[str]:
    capicua = _lacked_by_capicua(hand) if hand.score.capicua is None else []
    return [*capicua, *(_lacked_by_leftover(hand) if "leftover" in hand.score.not_judged else [])]


def _lacked_by_ending(hand: _ScoredHand) -> list[str]:
    points = hand.ruleset.ending
    assert points is not None, "the ruleset has points for endings"
    lacked = [] if hand.facts.ended_by == "block" else facts_that_would_tell(hand.facts.closing, points)
    return [*_lacked_for_winner(hand), *(f"ended.{fact}" for fact in lacked)]


def _if_unknown(at: str, known: Callable[[HandFacts], object]) -> Callable[[_ScoredHand], list[str]]:
    return lambda hand: [at] if known(hand.facts) is None else []


def _always_known(_: _ScoredHand) -> list[str]:
    return []


_OF_RULE: dict[str, Callable[[_ScoredHand], list[str]]] = {
    "capicua": _lacked_by_capicua,
    "capicua_doubled": _lacked_by_capicua_doubled,
    "ending": _lacked_by_ending,
    "key_bone": _if_unknown("ended.fits_both_ends", lambda facts: facts.closing.fits_both_ends),
}
"""Rules that need a fact about the closing tile other than the tile itself."""

OF_FACT: dict[HandFact, Callable[[_ScoredHand], list[str]]] = {
    "closing": _if_unknown("ended.tile", lambda facts: facts.closing.tile),
    "corrido": _if_unknown("passes.corridos", lambda facts: facts.corridos),
    "drew": _if_unknown("passes.drew", lambda facts: facts.drew),
    "hand": _always_known,
    "leftover": _lacked_by_leftover,
    "locker": _always_known,  # if it is needed, `winning_seat` covers it
    "opening_pass": _if_unknown("passes.opening_pass", lambda facts: facts.opening_pass),
    "score_before": _always_known,
    "starter": _if_unknown("starter", lambda facts: facts.starter),
    "went_out": _always_known,
    "winning_seat": _lacked_for_winner,
}
"""A function for each fact that a term rests on. It returns the paths of the unknown fields behind the fact."""
