"""Why a number is what it is: the one shape in which hands, rating changes, standings, badges and places explain it."""

from collections.abc import Callable
from typing import Any

import strawberry
from strawberry import field

from league.api.context import Info
from league.api.log_entries import LogEvent
from league.api.rulebook import Edition, edition_of
from league.api.scalars import BigInt
from league.explanations import explanation as domain
from league.projections.reads.snapshot import Snapshot


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
    edition_hash: strawberry.Private[str]

    @field(description="The edition of the rules under which it was computed.")
    async def edition(self, info: Info) -> Edition:
        return await edition_of(info, self.edition_hash)


async def explained(info: Info, explain: Callable[..., domain.Explanation], *of: Any) -> Explanation:
    """What a function of `league.explanations` says of something that is there."""

    def ask(snapshot: Snapshot) -> domain.Explanation:
        return explain(snapshot, *of)

    return _shown(await info.context.reader.read(ask))


def _shown(found: domain.Explanation) -> Explanation:
    return Explanation(
        statement=found.statement,
        value=found.value,
        unit=found.unit,
        formula=found.formula,
        terms=[_term(term) for term in found.terms],
        facts=_facts(found.facts),
        not_judged=list(found.not_judged),
        events=[LogEvent.of(entry) for entry in found.events],
        edition_hash=found.edition,
    )


def _term(term: domain.Term) -> ExplanationTerm:
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
            ExplanationBasis(match_id=basis.match, hand=basis.hand, position=BigInt(basis.position))
            for basis in term.because
        ],
    )


def _facts(facts: tuple[domain.Fact, ...]) -> list[ExplanationFact]:
    return [ExplanationFact(name=fact.name, value=fact.value) for fact in facts]
