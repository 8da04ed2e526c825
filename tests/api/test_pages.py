"""The pages of a league's app, each by one request: home, a board, a player, a pair, a match, a month of the series."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from api_server import Served
from test_statement_counts import counted

PAGES = Path(__file__).with_name("pages")
PAIR, MATCH = "p003+p004", "c-0007"
VARIABLES: dict[str, dict[str, Any]] = {
    "home": {},
    "board": {"kind": "GLOBAL", "everybody": True, "me": "p004"},
    "player": {"id": "p004"},
    "team": {"id": PAIR},
    "match": {"id": MATCH},
    "month": {"mode": "ONE_ON_ONE"},
}
STATEMENTS = {"home": 11, "board": 9, "player": 23, "team": 17, "match": 12, "month": 12}
"""Limits of each page; more means that something is read row by row."""


def read(season: Served, page: str) -> Any:
    """The answer to a page."""
    return season.ask(PAGES.joinpath(f"{page}.graphql").read_text(), **VARIABLES[page])


@pytest.mark.parametrize("page", VARIABLES)
def test_a_page_is_one_request(season: Served, page: str) -> None:
    """It is within the limits of cost, and takes few statements, however many rows it shows."""
    with counted(season) as statements:
        said = read(season, page)
    assert None not in said.values()
    assert len(statements) <= STATEMENTS[page], "\n\n".join(statements)


def test_every_page_has_its_document() -> None:
    """And every document is tried."""
    assert {path.stem for path in PAGES.glob("*.graphql")} == set(VARIABLES)


def test_the_pages_show_what_they_are_for(season: Served) -> None:
    """People with names, places with ranks, matches with hands."""
    home, board = read(season, "home"), read(season, "board")["board"]
    assert len(home["latest"]["nodes"]) == 10
    assert home["month"]["standings"]["nodes"][0]["competitor"]["displayName"]
    assert board["around"]["missing"] is None
    assert [place["competitorId"] for place in board["around"]["places"]].count("p004") == 1
    player = read(season, "player")["player"]
    assert {rating["mode"] for rating in player["ratings"]} >= {"TWO_ON_TWO", "OVERALL"}
    assert all(node["competitor"]["displayName"] for node in player["partners"]["nodes"])
    match = read(season, "match")["match"]
    assert match["ruleset"]["rules"]["target"] == match["ruleset"]["target"]
    assert sum(hand["points"][match["sides"][0]["number"]] for hand in match["hands"]) == match["score"][0]
