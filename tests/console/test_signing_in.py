"""Signing in to the pages: by a link, by an identity provider, and out again. Over real HTTP."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from api_server import Served, served, token
from identity_provider import CLIENT, CLIENT_SECRET, Provider, identity_provider
from leagues import catch_up, found, league_at, own_database
from structlog.typing import EventDict
from waiting import wait_until

from league.api.auth import tokens
from league.api.auth.identity_provider import OpenIdConnect, ProviderAway
from league.api.auth.web_sessions import SignInLink, make_link
from league.console.site import create_site
from league.domain.members import DeclineAccess, GrantAccess, RemoveMember
from league.infra.database import connect
from league.infra.settings import IdentityProvider

HOST = "https://league.example"
LEAGUE = {"Origin": HOST}
"""Headers of a browser's post from a page of the league."""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with identity_provider() as made:
        yield made


@pytest.fixture(scope="module")
def site(embedded_server: str, provider: Provider) -> Iterator[Served]:
    """A small league at a public address with TLS, behind a proxy, with an identity provider."""
    known = IdentityProvider(provider.issuer, CLIENT, CLIENT_SECRET, "Club ID")
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            catch_up(league)
        with served(url, create=create_site, public_url=HOST, provider=known) as server:
            yield server


@pytest.fixture(autouse=True)
def honest(provider: Provider) -> None:
    provider.lies, provider.refuses, provider.signs_with = {}, False, None
    provider.person = {"sub": uuid.uuid4().hex, "name": "Kim R."}


class Browser:
    """Keeps cookies as a browser does that reaches the league over TLS; the proxy before it is left out."""

    def __init__(self, site: Served) -> None:
        self.site, self.cookies, self.set = site, dict[str, str](), list[str]()

    def ask(self, method: str, address: str, **more: Any) -> httpx.Response:
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            **more.pop("headers", {}),
        }
        response = self.site.http.request(method, address, headers=headers, **more)
        self.site.http.cookies.clear()
        self.set = response.headers.get_list("set-cookie")
        for one in self.set:
            name, _, value = one.split(";")[0].partition("=")
            self.cookies[name] = value
            if "Max-Age=0" in one:
                del self.cookies[name]
        return response

    def get(self, address: str, **more: Any) -> httpx.Response:
        return self.ask("GET", address, **more)

    def post(self, address: str, **more: Any) -> httpx.Response:
        return self.ask("POST", address, headers=more.pop("headers", LEAGUE), **more)

    def sign_in(self) -> httpx.Response:
        """Sign in by the identity provider. Returns the league's last answer."""
        to_provider = self.get("/sign-in/provider?back=/account")
        from_provider = httpx.get(to_provider.headers["Location"])
        back = urlsplit(from_provider.headers["Location"])
        assert f"{back.scheme}://{back.netloc}" == HOST
        return self.get(f"{back.path}?{back.query}")


@pytest.fixture
def browser(site: Served) -> Browser:
    return Browser(site)


def new_link(site: Served, lifetime: timedelta = timedelta(minutes=15), sub: str = "ana") -> str:
    """The path of a link for a player."""
    ends = datetime.now(UTC) + timedelta(hours=1)
    with connect(site.league.database.url) as conn:
        secret = make_link(SignInLink(uuid.uuid4().hex, sub, ("player",), ends, lifetime=lifetime), conn)
    return f"/sign-in/link/{secret}"


# ---------------------------------------------------------------- links


def test_a_preview_of_a_chat_does_not_use_a_link_up(site: Served, browser: Browser) -> None:
    """It fetches the page, however often; the button signs in, once, with a cookie that only this host gets."""
    link = new_link(site)
    for _ in range(3):
        seen = Browser(site).get(link, headers={"User-Agent": "WhatsApp/2.0"})
        assert (seen.status_code, seen.headers["Cache-Control"]) == (200, "no-store")
        assert "set-cookie" not in seen.headers
    signed_in = browser.post(link)
    assert (signed_in.status_code, signed_in.headers["Location"]) == (303, "/")
    [cookie] = browser.set
    assert cookie.startswith("__Host-league=")
    assert {part.strip().lower() for part in cookie.split(";")[1:]} >= {"httponly", "secure", "samesite=lax", "path=/"}
    assert "Ana" in browser.get("/account").text


def test_a_second_use_of_a_link_is_refused_kindly(site: Served, browser: Browser) -> None:
    """The page says what happened and what to do; who used it first stays signed in."""
    link = new_link(site)
    browser.post(link)
    other = Browser(site)
    for refused in (other.post(link), other.get(link)):
        assert refused.status_code == 410
        assert "This link has been used" in refused.text
        assert "set-cookie" not in refused.headers
    assert "You are not signed in" in other.get("/account").text
    assert "Ana" in browser.get("/account").text


def test_who_is_signed_in_is_warned_of_a_link(site: Served, browser: Browser) -> None:
    """The link may be somebody else's, and the person would go on under that name."""
    browser.post(new_link(site))
    link = new_link(site, sub="bea")
    assert "signed in here already" in browser.get(link).text
    assert "signed in here already" not in Browser(site).get(link).text


def test_an_erased_player_is_signed_out(site: Served, browser: Browser) -> None:
    """Their sessions and what was stored about their browsers are deleted, and their unused links stop working."""
    unused = new_link(site, sub="eva")
    browser.post(new_link(site, sub="eva"))
    assert "Eva" in browser.get("/account").text
    assert "Success" in site.do("erasePlayer", token("player", sub="eva"), player="eva")["__typename"]
    assert "You are not signed in" in browser.get("/account").text
    assert Browser(site).post(unused).status_code == 410
    with connect(site.league.database.url) as conn:
        assert conn.execute("SELECT FROM web_sessions WHERE sub = 'eva'").rowcount == 0


def test_the_log_does_not_have_what_stands_in_a_link(site: Served, browser: Browser, logs: list[EventDict]) -> None:
    """Otherwise whoever reads the log could sign in, until the link is used."""
    link = new_link(site)
    browser.get(link)
    wait_until(lambda: any(line.get("path", "").startswith("/sign-in/link/") for line in logs))
    assert link.rpartition("/")[2] not in str(logs)


@pytest.mark.parametrize("language", ["en", "es"])
def test_an_expired_link_says_so(site: Served, browser: Browser, language: str) -> None:
    """An expired link, and one that never existed, are refused in the visitor's language."""
    for link, said in (
        (new_link(site, timedelta(0)), {"en": "has expired", "es": "ha vencido"}),
        ("/sign-in/link/made-up", {"en": "does not work", "es": "no sirve"}),
    ):
        refused = browser.post(link, headers={**LEAGUE, "Accept-Language": language})
        assert refused.status_code == 410
        assert said[language] in refused.text


def test_another_site_signs_nobody_in_or_out(site: Served, browser: Browser) -> None:
    """Posts of another site are refused, and do not use the link up."""
    link = new_link(site)
    for origin in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {}):
        assert browser.post(link, headers=origin).status_code == 403
    browser.post(link)
    for path in ("/sign-out", "/account"):
        refused = browser.post(path, headers={"Origin": "https://evil.example"})
        assert refused.status_code == 403
    assert "Ana" in browser.get("/account").text


def test_a_cookie_does_not_open_the_api(site: Served, browser: Browser) -> None:
    """`/graphql` takes bearer tokens only."""
    browser.post(new_link(site))
    for headers in (LEAGUE, {}):
        said = browser.ask("POST", "/graphql", json={"query": "{ viewer { sub } }"}, headers=headers)
        assert said.json()["data"] == {"viewer": None}


@pytest.mark.heavy
def test_without_tls_the_cookie_goes_without_it(small_site: Served) -> None:
    """On one's own machine the cookie is not `Secure`, because browsers would drop it."""
    home = Browser(small_site)
    home.post(new_link(small_site), headers={"Origin": f"http://127.0.0.1:{small_site.port}"})
    [cookie] = home.set
    assert cookie.startswith("league=")
    assert "secure" not in cookie.lower()
    assert "httponly" in cookie.lower()
    assert "Ana" in home.get("/account").text


# ---------------------------------------------------------------- out


def test_signing_out_ends_the_session(site: Served, browser: Browser) -> None:
    """A copied cookie is useless, too."""
    browser.post(new_link(site))
    copied = dict(browser.cookies)
    assert browser.post("/sign-out").headers["Location"] == "/"
    assert browser.cookies == {}
    browser.cookies = copied
    assert "You are not signed in" in browser.get("/account").text


def test_a_browser_is_called_what_people_call_it(site: Served, browser: Browser) -> None:
    """An unknown User-Agent, even one written to break the page, is shown as text, and shortened."""
    for agent, shown in (
        (
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36",
            "Chrome on Android",
        ),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0", "Edge on Windows"),
        ("<script>" + "x" * 300, "&lt;script&gt;" + "x" * 52 + "<"),
    ):
        browser.post(new_link(site), headers={**LEAGUE, "User-Agent": agent})
        assert f"<bdi>{shown}" in browser.get("/account").text


def test_a_person_signs_out_everywhere(site: Served, browser: Browser) -> None:
    """They may end one session or all. An admin ends a session by `revokeToken`."""
    others = [Browser(site) for _ in range(3)]
    for one in (browser, *others):
        one.post(new_link(site))
    sessions = site.ask("{ viewer { sessions { tokenId } } }", token("player", sub="ana"))["viewer"]["sessions"]
    newest, second = (one["tokenId"] for one in sessions[:2])  # of the last two of the others
    assert browser.post("/account", data={"tokenId": newest, "idempotencyKey": "1"}).status_code == 303
    site.ask(f'mutation {{ revokeToken(input: {{tokenId: "{second}"}}) {{ __typename }} }}', token("admin"))
    assert ["Ana" in one.get("/account").text for one in others] == [True, False, False]
    assert browser.post("/account", data={"idempotencyKey": "2"}).status_code == 303
    assert ["Ana" in one.get("/account").text for one in (browser, others[0])] == [False, False]


# ---------------------------------------------------------------- the identity provider


def test_somebody_unknown_waits_for_an_admin(site: Served, browser: Browser) -> None:
    """Their page says so. If they are let in, declined or removed, the same session shows it at once."""
    assert "Sign in with Club ID" in browser.get("/sign-in").text
    assert browser.sign_in().headers["Location"] == "/account"
    assert "an admin has been asked" in browser.get("/account").text
    Browser(site).sign_in()  # asks no second time
    [waiting] = members(site, "WAITING")
    assert waiting["name"] == "Kim R."
    send = site.league.dispatcher.send
    send(DeclineAccess(waiting["memberId"]), "test")
    assert "did not let you in" in browser.get("/account").text
    send(GrantAccess(waiting["memberId"], ("player", "scorekeeper"), "bea"), "test")
    page = browser.get("/account").text
    assert "Bea" in page
    assert "scorekeeper" in page
    send(RemoveMember(waiting["memberId"]), "test")
    assert "You are not signed in" in browser.get("/account").text


def test_a_member_is_known_again(site: Served, browser: Browser, provider: Provider) -> None:
    """Members are identified by the issuer and its `sub`."""
    browser.sign_in()
    [waiting] = members(site, "WAITING")
    assert waiting["subject"] == f"{provider.issuer}#{provider.person['sub']}"
    site.league.dispatcher.send(GrantAccess(waiting["memberId"], ("admin",)), "test")
    other = Browser(site)
    other.sign_in()
    assert waiting["memberId"] in other.get("/account").text
    assert members(site, "WAITING") == []


LIES: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://evil.example"},
    "another audience": {"aud": "another client"},
    "another party": {"aud": [CLIENT, "x"], "azp": "x"},
    "expired": {"exp": 1},
    "another nonce": {"nonce": "x"},
    "nobody": {"sub": None},
}


@pytest.mark.parametrize("lie", [*LIES, "another key"])
def test_a_false_answer_of_the_provider_signs_nobody_in(browser: Browser, provider: Provider, lie: str) -> None:
    """Each claim of the ID token and its signature are checked."""
    provider.lies = LIES.get(lie, {})
    provider.signs_with = None if lie in LIES else 1
    answer = browser.sign_in()
    assert answer.status_code == 502
    assert "does not fit" in answer.text
    assert browser.cookies == {}


def test_a_sign_in_belongs_to_the_browser_that_began_it(site: Served, browser: Browser, provider: Provider) -> None:
    """Nobody else can finish it, nor can it be finished twice; and a person may decline at the provider."""
    asked = browser.get("/sign-in/provider")
    back = urlsplit(httpx.get(asked.headers["Location"]).headers["Location"])
    path = f"{back.path}?{back.query}"
    victim = Browser(site)
    victim.get("/sign-in/provider")
    for answer in (victim.get(path), Browser(site).get(path)):
        assert "began in another browser" in answer.text
    assert victim.cookies == {}
    attempt = dict(browser.cookies)
    assert browser.get(path).status_code == 303
    browser.cookies = attempt
    assert "does not fit" in browser.get(path).text
    provider.refuses = True
    assert "did not sign you in" in browser.sign_in().text


@pytest.mark.heavy
def test_the_provider_changes_its_key(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unknown key is read from the provider; while it is away, the page says so."""
    monkeypatch.setattr(tokens, "KEYS_PATIENCE", 0.0)
    client = OpenIdConnect(IdentityProvider(provider.issuer, CLIENT, CLIENT_SECRET, "Club ID"), f"{HOST}/sign-in/back")
    for provider.key in (0, 1, 0):
        address, attempt = client.begin("/")
        answer = dict(parse_qsl(urlsplit(httpx.get(address).headers["Location"]).query))
        assert client.finish(attempt, answer).subject == f"{provider.issuer}#{provider.person['sub']}"
    with pytest.raises(ProviderAway, match="Club ID cannot be reached"):
        OpenIdConnect(IdentityProvider("http://127.0.0.1:9", CLIENT, CLIENT_SECRET, "Club ID"), HOST).begin("/")


def test_the_way_back_leads_to_pages_of_the_league_only(browser: Browser) -> None:
    """The way back in a link to the sign-in cannot lead to another site."""
    for back in ("https://evil.example", "//evil.example", "/\\evil.example"):
        page = browser.get("/sign-in", params={"back": back}).text
        assert 'href="/sign-in/provider?back=%2F"' in page


def members(site: Served, standing: str) -> Any:
    query = "query ($standing: MemberStanding) { members(standing: $standing) { nodes { memberId subject name } } }"
    return site.ask(query, token("admin"), standing=standing)["members"]["nodes"]
