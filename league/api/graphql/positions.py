"""The log position that an operation waits for, from the `afterPosition` of its root fields."""

from collections.abc import Iterator

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
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    get_argument_values,
    get_directive_values,
)
from graphql.execution.values import VariableValues

ARGUMENT = "afterPosition"


def wanted_position(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, variables: VariableValues
) -> int:
    """The latest position that an operation asks for with these variables; 0: none.

    Faults of its arguments are reported when it is executed.
    """
    root = schema.get_root_type(operation.operation)
    if root is None:
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
    selections: SelectionSetNode,
    fragments: dict[str, FragmentDefinitionNode],
    variables: VariableValues,
    seen: set[str],
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


def _included(part: SelectionNode, variables: VariableValues) -> bool:
    try:
        skip = get_directive_values(GraphQLSkipDirective, part, variables)
        include = get_directive_values(GraphQLIncludeDirective, part, variables)
    except GraphQLError:  # null where a variable has to be true or false
        return False
    return not (skip and skip["if"]) and (include is None or include["if"])
