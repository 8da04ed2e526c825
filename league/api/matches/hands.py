"""Hands: what happened at the table, turn by turn where it is known, what it scored, and hands as clients send them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import Enum
from itertools import starmap
from typing import Any, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import (
    BigInt,
    HandEnding,
    NotJudgedRule,
    ScoringRule,
    Tile,
    TurnKind,
    TurnMaker,
    optional,
    word,
)
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromItems, FromRow, made_of
from league.api.graphql.shaping.loaders.matches import LoadedHand
from league.api.graphql.shaping.loaders.runs import ExplainedInRun
from league.api.graphql.shaping.object_fields import ExplanationRef, field_of
from league.api.graphql.shaping.relay import Node
from league.api.schema_part import Filled, SchemaPart, added_to
from league.domain import hand
from league.domain.collected_refusals import Faults
from league.domain.match_faults import NO_PHOTOS
from league.domain.play import Turn, WholeHand
from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.domain.transcript import Transcript
from league.explanations.hands import explain_hand
from league.features import declared


@strawberry.type(description="A play, a draw or a pass.")
class HandTurn(FromRow, seat="turn.seat", tile="turn.tile", where="turn.where"):
    number: int = field(description="From 1: plays, draws and passes of the hand are counted together.")
    seat: int = field(description="Whose turn it was.")
    tile: Tile | None = field(
        description="The tile as it was played, the left half first; null: a pass, and a "
        "draw whose tile the viewer may not see."
    )
    where: TurnKind | None = field(description="What the turn was; null for the first tile, and for a pass.")
    by: TurnMaker | None = field(
        description="Who made it; null where the server drew or passed at once, and in recorded hands."
    )
    at: datetime | None = field(description="When it was made; null in recorded hands, and in a running one.")
    position: BigInt | None = field(description="The position of its event; null where `at` is null.")


@strawberry.type(description="Every turn of a hand, and the tiles with which it began.")
class HandTranscript(FromRow):
    dealt: list[list[Tile]] = field(description="The tiles dealt, by seat.")
    turns: list[HandTurn] = field(description="Every turn, in order.")


@strawberry.type(description="Points that a rule awarded to a side.")
class ScoreTerm(FromItems):
    side: int = field(description="The side.")
    rule: ScoringRule = field(description="The rule.")
    points: int = field(description="The points.")


@strawberry.type(description="What a seat still held when the hand ended.")
class Leftover:
    seat: int = field(description="The seat.")
    tiles: list[Tile] | None = field(
        description="The tiles; null where only their pips are known, or nothing is known."
    )
    pips: int | None = field(description="Their pips; null where nothing is known.")


@strawberry.type(description="The last tile of a hand, and its facts; null means: not known.")
class ClosingTile(FromRow):
    tile: Tile | None = field(description="The tile, the lower half first.")
    fits_both_ends: bool | None = field(description="Whether it could have been played on either end.")
    ends_equal: bool | None = field(description="Whether both ends show the same number after it.")
    blocks_too: bool | None = field(description="Whether no player could have moved after it.")


@strawberry.interface(description="What happened in a hand; null means: not known.")
class HandFacts(FromRow, corridos_by_side="side_corridos"):
    starter: int | None = field(description="The seat that started.")
    ended_by: HandEnding = field(description="How it ended.")
    seat: int | None = field(description="The seat that went out; in a block the locker.")
    leftover: list[Leftover] = field(description="What each seat still held, by seat.")
    closing: ClosingTile = field(description="The last tile.")
    opening_pass: bool | None = field(description="Whether there was an opening pass that scores.")
    corridos: list[int] | None = field(description="The seat of each pase corrido, in order.")
    corridos_by_side: list[int] | None = field(
        description="How many pases corridos each side made, where only the sides are known."
    )
    drew: list[int] | None = field(description="The seats that drew from the boneyard.")
    side_leftover: list[int | None] | None = field(
        description="The pips of each side, where the tiles of partners were not counted separately."
    )
    stated_winner: int | None = field(description="The side that the score sheet names as the winner.")
    stated_capicua: bool | None = field(description="Whether the score sheet claims a capicúa.")


@strawberry.enum(description="What names the winner of a hand.")
class WinnerBy(Enum):
    FACTS = word("facts", "The winner follows from the facts.")
    STATED = word("stated", "The facts do not give a winner; the score sheet names one.")


@strawberry.type(
    description="One deal of a match: its facts, and its score under the edition of the match. "
    "Its id stays the same when it is corrected."
)
class Hand(*added_to("hand"), HandFacts, Node, key=("match_id", "number")):  # type: ignore[misc]  # features add fields
    number: int = field(description="From 1.")
    winner: int | None = field(description="The side that won it; null when no side did, or when the match is voided.")
    winning_seat: int | None = field(description="The seat that won it; null also where only the side is known.")
    winner_by: WinnerBy | None = field(
        description="What names the winner; null when no side won it, and in a voided match."
    )
    points: list[int] | None = field(description="What it added to the score, by side; null in a voided match.")
    terms: list[ScoreTerm] = field(description="Where the points come from; their sum by side is `points`.")
    not_judged_rules: list[NotJudgedRule] = field(
        description="Rules that needed a fact that is not known, so that they gave nothing."
    )
    counted: bool = field(description="False for a hand after the match had ended, and in a voided match.")
    position: BigInt = field(description="The position of the event that recorded its facts.")
    match_id: strawberry.Private[str]

    @classmethod
    def of(cls, hand: LoadedHand) -> Self:
        """A hand that was recorded."""
        score = hand.score
        return made_of(
            cls,
            hand,
            **facts_fields(hand.facts),
            winner=None if score is None else score.winner,
            winning_seat=None if score is None else score.winning_seat,
            winner_by=None if score is None or score.winner_by is None else WinnerBy(score.winner_by),
            points=None if score is None else score.points,
            terms=[] if score is None else [ScoreTerm.of(term) for term in score.terms],
            not_judged_rules=[] if score is None else [NotJudgedRule(rule) for rule in score.not_judged],
            counted=score is not None and score.counted,
        )

    @field(description="Whether every turn of it is known.")
    async def has_transcript(self, info: Info) -> bool:
        return self.number in await loaders.matches.transcripts(info, self.match_id)

    @field_of(
        HandTranscript | None,
        "Every turn, as it was played at a live table or as it was recorded; null where the turns are not known, and "
        "where the facts were corrected.",
    )
    async def transcript(self, info: Info) -> WholeHand | None:
        return (await loaders.matches.transcripts(info, self.match_id)).get(self.number)

    @field_of(
        ExplanationRef | None,
        "Why: every term with its rule, the facts and the events behind it, and what was corrected; for a voided "
        "match the event that voided it. Null where the run that is read does not know the hand yet.",
    )
    async def explanation(self, info: Info) -> ExplainedInRun | None:
        try:
            return await loaders.runs.explained(info, explain_hand, self.match_id, self.number)
        except NotFound:
            return None


def facts_fields(facts: hand.HandFacts) -> dict[str, Any]:
    """The fields of HandFacts."""
    return vars(made_of(HandFacts, facts, leftover=list(starmap(_leftover, enumerate(facts.leftover)))))


def _leftover(seat: int, held: hand.Held) -> Leftover:
    tiles = [Tile(tile) for tile in held] if isinstance(held, tuple) else None
    return Leftover(seat=seat, tiles=tiles, pips=hand.held_pips(held))


@strawberry.input(description="How a hand ended; omit what is not known.")
class EndedInput:
    by: HandEnding = field(description="By a domino or a block.")
    seat: int | None = optional("By a domino: the seat that went out.")
    locker: int | None = optional("In a block: the seat that locked.")
    tile: Tile | None = optional("The last tile played.")
    fits_both_ends: bool | None = optional("Whether it could have been played on either end.")
    ends_equal: bool | None = optional("Whether both ends show the same number after it.")
    blocks_too: bool | None = optional("Whether no player could have moved after it.")


@strawberry.input(description="What a seat still held: its tiles, or only their pips.")
class LeftoverInput:
    tiles: list[Tile] | None = optional("The tiles; an empty list for none.")
    pips: int | None = optional("Their pips, only if the tiles are not known.")


@strawberry.input(description="What is known of passes; omit what is not known.")
class PassesInput:
    opening_pass: bool | None = optional("Whether there was an opening pass that scores.")
    corridos: list[int] | None = optional("The seat of each pase corrido, in order.")
    corridos_by_side: list[int] | None = optional(
        "How many pases corridos each side made; instead of `corridos`, where only the sides are known."
    )
    drew: list[int] | None = optional("The seats that drew from the boneyard.")


@strawberry.input(description="What happened in a hand. Points are never given: they follow from the facts.")
class HandFactsInput:
    starter: int | None = optional("The seat that started.")
    ended: EndedInput = field(description="How it ended.")
    leftover: list[LeftoverInput | None] = field(description="What each seat still held, by seat; null: not known.")
    side_leftover: list[int | None] | None = optional(
        "The pips of each side, where its seats were not counted separately; null: not known."
    )
    stated_winner: int | None = optional(
        "The side that the score sheet names as the winner; it is read only where the facts give none."
    )
    stated_capicua: bool | None = optional(
        "Whether the score sheet claims a capicúa. It is read only where the facts do not settle it."
    )
    passes: PassesInput | None = optional("What is known of passes.")


@strawberry.input(description="A play, a draw or a pass.")
class TurnInput:
    seat: int = field(description="Whose turn it was.")
    tile: Tile | None = optional("The tile as played, the left half first; null: a pass.")
    where: TurnKind | None = optional("What the turn was; null for the first tile, and for a pass.")


@strawberry.input(description="A hand turn by turn; its facts are derived.")
class TranscriptInput:
    dealt: list[list[Tile]] = field(description="The tiles dealt, by seat.")
    plays: list[TurnInput] = field(description="Every turn.")


PATHS = {
    "starter": "facts.starter",
    "ended": "facts.ended",
    "leftover": "facts.leftover",
    "side_leftover": "facts.side_leftover",
    "stated_winner": "facts.stated_winner",
    "stated_capicua": "facts.stated_capicua",
    "passes": "facts.passes",
    "dealt": "transcript.dealt",
    "plays": "transcript.plays",
}
"""The paths of a hand's fields in an input with `facts` and `transcript`."""


def read_facts(given: HandFactsInput) -> hand.HandFacts:
    """The facts as the domain's type. Raises InvalidInput, or Faults, if the input contradicts itself."""
    Faults.check(_contradictions(given))
    ended, passes = given.ended, given.passes or PassesInput()
    by_domino = ended.by is HandEnding.DOMINO
    return hand.HandFacts(
        starter=given.starter,
        ended_by=ended.by.value,
        seat=ended.seat if by_domino else ended.locker,
        leftover=tuple(map(_held, given.leftover)),
        closing=hand.Closing(ended.tile, ended.fits_both_ends, ended.ends_equal, ended.blocks_too),
        opening_pass=passes.opening_pass,
        corridos=None if passes.corridos is None else tuple(passes.corridos),
        drew=None if passes.drew is None else tuple(passes.drew),
        side_leftover=None if given.side_leftover is None else tuple(given.side_leftover),
        side_corridos=None if passes.corridos_by_side is None else tuple(passes.corridos_by_side),
        stated_winner=given.stated_winner,
        stated_capicua=given.stated_capicua,
    )


def read_transcript(given: TranscriptInput) -> Transcript:
    """The turns as the domain's type."""
    return Transcript(
        tuple(tuple(tiles) for tiles in given.dealt),
        tuple(Turn(turn.seat, turn.tile, None if turn.where is None else turn.where.value) for turn in given.plays),
    )


def _contradictions(given: HandFactsInput) -> Iterator[InvalidInput]:
    ended = given.ended
    if ended.by is HandEnding.DOMINO and ended.locker is not None:
        yield InvalidInput("ended.locker", say("a hand that ended by a domino has no locker"))
    if ended.by is not HandEnding.DOMINO and ended.seat is not None:
        yield InvalidInput("ended.seat", say("in a block no player goes out; its seat is the `locker`"))
    for seat, held in enumerate(given.leftover):
        if held is None or held.tiles is None or held.pips is None:
            continue
        if held.pips != sum(a + b for a, b in held.tiles):
            reason = say("the pips differ from those of the tiles; send one of the two")
            yield InvalidInput(f"leftover.{seat}.pips", reason)


def _held(given: LeftoverInput | None) -> hand.Held:
    if given is None:
        return None
    return given.pips if given.tiles is None else tuple(given.tiles)


async def filled_from(context: Context, match: str, photos: Sequence[strawberry.ID]) -> Filled:
    """Fills in facts from the named photos of a match. Raises NotFound, or InvalidInput if no feature takes photos."""
    if not photos:
        return lambda facts, _hand, _mode: facts
    fills = [part.evidence for part in declared(SchemaPart) if part.evidence is not None]
    if not fills:
        raise InvalidInput("photos", NO_PHOTOS)
    return await fills[0](context, match, photos)
