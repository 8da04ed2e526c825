"""What was corrected, reopened or voided in a match: by whom, when, why, and the facts before."""

from collections.abc import Iterator

from league.domain.match import HandCorrected, MatchReopened, MatchVoided
from league.explanations.explanation import Correction
from league.explanations.hand_facts import changed_facts
from league.explanations.message import message
from league.projections.queries.stories import Story


def corrections_of(story: Story, hand: int | None = None) -> Iterator[Correction]:
    """Every correction of a match in order; `hand`: only those of this hand, and the voiding of the match."""
    for event in story.events:
        match event.body:
            case HandCorrected(hand=number, facts=facts, reason=reason) if hand in (None, number):
                played = event.before.played
                assert played is not None, "a hand that is corrected was played"
                changed = tuple(changed_facts(played.hands[number - 1], facts, played))
                yield Correction(event.entry, message("hand_corrected", hand=number), reason, changed)
            case MatchReopened(reason=reason) if hand is None:
                yield Correction(event.entry, message("end_taken_back"), reason)
            case MatchVoided(reason=reason):
                yield Correction(event.entry, message("match_was_voided"), reason)
