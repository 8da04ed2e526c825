"""What promotions move is stored with them, follows from the log, and is the same after a rebuild."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from databases import lent, pool_of
from leagues import (
    announced,
    catch_up,
    digest,
    domino,
    forget_projections,
    league_at,
    official,
    played,
    ratings,
    rebuild,
    revised,
    send,
)
from sqlalchemy import text

from league.application.bootstrap import League
from league.audit.shadow_rebuild import compare
from league.domain.league import CloseMonth
from league.domain.match import VoidMatch
from league.domain.player import MergePlayers, RegisterPlayer
from league.eventlog.records import AppendRequest
from league.projections import runs
from league.projections.difference.ratings import ranks
from league.projections.difference.totals import totals
from league.projections.difference.two_runs import two_runs
from league.projections.replays.replay import ReplayPeriod, replay

ADMIN = AppendRequest("admin", "manual")
SLOWER = "rating.k.provisional = 32"
OTHER_SCORES = "[rulesets.cuban-150]\ntarget = 120\n[series]\nlimit = 1\n[badges]\nmatches = [2]"
MOVES = """
    SELECT subject, id, mode, before, after, rank_before, rank_after, matches_before, start_before, outcome_before,
           expected_before, modifier_before, start_after, outcome_after, expected_after, modifier_after
    FROM promotion_moves ORDER BY folded_to, subject, id, mode
"""


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    """Matches of one and of two against two, by results and by hands, projected."""
    with league_at(league_url) as made:
        for number in range(6):
            seats = ("ana", "bea") if number % 2 else ("cira", "dora")
            send(made, announced(f"m{number}", seats, number, (150, 10 * number)))
        send(made, announced("p1", ("ana", "bea", "cira", "dora"), 7))
        send(made, played("h1", ("eva", "flor"), 8, domino(0, 0, 130), domino(0, 0, 80)))
        catch_up(made)
        yield made


def promote(league: League, text_: str) -> int:
    """Replay the league under edition 1 with changes, and promote it. Returns the position of the adoption."""
    return league.promoter.promote(replay(league.database.url, revised(text_), ReplayPeriod()), ADMIN)


def rows(league: League, query: str) -> list[tuple[Any, ...]]:
    with lent(league.database.url) as conn:
        return conn.execute(query.encode()).fetchall()


def stored(league: League) -> list[list[tuple[Any, ...]]]:
    """Everything that is stored of promotions."""
    return [
        rows(league, "SELECT * FROM promotions ORDER BY folded_to"),
        rows(league, "SELECT * FROM promotion_moves ORDER BY folded_to, subject, id, mode"),
    ]


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_promotion_stores_its_figures_and_every_move(league: League) -> None:
    """They are what a comparison of the two runs says, ranks included; the parts of a rating add up to it."""
    url, before = league.database.url, official(league.database.url)
    old = ratings(url)
    position = promote(league, OTHER_SCORES + "\n" + "[rating]\nprovisional_below = 2\nk.provisional = 32")
    new = ratings(url)
    with pool_of(url).connect() as conn:
        two = two_runs(conn, before, official(url))
        expected, ranked = totals(conn, two), ranks(conn, two, "player", "1v1", ["ana", "bea"])
        [figures] = conn.execute(text("SELECT * FROM promotions")).mappings()
    assert figures["position"] == position
    for name, value in figures.items():
        if name not in ("folded_to", "position"):
            assert value == getattr(expected, name), name
    assert figures["matches_changed"] > 0
    assert figures["badges_gained"] + figures["badges_lost"] > 0
    moves = {(row[1], row[2]): row[3:] for row in rows(league, MOVES)}
    assert {key: row[:2] for key, row in moves.items()} == {
        key: (old[key], new[key]) for key in old if old[key] != new[key]
    }
    assert (ranked["ana"].before, ranked["ana"].after) == moves["ana", "1v1"][2:4] == (None, 2)
    for (_, mode), row in moves.items():
        if mode != "overall":
            assert sum(row[5:9]) == pytest.approx(row[0], abs=1e-9)
            assert sum(row[9:13]) == pytest.approx(row[1], abs=1e-9)
    assert all(row[4] is None for (_, mode), row in moves.items() if mode == "overall")


@pytest.mark.heavy
def test_a_rebuild_writes_the_rows_of_every_promotion_again(league: League) -> None:
    """Promotions and rollbacks have them, with matches, voids, merges and closed months between; `verify` agrees."""
    url = league.database.url
    promote(league, SLOWER)
    send(league, RegisterPlayer("dora-2", "Dora"), announced("m8", ("dora-2", "bea"), 8), VoidMatch("m1", "no"))
    catch_up(league)
    promote(league, OTHER_SCORES)
    send(league, MergePlayers("dora", "dora-2"), CloseMonth("2026-03"))
    send(league, announced("late", ("ana", "eva"), 0.5))
    catch_up(league)
    league.promoter.roll_back(ADMIN)
    send(league, announced("after", ("ana", "eva"), 30))
    catch_up(league)
    before, digested = stored(league), digest(url)
    assert len(before[0]) == 3
    assert compare(url, league.store, league.project).faults == []
    assert rebuild(league) == digested
    assert stored(league) == before
    assert rebuild(league, 3) == digested
    assert stored(league) == before
    assert compare(url, league.store, league.project).faults == []


@pytest.mark.heavy
@pytest.mark.also_on_server
@pytest.mark.parametrize("page", [1, 4, 100])
def test_a_league_that_is_projected_again_step_by_step_stores_them_too(league: League, page: int) -> None:
    """What a projector folds page by page, as after a restore, is what the promotion stored, and so is the journal."""
    url = league.database.url
    promote(league, SLOWER)
    catch_up(league)
    send(league, announced("m8", ("ana", "flor"), 9))
    catch_up(league)
    league.promoter.roll_back(ADMIN)
    send(league, announced("m9", ("ana", "flor"), 10))
    catch_up(league)
    before, digested = stored(league), digest(url)
    journal = "SELECT position, cause, subject, id, mode, match_id, before, after FROM journal ORDER BY entry"
    entries = rows(league, journal)
    forget_projections(url)
    catch_up(league, page)
    assert stored(league) == before
    assert digest(url) == digested
    assert rows(league, journal) == entries
    with lent(url) as conn:
        left = conn.execute("SELECT run FROM runs WHERE ready").fetchall()
        assert left == [(runs.official_run(conn),)]


@pytest.mark.heavy
def test_a_match_that_was_not_folded_yet_belongs_to_no_figure(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both runs are compared as far as they were folded, and a rebuild compares them there."""
    run = replay(league.database.url, revised(SLOWER), ReplayPeriod())
    send(league, announced("unfolded", ("eva", "flor"), 12))
    monkeypatch.setattr(type(league), "project", lambda *_: pytest.fail("nothing needs to be projected first"))
    league.promoter.promote(run, ADMIN)
    monkeypatch.undo()
    [(folded_to, position)] = rows(league, "SELECT folded_to, position FROM promotions")
    assert position - folded_to > 2
    before = stored(league)
    catch_up(league)
    rebuild(league)
    assert stored(league) == before


@pytest.mark.heavy
def test_an_upgrade_keeps_a_promotion_that_moved_no_rating(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the last event that moved a rating lies between where both runs were folded and the adoption."""
    run = replay(league.database.url, revised("series.limit = 1"), ReplayPeriod())
    send(league, announced("unfolded", ("ana", "bea"), 12))
    monkeypatch.setattr(type(league), "project", lambda *_: pytest.fail("nothing needs to be projected first"))
    league.promoter.promote(run, ADMIN)
    monkeypatch.undo()
    catch_up(league)
    before, digested = stored(league), digest(league.database.url)
    [(folded_to, moved, adopted)] = rows(
        league, "SELECT folded_to, (SELECT max(journal.position) FROM journal), position FROM promotions"
    )
    assert folded_to < moved < adopted
    with lent(league.database.url) as conn:
        conn.execute("UPDATE runs SET code = 'older'")
    catch_up(league)
    assert stored(league) == before
    assert digest(league.database.url) == digested


@pytest.mark.heavy
def test_a_changed_row_of_a_promotion_is_a_fault(league: League) -> None:
    """A verification names the figure and the move that the log does not give; a rebuild mends both."""
    promote(league, SLOWER)
    catch_up(league)
    with lent(league.database.url) as conn:
        conn.execute("UPDATE promotions SET largest_move = 0")
        conn.execute("UPDATE promotion_moves SET after = before WHERE id = 'ana' AND mode = '1v1'")
    faults = compare(league.database.url, league.store, league.project).faults
    assert [fault.partition(",")[0] for fault in faults] == ["table promotions", "table promotion_moves"]
    assert "largest move is 0" in faults[0] or "largest_move is 0" in faults[0]
    rebuild(league)
    assert compare(league.database.url, league.store, league.project).faults == []
