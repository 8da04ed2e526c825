"""The log position that an operation waits for, from the `afterPosition` of its root fields."""

from collections.abc import Iterator
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLIncludeDirective,
    GraphQLSchema,
    GraphQLSkipDirective,
    InlineFragmentNode,
    SelectionNode,
    SelectionSetNode,
    get_argument_values,
    get_directive_values,
    get_operation_ast,
    get_variable_values,
)

ARGUMENT = "afterPosition"


def wanted_position(schema: GraphQLSchema, document: DocumentNode, name: str | None, given: dict[str, Any]) -> int:
    """The latest position that the operation of this name requests with these variables; 0: none.

    Execution reports the faults of the operation.
    """
    operation = get_operation_ast(document, name)
    root = None if operation is None else schema.get_root_type(operation.operation)
    if operation is None or root is None:
        return 0
    variables = get_variable_values(schema, operation.variable_definitions or (), given)
    if isinstance(variables, list):
        return 0
    fragments = {part.name.value: part for part in document.definitions if isinstance(part, FragmentDefinitionNode)}
    latest = 0
    for field in _executed(operation.selection_set, fragments, variables, set()):
        defined = root.fields.get(field.name.value)
        if defined is not None and ARGUMENT in defined.args:
            try:
                latest = max(latest, get_argument_values(defined, field, variables).get(ARGUMENT) or 0)
            except GraphQLError:
                continue
    return latest


def _executed(
    selections: SelectionSetNode, fragments: dict[str, FragmentDefinitionNode], variables: Any, seen: set[str]
) -> Iterator[FieldNode]:
    """The root fields of an operation, including those in fragments, each of which is read once."""
    for part in selections.selections:
        if not _included(part, variables):
            continue
        if isinstance(part, FieldNode):
            yield part
        elif isinstance(part, InlineFragmentNode):
            yield from _executed(part.selection_set, fragments, variables, seen)
        elif isinstance(part, FragmentSpreadNode) and part.name.value not in seen:
            seen.add(part.name.value)
            yield from _executed(fragments[part.name.value].selection_set, fragments, variables, seen)


def _included(part: SelectionNode, variables: Any) -> bool:
    try:
        skip = get_directive_values(GraphQLSkipDirective, part, variables)
        include = get_directive_values(GraphQLIncludeDirective, part, variables)
    except GraphQLError:  # null where a variable has to be true or false
        return False
    return not (skip and skip["if"]) and (include is None or include["if"])
