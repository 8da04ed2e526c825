"""The level `inference` against the players of the package `dominoes`, under that package's rules.

`python -m tests.bench.other_players --hands 1000` plays each deal twice with the sides exchanged. The package plays 2v2
with double-six and leads with any tile. A block goes to the side with fewer pips, and nobody wins a tie. The winner
scores all pips that are left.

The player `omniscient` looks at all hands, so beating it is not to be expected.
"""

import argparse
import random
from collections.abc import Callable
from typing import Any, cast

from msgspec.structs import replace

from league.ai.levels import choose
from league.ai.matches import LATER_HAND, DealResult, interval_of, seat_seed, single_hand
from league.domain.play import HandInPlay, Level, Play, seen_by
from league.domain.rules import Ruleset
from league.domain.seating import FULL_TABLE
from league.domain.tiles import Tile, ordered
from league.rulebook import shipped_edition
from tests.bench.measure import say

Player = Callable[[Any], None]
"""A player of the package: it sorts the `valid_moves` of a game, the best one first."""

LATE = 12
"""The move from which on the searching players search; before it they play heavy tiles first. The package copies the
game for each move that it tries: with 8 a hand takes eight times as long."""

DEALS_A_MOVE = 10
"""What `probabilistic_alphabeta` samples."""


def rules_of_the_package() -> Ruleset:
    """The ruleset that comes closest: after a block the package also counts what the winning seat holds."""
    doscientos = shipped_edition(1).rulesets["doscientos-200"]
    return replace(doscientos, block_winner="side_total", block_tie="no_score", cannot_play="pass")


def players_of_the_package() -> dict[str, Player]:
    """The package's players by name, in the order of their strength."""
    import dominoes  # noqa: PLC0415  # installed for the bench only

    def then(first: Player, second: Player) -> Player:
        def both(game: Any) -> None:
            first(game)
            second(game)

        return both

    players = dominoes.players
    heavy, prob, omniscient = players.bota_gorda, players.probabilistic_alphabeta, players.omniscient
    return {
        "random": players.random,
        "double": players.double,
        "bota_gorda": heavy,
        "probabilistic_alphabeta": then(heavy, prob(start_move=LATE, sample_size=DEALS_A_MOVE, player=heavy)),
        "omniscient": then(heavy, omniscient(start_move=LATE, player=heavy)),
    }


def play_deal(player: Player, level: Level, seed: int, number: int) -> DealResult:
    """Play a deal twice, the level on either side. By level and player: hands won, and points."""
    won, points = [0, 0], [0, 0]
    for side in (0, 1):
        scored = play_hand(player, level, side, seed, number)
        if scored:
            winner = int((scored > 0) != (side == 0))
            won[winner] += 1
            points[winner] += abs(scored)
    return DealResult(tuple(won), tuple(points))


def play_hand(player: Player, level: Level, side: int, seed: int, number: int) -> int:
    """Play one hand; the level plays the seats of `side`. The points: above 0 for side 0, below for side 1."""
    hand = single_hand(rules_of_the_package(), FULL_TABLE, seed, number)
    game = game_of(hand)
    random.seed(f"{seed} {number}")  # the package's players draw from the module's numbers
    while game.result is None:
        while hand.forced == "pass":
            hand.pass_turn()
        if game.turn % 2 == side:
            # All that the level gets: what its seat sees.
            play = choose(
                seen_by(hand.to_move, hand, "2v2", (0, 0), LATER_HAND), level, seat_seed(seed, number, game.turn)
            )
        else:
            player(game)
            play = play_of(hand, *game.valid_moves[0])
        game.make_move(domino_of(play.tile), play.end != "right")
        hand.play(*play)
    return cast("int", game.result.points)


def game_of(hand: HandInPlay) -> Any:
    """A game of the package with the deal of a hand that has not begun."""
    import dominoes  # noqa: PLC0415  # installed for the bench only

    game = dominoes.Game.new(starting_player=hand.starter)
    game.hands = [dominoes.Hand([domino_of(tile) for tile in hand.tiles.of_mask(held)]) for held in hand.held]
    game.valid_moves = tuple((domino, True) for domino in game.hands[hand.starter])
    return game


def domino_of(tile: Tile) -> Any:
    """A tile as the package has it."""
    import dominoes  # noqa: PLC0415  # installed for the bench only

    return dominoes.Domino(*tile)


def play_of(hand: HandInPlay, domino: Any, left: bool) -> Play:
    """A move of the package as a play."""
    tile, end = ordered((domino.first, domino.second)), "left" if left else "right"
    return next(play for play in hand.legal_plays() if ordered(play.tile) == tile and play.end in (end, None))


def main() -> None:
    """Play against each player, and print the share of hands that the level has won."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hands", type=int, default=1000, help="against each player, each deal twice")
    parser.add_argument("--players", default="random,double,bota_gorda,probabilistic_alphabeta", help="by name")
    parser.add_argument("--level", default="inference")
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    say("level against              hands    won           points          95 % interval")
    for name in given.players.split(","):
        player = players_of_the_package()[name]
        results = [play_deal(player, given.level, given.seed, number) for number in range(given.hands // 2)]
        won, points = ([sum(column) for column in zip(*rows, strict=True)] for rows in zip(*results, strict=True))
        low, high = interval_of([result.won[0] / sum(result.won) for result in results if any(result.won)]) or (0, 1)
        say(f"{name:<24}{given.hands:>8} {won!s:>14} {points!s:>16}   {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
