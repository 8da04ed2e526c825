"""Documents that requests name by a hash: those that the league lists, and those that clients have sent before."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import structlog
from graphql import GraphQLError, GraphQLSchema

from league.api.graphql.error_codes import ErrorCode
from league.api.graphql.executing.bounds import MOST_BYTES
from league.api.graphql.executing.documents import faults_of, parsed
from league.api.graphql.request_errors import RequestError
from league.infra.settings import BadSetting
from league.wording.language import _

LIST = "LEAGUE_DOCUMENTS"

log = structlog.get_logger()


def documents_in(folder: Path | None) -> dict[str, str]:
    """The listed documents of a folder: JSON files from ids to documents, and GraphQL files of one document each.

    Raises BadSetting.
    """
    found: dict[str, str] = {}
    for file in _files(folder):
        try:
            content = file.read_text(encoding="utf-8-sig")  # without the mark of its encoding
        except (OSError, ValueError) as error:
            raise BadSetting(LIST, _("{file} cannot be read: {error}", file=file, error=error)) from error
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
        raise BadSetting(LIST, _("there is no folder {folder}", folder=folder))
    return sorted(file for file in folder.rglob("*") if file.suffix in {".json", ".graphql", ".gql"})


def _map(file: Path, content: str) -> dict[str, str]:
    try:
        read = json.loads(content)
    except ValueError as error:
        raise BadSetting(LIST, _("{file} is not JSON: {error}", file=file, error=error)) from error
    if not isinstance(read, dict) or not all(isinstance(text, str) for text in read.values()):
        raise BadSetting(LIST, _("{file} is not an object of ids with their documents", file=file))
    return read


def _check_syntax(file: Path, named: str, text: str) -> None:
    try:
        parsed(text)
    except GraphQLError as error:
        place = f", line {error.locations[0].line}" if error.locations else ""
        raise BadSetting(
            LIST,
            _("{file}, document {named}{place}: {message}", file=file, named=named, place=place, message=error.message),
        ) from error


MOST_KEPT = 1_000
"""Documents of clients that are remembered; together they have at most 32 MiB."""
SHA256 = "sha256:"
"""What begins the id of a document that is its hash."""


class UnknownDocument(RequestError):
    """A hash without a document: the client sends the document with it."""

    code = ErrorCode.PERSISTED_QUERY_NOT_FOUND

    def __init__(self) -> None:
        super().__init__("PersistedQueryNotFound")  # clients look for this word


class OtherDocument(RequestError):
    """A hash that is not the one of the document beside it."""

    code = ErrorCode.PERSISTED_QUERY_MISMATCH


class UnlistedDocument(RequestError):
    """A document that the league does not list, and no token."""

    code = ErrorCode.DOCUMENT_NOT_LISTED

    def __init__(self) -> None:
        super().__init__("Without a token, this league answers the documents that it lists, and no others.")


class PersistedDocuments:
    """The documents that this process knows by a hash or another id.

    `listed`: by id, each also by the SHA-256 of its text. `only_listed`: requests without a token may send no others,
    and no others are remembered.
    """

    def __init__(self, listed: Mapping[str, str], *, only_listed: bool) -> None:
        self._listed, self._only_listed = listed, only_listed
        self._sent: OrderedDict[str, bytes] = OrderedDict()
        """In UTF-8: a text with one emoji would take four bytes for each of its characters."""

    def text_of(self, request: Mapping[str, Any]) -> str | None:
        """The document of a request that names it; the one that the request has otherwise, if any.

        Raises UnknownDocument, OtherDocument, RequestError.
        """
        text, named, is_hash = request.get("query"), *_id_in(request)
        if named is None or (text and not is_hash):
            return text
        if not isinstance(named, str) or not isinstance(text, str | None):
            raise RequestError(_("The id of a document, and the document, must be texts."))
        if text:
            if hash_of(text) != named.lower():
                raise OtherDocument("The hash is not the SHA-256 of the document.")
            if not self._only_listed:  # else those without a token would fill the memory with what is refused
                self._remember(named.lower(), text)
            return text
        if named in self._listed:
            return self._listed[named]
        if (sent := self._sent.get(named.lower())) is None:
            raise UnknownDocument
        return sent.decode(errors="surrogatepass")

    def check(self, text: str, sub: str | None) -> None:
        """Raise UnlistedDocument if this text is not for those without a token."""
        if self._only_listed and sub is None and hash_of(text) not in self._listed:
            raise UnlistedDocument

    def _remember(self, named: str, text: str) -> None:
        encoded = text.encode(errors="surrogatepass")
        if len(encoded) <= MOST_BYTES:  # a longer one is refused anyway
            self._sent[named] = encoded
            self._sent.move_to_end(named)
            if len(self._sent) > MOST_KEPT:
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
