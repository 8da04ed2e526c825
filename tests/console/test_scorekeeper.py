"""The scorekeeper's pages on a phone: an evening is recorded on the screen alone."""

from __future__ import annotations

import re

import pytest
from api_server import Served
from browsers import Tab, new_tab, serious_faults
from desk import address, group, record, shot, sign_in, total
from leagues import announced, domino, played, send
from playwright.sync_api import Browser, expect
from waiting import wait_until


@pytest.mark.walk
def test_an_evening_of_a_club_on_the_screen_alone(browser: Browser, small_site: Served) -> None:
    """The scorekeeper registers, opens, records and corrects; the board in a second browser follows."""
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
        page.get_by_label("Capicúa", exact=True).check()
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
        page.get_by_label("Chuchazo (0-0)").check()
        record(page, "Dominó", "Altagracia Reyes", "Carmen Peña & Domingo Ureña", "46", says="La partida termina")
        expect(page).to_have_url(re.compile(r"/matches/[^/]+$"))
        page.get_by_role("link", name="Corregir Mano 3").click()
        expect(page.get_by_label("Chuchazo (0-0)")).to_be_checked()
        expect(page.get_by_label("La última ficha")).to_have_value("")
        expect(watching.page.get_by_text("Altagracia Reyes").first).to_be_visible()
        assert [line for tab in (keeper, watching) for line in tab.said] == []


def scores(site: Served) -> list[list[int]]:
    """The scores of all matches."""
    nodes = site.ask("{ matches(first: 99) { nodes { score } } }")["matches"]["nodes"]
    return [node["score"] for node in nodes]


SHEET = "fecha;lado 1;lado 2;puntos 1;puntos 2\n14/11/2025;Nora / Olga;Pía y Rosa;150;95\n"


def test_a_sheet_is_looked_at_and_stored(tab: Tab, small_site: Served) -> None:
    """A fault is shown with its cell, then what the sheet would change, and the file need not be chosen again."""
    page = sign_in(tab, small_site)
    page.goto(address(small_site, "/record/sheet"))
    file = page.get_by_label("El archivo")

    def choose(content: str) -> None:
        file.set_input_files({"name": "noviembre.csv", "mimeType": "text/csv", "buffer": content.encode()})

    choose(SHEET.replace("14/11", "31/02"))
    page.get_by_label("Reglas").select_option("cuban-150")
    page.get_by_label("Registrar").check()
    page.get_by_role("button", name="Ver qué cambiaría").click()
    expect(page.get_by_role("alert")).to_have_text("1 error; no se guarda nada.")
    expect(page.get_by_role("row", name="A2")).to_contain_text("31/02")
    choose(SHEET)
    page.get_by_role("button", name="Ver qué cambiaría").click()
    expect(page.get_by_role("table", name="Las filas como se entendieron")).to_contain_text("Pía & Rosa")
    expect(page.get_by_role("table", name="Los mayores cambios")).to_contain_text("Nora2v2")
    shot(page, "sheet")
    assert [150, 95] not in scores(small_site)
    page.get_by_role("button", name="Guardar la hoja").click()
    expect(page.get_by_role("status")).to_contain_text("1 partida")
    wait_until(lambda: scores(small_site).count([150, 95]) == 1)


def test_a_result_without_hands_is_recorded_and_the_match_voided(tab: Tab, small_site: Served) -> None:
    """The end of the match can be taken back. The form that voids it shows what would move, and asks for a reason."""
    page = sign_in(tab, small_site)
    page.goto(address(small_site, "/record/match"))
    page.get_by_label("Uno contra uno").check()
    page.get_by_label("Jugador 1").fill("Eva")
    page.get_by_label("Jugador 2").fill("Flor")
    page.get_by_label("Reglas").select_option("cuban-150")
    page.get_by_role("button", name="Abrir la partida").click()
    expect(page.get_by_role("heading", name="Mano 1")).to_be_visible()
    match = page.url.split("/")[-2]
    page.goto(address(small_site, f"/matches/{match}/result"))
    page.get_by_label("Marcador final de Eva").fill("150")
    page.get_by_label("Marcador final de Flor").fill("ciento")
    page.get_by_role("button", name="Anotar el resultado").click()
    expect(page.locator(".wrong")).to_contain_text("Escriba un número entero")
    page.get_by_label("Marcador final de Flor").fill("100")
    page.get_by_role("button", name="Anotar el resultado").click()
    expect(page).to_have_url(re.compile(r"/matches/[^/]+$"))
    expect(page.get_by_role("link", name="Reabrir la partida")).to_be_visible()
    page.goto(address(small_site, f"/matches/{match}/void"))
    expect(page.get_by_text("2 jugadores tendrían otra puntuación")).to_be_visible()
    shot(page, "void")
    page.get_by_label("Motivo").fill("era de otra noche")
    page.get_by_role("button", name="Anular la partida para siempre").click()
    expect(page).to_have_url(re.compile(r"/matches/[^/]+$"))
    expect(page.get_by_role("link", name="Reabrir la partida")).to_have_count(0)
    status = small_site.ask("query ($id: ID!) { match(id: $id) { status } }", id=match)["match"]["status"]
    assert status == "VOIDED"


FORMS = (
    "/matches/{open}/record", "/matches/{open}/end", "/matches/{open}/forfeit", "/matches/{open}/result",
    "/matches/{open}/void", "/matches/{open}/hands/1/correct", "/matches/{over}/reopen", "/matches/{over}/confirm",
    "/matches/{over}/dispute", "/matches/{over}/dispute/withdraw",
)  # fmt: skip


def test_everybody_can_use_the_forms(tab: Tab, small_site: Served) -> None:
    """Axe finds nothing serious, no page runs into an error or is wider than a phone, and none is long."""
    send(
        small_site.league, played("open", ("cira", "dora"), 1, domino(0, 0, 30)), announced("over", ("cira", "eva"), 2)
    )
    page = sign_in(tab, small_site, role="admin")
    for path in FORMS:
        page.goto(address(small_site, path.format(open="open", over="over")))
        assert serious_faults(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        assert len(page.content()) < 200_000, path
        shot(page, "form-" + path.strip("/").replace("/", "-"))
    assert tab.said == []


def test_a_player_disputes_a_result_and_withdraws(tab: Tab, small_site: Served) -> None:
    """A player may dispute their own match. For other matches the league says that they did not play in it."""
    send(small_site.league, announced("ours", ("ana", "flor"), 3), announced("theirs", ("dora", "flor"), 4))
    wait_until(lambda: small_site.http.get("/matches/theirs").status_code == 200)
    page = sign_in(tab, small_site, sub="ana", role="player")
    page.goto(address(small_site, "/matches/ours/dispute"))
    page.get_by_label("¿Qué está mal?").fill("fueron <b>120</b> a 150")
    page.get_by_role("button", name="Disputar el resultado").click()
    expect(page).to_have_url(re.compile(r"/matches/ours$"))
    page.goto(address(small_site, "/matches/ours/dispute/withdraw"))
    expect(page.get_by_text("fueron <b>120</b> a 150")).to_be_visible()
    page.get_by_role("button", name="Retirar la disputa").click()
    expect(page).to_have_url(re.compile(r"/matches/ours$"))
    page.goto(address(small_site, "/matches/ours/confirm"))
    page.get_by_role("button", name="Confirmar el resultado").click()
    expect(page).to_have_url(re.compile(r"/matches/ours$"))
    asked = '{ match(id: "ours") { confirmations { playerId } disputes { status } } }'
    match = small_site.ask(asked)["match"]
    assert match == {"confirmations": [{"playerId": "ana"}], "disputes": [{"status": "WITHDRAWN"}]}
    page.goto(address(small_site, "/matches/theirs/confirm"))
    page.get_by_role("button", name="Confirmar el resultado").click()
    expect(page.get_by_role("alert")).to_be_visible()
