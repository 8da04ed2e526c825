"""What waits for the viewer: results to confirm as a player, and what there is to decide as an organiser."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.object_fields import MatchRef, field_of
from league.api.schema_part import SchemaPart
from league.features import declared
from league.projections.queries import waiting as reads
from league.projections.queries.matches import MatchRow

DECIDED_BY = {reads.RESULTS: "confirmResults", reads.DISPUTES: "readDisputes", reads.MEMBERS: "readMembers"}
"""The permission without which a thing of the core does not wait for somebody, by kind."""


@strawberry.type(description="Things of one kind that the viewer may decide.")
class WaitingDecision:
    kind: str = field(
        description="Their kind: `RESULTS_TO_CONFIRM`, `DISPUTES`, `ACCESS_REQUESTS`, `CLAIMS_OF_ABSENCE`. A string, "
        "not an enum: each feature may add one."
    )
    count: int = field(description="How many wait, at least 1.")


@strawberry.type(description="What waits for the viewer.")
class Waiting:
    found: strawberry.Private[list[MatchRow]]
    total: int = field(description="All of it together: the number in the menu of the pages.")
    to_decide: list[WaitingDecision] = field(
        description="What the viewer may decide for others, by kind; kinds of which nothing waits are left out."
    )

    @field_of(
        list[MatchRef],
        "Pending results of the viewer's own matches that nobody on the viewer's side has confirmed and nobody "
        f"disputes, the next deadline first; at most {reads.MOST}. Confirm one with `confirmResult`, or dispute it "
        "with `disputeResult`.",
    )
    def to_confirm(self) -> list[MatchRow]:
        return self.found


async def waiting_for(info: Info) -> Waiting:
    """What waits for the viewer of a request."""
    viewer, reader = info.context.viewer, info.context.reader
    own = viewer.sub is not None and viewer.reach("confirmResult") is not None
    found = await reader.read(reads.results_to_confirm, viewer.sub or "") if own else []
    counts: dict[str, int] = {}
    if any(viewer.may(permission) for permission in DECIDED_BY.values()):
        counted = await reader.read(reads.counts_to_decide)
        counts = {kind: counted[kind] for kind, permission in DECIDED_BY.items() if viewer.may(permission)}
    for kind, (permission, count) in [one for part in declared(SchemaPart) for one in part.waiting.items()]:
        if viewer.may(permission):
            counts[kind] = await reader.read(count)
    decisions = [WaitingDecision(kind=kind, count=count) for kind, count in counts.items() if count]
    alone = 0 if viewer.may("confirmResults") else len(found)  # else they are among the results to confirm
    return Waiting(found=found, total=alone + sum(one.count for one in decisions), to_decide=decisions)
