"""Why a match changed a rating: every part of the formula, and the underlying hands and ratings."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from league.domain.bonuses import K_RULES, RATING_TERMS, Clause, is_capicua
from league.domain.hand import pips_for_viajera
from league.domain.match import MatchEnded, MatchForfeited
from league.domain.rating import shown
from league.domain.refusals import NotFound
from league.domain.result import has_viajera
from league.domain.rules import Rulebook, Ruleset
from league.domain.seating import competitor_of
from league.domain.sentences import say
from league.explanations.explanation import (
    Basis,
    Explanation,
    Fact,
    Message,
    RatingFormula,
    Term,
    Value,
    facts,
    facts_of,
    message,
    opponents,
    settings_of,
    sides,
)
from league.explanations.hands import corrections_of
from league.projections.queries.log import MatchStory, entries_by_position, story_of
from league.projections.queries.matches import ChangeRow, HandRow, changes_by_match, hands_by_match, matches_by_id
from league.projections.queries.ratings import PreviousChangeRow, changes_before
from league.projections.queries.snapshot import Snapshot, read_rulebook

FORMULA = message(say("before + k * ((outcome + M) - expected), where M is the sum of the terms in units of M"))

CHANGED = {
    (True, True): say("{subject} won {score} against {opponents} ({ruleset}, {mode}): {formula}."),
    (True, False): say("{subject} won against {opponents} ({ruleset}, {mode}): {formula}."),
    (False, True): say("{subject} lost {score} against {opponents} ({ruleset}, {mode}): {formula}."),
    (False, False): say("{subject} lost against {opponents} ({ruleset}, {mode}): {formula}."),
}
"""Statements about a rating change, by whether the match was won and whether it has a score."""

CHANGED_BY_FORFEIT = {
    True: say("{subject} won against {opponents} ({ruleset}, {mode}), who gave up, so M is 0: {formula}."),
    False: say("{subject} gave up against {opponents} ({ruleset}, {mode}), so M is 0: {formula}."),
}
"""Statements about the rating change of a forfeited match, by whether it was won."""

VOIDED = say("{subject} has no rating change by the match against {opponents}: it was voided.")

K_REASONS = {
    "casual": say("a casual match"),
    "provisional": say("a newcomer: few rated matches before this one"),
    "special": say("a special tournament"),
    "veteran": say("a highly rated veteran"),
    "standard": say("an established rating"),
}
"""The reason for the value of K, by the name of the rule that applied."""

MODIFIER_TERMS = {
    "differential": say("the difference of the final score"),
    "pollona": say("pollona: the losers ended the match on 0"),
    "viajera": say("viajera: a hand with {pips} or more leftover pips"),
    "capicua": say("a hand that ended with a capicúa"),
    "capicua_blocks": say("the capicúa blocked the chain too"),
    "recovery": say("won after trailing far behind"),
    "block_won": say("won a hand by a block"),
    "critical_block": say("locked the block that ended the match"),
    "strength": say("the gap between the two sides' ratings"),
}
"""What each term of the performance modifier is awarded for; `{pips}` is the ruleset's `viajera_from`."""

BY_COMPETITION = ("casual", "special")
"""The rules of K that depend on what the match counts for; others depend on the rating and the matches before."""


def explain_change(snapshot: Snapshot, match: str, id_: str) -> Explanation:
    """Why a match changed the rating of a player, or of a team (two ids joined by `+`).

    For a voided match, the explanation says that it changes none. Raises NotFound.
    """
    changes = changes_by_match(snapshot, [match])[match]
    row = next((row for row in changes if row.id == id_), None)
    if row is None:
        return _voided(snapshot, match, id_)
    earlier = changes_before(snapshot, row, [change.id for change in changes if change.subject == row.subject])
    change = _Change(snapshot, row, changes, earlier)
    return Explanation(
        kind="rating_change",
        subject=id_,
        statement=change.statement(),
        value=row.after,
        unit=say("rating points"),
        formula=FORMULA,
        edition=row.edition,
        terms=tuple(change.terms()),
        facts=change.facts(),
        corrections=tuple(corrections_of(change.story)),
        events=change.events(),
        not_judged=tuple(change.match.not_judged),
        rated_in=(row.mode,),
    )


def _voided(snapshot: Snapshot, match: str, id_: str) -> Explanation:
    """The explanation that a voided match changes no rating. Raises NotFound, which names what is missing."""
    story, row = story_of(snapshot, match), matches_by_id(snapshot, [match]).get(match)
    played = story.state.played
    if played is None or row is None:
        raise NotFound("match", "match", match)
    if id_ not in {*played.seats, *map(competitor_of, played.sides)}:
        raise NotFound("player", "competitor", id_, called=say("seat in match {match} for", match=match))
    if row.status in ("open", "pending"):
        raise NotFound("match", "match", match, called=say("decided match"))
    if not played.voided:
        called = say("rating for matches of {mode}, so none that changed by match", mode=row.mode)
        raise NotFound("match", "match", match, called=called)
    corrections = tuple(corrections_of(story))
    return Explanation(
        kind="rating_change",
        subject=id_,
        statement=message(VOIDED, subject=id_, match=match, opponents=opponents(row.mode, row.seats, id_)),
        value=None,
        unit=say("rating points"),
        formula=FORMULA,
        edition=row.edition,
        terms=(),
        facts=facts(ruleset=row.ruleset, mode=row.mode, competition=row.competition, status=row.status),
        corrections=corrections,
        events=tuple(event.entry for event in story.events),
    )


class _Change:
    """A rating change, with all that explains its terms."""

    def __init__(
        self, snapshot: Snapshot, row: ChangeRow, changes: Sequence[ChangeRow], earlier: Sequence[PreviousChangeRow]
    ) -> None:
        self.snapshot, self.row, self.changes, self.earlier = snapshot, row, changes, earlier
        self.match = matches_by_id(snapshot, [row.match_id])[row.match_id]
        self.rulebook: Rulebook = read_rulebook(snapshot, row.edition)
        self.story: MatchStory = story_of(snapshot, row.match_id)
        self.hands = [hand for hand in hands_by_match(snapshot, [row.match_id])[row.match_id] if hand.counted]
        assert self.match.winner is not None, "a match that changed a rating is decided"
        self.winner: int = self.match.winner

    def statement(self) -> Message:
        """The result of the match, own score first, and the rating formula with its numbers."""
        match, row = self.match, self.row
        own = self.winner if row.outcome else 1 - self.winner
        of: dict[str, Value] = {
            "subject": row.id,
            "match": match.match_id,
            "opponents": opponents(match.mode, match.seats, row.id),
            "ruleset": self.rulebook.rulesets[match.ruleset].title,
            "mode": match.mode,
            "formula": RatingFormula(row.before, row.k, row.outcome, row.modifier, row.expected, row.after),
        }
        if match.status == "forfeited":
            return message(CHANGED_BY_FORFEIT[bool(row.outcome)], **of)
        score = None if match.score is None else (match.score[own], match.score[1 - own])
        return message(CHANGED[bool(row.outcome), score is not None], score=score, **of)

    def terms(self) -> Iterator[Term]:
        row = self.row
        own = _bases(change for change in self.earlier if change.id == row.id) or self._opening()
        played = (*facts(rated_matches_before=row.matches_before), *self._latest())
        yield self._term(
            "before", row.before, say("rating points"), message(say("the rating before the match")), played, own
        )
        won = message(say("the match was won") if row.outcome else say("the match was lost"))
        yield self._term("outcome", row.outcome, say("score"), won, (), self._end())
        parts = [
            self._term(rule, float(value), "M", self._said(rule), self._facts_of(rule), self._basis(rule))
            for rule, value in row.modifier_terms
        ]
        yield from parts
        if row.capped:
            total = sum((Decimal(str(value)) for _, value in row.modifier_terms), Decimal(0))
            cut = float(Decimal(str(row.modifier)) - total)
            of_all = tuple(dict.fromkeys(basis for part in parts for basis in part.because))
            beyond = message(say("the terms add up to {total}, which is beyond the cap"), total=f"{total:+}")
            yield self._term("cap", cut, "M", beyond, (), of_all)
        met = (*facts(own_rating=row.own, opponents_rating=row.opponents), *self._each_rating())
        expected = message(say("the score to be expected from the ratings before the match"))
        yield self._term("expected", row.expected, say("score"), expected, met, self._ratings_met())
        yield Term(
            name="k",
            value=row.k,
            unit=say("rating points"),
            text=message(K_REASONS[row.k_rule]),
            clause=K_RULES[row.k_rule].section,
            settings=settings_of(self.rulebook, self._clause_of_k()),
            facts=(*facts(rule=row.k_rule, competition=self.match.competition), *played),
            because=self._opening() if row.k_rule in BY_COMPETITION else own,
        )

    def _clause_of_k(self) -> Clause:
        """The rule that chose K; the provisional rule may have its own count of matches."""
        clause, own = K_RULES[self.row.k_rule], self.rulebook.rating.k.provisional_below
        if self.row.k_rule != "provisional" or own is None:
            return clause
        return Clause(clause.section, ("rating.k.provisional", "rating.k.provisional_below"))

    def facts(self) -> tuple[Fact, ...]:
        """The result of the match, and how the rating is displayed."""
        match, score = self.match, self.match.score
        return (
            *facts(ruleset=match.ruleset, mode=match.mode, competition=match.competition, status=match.status),
            *facts(score="none" if score is None else "-".join(map(str, score))),
            Fact("side_that_won", str(match.winner), sides(match.mode, match.seats)[self.winner]),
            *facts(capped=self.row.capped, decided_at=self.row.decided_at.isoformat(), shown_as=shown(self.row.after)),
        )

    def events(self) -> tuple[Any, ...]:
        """The events of the match, and those that produced the ratings before it."""
        entries = {event.entry.position: event.entry for event in self.story.events}
        earlier = entries_by_position(self.snapshot, [change.position for change in self.earlier])
        return tuple(entry for _, entry in sorted((earlier | entries).items()))

    def _term(
        self,
        name: str,
        value: float,
        unit: str,
        text: Message,
        found: tuple[Fact, ...],
        because: tuple[Basis, ...],
    ) -> Term:
        clause = RATING_TERMS[name]
        if (
            name == "differential"
            and self.match.ruleset in self.rulebook.rating.modifier.differential.points_by_ruleset
        ):
            clause = Clause(clause.section, (*clause.settings, "rating.modifier.differential.points_by_ruleset"))
        return Term(name, value, unit, text, clause.section, settings_of(self.rulebook, clause), found, because)

    def _said(self, rule: str) -> Message:
        """The reason for a term of the modifier; a viajera with the pips that the ruleset requires."""
        wanted: dict[str, Value] = {}
        if rule == "viajera":
            wanted["pips"] = self.rulebook.rulesets[self.match.ruleset].viajera_from
        return message(MODIFIER_TERMS[rule], **wanted)

    def _facts_of(self, rule: str) -> tuple[Fact, ...]:
        match rule:
            case "differential" | "pollona":
                return facts(score="-".join(map(str, self.match.score or ())))
            case "strength":
                own, other = self._averages()
                return (*facts(own_average=own, opponents_average=other), *self._each_rating())
            case "recovery":
                return facts(behind_at_most=max((behind for _, behind in self._behind()), default=0))
        return facts(hands=len(self._hands_behind(rule)))

    def _each_rating(self) -> Iterator[Fact]:
        """The rating of each player at the table before the match, own side first."""
        mine = [change for change in self.changes if change.subject == self.row.subject]
        for change in sorted(mine, key=lambda change: (change.outcome != self.row.outcome, change.id)):
            side = "own_side" if change.outcome == self.row.outcome else "other_side"
            yield from facts_of(change.id, **{side: change.before})

    def _latest(self) -> tuple[Fact, ...]:
        """The player's previous rated match, if there is one."""
        return tuple(Fact("the_last_of_them", c.match_id) for c in self.earlier if c.id == self.row.id)

    def _averages(self) -> tuple[float, float]:
        """The averages of the ratings before, own side first."""
        mine = [change for change in self.changes if change.subject == self.row.subject]
        sides = [[c.before for c in mine if (c.outcome == self.row.outcome) is own] for own in (True, False)]
        return sum(sides[0]) / len(sides[0]), sum(sides[1]) / len(sides[1])

    def _basis(self, rule: str) -> tuple[Basis, ...]:
        if rule == "strength":
            return self._ratings_met()
        if rule in ("differential", "pollona"):
            return tuple(self._of_hand(hand) for hand in self.hands) or self._end()
        return tuple(self._of_hand(hand) for hand in self._hands_behind(rule))

    def _ratings_met(self) -> tuple[Basis, ...]:
        met = [change for change in self.changes if change.subject == self.row.subject]
        newcomers = len(met) > len(self.earlier)
        return (*_bases(self.earlier), *(self._opening() if newcomers else ()))

    def _opening(self) -> tuple[Basis, ...]:
        """The event that opened the match: newcomers start with the initial rating of its rules."""
        return (Basis(self.row.match_id, None, self.story.events[0].entry.position),)

    def _of_hand(self, hand: HandRow) -> Basis:
        return Basis(hand.match_id, hand.hand, hand.position)

    def _end(self) -> tuple[Basis, ...]:
        """The event that decided the match, and the end of play if that is a different one."""
        ends = [
            event.entry.position for event in self.story.events if isinstance(event.body, MatchEnded | MatchForfeited)
        ]
        positions = sorted({self.row.position, *ends[-1:]})
        return tuple(Basis(self.row.match_id, None, position) for position in positions)

    def _hands_behind(self, rule: str) -> list[HandRow]:
        """The winner's hands that earned a term."""
        ruleset = self.rulebook.rulesets[self.match.ruleset]
        earned: dict[str, Callable[[HandRow], bool]] = {
            "viajera": lambda hand: self._pips_for_viajera(hand, ruleset) >= ruleset.viajera_from,
            "capicua": lambda hand: bool(is_capicua(self._known(hand), ruleset)),
            "capicua_blocks": lambda hand: bool(
                is_capicua(self._known(hand), ruleset) and self._known(hand).closing.blocks_too
            ),
            "block_won": lambda hand: bool(hand.ended_by == "block"),
            "critical_block": lambda hand: hand is self.hands[-1],
        }
        if rule == "recovery":
            behind = self._behind()
            most = max((by for _, by in behind), default=0)
            return [hand for hand, by in behind if by == most][:1]
        if rule not in earned:
            return []
        return [hand for hand in self.hands if hand.winner == self.winner and earned[rule](hand)]

    def _behind(self) -> list[tuple[HandRow, int]]:
        """Each hand with the points by which the winner was behind after it."""
        score = [0] * len(self.hands[0].points) if self.hands else []
        found = []
        for hand in self.hands:
            score = [have + more for have, more in zip(score, hand.points, strict=True)]
            found.append((hand, max(score) - score[self.winner]))
        return found

    def _pips_for_viajera(self, hand: HandRow, ruleset: Ruleset) -> int:
        if hand.winner is None or not has_viajera(ruleset):
            return 0
        mode = self.match.mode
        return pips_for_viajera(self._known(hand), ruleset, mode, hand.winner, hand.winning_seat) or 0

    def _known(self, hand: HandRow) -> Any:
        assert self.story.state.played is not None
        return self.story.state.played.hands[hand.hand - 1]


def _bases(changes: Iterable[ChangeRow | PreviousChangeRow]) -> tuple[Basis, ...]:
    return tuple(Basis(change.match_id, None, change.position, change.id) for change in changes)
