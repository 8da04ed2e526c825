"""Answers are compressed, but no stream, and nothing from whose length another site could learn a secret."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from league.api.graphql.executing.answer_cache import entity_tag
from league.api.server.caching_headers import revalidated
from league.api.server.compression import Compression
from league.console.static_files import StaticFiles

TEXT = "Capicúa. " * 200
COOKIE = {"Cookie": "league=secret"}


async def parts() -> AsyncIterator[bytes]:
    yield b"data: 1\n\n"
    yield b"data: 2\n\n"


def page(request: Request) -> Response:
    response = HTMLResponse(TEXT, headers={"Vary": "Cookie, Accept-Language"})
    return revalidated(request, response, entity_tag(bytes(response.body)))


files = StaticFiles()
app = Starlette(
    routes=[
        Route("/page", page),
        Route("/short", lambda _: PlainTextResponse("Capicúa.")),
        Route("/public", lambda _: PlainTextResponse(TEXT, headers={"Cache-Control": "public, no-cache"})),
        Route("/events", lambda _: StreamingResponse(parts(), media_type="text/event-stream")),
        Route("/parts", lambda _: StreamingResponse(parts(), media_type="multipart/mixed;boundary=-")),
        Route("/export", lambda _: StreamingResponse(parts(), media_type="text/csv")),
        Route("/static/{version}/{name:path}", files.answer),
    ],
    middleware=[Middleware(Compression)],
)


def ask(path: str, method: str = "GET", accept: str = "gzip", of: Any = app, **headers: str) -> httpx.Response:
    async def asked() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(of), base_url="http://league.test") as http:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            return await http.request(method, path, headers={"Accept-Encoding": accept, **given})

    return asyncio.run(asked())


def encoding(response: httpx.Response) -> str | None:
    return response.headers.get("Content-Encoding")


@pytest.mark.parametrize("accept", ["gzip", "br", "zstd", "gzip, deflate, br, zstd"])
def test_an_answer_is_compressed_in_an_encoding_that_the_client_accepts(accept: str) -> None:
    """The best one of several. The text is the same, and caches learn that it depends on what is accepted."""
    response = ask("/page", accept=accept)
    assert (encoding(response), response.text) == (accept.rpartition(" ")[2], TEXT)
    assert int(response.headers["Content-Length"]) < len(TEXT) / 10
    assert response.headers["Vary"] == "Cookie, Accept-Language, Accept-Encoding, Sec-Fetch-Site"


def test_what_is_short_or_not_to_be_compressed_stays_as_it_is() -> None:
    """Its headers tell caches all the same what the next answer could depend on."""
    for response in (ask("/short"), ask("/page", accept="identity")):
        assert (encoding(response), "Accept-Encoding" in response.headers["Vary"]) == (None, True)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", None])
def test_another_site_learns_nothing_from_the_length_of_an_answer(site: str | None) -> None:
    """With a cookie, a request that another site caused, or may have caused, gets an answer of full length."""
    response = ask("/page", **COOKIE, **({} if site is None else {"Sec_Fetch_Site": site}))
    assert (encoding(response), response.text) == (None, TEXT)
    assert response.headers["Vary"] == "Cookie, Accept-Language, Accept-Encoding, Sec-Fetch-Site"


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_our_own_pages_get_compressed_answers_with_a_cookie(site: str) -> None:
    """So does an address that somebody types."""
    assert encoding(ask("/page", **COOKIE, Sec_Fetch_Site=site)) == "gzip"


def test_a_public_answer_is_compressed_for_everybody() -> None:
    """It has no secrets, and does not depend on the cookie."""
    response = ask("/public", **COOKIE, Sec_Fetch_Site="cross-site")
    assert (encoding(response), response.headers["Vary"]) == ("gzip", "Accept-Encoding")


@pytest.mark.parametrize("path", ["/events", "/parts"])
def test_a_stream_is_never_compressed(path: str) -> None:
    """Its parts leave one by one, also for a request of our own pages."""
    for headers in ({}, {**COOKIE, "Sec_Fetch_Site": "same-origin"}):
        response = ask(path, accept="gzip, br, zstd", **headers)
        assert (encoding(response), response.content) == (None, b"data: 1\n\ndata: 2\n\n")


def test_a_head_request_gets_the_headers_of_the_answer() -> None:
    """Encoding, length and tag are those of the GET."""
    head, get = ask("/page", "HEAD"), ask("/page")
    names = ("Content-Encoding", "Content-Length", "ETag", "Vary")
    assert [head.headers[name] for name in names] == [get.headers[name] for name in names]


@pytest.mark.parametrize("cookie", [{}, {**COOKIE, "Sec_Fetch_Site": "same-origin"}, COOKIE])
@pytest.mark.parametrize("accept", ["gzip", "br", "identity"])
def test_an_unchanged_answer_is_not_sent_again(accept: str, cookie: dict[str, str]) -> None:
    """The tag is weak, so it holds for the body in every encoding. 304 keeps what caches need to know."""
    first = ask("/page")
    again = ask("/page", accept=accept, If_None_Match=first.headers["ETag"], **cookie)
    assert (again.status_code, again.content, encoding(again)) == (304, b"", None)
    assert (again.headers["ETag"], again.headers["Vary"]) == (first.headers["ETag"], first.headers["Vary"])
    assert first.headers["ETag"].startswith('W/"')
    assert ask("/page", accept=accept, If_None_Match='W/"other"', **cookie).text == TEXT


def test_an_application_that_mounts_the_league_decides_about_its_own_answers() -> None:
    """Below a path of a host without compression, answers of the league are compressed and the host's are not."""
    host = Starlette(routes=[Mount("/league", app), Route("/", lambda _: PlainTextResponse(TEXT))])
    assert [encoding(ask(path, of=host)) for path in ("/league/page", "/")] == ["gzip", None]
    compressing = Starlette(routes=[Mount("/league", app)], middleware=[Middleware(Compression)])
    assert (encoding(ask("/league/page", of=compressing)), ask("/league/page", of=compressing).text) == ("gzip", TEXT)


def test_files_are_compressed_once_as_well_as_it_goes() -> None:
    """In Brotli or gzip; pictures are left as they are. A cookie makes no difference."""
    path = files.address("console.css")
    sent = [
        ask(path, accept=accept, **COOKIE, Sec_Fetch_Site="cross-site") for accept in ("gzip, br", "gzip", "identity")
    ]
    assert [encoding(one) for one in sent] == ["br", "gzip", None]
    assert {one.text for one in sent} == {files.text("console.css")}
    lengths = [int(one.headers["Content-Length"]) for one in sent]
    assert lengths == sorted(lengths)
    assert lengths[1] == len(gzip.compress(files.text("console.css").encode(), 9, mtime=0))
    assert {one.headers["Vary"] for one in sent} == {"Accept-Encoding"}
    assert encoding(ask(files.address("icon-192.png"), accept="gzip, br")) is None
