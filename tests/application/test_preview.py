"""The preview of a correction says what then happens, and leaves nothing behind."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest
from happenings import corrections, hand, recorded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import (
    adopt,
    announced,
    at,
    catch_up,
    digest,
    exported,
    found,
    import_cuban,
    part_of_season,
    played,
    reading,
    send,
    shared_rows,
    start_anew,
)
from sqlalchemy import text
from waiting import LIMIT

from league.application.bootstrap import League, clock
from league.application.preview import foreseen, preview, preview_time_zone
from league.application.stream_states import StreamStates
from league.cli import opening
from league.domain.league import ChangeSettings, CloseMonth
from league.domain.match import CorrectHand, EndMatch, VoidMatch
from league.domain.refusals import InvalidInput, NotFound, Refusal, WrongState
from league.infra.database import connect
from league.projections import runs
from league.projections.boards.definitions import BOARDS
from league.projections.replays.preview import PreviewedChanges
from league.projections.replays.temporary_runs import fold_with, official_apart
from league.projections.writers import league_rows
from league.projections.writers.match_rows import load_facts
from league.transfer import export
from league.transfer.recorded_season import SeasonPlan


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints and pages of the second fold come often, so that going back meets them."""
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(league_rows, "PAGE", 3)


def previewed(league: League, *commands: Any) -> PreviewedChanges:
    flat = [one for command in commands for one in (command if isinstance(command, list) else [command])]
    return preview(league.database.url, league.store, clock, flat)


def left(league: League) -> Any:
    """All that a preview could leave behind."""
    with connect(league.database.url) as conn:
        runs = conn.execute("SELECT run, position, ready FROM runs ORDER BY run").fetchall()
        tables = conn.execute("SELECT count(*) FROM pg_class").fetchall()
    return runs, tables, digest(league.database.url), shared_rows(league.database.url), league.store.head()


# ---------------------------------------------------------------- what changes, found another way

RANKED = "rating.provisional_below = 1\nbadges.streak = [1, 2]\nseries.limit = 100"
"""Rules under which few matches give ranks and badges, and none is refused by the limit of the series."""

Keyed = dict[tuple[Any, ...], Any]


def _by(rows: list[dict[str, Any]], key: tuple[str, ...], *values: str) -> Keyed:
    return {tuple(row[name] for name in key): tuple(row[name] for name in values) for row in rows}


def said(league: League) -> dict[str, Keyed]:
    """Everything that a preview tells, as the exports say it, by key."""
    with reading(league.database.url) as snapshot:
        rows = {what: list(export.EXPORTS[what].rows(snapshot.conn, snapshot.run)) for what in export.EXPORTS}
    boards = [row for row in rows["boards"] if row["region"] is None and row["board"] != "series"]
    return {
        "moves": _by(rows["ratings"], ("subject", "id", "mode"), "rating"),
        "badges": _by(rows["badges"], ("id", "badge"), "position"),
        "places": _by(boards, ("board", "id"), "rank"),
        "standings": _by(rows["standings"], ("month", "mode", "id"), "rank", "total"),
        "results": _by(rows["matches"], ("match",), "winner", "score", "status"),
        "hands": _by(rows["hands"], ("match", "hand"), "winner", "points", "counted"),
        "changes": _by(rows["changes"], ("match", "id", "subject"), "before", "after"),
    }


def changed(before: Keyed, after: Keyed) -> Keyed:
    """The differences, as (before, after)."""
    pairs = {key: (before.get(key), after.get(key)) for key in {*before, *after}}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def exported_places(found: PreviewedChanges) -> list[Any]:
    """The places on boards that are exported, with which the preview is compared."""
    return [row for row in found.places if BOARDS[row.board].is_exported]


def of_preview(found: PreviewedChanges) -> dict[str, Any]:
    """A preview in the form of `changed`; for lists whose exports say less, the keys."""
    one = {(row.subject, row.id, row.mode): (_one(row.before), _one(row.after)) for row in found.moves}
    return {
        "moves": one,
        "badges": {(row.id, row.badge): (_one(row.position_before), _one(row.position_after)) for row in found.badges},
        "places": {(row.board, row.id): (row.rank_before, row.rank_after) for row in exported_places(found)},
        "results": {(row.match_id,) for row in found.results},
        "hands": {(row.match_id, row.hand) for row in found.hands},
        "months": {(row.month, row.mode): row.changed for row in found.months},
    }


def _one(value: Any) -> Any:
    return None if value is None else (value,)


def _check(found: PreviewedChanges, before: dict[str, Keyed], after: dict[str, Keyed]) -> None:
    differs = {what: changed(before[what], after[what]) for what in before}
    saw = of_preview(found)
    assert saw["moves"] == differs["moves"]
    rated = {key[:2] for key in differs["moves"] if key[2] != "overall"}
    assert found.players_moved == sum(subject == "player" for subject, _ in rated)
    assert found.teams_moved == sum(subject == "team" for subject, _ in rated)
    assert saw["badges"] == differs["badges"]
    assert found.badges_gained == sum(pair[0] is None for pair in differs["badges"].values())
    assert found.badges_lost == sum(pair[1] is None for pair in differs["badges"].values())
    ranks = {key: tuple(rank and rank[0] for rank in pair) for key, pair in differs["places"].items()}
    assert saw["places"] == {key: pair for key, pair in ranks.items() if pair[0] != pair[1]}
    assert found.ranks_changed == len(found.places)
    assert saw["results"] == set(differs["results"])
    assert saw["hands"] == set(differs["hands"])
    months = [key[:2] for key in differs["standings"]]
    assert saw["months"] == {month: months.count(month) for month in months}
    assert found.matches_rated_anew == len({key[0] for key in differs["changes"]})


@pytest.mark.heavy
@settings(
    max_examples=3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    happened=st.lists(st.one_of(recorded, recorded, corrections), min_size=10, max_size=20),
    wanted=st.lists(
        st.lists(st.one_of(corrections, corrections, recorded), min_size=1, max_size=2), min_size=4, max_size=8
    ),
    closed=st.booleans(),
)
def test_a_preview_is_what_then_happens(league: League, happened: list[Any], wanted: list[Any], closed: bool) -> None:
    """Voids, corrected hands, reopened, forfeited and late matches, alone or together; before it, nothing is stored."""
    start_anew(league.database.url)
    found(league)
    adopt(league, RANKED)
    for commands in happened:
        try:
            send(league, commands)
        except Refusal:
            continue
    if closed:
        try:
            send(league, CloseMonth("2026-03"))
        except WrongState:
            closed = False  # without a competitive match
    catch_up(league)
    before, earlier = left(league), said(league)
    for commands in wanted:
        try:
            seen = previewed(league, *commands)
            break
        except Refusal as refusal:
            with pytest.raises(type(refusal)):
                send(league, *commands)
    else:
        return
    assert left(league) == before
    send(league, *commands)
    catch_up(league)
    _check(seen, earlier, said(league))
    assert all(row.closed == (closed and row.month == "2026-03") for row in seen.months)


# ---------------------------------------------------------------- by example


@pytest.mark.heavy
def test_late_matches_of_a_season_tell_what_they_would_change(league: League, tmp_path: Path) -> None:
    """Matches that come in a file are previewed like any other: the figures are those of the league afterwards."""
    adopt(league, RANKED)
    import_cuban(league, part_of_season(tmp_path / "first", 60))
    catch_up(league)
    before, earlier = left(league), said(league)
    later = part_of_season(tmp_path / "later", 62)
    states = StreamStates(league.store, clock())
    seen = foreseen(league.database.url, league.store, states, SeasonPlan(later, states).appends)
    assert left(league) == before
    import_cuban(league, later)
    catch_up(league)
    later = said(league)
    differs = {what: changed(earlier[what], later[what]) for what in earlier}
    assert of_preview(seen)["moves"] == differs["moves"]
    assert of_preview(seen)["results"] == set(differs["results"])
    assert seen.badges_gained == sum(pair[0] is None for pair in differs["badges"].values())
    ranks = [[rank and rank[0] for rank in pair] for pair in differs["places"].values()]
    assert len(exported_places(seen)) == sum(was != now for was, now in ranks) > 0
    assert seen.ranks_changed == len(seen.places)


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("zone", "moved", "closed"),
    [
        ("UTC", 2, ("2026-02", "2026-03")),
        ("America/Caracas", 0, ()),
        ("Asia/Tokyo", 3, ("2026-02", "2026-03")),
    ],
)
def test_another_time_zone_tells_which_months_it_moves(
    league: League, zone: str, moved: int, closed: tuple[str, ...]
) -> None:
    """Matches near midnight, of closed months too; it is what then happens, and stores nothing before."""
    adopt(league, RANKED)
    send(
        league,
        announced("afternoon", ("ana", "bea"), -20),  # 11:00 in Havana on the last of February
        announced("late", ("ana", "bea"), -9),
        announced("night", ("cira", "bea"), -8.5),
        announced("voided", ("ana", "dora"), -8.2),
        VoidMatch("voided", "never played"),
        announced("march", ("dora", "ana"), 3),
        CloseMonth("2026-02"),
        CloseMonth("2026-03"),
    )
    catch_up(league)
    before, earlier = left(league), said(league)
    found = preview_time_zone(league.database.url, league.store, clock, zone)
    assert left(league) == before
    assert (found.matches, found.closed_months) == (moved, closed)
    send(league, ChangeSettings(time_zone=zone))
    catch_up(league)
    _check(found.changes, earlier, said(league))
    assert bool(found.changes.months) == bool(moved)
    with pytest.raises(InvalidInput, match="not a time zone"):
        preview_time_zone(league.database.url, league.store, clock, "Mars/Olympus")


@pytest.mark.also_on_server
def test_a_corrected_hand_tells_who_moves_by_how_much_and_what_scores_otherwise(league: League) -> None:
    """Ana and Bea played it, Cira met Bea afterwards; Eva and Flor stay where they are."""
    send(
        league,
        played("m1", ("ana", "bea"), 1, hand(2, 0, 150)),
        announced("m2", ("bea", "cira"), 2),
        announced("m3", ("eva", "flor"), 3),
    )
    catch_up(league)
    found = previewed(league, CorrectHand("m1", 1, hand(2, 1, 150), "misread"))
    assert (found.players_moved, found.teams_moved, found.matches_rated_anew) == (3, 0, 2)
    (result,) = found.results
    assert (result.match_id, result.winner_before, result.winner_after) == ("m1", 0, 1)
    (scored,) = found.hands
    assert (scored.hand, scored.points_before, scored.points_after) == (1, [150, 0], [0, 150])
    largest = max(found.moves, key=lambda row: abs(row.change))
    assert found.moves[0] == largest


@pytest.mark.heavy
def test_a_preview_names_the_closed_months_whose_lists_stay(league: League) -> None:
    """The standings would change; the list that was published is the same after the correction."""
    url = league.database.url
    send(league, announced("m1", ("ana", "bea"), 1), CloseMonth("2026-03"))
    catch_up(league)
    published = shared_rows(url)["published_standings"]
    (month,) = previewed(league, VoidMatch("m1", "never played")).months
    assert (month.month, month.mode, month.changed, month.closed) == ("2026-03", "1v1", 2, True)
    send(league, VoidMatch("m1", "never played"))
    catch_up(league)
    assert exported(url, "standings") == []
    assert shared_rows(url)["published_standings"] == published != []


def test_a_preview_is_refused_as_the_command_would_be(league: League) -> None:
    """A match that is not there, and one that cannot be ended."""
    send(league, announced("m1", ("ana", "bea"), 1), VoidMatch("m1", "never played"))
    catch_up(league)
    with pytest.raises(NotFound):
        previewed(league, VoidMatch("m9", "never played"))
    with pytest.raises(WrongState):
        previewed(league, EndMatch("m1", None, at(2)))


@pytest.mark.also_on_server
def test_nobody_waits_for_a_preview_and_a_killed_one_leaves_nothing(league: League) -> None:
    """While it has folded and not ended, the projector goes over the same matches; then its session dies."""
    url = league.database.url
    send(league, announced("m1", ("ana", "bea"), 1), announced("m2", ("bea", "cira"), 2))
    catch_up(league)
    before = left(league)
    with connect(url) as conn, psycopg.connect(url) as killer:
        official = runs.official_run(conn)
        assert official is not None
        states = load_facts(conn, ["m1"])
        fold_with(conn, official, {"m1": states["m1"]}, {})
        send(league, VoidMatch("m1", "never played"))
        projecting = threading.Thread(target=catch_up, args=(league,))
        projecting.start()
        projecting.join(LIMIT)
        assert not projecting.is_alive()
        killer.execute("SELECT pg_terminate_backend(%s)", (conn.info.backend_pid,))
        conn.close()
    runs_left, tables_left, *_ = left(league)
    assert [run for run, *_ in runs_left] == [run for run, *_ in before[0]]
    assert tables_left == before[1]


def test_a_preview_may_take_longer_than_a_reader(league: League) -> None:
    """A fold beside the league has no limit for its statements; the one of readers would end it in a large league."""
    catch_up(league)
    with official_apart(league.database.url) as (conn, _), opening.reading(league) as whole:
        for each in (conn, whole):
            assert each.execute(text("SHOW statement_timeout")).scalar_one() == "0"
            assert each.execute(text("SHOW lock_timeout")).scalar_one() == "0"
