"""GraphiQL in a browser: it asks only the server of the league, and its policy forbids nothing that it needs."""

from __future__ import annotations

import hashlib
import re
import tomllib
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from api_server import Served, token
from browsers import Tab
from leagues import opened as opened_match
from leagues import send
from playwright.sync_api import Page, expect
from waiting import wait_until

from league.api.server.fetch_graphiql import replace_files
from league.api.server.graphiql_page import FILES

pytestmark = pytest.mark.heavy


def run(page: Page) -> None:
    page.get_by_role("button", name="Execute query").click()


def opened(tab: Tab, served: Served, operation: str = "") -> Page:
    """GraphiQL, perhaps from a link with an operation."""
    tab.page.goto(f"http://127.0.0.1:{served.port}/graphql{operation}")
    return tab.page


def check_that_it_kept_to_itself(tab: Tab, served: Served) -> None:
    """No request left for another host, and nothing was refused or failed."""
    assert {urlsplit(url).netloc for url in tab.asked if not url.startswith("data:")} == {f"127.0.0.1:{served.port}"}
    assert tab.said == []


def test_the_page_runs_its_example_and_shows_the_documentation(tab: Tab, small: Served) -> None:
    """Within its policy, and without a word in the console."""
    page = opened(tab, small)
    run(page)
    expect(page.get_by_label("Result Window")).to_contain_text('"places"')
    page.get_by_label("Show Documentation Explorer").click()
    page.get_by_role("link", name="Query", exact=True).click()
    expect(page.get_by_role("region", name="Documentation Explorer")).to_contain_text("board")
    page.get_by_label("Open settings dialog").click()
    expect(page.get_by_role("dialog")).to_contain_text("Theme")
    check_that_it_kept_to_itself(tab, small)


@pytest.mark.parametrize("before", ["?", "#"])
def test_a_link_brings_an_operation_and_the_headers_a_token(tab: Tab, small: Served, before: str) -> None:
    """With a query for the server, or with a fragment that only the browser sees; variables of a link are shown."""
    page = opened(tab, small, before + "query=" + quote("{ viewer { sub } }"))
    page.locator("section[aria-label=Headers] .graphiql-editor:not(.hidden) .CodeMirror").click()
    page.keyboard.insert_text(f'{{"Authorization": "Bearer {token("admin", sub="kim")}"}}')
    run(page)
    expect(page.get_by_label("Result Window")).to_contain_text('"kim"')
    page.goto("about:blank")  # a fragment alone loads nothing
    opened(tab, small, before + "query=" + quote("{ regions }") + "&variables=" + quote('{"most": 5}'))
    shown = page.locator("section[aria-label=Variables] .graphiql-editor:not(.hidden)")
    expect(shown).to_contain_text('"most": 5')
    check_that_it_kept_to_itself(tab, small)


def test_a_subscription_is_shown_what_happens(tab: Tab, small: Served) -> None:
    """Over a WebSocket of this server."""
    page = opened(tab, small, "#query=" + quote('subscription { matchChanged(match: "m9") { status } }'))
    send(small.league, opened_match("m9", ("ana", "bea"), 0))
    wait_until(lambda: small.ask('{ match(id: "m9") { status } }')["match"])
    run(page)
    shown = page.get_by_label("Result Window")
    expect(shown).to_contain_text('"OPEN"')
    small.do("voidMatch", token("admin"), match="m9", reason="never played")
    expect(shown).to_contain_text('"VOIDED"')
    check_that_it_kept_to_itself(tab, small)


def test_what_the_page_consists_of_may_be_cached_for_ever(small: Served) -> None:
    """Each file has an address of its content; the page itself is never cached, and never framed."""
    page = small.http.get("/graphql", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.headers["cache-control"] == "no-store"
    assert "Accept" in page.headers["vary"]
    policy = page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    addresses = re.findall(r'(?:src|href)="(graphiql/[^"]+)"', page.text)
    assert len(addresses) == 7
    for address in addresses:
        file = small.http.get(f"/{address}")
        assert (file.status_code, "immutable" in file.headers["cache-control"]) == (200, True)
        assert file.headers["content-type"].split(";")[0] in {"text/javascript", "text/css"}
    of_another_version = re.sub("/[0-9a-f]+/", "/0000000000000000/", addresses[0])
    assert small.http.get(f"/{of_another_version}").status_code == 404
    assert small.http.get("/graphiql/0000000000000000/files.toml").status_code == 404


def test_programs_are_not_given_the_page(small: Served) -> None:
    """A program that accepts JSON or anything gets no page."""
    for accept in ("*/*", "application/json, text/html;q=0.5"):
        got = small.http.get("/graphql", params={"query": "{ __typename }"}, headers={"Accept": accept})
        assert got.json()["data"] == {"__typename": "Query"}


def test_the_files_are_those_that_are_pinned() -> None:
    """The files are those that files.toml names, with their hashes."""
    pinned = tomllib.loads((FILES / "files.toml").read_text(encoding="utf-8"))
    hashes = {file["name"]: file["sha256"] for package in pinned.values() for file in package["files"]}
    assert hashes == {name: hashlib.sha256((FILES / name).read_bytes()).hexdigest() for name in hashes}
    ours = {"files.toml", "NOTICES", "page.html", "page.css", "page.js"}
    assert {file.name for file in FILES.iterdir()} == ours | set(hashes)


def test_files_that_are_not_pinned_replace_none(tmp_path: Path) -> None:
    """The error names the hashes of all files that differ, so that a newer version can be pinned."""
    hashes = {name: hashlib.sha256(b"new").hexdigest() for name in ("a.js", "b.js")}
    (tmp_path / "a.js").write_bytes(b"old")
    with pytest.raises(SystemExit, match=f"b.js: {hashlib.sha256(b'other').hexdigest()}"):
        replace_files(tmp_path, {"a.js": b"new", "b.js": b"other"}, hashes)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.js", b"old")]
    replace_files(tmp_path, {"a.js": b"new", "b.js": b"new"}, hashes)
    assert {file.read_bytes() for file in tmp_path.iterdir()} == {b"new"}
