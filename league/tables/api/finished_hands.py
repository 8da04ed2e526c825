"""The finished hands of a live table: whole, for a review move by move, and to check the deal."""

from datetime import datetime

import msgspec
import strawberry
from strawberry import field

from league.api.graphql.scalars import Tile
from league.api.graphql.shaping.references import DerivedFactsRef, HandTurnRef, ScoreTermRef, field_of
from league.domain.hand import HandFacts
from league.domain.play.turn import TakenTurn
from league.domain.scoring import HandScore
from league.tables.domain.review import FinishedHand


@strawberry.type(description="A hand of a live table that has ended. Nothing of it is hidden.")
class FinishedHandOfTable:
    number: int = field(description="From 1.")
    starter: int = field(description="The seat that started.")
    dealt: list[list[Tile]] = field(description="The tiles dealt, by seat, each hand in ascending order.")
    boneyard: list[Tile] = field(
        description="The tiles that were left over, in the order in which they would be drawn; where no seat draws, "
        "those that slept."
    )
    winner: int | None = field(description="The side that won it; null when no side did.")
    winning_seat: int | None = field(description="The seat that won it.")
    points: list[int] = field(description="What it added to the score, by side.")
    dealt_at: datetime = field(description="When it was dealt, for the last time if there was a reshuffle.")
    ended_at: datetime = field(description="When it ended.")
    reshuffled: bool = field(description="Whether it was dealt anew, because a player accepted a reshuffle.")
    commitment: str = field(description="SHA-256 of the secret, in hexadecimal, as it was published before the deal.")
    secret: str = field(description="The server's secret, in hexadecimal.")
    contributions: list[str] = field(
        description="What each seat added to the seed, in hexadecimal, by seat; zeros for one that added nothing."
    )
    starting_draws: list[list[Tile]] = field(
        description="Each starting draw before it, by seat; ties draw again. Empty after the first hand, and without "
        "one."
    )
    finished: strawberry.Private[FinishedHand]
    known: strawberry.Private[HandFacts]
    score: strawberry.Private[HandScore]

    @classmethod
    def of(cls, found: tuple[FinishedHand, HandFacts, HandScore]) -> "FinishedHandOfTable":
        """A finished hand, with its facts and its score."""
        finished, facts, score = found
        proof, played = finished.proof, finished.proof.deals[-1]
        return cls(
            number=proof.hand,
            starter=proof.starter,
            dealt=[[Tile(tile) for tile in held] for held in played.dealt],
            boneyard=[Tile(tile) for tile in played.rest],
            winner=score.winner,
            winning_seat=score.winning_seat,
            points=list(score.points),
            dealt_at=finished.dealt_at,
            ended_at=finished.ended_at,
            reshuffled=len(proof.deals) > 1,
            commitment=proof.commitment,
            secret=proof.secret,
            contributions=list(proof.contributions),
            starting_draws=[[Tile(tile) for tile in draw.tiles] for draw in proof.starting_draws],
            finished=finished,
            known=facts,
            score=score,
        )

    @field(
        description="A JSON document by which anybody can check that the deal follows from the secret and the "
        "contributions: the file that `league verify-deal` reads."
    )
    def proof(self) -> str:
        return msgspec.json.encode(self.finished.proof).decode()

    @field_of(list[HandTurnRef], "Every turn, with its time.")
    def turns(self) -> list[TakenTurn]:
        return list(self.finished.turns)

    @field_of(DerivedFactsRef, "What happened, as a match records it.")
    def facts(self) -> HandFacts:
        return self.known

    @field_of(list[ScoreTermRef], "Where the points come from; their sum by side is `points`.")
    def terms(self) -> list[list[object]]:
        return [[term.side, term.rule, term.points] for term in self.score.terms]
