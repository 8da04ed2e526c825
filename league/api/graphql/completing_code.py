"""Python code that completes values: what a document selects becomes one expression, which is compiled once.

Of `{ rank player { displayName } }` in a place of a board it is, with checks that are left out here:

    {"rank": o.rank, "player": None if (v1 := loaded1(o)) is None else {"displayName": f2(v1)}}

Any exception that it raises leaves the value to graphql-core, which therefore decides what errors and nulls look like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from keyword import iskeyword
from types import CodeType
from typing import Any, NamedTuple

from graphql import GRAPHQL_MAX_INT, GRAPHQL_MIN_INT, GraphQLLeafType, GraphQLObjectType, Undefined

from league.api.graphql.kept_by_size import KeptBySize
from league.api.graphql.loaded_fields import Load

Get = Callable[[Any], Any]
"""Reads a field of an object."""
Complete = Callable[[Any], Any]
"""Makes what the answer shows of a value, or of an object one of its fields."""
Make = Callable[[Callable[[Load], Get]], Complete]
"""Makes such a function for an execution; what it is given says how the execution reads a field that is loaded."""
KEPT = 256
"""Texts of functions whose code is remembered: documents that differ in arguments have the same."""
MOST_TEXT = 1_000_000
"""Characters of all these texts."""

STANDS_AS_IT_IS = {
    "String": "{assigned}.__class__ is str",
    "ID": "{assigned}.__class__ is str",
    "Boolean": "{assigned}.__class__ is bool",
    "Int": f"{{assigned}}.__class__ is int and {GRAPHQL_MIN_INT} <= {{name}} <= {GRAPHQL_MAX_INT}",
    "Float": "{assigned}.__class__ is float and -INFINITY < {name} < INFINITY",
}
"""Which values of GraphQL's own scalars are not changed by it."""


class NotPlain(Exception):
    """A value that graphql-core has to look at."""


class Function:
    """A function of one argument, `o`, that is being written."""

    def __init__(self) -> None:
        self._constants: dict[str, Any] = {"INFINITY": float("inf")}
        self._loads: list[str] = []
        self._names = 0

    def name(self, prefix: str) -> str:
        """A new name."""
        self._names += 1
        return f"{prefix}{self._names}"

    def constant(self, value: Any) -> str:
        """A name for a value."""
        name = self.name("c")
        self._constants[name] = value
        return name

    def loaded(self, load: Load) -> str:
        """A name for the function that reads a loaded field of an object."""
        name = self.name("loaded")
        self._loads.append(f"    {name} = loaded({self.constant(load)})\n")
        return name

    def made_of(self, expression: str) -> Make:
        """The function of this expression."""
        text = f"def make(loaded):\n{''.join(self._loads)}    return lambda o: {expression}\n"
        exec(compiled(text), self._constants)  # noqa: S102  # it was written here; names in it come from the schema
        make: Make = self._constants["make"]
        return make


def compiled(text: str) -> CodeType:
    """The code of a function."""
    code = _CODE.get(text)
    if code is None:
        code = Code(compile(text, "<selection>", "exec"), len(text))
        _CODE.add(text, code)
    return code.code


class Code(NamedTuple):
    """The code of a function, and how long its text is."""

    code: CodeType
    length: int


_CODE = KeptBySize[str, Code](KEPT, MOST_TEXT, lambda code: code.length)


Write = Callable[[Function, str], str]
"""Writes the expression that completes the value of another expression."""
WriteGet = Callable[[Function, str], str]
"""Writes the expression that reads a field of the object of another expression."""


def attribute(name: str) -> WriteGet:
    """Reads an attribute."""
    assert name.isidentifier()
    assert not iskeyword(name)
    return lambda _, one: f"{one}.{name}"


def method(function: Get) -> WriteGet:
    """Calls a method that takes nothing."""
    return lambda to, one: f"{to.constant(function)}({one})"


def loaded(load: Load) -> WriteGet:
    """Reads a field that was loaded before."""
    return lambda to, one: f"{to.loaded(load)}({one})"


def constant(value: str) -> WriteGet:
    """The same for all objects."""
    return lambda *_: repr(value)


def nullable(write: Write) -> Write:
    """A value that may be null."""

    def written(to: Function, value: str) -> str:
        name, assigned = _named(to, value)
        return f"(None if {assigned} is None else {write(to, name)})"

    return written


@cache
def leaf(kind: GraphQLLeafType) -> Write:
    """A value of a scalar or an enum that must not be null."""
    if (wrapped := getattr(kind, "wrapped_cls", None)) is not None:
        # graphql-core looks through all values of an enum.
        table = {member: kind.coerce_output_value(member) for member in wrapped}
        return lambda to, value: f"{to.constant(table)}[{value}]"
    coerce, stands = _coerced(kind), STANDS_AS_IT_IS.get(kind.name)
    if stands is None:
        return lambda to, value: f"{to.constant(coerce)}({value})"

    def written(to: Function, value: str) -> str:
        name, assigned = _named(to, value)
        stands_here = stands.format(name=name, assigned=assigned)
        return f"({name} if {stands_here} else {to.constant(coerce)}({name}))"

    return written


def _coerced(kind: GraphQLLeafType) -> Complete:
    coerce = kind.coerce_output_value

    def coerced(value: Any) -> Any:
        completed = None if value is None else coerce(value)
        if completed is None or completed is Undefined:
            raise NotPlain
        return completed

    return coerced


def many(write: Write) -> Write:
    """A list that must not be null."""

    def written(to: Function, value: str) -> str:
        one = to.name("o")
        return f"[{write(to, one)} for {one} in {to.constant(_list)}({value})]"

    return written


def _list(value: Any) -> Any:
    if not isinstance(value, list):
        raise NotPlain
    return value


def an_object(kind: GraphQLObjectType, fields: Sequence[tuple[str, WriteGet, Write]]) -> Write:
    """An object that must not be null: the names of its fields in the answer, and how they are read and completed."""
    # Strawberry tells the implementations of an interface apart by their class.
    must_be = None if kind.is_type_of is None else kind.extensions["strawberry-definition"].origin

    def written(to: Function, value: str) -> str:
        name, assigned = _named(to, value)
        is_one = f"{assigned} is not None" if must_be is None else f"isinstance({assigned}, {to.constant(must_be)})"
        parts = (f"{key!r}: {complete(to, get(to, name))}" for key, get, complete in fields)
        return f"({{{', '.join(parts)}}} if {is_one} else {to.constant(_refuse)}())"

    return written


def _refuse() -> None:
    raise NotPlain


def _named(to: Function, value: str) -> tuple[str, str]:
    """A name for the value of an expression, and the expression that gives it this name."""
    if value.isidentifier():
        return value, value
    name = to.name("v")
    return name, f"({name} := {value})"
