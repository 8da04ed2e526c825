"""The enums of the schema; their values are the words of the domain."""

from enum import Enum
from typing import Any

import strawberry

from league.projections.boards.definitions import BOARDS


def word(value: str, *, description: str) -> Any:
    """A value of an enum with its description; the enum's `value` is the word itself."""
    return strawberry.enum_value(value, description=description)


@strawberry.enum(description="How a match is played.")
class MatchMode(Enum):
    ONE_ON_ONE = word("1v1", description="Two players.")
    TWO_ON_TWO = word("2v2", description="Two pairs; seats 0 and 2 are side 0, seats 1 and 3 side 1.")
    INDIVIDUALS = word("individuals", description="Three or four players, each for themselves; never rated.")


@strawberry.enum(description="The mode in which a rating was earned.")
class RatingMode(Enum):
    ONE_ON_ONE = word("1v1", description="Matches of two players.")
    TWO_ON_TWO = word("2v2", description="Matches of two pairs.")
    OVERALL = word("overall", description="Both modes weighed together, or the one that was played.")


@strawberry.enum(description="Who competes in a monthly series.")
class SeriesMode(Enum):
    ONE_ON_ONE = word("1v1", description="Players, in matches of two.")
    TWO_ON_TWO = word("2v2", description="Fixed pairs, in matches of two pairs.")


@strawberry.enum(description="Whose ratings.")
class RatedSubject(Enum):
    PLAYERS = word("player", description="Players.")
    TEAMS = word("team", description="Fixed pairs, in matches of two pairs.")


@strawberry.enum(description="What a match counts for.")
class Competition(Enum):
    COMPETITIVE = word("competitive", description="An ordinary match of the league.")
    CASUAL = word("casual", description="Rated with a small K; counts in the series only where the edition says so.")
    SPECIAL = word("special", description="A match of a special tournament.")


@strawberry.enum(description="The status of a match.")
class MatchStatus(Enum):
    OPEN = word("open", description="It is not decided.")
    PENDING = word("pending", description="It has ended, and is decided once its players or an admin confirm it.")
    COMPLETED = word("completed", description="The end condition of its ruleset was met.")
    CUT_SHORT = word("cut_short", description="Play stopped before the end condition was met; the leading side won.")
    FORFEITED = word("forfeited", description="A side gave up: the other one has won, and M is 0.")
    ANNOUNCED = word("announced", description="Known by its announced result only.")
    VOIDED = word("voided", description="Struck from the record.")


@strawberry.enum(description="How a hand ended.")
class HandEnding(Enum):
    DOMINO = word("domino", description="A player played the last tile held.")
    BLOCK = word("block", description="No player could play.")


@strawberry.enum(description="A leaderboard.")
class BoardKind(Enum):
    _ignore_ = "board name"
    for board in BOARDS.values():
        # A name of GraphQL begins with a letter.
        name = {"1v1": "ONE_ON_ONE", "2v2": "TWO_ON_TWO"}.get(board.kind, board.kind.upper())
        vars()[name] = word(board.kind, description=board.description)


GLOBAL_BOARD = BoardKind("global")


@strawberry.enum(description="Where in a chain a tile was played, or what else a turn was.")
class TurnKind(Enum):
    LEFT = word("left", description="On the left end.")
    RIGHT = word("right", description="On the right end.")
    DRAW = word("draw", description="A tile taken from the boneyard.")
    TIMEOUT = word("timeout", description="A pass that the clock made.")


@strawberry.enum(description="Who made a turn at a live table.")
class TurnMaker(Enum):
    PLAYER = word("player", description="The player.")
    CLOCK = word("clock", description="The clock: the player's time had run out.")
    AI = word("ai", description="An AI, which played the seat.")
