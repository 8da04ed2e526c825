"""Why a hand scored what it did: its terms by side, the rules and facts behind them, and how it was recorded."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from league.clauses import BLOCK, BLOCK_SETTINGS, HAND_TERMS, LEFTOVER, Clause, family_of
from league.domain.hand import HandFacts, held_pips, side_of
from league.domain.match import BonusRecorded, ClosingTile, HandCorrected, HandTranscribed, OpeningPass, PaseCorrido
from league.domain.refusals import NotFound
from league.domain.result import Played
from league.domain.rules import Rulebook
from league.explanations.explanation import Basis, Explanation, Fact, Term, facts, settings_of
from league.projections.reads.editions import read_rulebook
from league.projections.reads.matches import hands_by_match, matches_by_id
from league.projections.reads.snapshot import Snapshot
from league.projections.reads.stories import Story, Told, story_of
from league.reasons import HAND_TERMS as WORDS

BY_CLOSING_TILE = ("double_out", "capicua", "chuchazo", "key_bone")
"""Terms that rest on the last tile."""


def explain_hand(snapshot: Snapshot, match: str, number: int) -> Explanation:
    """Why hand `number` of a match scored what it did. Raises NotFound; hands of a voided match score nothing."""
    scored = hands_by_match(snapshot, [match])[match]
    row = next((row for row in scored if row.hand == number), None)
    if row is None:
        raise NotFound("hand", "scored hand", f"{number} of {match}")
    story = story_of(snapshot, match)
    assert story.state.played is not None, "a scored hand was played"
    edition = matches_by_id(snapshot, [match])[match].edition
    hand = _Hand(story, story.state.played, row, scored[: number - 1], read_rulebook(snapshot, edition))
    points = "-".join(map(str, row.points))
    counted = "" if row.counted else "; the match had ended before, so it counts for nothing"
    return Explanation(
        kind="hand",
        statement=f"Hand {number} of match {match} ({row.ruleset}) scored {points}{counted}.",
        value=None,
        unit="points",
        formula="the points of a side are the sum of its terms",
        edition=edition,
        terms=hand.terms(),
        facts=hand.facts(),
        events=tuple(told.entry for told in hand.told),
        not_judged=tuple(row.not_judged),
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
        """What happened, and what was dealt where every turn is known."""
        known, transcript = self.known, self._transcript()
        dealt = () if transcript is None else transcript.event.transcript.dealt  # type: ignore[union-attr]  # as found
        how = "went out" if known.ended_by == "domino" else "locked it"
        return (
            *facts(starter=known.starter, ended_by=known.ended_by, **{how: known.seat}),
            *facts(winning_seat="nobody" if self.row.winning_seat is None else self.row.winning_seat),
            *facts(score_before="-".join(map(str, self.score)), **self._closing()),
            *facts(opening_pass=known.opening_pass, corridos=known.corridos, drew=known.drew),
            *(Fact(f"leftover of seat {seat}", self._held(seat)) for seat in range(len(known.leftover))),
            *(Fact(f"dealt to seat {seat}", _tiles(tiles)) for seat, tiles in enumerate(dealt)),
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
        )

    def _clause(self, rule: str) -> Clause:
        clause, family = HAND_TERMS[rule], family_of(self.played.ruleset)
        section = LEFTOVER[family] if rule == "leftover" else clause.section
        if self.known.ended_by == "domino" or rule in ("opening_pass", "pase_corrido"):
            return Clause(section, clause.settings)
        return Clause(f"{section}; {BLOCK[family]}", (*clause.settings, *BLOCK_SETTINGS))

    def _facts_of(self, rule: str, corridos: int) -> tuple[Fact, ...]:  # noqa: PLR0911  # one return for each rule
        known = self.known
        match rule:
            case "leftover":
                return tuple(Fact(f"seat {seat}", self._held(seat)) for seat in self._counted_seats())
            case "first_hand" | "round_bonus":
                return facts(hand=self.row.hand, winning_seat=self.row.winning_seat)
            case "domino_without_draw":
                return facts(went_out=known.seat, drew=known.drew)
            case "block_won":
                return facts(locker=known.seat, winning_seat=self.row.winning_seat)
            case "opening_pass":
                return facts(starter=known.starter, opening_pass=known.opening_pass)
            case "pase_corrido":
                return facts(seat=None if known.corridos is None else known.corridos[corridos])
            case "reset" | "hand_won":
                return facts(score_before="-".join(map(str, self.score)), winning_seat=self.row.winning_seat)
            case "shutout":
                return facts(winning_seat=self.row.winning_seat)
        return facts(**self._closing())

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

    def _held(self, seat: int) -> str:
        held = self.known.leftover[seat]
        pips = held_pips(held)
        if pips is None:
            return "not known"
        return f"{pips} pips" + (f": {_tiles(held)}" if isinstance(held, tuple) and held else "")

    def _closing(self) -> dict[str, Any]:
        closing = self.known.closing
        return {
            "closing_tile": None if closing.tile is None else _tiles((closing.tile,)),
            "fits_both_ends": closing.fits_both_ends,
            "ends_equal": closing.ends_equal,
            "blocks_too": closing.blocks_too,
        }

    def _transcript(self) -> Told | None:
        """The last one, unless a correction has made it void."""
        for told in reversed(self.told):
            if isinstance(told.event, HandCorrected):
                return None
            if isinstance(told.event, HandTranscribed):
                return told
        return None


def score_before(hands: Sequence[Row[Any]], sides: int) -> tuple[int, ...]:
    """The score by side after these hands; a reset sets it back first."""
    score = [0] * sides
    for row in hands:
        if any(rule == "reset" for _, rule, _ in row.terms):
            score = [0] * sides
        score = [have + more for have, more in zip(score, row.points, strict=True)]
    return tuple(score)


def _positions(bonuses: Sequence[Told], kind: type[Any]) -> list[int]:
    return [
        told.entry.position
        for told in bonuses
        if isinstance(told.event, BonusRecorded) and isinstance(told.event.bonus, kind)
    ]


def _tiles(tiles: Sequence[tuple[int, int]]) -> str:
    return " ".join(f"{low}-{high}" for low, high in tiles) or "none"
