"""Keeps answers to introspection: they say only what the schema is, and take 0.2 seconds to compute."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from graphql import FieldNode, OperationDefinitionNode, get_operation_ast
from strawberry.extensions import SchemaExtension
from strawberry.types import ExecutionContext, ExecutionResult

KEPT = 16
"""Answers; one has up to 1 MB."""

_answers: OrderedDict[tuple[str, str | None], dict[str, Any]] = OrderedDict()
"""By document and operation, the one used last at the end."""


class KeptIntrospection(SchemaExtension):
    """Answers an operation that asks for the schema alone, and takes no variables, from what was answered before."""

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
        if is_kept(execution):
            _answers.move_to_end(key)
            execution.result = ExecutionResult(_answers[key], None)
            yield
            return
        yield
        result = execution.result
        if result is not None and result.data is not None and not result.errors:
            _answers[key] = result.data
            while len(_answers) > KEPT:
                _answers.popitem(last=False)


def is_kept(execution: ExecutionContext) -> bool:
    """Whether the answer to an operation is here already."""
    return (execution.query, execution.operation_name) in _answers


def _asks_for_the_schema(operation: OperationDefinitionNode) -> bool:
    if operation.variable_definitions or operation.directives:
        return False
    return all(
        isinstance(part, FieldNode) and part.name.value in ("__schema", "__type", "__typename")
        for part in operation.selection_set.selections
    )
