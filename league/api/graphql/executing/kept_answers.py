"""Which answers may be kept, and their finished bytes: they are sent again while an answer computed now would be equal.

An answer may be kept if each of its fields is a function of one state of the read side. A field is fresh unless its
resolver is declared `@keepable`. A plain attribute, and a resolver without `info`, are functions of their parent and
need no declaration; a list with pages does, since its page is read later.

All that are kept belong to one state of the read side: the newest of which this process has heard. A newer one drops
them, and so does losing the connection over which it hears of states.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar

import msgspec
from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    get_named_type,
    get_operation_ast,
    is_abstract_type,
)
from msgspec import Raw, Struct
from prometheus_client import Histogram
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.field import StrawberryField

from league.api.graphql.executing.bounds import fragments_of
from league.api.graphql.executing.documents import MOST_PARSED, operation_of, parsed
from league.api.graphql.executing.metrics import Metrics
from league.api.graphql.live.listening import Live
from league.domain.sentences import Language
from league.projections.runs import ReadState

F = TypeVar("F", bound=Callable[..., Any])


MOST_BYTES = 64 * 1024 * 1024
"""Limit on all kept answers of a process, with their requests. A board page of 50 places has 5 KB."""
OVERHEAD = 600
"""Bytes that an entry takes beside its body and its request."""
REMEMBERED = 10_000
"""Requests known to be keepable. An equal request waits for the one that is already being computed."""
MOST_INTROSPECTIONS = 16
"""Limit on cached answers about the schema. One has up to 1 MB."""


def keepable(resolver: F) -> F:
    """Declare that a field is a function of its parent, its arguments and the read tables of the official run.

    A wrong declaration is an error: in a kept answer the resolver gets a context that has nothing else.
    """
    resolver.is_keepable = True  # type: ignore[attr-defined]  # functions have no such attribute by themselves
    return resolver


def may_be_kept(field: StrawberryField) -> bool:
    """Whether a field is plain or declared `@keepable`."""
    resolver = field.base_resolver
    if resolver is None:
        return True
    is_plain = resolver.info_parameter is None and not field.extensions
    return is_plain or getattr(resolver.wrapped_func, "is_keepable", False)


@lru_cache(MOST_PARSED)
def is_keepable(schema: GraphQLSchema, text: str, operation_name: str | None) -> bool:
    """Whether all fields that an operation of a valid document selects may be kept. A mutation may not."""
    operation = operation_of(text, operation_name)
    root = schema.get_root_type(operation.operation)
    if root is None or operation.operation is OperationType.MUTATION:
        return False
    return all(map(may_be_kept, _fields(schema, operation, root, fragments_of(parsed(text)))))


def _fields(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    root: GraphQLNamedType,
    fragments: dict[str, FragmentDefinitionNode],
) -> Iterator[StrawberryField]:
    """The fields of the league that an operation may resolve; those of introspection only tell the schema."""
    waiting: list[tuple[SelectionSetNode, Any]] = [(operation.selection_set, root)]
    entered = set[str]()
    while waiting:
        selections, parent = waiting.pop()
        for part in selections.selections:
            if isinstance(part, FragmentSpreadNode):
                if part.name.value not in entered:
                    entered.add(part.name.value)
                    fragment = fragments[part.name.value]
                    waiting.append((fragment.selection_set, schema.type_map[fragment.type_condition.name.value]))
            elif isinstance(part, InlineFragmentNode):
                on = parent if part.type_condition is None else schema.type_map[part.type_condition.name.value]
                waiting.append((part.selection_set, on))
            elif isinstance(part, FieldNode) and not part.name.value.startswith("__"):
                # Behind an interface each type may have a resolver of its own.
                for kind in schema.get_possible_types(parent) if is_abstract_type(parent) else (parent,):
                    yield kind.fields[part.name.value].extensions["strawberry-definition"]
                if part.selection_set is not None:
                    field = parent.fields[part.name.value]
                    waiting.append((part.selection_set, get_named_type(field.type)))


class Asked(Struct, frozen=True, cache_hash=True):
    """A request without a token, as far as its answer depends on it. Equal ones have the same answer in one state."""

    is_get: bool
    content: bytes
    """The body of a POST, the query of a GET: the document, the name of the operation, its variables."""
    as_graphql: bool
    """Whether the answer has GraphQL's own media type."""
    language: Language


class AskedPage(Struct, frozen=True, cache_hash=True):
    """A request for a page by a visitor who is not signed in, as far as the page depends on it."""

    content: bytes
    """The whole address, with what a proxy serves it below."""
    language: Language


class Answered(Struct, frozen=True):
    """What an operation that may be kept read, and what is logged and measured of it."""

    state: ReadState
    operation: str | None
    """Its name in the log."""
    fields: tuple[str, ...]
    """Its root fields."""
    cost: int
    """Its points when it is not kept."""


class Kept(Struct, frozen=True):
    """A finished answer."""

    body: bytes
    etag: str
    answered: Answered
    durations: tuple[Histogram, ...]
    """Where the duration of an answer from here is measured."""


class KeptAnswers:
    """The kept answers of this process, by request."""

    def __init__(self, live: Live, metrics: Metrics, most_bytes: int = MOST_BYTES) -> None:
        self._live, self._metrics, self._most_bytes = live, metrics, most_bytes
        self._kept: OrderedDict[Asked | AskedPage, Kept] = OrderedDict()
        self._bytes = 0
        self._keepable: OrderedDict[int, None] = OrderedDict()
        """The hashes of requests, the one asked last at the end."""
        self._in_work: dict[Asked | AskedPage, asyncio.Future[Kept | None]] = {}
        """Answers that are being computed, from the newest state or a later one."""
        live.on_new_state(self._drop)

    def find(self, asked: Asked | AskedPage) -> Kept | None:
        """The kept answer to a request."""
        kept = self._kept.get(asked)
        if kept is not None:
            self._kept.move_to_end(asked)
        return kept

    def count_hit(self) -> None:
        """Count that a kept answer was sent."""
        self._metrics.kept_answers.labels("hit").inc()

    async def wait(self, asked: Asked | AskedPage) -> Kept | None:
        """The answer to an equal request that is in work now; None if there is none, or it may not be kept."""
        in_work = self._in_work.get(asked)
        return None if in_work is None else await asyncio.shield(in_work)

    @contextmanager
    def in_work(self, asked: Asked | AskedPage) -> Iterator[asyncio.Future[Kept | None]]:
        """Let equal requests wait for this one; set the result of what is yielded to the answer."""
        found: asyncio.Future[Kept | None] = asyncio.get_running_loop().create_future()
        if self._live.state is not None and hash(asked) in self._keepable:
            self._in_work.setdefault(asked, found)
        try:
            yield found
        finally:
            if not found.done():
                found.set_result(None)
            if self._in_work.get(asked) is found:
                del self._in_work[asked]

    def keep(self, asked: Asked | AskedPage, body: bytes, answered: Answered) -> Kept:
        """Make a finished answer of its bytes, and keep it if it is one of the newest state."""
        self._metrics.kept_answers.labels("miss").inc()
        durations = tuple(self._metrics.operations.labels(field, "ok") for field in answered.fields)
        kept = Kept(body, f'"{sha256(body).hexdigest()[:32]}"', answered, durations)
        self._remember(hash(asked))
        if answered.state == self._live.state:
            self._bytes += _size(asked, kept) - (_size(asked, self._kept[asked]) if asked in self._kept else 0)
            self._kept[asked] = kept
            while self._bytes > self._most_bytes:
                oldest, dropped = self._kept.popitem(last=False)
                self._bytes -= _size(oldest, dropped)
            self._metrics.kept_bytes.set(self._bytes)
        return kept

    def _remember(self, request: int) -> None:
        self._keepable[request] = None
        self._keepable.move_to_end(request)
        if len(self._keepable) > REMEMBERED:
            self._keepable.popitem(last=False)

    def _drop(self) -> None:
        self._kept.clear()
        self._bytes = 0
        self._metrics.kept_bytes.set(0)
        # Requests that wait get the answer that they wait for. Later requests need an answer of the new state.
        self._in_work.clear()


def _size(asked: Asked | AskedPage, kept: Kept) -> int:
    return OVERHEAD + len(kept.body) + len(asked.content)


_introspections: OrderedDict[tuple[str, str | None], Raw] = OrderedDict()
"""JSON of the data, by document and name of the operation. The one used last is at the end."""


class CachedIntrospection(SchemaExtension):
    """Caches the answers to operations that ask for the schema alone and take no variables.

    The usual introspection takes 110 ms of CPU. Any client may ask for it, with a token too.
    """

    def on_execute(self) -> Iterator[None]:
        """Around the execution of a document that is valid."""
        execution = self.execution_context
        document, text = execution.graphql_document, execution.query
        assert document is not None
        assert text is not None
        operation = get_operation_ast(document, execution.operation_name)
        if operation is None or not _asks_for_the_schema(operation):
            yield
            return
        key = (text, execution.operation_name)
        if is_introspection_cached(execution):
            _introspections.move_to_end(key)
            data: Any = _introspections[key]
            execution.result = ExecutionResult(data, None)
            yield
            return
        yield
        result = execution.result
        if result is not None and result.data is not None and not result.errors:
            _introspections[key] = Raw(msgspec.json.encode(result.data))
            while len(_introspections) > MOST_INTROSPECTIONS:
                _introspections.popitem(last=False)


def is_introspection_cached(execution: ExecutionContext) -> bool:
    """Whether an operation asks for the schema alone and its answer is cached."""
    return (execution.query, execution.operation_name) in _introspections


def _asks_for_the_schema(operation: OperationDefinitionNode) -> bool:
    if operation.variable_definitions or operation.directives:
        return False
    return all(
        isinstance(part, FieldNode) and part.name.value in ("__schema", "__type", "__typename")
        for part in operation.selection_set.selections
    )
