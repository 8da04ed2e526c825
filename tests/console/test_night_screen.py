"""The screen for the hall of a night: tables in play, results, who has won most, and a clock with a bell."""

from __future__ import annotations

import re
from datetime import datetime
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from api_server import Served
from browsers import Tab
from desk import address, cookie_of, shot
from leagues import send
from playwright.sync_api import ViewportSize, expect
from screens import SCREENS, seen_whole

from league.domain.match import OpenMatch, RecordHand, RecordResult
from league.domain.player import RegisterPlayer
from league.domain.result import AnnouncedResult
from tests.leagues import domino

HAVANA = ZoneInfo("America/Havana")
"""The time zone of the league."""
LONG = "Yadira Encarnación de los Santos Valenzuela"
RECORDED = "Baldomero T."
"""The longest name of the recorded seasons."""


def play(site: Served, name: str, running: int, over: int) -> str:
    """Play matches of two pairs tonight, each with players of its own. Returns the day of the night."""
    for number in range(running + over):
        match, players = f"{name}-{number}", [f"{name}-{number}-{seat}" for seat in range(4)]
        called = LONG if number % 7 == 1 else RECORDED
        send(site.league, *(RegisterPlayer(one, f"{called} {one.removeprefix(name)}", None) for one in players))
        send(site.league, OpenMatch(match, "cuban-150", "2v2", "casual", tuple(players)))
        if number >= running:
            send(site.league, RecordResult(match, AnnouncedResult(1, (95, 150))))
    site.follow(str(site.league.store.head()))
    day: str = site.ask("{ night { day } }")["night"]["day"]
    return day


def test_the_screen_shows_what_is_played(small_site: Served) -> None:
    """Tables in play, results, and who has won; the pages of tonight and of the night lead there."""
    day = play(small_site, "shown", 1, 1)
    page = unescape(small_site.http.get(f"/nights/{day}/screen").text)
    running, over, winners = re.split("Played tonight|Who has won most", page)
    assert f"{RECORDED} -0-0" in running
    assert f"{LONG} -1-0" in over
    assert f"{LONG} -1-1" in winners
    assert f"{LONG} -1-0" not in winners
    assert "data-bell" not in page
    assert f'action="/nights/{day}/screen"' in small_site.http.get(f"/nights/{day}").text
    keeper = {"Cookie": f"league={cookie_of(small_site)}"}
    assert f'href="/nights/{day}/screen"' in small_site.http.get("/", headers=keeper).text


def test_the_bell_is_in_the_address(small_site: Served) -> None:
    """By the clock of the league, also after midnight; what is no time of day is refused."""

    def bell(written: str) -> tuple[int, list[str]]:
        answer = small_site.http.get(f"/nights/2026-11-28/screen?bell={written}")
        return answer.status_code, re.findall('data-bell="([^"]+)"', answer.text)

    assert bell("22:30") == (200, ["2026-11-29T03:30:00+00:00"])
    assert bell("01:15") == (200, ["2026-11-29T06:15:00+00:00"])
    assert bell("") == (200, [])
    assert [bell(wrong)[0] for wrong in ("24:00", "soon", "22:30:00", "%00", "9" * 99)] == [400] * 5
    assert small_site.http.get("/nights/tonight/screen").status_code == 404


@pytest.mark.heavy
@pytest.mark.parametrize("size", SCREENS, ids=lambda size: str(size["width"]))
def test_the_screen_cuts_no_match_off(tab: Tab, small_site: Served, size: ViewportSize) -> None:
    """Nothing scrolls: each table, result and winner is seen whole on some page, and changes are followed."""
    name = f"hall{size['width']}"
    day = play(small_site, name, 14, 30)
    page = tab.page
    page.context.add_cookies([{"name": "language", "value": "es", "url": address(small_site, "/")}])
    page.set_viewport_size(size)
    screen = address(small_site, f"/nights/{day}/screen?bell=00:30")
    page.goto(screen)
    shot(page, f"night-screen-{size['width']}")
    page.clock.install(time=datetime.fromisoformat(f"{day}T22:30:30").replace(tzinfo=HAVANA))
    page.goto(screen)
    expect(page.locator(".day-clock")).to_have_text(re.compile(r"^\d\d:\d\d:\d\d$"))
    expect(page.locator(".bell")).to_have_text(re.compile(r"^Campana a las \d\d:\d\d: faltan 1:5\d:\d\d$"))
    running, *others = seen_whole(page, turns=20).values()
    assert (running >= 14, others) == (True, [24, 48])
    send(small_site.league, RecordHand(f"{name}-0", domino(0, None, 37, None, 21)))
    expect(page.locator(".turned", has_text="Se juegan ahora").get_by_text("58", exact=True)).to_have_count(1)
    page.clock.fast_forward(7_200_000)
    expect(page.locator(".bell")).to_have_text("Se acabó el tiempo.")
    assert not page.evaluate("document.documentElement.scrollHeight > innerHeight")
    assert tab.said == []
