"""A hand turn by turn: checks that it was played by the rules, and derives the facts of the hand from it."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.hand import Closing, HandFacts, has_boneyard
from league.domain.refusals import InvalidInput
from league.domain.rules import Ruleset
from league.domain.tiles import Tile, fits, full_set, ordered

Where = Literal["left", "right", "draw", "timeout"]


class Turn(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A seat plays a tile (as it lies, left half first) on an end, draws one, or passes (no tile)."""

    seat: int
    tile: Tile | None
    where: Where | None = None
    """`left` or `right`; None for the first tile and a pass; `draw`; `timeout` for a pass that the clock made."""


class Transcript(Struct, frozen=True):
    """The tiles dealt by seat, and every turn."""

    dealt: tuple[tuple[Tile, ...], ...]
    plays: tuple[Turn, ...]


def derive_facts(transcript: Transcript, ruleset: Ruleset, seats: int) -> HandFacts:
    """Play the transcript and return the facts of the hand.

    Raises InvalidInput at the first turn that the rules do not allow, or when the hand is not over at the end.
    """
    table = _Table(transcript, ruleset, seats)
    for number, turn in enumerate(transcript.plays):
        table.take(turn, f"plays.{number}")
    return table.facts()


class _Table:
    """The table while a transcript is played through."""

    def __init__(self, transcript: Transcript, ruleset: Ruleset, seats: int) -> None:
        self.ruleset, self.seats, self.turns = ruleset, seats, transcript.plays
        self.hands = _dealt(transcript.dealt, ruleset, seats)
        self.boneyard: set[Tile] = set()
        if has_boneyard(ruleset, seats):
            self.boneyard = set(full_set(ruleset.set)).difference(*self.hands)
        self.ends: tuple[int, int] | None = None
        self.to_move: int | None = None
        self.drawn = 0
        """Tiles drawn in the turn that is being taken."""
        self.drew: list[int] = []
        self.closing = Closing()
        self.locker: int | None = None
        self.out: int | None = None

    def take(self, turn: Turn, at: str) -> None:
        if self.out is not None:
            raise InvalidInput(at, f"seat {self.out} had gone out")
        if not 0 <= turn.seat < self.seats:
            raise InvalidInput(f"{at}.seat", f"there is no seat {turn.seat}")
        if self.to_move is not None and turn.seat != self.to_move:
            raise InvalidInput(f"{at}.seat", f"it was the turn of seat {self.to_move}, not of seat {turn.seat}")
        self.to_move = turn.seat
        if turn.tile is None:
            self._pass(turn, at)
        elif turn.where == "draw":
            self._draw(turn.seat, ordered(turn.tile), at)
        else:
            self._play(turn, turn.tile, at)

    def _play(self, turn: Turn, tile: Tile, at: str) -> None:
        held = self.hands[turn.seat]
        if ordered(tile) not in held:
            raise InvalidInput(f"{at}.tile", f"seat {turn.seat} does not hold {list(tile)}")
        fitted_both = self.ends is not None and all(fits(tile, end) for end in self.ends)
        self.ends = self._laid(turn, tile, at)
        held.remove(ordered(tile))
        self.closing = Closing(ordered(tile), fitted_both, self.ends[0] == self.ends[1])
        self.locker = turn.seat
        if not held:
            self.out = turn.seat
        self._next()

    def _laid(self, turn: Turn, tile: Tile, at: str) -> tuple[int, int]:
        if self.ends is None:
            if turn.where is not None:
                raise InvalidInput(f"{at}.where", "the first tile goes on no end")
            return tile
        left, right = self.ends
        if turn.where == "left" and tile[1] == left:
            return (tile[0], right)
        if turn.where == "right" and tile[0] == right:
            return (left, tile[1])
        if turn.where not in ("left", "right"):
            raise InvalidInput(f"{at}.where", "a tile is played on the left or on the right end")
        end = left if turn.where == "left" else right
        raise InvalidInput(
            f"{at}.tile", f"{list(tile)}, as it lies, does not meet the {turn.where} end, which shows {end}"
        )

    def _draw(self, seat: int, tile: Tile, at: str) -> None:
        if not has_boneyard(self.ruleset, self.seats):
            raise InvalidInput(at, f"no seat draws from a boneyard with {self.seats} seats under these rules")
        if tile not in self.boneyard:
            raise InvalidInput(f"{at}.tile", f"{list(tile)} is not in the boneyard")
        if self._playable(seat):
            raise InvalidInput(at, f"seat {seat} drew although it could play")
        if self.ruleset.cannot_play == "draw_one" and self.drawn:
            raise InvalidInput(at, f"seat {seat} drew twice; these rules let it draw one tile")
        self.boneyard.remove(tile)
        self.hands[seat].add(tile)
        self.drawn += 1
        if seat not in self.drew:
            self.drew.append(seat)

    def _pass(self, turn: Turn, at: str) -> None:
        if self.ends is None:
            raise InvalidInput(at, "the starter cannot pass before the first tile")
        if turn.where not in (None, "timeout"):
            raise InvalidInput(f"{at}.where", "a pass goes on no end")
        if turn.where is None:
            if self._playable(turn.seat):
                raise InvalidInput(at, f"seat {turn.seat} passed although it could play")
            if self.boneyard and not (self.ruleset.cannot_play == "draw_one" and self.drawn):
                raise InvalidInput(at, f"seat {turn.seat} passed although it could draw")
        self._next()

    def _next(self) -> None:
        assert self.to_move is not None
        self.to_move, self.drawn = (self.to_move + 1) % self.seats, 0

    def _playable(self, seat: int) -> bool:
        return self.ends is None or any(fits(tile, end) for tile in self.hands[seat] for end in self.ends)

    def _blocked(self) -> bool:
        """Whether no seat could move, with any held tile or one of the boneyard."""
        ends = self.ends or ()
        tiles = self.boneyard.union(*self.hands)
        return not any(fits(tile, end) for tile in tiles for end in ends)

    def facts(self) -> HandFacts:
        if not self.turns:
            raise InvalidInput("plays", "no turn was taken")
        blocked = self._blocked()
        if self.out is None and not blocked:
            raise InvalidInput("plays", "the hand is not over: no seat went out, and one can still move")
        if self.out is None and self.boneyard:
            raise InvalidInput("plays", "the hand is not blocked before the boneyard is empty")
        passes = [turn for turn in self.turns if turn.where != "draw"]
        return HandFacts(
            starter=passes[0].seat,
            ended_by="block" if self.out is None else "domino",
            seat=self.locker if self.out is None else self.out,
            leftover=tuple(tuple(sorted(hand)) for hand in self.hands),
            closing=replace(self.closing, blocks_too=blocked),
            opening_pass=_opening_pass(passes, self.seats),
            corridos=_corridos(passes, self.seats),
            drew=tuple(self.drew),
        )


def _dealt(dealt: tuple[tuple[Tile, ...], ...], ruleset: Ruleset, seats: int) -> list[set[Tile]]:
    if len(dealt) != seats:
        raise InvalidInput("dealt", f"there must be {seats} hands, one for each seat, not {len(dealt)}")
    seen: dict[Tile, str] = {}
    for seat, hand in enumerate(dealt):
        if len(hand) != ruleset.tiles_each:
            raise InvalidInput(f"dealt.{seat}", f"seat {seat} is dealt {ruleset.tiles_each} tiles, not {len(hand)}")
        for number, tile in enumerate(hand):
            at = f"dealt.{seat}.{number}"
            if ordered(tile) not in full_set(ruleset.set):
                raise InvalidInput(at, f"there is no tile {list(tile)} in a {ruleset.set} set")
            if ordered(tile) in seen:
                raise InvalidInput(at, f"the tile {list(tile)} is named twice, here and at {seen[ordered(tile)]}")
            seen[ordered(tile)] = at
    return [{ordered(tile) for tile in hand} for hand in dealt]


def _opening_pass(turns: Sequence[Turn], seats: int) -> bool:
    """The seat after the starter passes and the third does not. With two seats there is no third one."""
    played = [turn.tile is not None for turn in turns[:3]]
    third_seat = seats >= len(played)
    return third_seat and played == [True, False, True]


def _corridos(turns: Sequence[Turn], seats: int) -> tuple[int, ...]:
    """After a play all other seats pass in turn and the player plays again."""
    made = []
    for number in range(len(turns) - seats):
        first, *others, again = turns[number : number + seats + 1]
        if first.tile is not None and again.tile is not None and all(turn.tile is None for turn in others):
            made.append(first.seat)
    return tuple(made)
