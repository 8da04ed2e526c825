"""Sheets of entries are imported, and exports of tournaments can be written as sheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from leagues import catch_up, official, reading
from openpyxl import Workbook, load_workbook
from played_tournaments import planned, published, register, state_of
from signed_leagues import unsigned_league

from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import SheetRefused
from league.tournaments.domain.commands import EnterCompetitor
from league.tournaments.entries_sheet import entries_in
from league.transfer.export import exports_by_name, write_csv
from league.transfer.sheets.sheet_import import SheetFile
from league.transfer.workbook import write_xlsx

PAIRS = "jugador;pareja;mesa\nPlayer p01;p02;3\nPlayer p03 / Player p04;;\n"


@pytest.fixture
def league(embedded_server: str) -> Iterator[League]:
    with unsigned_league(embedded_server) as found:
        register(found, 8)
        planned(found, [], format="swiss")
        yield found


def entries(league: League, content: bytes, name: str = "entries.csv") -> list[EnterCompetitor]:
    return entries_in(SheetFile(name, content), "copa", StreamStates(league.store, clock())).commands


def test_a_sheet_enters_pairs_by_name_and_by_id(league: League) -> None:
    """A sheet with Spanish headings enters a pair in two cells and a pair in one cell."""
    league.dispatcher.send_all(entries(league, PAIRS.encode()), "organiser")
    entered = state_of(league).entries
    assert {id_: entry.fixed_table for id_, entry in entered.items()} == {"p01+p02": 3, "p03+p04": None}


def test_an_xlsx_file_is_read_as_well(league: League) -> None:
    """The first sheet of an xlsx workbook is read."""
    book = Workbook()
    for row in csv.reader(io.StringIO(PAIRS), delimiter=";"):
        book.active.append(row)
    content = io.BytesIO()
    book.save(content)
    assert entries(league, content.getvalue(), "entries.xlsx") == entries(league, PAIRS.encode())


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["Nobody,p02,"], ["entries.csv A2 (player): there is no player 'Nobody'"]),
        (["p01,nix,"], ["entries.csv B2 (partner): there is no player 'nix'"]),
        (["nix,nox,"], ["entries.csv A2 (player): there is no", "entries.csv B2 (partner): there is no"]),
        (["p01,p02,", "p03,p02,"], ["entries.csv B3 (partner): competitor 'Player p02' already exists"]),
        (["p01 / p02,,", "p03 / p02,,"], ["entries.csv A3 (player): competitor 'Player p02' already exists"]),
        (["p01,,"], ["entries.csv A2 (player): a pair of two players enters"]),
        (["p01,p02,", "p02,p03,"], ["entries.csv A3 (player): competitor 'Player p02' already exists"]),
        (["p01,p02,first"], ["entries.csv C2 (table): 'first' is not a whole number"]),
        (["p01,p02,0"], ["entries.csv C2 (table): must be at least 1"]),
        ([",p02,"], ["entries.csv A2 (player): the cell is empty"]),
        ([], ["entries.csv: the sheet is empty"]),
    ],
)
def test_every_cell_that_is_wrong_is_named(league: League, rows: Sequence[str], said: Sequence[str]) -> None:
    """Every wrong cell is named, and nobody enters."""
    with pytest.raises(SheetRefused) as refused:
        entries(league, "\n".join(["player,partner,table", *rows]).encode())
    found = [str(cell) for cell in refused.value.cells]
    assert len(found) == len(said)
    assert all(one.startswith(start) for one, start in zip(found, said, strict=True)), found


def test_exports_of_tournaments_are_written_as_xlsx(league: League) -> None:
    """An xlsx export has the same cells as the CSV export, with numbers as numbers."""
    league.dispatcher.send_all(entries(league, b"player\np01+p02\np03+p04\np05+p06\np07+p08\n"), "organiser")
    published(league)
    catch_up(league)
    run = official(league.database.url)
    with reading(league.database.url) as snapshot:
        for what in ("tournaments", "entries", "rounds", "pairings", "tournament_standings"):
            export = exports_by_name()[what]
            book, text = io.BytesIO(), io.StringIO()
            write_xlsx(export.rows(snapshot.conn, run), book, export.columns, what)
            write_csv(export.rows(snapshot.conn, run), text, export.columns)
            rows = [list(row) for row in load_workbook(book).active.iter_rows(values_only=True)]
            assert [[as_text(value) for value in row] for row in rows] == list(csv.reader(io.StringIO(text.getvalue())))
            if what == "tournament_standings":
                assert rows[1][1] == 1


def as_text(value: Any) -> str:
    return "" if value is None else str(value)
