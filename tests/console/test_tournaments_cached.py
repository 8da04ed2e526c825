"""The page of a tournament is cached for visitors who are not signed in."""

from __future__ import annotations

import httpx
import pytest
from api_server import Served, token
from desk import address
from http_clients import NO_TLS


@pytest.mark.heavy
def test_phones_behind_one_address_get_through_an_evening(small_site: Served) -> None:
    """The first phone pays for the page, each other one a point: 300 are fewer than a minute's points allow."""
    plan = {"name": "Copa", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    small_site.follow(small_site.do("planTournament", token("admin"), tournamentId="copa", plan=plan)["position"])
    with httpx.Client(headers={"X-Forwarded-For": "203.0.113.9"}, timeout=60, verify=NO_TLS) as phone:
        codes = {phone.get(address(small_site, "/tournaments/copa")).status_code for _ in range(300)}
    assert codes == {200}
