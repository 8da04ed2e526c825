"""Why a number is what it is: one shape for hands, matches, rating changes, standings, badges and places.

A number of two runs stands side by side, with the terms that make the difference.
"""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, NotJudgedRule, SeriesMode, TermName, argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromItems, FromRow, made_of
from league.api.graphql.shaping.loaders.runs import Explain, ExplainedInRun, ExplainedInTwoRuns
from league.api.graphql.shaping.object_fields import (
    CompetitorRef,
    ExplanationRef,
    ExplanationsSideBySideRef,
    LogEventRef,
    RatingDivergenceRef,
    field_of,
)
from league.api.graphql.shaping.shared_fields import (
    competitor_field,
    detail_field,
    edition_field,
    event_field,
    match_field,
)
from league.domain.refusals import NotFound
from league.domain.sentences import say
from league.explanations import explanation as domain
from league.explanations.explanation import Message
from league.explanations.onward import SideBySide, TermComparison, first_divergence
from league.projections.difference.ratings import DivergenceRow
from league.projections.queries.log import LogEntry
from league.projections.queries.players import PlayerRow
from league.projections.queries.snapshot import Snapshot, snapshot_beside
from league.wording.explanations import words
from league.wording.facts import FactContext, fact_in_words, seats_of, unit_in_words


@strawberry.type(description="A setting of the edition that a number comes from.")
class RuleSetting(FromRow):
    key: str = field(description="Its dotted key, such as `rating.k.provisional`.")
    value: str = field(description="Its value, as text.")


@strawberry.type(description="Something that may be about a player or a pair.")
class AboutCompetitor(FromRow, competitor_id="of"):
    competitor_id: str | None = field(
        description="The league id of the player or the pair; null when it is about none."
    )

    competitor = competitor_field("The player or the pair; null when it is about none.", null=True)


@strawberry.type(description="A fact with its name.")
class ExplanationFact(AboutCompetitor):
    name: str = field(description="What it is about, such as `score` or `seat 2`.")
    value: str = field(description="Its value as text; `not known` where it was not recorded.")
    row: strawberry.Private[domain.Fact]
    seats: strawberry.Private[Mapping[int, str]]

    @field(
        description="The fact in words, in the language of the request, with names in place of seats and sides, such "
        "as `left with Ana R. & Luis M.: 31 pips`."
    )
    async def text(self, info: Info) -> str:
        of = () if self.row.of is None else (self.row.of,)
        names = await loaders.players.display_names(info, (*of, *self.seats.values()))
        said = fact_in_words(self.row, FactContext(names, self.seats))
        return f"{said.label}: {said.value}"


@strawberry.type(description="A fact of a hand that was corrected.")
class CorrectedFact(AboutCompetitor):
    name: str = field(description="What it is about, such as `leftover of seat 2`.")
    before: str | None = field(description="Its value as recorded first; null: there was no such fact.")
    after: str | None = field(description="Its value as corrected; null: the correction removed it.")


@strawberry.type(description="What was taken back or replaced: a hand, the end of a match, a whole match.")
class ExplanationCorrection(FromRow, given_reason="reason"):
    text: str = field(description="What was done, in the language of the request.")
    entry: strawberry.Private[LogEntry]

    @field_of(LogEventRef, "The event that corrected it.")
    def event(self) -> LogEntry:
        return self.entry

    changed: list[CorrectedFact] = field(description="The facts that changed, if a hand was corrected.")
    given_reason: strawberry.Private[str]

    reason = detail_field("The reason that was given.", "given_reason")


@strawberry.type(description="Something that a term is based on, with an explanation of its own.")
class ExplanationBasis(AboutCompetitor, competitor_id="competitor", match_id="match"):
    match_id: str | None = field(description="The match's id in the league; null for a month that was closed.")
    hand: int | None = field(description="The number of the hand in it; null when it is the match as a whole.")
    position: BigInt = field(description="The position of the event that recorded it.")
    month: str | None = field(description="The month, such as `2026-03`, if it is a closed month; else null.")
    mode: SeriesMode | None = field(description="The mode of the standings, if it is a closed month; else null.")
    adds: int | None = field(description="How much of the term's value it adds; null where the term does not count.")
    row: strawberry.Private[domain.Basis]
    run: strawberry.Private[int]

    event = event_field("The event that recorded it.")

    match = match_field("The match, as the query reads it; null for a month that was closed.", null=True)

    @field_of(
        ExplanationRef | None,
        "Its own explanation: for a hand its points, with the deal if that is known; for a rating that was met the "
        "change that made it; for a month the standing. Null for a match as a whole, which has its own `explanation`.",
    )
    async def explanation(self, info: Info) -> ExplainedInRun | None:
        return await loaders.runs.onward(info, self.run, self.row)


@strawberry.type(description="One part of a number.")
class ExplanationTerm(AboutCompetitor):
    name: TermName = field(description="Which term it is.")
    value: float = field(description="The number, unrounded.")
    unit: str = field(
        description="The unit of the number in the language of the request, such as `points`, `rating points` or `M` "
        "(the modifier)."
    )
    text: str = field(description="What the number means, in the language of the request.")
    side: int | None = field(description="The side that gets it, in a hand or a match; elsewhere null.")
    clause: str = field(description="The section of the source text that the rule comes from; empty without one.")
    settings: list[RuleSetting] = field(description="The settings of the rule in this edition.")
    facts: list[ExplanationFact] = field(description="The facts that the rule was applied to.")
    because: list[ExplanationBasis] = field(
        description="What it is based on: hands, matches, months. Where a term counts matches, the latest 20."
    )
    left_out: int = field(
        description="For a term that counts matches: how much the earlier matches add that `because` leaves out. With "
        "what the named matches add, it makes the value."
    )


@strawberry.type(
    description="Why a number is what it is: its terms to the last one, the rules and facts behind each, and the "
    "events that they rest on."
)
class Explanation(
    AboutCompetitor,
    competitor_id="subject",
    said="statement",
    not_judged_rules="not_judged",
    edition_hash="edition",
):
    said: strawberry.Private[Message]

    @field(description="What is explained, as a sentence that names people, such as `Ana R. won 150-90 …`.")
    async def statement(self, info: Info) -> str:
        return words(self.said, await loaders.players.display_names(info, self.said.people))

    @field_of(list[CompetitorRef], "The players and pairs that the statement names, each once.")
    async def people(self, info: Info) -> list[PlayerRow | str]:
        found = await asyncio.gather(*(loaders.players.competitor(info, id_) for id_ in self.said.people))
        return [one for one in found if one is not None]

    match = match_field("The match that the statement is about; null when it is about none.", "said.match", null=True)

    value: float | None = field(
        description="The number, unrounded; null for a hand and a match, which have one for each side, and for what a "
        "voided match would have made."
    )
    unit: str = field(description="The unit of the number, in the language of the request.")
    formula: str = field(description="How the terms make the number, in the language of the request.")
    terms: list[ExplanationTerm] = field(description="Its parts, in the order in which they are computed.")
    conditions: list[ExplanationTerm] = field(
        description="Terms that are no part of the number but are decided by it or beside it: for a badge the "
        "threshold, for a place the rank with its neighbours and the time since the last match."
    )
    corrections: list[ExplanationCorrection] = field(
        description="What was corrected or taken back, in order; the terms are those after all of it."
    )
    facts: list[ExplanationFact] = field(description="Other facts; for a hand also the deal, if known.")
    not_judged_rules: list[NotJudgedRule] = field(
        description="Rules that needed a fact that is not known, so that they gave nothing."
    )
    entries: strawberry.Private[list[LogEntry]]

    @field_of(list[LogEventRef], "The events that it is based on, in the order of the log.")
    def events(self) -> list[LogEntry]:
        return self.entries

    run: int = field(description="The number of the run that was read.")
    edition_hash: strawberry.Private[str]
    explain: strawberry.Private[Explain]

    edition = edition_field("The edition of the rules under which it was computed.")

    @field_of(
        ExplanationsSideBySideRef,
        "This number in another run, side by side with this one. A number that only the other run has is "
        "explained by a query of that run, with `@readFrom(run:)`.",
    )
    async def against(
        self,
        info: Info,
        run: Annotated[int | None, argument("The run that comes first; null: the official one.")] = None,
    ) -> ExplainedInTwoRuns:
        try:
            return await loaders.runs.beside(info, self.explain, run, self.run)
        except NotFound:
            raise RequestError(say("There is no run {run}.", run=run), argument="run") from None

    @classmethod
    def of(cls, explained: ExplainedInRun) -> Self:
        """An explanation of `league.explanations`."""
        found, run = explained.found, explained.run
        seats = seats_of(found.facts)
        return made_of(
            cls,
            found,
            unit=unit_in_words(found.unit),
            formula=words(found.formula),
            terms=[term_of(term, run, seats) for term in found.terms],
            conditions=[term_of(term, run, seats) for term in found.conditions],
            corrections=[made_of(ExplanationCorrection, one, text=words(one.text)) for one in found.corrections],
            facts=_facts(found.facts, seats),
            entries=list(found.events),
            run=run,
            explain=explained.explain,
        )


def term_of(term: domain.Term, run: int, seats: Mapping[int, str]) -> ExplanationTerm:
    """A term of an explanation in a run; `seats`: the players by seat, where the explanation names them."""
    return made_of(
        ExplanationTerm,
        term,
        unit=unit_in_words(term.unit),
        text=words(term.text),
        facts=_facts(term.facts, seats),
        because=[made_of(ExplanationBasis, basis, run=run) for basis in term.because],
    )


def _facts(facts: tuple[domain.Fact, ...], seats: Mapping[int, str]) -> list[ExplanationFact]:
    return [made_of(ExplanationFact, fact, seats=seats) for fact in facts]


@strawberry.type(description="A setting that differs between two runs.")
class ComparedSetting(FromItems):
    key: str = field(description="Its dotted key, such as `rating.k.provisional`.")
    before: str | None = field(description="Its value in the first run, as text; null: it is not set there.")
    after: str | None = field(description="Its value in the second run, as text; null: it is not set there.")


@strawberry.type(description="A term of a number in two runs.")
class ComparedTerm:
    name: TermName = field(description="Which term it is.")
    share: float | None = field(
        description="Its share of the total difference: what it does to the number when the terms of the first run are "
        "exchanged for those of the second, one after the other in this order. The shares add up to the total. Null "
        "for a condition, and without a total; for a hand or a match it is the difference for the term's side."
    )
    before: ExplanationTerm | None = field(description="In the first run; null: it is not there.")
    after: ExplanationTerm | None = field(description="In the second run; null: it is not there.")
    differs: bool = field(description="Whether the values differ, or only one run has the term.")
    settings: list[ComparedSetting] = field(
        description="The settings of its rule that differ between the two editions, also where one run lacks the term."
    )


@strawberry.type(description="A number in two runs, and the terms that make the difference.")
class ExplanationsSideBySide:
    before: Explanation | None = field(description="In the first run; null: the number does not exist there.")
    after: Explanation | None = field(description="In the second run; null: the number does not exist there.")
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
            before, after = (snapshot_beside(snapshot, run, drafts=True) for run in self.runs)  # they were read
            return first_divergence(self.found, before, after)

        return await info.context.reader.read(ask)

    @classmethod
    def of(cls, beside: ExplainedInTwoRuns) -> "ExplanationsSideBySide":
        """A number in two runs."""
        found, (first, second) = beside.found, beside.runs
        both = found.after or found.before
        assert both is not None, "one run has it"
        before, after = (
            None if one is None else Explanation.of(ExplainedInRun(one, beside.explain, run))
            for one, run in ((found.before, first), (found.after, second))
        )
        return cls(
            before=before,
            after=after,
            total=found.total,
            found=found,
            runs=(first, second),
            terms=[_compared(row, first, second, seats_of(both.facts)) for row in found.terms],
        )


def _compared(row: TermComparison, first: int, second: int, seats: Mapping[int, str]) -> ComparedTerm:
    return made_of(
        ComparedTerm,
        row,
        before=None if row.before is None else term_of(row.before, first, seats),
        after=None if row.after is None else term_of(row.after, second, seats),
    )
