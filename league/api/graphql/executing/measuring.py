"""Counts and measures operations by their root fields."""

import asyncio
import time
from collections.abc import Iterator

from strawberry.extensions import SchemaExtension

from league.api.graphql.executing.documents import root_fields_of
from league.api.graphql.executing.operations import code_of

NO_FIELD = "-"
"""The root field of a document with faults: its fields need not exist, and clients could make up any number of them."""
ENDED = "ended"
"""The result of an operation that ended before it was answered, and of a subscription that had no end of its own."""


class Measuring(SchemaExtension):
    """Observes the duration of each operation; of a subscription, how long it lasted."""

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
