"""Rounds and tables of a tournament in the API."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any, Self

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import BigInt, argument
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import OfRow, made_of
from league.api.graphql.shaping.object_fields import PlayerRef, kept_field_of
from league.api.graphql.shaping.relay import global_id, local_competitor_id
from league.api.graphql.shaping.shared_fields import competitor_field, match_field
from league.api.graphql.threads import in_thread
from league.audit.signed_heads import raw
from league.domain.refusals import WrongState
from league.domain.seating import JOINT, competitor_of
from league.domain.sentences import say
from league.projections.queries.players import PlayerRow
from league.tournaments.api.plans import (
    GivenWay,
    PairingCriterion,
    PairingStage,
    TournamentDrawingState,
    TournamentRoundStatus,
    TournamentTableStatus,
)
from league.tournaments.domain.drawn import sides_of_players
from league.tournaments.domain.inputs import WAIT
from league.tournaments.domain.standing import TableResult, table_result
from league.tournaments.domain.state import RoundState, TableOfRound
from league.tournaments.events import STREAM
from league.tournaments.tournament_queries import SeenTournament, drawings_by_tournament, proof_of_commitment
from league.tournaments.why_paired import ExplainedChoice, choices_of, is_outdated, said, tables_today
from league.wording.language import spoken


@strawberry.type(description="A criterion that gave way at a table: no round was possible that keeps it everywhere.")
class RelaxedCriterion(OfRow, competitor_ids="ids"):
    criterion: GivenWay = field(description="Which one.")
    competitor_ids: list[str] = field(description="For whom.")
    round: int | None = field(description="Of the earlier meeting.")


@strawberry.type(description="A side of a table.")
class TournamentSide:
    competitor_ids: list[str] = field(description="Its competitors: a pair that entered, a player, or two partners.")
    player_ids: list[str] = field(description="Its players by seat.")
    score: int | None = field(description="As the standing counts it; null without a result.")
    won: bool | None = field(description="Whether it has won; null without a result.")
    absent: bool = field(description="Whether it did not come.")

    @kept_field_of(list[PlayerRef], "Its players by seat.")
    async def players(self, info: Info) -> list[PlayerRow]:
        return await loaders.players.players(info, self.player_ids)


@strawberry.type(description="What a choice costs by a criterion; 0: the criterion holds.")
class PairingCost(OfRow):
    criterion: PairingCriterion = field(description="Which one.")
    value: int = field(description="What it costs.")


@strawberry.type(description="Why two were put together.")
class PairingChoice:
    stage: PairingStage = field(description="As what.")
    one: list[str] = field(description="The ids of one, or of one pair.")
    other: list[str] = field(description="The ids of the other.")
    costs: list[PairingCost] = field(description="By each criterion, in their order.")
    instead: PairingCriterion | None = field(
        description="The first criterion by which the best round without them is worse; `CHANCE`: the lot decided. "
        "Null where there is no such round, and in tournaments of more than 64."
    )
    more: int | None = field(description="By how much it is worse, over all tables.")
    sentence: str = field(description="The same in at most two sentences, in the language of the request.")


@strawberry.type(description="A table of a round.")
class TournamentTable:
    id: strawberry.ID = field(description="For caches of clients; `node` does not take it.")
    number: int = field(description="From 1.")
    status: TournamentTableStatus = field(description="What has come of it.")
    sides: list[TournamentSide] = field(description="Both sides.")
    match_id: str | None = field(description="The id of its match in the league; null while there is none.")
    relaxed: list[RelaxedCriterion] = field(description="What gave way.")
    by_hand: bool = field(description="Whether somebody paired it by hand.")
    known: bool = field(description="False where the match counts 0 and 0, since nobody wrote its score down.")
    at: strawberry.Private[tuple[SeenTournament, int]]

    match = match_field("Its match; null while there is none.", null=True)

    @field(description="Why it came about: each choice that made it. None where it was paired by hand.")
    async def why(self, info: Info) -> list[PairingChoice]:
        seen, number = self.at
        names = await loaders.players.display_names(info, seen.state.entries)
        drawings = await info.context.reader.load(drawings_by_tournament, seen.state.id) or {}
        choices = await in_thread(choices_of, seen, drawings[number], self.number)
        return [_choice(choice, names) for choice in choices]

    @classmethod
    def of(cls, seen: SeenTournament, of: RoundState, table: TableOfRound) -> Self:
        """A table."""
        result = table_result(table, seen.results, seen.points)
        players = sides_of_players(table.sides, of.seed)
        return made_of(
            cls,
            table,
            id=strawberry.ID(global_id("TournamentTable", f"{seen.state.id}:{of.number}:{table.number}")),
            status=TournamentTableStatus(result.status),
            sides=[_side(table, players, result, side) for side in (0, 1)],
            match_id=table.match,
            known=result.known,
            at=(seen, of.number),
        )


@strawberry.type(description="A table that a round would have today, and does not have.")
class WouldBeTable(OfRow):
    number: int = field(description="Its number.")
    sides: list[list[str]] = field(description="The ids of the competitors of both sides.")


@strawberry.type(description="A competitor who sits out.")
class TournamentBye:
    competitor_id: str = field(description="The id in the league.")
    again: bool = field(description="Whether they sat out before.")

    competitor = competitor_field("The player, or the pair.")


OfCompetitor = Annotated[
    strawberry.ID, argument("A player: global id, or the league's; a pair: the league's ids of both, joined by `+`.")
]


@strawberry.type(description="What a competitor's device promised before a drawing.")
class DrawingCommitment(OfRow, competitor_id="id"):
    competitor_id: str = field(description="The id of the competitor.")
    position: BigInt | None = field(description="In the log, before the drawing; null until the round is paired.")
    commitment: str = field(description="The SHA-256 of 32 bytes, hexadecimal.")


@strawberry.type(description="What a competitor's device gave for a drawing.")
class DrawingContribution(OfRow, competitor_id="id"):
    competitor_id: str = field(description="The id of the competitor.")
    bytes: str = field(description="32 bytes, hexadecimal; their SHA-256 is the commitment.")


@strawberry.type(description="A round of a tournament.")
class TournamentRound:
    id: strawberry.ID = field(description="For caches of clients; `node` does not take it.")
    number: int = field(description="From 1.")
    status: TournamentRoundStatus = field(description="How far it has come.")
    drawings: int = field(description="How many times it was drawn; every drawing is an event that all can see.")
    position: BigInt | None = field(description="Of its last drawing in the log; null until its tables are computed.")
    root: str | None = field(description="Of the log up to and with that drawing, hexadecimal.")
    signed: bool = field(description="Whether the league's key has signed that root.")
    seed: str | None = field(description="From which all chance of the round follows, hexadecimal.")
    drawing_state: TournamentDrawingState = field(description="How far its last drawing has come.")
    asked_until: datetime | None = field(
        description="Until when devices are asked for the bytes that they promised; null where none is asked."
    )
    commitments: list[DrawingCommitment] = field(
        description="What devices had promised to its last drawing, by competitor. A commitment is for one drawing."
    )
    contributions: list[DrawingContribution] = field(
        description="The bytes that are in the seed, by competitor; none until the round is paired. With at least one "
        "the seed is the SHA-256 of `root,tournament,round,` and these, joined by `,`."
    )
    missing: list[str] = field(description="The ids of competitors whose bytes were asked for and did not come.")
    day: date | None = field(description="Of fixtures: when they meet.")
    until: date | None = field(description="Of fixtures: the last day on which they may meet.")
    published_at: datetime | None = field(description="When it was announced.")
    bell_at: datetime | None = field(description="When its time ends; null without a clock.")
    at: strawberry.Private[tuple[SeenTournament, RoundState]]

    @field(description="Its tables; before it is published only for those who may publish it.")
    def tables(self, info: Info) -> list[TournamentTable]:
        seen, of = self.at
        return [TournamentTable.of(seen, of, table) for table in of.tables] if _is_shown(of, info.context) else []

    @field(description="Who sits out; as `tables`.")
    def byes(self, info: Info) -> list[TournamentBye]:
        _, of = self.at
        again = {id_ for one in of.relaxed for id_ in one.ids}
        shown = of.byes if _is_shown(of, info.context) else ()
        return [TournamentBye(competitor_id=id_, again=id_ in again) for id_ in shown]

    @field(
        description="Whether its inputs would be different now: results of earlier rounds were corrected since it was "
        "drawn; until it is published also entries, absences and ratings that it was drawn on."
    )
    async def is_outdated(self, info: Info) -> bool:
        seen, of = self.at
        if of.root is None or not _is_shown(of, info.context):
            return False
        drawings = await info.context.reader.load(drawings_by_tournament, seen.state.id) or {}
        return is_outdated(seen, of, drawings[of.number])

    @field(
        description="The tables that it would have if it were paired on the results of earlier rounds as they are "
        "today. None while no result was corrected, and with more than 64. A round never changes by itself."
    )
    async def would_change(self, info: Info) -> list[WouldBeTable]:
        seen, of = self.at
        if of.root is None or not _is_shown(of, info.context):
            return []
        drawings = await info.context.reader.load(drawings_by_tournament, seen.state.id) or {}
        return [WouldBeTable.of(table) for table in await in_thread(tables_today, seen, of, drawings[of.number])]

    @field(
        description="A JSON document that proves that the log of the drawing's signed root has a competitor's "
        "commitment: `league check-proof` reads it, and a device checks it before it gives its bytes. Null without a "
        "commitment or a signature of that root, and for viewers who are neither the competitor, an auditor nor an "
        "admin: the document names an actor."
    )
    async def proof_of_commitment(self, info: Info, competitor: OfCompetitor) -> str | None:
        seen, of = self.at
        id_ = competitor_of(local_competitor_id(competitor).split(JOINT))
        promised = next((one for one in of.commitments if one.id == id_), None)
        key, reach = info.context.league.key, info.context.viewer.reach("readProof")
        if promised is None or key is None or reach is None:
            return None
        if reach == "own" and not await in_thread(info.context.is_one_of, id_.split(JOINT)):
            return None
        stream, public = f"{STREAM}{seen.state.id}", raw(key.public_key())
        try:
            return await info.context.reader.read(proof_of_commitment, stream, promised, of.position, public)
        except WrongState as broken:
            raise RequestError(say("There is no proof: {why}.", why=broken.said(spoken))) from None

    @classmethod
    def of(cls, seen: SeenTournament, of: RoundState) -> Self:
        """A round."""
        minutes = seen.state.known_plan.minutes
        bell = None if minutes is None or of.published_at is None else of.published_at + timedelta(minutes=minutes)
        return made_of(
            cls,
            of,
            id=strawberry.ID(global_id("TournamentRound", f"{seen.state.id}:{of.number}")),
            seed=of.seed or None,
            drawing_state=_drawing_state(of),
            asked_until=None if of.asked_at is None else of.asked_at + WAIT,
            contributions=[] if of.root is None else [DrawingContribution.of(one) for one in of.contributions],
            bell_at=bell,
            at=(seen, of),
        )


def _drawing_state(of: RoundState) -> TournamentDrawingState:
    if of.root is not None:
        return TournamentDrawingState.PAIRED
    return TournamentDrawingState.ASKING if of.asked_at and of.missing else TournamentDrawingState.COMPUTING


def _is_shown(of: RoundState, context: Context) -> bool:
    return of.status != "drawn" or context.viewer.may("drawRound")


def _side(table: TableOfRound, players: Any, result: TableResult, side: int) -> TournamentSide:
    return TournamentSide(
        competitor_ids=list(table.sides[side]),
        player_ids=list(players[side]),
        score=None if result.score is None else result.score[side],
        won=None if result.score is None else result.winner == side,
        absent=side in table.absent,
    )


def _choice(choice: ExplainedChoice, names: dict[str, str]) -> PairingChoice:
    best = choice.next_best
    return made_of(
        PairingChoice,
        choice,
        instead=None if best is None else PairingCriterion(best.criterion),
        more=None if best is None else best.more,
        sentence=said(choice, names),
    )
