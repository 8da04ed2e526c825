"""Brackets on paper and on the screen for the hall, in a browser: whole, and on few sheets."""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path

import pytest
from api_server import Served
from browsers import Tab
from desk import PHONE, address, shot, sign_in
from leagues import EXAMPLES, SEASONS, send
from playwright.sync_api import Page, expect
from test_bracket_pages import play, publish
from test_tournament_evening import assert_fits

from league.domain.player import RegisterPlayer
from league.tournaments.domain.commands import EnterCompetitor, PlanTournament

pytestmark = pytest.mark.heavy

NAMES = sorted(
    {
        json.loads(line)["name"]
        for season in SEASONS
        for line in (EXAMPLES / season / "players.jsonl").read_text("utf-8").splitlines()
    },
    key=lambda name: (-len(name), name),
)
"""The names of the recorded seasons, the longest first."""
PLANS = {16: {"format": "groups", "groups": 4, "best_of": 3}, 32: {"format": "knockout"}, 64: {"format": "knockout"}}
CUT = """() => [...document.querySelectorAll('main *')].filter(one => {
    const main = document.querySelector('main').getBoundingClientRect(), own = one.getBoundingClientRect();
    return own.width > 0 && (own.right > main.right + 1 || own.left < main.left - 1);
}).map(one => one.outerHTML.slice(0, 200))"""
"""What is wider than the sheet."""


def knock_out(site: Served, pairs: int, prefix: str = "papel") -> str:
    """The page of a knock-out of pairs whose first round is played, groups before it. Names are those of seasons."""
    tournament = f"{prefix}{pairs}"
    players = [f"{tournament}-{number:03}" for number in range(2 * pairs)]
    send(site.league, *(RegisterPlayer(one, name, None) for one, name in zip(players, cycle(NAMES), strict=False)))
    send(
        site.league, PlanTournament(tournament, {"name": "Copa", "mode": "2v2", "ruleset": "cuban-150", **PLANS[pairs]})
    )
    send(site.league, *(EnterCompetitor(tournament, pair) for pair in zip(players[::2], players[1::2], strict=True)))
    for _ in range(4 if "groups" in PLANS[pairs] else 1):
        publish(site, tournament)
        play(site, tournament)
    site.follow(str(site.league.store.head()))
    return address(site, f"/tournaments/{tournament}")


def printed(page: Page, folder: Path) -> int:
    """How many sheets a page takes, with the paper that it asks for."""
    file = folder / "sheets.pdf"
    page.pdf(path=str(file), prefer_css_page_size=True)
    return file.read_bytes().count(b"/Type /Page\n")


@pytest.mark.parametrize(("pairs", "sheets"), [(16, 1), (32, 1), (64, 2)])
def test_a_bracket_is_printed_whole_on_few_sheets(
    tab: Tab, small_site: Served, tmp_path: Path, pairs: int, sheets: int
) -> None:
    """Groups stand below the bracket; one of 64 has a half on each sheet, the final on the second. It fits phones."""
    home, page = knock_out(small_site, pairs), sign_in(tab, small_site)
    page.goto(f"{home}/bracket")
    assert printed(page, tmp_path) == sheets
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1062, "height": 733})
    shot(page, f"bracket-printed-{pairs}")
    assert page.evaluate(CUT) == []
    page.emulate_media(media="screen")
    page.set_viewport_size(PHONE)
    assert_fits(page)


def test_the_hall_sees_the_last_rounds_of_a_bracket(tab: Tab, small_site: Served) -> None:
    """It is one of the pages that the screen turns, and fits it."""
    home, page = knock_out(small_site, 16, "pared"), tab.page
    page.set_viewport_size({"width": 1366, "height": 768})
    page.clock.install()
    page.goto(f"{home}/screen")
    expect(page.locator(".turned.shown .tables")).to_have_count(1)
    page.clock.run_for(12_000)
    expect(page.locator(".turned.shown .bracket li.tie")).to_have_count(8)
    shot(page, "bracket-wall")
    lowest = page.locator(".turned.shown li.tie").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().bottom)"
    )
    assert max(lowest) <= 768
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
