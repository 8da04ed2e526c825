"""Hands that random players play to their end, beside `dominoes`, a package for double-six with four seats."""

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from random import Random

from league.domain.hand import HandFacts
from league.domain.play import HandInPlay, Turn
from league.domain.rules import Ruleset
from league.domain.tiles import tile_set
from league.rulebook import shipped_edition
from league.tables.domain.commands_and_events import TableEvent, TileDrawn, TilePlayed, TurnPassed
from tests.bench.measure import best, say

HANDS = 2_000
TIMES = 5
PLAYED = (("doscientos-200", 4), ("cuban-150", 4), ("cuban-150", 2), ("doscientos-200", 2))
"""The rulesets, and how many seats. The first is what the peer plays."""


def bench_hands() -> None:
    """From the shuffle to the events of the turns and the facts of the hand, in one process."""
    peer = hands_of_the_peer()
    say("hands played       seats      hands/s   to dominoes")
    for name, seats in PLAYED:
        ruleset = shipped_edition(1).rulesets[name]
        rate = HANDS / best(TIMES, partial(play_all, Random(1), ruleset, seats))
        same = peer if (name, seats) == PLAYED[0] else 0.0
        say(f"  {name:<18}{seats:>4} {rate:>12,.0f} {f'{rate / same:.2f}' if same else '-':>13}")
    say(f"  dominoes{4:>14} {peer:>12,.0f}\n" if peer else "  dominoes is not installed\n")


def play_all(random: Random, ruleset: Ruleset, seats: int) -> None:
    """Play the hands one after the other, and keep none, as the peer does."""
    for _ in range(HANDS):
        played(random, ruleset, seats)


def played(random: Random, ruleset: Ruleset, seats: int) -> tuple[list[TableEvent], HandFacts]:
    """A hand played to its end at random: its turns as events, and its facts."""
    order, each = list(tile_set(ruleset.set).tiles), ruleset.tiles_each
    random.shuffle(order)
    hand = HandInPlay(
        ruleset, [order[seat * each : (seat + 1) * each] for seat in range(seats)], 0, order[seats * each :]
    )
    number = random.random
    while not hand.is_over:
        if plays := hand.legal_plays():
            hand.play(*plays[int(number() * len(plays))])
        elif hand.forced == "draw":
            hand.draw()
        else:
            hand.pass_turn()
    return events_of(hand.turns), hand.facts()


def events_of(turns: Sequence[Turn]) -> list[TableEvent]:
    """The turns of a hand as a live table stores them."""
    events: list[TableEvent] = []
    for number, turn in enumerate(turns, 1):
        if turn.where == "draw":
            events.append(TileDrawn(1, number, turn.seat))
        elif turn.tile is None or turn.where == "timeout":
            events.append(TurnPassed(1, number, turn.seat, "no_play"))
        else:
            events.append(TilePlayed(1, number, turn.seat, turn.tile, turn.where, "ai"))
    return events


def hands_of_the_peer() -> float:
    """The hands that four random players of `dominoes` play in a second; 0 where it is not installed."""
    if find_spec("dominoes") is None:
        return 0.0
    import dominoes  # noqa: PLC0415  # installed for the bench only

    def play() -> None:
        for _ in range(HANDS):
            game = dominoes.Game.new()
            while game.result is None:
                dominoes.players.random(game)
                game.make_move(*game.valid_moves[0])

    return HANDS / best(TIMES, play)
