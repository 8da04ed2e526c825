"""Where things lie on the page of a live table, measured on phones, a tablet and a laptop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, served, token
from browsers import serious_faults
from desk import address, cookie_of, give_cookies, shot
from leagues import adopt, catch_up, found, league_at, own_database
from playwright.sync_api import Browser, Page, expect
from table_clients import AtTable, begin

from league.console.site import create_site

pytestmark = pytest.mark.heavy

SIZES = ((390, 664), (390, 844), (768, 1024), (1366, 768))
SLOW = """[rulesets.cuban-150.live]
reshuffle_doubles = 0
contribution_seconds = 3600
turn_seconds = 3600
away_after_seconds = 3600
"""
LONGEST = {"ana": "Baldomero T.", "bea": "Wilfredo D.", "cira": "Yordanka A.", "dora": "Yordanka T."}
"""The longest names of the recorded seasons."""
MANY = [[pips, 9] for pips in range(9)] + [[pips, 8] for pips in range(5)]
"""Fourteen tiles, all of which can be played, the first on both ends."""
BOXES = """() => {
  const box = (part) => {
    const { left, top, right, bottom, width } = part.getBoundingClientRect();
    return width === 0 || !part.checkVisibility() ? null : [left, top, right, bottom];
  };
  const found = (selector) => [...document.querySelectorAll(selector)].map((part) => [
    `${part.tagName} ${part.id} ${part.className} ${part.textContent.trim().slice(0, 30)}`, box(part),
    part.closest(".seat")?.id ?? null,
  ]).filter(([, where]) => where !== null);
  return {
    own: found("#hand button, #ends button"),
    apart: found("#head, .seat, #felt, #mine"),
    words: found(".seat h2, .seat .partner, .seat-state, #felt .status, #clock, #felt .chain, #why, #hand, #ends"),
    controls: found("main :is(button, select, input:not([type=hidden]), a.button)"),
    seats: Object.fromEntries(found(".seat").map(([, where, id]) => [id, where])),
    wide: document.documentElement.scrollWidth, screen: [innerWidth, innerHeight], scrolled: scrollY,
  };
}"""
Box = list[float]


@pytest.fixture(scope="module")
def site(embedded_server: str) -> Iterator[Served]:
    """Players with the longest names, a match of theirs in play, and a table that gathers."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            adopt(league, SLOW)
            catch_up(league)
        with served(url, create=create_site) as server:
            for player, name in LONGEST.items():
                server.do("renamePlayer", token("admin"), player=player, name=name)
            begin(server, "in-play", *LONGEST, mode="TWO_ON_TWO")
            gathering = AtTable(server, "gathering", "ana")
            gathering.open(mode="TWO_ON_TWO")
            gathering.sit(0)
            yield server


def _stream_with_many_tiles(site: Served) -> str:
    """The first event of Ana's stream, in which it is her turn with fourteen tiles and a long chain."""
    headers = {"Cookie": f"league={cookie_of(site, 'ana', 'player')}"}
    with site.http.stream("GET", "/tables/in-play/stream", headers=headers) as stream:
        told = next(json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
    plays = [{"tile": MANY[0], "end": end} for end in ("LEFT", "RIGHT")]
    plays += [{"tile": tile, "end": "RIGHT"} for tile in MANY[1:]]
    chain = [{"tile": [9, 9], "double": turn % 5 == 0, "turn": turn} for turn in range(1, 31)]
    told["table"]["hand"] |= {
        "toMove": 0, "ends": [0, 9], "ownTiles": MANY, "legalPlays": plays, "chain": chain, "counts": [14, 10, 10, 10],
    }  # fmt: skip
    return f"id: {told['position']}\ndata: {json.dumps(told)}\n\n"


def _overlapping(boxes: list[tuple[str, Box, Any]]) -> list[tuple[str, str]]:
    """The pairs of parts that lie on each other by more than a pixel."""
    return [
        (name, other)
        for at, (name, a, _seat) in enumerate(boxes)
        for other, b, _other_seat in boxes[:at]
        if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1
    ]


def _wrong(page: Page) -> list[object]:
    """What is cut off, or lies on something else."""
    measured = page.evaluate(BOXES)
    width, height = measured["screen"]
    wrong: list[object] = [("wide", measured["wide"])] if measured["wide"] > width else []
    wrong += [("scrolled", measured["scrolled"])] if measured["scrolled"] else []
    for name, (left, top, right, bottom), _seat in measured["own"]:
        if left < 0 or top < 0 or right > width or bottom > height:
            wrong.append(("out of sight", name, left, top, right, bottom))
    for name, (left, top, right, bottom), seat in measured["controls"]:
        if left < 0 or right > width:
            wrong.append(("beyond the screen", name, left, right))
        if seat is not None:
            around = measured["seats"][seat]
            if left < around[0] or right > around[2] or top < around[1] or bottom > around[3]:
                wrong.append(("out of its seat", name, left, right))
    for group in ("own", "apart", "words", "controls"):
        wrong += [("on each other", *pair) for pair in _overlapping(measured[group])]
    return wrong


def test_own_tiles_and_ends_are_in_sight_and_nothing_overlaps(browser: Browser, site: Served) -> None:
    """Fourteen own tiles and both ends need no scrolling on four sizes of screens, and nothing is out of its place."""
    told = _stream_with_many_tiles(site)
    wrong: list[object] = []
    with browser.new_context() as context:
        page = context.new_page()
        give_cookies(page, site, "ana", "player")
        page.route("**/in-play/stream*", lambda route: route.fulfill(body=told, content_type="text/event-stream"))
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(address(site, "/tables/in-play"))
            tiles = page.locator("#hand button")
            expect(tiles).to_have_count(len(MANY))
            page.locator('#hand button[data-tile="0-9"]').click()
            expect(page.locator("#ends button")).to_have_count(2)
            shot(page, f"table-in-play-{width}x{height}")
            wrong += [(width, height, "in play", *one) for one in _wrong(page)]  # type: ignore[misc]
            page.goto(address(site, "/tables/gathering"))
            expect(page.locator(".seat-ai")).to_have_count(3)
            shot(page, f"table-gathers-{width}x{height}")
            wrong += [(width, height, "gathers", *one) for one in _wrong(page)]  # type: ignore[misc]
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of the two
            wrong += serious_faults(page)
    assert wrong == [], "\n".join(map(str, wrong))
