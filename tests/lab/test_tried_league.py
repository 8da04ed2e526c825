"""The league under tried rules is that of a replay under these rules, for any settings that do not score matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest
from chance import chance_of
from databases import copy_of
from leagues import CUBAN_SEASON, catch_up, league_at, revised, send
from sqlalchemy import Connection, select

from league.domain.league import CloseMonth
from league.domain.rules import Rulebook
from league.infra.database import engine
from league.lab.tried_league import LeagueTrials, TriedLeague
from league.projections import tables as t
from league.projections.boards.board import BoardKey, display_rules_now
from league.projections.boards.definitions import BOARDS, ranked
from league.projections.folds.match_fold import RulesTimeline
from league.projections.replays import replay as replays
from league.projections.replays.replay import ReplayPeriod

LISTED = [kind for kind, definition in BOARDS.items() if not definition.monthly]
PAIR = ("a_wins", "b_wins", "ignored", "locked")


@pytest.fixture(scope="module")
def season(embedded_server: str) -> Iterator[str]:
    """The recorded Cuban season, all its months closed but the last."""
    with copy_of(embedded_server, CUBAN_SEASON) as url:
        pool = engine(url, pool_size=1)
        with pool.connect() as conn:
            *over, _last = conn.scalars(select(t.standings.c.month).distinct().order_by(t.standings.c.month))
        pool.dispose()
        with league_at(url) as league:
            send(league, *map(CloseMonth, over))
            catch_up(league)
        yield url


def tried(url: str, candidate: Rulebook, period: ReplayPeriod = ReplayPeriod()) -> TriedLeague:  # noqa: B008  # frozen
    def revise(rules: RulesTimeline) -> RulesTimeline:
        return replays.revised(rules, candidate, period)

    return LeagueTrials().trial(url, revise)


class RowsOfRun:
    """What a run says of standings, encounters, badges and places."""

    def __init__(self, conn: Connection, run: int) -> None:
        s, p, b = t.standings.c, t.series_pairs.c, t.badges.c
        rows = conn.execute(select(s.month, s.mode, s.id, s.wins, s.losses, s.total).where(s.run == run)).all()
        self.standings = {
            tuple(row[:3]): (1 + sum(one.total > row.total for one in rows if one[:2] == row[:2]), *row[3:])
            for row in rows
        }
        pairs = conn.execute(select(p.month, p.mode, p.a, p.b, *(p[name] for name in PAIR)).where(p.run == run))
        self.pairs = {tuple(row[:4]): tuple(row[4:]) for row in pairs}
        badges = conn.execute(select(b.player_id, b.badge, b.position).where(b.run == run))
        self.badges = {tuple(row[:2]): row.position for row in badges}
        self.places: dict[tuple[str, str], tuple[int | None, float]] = {}
        shown = display_rules_now(conn, run)
        assert shown is not None
        for kind in LISTED:
            board = ranked(run, BoardKey(kind), shown).c
            for row in conn.execute(select(board.id, board.rank, board.value)):
                self.places[kind, row.id] = row.rank, float(row.value)


def both_runs(url: str, run: int) -> tuple[RowsOfRun, RowsOfRun]:
    """The rows of the official run, and those of a replay."""
    pool = engine(url, pool_size=1)
    with pool.connect() as conn:
        official = conn.scalar(select(t.official_run.c.run))
        assert official is not None
        found = RowsOfRun(conn, official), RowsOfRun(conn, run)
    pool.dispose()
    return found


def compare(found: TriedLeague, before: RowsOfRun, after: RowsOfRun) -> None:
    """The trial says what the rows of the two runs say."""
    assert _standings(found, "before") == before.standings
    assert _standings(found, "after") == after.standings
    locks = {(row.month, row.mode, row.a, row.b): row for row in found.locks}
    locked = [{key for key, values in one.pairs.items() if values[PAIR.index("locked")]} for one in (before, after)]
    assert locks.keys() == locked[0] ^ locked[1]
    for key, row in locks.items():
        for when, pairs in (("before", before.pairs), ("after", after.pairs)):
            assert tuple(getattr(row, f"{name}_{when}") for name in PAIR) == pairs.get(key, (None,) * len(PAIR))
    badges = {(row.id, row.badge): (row.position_before, row.position_after) for row, _description in found.badges}
    assert badges == _differing(before.badges, after.badges)
    places = {(row.board, row.id): (row.rank_before, row.rank_after) for row in found.places}
    assert places == {
        key: (old and old[0], new and new[0])
        for key, (old, new) in _differing(before.places, after.places).items()
        if old is None or new is None or old[0] != new[0]
    }


def _standings(found: TriedLeague, when: str) -> Mapping[Any, Any]:
    names = [f"{name}_{when}" for name in ("rank", "wins", "losses", "total")]
    rows = {(row.month, row.mode, row.id): tuple(getattr(row, name) for name in names) for row in found.standings}
    return {key: values for key, values in rows.items() if values[0] is not None}


def _differing(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> dict[Any, tuple[Any, Any]]:
    both = {key: (before.get(key), after.get(key)) for key in before.keys() | after.keys()}
    return {key: values for key, values in both.items() if values[0] != values[1]}


def thresholds(random: Random, most: int) -> list[int]:
    return sorted(random.sample(range(1, most + 1), random.randint(0, min(most, 4))))


def any_settings(random: Random, sections: tuple[str, ...]) -> str:
    """Changes of any settings of some sections."""
    competitions = random.sample(["competitive", "special", "casual"], random.randint(1, 3))
    ways = {
        "series.start": random.randint(0, 900),
        "series.game_points": random.randint(0, 12),
        "series.limit": random.randint(1, 6),
        "series.pool": random.randint(0, 90),
        "series.pool_from_game": random.randint(1, 4),
        "series.competitions": competitions,
        "boards.active_days": random.randint(1, 120),
        "boards.capicuas_per_hand_from": random.randint(1, 80),
        "badges.streak": thresholds(random, 8),
        "badges.wins": thresholds(random, 40),
        "badges.blocks": thresholds(random, 30),
        "badges.rating": [1400 + 50 * one for one in thresholds(random, 8)],
        "badges.upset.gap": random.randint(1, 120),
        "badges.upset.thresholds": thresholds(random, 4),
        "badges.month_won": thresholds(random, 3),
        "badges.unbeaten_month.games": random.randint(1, 6),
        "badges.unbeaten_month.thresholds": thresholds(random, 2),
        "rating.provisional_below": random.randint(1, 40),
        "rating.k.standard": random.randint(5, 60),
    }
    named = [name for name in ways if name.startswith(sections)]
    chosen = random.sample(named, random.randint(1, min(8, len(named))))
    recoveries = [f"{{ behind = {behind}, thresholds = {thresholds(random, 5)} }}" for behind in (20, 60)]
    lines = [f"{name} = {ways[name]}".replace("'", '"') for name in chosen]
    with_recoveries = "badges" in sections and random.random() < 0.5
    return "\n".join([*lines, *([f"badges.recoveries = [{', '.join(recoveries)}]"] if with_recoveries else [])])


@pytest.mark.heavy
@pytest.mark.parametrize("number", range(2))
@pytest.mark.parametrize(
    "sections",
    [("series",), ("badges",), ("boards",), ("series", "boards"), ("rating", "series", "badges", "boards")],
    ids="-".join,
)
def test_any_settings_give_what_their_replay_gives(season: str, sections: tuple[str, ...], number: int) -> None:
    """Standings, locks, badges and places are those of a replay, before and after, for a league or a period of it."""
    random = chance_of(f"settings of {sections} {number}")
    settings = any_settings(random, sections)
    candidate = revised(settings)
    period = ReplayPeriod()
    if number:
        pool = engine(season, pool_size=1)
        with pool.connect() as conn:
            began = conn.scalars(select(t.matches.c.began_at).order_by(t.matches.c.began_at)).all()
        pool.dispose()
        period = ReplayPeriod(random.choice(began))
    print(settings, period)  # noqa: T201  # what a failure needs
    found = tried(season, candidate, period)
    compare(found, *both_runs(season, replays.replay(season, candidate, period)))
