"""The part of the bench that measures boards, at a size that takes no time: what it asks, in how many statements."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from leagues import catch_up, league_at

from bench import boards
from bench.boards import asking, bench_boards, make_up, questions
from league.application.bootstrap import League
from league.infra.database import connect
from league.projections.boards import board

pytestmark = pytest.mark.heavy

FIRST_PAGE = (
    "{ board { places(first: 50) { nodes { rank shown player { name region } } pageInfo { hasNextPage endCursor } } } }"
)


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    with league_at(league_url) as made:
        catch_up(made)
        yield made


def test_the_bench_of_boards_runs(
    league: League, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line for each way to read a board, with a time at each size."""
    monkeypatch.setattr(boards, "TIMES", 1)
    bench_boards(league, [70, 140])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if "first page" in line]
    assert all(len(line.split()) >= 5 for line in lines if line)


def test_a_page_of_a_board_takes_three_statements(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in a process that has read no edition yet, on every board, and however deep the page."""
    with connect(league.database.url, autocommit=True) as conn:
        make_up(conn, 200)
    monkeypatch.setattr(board, "_rulebooks", {})
    with asking(league) as ask:
        asked = {"as a client asks": FIRST_PAGE, **questions(ask.engine)}
        for name, query in asked.items():
            if "moves" in name or "as of" in name or "around" in name:
                continue
            ask.statements.clear()
            places = ask(query)["board"]["places"]
            # A month is one of the league's time zone.
            assert len(ask.statements) <= 3, name
            assert places.get("nodes", True), name


def test_moves_take_as_many_statements_for_a_place_as_for_a_page(league: League) -> None:
    """Two for each span that is asked for: the rules of that moment, and the ranks."""
    with connect(league.database.url, autocommit=True) as conn:
        make_up(conn, 200)
    with asking(league) as ask:
        costs = []
        for first in (1, 50):
            ask.statements.clear()
            ask(f"{{ board {{ places(first: {first}) {{ nodes {{ rank moves {{ week {{ change }} }} }} }} }} }}")
            costs.append(len(ask.statements))
    assert costs == [4, 4]
