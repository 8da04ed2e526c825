"""The entries of a tournament from a club's sheet: a row for each player, or for each pair."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from league.application.dispatch import Place, decide
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import Faults
from league.domain.deciders import Command
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import Sentence, say
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


class ReadEntry(Struct, frozen=True):
    """A row of a sheet, and whom it enters."""

    row: int
    """As a spreadsheet numbers it."""
    command: EnterCompetitor
    names: tuple[str, ...]
    """Of the players, in the order of the command."""


class Entries(Struct, frozen=True):
    """Everybody in a sheet."""

    rows: list[ReadEntry]
    notes: list[Sentence]
    """What a person may want to check of how the file was read."""

    @property
    def commands(self) -> list[EnterCompetitor]:
        """They enter all of them."""
        return [row.command for row in self.rows]


def entries_in(
    file: SheetFile, tournament: str, states: StreamStates, meant: Mapping[str, str] = MappingProxyType({})
) -> Entries:
    """The entries of a sheet, all of which could be entered now.

    `meant`: by a name of the sheet, the id or the other name to read in its place. Raises SheetRefused with every cell
    that is wrong, and another Refusal where nobody could enter.
    """
    read = _EntriesSheet(file, tournament, states, meant)
    read.check(states)
    return read.entries()


Send = Callable[[Sequence[Command], Place], int]


def enter_from_sheet(
    file: SheetFile, tournament: str, states: StreamStates, meant: Mapping[str, str], send: Send
) -> tuple[Entries, int]:
    """Enter everybody in a sheet, or nobody. Returns the entries and the position. Raises as `entries_in` does.

    `send` executes commands whose faults have the paths of this place, and returns the position.
    """
    read = _EntriesSheet(file, tournament, states, meant)
    if read.faults.count:
        read.check(states)
    entries = read.entries()
    try:
        return entries, send(entries.commands, _place)
    except Refusal as refused:
        read.add(refused)
        raise read.faults.refused() from None


def _place(number: int, name: str) -> str:
    """The path of a fault: the number of the entry, then the field of its command."""
    return name if name == "tournament" else f"{number}.{name}"


class _EntriesSheet:
    """A sheet of entries that has been read."""

    def __init__(self, file: SheetFile, tournament: str, states: StreamStates, meant: Mapping[str, str]) -> None:
        self.faults, self._table = CellFaults(), _table(file)
        self._sheet = Sheet(self._table, COLUMNS, self.faults)
        self._people = People(named_players(states.store), states.merges().aliases(), meant=meant)
        self._rows: list[tuple[Row, EnterCompetitor]] = []
        for row in self._sheet.rows if self._sheet.is_readable else ():
            if row.lacks("player"):
                self._sheet.fault(row.number, "player", InvalidInput("player", say("the cell is empty")))
            if row.bad or "player" not in row.values:
                continue
            players = _players(self._sheet, row, self._people)
            if players is not None:
                self._rows.append((row, EnterCompetitor(tournament, players, row.values.get("table"))))

    def entries(self) -> Entries:
        """What it says. Raises SheetRefused for a sheet that says nothing."""
        if not self._rows:
            raise unreadable(self._sheet.title, say("the sheet is empty"))
        name = self._people.name
        rows = [ReadEntry(row.number, one, tuple(name(id_) or id_ for id_ in one.players)) for row, one in self._rows]
        return Entries(rows, self._table.notes)

    def check(self, states: StreamStates) -> None:
        """Raise SheetRefused if not all of them could be entered now, another Refusal if nobody could."""
        try:
            decide([command for _row, command in self._rows], states, place=_place)
        except Refusal as refused:
            self.add(refused)
        if self.faults.count:
            raise self.faults.refused()

    def add(self, refused: Refusal) -> None:
        """Add the faults of entries to those of their rows. Raises a refusal that is of no entry."""
        for fault in Faults.of(refused):
            number, _, path = (fault.field or "").partition(".")
            if not path or not number.isdigit():
                raise fault
            row = self._rows[int(number)][0]
            fault.at = path  # type: ignore[attr-defined]  # it has a field, as read above
            self._sheet.fault(row.number, _column_of(self._sheet, row, fault), fault)


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


def _table(file: SheetFile) -> Table:
    if len(file.content) > MOST_BYTES:
        raise unreadable(file.name, say("the file has more than {most} bytes", most=MOST_BYTES))
    if file.content.startswith(WORKBOOK):
        return read_workbook(file.content, file.name, MOST_ROWS, file.read)[0]
    return read_csv(file.content, file.name, COLUMNS, MOST_ROWS)
