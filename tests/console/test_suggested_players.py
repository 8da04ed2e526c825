"""Parts of names that fit one player each, in the form that opens a match: without a script, and before one runs."""

from __future__ import annotations

import re

import httpx
from api_server import Served
from browsers import Tab
from desk import address, cookie_of, sign_in
from playwright.sync_api import Route, expect

PARTS = {"seats.0": "an", "seats.1": "be", "seats.2": "cir", "seats.3": "dor"}


def sent(site: Served, fields: dict[str, str]) -> httpx.Response:
    """The answer to the form."""
    settings = {"mode": "TWO_ON_TWO", "ruleset": "cuban-150", "competition": "CASUAL", "idempotencyKey": "one-evening"}
    headers = {"Origin": address(site, ""), "Cookie": f"league={cookie_of(site)}; language=es"}
    return site.http.post("/record/match", data={**settings, **fields}, headers=headers)


def test_four_parts_of_names_are_four_taps_and_one_more_submit(small_site: Served) -> None:
    """Each part comes back with the player whom it fits; with all four chosen the match is opened."""
    offered = sent(small_site, PARTS)
    assert offered.status_code == 422
    found = dict(re.findall('name="pick:(seats.[0-3])" value="([^"]*)"', offered.text))
    assert list(found) == ["seats.0", "seats.2", "seats.1", "seats.3"]
    chosen = {f"pick:{name}": value for name, value in found.items()}
    opened = sent(small_site, {**PARTS, **chosen, **{f"pick-for:{name}": part for name, part in PARTS.items()}})
    assert opened.status_code == 303
    match = opened.headers["Location"].split("/")[2]
    page = small_site.http.get(f"/matches/{match}").text
    assert all(name in page for name in ("Ana", "Bea", "Cira", "Dora"))


def test_what_was_typed_before_the_script_ran_is_found(tab: Tab, small_site: Served) -> None:
    """On a slow connection people type while the page still loads its scripts."""
    page = sign_in(tab, small_site)
    asked: list[Route] = []
    page.route("**/players*.js*", lambda route: asked.append(route))  # noqa: PLW0108  # it is given an attribute
    page.goto(address(small_site, "/record/match"), wait_until="commit")
    page.get_by_label("Jugador 1").press_sequentially("ana")
    while not asked:
        page.wait_for_timeout(50)
    asked[0].continue_()
    expect(page.get_by_role("button", name="Ana").first).to_be_visible()
