"""Opening matches, recording and correcting hands, ending, reopening and voiding matches."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import Competition, MatchMode, Tile, optional
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.loaders.matches import LoadedHand
from league.api.graphql.shaping.mutations import (
    NEW_ID,
    USUAL,
    Answer,
    MutationInput,
    OverwritingInput,
    Success,
    carry_out,
    mutation,
    new_id,
)
from league.api.graphql.shaping.object_fields import HandRef, field_of
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.shared_fields import match_field
from league.api.graphql.shaping.user_errors import (
    AlreadyExistsError,
    ChangedSinceError,
    InTheFutureError,
    MatchOverError,
    SeriesLockedError,
    UserError,
    WrongHandError,
)
from league.api.matches.disputes import DisputeIsOpenError, NoSuchDisputeError
from league.api.matches.hands import PATHS, HandFactsInput, TranscriptInput, read_facts, read_transcript
from league.api.matches.matches import AnnouncedInput, ScoreNote, score_notes
from league.api.matches.scoring import NotJudged, not_judged_after, number_recorded
from league.api.schema_part import FieldPart
from league.domain import match as domain
from league.domain.collected_refusals import Faults
from league.domain.deciders import Command
from league.domain.texts_and_times import reason_of_command
from league.features import declared

SETTLES = "The number of the open dispute of the match that this settles; null: it settles none."

CLOCKS = "A time that is up to 30 seconds ahead of the server's clock means now; a later one is refused."

MATCH_ERRORS: tuple[type[UserError], ...] = (
    *USUAL, InTheFutureError, MatchOverError, *(error for part in declared(FieldPart) for error in part.match_errors)
)  # fmt: skip
"""Errors of the mutations that change a match."""


@strawberry.type(description="A mutation that changed a match.")
class MatchSuccess(Success):
    match_id: str = field(description="The match's id in the league.")

    about_hand: strawberry.Private[int | None] = None
    """The number of the hand that the mutation is about; 0: the hand that it recorded; None: the match as a whole."""
    names_fields: strawberry.Private[bool] = True
    """Whether the input has fields for the facts of the hand: not if it has turns, or asks for a review."""

    match = match_field(
        "The match afterwards; null with an error when the read side does not follow in time.", null=True
    )

    @field_of(HandRef | None, "The hand that was recorded, corrected or named, as it is now; null if none was.")
    async def hand(self, info: Info) -> LoadedHand | None:
        if self.about_hand is None:
            return None
        number = self.about_hand or await number_recorded(info, self.match_id, self.position)
        return await loaders.matches.hand(info, self.match_id, number)

    @field(
        description="What the rules did not judge of what was sent, and what they would need: a block without its "
        "locker may have no winner, and gives no points. Also the hands that come after the end of the match. Empty "
        "when everything was judged."
    )
    async def not_judged(self, info: Info) -> list[NotJudged]:
        paths = PATHS if self.names_fields else None
        return await not_judged_after(info, self.match_id, self.position, hand=self.about_hand, paths=paths)

    @field(
        description="What to check of the announced score of a match without hands. It is stored as it was announced; "
        "empty when nothing is doubtful, and for a forfeit."
    )
    async def notes(self, info: Info) -> list[ScoreNote]:
        return await score_notes(info, self.match_id)


@strawberry.input(description="The match to change.")
class OnMatchInput(MutationInput):
    match: strawberry.ID = field(description="Global id, or the id in the league.")


@strawberry.input(description="A match to open.")
class OpenMatchInput(MutationInput):
    match_id: str | None = optional(NEW_ID)
    ruleset: str = field(description="The name of a ruleset of the edition in force, such as `cuban-150`.")
    mode: MatchMode = field(description="How it is played.")
    competition: Competition = field(default=Competition.COMPETITIVE, description="What it counts for.")
    seats: list[strawberry.ID] = field(
        description="The players in the order of play: global ids, or ids in the league. In matches of two pairs seats "
        "0 and 2 play against seats 1 and 3."
    )
    starting_draw: list[Tile] | None = optional("The tile that each seat drew to start.")
    played_at: datetime | None = optional(f"When it began; null: now. {CLOCKS}")

    def read(self, match: str) -> domain.OpenMatch:
        """The input as the domain's type; `match` is the id of the new match."""
        seats = tuple(local_id("Player", player) for player in self.seats)
        draw = None if self.starting_draw is None else tuple(self.starting_draw)
        mode, competition = self.mode.value, self.competition.value
        return domain.OpenMatch(match, self.ruleset, mode, competition, seats, draw, self.played_at)


@strawberry.input(description="A match whose play stopped before its end condition was met.")
class EndMatchInput(OnMatchInput):
    announced: AnnouncedInput | None = optional("What the table announced, as evidence.")
    played_at: datetime | None = optional(f"When play stopped; null: now. {CLOCKS}")

    def read(self) -> domain.EndMatch:
        """The input as the domain's type."""
        announced = None if self.announced is None else self.announced.read()
        return domain.EndMatch(local_id("Match", self.match), announced, self.played_at)


@strawberry.input(description="The announced result of a match whose hands were not recorded.")
class RecordResultInput(OnMatchInput):
    announced: AnnouncedInput = field(description="What the table announced.")
    played_at: datetime | None = optional(f"When it ended; null: now. {CLOCKS}")

    def read(self) -> domain.RecordResult:
        """The input as the domain's type."""
        return domain.RecordResult(local_id("Match", self.match), self.announced.read(), self.played_at)


@strawberry.input(description="A side that gives up.")
class ForfeitMatchInput(OnMatchInput):
    side: int = field(description="The side, 0 or 1.")
    played_at: datetime | None = optional(f"When it gave up; null: now. {CLOCKS}")

    def read(self) -> domain.ForfeitMatch:
        """The input as the domain's type."""
        return domain.ForfeitMatch(local_id("Match", self.match), self.side, self.played_at)


@strawberry.input
class TakenBackInput(OnMatchInput):
    """A match whose result is taken back."""

    reason: str = field(description="The reason, for readers of the log.")
    settles: int | None = optional(SETTLES)


@strawberry.input(description="The right result of a match without hands, in place of the one that is recorded.")
class CorrectResultInput(TakenBackInput, OverwritingInput):
    announced: AnnouncedInput = field(description="What the table announced.")

    def read(self) -> domain.CorrectResult:
        """The input as the domain's type. Raises InvalidInput."""
        announced, reason = self.announced.read(), reason_of_command(self.reason)
        return domain.CorrectResult(local_id("Match", self.match), announced, reason, self.settles)


@strawberry.input(description="A match to reopen.")
class ReopenMatchInput(TakenBackInput):
    def read(self) -> domain.ReopenMatch:
        """The input as the domain's type. Raises InvalidInput."""
        return domain.ReopenMatch(local_id("Match", self.match), reason_of_command(self.reason), self.settles)


@strawberry.input(description="A match to void, for good.")
class VoidMatchInput(TakenBackInput):
    def read(self) -> domain.VoidMatch:
        """The input as the domain's type. Raises InvalidInput."""
        return domain.VoidMatch(local_id("Match", self.match), reason_of_command(self.reason), self.settles)


async def carry_out_on_match(info: Info, given: OnMatchInput, make: Callable[[], Command], **how: Any) -> Answer:
    """Execute a command on one match; `how` goes to `carry_out`."""
    match = local_id("Match", given.match)
    return {"position": await carry_out(info, given, make, match=match, **how), "match_id": match}


match_mutation = partial(mutation, of=MatchSuccess, refusals=MATCH_ERRORS)


@strawberry.type
class MatchMutations:
    @match_mutation(
        "Open a match with its players. Roles: scorekeeper, admin; player: matches they sit in.",
        refusals=(AlreadyExistsError, SeriesLockedError, *MATCH_ERRORS),
        result="The result of opening a match.",
    )
    async def open_match(self, info: Info, given: OpenMatchInput) -> Answer:
        match = new_id(info, given) if given.match_id is None else given.match_id
        command = given.read(match)
        own, paths = list(command.seats), {"match": "matchId"}
        position = await carry_out(info, given, lambda: command, owners=lambda: own, owned="seats", paths=paths)
        return {"position": position, "match_id": match}

    @match_mutation(
        "End a match before its end condition is met. Roles: scorekeeper, admin.",
        result="The result of ending a match.",
    )
    async def end_match(self, info: Info, given: EndMatchInput) -> Answer:
        return await carry_out_on_match(info, given, given.read)

    @match_mutation(
        "Record the result of a match without hands. Roles: scorekeeper, admin; player: of matches they sit in.",
        result="The result of recording a result.",
    )
    async def record_result(self, info: Info, given: RecordResultInput) -> Answer:
        seated = partial(info.context.seated, local_id("Match", given.match))
        return await carry_out_on_match(info, given, given.read, owners=seated, owned="match")

    @match_mutation(
        "Replace the result of a match without hands, in one step: nobody sees the match open in between. Where the "
        "rules ask for confirmation, it has to be confirmed again. Roles: scorekeeper, admin.",
        refusals=(DisputeIsOpenError, NoSuchDisputeError, ChangedSinceError, *MATCH_ERRORS),
        result="The result of correcting a result.",
    )
    async def correct_result(self, info: Info, given: CorrectResultInput) -> Answer:
        return await carry_out_on_match(info, given, given.read)

    @match_mutation(
        "Forfeit a match for a side. Roles: scorekeeper, admin.", result="The result of forfeiting a match."
    )
    async def forfeit_match(self, info: Info, given: ForfeitMatchInput) -> Answer:
        return await carry_out_on_match(info, given, given.read)

    @match_mutation(
        "Reopen a match that was ended before its end condition. Roles: scorekeeper, admin.",
        refusals=(DisputeIsOpenError, NoSuchDisputeError, *MATCH_ERRORS),
        result="The result of reopening a match.",
    )
    async def reopen_match(self, info: Info, given: ReopenMatchInput) -> Answer:
        return await carry_out_on_match(info, given, given.read)

    @match_mutation(
        "Void a match, for good. Roles: scorekeeper, admin.",
        refusals=(DisputeIsOpenError, NoSuchDisputeError, *MATCH_ERRORS),
        result="The result of voiding a match.",
    )
    async def void_match(self, info: Info, given: VoidMatchInput) -> Answer:
        return await carry_out_on_match(info, given, given.read)


PHOTOS = (
    "Photos of the hand whose counts a person has settled: they fill in what their seats or sides had left over, which "
    "`facts` then leaves null, and are stored as evidence. `preview` takes proposed counts, too."
)


@strawberry.input(description="The next hand of a match, by its facts or by its turns.")
class RecordHandInput(OnMatchInput):
    facts: HandFactsInput | None = optional("What happened; omit it with the turns.")
    transcript: TranscriptInput | None = optional("Every turn; omit it with the facts.")
    played_at: datetime | None = optional(f"When the hand ended; null: now. {CLOCKS}")
    hand: int | None = optional(
        "The number that the hand must get, from 1: if it is not the next one, nothing is stored. Null: "
        "whichever number is next."
    )
    photos: list[strawberry.ID] | None = optional(PHOTOS)
    out_of_order: bool = field(
        default=False,
        description="Record it even if `playedAt` is before the end of the hand before it; otherwise it is refused.",
    )

    def read(self) -> domain.RecordHand:
        """The input as the domain's type. Raises InvalidInput."""
        facts = None if self.facts is None else read_facts(self.facts)
        transcript = None if self.transcript is None else read_transcript(self.transcript)
        return domain.RecordHand(
            local_id("Match", self.match),
            facts,
            transcript,
            self.played_at,
            self.hand,
            _photos(self.photos),
            out_of_order=self.out_of_order,
        )


@strawberry.input(description="The correct facts of a hand.")
class CorrectHandInput(OnMatchInput, OverwritingInput):
    hand: int = field(description="The number of the hand, from 1.")
    facts: HandFactsInput = field(description="All of its facts; they replace the recorded ones.")
    reason: str = field(description="The reason, for readers of the log.")
    settles: int | None = optional(SETTLES)
    photos: list[strawberry.ID] | None = optional(PHOTOS)
    reopens: bool = field(
        default=False,
        description="Whether play goes on if no hand ends the match any more, as when a correction takes the score "
        "below the target: the match is then reopened. Otherwise it stays ended, and is cut short.",
    )

    def read(self) -> domain.CorrectHand:
        """The input as the domain's type. Raises InvalidInput."""
        read, check = partial(read_facts, self.facts), partial(reason_of_command, self.reason)
        Faults.check(Faults.found_by(read, check))
        facts, reason = read(), check()
        match, photos = local_id("Match", self.match), _photos(self.photos)
        return domain.CorrectHand(match, self.hand, facts, reason, self.settles, photos, reopens=self.reopens)


def _photos(given: list[strawberry.ID] | None) -> tuple[str, ...]:
    return tuple(local_id("Photo", photo) for photo in given or ())


@strawberry.type
class HandMutations:
    @match_mutation(
        "Record the next hand. Roles: scorekeeper, admin; player: in matches they sit in.",
        refusals=(WrongHandError, *MATCH_ERRORS),
        result="The result of recording a hand.",
    )
    async def record_hand(self, info: Info, given: RecordHandInput) -> Answer:
        seated = partial(info.context.seated, local_id("Match", given.match))
        answer = await carry_out_on_match(info, given, given.read, owners=seated, owned="match", paths=PATHS)
        return {**answer, "about_hand": 0, "names_fields": given.transcript is None}

    @match_mutation(
        "Replace the facts of a hand. Roles: scorekeeper, admin.",
        refusals=(NoSuchDisputeError, ChangedSinceError, *MATCH_ERRORS),
        result="The result of correcting a hand.",
    )
    async def correct_hand(self, info: Info, given: CorrectHandInput) -> Answer:
        return {**await carry_out_on_match(info, given, given.read, paths=PATHS), "about_hand": given.hand}
