"""GraphQL types of the choices that made a table of a round, and how a request asks for them."""

from collections.abc import Sequence

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.threads import in_thread
from league.tournaments.api.plans import PairingCriterion, PairingStage, TableWhyState
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.explained_rounds import RoundKey, TableKey, stored_explanations
from league.tournaments.explaining import ExplanationJobs
from league.tournaments.rounds_to_explain import Choices
from league.tournaments.tournament_queries import drawings_by_tournament
from league.tournaments.why_in_words import said
from league.tournaments.why_paired import nothing_is_chosen, scheduled


@strawberry.type(description="What a choice costs by one criterion; 0 means that the criterion holds.")
class PairingCost(FromRow):
    criterion: PairingCriterion = field(description="The criterion.")
    value: int = field(description="The cost.")


@strawberry.type(
    description="Why two competitors, or two pairs, were put together; in groups and brackets also why one has a group "
    "or a place. Fields that say nothing at this stage are null."
)
class PairingChoice:
    stage: PairingStage = field(description="The stage of pairing that put them together.")
    one: list[str] = field(description="The id of the first competitor, or the ids of the first pair.")
    other: list[str] = field(
        description="The id of the other competitor, or the ids of the other pair. At `GROUP` who of the same region "
        "was in the group before, at `BRACKET` who of the same group is met first; at `NO_OPPONENT` from whom nobody "
        "came."
    )
    costs: list[PairingCost] = field(description="The cost by each criterion, in the order of the criteria.")
    instead: PairingCriterion | None = field(
        description="The first criterion by which the best round that keeps them apart is worse; at `GROUP` and "
        "`BRACKET` the best one with another group or place. `CHANCE`: that round "
        "is equally good, and the lot decided. Null if there is no such round, and if nobody searched for it: with "
        "more than 256 competitors, and where the search failed."
    )
    more: int | None = field(description="How much worse that round is by this criterion, summed over all tables.")
    by_lot: bool = field(description="Whether the lot chose the partners, or drew the seeds.")
    seed: int | None = field(description="The seed, from 1.")
    pot: int | None = field(description="The pot of the seed, from 1.")
    group: int | None = field(
        description="The group into which they were drawn, or from which they entered the knock-out."
    )
    group_rank: int | None = field(description="As how many of that group they entered, from 1.")
    place: int | None = field(description="The place of the bracket; at `SITS_OUT` the place in the standing.")
    numbers: list[int] = field(
        description="What meets at the table: numbers of Berger's table at `FIXED`, places of the bracket at "
        "`FIRST_TIE`, ties of the round before at `NEXT_TIE`. Otherwise empty."
    )
    round: int | None = field(
        description="At `FIXED` the round of Berger's table, at later stages the round before this one."
    )
    leg: int | None = field(description="The leg of the round robin, from 1.")
    table: int | None = field(description="The table of the round before; null after a bye there.")
    sentence: str = field(description="This choice in at most two sentences, in the language of the request.")


Explanation = tuple[TableWhyState, Choices]


async def choices_in_words(info: Info, choices: Choices) -> list[PairingChoice]:
    """Choices as the API shows them, with the names of today."""
    ids = dict.fromkeys(id_ for choice in choices for id_ in (*choice.one, *choice.other))
    names = await loaders.players.display_names(info, ids)
    return [
        made_of(
            PairingChoice,
            choice,
            instead=None if choice.next_best is None else PairingCriterion(choice.next_best.criterion),
            more=None if choice.next_best is None else choice.next_best.more,
            sentence=said(choice, names),
        )
        for choice in choices
    ]


async def explanation(
    info: Info, state: TournamentState, of: RoundState, number: int, one: Sequence[str], other: Sequence[str] = ()
) -> Explanation:
    """The choices that made a table of a round as it was drawn. Asks a worker for them if nobody did.

    `number`: of the table, or SITTING_OUT; `one` and `other`: the competitors there.
    """
    if of.status == "withdrawn":
        return TableWhyState.WITHDRAWN, ()
    drawing = RoundKey(state.id, of.number, of.drawings)
    if nothing_is_chosen(state.known_plan):
        if await _is_entered(info, state, drawing):
            return TableWhyState.BY_HAND, ()
        return TableWhyState.EXPLAINED, (scheduled(state.rounds[0].order, of.number, one, other),)
    jobs = info.context.jobs.of(ExplanationJobs)
    stored = await info.context.reader.load(stored_explanations, TableKey(*drawing, number))
    if stored is None and jobs.is_first_to_ask(drawing):
        await in_thread(jobs.ask, drawing)
    if stored is None or not stored.is_there:
        return TableWhyState.COMPUTING, ()
    return TableWhyState.EXPLAINED, stored.choices


async def _is_entered(info: Info, state: TournamentState, drawing: RoundKey) -> bool:
    """Whether somebody entered the meetings of a round of fixtures."""
    if state.known_plan.format != "fixtures":
        return False
    drawings = await info.context.reader.load(drawings_by_tournament, state.id) or {}
    return drawings[drawing.round, drawing.drawing].meetings is not None
