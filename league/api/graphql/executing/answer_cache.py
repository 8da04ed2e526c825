"""Caches response bodies until the read side changes, and tells which answers may be cached.

An answer is cacheable if each of its fields is a function of one state of the read side. A field is fresh unless its
resolver is declared `@cacheable`. A plain attribute, and a resolver without `info`, are functions of their parent and
need no declaration; a list with pages needs one, since its page is read later.

All cached answers belong to one state of the read side: the newest that this process has heard of. A newer state drops
them, and so does the loss of the connection over which the process hears of states.
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
"""Limit on the cached answers of a process, with their keys. A board page of 50 places has 5 KB."""
OVERHEAD = 600
"""Bytes that an entry takes beside its body and its key."""
REMEMBERED = 10_000
"""Limit on requests known to be cacheable. An equal request waits for the one that is already being computed."""
MOST_INTROSPECTIONS = 16
"""Limit on cached answers about the schema. One has up to 1 MB."""


def cacheable(resolver: F) -> F:
    """Declare that a field is a function of its parent, its arguments and the read tables of the official run.

    A wrong declaration is an error: in a cacheable answer the resolver gets a context that has nothing else.
    """
    resolver.is_cacheable = True  # type: ignore[attr-defined]  # functions have no such attribute by themselves
    return resolver


def may_be_cached(field: StrawberryField) -> bool:
    """Whether a field is plain or declared `@cacheable`."""
    resolver = field.base_resolver
    if resolver is None:
        return True
    is_plain = resolver.info_parameter is None and not field.extensions
    return is_plain or getattr(resolver.wrapped_func, "is_cacheable", False)


@lru_cache(MOST_PARSED)
def is_cacheable(schema: GraphQLSchema, text: str, operation_name: str | None) -> bool:
    """Whether all fields that an operation of a valid document selects may be cached. A mutation never is."""
    operation = operation_of(text, operation_name)
    root = schema.get_root_type(operation.operation)
    if root is None or operation.operation is OperationType.MUTATION:
        return False
    return all(map(may_be_cached, _fields(schema, operation, root, fragments_of(parsed(text)))))


def _fields(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    root: GraphQLNamedType,
    fragments: dict[str, FragmentDefinitionNode],
) -> Iterator[StrawberryField]:
    """The fields that an operation may resolve, without the fields of introspection."""
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


class AnswerKey(Struct, frozen=True, cache_hash=True):
    """Cache key of a request without a token. In one state, requests with equal keys have the same answer."""

    is_get: bool
    content: bytes
    """Body of a POST or query string of a GET: the document, the name of the operation, its variables."""
    as_graphql: bool
    """Whether the answer has GraphQL's own media type."""
    language: Language


class PageKey(Struct, frozen=True, cache_hash=True):
    """Cache key of a page for a visitor who is not signed in."""

    content: bytes
    """The whole address, with the path prefix of a proxy."""
    language: Language


class AnswerRecord(Struct, frozen=True):
    """What a cacheable operation read, and what the log and the metrics say about it."""

    state: ReadState
    operation: str | None
    """Its name in the log."""
    fields: tuple[str, ...]
    """Its root fields."""
    cost: int
    """Cost in points when the answer is computed."""


class CachedAnswer(Struct, frozen=True):
    """A finished answer: the body of its response and its entity tag."""

    body: bytes
    etag: str
    answered: AnswerRecord
    durations: tuple[Histogram, ...]
    """Histograms that measure how long it takes to send the answer from the cache, one for each root field."""


def entity_tag(body: bytes) -> str:
    """The entity tag of a body. It is weak: the body has the same one in every encoding."""
    return f'W/"{sha256(body).hexdigest()[:32]}"'


class AnswerCache:
    """The cached answers of this process, by key."""

    def __init__(self, live: Live, metrics: Metrics, most_bytes: int = MOST_BYTES) -> None:
        self._live, self._metrics, self._most_bytes = live, metrics, most_bytes
        self._cached: OrderedDict[AnswerKey | PageKey, CachedAnswer] = OrderedDict()
        self._bytes = 0
        self._cacheable: OrderedDict[int, None] = OrderedDict()
        """Hashes of keys known to be cacheable. The one asked for last is at the end."""
        self._in_work: dict[AnswerKey | PageKey, asyncio.Future[CachedAnswer | None]] = {}
        """Answers that are being computed from the newest state or a later one."""
        live.on_new_state(self._drop)

    def find(self, key: AnswerKey | PageKey) -> CachedAnswer | None:
        """The cached answer to a request; None if there is none."""
        answer = self._cached.get(key)
        if answer is not None:
            self._cached.move_to_end(key)
        return answer

    def count_hit(self) -> None:
        """Count that a cached answer was sent."""
        self._metrics.cached_answers.labels("hit").inc()

    async def wait(self, key: AnswerKey | PageKey) -> CachedAnswer | None:
        """Wait for the answer to an equal request. None if none is being computed, or its answer is not cacheable."""
        in_work = self._in_work.get(key)
        return None if in_work is None else await asyncio.shield(in_work)

    @contextmanager
    def in_work(self, key: AnswerKey | PageKey) -> Iterator[asyncio.Future[CachedAnswer | None]]:
        """Let equal requests wait for this one. The caller sets the result of the future to the answer."""
        found: asyncio.Future[CachedAnswer | None] = asyncio.get_running_loop().create_future()
        if self._live.state is not None and hash(key) in self._cacheable:
            self._in_work.setdefault(key, found)
        try:
            yield found
        finally:
            if not found.done():
                found.set_result(None)
            if self._in_work.get(key) is found:
                del self._in_work[key]

    def add(self, key: AnswerKey | PageKey, body: bytes, answered: AnswerRecord) -> CachedAnswer:
        """Make a finished answer of a body. Cache it if it belongs to the newest state."""
        self._metrics.cached_answers.labels("miss").inc()
        durations = tuple(self._metrics.operations.labels(field, "ok") for field in answered.fields)
        answer = CachedAnswer(body, entity_tag(body), answered, durations)
        self._remember(hash(key))
        if answered.state == self._live.state:
            self._bytes += _size(key, answer) - (_size(key, self._cached[key]) if key in self._cached else 0)
            self._cached[key] = answer
            while self._bytes > self._most_bytes:
                oldest, dropped = self._cached.popitem(last=False)
                self._bytes -= _size(oldest, dropped)
            self._metrics.cached_bytes.set(self._bytes)
        return answer

    def _remember(self, request: int) -> None:
        self._cacheable[request] = None
        self._cacheable.move_to_end(request)
        if len(self._cacheable) > REMEMBERED:
            self._cacheable.popitem(last=False)

    def _drop(self) -> None:
        self._cached.clear()
        self._bytes = 0
        self._metrics.cached_bytes.set(0)
        # Requests that wait get the answer that they wait for. Later requests need an answer of the new state.
        self._in_work.clear()


def _size(key: AnswerKey | PageKey, answer: CachedAnswer) -> int:
    return OVERHEAD + len(answer.body) + len(key.content)


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
