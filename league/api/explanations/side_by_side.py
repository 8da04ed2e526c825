"""The same number in two runs: the terms that make the difference."""

from collections.abc import Mapping

import strawberry
from strawberry import field

from league.api.explanations.explanations import Explanation, ExplanationTerm, term_of
from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.loaders.explanations import Beside, Explained
from league.api.graphql.shaping.references import RatingDivergenceRef, field_of
from league.api.graphql.shaping.rules import TermName
from league.explanations.side_by_side import Compared, SideBySide, first_divergence
from league.projections.difference.divergences import DivergenceRow
from league.projections.queries.snapshot import Snapshot, snapshot_beside
from league.wording.facts import seats_of


@strawberry.type(description="A setting that differs between two runs.")
class ComparedSetting:
    key: str = field(description="Its dotted key, such as `rating.k.provisional`.")
    before: str | None = field(description="Its value in the first run, as text; null: it is not set there.")
    after: str | None = field(description="The same in the second run.")


@strawberry.type(description="A term of a number in two runs.")
class ComparedTerm:
    name: TermName = field(description="Which term it is.")
    share: float | None = field(
        description="Its share of the total difference: what it does to the number when the terms of the first run are "
        "exchanged for those of the second, one after the other in this order. The shares add up to the total. Null "
        "for a condition, and without a total; of a hand and a match it is the difference for the term's side."
    )
    before: ExplanationTerm | None = field(description="In the first run; null: it is not there.")
    after: ExplanationTerm | None = field(description="In the second run; null: it is not there.")
    differs: bool = field(description="Whether the values differ, or only one run has the term.")
    settings: list[ComparedSetting] = field(
        description="The settings of its rule that differ between the two editions, also where one run lacks the term."
    )


@strawberry.type(description="The same number in two runs, and the terms that make the difference.")
class ExplanationsSideBySide:
    before: Explanation | None = field(description="In the named run; null: the number does not exist there.")
    after: Explanation = field(description="In the run that the query reads.")
    total: float | None = field(
        description="The number after less the number before; null where a run has none, or one for each side."
    )
    terms: list[ComparedTerm] = field(description="The terms of both in their order, then the conditions.")
    found: strawberry.Private[SideBySide]
    runs: strawberry.Private[tuple[int, int]]

    @field_of(
        RatingDivergenceRef | None,
        "The first match after which the two runs rate the player or the pair differently. Null where the number "
        "rests on no rating, and where nothing differs. It reads a whole career.",
    )
    async def first_divergence(self, info: Info) -> DivergenceRow | None:
        def ask(snapshot: Snapshot) -> DivergenceRow | None:
            before, after = (snapshot_beside(snapshot, run) for run in self.runs)
            return first_divergence(self.found, before, after)

        return await info.context.reader.read(ask)

    @classmethod
    def of(cls, beside: Beside) -> "ExplanationsSideBySide":
        """A number in two runs."""
        found, (first, second) = beside.found, beside.runs
        assert found.after is not None, "it was explained before"
        return cls(
            before=None if found.before is None else Explanation.of(Explained(found.before, beside.explain, first)),
            after=Explanation.of(Explained(found.after, beside.explain, second)),
            total=found.total,
            found=found,
            runs=(first, second),
            terms=[_compared(row, first, second, seats_of(found.after.facts)) for row in found.terms],
        )


def _compared(row: Compared, first: int, second: int, seats: Mapping[int, str]) -> ComparedTerm:
    return ComparedTerm(
        name=TermName(row.name),
        before=None if row.before is None else term_of(row.before, first, seats),
        after=None if row.after is None else term_of(row.after, second, seats),
        share=row.share,
        differs=row.differs,
        settings=[ComparedSetting(key=key, before=before, after=after) for key, before, after in row.settings],
    )
