"""Recording without a connection: a phone queues hands, sends them once, in order, and a person decides conflicts."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from api_server import Served, served, token
from browsers import ARGUMENTS, CHROMIUM, INSECURE, driver, launched, serious_faults
from databases import MIGRATED, copy_of
from desk import PHONE, address, cookie_of, group, shot, total
from leagues import adopt, catch_up, found, league_at
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Playwright, Route, expect
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send
from waiting import LIMIT, wait_until

from league.api.server.web import CreateApp
from league.application.bootstrap import League
from league.application.jobs import Jobs
from league.console import static_files
from league.console.site import create_site
from league.infra.settings import Settings

KEEPER = token("scorekeeper", sub="kim")
PRECISION = timedelta(seconds=6)
"""How exactly a phone knows the server's clock: answers have whole seconds, and one that took 5 seconds counts."""
HANDS = """query ($id: ID!) { match(id: $id) { status hands { number points } } }"""


class Club:
    """A league whose server can be stopped and started again, at one address."""

    def __init__(self, url: str) -> None:
        self.url = url
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]

    @property
    def place(self) -> str:
        """The address at which a browser finds it."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def server(self, create: CreateApp = create_site) -> Iterator[Served]:
        with served(self.url, create=create, port=self.port) as site:
            try:
                yield site
            finally:
                site.server.config.timeout_graceful_shutdown = 0  # streams of pages stay open


@pytest.fixture
def club(embedded_server: str) -> Iterator[Club]:
    """A league of six players."""
    with copy_of(embedded_server, MIGRATED) as url:
        with league_at(url) as league:
            found(league)
            catch_up(league)
        yield Club(url)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with driver() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with launched(playwright) as opened:
        yield opened


A_PHONE: dict[str, Any] = {
    "viewport": PHONE, "has_touch": True, "is_mobile": True, "locale": "es-DO", "timezone_id": "America/Havana"
}  # fmt: skip


@contextmanager
def phone(browser: Browser) -> Iterator[BrowserContext]:
    """A phone with nothing on it, which stays switched on."""
    with browser.new_context(**A_PHONE) as context:
        context.set_default_timeout(LIMIT * 1000)
        yield context


@contextmanager
def lasting_phone(playwright: Playwright, folder: Path) -> Iterator[BrowserContext]:
    """A phone whose browser stores its data in a folder, so that it can be closed and opened again."""
    context = playwright.chromium.launch_persistent_context(
        str(folder), executable_path=CHROMIUM, args=ARGUMENTS, **A_PHONE
    )
    context.set_default_timeout(LIMIT * 1000)
    try:
        yield context
    finally:
        context.close()


def open_match(site: Served, *seats: str) -> str:
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "seats": list(seats)}
    done = site.do("openMatch", KEEPER, "... on MatchSuccess { matchId }", **given)
    site.follow(done["position"])
    match: str = done["matchId"]
    return match


def hands_of(site: Served, match: str) -> Any:
    found = site.ask(HANDS, id=match)["match"]  # null until the league has followed the log so far
    return None if found is None else [hand["points"] for hand in found["hands"]]


def sign_in(context: BrowserContext, site: Served, sub: str = "kim", role: str = "scorekeeper") -> None:
    """Sign in, in Spanish, with cookies that stay when the browser is closed."""
    cookies = {"league": cookie_of(site, sub, role), "language": "es"}
    ends = time.time() + 3600
    context.add_cookies(
        [{"name": name, "value": value, "url": address(site, "/"), "expires": ends} for name, value in cookies.items()]
    )


def times_of(site: Served, match: str) -> list[datetime]:
    """The times of play of the recorded hands, as the log has them."""
    asked = """query ($match: ID!) {
      trail(first: 100, filter: {match: $match}) { nodes { event { position name playedAt } } }
    }"""
    events = [node["event"] for node in site.ask(asked, token("auditor"), match=match)["trail"]["nodes"]]
    events.sort(key=lambda event: int(event["position"]))
    return [datetime.fromisoformat(event["playedAt"]) for event in events if event["name"].startswith("hand-recorded")]


def desk(context: BrowserContext, site: Served, sub: str = "kim") -> Page:
    """The desk, opened with a connection by somebody who has signed in: the phone is ready to be offline."""
    page = context.pages[0] if context.pages else context.new_page()
    sign_in(context, site, sub)
    page.goto(address(site, "/record"))
    expect(page.get_by_text("Este aparato puede anotar sin conexión")).to_be_visible()
    return page


def hand(page: Page, who: str, loser: str, pips: str) -> None:
    group(page, "¿Cómo terminó?").get_by_label("Dominó").check()
    group(page, "¿Quién dominó o trancó?").get_by_label(who).check()
    total(page, loser).fill(pips)
    page.get_by_role("button", name="Anotar la mano").click()


def unsent(page: Page) -> Locator:
    return page.locator(".unsent-entry")


def typed_at(page: Page) -> list[str]:
    """The times of the device at which the unsent entries happened, in order."""
    read = """async () => {
      const open = await new Promise((done) => {
        const asked = indexedDB.open("league-unsent", 1);
        asked.onsuccess = () => done(asked.result);
      });
      const asked = open.transaction("entries").objectStore("entries").getAll();
      await new Promise((done) => { asked.onsuccess = done; });
      open.close();
      return asked.result.sort((one, other) => one.order - other.order).map((one) => one.playedAt);
    }"""
    found: list[str] = page.evaluate(read)
    return found


def test_a_whole_match_without_a_server(playwright: Playwright, club: Club, tmp_path: Path) -> None:
    """Six hands and a correction are stored once, in order, with their times of play; the browser closes in between."""
    with club.server() as site, lasting_phone(playwright, tmp_path) as context:
        match = open_match(site, "ana", "bea")
        shot(desk(context, site), "offline-ready")
    with lasting_phone(playwright, tmp_path) as context:
        page = context.new_page()
        page.goto(f"{club.place}/record")
        expect(page.get_by_text("Sin conexión")).to_be_visible()
        shot(page, "offline-desk")
        page.get_by_role("link", name="Anotar la mano 1").click()
        for number, pips in enumerate(("11", "12", "13"), 1):
            hand(page, "Ana", "Bea", pips)
            expect(page.get_by_role("heading", name=f"Mano {number + 1}", exact=True)).to_be_visible()
            expect(page.get_by_text(f"Sin enviar: {number}")).to_be_visible()
            shot(page, f"offline-{number}")
    with lasting_phone(playwright, tmp_path) as context:
        page = context.new_page()
        page.goto(f"{club.place}/matches/{match}/record")
        expect(page.get_by_text("Sin enviar: 3")).to_be_visible()
        for number, pips in enumerate(("14", "15", "16"), 4):
            hand(page, "Ana", "Bea", pips)
            expect(page.get_by_role("heading", name=f"Mano {number + 1}", exact=True)).to_be_visible()
            expect(page.get_by_text(f"Sin enviar: {number}")).to_be_visible()
        page.goto(f"{club.place}/matches/{match}")
        expect(unsent(page)).to_have_count(6)
        shot(page, "offline-match")
        unsent(page).nth(1).get_by_role("link", name="Cambiar").click()
        expect(page.get_by_role("heading", name="Mano 2", exact=True)).to_be_visible()
        expect(total(page, "Bea")).to_have_value("12")
        total(page, "Bea").fill("22")
        shot(page, "offline-change")
        page.get_by_role("button", name="Anotar la mano").click()
        expect(page.get_by_role("heading", name="Mano 7", exact=True)).to_be_visible()
        page.goto(f"{club.place}/record")
        expect(unsent(page)).to_have_count(6)
        expect(unsent(page).nth(1)).to_contain_text("22")
        shot(page, "offline-desk-unsent")
        times = typed_at(page)
    with club.server() as site, lasting_phone(playwright, tmp_path) as context:
        assert hands_of(site, match) == []
        page = context.new_page()
        page.goto(f"{club.place}/record")
        expect(page.get_by_text("Se enviaron 6")).to_be_visible()
        shot(page, "offline-sent")
        wait_until(lambda: len(hands_of(site, match)) == 6)
        assert hands_of(site, match) == [[11, 0], [22, 0], [13, 0], [14, 0], [15, 0], [16, 0]]
        assert times_of(site, match) == [datetime.fromisoformat(time) for time in times]
        page.reload()
        expect(page.get_by_role("link", name="Anotar la mano 7")).to_be_visible()
        expect(unsent(page)).to_have_count(0)


NOT_HERE = {
    "es": "Este aparato no puede anotar sin conexión aquí",
    "en": "This device cannot record without a connection",
}


def test_an_address_without_https_says_that_the_connection_is_needed(browser: Browser, club: Club) -> None:
    """Browsers have no service worker there. The desk says so, and does not call the device ready."""
    place = f"http://{INSECURE}:{club.port}"
    with club.server() as site, browser.new_context(viewport=PHONE) as context:  # type: ignore[arg-type]
        open_match(site, "ana", "bea")
        context.set_default_timeout(LIMIT * 1000)
        page = context.new_page()
        for language, sentence in NOT_HERE.items():
            cookies = {"league": cookie_of(site, "kim", "scorekeeper"), "language": language}
            context.add_cookies([{"name": name, "value": value, "url": place} for name, value in cookies.items()])
            page.goto(f"{place}/record")
            expect(page.locator("#unsent")).to_contain_text(sentence)
            expect(page.locator("#unsent")).to_contain_text("https")
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            shot(page, f"offline-insecure-{language}")


def typed_without_a_server(context: BrowserContext, club: Club, match: str, *pips: str) -> None:
    """Type hands that Ana won while there is no server, then close the page."""
    page = context.pages[0]
    for one in pips:
        page.goto(f"{club.place}/matches/{match}/record")
        before = len(typed_at(page))
        with page.expect_navigation():
            hand(page, "Ana", "Bea", one)
        expect(page.get_by_text(f"Sin enviar: {before + 1}")).to_be_visible()
    page.goto("about:blank")


OTHERS = {"ended": {"by": "DOMINO", "seat": 1}, "leftover": [{"pips": 21}, {"pips": 0}]}
"""A hand that Bea has won, as a second phone records it."""


@pytest.mark.parametrize(
    ("choice", "points"),
    [
        ("Es la misma mano: quitar la mía", [[0, 21], [12, 0]]),
        ("Es otra mano: enviarla como mano 2", [[0, 21], [35, 0], [12, 0]]),
        ("Corregir con esta la mano guardada", [[35, 0], [12, 0]]),
    ],
)
def test_a_second_phone_has_recorded_the_same_hand(
    browser: Browser, club: Club, choice: str, points: list[list[int]]
) -> None:
    """Both hands are shown and none is stored twice. Once a person has decided, the next hand follows."""
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            desk(context, site)
        typed_without_a_server(context, club, match, "35", "12")
        with club.server() as site:
            assert site.do("recordHand", KEEPER, match=match, hand=1, facts=OTHERS)["__typename"] == "MatchSuccess"
            page = context.pages[0]
            page.goto(f"{club.place}/matches/{match}")
            refused = unsent(page).first
            expect(refused).to_contain_text("Bea: 35")
            expect(refused).to_contain_text("Lo que está guardado ahora")
            expect(refused.get_by_role("alert")).to_contain_text("Ana: 21")
            expect(unsent(page).nth(1)).to_contain_text("sin enviar")
            shot(page, "offline-conflict")
            assert serious_faults(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            assert hands_of(site, match) == [[0, 21]]
            refused.get_by_text(choice).click()
            if choice.startswith("Corregir"):
                expect(total(page, "Bea")).to_have_value("35")
                expect(page.get_by_text("El formulario tiene su mano")).to_be_visible()
                page.get_by_label("Motivo").fill("la otra mano estaba mal")
                shot(page, "offline-conflict-correct")
                with page.expect_navigation():
                    page.get_by_role("button", name="Guardar la corrección").click()
            wait_until(lambda: hands_of(site, match) == points)
            page.goto(f"{club.place}/record")
            expect(page.get_by_role("link", name=f"Anotar la mano {len(points) + 1}")).to_be_visible()
            expect(unsent(page)).to_have_count(0)


def test_a_match_that_was_voided_in_between(browser: Browser, club: Club) -> None:
    """The hand stays on the phone beside what is stored now, until somebody takes it back."""
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            desk(context, site)
        typed_without_a_server(context, club, match, "35")
        with club.server() as site:
            site.do("voidMatch", KEEPER, match=match, reason="otra noche")
            page = context.pages[0]
            page.goto(f"{club.place}/record")
            expect(unsent(page)).to_contain_text("La partida se anuló mientras tanto")
            expect(unsent(page)).to_contain_text("Bea: 35")
            shot(page, "offline-voided")
            page.reload()
            expect(unsent(page)).to_contain_text("Bea: 35")
            unsent(page).get_by_role("button", name="Quitar").click()
            unsent(page).get_by_role("button", name="Sí, quitar").click()
            expect(unsent(page)).to_have_count(0)


def test_rules_that_were_changed_in_between(browser: Browser, club: Club) -> None:
    """The first hand now ends the match: it is stored with its score, and the second one waits beside that."""
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            desk(context, site)
        typed_without_a_server(context, club, match, "35", "12")
        with club.server() as site:
            adopt(site.league, "[rulesets.cuban-150]\ntarget = 30\n")
            page = context.pages[0]
            page.goto(f"{club.place}/record")
            expect(unsent(page)).to_have_count(1)
            expect(unsent(page)).to_contain_text("Bea: 12")
            expect(unsent(page).get_by_role("alert")).to_contain_text("La partida ya terminó")
            assert hands_of(site, match) == [[35, 0]]


def test_a_session_that_has_expired(browser: Browser, club: Club) -> None:
    """The phone says what waits, and sends it when the same person has signed in again."""
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            desk(context, site)
        typed_without_a_server(context, club, match, "35")
        page = context.pages[0]
        page.goto(f"{club.place}/matches/{match}")
        expect(page.get_by_text("Sin conexión")).to_be_visible()
        context.clear_cookies(name="league")
        with club.server() as site:
            expect(page.get_by_text("Inicie sesión para enviarlo")).to_be_visible()
            page.goto(f"{club.place}/record")
            expect(page.get_by_text("Sin enviar: 1")).to_be_visible()
            shot(page, "offline-signed-out")
            assert hands_of(site, match) == []
            sign_in(context, site)
            page.reload()
            expect(page.get_by_text("Se enviaron 1")).to_be_visible()
            assert hands_of(site, match) == [[35, 0]]


def test_somebody_else_signs_in_on_the_phone(browser: Browser, club: Club) -> None:
    """What one person recorded is not sent under the name of another, unless that person asks for it."""
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            desk(context, site)
        typed_without_a_server(context, club, match, "35")
        with club.server() as site:
            page = desk(context, site, "lía")
            expect(page.get_by_text("anotado en este aparato por kim: 1")).to_be_visible()
            shot(page, "offline-other-person")
            assert hands_of(site, match) == []
            page.get_by_role("button", name="Enviarlo con mi nombre").click()
            expect(page.get_by_text("Se enviaron 1")).to_be_visible()
            assert hands_of(site, match) == [[35, 0]]
            asked = "query ($match: ID!) { trail(filter: {match: $match}) { nodes { kind event { actor } } } }"
            nodes = site.ask(asked, token("auditor"), match=match)["trail"]["nodes"]
            assert "lía" in [node["event"]["actor"] for node in nodes]


def test_two_matches_at_once(browser: Browser, club: Club) -> None:
    """Each match has its own order and numbers. A refusal in one does not hold up the other, nor its end."""
    with phone(browser) as context:
        with club.server() as site:
            one, other = open_match(site, "ana", "bea"), open_match(site, "ana", "bea")
            desk(context, site)
        for match, pips in ((one, "11"), (other, "21"), (one, "12"), (other, "22")):
            typed_without_a_server(context, club, match, pips)
        page = context.pages[0]
        page.goto(f"{club.place}/matches/{other}/end")
        with page.expect_navigation():
            page.get_by_role("button", name="Terminar la partida").click()
        expect(page.get_by_text("Sin enviar: 5")).to_be_visible()
        page.goto("about:blank")
        with club.server() as site:
            site.do("voidMatch", KEEPER, match=one, reason="otra noche")
            page.goto(f"{club.place}/record")
            wait_until(lambda: hands_of(site, other) == [[21, 0], [22, 0]])
            expect(page.get_by_text("Sin enviar: 2")).to_be_visible()
            assert site.ask(HANDS, id=other)["match"]["status"] == "CUT_SHORT"


def test_a_stored_hand_is_corrected_without_a_server(browser: Browser, club: Club) -> None:
    """The form has the recorded facts. The correction is sent before the hands typed after it."""
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            site.do("recordHand", KEEPER, match=match, facts=OTHERS)
            wait_until(lambda: hands_of(site, match) == [[0, 21]])
            page = desk(context, site)
        page.goto(f"{club.place}/record")
        expect(page.get_by_text("Sin conexión")).to_be_visible()
        page.get_by_role("link", name="Corregir").click()
        expect(total(page, "Ana")).to_have_value("21")
        total(page, "Ana").fill("27")
        page.get_by_label("Motivo").fill("eran 27")
        with page.expect_navigation():
            page.get_by_role("button", name="Guardar la corrección").click()
        expect(unsent(page)).to_contain_text("Corregir la mano 1")
        expect(unsent(page)).to_contain_text("27")
        typed_without_a_server(context, club, match, "35")
        with club.server() as site:
            page.goto(f"{club.place}/record")
            wait_until(lambda: hands_of(site, match) == [[0, 27], [35, 0]])


def test_the_clock_of_the_phone_is_an_hour_fast(browser: Browser, club: Club) -> None:
    """Times of play follow the server's clock, as far as the phone can tell it from answers."""
    with phone(browser) as context:
        context.add_init_script("const real = Date.now; Date.now = () => real() + 3_600_000;")
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            desk(context, site)
        began = datetime.now(UTC)
        typed_without_a_server(context, club, match, "35")
        ended = datetime.now(UTC)
        with club.server() as site:
            context.pages[0].goto(f"{club.place}/record")
            wait_until(lambda: hands_of(site, match) == [[35, 0]])
            [time_of_play] = times_of(site, match)
            assert began - PRECISION <= time_of_play <= ended + PRECISION


def test_a_new_release_takes_the_place_of_the_old_one(
    browser: Browser, club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages of the new release work without a server, and nothing of the old release stays on the phone."""
    names = "async () => (await caches.keys()).sort()"
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            old = desk(context, site).evaluate(names)
        later = tmp_path / "static"
        shutil.copytree(static_files.FILES, later)
        (later / "record.css").write_text("/* a later release */", encoding="utf-8")
        monkeypatch.setattr(static_files, "FILES", later)
        with club.server() as site:
            page = desk(context, site)
            wait_until(lambda: len(page.evaluate(names)) == len(old) and not set(page.evaluate(names)) & set(old))
        typed_without_a_server(context, club, match, "35")


def late_site(go: threading.Event, league: League, settings: Settings, jobs: Jobs) -> Starlette:
    """The pages of a league. The desk is answered when the test sets `go`."""
    site = create_site(league, settings, jobs)

    async def late(scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("path") == "/record":
            await asyncio.to_thread(go.wait, LIMIT)
        await site(scope, receive, send)

    return late  # type: ignore[return-value]  # the server only calls it


def test_a_copy_makes_way_for_the_page_of_a_server_that_was_only_slow(browser: Browser, club: Club) -> None:
    """The phone shows its copy meanwhile. Then the page comes, though nothing has changed in the league."""
    go = threading.Event()
    with phone(browser) as context:
        with club.server() as site:
            open_match(site, "ana", "bea")
            desk(context, site)
        with club.server(partial(late_site, go)) as site:
            page = context.pages[0]
            page.goto(f"{club.place}/record")
            expect(page.get_by_text("Esta página es de las")).to_be_visible()
            go.set()
            expect(page.get_by_text("Este aparato puede anotar sin conexión")).to_be_visible()
            expect(page.get_by_text("Esta página es de las")).to_be_hidden()


def test_an_answer_that_is_lost(browser: Browser, club: Club) -> None:
    """The hand is stored, but its answer is cut off. The phone sends it again, and gets the first answer."""
    with phone(browser) as context, club.server() as site:
        match = open_match(site, "ana", "bea")
        page = desk(context, site)
        page.goto(f"{club.place}/matches/{match}/record")
        cut: list[str] = []

        def answer(route: Route) -> None:
            if route.request.method == "POST" and "hx-request" not in route.request.headers and not cut:
                route.fetch()
                cut.append(route.request.url)
                route.abort()
            else:
                route.continue_()

        page.route("**/record", answer)
        hand(page, "Ana", "Bea", "35")
        expect(page.get_by_role("heading", name="Mano 2", exact=True)).to_be_visible()
        expect(unsent(page)).to_have_count(0)
        assert cut != []
        assert hands_of(site, match) == [[35, 0]]


def test_a_hand_that_cannot_be_read_is_said_at_once(browser: Browser, club: Club) -> None:
    """The form says so even without a connection: hours later nobody would know who went out."""
    with phone(browser) as context:
        with club.server() as site:
            match = open_match(site, "ana", "bea")
            page = desk(context, site)
        page.goto(f"{club.place}/matches/{match}/record")
        page.get_by_role("button", name="Anotar la mano").click()
        expect(page.get_by_text("Diga quién dominó")).to_be_visible()
        hand(page, "Ana", "Bea", "treinta")
        expect(page.get_by_text("Escriba un número entero")).to_be_visible()
        hand(page, "Ana", "Bea", "30")
        expect(page.get_by_text("Sin enviar: 1")).to_be_visible()


def test_signing_out_warns_of_what_is_unsent_and_drops_the_pages(browser: Browser, club: Club) -> None:
    """What was recorded stays on the phone; pages and half-filled forms do not."""
    with phone(browser) as context:
        with club.server() as site:
            match, other = open_match(site, "ana", "bea"), open_match(site, "ana", "bea")
            page = desk(context, site)
        typed_without_a_server(context, club, match, "35")
        with club.server() as site:
            site.do("voidMatch", KEEPER, match=match, reason="otra noche")
            page.goto(f"{club.place}/matches/{other}/record")
            total(page, "Bea").fill("7")
            page.goto(f"{club.place}/account")
            page.get_by_role("button", name="Cerrar sesión", exact=True).click()
            expect(page.get_by_text("Sin enviar: 1")).to_be_visible()
            page.get_by_role("button", name="Cerrar sesión", exact=True).click()
            expect(page).to_have_url(f"{club.place}/")
            assert len(typed_at(page)) == 1
            assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('typed:'))") == []
            kept = "caches.keys().then((names) => names.filter((name) => name.startsWith('league-pages-')))"
            assert page.evaluate(kept) == []
