"""Documents of operations, sent or named by a hash: counted, parsed and validated once, however often they come."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import structlog
from graphql import (
    DocumentNode,
    FieldNode,
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

from league.api.graphql.executing.bounds import (
    MOST_BYTES,
    FittingLiterals,
    check_selections,
    check_text,
    check_variables,
    fragments_of,
)
from league.api.graphql.executing.limits import DocumentLimits
from league.api.graphql.request_errors import ErrorCode, RequestError
from league.domain.sentences import say
from league.infra.settings import BadSetting

MOST_PARSED = 256
"""Limit on cached documents that have been parsed and validated."""
MOST_ERRORS = 10
"""Limit on faults that are reported for one document."""
MOST_REMEMBERED = 1_000
"""Limit on documents of clients that are remembered by their hash. Together they have at most 32 MiB."""
SHA256 = "sha256:"
"""Prefix of an id that is the hash of the document."""
LIST = "LEAGUE_DOCUMENTS"

log = structlog.get_logger()


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
    """The variables of an operation. Raises the first fault that GraphQL finds in the given values."""
    definitions = operation.variable_definitions or ()
    values = get_variable_values(schema, definitions, given, max_errors=1, hide_suggestions=True)
    if isinstance(values, list):
        raise values[0]
    return values


@lru_cache(MOST_PARSED)
def cost_of(schema: GraphQLSchema, text: str, operation_name: str | None) -> int:
    """Cost in points of an operation of a valid document: the most work that it may take."""
    document, operation = parsed(text), operation_of(text, operation_name)
    rule = DocumentLimits(ValidationContext(schema, document, TypeInfo(schema), lambda _: None))
    return rule.weight(operation).cost


@lru_cache(MOST_PARSED)
def root_fields_of(text: str, operation_name: str | None) -> tuple[str, ...]:
    """The root fields of an operation of a valid document, each once, also those in fragments."""
    fragments = fragments_of(parsed(text))
    found, waiting = set[str](), [operation_of(text, operation_name).selection_set]
    while waiting:
        for part in waiting.pop().selections:
            if isinstance(part, FieldNode):
                found.add(part.name.value)
            elif isinstance(part, FragmentSpreadNode):
                waiting.append(fragments[part.name.value].selection_set)
            elif isinstance(part, InlineFragmentNode):
                waiting.append(part.selection_set)
    return tuple(sorted(found))


@lru_cache(MOST_PARSED)
def parsed(text: str) -> DocumentNode:
    """The document of a text, within bounds. Raises TooComplex and GraphQLSyntaxError."""
    check_text(text)
    document = parse(text)
    check_selections(document)
    return document


def operation_of(text: str, operation_name: str | None) -> OperationDefinitionNode:
    """An operation of a valid document."""
    operation = get_operation_ast(parsed(text), operation_name)
    assert operation is not None, "its type was asked for"
    return operation


@lru_cache(MOST_PARSED)
def faults_of(schema: GraphQLSchema, text: str) -> tuple[GraphQLError, ...]:
    """Why a document is not valid; nothing if it is. Raises TooComplex and GraphQLSyntaxError."""
    rules = (
        *(rule for rule in specified_rules if rule is not ValuesOfCorrectTypeRule),
        FittingLiterals,
        DocumentLimits,
    )
    return tuple(validate(schema, parsed(text), rules, max_errors=MOST_ERRORS, hide_suggestions=True))


def _operations(document: DocumentNode) -> int:
    return sum(isinstance(part, OperationDefinitionNode) for part in document.definitions)


def _check_types(query: object, variables: object, operation_name: object) -> None:
    # HTTP requests were checked before; a WebSocket takes what comes.
    if not isinstance(query, str | None) or not isinstance(variables, dict | None):
        raise RequestError(say("`query` must be a text, and `variables` an object."))
    if not isinstance(operation_name, str | None):
        raise NoNameOfOperation(None)


def documents_in(folder: Path | None) -> dict[str, str]:
    """The listed documents of a folder: JSON files from ids to documents, and GraphQL files of one document each.

    Raises BadSetting.
    """
    found: dict[str, str] = {}
    for file in _files(folder):
        try:
            content = file.read_text(encoding="utf-8-sig")  # without the mark of its encoding
        except (OSError, ValueError) as error:
            raise BadSetting(LIST, say("{file} cannot be read: {error}", file=file, error=error)) from error
        if file.suffix == ".json":
            read = _map(file, content)
        else:
            read = {hash_of(text): text for text in (content, content.strip())}
        for named, text in read.items():
            _check_syntax(file, named, text)
        found |= read
    return {hash_of(text): text for text in found.values()} | found


def warn_of_faults(listed: Mapping[str, str], schema: GraphQLSchema) -> None:
    """Log the documents that are not valid in this version: old clients may still send them."""
    names = {text: named for named, text in listed.items()}
    for text, named in names.items():
        if faults := faults_of(schema, text):
            log.warning("listed_document_not_valid", document=named, error=faults[0].message)


def _files(folder: Path | None) -> Iterable[Path]:
    if folder is None:
        return ()
    if folder.is_file():
        return (folder,)
    if not folder.is_dir():
        raise BadSetting(LIST, say("there is no folder {folder}", folder=folder))
    return sorted(file for file in folder.rglob("*") if file.suffix in {".json", ".graphql", ".gql"})


def _map(file: Path, content: str) -> dict[str, str]:
    try:
        read = json.loads(content)
    except ValueError as error:
        raise BadSetting(LIST, say("{file} is not JSON: {error}", file=file, error=error)) from error
    if not isinstance(read, dict) or not all(isinstance(text, str) for text in read.values()):
        raise BadSetting(LIST, say("{file} is not an object of ids with their documents", file=file))
    return read


def _check_syntax(file: Path, named: str, text: str) -> None:
    try:
        parsed(text)
    except GraphQLError as error:
        place = f", line {error.locations[0].line}" if error.locations else ""
        raise BadSetting(
            LIST,
            say(
                "{file}, document {named}{place}: {message}", file=file, named=named, place=place, message=error.message
            ),
        ) from error


class UnknownDocument(RequestError):
    """A hash without a document: the client sends the document with it."""

    code = ErrorCode.PERSISTED_QUERY_NOT_FOUND

    def __init__(self) -> None:
        super().__init__("PersistedQueryNotFound")  # clients look for this word


class OtherDocument(RequestError):
    """A hash that differs from the hash of the document beside it."""

    code = ErrorCode.PERSISTED_QUERY_MISMATCH


class UnlistedDocument(RequestError):
    """A document that the league does not list, and no token."""

    code = ErrorCode.DOCUMENT_NOT_LISTED

    def __init__(self) -> None:
        super().__init__("Without a token, this league answers the documents that it lists, and no others.")


class PersistedDocuments:
    """The documents that this process knows by a hash or another id.

    `listed`: documents by their ids and by the SHA-256 of their texts. `only_listed`: requests without a token may
    send only these, and only these are remembered.
    """

    def __init__(self, listed: Mapping[str, str], *, only_listed: bool) -> None:
        self._listed, self._only_listed = listed, only_listed
        self._sent: OrderedDict[str, bytes] = OrderedDict()
        """The texts in UTF-8: a text with one emoji would take four bytes for each of its characters."""

    def text_of(self, request: Mapping[str, Any]) -> str | None:
        """The document that a request names by its id or hash; otherwise the document in the request, if any.

        Raises UnknownDocument, OtherDocument, RequestError.
        """
        text, named, is_hash = request.get("query"), *_id_in(request)
        if named is None or (text and not is_hash):
            return text
        if not isinstance(named, str) or not isinstance(text, str | None):
            raise RequestError(say("The id of a document, and the document, must be texts."))
        if text:
            if hash_of(text) != named.lower():
                raise OtherDocument("The hash is not the SHA-256 of the document.")
            if not self._only_listed:  # else requests without a token would fill the memory with refused texts
                self._remember(named.lower(), text)
            return text
        if named in self._listed:
            return self._listed[named]
        if (sent := self._sent.get(named.lower())) is None:
            raise UnknownDocument
        return sent.decode(errors="surrogatepass")

    def check(self, text: str, sub: str | None) -> None:
        """Raise UnlistedDocument if a request without a token (no `sub`) may not send this text."""
        if self._only_listed and sub is None and hash_of(text) not in self._listed:
            raise UnlistedDocument

    def _remember(self, named: str, text: str) -> None:
        encoded = text.encode(errors="surrogatepass")
        if len(encoded) <= MOST_BYTES:  # a longer one is refused anyway
            self._sent[named] = encoded
            self._sent.move_to_end(named)
            if len(self._sent) > MOST_REMEMBERED:
                self._sent.popitem(last=False)


def _id_in(request: Mapping[str, Any]) -> tuple[object, bool]:
    """The id of a document in a request, and whether it must be the hash of the document beside it."""
    extensions = request.get("extensions")
    persisted = extensions.get("persistedQuery") if isinstance(extensions, dict) else None
    named = persisted.get("sha256Hash") if isinstance(persisted, dict) else request.get("documentId")
    if isinstance(named, str) and named.startswith(SHA256):
        return named.removeprefix(SHA256), True
    return named, isinstance(persisted, dict)


def hash_of(text: str) -> str:
    """The SHA-256 of a document, in hexadecimal."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
