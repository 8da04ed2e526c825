"""Tonight on the first page of those who keep score: who is here, tables from chips, and rematches, by touch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served, token
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


def test_somebody_who_came_is_found_by_name(phone: Page, small_site: Served) -> None:
    """By a part of the name, without accents; the whole league is searched, not only those who have a chip."""
    crowd = {f"a-{one}": f"Abelardo {one}" for one in range(30)} | {f"z-{one}": f"Zoilo {one}" for one in range(30)}
    send(small_site.league, *(RegisterPlayer(player, name, None) for player, name in crowd.items()))
    send(small_site.league, RegisterPlayer("m", "Ñico Batey", None))
    small_site.follow(str(small_site.league.store.head()))
    phone.goto(address(small_site, "/"))
    if phone.get_by_text("Quién llegó, quién se fue").is_visible():
        phone.get_by_text("Quién llegó, quién se fue").tap()
    chips, typed = phone.locator(".came .people label:visible"), phone.locator(".came .find input")
    before = chips.count()
    expect(chips.filter(has_text="Ñico Batey")).to_have_count(0)
    typed.fill("nico bat")
    expect(chips).to_have_text(["Ñico Batey"])
    typed.press("Enter")
    expect(typed).to_have_value("")
    expect(chips).to_have_count(before + 1)
    typed.fill("nobody of this league")
    expect(phone.locator(".came .find .empty")).to_be_visible()
    typed.fill("")
    phone.get_by_role("button", name="Llegaron").tap()
    expect(phone.locator(".seat .people label").filter(has_text="Ñico Batey")).to_be_visible()


def test_those_who_are_here_are_filtered_from_nine_on(phone: Page, small_site: Served) -> None:
    """Who was tapped stays tapped while others are searched for."""
    players = [f"here-{one}" for one in range(9)]
    send(small_site.league, *(RegisterPlayer(one, f"Aquí Número {one[-1]}", None) for one in players))
    small_site.do("playersCame", token("scorekeeper"), players=players)
    small_site.follow(str(small_site.league.store.head()))
    phone.goto(address(small_site, "/"))
    typed, chips = phone.locator(".seat .find input"), phone.locator(".seat .people label:visible")
    for number in ("3", "7"):
        typed.fill(f"numero {number}")
        expect(chips).to_have_count(1)
        chips.tap()
        expect(typed).to_have_value("")
    expect(phone.locator(".seat .sides")).to_have_text("Aquí Número 3 contra Aquí Número 7")
