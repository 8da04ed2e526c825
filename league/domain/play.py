"""A hand in play: its turns, the chain, the legal plays, the end, and the view that each seat has of it (`SeenHand`).

The AI players of `league.ai` get only the view of their seat.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from league.domain.hand import Closing, HandFacts, has_boneyard
from league.domain.match_refusals import TileDoesNotFit, TileNotHeld
from league.domain.rules import Mode, Ruleset
from league.domain.seating import SEATS
from league.domain.tiles import HIGHEST_HALF, Tile, TileSet, ordered, tile_set

Maker = Literal["player", "clock", "ai"]
Where = Literal["left", "right", "draw", "timeout"]


class Turn(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """A seat plays a tile (as it lies, left half first) on an end, draws a tile, or passes (no tile)."""

    seat: int
    tile: Tile | None
    where: Where | None = None
    """`left` or `right`; None for the first tile and a pass; `draw`; `timeout` for a pass that the clock made."""


class TakenTurn(Struct, frozen=True):
    """A turn of a hand, with its maker, its time and its event if they are known."""

    number: int
    turn: Turn
    by: Maker | None = None
    """None for a forced draw or pass that the server made at once, and for hands that were recorded."""
    at: datetime | None = None
    position: int | None = None
    """The position of its event in the log."""


class WholeHand(Struct, frozen=True):
    """A hand whose turns are all known."""

    dealt: tuple[tuple[Tile, ...], ...]
    """The tiles dealt, by seat."""
    turns: tuple[TakenTurn, ...]


End = Literal["left", "right"]


class Play(NamedTuple):
    """A tile as it lies (left half first), and the end that it goes on; None for the first tile."""

    tile: Tile
    end: End | None


class HandInPlay:
    """A hand from the deal to its end. Each turn changes it; `copy` makes a second one to try plays on."""

    __slots__ = (
        "boneyard", "drawn", "fitting", "held", "is_over", "left", "must_lead", "on_left", "on_right", "right",
        "ruleset", "seats", "starter", "tiles", "to_move", "turns", "unplayed",
    )  # fmt: skip

    ruleset: Ruleset
    seats: int
    """The number of seats."""
    tiles: TileSet
    held: list[int]
    """The mask of the tiles that each seat holds."""
    boneyard: list[Tile]
    """The tiles that can still be drawn, the next one last."""
    unplayed: int
    """The mask of all tiles that are held or can be drawn."""
    starter: int
    to_move: int
    """The seat whose turn it is; after the end of the hand, the seat that would be next."""
    must_lead: Tile | None
    """The tile that must be played first, with its lower half first; None: any tile may."""
    left: int
    right: int
    """The halves at the open ends; -1 before the first tile."""
    fitting: int
    """The mask of all tiles that fit an end, wherever they are. Before the first tile every tile fits."""
    drawn: int
    """Number of tiles drawn in this turn."""
    is_over: bool
    """Whether a seat has played its last tile, or no seat can move."""
    turns: list[Turn]
    on_left: "tuple[_PlaysOn, ...]"
    on_right: "tuple[_PlaysOn, ...]"
    """The plays on either end, by the half that the end shows and then by the mask of fitting tiles."""

    def __init__(
        self,
        ruleset: Ruleset,
        dealt: Sequence[Sequence[Tile]],
        starter: int,
        boneyard: Sequence[Tile] = (),
        must_lead: Tile | None = None,
    ) -> None:
        """`boneyard`: the tiles that are not dealt, in the order in which they are drawn; ignored if no seat draws."""
        self.ruleset, self.seats, self.tiles = ruleset, len(dealt), tile_set(ruleset.set)
        self.on_left, self.on_right = _PLAYS[ruleset.set]
        self.held = [self.tiles.mask(hand) for hand in dealt]
        self.boneyard = list(reversed(boneyard)) if has_boneyard(ruleset, self.seats) else []
        self.unplayed = sum(self.held) | self.tiles.mask(self.boneyard)
        self.starter = self.to_move = starter
        self.must_lead = must_lead and ordered(must_lead)
        self.left = self.right = -1
        self.fitting = self.tiles.all
        self.drawn = 0
        self.is_over = False
        self.turns = []

    @property
    def ends(self) -> tuple[int, int] | None:
        """The open ends, left and right; None before the first tile."""
        return None if self.left < 0 else (self.left, self.right)

    def legal_plays(self) -> tuple[Play, ...]:
        """Every play of the seat to move; none if it has to draw or pass, or if the hand is over."""
        if self.is_over:
            return ()
        left, right, held = self.left, self.right, self.held[self.to_move]
        if left < 0:
            return tuple(Play(tile, None) for tile in self.tiles.of_mask(held) if self.must_lead in (None, tile))
        fitting = self.tiles.fitting
        return self.on_left[left][held & fitting[left]] + self.on_right[right][held & fitting[right]]

    @property
    def forced(self) -> Literal["draw", "pass"] | None:
        """The only move of the seat to move, if it cannot play a tile; None if it can, or if the hand is over."""
        if self.is_over or self.held[self.to_move] & self.fitting:
            return None
        if self.boneyard and not (self.drawn and self.ruleset.cannot_play == "draw_one"):
            return "draw"
        return "pass"

    def play(self, tile: Tile, end: End | None) -> None:
        """Play a tile, as it lies, on an end. Raises TileNotHeld, TileDoesNotFit."""
        seat, tiles = self.to_move, self.tiles
        bit = tiles.bits.get(tile, 0)
        if not self.held[seat] & bit:
            raise TileNotHeld(seat, tile)
        if self.left < 0:
            self._lead(tile, end)
        elif end == "left" and tile[1] == self.left:
            self.left = tile[0]
        elif end == "right" and tile[0] == self.right:
            self.right = tile[1]
        else:
            raise self._misfit(tile, end)
        self.held[seat] = held = self.held[seat] ^ bit
        self.unplayed ^= bit
        self.fitting = fitting = tiles.fitting[self.left] | tiles.fitting[self.right]
        self.turns.append(Turn(seat, tile, end))
        self.to_move, self.drawn = (seat + 1) % self.seats, 0
        self.is_over = not held or not (self.unplayed & fitting or self.boneyard)

    def draw(self, tile: Tile | None = None) -> Tile:
        """Let the seat to move draw the next tile of the boneyard. It remains its turn; the hand may end with the draw.

        `tile`: the drawn tile of a recorded hand, which does not tell the order of the boneyard.
        """
        assert self.forced == "draw", "a seat draws when it cannot play and may draw"
        drawn = self.boneyard[-1] if tile is None else ordered(tile)
        self.boneyard.remove(drawn)
        self.held[self.to_move] |= self.tiles.bits[drawn]
        self.drawn += 1
        self.turns.append(Turn(self.to_move, drawn, "draw"))
        self.is_over = not (self.unplayed & self.fitting or self.boneyard)
        return drawn

    def pass_turn(self, *, by_clock: bool = False) -> None:
        """Let the seat to move pass, because it has to or because its time has run out.

        Some recorded hands continue with passes after the block. These change nothing.
        """
        seat = self.to_move
        assert by_clock or self.is_over or not self.held[seat] & self.fitting, "a seat passes when it cannot play"
        self.turns.append(Turn(seat, None, "timeout" if by_clock else None))
        self.to_move, self.drawn = (seat + 1) % self.seats, 0

    def copy(self) -> "HandInPlay":
        """A copy of the hand, to try plays on."""
        other = HandInPlay.__new__(HandInPlay)
        other.ruleset, other.seats, other.tiles = self.ruleset, self.seats, self.tiles
        other.held, other.boneyard, other.unplayed = self.held[:], self.boneyard[:], self.unplayed
        other.starter, other.to_move, other.must_lead = self.starter, self.to_move, self.must_lead
        other.left, other.right, other.drawn = self.left, self.right, self.drawn
        other.fitting, other.on_left, other.on_right = self.fitting, self.on_left, self.on_right
        other.is_over, other.turns = self.is_over, self.turns[:]
        return other

    def facts(self) -> HandFacts:
        """The facts of the hand for its match. The hand must be over."""
        assert self.is_over, "the facts of a hand are known when it is over"
        last = next(turn for turn in reversed(self.turns) if turn.tile is not None and turn.where != "draw")
        tile, out = last.tile or (0, 0), not self.held[last.seat]
        # The tile met one end by its inner half; the other end has not changed.
        other_end = self.right if last.where == "left" else self.left
        fits_both = last.where is not None and other_end in tile
        opening_pass, corridos = rewarded_passes(self.turns, self.seats)
        return HandFacts(
            starter=self.starter,
            ended_by="domino" if out else "block",
            seat=last.seat,
            leftover=tuple(tuple(self.tiles.of_mask(held)) for held in self.held),
            closing=Closing(
                ordered(tile), fits_both, self.left == self.right, blocks_too=not self.unplayed & self.fitting
            ),
            opening_pass=opening_pass,
            corridos=corridos,
            drew=tuple(dict.fromkeys(turn.seat for turn in self.turns if turn.where == "draw")),
        )

    def _lead(self, tile: Tile, end: End | None) -> None:
        if end is not None:
            raise TileDoesNotFit(tile, end, None, "the first tile goes on no end")
        if self.must_lead is not None and ordered(tile) != self.must_lead:
            raise TileDoesNotFit(tile, end, None, f"this hand is led with {list(self.must_lead)}")
        self.left, self.right = tile

    def _misfit(self, tile: Tile, end: End | None) -> TileDoesNotFit:
        if end not in ("left", "right"):
            return TileDoesNotFit(tile, end, None, "a tile is played on the left or on the right end")
        shows = self.left if end == "left" else self.right
        reason = f"{list(tile)}, as it lies, does not meet the {end} end, which shows {shows}"
        return TileDoesNotFit(tile, end, shows, reason)


def rewarded_passes(turns: Sequence[Turn], seats: int) -> tuple[bool, tuple[int, ...]]:
    """Whether there was an opening pass that scores, and the seat of each pase corrido (Dominican text 2.2, 2.3).

    Opening pass: the seat after the starter passes, and the third seat does not. Two seats have no third.
    Pase corrido: after a play all other seats pass in turn, and the same seat plays again.
    A pass by the clock says nothing about the seat's tiles, so it does not count as a pass here. It makes neither of
    the two, and by the third seat it does not void an opening pass.
    """
    taken = [turn for turn in turns if turn.where != "draw"]
    # One letter for each turn: x for a played tile, - for a pass, t for a pass by the clock.
    kinds = "".join("x" if turn.tile is not None else "-" if turn.where is None else "t" for turn in taken)
    opening_pass = kinds[1:3] in ("-x", "-t") and seats not in SEATS["1v1"]
    corridos, corrido = [], "x" + "-" * (seats - 1) + "x"
    at = kinds.find(corrido)
    while at >= 0:
        corridos.append(taken[at].seat)
        at = kinds.find(corrido, at + 1)
    return opening_pass, tuple(corridos)


class _PlaysOn(dict[int, tuple[Play, ...]]):
    """The plays of tiles on an end that shows `half`, by the mask of the tiles. Entries are computed when needed."""

    __slots__ = ("end", "half", "tiles")

    def __init__(self, tiles: TileSet, half: int, end: End) -> None:
        super().__init__()
        self.tiles, self.half, self.end = tiles, half, end

    def __missing__(self, mask: int) -> tuple[Play, ...]:
        inner = 1 if self.end == "left" else 0
        lying = ((a, b) if (a, b)[inner] == self.half else (b, a) for a, b in self.tiles.of_mask(mask))
        return self.setdefault(mask, tuple(Play(tile, self.end) for tile in lying))


def _plays_on(tiles: TileSet) -> Iterator[tuple[_PlaysOn, ...]]:
    for end in ("left", "right"):
        yield tuple(_PlaysOn(tiles, half, end) for half in range(tiles.halves))


_PLAYS = {name: tuple(_plays_on(tile_set(name))) for name in HIGHEST_HALF}
"""The plays by set, end and shown half. Few tiles have a given half, so each has at most 1,024 masks."""


Level = Literal["random", "heuristic", "inference"]
"""The strength of an AI, from the weakest to the strongest."""


class SeenHand(Struct, frozen=True):
    """A hand as one seat sees it, or a spectator (`seat` None, no tiles, no plays)."""

    ruleset: Ruleset
    mode: Mode
    seat: int | None
    tiles: tuple[Tile, ...]
    """The tiles that the seat holds, in ascending order."""
    counts: tuple[int, ...]
    """The number of tiles that each seat holds."""
    boneyard: int
    """The number of tiles that can still be drawn. Sleeping tiles, which nobody can draw, do not count."""
    starter: int
    turns: tuple[Turn, ...]
    """Every turn so far. A draw of another seat has no tile (`Turn(seat, None, "draw")`)."""
    ends: tuple[int, int] | None
    to_move: int
    plays: tuple[Play, ...]
    """The legal plays of the seat; none unless it is the seat's turn."""
    score: tuple[int, ...] | None = None
    """The score of each side before this hand; None in rulesets without a score, and if it is not known."""
    hand: int = 1


def seen_by(
    seat: int | None, play: HandInPlay, mode: Mode, score: tuple[int, ...] | None = None, hand: int = 1
) -> SeenHand:
    """The view that a seat, or with None a spectator, has of a hand."""
    own = play.to_move == seat and not play.is_over
    return SeenHand(
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
    """A turn as a seat sees it. A seat does not see the tile that another seat draws."""
    return Turn(turn.seat, None, "draw") if turn.where == "draw" and turn.seat != seat else turn
