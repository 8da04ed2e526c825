"""`league play`: a person in a terminal against the AI."""

from secrets import randbelow
from typing import Annotated

import typer

from league.ai.comparison import chooser, seat_seed
from league.ai.matches import Chooser, MatchInPlay, take_turn
from league.cli.table_in_words import Table
from league.cli.table_options import ModeName, RulesetName, level_of, ruleset_of
from league.domain.play.engine import HandInPlay, Play
from league.domain.play.seen import seen_by
from league.domain.seating import SEATS
from league.rulebook import shipped_edition
from league.wording.language import _

PERSON = 0
"""The seat of the person."""


HELP = _(
    "Enter the number of a play. q or Ctrl-C ends the game.\nTiles in the chain and in the plays are "
    "written as they lie, the left half\nfirst. Your own tiles have the lower number first."
)


class Stopped(Exception):
    """The person does not want to play on."""


def play(
    ruleset: RulesetName = "cuban-150",
    mode: ModeName = "2v2",
    level: Annotated[
        str, typer.Option(help=_("How well the others play: random, heuristic or inference."))
    ] = "inference",
    seed: Annotated[int | None, typer.Option(help=_("Deal the same tiles again (default: new ones)."))] = None,
) -> None:
    """Play a match against the AI in the terminal.

    In 2v2 your partner is an AI, too. No league is needed, and nothing is stored. Ctrl-C or q ends the game.
    """
    rules, played_as = ruleset_of(shipped_edition(), ruleset, mode)
    plays_as, seed = level_of(level), randbelow(1_000_000) if seed is None else seed
    seats = SEATS[played_as][0]
    match = MatchInPlay("play", rules, played_as, tuple(map(str, range(seats))), seed)
    table = Table(rules, played_as, seats)
    typer.echo(
        _(
            "{title}, {mode}, against {plays_as}. The seed of this game is {seed}.",
            title=rules.title,
            mode=mode,
            plays_as=plays_as,
            seed=seed,
        )
    )
    try:
        while match.played.ended_at is None:
            hand = match.deal()
            table.show_beginning(match, hand)
            _play_hand(match, hand, table, [chooser(plays_as, seat_seed(seed, match.number, s)) for s in range(seats)])
            table.show_end(match.record(hand), hand)
    except (Stopped, EOFError, KeyboardInterrupt):
        typer.echo(_("\nThe game ends here. Thank you for playing."))


def _play_hand(match: MatchInPlay, hand: HandInPlay, table: Table, others: list[Chooser]) -> None:
    """Play a hand to its end, and show each turn."""
    mode, number, score = match.played.mode, match.number, match.result.score

    def choose() -> Play:
        seen = seen_by(hand.to_move, hand, mode, score, number)
        return _asked(table, hand, seen.plays) if hand.to_move == PERSON else others[hand.to_move](seen)

    while not hand.is_over:
        take_turn(hand, choose)
        table.show_turn(hand.turns[-1])


def _asked(table: Table, hand: HandInPlay, plays: tuple[Play, ...]) -> Play:
    """The play that the person names by its number, or the only one. Raises Stopped, EOFError at the end of input."""
    table.show_position(hand, plays)
    only = len(plays) == 1
    question = _("Your play (1 to {count}, ? for help, q to stop):", count=len(plays))
    wanted = _("Enter a number from 1 to {count}, q to stop, or ? for help.", count=len(plays))
    if only:
        question = _("Your only play (Enter plays it, ? for help, q to stop):")
        wanted = _("Press Enter, q to stop, or ? for help.")
    while True:
        answer = input(f"{question} ").strip().lower()
        if answer in {"q", "quit"}:
            raise Stopped
        if answer == "?":
            typer.echo(HELP)
            continue
        if only and answer in {"", "1"}:
            return plays[0]
        if answer.isdecimal() and 1 <= int(answer) <= len(plays):
            return plays[int(answer) - 1]
        typer.echo(wanted)
