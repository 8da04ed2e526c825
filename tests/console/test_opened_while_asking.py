"""A page that refreshes itself does not touch what somebody has opened meanwhile."""

from __future__ import annotations

import pytest
from api_server import Served
from browsers import Tab
from desk import address, sign_in
from leagues import send
from playwright.sync_api import Route, expect

from league.domain.player import RenamePlayer
from tests.tournaments.played_tournaments import planned, published

pytestmark = pytest.mark.heavy


def test_what_was_opened_while_the_page_asked_stays_open(tab: Tab, small_site: Served) -> None:
    """If the answer comes after a form was opened, it is dropped, and fetched again when the form is closed."""
    league = small_site.league
    planned(league, [["ana"], ["bea"], ["cira"], ["dora"]], "abierta")
    published(league, "abierta")
    small_site.follow(str(league.store.head()))
    page = sign_in(tab, small_site)
    page.goto(address(small_site, "/tournaments/abierta"))
    asked: list[Route] = []
    page.route("**/tournaments/abierta", lambda route: asked.append(route))  # noqa: PLW0108  # it is given an attribute
    send(league, RenamePlayer("ana", "Ana María"))
    small_site.follow(str(league.store.head()))
    while not asked:
        page.wait_for_timeout(50)
    page.get_by_text("Otro orden").click()
    button = page.get_by_role("button", name="Mostrar")
    expect(button).to_be_visible()
    with page.expect_response("**/tournaments/abierta"):
        asked[0].continue_()
    page.unroute("**/tournaments/abierta")
    page.wait_for_timeout(300)  # what is not to happen would happen at once
    expect(button).to_be_visible()
    page.get_by_text("Otro orden").click()
    expect(page.get_by_text("Ana María").first).to_be_visible()
