"""The pages that say why: a rating change as a waterfall, a hand, a standing."""

from __future__ import annotations

import re

import pytest
from api_server import Served
from browsers import Tab
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from league.console.public.why import WIDTH, waterfall

amounts = st.floats(-2, 2, allow_nan=False)


@given(k=st.floats(1, 80), expected=st.floats(0, 1), outcome=st.sampled_from([0.0, 1.0]), parts=st.lists(amounts))
def test_the_bars_of_a_waterfall_lead_from_before_to_after(
    k: float, expected: float, outcome: float, parts: list[float]
) -> None:
    """The effects add up to the change, and every bar lies within the drawing."""
    terms = [("BEFORE", 1500.0), ("OUTCOME", outcome), *(("STRENGTH", part) for part in parts), ("EXPECTED", expected)]
    after = 1500.0 + k * ((outcome + sum(parts)) - expected)
    explanation = {"terms": [{"name": name, "value": value} for name, value in (*terms, ("K", k))]}
    drawn = waterfall({"before": 1500.0, "after": after, "k": k, "explanation": explanation})
    assert sum(step.effect for step in drawn.steps) == pytest.approx(after - 1500.0, abs=1e-6)
    assert all(-1e-6 <= step.left <= WIDTH + 1e-6 for step in drawn.steps)
    assert [step.term["name"] for step in drawn.steps] == [name for name, _ in terms[1:]]


def test_a_term_of_a_change_opens_to_its_rule_and_leads_to_a_hand(tab: Tab, season_site: Served) -> None:
    """The bar opens to the facts, which link to the hand and its points."""
    change = season_site.ask("{ matches(last: 1) { nodes { matchId ratingChanges { player { playerId } } } } }")
    [match] = change["matches"]["nodes"]
    player = match["ratingChanges"][0]["player"]["playerId"]
    page = tab.page
    page.goto(f"http://127.0.0.1:{season_site.port}/matches/{match['matchId']}/changes/{player}")
    for written in page.locator(".waterfall .level .number, .formula").all_text_contents():
        assert re.match(r"\d{3,4}\.\d\d", written), "a rating has no comma"
    bar = page.locator(".waterfall details").nth(1)
    bar.locator("summary").click()
    expect(bar.get_by_text("Rule")).to_be_visible()
    bar.get_by_role("link", name="hand").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hand")
    expect(page.get_by_role("heading", name="Played")).to_be_visible()
    assert tab.said == []


def test_a_number_that_is_not_there_is_a_page_that_says_so(season_site: Served) -> None:
    """The status is 404, or 401 if signing in may help."""
    for path, status in (
        ("/matches/nowhere/changes/p001", 404),
        ("/matches/c-0001/hands/999", 404),
        ("/series/2026-01/standings/nobody", 404),
        ("/matches/c-0001/what-if-not?player=p001", 401),
    ):
        assert season_site.http.get(path).status_code == status, path
