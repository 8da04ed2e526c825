"""Reads the document of an operation: counted, parsed and validated once, however often it is sent."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    TypeInfo,
    ValidationContext,
    ValuesOfCorrectTypeRule,
    get_operation_ast,
    get_variable_values,
    parse,
    specified_rules,
    validate,
)
from graphql.execution.values import VariableValues
from strawberry.extensions import SchemaExtension
from strawberry.schema.base import BaseSchema
from strawberry.schema.exceptions import CannotGetOperationTypeError

from league.api.graphql.executing.bounds import FittingLiterals, check_selections, check_text, check_variables
from league.api.graphql.executing.limits import Limits
from league.api.graphql.request_errors import RequestError
from league.wording.language import _

KEPT = 256
"""Documents that are remembered."""
MOST_ERRORS = 10
"""Faults of a document that are looked for."""


def core_of(schema: BaseSchema) -> GraphQLSchema:
    """The schema of graphql-core, for which Strawberry has no public name."""
    core: GraphQLSchema = schema._schema  # type: ignore[attr-defined]  # noqa: SLF001  # tests/test_private_names.py
    return core


class ReadDocument(SchemaExtension):
    """Takes the place of Strawberry's parsing and validation."""

    def on_parse(self) -> Iterator[None]:
        """Parse within bounds. Raises TooComplex, UnlistedDocument, GraphQLSyntaxError, AmbiguousOperation."""
        execution = self.execution_context
        provided_name = execution._provided_operation_name  # noqa: SLF001  # else the first one is named
        _check_types(execution.query, execution.variables, provided_name)
        check_variables(execution.variables or {})
        if execution.query:
            execution.context.documents.check(execution.query, execution.context.viewer.sub)
            execution.graphql_document = document = parsed(execution.query)
            if provided_name is None and _operations(document) > 1:
                raise AmbiguousOperation(None)
        yield

    def on_validate(self) -> Iterator[None]:
        """Validate, without guesses at what was meant: each would compare a name with hundreds of others."""
        execution = self.execution_context
        assert execution.query is not None, "it was parsed"
        core = core_of(execution.schema)
        execution.pre_execution_errors = list(faults_of(core, execution.query))
        yield


class AmbiguousOperation(CannotGetOperationTypeError):
    """Several operations, and no `operationName` that chooses one."""

    def as_http_error_reason(self) -> str:
        """What to do instead."""
        return "The document has several operations: name the one to execute in `operationName`."

    __str__ = as_http_error_reason


class NoNameOfOperation(CannotGetOperationTypeError):
    """An `operationName` that is no text."""

    def as_http_error_reason(self) -> str:
        """What is wrong."""
        return "`operationName` must be a text."

    __str__ = as_http_error_reason


def coerced(schema: GraphQLSchema, operation: OperationDefinitionNode, given: dict[str, Any]) -> VariableValues:
    """The variables of an operation. Raises the first fault that GraphQL finds in what was given."""
    definitions = operation.variable_definitions or ()
    values = get_variable_values(schema, definitions, given, max_errors=1, hide_suggestions=True)
    if isinstance(values, list):
        raise values[0]
    return values


@lru_cache(KEPT)
def cost_of(schema: GraphQLSchema, text: str, operation_name: str | None) -> int:
    """The cost of an operation of a valid document, in points: the work it takes at most, lists counted."""
    document = parsed(text)
    operation = get_operation_ast(document, operation_name)
    assert operation is not None, "its type was asked for"
    rule = Limits(ValidationContext(schema, document, TypeInfo(schema), lambda _: None))
    return rule.weight(operation).cost


@lru_cache(KEPT)
def root_fields_of(text: str, operation_name: str | None) -> tuple[str, ...]:
    """The root fields of an operation of a valid document, each once, also those in fragments."""
    document = parsed(text)
    operation = get_operation_ast(document, operation_name)
    assert operation is not None, "its type was asked for"
    fragments = {part.name.value: part for part in document.definitions if isinstance(part, FragmentDefinitionNode)}
    found, waiting = set[str](), [operation.selection_set]
    while waiting:
        for part in waiting.pop().selections:
            if isinstance(part, FieldNode):
                found.add(part.name.value)
            elif isinstance(part, FragmentSpreadNode):
                waiting.append(fragments[part.name.value].selection_set)
            elif isinstance(part, InlineFragmentNode):
                waiting.append(part.selection_set)
    return tuple(sorted(found))


@lru_cache(KEPT)
def parsed(text: str) -> DocumentNode:
    """The document of a text, within bounds. Raises TooComplex and GraphQLSyntaxError."""
    check_text(text)
    document = parse(text)
    check_selections(document)
    return document


@lru_cache(KEPT)
def faults_of(schema: GraphQLSchema, text: str) -> tuple[GraphQLError, ...]:
    """Why a document is not valid; nothing if it is. Raises TooComplex and GraphQLSyntaxError."""
    rules = (*(rule for rule in specified_rules if rule is not ValuesOfCorrectTypeRule), FittingLiterals, Limits)
    return tuple(validate(schema, parsed(text), rules, max_errors=MOST_ERRORS, hide_suggestions=True))


def _operations(document: DocumentNode) -> int:
    return sum(isinstance(part, OperationDefinitionNode) for part in document.definitions)


def _check_types(query: object, variables: object, operation_name: object) -> None:
    # HTTP requests were checked before; a WebSocket takes what comes.
    if not isinstance(query, str | None) or not isinstance(variables, dict | None):
        raise RequestError(_("`query` must be a text, and `variables` an object."))
    if not isinstance(operation_name, str | None):
        raise NoNameOfOperation(None)
