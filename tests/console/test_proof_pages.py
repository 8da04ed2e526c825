"""The pages of the signed log and of a match's proof, and the page that checks both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import cast

import pytest
from api_server import Served, served
from axe_playwright_python.sync_playwright import Axe
from browsers import Tab
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from leagues import announced, catch_up, found, league_at, own_database, send
from msgspec.structs import replace
from playwright.sync_api import expect
from starlette.requests import Request

from league.api.auth.permissions import Viewer
from league.api.auth.reach import Role
from league.api.auth.tokens import TokenSession
from league.audit.proofs import check_proof
from league.audit.signed_heads import is_genuine, raw, read_heads
from league.console import site
from league.console.asking import SessionCookie

KEY = Ed25519PrivateKey.generate()
PUBLIC = raw(KEY.public_key())


async def session_of(request: Request) -> TokenSession:
    """A session of the roles that a test writes into a header: signing in is not what is tested here."""
    role = request.headers.get("x-role")
    return TokenSession(Viewer(sub="kim", roles=(cast("Role", role),))) if role else TokenSession()


@pytest.fixture(scope="module")
def signed(embedded_server: str) -> Iterator[Served]:
    """A league with two signed heads, and a match that no head covers."""
    with own_database(embedded_server) as url, pytest.MonkeyPatch.context() as patch:
        patch.setattr(SessionCookie, "session_of", lambda _, request: session_of(request))
        with league_at(url) as league:
            found(league)
            for match in ("m1", "m2"):
                send(league, announced(match, ("ana", "bea"), int(match[1])))
                replace(league, key=KEY).sign_head()
            send(league, announced("late", ("ana", "bea"), 5))
            catch_up(league)
        with served(url, create=site.create_site) as server:
            yield server


def test_everybody_sees_the_signed_log(signed: Served) -> None:
    """Everybody can download its heads, and each is genuine."""
    page = signed.http.get("/log", headers={"Accept-Language": "es"})
    assert page.status_code == 200
    assert PUBLIC.hex() in page.text
    assert "2 firmas" in page.text
    kept = signed.http.get("/signed-heads.json")
    heads = read_heads(kept.content)
    assert len(heads) == 2
    assert all(map(is_genuine, heads))
    assert heads[0].root.hex() in page.text
    assert "attachment" in kept.headers["Content-Disposition"]


def test_a_league_without_heads_says_so(small_site: Served) -> None:
    """The page says when the league signs, and the file of heads is an empty list."""
    assert "Nothing is signed yet." in small_site.http.get("/log").text
    assert small_site.http.get("/signed-heads.json").json() == []


def test_a_proof_is_for_those_who_may_read_it(signed: Served) -> None:
    """They get it as a page and as a file. The page says if the match is not signed yet, or does not exist."""
    auditor = {"x-role": "auditor"}
    file = signed.http.get("/matches/m1/proof.json", headers=auditor)
    head, events = check_proof(file.content, [PUBLIC], datetime.now(UTC))
    assert {event.stream for event in events} == {"match:m1"}
    page = signed.http.get("/matches/m1/proof", headers=auditor)
    assert (page.status_code, f"{len(events)} events" in page.text) == (200, True)
    assert f"<dd>{head.position}</dd>" in page.text
    for match, role, page_status, file_status in (
        ("m1", None, 401, 401),
        ("m1", "scorekeeper", 403, 403),
        ("m1", "player", 200, 404),  # a player who did not sit in it
        ("late", "auditor", 200, 404),
        ("nowhere", "auditor", 404, 404),
    ):
        sent = {"x-role": role} if role else {}
        assert signed.http.get(f"/matches/{match}/proof", headers=sent).status_code == page_status, (match, role)
        assert signed.http.get(f"/matches/{match}/proof.json", headers=sent).status_code == file_status, (match, role)
    assert "no head signs all of it yet" in signed.http.get("/matches/late/proof", headers=auditor).text


def test_the_checker_comes_with_its_own_policy(signed: Served) -> None:
    """It may run its own scripts and ask this server, and may not be framed."""
    policy = signed.http.get("/check-proof.html").headers["Content-Security-Policy"]
    assert "script-src 'sha256-" in policy
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/log", "/matches/m1/proof", "/matches/late/proof"])
def test_everybody_can_use_them(tab: Tab, signed: Served, path: str) -> None:
    """On a narrow phone: axe finds nothing, and nothing overflows."""
    tab.page.set_viewport_size({"width": 320, "height": 640})
    tab.page.set_extra_http_headers({"x-role": "auditor"})
    tab.page.goto(f"http://127.0.0.1:{signed.port}{path}")
    assert [fault["id"] for fault in Axe().run(tab.page).response["violations"]] == []
    assert tab.page.evaluate("document.documentElement.scrollWidth") == 320


def test_a_visitor_checks_a_proof_and_the_heads(tab: Tab, signed: Served) -> None:
    """Two clicks from the page of a proof, with a key that the visitor brings; then the heads of the log."""
    at = f"http://127.0.0.1:{signed.port}"
    tab.page.set_extra_http_headers({"x-role": "auditor"})
    tab.page.goto(f"{at}/matches/m1/proof")
    tab.page.get_by_role("link", name="Check it in this browser").click()
    expect(tab.page.locator("#loaded")).to_contain_text("proof.json")
    tab.page.locator("#key").fill(PUBLIC.hex())
    tab.page.get_by_role("button", name="Check").click()
    expect(tab.page.locator("#result")).to_have_attribute("data-verdict", "good")
    expect(tab.page.locator("#events")).to_contain_text("Match m1")
    tab.page.goto(f"{at}/log")
    tab.page.get_by_role("button", name="En español").click()
    tab.page.get_by_role("link", name="Comprobar las firmas en este navegador").click()
    expect(tab.page.locator("#heads")).to_have_value(signed.http.get("/signed-heads.json").text)
    tab.page.locator("#key").fill(PUBLIC.hex())
    tab.page.get_by_role("button", name="Comprobar").click()
    expect(tab.page.get_by_role("heading", name="Valen: estas firmas son de la liga")).to_be_visible()
    assert tab.said == []
    assert all(url.startswith((at, "data:,")) for url in tab.asked)
