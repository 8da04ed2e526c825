"""House rules on a phone: tried while somebody edits, reviewed, and adopted."""

from __future__ import annotations

import pytest
from api_server import Served
from browsers import Tab
from desk import address, sign_in
from leagues import PLAYERS, block, opened, send
from playwright.sync_api import expect

from league.domain.match import RecordHand

pytestmark = pytest.mark.heavy

PIPS = '[id="rulesets.cuban-150.counted_pips"]'


def test_what_a_hand_gives_stays_in_view_and_is_marked_as_old_when_a_setting_changes(
    tab: Tab, small_site: Served
) -> None:
    """The page stays where it was scrolled to. What is adopted was reviewed before."""
    played = (opened("m1", PLAYERS[:4], 0), RecordHand("m1", block(0, 3, 30, 4, 20)))
    small_site.follow(str(send(small_site.league, *played)))
    page = sign_in(tab, small_site, "root", "admin")
    page.set_viewport_size({"width": 390, "height": 664})
    page.goto(address(small_site, "/admin/house-rules/new?from=cuban-150"))
    page.get_by_label("Cómo lo llama su club").fill("El Patio")
    page.locator(PIPS).select_option("all_on_block")
    scrolled = page.evaluate("scrollY")
    in_view = page.locator(".tried-again")
    page.locator(".sticky").get_by_role("button", name="Probar").click()
    expect(in_view).to_have_text("Esta mano daría 57 en vez de 50.", use_inner_text=True)
    assert abs(page.evaluate("scrollY") - scrolled) < 664
    expect(in_view).to_be_in_viewport()
    page.locator(PIPS).select_option("opponents")
    expect(in_view).to_contain_text("Algo cambió desde entonces: pruebe otra vez.", use_inner_text=True)
    page.get_by_role("button", name="Revisar y adoptar").click()
    expect(page.get_by_text("Nada cambia frente a Cubano, 150")).to_be_visible()
    page.get_by_text("Cambiar algo").click()
    page.locator(PIPS).select_option("all_on_block")
    page.get_by_role("button", name="Revisar otra vez").click()
    expect(page.get_by_role("alert")).to_contain_text("Como Cubano, 150, pero:")
    page.get_by_role("button", name="Adoptar las reglas de la casa").click()
    expect(page.get_by_text("Rige para las partidas que empiecen desde")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
