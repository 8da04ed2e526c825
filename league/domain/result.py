"""The result of a match: the facts of its hands, scored in order under one ruleset.

`score_in_place` scores a hand that is not recorded yet, as if it were the one with a given number.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.hand import HandContext, HandFacts
from league.domain.hand_faults import checked
from league.domain.rules import Competition, Mode, Ruleset
from league.domain.scoring import HandScore, score_hand
from league.domain.seating import side_of, sides_of
from league.domain.sentences import Sentence, say
from league.domain.tiles import Tile

Status = Literal["completed", "cut_short", "forfeited", "announced", "voided", "open", "pending"]

STATUS_WORDS: Mapping[str, Sentence] = {
    # Translators: the states of a match. Every page and every table uses these words.
    "open": say("in play"),
    "pending": say("to be confirmed"),
    "completed": say("finished"),
    "cut_short": say("cut short"),
    "forfeited": say("forfeited"),
    "announced": say("result only"),
    "voided": say("voided"),
}
"""The word for each status of a match, the same on pages, in tables, pictures and messages."""


class AnnouncedResult(Struct, frozen=True, forbid_unknown_fields=True):
    """The result that the table announced. It is the result of a match without hands, and otherwise evidence."""

    winner: int
    score: tuple[int, ...] | None = None


class Achievements(Struct, frozen=True, gc=False):
    """Counts of the winning side's feats in a match. The Domino Score and the badges read them."""

    pollona: bool = False
    viajeras: int = 0
    capicuas: int = 0
    capicuas_blocking: int = 0
    trailed_by: int = 0
    """The largest deficit of the winner at the end of a hand, in match points."""
    blocks_won: int = 0
    critical_block: bool = False


class PlayerTally(Struct, frozen=True, gc=False, array_like=True):
    """Counts of a player's feats in a match, whether the player won it or not."""

    hands_won: int = 0
    """Hands that the player's side won."""
    hands_won_by_block: int = 0
    """Hands that the player's side won by a block."""
    capicuas: int = 0
    viajeras: int = 0
    blocks: int = 0
    """Hands won by a block that is credited to this seat."""


class ScoredMatch(Struct, frozen=True, gc=False):
    """The result of a match under one ruleset. An open match has one too."""

    hands: tuple[HandScore, ...]
    score: tuple[int, ...] | None
    winner: int | None
    status: Status
    last_hand: int | None = None
    """The number of the hand that met the end condition."""
    achievements: Achievements = Achievements()
    terms: tuple[tuple[int, str, int], ...] = ()
    """Points that belong to the final score but to no hand: side, rule, points."""
    not_judged: tuple[str, ...] = ()
    """Terms of the rating's modifier that needed an unknown fact."""
    tallies: tuple[PlayerTally, ...] = ()
    """The tally of each seat; empty if the match has no achievements."""


class MatchFacts(Struct, frozen=True, gc=False):
    """The current facts of a match."""

    ruleset: str
    mode: Mode
    competition: Competition
    seats: tuple[str, ...]
    starting_draw: tuple[Tile, ...] | None
    began_at: datetime
    hands: tuple[HandFacts, ...] = ()
    ended_at: datetime | None = None
    announced: AnnouncedResult | None = None
    forfeited_by: int | None = None
    voided: bool = False
    pending: bool = False
    """Whether it has ended and awaits confirmation."""
    confirmed_at: datetime | None = None
    """The time of its confirmation, if it needed one."""

    @property
    def decided_at(self) -> datetime | None:
        """The time at which it was decided: its confirmation if it needed one, otherwise its end; None before."""
        return None if self.pending else self.confirmed_at or self.ended_at

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """The player ids by side."""
        return sides_of(self.mode, self.seats)


def result_of(match: MatchFacts, ruleset: Ruleset) -> ScoredMatch:
    """Score the hands in order, find the end, and determine who won and how.

    A pending match has the winner that it will have once it is confirmed.
    """
    result = _result_of(match, ruleset)
    return replace(result, status="pending") if match.pending and result.winner is not None else result


def _result_of(match: MatchFacts, ruleset: Ruleset) -> ScoredMatch:
    count = len(match.sides)
    hands, standing = _score_hands(match, ruleset, count)
    score = None if ruleset.scoring == "row" else standing.score
    if match.voided:
        return ScoredMatch(tuple(hands), None, None, "voided")
    if match.forfeited_by is not None:
        return _forfeited(match, ruleset, hands, standing)
    if match.ended_at is None:
        return ScoredMatch(tuple(hands), score, None, "open", standing.last_hand)
    if not hands:
        return _announced(match, ruleset)
    winner = standing.leader()
    if winner is None:
        return ScoredMatch(tuple(hands), score, None, "open", standing.last_hand)
    terms: tuple[tuple[int, str, int], ...] = ()
    bonus = ruleset.bonuses.shutout
    shut_out = score is not None and all(points == 0 for side, points in enumerate(score) if side != winner)
    shut_out = shut_out and not _score_unknown(hands)
    if score is not None and ruleset.scoring == "points" and ruleset.shutout == "per_match" and bonus and shut_out:
        terms = ((winner, "shutout", bonus),)
        score = tuple(points + bonus if side == winner else points for side, points in enumerate(score))
    achievements, not_judged = _achievements(match, ruleset, hands, winner)
    status: Status = "cut_short" if standing.last_hand is None else "completed"
    tallies = _tallies(match, ruleset, hands)
    return ScoredMatch(
        tuple(hands), score, winner, status, standing.last_hand, achievements, terms, not_judged, tallies
    )


def _forfeited(match: MatchFacts, ruleset: Ruleset, hands: list[HandScore], standing: "_RunningScore") -> ScoredMatch:
    """The result of a match that a side gave up. Its score is the played one, or without hands the announced one.

    It has no achievements and no terms.
    """
    score = None if ruleset.scoring == "row" else standing.score
    if not hands and score is not None:
        score = None if match.announced is None else match.announced.score
    winner = _winner_of_forfeit(match, score, standing)
    if winner is None:
        return ScoredMatch(tuple(hands), None, None, "voided")
    return ScoredMatch(tuple(hands), score, winner, "forfeited")


def _winner_of_forfeit(match: MatchFacts, score: tuple[int, ...] | None, standing: "_RunningScore") -> int | None:
    """The side that did not give up. Among several individuals it is the one that leads; None if no one leads."""
    others = [side for side in range(len(match.sides)) if side != match.forfeited_by]
    if len(others) == 1:
        return others[0]
    if match.hands:
        return standing.leader(others)
    announced = None if match.announced is None else match.announced.winner
    best = others if score is None else _highest(score, others)
    return best[0] if len(best) == 1 else announced if announced in best else None


def _highest(score: Sequence[int], among: Sequence[int]) -> list[int]:
    """The sides with the highest score among `among`."""
    most = max(score[side] for side in among)
    return [side for side in among if score[side] == most]


def _tallies(match: MatchFacts, ruleset: Ruleset, hands: list[HandScore]) -> tuple[PlayerTally, ...]:
    """The tally of each seat. Hands won count for every seat of the side; feats count for the credited seat only."""
    seats = range(len(match.seats))
    won, won_by_block = [0] * len(seats), [0] * len(seats)  # by side
    capicuas, viajeras, blocks = [0] * len(seats), [0] * len(seats), [0] * len(seats)
    viajera_from = ruleset.viajera_from if has_viajera(ruleset) else None
    for facts, hand in zip(match.hands, hands, strict=True):
        if hand.counted and hand.winner is not None:
            by_block = hand.ended_by == "block"
            won[hand.winner] += 1
            won_by_block[hand.winner] += by_block
            credited = _credited(facts, hand, match.mode)
            if credited is not None:
                capicuas[credited] += bool(hand.capicua)
                viajeras[credited] += viajera_from is not None and (hand.viajera_pips or 0) >= viajera_from
                blocks[credited] += by_block
    sides = [side_of(seat, match.mode) for seat in seats]
    return tuple(
        PlayerTally(won[side], won_by_block[side], capicuas[seat], viajeras[seat], blocks[seat])
        for seat, side in enumerate(sides)
    )


def has_viajera(ruleset: Ruleset) -> bool:
    """Whether the ruleset knows a viajera: it needs hands that score pips."""
    return ruleset.scoring == "points" and ruleset.hand_points == "pips"


def _credited(facts: HandFacts, hand: HandScore, mode: Mode) -> int | None:
    """The seat that is credited with how a hand was won; None if only the winning side is known.

    It is the seat that went out; in a block, the locker if its side won, otherwise the winning seat.
    """
    locked_by_winner = facts.seat is not None and side_of(facts.seat, mode) == hand.winner
    return facts.seat if locked_by_winner else hand.winning_seat


def _announced(match: MatchFacts, ruleset: Ruleset) -> ScoredMatch:
    """The result of a match without hands. Rules that need hands award nothing and are listed as not judged."""
    if match.announced is None:
        return ScoredMatch((), None, None, "open")
    winner, score = match.announced.winner, match.announced.score
    if ruleset.scoring == "row":
        score = None
    shut_out = ruleset.scoring == "points" and score is not None
    pollona = shut_out and all(p == 0 for side, p in enumerate(score or ()) if side != winner)
    need_hands = _OF_HANDS_WITH_POINTS if ruleset.scoring == "points" else _OF_HANDS
    viajera = ("viajera",) if has_viajera(ruleset) else ()
    no_score = ("differential", "pollona") if ruleset.scoring == "points" and score is None else ()
    return ScoredMatch(
        (), score, winner, "announced", None, Achievements(pollona=pollona), (), (*no_score, *viajera, *need_hands)
    )


_OF_HANDS = ("capicua", "capicua_blocks", "block_won", "critical_block")
_OF_HANDS_WITH_POINTS = ("capicua", "capicua_blocks", "recovery", "block_won", "critical_block")


def score_after(score: Sequence[int], points: Sequence[int], rules: Iterable[str]) -> tuple[int, ...]:
    """The score of each side after a hand with these points. If `rules` has `reset`, the score is set to 0 first."""
    before = (0,) * len(score) if "reset" in rules else score
    return tuple([have + won for have, won in zip(before, points, strict=True)])


class _RunningScore:
    """The score of a match, updated hand by hand."""

    def __init__(self, ruleset: Ruleset, sides: int) -> None:
        self.ruleset = ruleset
        self.score: tuple[int, ...] = (0,) * sides
        self.row: tuple[int | None, int] = (None, 0)
        """With scoring `row`: the side that won the last hands in a row, and how many."""
        self.latest_winner: dict[int, int] = {}
        """The number of the last hand that each side won."""
        self.last_hand: int | None = None

    def add(self, number: int, hand: HandScore) -> None:
        self.score = score_after(self.score, hand.points, [term.rule for term in hand.terms])
        if hand.winner is None:
            self.row = (None, 0)
        else:
            side, length = self.row
            self.row = (hand.winner, length + 1 if side == hand.winner else 1)
            self.latest_winner[hand.winner] = number
        reached = self.row[1] if self.ruleset.scoring == "row" else max(self.score)
        # If sides reach the target level and no hand was ever won, no side leads, so play goes on.
        if reached >= self.ruleset.target and self.leader() is not None:
            self.last_hand = number

    def leader(self, among: Sequence[int] | None = None) -> int | None:
        """The side with the highest score, or the current row; at equal scores the one that won the latest hand.

        `among`: consider only these sides; None: all.
        """
        sides = range(len(self.score)) if among is None else among
        if self.ruleset.scoring == "row":
            if self.row[0] is not None and self.row[0] in sides:
                return self.row[0]
            best = [*sides]
        else:
            best = _highest(self.score, sides)
            if len(best) == 1:
                return best[0]
        winners = [side for side in best if side in self.latest_winner]
        return max(winners, key=lambda side: self.latest_winner[side], default=None)


def _score_hands(match: MatchFacts, ruleset: Ruleset, sides: int) -> tuple[list[HandScore], _RunningScore]:
    standing = _RunningScore(ruleset, sides)
    scored: list[HandScore] = []
    last_winner: int | None = None
    last_winner_known = True
    for number, facts in enumerate(match.hands, 1):
        before = HandContext(number, standing.score, last_winner, last_winner_known, match.starting_draw)
        hand = score_hand(facts, ruleset, match.mode, before)
        if standing.last_hand is not None:
            hand = replace(hand, points=(0,) * sides, terms=(), not_judged=(), counted=False)
        else:
            standing.add(number, hand)
            if hand.winner is not None or not hand.winner_known:
                last_winner, last_winner_known = hand.winner, hand.winner_known
        scored.append(hand)
    return scored, standing


SCORED_FOR_THE_END = frozenset(("leftover", "capicua_doubled", "ending"))
"""The terms that the winner earns by the end of a hand. While one is unknown the score is only a lower bound."""

SCORE_TERMS = ("differential", "pollona", "recovery")
"""The terms of the modifier that read the score."""


def _score_unknown(hands: list[HandScore]) -> bool:
    """Whether what a won hand scored for its end is not known, so that the score is not known either."""
    return any(
        hand.counted and hand.winner is not None and not SCORED_FOR_THE_END.isdisjoint(hand.not_judged)
        for hand in hands
    )


def _achievements(
    match: MatchFacts, ruleset: Ruleset, hands: list[HandScore], winner: int
) -> tuple[Achievements, tuple[str, ...]]:
    """The winner's feats (Cuban text, Special Scenarios; CDS text 3), and the terms that could not be judged."""
    points, known = ruleset.scoring == "points", not _score_unknown(hands)
    counted = [(facts, hand) for facts, hand in zip(match.hands, hands, strict=True) if hand.counted]
    won = [(facts, hand) for facts, hand in counted if hand.winner == winner]
    capicuas = [facts for facts, hand in won if hand.capicua]
    score, trailed_by = [0] * len(match.sides), 0
    for _, hand in counted:
        for side, more in enumerate(hand.points):
            score[side] += more
        trailed_by = max(trailed_by, max(score) - score[winner])
    last, last_score = counted[-1]
    closed = last.ended_by == "block" and last_score.winner == winner
    unknown = {
        "viajera": has_viajera(ruleset)
        and any(hand.viajera_pips is None for _, hand in counted if hand.winner in (winner, None)),
        "capicua": any(hand.capicua is None for _, hand in won),
        "capicua_blocks": any(facts.closing.blocks_too is None for facts in capicuas),
        "critical_block": closed and last.seat is None,
        **dict.fromkeys(SCORE_TERMS, points and not known),
    }
    achievements = Achievements(
        pollona=points and known and all(have == 0 for side, have in enumerate(score) if side != winner),
        viajeras=sum((hand.viajera_pips or 0) >= ruleset.viajera_from for _, hand in won)
        if has_viajera(ruleset)
        else 0,
        capicuas=len(capicuas),
        capicuas_blocking=sum(bool(facts.closing.blocks_too) for facts in capicuas),
        trailed_by=trailed_by if points and known else 0,
        blocks_won=sum(hand.ended_by == "block" for _, hand in won),
        critical_block=closed and last.seat is not None and side_of(last.seat, match.mode) == winner,
    )
    return achievements, tuple(rule for rule, is_unknown in unknown.items() if is_unknown)


class ScoredInPlace(Struct, frozen=True):
    """A hand with its score at its place in a match."""

    facts: HandFacts
    score: HandScore
    before: tuple[int, ...]
    """The score of each side before the hand."""


def score_in_place(facts: HandFacts, hand: int, played: MatchFacts, ruleset: Ruleset) -> ScoredInPlace:
    """Score a hand as hand number `hand` of a match, after the earlier hands. Raises InvalidInput or Faults."""
    return score_recorded(checked(facts, ruleset, played.mode, len(played.seats)), hand, played, ruleset)


def score_recorded(facts: HandFacts, hand: int, played: MatchFacts, ruleset: Ruleset) -> ScoredInPlace:
    """Score a hand as `score_in_place` does, from facts that the log has: they are complete and were checked."""
    earlier = played.hands[: hand - 1]
    before = result_of(_open(played, earlier), ruleset).score or (0,) * len(played.sides)
    score = result_of(_open(played, (*earlier, facts)), ruleset).hands[-1]
    return ScoredInPlace(facts, score, before)


def match_after(facts: HandFacts, number: int, played: MatchFacts, ruleset: Ruleset) -> ScoredMatch:
    """The result of a match once a hand is stored, as its next hand or in place of a recorded one.

    The facts are complete and were checked. An open match has ended if the hands end it.
    """
    after = replace(played, hands=(*played.hands[: number - 1], facts, *played.hands[number:]))
    result = result_of(after, ruleset)
    if played.ended_at is None and result.last_hand is not None:
        return result_of(replace(after, ended_at=played.began_at), ruleset)
    return result


def _open(played: MatchFacts, hands: Sequence[HandFacts]) -> MatchFacts:
    """The match with these hands, open unless the hands end it."""
    return replace(
        played, hands=tuple(hands), ended_at=None, announced=None, forfeited_by=None, voided=False, pending=False
    )
