"""What holds for every page: its policy, its language, and what an unknown address answers."""

from __future__ import annotations

import html
import re
from contextlib import AbstractContextManager
from urllib.parse import unquote_plus

import httpx
import pytest
from api_server import Served
from browsers import Tab
from playwright.sync_api import expect

from league.console import changes
from league.console.pages import Page
from league.console.site import PAGES


def test_the_first_page_shows_the_board(season_site: Served) -> None:
    """The page comes as HTML from the server, and needs no JavaScript."""
    answer = season_site.http.get("/")
    assert answer.status_code == 200
    assert "/players/" in answer.text
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]


def test_the_first_page_asks_for_scripts_after_its_styles(tab: Tab, season_site: Served) -> None:
    """Only one small script comes beside the styles. The others run in order, and the page follows the league."""
    with tab.page.expect_request("**/changes?*"):
        tab.page.goto(f"http://127.0.0.1:{season_site.port}/")
    names = [url.rpartition("/")[2] for url in tab.asked if "/static/" in url]
    late = ["htmx.min.js", "idiomorph-ext.min.js", "live.js", "forms.js"]
    assert set(names) >= {"console.css", "after_styles.js", *late}
    assert all(names.index(one) > names.index("console.css") for one in late)
    assert season_site.http.get("/").text.count("<script") == 1
    assert tab.page.evaluate("[htmx.config.allowEval, typeof Idiomorph.morph]") == [False, "function"]
    with tab.page.expect_response(lambda answer: answer.request.headers.get("hx-request") == "true") as refreshed:
        tab.page.evaluate("import(document.querySelector('script[src$=\"live.js\"]').src).then(live => live.refresh())")
    assert refreshed.value.ok
    expect(tab.page.locator("main h1")).to_be_visible()
    assert tab.said == []


def test_a_page_that_is_not_there_says_so_in_the_language_of_the_visitor(season_site: Served) -> None:
    """The language is that of the browser until the visitor chooses another."""
    answer = season_site.http.get("/nowhere", headers={"Accept-Language": "es-DO"})
    assert answer.status_code == 404
    assert '<html lang="es">' in answer.text
    assert answer.headers["Content-Language"] == "es"


def test_a_visitor_chooses_the_language(tab: Tab, season_site: Served) -> None:
    """Each page has one button for it at the foot. The page runs without errors and contacts no other host."""
    tab.page.goto(f"http://127.0.0.1:{season_site.port}/")
    tab.page.get_by_role("button", name="En español").click()
    expect(tab.page.locator("html")).to_have_attribute("lang", "es")
    assert tab.said == []
    assert all(url.startswith(f"http://127.0.0.1:{season_site.port}/") for url in tab.asked)


@pytest.mark.parametrize("path", ["/matches/c-0001/record?hand=2", "/boards/global?region=&day=2026-02-01"])
def test_signing_in_leads_back_to_the_whole_address(season_site: Served, path: str) -> None:
    """The form of a hand would otherwise be that of another hand."""
    links = re.findall(r'href="/sign-in\?back=([^"]+)"', season_site.http.get(path).text)
    assert links
    assert {unquote_plus(html.unescape(link)) for link in links} == {path}


def test_a_form_of_another_site_is_refused(season_site: Served) -> None:
    """A browser names the site that sends a form."""
    answer = season_site.http.post("/language", data={"language": "es"}, headers={"Origin": "https://other.example"})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_every_response_tells_browsers_to_be_careful(season_site: Served) -> None:
    """Pages, redirects, streams, files, refusals and answers of the API have a policy, and forbid sniffing."""
    http, big = season_site.http, b"x" * 300_000
    file = re.search(r'"(/static/[^"]+)"', http.get("/").text)
    assert file is not None
    asked = [
        *(("GET", path, b"") for path in ("/", "/nowhere", "/account", "/sign-in/link/none", "/sign-out", file[1])),
        *(("GET", path, b"") for path in ("/graphql", "/healthz", "/metrics", "/photos/none", "/check-proof.html")),
        *(("GET", path, b"") for path in ("/boards/global/picture.png", "/changes", "/tables/none/stream")),
        ("POST", file[1], b""), ("POST", "/language", b""), ("POST", "/language", big), ("POST", "/graphql", big),
    ]  # fmt: skip
    for method, path, body in asked:
        with http.stream(method, path, content=body) as answer:
            headers = answer.headers
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin", path
        assert headers["Referrer-Policy"] in ("same-origin", "no-referrer"), path
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy, path
        assert "frame-ancestors 'none'" in policy, path


def test_nobody_takes_the_streams_of_everybody(season_site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """One client can open only some of the streams; others still hear of changes."""
    monkeypatch.setattr(changes, "MOST_OF_ONE", 2)

    def stream(address: str) -> AbstractContextManager[httpx.Response]:
        return season_site.http.stream("GET", "/changes", headers={"X-Forwarded-For": address})

    with stream("203.0.113.9") as first, stream("203.0.113.9") as second:
        heard = [one.iter_lines() for one in (first, second)]
        assert [next(lines) for lines in heard] == ["retry: 2000"] * 2
        with stream("203.0.113.9") as refused, stream("203.0.113.10") as other:
            assert (refused.status_code, other.status_code) == (503, 200)


def test_a_page_hears_what_changed_after_it_was_made(season_site: Served) -> None:
    """A change before the stream began is its first message."""
    http = season_site.http
    address = re.search(r'data-changes="([^"]+)"', http.get("/").text)
    assert address is not None

    def first(path: str) -> str:
        with http.stream("GET", path) as stream:
            return next(line for line in stream.iter_lines() if line.startswith(("event", "id")))

    assert first(address[1]).startswith("id: ")
    assert first("/changes?since=0.0.0") == "event: changed"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_document_asks_for_the_league(page: Page) -> None:
    """The frame shows its name, and times are shown by its clock."""
    assert re.search(r"league \{\s+name timeZone\b", page.text)
