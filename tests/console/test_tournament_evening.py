"""An evening with a tournament, in browsers, in Spanish: from the plan to the printed sheets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api_server import Served
from browsers import Tab, new_tab
from desk import address, give_cookies, record, shot, sign_in
from leagues import send
from playwright.sync_api import Browser, Page, expect

from league.domain.match import CorrectHand, RecordHand, RecordResult
from league.domain.player import RegisterPlayer
from league.domain.result import Announced
from league.tournaments.application.tournament_states import stored_tournament
from league.tournaments.domain.state import RoundState, TableOfRound
from tests.leagues import domino

pytestmark = pytest.mark.heavy

NAMES = (
    "Abel", "Berta", "Ciro", "Delia", "Elio", "Fela", "Gil", "Hilda", "Iván", "Juana", "Kiko", "Luz", "Mario", "Nena",
)  # fmt: skip


def test_an_evening_with_rotating_partners(browser: Browser, small_site: Served, tmp_path: Path) -> None:
    """Fourteen players, five rounds, two phones, a withdrawal, an absence, a correction, wall and paper."""
    league = small_site.league
    send(league, *(RegisterPlayer(f"j{number:02}", name, None) for number, name in enumerate(NAMES)))
    with new_tab(browser) as keeper, new_tab(browser) as phone, new_tab(browser) as other, new_tab(browser) as wall:
        page = sign_in(keeper, small_site)
        home = _plan_and_enter(page, small_site)
        give_cookies(phone.page, small_site, "j00", "player")
        wall.page.context.add_cookies([{"name": "language", "value": "es", "url": home}])
        wall.page.goto(f"{home}/screen")
        for number in range(1, 6):
            _publish(page, home, number)
            of = _round(small_site, home, number)
            expect(wall.page.get_by_role("heading", name=f"Ronda {number}")).to_be_visible()
            phone.page.goto(home)
            expect(phone.page.get_by_text(f"en la ronda {number}")).to_be_visible()
            shot(phone.page, f"tournament-mine-{number}")
            if number == 4:
                _record_by_phone(small_site, phone, home, of.tables[0])
                _record_by_phone(small_site, other, home, of.tables[1])
            _play(small_site, page, of)
            if number == 2:
                page.goto(home)
                nena = page.get_by_role("listitem").filter(has_text="Nena")
                nena.get_by_text("Retirar", exact=True).click()
                nena.get_by_role("button", name="Retirar a Nena").click()
                expect(page.get_by_role("heading", name="13 participan")).to_be_visible()
            if number == 3:
                match = of.tables[1].match or ""
                turned = domino(1, 90, None, 90, None)
                send(league, CorrectHand(match, 1, turned, "al revés"))
                small_site.follow(str(league.store.head()))
        page.goto(home)
        expect(page.get_by_role("heading", name="Clasificación")).to_be_visible()
        shot(page, "tournament")
        page.goto(f"{home}/rounds/4")
        expect(page.get_by_text("son pareja").first).to_be_visible()
        shot(page, "tournament-why")
        shot(wall.page, "tournament-wall")
        before = wall.page.locator(".turned.shown h2").inner_text()
        expect(wall.page.locator(".turned.shown h2")).not_to_have_text(before, timeout=30_000)
        page.goto(f"{home}/sheets")
        expect(page.locator(".score-sheet")).to_have_count(len(of.tables))
        page.emulate_media(media="print")
        shot(page, "tournament-sheets")
        pdf = tmp_path / "sheets.pdf"
        page.pdf(path=str(pdf), format="A4")
        assert pdf.read_bytes().startswith(b"%PDF")
        assert pdf.read_bytes().count(b"/Type /Page\n") >= len(of.tables) + 2
        assert [line for tab in (keeper, phone, other, wall) for line in tab.said] == []


def _plan_and_enter(page: Page, site: Served) -> str:
    """The address of the tournament's page."""
    page.goto(address(site, "/tournaments"))
    page.get_by_role("link", name="Planear un torneo").click()
    page.get_by_label("Nombre").fill("Copa de la peña")
    page.get_by_label("Reglas").select_option("cuban-150")
    page.get_by_label("Rondas").fill("5")
    page.get_by_label("Minutos de una ronda").fill("25")
    page.get_by_label("Solo juegan quienes han registrado su llegada").uncheck()
    page.get_by_role("button", name="Planearlo").click()
    expect(page.get_by_role("heading", name="Copa de la peña")).to_be_visible()
    home = page.url
    for name in NAMES:
        page.get_by_label("Jugador").fill(name)
        page.get_by_role("button", name="Inscribir").click()
        expect(page.get_by_role("listitem").filter(has_text=name).first).to_be_visible()
    expect(page.get_by_role("heading", name="14 participan")).to_be_visible()
    page.get_by_role("link", name="Vista previa").click()
    expect(page.get_by_text("Descansan:")).to_be_visible()
    shot(page, "tournament-preview")
    page.get_by_role("link", name="Al torneo").click()
    return home


def _publish(page: Page, home: str, number: int) -> None:
    page.goto(home)
    page.get_by_role("button", name=f"Sortear la ronda {number}").click()
    page.get_by_role("button", name=f"Publicar la ronda {number}").click()
    expect(page.get_by_role("heading", name=f"Ronda {number}")).to_contain_text("publicada")


def _round(site: Served, home: str, number: int) -> RoundState:
    id_ = re.split("/", home)[-1]
    return stored_tournament(site.league.dispatcher.kept_states, id_).rounds[number - 1]


def _record_by_phone(site: Served, tab: Tab, home: str, table: TableOfRound) -> None:
    """A player of the first side finds their table, and records two hands that end the match."""
    player = table.sides[0][0]
    page = sign_in(tab, site, player, "player")
    losers = " & ".join(NAMES[int(id_[1:])] for id_ in table.sides[1])
    page.goto(home)
    expect(page.get_by_text(f"Mesa {table.number}", exact=True).first).to_be_visible()
    page.get_by_role("link", name="Anotar una mano").first.click()
    record(page, "Dominó", NAMES[int(player[1:])], losers, "95")
    expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
    record(page, "Dominó", NAMES[int(player[1:])], losers, "94")
    expect(page.get_by_text("189").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _play(site: Served, page: Page, of: RoundState) -> None:
    """Table 1 records by phone in the first round; in round 1 nobody comes to side 1 of table 3."""
    league = site.league
    for table in of.tables:
        assert table.match is not None
        if of.number == 4 and table.number in (1, 2):
            continue  # recorded by phone
        if of.number == 1 and table.number == 1:
            page.goto(address(site, f"/matches/{table.match}/record"))
            names = [NAMES[int(id_[1:])] for id_ in table.sides[0]]
            losers = " & ".join(NAMES[int(id_[1:])] for id_ in table.sides[1])
            record(page, "Dominó", names[0], losers, "48")
            expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
            send(league, RecordHand(table.match, domino(0, None, 90, None, 90), None))
        elif of.number == 1 and table.number == 3:
            page.goto(address(site, f"/tournaments/{table.match.rpartition('-r1')[0]}"))
            page.get_by_text("Alguien no vino").click()
            page.locator("form", has_text="Mesa 3").get_by_role("combobox").select_option("1")
            page.locator("form", has_text="Mesa 3").get_by_role("button", name="Anotar la ausencia").click()
            expect(page.get_by_text("incomparecencia").first).to_be_visible()
        elif table.number == 2:
            send(league, RecordHand(table.match, domino(0, None, 90, None, 90), None))
        else:
            send(league, RecordResult(table.match, Announced(0, (150, 100 - table.number))))
    site.follow(str(league.store.head()))
