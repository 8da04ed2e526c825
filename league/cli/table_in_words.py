"""What a person at the table sees in a terminal: 80 columns of plain text."""

import textwrap
from collections.abc import Iterable, Sequence

import typer

from league.ai.matches import MatchInPlay
from league.domain.result import Result
from league.domain.rules import Mode, Ruleset
from league.domain.table.engine import HandInPlay, Play
from league.domain.tiles import Tile, ordered, total_pips
from league.domain.turn import Turn
from league.wording.language import _
from league.wording.terms import SCORING_RULES

WIDTH = 78

NAMES: dict[Mode, tuple[str, ...]] = {
    "1v1": ("you", _("your opponent")),
    "2v2": ("you", _("the right opponent"), _("your partner"), _("the left opponent")),
    "individuals": ("you", _("opponent 1"), _("opponent 2"), _("opponent 3")),
}
"""By seat. Play goes counter-clockwise, so the next seat sits on the right."""


class Table:
    """Prints a game as the person in seat 0 sees it."""

    def __init__(self, ruleset: Ruleset, mode: Mode, seats: int) -> None:
        self.ruleset, self.mode, self.names = ruleset, mode, NAMES[mode][:seats]
        self.sides = (_("you and your partner"), _("your opponents")) if mode == "2v2" else self.names

    def show_beginning(self, match: MatchInPlay, hand: HandInPlay) -> None:
        """The number of a hand, the score before it, and who starts."""
        typer.echo(_("\n--- Hand {number} ", number=match.number).ljust(WIDTH + 1, "-"))
        score = match.result.score
        if score is not None:
            self._show("Score: ", self._by_side(score) + f" (to {self.ruleset.target})")
        draw = match.played.starting_draw
        if match.number == 1 and draw is not None:
            drawn = (f"{name} {_tile(tile)}" for name, tile in zip(self.names, draw, strict=True))
            self._show(_("Starting draw: "), ", ".join(drawn))
        typer.echo(f"{_capital(self.names[hand.starter])} {self._verb(hand.starter, 'start')}.")

    def show_turn(self, turn: Turn) -> None:
        """One turn, in a line."""
        who = _capital(self.names[turn.seat])
        if turn.tile is None:
            typer.echo(f"{who} {self._verb(turn.seat, 'pass')}.")
        elif turn.where == "draw":
            drawn = f" {_tile(turn.tile)}" if turn.seat == 0 else _(" a tile")
            typer.echo(f"{who} {self._verb(turn.seat, 'draw')}{drawn}.")
        else:
            where = _(" on the {where}", where=turn.where) if turn.where else ""
            typer.echo(f"{who} {self._verb(turn.seat, 'play')} {_tile(turn.tile)}{where}.")

    def show_position(self, hand: HandInPlay, plays: Sequence[Play]) -> None:
        """The chain, how many tiles the others hold, the own tiles, and the plays by number."""
        typer.echo()
        self._show("Chain: ", " ".join(map(_tile, chain(hand.turns))) or "empty")
        others = [f"{self.names[seat]} {hand.held[seat].bit_count()}" for seat in range(1, hand.seats)]
        if hand.boneyard:
            others.append(_("the boneyard {count}", count=len(hand.boneyard)))
        self._show("Tiles: ", ", ".join(others))
        self._show("Yours: ", _tiles(hand, 0))
        for number, play in enumerate(plays, 1):
            where = _(" on the {end}", end=play.end) if play.end else ""
            typer.echo(f"{number:4}  {_tile(play.tile)}{where}")

    def show_end(self, result: Result, hand: HandInPlay) -> None:
        """How a hand ended, what it scored and why, and what was still held; at the end, who has won the match."""
        last, facts = result.hands[-1], hand.facts()
        assert facts.seat is not None, "the engine knows who ended the hand"
        ended = _("goes out") if facts.ended_by == "domino" else _("blocks the hand")
        typer.echo(f"\n{_capital(self._third(facts.seat, ended))}.")
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
                    "{points:+} for {sides}: {scoring_rules}",
                    points=term.points,
                    sides=self.sides[term.side],
                    scoring_rules=SCORING_RULES[term.rule],
                ),
            )
        for side, rule, points in result.terms:
            self._show(
                "  ",
                _(
                    "{points:+} for {sides}: {scoring_rules}",
                    points=points,
                    sides=self.sides[side],
                    scoring_rules=SCORING_RULES[rule],
                ),
            )
        if result.score is not None:
            self._show("Score: ", self._by_side(result.score))
        if result.winner is not None:
            typer.echo(_("\nThe match goes to {sides}.", sides=self.sides[result.winner]))

    def _by_side(self, score: Iterable[int]) -> str:
        return ", ".join(f"{side} {points}" for side, points in zip(self.sides, score, strict=True))

    def _verb(self, seat: int, verb: str) -> str:
        if seat == 0:
            return verb
        return f"{verb}es" if verb.endswith("s") else f"{verb}s"

    def _third(self, seat: int, what: str) -> str:
        """What a seat does; `what` is in the third person."""
        if seat == 0:
            what = {_("goes out"): _("go out"), _("blocks the hand"): _("block the hand")}[what]
        return f"{self.names[seat]} {what}"

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
