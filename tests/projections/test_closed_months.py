"""Closed months: the list that is published and stays, the standings that go on, and the badges of honours."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from leagues import (
    adopt,
    announced,
    at,
    catch_up,
    caught_up_digest,
    digest,
    exported,
    forget_projections,
    opened,
    reading,
    rebuild,
    revised,
    send,
    shared_rows,
)

from league.application.bootstrap import League
from league.audit.shadow_rebuild import compare
from league.domain.league import CloseMonth, ReopenMonth
from league.domain.match import VoidMatch
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.queries import series as reads
from league.projections.replays.replay import ReplayPeriod, replay

MONTH = 31 * 24
"""Hours: BASE is the first of March, and so is every further month's match before the tenth of its month."""


def published(url: str) -> list[dict[str, Any]]:
    """The published lists, in the form of the export `standings`."""
    with connect(url) as conn:
        rows = conn.execute("SELECT to_jsonb(p) FROM published_standings AS p").fetchall()
    return sorted((row for (row,) in rows), key=lambda row: (row["month"], row["mode"], row["rank"], row["id"]))


def honours(url: str, run: int | None = None) -> set[str]:
    """The badges of months, as `ana month_won-1`."""
    badges = exported(url, "badges", run)
    return {f"{row['id']} {row['badge']}" for row in badges if row["badge"].startswith(("month_won", "unbeaten_month"))}


def beats(winner: str, loser: str, first: int, games: int = 1, hours: float = 0) -> list[Any]:
    """One player beats another in a number of matches; their ids are numbers from `first` on."""
    return [
        command
        for number in range(first, first + games)
        for command in announced(f"m{number:03}", (winner, loser), hours + number % 100 / 10)
    ]


# ---------------------------------------------------------------- the list that is published


@pytest.mark.heavy
def test_a_published_list_stays_and_the_standings_go_on(league: League) -> None:
    """A correction after the closing changes the standings and not the list; a rebuild finds the same two."""
    url = league.database.url
    send(league, beats("ana", "bea", 1, 2), beats("cira", "bea", 3), CloseMonth("2026-03"))
    catch_up(league)
    as_closed = exported(url, "standings")
    assert published(url) == as_closed
    assert [(row["rank"], row["id"], row["total"]) for row in as_closed] == [
        (1, "ana", 530), (2, "cira", 505), (3, "bea", 465),
    ]  # fmt: skip
    send(league, VoidMatch("m001", "never played"), beats("bea", "dora", 4))
    catch_up(league)
    assert published(url) == as_closed
    assert [(row["rank"], row["id"], row["total"]) for row in exported(url, "standings")] == [
        (1, "ana", 505), (1, "cira", 505), (3, "bea", 495), (3, "dora", 495),
    ]  # fmt: skip
    as_it_happened, shared = digest(url), shared_rows(url)
    assert (rebuild(league), shared_rows(url)) == (as_it_happened, shared)
    for page in (1, 3, None):
        forget_projections(url)
        assert (caught_up_digest(league, page), shared_rows(url)) == (as_it_happened, shared)


def test_a_list_says_what_was_known_when_its_month_was_closed(league: League) -> None:
    """A list has what was known at the closing, even if the closing and later events are projected together."""
    url = league.database.url
    send(league, beats("ana", "bea", 1), beats("cira", "dora", 2), VoidMatch("m002", "never played"))
    send(league, CloseMonth("2026-03"), beats("eva", "flor", 3), beats("eva", "flor", 4, hours=-240))
    send(league, VoidMatch("m004", "nor this"), CloseMonth("2026-02"), VoidMatch("m001", "nor this"))
    catch_up(league)
    assert [(row["month"], row["id"]) for row in published(url)] == [("2026-03", "ana"), ("2026-03", "bea")]
    assert [row["id"] for row in exported(url, "standings")] == ["eva", "flor"]
    with connect(url) as conn:
        closed = conn.execute("SELECT month, ends_at FROM closed_months ORDER BY 1").fetchall()
    ends = [datetime(2026, 3, 1, 5, tzinfo=UTC), datetime(2026, 4, 1, 4, tzinfo=UTC)]
    assert closed == [("2026-02", ends[0]), ("2026-03", ends[1])]


def test_a_list_stays_under_other_rules(league: League) -> None:
    """A replay, and an adoption over the past, change the standings only."""
    url = league.database.url
    send(league, beats("ana", "bea", 1, 3), CloseMonth("2026-03"))
    catch_up(league)
    as_closed = published(url)
    run = replay(url, revised("series.limit = 1"), ReplayPeriod())
    assert [row["total"] for row in exported(url, "standings", run)] == [505, 495]
    adopt(league, "series.limit = 1")
    assert caught_up_digest(league) == digest(url, run)
    assert published(url) == as_closed
    assert [row["total"] for row in as_closed] == [535, 465]


# ---------------------------------------------------------------- first of a month


def test_the_first_of_a_closed_month_earns_a_badge(league: League) -> None:
    """The first of a month earns a badge at its closing, with the closing event and the end of the month."""
    url = league.database.url
    send(league, beats("ana", "bea", 1))
    catch_up(league)
    assert honours(url) == set()
    position = send(league, CloseMonth("2026-03"))
    catch_up(league)
    assert honours(url) == {"ana month_won-1"}
    (badge,) = [row for row in exported(url, "badges") if row["badge"] == "month_won-1"]
    assert (badge["position"], badge["earned_at"]) == (position, "2026-04-01T04:00:00+00:00")


def test_both_partners_of_the_first_pair_earn_it_and_all_who_share_the_first_place(league: League) -> None:
    """Everybody on first place in a mode earns the badge; a player who is first in both modes has won two months."""
    url = league.database.url
    adopt(league, "badges.month_won = [1, 2]")
    send(
        league,
        beats("ana", "cira", 1),
        beats("bea", "dora", 2),
        announced("m010", ("ana", "cira", "eva", "dora"), 10),
        CloseMonth("2026-03"),
    )
    catch_up(league)
    assert honours(url) == {"ana month_won-1", "ana month_won-2", "bea month_won-1", "eva month_won-1"}


def test_three_months_won_earn_the_next_badge(league: League) -> None:
    """Months won count in the order in which they were closed; the third closing earns the next badge."""
    url = league.database.url
    send(league, *(beats("ana", "bea", 100 * month, hours=month * MONTH) for month in range(4)))
    send(league, CloseMonth("2026-05"), CloseMonth("2026-03"))
    catch_up(league)
    assert honours(url) == {"ana month_won-1"}
    position = send(league, CloseMonth("2026-04"))
    send(league, CloseMonth("2026-06"))
    catch_up(league)
    assert honours(url) == {"ana month_won-1", "ana month_won-3"}
    (badge,) = [row for row in exported(url, "badges") if row["badge"] == "month_won-3"]
    assert (badge["position"], badge["earned_at"]) == (position, "2026-05-01T04:00:00+00:00")


def test_a_correction_takes_the_badge_and_gives_it_to_another(league: League) -> None:
    """The honours of a closed month follow its current standings, not the published list."""
    url = league.database.url
    send(league, beats("ana", "bea", 1, 2), beats("cira", "dora", 3), CloseMonth("2026-03"))
    catch_up(league)
    assert honours(url) == {"ana month_won-1"}
    send(league, VoidMatch("m001", "never played"), VoidMatch("m002", "never played"))
    catch_up(league)
    assert honours(url) == {"cira month_won-1"}
    assert published(url)[0]["id"] == "ana"
    as_it_happened = digest(url)
    assert rebuild(league) == as_it_happened


def test_only_the_honours_of_the_month_that_changed_are_found_anew(league: League) -> None:
    """A correction in April leaves the rows of March where they are; both months earn their badge as before."""
    url = league.database.url

    def written() -> dict[str, set[str]]:
        with connect(url) as conn:
            rows = conn.execute("SELECT month, xmin::text FROM honours").fetchall()
        return {month: {version for m, version in rows if m == month} for month, _ in rows}

    send(league, beats("ana", "bea", 1), beats("cira", "dora", 100, 2, MONTH), beats("eva", "flor", 110, 1, MONTH))
    send(league, CloseMonth("2026-03"), CloseMonth("2026-04"))
    catch_up(league)
    before = written()
    send(league, VoidMatch("m100", "never played"), VoidMatch("m101", "never played"))
    catch_up(league)
    after = written()
    assert (after["2026-03"], after["2026-04"] & before["2026-04"]) == (before["2026-03"], set())
    assert honours(url) == {"ana month_won-1", "eva month_won-1"}
    as_it_happened = digest(url)
    assert rebuild(league) == as_it_happened


@pytest.mark.heavy
def test_the_edition_at_the_end_of_a_month_says_what_its_honours_earn(league: League) -> None:
    """A replay of the month under other thresholds, and their adoption, agree; even if no match is scored again."""
    url = league.database.url
    send(league, beats("ana", "bea", 1), CloseMonth("2026-03"))
    catch_up(league)
    text, start = "badges.month_won = [2]", at(20 * 24)
    run = replay(url, revised(text), ReplayPeriod(start))
    assert (honours(url, run), honours(url)) == (set(), {"ana month_won-1"})
    adopt(league, text, start)
    assert caught_up_digest(league) == digest(url, run)
    assert honours(url) == set()
    assert rebuild(league) == digest(url, run)


# ---------------------------------------------------------------- reopened, and late


def late(url: str, run: int | None = None) -> list[str]:
    """The late matches of March, in the order they began."""
    with reading(url) as snapshot:
        of_run = snapshot.run if run is None else run
        query = reads.late(of_run, reads.month_named(snapshot, "1v1", "2026-03"))
        return [row.match_id for row in snapshot.conn.execute(query.order_by(*reads.BY_BEGINNING.columns))]


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_reopened_month_has_no_list_and_gives_no_badge(league: League) -> None:
    """A second closing publishes what the log says by then; every way to fold the log gives the same."""
    url = league.database.url
    adopt(league, "badges.month_won = [1, 2]")
    send(league, beats("ana", "bea", 1, 2), beats("cira", "dora", 100, 1, MONTH), CloseMonth("2026-03"))
    send(league, CloseMonth("2026-04"))
    catch_up(league)
    assert honours(url) == {"ana month_won-1", "cira month_won-1"}
    send(league, ReopenMonth("2026-03"))
    catch_up(league)
    assert compare(url, league.store, league.project).faults == []
    assert {row["month"] for row in published(url)} == {"2026-04"}
    assert honours(url) == {"cira month_won-1"}
    send(league, beats("cira", "bea", 3, 3))
    closed = send(league, CloseMonth("2026-03"))
    catch_up(league)
    assert published(url) == exported(url, "standings")
    assert honours(url) == {"cira month_won-1", "cira month_won-2"}
    (second,) = [row for row in exported(url, "badges") if row["badge"] == "month_won-2"]
    assert second["position"] == closed
    as_it_happened, shared = digest(url), shared_rows(url)
    assert (rebuild(league), shared_rows(url)) == (as_it_happened, shared)
    for page in (1, 3, None):
        forget_projections(url)
        assert (caught_up_digest(league, page), shared_rows(url)) == (as_it_happened, shared)


@pytest.mark.heavy
def test_a_replay_folded_before_a_reopening_follows_it(league: League) -> None:
    """A replay loses the honours of a reopened month when it catches up to be promoted."""
    url = league.database.url
    send(league, beats("ana", "bea", 1), CloseMonth("2026-03"))
    catch_up(league)
    run = replay(url, revised("series.limit = 1"), ReplayPeriod())
    assert honours(url, run) == {"ana month_won-1"}
    send(league, ReopenMonth("2026-03"))
    catch_up(league)
    league.promoter.promote(run, AppendRequest("admin", "manual"))
    catch_up(league)
    assert honours(url) == set()
    assert rebuild(league) == digest(url)


@pytest.mark.heavy
def test_matches_that_come_after_the_closing_are_listed_as_late(league: League) -> None:
    """Late matches of the series are listed in the order they began, whenever they were opened; voided ones are not."""
    url = league.database.url
    waiting = announced("m004", ("eva", "flor"), 4)
    send(league, beats("ana", "bea", 1), waiting[:1])
    catch_up(league)
    assert late(url) == []
    send(league, CloseMonth("2026-03"), waiting[1:], announced("m002", ("ana", "cira"), 2))
    send(league, announced("m003", ("ana", "cira"), 3, competition="casual"), opened("m005", ("ana", "eva"), 5))
    send(league, beats("ana", "bea", 100, hours=MONTH))
    catch_up(league)
    assert late(url) == ["m002", "m004"]
    assert {row["id"] for row in published(url)} == {"ana", "bea"}
    send(league, VoidMatch("m002", "never played"))
    catch_up(league)
    assert late(url) == ["m004"]
    assert late(url, replay(url, revised("series.limit = 1"), ReplayPeriod())) == ["m004"]
    send(league, ReopenMonth("2026-03"))
    catch_up(league)
    assert late(url) == []


# ---------------------------------------------------------------- unbeaten in a month


def ten_wins(league: League) -> None:
    """Ana beats three others, ten games in all."""
    send(league, beats("ana", "bea", 1, 4), beats("ana", "cira", 5, 4), beats("ana", "dora", 9, 2))


def test_who_has_lost_nothing_in_ten_games_is_unbeaten(league: League) -> None:
    """A player without a loss in ten games, over both modes, is unbeaten; nine games are too few."""
    url = league.database.url
    send(league, beats("ana", "bea", 1, 4), beats("ana", "cira", 5, 4), CloseMonth("2026-03"))
    send(league, announced("m020", ("ana", "dora", "eva", "flor"), 20))
    catch_up(league)
    assert "ana unbeaten_month-1" not in honours(url)
    send(league, announced("m021", ("ana", "dora", "eva", "flor"), 21))
    catch_up(league)
    assert {badge for badge in honours(url) if "unbeaten" in badge} == {"ana unbeaten_month-1"}


def test_one_lost_game_and_nobody_is_unbeaten(league: League) -> None:
    """A competitive one; a casual one does not matter, and the void of the lost one gives the badge back."""
    url = league.database.url
    ten_wins(league)
    send(league, announced("m050", ("eva", "ana"), 50, competition="casual"), CloseMonth("2026-03"))
    catch_up(league)
    assert "ana unbeaten_month-1" in honours(url)
    send(league, announced("m051", ("eva", "ana"), 51))
    catch_up(league)
    assert "ana unbeaten_month-1" not in honours(url)
    send(league, VoidMatch("m051", "never played"))
    catch_up(league)
    assert "ana unbeaten_month-1" in honours(url)


def test_a_loss_beyond_the_limit_is_a_loss(league: League) -> None:
    """It counts zero in the standings, but still breaks an unbeaten month."""
    url = league.database.url
    adopt(league, "series.limit = 5")
    ten_wins(league)
    send(league, beats("bea", "ana", 13), CloseMonth("2026-03"))
    catch_up(league)
    run = replay(url, revised("series.limit = 4"), ReplayPeriod())
    (pair,) = [row for row in exported(url, "series", run) if row["b"] == "bea"]
    assert (pair["a_wins"], pair["b_wins"], pair["ignored"]) == (4, 0, 1)
    assert "ana month_won-1" in honours(url, run)
    assert "ana unbeaten_month-1" not in honours(url, run)
