"""What one request may ask for."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest
from api_server import Served
from graphql import get_introspection_query
from waiting import LIMIT
from websockets.exceptions import ConnectionClosed


def doubling(levels: int) -> str:
    """Fragments each of which asks for the next one twice: 2 to the power of `levels` fields."""
    fragments = [
        f"fragment F{n} on Player {{ a: teams {{ nodes {{ players {{ ...F{n + 1} }} }} }}"
        f" b: teams {{ nodes {{ players {{ ...F{n + 1} }} }} }} }}"
        for n in range(levels)
    ]
    return '{ player(id: "p001") { ...F0 } } ' + " ".join(fragments) + f" fragment F{levels} on Player {{ name }}"


def test_fragments_that_double_each_other_are_weighed_once(season: Served) -> None:
    """They ask for 2 to the power of 40 fields: to weigh each of them would take days."""
    errors = season.post(doubling(40)).json()["errors"]
    assert {error["extensions"]["code"] for error in errors} == {"TOO_COMPLEX"}


def test_fragments_that_spread_each_other_twice_side_by_side_are_weighed_once(season: Served) -> None:
    """Without fields between them, so that nothing is deep: 2 to the power of 40 spreads."""
    fragments = " ".join(f"fragment F{n} on Player {{ ...F{n + 1} ...F{n + 1} }}" for n in range(40))
    text = '{ player(id: "p001") { ...F0 } } ' + fragments + " fragment F40 on Player { name }"
    assert season.post(text).json()


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


def test_a_radius_counts(season: Served) -> None:
    """So many places on either side, each with what is asked of it; in a variable the largest."""
    text = """query ($r: Int!) { board { around(of: "p001", radius: RADIUS) { places {
      a: explanation { value } b: explanation { value } } } } }"""
    assert "errors" not in season.post(text.replace("RADIUS", "2").replace("($r: Int!)", "")).json()
    error = season.error(text.replace("RADIUS", "$r"), r=2)
    assert error["extensions"]["code"] == "TOO_COMPLEX"


OF_NODES = "{ n: nodes(ids: IDS) { ... on Player { matches(first: 100) { nodes { matchId hands { points } } } } } }"


@pytest.mark.parametrize("ids", ["$ids", "[" + '"x" ' * 100 + "]"])
def test_the_ids_of_nodes_count(season: Served, ids: str) -> None:
    """Each may be an object with pages of its own; in a variable there may be as many as are allowed."""
    text = OF_NODES.replace("IDS", ids)
    named = "query ($ids: [ID!]!) " if ids == "$ids" else ""
    assert season.error(named + text, ids=["x"])["extensions"]["code"] == "TOO_COMPLEX"


def test_a_few_ids_of_nodes_are_answered(season: Served) -> None:
    """The limit counts the ids; a single one may be given without brackets."""
    assert season.ask(OF_NODES.replace("IDS", '["x", "y"]')) == {"n": [None, None]}
    assert season.ask(OF_NODES.replace("IDS", '"x"')) == {"n": [None]}


def test_a_whole_edition_weighs_as_much_as_it_is(season: Served) -> None:
    """10 KB are not one field."""
    text = "{ players(first: 100) { nodes { matches(first: 10) { nodes { edition { document } } } } } }"
    assert season.error(text)["extensions"]["code"] == "TOO_COMPLEX"
    assert season.ask("{ editions { nodes { document } } }")["editions"]["nodes"]


def test_the_usual_introspection_is_allowed(season: Served) -> None:
    """GraphiQL and code generators need it."""
    assert season.ask(get_introspection_query(input_value_deprecation=True, specified_by_url=True))["__schema"]


def test_a_document_with_too_many_words_is_refused(season: Served) -> None:
    """Before it is read whole."""
    error = season.error("{ " + "regions " * 2_001 + " }")
    assert error["extensions"] == {"code": "TOO_COMPLEX", "what": "tokens", "has": 2_003, "most": 2_000}


def test_brackets_within_brackets_are_an_error_of_the_request(season: Served) -> None:
    """However many: the parser recurses."""
    response = season.post("{a" * 990 + "}" * 990)
    assert response.status_code in (200, 400)
    assert "errors" in response.json()
    assert "INTERNAL" not in response.text


@pytest.mark.parametrize("depth", [40, 400, 900, 3_000, 90_000])
@pytest.mark.parametrize(
    "body", ["%s", '{"query": "{ regions }", "variables": %s}', '{"query": "{ regions }", "variables": {"a": %s}}']
)
def test_a_body_of_brackets_within_brackets_is_no_request(season: Served, body: str, depth: int) -> None:
    """Deeply nested JSON is refused, since reading it would recurse."""
    content = (body % ("[" * depth + "]" * depth)).encode()
    response = season.http.post("/graphql", content=content, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


def test_variables_of_a_link_may_not_be_nested_deeply_either(season: Served) -> None:
    """They are JSON of their own."""
    asked = {"query": "{ regions }", "variables": '{"a": ' + "[" * 5_000 + "]" * 5_000 + "}"}
    assert season.http.get("/graphql", params=asked).json()["errors"][0]["extensions"]["code"] == "BAD_REQUEST"


def test_a_message_of_brackets_within_brackets_ends_the_socket(season: Served) -> None:
    """As one that is no JSON does."""
    with season.socket() as socket:
        socket.send("[" * 90_000 + "]" * 90_000)
        with pytest.raises(ConnectionClosed):
            socket.recv(LIMIT)
        assert socket.close_code == 4400


@pytest.mark.parametrize("depth", [10, 600, 5_000, 90_000])
def test_a_cursor_of_brackets_is_no_cursor(season: Served, depth: int) -> None:
    """Of the lists of the league, and of those that many owners have."""
    cursor = urlsafe_b64encode(b"[" * depth + b"]" * depth).decode().rstrip("=")
    for text in ("players(first: 1, after: $c) {", 'player(id: "p001") { matches(first: 1, after: $c) {'):
        query = "query ($c: String) { " + text + " nodes { __typename } }" + " }" * (text.count("{"))
        assert season.error(query, c=cursor)["extensions"]["code"] == "INVALID_CURSOR"


def test_a_body_that_is_too_large_is_refused(season: Served) -> None:
    """A body that is too large is refused by its declared length, or while it is read."""
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
            socket.recv(LIMIT)


def test_a_cost_by_a_size_in_a_variable_says_so(season: Served) -> None:
    """It counts as the largest size, whatever its value; a size in the document counts as it is."""
    text = "{ matches(first: %s) { nodes { hands { explanation { statement } } } } }"
    by_variable = season.error("query ($n: Int!) " + text % "$n", n=1)
    by_number = season.error(text % "100")
    assert "in a variable" in by_variable["message"]
    assert "in a variable" not in by_number["message"]
