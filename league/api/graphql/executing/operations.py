"""Surrounds each operation: its own context, the hooks of extensions, errors without secrets."""

import json
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from contextlib import aclosing
from functools import cache, partial
from inspect import isasyncgenfunction, isawaitable
from types import TracebackType
from typing import Any

import strawberry
import structlog
from graphql import GraphQLError, GraphQLInputObjectType, GraphQLSyntaxError, get_operation_ast, subscribe
from strawberry.exceptions import MissingQueryError
from strawberry.extensions import SchemaExtension
from strawberry.extensions.runner import SchemaExtensionsRunner
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.schema.schema import StreamResult
from strawberry.schema.schema_converter import GraphQLCoreConverter
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.execution import PreExecutionError, StreamExecutionResult
from strawberry.types.graphql import OperationType

from league.api.graphql.executing.answer_cache import AnswerRecord, is_cacheable
from league.api.graphql.executing.context import CacheableContext, Context, WatchContext
from league.api.graphql.executing.documents import coerced, core_of, cost_of, root_fields_of
from league.api.graphql.executing.plain_fields import json_bytes
from league.api.graphql.executing.read_from import snapshot_wanted, wanted_state
from league.api.graphql.executing.replicas import outage_extensions, outage_message
from league.api.graphql.live.watches import FinishedResult, Results, Watch
from league.api.graphql.request_errors import UNEXPECTED, ErrorCode, RequestError
from league.infra.outages import outages
from league.wording.language import language, spoken

LONGEST_MESSAGE = 1_000
"""Limit on the characters of an error message."""
MOST_EXECUTIONS = 3
"""Limit on executions of an operation whose replica goes away while it runs."""
LONGEST_NAME = 64
"""Limit on the characters of an operation's name in the log."""

NOT_EXECUTED = (CannotGetOperationTypeError, InvalidOperationTypeError, MissingQueryError)
"""Strawberry's errors for requests without an operation that can be executed."""

log = structlog.get_logger()


class OwnContext(SchemaExtension):
    """Gives an operation its own reader, and releases its connection at the end."""

    _is_query = _may_be_cached = False

    async def on_operation(self) -> AsyncIterator[None]:
        """Around everything."""
        execution = self.execution_context
        of_request: Context = execution.context
        context = await of_request.for_operation()
        execution.context = context
        try:
            yield
            if self._is_query and execution.result is not None and not execution.result.errors:
                of_request.has_read = self._answered(context)
                if self._may_be_cached and not context.is_beyond_the_state:
                    of_request.answered = of_request.has_read
        finally:
            of_request.price = context.price
            of_request.has_lost_its_state = context.reader.has_lost_its_state
            await context.reader.close()

    def _answered(self, context: Context) -> AnswerRecord | None:
        # An operation that reads nothing, such as `{ __typename }`, has the same answer in every state.
        state = context.reader.state if context.reader.has_read else context.source.live.state
        execution = self.execution_context
        assert execution.query is not None, "it was parsed"
        if state is None:
            return None
        asked = (execution.query, execution.operation_name)
        core = core_of(execution.schema)
        return AnswerRecord(state, name_for_log(execution), root_fields_of(*asked), cost_of(core, *asked))

    async def on_stream_result(self, result: StreamExecutionResult) -> AsyncIterator[None]:
        """Before a result goes out over a stream: a slow client must not hold a connection."""
        await self.execution_context.context.reader.close()
        yield

    def on_execute(self) -> Iterator[None]:
        """All fields read one snapshot, which `@readFrom` may choose."""
        execution, document = self.execution_context, self.execution_context.graphql_document
        assert document is not None
        core = core_of(execution.schema)
        operation = get_operation_ast(document, execution.operation_name)
        assert operation is not None, "its type was asked for"
        variables = coerced(core, operation, execution.variables or {})
        context: Context = execution.context
        wanted = wanted_state(core, operation, variables)
        context.reader.not_before(wanted.after_position)
        if not wanted.is_official:
            take = partial(snapshot_wanted, context.source.engine, context.league, wanted, drafts=context.reads_drafts)
            context.reader.read_from(take)
        assert execution.query is not None, "it was parsed"
        self._is_query = execution.operation_type is OperationType.QUERY
        if wanted.is_official and is_cacheable(core, execution.query, execution.operation_name):
            if self._is_query:
                self._may_be_cached = True
                context.reader.only_state(context.viewer.sub)
                # Only resolvers get this one. The extensions around them go on with the whole context.
                execution.context = CacheableContext(context)
            else:
                context.watch = self._watch
        try:
            yield
        finally:
            execution.context = context

    def _watch(self) -> Watch[FinishedResult]:
        execution = self.execution_context
        context: Context = execution.context
        schema: Any = execution.schema
        document = execution.graphql_document
        assert document is not None
        variables = json.dumps(execution.variables, sort_keys=True)
        equal = (language(), execution.query, execution.operation_name, variables)

        async def results() -> Results[FinishedResult]:
            of_all = WatchContext(context.of_nobody())
            begun: Any = subscribe(
                core_of(schema),
                document,
                context_value=of_all,
                variable_values=execution.variables,
                operation_name=execution.operation_name,
                executor_class=schema.execution_context_class,
            )
            async with aclosing(await begun if isawaitable(begun) else begun) as found:
                async for result in found:
                    context.metrics.computations.inc()
                    of_all.has_failed = bool(result.errors)
                    if of_all.reader.has_lost_its_state:
                        continue  # it is computed again
                    yield of_all.reader.state, FinishedResult(json_bytes(result.data), result.errors or None)

        return context.watches.of(equal, results)


class ExtensionStage:
    """Runs one hook of all extensions around a stage of an operation.

    Strawberry's own context managers take 0.06 ms more CPU for `{ __typename }`, which takes 0.30 ms with these.
    """

    __slots__ = ("_entered", "_extensions", "_given", "_hook")

    def __init__(self, extensions: list[SchemaExtension], hook: str, *given: Any) -> None:
        self._extensions, self._hook, self._given = extensions, hook, given
        self._entered: list[Generator[None] | AsyncGenerator[None]] = []

    async def __aenter__(self) -> None:
        """Enter the hooks, in the order of the extensions."""
        for extension in self._extensions:
            kind: Any = type(extension)
            function, is_async = _hook(kind, self._hook)
            if function is not None:
                entered = function(extension, *self._given)
                await anext(entered) if is_async else next(entered)
                self._entered.append(entered)

    async def __aexit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        """Leave the hooks in the opposite order. Each receives the error and may raise a different one."""
        raised = error
        while self._entered:
            hook = self._entered.pop()
            try:
                if isinstance(hook, Generator):
                    next(hook, None) if raised is None else hook.throw(raised)
                else:
                    await (anext(hook, None) if raised is None else hook.athrow(raised))
            except (StopIteration, StopAsyncIteration):
                raised = None  # the hook has handled it
            except BaseException as another:  # noqa: BLE001  # the hooks around it receive it
                raised = another
        if raised is not None and raised is not error:
            raise raised


class ExtensionHooks(SchemaExtensionsRunner):
    """The stages of an operation. All hooks must be generators; only the price is added to the answer."""

    def operation(self) -> Any:
        """Around everything."""
        return ExtensionStage(self.extensions, "on_operation")

    def parsing(self) -> Any:
        """Around parsing."""
        return ExtensionStage(self.extensions, "on_parse")

    def validation(self) -> Any:
        """Around validation."""
        return ExtensionStage(self.extensions, "on_validate")

    def executing(self) -> Any:
        """Around execution."""
        return ExtensionStage(self.extensions, "on_execute")

    def on_stream_result(self, result: StreamExecutionResult) -> Any:
        """Around sending a result."""
        return ExtensionStage(self.extensions, "on_stream_result", result)

    async def get_extensions_results(self, ctx: ExecutionContext) -> dict[str, Any]:
        """The `extensions` of an answer: the cost of a valid operation."""
        price = ctx.context.price
        return {} if price is None else {"cost": price.cost}


@cache
def _hook(kind: Any, name: str) -> tuple[Any, bool]:
    """The hook of a kind of extension, if it has one, and whether it is asynchronous."""
    hook = getattr(kind, name)
    return (None, False) if hook is getattr(SchemaExtension, name) else (hook, isasyncgenfunction(hook))


class NeedsStream(InvalidOperationTypeError):
    """A subscription was sent where only one answer is possible."""

    def as_http_error_reason(self, method: str) -> str:
        """Where to send it instead."""
        return (
            "A subscription has many answers: ask over a WebSocket with the protocol graphql-transport-ws, or send it "
            "to /graphql/stream with the header `Accept: text/event-stream`."
        )


class LeagueSchema(strawberry.Schema):
    """The schema, with a code for each error, and masked errors, wherever they occur."""

    async def execute(self, *args: Any, **kwargs: Any) -> ExecutionResult:
        """The one answer to a query or a mutation. Raises NeedsStream for a subscription."""
        kwargs["allowed_operation_types"] = set(kwargs.get("allowed_operation_types") or OperationType) - {
            OperationType.SUBSCRIPTION
        }
        try:
            answer, executed = await super().execute(*args, **kwargs), 1
            while kwargs["context_value"].has_lost_its_state and executed < MOST_EXECUTIONS:
                answer, executed = await super().execute(*args, **kwargs), executed + 1
            return answer
        except InvalidOperationTypeError as error:
            if error.operation_type is OperationType.SUBSCRIPTION:
                raise NeedsStream(error.operation_type) from error
            raise

    def create_extensions_runner(
        self, execution_context: ExecutionContext, extensions: list[SchemaExtension]
    ) -> ExtensionHooks:
        """Runs the hooks of an operation's extensions."""
        return ExtensionHooks(execution_context, extensions)

    async def stream(self, *args: Any, **kwargs: Any) -> StreamResult:
        """The answers to an operation over a socket or as events."""
        return self._to_the_end(await super().stream(*args, **kwargs), kwargs["context_value"])

    async def _to_the_end(self, answers: StreamResult, context: Context) -> StreamResult:
        # Strawberry does not process errors raised in extensions here, such as a syntax error by its ParserCache or an
        # outage by our OwnContext; without this the client would receive no error.
        try:
            async with aclosing(answers):
                async for answer in answers:
                    yield answer
        except Exception as error:  # noqa: BLE001  # whatever it is, the client receives an error
            found = error if isinstance(error, GraphQLError) else GraphQLError(str(error), original_error=error)
            yield PreExecutionError(data=None, errors=[_public_error(found, None, context.request_id)])

    def _extend_introspection(self) -> None:
        # Strawberry answers `isOneOf` by itself. When graphql-core knows of it, it also prints and validates it.
        for kind in self._schema.type_map.values():
            if isinstance(kind, GraphQLInputObjectType):
                kind.is_one_of = kind.extensions[GraphQLCoreConverter.DEFINITION_BACKREF].is_one_of

    def _get_custom_context_kwargs(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        # Strawberry has no setting for it.
        return {**super()._get_custom_context_kwargs(*args, **kwargs), "hide_suggestions": True}

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Replace errors, in place, by their public versions."""
        context: Context | None = None if execution_context is None else execution_context.context
        request_id = None if context is None else context.request_id
        has_stored = context is not None and context.has_stored
        for number, error in enumerate(errors):
            errors[number] = _public_error(error, name_for_log(execution_context), request_id, has_stored=has_stored)


def _public_error(
    error: GraphQLError, operation: str | None, request_id: str | None, *, has_stored: bool = False
) -> GraphQLError:
    """The public error, with a code. Unexpected errors are logged; the client gets only the request id."""
    message, extensions = spoken(_sentence_of(error)), dict[str, Any]()
    cause = _unforeseen(error)
    if (outage := outage_message(cause, has_stored=has_stored)) is not None:
        outages.note(cause)
        message, extensions = spoken(outage), outage_extensions(cause, has_stored=has_stored)
    elif isinstance(cause, NOT_EXECUTED):
        # Over HTTP the endpoint answers these. Over a socket and as events they are answered here.
        message = _why_not_executed(cause)
    elif cause is not None:
        log.error("unexpected error", operation=operation, exc_info=cause, path=error.path)
        message, extensions = spoken(UNEXPECTED), {"requestId": request_id}
    else:
        extensions = dict(error.extensions or {})
    extensions["code"] = code_of(error)
    # A new error: for a GraphQLSyntaxError Strawberry would close the whole socket.
    return GraphQLError(
        _shortened(message), error.nodes, error.source, error.positions, error.path, extensions=extensions
    )


def _sentence_of(error: GraphQLError) -> str:
    """The message of an error. For one of ours it is the sentence: graphql-core copies only its English."""
    own = error.original_error
    return own.message if isinstance(own, RequestError) else error.message


def code_of(error: Exception) -> str:
    """The code of an error, for clients and for the metrics."""
    cause = _unforeseen(error) if isinstance(error, GraphQLError) else error
    if outage_message(cause) is not None:
        return ErrorCode.UNAVAILABLE.name
    if isinstance(cause, NOT_EXECUTED):
        return ErrorCode.BAD_REQUEST.name
    if cause is not None:
        return ErrorCode.INTERNAL.name
    assert isinstance(error, GraphQLError), "all others are their own cause"
    # GraphQL's own errors have no code; Apollo made these common.
    is_syntax = isinstance(error, GraphQLSyntaxError)
    own = ErrorCode.GRAPHQL_PARSE_FAILED if is_syntax else ErrorCode.GRAPHQL_VALIDATION_FAILED
    return str((error.extensions or {}).get("code", own.name))


def _why_not_executed(cause: CannotGetOperationTypeError | InvalidOperationTypeError | MissingQueryError) -> str:
    if isinstance(cause, InvalidOperationTypeError):
        return cause.as_http_error_reason("GET")
    return "There is no query." if isinstance(cause, MissingQueryError) else cause.as_http_error_reason()


def _shortened(message: str) -> str:
    # GraphQL repeats a value that does not fit, however long it is.
    return message if len(message) <= LONGEST_MESSAGE else message[:LONGEST_MESSAGE] + "…"


def _unforeseen(error: GraphQLError) -> Exception | None:
    """The exception behind an error, unless it was raised for the client."""
    cause: Any = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    return cause if isinstance(cause, Exception) else None


def name_for_log(execution: ExecutionContext | None) -> str | None:
    """The name of an operation for the log, otherwise its type; None if neither is known."""
    if execution is None:
        return None
    if isinstance(execution.operation_name, str):  # a client may send anything
        return for_log(execution.operation_name)
    try:
        return execution.operation_type.value
    except RuntimeError:  # the document could not be parsed
        return None


def for_log(name: str) -> str:
    """The name of an operation with escapes and within the limit: a client writes it, and a terminal may show it."""
    escaped = name.encode("unicode_escape").decode()
    return escaped if len(escaped) <= LONGEST_NAME else escaped[: LONGEST_NAME - 1] + "…"
