"""The hand that is being played, as the viewer may see it."""

from collections import deque
from collections.abc import Sequence

import strawberry
from strawberry import field

from league.api.graphql.scalars import Tile
from league.api.graphql.shaping.ids import global_id
from league.api.graphql.shaping.made_of import OfRow, made_of
from league.api.graphql.shaping.references import HandTurnRef, field_of
from league.domain.play.seen import Seen
from league.domain.play.turn import TakenTurn, Turn
from league.domain.tiles import is_double
from league.tables.api.enums import ChainEnd
from league.tables.domain.review import made_by
from league.tables.domain.views import HandView


@strawberry.type(description="A tile of the chain.")
class ChainTile:
    tile: Tile = field(description="As it lies, the left half first.")
    double: bool = field(description="Whether it is a double, which lies across the chain.")
    seat: int = field(description="Who played it.")
    turn: int = field(description="The number of the turn in which it was played.")


@strawberry.type(description="A play that the rules allow.")
class LegalPlay(OfRow):
    tile: Tile = field(description="As it would lie, the left half first.")
    end: ChainEnd | None = field(description="The end that it goes on; null for the first tile.")


@strawberry.type(description="The hand that is being shuffled or played, as the viewer may see it.")
class RunningHand:
    id: strawberry.ID = field(description="For caches of clients; `node` does not take it.")
    number: int = field(description="From 1.")
    commitment: str = field(
        description="SHA-256 of the server's secret, in hexadecimal: published before anybody contributes to the seed."
    )
    contributions: list[str | None] = field(
        description="What each seat added to the seed, in hexadecimal, by seat. Null counts as zeros."
    )
    starting_draw: list[Tile] | None = field(
        description="The tiles of the newest starting draw, by seat; null after the first hand, and without one."
    )
    attempt: int | None = field(description="Which shuffle of the hand was dealt; null before the deal.")
    reshuffled: bool = field(description="Whether the hand was dealt anew, which happens at most once.")
    reshuffle_offers: list[int] = field(
        description="The seats that have not answered yet whether the hand is to be dealt anew."
    )
    turn: int = field(description="The number of the turn to take, from 1; `playTile` names it.")
    view: strawberry.Private[HandView]

    @classmethod
    def of(cls, found: tuple[str, HandView]) -> "RunningHand":
        """The running hand of the table with this id, as a viewer sees it."""
        table, view = found
        draw = view.starting_draw
        return made_of(
            cls,
            view,
            id=strawberry.ID(global_id("RunningHand", f"{table}:{view.number}")),
            starting_draw=None if draw is None else [Tile(tile) for tile in draw],
            reshuffle_offers=list(view.offers),
            view=view,
        )

    @field(description="The seat that starts; null before the deal.")
    def starter(self) -> int | None:
        return None if self.view.seen is None else self.view.seen.starter

    @field(description="The seat to move; null before the deal.")
    def to_move(self) -> int | None:
        return None if self.view.seen is None else self.view.seen.to_move

    @field(description="The chain from left to right.")
    def chain(self) -> list[ChainTile]:
        return [] if self.view.seen is None else chain_of(self.view.seen.turns)

    @field(description="What the left and the right end show; null before the first tile.")
    def ends(self) -> list[int] | None:
        ends = None if self.view.seen is None else self.view.seen.ends
        return None if ends is None else list(ends)

    @field(description="How many tiles each seat holds, by seat; null before the deal.")
    def counts(self) -> list[int] | None:
        return None if self.view.seen is None else list(self.view.seen.counts)

    @field(description="How many tiles can still be drawn; null before the deal. Tiles that sleep do not count.")
    def boneyard(self) -> int | None:
        return None if self.view.seen is None else self.view.seen.boneyard

    @field(description="The viewer's own tiles, in ascending order; null for spectators, and before the deal.")
    def own_tiles(self) -> list[Tile] | None:
        seen = _of_a_seat(self.view)
        return None if seen is None else [Tile(tile) for tile in seen.tiles]

    @field(
        description="What the viewer may play now: `playTile` accepts these plays, and no others. Empty when it is not "
        "the viewer's turn, while a reshuffle is offered, and while the table waits for another player; null for "
        "spectators and before the deal. A seat that has no play draws or passes by itself."
    )
    def legal_plays(self) -> list[LegalPlay] | None:
        seen = _of_a_seat(self.view)
        return None if seen is None else [LegalPlay.of(play) for play in seen.plays]

    @field_of(
        list[HandTurnRef],
        "Its turns so far, without their times, which `tableChanged` sends. A draw of another seat has no tile.",
    )
    def turns(self) -> list[TakenTurn]:
        if self.view.seen is None:
            return []
        turns = zip(self.view.seen.turns, self.view.moves, strict=True)
        return [TakenTurn(number, turn, made_by(move)) for number, (turn, move) in enumerate(turns, 1)]


def chain_of(turns: Sequence[Turn]) -> list[ChainTile]:
    """The chain that these turns make, from left to right."""
    chain = deque[ChainTile]()
    for number, turn in enumerate(turns, 1):
        if turn.tile is None or turn.where == "draw":
            continue
        laid = ChainTile(tile=Tile(turn.tile), double=is_double(turn.tile), seat=turn.seat, turn=number)
        chain.appendleft(laid) if turn.where == "left" else chain.append(laid)
    return list(chain)


def _of_a_seat(view: HandView) -> Seen | None:
    """What is seen of the hand, by a viewer who has a seat."""
    return None if view.seen is None or view.seen.seat is None else view.seen
