"""Drafts of forms: a device fills in only what that person typed there, and nothing that gives rights."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served
from browsers import Tab
from desk import address, cookie_of, sign_in
from leagues import opened, send
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.heavy

KEPT = {
    "es": ("Usted había escrito esto antes", "Borrarlo y empezar de nuevo"),
    "en": ("You had typed this before", "Clear it and start anew"),
}
"""What a form filled from its draft says, and the button that clears it."""
NEW_MEMBER, NEW_REPLAY = "/admin/members/add", "/admin/replays/new"


def admin(tab: Tab, site: Served, language: str = "es") -> Page:
    """The page of an admin."""
    page = sign_in(tab, site, "root@example.org", "admin")
    page.context.add_cookies([{"name": "language", "value": language, "url": address(site, "/")}])
    return page


def on_device(page: Page) -> Any:
    """All that pages have stored in this browser."""
    return page.evaluate("({...localStorage})")


@pytest.mark.parametrize("language", KEPT)
def test_the_roles_ticked_for_one_person_do_not_come_back_for_the_next(
    tab: Tab, small_site: Served, language: str
) -> None:
    """Only the text comes back. The page says so, and one button clears it."""
    says, clears = KEPT[language]
    page = admin(tab, small_site, language)
    page.goto(address(small_site, NEW_MEMBER))
    page.locator("[name='roles.ADMIN']").check()
    page.locator("[name='roles.PLAYER']").uncheck()
    page.locator("[name=player]").fill("Ana")
    page.locator("[name=subject]").fill("rosa@example.org")
    assert "roles" not in str(on_device(page))
    page.goto(address(small_site, "/admin"))
    page.goto(address(small_site, NEW_MEMBER))
    expect(page.get_by_text(says)).to_be_visible()
    expect(page.locator("[name=subject]")).to_have_value("rosa@example.org")
    expect(page.locator("[name='roles.ADMIN']")).not_to_be_checked()
    expect(page.locator("[name='roles.PLAYER']")).to_be_checked()
    expect(page.locator("[name=player]")).to_have_value("")
    page.get_by_role("button", name=clears).click()
    expect(page.get_by_text(says)).to_have_count(0)
    expect(page.locator("[name=subject]")).to_have_value("")
    assert on_device(page) == {}


def test_the_browsers_own_memory_checks_no_role(tab: Tab, small_site: Served) -> None:
    """Browsers restore forms when a person goes back; roles must not be restored."""
    page = admin(tab, small_site)
    page.goto(address(small_site, NEW_MEMBER))
    page.locator("[name='roles.ADMIN']").check()
    page.goto(address(small_site, "/admin"))
    page.go_back()
    expect(page.locator("[name='roles.ADMIN']")).not_to_be_checked()


def test_settings_of_a_link_are_not_replaced_by_what_was_typed_before(tab: Tab, small_site: Served) -> None:
    """The laboratory links to a new replay with its settings; what was typed without a link waits for its own page."""
    page = admin(tab, small_site)
    linked = f"{NEW_REPLAY}?document=rating.initial%20%3D%201600"
    page.goto(address(small_site, NEW_REPLAY))
    page.locator("[name=rules][value=fields]").check()
    page.locator("[name=title]").fill("Con más K")
    page.goto(address(small_site, linked))
    expect(page.locator("[name=document]")).to_have_value("rating.initial = 1600")
    expect(page.locator("[name=rules][value=document]")).to_be_checked()
    expect(page.locator("[name=title]")).not_to_have_value("Con más K")
    expect(page.get_by_text(KEPT["es"][0])).to_have_count(0)
    page.locator("[name=document]").fill("rating.initial = mucho")
    page.get_by_role("button", name="Iniciar el recálculo").click()
    expect(page.locator("[name=document][aria-invalid=true], [role=alert]").first).to_be_visible()
    page.goto(address(small_site, f"{NEW_REPLAY}?document=rating.initial%20%3D%201700"))
    expect(page.locator("[name=document]")).to_have_value("rating.initial = 1700")
    page.goto(address(small_site, linked))
    expect(page.locator("[name=document]")).to_have_value("rating.initial = mucho")
    page.goto(address(small_site, NEW_REPLAY))
    expect(page.locator("[name=title]")).to_have_value("Con más K")


def test_who_gives_a_match_up_is_chosen_each_time(tab: Tab, small_site: Served) -> None:
    """A forfeit cannot be undone, so no draft chooses the side."""
    send(small_site.league, opened("given-up", ("ana", "bea"), 1))
    small_site.league.project()
    page = sign_in(tab, small_site)
    for _ in range(2):
        page.goto(address(small_site, "/matches/given-up/forfeit"))
        expect(page.locator("[name=side]:checked")).to_have_count(0)
        page.get_by_label("Ana").check()
    assert on_device(page) == {}


def test_a_shared_phone_shows_no_draft_to_the_next_person(tab: Tab, small_site: Served) -> None:
    """The phone forgets what the previous person typed, even if they did not sign out."""
    page = admin(tab, small_site)
    page.goto(address(small_site, NEW_MEMBER))
    page.locator("[name=subject]").fill("rosa@example.org")
    assert "rosa" in str(on_device(page))
    cookie = cookie_of(small_site, "root", "admin")
    page.context.add_cookies([{"name": "league", "value": cookie, "url": address(small_site, "/")}])
    page.goto(address(small_site, NEW_MEMBER))
    expect(page.locator("[name=subject]")).to_have_value("")
    assert on_device(page) == {}


def test_signing_out_leaves_nothing_that_was_typed(tab: Tab, small_site: Served) -> None:
    """Drafts and the list of muted players are removed."""
    page = admin(tab, small_site)
    page.goto(address(small_site, NEW_MEMBER))
    page.locator("[name=subject]").fill("rosa@example.org")
    page.evaluate("localStorage.setItem('muted:t1:root', '[\"ana\"]')")
    page.goto(address(small_site, "/account"))
    page.get_by_role("button", name="Cerrar sesión", exact=True).click()
    expect(page.locator("body:not([data-signed-in])")).to_be_attached()
    assert on_device(page) == {}
