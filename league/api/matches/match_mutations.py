"""Opening matches, ending them, reopening and voiding them."""

from datetime import datetime
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql import loaders
from league.api.graphql.context import Info
from league.api.graphql.dispute_errors import DisputeIsOpenError, NoSuchDisputeError
from league.api.graphql.enums import Competition, MatchMode
from league.api.graphql.ids import local_id
from league.api.graphql.mutations import INPUT, NEW_ID, MutationInput, Success, carry_out, checked_reason, new_id
from league.api.graphql.references import field_of
from league.api.graphql.scalars import Tile
from league.api.graphql.table_errors import TableInPlayError
from league.api.graphql.user_errors import (
    AlreadyExistsError,
    ConflictError,
    ForbiddenError,
    InTheFutureError,
    InvalidInputError,
    KeyReusedError,
    MatchOverError,
    NotFoundError,
    SeriesLockedError,
    WrongStateError,
)
from league.api.matches.hand_input import PATHS
from league.api.matches.matches import Match
from league.api.matches.not_judged import NotJudged, not_judged_after
from league.domain import match as domain
from league.domain.result import Announced
from league.projections.queries.matches import MatchRow

SETTLES = "The number of the open dispute of the match that this settles; null: it settles none."

CLOCKS = "A time that is up to 30 seconds ahead of the server's clock means now; a later one is refused."

MatchErrors = (
    InvalidInputError
    | NotFoundError
    | InTheFutureError
    | MatchOverError
    | WrongStateError
    | TableInPlayError
    | KeyReusedError
    | ConflictError
    | ForbiddenError
)


@strawberry.interface(description="A mutation that changed a match.")
class MatchSuccess(Success):
    match_id: str = field(description="The match's id in the league.")

    about_hand: strawberry.Private[int | None] = None
    """The number of the hand that it is about; 0: the one that it recorded; None: the match as a whole."""
    from_turns: strawberry.Private[bool] = False
    """Whether the hand was sent turn by turn, so that the input has none of its facts."""

    @field_of(Match | None, "The match afterwards; null with an error when the read side does not follow in time.")
    async def match(self, info: Info) -> MatchRow | None:
        return await loaders.matches.match(info, self.match_id)

    @field(
        description="What the rules did not judge of what was sent, and what they would need: a block without its "
        "locker may have no winner, and gives no points. Also the hands that come after the end of the match. Empty "
        "when everything was judged."
    )
    async def not_judged(self, info: Info) -> list[NotJudged]:
        paths = None if self.from_turns else PATHS
        return await not_judged_after(info, self.match_id, self.position, hand=self.about_hand, paths=paths)


@strawberry.input(description="The match to change.")
class OnMatchInput(MutationInput):
    match: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.input(description="What the table announced.")
class AnnouncedInput:
    winner: int = field(description="The side that won.")
    score: list[int] | None = field(default=None, description="The score by side; null when it was not announced.")

    def read(self) -> Announced:
        """The input as the domain's type."""
        return Announced(self.winner, None if self.score is None else tuple(self.score))


@strawberry.input(description="A match to open.")
class OpenMatchInput(MutationInput):
    match_id: str | None = field(default=None, description=NEW_ID)
    ruleset: str = field(description="The name of a ruleset of the edition in force, such as `cuban-150`.")
    mode: MatchMode = field(description="How it is played.")
    competition: Competition = field(default=Competition.COMPETITIVE, description="What it counts for.")
    seats: list[strawberry.ID] = field(
        description="The players in the order of play: global ids, or ids in the league. In matches of two pairs seats "
        "0 and 2 play against seats 1 and 3."
    )
    starting_draw: list[Tile] | None = field(default=None, description="The tile that each seat drew to start.")
    played_at: datetime | None = field(default=None, description=f"When it began; null: now. {CLOCKS}")

    def read(self, match: str) -> domain.OpenMatch:
        """The input as the domain's type; `match` is the id of the new match."""
        seats = tuple(local_id("Player", player) for player in self.seats)
        draw = None if self.starting_draw is None else tuple(self.starting_draw)
        mode, competition = self.mode.value, self.competition.value
        return domain.OpenMatch(match, self.ruleset, mode, competition, seats, draw, self.played_at)


@strawberry.type(description="The match is open.")
class OpenMatchSuccess(MatchSuccess):
    pass


OpenMatchPayload = Annotated[
    OpenMatchSuccess | AlreadyExistsError | SeriesLockedError | MatchErrors,
    strawberry.union("OpenMatchPayload", description="The result of opening a match."),
]


@strawberry.input(description="A match whose play stopped before its end condition was met.")
class EndMatchInput(OnMatchInput):
    announced: AnnouncedInput | None = field(default=None, description="What the table announced, as evidence.")
    played_at: datetime | None = field(default=None, description=f"When play stopped; null: now. {CLOCKS}")

    def read(self) -> domain.EndMatch:
        """The input as the domain's type."""
        announced = None if self.announced is None else self.announced.read()
        return domain.EndMatch(local_id("Match", self.match), announced, self.played_at)


@strawberry.type(description="The match has ended: the leading side won.")
class EndMatchSuccess(MatchSuccess):
    pass


EndMatchPayload = Annotated[
    EndMatchSuccess | MatchErrors, strawberry.union("EndMatchPayload", description="The result of ending a match.")
]


@strawberry.input(description="The announced result of a match whose hands were not recorded.")
class RecordResultInput(OnMatchInput):
    announced: AnnouncedInput = field(description="What the table announced.")
    played_at: datetime | None = field(default=None, description=f"When it ended; null: now. {CLOCKS}")

    def read(self) -> domain.RecordResult:
        """The input as the domain's type."""
        return domain.RecordResult(local_id("Match", self.match), self.announced.read(), self.played_at)


@strawberry.type(description="The match is decided by its announced result.")
class RecordResultSuccess(MatchSuccess):
    pass


RecordResultPayload = Annotated[
    RecordResultSuccess | MatchErrors,
    strawberry.union("RecordResultPayload", description="The result of recording a result."),
]


@strawberry.input(description="A side that gives up.")
class ForfeitMatchInput(OnMatchInput):
    side: int = field(description="The side, 0 or 1.")
    played_at: datetime | None = field(default=None, description=f"When it gave up; null: now. {CLOCKS}")

    def read(self) -> domain.ForfeitMatch:
        """The input as the domain's type."""
        return domain.ForfeitMatch(local_id("Match", self.match), self.side, self.played_at)


@strawberry.type(description="The other side has won.")
class ForfeitMatchSuccess(MatchSuccess):
    pass


ForfeitMatchPayload = Annotated[
    ForfeitMatchSuccess | MatchErrors,
    strawberry.union("ForfeitMatchPayload", description="The result of forfeiting a match."),
]


@strawberry.input(description="A match to reopen.")
class ReopenMatchInput(OnMatchInput):
    reason: str = field(description="The reason, for readers of the log.")
    settles: int | None = field(default=None, description=SETTLES)

    def read(self) -> domain.ReopenMatch:
        """The input as the domain's type. Raises InvalidInput."""
        return domain.ReopenMatch(local_id("Match", self.match), checked_reason(self.reason), self.settles)


@strawberry.type(description="The match is open again.")
class ReopenMatchSuccess(MatchSuccess):
    pass


ReopenMatchPayload = Annotated[
    ReopenMatchSuccess | DisputeIsOpenError | NoSuchDisputeError | MatchErrors,
    strawberry.union("ReopenMatchPayload", description="The result of reopening a match."),
]


@strawberry.input(description="A match to void, for good.")
class VoidMatchInput(OnMatchInput):
    reason: str = field(description="The reason, for readers of the log.")
    settles: int | None = field(default=None, description=SETTLES)

    def read(self) -> domain.VoidMatch:
        """The input as the domain's type. Raises InvalidInput."""
        return domain.VoidMatch(local_id("Match", self.match), checked_reason(self.reason), self.settles)


@strawberry.type(description="The match counts for nothing.")
class VoidMatchSuccess(MatchSuccess):
    pass


VoidMatchPayload = Annotated[
    VoidMatchSuccess | DisputeIsOpenError | NoSuchDisputeError | MatchErrors,
    strawberry.union("VoidMatchPayload", description="The result of voiding a match."),
]


@strawberry.type
class MatchMutations:
    @strawberry.mutation(
        description="Open a match with its players. Roles: scorekeeper, admin; player: matches they sit in."
    )
    async def open_match(self, info: Info, given: Annotated[OpenMatchInput, INPUT]) -> OpenMatchPayload:
        match = new_id(info, given) if given.match_id is None else given.match_id
        position = await carry_out(
            info,
            "openMatch",
            given,
            lambda: given.read(match),
            owners=lambda: list(given.read(match).seats),
            owned="seats",
            paths={"match": "matchId"},
        )
        return OpenMatchSuccess(position=position, match_id=match)

    @strawberry.mutation(description="End a match before its end condition is met. Roles: scorekeeper, admin.")
    async def end_match(self, info: Info, given: Annotated[EndMatchInput, INPUT]) -> EndMatchPayload:
        match = local_id("Match", given.match)
        position = await carry_out(info, "endMatch", given, given.read, match=match)
        return EndMatchSuccess(position=position, match_id=match)

    @strawberry.mutation(description="Record the result of a match without hands. Roles: scorekeeper, admin.")
    async def record_result(self, info: Info, given: Annotated[RecordResultInput, INPUT]) -> RecordResultPayload:
        match = local_id("Match", given.match)
        position = await carry_out(info, "recordResult", given, given.read, match=match)
        return RecordResultSuccess(position=position, match_id=match)

    @strawberry.mutation(description="Forfeit a match for a side. Roles: scorekeeper, admin.")
    async def forfeit_match(self, info: Info, given: Annotated[ForfeitMatchInput, INPUT]) -> ForfeitMatchPayload:
        match = local_id("Match", given.match)
        position = await carry_out(info, "forfeitMatch", given, given.read, match=match)
        return ForfeitMatchSuccess(position=position, match_id=match)

    @strawberry.mutation(
        description="Reopen a match that was ended before its end condition. Roles: scorekeeper, admin."
    )
    async def reopen_match(self, info: Info, given: Annotated[ReopenMatchInput, INPUT]) -> ReopenMatchPayload:
        match = local_id("Match", given.match)
        position = await carry_out(info, "reopenMatch", given, given.read, match=match)
        return ReopenMatchSuccess(position=position, match_id=match)

    @strawberry.mutation(description="Void a match, for good. Roles: scorekeeper, admin.")
    async def void_match(self, info: Info, given: Annotated[VoidMatchInput, INPUT]) -> VoidMatchPayload:
        match = local_id("Match", given.match)
        position = await carry_out(info, "voidMatch", given, given.read, match=match)
        return VoidMatchSuccess(position=position, match_id=match)
