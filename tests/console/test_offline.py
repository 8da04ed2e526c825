"""Recording without a connection, on a phone: kept on the device, sent in order and once, conflicts decided by a person."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from api_server import Served, served, token
from browsers import ARGUMENTS, CHROMIUM
from databases import MIGRATED, copy_of
from desk import PHONE, address, cookie_of, group, shot, total
from leagues import catch_up, empty_league, found
from playwright.sync_api import BrowserContext, Locator, Page, Playwright, expect, sync_playwright
from waiting import LIMIT, wait_until

from league.console.site import create_site

KEEPER = token("scorekeeper", sub="kim")
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
        """Where a browser finds it."""
        return f"http://127.0.0.1:{self.port}"

    @contextmanager
    def server(self) -> Iterator[Served]:
        with served(self.url, create=create_site, port=self.port) as site:
            try:
                yield site
            finally:
                site.server.force_exit = True


@pytest.fixture
def club(embedded_server: str) -> Iterator[Club]:
    """A league of six players."""
    with copy_of(embedded_server, MIGRATED) as url:
        with empty_league(url) as league:
            found(league)
            catch_up(league)
        yield Club(url)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    expect.set_options(timeout=LIMIT * 1000)
    with sync_playwright() as started:
        yield started


@contextmanager
def phone(playwright: Playwright, folder: Path) -> Iterator[BrowserContext]:
    """A phone whose browser keeps what it has in a folder: closed and opened again, it is the same one."""
    context = playwright.chromium.launch_persistent_context(
        str(folder), executable_path=CHROMIUM, args=ARGUMENTS, viewport=PHONE, locale="es-DO", timezone_id="America/Havana",
        has_touch=True, is_mobile=True,
    )  # fmt: skip
    context.set_default_timeout(LIMIT * 1000)
    try:
        yield context
    finally:
        context.close()


def open_match(site: Served, *seats: str) -> str:
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "seats": list(seats)}
    match: str = site.do("openMatch", KEEPER, "... on OpenMatchSuccess { matchId }", **given)["matchId"]
    return match


def hands_of(site: Served, match: str) -> Any:
    return [hand["points"] for hand in site.ask(HANDS, id=match)["match"]["hands"]]


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
    """Six hands with a correction, the browser closed in between: stored once, in order, with the times of play."""
    with club.server() as site, phone(playwright, tmp_path) as context:
        match = open_match(site, "ana", "bea")
        shot(desk(context, site), "offline-ready")
    with phone(playwright, tmp_path) as context:
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
    with phone(playwright, tmp_path) as context:
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
    with club.server() as site, phone(playwright, tmp_path) as context:
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
