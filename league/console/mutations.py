"""What the schema says about a mutation: the document that a form sends, and the types of its input.

A form names its mutation, the fields of the input and the fields of the answer. Each name is looked up here. So a test
over all forms finds a name that the schema lacks, and says which names it has.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLUnionType,
    Undefined,
    get_named_type,
    get_nullable_type,
    parse,
    validate,
)

from league.api.schema import core

KEY = "idempotencyKey"
"""The field of every input, and a hidden control of every form: the form is stored once, however often it is sent."""
EXPECTED = "expectedPosition"
"""The field of a mutation that overwrites something, and a hidden control of its form: the log position of the page."""
OF_ERRORS = {"faults": "faults { field message }", "problems": "problems { key reasonInWords }", "position": "position"}
"""What a form reads of an error besides code, message and field, if the error has it."""


class NotInSchema(Exception):
    """Raised if a form declares something that the schema lacks, or lacks something that the schema requires."""


@cache
def document_of(mutation: str, asks: str = "") -> str:
    """The document that sends a mutation. `asks`: fields of its success. Raises NotInSchema."""
    payload = get_named_type(_mutation(mutation).type)
    assert isinstance(payload, GraphQLUnionType), "a mutation answers with a success or an error"
    wanted = ["... on UserError { code message field }"]
    for one in payload.types:
        if "message" in one.fields:
            wanted += [f"... on {one.name} {{ {text} }}" for name, text in OF_ERRORS.items() if name in one.fields]
        else:
            position = "position" if "position" in one.fields else ""
            wanted.insert(0, f"... on {one.name} {{ __typename {position} {asks} }}")
    kind = input_type(mutation).name
    name = mutation[:1].upper() + mutation[1:]
    text = f"mutation {name}($input: {kind}!) {{ {mutation}(input: $input) {{ {' '.join(wanted)} }} }}"
    if errors := validate(core, parse(text)):
        raise NotInSchema(f"{mutation}: {errors[0].message}")
    return text


def input_type(mutation: str) -> GraphQLInputObjectType:
    """The type of a mutation's `input`. Raises NotInSchema."""
    found = get_named_type(_mutation(mutation).args["input"].type)
    assert isinstance(found, GraphQLInputObjectType), "each mutation has one"
    return found


@cache
def input_field(mutation: str, path: str) -> GraphQLInputField:
    """The field of a mutation's `input` at a path such as `reason`, `plan.name` or `seats.0`. Raises NotInSchema."""
    inside = input_type(mutation)
    field: GraphQLInputField | None = None
    for part in path.split("."):
        if field is not None and part.isdecimal() and isinstance(get_nullable_type(field.type), GraphQLList):
            continue
        if part not in inside.fields:
            raise NotInSchema(f"{mutation}: {inside.name} has no field `{part}`; it has {_listed(inside.fields)}")
        field = inside.fields[part]
        named = get_named_type(field.type)
        if isinstance(named, GraphQLInputObjectType):
            inside = named
    assert field is not None, "a path has a part"
    return field


def is_required(field: GraphQLInputField) -> bool:
    """Whether an input without this field is refused."""
    return isinstance(field.type, GraphQLNonNull)


def is_list(field: GraphQLInputField) -> bool:
    """Whether the field holds several values."""
    return isinstance(get_nullable_type(field.type), GraphQLList)


def type_name(field: GraphQLInputField) -> str:
    """The name of a field's type, without the marks of a required field and of a list."""
    return get_named_type(field.type).name


def values_of(field: GraphQLInputField) -> tuple[str, ...]:
    """The values of an enum; empty for other types."""
    named = get_named_type(field.type)
    return tuple(named.values) if isinstance(named, GraphQLEnumType) else ()


def check_input(mutation: str, given: Iterable[str]) -> None:
    """Raises NotInSchema if the input lacks a given field, or requires one that is not given."""
    for path in given:
        input_field(mutation, path)
    names = {path.split(".")[0] for path in given}
    fields = input_type(mutation).fields
    required = {name for name, field in fields.items() if is_required(field) and not _has_default(field)}
    if missing := required - names:
        raise NotInSchema(f"{mutation}: neither the address nor a control gives {_listed(sorted(missing))}")


def _has_default(field: GraphQLInputField) -> bool:
    return field.default_value is not Undefined


def _mutation(name: str) -> GraphQLField:
    assert core.mutation_type is not None
    fields = core.mutation_type.fields
    if name not in fields:
        raise NotInSchema(f"there is no mutation `{name}`; close to it are {_listed(get_close_matches(name, fields))}")
    found: GraphQLField = fields[name]
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
