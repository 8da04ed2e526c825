"""The hands of a match that can be reviewed, and why the others cannot."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from league.application.stream_states import StreamStates
from league.domain.match import HandCorrected
from league.domain.refusals import InvalidInput, NotFound, Refusal
from league.domain.result import Played, result_of
from league.domain.rules import Ruleset
from league.domain.sentences import say
from league.domain.transcript import Transcript, played_through
from league.domain.wrong_states import MatchIsOpen, MatchIsVoided
from league.projections.queries.whole_hands import whole_hands
from league.review.decisions import PlayedHand
from league.review.refusals import HandWithoutTurns, MatchWithoutHands


class HandToReview(Struct, frozen=True):
    """A hand of a match, or why it has no review."""

    number: int
    """From 1."""
    hand: PlayedHand | None
    refusal: Refusal | None = None


def hands_to_review(match: str, states: StreamStates) -> tuple[Played, list[HandToReview]]:
    """The hands of a match that is over. Raises NotFound, MatchIsOpen, MatchIsVoided."""
    played = states.match(match).played
    if played is None:
        raise NotFound("match", "match", match)
    ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    if played.voided:
        raise MatchIsVoided(say("match {match!r}", match=match), say("voided"), say("its hands count for nothing"))
    if result_of(played, ruleset).status == "open":
        raise MatchIsOpen(say("match {match!r}", match=match), say("open"), say("it is reviewed when it is over"))
    return played, [*_hands(match, played, ruleset, states)]


def hands_under(match: str, edition: str | None, states: StreamStates) -> tuple[Played | None, dict[int, PlayedHand]]:
    """A match, also one that is open or voided, and its hands with turns under the edition of this hash, by number.

    `edition` None: the one that holds for the match now. Without a match, or such an edition, there are no hands.
    """
    played = states.match(match).played
    if played is None:
        return None, {}
    rulebook = states.rulebook()
    documents = {known.hash: known.document for known in rulebook.editions}
    rules = rulebook.at(played.began_at) if edition is None else documents.get(edition)
    ruleset = None if rules is None else rules.rulesets.get(played.ruleset)
    found = [] if ruleset is None else _hands(match, played, ruleset, states)
    return played, {one.number: one.hand for one in found if one.hand is not None}


def asked_for(match: str, hands: Sequence[HandToReview], number: int | None) -> list[HandToReview]:
    """The hand with this number; None: all hands. Raises NotFound, MatchWithoutHands."""
    if not hands:
        raise MatchWithoutHands(
            say("match {match!r}", match=match), say("without hands"), say("there is nothing to review")
        )
    asked = [one for one in hands if number in {None, one.number}]
    if not asked:
        raise NotFound("hand", "hand", str(number))
    return asked


def _hands(match: str, played: Played, ruleset: Ruleset, states: StreamStates) -> Iterator[HandToReview]:
    known = whole_hands(states.store, [match])[match]
    corrected = {
        stored.event.hand for stored in states.events(f"match:{match}") if isinstance(stored.event, HandCorrected)
    }
    before = [0] * len(played.sides)
    for number, scored in enumerate(result_of(played, ruleset).hands, 1):
        score = tuple(before) if ruleset.scoring == "points" else None
        before = [one + more for one, more in zip(before, scored.points or [0] * len(before), strict=True)]
        whole = known.get(number)
        if whole is None:
            yield HandToReview(number, None, _without_turns(number, is_corrected=number in corrected))
            continue
        transcript = Transcript(whole.dealt, tuple(turn.turn for turn in whole.turns))
        try:
            played_through(transcript, ruleset, len(played.seats))
        except InvalidInput as refused:
            yield HandToReview(number, None, refused)
            continue
        made_by = tuple(turn.by for turn in whole.turns)
        yield HandToReview(number, PlayedHand(transcript, ruleset, played.mode, number, score, made_by))


def _without_turns(number: int, *, is_corrected: bool) -> Refusal:
    """Why a hand is not reviewed of which no turn is known."""
    if is_corrected:
        return HandWithoutTurns(say("hand {hand}", hand=number), say("corrected"), say("its turns are not known"))
    return HandWithoutTurns(
        say("hand {hand}", hand=number), say("without turns"), say("only what was played turn by turn is reviewed")
    )
