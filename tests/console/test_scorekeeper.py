"""The scorekeeper's pages, on a phone: an evening on the screen alone, slow and broken lines, mistakes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from api_server import Served
from browsers import Tab, new_tab
from playwright.sync_api import Browser, Page, Route, expect

from league.api.auth.web_sessions import NewSession, WebSessions
from league.infra.database import engine

PHONE = {"width": 390, "height": 844}


def address(site: Served, path: str) -> str:
    """The address of a page."""
    return f"http://127.0.0.1:{site.port}{path}"


def cookie_of(site: Served, sub: str = "kim", role: str = "scorekeeper") -> str:
    """The cookie of somebody who has signed in."""
    opened = engine(site.league.database.url)
    try:
        new = NewSession(sub, (role,), datetime.now(UTC) + timedelta(hours=1))
        return WebSessions(opened).begin(new, "a test")
    finally:
        opened.dispose()


def sign_in(tab: Tab, site: Served, sub: str = "kim", role: str = "scorekeeper") -> Page:
    """The page of a tab whose visitor has signed in, on a phone, in Spanish."""
    tab.page.set_viewport_size(PHONE)
    cookies = {"league": cookie_of(site, sub, role), "language": "es"}
    tab.page.context.add_cookies([{"name": n, "value": v, "url": address(site, "/")} for n, v in cookies.items()])
    return tab.page


def shot(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_an_evening_of_a_club_on_the_screen_alone(browser: Browser, small_site: Served) -> None:
    """Register, open, record as on paper, correct; the board of a second browser moves without a reload."""
    with new_tab(browser) as keeper, new_tab(browser) as watching:
        page = sign_in(keeper, small_site)
        watching.page.goto(address(small_site, "/"))
        page.goto(address(small_site, "/record"))
        shot(page, "desk-empty")
        for name in ("Altagracia Reyes", "Bienvenido Mota", "Carmen Peña", "Domingo Ureña"):
            page.goto(address(small_site, "/record/player"))
            page.get_by_label("Nombre").fill(name)
            page.get_by_role("button", name="Registrar").click()
            expect(page.get_by_role("status")).to_contain_text(name)
        page.get_by_label("Nombre").fill("Altagrasia Reyes")
        expect(page.get_by_text("nombre parecido")).to_be_visible()
        shot(page, "register-similar")
        page.get_by_label("Nombre").fill("")
        page.get_by_role("link", name="Abrir una partida").click()
        page.get_by_text("Dos parejas").click()
        page.get_by_label("Jugador 1").press_sequentially("altag")
        page.get_by_role("button", name="Altagracia Reyes").click()
        for number, name in ((2, "carmen peña"), (3, "bienvenido mota"), (4, "Domingo Urena")):
            page.get_by_label(f"Jugador {number}").fill(name)
        page.get_by_label("Reglas").select_option("dominican-200")
        shot(page, "open")
        page.get_by_role("button", name="Abrir la partida").click()
        expect(page.get_by_role("heading", name="Mano 1")).to_be_visible()
        shot(page, "record-empty")
        page.get_by_label("Dominó").check(force=True)
        page.get_by_label("Altagracia Reyes").first.check(force=True)
        page.get_by_label("Carmen Peña & Domingo Ureña").last.fill("48")
        expect(page.locator("#score")).to_contain_text("+48")
        shot(page, "record-filled")
        page.get_by_role("button", name="Anotar la mano").click()
        expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
        shot(page, "record-2")
        assert keeper.said == []
