"""Names are shown as people typed them: they do not run, break a page, or reverse its text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_server import Served, served
from browsers import Tab
from leagues import announced, catch_up, found, league_at, own_database, send

from league.console.site import create_site
from league.domain.player import PlayerRegistered, RegisterPlayer
from league.domain.texts_and_times import CONTROL
from league.eventlog.records import Append, AppendRequest

NAMES = {
    "markup": "<img src=x onerror=alert(1)>\"'&{{7*7}}",
    "turned": "עברית \u202eAna\u202c",
    "long": "Ñ" * 100,
    "emoji": "👨\u200d👩\u200d👧\u200d👦🎲",
}


@pytest.fixture(scope="module")
def odd_names(embedded_server: str) -> Iterator[Served]:
    """A league in which people with such names have played."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            send(league, [RegisterPlayer(id_, name) for id_, name in NAMES.items() if not CONTROL.search(name)])
            # Recorded before such names were refused.
            turned = Append("player:turned", 0, (PlayerRegistered(NAMES["turned"], None),))
            league.store.append([turned], AppendRequest("old", "manual"))
            send(league, announced("odd", tuple(NAMES), 1), announced("duel", ("markup", "long"), 2))
            catch_up(league)
        with served(url, create=create_site) as server:
            yield server


@pytest.mark.parametrize(
    "address",
    ["/", "/boards/global?all=1", "/matches", "/matches/odd", "/players/markup", "/players/long/against/markup",
     "/players/turned", "/series/2026-03", "/series/2026-03?mode=TWO_ON_TWO", "/search?q=img"],
)  # fmt: skip
def test_a_name_is_text_and_nothing_else(odd_names: Served, address: str) -> None:
    """It is shown as it was typed."""
    page = odd_names.http.get(address).text
    assert "<img" not in page
    assert "{{7*7}}" in page or "turned" in address


@pytest.mark.parametrize("address", ["/matches/odd", "/boards/global?all=1"])
def test_no_name_runs_or_widens_a_page(tab: Tab, odd_names: Served, address: str) -> None:
    """All of them are on these two pages; `test_every_page.py` walks over all pages with other names."""
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"http://127.0.0.1:{odd_names.port}{address}")
    assert page.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert tab.said == []


@pytest.mark.parametrize("player", NAMES)
def test_any_name_can_be_drawn(odd_names: Served, player: str) -> None:
    """The picture for chats can have any name."""
    answer = odd_names.http.get(f"/players/{player}/picture.png")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "image/png"


@pytest.mark.parametrize("address", ["/players/turned", "/matches/odd", "/matches", "/boards/global?all=1"])
def test_no_page_has_a_character_that_reverses_text(odd_names: Served, address: str) -> None:
    """If a name in the log has such a character, its escape is shown."""
    page = odd_names.http.get(address).text
    assert not CONTROL.search(page.replace("\n", "").replace("\t", ""))
    assert r"\u202eAna\u202c" in page
