"""Counts and measures operations by their root fields."""

import time
from collections.abc import Iterator

from strawberry.extensions import SchemaExtension

from league.api.graphql.documents import root_fields_of

NO_FIELD = "-"
"""The root field of a document with faults: its fields need not exist, and clients could make up any number of them."""


class Measuring(SchemaExtension):
    """Observes the duration of each operation; of a subscription, how long it lasted."""

    _fields: tuple[str, ...] = (NO_FIELD,)

    def on_operation(self) -> Iterator[None]:
        """Around everything."""
        started = time.perf_counter()
        result = "INTERNAL"
        try:
            yield
            result = self._result()
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
        if not found:
            return "ok"
        code = (found[0].extensions or {}).get("code")
        return str(code or "GRAPHQL_VALIDATION_FAILED")
