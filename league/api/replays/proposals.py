"""Proposals: candidates for other rules that everybody may read."""

from datetime import datetime

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.object_fields import ReplayRef, RuleDifferenceRef, cacheable_field_of, field_of
from league.api.graphql.shaping.shared_fields import player_field
from league.projections.queries.candidates import CandidateRow, Revision, RuleChange, shown_candidates
from league.projections.queries.catalogue import ReplayRow
from league.wording.candidates import title_of


@strawberry.type(description="A candidate that is shown: rules that the league may adopt, for everybody to read.")
class Proposal:
    number: int = field(description="The number of its replay and of its run.")
    title: str = field(
        description="The name that somebody gave it; without one it is made of what it changes, in the language of the "
        "answer."
    )
    reason: str = field(description="Why it is proposed.")
    shown_at: datetime = field(description="When it was shown.")
    start: datetime | None = field(
        name="from", description="The rules apply to matches that began at or after this time; null: to all before."
    )
    end: datetime | None = field(
        name="to", description="The rules apply to matches that began before this time; null: to all later ones."
    )
    requested_by: strawberry.Private[str]
    revision: strawberry.Private[Revision]

    @classmethod
    def of(cls, found: tuple[CandidateRow, Revision]) -> "Proposal":
        """A candidate that is shown."""
        row, revision = found
        assert row.shown_at is not None, "it is shown"
        title = row.title or title_of(revision, None if revision.after is None else revision.after.title) or ""
        return cls(
            number=row.replay,
            title=title,
            reason=row.reason or "",
            shown_at=row.shown_at,
            start=row.starts_at,
            end=row.ends_at,
            requested_by=row.requested_by,
            revision=revision,
        )

    author = player_field("The player who asked for it; null: an admin who is no player.", "requested_by", null=True)

    @field_of(list[RuleDifferenceRef], "What it changes of the rules that were in force when it was requested.")
    def changes(self) -> list[RuleChange]:
        return self.revision.changes

    @field_of(ReplayRef | None, "Its replay, with its run and how that differs from the official league.")
    async def replay(self, info: Info) -> ReplayRow | None:
        return await loaders.runs.replay(info, self.number)


@strawberry.type
class ProposalQueries:
    @cacheable_field_of(
        list[Proposal],
        "The candidates that are shown and have a run, at most three, in the order of their showing.",
    )
    async def proposals(self, info: Info) -> list[tuple[CandidateRow, Revision]]:
        return await info.context.reader.read(shown_candidates)
