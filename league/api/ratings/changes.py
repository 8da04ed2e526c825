"""One rating change and all its terms."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.enums import RatingMode
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.keepable import keepable
from league.api.graphql.scalars import BigInt
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.arguments import MatchId
from league.api.graphql.shaping.ids import global_id, local_competitor_id, local_id
from league.api.graphql.shaping.loaded_fields import loaded_field
from league.api.graphql.shaping.loaders.explanations import Explained
from league.api.graphql.shaping.made_of import OfRow, made_of
from league.api.graphql.shaping.references import (
    EditionRef,
    ExplanationRef,
    LogEventRef,
    MatchRef,
    PlayerRef,
    TeamRef,
    field_of,
)
from league.api.graphql.shaping.relay import Node
from league.api.graphql.shaping.rules import KRule, ModifierRule
from league.domain.rating import shown
from league.explanations.rating_changes import explain_change
from league.projections.queries.catalogue import EditionDocument
from league.projections.queries.log import LogEntry
from league.projections.queries.matches import ChangeRow, matches_by_id
from league.projections.queries.overall_changes import ModeChange, overall_changes
from league.projections.queries.players import players_by_id


@strawberry.type(description="One part of the performance modifier M.")
class ModifierTerm:
    rule: ModifierRule = field(description="The rule that adds it.")
    value: float = field(description="What it adds to M.")


@strawberry.type(
    description="What a change of a rating in one mode did to the player's overall rating, under the rules of the "
    "latest decided match. Once both modes have been played, `after` is the `after` of the change times `weight`, plus "
    "`other` times `otherWeight`."
)
class OverallChange(OfRow):
    before: float = field(description="The overall rating before the match, unrounded.")
    after: float = field(description="The overall rating after the match, unrounded.")
    weight: float = field(description="The weight of the mode of the change after the match, from 0 to 1.")
    other: float | None = field(
        description="The rating in the other mode at that time, unrounded; null before its first rated match."
    )
    other_weight: float | None = field(description="The weight of the other mode after the match; null like `other`.")

    @field(description="The displayed `before`: rounded half up.")
    def shown_before(self) -> int:
        return shown(self.before)

    @field(description="The displayed `after`: rounded half up.")
    def shown_after(self) -> int:
        return shown(self.after)

    @field(description="`after` less `before`, unrounded.")
    def delta(self) -> float:
        return self.after - self.before


@strawberry.type(
    description="What one match did to one rating: `after` is `before + k * ((outcome + modifier) - expected)`, "
    "computed in this order in float64."
)
class RatingChange(Node):
    mode: RatingMode = field(description="The mode in which the match was played.")
    decided_at: datetime = field(description="When the match was decided: its place in the rating order.")
    before: float = field(description="The rating before the match, unrounded.")
    after: float = field(description="The rating after the match, unrounded.")
    outcome: float = field(description="S: 1 for a win, 0 for a loss.")
    expected: float = field(description="E: the expected score, from the ratings.")
    own: float = field(description="The own side's rating that E was computed from.")
    opponents: float = field(description="The opponents' rating that E was computed from.")
    k: float = field(description="K: how far one match can move the rating.")
    k_rule: KRule = field(description="The rule that chose K.")
    matches_before: int = field(description="Rated matches in the mode before this one.")
    modifier: float = field(description="M: how the match was won or lost, after the cap; 0 if a side gave up.")
    modifier_terms: list[ModifierTerm] = field(description="The parts of M before the cap that are not 0.")
    capped: bool = field(description="Whether the cap changed M.")
    position: BigInt = field(description="The position of the event that decided the match.")
    row: strawberry.Private[ChangeRow]

    @classmethod
    def of(cls, row: ChangeRow) -> "RatingChange":
        """A row of changes."""
        return made_of(
            cls,
            row,
            id=strawberry.ID(global_id("RatingChange", f"{row.match_id}:{row.subject}:{row.id}")),
            modifier_terms=[
                ModifierTerm(rule=ModifierRule(rule), value=float(value)) for rule, value in row.modifier_terms
            ],
            row=row,
        )

    @field(description="The displayed `before`: rounded half up.")
    def shown_before(self) -> int:
        return shown(self.before)

    @field(description="The displayed `after`: rounded half up.")
    def shown_after(self) -> int:
        return shown(self.after)

    @field(description="`after` less `before`, unrounded.")
    def delta(self) -> float:
        return self.after - self.before

    match = loaded_field(MatchRef, "The match that caused it.", matches_by_id, lambda change: change.row.match_id)
    player = loaded_field(
        PlayerRef | None,
        "The player whose rating it is; null when it is a pair's own.",
        players_by_id,
        lambda change: change.row.id if change.row.subject == "player" else None,
    )

    @field_of(TeamRef | None, "The pair whose rating it is; null when it is a player's.")
    def team(self) -> str | None:
        return self.row.id if self.row.subject == "team" else None

    overall = loaded_field(
        OverallChange | None,
        "What it did to the player's overall rating; null when it is a pair's own.",
        overall_changes,
        lambda change: ModeChange.of(change.row),
    )

    @field_of(EditionRef, "The edition of the rules under which it was computed.")
    @keepable
    async def edition(self, info: Info) -> EditionDocument:
        return await loaders.rules.edition(info, self.row.edition)

    @field_of(LogEventRef | None, "The event that decided the match.")
    async def event(self, info: Info) -> LogEntry | None:
        return await loaders.log.event(info, self.row.position)

    @field_of(ExplanationRef, "Why: every term with its rule, the facts and the events behind it.")
    async def explanation(self, info: Info) -> Explained:
        return await loaders.explanations.explained(info, explain_change, self.row.match_id, self.row.id)


@strawberry.type
class RatingQueries:
    @field_of(
        RatingChange | None,
        "How a match changed a rating, and why; null when it did not change it.",
    )
    @keepable
    async def rating_change(
        self,
        info: Info,
        match: MatchId,
        of: Annotated[
            strawberry.ID,
            strawberry.argument(description="A player or a pair: global id, or the id in the league."),
        ],
    ) -> ChangeRow | None:
        return await loaders.matches.change(info, local_id("Match", match), local_competitor_id(of))
