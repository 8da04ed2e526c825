"""The visitor's own part of the first page: what waits for them, and how they stand as a player."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from api_server import Served, token
from browsers import COLOURS, Tab, serious_faults
from desk import PHONE, address, cookie_of, give_cookies, shot
from leagues import BASE, announced, domino, opened, played, send
from playwright.sync_api import expect
from sqlalchemy import event
from waiting import wait_until

from league.api.graphql.executing import limits
from league.domain.disputes import ConfirmResult, DisputeResult
from league.domain.league import ChangeSettings
from league.projections.queries import waiting

NOW = (datetime.now(UTC) - BASE) / timedelta(hours=1) - 1
"""An hour ago, in hours after the first match of the tests."""
HANDS = (domino(0, None, 90), domino(0, None, 70))


@pytest.fixture(scope="module")
def site(small_site: Served) -> Served:
    """Two results of Ana's await confirmation, one of them is confirmed by Bea; one is disputed; one match is open."""
    league = small_site.league
    send(
        league,
        announced("decided", ("ana", "bea"), 1),
        ChangeSettings(confirmation=True),
        played("first", ("ana", "bea"), 2, *HANDS),
        played("pairs", ("ana", "cira", "bea", "dora"), 4, domino(0, None, 90, None, 80)),
        played("doubtful", ("ana", "eva"), 6, *HANDS),
        played("others", ("cira", "dora"), 8, *HANDS),
        ConfirmResult("first", "bea"),
        DisputeResult("doubtful", "eva", "No."),
        ChangeSettings(confirmation=False),
    )
    wait_until(lambda: "disputed" in small_site.http.get("/matches/doubtful").text or None)
    return small_site


def home(site: Served, sub: str = "ana", role: str = "player", path: str = "/") -> str:
    """The first page in Spanish."""
    cookie = f"league={cookie_of(site, sub, role)}; language=es"
    answer: httpx.Response = site.http.get(path, headers={"Cookie": cookie})
    assert answer.status_code == 200
    return answer.text


def to_confirm(page: str) -> list[str]:
    """The matches whose result the page offers to confirm."""
    return re.findall(r'action="/matches/([^/]+)/confirm/mine"', page)


def count_in_menu(page: str) -> int:
    """The number beside the menu; 0 where there is none."""
    found = re.search(r'class="waiting" href="/#waiting">(\d+)<', page)
    return int(found[1]) if found else 0


@contextmanager
def counted(site: Served) -> Iterator[list[str]]:
    """The statements that are executed meanwhile."""
    statements: list[str] = []

    def count(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(site.app.state.engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(site.app.state.engine, "before_cursor_execute", count)


@pytest.mark.heavy
def test_a_player_sees_the_results_that_wait_for_their_side(site: Served) -> None:
    """Bea has confirmed one: it waits for Ana alone. The disputed one waits for an organiser, others for others."""
    assert to_confirm(home(site)) == ["first", "pairs"]
    assert to_confirm(home(site, "bea")) == ["pairs"]
    assert to_confirm(home(site, "flor")) == []
    assert count_in_menu(home(site)) == 2
    assert (count_in_menu(home(site, "bea", path="/boards")), count_in_menu(home(site, "flor"))) == (1, 0)


@pytest.mark.heavy
def test_a_tap_confirms_and_a_second_one_is_told_kindly(site: Served) -> None:
    """No page comes between. Another phone, a double tap and a dispute meanwhile are told on the first page."""
    send(site.league, ChangeSettings(confirmation=True), played("taps", ("flor", "eva"), 20, *HANDS),
         ChangeSettings(confirmation=False))  # fmt: skip
    wait_until(lambda: "taps" in to_confirm(home(site, "flor")))

    def tap(sub: str) -> str:
        cookie = f"league={cookie_of(site, sub, 'player')}; language=es"
        headers = {"Cookie": cookie, "Origin": str(site.http.base_url).rstrip("/")}
        sent = site.http.post("/matches/taps/confirm/mine", headers=headers)
        assert sent.status_code == 303
        return home(site, sub, path=sent.headers["Location"])

    assert "Falta que lo confirmen los otros" in tap("flor")
    assert "ya estaba confirmado" in tap("flor")
    assert to_confirm(home(site, "flor")) == []
    assert "Ya cuenta" in tap("eva")
    assert "ya estaba confirmado" in tap("eva")
    send(site.league, DisputeResult("taps", "eva", "No."))
    assert "Alguien dice que este resultado" in tap("flor")


@pytest.mark.heavy
def test_an_organiser_sees_how_much_waits_on_every_page(site: Served) -> None:
    """Counts lead to the pages where they are decided. Who may decide less sees less."""
    admin = home(site, "boss", "admin")
    assert {"/record/confirm", "/admin/disputes"} <= set(re.findall(r'href="([^"]+)"', admin))
    assert re.search(r"\d+ resultados por confirmar", admin)
    counts = [count_in_menu(home(site, "boss", "admin", path)) for path in ("/", "/boards", "/admin/members")]
    assert len(set(counts)) == 1
    keeper = home(site, "kim", "scorekeeper")
    assert "/record/confirm" not in keeper
    assert 0 < count_in_menu(keeper) < counts[0]
    assert count_in_menu(home(site, "audrey", "auditor")) == 0


def test_nothing_is_asked_for_who_is_not_signed_in(site: Served) -> None:
    """For an organiser it takes three statements on every page, however much waits."""
    with counted(site) as statements:
        for _ in range(2):
            assert "waiting" not in site.http.get("/boards").text
    assert not [one for one in statements if "pending_matches" in one or "members" in one]
    cookie = {"Cookie": f"league={cookie_of(site, 'boss', 'admin')}"}
    with counted(site) as statements:
        site.http.get("/boards", headers=cookie)
    of_what_waits = re.compile("pending_matches|members|disputes|tournaments")
    asked = [one for one in statements if of_what_waits.search(one) and "token_id" not in one]
    assert len(asked) == 3, asked  # own results, counts, tournaments that run


@pytest.mark.heavy
def test_a_player_sees_their_match_their_rank_and_their_streak(site: Served) -> None:
    """The last change leads to its explanation, an open match to the form of its next hand; not one of last week."""
    send(site.league, opened("old", ("cira", "flor"), 30), opened("now", ("dora", "flor"), NOW))
    wait_until(lambda: "/matches/now/record" in home(site, "dora"))
    assert "/matches/old/record" not in home(site, "cira")
    page = home(site)
    assert "/matches/decided/changes/ana" in page
    assert re.search(r"<strong>15\d\d</strong>", page)
    assert re.search(r"victorias? seguidas?", page)


def test_the_api_tells_what_waits(site: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients of the API get the matches and the counts; an anonymous viewer is null. A list has its limit."""
    query = """{ viewer { waiting { total toConfirm { matchId status sides { score } } toDecide { kind count } } } }"""
    found = site.ask(query, token("player", sub="ana"))["viewer"]["waiting"]
    assert ([one["matchId"] for one in found["toConfirm"]], found["total"], found["toDecide"]) == (
        ["first", "pairs"], 2, [],
    )  # fmt: skip
    decides = site.ask(query, token("admin", sub="boss"))["viewer"]["waiting"]
    assert {one["kind"] for one in decides["toDecide"]} == {"RESULTS_TO_CONFIRM", "DISPUTES"}
    assert decides["total"] == sum(one["count"] for one in decides["toDecide"])
    assert site.ask("{ viewer { sub } }")["viewer"] is None
    monkeypatch.setattr(waiting, "MOST", 1)
    assert len(site.ask(query, token("player", sub="ana"))["viewer"]["waiting"]["toConfirm"]) == 1
    assert limits.TIMES["Waiting", "toConfirm"]


def test_the_page_is_usable_on_every_screen(tab: Tab, site: Served) -> None:
    """Nothing is wider than the screen, and axe-core finds nothing. A reason to dispute takes a tap."""
    page = tab.page
    for sub, role in (("ana", "player"), ("boss", "admin")):
        give_cookies(page, site, sub, role)
        for width, height in ((390, 844), (768, 1024), (1366, 768)):
            page.set_viewport_size({"width": width, "height": height})
            page.goto(address(site, "/"))
            if sub == "ana":
                page.locator("summary", has_text="No es así").first.click()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            for scheme, rules in (("dark", COLOURS), ("light", ())):
                page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
                assert serious_faults(page, *rules) == [], (sub, width, scheme)
                shot(page, f"mine-{sub}-{width}x{height}-{scheme}")


def test_a_result_is_disputed_with_a_tap(tab: Tab, site: Served) -> None:
    """The reasons that come up again and again are buttons; the match then shows the dispute."""
    send(site.league, ChangeSettings(confirmation=True), played("wrong", ("cira", "eva"), 40, *HANDS),
         ChangeSettings(confirmation=False))  # fmt: skip
    wait_until(lambda: "wrong" in to_confirm(home(site, "eva")))
    page = tab.page
    page.set_viewport_size(PHONE)
    give_cookies(page, site, "eva", "player")
    page.goto(address(site, "/"))
    row = page.locator("li", has=page.locator('form[action="/matches/wrong/confirm/mine"]'))
    row.locator("summary").click()
    row.get_by_role("button", name="El marcador no es ese").click()
    expect(page.locator(".notice").first).to_contain_text("El marcador no es ese")
    assert tab.said == []
