"""Documents that requests name by a hash: those that the league lists, and those that clients have sent before."""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from league.api.graphql.error_codes import ErrorCode
from league.api.graphql.executing.bounds import MOST_BYTES
from league.api.graphql.request_errors import RequestError
from league.wording.language import _

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
