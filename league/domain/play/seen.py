"""What a seat sees of a hand that is played: its own tiles, and what lies open. Players of `league.ai` get no more."""

from typing import Literal

from msgspec import Struct

from league.domain.play.engine import HandInPlay, Play
from league.domain.play.turn import Turn
from league.domain.rules import Mode, Ruleset
from league.domain.tiles import Tile

Level = Literal["random", "heuristic", "inference"]
"""How well an AI plays what it sees."""


class Seen(Struct, frozen=True):
    """A hand as one seat sees it, or as a spectator does (`seat` None, no tiles, no plays)."""

    ruleset: Ruleset
    mode: Mode
    seat: int | None
    tiles: tuple[Tile, ...]
    """Those that the seat holds, in ascending order."""
    counts: tuple[int, ...]
    """By seat, how many tiles it holds."""
    boneyard: int
    """How many tiles can still be drawn. Tiles that sleep and cannot be drawn do not count."""
    starter: int
    turns: tuple[Turn, ...]
    """Every turn so far; a draw of another seat has no tile (`Turn(seat, None, "draw")`)."""
    ends: tuple[int, int] | None
    to_move: int
    plays: tuple[Play, ...]
    """What the seat may play now; none unless it is the one to move."""
    score: tuple[int, ...] | None = None
    """By side, before this hand; None in rulesets without points, and where it is not known."""
    hand: int = 1


def seen_by(
    seat: int | None, play: HandInPlay, mode: Mode, score: tuple[int, ...] | None = None, hand: int = 1
) -> Seen:
    """What a seat, or with None a spectator, may know of a hand."""
    own = play.to_move == seat and not play.is_over
    return Seen(
        ruleset=play.ruleset,
        mode=mode,
        seat=seat,
        tiles=() if seat is None else tuple(play.tiles.of_mask(play.held[seat])),
        counts=tuple(held.bit_count() for held in play.held),
        boneyard=len(play.boneyard),
        starter=play.starter,
        turns=tuple(public(turn, seat) for turn in play.turns),
        ends=play.ends,
        to_move=play.to_move,
        plays=tuple(play.legal_plays()) if own else (),
        score=score,
        hand=hand,
    )


def public(turn: Turn, seat: int | None) -> Turn:
    """A turn as a seat sees it: of a draw by another one it does not see the tile."""
    return Turn(turn.seat, None, "draw") if turn.where == "draw" and turn.seat != seat else turn
