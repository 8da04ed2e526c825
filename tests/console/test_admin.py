"""The admin's pages in a browser: a replay from its start to the rollback, a new member, a dispute."""

from __future__ import annotations

import re

import pytest
from api_server import Served
from browsers import Tab, new_tab, serious_faults
from desk import address, shot, sign_in
from leagues import announced, send
from playwright.sync_api import Browser, expect

from league.domain.disputes import DisputeResult
from league.domain.members import RequestAccess


@pytest.mark.usefixtures("worker")
def test_a_replay_is_started_read_promoted_and_rolled_back(tab: Tab, small_site: Served) -> None:
    """The replay's page refreshes itself until it shows who moves. Each step that changes the league asks first."""
    pairs = (("ana", "bea"), ("cira", "ana"), ("bea", "cira"), ("dora", "ana"), ("bea", "dora"))
    send(small_site.league, *(announced(f"r{number}", pair, number) for number, pair in enumerate(pairs)))
    page = sign_in(tab, small_site, "root", "admin")
    page.goto(address(small_site, "/admin/replays"))
    page.get_by_role("link", name="Iniciar un recálculo").click()
    toml = page.get_by_label("El reglamento; solo lo que cambia de la edición en vigor")
    expect(toml).to_be_hidden()
    page.get_by_label("Un reglamento en TOML").check()
    expect(toml).to_be_visible()
    page.get_by_label("Otros ajustes", exact=True).check()
    page.get_by_label("Cómo llamarlo").fill("Con más K")
    k = page.get_by_label("K mientras es provisional")
    k.fill("mucho")
    page.get_by_role("button", name="Iniciar el recálculo").click()
    expect(page.get_by_text("Escriba un número, como 20 o 0.15.")).to_be_visible()
    k.fill("80")
    shot(page, "new-replay")
    page.get_by_role("button", name="Iniciar el recálculo").click()
    expect(page.get_by_role("heading", name="Quién se mueve")).to_be_visible()
    expect(page.get_by_text("tendrían otra puntuación").first).to_be_visible()
    expect(page.get_by_text(re.compile("Muy pocos días para un veredicto")).first).to_be_visible()
    shot(page, "replay")
    assert serious_faults(page) == []
    page.get_by_role("link", name="Hacer oficiales estas reglas").click()
    expect(page.get_by_role("heading", name="Qué cambiará")).to_be_visible()
    shot(page, "promote")
    assert serious_faults(page) == []
    page.get_by_label("¿Por qué? Todos lo pueden leer.").fill("Los nuevos suben muy despacio")
    page.get_by_role("button", name="Hacerlo oficial").click()
    expect(page.get_by_role("link", name="Volver a las reglas de antes")).to_be_visible()
    page.goto(address(small_site, "/admin/editions/2"))
    expect(page.get_by_role("row", name=re.compile(r"K mientras es provisional.* 40 80$"))).to_be_visible()
    shot(page, "edition")
    page.goto(address(small_site, "/admin/replays/roll-back"))
    expect(page.get_by_text("Los nuevos suben muy despacio")).to_be_visible()
    shot(page, "roll-back")
    assert serious_faults(page) == []
    page.get_by_role("button", name="Ver qué cambiaría").click()
    page.get_by_role("link", name="Volver a estas reglas").click()
    page.get_by_label("¿Por qué? Todos lo pueden leer.").fill("Subían demasiado")
    shot(page, "bring-back")
    assert serious_faults(page) == []
    page.get_by_role("button", name="Volver a estas reglas").click()
    expect(page.get_by_role("link", name="Volver a las reglas de antes")).to_be_visible()
    spans = small_site.ask("{ timeline { edition { number } } }")["timeline"]
    assert [span["edition"]["number"] for span in spans] == [1]
    assert ["422" in line for line in tab.said] == [True]  # the number that was none


def test_a_new_member_signs_in_with_the_link_of_the_page(browser: Browser, small_site: Served) -> None:
    """The admin adds a member, shows the code, takes a role back, and answers a request for access."""
    send(small_site.league, RequestAccess("w1", "https://id.example#kim", "Kim <b>\u202eR.</b>"))
    with new_tab(browser) as desk, new_tab(browser) as phone:
        page = sign_in(desk, small_site, "root", "admin")
        page.goto(address(small_site, "/admin/members"))
        expect(page.get_by_text("Kim <b>")).not_to_have_count(0)
        shot(page, "members-waiting")
        page.get_by_role("link", name="Rechazar").click()
        page.get_by_role("button", name="Rechazar").click()
        page.get_by_role("link", name="Agregar un miembro").click()
        page.get_by_label("Con qué identificador inicia sesión").fill("dora@example.org")
        page.get_by_label(re.compile("jugador:")).check()
        page.get_by_label("Qué jugador es").fill("Dora")
        page.get_by_role("button", name="Agregar").click()
        page.get_by_role("button", name="Hacer un enlace").click()
        link = page.locator("#link").inner_text()
        assert link.startswith(address(small_site, "/sign-in/link/"))
        shot(page, "link")
        assert serious_faults(page) == []
        phone.page.goto(link)
        phone.page.locator("main button").click()
        phone.page.goto(address(small_site, "/account"))
        expect(phone.page.get_by_text("Dora").first).to_be_visible()
        assert desk.said == phone.said == []


def test_a_dispute_is_rejected_with_a_reason(tab: Tab, small_site: Served) -> None:
    """The admin starts at the list of what waits; in the end everybody reads the answer."""
    send(small_site.league, announced("d1", ("ana", "eva"), 20))
    send(small_site.league, DisputeResult("d1", "eva", "<i>el tanteo</i> está al revés"))
    page = sign_in(tab, small_site, "root", "admin")
    page.goto(address(small_site, "/admin"))
    shot(page, "admin")
    page.get_by_role("link", name="1 disputa abierta").click()
    expect(page.get_by_text("<i>el tanteo</i> está al revés")).to_be_visible()
    shot(page, "disputes")
    page.get_by_role("link", name="El resultado se mantiene").click()
    page.get_by_label("Por qué se mantiene el resultado").fill("la hoja lo dice así")
    shot(page, "reject")
    page.get_by_role("button", name="Mantener el resultado").click()
    expect(page.get_by_role("status")).to_contain_text("queda rechazada")
    page.goto(address(small_site, "/admin/disputes?all=1"))
    expect(page.get_by_text("la hoja lo dice así")).to_be_visible()
    assert tab.said == []
