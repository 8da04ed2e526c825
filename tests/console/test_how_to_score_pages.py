"""How to score, on pages: of each ruleset, of a match, and beside the controls of a hand."""

from __future__ import annotations

import html
import re

import pytest
from api_server import Served, token
from browsers import Tab, new_tab, serious_faults
from desk import PHONE, address, cookie_of, give_cookies, shot, sign_in
from playwright.sync_api import Browser, expect

from league.rulebook import shipped_edition

RULESETS = sorted(shipped_edition(1).rulesets)
A_PAGE = re.compile(rb"/Type\s*/Page\b")
"""What stands once in a PDF for each of its pages."""


def text_of(site: Served, path: str, cookie: str = "") -> str:
    """A page in Spanish as its HTML, with characters for their entities."""
    answer = site.http.get(path, headers={"Cookie": f"language=es; league={cookie}"})
    assert answer.status_code == 200
    return html.unescape(answer.text)


def match_under(site: Served, ruleset: str) -> str:
    """The id of an open match of two pairs under a ruleset."""
    seats = ["ana", "cira", "bea", "dora"]
    match = f"how-{ruleset}"
    opened = site.do("openMatch", token("admin"), matchId=match, ruleset=ruleset, mode="TWO_ON_TWO", seats=seats)
    site.follow(opened["position"])
    return match


def test_the_page_of_a_ruleset_says_how_to_score_before_its_settings(small_site: Served) -> None:
    """Each way unfolds without a script: when it does not count, and an example that was scored."""
    page = text_of(small_site, "/rules/dominican-500-bonus")
    ways = page[page.index('id="how-to-score"') : page.index('class="settings"')]
    capicua = ways[ways.index('id="how-capicua"') : ways.index('id="how-chuchazo"')]
    assert "<details>" in capicua
    assert "+50" in capicua
    assert "No cuenta cuando la última ficha es un doble." in capicua
    assert "Ana y Carla +68 (puntos que quedaron en la mano +18; una capicúa +50)." in capicua
    assert "Gana la partida quien primero llegue a 500 puntos." in ways


def test_a_match_says_how_one_scores_in_it(small_site: Served) -> None:
    """One line for each way of its ruleset, and the way to the whole page."""
    page = text_of(small_site, f"/matches/{match_under(small_site, 'dominican-250')}")
    here = page[page.index("Cómo se anota aquí") :]
    assert "Pase corrido" in here
    assert "quien primero llegue a 250 puntos" in here
    assert 'href="/rules/dominican-250#how-to-score"' in here


@pytest.mark.parametrize(
    ("ruleset", "asked"),
    [
        ("dominican-200", ["block", "leftover", "capicua", "chuchazo", "pase_corrido", "opening_pass"]),
        ("partnership-6", ["block", "hand_won", "key_bone"]),
    ],
)
def test_a_control_of_a_hand_says_when_it_counts(small_site: Served, ruleset: str, asked: list[str]) -> None:
    """Beside each control that a rule reads stands what the page of the ruleset says of it."""
    rules = text_of(small_site, f"/rules/{ruleset}")
    form = text_of(small_site, f"/matches/{match_under(small_site, ruleset)}/record", cookie_of(small_site))
    beside = " ".join(re.findall(r'<details class="explained">.*?</details>', form, re.DOTALL))
    for key in asked:
        way = re.search(rf'id="how-{key}".*?</li>\n', rules, re.DOTALL)
        assert way is not None
        told = re.search(r'class="told">(.*?)</span>', way[0])
        assert told is not None
        assert told[1] in beside
        for reason in re.findall(r'<ul class="voids">(.*?)</ul>', way[0]):
            assert reason in beside


@pytest.mark.parametrize("language", ["es", "en"])
def test_how_to_score_prints_on_one_sheet(small_site: Served, tab: Tab, language: str) -> None:
    """The sheet of each shipped ruleset is one page of A4, with everything unfolded."""
    tab.page.context.add_cookies([{"name": "language", "value": language, "url": address(small_site, "/")}])
    pages = {}
    for name in RULESETS:
        tab.page.goto(address(small_site, f"/rules/{name}"))
        pages[name] = len(A_PAGE.findall(tab.page.pdf(format="A4")))
        tab.page.emulate_media(media="print")
        expect(tab.page.locator(".ways .example").first).to_be_visible()
        tab.page.emulate_media(media="null")
    assert pages == dict.fromkeys(RULESETS, 1)


def test_how_to_score_is_read_on_a_phone(small_site: Served, tab: Tab) -> None:
    """The page fits the screen folded and unfolded, and axe finds nothing serious."""
    give_cookies(tab.page, small_site)
    tab.page.set_viewport_size(PHONE)
    for name in RULESETS:
        tab.page.goto(address(small_site, f"/rules/{name}"))
        shot(tab.page, f"rules-{name}")
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name
    for summary in tab.page.locator(".ways summary").all():
        summary.press("Enter")
    expect(tab.page.locator(".ways .example").last).to_be_visible()
    shot(tab.page, "rules-unfolded")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert serious_faults(tab.page) == []
    assert tab.said == []


def test_a_question_mark_unfolds_without_mouse_and_script(small_site: Served, browser: Browser) -> None:
    """On a phone, in Spanish: the keyboard opens it, nothing is too wide, and axe finds nothing serious."""
    match = match_under(small_site, "dominican-500")
    with new_tab(browser) as tab:
        page = sign_in(tab, small_site)
        page.goto(address(small_site, f"/matches/{match}/record"))
        shot(page, "hand-folded")
        for summary in page.locator(".explained:visible > summary").all():
            summary.press("Enter")
        shot(page, "hand-unfolded")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert serious_faults(page) == []
        assert tab.said == []
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        give_cookies(page, small_site)
        page.goto(address(small_site, f"/matches/{match}/record"))
        mark = page.locator(".explained", has_text="No cuenta cuando la última ficha es un doble.")
        mark.locator("summary").press("Enter")
        expect(page.get_by_text("No cuenta cuando la última ficha es un doble.")).to_be_visible()
