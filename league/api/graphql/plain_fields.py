"""Executes plain fields without graphql-core's steps for each of them, and loads what a list needs before its rows.

A field is plain if its value is at hand: an attribute, a method that takes nothing, or an object that was loaded. What
is no plain field, and any plain one that does not come to a valid value, is left to graphql-core, from the start: so
errors, nulls and their paths are always its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from operator import attrgetter
from typing import Any, cast

from graphql import (
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLString,
    is_leaf_type,
)
from graphql.execution import Executor
from graphql.execution.collect_fields import CollectedFields, FieldDetails
from graphql.pyutils import AwaitableOrValue, Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.field import StrawberryField

from league.api.graphql import completing_code as code
from league.api.graphql.completing_code import Complete, Get, Make, Write
from league.api.graphql.loaded_fields import Load
from league.api.graphql.reader import Reader
from league.api.graphql.selections import Fields, Selection, Step, getter_of_loaded, selections_of
from league.api.graphql.watches import Finished


class PlainFieldsExecutor(StrawberryGraphQLCoreExecutionContext):
    """graphql-core's executor with a short way for plain fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._selections = selections_of(self.schema, self.operation)
        self._gets: dict[int, Get] = {}
        """What reads a loaded field, by the id of its Load."""
        self._made: dict[int, Complete] = {}
        """By the id of what made it."""

    def build_per_event_executor(self, payload: Any) -> Executor[Any]:
        """For an event of a subscription, which is read anew; a result that is finished needs no execution."""
        if isinstance(payload, Finished):
            return cast("Executor[Any]", payload)
        executor: Any = super().build_per_event_executor(payload)
        executor._selections = selections_of(self.schema, self.operation)  # noqa: SLF001  # it is one of these
        executor._gets, executor._made = {}, {}  # noqa: SLF001
        return cast("Executor[Any]", executor)

    def collect_subfields(
        self, return_type: GraphQLObjectType, field_details_list: list[FieldDetails]
    ) -> CollectedFields:
        """The fields that are selected of a type below these fields."""
        places = [one.node.loc.start for one in field_details_list if one.node.loc is not None]
        key, known = (return_type.name, *places), self._selections.subfields
        found = known.get(key)
        if found is None:
            found = known[key] = super().collect_subfields(return_type, field_details_list)
        return found

    def execute_fields(
        self,
        parent_type: GraphQLObjectType,
        source_value: Any,
        path: Path | None,
        grouped_field_set: Fields,
        position_context: Any,
    ) -> AwaitableOrValue[dict[str, Any]]:
        """The fields of an object."""
        if path is None:  # those of the root are not plain, and are collected anew in each execution
            return super().execute_fields(parent_type, source_value, path, grouped_field_set, position_context)
        if not self._selections.compiles:
            return super().execute_fields(parent_type, source_value, path, grouped_field_set, position_context)
        selection, answered = self._selection(parent_type, grouped_field_set), dict[str, Any]()
        with suppress(Exception):  # code that cannot be compiled
            for make in selection.parts:
                with suppress(Exception):  # graphql-core tries again, and reports what is wrong
                    answered |= self._function(make)(source_value)
        others = {step.name: step.nodes for step in selection.steps if step.name not in answered}
        results = {step.name: answered.get(step.name) for step in selection.steps}
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
        if not rows:
            return rows
        selection = self._selection_of(kind, field_details_list)
        may_be_null = kind is item_type

        def complete_rows() -> Any:
            if selection.is_plain and self._selections.compiles:
                try:
                    complete = self._function(selection.whole)
                    return [None if row is None and may_be_null else complete(row) for row in rows]
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
            while missing := selection.missing(self._reader, rows):
                for load, keys in missing.items():
                    await self._reader.load_all(load.ask, keys)
        except Exception:  # noqa: BLE001  # each field that needs it meets the error again, in its own place
            return

    def _function(self, make: Make) -> Complete:
        """The function that something makes for this execution."""
        function = self._made.get(id(make))
        if function is None:
            function = self._made[id(make)] = make(self._get_of)
        return function

    def _get_of(self, load: Load) -> Get:
        get = self._gets.get(id(load))
        if get is None:
            get = self._gets[id(load)] = getter_of_loaded(self._reader, load)
        return get

    def _selection_of(self, kind: GraphQLObjectType, nodes: list[FieldDetails]) -> Selection:
        return self._selection(kind, self.collect_subfields(kind, nodes).grouped_field_set)

    def _selection(self, kind: GraphQLObjectType, fields: Fields) -> Selection:
        known = self._selections.of_fields.get(id(fields))
        if known is not None:
            return known[1]
        selection = Selection(kind, [self._step(kind, name, nodes) for name, nodes in fields.items()])
        self._selections.add(fields, selection)
        return selection

    def _step(self, kind: GraphQLObjectType, name: str, nodes: list[FieldDetails]) -> Step:
        field_name = nodes[0].node.name.value
        step = Step(name, nodes)
        if field_name == "__typename":
            step.write_get, step.write = code.constant(kind.name), code.leaf(GraphQLString)
            return step
        field = kind.fields.get(field_name)
        definition = None if field is None else field.extensions.get("strawberry-definition")
        if field is None or field.args or definition is None:
            return step
        step.load, step.get = load_of(definition), getter_of(definition)
        if step.load is not None:
            step.write_get = code.loaded(step.load)
        elif definition.is_basic_field:
            step.write_get = code.attribute(definition.python_name)
        elif step.get is not None:
            step.write_get = code.method(step.get)
        if step.write_get is not None:
            inner = _object_in(field.type)
            step.inner = None if inner is None else self._selection_of(inner, nodes)
            step.write = _write(field.type, step.inner)
        return step


def _write(kind: Any, selection: Selection | None) -> Write | None:
    """How a value of a type is completed, with what is selected of it; None: graphql-core has to do it."""
    if isinstance(kind, GraphQLNonNull):
        return _write_present(kind.of_type, selection)
    write = _write_present(kind, selection)
    return None if write is None else code.nullable(write)


def _write_present(kind: Any, selection: Selection | None) -> Write | None:
    """The same for a value that must not be null."""
    if is_leaf_type(kind):
        return code.leaf(kind)
    if isinstance(kind, GraphQLList):
        write = _write(kind.of_type, selection)
        return None if write is None else code.many(write)
    return selection.write if selection is not None and selection.is_plain else None


def _object_in(kind: Any) -> GraphQLObjectType | None:
    while isinstance(kind, GraphQLNonNull | GraphQLList):
        kind = kind.of_type
    return kind if isinstance(kind, GraphQLObjectType) else None


@cache
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
