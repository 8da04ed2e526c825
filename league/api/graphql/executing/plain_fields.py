"""Reads plain fields: attributes, methods without arguments, loaded values, and objects made of such fields.

For each field of each object graphql-core describes the field to its resolver, looks for arguments and tests the type
of the value. Plain fields need none of this. This module reads a list of objects column by column, one selected field
after the other. graphql-core reads all other fields. It also reads a list again if a value is not of the field's type,
so errors, nulls and their paths are always graphql-core's own.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain, islice
from math import isfinite
from operator import attrgetter
from typing import Any, cast

import msgspec
from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    ExecutableDefinitionNode,
    FragmentDefinitionNode,
    GraphQLBoolean,
    GraphQLFloat,
    GraphQLID,
    GraphQLInt,
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    GraphQLSchema,
    GraphQLString,
    OperationDefinitionNode,
    is_leaf_type,
)
from graphql.execution.collect_fields import CollectedFields, FieldDetails
from graphql.pyutils import AwaitableOrValue, Path
from msgspec import Struct
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types.field import StrawberryField

from league.api.graphql.executing.context import Context
from league.domain.sentences import Sentence
from league.projections.queries.snapshot import Snapshot
from league.wording.language import spoken


def json_bytes(data: Any) -> bytes:
    """JSON in UTF-8: names have accents. Lone surrogates, which a client may have sent, become `?`.

    A `msgspec.Raw` in it is JSON already.
    """
    try:
        return msgspec.json.encode(data, enc_hook=_said)
    except UnicodeEncodeError:
        return json.dumps(_with_texts(data), ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _said(value: object) -> str:
    """A sentence in the language of the request. msgspec does not know this kind of text."""
    if isinstance(value, Sentence):
        return spoken(value)
    raise TypeError(value)


def _with_texts(value: Any) -> Any:
    """The value with its sentences spoken and its raw JSON decoded."""
    match value:
        case dict():
            return {key: _with_texts(item) for key, item in value.items()}
        case list() | tuple():
            return [_with_texts(item) for item in value]
        case Sentence():
            return spoken(value)
        case msgspec.Raw():
            return json.loads(bytes(value))
    return value


Column = list[Any]
"""A value for each object of a list."""
Read = Callable[[Context, Column], Column]
"""Turns objects or values into values of the answer. If it raises, graphql-core reads the field again."""
Selected = list[FieldDetails]
"""The places where an operation selects a field: one, or several in fragments."""
Place = tuple[str | int, ...]
"""The name of a type, and the ids of the nodes of the document that select a field."""


Ask = Callable[[Snapshot, Sequence[Any]], Mapping[Any, Any]]
"""A question that is asked once for many keys."""


class FieldLoad(Struct, frozen=True):
    """How to load a field."""

    ask: Ask
    keys: Callable[[Any], Sequence[Any]]
    """The keys of an object."""
    make: Callable[[Any, list[Any]], Any]
    """Makes the value from an object and the answers for its keys, None for a key without an answer."""


class NotLoaded(Exception):
    """Fields of a list have keys for which their questions have not been asked yet."""

    def __init__(self, wanted: Sequence[tuple[Ask, Sequence[Any]]]) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        """Questions, each with keys."""


MOST_PLANS = 256
"""Limit on the operations whose plans are cached. Their documents are in memory as well."""


class ReadPlan:
    """How the fields of an operation are read. It grows while the operation is executed for the first time."""

    def __init__(self, *of: Any) -> None:
        self.of = of
        """What the plan is of. While it is here, nothing else has the ids by which the plan is found."""
        self.reads: dict[Place, Read | None] = {}
        """How a field is read, by the type of the object that has it. None: by graphql-core."""
        self.collected: dict[Place, CollectedFields] = {}
        """The fields selected below a field, by the type of its value."""


class ReadPlans:
    """The plans of the operations that were executed last. A plan is a quarter of the work for a page of a tournament.

    With a directive in its selections, an operation selects other fields for other variables: then its plan is new
    each time.
    """

    def __init__(self) -> None:
        self._plans: OrderedDict[tuple[int, int], ReadPlan | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._plans)

    def find(
        self, schema: GraphQLSchema, operation: OperationDefinitionNode, fragments: Iterable[FragmentDefinitionNode]
    ) -> ReadPlan:
        """The plan of an operation of a document that is in memory."""
        key = (id(schema), id(operation))
        plan = self._plans.get(key)
        if plan is None:
            plan = ReadPlan(schema, operation)
            if not any(map(_has_directive, (operation, *fragments))):
                self._plans[key] = plan
                if len(self._plans) > MOST_PLANS:
                    self._plans.popitem(last=False)
        else:
            self._plans.move_to_end(key)
        return plan


plans = ReadPlans()


def _has_directive(part: ExecutableDefinitionNode) -> bool:
    """Whether a selection below has a directive. Directives of the operation itself select nothing."""
    waiting = [part.selection_set]
    while waiting:
        for selection in waiting.pop().selections:
            if selection.directives:
                return True
            if (below := getattr(selection, "selection_set", None)) is not None:
                waiting.append(below)
    return False


class ReadsPlainFields(StrawberryGraphQLCoreExecutionContext):
    """Executes operations, and reads plain fields itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._plan = plans.find(self.schema, self.operation, self.fragment_definitions.values())

    def execute_field(
        self, parent_type: GraphQLObjectType, source: Any, selected: Selected, path: Path, position: Any
    ) -> AwaitableOrValue[Any]:
        """The value of a field of an object."""
        place = _place(parent_type, selected)
        reads = self._plan.reads
        if place not in reads:
            reads[place] = None if path.prev is None else self._read_of(parent_type, selected)
        read = reads[place]
        if read is not None:
            try:
                return read(self.context_value, [source])[0]
            except NotLoaded as missing:
                return self._load_and_execute(missing, read, parent_type, source, selected, path, position)
            except Exception:  # noqa: BLE001, S110  # graphql-core reads it again, and says where it failed
                pass
        return super().execute_field(parent_type, source, selected, path, position)

    async def _load_and_execute(
        self, missing: NotLoaded, read: Read, kind: GraphQLObjectType, source: Any, selected: Selected, *at: Any
    ) -> Any:
        """The value of a field once all objects below it are loaded: one awaitable, not one for each object."""
        try:
            while True:
                await self.context_value.reader.load_together(missing.wanted)
                try:
                    return read(self.context_value, [source])[0]
                except NotLoaded as more:
                    missing = more
        except Exception:  # noqa: BLE001  # graphql-core reads it again, and says where it failed
            found = super().execute_field(kind, source, selected, *at)
            return await found if self.is_awaitable(found) else found

    @staticmethod
    def complete_leaf_value(return_type: GraphQLLeafType, result: Any) -> Any:
        """A scalar or an enum value for the answer. A sentence is spoken in the language of the request."""
        written = StrawberryGraphQLCoreExecutionContext.complete_leaf_value(return_type, result)
        return spoken(written) if isinstance(written, Sentence) else written

    def collect_subfields(self, return_type: GraphQLObjectType, field_details_list: Selected) -> CollectedFields:
        """The fields selected below a field whose value has this type."""
        place = _place(return_type, field_details_list)
        collected = self._plan.collected
        if place not in collected:
            collected[place] = super().collect_subfields(return_type, field_details_list)
        return collected[place]

    def _read_of(self, kind: GraphQLObjectType, selected: Selected) -> Read | None:
        """How a field of objects is read; None if it is not plain."""
        name = selected[0].node.name.value
        if name == "__typename":
            return lambda _, sources: [kind.name] * len(sources)
        take = _take_of(kind, name)
        write = take and self._write_of(kind.fields[name].type, selected)
        return (
            None if take is None or write is None else lambda context, sources: write(context, take(context, sources))
        )

    def _write_of(self, kind: GraphQLOutputType, selected: Selected) -> Read | None:
        """How values are written; None for abstract types and for objects with a field that is not plain."""
        if not isinstance(kind, GraphQLNonNull):
            write = self._write_present(kind, selected)
            return write and partial(_with_nulls, write)
        write = self._write_present(kind.of_type, selected)
        return write and partial(_without_nulls, write)

    def _write_present(self, kind: GraphQLOutputType, selected: Selected) -> Read | None:
        if isinstance(kind, GraphQLList):
            write = self._write_of(kind.of_type, selected)
            return write and partial(_in_lists, write)
        if isinstance(kind, GraphQLObjectType):
            return self._write_objects(kind, selected)
        if not is_leaf_type(kind):
            return None
        of_one = _text if kind is GraphQLString else kind.coerce_output_value
        return partial(_leaves, of_one, IS_WRITTEN.get(kind.name, lambda _: False))

    def _write_objects(self, kind: GraphQLObjectType, selected: Selected) -> Read | None:
        fields = self.collect_subfields(kind, selected).grouped_field_set
        reads: list[Read] = []
        for below in fields.values():
            read = self._read_of(kind, below)
            if read is None:
                return None
            reads.append(read)
        names = tuple(fields)
        return lambda context, objects: [
            dict(zip(names, row, strict=True)) for row in zip(*_columns(reads, context, objects), strict=True)
        ]


def _place(kind: GraphQLObjectType, selected: Selected) -> Place:
    return (kind.name, *(id(details.node) for details in selected))


IS_WRITTEN: dict[str, Callable[[Column], bool]] = {
    GraphQLString.name: lambda values: set(map(type, values)) == {str},
    GraphQLID.name: lambda values: set(map(type, values)) == {str},
    GraphQLBoolean.name: lambda values: set(map(type, values)) == {bool},
    GraphQLFloat.name: lambda values: set(map(type, values)) == {float} and all(map(isfinite, values)),
    GraphQLInt.name: lambda values: (
        set(map(type, values)) == {int} and min(values) >= GRAPHQL_MIN_INT and max(values) <= GRAPHQL_MAX_INT
    ),
}
"""Checks by the name of a scalar: whether its values can go into the answer as they are."""


def _text(value: Any) -> str:
    """A text for the answer. A sentence is spoken in the language of the request."""
    return spoken(GraphQLString.coerce_output_value(value))


def _columns(reads: Sequence[Read], context: Context, objects: Column) -> list[Column]:
    """The columns of all fields. Raises NotLoaded with what any of them still has to load."""
    columns: list[Column] = []
    wanted: list[tuple[Ask, Sequence[Any]]] = []
    for read in reads:
        try:
            columns.append(read(context, objects))
        except NotLoaded as missing:
            wanted += missing.wanted
    if wanted:
        raise NotLoaded(wanted)
    return columns


def _leaves(write: Callable[[Any], Any], is_written: Callable[[Column], bool], _: Context, values: Column) -> Column:
    return values if is_written(values) else list(map(write, values))


def _without_nulls(write: Read, context: Context, values: Column) -> Column:
    if None in values:
        raise TypeError("null where there is always a value")
    return write(context, values)


def _with_nulls(write: Read, context: Context, values: Column) -> Column:
    if None not in values:
        return write(context, values)
    written = iter(write(context, [value for value in values if value is not None]))
    return [None if value is None else next(written) for value in values]


def _in_lists(write: Read, context: Context, lists: list[Column]) -> Column:
    written = iter(write(context, list(chain.from_iterable(lists))))
    return [list(islice(written, len(items))) for items in lists]


@cache
def _take_of(kind: GraphQLObjectType, name: str) -> Read | None:
    """How the values of a field are taken from objects; None if its resolver needs more than the object."""
    field = kind.fields[name]
    declared = (field.extensions or {}).get(GraphQLCoreConverter.DEFINITION_BACKREF)
    if not isinstance(declared, StrawberryField) or declared.extensions or field.args:
        return None
    resolver = declared.base_resolver
    if resolver is None:
        return _take_each(attrgetter(declared.python_name))
    load = getattr(resolver.wrapped_func, "load", None)
    if isinstance(load, FieldLoad):
        return _take_loaded(load)
    if resolver.is_async or resolver.self_parameter is None or resolver.info_parameter is not None:
        return None
    return _take_each(cast("Callable[[Any], Any]", resolver.wrapped_func))  # of an object, not of its class


def _take_each(take: Callable[[Any], Any]) -> Read:
    return lambda _, sources: list(map(take, sources))


def _take_loaded(load: FieldLoad) -> Read:
    """Takes values that have been loaded before. Raises NotLoaded if some have not."""

    def take(context: Context, sources: Column) -> Column:
        known = context.reader.known(load.ask)  # each event of a subscription has another reader
        keys = list(map(load.keys, sources))
        missing = [key for its in keys for key in its if key not in known]
        if missing:
            raise NotLoaded([(load.ask, missing)])
        return [load.make(source, [known[key] for key in its]) for source, its in zip(sources, keys, strict=True)]

    return take
