"""The pictures that chats show beside links: where they are, what is cached of them."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlsplit

import pytest
from api_server import Served

from league.console.drawings import PictureCache
from league.projections.runs import ReadState

PNG = b"\x89PNG\r\n\x1a\n"
PICTURED = (
    "/boards/global", "/boards/capicuas_per_hand?day=2026-01-20", "/boards/series?mode=TWO_ON_TWO", "/players/p005",
    "/players/p005?day=2026-01-20", "/teams/p001+p002", "/teams/p001+p002?day=2026-01-20",
    "/matches/c-0001", "/series/2026-01?mode=TWO_ON_TWO",
)  # fmt: skip


def picture_of(site: Served, address: str, language: str = "en") -> str:
    """The address of the picture that a page names."""
    page = site.http.get(address, headers={"Accept-Language": language}).text
    found = re.search(r'<meta property="og:image" content="([^"]+)">', page)
    assert found is not None
    return unescape(found[1])


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
