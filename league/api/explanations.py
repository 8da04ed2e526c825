"""Why a number is what it is: the one shape in which hands, rating changes, standings, badges and places explain it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from strawberry import field

from league.api.context import Info
from league.api.failures import RequestError
from league.api.log_entries import LogEvent, event_at
from league.api.rulebook import Edition, edition_of
from league.api.scalars import BigInt
from league.domain.refusals import NotFound
from league.explanations import explanation as domain
from league.explanations.onward import explain_basis
from league.explanations.side_by_side import Compared, SideBySide, side_by_side
from league.projections.reads.snapshot import Snapshot, snapshot_beside

if TYPE_CHECKING:
    from league.api.matches import Match

MatchRef = Annotated["Match", strawberry.lazy("league.api.matches")]
OnwardRef = Annotated["Explanation", strawberry.lazy("league.api.explanations")]
Explain = Callable[[Snapshot], domain.Explanation]


@strawberry.type(description="A setting of the edition that a number comes from.")
class RuleSetting:
    key: str = field(description="Its dotted key, such as `rating.k.provisional`.")
    value: str = field(description="Its value, as text.")


@strawberry.type(description="Something that was so, by name.")
class ExplanationFact:
    name: str = field(description="What it is about, such as `score` or `seat 2`.")
    value: str = field(description="As text; `not known` where nobody recorded it.")


@strawberry.type(description="Something that a term rests on, and that can be explained in its turn.")
class ExplanationBasis:
    match_id: str | None = field(description="The match's id in the league; null for a month that was closed.")
    hand: int | None = field(description="The number of the hand in it; null when it is the match as a whole.")
    position: BigInt = field(description="The position of the event that says it.")
    basis: strawberry.Private[domain.Basis]
    run: strawberry.Private[int]

    @field(description="The event that says it.")
    async def event(self, info: Info) -> LogEvent:
        event = await event_at(info, self.position)
        assert event is not None, "it was read from the log"
        return event

    @field(description="The match, as the query reads it; null for a month that was closed.")
    async def match(self, info: Info) -> MatchRef | None:
        from league.api.matches import match_named  # noqa: PLC0415  # matches explain their hands

        return None if self.match_id is None else await match_named(info, self.match_id)

    @field(
        description="Why it is so in its turn: of a hand its points, with what was dealt where that is known; of a "
        "rating that was met the change that had made it. Null for a match as a whole, and for a month."
    )
    async def explanation(self, info: Info) -> OnwardRef | None:
        found = await info.context.reader.load(_onward, (self.run, self.basis))
        return None if found is None else _shown(found, partial(_explained_again, self.basis), self.run)


@strawberry.type(description="One part of a number.")
class ExplanationTerm:
    name: str = field(description="Such as `leftover`, `k`, `series_points` or `threshold`.")
    value: float = field(description="The number, unrounded.")
    unit: str = field(description="Of the number, such as `points`, `rating points` or `M` (the modifier).")
    text: str = field(description="What it stands for, in English.")
    side: int | None = field(description="Of a hand: the side that gets it; elsewhere null.")
    clause: str = field(description="The section of the source text that the rule comes from; empty without one.")
    settings: list[RuleSetting] = field(description="The settings of the rule in this edition.")
    facts: list[ExplanationFact] = field(description="The facts that the rule was applied to.")
    because: list[ExplanationBasis] = field(
        description="What it rests on: hands, matches, months. Of long lists the latest 20."
    )


@strawberry.type(description="A setting that two runs have otherwise.")
class ComparedSetting:
    key: str = field(description="Its dotted key, such as `rating.k.provisional`.")
    before: str | None = field(description="Its value in the first run, as text; null: the term does not have it.")
    after: str | None = field(description="The same in the second run.")


@strawberry.type(description="A term of a number in two runs.")
class ComparedTerm:
    name: str = field(description="Such as `leftover`, `k`, `series_points` or `threshold`.")
    before: ExplanationTerm | None = field(description="In the first run; null: it is not there.")
    after: ExplanationTerm | None = field(description="In the second run; null: it is not there.")
    differs: bool = field(description="Whether it is another number, or in one run only.")
    settings: list[ComparedSetting] = field(description="The settings of its rule that the two have otherwise.")


@strawberry.type(description="The same number in two runs, and the terms that make the difference.")
class ExplanationsSideBySide:
    before: OnwardRef | None = field(description="In the run that was named; null: the number is not there.")
    after: OnwardRef = field(description="In the run that the query reads.")
    terms: list[ComparedTerm] = field(description="The terms of both, in their order.")


@strawberry.type(
    description="Why a number is what it is: its terms to the last one, the rules and facts behind each, and the "
    "events that they rest on."
)
class Explanation:
    statement: str = field(description="What is explained, as a sentence in English.")
    value: float | None = field(description="The number, unrounded; null for a hand, which has one for each side.")
    unit: str = field(description="Of the number.")
    formula: str = field(description="How the terms make the number.")
    terms: list[ExplanationTerm] = field(description="Its parts, in the order in which they are computed.")
    facts: list[ExplanationFact] = field(description="What else was so; of a hand also what was dealt, where known.")
    not_judged: list[str] = field(description="Rules that needed a fact that is not known, so that they gave nothing.")
    events: list[LogEvent] = field(description="The events that it rests on, in the order of the log.")
    run: int = field(description="The number of the run that says so.")
    edition_hash: strawberry.Private[str]
    explain: strawberry.Private[Explain]

    @field(description="The edition of the rules under which it was computed.")
    async def edition(self, info: Info) -> Edition:
        return await edition_of(info, self.edition_hash)

    @field(
        description="The same number in another run, side by side with this one. What only the other run has is asked "
        "of that one, with `@readFrom(run:)`."
    )
    async def against(
        self,
        info: Info,
        run: Annotated[
            int | None, strawberry.argument(description="The run that comes first; null: the official one.")
        ] = None,
    ) -> ExplanationsSideBySide:
        def ask(snapshot: Snapshot) -> tuple[int, SideBySide]:
            before, after = snapshot_beside(snapshot, run), snapshot_beside(snapshot, self.run)
            return before.run, side_by_side(self.explain, before, after)

        try:
            first, found = await info.context.reader.read(ask)
        except NotFound:
            raise RequestError(f"There is no run {run}.", argument="run") from None
        return ExplanationsSideBySide(
            before=None if found.before is None else _shown(found.before, self.explain, first),
            after=self,
            terms=[_compared(row, first, self.run) for row in found.terms],
        )


async def explained(info: Info, explain: Callable[..., domain.Explanation], *of: Any) -> Explanation:
    """What a function of `league.explanations` says of something that is there."""

    def ask(snapshot: Snapshot) -> domain.Explanation:
        return explain(snapshot, *of)

    def ask_first(snapshot: Snapshot) -> tuple[domain.Explanation, int]:
        return ask(snapshot), snapshot.run

    found, run = await info.context.reader.read(ask_first)
    return _shown(found, ask, run)


def _onward(
    snapshot: Snapshot, wanted: Sequence[tuple[int, domain.Basis]]
) -> dict[tuple[int, domain.Basis], domain.Explanation]:
    """By run and basis. Many terms rest on the same hands, so each is explained once."""
    runs = {run: snapshot if run == snapshot.run else snapshot_beside(snapshot, run) for run, _ in wanted}
    found = {(run, basis): explain_basis(runs[run], basis) for run, basis in wanted}
    return {key: explanation for key, explanation in found.items() if explanation is not None}


def _explained_again(basis: domain.Basis, snapshot: Snapshot) -> domain.Explanation:
    found = explain_basis(snapshot, basis)
    assert found is not None, "it was explained before"
    return found


def _shown(found: domain.Explanation, explain: Explain, run: int) -> Explanation:
    return Explanation(
        statement=found.statement,
        value=found.value,
        unit=found.unit,
        formula=found.formula,
        terms=[_term(term, run) for term in found.terms],
        facts=_facts(found.facts),
        not_judged=list(found.not_judged),
        events=[LogEvent.of(entry) for entry in found.events],
        run=run,
        edition_hash=found.edition,
        explain=explain,
    )


def _compared(row: Compared, first: int, second: int) -> ComparedTerm:
    return ComparedTerm(
        name=row.name,
        before=None if row.before is None else _term(row.before, first),
        after=None if row.after is None else _term(row.after, second),
        differs=row.differs,
        settings=[ComparedSetting(key=key, before=before, after=after) for key, before, after in row.settings],
    )


def _term(term: domain.Term, run: int) -> ExplanationTerm:
    return ExplanationTerm(
        name=term.name,
        value=term.value,
        unit=term.unit,
        text=term.text,
        side=term.side,
        clause=term.clause,
        settings=[RuleSetting(key=setting.key, value=setting.value) for setting in term.settings],
        facts=_facts(term.facts),
        because=[
            ExplanationBasis(
                match_id=basis.match, hand=basis.hand, position=BigInt(basis.position), basis=basis, run=run
            )
            for basis in term.because
        ],
    )


def _facts(facts: tuple[domain.Fact, ...]) -> list[ExplanationFact]:
    return [ExplanationFact(name=fact.name, value=fact.value) for fact in facts]
