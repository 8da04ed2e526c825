"""What one request may ask for."""

from __future__ import annotations

import time

import pytest
from api_server import Served
from graphql import get_introspection_query
from websockets.exceptions import ConnectionClosed


def doubling(levels: int) -> str:
    """Fragments each of which asks for the next one twice: 2 to the power of `levels` fields."""
    fragments = [
        f"fragment F{n} on Player {{ a: teams {{ nodes {{ players {{ ...F{n + 1} }} }} }}"
        f" b: teams {{ nodes {{ players {{ ...F{n + 1} }} }} }} }}"
        for n in range(levels)
    ]
    return '{ player(id: "p001") { ...F0 } } ' + " ".join(fragments) + f" fragment F{levels} on Player {{ name }}"


def test_a_kilobyte_of_doubling_fragments_is_refused_at_once(season: Served) -> None:
    """Each fragment is weighed once."""
    text = doubling(9)
    started = time.perf_counter()
    errors = season.post(text).json()["errors"]
    assert time.perf_counter() - started < 0.5
    assert {error["extensions"]["code"] for error in errors} == {"TOO_COMPLEX"}


def test_fragments_that_spread_each_other_twice_side_by_side_are_weighed_once(season: Served) -> None:
    """Without fields between them, so that nothing is deep: 2 to the power of 40 spreads."""
    fragments = " ".join(f"fragment F{n} on Player {{ ...F{n + 1} ...F{n + 1} }}" for n in range(40))
    text = '{ player(id: "p001") { ...F0 } } ' + fragments + " fragment F40 on Player { name }"
    started = time.perf_counter()
    season.post(text)
    assert time.perf_counter() - started < 0.5


def test_a_fragment_that_contains_itself_is_refused(season: Served) -> None:
    """Also by us without going round for ever."""
    error = season.error(
        '{ player(id: "p001") { ...F } } fragment F on Player { teams { nodes { players { ...F } } } }'
    )
    assert "itself" in error["message"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{ player(id: 1) " + "{ teams { nodes { players " * 6 + "{ name }" + " } } }" * 6 + " }", "levels"),
        ("{ " + " ".join(f"a{n}: regions" for n in range(31)) + " }", "aliases"),
        ("{ players(first: 100) { nodes { matches(first: 100) { nodes { matchId hands { points } } } } } }", "fields"),
    ],
)
def test_too_deep_too_many_aliases_and_too_dear_are_refused(season: Served, text: str, what: str) -> None:
    """Each with what it has and what is allowed."""
    error = season.error(text)
    assert what in error["message"]
    assert error["extensions"]["code"] == "TOO_COMPLEX"
    assert error["extensions"]["has"] > error["extensions"]["most"]


def test_a_page_size_in_a_variable_counts_as_the_largest(season: Served) -> None:
    """Validation is remembered by the document, whatever its variables."""
    text = (
        "query ($n: Int) { players(first: $n) { nodes { matches(first: $n) { nodes { matchId hands { points } } } } } }"
    )
    assert season.error(text, n=1)["extensions"]["code"] == "TOO_COMPLEX"


def test_the_usual_introspection_is_allowed(season: Served) -> None:
    """GraphiQL and code generators need it."""
    assert season.ask(get_introspection_query(input_value_deprecation=True, specified_by_url=True))["__schema"]


def test_a_document_with_too_many_words_is_refused(season: Served) -> None:
    """Before it is read whole."""
    assert "2000" in season.error("{ " + "regions " * 2_001 + " }")["message"]


def test_brackets_within_brackets_are_an_error_of_the_request(season: Served) -> None:
    """However many: the parser recurses."""
    response = season.post("{a" * 990 + "}" * 990)
    assert response.status_code in (200, 400)
    assert "errors" in response.json()
    assert "INTERNAL" not in response.text


def test_a_body_that_is_too_large_is_refused(season: Served) -> None:
    """Told by its length, or while it comes in."""
    large = b'{"query": "' + b"x" * 600_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    assert season.http.post("/graphql", content=large, headers=headers).status_code == 413
    in_parts = (large[at : at + 50_000] for at in range(0, len(large), 50_000))
    assert season.http.post("/graphql", content=in_parts, headers=headers).status_code == 413


def test_a_message_that_is_too_large_ends_the_socket(season: Served) -> None:
    """As a body that is too large is refused."""
    with season.socket() as socket:
        socket.send("x" * 600_000)
        with pytest.raises(ConnectionClosed):
            socket.recv(5)
