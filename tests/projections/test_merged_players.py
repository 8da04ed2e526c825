"""Merged players in the read tables: one person has one row, and an undone merge leaves no trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from figures import figures
from hypothesis import given
from hypothesis import strategies as st
from leagues import (
    PLAYERS,
    adopt,
    announced,
    at,
    catch_up,
    caught_up_digest,
    digest,
    everything,
    exported,
    found,
    ratings,
    reading,
    rebuild,
    revised,
    send,
    shared_rows,
    start_anew,
)
from sqlalchemy import Engine
from test_random_leagues import RULES, Written, happen, progress, tried, write_down, written

from league.application.bootstrap import League
from league.audit.shadow_rebuild import compare
from league.domain.league import CloseMonth
from league.domain.match import OpenMatch, RecordResult, ReopenMatch, VoidMatch
from league.domain.player import MergePlayers, RegisterPlayer, UndoMerge
from league.domain.result import AnnouncedResult
from league.infra.database import connect, engine
from league.projections.boards.definitions import BOARDS
from league.projections.projector import Projector
from league.projections.queries.matches import MatchFilter, ReadProgress, changed_matches
from league.projections.queries.places import SeenState, moved_boards
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.replays.replay import catch_up as catch_up_replay
from league.projections.writers import league_rows

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

TWINS = {player: (f"{player}-2", f"{player}-3") for player in PLAYERS}
"""The further ids under which each person was registered."""
CLOSING = [CloseMonth("2026-03")]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints and pages of the second fold come often, so that going back meets them."""
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(league_rows, "PAGE", 3)


@pytest.fixture
def readers(league_url: str) -> Iterator[Engine]:
    """One engine for all examples: it writes each statement only once."""
    pool = engine(league_url, pool_size=1)
    yield pool
    pool.dispose()


def begin_anew(league: League) -> None:
    """An empty league in which nothing is refused because of a match that does not count."""
    start_anew(league.database.url)
    found(league)
    adopt(league, RULES)


def register_twins(league: League) -> None:
    send(league, *(RegisterPlayer(id_, "Twin", "Holguín") for ids in TWINS.values() for id_ in ids))


def journaled(url: str) -> list[Any]:
    """The entries of the journal that a merge or its undoing caused: cause, id, before, after."""
    with connect(url) as conn:
        return conn.execute(
            "SELECT cause, id, round(before), round(after) FROM journal WHERE cause <> 'match' ORDER BY entry"
        ).fetchall()


# ---------------------------------------------------------------- one merge


@pytest.mark.also_on_server
def test_a_merge_gives_one_player_all_matches(league: League) -> None:
    """The rating of the dropped id vanishes, and is back when the merge is undone; the journal tells of both."""
    url = league.database.url
    send(
        league,
        announced("m1", ("ana", "cira"), 1),
        announced("m2", ("dora", "bea"), 2),
        announced("m3", ("bea", "eva"), 3),
    )
    before = caught_up_digest(league)
    send(league, MergePlayers("ana", "bea"))
    merged = caught_up_digest(league)
    assert ("bea", "1v1") not in ratings(url)
    assert [row["sides"] for row in exported(url, "matches")] == [
        [["ana"], ["cira"]],
        [["dora"], ["ana"]],
        [["ana"], ["eva"]],
    ]
    assert {(cause, id_, was is None, now is None) for cause, id_, was, now in journaled(url)} >= {
        ("merge", "ana", False, False), ("merge", "bea", False, True),
    }  # fmt: skip
    assert compare(url, league.store, league.project).faults == []
    send(league, UndoMerge("ana", "bea"))
    assert caught_up_digest(league) == before != merged
    assert compare(url, league.store, league.project).faults == []


def test_who_follows_matches_reads_them_again(league: League) -> None:
    """A merge changes matches that have no event of their own; boards may all have moved."""
    url = league.database.url
    send(league, announced("m1", ("ana", "cira"), 1))
    catch_up(league)
    with reading(url) as snapshot:
        seen, reached = SeenState.of(snapshot), ReadProgress.of(snapshot)
    send(league, MergePlayers("bea", "ana"))
    catch_up(league)
    with reading(url) as snapshot:
        assert changed_matches(snapshot, reached.run, reached.position, MatchFilter()) is None
        assert {which.kind for which in moved_boards(snapshot, seen)} == set(BOARDS)


def test_a_dropped_id_without_a_rating_vanishes_too(league: League) -> None:
    """A match of three is not rated, but its players have achievements."""
    url = league.database.url
    three = OpenMatch("m1", "doscientos-100", "individuals", "competitive", ("ana", "bea", "cira"), None, at(0))
    send(league, three, RecordResult("m1", AnnouncedResult(0), at(1)))
    before = caught_up_digest(league)
    send(league, MergePlayers("flor", "bea"))
    catch_up(league)
    assert compare(url, league.store, league.project).faults == []
    send(league, UndoMerge("flor", "bea"))
    assert caught_up_digest(league) == before


def test_games_beyond_the_limit_count_zero(league: League) -> None:
    """Games of two merged ids against one opponent share the limit, in the order decided; a published list stays."""
    url = league.database.url
    send(
        league,
        *(announced(f"a{n}", ("ana", "cira"), n) for n in range(4)),
        *(announced(f"b{n}", ("bea", "cira"), n + 0.5) for n in range(3)),
    )
    send(league, CLOSING)
    catch_up(league)
    published = shared_rows(url)["published_standings"]
    send(league, MergePlayers("ana", "bea"))
    catch_up(league)
    with connect(url) as conn:
        zero = conn.execute("SELECT match_id FROM series_games WHERE counts_zero IS NOT NULL ORDER BY 1").fetchall()
    assert zero == [("a2",), ("a3",), ("b2",)]
    assert [row["id"] for row in exported(url, "standings")] == ["ana", "cira"]
    assert shared_rows(url)["published_standings"] == published


def test_a_replay_that_catches_up_sees_the_merge(league: League) -> None:
    """After a merge or its undoing, a replay that catches up equals a newly folded one."""
    url = league.database.url
    candidate = revised("rating.k.provisional = 32")
    send(
        league,
        announced("m1", ("ana", "cira"), 1),
        announced("m2", ("bea", "dora"), 2),
        announced("m3", ("bea", "eva"), 3),
    )
    catch_up(league)
    run = replay(url, candidate, ReplayPeriod())
    for commands in ([MergePlayers("cira", "bea"), MergePlayers("flor", "cira")], [UndoMerge("cira", "bea")]):
        send(league, commands)
        catch_up(league)
        anew = replay(url, candidate, ReplayPeriod())
        catch_up_replay(url, run)
        assert digest(url, run) == digest(url, anew)


def test_a_voided_match_may_seat_one_player_twice(league: League) -> None:
    """A voided match in which two merged ids sat keeps its rows, and the merge can be undone."""
    send(league, announced("m1", ("ana", "bea"), 1), announced("m2", ("bea", "cira"), 2), VoidMatch("m1", "a slip"))
    before = caught_up_digest(league)
    send(league, MergePlayers("ana", "bea"))
    assert rebuild(league) == caught_up_digest(league)
    send(league, UndoMerge("ana", "bea"))
    assert caught_up_digest(league) == before


# ---------------------------------------------------------------- laws over random leagues


def with_twins(match: Written, twins: list[int]) -> Written:
    """A match with players who sit under one of their ids."""
    seats = zip(match.seats, twins, strict=False)
    return match._replace(seats=tuple((player, *TWINS[player])[twin] for player, twin in seats))


@st.composite
def merges(draw: st.DrawFn) -> list[list[Any]]:
    """For every person, merges that end with one id: chains in either order, some undone meanwhile."""
    happened: list[list[Any]] = []
    for player, (second, third) in TWINS.items():
        wrong = draw(st.sampled_from(["", "undone", "the other way round"]))
        if wrong == "undone":
            happened.append([MergePlayers(player, third), UndoMerge(player, third)])
        if wrong == "the other way round":
            happened.append([MergePlayers(third, player), UndoMerge(third, player)])
        links = [MergePlayers(second, third), MergePlayers(player, second)]
        happened.append(draw(st.sampled_from([links, [links[1], MergePlayers(player, third)]])))
    return happened


@tried
@given(data=st.data())
def test_a_merged_league_never_knew_the_other_ids(league: League, readers: Engine, data: st.DataObject) -> None:
    """Whenever the ids are merged: exports, statistics and badges equal those of a league with one id each."""
    url = league.database.url
    season = data.draw(st.lists(written(), min_size=1, max_size=8))
    twins = st.lists(st.integers(0, 2), min_size=4, max_size=4)
    closed_meanwhile, closed_at_last = data.draw(st.sampled_from([([], []), (CLOSING, []), ([], CLOSING)]))
    begin_anew(league)
    for number, match in enumerate(season):
        happen(league, match.commands(f"m{number}"))
    happen(league, closed_meanwhile or closed_at_last)
    catch_up(league)
    wanted, wanted_figures, wanted_progress = everything(url), figures(readers), progress(url)
    published = shared_rows(url)["published_standings"]
    still_open = {row["match"] for row in wanted["matches"] if row["status"] == "open"}

    begin_anew(league)
    register_twins(league)
    to_do: list[list[Any]] = [*data.draw(merges()), closed_meanwhile]
    with Projector(url, league.store, data.draw(st.sampled_from([2, 5, 1_000]))) as projector:
        for number, match in data.draw(st.permutations(list(enumerate(season)))):
            to_do += write_down(league, number, with_twins(match, data.draw(twins)))
            if data.draw(st.booleans()):
                happen(league, to_do.pop(data.draw(st.integers(0, len(to_do) - 1))))
                projector.catch_up()
        for happening in data.draw(st.permutations(to_do)):
            happen(league, happening)
            if data.draw(st.booleans()):
                projector.catch_up()
        projector.catch_up()
    for name in still_open:
        happen(league, [ReopenMatch(name, "it goes on")])  # the wrong hand may have ended the match
    happen(league, closed_at_last)
    catch_up(league)
    assert everything(url) == wanted
    assert figures(readers) == wanted_figures
    assert progress(url) == wanted_progress
    if not closed_meanwhile:
        assert shared_rows(url)["published_standings"] == published
    assert compare(url, league.store, league.project).faults == []


@tried
@given(data=st.data())
def test_a_merge_and_its_undoing_leave_no_trace(league: League, data: st.DataObject) -> None:
    """The digest and all rows are as before, whatever was merged already, and a merge of two chains moves both."""
    url = league.database.url
    begin_anew(league)
    register_twins(league)
    for number, match in enumerate(data.draw(st.lists(written(), min_size=1, max_size=6))):
        write_down(league, number, with_twins(match, data.draw(st.lists(st.integers(0, 2), min_size=4, max_size=4))))
    for happening in data.draw(st.permutations(data.draw(merges())))[:3]:
        happen(league, happening)
    happen(league, data.draw(st.sampled_from([[], CLOSING])))
    before, shared = caught_up_digest(league, 3), shared_rows(url)
    head = league.store.head()
    for player in PLAYERS:
        happen(league, [MergePlayers(f"{player}-2", f"{player}-3"), UndoMerge(f"{player}-2", f"{player}-3")])
        happen(league, [MergePlayers(f"{player}-3", player)])
        catch_up(league)
        happen(league, [UndoMerge(f"{player}-3", player)])
    assert caught_up_digest(league, 2) == before
    assert shared_rows(url) == shared
    assert league.store.head() > head
    assert compare(url, league.store, league.project).faults == []
