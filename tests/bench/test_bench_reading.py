"""What people ask of a league ten times as large reads no more blocks."""

from __future__ import annotations

import pytest
from leagues import league_at, own_database

from tests.bench.reading import QUESTIONS, Reading, fill, read

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

HANDS = 2_000
FEW = 30
"""Blocks by which each question may grow: indexes get a level more, and a few players are looked up by one."""
NAMED = 160
"""Blocks by which it may grow where it names 50 players: each takes three once their table is large enough."""
OF_50 = {"a board's first page", "a board's last page", "standings", "a month's page", "the trail"}
GROWS = {
    "a board as of a day": 4,  # all changes since
    "rating drift": 10,  # all changes
    "a search": 4,  # all names
    "a search's page": 4,
    "totals of a difference": 8,  # all ratings and all forecasts
}
"""Questions about the whole league, and how many times as much they may read."""


def _read(server: str, hands: int) -> dict[str, Reading]:
    with own_database(server) as url, league_at(url) as league:
        fill(league, hands)
        return read(league, QUESTIONS)


def most(name: str, small: int) -> int:
    """The most blocks of a question in the larger league."""
    return GROWS.get(name, 2) * small + FEW + (NAMED if name in OF_50 else 0)


def test_questions_read_no_more_of_a_larger_league_unless_they_are_about_all_of_it(embedded_server: str) -> None:
    """At most twice the blocks with ten times the hands and players, and a few for those who are named."""
    small, large = (_read(embedded_server, hands) for hands in (HANDS, 10 * HANDS))
    grown = {
        name: (small[name].blocks, large[name].blocks)
        for name in QUESTIONS
        if large[name].blocks > most(name, small[name].blocks)
    }
    assert grown == {}
