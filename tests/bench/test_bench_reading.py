"""What people ask of a league ten times as large reads no more blocks."""

from __future__ import annotations

import pytest
from leagues import league_at, own_database

from tests.bench.reading import QUESTIONS, Reading, fill, read

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

HANDS = 2_000
FEW = 12
"""Blocks by which each question may grow: indexes get a level more."""
GROWS = {
    "a board's first page": "a player is looked up by an index once their table is larger than a few blocks",
    "a board's last page": "as its first page",
    "a board as of a day": "it reads all changes since",
    "a rank": "it counts all who are above",
    "standings": "as a board's first page",
    "latest matches": "as a board's first page",
    "a search": "it reads all names",
    "badges' holders": "it counts them",
    "rating drift": "it reads all changes",
}
"""Questions that read more, and why."""


def _read(server: str, hands: int) -> dict[str, Reading]:
    with own_database(server) as url, league_at(url) as league:
        fill(league, hands)
        return read(league, QUESTIONS)


def test_questions_answered_by_an_index_read_no_more_of_a_larger_league(embedded_server: str) -> None:
    """At most twice the blocks with ten times the hands and players."""
    small, large = (_read(embedded_server, hands) for hands in (HANDS, 10 * HANDS))
    grown = {
        name: (small[name].blocks, large[name].blocks)
        for name in QUESTIONS
        if name not in GROWS and large[name].blocks > 2 * small[name].blocks + FEW
    }
    assert grown == {}
