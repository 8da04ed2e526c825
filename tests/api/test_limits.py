"""What one request may ask for."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest
from api_server import Served
from graphql import GraphQLObjectType, get_introspection_query, get_nullable_type, is_list_type
from waiting import LIMIT
from websockets.exceptions import ConnectionClosed

from league.api.graphql.executing.documents import cost_of
from league.api.graphql.executing.limits import COUNT, DEAREST, LISTS_AT_HAND, PRICES, TIMES, price_of
from league.api.schema import core
from league.console.site import PAGES
from league.projections.replays.preview import MOST as MOST_PREVIEWED


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
        ("{ players(first: 100) { nodes { matches(first: 100) { nodes { matchId hands { points } } } } } }", "points"),
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
    """A radius counts its places on either side, each with its fields; in a variable it counts as the largest."""
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


@pytest.mark.heavy
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
    """Lists of the league and lists of an owner refuse such a cursor."""
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


def test_each_list_and_each_count_has_a_price_of_its_own() -> None:
    """A page and its count ask the database, unless all rows came with the object that has them."""
    at_hand = {(kind, name) for kind, names in LISTS_AT_HAND.items() for name in names}
    at_hand |= {("Tournament", name) for name in ("standing", "provisionalStanding")}  # computed once for all who ask
    cheap = [
        f"{kind.name}.{name}"
        for kind in core.type_map.values()
        if isinstance(kind, GraphQLObjectType) and not kind.name.startswith("__")
        for name, field in kind.fields.items()
        if ("first" in field.args or name == "totalCount") and (kind.name, name) not in at_hand
        if price_of(kind.name, name, field).each < COUNT.each
    ]
    assert cheap == []
    unknown = [one for one in PRICES if one[1] not in getattr(core.type_map.get(one[0]), "fields", {})]
    assert unknown == [], "prices of fields that are no more"


def test_what_rows_ask_together_is_paid_once() -> None:
    """The names of a hundred players are one question; their statistics are counted for each, too."""

    def cost(first: int, selected: str) -> int:
        return cost_of(core, f"{{ board {{ places(first: {first}) {{ nodes {{ {selected} }} }} }} }}", None)

    name, moves, why = "player { name }", "moves { day { rank } }", "explanation { statement }"
    assert cost(100, name) - cost(1, name) == 99 * 3  # nodes, player and name
    assert cost(1, moves) > 500
    assert cost(100, moves) < 5 * cost(1, moves)
    assert cost(70, why) > 10 * cost(1, why)


def test_lists_without_pages_count_as_long_as_they_are(season: Served) -> None:
    """The badges that there are, each with a page of holders; the rows of a preview."""
    assert len(season.ask("{ badges { key } }")["badges"]) <= TIMES["Query", "badges"]
    preview = core.type_map["Preview"]
    assert isinstance(preview, GraphQLObjectType)
    lists = [name for name, field in preview.fields.items() if is_list_type(get_nullable_type(field.type))]
    assert {TIMES["Preview", name] for name in lists} == {MOST_PREVIEWED}
    why = "{ badges { holders(first: 1) { nodes { explanation { statement } } } } }"
    assert season.error(why)["extensions"]["code"] == "TOO_COMPLEX"


@pytest.mark.parametrize(
    "asked",
    [
        'whatIfNot(match: "m", player: "p") { ... on Preview { position } }',
        'previewMerge(keep: "a", drop: "b") { ... on MergePreview { matches } }',
        'previewUndoMerge(keep: "a", drop: "b") { ... on MergePreview { matches } }',
    ],
)
def test_what_computes_a_season_again_costs_as_much(asked: str) -> None:
    """A preview folds all matches since the first one that would change; 1,000 points for it were 200 us a point."""
    assert cost_of(core, f"{{ {asked} }}", None) >= 7_500


DEAR = {
    "counts of opponents": ("player(id: 1) { series { opponents { totalCount } } }", 500),
    "close names": ('similarPlayers(name: "Ana") { name }', 200),
    "filtered counts": ("matches(first: 1, filter: {competitor: 1}) { totalCount }", 100),
    "a board of the past with its moves": (
        'board(asOf: "2026-03-01T00:00:00Z") { places { nodes { moves { day { rank } week { rank } } } } }', 1_500),
}  # fmt: skip


@pytest.mark.parametrize(("text", "least"), DEAR.values(), ids=DEAR)
def test_what_takes_long_is_dear_under_every_alias(text: str, least: int) -> None:
    """Thirty aliases of it cost thirty times as much."""
    cost = cost_of(core, f"{{ {text} }}", None)
    assert cost >= least
    name = text.partition("(")[0]
    others = " ".join(f"a{number}: {text}" for number in range(3))
    assert cost_of(core, f"{{ {others} }}", None) == 3 * cost, name


def test_the_pages_of_the_console_are_far_below_the_dearest() -> None:
    """Each of them, so that a visitor can always see it."""
    dear = {page.name: cost_of(core, page.text, None) for page in PAGES}
    assert {name: cost for name, cost in dear.items() if cost > DEAREST / 2} == {}
