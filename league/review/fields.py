"""The fields that reviews add to hands, players and pairs in the API: the review of a hand, and figures of play."""

from enum import Enum
from typing import Self, TypeVar

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import Tile, TurnMaker, word
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import field_of
from league.api.schema_part import FieldPart
from league.domain.tiles import ordered
from league.review.hand import ReviewedMove, sentence_of
from league.review.options import OptionValue
from league.review.rows import PlayFigure, SeenPlay, StoredReview, seen_play, stored_review
from league.wording.language import spoken


@strawberry.enum(description="How far a review is.")
class ReviewStatus(Enum):
    WAITING = word("waiting", "A worker has not finished the review; `moves` has the moves reviewed so far.")
    DONE = word("done", "All moves are reviewed.")
    IMPOSSIBLE = word("impossible", "A correction has removed the turns of the hand, or the match is voided.")
    HIDDEN = word("hidden", "The viewer did not sit in the match, and not all its players consent.")
    FAILED = word("failed", "The computation stopped several times; the log of the worker says more.")


@strawberry.enum(description="What a decision was about. If several fit, the first one counts.")
class MoveKind(Enum):
    OPENING = word("opening", "The first tile of the hand.")
    LOCKING = word("locking", "A play would have locked the hand.")
    LAST_TILES = word("last_tiles", "The seat held two tiles or fewer.")
    PARTNER = word("partner", "Some plays left the number that the partner's last play had opened.")
    SUIT = word("suit", "Some plays left a number that the next seat did not have.")
    OTHER = word("other", "None of these.")


@strawberry.enum(description="The end of the chain that a tile was played on.")
class PlayedEnd(Enum):
    LEFT = word("left", "The left end.")
    RIGHT = word("right", "The right end.")


@strawberry.type(description="An average over deals, with its 99 % interval.")
class ReviewEstimate(FromRow):
    value: float = field(
        description="Points of the own side, minus those of the others. In rulesets without points a hand won counts "
        "1, a hand lost -1."
    )
    low: float = field(description="The lower end of the interval.")
    high: float = field(description="The upper end of the interval.")


@strawberry.type(description="A play that a seat could choose, and its value by what the seat could see.")
class ReviewedPlay(FromRow, end="play.end"):
    tile: Tile = field(description="The tile, the lower half first.")
    end: PlayedEnd | None = field(description="The end of the chain that it goes on; null for the first tile.")
    worth: ReviewEstimate = field(
        description="The average value over the deals that fit what the seat had seen. Deals that the earlier plays "
        "make likelier count more."
    )
    wins: float | None = field(
        description="The share of those deals in which the play gave the own side more points than the others, 0 to 1; "
        "null if it was the only play."
    )

    @classmethod
    def of(cls, option: OptionValue) -> Self:
        """A play with its value."""
        return made_of(cls, option, tile=Tile(ordered(option.play.tile)))


@strawberry.type(description="The chances to win the match, from 0 to 1.")
class MatchChances:
    played: float = field(description="After the play that was made.")
    best: float = field(description="After the best play.")


@strawberry.type(description="The review of a turn in which a tile was played.")
class MoveReview:
    turn: int = field(description="The number of the turn among all turns of the hand, from 1.")
    seat: int = field(description="The seat that played.")
    side: int = field(description="The side of that seat.")
    kind: MoveKind = field(description="What the decision was about.")
    played: ReviewedPlay = field(description="The play that was made.")
    best: ReviewedPlay = field(
        description="The play with which `played` is compared. It was worth most in the deals that chose it. In the "
        "deals that judge, another play can be worth slightly more."
    )
    options: list[ReviewedPlay] = field(
        description="All possible plays, the most valuable in the judging deals first, which need not be `best`. Plays "
        "of one tile that leave the same ends are listed once."
    )
    loss: ReviewEstimate = field(
        description="What the play cost compared with `best`; zero if it is the best play. Other deals judge than "
        "those that chose `best`, so it can be slightly below zero. This keeps sums of losses fair."
    )
    is_mistake: bool = field(
        description="Whether `best` was certainly better, by a point or more; in rulesets without points by 0.2, which "
        "is 10 hands of 100. This must hold with the assumed odds of the deals, and with equal odds."
    )
    open_loss: float = field(
        description="What the play cost in the real deal, if all had then played as the reviewer does. No seat could "
        "see that deal, so this number never makes a move a mistake."
    )
    chances: MatchChances | None = field(
        description="Null if it was the only play, in rulesets without points, and between individuals."
    )
    deals: int = field(description="How many deals were tried.")
    is_whole: bool = field(
        description="Whether these were all deals that fit, so that nothing was left to chance. Each deal still counts "
        "by its assumed odds."
    )
    made_by: TurnMaker | None = field(
        description="Who chose the play; null if not known. Plays chosen by `AI` or `CLOCK` do not count as the "
        "player's."
    )
    sentence: str | None = field(
        description="What a mistake cost, and why another play was better; null if the move is no mistake."
    )

    @classmethod
    def of(cls, move: ReviewedMove, review: StoredReview) -> "MoveReview":
        """A reviewed move."""
        weighed = move.weighed
        chances = weighed.chances
        return made_of(
            cls,
            weighed,
            turn=move.turn + 1,
            seat=move.seat,
            side=move.side,
            kind=MoveKind(move.kind),
            played=ReviewedPlay.of(weighed.options[weighed.played]),
            best=ReviewedPlay.of(weighed.options[weighed.best]),
            open_loss=move.open_loss,
            chances=None if chances is None else MatchChances(played=chances[0], best=chances[1]),
            made_by=None if move.made_by is None else TurnMaker(move.made_by),
            sentence=spoken(sentence_of(move, review.names, review.mode)) if weighed.is_mistake else None,
        )


@strawberry.type(
    description="What made the result of a hand for one side, in its points minus those of the others. In rulesets "
    "without points a hand won counts 1, a hand lost -1."
)
class ResultParts(FromRow):
    side: int = field(description="The side.")
    result: float = field(description="The result of the hand. It is the sum of the other four numbers.")
    deal: float = field(
        description="The value of the side's tiles before the first play, on average over deals of all other tiles."
    )
    luck: float = field(description="The rest: how the hidden tiles lay.")
    own_moves: float = field(description="What the side's own moves cost.")
    other_moves: float = field(description="What the moves of the others gave away.")


@strawberry.type(description="The review of a hand: what each move cost, and what was luck. It moves no rating.")
class HandReview:
    status: ReviewStatus = field(description="How far the review is.")
    move_count: int | None = field(description="How many moves the hand has; null before the first one is reviewed.")
    moves: list[MoveReview] = field(description="The moves reviewed so far, in order.")
    parts: list[ResultParts] | None = field(
        description="What made the result, by side; null before the review is done."
    )

    @classmethod
    def of(cls, review: StoredReview) -> "HandReview":
        """A stored review."""
        return made_of(cls, review, moves=[MoveReview.of(move, review) for move in review.moves])


F = TypeVar("F", bound="ReviewedPlayFigure")


@strawberry.type(description="How much decisions have cost in reviewed hands.")
class ReviewedPlayFigure:
    hands: int = field(description="How many hands.")
    decisions: int = field(description="Turns in which more than one play was possible.")
    mistakes: int = field(description="Decisions in which another play was certainly better.")
    lost: ReviewEstimate = field(description="Points lost per decision, compared with the best play. Lower is better.")

    @classmethod
    def of(cls, figure: PlayFigure, **more: object) -> Self:
        """The figure in the API; `more` are the fields that a subclass adds."""
        return made_of(cls, figure, **more)


@strawberry.type(description="How much decisions of one kind have cost in reviewed hands.")
class ReviewedPlayOfKind(ReviewedPlayFigure):
    kind: MoveKind = field(description="What the decisions were about.")


@strawberry.type(description="How much decisions have cost in reviewed hands of matches that began in one month.")
class ReviewedPlayOfMonth(ReviewedPlayFigure):
    month: str = field(description="The month, such as `2026-03`, in the league's time zone.")


@strawberry.type(
    description="How well a player or a pair played in reviewed hands, in rulesets that count points. It moves no "
    "rating. Others see it only with the consent of the player, or of both players of the pair."
)
class ReviewedPlayFigures:
    consents: bool = field(description="Whether others may see the figures.")
    is_visible: bool = field(
        description="Whether the viewer may see the figures: by consent, or because they are theirs."
    )
    total: ReviewedPlayFigure | None = field(
        description="The figures of all decisions; null if they are not visible, or if there is no decision."
    )
    by_kind: list[ReviewedPlayOfKind] = field(description="Figures by kind of decision; empty if not visible.")
    by_month: list[ReviewedPlayOfMonth] = field(description="Figures by month, in order; empty if not visible.")

    @classmethod
    def of(cls, seen: SeenPlay) -> "ReviewedPlayFigures":
        """The figures as the viewer may see them."""
        if (figures := seen.figures) is None:
            return cls(consents=seen.consents, is_visible=False, total=None, by_kind=[], by_month=[])
        by_kind = [
            ReviewedPlayOfKind.of(figures.by_kind[kind.value], kind=kind)
            for kind in MoveKind
            if kind.value in figures.by_kind
        ]
        return cls(
            consents=seen.consents,
            is_visible=True,
            total=None if figures.total is None else ReviewedPlayFigure.of(figures.total),
            by_kind=by_kind,
            by_month=[ReviewedPlayOfMonth.of(of, month=month) for month, of in figures.by_month.items()],
        )


FIGURES = "How well {whose} played in reviewed hands."


@strawberry.type
class ReviewsOfPlayer:
    player_id: strawberry.Private[str]

    @field_of(ReviewedPlayFigures, FIGURES.format(whose="the player has"))
    async def reviewed_play(self, info: Info) -> SeenPlay:
        return await info.context.reader.read(seen_play, self.player_id, info.context.viewer.sub)


@strawberry.type
class ReviewsOfTeam:
    team_id: strawberry.Private[str]

    @field_of(ReviewedPlayFigures, FIGURES.format(whose="the two have, as partners,"))
    async def reviewed_play(self, info: Info) -> SeenPlay:
        return await info.context.reader.read(seen_play, self.team_id, info.context.viewer.sub)


@strawberry.type
class ReviewOfHand:
    match_id: strawberry.Private[str]
    number: strawberry.Private[int]

    @field_of(
        HandReview | None,
        "What each move cost, and what was luck. Null until somebody requests it with `requestReview`. Viewers who did "
        "not sit in the match see it only if all its players consent (`setReviewConsent`).",
    )
    async def review(self, info: Info) -> StoredReview | None:
        viewer = info.context.viewer
        return await info.context.reader.read(
            stored_review, self.match_id, self.number, viewer.sub, sees_all=viewer.may("readReviews")
        )


FIELDS = FieldPart(hand=ReviewOfHand, player=ReviewsOfPlayer, team=ReviewsOfTeam)
