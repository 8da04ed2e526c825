"""Forms over bad lines: a server that goes away, a lost answer, two senders, a session that ends, no script."""

from __future__ import annotations

import re
import socket
from typing import Any

import pytest
from api_server import Served, served, token
from browsers import Tab, new_tab
from databases import MIGRATED, copy_of
from desk import address, cookie_of, give_cookies, group, sign_in, total
from leagues import catch_up, found, league_at
from playwright.sync_api import Browser, Page, Route, expect

from league.console.site import create_site

KEEPER = token("scorekeeper", sub="kim")
HAND = {"ended": {"by": "DOMINO", "seat": 1}, "leftover": [{"pips": 21}, {"pips": 0}]}


def open_match(site: Served) -> str:
    """Open a Cuban match of Ana against Bea. Returns its id."""
    seats = ["ana", "bea"]
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "seats": seats}
    done = site.do("openMatch", KEEPER, "... on MatchSuccess { matchId }", **given)
    site.follow(done["position"])
    match: str = done["matchId"]
    return match


def hands_of(site: Served, match: str) -> Any:
    """The points of each hand of a match."""
    hands = site.ask("query ($id: ID!) { match(id: $id) { hands { points } } }", id=match)["match"]["hands"]
    return [hand["points"] for hand in hands]


def fill(page: Page, pips: str = "35") -> None:
    """Fill in a hand: Ana went out, and Bea has `pips` left."""
    group(page, "¿Cómo terminó?").get_by_label("Dominó").check()
    group(page, "¿Quién dominó o trancó?").get_by_label("Ana").check()
    total(page, "Bea").fill(pips)


def store(page: Page) -> None:
    """Send the form of a hand."""
    page.get_by_role("button", name="Anotar la mano").click()


def test_a_server_that_is_killed_loses_nothing_that_was_typed(browser: Browser, embedded_server: str) -> None:
    """A form sent while the server is away survives a reload, and is stored once when the server is back."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with copy_of(embedded_server, MIGRATED) as url, new_tab(browser) as tab:
        with league_at(url) as league:
            found(league)
            catch_up(league)
        with served(url, create=create_site, port=port) as site:
            match = open_match(site)
            page = sign_in(tab, site)
            page.goto(address(site, f"/matches/{match}/record"))
            fill(page)
            site.server.config.timeout_graceful_shutdown = 0  # streams of pages stay open
        store(page)
        expect(page.get_by_text("No se puede llegar al servidor. Lo que")).to_be_visible()
        with served(url, create=create_site, port=port) as site:
            page.reload()
            expect(page.get_by_text("Usted había escrito esto antes")).to_be_visible()
            expect(total(page, "Bea")).to_have_value("35")
            store(page)
            expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
            assert hands_of(site, match) == [[35, 0]]
            site.server.config.timeout_graceful_shutdown = 0  # streams of pages stay open


def test_what_is_typed_before_the_scripts_are_there_counts(tab: Tab, small_site: Served) -> None:
    """Its points are shown once they are, it stays when the page is refreshed, and wins over what was typed before."""
    match = open_match(small_site)
    page = sign_in(tab, small_site)
    page.goto(address(small_site, f"/matches/{match}/record"))
    fill(page, "21")
    page.goto(address(small_site, "/account"))
    held: list[Route] = []
    page.route("**/static/**/*.js", lambda route: held.append(route))  # noqa: PLW0108  # it is given an attribute
    page.goto(address(small_site, f"/matches/{match}/record"), wait_until="commit")
    total(page, "Bea").fill("35")
    assert held
    page.unroute("**/static/**/*.js")  # they go on now
    expect(page.get_by_text("Usted había escrito esto antes")).to_be_visible()
    expect(page.locator("#score")).to_contain_text("+35")
    page.evaluate("document.activeElement.blur()")
    small_site.do("recordHand", KEEPER, match=match, facts=HAND)
    expect(page.get_by_text("Otra persona anotó una mano mientras tanto")).to_be_visible()
    expect(total(page, "Bea")).to_have_value("35")


def test_an_answer_that_is_lost_stores_once(tab: Tab, small_site: Served) -> None:
    """The hand is stored, but its answer is cut off. Sent again, it gets the first answer."""
    match = open_match(small_site)
    page = sign_in(tab, small_site)
    page.goto(address(small_site, f"/matches/{match}/record"))
    fill(page)

    def cut(route: Route) -> None:
        if route.request.method == "POST" and "hx-request" not in route.request.headers:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/record", cut)
    store(page)
    expect(page.get_by_text("No se puede llegar al servidor. Lo que")).to_be_visible()
    page.unroute("**/record")
    store(page)
    expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
    assert hands_of(small_site, match) == [[35, 0]]


def test_a_double_click_stores_once(tab: Tab, small_site: Served) -> None:
    """The second click has no effect, because the form is being sent."""
    match = open_match(small_site)
    page = sign_in(tab, small_site)
    page.goto(address(small_site, f"/matches/{match}/record"))
    fill(page)
    page.get_by_role("button", name="Anotar la mano").dblclick()
    expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
    assert hands_of(small_site, match) == [[35, 0]]


def test_somebody_else_records_meanwhile(tab: Tab, small_site: Served) -> None:
    """The page says so without a reload, and what is typed stays. If it is sent, it becomes the next hand."""
    match = open_match(small_site)
    page = sign_in(tab, small_site)
    page.goto(address(small_site, f"/matches/{match}/record"))
    fill(page)
    page.evaluate("document.activeElement.blur()")  # a refresh spares the control that has the focus anyway
    small_site.do("recordHand", KEEPER, match=match, facts=HAND)
    expect(page.get_by_text("Otra persona anotó una mano mientras tanto")).to_be_visible()
    expect(total(page, "Bea")).to_have_value("35")
    store(page)
    expect(page.get_by_text("será la mano 2")).to_be_visible()
    expect(total(page, "Bea")).to_have_value("35")
    assert hands_of(small_site, match) == [[0, 21]]
    store(page)
    expect(page.get_by_role("heading", name="Mano 3")).to_be_visible()
    assert hands_of(small_site, match) == [[0, 21], [35, 0]]


def test_a_session_that_ends_in_the_middle_of_a_form_loses_nothing(tab: Tab, small_site: Served) -> None:
    """The form says so and still has what was typed. It is stored after signing in on another page."""
    match = open_match(small_site)
    page = sign_in(tab, small_site)
    page.goto(address(small_site, f"/matches/{match}/record"))
    fill(page)
    page.context.clear_cookies(name="league")
    store(page)
    expect(page.get_by_role("alert")).to_contain_text("Inicie sesión en otra página")
    expect(total(page, "Bea")).to_have_value("35")
    give_cookies(page, small_site)
    store(page)
    expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
    assert hands_of(small_site, match) == [[35, 0]]


def test_the_same_form_in_two_tabs_stores_once(browser: Browser, small_site: Served) -> None:
    """The second tab shows the draft of the first. When that is stored, the second tab starts anew."""
    match = open_match(small_site)
    with new_tab(browser) as tab:
        page = sign_in(tab, small_site)
        page.goto(address(small_site, f"/matches/{match}/record"))
        fill(page)
        other = page.context.new_page()
        other.goto(address(small_site, f"/matches/{match}/record"))
        expect(total(other, "Bea")).to_have_value("35")
        store(page)
        expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
        expect(other.get_by_role("heading", name="Mano 2")).to_be_visible()
        expect(total(other, "Bea")).to_have_value("")
        assert hands_of(small_site, match) == [[35, 0]]


def test_without_javascript_forms_are_sent_and_refused_beside_their_fields(
    browser: Browser, small_site: Served
) -> None:
    """Refusals are in the visitor's language, and the form still has what was typed."""
    match = open_match(small_site)
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        give_cookies(page, small_site)
        page.goto(address(small_site, f"/matches/{match}/record"))
        fill(page, "dos")
        store(page)
        error = page.locator(".field.wrong", has_text="Bea").last
        expect(error).to_contain_text("Escriba un número entero")
        expect(total(page, "Bea")).to_have_value("dos")
        total(page, "Bea").fill("13")
        page.get_by_role("button", name="Ver los puntos").click()
        expect(page.locator("#score")).to_contain_text("+13")
        store(page)
        expect(page.get_by_role("heading", name="Mano 2")).to_be_visible()
        page.goto(address(small_site, "/record/match"))
        page.get_by_label("Uno contra uno").check()
        page.get_by_label("Jugador 1").fill("Ana")
        page.get_by_label("Jugador 2").fill("Beatriz")
        page.get_by_role("button", name="Abrir la partida").click()
        expect(page.locator("#seats\\.1-error")).to_contain_text("Nadie se llama exactamente así")
        expect(page.get_by_role("textbox", name="Jugador 2")).to_have_value("Beatriz")


NAMES = [
    "<img src=x onerror=alert(1)>",
    "\u200fevil\u200e Rosa",
    "🁣 Doble Seis 👩‍👩‍👧",
    "{{ 7 * 7 }} & <script>alert(1)</script>",
]


def test_names_with_markup_do_not_run(tab: Tab, small_site: Served) -> None:
    """Such names are shown as they were typed, in pages, in lists of close names, and in forms."""
    page = sign_in(tab, small_site)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    for name in NAMES:
        page.goto(address(small_site, "/record/player"))
        page.get_by_label("Nombre").fill(name)
        page.get_by_role("button", name="Registrar").click()
        expect(page.get_by_role("status")).to_contain_text(name)
    page.get_by_label("Nombre").fill("<img src=y onerror=alert(1)>")
    expect(page.locator("[data-look]")).to_contain_text(NAMES[0])
    page.goto(address(small_site, "/record/match"))
    page.get_by_label("Jugador 1").press_sequentially("script")
    page.get_by_role("button", name="script").click()
    expect(page.get_by_label("Jugador 1")).to_have_value(NAMES[3])
    assert tab.said == []


def test_a_name_that_is_too_long_is_refused_beside_its_field(small_site: Served) -> None:
    """The browser does not send it, and the league would refuse it; what was typed stays."""
    small_site.http.cookies.update({"league": cookie_of(small_site), "language": "es"})
    answer = small_site.http.post(
        "/record/player", data={"name": "a" * 200}, headers={"Origin": address(small_site, "")}
    )
    small_site.http.cookies.clear()
    assert answer.status_code == 422
    assert re.search(r'id="name-error">[^<]*100', answer.text)
    assert "a" * 200 in answer.text


def test_what_is_no_form_is_refused_and_is_no_fault_of_the_server(small_site: Served) -> None:
    """Examples are a body without its boundary, and a way back that leads to another site."""
    own = {"Origin": f"http://127.0.0.1:{small_site.port}"}
    broken = {**own, "Content-Type": "multipart/form-data"}
    assert small_site.http.post("/language", content=b"x", headers=broken).status_code == 400
    form = b'--x\r\nContent-Disposition: form-data; name="back"\r\n\r\n+2AA-\r\n--x--\r\n'
    for charset in ("utf-7", "undefined"):  # half a character, and one that Python cannot read
        odd = {**own, "Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
        for path in ("/language", "/record/player"):
            assert small_site.http.post(path, content=form, headers=odd).status_code == 400
    for back in ("https://other.example/", "//other.example", "/\\other.example"):
        answer = small_site.http.post("/language", data={"language": "es", "back": back}, headers=own)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
