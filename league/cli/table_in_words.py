"""What a person at the table sees in a terminal: 80 columns of plain text."""

import textwrap
from collections.abc import Iterable, Sequence

import typer

from league.ai.matches import MatchInPlay
from league.domain.play.engine import HandInPlay, Play
from league.domain.play.turn import Turn
from league.domain.result import Result
from league.domain.rules import Mode, Ruleset
from league.domain.sentences import say
from league.domain.tiles import Tile, ordered, total_pips
from league.wording.language import _, spoken
from league.wording.numbers import signed
from league.wording.terms import SCORING_RULES

WIDTH = 78

NAMES: dict[Mode, tuple[str, ...]] = {
    "1v1": (say("you"), say("your opponent")),
    "2v2": (say("you"), say("the right opponent"), say("your partner"), say("the left opponent")),
    "individuals": (say("you"), say("opponent 1"), say("opponent 2"), say("opponent 3")),
}
"""By seat. Play goes counter-clockwise, so the next seat sits on the right."""

STARTS = (say("You start."), say("{who} starts."))
PASSES = (say("You pass."), say("{who} passes."))
DRAWS = (say("You draw {tile}."), say("{who} draws a tile."))
PLAYS = {
    None: (say("You play {tile}."), say("{who} plays {tile}.")),
    "left": (say("You play {tile} on the left."), say("{who} plays {tile} on the left.")),
    "right": (say("You play {tile} on the right."), say("{who} plays {tile} on the right.")),
}
ENDS = {
    "domino": (say("You go out."), say("{who} goes out.")),
    "block": (say("You block the hand."), say("{who} blocks the hand.")),
}
"""What the person does, and what another player does."""
CHOICES = {None: say("{tile}"), "left": say("{tile} on the left"), "right": say("{tile} on the right")}
"""A play to choose."""


class Table:
    """Prints a game as the person in seat 0 sees it."""

    def __init__(self, ruleset: Ruleset, mode: Mode, seats: int) -> None:
        self.ruleset, self.mode, self.names = ruleset, mode, tuple(map(spoken, NAMES[mode][:seats]))
        self.sides = (_("you and your partner"), _("your opponents")) if mode == "2v2" else self.names

    def show_beginning(self, match: MatchInPlay, hand: HandInPlay) -> None:
        """The number of a hand, the score before it, and who starts."""
        typer.echo(_("\n--- Hand {number} ", number=match.number).ljust(WIDTH + 1, "-"))
        score = match.result.score
        if score is not None:
            target = self.ruleset.target
            self._show(_("Score: "), _("{score} (to {target})", score=self._by_side(score), target=target))
        draw = match.played.starting_draw
        if match.number == 1 and draw is not None:
            drawn = (f"{name} {_tile(tile)}" for name, tile in zip(self.names, draw, strict=True))
            self._show(_("Starting draw: "), ", ".join(drawn))
        self._say(STARTS, hand.starter)

    def show_turn(self, turn: Turn) -> None:
        """One turn, in a line."""
        if turn.tile is None:
            self._say(PASSES, turn.seat)
        elif turn.where == "draw":
            self._say(DRAWS, turn.seat, turn.tile)
        else:
            self._say(PLAYS[turn.where], turn.seat, turn.tile)

    def show_position(self, hand: HandInPlay, plays: Sequence[Play]) -> None:
        """The chain, how many tiles the others hold, the own tiles, and the plays by number."""
        typer.echo()
        self._show(_("Chain: "), " ".join(map(_tile, chain(hand.turns))) or _("empty"))
        others = [f"{self.names[seat]} {hand.held[seat].bit_count()}" for seat in range(1, hand.seats)]
        if hand.boneyard:
            others.append(_("the boneyard {count}", count=len(hand.boneyard)))
        self._show(_("Tiles: "), ", ".join(others))
        self._show(_("Yours: "), _tiles(hand, 0))
        for number, play in enumerate(plays, 1):
            typer.echo(f"{number:4}  {_(CHOICES[play.end], tile=_tile(play.tile))}")

    def show_end(self, result: Result, hand: HandInPlay) -> None:
        """How a hand ended, what it scored and why, and what was still held; at the end, who has won the match."""
        last, facts = result.hands[-1], hand.facts()
        assert facts.seat is not None, "the engine knows who ended the hand"
        typer.echo()
        self._say(ENDS[facts.ended_by], facts.seat)
        for seat in range(hand.seats):
            if hand.held[seat]:
                pips = total_pips(hand.tiles.of_mask(hand.held[seat]))
                self._show(
                    f"{_capital(self.names[seat])}: ", _("{hand} ({pips} pips)", hand=_tiles(hand, seat), pips=pips)
                )
        typer.echo(
            _("Nobody wins the hand.")
            if last.winner is None
            else _("The hand goes to {sides}.", sides=self.sides[last.winner])
        )
        for term in last.terms:
            self._show(
                "  ",
                _(
                    "{points} for {sides}: {scoring_rules}",
                    points=signed(term.points),
                    sides=self.sides[term.side],
                    scoring_rules=SCORING_RULES[term.rule],
                ),
            )
        for side, rule, points in result.terms:
            self._show(
                "  ",
                _(
                    "{points} for {sides}: {scoring_rules}",
                    points=signed(points),
                    sides=self.sides[side],
                    scoring_rules=SCORING_RULES[rule],
                ),
            )
        if result.score is not None:
            self._show(_("Score: "), self._by_side(result.score))
        if result.winner is not None:
            typer.echo(_("\nThe match goes to {sides}.", sides=self.sides[result.winner]))

    def _by_side(self, score: Iterable[int]) -> str:
        return ", ".join(f"{side} {points}" for side, points in zip(self.sides, score, strict=True))

    def _say(self, texts: tuple[str, str], seat: int, tile: Tile | None = None) -> None:
        """What a seat does: the first text is about the person, the second about another player."""
        said = _(texts[seat != 0], who=self.names[seat], tile="" if tile is None else _tile(tile))
        typer.echo(_capital(said))

    def _show(self, title: str, content: str) -> None:
        """A text under a title, wrapped to the width of a terminal; a tile is never broken."""
        indent = " " * len(title)
        lines = textwrap.wrap(content, WIDTH - len(title), break_long_words=False, break_on_hyphens=False)
        for number, line in enumerate(lines):
            typer.echo((indent if number else title) + line)


def chain(turns: Iterable[Turn]) -> list[Tile]:
    """The tiles on the table from left to right, as they lie."""
    found: list[Tile] = []
    for turn in turns:
        if turn.tile is not None and turn.where != "draw":
            found.insert(0 if turn.where == "left" else len(found), turn.tile)
    return found


def _tile(tile: Tile) -> str:
    return f"[{tile[0]}|{tile[1]}]"


def _tiles(hand: HandInPlay, seat: int) -> str:
    return " ".join(_tile(ordered(tile)) for tile in hand.tiles.of_mask(hand.held[seat]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
