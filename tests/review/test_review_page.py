"""The page of a review on a phone, in Spanish: asked for, followed, and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_server import Served, served
from browsers import Tab
from leagues import import_cuban, league_at, own_database
from playwright.sync_api import expect

from league.console.site import create_site
from league.review.work import review_stored_hand
from tests.console.desk import address, give_cookies, shot, sign_in

SEASON = Path(__file__).parents[2] / "examples" / "dominican-2026"

pytestmark = pytest.mark.heavy


@pytest.fixture
def site(embedded_server: str, tmp_path: Path) -> Iterator[Served]:
    """A league with pages and the first match of the recorded Dominican season."""
    (tmp_path / "players.jsonl").write_bytes((SEASON / "players.jsonl").read_bytes())
    (tmp_path / "matches.jsonl").write_bytes((SEASON / "matches.jsonl").read_bytes().splitlines(keepends=True)[0])
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            league.create("Liga", "America/Santo_Domingo", "test")
            import_cuban(league, tmp_path)
            league.project()
        with served(url, create=create_site) as server:
            yield server


def test_a_hand_is_reviewed_on_a_phone(tab: Tab, site: Served) -> None:
    """A scorekeeper asks; the page shows the review by itself when it is done; figures are shown with consent."""
    tab.page.context.add_cookies([{"name": "language", "value": "es", "url": address(site, "/")}])
    tab.page.goto(address(site, "/matches/d-0001/hands/1/review"))
    expect(tab.page.get_by_text("Esta mano todavía no tiene revisión")).to_be_visible()
    page = sign_in(tab, site)
    page.goto(address(site, "/matches/d-0001"))
    page.get_by_role("link", name="Revisar las manos").click()
    page.get_by_role("button", name="Revisar esta mano").click()
    expect(page.get_by_text("La mano se está revisando")).to_be_visible()
    shot(page, "review-waiting")
    review_stored_hand(site.league.database.url, "d-0001", 1)
    expect(page.get_by_role("heading", name="De qué salió el resultado")).to_be_visible()
    expect(page.get_by_role("img", name="Lo que valía la mano, jugada por jugada")).to_be_visible()
    expect(page.locator(".mistakes li").first).to_contain_text("Costó de")
    shot(page, "review")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    player = page.locator(".mistakes li a").first.get_attribute("href")
    give_cookies(page, site, "kim", "admin")
    page.goto(address(site, f"{player}"))
    page.get_by_role("link", name="Su juego, revisado").click()
    expect(page.get_by_role("heading", name="Por tipo de decisión")).to_have_count(0)
    expect(page.get_by_text("no muestra esto")).to_be_visible()
    page.get_by_role("button", name="Mostrarlo a todos").click()
    expect(page.get_by_role("heading", name="Por tipo de decisión")).to_be_visible()
    shot(page, "play")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.said == []
