"""The entries of a tournament from a club's sheet: a row for each player, or for each pair."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from league.application.dispatch import decide
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import Faults
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import Sentence, say
from league.eventlog.store import EventStore
from league.tournaments.domain.commands import EnterCompetitor
from league.transfer.sheets.cells import read_number, read_text
from league.transfer.sheets.columns import Column
from league.transfer.sheets.people import People, named_players
from league.transfer.sheets.reading_csv import read_csv
from league.transfer.sheets.rows import CellFaults, Row, Sheet
from league.transfer.sheets.sheet_import import SheetFile
from league.transfer.sheets.table import MOST_BYTES, Table, unreadable
from league.transfer.sheets.workbooks import WORKBOOK, read_workbook

MOST_ROWS = 1_000
_text: dict[str, Any] = {"read": read_text, "write": str}
COLUMNS = (
    Column("player", "jugador", **_text, at=("players",), is_required=True),
    Column("partner", "pareja", **_text, at=("players.1",)),
    Column("table", "mesa", read_number, int, at=("fixed_table",)),
)
"""A pair is two players in one cell, such as `Ana / Luis`, or a player and a partner. They keep the table."""


class _Entry(Struct, frozen=True):
    """A row, and the command that it stands for."""

    row: Row
    command: EnterCompetitor


class Entries(Struct, frozen=True):
    """Everybody in a sheet."""

    commands: list[EnterCompetitor]
    """They enter all of them."""
    notes: list[Sentence]
    """What a person may want to check of how the file was read."""


def entries_in(file: SheetFile, tournament: str, states: StreamStates) -> Entries:
    """The entries of a sheet. Raises SheetRefused with every cell that is wrong."""
    faults, table = CellFaults(), _table(file)
    sheet = Sheet(table, COLUMNS, faults)
    entries = [*_entries(sheet, tournament, _people(states.store, states))] if sheet.is_readable else []
    for entry in entries:
        try:
            decide([entry.command], states)
        except Refusal as refused:
            for fault in Faults.of(refused):
                sheet.fault(entry.row.number, _column_of(sheet, entry.row, fault), fault)
    if faults.count:
        raise faults.refused()
    if not entries:
        raise unreadable(sheet.title, say("the sheet is empty"))
    return Entries([entry.command for entry in entries], table.notes)


def _entries(sheet: Sheet, tournament: str, people: People) -> Iterator[_Entry]:
    for row in sheet.rows:
        if row.lacks("player"):
            sheet.fault(row.number, "player", InvalidInput("player", say("the cell is empty")))
        if row.bad or "player" not in row.values:
            continue
        players = _players(sheet, row, people)
        if players is not None:
            yield _Entry(row, EnterCompetitor(tournament, players, row.values.get("table")))


def _players(sheet: Sheet, row: Row, people: People) -> tuple[str, ...] | None:
    """The players of a row; None after a fault of each cell that names nobody."""
    cells = [name for name in ("player", "partner") if name in row.values]
    found: list[str] | None = []
    for name in cells:
        try:
            text = row.values[name]
            named = people.side(text) if len(cells) == 1 else (people.find(text),)
            found = None if found is None else [*found, *named]
        except Refusal as refused:
            found = None
            for fault in Faults.of(refused):
                sheet.fault(row.number, name, fault)
    return None if found is None else tuple(found)


def _column_of(sheet: Sheet, row: Row, fault: Refusal) -> str:
    """The column whose cell is to blame; a pair may stand in one."""
    column = sheet.column_of(fault.field or "")
    return "player" if column is None or column not in row.values else column


def _people(store: EventStore, states: StreamStates) -> People:
    return People(named_players(store), states.merges().aliases())


def _table(file: SheetFile) -> Table:
    if len(file.content) > MOST_BYTES:
        raise unreadable(file.name, say("the file has more than {most} bytes", most=MOST_BYTES))
    if file.content.startswith(WORKBOOK):
        return read_workbook(file.content, file.name, MOST_ROWS, file.read)[0]
    return read_csv(file.content, file.name, COLUMNS, MOST_ROWS)
