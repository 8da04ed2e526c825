"""Two people change the same thing on two screens: the second sees what is stored now, beside what they typed."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import httpx
import pytest
from api_server import Served, token
from browsers import Tab, new_tab
from desk import address, cookie_of, shot, sign_in, total
from http_clients import NO_TLS
from playwright.sync_api import Browser, Page, expect

KEEPER, ADMIN = token("scorekeeper", sub="kim"), token("admin", sub="boss")
FACTS = {"starter": 0, "ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 20}]}


def a_match(site: Served) -> str:
    """A match with one hand, in which Ana won 20 points. Returns its id."""
    seats = ["ana", "bea"]
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "seats": seats}
    done = site.do("openMatch", KEEPER, "... on MatchSuccess { matchId }", **given)
    site.follow(done["position"])
    match: str = done["matchId"]
    done = site.do("recordHand", KEEPER, match=match, facts=FACTS)
    site.follow(done["position"])
    return match


def points(site: Served, match: str) -> Any:
    """The points of the match's hand."""
    return site.ask("query ($id: ID!) { match(id: $id) { hands { points } } }", id=match)["match"]["hands"][0]["points"]


def correct(page: Page, pips: str) -> None:
    """Change the pips of Bea, say why, and send the form."""
    total(page, "Bea").fill(pips)
    page.get_by_label("Motivo").fill("la suma")
    page.get_by_role("button", name="Guardar la corrección").click()


def test_two_scorekeepers_correct_one_hand_at_once(browser: Browser, small_site: Served) -> None:
    """The second one sees the first correction beside what they typed, and stores theirs by sending it again."""
    match = a_match(small_site)
    with new_tab(browser) as one, new_tab(browser) as other:
        first, second = sign_in(one, small_site), sign_in(other, small_site, "lee")
        for page in (first, second):
            page.goto(address(small_site, f"/matches/{match}/hands/1/correct"))
            expect(total(page, "Bea")).to_have_value("20")
        total(second, "Bea").fill("40")  # typed, so that no refresh of the page touches the form
        correct(first, "30")
        expect(first).to_have_url(re.compile(r"/matches/[^/]+$"))
        correct(second, "40")
        expect(second.get_by_role("alert")).to_contain_text("mano 1")
        expect(second.get_by_role("heading", name="Guardado ahora")).to_be_visible()
        expect(second.locator(".card.stored-now")).to_contain_text("30")
        shot(second, "overwritten")
        expect(total(second, "Bea")).to_have_value("40")
        assert points(small_site, match) == [30, 0]
        second.get_by_role("button", name="Guardar la corrección").click()
        expect(second).to_have_url(re.compile(r"/matches/[^/]+$"))
        assert points(small_site, match) == [40, 0]


def test_another_fault_does_not_hide_that_the_hand_was_changed(tab: Tab, small_site: Served) -> None:
    """A form that comes back for a fault, or from a draft, still knows up to where its sender has seen the log."""
    match = a_match(small_site)
    page = sign_in(tab, small_site)
    page.goto(address(small_site, f"/matches/{match}/hands/1/correct"))
    total(page, "Bea").fill("50")
    facts = {**FACTS, "leftover": [{"tiles": []}, {"pips": 30}]}
    done = small_site.do("correctHand", KEEPER, match=match, hand=1, facts=facts, reason="x")
    small_site.follow(done["position"])
    page.get_by_label("Última ficha").fill("seis tres")
    correct(page, "50")
    expect(page.locator("p.error", has_text="Escriba la ficha así: 6-3.")).to_be_visible()
    page.reload()
    page.get_by_label("Última ficha").fill("")
    correct(page, "50")
    expect(page.locator(".card.stored-now").first).to_contain_text("30")
    assert points(small_site, match) == [30, 0]


FORMS: list[tuple[str, dict[str, str], tuple[str, dict[str, Any]], str]] = [
    ("/players/ana/rename", {"name": "Ana Uno"}, ("renamePlayer", {"player": "ana", "name": "Ana Dos"}), "Ana Dos"),
    ("/players/ana/move", {"region": "Uno"}, ("movePlayer", {"player": "ana", "region": "Holguín"}), "Holguín"),
    (
        "/admin/settings",
        {"name": "Liga Uno", "timeZone": "America/Havana"},
        ("changeSettings", {"name": "Liga Dos"}),
        "Liga Dos",
    ),
    (
        "/admin/members/two-admins",
        {"roles.AUDITOR": "yes"},
        ("changeMember", {"memberId": "two-admins", "roles": ["SCOREKEEPER"]}),
        "anotador",
    ),
]
"""The address of a form, what is typed, what another one does in the meantime, and what is stored then."""


@pytest.mark.parametrize(("path", "typed", "meanwhile", "now"), FORMS)
def test_a_form_shows_what_is_stored_now_and_stores_when_sent_again(
    small_site: Served, path: str, typed: dict[str, str], meanwhile: tuple[str, dict[str, Any]], now: str
) -> None:
    """The form still has what was typed, even without JavaScript."""
    if "members" in path:
        small_site.do("addMember", ADMIN, memberId="two-admins", subject="two@club", roles=["ADMIN"])
    cookies = {"league": cookie_of(small_site, "root", "admin"), "language": "es"}
    site = address(small_site, "")
    with httpx.Client(base_url=site, cookies=cookies, headers={"Origin": site}, verify=NO_TLS) as web:
        form = web.get(path).text
        done = small_site.do(meanwhile[0], ADMIN, **meanwhile[1])
        assert "code" not in done, done
        refused = web.post(path, data={**hidden(form), **typed})
        assert refused.status_code == 422
        [stored] = re.findall(r'<div class="card stored-now">(.*?)</div>', refused.text, re.DOTALL)
        assert now in unescape(stored)
        assert hidden(refused.text)["expectedPosition"] == done["position"]
        for value in typed.values():
            assert f'value="{value}"' in refused.text
        assert web.post(path, data={**hidden(refused.text), **typed}).status_code == 303


def test_a_form_that_overwrites_nothing_has_no_position(small_site: Served) -> None:
    """A position that a sender adds to such a form is ignored."""
    cookies = {"league": cookie_of(small_site, "root", "admin"), "language": "es"}
    site = address(small_site, "")
    with httpx.Client(base_url=site, cookies=cookies, headers={"Origin": site}, verify=NO_TLS) as web:
        typed = {"name": "Nueva Jugadora", "expectedPosition": "1"}
        assert web.post("/record/player", data=typed).status_code == 303


def hidden(page: str) -> dict[str, str]:
    """The hidden controls of the form of a page that overwrites something."""
    form = next(form for form in re.findall(r"<form.*?</form>", page, re.DOTALL) if "expectedPosition" in form)
    return dict(re.findall(r'<input type="hidden"(?: data-restored)? name="([^"]+)" value="([^"]*)"', form))
