"""Recording hands and correcting them."""

from datetime import datetime
from functools import partial

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.ids import local_id
from league.api.graphql.shaping.mutations import Answer, OverwritingInput, carry_out, checked_reason, mutation
from league.api.graphql.shaping.user_errors import ChangedSinceError, WrongHandError
from league.api.matches.dispute_errors import NoSuchDisputeError
from league.api.matches.hand_input import PATHS, HandFactsInput, TranscriptInput, read_facts, read_transcript
from league.api.matches.match_mutations import CLOCKS, MATCH_ERRORS, SETTLES, MatchSuccess, OnMatchInput
from league.domain import match as domain
from league.domain.collected_refusals import Faults

PHOTOS = (
    "Photos of the hand whose counts a person has settled: they fill in what their seats or sides had left over, which "
    "`facts` then leaves null, and are stored as evidence. In `preview` proposals are taken, too."
)


@strawberry.input(description="The next hand of a match, by its facts or by its turns.")
class RecordHandInput(OnMatchInput):
    facts: HandFactsInput | None = field(default=None, description="What happened; omit it with the turns.")
    transcript: TranscriptInput | None = field(default=None, description="Every turn; omit it with the facts.")
    played_at: datetime | None = field(default=None, description=f"When the hand ended; null: now. {CLOCKS}")
    hand: int | None = field(
        default=None,
        description="The number that the hand must get, from 1: if it is not the next one, nothing is stored. Null: "
        "whichever number is next.",
    )
    photos: list[strawberry.ID] | None = field(default=None, description=PHOTOS)
    out_of_order: bool = field(
        default=False,
        description="Record it even if `playedAt` is before the hand before it ended; else it is refused.",
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
    settles: int | None = field(default=None, description=SETTLES)
    photos: list[strawberry.ID] | None = field(default=None, description=PHOTOS)

    def read(self) -> domain.CorrectHand:
        """The input as the domain's type. Raises InvalidInput."""
        read, check = partial(read_facts, self.facts), partial(checked_reason, self.reason)
        Faults.check(Faults.found_by(read, check))
        facts, reason = read(), check()
        match, photos = local_id("Match", self.match), _photos(self.photos)
        return domain.CorrectHand(match, self.hand, facts, reason, self.settles, photos)


def _photos(given: list[strawberry.ID] | None) -> tuple[str, ...]:
    return tuple(local_id("Photo", photo) for photo in given or ())


@strawberry.type
class HandMutations:
    @mutation(
        "Record the next hand. Roles: scorekeeper, admin; player: in matches they sit in.",
        of=MatchSuccess,
        refusals=(WrongHandError, *MATCH_ERRORS),
        result="The result of recording a hand.",
    )
    async def record_hand(self, info: Info, given: RecordHandInput) -> Answer:
        match = local_id("Match", given.match)

        def seated() -> list[str]:
            played = info.context.states().match(match).played
            return [] if played is None else list(played.seats)

        position = await carry_out(info, given, given.read, owners=seated, owned="match", match=match, paths=PATHS)
        names_fields = given.transcript is None
        return {"position": position, "match_id": match, "about_hand": 0, "names_fields": names_fields}

    @mutation(
        "Replace the facts of a hand. Roles: scorekeeper, admin.",
        of=MatchSuccess,
        refusals=(NoSuchDisputeError, ChangedSinceError, *MATCH_ERRORS),
        result="The result of correcting a hand.",
    )
    async def correct_hand(self, info: Info, given: CorrectHandInput) -> Answer:
        match = local_id("Match", given.match)
        position = await carry_out(info, given, given.read, match=match, paths=PATHS)
        return {"position": position, "match_id": match, "about_hand": given.hand}
