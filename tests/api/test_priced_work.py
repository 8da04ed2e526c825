"""Prices of dear fields follow their work, as rows and statements: these are counted, so no clock is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import psycopg
import pytest
from api_server import Served, served, token
from leagues import catch_up, import_cuban, league_at, own_database, part_of_season, send
from msgspec import Struct

from league.api.graphql.executing import limits
from league.api.graphql.executing.documents import cost_of
from league.api.schema import core
from league.domain.player import RegisterPlayer
from league.lab import tried_league

ADMIN = token("admin", "auditor", sub="boss")
FEW, MANY = 30, 60
"""Matches of the two leagues that are compared."""
SEASON = 420
"""Matches of the season for which a preview is priced."""
FASTER = 1.25
"""How much faster than the price, or the league, the counted work may grow."""
COPIED = 10
"""How many rows of a preview cost as much as one that an explanation reads: most are copied within the database."""


class Work(Struct):
    """What the database was asked, and how many rows it returned, wrote or copied."""

    points: int
    statements: int = 0
    rows: int = 0


@pytest.fixture(autouse=True)
def dear_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked here may cost more than one operation may."""
    monkeypatch.setattr(limits, "DEAREST", 10_000_000)


@pytest.fixture(scope="module")
def leagues(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Served]]:
    """Two leagues with the beginning of a season and a player who has not played, by their number of matches."""
    with ExitStack() as opened:
        yield {number: opened.enter_context(_league(embedded_server, tmp_path_factory.mktemp("season"), number))
               for number in (FEW, MANY)}  # fmt: skip


@contextmanager
def _league(server: str, folder: Path, matches: int) -> Iterator[Served]:
    with own_database(server) as url:
        with league_at(url) as league:
            league.create("Liga", "America/Havana", "test")
            import_cuban(league, part_of_season(folder / "part", matches))
            send(league, RegisterPlayer("newcomer", "Newcomer", None))
            catch_up(league)
        # Nothing follows the log meanwhile: what is counted is the work of an answer.
        with served(url, projecting=False) as server_of_it:
            yield server_of_it


def work_of(asked: Served, field: str) -> Work:
    """The work of the second answer to a question: the first one may have loaded what a process caches.

    Both have an alias, so that no other test of this process has asked them under lower limits.
    """
    asked.ask(f"{{ before: {field} }}", ADMIN)
    work = Work(cost_of(core, f"{{ {field} }}", None))
    name = psycopg.conninfo.conninfo_to_dict(asked.league.database.url)["dbname"]
    execute, copy = psycopg.Cursor.execute, psycopg.Cursor.copy

    def count(cursor: Any) -> None:
        if cursor.connection.info.dbname == name:
            work.statements += 1
            work.rows += max(0, cursor.rowcount)

    def executed(cursor: Any, query: Any, *more: Any, **options: Any) -> Any:
        answer = execute(cursor, query, *more, **options)
        if "hold_run" not in str(query):  # an operation may take over the snapshot of the one before
            count(cursor)
        return answer

    @contextmanager
    def copied(cursor: Any, *more: Any, **options: Any) -> Iterator[Any]:
        with copy(cursor, *more, **options) as copying:
            yield copying
        count(cursor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Cursor, "execute", executed)
        patch.setattr(psycopg.Cursor, "copy", copied)
        asked.ask(f"{{ again: {field} }}", ADMIN)
    return work


def explained(asked: Served) -> Work:
    """The yardstick: explanations of matches, whose price stands for each row that is read."""
    return work_of(asked, "matches(first: 20) { nodes { explanation { statement } } }")


def first_match(asked: Served) -> tuple[str, str]:
    """The match that was decided first, and a player of it."""
    listed = "matches(first: 100) { nodes { matchId decidedAt seats { player { playerId } } } }"
    matches = asked.ask(f"{{ {listed} }}")["matches"]["nodes"]
    first = min(matches, key=lambda match: (match["decidedAt"], match["matchId"]))
    return first["matchId"], first["seats"][0]["player"]["playerId"]


PREVIEWS = {
    "whatIfNot": 'whatIfNot(match: "{match}", player: "{player}") {{ ... on Preview {{ matchesRatedAnew }} }}',
    "previewMerge": 'previewMerge(keep: "newcomer", drop: "{player}") {{ ... on MergePreview {{ matches }} }}',
}


@pytest.mark.heavy
@pytest.mark.parametrize("text", PREVIEWS.values(), ids=PREVIEWS)
def test_a_preview_of_the_first_match_works_as_its_price_says(leagues: dict[int, Served], text: str) -> None:
    """Its rows grow as the league does and its statements do not; a point of it is no more work than others are."""
    few, many = (work_of(leagues[number], text.format(**_named(leagues[number]))) for number in (FEW, MANY))
    growth = MANY / FEW
    assert growth / FASTER / FASTER < many.rows / few.rows < growth * FASTER
    assert many.statements < few.statements * FASTER
    measure = explained(leagues[MANY])
    assert many.rows * SEASON / MANY / many.points < COPIED * measure.rows / measure.points
    assert many.statements / many.points < measure.statements / measure.points


TRIED = 'whatIf(settings: "{}") {{ ... on WhatIf {{ difference {{ ... on WhatIfDifference {{ position }} }} }} }}'


@pytest.mark.heavy
@pytest.mark.parametrize("settings", ["series.limit = 2", "badges.streak = [2]", "boards.active_days = 9"])
def test_a_tried_league_works_as_its_price_says(
    leagues: dict[int, Served], settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows grow as the league does and statements do not; a point is no more work than one of a preview."""
    monkeypatch.setattr(tried_league, "KEPT", 0)
    few, many = (work_of(leagues[number], TRIED.format(settings)) for number in (FEW, MANY))
    assert many.rows / few.rows < MANY / FEW * FASTER
    assert many.statements < few.statements * FASTER
    measure = explained(leagues[MANY])
    assert many.rows * SEASON / MANY / many.points < COPIED * measure.rows / measure.points
    assert many.statements / many.points < measure.statements / measure.points


def _named(asked: Served) -> dict[str, str]:
    match, player = first_match(asked)
    return {"match": match, "player": player}


def test_explanations_of_holders_are_paid_as_they_are_read(leagues: dict[int, Served]) -> None:
    """Twice the holders of a badge are twice the price and twice the rows."""
    asked = leagues[MANY]
    held = asked.ask("{ badges { key holderCount } }")["badges"]
    key, holders = max((badge["key"], badge["holderCount"]) for badge in held if badge["holderCount"] >= 8)
    assert holders >= 8
    works = [work_of(asked, f'badge(key: "{key}") {{ {_holders(first)} }}') for first in (2, 4, 8)]
    for less, more in pairwise(works):
        assert more.points / less.points / FASTER < more.rows / less.rows < more.points / less.points * FASTER
    measure = explained(asked)
    assert works[-1].rows / works[-1].points < measure.rows / measure.points


@pytest.mark.heavy
def test_explanations_of_the_holders_of_all_badges_are_never_cheaper(leagues: dict[int, Served]) -> None:
    """A badge without holders is paid as well, so the price is only a bound: work grows no faster than it does."""
    asked = leagues[MANY]
    works = [work_of(asked, f"badges {{ {_holders(first)} }}") for first in (1, 2, 4)]
    for less, more in pairwise(works):
        assert less.rows < more.rows < less.rows * more.points / less.points * FASTER
    measure = explained(asked)
    assert works[-1].rows / works[-1].points < measure.rows / measure.points
    assert works[-1].statements / works[-1].points < measure.statements / measure.points


def _holders(first: int) -> str:
    return f"holders(first: {first}) {{ nodes {{ explanation {{ statement }} }} }}"
