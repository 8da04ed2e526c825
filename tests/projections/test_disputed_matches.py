"""Matches that await confirmation, and disputes, as the read side and the series see them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from leagues import announced, at, catch_up, caught_up_digest, digest, opened, rebuild, send, shared_rows
from waiting import wait_until

from league.application.bootstrap import League
from league.application.following import confirm_due, confirmations, duties_kept
from league.domain.disputes import (
    CONFIRM_WITHIN,
    ConfirmResult,
    DisputeResult,
    MatchConfirmed,
    RejectDispute,
    ResultConfirmed,
    WithdrawDispute,
)
from league.domain.league import ChangeSettings
from league.domain.match import RecordResult, ReopenMatch, VoidMatch
from league.domain.match_refusals import SeriesLocked
from league.domain.result import AnnouncedResult
from league.infra.database import connect

ANA_BEA = ("ana", "bea")


def rows(league: League, query: str) -> list[Any]:
    with connect(league.database.url) as conn:
        return conn.execute(query).fetchall()


def status(league: League) -> dict[str, str]:
    """The status of each match in the official run."""
    catch_up(league)
    return dict(rows(league, "SELECT match_id, status FROM matches JOIN official_run USING (run)"))


def test_a_pending_match_is_rated_when_it_is_confirmed(league: League) -> None:
    """Its place in the rating order is that of its confirmation, its time of play that of its beginning."""
    send(league, ChangeSettings(confirmation=True), *announced("m1", ANA_BEA, 0))
    assert status(league) == {"m1": "pending"}
    assert rows(league, "SELECT count(*) FROM changes") == [(0,)]
    send(league, ConfirmResult("m1", "ana"), ConfirmResult("m1", "bea"))
    assert status(league) == {"m1": "announced"}
    ((decided_at, position),) = rows(league, "SELECT decided_at, position FROM matches JOIN official_run USING (run)")
    confirmed = league.store.load("match:m1")[-1]
    assert (decided_at, position) == (confirmed.recorded_at, confirmed.position)
    assert rows(league, "SELECT count(*) FROM changes") == [(2,)]


def test_who_records_a_result_of_their_own_confirms_it(league: League) -> None:
    """Whoever records their own result confirms it: one confirmation by the other side is then enough."""
    send(league, ChangeSettings(confirmation=True), opened("m1", ANA_BEA, 0))
    league.dispatcher.send(RecordResult("m1", AnnouncedResult(0), at(1)), "ana")
    said = league.store.load("match:m1")[-1]
    assert (said.event, said.played_at) == (ResultConfirmed("ana"), None)
    send(league, ConfirmResult("m1", "bea"))
    assert status(league) == {"m1": "announced"}


def test_a_pending_match_holds_its_place_in_the_series(league: League) -> None:
    """A fifth game is refused while four wait; one that is voided gives its place back."""
    send(league, ChangeSettings(confirmation=True))
    send(league, *(command for number in range(4) for command in announced(f"m{number}", ANA_BEA, number)))
    with pytest.raises(SeriesLocked) as refused:
        send(league, opened("m4", ANA_BEA, 10))
    assert (refused.value.open_matches, refused.value.locked) == (4, False)
    send(league, VoidMatch("m0", "not played"), opened("m4", ANA_BEA, 10))


def test_time_decides_what_is_not_disputed(league: League) -> None:
    """Deadlines are stored in the database and decide by the given clock; acting twice changes nothing."""
    ends = datetime(2026, 6, 1, tzinfo=UTC)
    league.dispatcher.clock = lambda: ends
    send(league, ChangeSettings(confirmation=True))
    for match in ("m1", "m2", "m3"):
        send(league, *announced(match, ANA_BEA, 0))
    send(league, DisputeResult("m2", "bea", "we won"), ConfirmResult("m3", None))
    catch_up(league)
    due = ends + CONFIRM_WITHIN
    assert rows(league, "SELECT * FROM pending_matches") == [("m1", due)]
    with connect(league.database.url) as conn:
        early = due - timedelta(seconds=1)
        assert confirm_due(league, conn, early) == []
        league.dispatcher.clock = lambda: due
        assert confirm_due(league, conn, due) == ["m1"]
        assert confirm_due(league, conn, due) == []  # the row is still there
    assert status(league) == {"m1": "announced", "m2": "pending", "m3": "announced"}
    assert rows(league, "SELECT * FROM pending_matches") == []


@pytest.mark.also_on_server
def test_a_server_decides_what_is_due_and_leaves_what_another_one_has_taken(league: League) -> None:
    """Each match is decided by one of the processes that look at the deadlines."""
    ends = datetime(2026, 6, 1, tzinfo=UTC)
    league.dispatcher.clock = lambda: ends
    send(league, ChangeSettings(confirmation=True), *announced("m1", ANA_BEA, 0), *announced("m2", ANA_BEA, 2))
    catch_up(league)
    league.dispatcher.clock = lambda: ends + CONFIRM_WITHIN
    with connect(league.database.url) as other:
        other.execute("SELECT * FROM pending_matches WHERE match_id = 'm1' FOR UPDATE")
        with duties_kept(league, [confirmations(league)]):
            wait_until(lambda: MatchConfirmed("time") in [stored.event for stored in league.store.load("match:m2")])
    with connect(league.database.url) as other, connect(league.database.url) as conn:
        other.execute("SELECT * FROM pending_matches WHERE match_id = 'm1' FOR UPDATE")
        assert confirm_due(league, conn, ends + CONFIRM_WITHIN) == []
        other.rollback()
        assert confirm_due(league, conn, ends + CONFIRM_WITHIN) == ["m1"]


def test_a_setting_is_for_matches_that_end_later(league: League) -> None:
    """A pending match stays pending when the league no longer demands confirmation."""
    send(league, *announced("m1", ANA_BEA, 0), ChangeSettings(confirmation=True), *announced("m2", ANA_BEA, 2))
    send(league, ChangeSettings(confirmation=False), *announced("m3", ANA_BEA, 4))
    assert status(league) == {"m1": "announced", "m2": "pending", "m3": "announced"}


def test_disputes_change_no_digest(league: League) -> None:
    """Opened, withdrawn or rejected, they leave the rows of the run, and the journal, as they are."""
    send(league, *announced("m1", ANA_BEA, 0), *announced("m2", ANA_BEA, 2))
    before = (caught_up_digest(league), rows(league, "SELECT * FROM journal"))
    send(league, DisputeResult("m1", "bea", "no"), ConfirmResult("m2", "bea"))
    assert (caught_up_digest(league), rows(league, "SELECT * FROM journal")) == before
    send(league, WithdrawDispute("m1", 1, "bea"), DisputeResult("m1", "ana", "so"), RejectDispute("m1", 2, "seen"))
    assert (caught_up_digest(league), rows(league, "SELECT * FROM journal")) == before


def test_a_rebuild_has_the_same_rows(league: League) -> None:
    """Disputes, deadlines and results are the same in pages of any size, in a rebuild, and in temporary tables."""
    send(league, ChangeSettings(confirmation=True))
    commands = [
        *announced("m1", ANA_BEA, 0), *announced("m2", ("ana", "cira"), 1), *announced("m3", ("bea", "cira"), 2),
        DisputeResult("m1", "bea", "we won"), ConfirmResult("m2", "ana"), DisputeResult("m3", "cira", "a typing error"),
        ReopenMatch("m1", "she is right", settles=1), ConfirmResult("m2", "cira"), VoidMatch("m3", "so it is", 1),
        RecordResult("m1", AnnouncedResult(1), at(3)), DisputeResult("m1", "ana", "now it is wrong"),
    ]  # fmt: skip
    for command in commands:
        send(league, command)
        catch_up(league)
    url = league.database.url
    incremental = digest(url), shared_rows(url)
    outcomes = rows(league, "SELECT match_id, dispute, outcome, answer FROM disputes ORDER BY 1, 2")
    assert outcomes == [
        ("m1", 1, "reopened", "she is right"), ("m1", 2, None, None), ("m3", 1, "voided", "so it is"),
    ]  # fmt: skip
    rebuild(league)
    assert (digest(url), shared_rows(url)) == incremental
