"""Laws of places on boards: pages, the places around a competitor, and boards at an earlier moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from leagues import PLAYERS, adopt, at, catch_up, domino, found, league_at, own_database, played, send, start_anew
from msgspec.structs import replace
from psycopg import sql
from sqlalchemy import Double, Engine, Integer, column, select, values

from league.application.bootstrap import League
from league.domain.match import OpenMatch, RecordResult
from league.domain.rating import overall_rating
from league.domain.refusals import Refusal
from league.domain.result import AnnouncedResult
from league.domain.rules import OverallRules
from league.domain.series import SERIES_MODES
from league.infra.database import connect, engine
from league.projections import runs
from league.projections import tables as t
from league.projections.boards.board import BoardKey
from league.projections.boards.dated_boards import overall_value
from league.projections.boards.definitions import BOARDS as DEFINITIONS
from league.projections.boards.definitions import boards_of, ranked, rating_boards
from league.projections.copy_rows import copy_rows
from league.projections.queries.pages import PageRequest
from league.projections.queries.places import (
    PlaceAmongProvisional,
    PlaceRow,
    count_places,
    display_rules_for,
    places_among_provisional,
    ranks_before,
    ranks_on,
    read_around,
    read_places,
)
from league.projections.queries.snapshot import Snapshot, take_snapshot

tried = settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.too_slow],
)
BOARDS = tuple(board for definition in DEFINITIONS.values() for board in boards_of(definition, ["2026-03"]))
LATEST = at(1_000)
PLAYED, ESTABLISHED = 5, 30
"""Rated matches of everybody in each mode, and the number from which the rules count a rating as established."""


class Opened(NamedTuple):
    league: League
    pool: Engine

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        taken = take_snapshot(self.pool)
        with taken.conn:
            yield taken


@pytest.fixture(scope="module")
def opened(embedded_server: str) -> Iterator[Opened]:
    """A league of six players for the tests of this file."""
    with own_database(embedded_server) as url, league_at(url) as league:
        found(league)
        catch_up(league)
        pool = engine(url, pool_size=1)
        yield Opened(league, pool)
        pool.dispose()


def whole(snapshot: Snapshot, board: BoardKey) -> list[tuple[int | None, str, float]]:
    """Rank, id and value of everybody on a board, by ranks over all of it at once."""
    shown = display_rules_for(snapshot, board)
    if shown is None:
        return []
    b = ranked(snapshot.run, board, shown).c
    rows = select(b.rank, b.id, b.value).order_by(b.provisional, b.value.desc(), b.id)
    return [tuple(row) for row in snapshot.conn.execute(rows)]


def all_places(snapshot: Snapshot, board: BoardKey) -> list[tuple[int | None, str, float, datetime | None]]:
    """Rank, id, value and time of the last match of everybody on a board, by one long page."""
    rows = read_places(snapshot, PlaceRow, board, PageRequest(100)).rows
    return [(row.rank, row.id, row.value, row.last_decided_at) for row in rows]


def by_pages(snapshot: Snapshot, board: BoardKey, size: int, *, backward: bool) -> list[tuple[int | None, str, float]]:
    """Rank, id and value of everybody on a board, read page by page from one end."""
    rows: list[Any] = []
    page = PageRequest(size, backward=backward)
    while True:
        got = read_places(snapshot, PlaceRow, board, page)
        rows = [*got.rows, *rows] if backward else [*rows, *got.rows]
        if not (got.has_previous if backward else got.has_next):
            return [(row.rank, row.id, row.value) for row in rows]
        page = (
            PageRequest(size, before=got.cursors[0], backward=True)
            if backward
            else PageRequest(size, after=got.cursors[-1])
        )


# ---------------------------------------------------------------- ranks

rated = st.tuples(st.sampled_from([1400.25, 1500.0, 1500.5, 1600.0]), st.booleans(), st.booleans())
"""A rating, whether it is provisional, whether the player is active."""
achieved = st.tuples(st.integers(0, 3), st.sampled_from([49, 50, 60, 100]))
"""A number of capicúas (and of the rest), hands won."""


def make_up(opened: Opened, ratings: Sequence[tuple[float, bool, bool]], numbers: Sequence[tuple[int, int]]) -> None:
    """Put players with such ratings and achievements into the run, in place of those who are there."""
    with connect(opened.league.database.url) as conn:
        run = runs.official_run(conn)
        assert run is not None
        for table in ("ratings", "achievements", "appearances", "standings"):
            conn.execute(sql.SQL("DELETE FROM {}").format(runs.table_of(run, table)))
        conn.execute("DELETE FROM players WHERE player_id LIKE 'x%'")
        # As bytes, B goes before a.
        ids = [f"x{'aB'[n % 2]}{n:02d}" for n in range(max(len(ratings), len(numbers)))]
        with conn.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO players (player_id, name, region, registered_at) VALUES (%s, 'X', %s, now())",
                [(id_, f"R{n % 3}") for n, id_ in enumerate(ids)],
            )
        rows = [
            (run, subject, id_ if subject == "player" else f"{id_}+{id_}", mode, rating, PLAYED, provisional, last)
            for id_, (rating, provisional, active) in zip(ids, ratings, strict=False)
            for last in [LATEST - timedelta(days=0 if active else 91)]
            for subject, mode in [(board.subject, board.mode) for board in rating_boards()]
        ]
        copy_rows(conn, t.ratings, rows, run)
        rows = [(run, id_, 9, hands, n, n, n, 0, "[]", n) for id_, (n, hands) in zip(ids, numbers, strict=False)]
        copy_rows(conn, t.achievements, rows, run)
        rows = [
            (run, mode, "2026-03", id_ if mode == "1v1" else f"{id_}+{id_}", n, 0, n, 500 + n)
            for id_, (n, _) in zip(ids, numbers, strict=False)
            for mode in SERIES_MODES
        ]
        copy_rows(conn, t.standings, rows, run)
        conn.execute(
            "UPDATE runs SET latest_decided_at = %s, shown_edition = timeline -> 0 ->> 'hash' WHERE run = %s",
            (LATEST, run),
        )


@pytest.mark.heavy
@tried
@given(
    ratings=st.lists(rated, max_size=12),
    numbers=st.lists(achieved, max_size=12),
    board=st.sampled_from(BOARDS),
    size=st.integers(1, 5),
    region=st.sampled_from([None, None, "R1"]),
    everybody=st.booleans(),
)
def test_pages_have_the_ranks_of_the_whole_board(
    opened: Opened,
    ratings: list[tuple[float, bool, bool]],
    numbers: list[tuple[int, int]],
    board: BoardKey,
    size: int,
    region: str | None,
    everybody: bool,
) -> None:
    """Page by page, from either end, around everybody and among the provisional, ranks are those of the board."""
    make_up(opened, ratings, numbers)
    with opened.snapshot() as snapshot:
        board = replace(board, region=region, include_inactive=everybody)
        places = whole(snapshot, board)
        assert by_pages(snapshot, board, size, backward=False) == places
        assert by_pages(snapshot, board, size, backward=True) == places
        assert count_places(snapshot, board) == len(places)
        assert ranks_on(snapshot, board, ["nobody", *(id_ for _, id_, _ in places)]) == {
            id_: rank for rank, id_, _ in places if rank is not None
        }
        new = [(id_, value) for rank, id_, value in places if rank is None]
        assert places_among_provisional(snapshot, board, ["nobody", *(id_ for _, id_, _ in places)]) == {
            id_: PlaceAmongProvisional(1 + sum(other > value for _, other in new), ESTABLISHED - PLAYED)
            for id_, value in new
        }
        for number, place in enumerate(places):
            around = read_around(snapshot, PlaceRow, board, place[1], size)
            assert [(row.rank, row.id, row.value) for row in around] == places[
                max(0, number - size) : number + size + 1
            ]


def test_who_does_not_stand_on_a_board_has_nobody_around(opened: Opened) -> None:
    """Around an inactive, an unknown or another region's player there are no places."""
    make_up(opened, [(1500.0, False, True), (1600.0, False, False)], [])
    with opened.snapshot() as snapshot:
        assert [row.id for row in read_around(snapshot, PlaceRow, BoardKey("1v1"), "xa00", 5)] == ["xa00"]
        assert not read_around(snapshot, PlaceRow, BoardKey("1v1"), "xB01", 5)
        assert [
            row.rank for row in read_around(snapshot, PlaceRow, BoardKey("1v1", include_inactive=True), "xB01", 5)
        ] == [1, 2]
        assert not read_around(snapshot, PlaceRow, BoardKey("1v1", "R1"), "xa00", 5)
        assert not read_around(snapshot, PlaceRow, BoardKey("1v1"), "nobody", 5)


# ---------------------------------------------------------------- the past

OTHER_SERIES = "[series]\nstart = 1000\ngame_points = 3\nlimit = 2\npool = 60\npool_from_game = 1"
EDITIONS = ("rating.provisional_below = 2\nboards.active_days = 1", "rating.overall.main_weight = 0.9", OTHER_SERIES)

hours = st.integers(0, 60)
fours = st.permutations(PLAYERS).map(lambda players: tuple(players[:4]))
duels = st.builds(
    lambda seats, start, competition, both: (seats[:2], start, competition, [domino(0, 0, 100, both=both)] * 2),
    fours, hours, st.sampled_from(["competitive", "casual"]), st.booleans(),
)  # fmt: skip
pairs = st.builds(
    lambda seats, start, both: (seats, start, "competitive", [domino(1, 80, 0, 40, 50, both=both)] * 2),
    fours, hours, st.booleans(),
)  # fmt: skip
ANA_BEA = ("ana", "bea")
rivals = st.builds(
    lambda seats, start: (seats, start, "competitive", [domino(0, 0, 100)] * 2),
    st.sampled_from([ANA_BEA, ANA_BEA[::-1], ("ana", "cira")]), hours,
)  # fmt: skip
"""They meet often enough to be locked, or to have played beyond the limit of a later edition."""
others = st.builds(lambda seats, start: (seats[:3], start, "competitive", []), fours, hours)
"""A match of individuals: it keeps players active and is not rated."""


def commands(number: int, match: tuple[tuple[str, ...], int, Any, list[Any]]) -> list[Any]:
    seats, start, competition, hands = match
    name = f"m{number:02d}"
    if not hands:
        opening = OpenMatch(name, "doscientos-100", "individuals", "competitive", seats, None, at(start))
        return [opening, RecordResult(name, AnnouncedResult(0), at(start + 1))]
    return played(name, seats, start, *hands, competition=competition)


def play(opened: Opened, matches: Sequence[Any], edition: tuple[str, int] | None, until: datetime | None) -> list[Any]:
    """A new league with those matches that are decided by a moment. Returns the matches that it took in."""
    start_anew(opened.league.database.url)
    found(opened.league)
    if edition is not None:
        adopt(opened.league, edition[0], at(edition[1]))
    taken = []
    for number, match in enumerate(matches):
        if until is None or at(match[1] + 1) <= until:
            try:
                send(opened.league, *commands(number, match))
            except Refusal:
                continue
            taken.append(match)
    catch_up(opened.league)
    return taken


def won(hours: int, winner: int = 0) -> tuple[Any, ...]:
    """A match of Ana and Bea."""
    return (ANA_BEA[winner:] + ANA_BEA[:winner], hours, "competitive", [domino(0, 0, 100)] * 2)


@pytest.mark.heavy
@settings(tried, max_examples=1)  # seconds each, and two more are written down
@example(matches=[won(1), won(3, 1), won(5), won(20)], edition=(OTHER_SERIES, 10), chosen=2, everybody=True)
@example(matches=[won(20), won(21), won(1), won(2, 1)], edition=(OTHER_SERIES, 10), chosen=0, everybody=True)
@given(
    matches=st.lists(st.one_of(duels, rivals, rivals, pairs, pairs, others), min_size=3, max_size=12),
    edition=st.none() | st.tuples(st.sampled_from(EDITIONS), hours),
    chosen=st.integers(0, 100),
    everybody=st.booleans(),
)
def test_a_board_as_of_a_moment_is_that_of_a_league_that_ended_then(
    opened: Opened, matches: list[Any], edition: tuple[str, int] | None, chosen: int, everybody: bool
) -> None:
    """Every board, with the inactive or without: ranks, ids, values to the last bit, last matches; ranks before."""
    moment = at(matches[chosen % len(matches)][1] + 1)
    boards = [replace(board, include_inactive=everybody) for board in BOARDS]
    # The lock would let in others where a match that was decided later is not there.
    matches = play(opened, matches, edition, until=None)
    with opened.snapshot() as snapshot:
        then = {board: all_places(snapshot, replace(board, as_of=moment)) for board in boards}
        new = {b: places_among_provisional(snapshot, replace(b, as_of=moment), everyone(then[b])) for b in boards}
        assert snapshot.shown is not None
        days = (snapshot.shown.at - moment).days
        exact = moment == snapshot.shown.at - timedelta(days=days)
        before = {b: ranks_before(snapshot, b, days, PLAYERS) for b in boards if exact}

    play(opened, matches, edition, until=moment)
    with opened.snapshot() as snapshot:
        assert {board: all_places(snapshot, board) for board in boards} == then
        assert {b: places_among_provisional(snapshot, b, everyone(then[b])) for b in boards} == new
        for board, ranks in before.items():
            known = {id_: rank for rank, id_, *_ in then[board] if rank is not None and id_ in PLAYERS}
            assert {id_: rank.rank for id_, rank in ranks.items()} == known


def everyone(places: Sequence[tuple[int | None, str, float, datetime | None]]) -> list[str]:
    """The ids of everybody on a board."""
    return [id_ for _, id_, *_ in places]


def test_the_mode_that_needs_the_fewest_matches_leads_to_an_overall_rank(opened: Opened) -> None:
    """One match of two and two of pairs, where four establish: two more matches of pairs are enough."""
    of_pairs = [domino(1, 80, 0, 40, 50)] * 2
    matches = [(ANA_BEA, 1, "casual", [domino(0, 0, 100)] * 2)]
    matches += [(("ana", "bea", "cira", "dora"), start, "casual", of_pairs) for start in (3, 5)]
    assert len(play(opened, matches, ("rating.provisional_below = 4", 0), until=None)) == len(matches)
    with opened.snapshot() as snapshot:
        to_go = {
            kind: places_among_provisional(snapshot, BoardKey(kind), ["ana"])["ana"].matches_to_go
            for kind in ("global", "1v1", "2v2")
        }
        assert to_go == {"global": 2, "1v1": 3, "2v2": 2}


def test_before_the_first_decided_match_nobody_stands_on_a_board(opened: Opened) -> None:
    """Before the first decided match boards are empty: there is no edition to display them."""
    play(opened, [(("ana", "bea"), 5, "casual", [domino(0, 0, 100)] * 2)], None, until=None)
    with opened.snapshot() as snapshot:
        early = BoardKey("1v1", include_inactive=True, as_of=at(5.5))
        assert (whole(snapshot, early), count_places(snapshot, early)) == ([], 0)
        assert read_places(snapshot, PlaceRow, early, PageRequest(5)).rows == ()
        assert ranks_before(snapshot, BoardKey("1v1", include_inactive=True), 1, ["ana"]) == {}


def test_activity_is_counted_back_from_the_moment_asked_for(opened: Opened) -> None:
    """Ninety days after the only match its players are there, and an hour later no more."""
    adopted = ("rating.provisional_below = 0", 0)
    play(opened, [(("ana", "bea"), 5, "casual", [domino(0, 0, 100)] * 2)], adopted, until=None)
    with opened.snapshot() as snapshot:
        assert len(whole(snapshot, BoardKey("1v1", as_of=at(6 + 90 * 24)))) == 2
        assert whole(snapshot, BoardKey("1v1", as_of=at(7 + 90 * 24))) == []


floats = st.floats(0.1, 4_000)
counts = st.integers(1, 200)


@tried
@given(
    played_=st.lists(st.tuples(floats, counts, floats, counts), min_size=1, max_size=60),
    weight=st.decimals("0.5", "1", places=3),
    share=st.decimals("0.5", "1", places=3),
)
def test_the_overall_rating_in_sql_is_that_of_the_domain(
    opened: Opened, played_: list[tuple[float, int, float, int]], weight: Any, share: Any
) -> None:
    """The overall rating in SQL equals the domain's to the last bit, for any weights."""
    rules = OverallRules(main_weight=weight, balanced_share=share)
    columns = [column("a", Double), column("am", Integer), column("b", Double), column("bm", Integer)]
    given_ = values(column("n", Integer), *columns, name="given").data([(n, *row) for n, row in enumerate(played_)])
    query = select(overall_value(given_.c.a, given_.c.am, given_.c.b, given_.c.bm, rules)).order_by(given_.c.n)
    with opened.pool.connect() as conn:
        found_ = list(conn.scalars(query))
    assert found_ == [overall_rating(*row, rules) for row in played_]
