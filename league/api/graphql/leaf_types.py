"""The scalars beyond GraphQL's own, the enums, and how arguments and optional inputs are described.

The values of enums are words and rules of the domain.
"""

from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, NewType

import strawberry
from graphql import GraphQLError
from strawberry.types.arguments import StrawberryArgumentAnnotation
from strawberry.types.scalar import ScalarDefinition

from league.domain.sentences import Sentence, say
from league.domain.texts_and_times import read_day
from league.explanations.rating_changes import K_REASONS
from league.projections.boards.definitions import BOARDS
from league.wording.facts import MODIFIER_RULES, RULES, SCORING_RULES, TERMS
from league.wording.language import spoken

BigInt = NewType("BigInt", int)
Tile = NewType("Tile", tuple[int, int])

BEGINS_WITH_A_LETTER = {"1v1": "ONE_ON_ONE", "2v2": "TWO_ON_TWO"}
"""Enum names for words that begin with a digit: names in GraphQL begin with a letter."""
_LARGEST = 2**63 - 1


class UnfitValue(GraphQLError):
    """A value that a scalar refuses. graphql-core writes its message into texts of its own, so that it is spoken.

    `sentence` is for errors of ours, which are spoken for each request that has the document.
    """

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(spoken(sentence))
        self.sentence = sentence


def _big_int(value: Any) -> BigInt:
    try:
        number = int(value) if isinstance(value, str) and value.isascii() else value
    except ValueError:
        number = None
    if not isinstance(number, int) or isinstance(number, bool) or abs(number) > _LARGEST:
        raise UnfitValue(
            say("BigInt is a whole number of 64 bits, or a string of its digits, not {value!r}.", value=value)
        )
    return BigInt(number)


def _date_time(value: Any) -> datetime:
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise UnfitValue(
            say("DateTime is a text such as '2026-11-20T18:30:00Z', not {value!r}.", value=value)
        ) from None
    if time.tzinfo is None:
        raise UnfitValue(
            say(
                "DateTime needs an offset from UTC, such as the Z in '2026-11-20T18:30:00Z': {value!r}.",
                value=value,
            )
        )
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise UnfitValue(say("{value!r} lies beyond the calendar.", value=value)) from None


def _date(value: Any) -> date:
    try:
        return read_day(value)
    except (TypeError, ValueError):
        raise UnfitValue(say("Date is a day such as '2026-11-20', not {value!r}.", value=value)) from None


def _shown_time(value: Any) -> str:
    text: str = value.astimezone(UTC).isoformat()
    return text.replace("+00:00", "Z")


def _tile(value: Any) -> Tile:
    halves = value if isinstance(value, list) else []
    if len(halves) != 2 or not all(isinstance(half, int) and not isinstance(half, bool) for half in halves):  # noqa: PLR2004  # halves
        raise UnfitValue(say("Tile is a list of its two halves, such as [5, 3], not {value!r}.", value=value))
    return Tile((halves[0], halves[1]))


SCALARS: dict[object, ScalarDefinition] = {
    BigInt: strawberry.scalar(
        name="BigInt",
        description="A whole number of 64 bits, such as a position in the log. Answers write it as a string of "
        "digits, because JSON numbers lose digits in JavaScript; inputs take a string or a number.",
        serialize=str,
        parse_value=_big_int,
    ),
    datetime: strawberry.scalar(
        name="DateTime",
        description="A moment by ISO 8601 with an offset from UTC, such as `2026-11-20T18:30:00Z`; always written "
        "in UTC.",
        specified_by_url="https://scalars.graphql.org/andimarek/date-time",
        serialize=_shown_time,
        parse_value=_date_time,
    ),
    date: strawberry.scalar(
        name="Date",
        description="A day by ISO 8601, such as `2026-11-20`.",
        specified_by_url="https://scalars.graphql.org/andimarek/local-date",
        serialize=date.isoformat,
        parse_value=_date,
    ),
    Tile: strawberry.scalar(
        name="Tile",
        description="A domino as a list of its two halves, such as `[5, 3]`.",
        serialize=list,
        parse_value=_tile,
    ),
}


def argument(description: str, *, name: str | None = None) -> StrawberryArgumentAnnotation:
    """The description of an argument, for `Annotated`; `name`: its name in the schema, if not Python's."""
    return strawberry.argument(description=description, name=name)


def optional(description: str, *, name: str | None = None) -> Any:
    """A field of an input that may be left out, or be null; `name`: its name in the schema, if not Python's."""
    return strawberry.field(default=None, description=description, name=name)


def word(value: str, description: str) -> Any:
    """A value of an enum with its description; the enum's `value` is the word itself."""
    return strawberry.enum_value(value, description=description)


@strawberry.enum(description="How a match is played.")
class MatchMode(Enum):
    ONE_ON_ONE = word("1v1", "Two players.")
    TWO_ON_TWO = word("2v2", "Two pairs; seats 0 and 2 are side 0, seats 1 and 3 side 1.")
    INDIVIDUALS = word("individuals", "Three or four players, each for themselves; never rated.")


@strawberry.enum(description="The mode in which a rating was earned.")
class RatingMode(Enum):
    ONE_ON_ONE = word("1v1", "Matches of two players.")
    TWO_ON_TWO = word("2v2", "Matches of two pairs.")
    OVERALL = word("overall", "Both modes weighed together, or the only mode that was played.")


@strawberry.enum(description="Who competes in a monthly series.")
class SeriesMode(Enum):
    ONE_ON_ONE = word("1v1", "Players, in matches of two.")
    TWO_ON_TWO = word("2v2", "Fixed pairs, in matches of two pairs.")


@strawberry.enum(description="Whose ratings are meant.")
class RatedSubject(Enum):
    PLAYERS = word("player", "Players.")
    TEAMS = word("team", "Fixed pairs, in matches of two pairs.")


@strawberry.enum(description="What a match counts for.")
class Competition(Enum):
    COMPETITIVE = word("competitive", "An ordinary match of the league.")
    CASUAL = word("casual", "Rated with a small K; counts in the series only where the edition says so.")
    SPECIAL = word("special", "A match of a special tournament.")


@strawberry.enum(description="The status of a match.")
class MatchStatus(Enum):
    OPEN = word("open", "It is not decided.")
    PENDING = word("pending", "It has ended, and is decided once its players or an admin confirm it.")
    COMPLETED = word("completed", "The end condition of its ruleset was met.")
    CUT_SHORT = word("cut_short", "Play stopped before the end condition was met; the leading side won.")
    FORFEITED = word("forfeited", "A side gave up: the other side has won, and the modifier M is 0.")
    ANNOUNCED = word("announced", "Only its announced result is known.")
    VOIDED = word("voided", "Struck from the record.")


@strawberry.enum(description="How a hand ended.")
class HandEnding(Enum):
    DOMINO = word("domino", "A player played their last tile.")
    BLOCK = word("block", "No player could play.")


@strawberry.enum(description="A leaderboard.")
class BoardKind(Enum):
    _ignore_ = "board name"
    for board in BOARDS.values():
        name = BEGINS_WITH_A_LETTER.get(board.kind, board.kind.upper())
        vars()[name] = word(board.kind, board.description)


GLOBAL_BOARD = BoardKind("global")


@strawberry.enum(description="What a turn was: a tile played at an end of the chain, a draw, or a pass by the clock.")
class TurnKind(Enum):
    LEFT = word("left", "A tile played at the left end.")
    RIGHT = word("right", "A tile played at the right end.")
    DRAW = word("draw", "A tile taken from the boneyard.")
    TIMEOUT = word("timeout", "A pass that the clock made.")


@strawberry.enum(description="Who made a turn at a live table.")
class TurnMaker(Enum):
    PLAYER = word("player", "The player.")
    CLOCK = word("clock", "The clock: the player's time had run out.")
    AI = word("ai", "An AI, which played the seat.")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


@strawberry.enum(description="A rule that gives points in a hand or at the end of a match. New rules may be added.")
class ScoringRule(Enum):
    _ignore_ = "name text"
    for name, text in SCORING_RULES.items():
        vars()[name.upper()] = word(name, _sentence(text))


@strawberry.enum(description="A rule that adds to the performance modifier M. New rules may be added.")
class ModifierRule(Enum):
    _ignore_ = "name text"
    for name, text in MODIFIER_RULES.items():
        vars()[name.upper()] = word(name, _sentence(text))


@strawberry.enum(description="The rule that chose K.")
class KRule(Enum):
    _ignore_ = "name text"
    for name, text in K_REASONS.items():
        vars()[name.upper()] = word(name, _sentence(text))


@strawberry.enum(description="What was not judged.")
class NotJudgedRule(Enum):
    _ignore_ = "name text"
    for name, text in RULES.items():
        vars()[name.upper()] = word(name, _sentence(text))


@strawberry.enum(description="A term of an explanation. New terms may be added.")
class TermName(Enum):
    _ignore_ = "name text"
    for name, text in TERMS.items():
        vars()[BEGINS_WITH_A_LETTER.get(name, name.upper())] = word(name, _sentence(text))


@strawberry.enum(description="Why a rating moved.")
class JournalCause(Enum):
    MATCH = word("match", "A match was decided, or recorded late.")
    CORRECTION = word("correction", "A match that they played was corrected, voided or reopened.")
    RIPPLE = word("ripple", "A match of other players changed, so later matches were rated again.")
    MERGE = word(
        "merge", "They, or somebody who played with them, were merged with another id, or such a merge was undone."
    )
    ADOPTION = word("adoption", "Other rules were adopted for matches that were rated before.")
    PROMOTION = word("promotion", "A replay under other rules became the official league.")
    REBUILD = word("rebuild", "A newer version of the program computed the league again.")
