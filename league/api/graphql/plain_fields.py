"""Executes plain fields without graphql-core's steps for each of them, and loads what a list needs before its rows.

A field is plain if its value is at hand: an attribute, a method that takes nothing, or an object that was loaded. What
is no plain field, and any plain one that does not come to a valid value, is left to graphql-core, from the start: so
errors, nulls and their paths are always its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache
from math import isfinite
from operator import attrgetter
from typing import Any, cast

from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLString,
    Undefined,
    is_leaf_type,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import FieldDetails
from graphql.pyutils import AwaitableOrValue, Path
from msgspec import Struct
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.field import StrawberryField

from league.api.graphql.loaded_fields import Load
from league.api.graphql.reader import Reader
from league.api.graphql.watches import Finished

Fields = dict[str, list[FieldDetails]]
"""The fields of a selection by their names in the answer; more than one node where they are merged."""
Get = Callable[[Any], Any]
"""Reads a field of an object. Any exception leaves the field to graphql-core."""
Complete = Callable[[Any], Any]
"""Makes what the answer shows of a value. Any exception leaves the field to graphql-core."""


class NotPlain(Exception):
    """A value that graphql-core has to look at."""


STANDS_AS_IT_IS: Mapping[str, Callable[[Any], bool]] = {
    "String": lambda value: value.__class__ is str,
    "ID": lambda value: value.__class__ is str,
    "Boolean": lambda value: value.__class__ is bool,
    "Int": lambda value: value.__class__ is int and GRAPHQL_MIN_INT <= value <= GRAPHQL_MAX_INT,
    "Float": lambda value: value.__class__ is float and isfinite(value),
}
"""Which values of GraphQL's own scalars are not changed by it."""


class Step(Struct):
    """A field of a selection."""

    name: str
    """In the answer."""
    nodes: list[FieldDetails]
    get: Get | None = None
    """None: graphql-core resolves it."""
    complete: Complete | None = None
    """None: graphql-core completes it."""
    load: Load | None = None
    inner: Selection | None = None
    """What is selected of the value."""


class Selection:
    """What a document selects of a type in one place."""

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps
        self.is_plain = all(step.complete is not None for step in steps)
        """Whether all of it is, to the leaves."""
        self.loading: list[Step] = [step for step in steps if step.load or (step.inner and step.inner.loading)]
        """The fields that are loaded, or have such fields below."""


class PlainFieldsExecutor(StrawberryGraphQLCoreExecutionContext):
    """graphql-core's executor with a short way for plain fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._selections: dict[int, tuple[Fields, Selection]] = {}

    def build_per_event_executor(self, payload: Any) -> Executor[Any]:
        """For an event of a subscription, which is read anew; a result that is finished needs no execution."""
        if isinstance(payload, Finished):
            return cast("Executor[Any]", payload)
        executor = super().build_per_event_executor(payload)
        executor._selections = {}  # type: ignore[attr-defined]  # noqa: SLF001  # it is one of these
        return executor

    def execute_fields(
        self,
        parent_type: GraphQLObjectType,
        source_value: Any,
        path: Path | None,
        grouped_field_set: Fields,
        position_context: Any,
    ) -> AwaitableOrValue[dict[str, Any]]:
        """The fields of an object."""
        results: dict[str, Any] = {}
        others: Fields = {}
        for step in self._selection(parent_type, grouped_field_set).steps:
            if step.get is not None and step.complete is not None:
                try:
                    results[step.name] = step.complete(step.get(source_value))
                    continue
                except Exception:  # noqa: BLE001, S110  # graphql-core tries again, and reports what is wrong
                    pass
            others[step.name] = step.nodes
            results[step.name] = None  # takes its place
        if not others:
            return results
        found = super().execute_fields(parent_type, source_value, path, others, position_context)
        if not isinstance(found, Awaitable):
            return results | found

        async def all_of_them() -> dict[str, Any]:
            return results | await found

        return all_of_them()

    def complete_iterable_value(
        self,
        item_type: Any,
        field_details_list: list[FieldDetails],
        info: GraphQLResolveInfo[Any],
        path: Path,
        items: Iterable[Any],
        position_context: Any,
    ) -> Any:
        """A list; of objects, what all of them need is loaded first."""
        kind = item_type.of_type if isinstance(item_type, GraphQLNonNull) else item_type
        if not isinstance(kind, GraphQLObjectType):
            return super().complete_iterable_value(item_type, field_details_list, info, path, items, position_context)
        rows = list(items)
        selection = self._selection_of(kind, field_details_list)
        complete = self._completer(item_type, field_details_list) if selection.is_plain else None

        def complete_rows() -> Any:
            if complete is not None:
                try:
                    return [complete(row) for row in rows]
                except Exception:  # noqa: BLE001, S110  # graphql-core tries again, and reports what is wrong
                    pass
            return super(PlainFieldsExecutor, self).complete_iterable_value(
                item_type, field_details_list, info, path, rows, position_context
            )

        if not selection.loading:
            return complete_rows()

        async def load_and_complete() -> Any:
            await self._load(selection, rows)
            completed = complete_rows()
            return await completed if self.is_awaitable(completed) else completed

        return load_and_complete()

    @property
    def _reader(self) -> Reader:
        reader: Reader = self.context_value.reader
        return reader

    async def _load(self, selection: Selection, rows: Sequence[Any]) -> None:
        """Load what these rows need, level by level."""
        try:
            while missing := _missing(self._reader, selection, rows):
                for load, keys in missing.items():
                    await self._reader.load_all(load.ask, keys)
        except Exception:  # noqa: BLE001  # each field that needs it meets the error again, in its own place
            return

    def _selection_of(self, kind: GraphQLObjectType, nodes: list[FieldDetails]) -> Selection:
        return self._selection(kind, self.collect_subfields(kind, nodes).grouped_field_set)

    def _selection(self, kind: GraphQLObjectType, fields: Fields) -> Selection:
        known = self._selections.get(id(fields))
        if known is not None:
            return known[1]
        selection = Selection([self._step(kind, name, nodes) for name, nodes in fields.items()])
        self._selections[id(fields)] = (fields, selection)  # kept, so that no other fields get their id
        return selection

    def _step(self, kind: GraphQLObjectType, name: str, nodes: list[FieldDetails]) -> Step:
        field_name = nodes[0].node.name.value
        if field_name == "__typename":
            return Step(name, nodes, lambda _: kind.name, leaf_completer(GraphQLString))
        field, step = kind.fields.get(field_name), Step(name, nodes)
        definition = None if field is None else field.extensions.get("strawberry-definition")
        if field is None or field.args or definition is None:
            return step
        step.load = load_of(definition)
        step.get = getter_of(definition) if step.load is None else _getter_of_loaded(self._reader, step.load)
        if step.get is not None:
            inner = _object_in(field.type)
            step.inner = None if inner is None else self._selection_of(inner, nodes)
            step.complete = self._completer(field.type, nodes)
        return step

    def _completer(self, kind: Any, nodes: list[FieldDetails]) -> Complete | None:
        """How a value of a type is completed; None: graphql-core has to do it."""
        if isinstance(kind, GraphQLNonNull):
            return self._completer_of_present(kind.of_type, nodes)
        complete = self._completer_of_present(kind, nodes)
        return None if complete is None else lambda value: None if value is None else complete(value)

    def _completer_of_present(self, kind: Any, nodes: list[FieldDetails]) -> Complete | None:
        """The same for a value that must not be null."""
        if is_leaf_type(kind):
            return leaf_completer(kind)
        if isinstance(kind, GraphQLList):
            complete = self._completer(kind.of_type, nodes)
            return None if complete is None else _completer_of_list(complete)
        if isinstance(kind, GraphQLObjectType):
            selection = self._selection_of(kind, nodes)
            return _completer_of_object(kind, selection) if selection.is_plain else None
        return None


def _missing(reader: Reader, selection: Selection, rows: Iterable[Any]) -> dict[Load, dict[Any, None]]:
    """What rows need and the reader does not have, as far as it can be told before anything is loaded."""
    missing: dict[Load, dict[Any, None]] = {}
    waiting = [(selection, rows)]
    while waiting:
        of, objects = waiting.pop()
        present = [one for one in objects if one is not None]
        for step in of.loading:
            assert step.get is not None
            below: list[Any] = []
            if step.load is None:
                below = [step.get(one) for one in present]
            else:
                known = reader.known(step.load.ask)
                keys = [key for one in present if (key := step.load.key(one)) is not None]
                if unknown := [key for key in keys if key not in known]:
                    missing.setdefault(step.load, {}).update(dict.fromkeys(unknown))
                elif step.inner is not None and step.inner.loading:
                    below = [step.get(one) for one in present]
            if step.inner is not None and below:
                waiting.append((step.inner, _flat(below)))
    return missing


def _flat(values: Iterable[Any]) -> list[Any]:
    return [one for value in values for one in (value if isinstance(value, list) else (value,))]


def _object_in(kind: Any) -> GraphQLObjectType | None:
    while isinstance(kind, GraphQLNonNull | GraphQLList):
        kind = kind.of_type
    return kind if isinstance(kind, GraphQLObjectType) else None


def load_of(field: StrawberryField) -> Load | None:
    """What a `loaded_field` loads; None for any other field."""
    resolver = field.base_resolver
    return None if resolver is None else getattr(resolver.wrapped_func, "load", None)


@cache
def getter_of(field: StrawberryField) -> Get | None:
    """How a plain field is read, without arguments or a context; None for any other field."""
    if field.is_basic_field:
        return attrgetter(field.python_name)
    resolver = field.base_resolver
    is_method = (
        resolver is not None
        and resolver.self_parameter is not None
        and not (resolver.arguments or resolver.info_parameter or resolver.is_async or field.extensions)
    )
    return cast("Get", resolver.wrapped_func) if is_method and resolver is not None else None


def _getter_of_loaded(reader: Reader, load: Load) -> Get:
    known, made = reader.known(load.ask), dict[Any, Any]()

    def get(one: Any) -> Any:
        key = load.key(one)
        if key is None:
            return None
        if key not in made:
            found = known[key]
            made[key] = None if found is None else load.make(found)
        return made[key]

    return get


@cache
def leaf_completer(kind: GraphQLLeafType) -> Complete:
    """How a value of a scalar or an enum is completed. Null is no valid value."""
    coerce = kind.coerce_output_value
    if (wrapped := getattr(kind, "wrapped_cls", None)) is not None:
        # graphql-core looks through all values of an enum.
        return {member: coerce(member) for member in wrapped}.__getitem__

    def coerced(value: Any) -> Any:
        completed = None if value is None else coerce(value)
        if completed is None or completed is Undefined:
            raise NotPlain
        return completed

    stands = STANDS_AS_IT_IS.get(kind.name)
    return coerced if stands is None else lambda value: value if stands(value) else coerced(value)


def _completer_of_list(complete: Complete) -> Complete:
    def completed(value: Any) -> Any:
        if not isinstance(value, list):
            raise NotPlain
        return [complete(one) for one in value]

    return completed


def _completer_of_object(kind: GraphQLObjectType, selection: Selection) -> Complete:
    steps = [(step.name, step.get, step.complete) for step in selection.steps]
    # Strawberry tells the implementations of an interface apart by their class.
    must_be = object if kind.is_type_of is None else kind.extensions["strawberry-definition"].origin

    def completed(value: Any) -> Any:
        if value is None or not isinstance(value, must_be):
            raise NotPlain
        return {name: complete(get(value)) for name, get, complete in steps}  # type: ignore[misc]  # all are plain

    return completed
