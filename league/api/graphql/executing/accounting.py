"""Accounts for each operation: takes its cost from the client's points, measures its duration, logs one line."""

import asyncio
import time
from collections.abc import Iterator

import structlog
from strawberry.extensions import SchemaExtension
from strawberry.types import StreamExecutionResult

from league.api.graphql.executing.answer_cache import is_introspection_cached
from league.api.graphql.executing.context import Context
from league.api.graphql.executing.documents import core_of, cost_of, root_fields_of
from league.api.graphql.executing.limits import MUTATION
from league.api.graphql.executing.operations import NOT_EXECUTED, code_of, name_for_log
from league.api.graphql.executing.plain_fields import json_bytes
from league.api.graphql.executing.rate_limits import REFUSED, OperationPrice, RateLimited

CACHED_ANSWER = 1
"""Points for an answer that was computed before."""
BYTES_A_POINT = 100
"""Bytes of an answer that a point of its cost pays for. How long some lists are is not known before they are read."""
OF_ADMINS = 10
"""An admin spends a tenth of what operations cost: the laboratory asks again while a number is dragged."""


NO_FIELD = "-"
"""The root field of a document with faults: its fields need not exist, and clients could make up any number of them."""
ENDED = "ended"
"""The result of an operation that ended before it was answered, and of a subscription that had no end of its own."""

log = structlog.get_logger()


def charge_entries(context: Context, count: int) -> None:
    """Charge each entry of a mutation's list after the first as one more mutation. Raises RateLimited.

    An operation takes, with its entries, at most the points of one minute.
    """
    more = MUTATION * max(count - 1, 0)
    if not more or context.has_lost_its_state:
        return
    taken, price = _of_viewer(context, more), context.price
    if context.client is not None:
        context.rate_limits.spend(context.client, taken, before=0 if price is None else price.taken)
    if price is not None:
        context.price = OperationPrice(price.cost + more, price.taken + taken)


def _of_viewer(context: Context, points: int) -> int:
    return -(-points // OF_ADMINS) if "admin" in context.viewer.roles else points


class Charging(SchemaExtension):
    """Refuses an operation that costs more than its client may still spend, and ends a subscription that does."""

    _is_charged = False
    _has_answered = False
    _is_refused = False

    def on_operation(self) -> Iterator[None]:
        """Around everything: also a document with faults has a price."""
        try:
            yield
            self._charge_for_size()
        except NOT_EXECUTED:
            self._is_charged = True  # the endpoint charges for these: it answers them over HTTP
            raise
        finally:
            if not self._is_charged:
                self._charge(REFUSED)

    def on_validate(self) -> Iterator[None]:
        """After ReadDocument has validated the document, which has a cost by now."""
        execution = self.execution_context
        if not execution.pre_execution_errors:
            self._is_charged = True
            price = execution.context.price = self._price()
            error = self._charge(price.taken)
            if error is not None:
                execution.pre_execution_errors = [error]
        yield

    def on_stream_result(self, _: StreamExecutionResult) -> Iterator[None]:
        """Before a result goes out. Each result after the first is charged again. Raises RateLimited."""
        if self._has_answered and not self._is_refused:
            error = self._charge(self._price().taken)
            if error is not None:
                self._is_refused = True  # the error comes by here too, as the last result
                raise error
        self._has_answered = True
        yield

    def _charge_for_size(self) -> None:
        """Take more points for an answer that is larger than its cost pays for, as far as the client has them."""
        context, result = self.execution_context.context, self.execution_context.result
        price, data = context.price, getattr(result, "data", None)
        if price is None or price.taken == CACHED_ANSWER or not data:
            return
        more = len(json_bytes(data)) // BYTES_A_POINT - price.cost
        if more > 0:
            more = _of_viewer(context, more)
            context.price = OperationPrice(price.cost, price.taken + more)
            if context.client is not None and not context.has_lost_its_state:
                context.rate_limits.take(context.client, more)

    def _price(self) -> OperationPrice:
        execution = self.execution_context
        core = core_of(execution.schema)
        assert execution.query is not None, "it was parsed"
        cost = cost_of(core, execution.query, execution.operation_name)
        if is_introspection_cached(execution):
            return OperationPrice(cost, CACHED_ANSWER)
        return OperationPrice(cost, _of_viewer(execution.context, cost))

    def _charge(self, points: int) -> RateLimited | None:
        context = self.execution_context.context
        if context.client is None or context.has_lost_its_state:  # an operation that is executed again is charged once
            return None
        try:
            context.rate_limits.spend(context.client, points)
        except RateLimited as error:
            return error
        return None


class Measuring(SchemaExtension):
    """Observes the duration of each operation. A subscription counts from its beginning to its end."""

    _fields: tuple[str, ...] = (NO_FIELD,)

    def on_operation(self) -> Iterator[None]:
        """Around everything."""
        started = time.perf_counter()
        result = ENDED
        try:
            yield
            result = self._result()
        except (asyncio.CancelledError, GeneratorExit):  # a client unsubscribed or left, or the server stops
            raise
        except Exception as error:
            result = code_of(error)
            raise
        finally:
            for field in self._fields:
                operations = self.execution_context.context.metrics.operations
                operations.labels(field, result).observe(time.perf_counter() - started)

    def on_validate(self) -> Iterator[None]:
        """After ReadDocument has validated the document: its fields are those of the schema."""
        execution = self.execution_context
        if not execution.pre_execution_errors:
            assert execution.query is not None, "it was parsed"
            self._fields = root_fields_of(execution.query, execution.operation_name)
        yield

    def _result(self) -> str:
        execution = self.execution_context
        found = execution.pre_execution_errors or (execution.result.errors if execution.result else None)
        return code_of(found[0]) if found else "ok"


class LogOperation(SchemaExtension):
    """Logs one line per operation: its name, its duration, its outcome."""

    def on_operation(self) -> Iterator[None]:
        """Around everything."""
        started = time.perf_counter()
        yield
        execution = self.execution_context
        log.info(
            "operation",
            operation=name_for_log(execution),
            actor=execution.context.viewer.sub,
            milliseconds=round((time.perf_counter() - started) * 1000, 1),
            errors=len(execution.pre_execution_errors or ()),
        )
