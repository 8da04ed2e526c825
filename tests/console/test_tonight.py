"""Tonight on the first page of those who keep score: who is here, tables from chips, and rematches, by touch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served
from browsers import serious_faults
from desk import address, give_cookies, shot
from leagues import send
from playwright.sync_api import Browser, Page, expect
from test_taps import SMALL_PHONE, Thumb

from league.domain.match import RecordResult
from league.domain.player import RegisterPlayer
from league.domain.result import AnnouncedResult

pytestmark = pytest.mark.heavy
NAMES = {
    "altagracia": "Altagracia Reyes",
    "bienvenido": "Bienvenido Mota",
    "hector": "Héctor Lora",
    "mila": "Mila Cruz",
}


@pytest.fixture
def phone(browser: Browser, small_site: Served) -> Iterator[Page]:
    """A small phone with a touch screen, on which a scorekeeper has signed in."""
    context = browser.new_context(viewport=SMALL_PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    give_cookies(page, small_site)
    yield page
    context.close()


def test_an_evening_takes_few_taps(phone: Page, small_site: Served) -> None:
    """A table from the chips of those who are here takes 5 taps, the same four again 1. Nobody types a name."""
    send(small_site.league, *(RegisterPlayer(player, name, None) for player, name in NAMES.items()))
    phone.goto(address(small_site, "/"))
    thumb = Thumb(phone)
    for name in NAMES.values():
        thumb.tap(phone.locator(".came label").filter(has_text=name))
    thumb.tap(phone.get_by_role("button", name="Llegaron"))
    expect(phone.get_by_role("heading", name="Abrir una mesa")).to_be_visible()
    shot(phone, "tonight-here")
    assert thumb.taps == len(NAMES) + 1

    thumb = Thumb(phone)
    for name in NAMES.values():
        thumb.tap(phone.locator(".seat label").filter(has_text=name))
    expect(phone.locator(".seat .sides")).to_have_text(
        "Altagracia Reyes y Héctor Lora contra Bienvenido Mota y Mila Cruz"
    )
    shot(phone, "tonight-seated")
    thumb.tap(phone.get_by_role("button", name="Abrir la mesa"))
    expect(phone.get_by_role("heading", name="Mano 1", exact=True)).to_be_visible()
    assert (thumb.taps, thumb.digits) == (5, 0)
    match = phone.url.split("/")[-2]
    [played] = small_site.ask("{ matches(first: 1) { nodes { matchId mode seats { playerId } } } }")["matches"]["nodes"]
    assert (played["matchId"], played["mode"]) == (match, "TWO_ON_TWO")
    assert [seat["playerId"] for seat in played["seats"]] == list(NAMES)

    phone.goto(address(small_site, "/"))
    expect(phone.locator(".seat label.busy")).to_have_count(4)
    shot(phone, "tonight-playing")
    assert serious_faults(phone) == []
    send(small_site.league, RecordResult(match, AnnouncedResult(0, (150, 90))))
    phone.goto(address(small_site, f"/matches/{match}"))
    shot(phone, "tonight-match")
    thumb = Thumb(phone)
    thumb.tap(phone.get_by_role("button", name="Revancha"))
    expect(phone.get_by_role("heading", name="Mano 1", exact=True)).to_be_visible()
    assert (thumb.taps, thumb.digits) == (1, 0)
    again = phone.url.split("/")[-2]
    assert again != match
    seats = small_site.ask("query ($id: ID!) { match(id: $id) { seats { playerId } } }", id=again)["match"]["seats"]
    assert [seat["playerId"] for seat in seats] == list(NAMES)
