"""Objects whose fields are all plain are read at once: attributes, methods without arguments, what is loaded already.

For each field graphql-core describes the field to its resolver, looks for arguments and tests the type of the value:
two thirds of the time of a page, whose fields need none of it. Everything else is left to graphql-core, and so is an
object with a value that its type does not allow: so errors, nulls and their paths are always graphql-core's own.
"""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

from graphql import (
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    is_leaf_type,
)
from graphql.execution.collect_fields import FieldDetails
from graphql.pyutils import AwaitableOrValue, Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types.field import StrawberryField

from league.api.graphql.executing.context import Context
from league.api.graphql.shaping.loaded_fields import Load

Read = Callable[[Any], Any]
"""From an object or a value to what the answer has of it. What it raises is found again by graphql-core."""
Fields = dict[str, list[FieldDetails]]
"""What is selected of an object, by the name in the answer."""


class ReadsPlainFields(StrawberryGraphQLCoreExecutionContext):
    """Executes operations, and reads plain objects itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._reads: dict[int, tuple[Fields, Read | None]] = {}
        """How the objects of a selection are read, by its id; it is kept with it, so that no other one gets its id."""

    def execute_fields(
        self, parent_type: GraphQLObjectType, source_value: Any, path: Path | None, fields: Fields, position: Any
    ) -> AwaitableOrValue[dict[str, Any]]:
        """What is selected of an object."""
        read = self._read_of(parent_type, fields) if path is not None else None
        if read is not None:
            try:
                return read(source_value)  # type: ignore[no-any-return]
            except Exception:  # noqa: BLE001, S110  # graphql-core reads it again, and says where it failed
                pass
        return super().execute_fields(parent_type, source_value, path, fields, position)

    def _read_of(self, kind: GraphQLObjectType, fields: Fields) -> Read | None:
        """How an object is read; None if one of its fields is not plain."""
        if id(fields) not in self._reads:
            self._reads[id(fields)] = fields, self._make_read(kind, fields)
        return self._reads[id(fields)][1]

    def _make_read(self, kind: GraphQLObjectType, fields: Fields) -> Read | None:
        reads: list[tuple[str, Read]] = []
        for name, details in fields.items():
            read = self._read_of_field(kind, details)
            if read is None:
                return None
            reads.append((name, read))
        return lambda source: {name: read(source) for name, read in reads}

    def _read_of_field(self, kind: GraphQLObjectType, details: list[FieldDetails]) -> Read | None:
        name = details[0].node.name.value
        if name == "__typename":
            return lambda _: kind.name
        take = _take_of(kind, name)
        if isinstance(take, Load):
            take = _take_loaded(take, self.context_value)
        return take and self._read_value(take, kind.fields[name].type, details)

    def _read_value(self, take: Read, kind: GraphQLOutputType, details: list[FieldDetails]) -> Read | None:
        """How a value is taken and written; None for abstract types, and for objects with a field that is not plain."""
        is_required = isinstance(kind, GraphQLNonNull)
        write = self._write_of(kind.of_type if isinstance(kind, GraphQLNonNull) else kind, details)
        if write is None:
            return None

        def read(source: Any) -> Any:
            value = take(source)
            if value is not None:
                return write(value)
            if is_required:
                raise TypeError("null where there is always a value")
            return None

        return read

    def _write_of(self, kind: GraphQLOutputType, details: list[FieldDetails]) -> Read | None:
        if isinstance(kind, GraphQLList):
            read = self._read_value(lambda item: item, kind.of_type, details)
            return read and (lambda items: [read(item) for item in items])
        if isinstance(kind, GraphQLObjectType):
            return self._read_of(kind, self.collect_subfields(kind, details).grouped_field_set)
        return kind.coerce_output_value if is_leaf_type(kind) else None


@cache
def _take_of(kind: GraphQLObjectType, name: str) -> Read | Load | None:
    """How the value of a field is taken from its object; None if its resolver needs more than the object."""
    field = kind.fields[name]
    declared = (field.extensions or {}).get(GraphQLCoreConverter.DEFINITION_BACKREF)
    if not isinstance(declared, StrawberryField) or declared.extensions or field.args:
        return None
    resolver = declared.base_resolver
    if resolver is None:
        return attrgetter(declared.python_name)
    load = getattr(resolver.wrapped_func, "load", None)
    if isinstance(load, Load):
        return load
    if resolver.is_async or resolver.self_parameter is None or resolver.info_parameter is not None:
        return None
    return resolver.wrapped_func  # type: ignore[return-value]  # of an object, not of its class


def _take_loaded(load: Load, context: Context) -> Read:
    """How a value is taken that has been loaded before. It raises KeyError where it has not."""

    def take(source: Any) -> Any:
        key = load.key(source)
        # Each event of a subscription has another reader.
        found = None if key is None else context.reader.known(load.ask)[key]
        return None if found is None else load.make(found)

    return take
