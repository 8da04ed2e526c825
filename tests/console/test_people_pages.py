"""Players as pages show and change them: the list, the erasure, the links that sign in."""

from __future__ import annotations

import html
import re

import httpx
import pytest
from api_server import Served
from browsers import Tab, serious_faults
from desk import address, cookie_of, give_cookies, shot
from leagues import announced, send
from playwright.sync_api import expect
from waiting import wait_until

from league.domain.members import AddMember
from league.domain.player import RegisterPlayer


@pytest.fixture(scope="module")
def site(small_site: Served) -> Served:
    """Ana and Bea have played; forty others have registered only."""
    send(
        small_site.league,
        announced("m", ("ana", "bea"), 1),
        *(RegisterPlayer(f"new-{number}", f"Nuevo {number:02}", "Ñico López") for number in range(40)),
    )
    wait_until(lambda: "Nuevo 39" in listed(small_site, "?name=nuevo+39"))
    return small_site


def listed(site: Served, query: str = "") -> str:
    """The list of players for everybody, in Spanish."""
    answer: httpx.Response = site.http.get(f"/players{query}", headers={"Accept-Language": "es"})
    assert answer.status_code == 200
    return html.unescape(answer.text)


def names_in(page: str) -> list[str]:
    """The players of the list."""
    return re.findall(r'<li><a href="/players/[^"]+"><bdi>([^<]+)</bdi>', page)


def send_form(site: Served, path: str, sub: str, role: str) -> httpx.Response:
    """Send a form without controls."""
    headers = {"Cookie": f"league={cookie_of(site, sub, role)}; language=es", "Origin": str(site.http.base_url)}
    answer: httpx.Response = site.http.post(path, headers={**headers, "Origin": headers["Origin"].rstrip("/")})
    return answer


def test_players_are_listed_by_name_with_their_last_match(site: Served) -> None:
    """A search takes a part of the name without accents; a region has its own list. Pages follow one another."""
    first = listed(site)
    assert names_in(first)[:2] == ["Ana", "Bea"]
    assert "última partida" in first
    assert "todavía sin partidas" in first
    [more] = re.findall(r'rel="next" href="([^"]+)"', first)
    assert len(names_in(first)) == 30
    assert not set(names_in(first)) & set(names_in(site.http.get(more).text))
    assert names_in(listed(site, "?name=NUEVO+1&region=Ñico+López")) == [f"Nuevo {number}" for number in range(10, 20)]
    assert names_in(listed(site, "?region=Granma")) == ["Dora", "Eva"]
    assert "Aquí nadie se llama así" in listed(site, "?name=xyz")


def test_an_erasure_asks_first_and_happens_once(site: Served) -> None:
    """The page says what it does. Others may not; a second tap finds the player erased."""
    path = "/players/new-3/erase"
    assert site.http.get(path).status_code == 401
    assert send_form(site, path, "ana", "player").status_code in (403, 422)
    assert "Nuevo 03" in listed(site, "?name=nuevo+03")
    cookie = {"Cookie": f"league={cookie_of(site, 'boss', 'admin')}; language=es"}
    asked = site.http.get(path, headers=cookie).text
    assert "nadie puede deshacerlo" in asked
    assert send_form(site, path, "boss", "admin").status_code == 303
    wait_until(lambda: names_in(listed(site, "?name=nuevo+03")) == [])
    assert send_form(site, path, "boss", "admin").status_code == 422
    assert "ya está borrado" in site.http.get(path, headers=cookie).text


def test_a_link_that_signs_in_says_for_whom_it_is(site: Served) -> None:
    """It is copied and shared with the name of the person and of the league, and belongs to the page that made it."""
    send(site.league, AddMember("m-flor", "flor@example.org", ("player",), "flor"))
    made = send_form(site, "/admin/members/m-flor/link", "boss", "admin")
    assert made.status_code == 200
    assert re.search(r'data-said="[^"]*Flor[^"]*Liga', made.text)
    assert "https://wa.me/" in made.text
    assert "data-copy" in made.text


@pytest.mark.parametrize("size", [(390, 844), (768, 1024), (1366, 768)])
def test_the_list_is_usable_on_every_screen(tab: Tab, site: Served, size: tuple[int, int]) -> None:
    """Typing narrows the list. Nothing is wider than the screen, and axe-core finds nothing."""
    page = tab.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    give_cookies(page, site, "boss", "admin")
    for path in ("/players", "/players/new-5/erase"):
        page.goto(address(site, path))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious_faults(page) == []
        shot(page, f"people-{path.count('/')}-{size[0]}x{size[1]}")
    page.goto(address(site, "/players"))
    page.get_by_label("Nombre").press_sequentially("nuevo 17")
    expect(page.locator("#found li")).to_have_count(1)
