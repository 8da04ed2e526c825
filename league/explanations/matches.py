"""Why a match ended as it did: what each hand gave to each side, and what was corrected."""

from collections.abc import Iterator, Sequence

from league.domain.bonuses import HAND_TERMS, Clause
from league.domain.refusals import NotFound
from league.domain.result import MatchFacts
from league.domain.rules import Rulebook
from league.domain.seating import competitor_of
from league.domain.sentences import say
from league.explanations.explanation import (
    Basis,
    Explanation,
    Message,
    Term,
    Value,
    facts,
    message,
    opponents,
    settings_of,
    sides,
)
from league.explanations.hands import SUM_BY_SIDE, corrections_of, score_before, seat_facts
from league.projections.queries.log import story_of
from league.projections.queries.matches import HandRow, MatchRow, hands_by_match, matches_by_id
from league.projections.queries.snapshot import Snapshot, read_rulebook

VOIDED = say("The match {sides} ({ruleset}, {mode}, {competition}) was voided: it counts for nothing.")
PENDING = say("The match {sides} ({ruleset}, {mode}, {competition}) has ended, and awaits confirmation.")
OPEN = say("The match {sides} ({ruleset}, {mode}, {competition}) is in play.")
WON = {
    ("completed", True): say("{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition})."),
    ("completed", False): say("{subject} won against {opponents} ({ruleset}, {mode}, {competition})."),
    ("cut_short", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); play was stopped early."
    ),
    ("cut_short", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); play was stopped early."
    ),
    ("forfeited", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); the other side gave up."
    ),
    ("forfeited", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); the other side gave up."
    ),
    ("forfeited_by_one", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); one of them gave up."
    ),
    ("forfeited_by_one", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); one of them gave up."
    ),
    ("announced", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); only the result was recorded."
    ),
    ("announced", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); only the result was recorded."
    ),
}
"""Statements about a decided match, by its status and whether it has a score."""


def explain_match(snapshot: Snapshot, match: str) -> Explanation:
    """How the score of a match came about, or that it was voided. Raises NotFound."""
    story = story_of(snapshot, match)
    played = story.state.played
    if played is None:
        raise NotFound("match", "match", match)
    row = matches_by_id(snapshot, [match])[match]
    scored = () if played.voided else hands_by_match(snapshot, [match])[match]
    hands = [hand for hand in scored if hand.counted]
    subject = None if row.winner is None else competitor_of(played.sides[row.winner])
    score = _Score(played, row, hands, read_rulebook(snapshot, row.edition))
    return Explanation(
        kind="match",
        subject=subject,
        statement=_statement(row, subject, score.title),
        value=None,
        unit=score.unit,
        formula=message(SUM_BY_SIDE, unit=score.unit),
        edition=row.edition,
        terms=tuple(score.terms()),
        facts=(
            *seat_facts(played),
            *facts(ruleset=row.ruleset, mode=row.mode, competition=row.competition, status=row.status),
            *facts(began_at=row.began_at.isoformat(), hands=len(played.hands)),
        ),
        corrections=tuple(corrections_of(story)),
        events=tuple(event.entry for event in story.events),
        not_judged=tuple(row.not_judged),
    )


def _statement(row: MatchRow, winner: str | None, ruleset: str) -> Message:
    of: dict[str, Value] = {
        "match": row.match_id,
        "ruleset": ruleset,
        "mode": row.mode,
        "competition": row.competition,
    }
    if winner is None or row.winner is None:
        of["sides"] = sides(row.mode, row.seats)
        return message(VOIDED if row.status == "voided" else OPEN, **of)
    if row.status == "pending":
        return message(PENDING, sides=sides(row.mode, row.seats), **of)
    others = [points for side, points in enumerate(row.score or ()) if side != row.winner]
    score = None if row.score is None else (row.score[row.winner], *others)
    of["opponents"] = opponents(row.mode, row.seats, winner)
    # One of several individuals gave up.
    among = "forfeited_by_one" if row.status == "forfeited" and row.mode == "individuals" else row.status
    return message(WON[among, score is not None], subject=winner, score=score, **of)


class _Score:
    """How the score of a match came about."""

    def __init__(self, played: MatchFacts, row: MatchRow, hands: Sequence[HandRow], rulebook: Rulebook) -> None:
        self.played, self.row, self.hands, self.rulebook = played, row, hands, rulebook
        ruleset = rulebook.rulesets[row.ruleset]
        self.title, self.counts_hands = ruleset.title, ruleset.scoring == "row"
        self.unit = say("hands won") if self.counts_hands else say("points")

    def terms(self) -> Iterator[Term]:
        for number, hand in enumerate(self.hands):
            because = Basis(hand.match_id, hand.hand, hand.position)
            if any(rule == "reset" for _, rule, _ in hand.terms):
                before = score_before(self.hands[:number], len(hand.points))
                text = message(say("hand {hand}: {label}"), hand=hand.hand, label=HAND_TERMS["reset"].label)
                yield from self._by_side("reset", [-have for have in before], text, because)
            yield from self._by_side("hand", self._gained(hand), message(say("hand {hand}"), hand=hand.hand), because)
        if self.row.status in ("completed", "cut_short", "pending"):
            for side, rule, points in self.row.terms:
                yield self._term(rule, side, points, message(HAND_TERMS[rule].label), self._end())
        if self.row.status in ("announced", "forfeited", "pending") and not self.played.hands:
            yield from self._by_side(
                "announced", self.row.score or (), message(say("the score that the table announced")), self._end()
            )

    def _end(self) -> Basis | None:
        """The event that decided the match; None while it is pending."""
        return None if self.row.position is None else Basis(self.row.match_id, None, self.row.position)

    def _gained(self, hand: HandRow) -> Sequence[int]:
        """What a hand gave to each side. If the ruleset counts hands won in a row, a won hand counts 1."""
        points: Sequence[int] = hand.points
        return [int(side == hand.winner) for side in range(len(points))] if self.counts_hands else points

    def _by_side(self, name: str, points: Sequence[int], text: Message, because: Basis | None) -> Iterator[Term]:
        return (self._term(name, side, more, text, because) for side, more in enumerate(points) if more)

    def _term(self, name: str, side: int, points: int, text: Message, because: Basis | None) -> Term:
        clause = HAND_TERMS[name].clause(self.row.ruleset) if name in HAND_TERMS else Clause("")
        settings = settings_of(self.rulebook, clause, ("rulesets", self.row.ruleset))
        of, basis = competitor_of(self.played.sides[side]), () if because is None else (because,)
        return Term(name, points, self.unit, text, clause.section, settings, (), basis, side=side, of=of)
