"""How many taps and digits a hand takes on a small phone, by touch, without a keyboard."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served
from browsers import Tab, serious_faults
from desk import address, give_cookies, shot
from leagues import send
from playwright.sync_api import Browser, Locator, Page, expect
from waiting import wait_until

from league.domain.match import OpenMatch
from league.domain.player import RegisterPlayer

pytestmark = pytest.mark.heavy
NAMES = {
    "altagracia": "Altagracia Reyes",
    "bienvenido": "Bienvenido Mota",
    "hector": "Héctor Lora",
    "mila": "Mila Cruz",
}
SMALL_PHONE = {"width": 390, "height": 664}


class Thumb:
    """A thumb on a phone. It touches what is in sight; if something is not, it scrolls first."""

    def __init__(self, page: Page) -> None:
        self.page, self.taps, self.digits, self.scrolls = page, 0, 0, 0

    @property
    def spent(self) -> tuple[int, int, int]:
        """Taps, digits and scrolls so far."""
        return self.taps, self.digits, self.scrolls

    def tap(self, what: Locator) -> None:
        self._touch(what)
        self.taps += 1

    def type(self, digits: str) -> None:
        for digit in digits:
            self._touch(self.page.locator(f'.keypad [data-digit="{digit}"]'))
            self.digits += 1

    def choose(self, name: str, value: str) -> None:
        self.tap(self.page.locator(f'[name="{name}"][value="{value}"]'))

    def store(self, next_hand: int) -> None:
        self.tap(self.page.get_by_role("button", name="Anotar la mano"))
        expect(self.page.get_by_role("heading", name=f"Mano {next_hand}", exact=True)).to_be_visible()

    def _touch(self, what: Locator) -> None:
        expect(what).to_be_attached()
        if not what.evaluate(IN_SIGHT):
            self.scrolls += 1
            what.evaluate("part => part.scrollIntoView({ block: 'center', behavior: 'instant' })")
        box = what.bounding_box()
        assert box is not None
        self.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


IN_SIGHT = """part => {
  const { left, top, width, height } = part.getBoundingClientRect();
  const found = document.elementFromPoint(left + width / 2, top + height / 2);
  return found !== null && (part.contains(found) || found.contains(part));
}"""


@pytest.fixture
def phone(browser: Browser, small_site: Served) -> Iterator[Page]:
    """A small phone with a touch screen, on which a scorekeeper has signed in."""
    context = browser.new_context(viewport=SMALL_PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    give_cookies(page, small_site)
    yield page
    context.close()


def match_of(site: Served, ruleset: str) -> str:
    """A match of two pairs under a ruleset."""
    if site.http.get("/players/mila").status_code != 200:
        send(site.league, *(RegisterPlayer(player, name, None) for player, name in NAMES.items()))
    match = f"match-{site.league.store.head()}"
    send(site.league, OpenMatch(match, ruleset, "2v2", "casual", tuple(NAMES)))
    wait_until(lambda: site.http.get(f"/matches/{match}").status_code == 200)
    return match


def test_a_dominican_evening_takes_few_taps(phone: Page, small_site: Served) -> None:
    """A plain hand takes 2 taps, a capicúa and a tranque with the pips of each player 3. Nobody scrolls.

    Points and score stand in sight before the hand is stored, and nothing warns of what nobody doubts.
    """
    match = match_of(small_site, "dominican-200")
    thumb = Thumb(phone)
    phone.goto(address(small_site, f"/matches/{match}/record"))
    thumb.choose("facts.ended.seat", "0")
    thumb.type("35")
    expect(phone.locator("#score")).to_contain_text("+35")
    assert phone.locator("#score .stands").evaluate(IN_SIGHT)
    assert phone.locator("#score .notice, #score .unknown").count() == 0
    shot(phone, "taps-plain")
    thumb.store(2)
    assert thumb.spent == (2, 2, 0)

    thumb = Thumb(phone)
    thumb.choose("facts.ended.seat", "1")
    thumb.type("12")
    thumb.tap(phone.locator('[name="facts.statedCapicua"]'))
    expect(phone.locator("#score")).to_contain_text("+62")
    assert phone.locator("#score .notice, #score .unknown[open]").count() == 0
    shot(phone, "taps-capicua")
    thumb.store(3)
    assert thumb.spent == (3, 2, 0)

    thumb = Thumb(phone)
    thumb.choose("facts.ended.by", "BLOCK")
    thumb.choose("facts.ended.seat", "2")
    for pips in ("12", "8", "20", "5"):  # no further digit can follow, so each next player has the focus by itself
        thumb.type(pips)
    expect(phone.locator("#score .stands")).to_be_visible()
    shot(phone, "taps-block")
    thumb.store(4)
    assert thumb.spent == (3, 6, 0)
    asked = "query ($id: ID!) { match(id: $id) { hands { endedBy seat leftover { pips } points statedCapicua } } }"
    hands = small_site.ask(asked, id=match)["match"]["hands"]
    assert [hand["points"] for hand in hands] == [[35, 0], [0, 62], [0, 20]]
    assert [one["pips"] for one in hands[2]["leftover"]] == [12, 20, 8, 5]
    assert [hand["statedCapicua"] for hand in hands] == [False, True, None]


def test_the_keys_go_from_pair_to_pair_where_the_totals_of_a_block_are_enough(phone: Page, small_site: Served) -> None:
    """The pips of each player stand in closed parts, which the keys pass over."""
    match = match_of(small_site, "cuban-150")
    thumb = Thumb(phone)
    phone.goto(address(small_site, f"/matches/{match}/record"))
    thumb.choose("facts.ended.by", "BLOCK")
    thumb.choose("facts.ended.seat", "2")
    thumb.type("57")
    expect(phone.locator('[name="facts.sideLeftover.1"]')).to_be_focused()
    thumb.type("38")
    expect(phone.locator("#score .stands")).to_be_visible()
    thumb.store(2)
    assert thumb.spent == (3, 4, 0)


def test_the_form_of_a_hand_fits_a_small_phone(tab: Tab, phone: Page, small_site: Served) -> None:
    """Nothing is wider than the phone, axe finds nothing in light and dark, and every key is large."""
    match = match_of(small_site, "cuban-150")
    for seat, scheme in enumerate(("light", "dark")):
        phone.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of the two
        phone.goto(address(small_site, f"/matches/{match}/record"))
        phone.locator(f'[name="facts.ended.seat"][value="{seat}"]').tap()
        expect(phone.locator(".keypad")).to_be_visible()
        assert serious_faults(phone) == []
        assert phone.evaluate("document.documentElement.scrollWidth") <= SMALL_PHONE["width"]
        for key in phone.locator(".keypad button").all():
            box = key.bounding_box()
            assert box is not None
            assert min(box["width"], box["height"]) >= 44
    assert tab.said == []


def test_an_error_stands_beside_its_control_until_it_is_mended(phone: Page, small_site: Served) -> None:
    """The form says at once what is missing, at the control, and no longer once it is there."""
    match = match_of(small_site, "doscientos-200")
    phone.goto(address(small_site, f"/matches/{match}/record"))
    phone.get_by_role("button", name="Anotar la mano").tap()
    fault = phone.locator(".who .error")
    expect(fault).to_contain_text("Diga quién dominó")
    phone.locator('[name="facts.ended.seat"][value="0"]').tap()
    expect(fault).to_have_count(0)


def test_who_went_out_alone_is_asked_for_no_pips(phone: Page, small_site: Served) -> None:
    """In a match of three, each for themselves, a hand takes 2 taps and the digits of the two who lost."""
    match_of(small_site, "doscientos-100")
    send(small_site.league, OpenMatch("three", "doscientos-100", "individuals", "casual", tuple(NAMES)[:3]))
    wait_until(lambda: small_site.http.get("/matches/three").status_code == 200)
    thumb = Thumb(phone)
    phone.goto(address(small_site, "/matches/three/record"))
    thumb.choose("facts.ended.seat", "0")
    thumb.type("3025")
    expect(phone.locator("#score")).to_contain_text("+55")
    thumb.store(2)
    assert thumb.spent == (2, 4, 0)
