"""The page of the laboratory: it takes numbers and shows the resulting league. The address holds all numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from api_server import Served, token
from browsers import Tab, new_tab
from desk import PHONE, address, cookie_of, give_cookies, sign_in
from http_clients import NO_TLS
from leagues import announced, send
from playwright.sync_api import Browser, expect

from league.domain.league import CloseMonth
from league.domain.verdict import ForecastLoss, MeanInterval, Verdict
from league.infra.database import connect
from league.lab.rules_review import FavouriteRecord, MeanRatingMove, RulesFit, RulesReview
from league.lab.rules_review_words import sentences
from league.lab.stored_rules_reviews import begin, end

PAGE = "/admin/lab"
K = "rating.k.standard"
COMPILING = 120.0
"""Seconds that the first trial of a new installation may take on a busy machine: it compiles the arithmetic."""

LOSS, BETTER, COIN = ForecastLoss(0.65, 0.23), ForecastLoss(0.6, 0.21), ForecastLoss(0.693, 0.25)
JUDGED = ("2026-04", "2026-06")
VERDICT = Verdict(
    "better", 400, 30, *JUDGED, LOSS, BETTER, LOSS, 32, is_k_chosen=True, coin=COIN,
    difference=MeanInterval(-0.05, -0.06, -0.04),
)  # fmt: skip
FOUND = RulesReview(
    matches=900,
    rated_months=6,
    first_month=JUDGED[0],
    last_month=JUDGED[1],
    favourites=FavouriteRecord(380, 30, 0.61, 0.62, MeanInterval(0.01, -0.02, 0.04)),
    means=(MeanRatingMove("1v1", 1500.0, 1502.0),),
    fit=RulesFit(VERDICT, f"{K} = 12\nrating.cap = 0.5\n", 2, 1_600, "2026-01", JUDGED[1]),
)


@pytest.fixture
def admin(season_site: Served) -> Iterator[httpx.Client]:
    """A browser without JavaScript, signed in."""
    cookies = {"league": cookie_of(season_site, role="admin"), "language": "en"}
    with httpx.Client(base_url=address(season_site, ""), cookies=cookies, timeout=COMPILING, verify=NO_TLS) as client:
        yield client


@pytest.mark.heavy
def test_the_address_has_the_numbers(admin: httpx.Client) -> None:
    """Without JavaScript the form works too: the board changes, changed settings are TOML, and a replay is offered."""
    in_force = admin.get(PAGE)
    assert in_force.status_code == 200
    assert "These are the rules in force." in in_force.text
    tried = admin.get(PAGE, params={K: "45", "rating.modifier.pollona.value": "0,5", "board": "ONE_ON_ONE"}).text
    assert f'name="{K}" value="45"' in tried
    document = re.search(r'<pre class="document">(.*?)</pre>', tried, re.DOTALL)
    assert document is not None
    assert document[1].splitlines() == [f"{K} = 45", "rating.modifier.pollona.value = 0.5"]


@pytest.mark.heavy
def test_the_series_badges_and_boards_are_tried_as_well(admin: httpx.Client) -> None:
    """Their settings have the controls of the forms of editions; what changes is TOML, and a replay takes it up."""
    assert 'name="series.limit"' in admin.get(PAGE).text
    edition = admin.get(PAGE, params={"series.limit": "1"}).text
    assert "<h2>Who would be locked, and who no longer</h2>" in edition
    document = re.search(r'<pre class="document">(.*?)</pre>', edition, re.DOTALL)
    assert document is not None
    assert document[1] == "series.limit = 1"
    assert "<h3>Standings: " in admin.get(PAGE, params={"series.limit": "1", "month": "May", "mode": "?"}).text
    tried = admin.get(PAGE, params={"series.limit": "1", "badges.streak": "2; 4", "boards.active_days": "1"}).text
    assert "2 matches won in a row" in tried
    assert re.search(r"document=series.limit\+%3D\+1%0Abadges.streak\+%3D\+%5B2%2C\+4%5D", tried)


def test_a_setting_that_cannot_be_read_is_marked_and_the_others_are_tried(admin: httpx.Client) -> None:
    """A text that is no number is named beside its control; a number out of range in words."""
    said = admin.get(PAGE, params={"series.limit": "many", "series.pool": "80"}).text
    assert 'id="series.limit-error">Write a number' in said
    assert "series.pool = 80" in said
    assert "</b>: must be a whole number from 1" in admin.get(PAGE, params={"series.limit": "0"}).text


def test_the_picture_is_for_those_who_may_see_the_page(admin: httpx.Client, season_site: Served) -> None:
    """A PNG of the tried board; no address of it stands in the page for chats, and others get none."""
    page = admin.get(PAGE, params={K: "45"}).text
    link = re.search(r'href="([^"]*/admin/lab/picture.png[^"]*)"', page)
    assert link is not None
    assert "og:image" not in page
    picture = admin.get(link[1])
    assert picture.content.startswith(b"\x89PNG")
    assert picture.headers["Cache-Control"] == "no-store"
    assert httpx.get(address(season_site, f"{PAGE}/picture.png")).status_code == 401


def test_what_cannot_be_tried_is_said_beside_its_number(admin: httpx.Client) -> None:
    """A refused number is named by what it decides; a text that is no number, beside its control."""
    assert "<b>K of all others</b>: must be a K from 0 to 1000" in admin.get(PAGE, params={K: "-3"}).text
    said = admin.get(PAGE, params={K: "many"}).text
    assert '<p class="error">Write a number, such as 20 or 0.15.</p>' in said


def test_the_review_after_a_month_leads_to_its_numbers(small_site: Served) -> None:
    """On the first page of admins and in the laboratory: three sentences, and a link with the numbers filled in."""
    url = small_site.league.database.url
    cookies = {"league": cookie_of(small_site, role="admin"), "language": "en"}
    with httpx.Client(base_url=address(small_site, ""), cookies=cookies, timeout=COMPILING, verify=NO_TLS) as admin:
        assert "rules-review" not in admin.get("/admin").text
        send(small_site.league, *announced("of-march", ("ana", "bea"), 0), CloseMonth("2026-03"))
        small_site.follow(str(small_site.league.store.head()))
        assert "Does one run (`league worker`)?" in admin.get("/admin").text
        with connect(url) as conn:
            closed = begin(conn, again=[])
            assert closed is not None
            end(conn, closed, "done", closed.position, 900, FOUND)
        for path in ("/admin", PAGE):
            card = re.search(r'id="rules-review">(.*?)</section>', admin.get(path).text, re.DOTALL)
            assert card is not None
            assert re.findall("<p>(.*?)</p>", card[1]) == list(sentences(FOUND))
            assert f'href="{PAGE}?{K}=12&amp;rating.cap=0.5"' in card[1]
        assert f'name="{K}" value="12"' in admin.get(PAGE, params={K: "12", "rating.cap": "0.5"}).text


def test_others_than_admins_do_not_see_it(season_site: Served) -> None:
    """Without a session a page says to sign in; a scorekeeper has no right to it."""
    assert httpx.get(address(season_site, PAGE)).status_code == 401
    cookies = {"league": cookie_of(season_site, role="scorekeeper")}
    assert httpx.get(address(season_site, PAGE), cookies=cookies).status_code == 403


@pytest.mark.heavy
def test_a_dragged_number_redraws_the_board_and_the_address(season_site: Served, browser: Browser) -> None:
    """Dragging or keys change a number; the link shows another admin the same board."""
    with new_tab(browser) as tab:
        page = tab.page
        page.set_default_timeout(COMPILING * 1000)
        give_cookies(page, season_site, "ana", "admin")
        page.goto(address(season_site, PAGE))
        page.locator("#lab summary", has_text="Puntuaciones").click()
        slider = page.locator(f'input[data-of="{K}"]')
        before = page.locator("#tried").inner_text()
        slider.focus()
        for _ in range(15):
            page.keyboard.press("ArrowRight")
        expect(page.locator("pre.document")).to_have_text(f"{K} = 35")
        after = page.locator("#tried").inner_text()
        assert after != before
        assert f"{K}=35" in page.url
    with new_tab(browser) as tab:
        give_cookies(tab.page, season_site, "eva", "admin")
        tab.page.goto(page.url)
        assert tab.page.locator("#tried").inner_text() == after


@pytest.mark.heavy
def test_on_a_phone_the_result_comes_first(season_site: Served, browser: Browser) -> None:
    """The gist of the result stands above the settings and is drawn again while somebody types in them."""
    with new_tab(browser) as tab:
        page = tab.page
        page.set_viewport_size(PHONE)
        give_cookies(page, season_site, "ana", "admin")
        page.goto(address(season_site, PAGE))
        result, settings = page.locator("#tried").bounding_box(), page.locator("#lab").bounding_box()
        assert result is not None
        assert settings is not None
        assert result["y"] < PHONE["height"] / 2 < settings["y"]
        page.locator("#lab summary", has_text="Serie mensual").click()
        page.get_by_label("Victorias de uno de los dos").fill("2")
        expect(page.locator("pre.document")).to_have_text("series.limit = 2")
        expect(page.get_by_text("En resumen")).to_be_visible()
        page.locator("#lab summary", has_text="Insignias").click()
        page.get_by_label("Partidas ganadas seguidas").fill("2; 4")
        expect(page.locator("pre.document")).to_have_text("series.limit = 2\nbadges.streak = [2, 4]")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.heavy
@pytest.mark.usefixtures("worker")
def test_the_replay_gives_the_board_that_was_dragged(tab: Tab, small_site: Served) -> None:
    """A replay with the dragged numbers, once promoted, gives the tried board as the official one."""
    pairs = (("ana", "bea"), ("cira", "ana"), ("bea", "cira"), ("dora", "ana"), ("bea", "dora"))
    send(small_site.league, *(announced(f"lab{number}", pair, 40 + number) for number, pair in enumerate(pairs)))
    before = official(small_site)
    page = sign_in(tab, small_site, "root", "admin")
    page.set_default_timeout(COMPILING * 1000)
    page.goto(address(small_site, PAGE))
    page.locator("#lab summary", has_text="Puntuaciones").click()
    slider = page.locator('input[data-of="rating.k.provisional"]')
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2, steps=12)
    page.mouse.up()
    dragged = slider.input_value()
    settings = f"rating.k.provisional = {dragged}"
    assert int(dragged) > 50
    expect(page.locator("pre.document")).to_have_text(settings)
    tried = small_site.ask(
        "query ($settings: String!) { whatIf(settings: $settings) { ... on WhatIf"
        " { board(board: ONE_ON_ONE, first: 50) { nodes { competitorId value } } } } }",
        token("admin"),
        settings=settings,
    )["whatIf"]["board"]["nodes"]
    assert tried != before
    page.get_by_role("link", name="Iniciar el recálculo").click()
    page.get_by_label("Cómo llamarlo").fill("Arrastrado")
    page.get_by_role("button", name="Iniciar el recálculo").click()
    expect(page.get_by_role("heading", name="Quién se mueve")).to_be_visible()
    page.get_by_role("link", name="Hacer oficiales estas reglas").click()
    page.get_by_label("¿Por qué?").fill("Los nuevos suben despacio")
    page.get_by_role("button", name="Hacerlo oficial").click()
    expect(page.get_by_text("oficial", exact=True).first).to_be_visible()
    assert official(small_site) == tried


def official(site: Served) -> object:
    """The places of the official board, up to the head of the log."""
    asked = "query ($after: BigInt!) @readFrom(afterPosition: $after) { board(kind: ONE_ON_ONE) { places(first: 50)"
    found = site.ask(f"{asked} {{ nodes {{ competitorId value }} }} }} }}", after=site.league.store.head())
    return found["board"]["places"]["nodes"]
