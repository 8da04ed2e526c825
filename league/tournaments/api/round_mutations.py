"""Mutations on rounds: draw, publish, withdraw, change, close; and those of devices that take part in drawings."""

from datetime import date

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, optional
from league.api.graphql.shaping.mutations import USUAL, Answer, carry_out, mutation
from league.api.graphql.shaping.user_errors import SeriesLockedError
from league.api.graphql.threads import in_thread, in_writing_thread
from league.domain.match_refusals import SeriesLocked
from league.domain.texts_and_times import reason_of_command
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
from league.tournaments.explaining import ExplanationJobs

COMMITMENT = "The SHA-256 of 32 random bytes that your device keeps secret, as 64 hexadecimal digits in lower case."


@strawberry.input(description="What your device promises to the next drawing.")
class CommitToDrawingInput(OnCompetitorInput):
    commitment: str = field(description=COMMITMENT)


@strawberry.input(description="What your device gives to a drawing.")
class ContributeToDrawingInput(OnCompetitorInput):
    round: int = field(description="The number of the round.")
    drawing: int = field(description="The round's `drawings`: how many times it was drawn.")
    contribution: str = field(
        description="The 32 bytes that your device promised, as 64 hexadecimal digits in lower case. Give them once, "
        "and only for a signed root whose log has your commitment (`proofOfCommitment`). Store that root."
    )
    next_commitment: str | None = optional(f"Your promise to the next drawing; ignored if you have one. {COMMITMENT}")


@strawberry.type
class DrawingMutations:
    @mutation(
        "Promise random bytes to the next drawing, so that nobody chooses its seed alone. Each competitor has one "
        "commitment per drawing; either player of a pair gives it. Roles: player: themselves.",
        of=TournamentSuccess,
        refusals=(AlreadyCommittedError, CommitmentUsedError, *USUAL),
        result="The result of committing to a drawing.",
    )
    async def commit_to_drawing(self, info: Info, given: CommitToDrawingInput) -> Answer:
        def make() -> c.CommitSeed:
            return c.CommitSeed(given.local, entered_as(given.competitor), given.commitment)

        return await sent_of_competitor(info, given, make, match=_lock_name(given))

    @mutation(
        "Give the bytes that your device promised to a drawing, after the round is drawn and before its tables are "
        "computed. Bytes that are stored by then count. Roles: player: themselves.",
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

        return await sent_of_competitor(info, given, make, match=_lock_name(given))


def _lock_name(given: OnCompetitorInput) -> str:
    """Name of the lock under which devices' commands on one tournament run one at a time, since many come at once."""
    return f"drawing:{given.local}"


@strawberry.input(description="A meeting of two competitors.")
class FixtureInput:
    one: strawberry.ID = field(description=f"One of them, {A_COMPETITOR}")
    other: strawberry.ID = field(description=f"The other, {A_COMPETITOR}")


@strawberry.input(description="The next round of a tournament.")
class DrawRoundInput(OnTournamentInput):
    again: str | None = optional("Why the round is drawn again; required if it is drawn and not yet published.")
    meetings: list[FixtureInput] | None = optional("Only for fixtures: who meets; null: as in a round robin.")
    day: date | None = optional("Only for fixtures: the day on which they are played.")
    until: date | None = optional("Only for fixtures: the last day on which they may be played.")

    def read(self) -> c.DrawRound:
        """The input as the domain's type. Raises InvalidInput."""
        meetings = None
        if self.meetings is not None:
            meetings = tuple((entered_as(two.one), entered_as(two.other)) for two in self.meetings)
        again = None if self.again is None else reason_of_command(self.again)
        return c.DrawRound(self.local, again, meetings, self.day, self.until)


@strawberry.input(description="A round of a tournament.")
class OnRoundInput(OnTournamentInput):
    round: int = field(description="The number of the round, from 1.")


@strawberry.input(description="A round to announce.")
class PublishRoundInput(OnRoundInput):
    even_if_outdated: bool = field(
        default=False,
        description="Publish the round although its inputs would be different now. It is still refused if the plan has "
        "changed or a competitor has withdrawn since the drawing, and in later rounds of a knock-out, where who plays "
        "on follows from the results.",
    )


@strawberry.input(description="A round to withdraw.")
class WithdrawRoundInput(OnRoundInput):
    reason: str = field(description="The reason, for readers of the log.")


@strawberry.input(description="A round to close.")
class CloseRoundInput(OnRoundInput):
    pass


@strawberry.input(description="A table of a round.")
class OnTableInput(OnRoundInput):
    table: int = field(description="The number of the table, from 1.")


@strawberry.input(description="A table of fixtures at which play begins.")
class OpenFixtureInput(OnTableInput):
    pass


@strawberry.input(description="A table with its new competitors.")
class NewTableInput:
    table: int = field(description="The number of the table.")
    sides: list[list[strawberry.ID]] = field(
        description=f"The competitors of both sides, by seat; each is {A_COMPETITOR}"
    )

    def read(self) -> c.NewTable:
        """The input as the domain's type. Without exactly two sides it is an empty table, which is refused."""
        sides = [tuple(map(entered_as, side)) for side in self.sides]
        return c.NewTable(self.table, (sides[0], sides[1]) if len(sides) == len("ab") else ((), ()))


@strawberry.input(description="Tables that somebody pairs by hand.")
class ChangePairingsInput(OnRoundInput):
    tables: list[NewTableInput] = field(
        description="All tables that change. A competitor who sat at one of them, and sits at none now, sits out."
    )
    reason: str = field(description="The reason, for readers of the log.")

    def read(self) -> c.ChangePairings:
        """The input as the domain's type. Raises InvalidInput."""
        tables = tuple(table.read() for table in self.tables)
        return c.ChangePairings(self.local, self.round, tables, reason_of_command(self.reason))


@strawberry.input(description="A table where a side did not come.")
class RecordAbsenceInput(OnTableInput):
    sides: list[int] = field(description="The sides that did not come: 0, 1 or both.")


@strawberry.input(description="A competitor whose opponents did not come.")
class ClaimAbsenceInput(OnCompetitorInput):
    round: int = field(description="The number of the round.")


@strawberry.input(description="A competitor who did not come, as the other side says.")
class ConfirmAbsenceInput(OnCompetitorInput):
    round: int = field(description="The number of the round.")


@strawberry.input(description="A table that gets a new match.")
class ReplaceTournamentMatchInput(OnTableInput):
    reason: str = field(description="The reason, for readers of the log.")


@strawberry.input(description="A round whose results are confirmed.")
class ConfirmRoundInput(OnRoundInput):
    pass


NOT_GIVEN = dict.fromkeys(("plan", "match", "seats", "ruleset", "mode"))
"""Domain fields that no input here has: they belong to the plan, or to a match that opens with its round."""


@strawberry.type
class RoundMutations:
    @mutation(
        "Close the inputs of the next round and compute its tables. This also closes the previous round. Nothing is "
        "announced yet. If devices have promised bytes, the answer comes at once, and the tables are computed when the "
        "bytes are in, after 10 seconds at most (`drawingState`). With more than 60 competitors it also comes at once, "
        "and a process in the background computes the tables. Each drawing is an event that everybody can see. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of drawing a round.",
    )
    async def draw_round(self, info: Info, given: DrawRoundInput) -> Answer:
        league, sub = info.context.league, info.context.viewer.sub or ""

        def make() -> c.DrawRound:
            command = given.read()
            if command.again is None:
                pair_drawn(league, given.local, sub)  # finish what a crash interrupted
            return command

        await carry_out(info, given, make, paths=NOT_GIVEN)
        position = await in_writing_thread(lambda: pair_drawn(league, given.local, sub))
        await info.context.read_after(position)
        return {"position": BigInt(position), "local": given.local}

    @mutation(
        "Announce a round, and open the matches of its tables; the match of a fixture opens when play begins. "
        "Refused if the inputs of the round would be different now, unless `evenIfOutdated` is true; in later "
        "rounds of a knock-out always. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(DrawnAgainError, RoundOutdatedError, SeriesLockedError, *USUAL),
        result="The result of publishing a round.",
    )
    async def publish_round(self, info: Info, given: PublishRoundInput) -> Answer:
        league, sub = info.context.league, info.context.viewer.sub or ""
        command = c.PublishRound(given.local, given.round, given.even_if_outdated)

        def make() -> c.PublishRound:
            pair_drawn(league, given.local, sub)  # finish what a crash interrupted
            return command

        try:
            position = await carry_out(info, given, make, paths=NOT_GIVEN)
        except SeriesLocked as refusal:
            locked = refusal
            raise await in_writing_thread(lambda: draw_apart(league, command, locked, sub)) from None
        await in_thread(info.context.jobs.of(ExplanationJobs).hand_out, given.local, given.round)
        return {"position": position, "local": given.local}

    @mutation(
        "Withdraw the last published round while none of its tables has a hand, a result or a recorded absence. Its "
        "matches are voided, and a hand that runs at a live table is given up. The round counts for nothing: no "
        "meeting, no partner, no bye. `drawRound` draws it anew under its number, with new matches. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of withdrawing a round.",
    )
    async def withdraw_round(self, info: Info, given: WithdrawRoundInput) -> Answer:
        def make() -> c.WithdrawRound:
            return c.WithdrawRound(given.local, given.round, reason_of_command(given.reason))

        return await sent(info, given, make, paths=NOT_GIVEN)

    @mutation(
        "Open a fixture's match when play begins. Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(SeriesLockedError, *USUAL),
        result="The result of opening a fixture.",
    )
    async def open_fixture(self, info: Info, given: OpenFixtureInput) -> Answer:
        return await sent(info, given, lambda: c.OpenFixture(given.local, given.round, given.table), paths=NOT_GIVEN)

    @mutation(
        "Pair tables by hand before play begins there. Their matches are voided, and new ones are opened. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(SeriesLockedError, *USUAL),
        result="The result of changing pairings.",
    )
    async def change_pairings(self, info: Info, given: ChangePairingsInput) -> Answer:
        return await sent(info, given, given.read, paths=NOT_GIVEN)

    @mutation(
        "Record that one side, or both, did not come to a table. The match of the table is voided and unrated. "
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
        "Say that the other side did not come to your table. It is pending until that side confirms it "
        "(`confirmAbsence`) or an organiser records it (`recordAbsence`), and lapses when play begins. If each side "
        "says it of the other, nothing is stored in the result, and an organiser decides. Roles: player: themselves.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of claiming an absence.",
    )
    async def claim_absence(self, info: Info, given: ClaimAbsenceInput) -> Answer:
        def make() -> c.ClaimAbsence:
            return c.ClaimAbsence(given.local, entered_as(given.competitor), given.round)

        return await sent_of_competitor(info, given, make)

    @mutation(
        "Confirm that your own side did not come to your table, which the other side says. The match of the table is "
        "voided and unrated. Roles: player: themselves.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of confirming an absence.",
    )
    async def confirm_absence(self, info: Info, given: ConfirmAbsenceInput) -> Answer:
        def make() -> c.ConfirmAbsence:
            return c.ConfirmAbsence(given.local, entered_as(given.competitor), given.round)

        return await sent_of_competitor(info, given, make)

    @mutation(
        "Open another match at a table whose match was voided, or where an absent side came after all. "
        "Roles: scorekeeper, admin.",
        of=TournamentSuccess,
        refusals=(SeriesLockedError, *USUAL),
        result="The result of replacing a match.",
    )
    async def replace_tournament_match(self, info: Info, given: ReplaceTournamentMatchInput) -> Answer:
        def make() -> c.ReplaceMatch:
            return c.ReplaceMatch(given.local, given.round, given.table, reason_of_command(given.reason))

        return await sent(info, given, make, paths=NOT_GIVEN)

    @mutation(
        "Close a round in which every table has a result. Drawing the next round does this too. Roles: scorekeeper, "
        "admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of closing a round.",
    )
    async def close_round(self, info: Info, given: CloseRoundInput) -> Answer:
        return await sent(info, given, lambda: c.CloseRound(given.local, given.round), paths=NOT_GIVEN)

    @mutation(
        "Confirm, for everybody, all results of a round that await confirmation, as `confirmResult` does with one. "
        "Disputed results stay as they are. Refused if there is nothing to confirm. Roles: admin.",
        of=TournamentSuccess,
        refusals=USUAL,
        result="The result of confirming the results of a round.",
    )
    async def confirm_round(self, info: Info, given: ConfirmRoundInput) -> Answer:
        return await sent(info, given, lambda: c.ConfirmRound(given.local, given.round), paths=NOT_GIVEN)
