"""What a request may carry, counted before graphql-core sees it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from api_server import Served, subscribe, token
from graphql import Source, TokenKind, get_introspection_query, parse
from graphql.language import Lexer
from hostile_requests import FILTER, HOSTILE
from hypothesis import given
from hypothesis import strategies as st
from waiting import LIMIT

from league.api.graphql.executing import bounds, documents
from league.api.graphql.executing.bounds import check_selections, check_text, check_variables, count_tokens
from league.api.graphql.request_errors import TooComplex
from league.api.schema import schema

DEEP = "types { fields { type { fields { name description isDeprecated } } } }"


@pytest.fixture
def untouched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Counts what graphql-core is given of a document, by wrapping its two expensive functions."""
    called: list[str] = []

    def counted(name: str) -> None:
        original = getattr(documents, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            called.append(name)
            return original(*args, **kwargs)

        monkeypatch.setattr(documents, name, call)

    counted("validate")
    counted("get_variable_values")
    return called


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_too_much_is_refused_before_graphql_works_on_it(
    season: Served, untouched: list[str], name: str
) -> None:
    """With a typed error: what, how many, how many at most; and the service lives."""
    query, variables, what, has = HOSTILE[name]
    error = season.error(query, **variables)
    most = error["extensions"]["most"]
    assert error["extensions"] == {"code": "TOO_COMPLEX", "what": what, "has": has, "most": most}
    assert has > most
    assert untouched == []
    assert season.http.get("/healthz").status_code == 200


@pytest.mark.parametrize("name", ["unknown keys", "a field 390 times"])
def test_links_streams_and_sockets_have_the_same_bounds(season: Served, untouched: list[str], name: str) -> None:
    """All ways lead through one place."""
    query, variables, what, has = HOSTILE[name]
    # A link has at most 64 KB of head.
    linked = {"f": {f"k{n}": 1 for n in range(101)}} if name == "unknown keys" else {}
    by_link = season.http.get("/graphql", params={"query": query, "variables": json.dumps(linked)}).json()
    assert by_link["errors"][0]["extensions"]["what"] == what
    streamed = season.http.post(
        "/graphql/stream", json={"query": query, "variables": variables}, headers={"Accept": "text/event-stream"}
    )
    assert f'"what":"{what}"' in streamed.text
    with season.socket() as socket:
        subscribe(socket, query, **variables)
        [error] = json.loads(socket.recv(LIMIT))["payload"]
        assert (error["extensions"]["what"], error["extensions"]["has"]) == (what, has)
    assert untouched == []


@pytest.mark.parametrize(("query", "variables"), [(1, {}), ("{ regions }", [1]), ("{ regions }", "x")])
def test_a_socket_that_sends_other_types_gets_an_error(season: Served, query: object, variables: object) -> None:
    """As a request over HTTP does."""
    with season.socket() as socket:
        payload = {"query": query, "variables": variables}
        socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        [error] = json.loads(socket.recv(LIMIT))["payload"]
        assert error["extensions"]["code"] == "BAD_REQUEST"


@pytest.mark.parametrize(
    ("query", "name"), [("query A {regions} query B {regions}", None), ("{ regions }", "C"), ("", None)]
)
def test_a_socket_that_names_no_operation_gets_an_error(season: Served, query: str, name: str | None) -> None:
    """Several operations, none by that name, none at all: an error of the client, no bug."""
    with season.socket() as socket:
        payload = {"query": query, "operationName": name}
        socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": payload}))
        [error] = json.loads(socket.recv(LIMIT))["payload"]
        assert error["extensions"] == {"code": "BAD_REQUEST"}


def test_names_are_not_guessed(season: Served) -> None:
    """Errors suggest no fields, arguments, types, values or input fields: a guess compares with hundreds of names."""
    for query, variables in (
        ("{ leage { name } }", {}),
        ("{ matches(filtr: 1) { totalCount } }", {}),
        ("{ matches(filter: {status: OPN}) { totalCount } }", {}),
        ("query ($f: MatchFilterInpt) { matches(filter: $f) { totalCount } }", {}),
        (FILTER, {"f": {"statis": ["OPEN"]}}),
        (FILTER, {"f": {"status": ["OPN"]}}),
    ):
        assert "Did you mean" not in season.error(query, **variables)["message"]


def test_few_faults_are_reported(season: Served) -> None:
    """Ten faults of a document and a note that there are more, one fault of variables; a long value is cut off."""
    document = "{" + " ".join(f"nothing{n}" for n in range(100)) + "}"
    assert len(season.post(document).json()["errors"]) == documents.MOST_ERRORS + 1
    wrong = season.post(FILTER, f={"status": ["X" * 4_000] * 50}).json()["errors"]
    assert len(wrong) == 1
    assert len(wrong[0]["message"]) < 1_100


@pytest.mark.parametrize(
    ("query", "over"),
    [
        ("{ matches(first: 100) { nodes { hands { explanation { statement } } } } }", True),
        ("{ matches(first: 10) { nodes { hands { explanation { statement } } } } }", False),
        ("{" + " ".join(f'a{n}: board(asOf: "2026-03-01T00:00:00Z") {{ kind }}' for n in range(30)) + "}", False),
        ("{" + " ".join(f"a{n}: __schema {{ {DEEP} }}" for n in range(4)) + "}", True),
    ],
)  # fmt: skip
def test_the_cost_is_what_it_takes(season: Served, query: str, over: bool) -> None:
    """Explanations of hands, boards of the past and introspection within introspection are not single fields."""
    answer = season.post(query).json()
    assert ("errors" in answer) == over
    if over:
        assert answer["errors"][0]["extensions"]["code"] == "TOO_COMPLEX"


@pytest.mark.heavy
def test_introspection_is_computed_once(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the answer comes from the cache."""
    resolved = 0
    field = schema._schema.type_map["__Schema"].fields["types"]
    original = field.resolve

    def counted(*args: Any) -> Any:
        nonlocal resolved
        resolved += 1
        return original(*args)

    monkeypatch.setattr(field, "resolve", counted)
    query = get_introspection_query(descriptions=False)
    answers = [season.ask(query) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert resolved == 1


WORDS = st.sampled_from(
    ["a", "query", "{", "}", "(", ")", "[", "]", "...", "$", "@", ":", "=", "!", "|", "&", "12", "-1.5e3", '"x"', '""',
     '"a\\"#b"', '"""a"b\\"""c\n"""', "# note\n", ",", "\n", "\ufeff"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=40))
def test_tokens_are_counted_as_graphql_reads_them(words: list[str]) -> None:
    """Texts count once, comments not at all."""
    text = " ".join(words)
    lexer, count = Lexer(Source(text)), 0
    while lexer.advance().kind is not TokenKind.EOF:
        count += 1
    assert count_tokens(text) == count


LEAVES = st.integers() | st.text(max_size=2)
INNER = LEAVES | st.lists(LEAVES, max_size=4) | st.dictionaries(st.text(max_size=3), LEAVES, max_size=4)
VALUES = LEAVES | st.lists(INNER, max_size=4) | st.dictionaries(st.text(max_size=3), INNER, max_size=4)


def values_in(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(1 + values_in(one) for one in inner)


@pytest.mark.heavy
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_every_value_of_the_variables_counts(variables: dict[str, Any]) -> None:
    """Lists and objects too, and what is in them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "MOST_VALUES", -1)
        with pytest.raises(TooComplex) as refused:
            check_variables(variables)
    assert refused.value.extensions["has"] == values_in(variables)  # type: ignore[index]


@given(st.integers(1, 300), st.integers(1, 4))
def test_fields_count_wherever_they_are_written(fields: int, depth: int) -> None:
    """In inline fragments, in fragments within fragments, below other fields and under fields of the same name."""
    inner = " ".join(f"f{n}" for n in range(fields))
    for _ in range(depth):
        inner = "... on T { " + inner + " }"
    text = "{ a { b } a { ...F } } fragment F on T { ...G } fragment G on T { " + inner + " }"
    # Beside the fields in the place `a`: `b`, and the two spreads of F and G.
    if fields + 3 > bounds.MOST_FIELDS:
        with pytest.raises(TooComplex):
            check_selections(parse(text))
    else:
        check_selections(parse(text))


def test_fragments_that_double_each_other_are_given_up_on() -> None:
    """Two to the power of 200 fields are not visited."""
    fragments = "".join(f"fragment F{n} on T{{a{{...F{n + 1}}}b{{...F{n + 1}}}}}" for n in range(200))
    with pytest.raises(TooComplex) as refused:
        check_selections(parse("{...F0}" + fragments + "fragment F200 on T{c}"))
    assert refused.value.extensions["has"] <= bounds.MOST_VISITED + bounds.MOST_FIELDS  # type: ignore[index]


def test_a_fragment_that_contains_itself_ends() -> None:
    """Directly, below a field, and by way of another one."""
    check_selections(parse("{...F} fragment F on T{a{...F}...G} fragment G on T{b{...F}...G}"))


def test_the_usual_introspection_and_half_a_character_are_within_the_bounds() -> None:
    """What clients need; what has no UTF-8 is counted without a fault."""
    usual = get_introspection_query(input_value_deprecation=True, specified_by_url=True)
    check_text(usual)
    check_selections(parse(usual))
    check_text('{ a(b: "\ud800") }')


@pytest.mark.parametrize(
    "query",
    [
        "query ($text: String) { board(region: $text) { id } }",
        "query ($text: String) { board(region: $text) { region } }",
        "query ($text: String) { board(region: $text) { places { nodes { rank } } } }",
        "query ($text: String!) { search(query: $text) { __typename } }",
        "query ($text: ID!) { node(id: $text) { id } }",
    ],
)
def test_half_a_character_is_no_text(season: Served, query: str) -> None:
    """JSON can hold it, and nothing that the league stores or encodes."""
    answer = season.post(query, text="a\ud800").json()
    codes = [error["extensions"]["code"] for error in answer.get("errors", ())]
    assert codes == ([] if answer["data"] == {"node": None} else ["BAD_REQUEST"])


@pytest.mark.parametrize("id_", ["\0", "a\0b", "\ud800"])
def test_an_id_that_cannot_be_stored_is_unknown(season: Served, id_: str) -> None:
    """Also where the database is not asked for it as for others."""
    seen = "query ($id: ID!) { table(id: $id) { id } photo(id: $id) { id } }"
    assert season.ask(seen, token("admin"), id=id_) == {"table": None, "photo": None}
    merge = 'query ($id: ID!) { previewMerge(keep: "p001", drop: $id) { ... on UserError { code } } }'
    assert season.ask(merge, token("admin"), id=id_)["previewMerge"] == {"code": "NOT_FOUND"}
    without = "query ($id: ID!) { whatIfNot(match: $id, player: $id) { ... on UserError { code } } }"
    assert season.ask(without, token("admin"), id=id_)["whatIfNot"] == {"code": "NOT_FOUND"}
    revoke = "mutation ($id: String!) { revokeToken(input: {tokenId: $id}) { ... on UserError { code } } }"
    assert season.ask(revoke, token("admin"), id=id_)["revokeToken"] == {"code": "INVALID"}
