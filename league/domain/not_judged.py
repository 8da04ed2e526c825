"""What the rules did not judge in a match: the rule, and the fact that it needed or that it had no use for."""

from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from league.domain.bonuses import HAND_TERMS, HandFact
from league.domain.hand import HandFacts, held_pips
from league.domain.result import Played, Result
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import HandScore
from league.domain.seating import side_of

Why = Literal["unknown", "not_played", "facts_hold", "after_end"]
"""The rule needs a fact that is not known; the ruleset does not play the rule; the facts say something else; the hand
came after the end of the match."""

WINNER, ANNOUNCED, HAND = "winner", "announced", "hand"
"""What `NotJudged` names beside the terms of a hand and of the rating's modifier."""
LAST_BLOCK = "critical_block"
"""The term of the modifier that only the end of the match judges."""


class NotJudged(Struct, frozen=True):
    """Something that was not judged."""

    rule: str
    """A term of a hand or of the rating's modifier, or `WINNER`, `ANNOUNCED` or `HAND`."""
    why: Why
    at: str | None
    """The path of the fact: within the hand, such as `ended.locker` or `leftover.1`, or within the match."""
    hand: int | None = None
    """The number of the hand; None: the match as a whole."""


class _Scored(Struct, frozen=True):
    """A hand with its score."""

    facts: HandFacts
    ruleset: Ruleset
    mode: Mode
    score: HandScore


def not_judged_in_hand(
    facts: HandFacts, ruleset: Ruleset, mode: Mode, score: HandScore, number: int | None = None
) -> list[NotJudged]:
    """What was not judged in one hand."""
    if not score.counted:
        return [NotJudged(HAND, "after_end", None, number)]
    hand = _Scored(facts, ruleset, mode, score)
    found = [NotJudged(WINNER, "unknown", at, number) for at in _lacked_for_winner(hand)]
    for rule in score.not_judged:
        found += [NotJudged(rule, "unknown", at, number) for at in _lacked_by(rule, hand)]
    if score.capicua and facts.closing.blocks_too is None:
        found.append(NotJudged("capicua_blocks", "unknown", "ended.blocks_too", number))
    found += [NotJudged(rule, "not_played", at, number) for rule, at in _not_played(facts, ruleset)]
    return found


def not_judged_in_match(match: Played, ruleset: Ruleset, result: Result) -> list[NotJudged]:
    """What was not judged in a match: in each hand, in its end, and in what was announced."""
    found: list[NotJudged] = []
    for number, (facts, score) in enumerate(zip(match.hands, result.hands, strict=True), 1):
        found += not_judged_in_hand(facts, ruleset, match.mode, score, number)
    if result.status == "announced":
        found += [
            NotJudged(rule, "unknown", "announced.score" if rule in ("differential", "pollona") else None)
            for rule in result.not_judged
        ]
    elif LAST_BLOCK in result.not_judged:
        found.append(NotJudged(LAST_BLOCK, "unknown", "ended.locker", _last_counted(result)))
    announced = match.announced
    if announced is not None and match.hands and result.winner is not None:
        if announced.winner != result.winner:
            found.append(NotJudged(ANNOUNCED, "facts_hold", "announced.winner"))
        if announced.score is not None and result.score is not None and announced.score != result.score:
            found.append(NotJudged(ANNOUNCED, "facts_hold", "announced.score"))
    return found


def _last_counted(result: Result) -> int:
    return max(number for number, hand in enumerate(result.hands, 1) if hand.counted)


def _not_played(facts: HandFacts, ruleset: Ruleset) -> Iterator[tuple[str, str]]:
    """Recorded bonuses that the ruleset does not play."""
    if facts.opening_pass and ruleset.bonuses.opening_pass is None:
        yield "opening_pass", "passes.opening_pass"
    if facts.corridos and ruleset.bonuses.pase_corrido is None:
        yield "pase_corrido", "passes.corridos"


# ---------------------------------------------------------------- what a rule needs and did not get


def _lacked_by(rule: str, hand: _Scored) -> list[str]:
    """The paths of the unknown facts that a rule needs."""
    if rule in _OF_RULE:
        found = _OF_RULE[rule](hand)
    else:
        found = [at for fact in HAND_TERMS[rule].facts for at in OF_FACT[fact](hand)]
    return list(dict.fromkeys(found))


def _lacked_for_winner(hand: _Scored) -> list[str]:
    """The unknown facts that would name the winner of a block."""
    facts, ruleset = hand.facts, hand.ruleset
    if hand.score.winner is not None or facts.ended_by == "domino":
        return []
    duel = ruleset.block_winner == "locker_vs_next"
    if duel and facts.seat is None:
        return ["ended.locker"]
    seats = range(len(facts.leftover))
    compared = [facts.seat, ((facts.seat or 0) + 1) % len(seats)] if duel else seats
    unknown = [f"leftover.{seat}" for seat in compared if seat is not None and held_pips(facts.leftover[seat]) is None]
    if unknown:
        return unknown
    # The pips are equal: the rule for ties needs to know a seat.
    of_tie = {"no_score": [], "locker": ["ended.locker"]}
    return of_tie.get(ruleset.block_tie, ["starter"])


def _lacked_by_leftover(hand: _Scored) -> list[str]:
    """The unknown seats whose pips count."""
    if hand.score.winner is None:
        return _lacked_for_winner(hand)
    everybody = hand.ruleset.counted_pips == "all_others"
    return [
        f"leftover.{seat}"
        for seat, held in enumerate(hand.facts.leftover)
        if held is None
        and seat != hand.score.winning_seat
        and (everybody or side_of(seat, hand.mode) != hand.score.winner)
    ]


def _lacked_by_capicua(hand: _Scored) -> list[str]:
    closing, ruleset = hand.facts.closing, hand.ruleset
    made = closing.fits_both_ends if ruleset.capicua == "fits_both_ends" else closing.ends_equal
    found = [f"ended.{ruleset.capicua}"] if made is None else []
    return [*found, "ended.tile"] if ruleset.capicua_void_on and closing.tile is None else found


def _if_unknown(at: str, known: Callable[[HandFacts], object]) -> Callable[[_Scored], list[str]]:
    return lambda hand: [at] if known(hand.facts) is None else []


def _always_known(_: _Scored) -> list[str]:
    return []


_OF_RULE: dict[str, Callable[[_Scored], list[str]]] = {
    "capicua": _lacked_by_capicua,
    "key_bone": _if_unknown("ended.fits_both_ends", lambda facts: facts.closing.fits_both_ends),
}
"""Rules that need another fact of the closing tile than the tile."""

OF_FACT: dict[HandFact, Callable[[_Scored], list[str]]] = {
    "closing": _if_unknown("ended.tile", lambda facts: facts.closing.tile),
    "corrido": _if_unknown("passes.corridos", lambda facts: facts.corridos),
    "drew": _if_unknown("passes.drew", lambda facts: facts.drew),
    "hand": _always_known,
    "leftover": _lacked_by_leftover,
    "locker": _always_known,  # where it is needed, it names the winning seat
    "opening_pass": _if_unknown("passes.opening_pass", lambda facts: facts.opening_pass),
    "score_before": _always_known,
    "starter": _if_unknown("starter", lambda facts: facts.starter),
    "went_out": _always_known,
    "winning_seat": _lacked_for_winner,
}
"""By fact that a term rests on, which fields would have to be known."""
