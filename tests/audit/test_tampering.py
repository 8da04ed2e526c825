"""Whoever changes a row from which people read rights, names, numbers or pairings is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import zip_longest

import psycopg
import pytest
from databases import copy_of
from leagues import at, league_at, rebuild, send
from psycopg import sql
from tampered_leagues import ADMIN, LOSS, TAMPERINGS, TOUCHED, Tampering, judge_quickly

from league.api.auth.web_sessions import SignInLink, make_link
from league.application import storing
from league.application.bootstrap import League
from league.audit.row_comparison import differing_rows, differing_rows_again
from league.audit.shadow_rebuild import ShadowProjector, compare
from league.domain.audit_trail import TokenMade, TokenRevoked
from league.domain.members import ChangeMember
from league.infra.database import connect
from league.projections.rows_again import make_in_temporary_tables, tables_made_again
from league.review.work import begin_outdated_again, review_stored_hand

WITHOUT_ITS_REVIEW = f"table {LOSS}: the log does not say so"

Tampered = Callable[..., list[str]]
"""What differs from the log once somebody has done all that is given."""


def table_of(said: str) -> str:
    return said.partition(",")[0]


def rounds() -> list[list[Tampering]]:
    """All tamperings, in rounds that change each table once: what is named of a table is then by one of them."""
    by_table: dict[str, list[Tampering]] = {}
    for one in TAMPERINGS:
        # Losses are those of a review: who changes it changes them.
        by_table.setdefault(table_of(one.said).replace("review_losses", "hand_reviews"), []).append(one)
    return [[one for one in together if one] for together in zip_longest(*by_table.values())]


@contextmanager
def tampered_with(server: str) -> Iterator[Tampered]:
    """A function that returns what differs from the log after a change, which is taken back."""
    with copy_of(server, TOUCHED) as url, league_at(url) as league, ShadowProjector(url, league.store) as shadow:
        folded = shadow.compare(url, None)
        assert folded is not None
        conn, official, anew = shadow._conn, folded.run, shadow._run
        assert official is not None
        conn.execute("RESET ROLE")
        apart = sql.SQL(", ").join(sql.Identifier("pg_temp", name) for name in (*tables_made_again(), "sealing_keys"))

        def found(*tamperings: Tampering) -> list[str]:
            with conn.transaction(force_rollback=True):
                conn.execute("SET LOCAL search_path = league, runs, pg_temp")
                for tampering in tamperings:
                    assert conn.execute(tampering.does.encode()).rowcount > 0
                conn.execute(sql.SQL("DROP TABLE {}").format(apart))
                make_in_temporary_tables(conn, league.store)
                return [*differing_rows(conn, official, anew), *differing_rows_again(conn)]

        yield found


@pytest.fixture(autouse=True)
def as_it_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_quickly(monkeypatch)


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], Tampered]]:
    with ExitStack() as opened:
        yield cache(lambda server: opened.enter_context(tampered_with(server)))


@pytest.mark.parametrize("together", rounds())
def test_a_row_that_does_not_follow_from_the_log_is_named(
    postgres: str, servers: Callable[[str], Tampered], together: list[Tampering]
) -> None:
    """With its table, its key, its column, and what the log says instead; nothing else is named."""
    named = [said for said in servers(postgres)(*together) if not said.startswith(WITHOUT_ITS_REVIEW)]
    assert [one.said for one in together if not any(said.startswith(one.said) for said in named)] == [], named
    assert set(map(table_of, named)) == {table_of(one.said) for one in together}


def test_a_new_admin_does_not_hide_behind_a_member_who_is_missing(
    postgres: str, servers: Callable[[str], Tampered]
) -> None:
    """Each row of a table is named, whatever else differs there."""
    instead = "UPDATE members SET member_id = 'mallory', roles = '{admin}' WHERE member_id = 'kim'"
    assert servers(postgres)(Tampering(instead, "")) == [
        "table members, row member mallory: the log does not say so",
        "table members, row member kim: it is missing",
    ]


@pytest.mark.heavy
def test_a_rebuild_mends_what_follows_from_the_log(postgres: str) -> None:
    """A rebuild repairs all changes together. No revoked token becomes valid: the log gets the missing revocation."""
    with copy_of(postgres, TOUCHED) as url, league_at(url) as league:
        assert faults(league) == []
        do_as_login(url, "UPDATE review_losses SET lost = 5")
        assert faults(league) != []
        rebuild(league)
        assert faults(league) == []
        for tampering in TAMPERINGS:
            do_as_login(url, tampering.does)
        changed = {f"table {table}" for table in tables_made_again() if table != "review_losses"}
        assert {said.split(",")[0] for said in faults(league)} >= changed
        rebuild(league)
        assert faults(league) == []
        with psycopg.connect(url) as conn:
            revoked = {token for (token,) in conn.execute("SELECT jti FROM revoked_tokens")}
        assert revoked == {"lost", "stolen", "x", "of kim"}
        events = [stored.event for stored in league.store.all_named(["token-revoked/1"])]
        assert {event.token for event in events if isinstance(event, TokenRevoked)} == revoked


def test_a_rebuild_writes_no_row_that_is_as_it_should_be(embedded_server: str) -> None:
    """A rebuild does not write right rows, so columns that no event fills stay, and no change is announced."""
    with copy_of(embedded_server, TOUCHED) as url, league_at(url) as league:
        before = rows(url)
        rebuild(league)
        assert rows(url) == before


@pytest.mark.heavy
@pytest.mark.parametrize(("member", "sub"), [("kim", "member:kim"), ("lee", "ana")])
def test_a_link_of_a_member_leads_to_nobody_else(embedded_server: str, member: str, sub: str) -> None:
    """A changed link is found: the log names the member whom it is for, even after the member's player has changed."""
    with copy_of(embedded_server, TOUCHED) as url, league_at(url) as league:
        made = TokenMade("t", sub, (), at(24 * 365))
        link = SignInLink(made.token, sub, made.roles, made.expires_at, member)
        storing.record(league.store, made, ADMIN, lambda conn, *_: make_link(link, conn) and None)
        send(league, ChangeMember(member, player="cira"))
        assert faults(league) == []
        other = "lee" if member == "kim" else "kim"
        do_as_login(url, f"UPDATE sign_in_links SET member_id = '{other}' WHERE token_id = 't'")  # noqa: S608  # a test
        (said,) = faults(league)
        assert said.startswith(f"table sign_in_links, row token t: member_id is {other}, but the log says no")


SECOND_MOVE = "UPDATE hand_reviews SET moves = jsonb_set(moves, '{0,open_loss}', '5') WHERE status = 'done'"
PARTS = "UPDATE hand_reviews SET parts = jsonb_set(parts, '{1,luck}', '5') WHERE status = 'done'"
JUDGED = "UPDATE hand_reviews SET judge = {} WHERE status = 'done'"


@pytest.mark.heavy
@pytest.mark.parametrize(("does", "column"), [(SECOND_MOVE, "moves"), (PARTS, "parts")])
def test_some_reviews_are_made_again(embedded_server: str, does: str, column: str) -> None:
    """A review with a wrong result is named; without its row, the hand waits for a review."""
    with copy_of(embedded_server, TOUCHED) as url, league_at(url) as league:
        do_as_login(url, does)
        (said,) = faults(league)
        assert said.startswith(f"table hand_reviews, row match h3, hand 1: {column} is not what a review of the hand")
        do_as_login(url, "DELETE FROM hand_reviews WHERE match_id = 'h3'")
        rebuild(league)
        review_stored_hand(url, "h3", 1)
        assert faults(league) == []


@pytest.mark.heavy
@pytest.mark.parametrize("judge", ["NULL", "judge - 1"])
def test_a_review_by_an_older_judge_is_noted_until_a_worker_makes_it_again(embedded_server: str, judge: str) -> None:
    """A review by an older judge is no fault, and a rebuild leaves it. A worker then replaces it, changes included."""
    with copy_of(embedded_server, TOUCHED) as url, league_at(url) as league:
        as_reviewed = results(url)
        for does in (JUDGED.format(judge), SECOND_MOVE, PARTS, "UPDATE review_losses SET lost = 5"):
            do_as_login(url, does)
        before = rows(url)
        found = compare(url, league.store, league.project)
        assert found.faults == []
        assert found.notes == [
            "1 review is by an older version of what judges moves: it is not compared, and a worker makes it again"
        ]
        rebuild(league)
        assert rows(url) == before
        with connect(url) as conn:
            begin_outdated_again(conn)
        review_stored_hand(url, "h3", 1)
        assert results(url) == as_reviewed
        found = compare(url, league.store, league.project)
        assert (found.faults, found.notes) == ([], [])


@pytest.mark.heavy
def test_a_review_that_failed_is_noted(embedded_server: str) -> None:
    """No event says so. Without its row, the hand waits for a review."""
    with copy_of(embedded_server, TOUCHED) as url, league_at(url) as league:
        do_as_login(url, "UPDATE hand_reviews SET status = 'failed', attempts = 9 WHERE match_id = 'h4'")
        found = compare(url, league.store, league.project)
        assert found.faults == []
        (said,) = found.notes
        assert said.startswith("1 review has the status `failed`, and no event says why: delete its row")
        do_as_login(url, "DELETE FROM hand_reviews WHERE status = 'failed'")
        rebuild(league)
        review_stored_hand(url, "h4", 1)
        found = compare(url, league.store, league.project)
        assert (found.faults, found.notes) == ([], [])


def test_a_result_of_another_hand_is_taken_back(embedded_server: str) -> None:
    """The hand waits for a review, its losses are gone, and what a process still computes is not stored."""
    with copy_of(embedded_server, TOUCHED) as url, league_at(url) as league:
        do_as_login(url, "UPDATE hand_reviews SET input = 'x' WHERE match_id = 'h3'")
        rebuild(league)
        with psycopg.connect(url) as conn:
            row = conn.execute("SELECT status, version, moves FROM hand_reviews WHERE match_id = 'h3'").fetchone()
            assert row == ("waiting", 1, [])
            assert conn.execute("SELECT FROM review_losses").rowcount == 0


def faults(league: League) -> list[str]:
    """What verification finds in the tables."""
    return compare(league.database.url, league.store, league.project).faults


def do_as_login(url: str, statement: str) -> None:
    """What the program's own login may do."""
    with psycopg.connect(url) as conn:
        conn.execute(statement.encode())


def rows(url: str) -> list[tuple[object, ...]]:
    """All rows that are written with their events, each with the transaction that wrote it."""
    query = "SELECT xmin::text, {0}::text FROM {0} ORDER BY 2"
    with psycopg.connect(url) as conn:
        return [row for table in tables_made_again() for row in conn.execute(query.format(table).encode())]


def results(url: str) -> list[tuple[object, ...]]:
    """What reviews have found, and what decisions have cost."""
    with psycopg.connect(url) as conn:
        done = conn.execute("SELECT match_id, moves, parts, judge, input FROM hand_reviews WHERE status = 'done'")
        return [*done, *conn.execute("SELECT * FROM review_losses ORDER BY match_id, hand, seat, kind")]
