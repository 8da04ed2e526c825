"""The schema as a document: exported, described, and complete."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from api_server import Served
from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLUnionType,
    build_schema,
    get_introspection_query,
    graphql_sync,
    is_interface_type,
)

from league.api.graphql.leaf_types import MatchMode, RatingMode, SeriesMode
from league.api.graphql.shaping.user_errors import UserErrorCode
from league.api.log import EventSource
from league.api.schema import FILE, exported, schema
from league.domain import refusals
from league.domain.audit_trail import SOURCES
from league.domain.rules import Mode
from league.domain.series import SERIES_MODES
from league.projections.folds.league_fold import RATED_MODES


def test_the_exported_schema_is_the_one_that_is_served() -> None:
    """If this fails, run `python -m league.api.schema`."""
    assert FILE.read_text() == exported()


@pytest.mark.heavy
def test_the_file_says_what_the_server_says(season: Served) -> None:
    """Its introspection has the same types, fields, arguments, defaults, descriptions and directives."""
    everything = get_introspection_query(
        specified_by_url=True,
        directive_is_repeatable=True,
        schema_description=True,
        input_value_deprecation=True,
        one_of=True,
    )
    served, from_file = (
        season.ask(everything)["__schema"],
        graphql_sync(build_schema(FILE.read_text()), everything).data,
    )
    assert from_file is not None
    for part in ("types", "directives"):
        said, written = ({one["name"]: one for one in schema.pop(part)} for schema in (served, from_file["__schema"]))
        assert set(said) == set(written)
        for name in said:
            assert said[name] == written[name]
    assert served == from_file["__schema"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("{}", "exactly one field"),
        ('{voidMatch: {match: "a", reason: "b"}, forfeitMatch: {match: "a", side: 0}}', "exactly one field"),
        ("{voidMatch: null}", "must be non-null"),
        ("{voidMatch: $void}", "OneOf Input Object type 'MatchCommandInput' to provide a runtime value"),
    ],
)
def test_a_one_of_input_takes_exactly_one_field(season: Served, command: str, says: str) -> None:
    """None, two, null and a variable without a value are faults of the document."""
    variable = "($void: VoidMatchInput)" if "$void" in command else ""
    error = season.error(f"query {variable} {{ preview(input: {{commands: [{command}]}}) {{ __typename }} }}")
    assert says in error["message"]
    assert error["extensions"]["code"] == "GRAPHQL_VALIDATION_FAILED"


def described(core: Any) -> Iterator[tuple[str, str | None]]:
    """Everything that can have a description, and its description."""
    for name, kind in core.type_map.items():
        if name.startswith("__"):
            continue
        yield name, kind.description
        if isinstance(kind, GraphQLEnumType):
            yield from ((f"{name}.{value}", item.description) for value, item in kind.values.items())
        elif isinstance(kind, GraphQLInputObjectType | GraphQLObjectType) or is_interface_type(kind):
            for field, item in kind.fields.items():
                yield f"{name}.{field}", item.description
                for argument, said in getattr(item, "args", {}).items():
                    yield f"{name}.{field}({argument})", said.description


def test_everything_is_described() -> None:
    """Types, fields, arguments, values and the schema itself."""
    core = schema._schema
    assert core.description
    assert "Deprecation policy" in core.description
    assert [name for name, item in described(core) if not (item or "").strip()] == []


def test_every_mutation_has_one_input_and_a_union_of_typed_errors() -> None:
    """Every payload can say that the viewer may not; every error has code, message and field."""
    core = schema._schema
    assert core.mutation_type is not None
    for name, mutation in core.mutation_type.fields.items():
        assert list(mutation.args) == ["input"]
        payload = mutation.type.of_type  # type: ignore[union-attr]
        assert isinstance(payload, GraphQLUnionType)
        assert payload.name == name[0].upper() + name[1:] + "Payload"
        kinds = {kind.name for kind in payload.types}
        assert "ForbiddenError" in kinds
        [success] = [kind for kind in payload.types if not kind.name.endswith("Error")]
        assert success.name.endswith("Success")
        assert [interface.name for interface in success.interfaces] in (["Success"], ["Done"])
        for kind in payload.types:
            if kind.name.endswith("Error"):
                assert [interface.name for interface in kind.interfaces] == ["UserError"]


def test_caches_of_clients_recognize_ids_and_connections() -> None:
    """docs/api/caching-clients.md relies on it: an `id` is never null, and a list with pages is known by its type."""
    kinds = [kind for kind in build_schema(FILE.read_text()).type_map.values() if isinstance(kind, GraphQLObjectType)]
    assert {str(kind.fields["id"].type) for kind in kinds if "id" in kind.fields} == {"ID!"}
    for kind in kinds:
        for name, field in kind.fields.items():
            is_connection = str(field.type).removesuffix("!").endswith("Connection")
            has_pages = {"first", "after", "last", "before"} <= field.args.keys()
            assert is_connection == has_pages, f"{kind.name}.{name}"


def test_every_refusal_of_a_command_has_a_code() -> None:
    """A new way to refuse has to find its place in the API, which takes no seasons, sheets, backups and deadlines."""
    codes = {kind.code for kind in refusals.Refusal.__subclasses__()} - {
        "SEASON_REFUSED", "SHEET_REFUSED", "NOT_EMPTY", "NOTHING_DUE", "CLOCK_STANDS",
    }  # fmt: skip
    assert codes <= {code.value for code in UserErrorCode}


def test_enums_have_the_words_of_the_domain() -> None:
    """A mode or a source that the domain gets is missing in no enum."""
    assert [mode.value for mode in MatchMode] == list(get_args(Mode))
    assert [mode.value for mode in SeriesMode] == list(SERIES_MODES)
    assert [mode.value for mode in RatingMode] == [*RATED_MODES, "overall"]
    assert [source.value for source in EventSource] == list(SOURCES)
