"""The part of the bench that measures answers beside a peer, without the peer, which needs packages of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served, served
from databases import copy_of
from leagues import SIXTY_MATCHES

from bench import answers
from bench.answers import Question, cursor_of, page_statement, questions_to
from bench.load import load
from league.infra.database import connect

pytestmark = pytest.mark.heavy

HIGHEST = -9_999.0
"""What `below` is before every place of the board."""


@pytest.fixture(scope="module")
def server(embedded_server: str) -> Iterator[Served]:
    """A part of the recorded season, served."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url) as made:
        yield made


def test_each_question_of_the_bench_is_answered_without_errors(server: Served) -> None:
    """Under load: the requests are valid, and their answers are counted."""
    asked: list[Question] = [one for one in questions_to(server.app.state.engine, 0, server.port) if one.port]
    for question in asked:
        assert load(server.port, [next(question.requests)], 0.1).rate > 0, question.name
    assert len(asked) > 5


def test_the_statement_of_the_peer_reads_the_page_that_the_api_answers(server: Served) -> None:
    """Ranks, ratings, matches, ids and names."""
    statement, parameters = page_statement(server.app.state.engine)
    with connect(server.league.database.url) as conn:
        rows = conn.execute(statement.encode(), {**parameters, "after": HIGHEST}).fetchall()
    places = server.ask(answers.BOARD, after=cursor_of(HIGHEST))["board"]["places"]["nodes"]
    assert rows
    assert places == [
        {"rank": rank, "value": value, "matches": matches, "player": {"playerId": id_, "displayName": name}}
        for rank, value, matches, id_, name in rows
    ]
