"""GraphQL types of the rounds of a tournament."""

from datetime import date, datetime
from typing import Annotated, NamedTuple, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.relay import (
    Connection,
    PageableInMemory,
    cacheable_paged,
    global_id,
    local_competitor_id,
    paged,
)
from league.api.graphql.threads import in_thread
from league.audit.signed_heads import raw
from league.domain.refusals import WrongState
from league.domain.seating import JOINT, competitor_of
from league.domain.sentences import say
from league.tournaments.api.plans import (
    TournamentDrawingState,
    TournamentRoundStatus,
    TournamentStage,
)
from league.tournaments.api.round_tables import (
    ByeRow,
    TableRow,
    TournamentBye,
    TournamentTable,
    WouldBeRow,
    WouldBeTable,
    byes_of,
    would_be,
)
from league.tournaments.corrected_rounds import is_outdated, tables_today
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.inputs import WAIT
from league.tournaments.domain.schedule import stage_of, ties_of_round, time_of
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.events import STREAM
from league.tournaments.pairing import is_large, usual_seconds
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import drawings_by_tournament, proof_of_commitment, tournaments_by_id
from league.wording.language import spoken

OfCompetitor = Annotated[
    strawberry.ID,
    argument(
        "A player, by global id or the league's id; or a pair, by the league's ids of both players joined by `+`."
    ),
]


class CommitmentRow(NamedTuple):
    """A commitment to a drawing, and whether its bytes came."""

    id: str
    position: int | None
    commitment: str
    came: bool


@strawberry.type(description="What a competitor's device promised before a drawing.")
class DrawingCommitment(FromRow, competitor_id="id"):
    competitor_id: str = field(description="The id of the competitor.")
    position: BigInt | None = field(
        description="Its position in the log, before the drawing; null until the round is paired."
    )
    commitment: str = field(description="The SHA-256 of 32 bytes, hexadecimal.")
    came: bool = field(description="Whether the bytes were asked for and came.")


class ContributionRow(NamedTuple):
    """What a device gave for a drawing."""

    id: str
    bytes: str


@strawberry.type(description="What a competitor's device gave for a drawing.")
class DrawingContribution(FromRow, competitor_id="id"):
    competitor_id: str = field(description="The id of the competitor.")
    bytes: str = field(description="32 bytes, hexadecimal; their SHA-256 is the commitment.")


@strawberry.type(description="A drawing of a round that counts no more.")
class EarlierDrawing(FromRow, number="drawings"):
    number: int = field(description="The number of the drawing, from 1.")
    status: TournamentRoundStatus = field(description="`DROPPED` or `WITHDRAWN`.")
    reason: str | None = field(description="Why, in the words of whoever did it; null if the league drew it again.")
    position: BigInt | None = field(description="Position of the drawing in the log; null if it was never paired.")
    root: str | None = field(
        description="Root of the log up to and including the drawing, hexadecimal; null if it was never paired."
    )
    published_at: datetime | None = field(description="When the round was announced; null if it was not.")


class RoundRow(NamedTuple):
    """A round of a tournament."""

    state: TournamentState
    of: RoundState


@strawberry.type(description="A round that is drawn and not published. Viewers who may draw rounds see it.")
class TournamentDraft:
    at: strawberry.Private[RoundRow]

    @paged(Connection[TournamentTable], "The tables that it has if it is published, by number.")
    async def tables(self, info: Info) -> PageableInMemory[TableRow]:
        return await _tables(info, self.at, shown=True)

    @paged(Connection[TournamentBye], "Who sits out if it is published.")
    async def byes(self) -> PageableInMemory[ByeRow]:
        return byes_of(self.at.of.byes, self.at.of.relaxed, self.at.of.third_place_bye, self.at)

    @field(
        description="Whether its inputs would be different now: results, entries, absences or ratings have changed "
        "since it was drawn."
    )
    async def is_outdated(self, info: Info) -> bool:
        return await _is_outdated(info, self.at)

    @paged(
        Connection[WouldBeTable],
        "The tables that it does not have, but would have if it were paired on today's results of earlier rounds. None "
        "with more than 64 competitors.",
    )
    async def would_change(self, info: Info) -> PageableInMemory[WouldBeRow]:
        return await _would_change(info, self.at)


@strawberry.type(description="A round of a tournament.")
class TournamentRound:
    id: strawberry.ID = field(description="For caches of clients; `node` does not take it.")
    number: int = field(description="From 1.")
    status: TournamentRoundStatus = field(description="How far it has come.")
    stage: TournamentStage | None = field(
        description="The part of the tournament to which it belongs; null in formats with one part."
    )
    ties: int | None = field(
        description="How many ties of the bracket a round of the knock-out has place for: 1 in the final, 2 in the "
        "semi-finals; null outside of knock-outs."
    )
    drawings: int = field(description="How many times it was drawn. Each drawing is an event that everybody can see.")
    position: BigInt | None = field(description="Position of its last drawing in the log; null until it is paired.")
    root: str | None = field(
        description="Root of the log up to and including that drawing, hexadecimal; null until it is paired."
    )
    signed: bool = field(description="Whether the league's key has signed that root.")
    seed: str | None = field(
        description="The seed that decides all chance in the round, hexadecimal; null until it is paired."
    )
    drawing_state: TournamentDrawingState = field(description="How far its last drawing has come.")
    asked_until: datetime | None = field(
        description="Until when devices are asked for the bytes that they promised; null if no device is asked."
    )
    computing_since: datetime | None = field(
        description="When it was drawn, if its tables are being computed in the background, as with more than 60 "
        "competitors; otherwise null. `tournamentChanged` tells when the tables are there."
    )
    computing_seconds: int | None = field(
        description="How many seconds that usually takes, by the number of competitors: an estimate for a progress "
        "bar. Also while devices are asked for bytes before; null if no tables are computed in the background."
    )
    withdrawal_reason: str | None = field(
        description="Why it was withdrawn, in the words of whoever did it; null unless it is."
    )
    earlier_drawings: list[EarlierDrawing] = field(
        description="Its drawings before the last one, in their order. They count for nothing: each was dropped before "
        "it was announced, or withdrawn."
    )
    day: date | None = field(description="The day on which its fixtures are played; null if none is set.")
    until: date | None = field(description="The last day on which its fixtures may be played; null if none is set.")
    published_at: datetime | None = field(description="When it was announced.")
    begins_at: datetime | None = field(
        description="When its time begins: the plan's `setupMinutes` after it is published; null before that, and if "
        "rounds are untimed."
    )
    bell_at: datetime | None = field(
        description="When its time ends; null before it is published, and if rounds are untimed."
    )
    at: strawberry.Private[RoundRow]

    @cacheable_paged(Connection[TournamentTable], "Its tables by number; none before it is published: see `draft`.")
    async def tables(self, info: Info) -> PageableInMemory[TableRow]:
        return await _tables(info, self.at, shown=self.at.of.status != "drawn")

    @field(description="A table by its number; null if there is none, and before the round is published.")
    @cacheable
    async def table(self, info: Info, number: Annotated[int, argument("From 1.")]) -> TournamentTable | None:
        found = self.at.of.table(number) if self.at.of.status != "drawn" else None
        return None if found is None else TournamentTable.of(TableRow(await _seen(info, self.at), self.at.of, found))

    @cacheable_paged(Connection[TournamentBye], "Who sits out; nobody before it is published: see `draft`.")
    async def byes(self, info: Info) -> PageableInMemory[ByeRow]:
        of = self.at.of
        if of.byes:
            await _seen(info, self.at)  # then their names are asked for together with those at the tables
        return byes_of(of.byes if of.status != "drawn" else (), of.relaxed, of.third_place_bye, self.at)

    @cacheable_paged(Connection[TournamentBye], "Who asked for a bye of it (`requestBye`). They are not among `byes`.")
    async def requested_byes(self) -> PageableInMemory[ByeRow]:
        return byes_of(self.at.of.requested, ())

    @field(
        description="The round as it is drawn, until it is published; null before its tables are there, afterwards, "
        "and for viewers who may not draw rounds."
    )
    def draft(self, info: Info) -> TournamentDraft | None:
        of = self.at.of
        is_there = of.status == "drawn" and of.root is not None
        return TournamentDraft(at=self.at) if is_there and info.context.viewer.may("drawRound") else None

    @cacheable_paged(
        Connection[DrawingCommitment],
        "What devices had promised to its last drawing, in the order of competitor ids. A commitment counts in one "
        "drawing.",
    )
    async def commitments(self) -> PageableInMemory[CommitmentRow]:
        of = self.at.of
        came = {one.id for one in of.contributions}
        rows = [CommitmentRow(one.id, one.position, one.commitment, one.id in came) for one in of.commitments]
        return PageableInMemory(rows, lambda row: [row.id], "commitments")

    @cacheable_paged(
        Connection[DrawingContribution],
        "The bytes that are in the seed, in the order of competitor ids; none until the round is paired. If there are "
        "any, the seed is the SHA-256 of `root,tournament,round,` followed by the bytes joined by `,`.",
    )
    async def contributions(self) -> PageableInMemory[ContributionRow]:
        of = self.at.of
        rows = [ContributionRow(one.id, one.bytes) for one in (of.contributions if of.root is not None else ())]
        return PageableInMemory(rows, lambda row: [row.id], "contributions")

    @field(
        description="Whether its inputs would be different now, because results of earlier rounds were corrected since "
        "it was drawn; false where the format or a full cycle says who meets, and before it is published: see `draft`."
    )
    @cacheable
    async def is_outdated(self, info: Info) -> bool:
        return _is_compared(self.at.of) and await _is_outdated(info, self.at)

    @cacheable_paged(
        Connection[WouldBeTable],
        "The tables that the round would have, and does not have, if it were paired on today's results of earlier "
        "rounds. None if no result was corrected, with more than 64 competitors, and before it is published: see "
        "`draft`. A round never changes by itself.",
    )
    async def would_change(self, info: Info) -> PageableInMemory[WouldBeRow]:
        return await _would_change(info, self.at) if _is_compared(self.at.of) else would_be(())

    @field(
        description="A JSON document which proves that the log under the drawing's signed root has the competitor's "
        "commitment. `league check-proof` reads it, and a device checks it before it gives its bytes. Null if there is "
        "no commitment or the root is not signed. Null also for viewers other than the competitor, auditors and "
        "admins, because the document names an actor."
    )
    async def proof_of_commitment(self, info: Info, competitor: OfCompetitor) -> str | None:
        state, of = self.at
        id_ = competitor_of(local_competitor_id(competitor).split(JOINT))
        promised = next((one for one in of.commitments if one.id == id_), None)
        key, reach = info.context.league.key, info.context.viewer.reach("readProof")
        if promised is None or key is None or reach is None:
            return None
        if reach == "own" and not await in_thread(info.context.is_one_of, id_.split(JOINT)):
            return None
        stream, public = f"{STREAM}{state.id}", raw(key.public_key())
        try:
            return await info.context.reader.read(proof_of_commitment, stream, promised, of.position, public)
        except WrongState as broken:
            raise RequestError(say("There is no proof: {why}.", why=broken.said(spoken))) from None

    @classmethod
    def of(cls, row: RoundRow) -> Self:
        """Make the type from a round of the domain."""
        state, of = row
        stage = stage_of(state, of)
        begins_at, bell_at = time_of(state.known_plan, of.published_at) or (None, None)
        large = _large(row)
        is_computing = large is not None and _drawing_state(of) is TournamentDrawingState.COMPUTING
        return made_of(
            cls,
            of,
            id=strawberry.ID(global_id("TournamentRound", f"{state.id}:{of.number}")),
            stage=None if stage is None else TournamentStage(stage),
            ties=ties_of_round(state, of),
            seed=of.seed or None,
            drawing_state=_drawing_state(of),
            asked_until=of.asked_at + WAIT if of.asked_at and of.commitments else None,
            computing_since=of.asked_at if is_computing else None,
            computing_seconds=None if large is None else usual_seconds(len(large.competitors)),
            begins_at=begins_at,
            bell_at=bell_at,
            withdrawal_reason=of.reason,
            earlier_drawings=[EarlierDrawing.of(one) for one in state.drawings_of(of.number)[:-1]],
            at=row,
        )


def _drawing_state(of: RoundState) -> TournamentDrawingState:
    if of.root is not None:
        return TournamentDrawingState.PAIRED
    return TournamentDrawingState.ASKING if of.asked_at and of.missing else TournamentDrawingState.COMPUTING


def _large(row: RoundRow) -> RoundDrawn | None:
    """The drawing whose tables are not there and are computed in the background, or None."""
    state, of = row
    if of.root is not None or of.drawing is None:
        return None
    return of.drawing if is_large(state.known_plan, len(of.drawing.competitors)) else None


async def _tables(info: Info, row: RoundRow, *, shown: bool) -> PageableInMemory[TableRow]:
    of = row.of
    if not shown or not of.tables:
        return _listed_tables([])
    seen, name = await _seen(info, row), f"tables of drawing {of.drawings} of round {of.number}"
    if name not in seen.lists:
        tables = sorted(of.tables, key=lambda table: table.number)
        seen.lists[name] = _listed_tables([TableRow(seen, of, table) for table in tables])
    listed: PageableInMemory[TableRow] = seen.lists[name]
    return listed


def _listed_tables(rows: list[TableRow]) -> PageableInMemory[TableRow]:
    return PageableInMemory(rows, lambda one: [one.table.number], "tables")


async def _seen(info: Info, row: RoundRow) -> SeenTournament:
    """The tournament of a round, with its results. It was read in the snapshot of this operation."""
    seen = await info.context.reader.load(tournaments_by_id, row.state.id)
    assert seen is not None, "it has rounds"
    return seen


def _is_compared(of: RoundState) -> bool:
    """Whether everybody may know how a round would come out now: it is published and not withdrawn."""
    return of.status in {"published", "closed"}


async def _is_outdated(info: Info, row: RoundRow) -> bool:
    seen, key = await _seen(info, row), (row.of.number, row.of.drawings)
    if key not in seen.outdated:
        drawings = await info.context.reader.load(drawings_by_tournament, row.state.id) or {}
        seen.outdated[key] = await in_thread(is_outdated, seen, row.of, drawings[key])
    return seen.outdated[key]


async def _would_change(info: Info, row: RoundRow) -> PageableInMemory[WouldBeRow]:
    drawings = await info.context.reader.load(drawings_by_tournament, row.state.id) or {}
    return would_be(
        await in_thread(tables_today, await _seen(info, row), row.of, drawings[row.of.number, row.of.drawings])
    )
