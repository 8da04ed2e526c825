"""Why a hand scored what it did: its terms by side, the rules and facts behind them, and how it was recorded."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from league.domain.clauses import BLOCK, BLOCK_SETTINGS, HAND_TERMS, LEFTOVER, Clause, family_of
from league.domain.competitor import competitor_of
from league.domain.hand import HandFacts
from league.domain.match import BonusRecorded, ClosingTile, HandCorrected, HandTranscribed, OpeningPass, PaseCorrido
from league.domain.refusals import NotFound
from league.domain.result import Played, score_after
from league.domain.rules import Rulebook
from league.domain.seating import side_of
from league.explanations.corrections import corrections_of
from league.explanations.explanation import Basis, Explanation, Fact, Term, facts, settings_of
from league.explanations.hand_facts import closing_facts, facts_of_hand, leftover_fact, seat_fact, tiles_in_words
from league.projections.queries.editions import read_rulebook
from league.projections.queries.matches import hands_by_match, matches_by_id
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.stories import Story, Told, story_of
from league.wording.reasons import HAND_TERMS as WORDS

BY_CLOSING_TILE = ("double_out", "capicua", "chuchazo", "key_bone")
"""Terms that rest on the last tile."""
FORMULA = "the points of a side are the sum of its terms"


def explain_hand(snapshot: Snapshot, match: str, number: int) -> Explanation:
    """Why hand `number` of a match scored what it did; of a voided match that it scores nothing. Raises NotFound."""
    story = story_of(snapshot, match)
    played = story.state.played
    if played is None:
        raise NotFound("match", "match", match)
    if not 1 <= number <= len(played.hands):
        raise NotFound("hand", f"hand in match {match}, which has {len(played.hands)}:", str(number))
    edition = matches_by_id(snapshot, [match])[match].edition
    if played.voided:
        return _voided_hand(story, played, match, number, edition)
    scored = hands_by_match(snapshot, [match])[match]
    row = scored[number - 1]
    hand = _Hand(story, played, row, scored[: number - 1], read_rulebook(snapshot, edition))
    points = "-".join(map(str, row.points))
    counted = "" if row.counted else "; the match had ended before, so it counts for nothing"
    return Explanation(
        kind="hand",
        statement=f"Hand {number} of match {match} ({row.ruleset}) scored {points}{counted}.",
        value=None,
        unit="points",
        formula=FORMULA,
        edition=edition,
        terms=hand.terms(),
        facts=hand.facts(),
        corrections=tuple(corrections_of(story, number)),
        events=tuple(told.entry for told in hand.told),
        not_judged=tuple(row.not_judged),
    )


def _voided_hand(story: Story, played: Played, match: str, number: int, edition: str) -> Explanation:
    corrections = tuple(corrections_of(story, number))
    told = [told.entry for told in story.of_hand(number)]
    voided = [one.entry for one in corrections if one.entry not in told]
    return Explanation(
        kind="hand",
        statement=f"Hand {number} of match {match} ({played.ruleset}) scores nothing: the match was voided.",
        value=None,
        unit="points",
        formula=FORMULA,
        edition=edition,
        terms=(),
        facts=(*seat_facts(played), *facts_of_hand(played.hands[number - 1], played.seats)),
        corrections=corrections,
        events=(*told, *voided),
    )


def seat_facts(played: Played) -> tuple[Fact, ...]:
    """Who sat where."""
    return tuple(
        Fact(f"seat {seat}", f"side {side_of(seat, played.mode)}", player) for seat, player in enumerate(played.seats)
    )


class _Hand:
    """A scored hand, with all that its terms are explained by."""

    def __init__(
        self, story: Story, played: Played, row: Row[Any], before: Sequence[Row[Any]], rulebook: Rulebook
    ) -> None:
        self.played, self.row, self.rulebook = played, row, rulebook
        self.ruleset = rulebook.rulesets[played.ruleset]
        self.known: HandFacts = played.hands[row.hand - 1]
        self.told = tuple(story.of_hand(row.hand))
        self.score = score_before(before, len(row.points))

    def terms(self) -> tuple[Term, ...]:
        corridos = 0
        terms = []
        for side, rule, points in self.row.terms:
            terms.append(self._term(side, rule, points, corridos))
            corridos += rule == "pase_corrido"
        return tuple(terms)

    def facts(self) -> tuple[Fact, ...]:
        """Who sat where, what happened, and what was dealt where every turn is known."""
        transcript, seats = self._transcript(), self.played.seats
        dealt = () if transcript is None else transcript.event.transcript.dealt  # type: ignore[union-attr]  # as found
        return (
            *seat_facts(self.played),
            *facts_of_hand(self.known, seats),
            seat_fact("winning_seat", self.row.winning_seat, seats, "nobody"),
            *facts(score_before="-".join(map(str, self.score))),
            *(Fact(f"dealt to seat {seat}", tiles_in_words(tiles), seats[seat]) for seat, tiles in enumerate(dealt)),
        )

    def _term(self, side: int, rule: str, points: int, corridos: int) -> Term:
        clause = self._clause(rule)
        return Term(
            name=rule,
            value=points,
            unit="points",
            text=WORDS[rule],
            clause=clause.section,
            settings=settings_of(self.rulebook, clause, ("rulesets", self.played.ruleset)),
            facts=self._facts_of(rule, corridos),
            because=(Basis(self.row.match_id, self.row.hand, self._position(rule, corridos)),),
            side=side,
            of=competitor_of(self.played.sides[side]),
        )

    def _clause(self, rule: str) -> Clause:
        clause, family = HAND_TERMS[rule], family_of(self.played.ruleset)
        section = LEFTOVER[family] if rule == "leftover" else clause.section
        if self.known.ended_by == "domino" or rule in ("opening_pass", "pase_corrido"):
            return Clause(section, clause.settings)
        return Clause(f"{section}; {BLOCK[family]}", (*clause.settings, *BLOCK_SETTINGS))

    def _facts_of(self, rule: str, corridos: int) -> tuple[Fact, ...]:  # noqa: PLR0911  # one return for each rule
        known, seats = self.known, self.played.seats
        won = seat_fact("winning_seat", self.row.winning_seat, seats, "nobody")
        match rule:
            case "leftover":
                return tuple(leftover_fact(f"seat {seat}", known, seat, seats) for seat in self._counted_seats())
            case "first_hand" | "round_bonus":
                return (*facts(hand=self.row.hand), won)
            case "domino_without_draw":
                return (seat_fact("went_out", known.seat, seats), *facts(drew=known.drew))
            case "block_won":
                return (seat_fact("locker", known.seat, seats), won)
            case "opening_pass":
                return (seat_fact("starter", known.starter, seats), *facts(opening_pass=known.opening_pass))
            case "pase_corrido":
                return (seat_fact("by", None if known.corridos is None else known.corridos[corridos], seats),)
            case "reset" | "hand_won":
                return (*facts(score_before="-".join(map(str, self.score))), won)
            case "shutout":
                return (won,)
        return closing_facts(known)

    def _position(self, rule: str, corridos: int) -> int:
        """Of the event that says the fact which a term rests on; a correction says all facts anew."""
        position: int = self.row.position
        if any(isinstance(told.event, HandCorrected) for told in self.told):
            return position
        bonuses = [told for told in self.told if isinstance(told.event, BonusRecorded)]
        if rule in BY_CLOSING_TILE:
            return next((at for at in _positions(bonuses, ClosingTile)), position)
        if rule == "opening_pass":
            return next((at for at in _positions(bonuses, OpeningPass)), position)
        if rule == "pase_corrido":
            return _positions(bonuses, PaseCorrido)[corridos]
        return position

    def _counted_seats(self) -> list[int]:
        everybody, mode = self.ruleset.counted_pips == "all_others", self.played.mode
        return [
            seat
            for seat in range(len(self.known.leftover))
            if seat != self.row.winning_seat and (everybody or side_of(seat, mode) != self.row.winner)
        ]

    def _transcript(self) -> Told | None:
        """The last one, unless a correction has made it void."""
        for told in reversed(self.told):
            if isinstance(told.event, HandCorrected):
                return None
            if isinstance(told.event, HandTranscribed):
                return told
        return None


def score_before(hands: Sequence[Row[Any]], sides: int) -> tuple[int, ...]:
    """The score by side after these hands."""
    score = (0,) * sides
    for row in hands:
        score = score_after(score, row.points, [rule for _, rule, _ in row.terms])
    return score


def _positions(bonuses: Sequence[Told], kind: type[Any]) -> list[int]:
    return [
        told.entry.position
        for told in bonuses
        if isinstance(told.event, BonusRecorded) and isinstance(told.event.bonus, kind)
    ]
