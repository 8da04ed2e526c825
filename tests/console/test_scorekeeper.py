"""The scorekeeper's pages, on a phone: an evening on the screen alone."""

from __future__ import annotations

import re

from api_server import Served
from browsers import new_tab
from desk import address, group, record, shot, sign_in, total
from playwright.sync_api import Browser, expect


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
        page.get_by_label("Dos parejas").check()
        page.get_by_label("Jugador 1").press_sequentially("altag")
        page.get_by_role("button", name="Altagracia Reyes").click()
        for number, name in ((2, "carmen peña"), (3, "bienvenido mota"), (4, "Domingo Urena")):
            page.get_by_label(f"Jugador {number}").fill(name)
        page.get_by_label("Reglas").select_option("dominican-200")
        shot(page, "open")
        page.get_by_role("button", name="Abrir la partida").click()
        expect(page.get_by_role("heading", name="Mano 1")).to_be_visible()
        shot(page, "record-empty")
        record(page, "Dominó", "Altagracia Reyes", "Carmen Peña & Domingo Ureña", "48")
        expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
        shot(page, "record-2")
        group(page, "¿Capicúa?").get_by_label("Sí").check()
        record(page, "Dominó", "Bienvenido Mota", "Carmen Peña & Domingo Ureña", "13")
        expect(page.get_by_role("heading", name="Mano 3")).to_be_visible()
        # What the sheet of the second hand says is 31.
        page.get_by_role("link", name="Corregir").click()
        total(page, "Carmen Peña & Domingo Ureña").fill("31")
        page.get_by_label("Motivo").fill("las cifras estaban al revés")
        expect(page.locator("#score")).to_contain_text("129")
        shot(page, "correct")
        page.get_by_role("button", name="Guardar la corrección").click()
        expect(page).to_have_url(re.compile(r"/matches/[^/]+$"))
        page.goto(address(small_site, "/record"))
        expect(page.get_by_text("129")).to_be_visible()
        shot(page, "desk")
        page.get_by_role("link", name="Anotar la mano 3").click()
        group(page, "Pases corridos").get_by_label("Altagracia Reyes").fill("1")
        record(page, "Dominó", "Altagracia Reyes", "Carmen Peña & Domingo Ureña", "46", says="La partida termina")
        expect(page).to_have_url(re.compile(r"/matches/[^/]+$"))
        expect(watching.page.get_by_text("Altagracia Reyes")).to_be_visible()
        assert [line for tab in (keeper, watching) for line in tab.said] == []
