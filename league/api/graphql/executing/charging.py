"""Takes the cost of each operation from its client's points: before it is executed, and for each further result."""

from collections.abc import Iterator

from strawberry.extensions import SchemaExtension
from strawberry.types import StreamExecutionResult

from league.api.graphql.executing.documents import core_of, cost_of
from league.api.graphql.executing.kept_introspection import is_kept
from league.api.graphql.executing.operations import NOT_EXECUTED
from league.api.graphql.executing.rate_limits import REFUSED, Price, RateLimited

KEPT_ANSWER = 1
"""Points for an answer that was computed before."""
OF_ADMINS = 10
"""An admin spends a tenth of what operations cost: the laboratory asks again while a number is dragged."""


class Charging(SchemaExtension):
    """Refuses an operation that costs more than its client may still spend, and ends a subscription that does."""

    _is_charged = False
    _has_answered = False
    _is_refused = False

    def on_operation(self) -> Iterator[None]:
        """Around everything: also a document with faults has a price."""
        try:
            yield
        except NOT_EXECUTED:
            self._is_charged = True  # by the endpoint, which answers these over HTTP
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
        """Before a result goes out. Those after the first were read anew; raises RateLimited if they cost too much."""
        if self._has_answered and not self._is_refused:
            error = self._charge(self._price().taken)
            if error is not None:
                self._is_refused = True  # the error comes by here too, as the last result
                raise error
        self._has_answered = True
        yield

    def _price(self) -> Price:
        execution = self.execution_context
        core = core_of(execution.schema)
        assert execution.query is not None, "it was parsed"
        cost = cost_of(core, execution.query, execution.operation_name)
        if is_kept(execution):
            return Price(cost, KEPT_ANSWER)
        return Price(cost, -(-cost // OF_ADMINS) if "admin" in execution.context.viewer.roles else cost)

    def _charge(self, points: int) -> RateLimited | None:
        context = self.execution_context.context
        if context.client is None or context.has_lost_its_state:  # an operation that is executed again is charged once
            return None
        try:
            context.rate_limits.spend(context.client, points)
        except RateLimited as error:
            return error
        return None
