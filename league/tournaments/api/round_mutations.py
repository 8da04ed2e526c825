"""Drawing rounds with the bytes of devices, publishing them, changing their tables, closing them."""

from datetime import date

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, optional
from league.api.graphql.shaping.mutations import USUAL, Answer, carry_out, checked_reason, mutation
from league.api.graphql.shaping.user_errors import SeriesLockedError
from league.api.graphql.threads import in_writing_thread
from league.domain.match_refusals import SeriesLocked
from league.tournaments.api.tournament_mutations import (
    A_COMPETITOR,
    AlreadyCommittedError,
    CommitmentUsedError,
    ContributionRefusedError,
    DrawnAgainError,
    OnCompetitorInput,
    OnTournamentInput,
    RoundOutdatedError,
    TournamentSuccess,
    entered_as,
    sent,
    sent_of_competitor,
)
from league.tournaments.domain import commands as c
from league.tournaments.drawing import draw_apart, pair_drawn

COMMITMENT = "The SHA-256 of 32 random bytes that your device keeps, as 64 hexadecimal digits in lower case."


@strawberry.input(description="What your device promises to the next drawing.")
class CommitToDrawingInput(OnCompetitorInput):
    commitment: str = field(description=COMMITMENT)


@strawberry.input(description="What your device gives to a drawing.")
class ContributeToDrawingInput(OnCompetitorInput):
    round: int = field(description="The number of the round.")
    drawing: int = field(description="Its `drawings`: how many times it was drawn.")
    contribution: str = field(
        description="The 32 bytes that your device promised, as 64 hexadecimal digits in lower case. Give them once, "
        "only for a signed root whose log has your commitment (`proofOfCommitment`), and keep that root."
    )
    next_commitment: str | None = optional(f"To the next drawing; left out where you have one. {COMMITMENT}")


@strawberry.type
class DrawingMutations:
    @mutation(
        "Promise random bytes to the next drawing, so that nobody chooses its seed alone. Each competitor has one "
        "commitment a drawing; for a pair either partner gives it. Roles: player: themselves.",
        of=TournamentSuccess,
        refusals=(AlreadyCommittedError, CommitmentUsedError, *USUAL),
        result="The result of committing to a drawing.",
    )
    async def commit_to_drawing(self, info: Info, given: CommitToDrawingInput) -> Answer:
        def make() -> c.CommitSeed:
            return c.CommitSeed(given.local, entered_as(given.competitor), given.commitment)

        return await sent_of_competitor(info, given, make, match=_in_turn(given))

    @mutation(
        "Give the bytes that your device promised to a drawing, while the round is drawn and has no tables. Those that "
        "are stored until its tables are computed count. Roles: player: themselves.",
        of=TournamentSuccess,
        refusals=(ContributionRefusedError, CommitmentUsedError, *USUAL),
        result="The result of contributing to a drawing.",
    )
    async def contribute_to_drawing(self, info: Info, given: ContributeToDrawingInput) -> Answer:
        def make() -> c.ContributeSeed:
            who = entered_as(given.competitor)
            return c.ContributeSeed(
                given.local, given.round, given.drawing, who, given.contribution, given.next_commitment
            )

        return await sent_of_competitor(info, given, make, match=_in_turn(given))


def _in_turn(given: OnCompetitorInput) -> str:
    """Under which the commands of devices take turns, for many come at once."""
    return f"drawing:{given.local}"


@strawberry.input(description="A meeting of two competitors.")
class FixtureInput:
    one: strawberry.ID = field(description=f"One of them, {A_COMPETITOR}")
    other: strawberry.ID = field(description=f"The other, {A_COMPETITOR}")


@strawberry.input(description="The next round of a tournament.")
class DrawRoundInput(OnTournamentInput):
    again: str | None = optional("Why a drawing of the same round is dropped; needed where there is one.")
    meetings: list[FixtureInput] | None = optional("Of fixtures: who meets. Null: as in a round robin.")
    day: date | None = optional("Of fixtures: when they meet.")
    until: date | None = optional("Of fixtures: the last day on which they may meet.")

    def read(self) -> c.DrawRound:
        """The input as the domain's type. Raises InvalidInput."""
        meetings = None
        if self.meetings is not None:
            meetings = tuple((entered_as(two.one), entered_as(two.other)) for two in self.meetings)
        again = None if self.again is None else checked_reason(self.again)
        return c.DrawRound(self.local, again, meetings, self.day, self.until)


@strawberry.input(description="A round of a tournament.")
class OnRoundInput(OnTournamentInput):
    round: int = field(description="The number of the round, from 1.")


@strawberry.input(description="A round to announce.")
class PublishRoundInput(OnRoundInput):
    even_if_outdated: bool = field(
        default=False,
        description="Publish it although its inputs would be different now. A drawing under another plan, or with a "
        "competitor who has withdrawn since, is refused all the same.",
    )


@strawberry.input(description="A round that is over.")
class CloseRoundInput(OnRoundInput):
    pass


@strawberry.input(description="A table of a round.")
class OnTableInput(OnRoundInput):
    table: int = field(description="The number of the table, from 1.")


@strawberry.input(description="A table of fixtures at which play begins.")
class OpenFixtureInput(OnTableInput):
    pass


@strawberry.input(description="A table as it is to be.")
class NewTableInput:
    table: int = field(description="The number of the table.")
    sides: list[list[strawberry.ID]] = field(
        description=f"The competitors of both sides, by seat; each is {A_COMPETITOR}"
    )

    def read(self) -> c.NewTable:
        """The input as the domain's type; without exactly two sides nobody sits there, which is refused."""
        sides = [tuple(map(entered_as, side)) for side in self.sides]
        return c.NewTable(self.table, (sides[0], sides[1]) if len(sides) == len("ab") else ((), ()))


@strawberry.input(description="Tables that somebody pairs by hand.")
class ChangePairingsInput(OnRoundInput):
    tables: list[NewTableInput] = field(
        description="All tables that change. A competitor who was at one of them and is not in the new ones sits out."
    )
    reason: str = field(description="The reason, for readers of the log.")

    def read(self) -> c.ChangePairings:
        """The input as the domain's type. Raises InvalidInput."""
        tables = tuple(table.read() for table in self.tables)
        return c.ChangePairings(self.local, self.round, tables, checked_reason(self.reason))


@strawberry.input(description="A table to which somebody did not come.")
class RecordAbsenceInput(OnTableInput):
    sides: list[int] = field(description="The sides that did not come: 0, 1 or both.")


@strawberry.input(description="A table whose match was voided.")
class ReplaceTournamentMatchInput(OnTableInput):
    reason: str = field(description="The reason, for readers of the log.")


NOT_GIVEN = dict.fromkeys(("plan", "match", "seats", "ruleset", "mode"))
"""What belongs to the plan, or to a match that is opened with its round: the inputs of rounds do not have it."""


@strawberry.type
class RoundMutations:
    @mutation(
        "Close the inputs of the next round, and compute its tables; the round before it is closed. Nothing is "
        "announced yet. Where devices have promised bytes it answers at once, and the tables come when the bytes are "
        "in, after 10 seconds at most (`drawingState`). Every drawing is an event that all can see. Roles: "
        "scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of drawing a round.",
    )
    async def draw_round(self, info: Info, given: DrawRoundInput) -> Answer:
        league, sub = info.context.league, info.context.viewer.sub or ""

        def make() -> c.DrawRound:
            command = given.read()
            if command.again is None:
                pair_drawn(league, given.local, sub)  # what a crash has left undone
            return command

        await carry_out(info, given, make, paths=NOT_GIVEN)
        position = await in_writing_thread(lambda: pair_drawn(league, given.local, sub))
        await info.context.read_after(position)
        return {"position": BigInt(position), "local": given.local}

    @mutation(
        "Announce a round, and open the matches of its tables; those of fixtures are opened when play begins. "
        "Refused where its inputs would be different now, unless `evenIfOutdated` asks for it. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(DrawnAgainError, RoundOutdatedError, SeriesLockedError, *USUAL),
        result="The result of publishing a round.",
    )
    async def publish_round(self, info: Info, given: PublishRoundInput) -> Answer:
        league, sub = info.context.league, info.context.viewer.sub or ""
        command = c.PublishRound(given.local, given.round, given.even_if_outdated)

        def make() -> c.PublishRound:
            pair_drawn(league, given.local, sub)  # what a crash has left undone
            return command

        try:
            position = await carry_out(info, given, make, paths=NOT_GIVEN)
        except SeriesLocked as refusal:
            locked = refusal
            raise await in_writing_thread(lambda: draw_apart(league, command, locked, sub)) from None
        return {"position": position, "local": given.local}

    @mutation(
        "Open a fixture's match when play begins. Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(SeriesLockedError, *USUAL),
        result="The result of opening a fixture.",
    )
    async def open_fixture(self, info: Info, given: OpenFixtureInput) -> Answer:
        return await sent(info, given, lambda: c.OpenFixture(given.local, given.round, given.table), paths=NOT_GIVEN)

    @mutation(
        "Pair tables by hand, before play begins at them. Their matches are voided and others are opened. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(SeriesLockedError, *USUAL),
        result="The result of changing pairings.",
    )
    async def change_pairings(self, info: Info, given: ChangePairingsInput) -> Answer:
        return await sent(info, given, given.read, paths=NOT_GIVEN)

    @mutation(
        "Record that one side, or both, did not come. The match of the table is voided and unrated. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of recording an absence.",
    )
    async def record_absence(self, info: Info, given: RecordAbsenceInput) -> Answer:
        sides = tuple(given.sides)
        return await sent(
            info, given, lambda: c.RecordAbsence(given.local, given.round, given.table, sides), paths=NOT_GIVEN
        )

    @mutation(
        "Open another match at a table whose match was voided, or whose players came after all. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(SeriesLockedError, *USUAL),
        result="The result of replacing a match.",
    )
    async def replace_tournament_match(self, info: Info, given: ReplaceTournamentMatchInput) -> Answer:
        def make() -> c.ReplaceMatch:
            return c.ReplaceMatch(given.local, given.round, given.table, checked_reason(given.reason))

        return await sent(info, given, make, paths=NOT_GIVEN)

    @mutation(
        "Close a round in which every table has a result; drawing the next one does so too. Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of closing a round.",
    )
    async def close_round(self, info: Info, given: CloseRoundInput) -> Answer:
        return await sent(info, given, lambda: c.CloseRound(given.local, given.round), paths=NOT_GIVEN)
