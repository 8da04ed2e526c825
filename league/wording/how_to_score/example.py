"""Example hands: facts that an entry invents, and their points, which the code that scores every hand computes."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct

from league.domain.bonuses import HAND_TERMS, ScoredTerm
from league.domain.hand import Closing, HandContext, HandFacts
from league.domain.hand_faults import complete, faults_of
from league.domain.result import MatchFacts, result_of, score_after
from league.domain.rules import Mode, Ruleset
from league.domain.scoring import score_hand
from league.domain.seating import count_sides, seats_of
from league.domain.sentences import Sentence, joined, say
from league.domain.tiles import Tile, total_pips

PEOPLE = ("Ana", "Beto", "Carla", "Luis")
"""Who sits at the seats of the examples."""
SEATS: dict[Mode, int] = {"2v2": 4, "1v1": 2, "individuals": 3}
"""How many of them play in each mode, in the order in which an example prefers the modes."""
AGAINST = " / "
"""Stands between the sides."""
NO_BREAK_HYPHEN = "\u2011"
"""Keeps a tile on one line."""
PLAYED_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""When the examples were played. Nothing in them depends on it."""


class ExamplePlay(Struct, frozen=True, kw_only=True):
    """What happens in an example, at a table of four. A smaller table leaves out the last seats."""

    held: tuple[tuple[Tile, ...] | int, ...]
    """The tiles, or only the pips, that each seat still holds at the end."""
    closing: Closing
    ended_by: Literal["domino", "block"] = "domino"
    seat: int = 0
    """The seat that goes out, or locks."""
    starter: int | None = None
    """The seat that starts; None: the example does not say it."""
    opening_pass: bool = False
    corridos: tuple[int, ...] = ()
    drew: tuple[int, ...] | None = None
    """The seats that drew; None: the example does not say it."""
    first: bool = False
    """Whether it is the first hand, and the example says so."""
    score: tuple[int, ...] | None = None
    """The score of each side before the hand, if the example says it."""
    last_winner: int | None = None
    """The side that won the hand before, if the example says it."""
    draw: tuple[Tile, ...] | None = None
    """The starting draw of each seat, if the example says it."""
    stops: bool = False
    """Whether the match ends with this hand."""
    modes: tuple[Mode, ...] = ("2v2", "1v1", "individuals")
    """The modes in which it can be played, the preferred one first."""


class ExampleHand(Struct, frozen=True):
    """An example hand, scored under a ruleset."""

    mode: Mode
    told: Sentence
    """Who plays, and what happens."""
    outcome: Sentence
    """Who scores what for what."""
    points: tuple[int, ...]
    """The points of each side, with those that only the end of the match gives."""
    terms: tuple[ScoredTerm, ...]
    winner: int | None


def example_of(play: ExamplePlay, ruleset: Ruleset) -> ExampleHand | None:
    """The example, scored, in the first mode of the ruleset in which it can happen; None if it can happen in none."""
    for mode in play.modes:
        if mode in ruleset.modes:
            facts = complete(_facts(play, SEATS[mode]), ruleset, mode)
            if not any(faults_of(facts, ruleset, mode, SEATS[mode])):
                return _scored(play, facts, ruleset, mode)
    return None


def _facts(play: ExamplePlay, seats: int) -> HandFacts:
    return HandFacts(
        starter=play.starter,
        ended_by=play.ended_by,
        seat=play.seat,
        leftover=play.held[:seats],
        closing=play.closing,
        opening_pass=play.opening_pass,
        corridos=play.corridos,
        drew=play.drew,
    )


def _scored(play: ExamplePlay, facts: HandFacts, ruleset: Ruleset, mode: Mode) -> ExampleHand:
    seats = len(facts.leftover)
    sides = count_sides(mode, seats)
    names = [_side(side, mode, seats) for side in range(sides)]
    # Beyond the hands that have a bonus by their number, unless the example is about the first hand.
    number = 1 if play.first else max(2, len(ruleset.bonuses.rounds) + 1)
    score = (0,) * sides if play.score is None else play.score[:sides]
    draw = None if play.draw is None else play.draw[:seats]
    hand = score_hand(facts, ruleset, mode, HandContext(number, score, play.last_winner, starting_draw=draw))
    terms = hand.terms
    if play.stops:
        match = MatchFacts("", mode, "casual", PEOPLE[:seats], draw, PLAYED_AT, (facts,), PLAYED_AT)
        terms += tuple(ScoredTerm(*term) for term in result_of(match, ruleset).terms)
    points = tuple(sum(term.points for term in terms if term.side == side) for side in range(sides))
    outcome = [*_outcome(hand.winner, terms, points, names)]
    if play.score is not None and ruleset.scoring != "row":
        after = score_after(score, points, [term.rule for term in terms])
        outcome.append(say("The score is then {score}.", score=_score(after)))
    told = joined(" ", _told(play, facts, score, names))
    return ExampleHand(mode, told, joined(" ", outcome), points, terms, hand.winner)


# ---------------------------------------------------------------- in words


def _side(side: int, mode: Mode, seats: int) -> str:
    players = [PEOPLE[seat] for seat in seats_of(side, mode, seats)]
    return say("{one} and {other}", one=players[0], other=players[1]) if len(players) > 1 else players[0]


def _told(play: ExamplePlay, facts: HandFacts, score: Sequence[int], names: Sequence[str]) -> Iterator[Sentence]:
    seats = len(facts.leftover)
    yield say("{sides}.", sides=joined(AGAINST, names))
    if play.first:
        yield say("It is the first hand.")
    if play.score is not None:
        yield say("The score is {score}.", score=_score(score))
    if play.draw is not None:
        drawn = [f"{PEOPLE[seat]} {_tile(tile)}" for seat, tile in enumerate(play.draw[:seats])]
        yield say("Drawn for the start: {tiles}.", tiles=", ".join(drawn))
    if play.last_winner is not None:
        yield say("The hand before went to {side}.", side=names[play.last_winner])
    if play.starter is not None:
        yield say("{name} starts.", name=PEOPLE[play.starter])
    if play.opening_pass and play.starter is not None:
        after, third = (PEOPLE[(play.starter + step) % seats] for step in (1, 2))
        yield say("{after} passes on the first tile, and {third} plays.", after=after, third=third)
    for seat in play.corridos:
        yield say("{name} plays a tile, everybody else passes, and {name} plays again.", name=PEOPLE[seat])
    if play.drew == ():
        yield say("Nobody draws.")
    yield from _ended(facts)
    yield say("Left: {held}.", held=", ".join(_held(facts)))
    if play.stops:
        yield say("There the match ends.")


def _ended(facts: HandFacts) -> Iterator[Sentence]:
    name, tile = PEOPLE[facts.seat or 0], facts.closing.tile
    shown = "" if tile is None else _tile(tile)
    if facts.ended_by == "block":
        yield say("{name} locks the hand with {tile}: nobody can play.", name=name, tile=shown)
        return
    yield say("{name} goes out with {tile}.", name=name, tile=shown)
    if facts.closing.fits_both_ends and facts.closing.ends_equal:
        yield say("It fitted both ends, and now both ends are equal.")


def _held(facts: HandFacts) -> Iterator[str]:
    for seat, held in enumerate(facts.leftover):
        if isinstance(held, int):
            yield f"{PEOPLE[seat]} {held}"
        elif held:
            yield f"{PEOPLE[seat]} {' '.join(map(_tile, held))} ({total_pips(held)})"


def _tile(tile: Tile) -> str:
    return NO_BREAK_HYPHEN.join(map(str, sorted(tile, reverse=True)))


def _score(score: Sequence[int]) -> str:
    return "-".join(map(str, score))


def _outcome(
    winner: int | None, terms: Sequence[ScoredTerm], points: Sequence[int], names: Sequence[str]
) -> Iterator[Sentence]:
    yield say("Nobody wins the hand.") if winner is None else say("The hand goes to {side}.", side=names[winner])
    for side, total in enumerate(points):
        own = [term for term in terms if term.side == side and term.points]
        if own:
            reasons = [say("{rule} +{points}", rule=HAND_TERMS[term.rule].label, points=term.points) for term in own]
            yield say("{side} +{total} ({reasons}).", side=names[side], total=total, reasons=joined("; ", reasons))
