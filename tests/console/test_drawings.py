"""What chats show beside links: the pictures and their words, how a page is shared, what is cached."""

from __future__ import annotations

import re
import struct
from html import unescape
from urllib.parse import unquote, urlsplit

import pytest
from api_server import Served, token
from browsers import Tab
from desk import address as full
from playwright.sync_api import expect
from waiting import wait_until

from league.console.drawings import PictureCache
from league.projections.runs import ReadState

PNG = b"\x89PNG\r\n\x1a\n"
PICTURED = (
    "/boards/global", "/boards/capicuas_per_hand?day=2026-01-20", "/boards/series?mode=TWO_ON_TWO", "/players/p005",
    "/players/p005?day=2026-01-20", "/teams/p001+p002", "/teams/p001+p002?day=2026-01-20",
    "/matches/c-0001", "/series/2026-01?mode=TWO_ON_TWO",
)  # fmt: skip


def told(site: Served, address: str, language: str = "en") -> dict[str, str]:
    """What a page tells chats about itself."""
    page = site.http.get(address, headers={"Accept-Language": language}).text
    found = re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', page)
    return {name: unescape(value) for name, value in found}


def picture_of(site: Served, address: str, language: str = "en") -> str:
    """The address of the picture that a page names."""
    page = site.http.get(address, headers={"Accept-Language": language}).text
    found = re.search(r'<meta property="og:image" content="([^"]+)">', page)
    assert found is not None
    return unescape(found[1])


@pytest.mark.heavy
@pytest.mark.parametrize("address", PICTURED)
def test_a_page_names_its_picture(season_site: Served, address: str) -> None:
    """The page has the picture's full address. The picture shows the same board, in the language of the page."""
    drawn = set()
    for language in ("en", "es"):
        picture = picture_of(season_site, address, language)
        assert picture.startswith(f"http://127.0.0.1:{season_site.port}/")
        assert urlsplit(address).query in picture
        answer = season_site.http.get(picture, headers={"Accept-Language": "en"})
        assert answer.headers["Content-Type"] == "image/png"
        assert answer.content.startswith(PNG)
        drawn.add(answer.content)
    assert len(drawn) == 2


@pytest.mark.parametrize("address", [*PICTURED, "/", "/rules", "/matches", "/seasons", "/more", "/tournaments"])
def test_every_public_page_tells_chats_what_it_is(season_site: Served, address: str) -> None:
    """It has a title, its address, its language, and a picture with the size that the picture really has."""
    site = told(season_site, address, "es")
    assert site["title"]
    assert site["url"] == full(season_site, address)
    assert site["locale"] == "es_LA"
    picture = season_site.http.get(site["image"]).content
    assert struct.unpack(">II", picture[16:24]) == (int(site["image:width"]), int(site["image:height"]))


def test_what_only_some_may_see_tells_chats_nothing(season_site: Served) -> None:
    """A page that asks for a sign-in, and one that is not there, have neither a picture nor an address to share."""
    for address in ("/record", "/nowhere"):
        assert not {"image", "url"} & set(told(season_site, address))


def test_a_shared_link_speaks_the_language_of_whoever_shares_it(season_site: Served) -> None:
    """A chat prefers no language. Who has chosen one on a page keeps it."""
    shown = season_site.http.get("/matches/c-0001?language=es", headers={"Accept-Language": "en"})
    assert '<html lang="es">' in shown.text
    chosen = {"Accept-Language": "en", "Cookie": "language=en"}
    assert '<html lang="en">' in season_site.http.get("/matches/c-0001?language=es", headers=chosen).text


def test_a_picture_follows_a_correction_at_once(small_site: Served) -> None:
    """A picture is asked for again before it is shown, and a new name is drawn as soon as the page has it."""
    address = "/players/ana/picture.png?language=es"
    before = small_site.http.get(address)
    known = {"If-None-Match": before.headers["ETag"]}
    assert before.headers["Cache-Control"] == "public, no-cache"
    assert small_site.http.get(address, headers=known).status_code == 304
    renamed = small_site.do("renamePlayer", token("admin"), player="ana", name="Ana Wenceslada de la Torre")
    small_site.follow(renamed["position"])
    after = small_site.http.get(address, headers=known)
    assert (after.status_code, after.content == before.content) == (200, False)


@pytest.mark.heavy
def test_a_tournament_has_pictures_from_its_plan_on(small_site: Served) -> None:
    """A tournament without a round is its name; a published round is its tables, in the picture and in the words."""
    plan = {"name": "Copa", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    small_site.do("planTournament", token("admin"), tournamentId="drawn", plan=plan)
    entered = [{"players": [one]} for one in ("ana", "bea")]
    done = small_site.do("enterTournament", token("admin"), tournament="drawn", competitors=entered)
    small_site.follow(done["position"])
    first = small_site.http.get(picture_of(small_site, "/tournaments/drawn")).content
    for step in ("drawRound", "publishRound"):
        more = {"round": 1} if step == "publishRound" else {}
        done = small_site.do(step, token("admin"), tournament="drawn", **more)
    small_site.follow(done["position"])
    assert small_site.http.get(picture_of(small_site, "/tournaments/drawn")).content != first
    assert small_site.http.get(picture_of(small_site, "/tournaments/drawn/rounds/1")).content.startswith(PNG)
    page = small_site.http.get("/tournaments/drawn/rounds/1?language=es").text
    link = re.search(r'href="https://wa.me/\?text=([^"]+)"', page)
    assert link is not None
    assert "Mesa 1: " in unquote(link[1])
    assert unquote(link[1]).endswith(full(small_site, "/tournaments/drawn/rounds/1?language=es"))


def test_a_page_is_shared_by_the_dialogue_of_the_device(tab: Tab, season_site: Served) -> None:
    """The dialogue gets the words, the link and the picture. Where there is none, the links open, and one is copied."""
    keeps = "navigator.share = async (what) => { window.shared = what; }; navigator.canShare = () => true;"
    tab.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tab.page.goto(full(season_site, "/matches/c-0001"))
    share = tab.page.locator("[data-share]")
    tab.page.evaluate("navigator.share = undefined")
    share.locator("summary").click()
    expect(share.get_by_role("link", name="WhatsApp")).to_be_visible()
    share.locator("[data-copy]").click()
    expect(share.get_by_role("button", name="Copied")).to_be_visible()
    assert tab.page.evaluate("navigator.clipboard.readText()") == full(season_site, "/matches/c-0001?language=en")
    share.locator("summary").click()
    tab.page.evaluate(keeps)
    share.locator("summary").click()
    wait_until(lambda: tab.page.evaluate("window.shared !== undefined"))
    kind, said = tab.page.evaluate("[window.shared.files[0].type, window.shared.text]")
    assert kind == "image/png"
    assert said.endswith("/matches/c-0001?language=en")
    assert tab.said == []


def test_what_has_no_page_has_no_picture(season_site: Served) -> None:
    """The picture's address answers with the status of the page."""
    assert season_site.http.get("/players/nobody/picture.png").status_code == 404
    assert season_site.http.get("/boards/global/picture.png?day=x").status_code == 400


def test_the_picture_cache_holds_one_state_and_is_bounded() -> None:
    """A new state of the read side drops all pictures; within a state, the least recently used go first."""
    cache, before, now = PictureCache(most_bytes=10), ReadState(0, 1, 1), ReadState(0, 1, 2)
    cache.add(before, "a", b"1234")
    assert cache.get(before, "a") == b"1234"
    assert cache.get(now, "a") is None
    for address in ("a", "b"):
        cache.add(now, address, b"1234")
    cache.get(now, "a")
    cache.add(now, "c", b"1234")
    assert [cache.get(now, address) for address in ("a", "b", "c")] == [b"1234", None, b"1234"]
    cache.add(now, "d", b"12345678901")
    assert cache.get(now, "d") is None
