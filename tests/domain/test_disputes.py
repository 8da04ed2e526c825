"""Confirming and disputing results: given, when, then."""

from __future__ import annotations

from datetime import timedelta

import pytest
from given import BEGAN, EDITION, NOW, Given, domino, opened

from league.domain.dispute_decider import awaiting_confirmation, confirm_by_time, settling
from league.domain.disputes import (
    CONFIRM_WITHIN,
    ConfirmByTime,
    ConfirmResult,
    DisputeRejected,
    DisputeResult,
    DisputeWithdrawn,
    MatchConfirmed,
    RejectDispute,
    ResultConfirmed,
    ResultDisputed,
    WithdrawDispute,
)
from league.domain.match import (
    EndMatch,
    HandCorrected,
    MatchEnded,
    MatchForfeited,
    MatchReopened,
    MatchVoided,
    RecordHand,
    RecordResult,
    VoidMatch,
)
from league.domain.match_refusals import AlreadyConfirmed, DidNotPlay, DisputeIsOpen, NoSuchDispute, NotYourDispute
from league.domain.not_judged import not_judged_in_match
from league.domain.refusals import NotFound, WrongState
from league.domain.result import AnnouncedResult
from league.projections.folds.match_fold import HashedEdition, decide_match

OVER = opened(seats=4).then_when(RecordResult("m-1", AnnouncedResult(0)))
"""Ana and Coc have won against Bea and Dan."""
DISPUTED = OVER.then_when(DisputeResult("m-1", "bea", "we won"))
PENDING = Given(*opened(seats=4).events, MatchEnded(AnnouncedResult(0), BEGAN + CONFIRM_WITHIN))


def confirm(player: str | None) -> ConfirmResult:
    return ConfirmResult("m-1", player)


def decided_at(given: Given) -> object:
    """The time at which the fold takes the match as decided."""
    decided = decide_match("m-1", given.match, HashedEdition("x", EDITION))[1]
    return None if decided is None else decided.decided_at


# ---------------------------------------------------------------- disputes


def test_a_dispute_takes_nothing_back() -> None:
    """It is on record with its number, and the result stands."""
    OVER.when(DisputeResult("m-1", "bea", "we won")).then(ResultDisputed(1, "bea", "we won"))
    assert DISPUTED.result == OVER.result
    assert decided_at(DISPUTED) == decided_at(OVER) is not None
    dispute = DISPUTED.match.review.open_dispute
    assert dispute is not None
    assert (dispute.number, dispute.player, dispute.reason) == (1, "bea", "we won")


def test_only_a_player_disputes_an_end_once_at_a_time() -> None:
    """Others, open and voided matches, and a second open dispute are refused."""
    given = DisputeResult("m-1", "eva", "not so")
    OVER.when(given).refused(DidNotPlay, "player", "'eva' did not play in match 'm-1'")
    opened().when(DisputeResult("m-1", "ana", "?")).refused(WrongState, None, "no result yet")
    OVER.then_when(VoidMatch("m-1", "?")).when(DisputeResult("m-1", "ana", "?")).refused(WrongState, None, "no result")
    Given().when(given).refused(NotFound, "match")
    DISPUTED.when(DisputeResult("m-1", "dan", "?")).refused(DisputeIsOpen, None, "dispute 1 of match 'm-1' is open")


def test_who_opened_a_dispute_withdraws_it() -> None:
    """An admin can withdraw it too; the next dispute has the next number."""
    DISPUTED.when(WithdrawDispute("m-1", 1, "dan")).refused(NotYourDispute, None, "only they or an admin")
    DISPUTED.when(WithdrawDispute("m-1", 2, "bea")).refused(NoSuchDispute, "dispute", "the open one is number 1")
    DISPUTED.when(WithdrawDispute("m-1", 1, None)).then(DisputeWithdrawn(1))
    withdrawn = DISPUTED.then_when(WithdrawDispute("m-1", 1, "bea"))
    withdrawn.when(WithdrawDispute("m-1", 1, "bea")).refused(NoSuchDispute, "dispute", "no open dispute")
    withdrawn.when(DisputeResult("m-1", "dan", "we did")).then(ResultDisputed(2, "dan", "we did"))


def test_a_dispute_is_rejected_with_a_reason() -> None:
    """It stays on record with the answer."""
    DISPUTED.when(RejectDispute("m-1", 1, "all saw it")).then(DisputeRejected(1, "all saw it"))
    (dispute,) = DISPUTED.then_when(RejectDispute("m-1", 1, "all saw it")).match.review.disputes
    assert (dispute.outcome, dispute.answer) == ("rejected", "all saw it")
    OVER.when(RejectDispute("m-1", 1, "?")).refused(NoSuchDispute, "dispute")


def test_what_takes_a_result_back_names_the_dispute() -> None:
    """A void or a reopening without the name is refused; a correction may be about something else."""
    state = DISPUTED.match
    for event in (MatchVoided("x"), MatchReopened("x")):
        with pytest.raises(DisputeIsOpen):
            settling("m-1", [event], state, None)
        with pytest.raises(NoSuchDispute) as refused:
            settling("m-1", [event], state, 2)
        assert refused.value.field == "settles"
    correction = HandCorrected(1, domino(0, (), 5), "x")
    assert settling("m-1", [correction], state, None) == [correction]
    outcomes = []
    for settled in (correction, MatchVoided("x"), MatchReopened("x")):
        events = settling("m-1", [settled], state, 1)
        (dispute,) = Given(*played_hand().events, ResultDisputed(1, "bea", "?"), *events).match.review.disputes
        outcomes.append((dispute.outcome, dispute.answer))
    assert outcomes == [("corrected", "x"), ("voided", "x"), ("reopened", "x")]


def test_a_correction_that_reopens_a_match_settles_its_dispute_once() -> None:
    """The dispute says that a correction settled it, not that the reopening did so once more."""
    corrected, reopened = HandCorrected(1, domino(0, (), 5), "x"), MatchReopened("x")
    events = settling("m-1", [corrected, reopened], DISPUTED.match, 1)
    assert [event.settles for event in events if isinstance(event, HandCorrected | MatchReopened)] == [1, None]


def played_hand() -> Given:
    """A match of one hand, cut short."""
    recorded = opened().then_when(RecordHand("m-1", domino(0, (), 5)))
    return recorded.then_when(EndMatch("m-1"))


# ---------------------------------------------------------------- confirmations


def test_a_pending_match_is_decided_by_a_player_of_each_side() -> None:
    """Partners count once; it is decided when the last confirmation was recorded, not when play ended."""
    assert PENDING.result.status == "pending"
    assert (PENDING.result.winner, decided_at(PENDING)) == (0, None)
    one = PENDING.then_when(confirm("ana"))
    one.when(confirm("coc")).then(ResultConfirmed("coc"))
    one.when(confirm("dan")).then(ResultConfirmed("dan"), MatchConfirmed("players"))
    both = one.then_when(confirm("coc")).then_when(confirm("bea"))
    assert decided_at(both) == BEGAN + timedelta(minutes=len(both.events) - 1)
    assert both.result.status == "announced"


def test_what_is_not_judged_of_a_pending_match_is_said_as_later() -> None:
    """A match that is known by its announced result lacks the same facts before it is confirmed and after."""
    rules = EDITION.rulesets["cuban-150"]
    confirmed = PENDING.then_when(confirm(None))
    said = [not_judged_in_match(given.played, rules, given.result) for given in (PENDING, confirmed)]
    assert said[0] == said[1] != []


def test_an_admin_confirms_for_everybody() -> None:
    """An admin confirms only a match that awaits confirmation."""
    PENDING.when(confirm(None)).then(MatchConfirmed("admin"))
    OVER.when(confirm(None)).refused(WrongState, None, "awaits no confirmation")


def test_a_player_confirms_once() -> None:
    """A decided match can be confirmed too; corrections and disputes remove confirmations."""
    OVER.when(confirm("ana")).then(ResultConfirmed("ana"))
    confirmed = PENDING.then_when(confirm("ana"))
    confirmed.when(confirm("ana")).refused(AlreadyConfirmed, None, "'ana' has already confirmed")
    confirmed.when(confirm("eva")).refused(DidNotPlay, "player")
    opened().when(confirm("ana")).refused(WrongState, None, "no result yet")
    hands = [RecordHand("m-1", domino(0, (), 5)), EndMatch("m-1")]
    given = opened().then_when(hands[0]).then_when(hands[1]).then_when(confirm("ana"))
    Given(*given.events, HandCorrected(1, domino(0, (), 6), "x")).when(confirm("ana")).then(ResultConfirmed("ana"))
    disputed = confirmed.then_when(DisputeResult("m-1", "ana", "I erred"))
    disputed.when(confirm("bea")).refused(DisputeIsOpen)
    again = disputed.then_when(WithdrawDispute("m-1", 1, "ana"))
    again.when(confirm("bea")).then(ResultConfirmed("bea"))


def test_time_decides_what_nobody_disputes() -> None:
    """Seven days decide unless a dispute is open; the end of a dispute begins them anew."""
    due = BEGAN + CONFIRM_WITHIN

    def by_time(given: Given, after: timedelta) -> list[object]:
        return [*confirm_by_time(ConfirmByTime("m-1"), given.match, due + after)]

    second = timedelta(seconds=1)
    assert by_time(PENDING, timedelta()) == [MatchConfirmed("time")]
    for given, after in (
        (PENDING, -second),
        (OVER, timedelta()),
        (PENDING.then_when(DisputeResult("m-1", "bea", "?")), 100 * CONFIRM_WITHIN),
        (PENDING.then_when(confirm(None)), timedelta()),
    ):
        with pytest.raises(WrongState):
            by_time(given, after)
    disputed = PENDING.then_when(DisputeResult("m-1", "bea", "?"))
    for answer in (WithdrawDispute("m-1", 1, "bea"), RejectDispute("m-1", 1, "no")):
        given = disputed.then_when(answer)
        minutes = timedelta(minutes=len(given.events) - 1)
        with pytest.raises(WrongState):
            by_time(given, minutes - second)
        assert by_time(given, minutes) == [MatchConfirmed("time")]


def test_what_ends_a_match_awaits_confirmation() -> None:
    """The deadline is in seven days, whenever it was played; a reopened or voided match has none."""
    ends = awaiting_confirmation([MatchEnded(None), MatchForfeited(1)], NOW)
    assert ends == [MatchEnded(None, NOW + CONFIRM_WITHIN), MatchForfeited(1, confirm_by=NOW + CONFIRM_WITHIN)]
    for event, status in ((MatchReopened("x"), "open"), (MatchVoided("x"), "voided")):
        given = Given(*PENDING.events, event)
        assert (given.result.status, given.match.review.confirm_by) == (status, None)
