"""The page of the laboratory: it takes numbers and shows the resulting league. The address holds all numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from api_server import Served, token
from browsers import Tab, new_tab
from desk import address, cookie_of, give_cookies, sign_in
from leagues import announced, send
from playwright.sync_api import Browser, expect

PAGE = "/admin/lab"
K = "rating.k.standard"
COMPILING = 120.0
"""Seconds that the first trial of a new installation may take on a busy machine: it compiles the arithmetic."""


@pytest.fixture
def admin(season_site: Served) -> Iterator[httpx.Client]:
    """A browser without JavaScript, signed in."""
    cookies = {"league": cookie_of(season_site, role="admin"), "language": "en"}
    with httpx.Client(base_url=address(season_site, ""), cookies=cookies, timeout=COMPILING) as client:
        yield client


def test_the_address_has_the_numbers(admin: httpx.Client) -> None:
    """Without JavaScript the form works too: the board changes, changed settings are TOML, and a replay is offered."""
    in_force = admin.get(PAGE)
    assert in_force.status_code == 200
    assert "These are the rules in force." in in_force.text
    tried = admin.get(PAGE, params={K: "45", "rating.modifier.pollona.value": "0,5", "board": "ONE_ON_ONE"}).text
    assert f'name="{K}" value="45"' in tried
    document = re.search(r'<pre class="document">(.*?)</pre>', tried, re.DOTALL)
    assert document is not None
    assert document[1].splitlines() == [f"{K} = 45", "rating.modifier.pollona.value = 0.5"]


def test_the_picture_is_for_those_who_may_see_the_page(admin: httpx.Client, season_site: Served) -> None:
    """A PNG of the tried board; no address of it stands in the page for chats, and others get none."""
    page = admin.get(PAGE, params={K: "45"}).text
    link = re.search(r'href="([^"]*/admin/lab/picture.png[^"]*)"', page)
    assert link is not None
    assert "og:image" not in page
    picture = admin.get(link[1])
    assert picture.content.startswith(b"\x89PNG")
    assert picture.headers["Cache-Control"] == "no-store"
    assert httpx.get(address(season_site, f"{PAGE}/picture.png")).status_code == 401


def test_what_cannot_be_tried_is_said_beside_its_number(admin: httpx.Client) -> None:
    """A refused number is named with its key; a text that is no number, beside its control."""
    assert "<code>rating.k.standard</code>: must be a K from 0 to 1000" in admin.get(PAGE, params={K: "-3"}).text
    said = admin.get(PAGE, params={K: "many"}).text
    assert '<p class="error">Write a number, such as 20 or 0.15.</p>' in said


def test_others_than_admins_do_not_see_it(season_site: Served) -> None:
    """Without a session a page says to sign in; a scorekeeper has no right to it."""
    assert httpx.get(address(season_site, PAGE)).status_code == 401
    cookies = {"league": cookie_of(season_site, role="scorekeeper")}
    assert httpx.get(address(season_site, PAGE), cookies=cookies).status_code == 403


@pytest.mark.heavy
def test_a_dragged_number_redraws_the_board_and_the_address(season_site: Served, browser: Browser) -> None:
    """Dragging or keys change a number; the link shows another admin the same board."""
    with new_tab(browser) as tab:
        page = tab.page
        page.set_default_timeout(COMPILING * 1000)
        give_cookies(page, season_site, "ana", "admin")
        page.goto(address(season_site, PAGE))
        slider = page.locator(f'input[data-of="{K}"]')
        before = page.locator("#tried").inner_text()
        slider.focus()
        for _ in range(15):
            page.keyboard.press("ArrowRight")
        expect(page.locator("pre.document")).to_have_text(f"{K} = 35")
        after = page.locator("#tried").inner_text()
        assert after != before
        assert f"{K}=35" in page.url
    with new_tab(browser) as tab:
        give_cookies(tab.page, season_site, "eva", "admin")
        tab.page.goto(page.url)
        assert tab.page.locator("#tried").inner_text() == after


@pytest.mark.heavy
@pytest.mark.usefixtures("worker")
def test_the_replay_gives_the_board_that_was_dragged(tab: Tab, small_site: Served) -> None:
    """A replay with the dragged numbers, once promoted, gives the tried board as the official one."""
    pairs = (("ana", "bea"), ("cira", "ana"), ("bea", "cira"), ("dora", "ana"), ("bea", "dora"))
    send(small_site.league, *(announced(f"lab{number}", pair, 40 + number) for number, pair in enumerate(pairs)))
    before = official(small_site)
    page = sign_in(tab, small_site, "root", "admin")
    page.set_default_timeout(COMPILING * 1000)
    page.goto(address(small_site, PAGE))
    slider = page.locator('input[data-of="rating.k.provisional"]')
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2, steps=12)
    page.mouse.up()
    dragged = slider.input_value()
    settings = f"rating.k.provisional = {dragged}"
    assert int(dragged) > 50
    expect(page.locator("pre.document")).to_have_text(settings)
    tried = small_site.ask(
        "query ($settings: String!) { whatIf(settings: $settings) { ... on WhatIf"
        " { board(board: ONE_ON_ONE, first: 50) { nodes { competitorId value } } } } }",
        token("admin"),
        settings=settings,
    )["whatIf"]["board"]["nodes"]
    assert tried != before
    page.get_by_role("link", name="Iniciar el recálculo").click()
    page.get_by_label("Cómo llamarlas").fill("Arrastrado")
    page.get_by_role("button", name="Iniciar el recálculo").click()
    expect(page.get_by_role("heading", name="Quién se mueve")).to_be_visible()
    page.get_by_role("link", name="Hacerlo oficial").click()
    page.get_by_role("button", name="Hacerlo oficial").click()
    expect(page.get_by_text("oficial", exact=True).first).to_be_visible()
    assert official(small_site) == tried
    page.goto(address(small_site, "/admin/replays/roll-back"))
    page.get_by_role("button", name="Volver atrás").click()
    expect(page.get_by_role("heading", name="Ediciones de las reglas")).to_be_visible()
    assert official(small_site) == before


def official(site: Served) -> object:
    """The places of the official board, up to the head of the log."""
    asked = "query ($after: BigInt!) @readFrom(afterPosition: $after) { board(kind: ONE_ON_ONE) { places(first: 50)"
    found = site.ask(f"{asked} {{ nodes {{ competitorId value }} }} }} }}", after=site.league.store.head())
    return found["board"]["places"]["nodes"]
