"""Hands as clients send them: as facts or turn by turn, with the fields of a recorded season."""

from collections.abc import Iterator

import strawberry
from strawberry import field

from league.api.graphql.enums import HandEnding, TurnKind
from league.api.graphql.scalars import Tile
from league.domain.collected_refusals import Faults
from league.domain.hand import Closing, HandFacts, Held
from league.domain.play.turn import Turn
from league.domain.refusals import InvalidInput
from league.domain.transcript import Transcript
from league.wording.language import _


@strawberry.input(description="How a hand ended; omit what is not known.")
class EndedInput:
    by: HandEnding = field(description="By a domino or a block.")
    seat: int | None = field(default=None, description="By a domino: the seat that went out.")
    locker: int | None = field(default=None, description="In a block: the seat that locked.")
    tile: Tile | None = field(default=None, description="The last tile played.")
    fits_both_ends: bool | None = field(default=None, description="Whether it could have been played on either end.")
    ends_equal: bool | None = field(default=None, description="Whether both ends show the same number after it.")
    blocks_too: bool | None = field(default=None, description="Whether no player could have moved after it.")


@strawberry.input(description="What a seat still held: its tiles, or only their pips.")
class LeftoverInput:
    tiles: list[Tile] | None = field(default=None, description="The tiles; an empty list for none.")
    pips: int | None = field(default=None, description="Only if the tiles are not known.")


@strawberry.input(description="What is known of passes; omit what is not known.")
class PassesInput:
    opening_pass: bool | None = field(default=None, description="Whether there was an opening pass that scores.")
    corridos: list[int] | None = field(default=None, description="The seat of each pase corrido, in order.")
    corridos_by_side: list[int] | None = field(
        default=None,
        description="How many pases corridos each side made; instead of `corridos`, where only the sides are known.",
    )
    drew: list[int] | None = field(default=None, description="The seats that drew from the boneyard.")


@strawberry.input(description="What happened in a hand. Points are never given: they follow from the facts.")
class HandFactsInput:
    starter: int | None = field(default=None, description="The seat that started.")
    ended: EndedInput = field(description="How it ended.")
    leftover: list[LeftoverInput | None] = field(description="What each seat still held, by seat; null: not known.")
    side_leftover: list[int | None] | None = field(
        default=None,
        description="The pips of each side, where its seats were not counted apart; null: not known.",
    )
    stated_winner: int | None = field(
        default=None,
        description="The side that the score sheet names as the winner; it is read only where the facts give none.",
    )
    stated_capicua: bool | None = field(
        default=None,
        description="Whether the score sheet claims a capicúa. It is read only where the facts do not settle it.",
    )
    passes: PassesInput | None = field(default=None, description="What is known of passes.")


@strawberry.input(description="A play, a draw or a pass.")
class TurnInput:
    seat: int = field(description="Whose turn it was.")
    tile: Tile | None = field(default=None, description="The tile as played, the left half first; null: a pass.")
    where: TurnKind | None = field(default=None, description="Null for the first tile, and for a pass.")


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


def read_facts(given: HandFactsInput) -> HandFacts:
    """The facts as the domain's type. Raises InvalidInput, or Faults, if the input contradicts itself."""
    Faults.check(_contradictions(given))
    ended, passes = given.ended, given.passes or PassesInput()
    by_domino = ended.by is HandEnding.DOMINO
    return HandFacts(
        starter=given.starter,
        ended_by=ended.by.value,
        seat=ended.seat if by_domino else ended.locker,
        leftover=tuple(map(_held, given.leftover)),
        closing=Closing(ended.tile, ended.fits_both_ends, ended.ends_equal, ended.blocks_too),
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
        tuple(tuple(hand) for hand in given.dealt),
        tuple(Turn(turn.seat, turn.tile, None if turn.where is None else turn.where.value) for turn in given.plays),
    )


def _contradictions(given: HandFactsInput) -> Iterator[InvalidInput]:
    ended = given.ended
    if ended.by is HandEnding.DOMINO and ended.locker is not None:
        yield InvalidInput("ended.locker", _("a hand that ended by a domino has no locker"))
    if ended.by is not HandEnding.DOMINO and ended.seat is not None:
        yield InvalidInput("ended.seat", _("in a block no player goes out; its seat is the `locker`"))
    for seat, held in enumerate(given.leftover):
        if held is None or held.tiles is None or held.pips is None:
            continue
        if held.pips != sum(a + b for a, b in held.tiles):
            reason = _("the pips differ from those of the tiles; send one of the two")
            yield InvalidInput(f"leftover.{seat}.pips", reason)


def _held(given: LeftoverInput | None) -> Held:
    if given is None:
        return None
    return given.pips if given.tiles is None else tuple(given.tiles)
