"""Steps of a scorekeeper at the pages of the league, as tests take them."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from api_server import Served
from browsers import Tab
from databases import pool_of
from playwright.sync_api import Locator, Page, expect

from league.api.auth.web_sessions import NewSession, WebSessions

PHONE = {"width": 390, "height": 844}


def address(site: Served, path: str) -> str:
    """The address of a page."""
    return f"http://127.0.0.1:{site.port}{path}"


def cookie_of(site: Served, sub: str = "kim", role: str = "scorekeeper") -> str:
    """The cookie of somebody who has signed in."""
    new = NewSession(sub, (role,), datetime.now(UTC) + timedelta(hours=1))
    return WebSessions(pool_of(site.league.database.url)).begin(new, "a test")


def sign_in(tab: Tab, site: Served, sub: str = "kim", role: str = "scorekeeper") -> Page:
    """The page of a tab whose visitor has signed in, on a phone, in Spanish."""
    tab.page.set_viewport_size(PHONE)
    give_cookies(tab.page, site, sub, role)
    return tab.page


def give_cookies(page: Page, site: Served, sub: str = "kim", role: str = "scorekeeper") -> None:
    """Sign in, in Spanish."""
    cookies = {"league": cookie_of(site, sub, role), "language": "es"}
    page.context.add_cookies([{"name": n, "value": v, "url": address(site, "/")} for n, v in cookies.items()])


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def group(page: Page, legend: str) -> Locator:
    """A group of controls of the form of a hand."""
    return page.get_by_role("group", name=legend)


def total(page: Page, side: str) -> Locator:
    """The pips of a side."""
    return group(page, "Puntos que quedaron").get_by_label(side, exact=True)


def record(page: Page, ending: str, who: str, losers: str, pips: str, says: str = "Lo que da esta mano") -> None:
    """Fill in a hand as on paper, check the points, and store it."""
    group(page, "¿Cómo terminó?").get_by_label(ending).check()
    group(page, "¿Quién dominó o trancó?").get_by_label(who).check()
    total(page, losers).fill(pips)
    expect(page.locator("#score")).to_contain_text(says)
    expect(page.locator("#score")).to_contain_text(f"+{pips}")
    shot(page, f"record-{pips}")
    page.get_by_role("button", name="Anotar la mano").click()
