"""A match that began earlier, in the form that opens a match: its time is read by the league's clock."""

from __future__ import annotations

import re

import httpx
import pytest
from api_server import Served
from desk import address, cookie_of


def opened(site: Served, began: str) -> httpx.Response:
    """The answer to the form of a match, with a time as a browser sends it."""
    headers = {"Origin": address(site, ""), "Cookie": f"league={cookie_of(site)}; language=en"}
    form = site.http.get("/record/match", headers=headers).text
    [zone] = re.findall('name="leagueTimeZone" value="([^"]*)"', form)
    sides = {"mode": "ONE_ON_ONE", "seats.0": "ana", "seats.1": "bea", "ruleset": "cuban-150"}
    given = {**sides, "competition": "CASUAL", "leagueTimeZone": zone, "playedAt": began}
    return site.http.post("/record/match", data=given, headers=headers)


@pytest.mark.parametrize(
    ("typed", "began"),
    [
        ("2026-02-01T21:30", "2026-02-02T02:30:00Z"),
        ("2025-07-01 21:30", "2025-07-02T01:30:00Z"),  # summer time; typed by hand
        ("2025-11-02T00:30", "2025-11-02T04:30:00Z"),  # shown twice
    ],
)
def test_a_match_that_began_earlier_is_opened_with_its_time(small_site: Served, typed: str, began: str) -> None:
    """The time is read by the league's clock, that of Havana."""
    answer = opened(small_site, typed)
    assert answer.status_code == 303
    match = answer.headers["Location"].split("/")[2]
    assert small_site.ask("query ($id: ID!) { match(id: $id) { beganAt } }", id=match)["match"]["beganAt"] == began


@pytest.mark.parametrize(
    ("typed", "refused", "said"),
    [
        ("2999-01-01T20:00", "IN_THE_FUTURE", "in the future"),
        ("0001-01-01T00:00", "INVALID", "before the year"),
        ("9999-12-31T23:59", "INVALID", "not a time"),
        ("2026-03-08T00:30", "INVALID", "The clock skips 2026-03-08T00:30"),
        ("2026-02-01", "INVALID", "not a time"),
        ("at nine", "INVALID", "not a time"),
    ],
)
def test_a_time_at_which_no_match_began_is_refused_beside_its_field(
    small_site: Served, typed: str, refused: str, said: str
) -> None:
    """What was typed stays in the form."""
    answer = opened(small_site, typed)
    assert (answer.status_code, answer.headers["X-Refused"]) == (422, f"{refused}; playedAt")
    [error] = re.findall('id="playedAt-error">([^<]*)<', answer.text)
    assert said in error
    assert f'value="{typed}" id="playedAt"' in answer.text
