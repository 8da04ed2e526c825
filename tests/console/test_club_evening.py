"""Walks docs/club-evening.md in a browser: enters what its tables say, and finds controls by the labels it names."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_server import Served, served
from browsers import Tab
from commands import process
from databases import MIGRATED, copy_of
from desk import address, group, shot
from playwright.sync_api import Page, expect

from league.console.site import create_site

pytestmark = pytest.mark.heavy

GUIDE = (Path(__file__).parents[2] / "docs" / "club-evening.md").read_text(encoding="utf-8")
FLOWING = " ".join(GUIDE.split())
"""The guide in one line, so that a sentence is found wherever its lines break."""
ENDING, WHO, PIPS = "How did it end?", "Who went out, or locked?", "Pips that were left"

Row = dict[str, str]


def said(label: str) -> str:
    """A label from the guide, which the guide must contain."""
    assert f'"{label}"' in FLOWING, label
    return label


def tables_below(heading: str) -> list[list[Row]]:
    """The tables of a section of the guide; a row has its cells by the headers of their columns."""
    [section] = [one for one in GUIDE.split("\n## ") if one.startswith(heading)]
    blocks = re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
    cells = [[[cell.strip() for cell in line[1:-1].split("|")] for line in block.splitlines()] for block in blocks]
    return [[dict(zip(head, row, strict=True)) for row in rows] for head, _, *rows in cells]


class Terminal:
    """Runs the commands of the guide, in a folder of its own."""

    def __init__(self, url: str, folder: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("LEAGUE_")}
        self.folder, self.environment = folder, {**kept, "LEAGUE_DATABASE_URL": url}

    def run(self, name: str) -> str:
        """Run the command of this name as it stands in the guide. Returns its output."""
        [line] = re.findall(rf"^league {name} .*$", GUIDE, re.MULTILINE)
        ran = process(*shlex.split(line)[1:], cwd=self.folder, env=self.environment)
        assert ran.returncode == 0, ran.stderr
        return str(ran.stdout)


@pytest.fixture
def terminal(embedded_server: str, tmp_path: Path) -> Iterator[Terminal]:
    with copy_of(embedded_server, MIGRATED) as url:
        yield Terminal(url, tmp_path)


@pytest.fixture
def site(terminal: Terminal) -> Iterator[Served]:
    """The league that the guide begins, served."""
    terminal.run("init")
    with served(terminal.environment["LEAGUE_DATABASE_URL"], create=create_site) as server:
        terminal.environment["LEAGUE_PUBLIC_URL"] = address(server, "")
        yield server


def test_the_evening_goes_as_the_guide_tells_it(tab: Tab, site: Served, terminal: Terminal) -> None:
    """A scorekeeper records four matches on the pages alone; scores, winners and terms are those of the sheets."""
    page = tab.page
    _sign_in(page, terminal)
    _register(page, site)
    matches = {
        "first table": _first_table(page, site),
        "second table": _second_table(page, site),
        **_third_and_fourth_table(page, site),
    }
    found = {table: _stored(site, match) for table, match in matches.items()}
    assert {table: (match["score"], match["status"]) for table, match in found.items()} == {
        "first table": ([206, 27], "COMPLETED"),
        "second table": ([57, 202], "COMPLETED"),
        "third table": ([0, 55], "CUT_SHORT"),
        "fourth table": (None, "FORFEITED"),
    }
    first, second = found["first table"]["hands"], found["second table"]["hands"]
    assert [[term["rule"] for term in hand["terms"]] for hand in first] == [
        ["LEFTOVER"], ["LEFTOVER", "CAPICUA"], ["LEFTOVER"], ["LEFTOVER", "PASE_CORRIDO"], ["LEFTOVER"],
    ]  # fmt: skip
    assert [hand["winnerBy"] for hand in first] == ["FACTS", "FACTS", "FACTS", "FACTS", "STATED"]
    assert [hand["winnerBy"] for hand in second] == ["FACTS", "STATED", "FACTS", "FACTS"]
    _look_at_results(page, site, matches)
    terminal.run("backup")
    assert (terminal.folder / "liga.backup").stat().st_size > 0
    assert tab.said == []


def _stored(site: Served, match: str) -> dict[str, Any]:
    asked = "query ($id: ID!) { match(id: $id) { score status hands { winnerBy terms { rule } } } }"
    found: dict[str, Any] = site.ask(asked, id=match)["match"]
    return found


def _sign_in(page: Page, terminal: Terminal) -> None:
    page.goto(terminal.run("token").strip())
    page.get_by_role("button", name=said("Sign in")).click()
    expect(page.get_by_role("link", name="Your account").first).to_be_visible()


def _register(page: Page, site: Served) -> None:
    page.goto(address(site, "/record"))
    page.get_by_role("link", name=said("Register a player")).click()
    [players] = tables_below("The players")
    for player in players:
        page.get_by_label(said("Name")).fill(player["Name"])
        page.get_by_label(said("Region")).fill(player["Region"])
        page.get_by_role("button", name=said("Register"), exact=True).click()
        expect(page.get_by_role("status")).to_contain_text(player["Name"])


def _open(page: Page, site: Served, seats: Row) -> str:
    """Open a match from the desk. Returns its id."""
    page.goto(address(site, "/record"))
    page.get_by_role("link", name=said("Open a match")).click()
    page.get_by_label(said("Two pairs")).check()
    for label in ("Player 1", "Player 2", "Player 3", "Player 4"):
        page.get_by_label(label).fill(seats[label])
    page.get_by_label(said("Rules")).select_option(label=said("Dominican, 200"))
    shot(page, "evening-open")
    page.get_by_role("button", name=said("Open the match")).click()
    expect(page.get_by_role("heading", name="Hand 1")).to_be_visible()
    return page.url.split("/")[-2]


def _record(page: Page, hand: Row) -> None:
    """Fill in a row of the guide, check the points, and store it."""
    expect(page.get_by_role("heading", name=f"Hand {hand['hand']}")).to_be_visible()
    for label in (ENDING, WHO):
        group(page, label).get_by_label(hand[label], exact=True).check()
    for held in hand[PIPS].split(", "):
        name, pips = held.split(": ")
        control = group(page, PIPS).get_by_label(name, exact=True)
        if not control.is_visible():
            group(page, PIPS).get_by_text(said("Each player apart")).filter(visible=True).click()
        control.fill(pips)
    if more := re.fullmatch(r'"(.+?)"(?:, (.+))?: (.+)', hand[""]):
        label, side, value = more.groups()
        if value == "ticked":
            page.get_by_label(label, exact=True).check()
        elif side is None:
            group(page, label).get_by_label(value, exact=True).check()
        else:
            group(page, label).get_by_label(side, exact=True).fill(value)
    expect(page.locator("#score")).to_contain_text(said("What this hand gives"))
    shot(page, f"evening-hand-{hand['hand']}")
    page.get_by_role("button", name=said("Store the hand")).click()


def _first_table(page: Page, site: Served) -> str:
    [seats], before, after = tables_below("First table")
    match = _open(page, site, seats)
    for hand in before:
        _record(page, hand)
    expect(page.get_by_role("heading", name="Hand 4")).to_be_visible()
    page.get_by_role("link", name=said("Correct"), exact=True).click()
    [(right, label, reason)] = re.findall(r'enter (\d+), under "(.+?)" write \*(.+?)\*', FLOWING)
    side, _ = before[-1][PIPS].split(": ")
    group(page, PIPS).get_by_label(side, exact=True).fill(right)
    page.get_by_label(label).fill(reason)
    page.get_by_role("button", name=said("Store the correction")).click()
    page.get_by_role("link", name=said("Record the next hand")).click()
    for hand in after:
        _record(page, hand)
    _expect_over(page, match)
    return match


def _second_table(page: Page, site: Served) -> str:
    [seats], hands = tables_below("Second table")
    match = _open(page, site, seats)
    for hand in hands:
        _record(page, hand)
    _expect_over(page, match)
    return match


def _third_and_fourth_table(page: Page, site: Served) -> dict[str, str]:
    [third, fourth], [hand] = tables_below("Third and fourth table")
    stopped = _open(page, site, third)
    _record(page, hand)
    expect(page.get_by_role("heading", name="Hand 2")).to_be_visible()
    page.get_by_text(said("The match ends otherwise")).click()
    page.get_by_role("link", name=said("Play stops")).click()
    page.get_by_role("button", name=said("End the match")).click()
    _expect_over(page, stopped)
    given_up = _open(page, site, fourth)
    page.get_by_text(said("The match ends otherwise")).click()
    page.get_by_role("link", name=said("A side gives up")).click()
    [side] = re.findall(r'"Who gives up\?": (.+?)\.', FLOWING)
    group(page, "Who gives up?").get_by_label(side).check()
    page.get_by_role("button", name=said("Forfeit the match")).click()
    _expect_over(page, given_up)
    return {"third table": stopped, "fourth table": given_up}


def _expect_over(page: Page, match: str) -> None:
    """Expect the page of the match, which offers no further hand."""
    expect(page).to_have_url(re.compile(rf"/matches/{match}$"))
    expect(page.get_by_role("link", name="Record the next hand")).to_have_count(0)


def _look_at_results(page: Page, site: Served, matches: dict[str, str]) -> None:
    """Expect the pages to show the table at the end of the guide, and the board to have a picture."""
    [results] = tables_below("The board")
    page.goto(address(site, "/"))
    page.get_by_role("link", name=said("Matches"), exact=True).filter(visible=True).first.click()
    expect(page.locator(".matches > li")).to_have_count(len(results))
    for result in results:
        page.goto(address(site, f"/matches/{matches[result['']]}"))
        for side, column in enumerate(("Player 1 and 3", "Player 2 and 4")):
            expect(page.locator("table.score td.number").nth(side)).to_have_text(result[column])
        expect(page.locator(".hero")).to_contain_text(result["on the page of the match"])
    page.get_by_role("link", name=re.compile(re.escape(said("Why?")))).first.click()
    expect(page).to_have_url(re.compile(r"/matches/[^/]+/"))
    page.goto(address(site, "/boards/two_on_two"))
    expect(page.get_by_role("row", name="Altagracia Reyes").first).to_be_visible()
    expect(page.locator("[data-rank]")).to_have_count(0)
    picture = page.request.get(address(site, "/boards/two_on_two/picture.png"))
    assert picture.ok
    assert picture.body().startswith(b"\x89PNG")
