"""The part of the bench that measures answers beside a peer, without the peer, which needs packages of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import served
from leagues import catch_up, small_league

from bench import answers
from bench.answers import Question, cursor_of, page_statement, questions_to
from bench.boards import make_up
from bench.load import load
from league.application.bootstrap import League
from league.infra.database import connect

HIGHEST = -9_999.0
"""What `below` is before every place of the board."""


@pytest.fixture
def league(database_url: str) -> Iterator[League]:
    with small_league(database_url) as made:
        catch_up(made)
        with connect(database_url, autocommit=True) as conn:
            make_up(conn, 200)
        yield made


def test_each_question_of_the_bench_is_answered_without_errors(league: League) -> None:
    """Under load: the requests are valid, and their answers are counted."""
    with served(league.database.url) as server:
        asked: list[Question] = [one for one in questions_to(server.app.state.engine, 0, server.port) if one.port]
        for question in asked:
            assert load(server.port, [next(question.requests)], 0.1).rate > 0, question.name
    assert len(asked) > 5


def test_the_statement_of_the_peer_reads_the_page_that_the_api_answers(league: League) -> None:
    """Ranks, ratings, matches, ids and names."""
    with served(league.database.url) as server:
        statement, parameters = page_statement(server.app.state.engine)
        with connect(league.database.url) as conn:
            rows = conn.execute(statement.encode(), {**parameters, "after": HIGHEST}).fetchall()
        places = server.ask(answers.BOARD, after=cursor_of(HIGHEST))["board"]["places"]["nodes"]
    assert rows
    assert places == [
        {"rank": rank, "value": value, "matches": matches, "player": {"playerId": id_, "displayName": name}}
        for rank, value, matches, id_, name in rows
    ]
