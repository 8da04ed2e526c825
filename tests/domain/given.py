"""Given these events, when this command comes, then these events or this refusal; and facts in few words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from league.domain import dispute_decider, disputes, house_rules, league, match, match_decider, player, rulebook
from league.domain.hand import Closing, HandContext, HandFacts, Held
from league.domain.match import OpenMatch
from league.domain.rating import RatingFormula, earned_in, formula_of, rate
from league.domain.refusals import Refusal
from league.domain.result import Achievements, AnnouncedResult, MatchFacts, ScoredMatch, result_of
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import HandScore, score_hand
from league.domain.seating import side_of
from league.domain.tiles import Tile
from league.rulebook import shipped_edition

EDITION = shipped_edition(1)
FORMULA = formula_of(EDITION.rating)
BEGAN = datetime(2026, 3, 1, 20, tzinfo=UTC)
NOW = datetime(2026, 11, 20, tzinfo=UTC)
PLAYERS = frozenset(("ana", "bea", "coc", "dan"))


def modifier(
    won: bool,
    achieved: Achievements,
    difference: int | None,
    own: float = 1500.0,
    opponents: float = 1500.0,
    formula: RatingFormula = FORMULA,
    ruleset: str = "cuban-150",
) -> dict[str, Decimal]:
    """The terms of M of a player, who met another one, by name."""
    earned = earned_in(achieved, difference, ruleset, formula)
    terms = rate(([(own, 50)], [(opponents, 50)]), 0 if won else 1, "competitive", earned, formula)[0].terms
    assert len(dict(terms)) == len(terms)
    return {rule: Decimal(units) / formula.one for rule, units in terms}


# ---------------------------------------------------------------- given events, when a command, then …


class Outcome:
    """The outcome of a command: events, or a refusal."""

    def __init__(self, decide: Callable[[], list[Any]]) -> None:
        self.events: list[Any] = []
        self.refusal: Refusal | None = None
        try:
            self.events = decide()
        except Refusal as refusal:
            self.refusal = refusal

    def then(self, *expected: Any) -> None:
        """Exactly these events followed."""
        assert self.refusal is None, f"refused: {self.refusal}"
        assert self.events == list(expected)

    def refused(self, kind: type[Refusal], at: str | None = None, saying: str = "") -> None:
        """A refusal of this kind came, about this field, with these words in its message."""
        assert self.refusal is not None, f"not refused: {self.events}"
        assert isinstance(self.refusal, kind)
        assert self.refusal.field == at
        assert saying in self.refusal.message


class Given:
    """The past of one stream."""

    def __init__(self, *events: Any) -> None:
        self.events = events

    def when(self, command: Any) -> Outcome:
        """Decide a command on top of the past."""
        return Outcome(lambda: _DECIDERS[type(command)](self, command))

    def then_when(self, command: Any) -> Given:
        """The past with what a command came to behind it; it must not be refused."""
        outcome = self.when(command)
        assert outcome.refusal is None, f"refused: {outcome.refusal}"
        return Given(*self.events, *outcome.events)

    def folded(self, evolve: Callable[[Any, Any], Any], state: Any) -> Any:
        """The state after all events."""
        for event in self.events:
            state = evolve(state, event)
        return state

    @property
    def match(self) -> match.MatchState:
        """The match of these events: the first at `BEGAN`, each a minute later, positions from 1."""
        state = match.MatchState()
        for number, event in enumerate(self.events):
            state = match.evolve(state, event, BEGAN + timedelta(minutes=number), number + 1)
        return state

    @property
    def played(self) -> MatchFacts:
        """The current facts of the match."""
        assert self.match.played is not None
        return self.match.played

    @property
    def result(self) -> ScoredMatch:
        """The result of the match under edition 1."""
        return result_of(self.played, EDITION.rulesets[self.played.ruleset])


def _on_match(decide: Callable[..., list[Any]], *more: Any) -> Callable[[Given, Any], list[Any]]:
    return lambda given, command: decide(command, given.match, EDITION, *more)


def _on_review(decide: Callable[..., list[Any]]) -> Callable[[Given, Any], list[Any]]:
    return lambda given, command: decide(command, given.match)


def _on(module: Any, decide: Callable[..., list[Any]], start: Any) -> Callable[[Given, Any], list[Any]]:
    return lambda given, command: decide(command, given.folded(module.evolve, start))


def _on_seasons(decide: Callable[..., list[Any]]) -> Callable[[Given, Any], list[Any]]:
    return lambda given, command: decide(command, given.folded(league.evolve_seasons, {}))


_DECIDERS: dict[type[Any], Callable[[Given, Any], list[Any]]] = {
    league.CreateLeague: _on(league, league.create_league, league.LeagueState()),
    league.ChangeSettings: _on(league, league.change_settings, league.LeagueState()),
    league.CloseMonth: lambda given, command: league.close_month(
        command, given.folded(league.evolve, league.LeagueState()), NOW, entered=True
    ),
    league.ReopenMonth: _on(league, league.reopen_month, league.LeagueState()),
    player.RegisterPlayer: _on(player, player.register_player, player.PlayerState()),
    player.RenamePlayer: _on(player, player.rename_player, player.PlayerState()),
    player.MovePlayer: _on(player, player.move_player, player.PlayerState()),
    player.ErasePlayer: _on(player, player.erase_player, player.PlayerState()),
    league.OpenSeason: _on_seasons(league.open_season),
    league.CloseSeason: _on_seasons(league.close_season),
    rulebook.PublishEdition: _on(rulebook, rulebook.publish_edition, rulebook.RulebookState()),
    rulebook.AdoptEdition: _on(rulebook, rulebook.adopt_edition, rulebook.RulebookState()),
    house_rules.AdoptHouseRules: _on(rulebook, house_rules.adopt_house_rules, rulebook.RulebookState()),
    match.OpenMatch: _on_match(match_decider.open_match, PLAYERS, NOW),
    match.RecordHand: _on_match(match_decider.record_hand, NOW),
    match.CorrectHand: _on_match(match_decider.correct_hand),
    match.EndMatch: _on_match(match_decider.end_match, NOW),
    match.RecordResult: _on_match(match_decider.record_result, NOW),
    match.CorrectResult: _on_match(match_decider.correct_result),
    match.ReopenMatch: _on_match(match_decider.reopen_match),
    match.ForfeitMatch: _on_match(match_decider.forfeit_match, NOW),
    match.VoidMatch: _on_match(match_decider.void_match),
    disputes.ConfirmResult: _on_review(dispute_decider.confirm_result),
    disputes.DisputeResult: _on_review(dispute_decider.dispute_result),
    disputes.WithdrawDispute: _on_review(dispute_decider.withdraw_dispute),
    disputes.RejectDispute: _on_review(dispute_decider.reject_dispute),
    match.ImportMatch: lambda _, command: match_decider.import_match(command, EDITION, PLAYERS, NOW),
}


# ---------------------------------------------------------------- facts in few words


def domino(
    seat: int,
    *held: Held,
    starter: int | None = 0,
    tile: Tile | None = (1, 2),
    both: bool | None = False,
    equal: bool | None = False,
    blocks: bool | None = False,
    opening: bool | None = False,
    corridos: tuple[int, ...] | None = (),
    drew: tuple[int, ...] | None = (),
) -> HandFacts:
    """A hand that a seat ended by its last tile; what each seat holds, by seat."""
    closing = Closing(tile, both, equal, blocks)
    return HandFacts(starter, "domino", seat, held, closing, opening, corridos, drew)


def block(
    locker: int | None,
    *held: Held,
    starter: int | None = 0,
    tile: Tile | None = None,
    both: bool | None = False,
    equal: bool | None = None,
    opening: bool | None = False,
    corridos: tuple[int, ...] | None = (),
    drew: tuple[int, ...] | None = (),
) -> HandFacts:
    """A hand that a seat's tile blocked; what each seat holds, by seat."""
    closing = Closing(tile, both, equal, blocks_too=True)
    return HandFacts(starter, "block", locker, held, closing, opening, corridos, drew)


def mode_for(seats: int, mode: Mode | None) -> Mode:
    """Two seats play 1v1, four play 2v2, three are individuals, unless `mode` is given."""
    return mode or {2: "1v1", 3: "individuals", 4: "2v2"}[seats]


def ruleset(name: str, **changes: Any) -> Ruleset:
    """A ruleset of edition 1, with settings changed."""
    return replace(EDITION.rulesets[name], **changes)


def scored(
    facts: HandFacts,
    rules: Ruleset,
    *,
    mode: Mode | None = None,
    number: int = 2,
    score: tuple[int, ...] | None = None,
    last_winner: int | None = None,
    draw: tuple[Tile, ...] | None = None,
) -> HandScore:
    """Score one hand, by default the second of its match."""
    seats = len(facts.leftover)
    mode = mode_for(seats, mode)
    last_side = None if last_winner is None else side_of(last_winner, mode)
    before = HandContext(number, score or (0,) * (2 if mode == "2v2" else seats), last_side, starting_draw=draw)
    return score_hand(facts, rules, mode, before)


def hand_terms(hand: HandScore) -> list[tuple[int, str, int]]:
    """The terms of a hand as plain values."""
    return [(term.side, term.rule, term.points) for term in hand.terms]


def points_of(term: str, hand: HandScore) -> int | None:
    """The points that a rule awarded in a hand; None if it has no term."""
    found = [t.points for t in hand.terms if t.rule == term]
    return sum(found) if found else None


def ended(rules: Ruleset, *hands: HandFacts, over: bool = True, mode: Mode | None = None, **more: Any) -> ScoredMatch:
    """The result of a match of these hands that is over (or still open)."""
    return result_of(match_of(*hands, over=over, mode=mode, **more), rules)


def match_of(*hands: HandFacts, over: bool = True, mode: Mode | None = None, **more: Any) -> MatchFacts:
    """The facts of a match of these hands."""
    seats = len(hands[0].leftover) if hands else 2
    players = tuple(sorted(PLAYERS))[:seats]
    ended_at = BEGAN + timedelta(hours=1) if over else None
    return MatchFacts("x", mode_for(seats, mode), "competitive", players, None, BEGAN, hands, ended_at, **more)


def announced(rules: Ruleset, winner: int, *score: int) -> ScoredMatch:
    """The result of a 1v1 match that is known only by what was announced."""
    return ended(rules, announced=AnnouncedResult(winner, score or None))


# ---------------------------------------------------------------- a match at the table


def opened(
    name: str = "cuban-150", seats: int = 2, competition: str = "competitive", mode: Mode | None = None
) -> Given:
    """A match that has begun."""
    players = ("ana", "bea", "coc", "dan")[:seats]
    return Given().then_when(OpenMatch("m-1", name, mode_for(seats, mode), competition, players, None, BEGAN))


def with_hands(given: Given, *hands: HandFacts) -> Given:
    """The match with these hands recorded, one command each."""
    for facts in hands:
        given = given.then_when(match.RecordHand("m-1", facts))
    return given
