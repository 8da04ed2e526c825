"""An evening with a tournament, in browsers, in Spanish: from the plan to the printed sheets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api_server import Served
from browsers import Tab, new_tab
from desk import PHONE, address, give_cookies, record, shot, sign_in
from leagues import send
from playwright.sync_api import Browser, Page, expect
from screens import SCREENS, seen_whole

from league.domain.match import CorrectHand, RecordHand, RecordResult
from league.domain.player import RegisterPlayer
from league.domain.result import AnnouncedResult
from league.infra.database import connect
from league.tournaments import pairing
from league.tournaments.domain.commands import DrawRound, EnterCompetitor, PlanTournament, PublishRound
from league.tournaments.domain.state import RoundState, TableOfRound
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.explaining import explain_round
from league.tournaments.tournament_states import stored_tournament
from tests.leagues import domino

pytestmark = pytest.mark.heavy

NAMES = (
    "Abel", "Berta", "Ciro", "Delia", "Elio", "Fela", "Gil", "Hilda", "Iván", "Juana", "Kiko", "Luz", "Mario", "Nena",
)  # fmt: skip


def test_an_evening_with_rotating_partners(browser: Browser, small_site: Served, tmp_path: Path) -> None:
    """Fourteen players, four rounds, phones that record, a withdrawal, an absence, a correction, wall and paper."""
    league = small_site.league
    send(league, *(RegisterPlayer(f"j{number:02}", name, None) for number, name in enumerate(NAMES)))
    with new_tab(browser) as keeper, new_tab(browser) as other, new_tab(browser) as phone, new_tab(browser) as wall:
        page, second = sign_in(keeper, small_site), sign_in(other, small_site, "kai")
        home = _plan_and_enter(page, small_site)
        give_cookies(phone.page, small_site, "j00", "player")
        wall.page.context.add_cookies([{"name": "language", "value": "es", "url": home}])
        wall.page.goto(f"{home}/screen")
        for number in range(1, 5):
            _publish(page, home, number)
            of = _round(small_site, home, number)
            expect(wall.page.get_by_role("heading", name=f"Ronda {number}")).to_be_visible()
            phone.page.set_viewport_size(PHONE)
            phone.page.goto(home)
            expect(phone.page.get_by_text(f"en la ronda {number}")).to_be_visible()
            shot(phone.page, f"tournament-mine-{number}")
            assert_fits(phone.page)
            if number == 4:
                _record_by_phone(small_site, phone, home, of.tables[0])
                _record_by_phone(small_site, other, home, of.tables[1])
            if number == 2:
                _record_on_two_phones(page, second, wall.page, home, of)
            _play(small_site, page, of)
            if number == 2:
                _withdraw(page, home, "Nena")
            if number == 3:
                match = of.tables[1].match or ""
                turned = domino(1, 90, None, 90, None)
                send(league, CorrectHand(match, 1, turned, "al revés"))
                small_site.follow(str(league.store.head()))
        _look_at_pages(small_site, page, wall.page, home)
        _print(page, home, tmp_path, len(of.tables))
        page.goto(home)
        page.get_by_role("button", name="Cerrar la ronda 4").click()
        expect(wall.page.locator("[data-bell]")).to_have_count(0)
        for address_, name in (("", "wide"), ("/rounds/4", "wide-round")):
            wall.page.goto(f"{home}{address_}")
            shot(wall.page, f"tournament-{name}")
        assert [line for tab in (keeper, other, phone, wall) for line in tab.said] == []


def test_a_bar_moves_until_the_tables_of_a_large_round_are_there(
    browser: Browser, small_site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The keeper's page answers at once, shows since when the tables are computed, and then the tables by itself."""
    monkeypatch.setattr(pairing, "MOST_IN_THREAD", 13)
    league = small_site.league
    send(league, *(RegisterPlayer(f"g{number:02}", name, None) for number, name in enumerate(NAMES)))
    plan = {"name": "Copa grande", "format": "rotating_partners", "ruleset": "cuban-150", "rounds": 5}
    send(league, PlanTournament("grande", plan), *(EnterCompetitor("grande", (f"g{at:02}",)) for at in range(14)))
    small_site.follow(str(league.store.head()))
    with new_tab(browser) as keeper, connect(league.database.url, autocommit=True) as conn:
        page = sign_in(keeper, small_site)
        page.set_viewport_size(PHONE)
        page.goto(address(small_site, "/tournaments/grande"))
        conn.execute("SELECT pg_advisory_lock(hashtextextended('drawing:grande', 0))")  # nobody computes meanwhile
        page.get_by_role("button", name="Sortear la ronda 1").click()
        bar = page.get_by_role("progressbar", name="Calculando las mesas")
        expect(bar).to_have_js_property("max", 2)
        expect(bar).to_have_js_property("value", 1.9)
        expect(page.get_by_text("La ronda 1 se sorteó a las")).to_be_visible()
        expect(page.get_by_role("button", name="Publicar la ronda 1")).to_have_count(0)
        shot(page, "tournament-computing")
        assert_fits(page)
        conn.execute("SELECT pg_advisory_unlock(hashtextextended('drawing:grande', 0))")
        expect(page.get_by_role("button", name="Publicar la ronda 1")).to_be_visible()
        expect(bar).to_have_count(0)
        assert keeper.said == []


@pytest.mark.parametrize("size", SCREENS, ids=lambda size: str(size["width"]))
def test_the_wall_cuts_no_table_off(
    tab: Tab, small_site: Served, monkeypatch: pytest.MonkeyPatch, size: dict[str, int]
) -> None:
    """With forty tables of pairs, some with long names, every table and every place is seen whole on some page."""
    monkeypatch.setattr(pairing, "MOST_IN_THREAD", 80)
    league, name = small_site.league, f"pared{size['width']}"
    players = [f"{name}-{number:03}" for number in range(160)]
    long = "Yadira Encarnación de los Santos Valenzuela"
    send(league, *(RegisterPlayer(one, f"{long if at % 7 == 0 else 'Bea Abreu'} {one}", None)
                   for at, one in enumerate(players)))  # fmt: skip
    plan = {"name": "Copa de la pared", "format": "swiss", "mode": "2v2", "ruleset": "cuban-150", "rounds": 2,
            "minutes": 25}  # fmt: skip
    pairs = [EnterCompetitor(name, (one, other)) for one, other in zip(players[::2], players[1::2], strict=True)]
    send(league, PlanTournament(name, plan), *pairs)
    draw_round(league, DrawRound(name), "kim")
    publish_round(league, PublishRound(name, 1), "kim")
    small_site.follow(str(league.store.head()))
    page = tab.page
    page.set_viewport_size(size)  # type: ignore[arg-type]
    page.clock.install()
    page.goto(address(small_site, f"/tournaments/{name}/screen"))
    seen = seen_whole(page, turns=16)
    assert [*seen.values()] == [40, 80]
    assert tab.said == []


WIDER = """() => [...document.querySelectorAll('main *')].filter(one => {
    const box = one.getBoundingClientRect(), card = one.closest('.card')?.getBoundingClientRect();
    const hidden = one.closest('.visually-hidden') || box.width === 0;
    return !hidden && (box.right > innerWidth + 1 || (card && box.right > card.right + 1));
}).map(one => one.outerHTML.slice(0, 200))"""


def assert_fits(page: Page) -> None:
    """Expect nothing to be wider than the page or its card."""
    assert page.viewport_size == PHONE
    assert page.evaluate(WIDER) == []


def _withdraw(page: Page, home: str, name: str) -> None:
    """Withdraw a competitor on its own page, with a reason."""
    page.goto(home)
    page.get_by_role("listitem").filter(has_text=name).get_by_role("link", name="Retirar").click()
    page.get_by_label("Motivo").fill("se tuvo que ir")
    assert_fits(page)
    shot(page, "tournament-withdraw")
    page.get_by_role("button", name="Retirar").click()
    expect(page.get_by_role("heading", name="13 participan")).to_be_visible()


def _look_at_pages(site: Served, page: Page, wall: Page, home: str) -> None:
    """Expect the tournament, its rounds and its standing to fit a phone, and the wall screen to turn its pages."""
    for address_, name in (("", "tournament"), ("/standing", "tournament-standing"), ("/rounds/3", "tournament-why")):
        page.goto(f"{home}{address_}")
        assert_fits(page)
        shot(page, name)
    expect(page.get_by_text("Se está calculando por qué se formó cada mesa")).to_be_visible()
    explain_round(site.league.database.url, home.rpartition("/")[2], 3)
    expect(page.get_by_text("son pareja").first).to_be_attached()  # it comes by itself
    expect(page.get_by_text("Se está calculando")).to_have_count(0)
    page.get_by_role("link", name="Ronda anterior").click()
    expect(page.get_by_role("heading", name="Ronda 2 de")).to_be_visible()
    expect(wall.locator("[data-bell]")).to_have_count(1)
    shot(wall, "tournament-wall")
    before = wall.locator(".turned.shown h2").inner_text()
    expect(wall.locator(".turned.shown h2")).not_to_have_text(before)


def _print(page: Page, home: str, folder: Path, tables: int) -> None:
    """Print the round by table and by name, the standing, and two score sheets per page."""
    page.goto(f"{home}/sheets")
    expect(page.locator(".score-sheet")).to_have_count(tables)
    page.emulate_media(media="print")
    shot(page, "tournament-sheets")
    pdf = folder / "sheets.pdf"
    page.pdf(path=str(pdf), format="A4")
    page.emulate_media(media="screen")
    assert pdf.read_bytes().startswith(b"%PDF")
    assert pdf.read_bytes().count(b"/Type /Page\n") == 3 + (tables + 1) // 2


def _record_on_two_phones(one: Page, other: Page, wall: Page, home: str, of: RoundState) -> None:
    """Two players record on their phones; the wall screen shows both results by itself."""
    tables = [table for table in of.tables if table.number in (1, 3)]
    for page, table, points in zip((one, other), tables, (61, 62), strict=True):
        page.goto(home)
        row = page.locator(".tables > li").filter(has_text=f"Mesa {table.number}")
        shot(page, f"tournament-to-record-{table.number}")
        row.get_by_role("link", name="Anotar el resultado").click()
        assert_fits(page)
        scores = page.get_by_role("spinbutton").or_(page.locator("input[name^='announced.score']"))
        scores.nth(0).fill("150")
        scores.nth(1).fill(str(points))
    for page in (one, other):
        _send(page, "Anotar el resultado")
    for points in (61, 62):
        expect(wall.locator(".tables").get_by_text(str(points), exact=True)).to_have_count(1)
    shot(wall, "tournament-wall-2")


def _plan_and_enter(page: Page, site: Served) -> str:
    """Plan the tournament and enter its players. Returns the address of its page."""
    page.goto(address(site, "/tournaments"))
    page.get_by_role("link", name="Crear un torneo").click()
    page.get_by_label("Nombre").fill("Copa de la peña")
    page.get_by_label("Reglas").select_option("cuban-150")
    page.get_by_label("Rondas").fill("4")
    page.get_by_label("Minutos de una ronda").fill("25")
    page.get_by_label("Solo juegan quienes han registrado su llegada").uncheck()
    page.get_by_role("button", name="Crear el torneo").click()
    expect(page.get_by_role("heading", name="Copa de la peña")).to_be_visible()
    home = page.url
    others = [EnterCompetitor(home.rpartition("/")[2], (f"j{at:02}",)) for at in range(2, len(NAMES))]
    send(site.league, *others)
    site.follow(str(site.league.store.head()))
    for name in NAMES[:2]:
        page.get_by_label("Jugador").fill(name)
        page.get_by_role("button", name="Inscribir").click()
        expect(page.get_by_role("listitem").filter(has_text=name).first).to_be_visible()
    expect(page.get_by_role("heading", name="14 participan")).to_be_visible()
    page.get_by_role("link", name="Vista previa").click()
    expect(page.get_by_text("Descanso:")).to_be_visible()
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
    return stored_tournament(site.league.dispatcher.state_cache, id_).rounds[number - 1]


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
    expect(page).not_to_have_url(re.compile("/record"))  # what the hand gives names the score before it is stored
    expect(page.get_by_text("189").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def _send(page: Page, button: str) -> None:
    """Send a form, and wait until its page is left: another address asked for meanwhile would be aborted."""
    form = page.url
    page.get_by_role("button", name=button).click()
    page.wait_for_url(lambda url: url != form)


def _play(site: Served, page: Page, of: RoundState) -> None:
    """Table 1 records by phone in the first round; in round 1 nobody comes to side 1 of table 3."""
    league = site.league
    for table in of.tables:
        assert table.match is not None
        if of.number == 1 and table.number == 1:
            page.goto(address(site, f"/matches/{table.match}/record"))
            names = [NAMES[int(id_[1:])] for id_ in table.sides[0]]
            losers = " & ".join(NAMES[int(id_[1:])] for id_ in table.sides[1])
            record(page, "Dominó", names[0], losers, "48")
            expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
            send(league, RecordHand(table.match, domino(0, None, 90, None, 90), None))
        elif of.number == 1 and table.number == 3:
            page.goto(address(site, f"/tournaments/{table.match.rpartition('-r1')[0]}"))
            row = page.locator(".tables > li").filter(has_text="Mesa 3")
            row.get_by_role("link", name="Alguien no vino").click()
            page.get_by_label(" & ".join(NAMES[int(id_[1:])] for id_ in table.sides[1])).check()
            shot(page, "tournament-absence")
            _send(page, "Anotar la ausencia")
            expect(page.get_by_text("incomparecencia").first).to_be_visible()
        elif of.number == 2 and table.number in (1, 3):
            continue  # both phones have recorded it
        elif of.number == 4 and table.number in (1, 2):
            continue  # its players have recorded it
        elif table.number == 2:
            send(league, RecordHand(table.match, domino(0, None, 90, None, 90), None))
        else:
            send(league, RecordResult(table.match, AnnouncedResult(0, (150, 100 - table.number))))
    site.follow(str(league.store.head()))
