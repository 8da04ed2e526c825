"""The hands of a match: what happened at the table, and what it scored."""

from enum import Enum
from typing import Any

import strawberry
from strawberry import field

from league.api.graphql.enums import HandEnding, word
from league.api.graphql.executing.context import Info
from league.api.graphql.scalars import BigInt, Tile
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.ids import global_id
from league.api.graphql.shaping.loaders.explanations import Explained
from league.api.graphql.shaping.loaders.matches import PlayedHand
from league.api.graphql.shaping.references import ExplanationRef, field_of
from league.api.graphql.shaping.relay import Node
from league.api.graphql.shaping.rules import NotJudgedRule, ScoringRule
from league.api.matches.turns import HandTranscript
from league.domain import hand
from league.domain.play.turn import WholeHand
from league.domain.refusals import NotFound
from league.explanations.hands import explain_hand
from league.features import declared


@strawberry.type(description="Points that a rule awarded to a side.")
class ScoreTerm:
    side: int = field(description="The side.")
    rule: ScoringRule = field(description="The rule.")
    points: int = field(description="The points.")

    @classmethod
    def of(cls, term: list[Any]) -> "ScoreTerm":  # a JSON document
        """A term as stored in rows: [side, rule, points]."""
        side, rule, points = term
        return cls(side=side, rule=ScoringRule(rule), points=points)


@strawberry.type(description="What a seat still held when the hand ended.")
class Leftover:
    seat: int = field(description="The seat.")
    tiles: list[Tile] | None = field(description="The tiles; null where only their pips are known, or nothing.")
    pips: int | None = field(description="Their pips; null where nothing is known.")


@strawberry.type(description="The last tile of a hand, and its facts; null means: not known.")
class ClosingTile:
    tile: Tile | None = field(description="The tile, the lower half first.")
    fits_both_ends: bool | None = field(description="Whether it could have been played on either end.")
    ends_equal: bool | None = field(description="Whether both ends show the same number after it.")
    blocks_too: bool | None = field(description="Whether no player could have moved after it.")


@strawberry.interface(description="What happened in a hand; null means: not known.")
class HandFacts:
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
        description="By side, the pips of partners whose tiles were not counted apart."
    )
    stated_winner: int | None = field(description="The side that the score sheet names as the winner.")
    stated_capicua: bool | None = field(description="Whether the score sheet claims a capicúa.")


@strawberry.enum(description="What names the winner of a hand.")
class WinnerBy(Enum):
    FACTS = word("facts", description="The winner follows from the facts.")
    STATED = word("stated", description="The facts do not give a winner; the score sheet names one.")


@strawberry.type(
    description="One deal of a match: its facts, and its score under the edition of the match. "
    "Its id stays the same when it is corrected."
)
class Hand(*declared("hand_fields"), HandFacts, Node):  # type: ignore[misc]  # features add fields
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
    def of(cls, hand: PlayedHand) -> "Hand":
        """A hand that was recorded."""
        score = hand.score
        return cls(
            **facts_fields(hand.facts),
            id=strawberry.ID(global_id("Hand", f"{hand.match_id}:{hand.number}")),
            number=hand.number,
            winner=None if score is None else score.winner,
            winning_seat=None if score is None else score.winning_seat,
            winner_by=None if score is None or score.winner_by is None else WinnerBy(score.winner_by),
            points=None if score is None else score.points,
            terms=[] if score is None else [ScoreTerm.of(term) for term in score.terms],
            not_judged_rules=[] if score is None else [NotJudgedRule(rule) for rule in score.not_judged],
            counted=score is not None and score.counted,
            position=BigInt(hand.position),
            match_id=hand.match_id,
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
        "Why: every term with its rule, the facts and the events behind it, and what was corrected; of a voided match "
        "the event that voided it. Null where the run that is read does not know the hand yet.",
    )
    async def explanation(self, info: Info) -> Explained | None:
        try:
            return await loaders.explanations.explained(info, explain_hand, self.match_id, self.number)
        except NotFound:
            return None


def facts_fields(facts: hand.HandFacts) -> dict[str, Any]:
    """The fields of HandFacts."""
    return {
        "starter": facts.starter,
        "ended_by": HandEnding(facts.ended_by),
        "seat": facts.seat,
        "leftover": [_leftover(seat, held) for seat, held in enumerate(facts.leftover)],
        "closing": ClosingTile(
            tile=None if facts.closing.tile is None else Tile(facts.closing.tile),
            fits_both_ends=facts.closing.fits_both_ends,
            ends_equal=facts.closing.ends_equal,
            blocks_too=facts.closing.blocks_too,
        ),
        "opening_pass": facts.opening_pass,
        "corridos": None if facts.corridos is None else list(facts.corridos),
        "corridos_by_side": None if facts.side_corridos is None else list(facts.side_corridos),
        "drew": None if facts.drew is None else list(facts.drew),
        "side_leftover": None if facts.side_leftover is None else list(facts.side_leftover),
        "stated_winner": facts.stated_winner,
        "stated_capicua": facts.stated_capicua,
    }


def _leftover(seat: int, held: hand.Held) -> Leftover:
    tiles = [Tile(tile) for tile in held] if isinstance(held, tuple) else None
    return Leftover(seat=seat, tiles=tiles, pips=hand.held_pips(held))
