"""The enums of live tables; their values are the words of the domain."""

from enum import Enum

import strawberry

from league.api.graphql.enums import word


@strawberry.enum(description="What a live table is doing.")
class TablePhase(Enum):
    OPEN = word("open", description="Players sit down and say that they are ready.")
    SHUFFLING = word("shuffling", description="The secret of a hand is chosen; the players contribute to its seed.")
    OFFERING = word("offering", description="The hand is dealt, and a seat with many doubles may have it dealt anew.")
    PLAYING = word("playing", description="A hand is being played.")
    PAUSED = word("paused", description="A player's connection is lost; the time of the turn stands still.")
    CLOSED = word("closed", description="Play at the table is over.")


@strawberry.enum(description="How well an AI plays.")
class AiLevel(Enum):
    RANDOM = word("random", description="Any legal play.")
    HEURISTIC = word("heuristic", description="A few sound rules: high tiles early, the partner's number left alone.")
    INFERENCE = word("inference", description="It infers from plays and passes who may hold what.")


@strawberry.enum(description="Who makes the moves of a seat at present.")
class PlayedBy(Enum):
    PLAYER = word("player", description="Its player.")
    AI = word("ai", description="An AI, from the start or in place of a player who is away.")


@strawberry.enum(description="An end of the chain.")
class ChainEnd(Enum):
    LEFT = word("left", description="The left one.")
    RIGHT = word("right", description="The right one.")


@strawberry.enum(description="Why an AI plays the seat of a player.")
class HandoverReason(Enum):
    AWAY = word("away", description="The player did not come back in time.")
    TIMEOUTS = word("timeouts", description="The player's time ran out in several turns in a row.")
    LEFT = word("left", description="The player left on purpose.")


@strawberry.enum(description="Why a table was closed.")
class ClosingReason(Enum):
    FINISHED = word("finished", description="The match met its end condition.")
    VOIDED = word("voided", description="The match was voided.")
    FORFEITED = word("forfeited", description="A side gave up.")
    ABANDONED = word("abandoned", description="Play never began, or AIs alone were left at a practice table.")
    LOCKED = word(
        "locked", description="The match could not begin: the two have played all games of the month that count."
    )


@strawberry.enum(description="What a table waits for.")
class AwaitedThing(Enum):
    START = word("start", description="All players to be ready; then the table is closed.")
    CONTRIBUTIONS = word("contributions", description="Contributions to the seed; missing ones then count as zeros.")
    RESHUFFLE = word("reshuffle", description="An answer to the offer of a reshuffle; then it counts as declined.")
    TURN = word("turn", description="A move; then the clock passes or plays.")
    PAUSE = word("pause", description="A player who is away; then an AI takes the seat.")
    HAND = word("hand", description="Nothing: the hand, whose secret is lost, is dropped at once and dealt again.")
