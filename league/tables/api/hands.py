"""The hands of a live table in the API: the running hand, as the viewer may see it, and finished hands."""

from collections import deque
from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Self

import msgspec
import strawberry
from strawberry import field

from league.api.graphql.leaf_types import Tile, word
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import DerivedFactsRef, HandTurnRef, ScoreTermRef, field_of
from league.api.graphql.shaping.relay import global_id
from league.domain.hand import HandFacts
from league.domain.play import SeenHand, TakenTurn, Turn
from league.domain.scoring import HandScore
from league.domain.tiles import is_double
from league.tables.domain.proof_of_deal import FinishedHand, made_by
from league.tables.domain.state import HandView


@strawberry.enum(description="What a live table is doing.")
class TablePhase(Enum):
    OPEN = word("open", "Players sit down and say that they are ready.")
    SHUFFLING = word("shuffling", "The secret of a hand is chosen, and the players contribute to its seed.")
    OFFERING = word("offering", "The hand is dealt, and a seat with many doubles may have it dealt anew.")
    PLAYING = word("playing", "A hand is being played.")
    PAUSED = word("paused", "A player's connection is lost. The time of the turn stands still.")
    CLOSED = word("closed", "Play at the table is over.")


@strawberry.enum(description="How well an AI plays.")
class AiLevel(Enum):
    RANDOM = word("random", "Any legal play.")
    HEURISTIC = word("heuristic", "A few sound rules, such as: play high tiles early, leave the partner's number open.")
    INFERENCE = word("inference", "It infers from plays and passes which tiles each seat may hold.")


@strawberry.enum(description="Who makes the moves of a seat now.")
class PlayedBy(Enum):
    PLAYER = word("player", "Its player.")
    AI = word("ai", "An AI, from the start or in place of a player who is away.")


@strawberry.enum(description="An end of the chain.")
class ChainEnd(Enum):
    LEFT = word("left", "The left one.")
    RIGHT = word("right", "The right one.")


@strawberry.enum(description="Why an AI plays the seat of a player.")
class HandoverReason(Enum):
    AWAY = word("away", "The player did not come back in time.")
    TIMEOUTS = word("timeouts", "The player's time ran out in several turns in a row.")
    LEFT = word("left", "The player left on purpose.")


@strawberry.enum(description="Why a table was closed.")
class ClosingReason(Enum):
    FINISHED = word("finished", "The match met its end condition.")
    VOIDED = word("voided", "The match was voided.")
    FORFEITED = word("forfeited", "A side gave up.")
    ABANDONED = word("abandoned", "Play never began, or only AIs were left at a practice table.")
    LOCKED = word("locked", "The match could not begin: the pair has played all games of the month that count.")


@strawberry.enum(description="What a table waits for.")
class AwaitedThing(Enum):
    START = word("start", "It waits for all players to be ready. At the deadline the table is closed.")
    CONTRIBUTIONS = word("contributions", "It waits for contributions to the seed. Missing ones then count as zeros.")
    RESHUFFLE = word("reshuffle", "It waits for the answer to the offer of a reshuffle, which then counts as declined.")
    TURN = word("turn", "It waits for a move. At the deadline the clock passes or plays.")
    PAUSE = word("pause", "It waits for a player who is away. At the deadline an AI takes the seat.")
    HAND = word("hand", "It waits for nothing: the secret of the hand is lost, so the hand is dropped and dealt again.")


@strawberry.type(description="A tile of the chain.")
class ChainTile:
    tile: Tile = field(description="As it lies, the left half first.")
    double: bool = field(description="Whether it is a double, which lies across the chain.")
    seat: int = field(description="Who played it.")
    turn: int = field(description="The number of the turn in which it was played.")


@strawberry.type(description="A play that the rules allow.")
class LegalPlay(FromRow):
    tile: Tile = field(description="As it would lie, the left half first.")
    end: ChainEnd | None = field(description="The end that it goes on; null for the first tile.")


@strawberry.type(description="The hand that is being shuffled or played, as the viewer may see it.")
class RunningHand(FromRow, reshuffle_offers="offers"):
    id: strawberry.ID = field(description="An id for caches of clients. `node` does not accept it.")
    number: int = field(description="The number of the hand, from 1.")
    commitment: str = field(
        description="SHA-256 of the server's secret, in hexadecimal. It is published before anybody contributes to the "
        "seed."
    )
    contributions: list[str | None] = field(
        description="What each seat added to the seed, by seat, in hexadecimal. Null counts as zeros."
    )
    starting_draw: list[Tile] | None = field(
        description="The tiles of the newest starting draw, by seat; null after the first hand, and without a draw."
    )
    attempt: int | None = field(description="The number of the hand's shuffle that was dealt; null before the deal.")
    reshuffled: bool = field(description="Whether the hand was dealt anew, which happens at most once.")
    reshuffle_offers: list[int] = field(
        description="The seats that still have to answer the offer to have the hand dealt anew."
    )
    turn: int = field(description="The number of the next turn, from 1. `playTile` names it.")
    view: strawberry.Private[HandView]

    @classmethod
    def of(cls, found: tuple[str, HandView]) -> Self:
        """The running hand of the table with this id, as a viewer sees it."""
        table, view = found
        id_ = strawberry.ID(global_id("RunningHand", f"{table}:{view.number}"))
        return made_of(cls, view, id=id_, view=view)

    @field(description="The seat that starts; null before the deal.")
    def starter(self) -> int | None:
        return None if self.view.seen is None else self.view.seen.starter

    @field(description="The seat to move; null before the deal.")
    def to_move(self) -> int | None:
        return None if self.view.seen is None else self.view.seen.to_move

    @field(description="The chain from left to right.")
    def chain(self) -> list[ChainTile]:
        return [] if self.view.seen is None else chain_of(self.view.seen.turns)

    @field(description="The numbers at the left and the right end; null before the first tile.")
    def ends(self) -> list[int] | None:
        ends = None if self.view.seen is None else self.view.seen.ends
        return None if ends is None else list(ends)

    @field(description="How many tiles each seat holds, by seat; null before the deal.")
    def counts(self) -> list[int] | None:
        return None if self.view.seen is None else list(self.view.seen.counts)

    @field(description="How many tiles can still be drawn; null before the deal. Tiles asleep do not count.")
    def boneyard(self) -> int | None:
        return None if self.view.seen is None else self.view.seen.boneyard

    @field(description="The viewer's own tiles, in ascending order; null for spectators, and before the deal.")
    def own_tiles(self) -> list[Tile] | None:
        seen = _of_a_seat(self.view)
        return None if seen is None else [Tile(tile) for tile in seen.tiles]

    @field(
        description="The plays that the viewer may make now: `playTile` accepts these and no others. Empty if it is "
        "not the viewer's turn, while a reshuffle is offered, and while the table waits for another player. Null for "
        "spectators and before the deal. A seat without a play draws or passes automatically."
    )
    def legal_plays(self) -> list[LegalPlay] | None:
        seen = _of_a_seat(self.view)
        return None if seen is None else [LegalPlay.of(play) for play in seen.plays]

    @field_of(
        list[HandTurnRef],
        "The turns so far, without times, which `tableChanged` sends. The draw of another seat has no tile.",
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


def _of_a_seat(view: HandView) -> SeenHand | None:
    """What the viewer sees of the hand; None for spectators and before the deal."""
    return None if view.seen is None or view.seen.seat is None else view.seen


@strawberry.type(description="A finished hand of a live table. Nothing is hidden.")
class FinishedHandOfTable:
    number: int = field(description="The number of the hand, from 1.")
    starter: int = field(description="The seat that started.")
    dealt: list[list[Tile]] = field(description="The tiles dealt, by seat, each hand in ascending order.")
    boneyard: list[Tile] = field(
        description="The tiles that were not dealt, in the order in which they would be drawn. If the ruleset has no "
        "draws, these are the tiles asleep."
    )
    winner: int | None = field(description="The side that won the hand; null if no side did.")
    winning_seat: int | None = field(description="The seat that won the hand; null if no seat did.")
    points: list[int] = field(description="The points that the hand added to the score, by side.")
    dealt_at: datetime = field(description="When the hand was dealt; after a reshuffle, when it was dealt again.")
    ended_at: datetime = field(description="When the hand ended.")
    reshuffled: bool = field(description="Whether the hand was dealt anew because a player accepted a reshuffle.")
    commitment: str = field(description="SHA-256 of the secret, in hexadecimal, as it was published before the deal.")
    secret: str = field(description="The server's secret, in hexadecimal.")
    contributions: list[str] = field(
        description="What each seat added to the seed, by seat, in hexadecimal; zeros if a seat added nothing."
    )
    starting_draws: list[list[Tile]] = field(
        description="The starting draws before the hand, each with the tiles by seat. After a tie all draw again. "
        "Empty after the first hand, and without a draw."
    )
    finished: strawberry.Private[FinishedHand]
    known: strawberry.Private[HandFacts]
    score: strawberry.Private[HandScore]

    @classmethod
    def of(cls, found: tuple[FinishedHand, HandFacts, HandScore]) -> "FinishedHandOfTable":
        """A finished hand, with its facts and its score."""
        finished, facts, score = found
        proof, played = finished.proof, finished.proof.deals[-1]
        return made_of(
            cls,
            score,
            number=proof.hand,
            starter=proof.starter,
            dealt=played.dealt,
            boneyard=played.rest,
            dealt_at=finished.dealt_at,
            ended_at=finished.ended_at,
            reshuffled=len(proof.deals) > 1,
            commitment=proof.commitment,
            secret=proof.secret,
            contributions=proof.contributions,
            starting_draws=[draw.tiles for draw in proof.starting_draws],
            finished=finished,
            known=facts,
            score=score,
        )

    @field(
        description="A JSON document with which anybody can check that the deal follows from the secret and the "
        "contributions. `league verify-deal` reads it."
    )
    def proof(self) -> str:
        return msgspec.json.encode(self.finished.proof).decode()

    @field_of(list[HandTurnRef], "All turns, with their times.")
    def turns(self) -> list[TakenTurn]:
        return list(self.finished.turns)

    @field_of(DerivedFactsRef, "The facts of the hand, as a match records them.")
    def facts(self) -> HandFacts:
        return self.known

    @field_of(list[ScoreTermRef], "Where the points come from. Their sum by side is `points`.")
    def terms(self) -> list[list[object]]:
        return [[term.side, term.rule, term.points] for term in self.score.terms]
