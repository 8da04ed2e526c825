"""Writes ended matches as sheets, with names: `sheet_import` reads them again."""

import csv
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

from openpyxl import Workbook
from sqlalchemy import Connection, select

from league.application.dispatch import Clock
from league.application.stream_states import StreamStates
from league.domain.refusals import Refusal
from league.eventlog.store import EventStore
from league.projections import tables as t
from league.transfer.formulas import quoted
from league.transfer.sheets.cells import cell_of
from league.transfer.sheets.columns import HANDS, HANDS_TITLE, MATCHES, MATCHES_TITLE, Column, Language
from league.transfer.sheets.people import People
from league.transfer.sheets.stored_rows import StoredMatch, Values, ended_matches

AT_ONCE = 500
"""Matches that are loaded together."""
ENDED = ("completed", "cut_short", "forfeited", "announced")

CellOut = str | int | None


def sheets_of(store: EventStore, clock: Clock, conn: Connection, run: int) -> Iterator[StoredMatch]:
    """The rows of all ended matches, in the order in which they were decided."""
    m = t.matches.c
    query = select(m.match_id).where(m.run == run, m.status.in_(ENDED)).order_by(m.decided_at, m.match_id)
    ids = list(conn.scalars(query))
    for start in range(0, len(ids), AT_ONCE):
        yield from ended_matches(StreamStates(store, clock()), ids[start : start + AT_ONCE])


def write_csv(
    matches: Iterator[StoredMatch], people: People, language: Language, out: TextIO, hands_out: TextIO | None
) -> None:
    """Write the sheet of matches, and the sheet of hands where there is a file for it."""
    sheet = csv.writer(out, lineterminator="\n")
    sheet.writerow(headings(MATCHES, language))
    hands = None if hands_out is None else csv.writer(hands_out, lineterminator="\n")
    if hands is not None:
        hands.writerow(headings(HANDS, language))
    for match in matches:
        sheet.writerow(cells_of(match.match, MATCHES, people))
        if hands is not None:
            hands.writerows(cells_of(hand, HANDS, people) for hand in match.hands)


def write_xlsx(matches: Iterator[StoredMatch], people: People, language: Language, out: BinaryIO) -> None:
    """Write a workbook with a sheet of matches and a sheet of hands."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet(MATCHES_TITLE[language])
    hands = book.create_sheet(HANDS_TITLE[language])
    sheet.append(headings(MATCHES, language))
    hands.append(headings(HANDS, language))
    for match in matches:
        sheet.append(cells_of(match.match, MATCHES, people))
        for hand in match.hands:
            hands.append(cells_of(hand, HANDS, people))
    book.save(out)


def headings(columns: tuple[Column, ...], language: Language) -> list[str]:
    """The first row of a sheet."""
    return [column.heading(language) for column in columns]


def cells_of(values: Values, columns: tuple[Column, ...], people: People) -> list[CellOut]:
    """A row of a sheet."""
    return [_cell(column, values, people) for column in columns]


def _cell(column: Column, values: Values, people: People) -> CellOut:
    if column.name not in values:
        return None
    value: Any = values[column.name]
    if column.name.startswith("side "):
        return _called(value, people)
    if column.name in ("starts", "closed by"):
        return _called((value,), people)
    cell = column.write(value)
    return quoted(cell) if isinstance(cell, str) else cell


def _called(players: tuple[str, ...], people: People) -> str:
    """Players by their names, or by their ids where the names would be read as other players."""
    names = quoted(" / ".join(people.name(player) or player for player in players))
    try:
        found = people.side(str(cell_of(names)))
    except Refusal:
        found = ()
    return names if found == players and names.isprintable() else quoted(" / ".join(players))
