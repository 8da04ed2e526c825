"""Which answers may be kept: those in which each field is a function of one state of the read side.

A field is fresh unless its resolver is declared `@keepable`. A plain attribute, and a resolver without `info`, are
functions of their parent and need no declaration; a list with pages does, since its page is read later.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

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
from strawberry.types.field import StrawberryField

from league.api.graphql.executing.documents import KEPT, parsed

F = TypeVar("F", bound=Callable[..., Any])


def keepable(resolver: F) -> F:
    """Declare that a field is a function of its parent, its arguments and the read tables of the official run.

    A wrong declaration is an error: in a kept answer the resolver gets a context that has nothing else.
    """
    resolver.is_keepable = True  # type: ignore[attr-defined]  # functions have no such attribute by themselves
    return resolver


def may_be_kept(field: StrawberryField) -> bool:
    """Whether a field is plain or declared `@keepable`."""
    resolver = field.base_resolver
    if resolver is None:
        return True
    is_plain = resolver.info_parameter is None and not field.extensions
    return is_plain or getattr(resolver.wrapped_func, "is_keepable", False)


@lru_cache(KEPT)
def is_keepable(schema: GraphQLSchema, text: str, operation_name: str | None) -> bool:
    """Whether all fields that an operation of a valid document selects may be kept. A mutation may not."""
    document = parsed(text)
    operation = get_operation_ast(document, operation_name)
    assert operation is not None, "its type was asked for"
    root = schema.get_root_type(operation.operation)
    if root is None or operation.operation is OperationType.MUTATION:
        return False
    fragments = {part.name.value: part for part in document.definitions if isinstance(part, FragmentDefinitionNode)}
    return all(map(may_be_kept, _fields(schema, operation, root, fragments)))


def _fields(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    root: GraphQLNamedType,
    fragments: dict[str, FragmentDefinitionNode],
) -> Iterator[StrawberryField]:
    """The fields of the league that an operation may resolve; those of introspection only tell the schema."""
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
