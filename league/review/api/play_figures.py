"""How well a player or a pair played in the hands that were reviewed, in the API."""

from typing import Self, TypeVar

import strawberry
from strawberry import field

from league.review.api.reviews import MoveKind, ReviewEstimate
from league.review.play_figures import PlayFigure
from league.review.stored_losses import SeenPlay

F = TypeVar("F", bound="ReviewedPlayFigure")


@strawberry.type(description="What decisions have cost in hands that were reviewed.")
class ReviewedPlayFigure:
    hands: int = field(description="How many hands.")
    decisions: int = field(description="Turns with more than one play.")
    mistakes: int = field(description="Those in which another play was surely better.")
    lost: ReviewEstimate = field(description="Points a decision, compared with the best play. Lower is better.")

    @classmethod
    def of(cls, figure: PlayFigure, **more: object) -> Self:
        """A figure."""
        lost = ReviewEstimate.of(figure.lost)
        return cls(hands=figure.hands, decisions=figure.decisions, mistakes=figure.mistakes, lost=lost, **more)


@strawberry.type(description="The same for decisions of one kind.")
class ReviewedPlayOfKind(ReviewedPlayFigure):
    kind: MoveKind = field(description="What the decisions were about.")


@strawberry.type(description="The same for matches that began in one month.")
class ReviewedPlayOfMonth(ReviewedPlayFigure):
    month: str = field(description="Such as `2026-03`, in the league's time zone.")


@strawberry.type(
    description="How well a player or a pair played in the hands that were reviewed, where a ruleset counts points. It "
    "moves no rating. Others see it only with the consent of the player, or of both players of the pair."
)
class ReviewedPlayFigures:
    consents: bool = field(description="Whether others may see it.")
    is_visible: bool = field(description="Whether the viewer may see it: with consent, or their own.")
    total: ReviewedPlayFigure | None = field(description="All decisions; null if it is not visible, or without any.")
    by_kind: list[ReviewedPlayOfKind] = field(description="By kind of decision; empty if it is not visible.")
    by_month: list[ReviewedPlayOfMonth] = field(description="By month, in order; empty if it is not visible.")

    @classmethod
    def of(cls, seen: SeenPlay) -> "ReviewedPlayFigures":
        """What the viewer sees."""
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
