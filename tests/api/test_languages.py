"""The language of a request: what chooses it, and that shared and cached answers are kept apart by language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from api_server import Served, heard, subscribe, token
from http_clients import web_socket
from websockets.sync.client import ClientConnection

PLACE = "places(first: 1) { nodes { explanation { statement } } }"
BOARD = f"{{ board {{ {PLACE} }} }}"
BADGES = "{ badges { description } }"
AWARDED = {"en": "a pollona", "es": "una pollona"}
CHANGES = f"subscription {{ boardChanged {{ {PLACE} }} }}"
SAID = {"en": "is provisional on the board global", "es": "en la tabla global: provisional"}


def text_of(board: Any) -> str:
    """The text of the board about its first place."""
    return str(board["places"]["nodes"][0]["explanation"]["statement"])


@contextmanager
def socket(league: Served, payload: dict[str, str], **headers: str) -> Iterator[ClientConnection]:
    """A WebSocket with headers of its handshake, and a payload of its first message."""
    with web_socket(league.port, additional_headers=headers) as opened:
        opened.send(json.dumps({"type": "connection_init", "payload": payload}))
        opened.recv()
        yield opened


def test_an_answer_is_in_the_language_that_its_client_prefers(season: Served) -> None:
    """Each request is sent twice, so that the second answer is cached. The response names the language."""
    for accepted, language in [("es-DO, en;q=0.5", "es"), ("en", "en"), ("es", "es"), ("fr", "en")]:
        for _ in range(2):
            answer = season.post(BOARD, headers={"Accept-Language": accepted})
            assert SAID[language] in text_of(answer.json()["data"]["board"])
            assert answer.headers["Content-Language"] == language


def test_cached_answers_are_kept_apart_by_language(season: Served) -> None:
    """The second answer in each language is the one that was cached in it."""
    for language in ("es", "en", "es", "en"):
        answer = season.post(BADGES, headers={"Accept-Language": language})
        assert f'"{AWARDED[language]}"' in answer.text


def test_over_get_caches_learn_what_the_answer_depends_on(season: Served) -> None:
    """`Vary` names the language."""
    answer = season.http.get("/graphql", params={"query": BADGES}, headers={"Accept-Language": "es"})
    assert "Accept-Language" in answer.headers["Vary"]
    assert f'"{AWARDED["es"]}"' in answer.text


def test_what_is_wrong_with_a_document_is_said_in_the_language_of_each_request(season: Served) -> None:
    """A process validates a document once, for whoever sends it."""
    query = '{ board(asOf: "yesterday") { total } }'
    for language, said in (("en", "`asOf`: DateTime is a text"), ("es", "`asOf`: DateTime es un texto")) * 2:
        answer = season.post(query, headers={"Accept-Language": language})
        assert answer.json()["errors"][0]["message"].startswith(said)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            'mutation { voidMatch(input: { match: "nix", reason: "?" }) { ... on UserError { message } } }',
            "No hay partida",
        ),
        ("{ board { places(first: 1000) { nodes { rank } } } }", "errors"),
        ('{ player(id: "x") { a: id b: id } players(first: 1, last: 1) { nodes { id } } }', "errors"),
    ],
)
def test_refusals_and_errors_are_spanish_too(season: Served, query: str, said: str) -> None:
    """A command raises its refusals in a thread, a request in the event loop; both are translated."""
    answer = season.post(query, token("admin"), headers={"Accept-Language": "es"})
    assert said in answer.text
    assert "there is no" not in answer.text


def test_those_who_watch_the_same_board_hear_it_in_their_own_language(season: Served) -> None:
    """The header of the handshake or the first message says it; a result is computed once for each language."""
    with (
        socket(season, {}, **{"Accept-Language": "es"}) as by_header,
        socket(season, {"acceptLanguage": "es"}) as by_payload,
        socket(season, {}) as english,
    ):
        for opened, language in ((by_header, "es"), (by_payload, "es"), (english, "en")):
            subscribe(opened, CHANGES)
            assert SAID[language] in text_of(heard(opened)["boardChanged"])
