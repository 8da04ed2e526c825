"""What happens around each operation: a context of its own, errors that tell no secrets, a line in the log."""

import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import strawberry
import structlog
from graphql import GraphQLError
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext
from strawberry.types.execution import StreamExecutionResult

from league.api.context import Context
from league.api.positions import wanted_position

log = structlog.get_logger()


class OwnContext(SchemaExtension):
    """Gives an operation its own reader, and gives its connection back in the end."""

    async def on_operation(self) -> AsyncIterator[None]:
        """Around everything."""
        context: Context = await self.execution_context.context.for_operation()
        self.execution_context.context = context
        try:
            yield
        finally:
            await context.reader.close()

    async def on_stream_result(self, result: StreamExecutionResult) -> AsyncIterator[None]:
        """Before a result goes out over a stream: a slow client must not hold a connection."""
        await self.execution_context.context.reader.close()
        yield

    def on_execute(self) -> Iterator[None]:
        """All fields read one snapshot, so it is taken after the latest position that any of them asks for."""
        execution, document = self.execution_context, self.execution_context.graphql_document
        assert document is not None
        core, given = execution.schema._schema, execution.variables or {}  # noqa: SLF001  # type: ignore[attr-defined]
        position = wanted_position(core, document, execution.operation_name, given)
        if position:
            execution.context.reader.not_before(position)
        yield


class LogOperation(SchemaExtension):
    """One line an operation: what, how long, how it ended."""

    def on_operation(self) -> Iterator[None]:
        """Around everything."""
        started = time.perf_counter()
        yield
        execution = self.execution_context
        log.info(
            "operation",
            operation=_named(execution),
            actor=execution.context.viewer.sub,
            milliseconds=round((time.perf_counter() - started) * 1000, 1),
            errors=len(execution.pre_execution_errors or ()),
        )


class LeagueSchema(strawberry.Schema):
    """The schema, with errors masked wherever they come up."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Replace, in place, what nobody foresaw: the log gets all of it, the client only where to look it up."""
        context: Context | None = None if execution_context is None else execution_context.context
        request_id = None if context is None else context.request_id
        for number, error in enumerate(errors):
            cause = _unforeseen(error)
            if cause is not None:
                log.error("unexpected error", operation=_named(execution_context), exc_info=cause, path=error.path)
                errors[number] = GraphQLError(
                    "Something went wrong on the server. It has been logged under the request id.",
                    nodes=error.nodes,
                    path=error.path,
                    extensions={"code": "INTERNAL", "requestId": request_id},
                )


def _unforeseen(error: GraphQLError) -> Exception | None:
    """What lies behind an error, unless it was raised for the client to read."""
    cause: Any = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    return cause if isinstance(cause, Exception) else None


def _named(execution: ExecutionContext | None) -> str | None:
    if execution is None:
        return None
    if execution.operation_name is not None:
        return execution.operation_name
    try:
        return execution.operation_type.value
    except RuntimeError:  # it could not even be read
        return None
