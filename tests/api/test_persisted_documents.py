"""Requests that name their document: by its hash, or by an id of the league's list."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from api_server import Served, served, token
from leagues import catch_up, found, league_at, own_database
from structlog.typing import EventDict
from waiting import LIMIT

from league.api.graphql.executing import documents
from league.api.graphql.executing.documents import (
    OtherDocument,
    PersistedDocuments,
    UnknownDocument,
    documents_in,
    warn_of_faults,
)
from league.api.schema import schema
from league.infra.settings import BadSetting

NEW = "application/graphql-response+json"
LISTED = "query Listed { league { name } }"
FROM_A_FILE = "query FromAFile {\n  regions\n}\n"
UNLISTED = "query Unlisted { regions }"
NAME = {"data": {"league": {"name": "Liga"}}, "extensions": {"cost": 20}}

Send = Callable[..., Any]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def by_hash(named: str) -> dict[str, Any]:
    """What Apollo's and urql's clients send."""
    return {"extensions": {"persistedQuery": {"version": 1, "sha256Hash": named}}}


def by_post(server: Served, sent: dict[str, Any], bearer: str | None = None) -> Any:
    headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
    return server.http.post("/graphql", json=sent, headers=headers).json()


def by_get(server: Served, sent: dict[str, Any], bearer: str | None = None) -> Any:
    headers = {} if bearer is None else {"Authorization": f"Bearer {bearer}"}
    asked = {name: value if isinstance(value, str) else json.dumps(value) for name, value in sent.items()}
    return server.http.get("/graphql", params=asked, headers=headers).json()


def by_socket(server: Served, sent: dict[str, Any], bearer: str | None = None) -> Any:
    with server.socket(bearer) as socket:
        socket.send(json.dumps({"id": "1", "type": "subscribe", "payload": sent}))
        message = json.loads(socket.recv(LIMIT))
    return {"errors": message["payload"]} if message["type"] == "error" else message["payload"]


ways = pytest.mark.parametrize("send", [by_post, by_get, by_socket])


def code(answer: Any) -> str:
    (error,) = answer["errors"]
    found: str = error["extensions"]["code"]
    return found


@pytest.fixture(scope="module")
def strict(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A league that answers listed documents to the public, and no others."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "persisted-documents.json").write_text(json.dumps({"0af5": LISTED}))
    (folder / "regions.graphql").write_text(FROM_A_FILE)
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            catch_up(league)
        with served(url, documents=folder, only_listed_documents=True) as server:
            yield server


@ways
def test_a_document_is_sent_once_and_then_only_its_hash(small: Served, send: Send) -> None:
    """Before that, the error tells the client to send it."""
    text = f"query By{send.__name__} {{ league {{ name }} }}"
    unknown = send(small, by_hash(sha256(text)))
    assert unknown["errors"][0]["message"] == "PersistedQueryNotFound"
    assert code(unknown) == "PERSISTED_QUERY_NOT_FOUND"
    assert send(small, {"query": text, **by_hash(sha256(text))}) == NAME
    assert send(small, by_hash(sha256(text))) == NAME


@pytest.mark.parametrize("accept", ["application/json", NEW])
def test_clients_can_read_that_a_document_is_unknown(small: Served, accept: str) -> None:
    """Status 200 in each media type: some give up on others before they look at the errors."""
    response = small.http.post("/graphql", json=by_hash("0" * 64), headers={"Accept": accept})
    assert (response.status_code, response.headers["content-type"]) == (200, accept)


@ways
def test_a_hash_of_another_document_is_an_error(small: Served, send: Send) -> None:
    """Otherwise one client could make others execute its document."""
    assert code(send(small, {"query": UNLISTED, **by_hash(sha256(LISTED))})) == "PERSISTED_QUERY_MISMATCH"
    assert code(send(small, by_hash(sha256(LISTED)))) == "PERSISTED_QUERY_NOT_FOUND"


@ways
def test_an_id_that_is_a_hash_is_that_of_the_document_beside_it(small: Served, send: Send) -> None:
    """As the hash in `extensions` is."""
    other = {"query": UNLISTED, "documentId": f"sha256:{sha256(LISTED)}"}
    assert code(send(small, other)) == "PERSISTED_QUERY_MISMATCH"
    assert send(small, {"query": LISTED, "documentId": f"sha256:{sha256(LISTED)}"}) == NAME


@pytest.mark.parametrize("sent", [by_hash(1), {"documentId": 1}, {"documentId": {}}], ids=["hash", "id", "object"])  # type: ignore[arg-type]
def test_an_id_that_is_no_text_is_an_error(small: Served, sent: dict[str, Any]) -> None:
    """An id that is not a text is an error of the request."""
    assert code(by_post(small, sent)) == "BAD_REQUEST"
    assert code(by_socket(small, sent)) == "BAD_REQUEST"


def test_documents_of_clients_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The document that was sent longest ago goes first; documents that are too long are not remembered at all."""
    monkeypatch.setattr(documents, "MOST_REMEMBERED", 2)
    known = PersistedDocuments({}, only_listed=False)
    texts = [f"{{ a{n}: regions }}" for n in range(3)]
    for text in (*texts, "#" * 40_000):
        assert known.text_of({"query": text, **by_hash(sha256(text))}) == text
    assert [known.text_of(by_hash(sha256(text))) for text in texts[1:]] == texts[1:]
    for text in (texts[0], "#" * 40_000):
        with pytest.raises(UnknownDocument):
            known.text_of(by_hash(sha256(text)))


def test_documents_of_clients_take_the_memory_of_their_bytes() -> None:
    """Also those with characters beyond the basic ones, for which Python widens every character of a text."""
    known, text = PersistedDocuments({}, only_listed=False), "{ regions } # 🁢" + "x" * 30_000
    tracemalloc.start()
    try:
        known.text_of({"query": text, **by_hash(sha256(text))})
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 30_000 < kept < 40_000
    assert known.text_of(by_hash(sha256(text))) == text


def test_a_league_that_answers_listed_documents_only_remembers_no_others() -> None:
    """A client without a token would fill its memory with what is refused."""
    known = PersistedDocuments({}, only_listed=True)
    known.text_of({"query": UNLISTED, **by_hash(sha256(UNLISTED))})
    with pytest.raises(UnknownDocument):
        known.text_of(by_hash(sha256(UNLISTED)))


@ways
@pytest.mark.parametrize(
    "sent",
    [
        {"query": LISTED},
        {"documentId": "0af5"},
        {"documentId": f"sha256:{sha256(LISTED)}"},
        by_hash(sha256(LISTED)),
    ],
    ids=["text", "id", "hash as id", "hash"],
)
def test_listed_documents_are_for_everybody(strict: Served, send: Send, sent: dict[str, Any]) -> None:
    """In full, by the id that a compiler gave them, or by their hash."""
    assert send(strict, sent) == NAME


def test_a_file_with_one_document_is_known_by_its_hash(strict: Served) -> None:
    """With or without the end of its last line."""
    for text in (FROM_A_FILE, FROM_A_FILE.strip()):
        assert "data" in by_post(strict, by_hash(sha256(text)))


@ways
def test_other_documents_need_a_token(strict: Served, send: Send) -> None:
    """A client with a token may send any."""
    automatic = {"query": UNLISTED, **by_hash(sha256(UNLISTED))}
    for sent in ({"query": UNLISTED}, automatic):
        assert code(send(strict, sent)) == "DOCUMENT_NOT_LISTED"
        assert "data" in send(strict, sent, token("player"))
    assert code(send(strict, by_hash(sha256(UNLISTED)))) == "PERSISTED_QUERY_NOT_FOUND"
    assert code(send(strict, {"documentId": "0af6"})) == "PERSISTED_QUERY_NOT_FOUND"


def test_a_token_does_not_list_a_document() -> None:
    """A hash beside another document is refused, with and without a token."""
    with pytest.raises(OtherDocument):
        PersistedDocuments({sha256(LISTED): LISTED}, only_listed=True).text_of(
            {"query": UNLISTED, **by_hash(sha256(LISTED))}
        )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "{"),
        ("a.json", "[]"),
        ("a.json", '{"a": 1}'),
        ("a.json", '{"0af5": "query Broken {\\n nope"}'),
        ("a.graphql", "\xff"),
        ("a.graphql", "query Broken { nope"),
        ("a.graphql", "{ a " * 2_000 + "}" * 2_000),
    ],
)
def test_a_list_that_cannot_be_read_is_named(tmp_path: Path, name: str, content: str) -> None:
    """The error names the setting and the file."""
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    with pytest.raises(BadSetting, match=rf"LEAGUE_DOCUMENTS: .*{name}"):
        documents_in(tmp_path)


def test_the_fault_of_a_document_is_told(tmp_path: Path) -> None:
    """With its id and its line."""
    (tmp_path / "a.json").write_text(json.dumps({"0af5": "query Broken {\n nope"}))
    with pytest.raises(BadSetting, match=r"a\.json, document 0af5, line 2: Syntax Error: Expected Name, found <EOF>"):
        documents_in(tmp_path)


def test_the_mark_of_an_encoding_is_no_part_of_a_document(tmp_path: Path) -> None:
    """Some editors write it at the beginning of a file."""
    (tmp_path / "a.graphql").write_text(LISTED, encoding="utf-8-sig")
    assert documents_in(tmp_path) == {sha256(LISTED): LISTED}


def test_a_document_of_an_old_client_is_logged_and_stops_nothing(logs: list[EventDict]) -> None:
    """It may ask for what this version of the league does not have."""
    listed = {sha256("{ nope }"): "{ nope }", "old": "{ nope }", "new": "{ regions }"}
    warn_of_faults(listed, schema._schema)
    assert [(line["event"], line["document"]) for line in logs] == [("listed_document_not_valid", "old")]
    assert "Cannot query field 'nope'" in logs[0]["error"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Rather than taken for an empty list."""
    with pytest.raises(BadSetting, match="there is no folder"):
        documents_in(tmp_path / "nowhere")
