"""Public pages are cached: of equal requests in one state of the league, one is computed; the others cost one point."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from api_server import Served, served
from databases import copy_of
from desk import cookie_of
from leagues import SIXTY_MATCHES, send
from waiting import wait_until

from league.api.graphql.executing import rate_limits
from league.api.graphql.executing.documents import cost_of
from league.api.schema import core
from league.console.club_look import LOOK
from league.console.pages import CLOCK
from league.console.site import PAGES, create_site
from league.domain.player import RenamePlayer

POINTS = 60_000


@pytest.fixture(autouse=True)
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the limits stands still, so that no minute ends."""
    monkeypatch.setattr(rate_limits.time, "time", lambda: 1_000_000_840.0)


@pytest.fixture(scope="module")
def site(embedded_server: str) -> Iterator[Served]:
    """The pages of sixty matches."""
    with copy_of(embedded_server, SIXTY_MATCHES) as url, served(url, create=create_site, rate_limit=POINTS) as server:
        wait_until(lambda: 'data-changes="/changes?since=' in server.http.get("/").text)
        yield server


def page(site: Served, path: str, address: str, **headers: str) -> httpx.Response:
    """A page for a visitor at an address."""
    response: httpx.Response = site.http.get(path, headers={"X-Forwarded-For": address, **headers})
    assert response.status_code == 200
    return response


def spent(site: Served, address: str) -> int:
    """The points of cost that an address has spent in this minute before it asks."""
    response: Any = site.http.post("/graphql", json={"query": "{__typename}"}, headers={"X-Forwarded-For": address})
    found = re.search(r"r=(\d+)", response.headers["RateLimit"])
    assert found is not None
    return POINTS - int(found[1]) - 1


def test_a_profile_that_was_asked_for_before_takes_one_point(site: Served) -> None:
    """The first visitor pays the price of the page; every other visitor gets it for one point of cost."""
    first = page(site, "/players/p001", "192.0.2.1")
    [player] = [one for one in PAGES if one.name == "player"]
    assert spent(site, "192.0.2.1") == sum(cost_of(core, text, None) for text in (CLOCK, player.text, LOOK))
    for _ in range(3):
        again = page(site, "/players/p001", "192.0.2.2")
        assert (again.content, again.headers["Content-Security-Policy"]) == (
            first.content,
            first.headers["Content-Security-Policy"],
        )
    assert spent(site, "192.0.2.2") == 3


def test_a_cached_page_is_that_of_its_state_its_language_and_its_address(site: Served) -> None:
    """Each event, language and address has its own cached page."""
    before = page(site, "/players/p002", "192.0.2.3").text
    spanish = page(site, "/players/p002", "192.0.2.3", **{"Accept-Language": "es"})
    assert (spanish.headers["Content-Language"], spanish.text == before) == ("es", False)
    assert 'value="/players/p002?x=1"' in page(site, "/players/p002?x=1", "192.0.2.3").text
    send(site.league, RenamePlayer("p002", "Renamed R."))
    wait_until(lambda: "Renamed R." in page(site, "/players/p002", "192.0.2.3").text)
    shown = page(site, "/players/p002", "192.0.2.4")
    since = re.search(r"since=([0-9.]+)", shown.text)
    assert since is not None
    assert since[1] not in before, "it hears of what happens after its own state"
    assert page(site, "/players/p002", "192.0.2.4").content == shown.content


def test_pages_that_depend_on_the_present_are_made_each_time(site: Served) -> None:
    """A month ends without an event, when its last moment has passed."""
    month = "/series/2026-01"
    for times in (1, 2):
        page(site, month, "192.0.2.5")
        if times == 1:
            once = spent(site, "192.0.2.5")
    assert spent(site, "192.0.2.5") == 2 * once + 1


@pytest.mark.heavy
def test_a_visitor_over_the_limit_gets_no_cached_page_either(site: Served) -> None:
    """A cached page costs a point, too."""
    page(site, "/players/p003", "192.0.2.6")
    dear = "{ a: board { places(first: 100) { nodes { explanation { statement } } } } }"
    while site.http.post("/graphql", json={"query": dear}, headers={"X-Forwarded-For": "192.0.2.7"}).status_code == 200:
        pass
    while spent(site, "192.0.2.7") < POINTS - 1:
        pass
    refused = site.http.get("/players/p003", headers={"X-Forwarded-For": "192.0.2.7"})
    assert refused.status_code == 429


@pytest.mark.heavy
@pytest.mark.parametrize("signed_in", [False, True])
def test_a_page_that_has_not_changed_is_not_sent_again(site: Served, signed_in: bool) -> None:
    """With a cookie as without one, in whichever encoding. After a change it is sent; a missing page has no tag."""
    cookie = {"Cookie": f"league={cookie_of(site, role='auditor')}", "Sec-Fetch-Site": "none"} if signed_in else {}

    def get(path: str = "/players/p001", **headers: str) -> httpx.Response:
        response: httpx.Response = site.http.get(path, headers={**cookie, **headers})
        return response

    first = get()
    assert first.status_code == 200
    assert "Content-Encoding" in first.headers
    known = {"If-None-Match": first.headers["ETag"]}
    for encoding in ("gzip", "br", "identity"):
        again = get(**known, **{"Accept-Encoding": encoding})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert {"Cookie", "Accept-Encoding", "Sec-Fetch-Site"} <= {*again.headers["Vary"].split(", ")}
    head = site.http.head("/players/p001", headers={**cookie, **known})
    assert (head.status_code, head.headers["ETag"]) == (304, first.headers["ETag"])
    assert "ETag" not in get("/players/nobody").headers
    send(site.league, RenamePlayer("p001", f"Nombre nuevo {signed_in}"))
    wait_until(lambda: get(**known).status_code == 200)
