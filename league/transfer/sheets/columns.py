"""The columns of the two sheets, and an empty sheet to fill in.

Reading, writing, the template and the faults of cells follow from this list.
"""

import csv
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, Literal, TextIO

from msgspec import Struct

from league.domain.player_names import name_key
from league.domain.seating import FULL_TABLE
from league.transfer.sheets.cells import (
    LONGEST_CELL,
    Cell,
    read_count,
    read_ending,
    read_kind,
    read_mark,
    read_moment,
    read_number,
    read_rules,
    read_text,
    read_tile,
    write_count,
    write_mark,
    write_moment,
    write_tile,
)

Language = Literal["en", "es"]
"""The languages of headings; both are read."""


class SheetColumn(Struct, frozen=True):
    """A column: its headings, and how its cells are read and written."""

    name: str
    """The English heading; the rows of the program have their values under it."""
    spanish: str
    read: Callable[[Cell], Any]
    write: Callable[[Any], str | int]
    """The reverse of `read`."""
    example: str | int = ""
    """The cell in the first row of the template."""
    at: tuple[str, ...] = ()
    """The paths of faults of a recorded match, or of a recorded hand, that are faults of this column."""
    is_required: bool = False
    """Whether a sheet must have it. The first row that names all of these has the headings; rows above are titles."""
    is_in_totals: bool = True
    """Whether a row of totals may have something in it."""
    holds_merged: bool = False
    """Whether merged cells hold for all their rows, rather than being a fault."""

    @property
    def headings(self) -> str:
        """The headings in both languages, since both are read: `date (fecha)`."""
        return self.name if self.spanish == self.name else f"{self.name} ({self.spanish})"

    def heading(self, language: Language) -> str:
        """The heading in a language."""
        return self.spanish if language == "es" else self.name


def _numbered(
    name: str, spanish: str, example: tuple[str | int, ...], at: str, *, required: int = 0, **how: Any
) -> list[SheetColumn]:
    """A column for each side, numbered from 1; a sheet must have the first `required`. Paths of faults count from 0."""
    examples = (*example, *("",) * (FULL_TABLE - len(example)))
    return [
        SheetColumn(
            f"{name} {side + 1}", f"{spanish} {side + 1}", example=examples[side], at=(f"{at}.{side}",),
            is_required=side < required, **how,
        )
        for side in range(FULL_TABLE)
    ]  # fmt: skip


_text: dict[str, Any] = {"read": read_text, "write": str}
_number: dict[str, Any] = {"read": read_number, "write": int}
_mark: dict[str, Any] = {"read": read_mark, "write": write_mark}

MATCHES = (
    SheetColumn(
        "date", "fecha", read_moment, write_moment, "2026-11-14 21:30", ("played_at",),
        is_required=True, is_in_totals=False, holds_merged=True,
    ),
    SheetColumn("rules", "reglas", read_rules, str, "dominican-200", ("ruleset", "mode")),
    SheetColumn("kind", "tipo", read_kind, str, "competitive", ("competition",)),
    *_numbered("side", "lado", ("Ana / Luis", "Eva / Juan"), "sides", required=2, **_text),
    *_numbered("score", "puntos", (200, 135), "announced.score", **_number),
    SheetColumn("winner", "ganador", **_number, at=("announced.winner",)),
    SheetColumn("forfeit", "abandono", **_number, at=("forfeited_by",)),
    SheetColumn("match", "partida", **_text, example="1", at=("match",)),
)  # fmt: skip
"""The sheet of matches, one match a row."""

HANDS = (
    SheetColumn("match", "partida", **_text, example="1", is_required=True),
    SheetColumn("hand", "mano", **_number, example=1, is_required=True),
    SheetColumn("starts", "sale", **_text, example="Ana", at=("starter",)),
    SheetColumn("ended", "final", read_ending, str, "domino", ("ended.by",), is_required=True, is_in_totals=False),
    SheetColumn("tile", "ficha", read_tile, write_tile, "4-1", ("ended.tile",)),
    SheetColumn("closed by", "cierra", **_text, example="Luis", at=("ended.seat", "ended.locker")),
    SheetColumn("winner", "ganador", **_number, at=("stated_winner",)),
    *_numbered("left", "quedan", ("", 35), "side_leftover", **_number),
    SheetColumn("capicua", "capicúa", **_mark, at=("stated_capicua",)),
    SheetColumn("chuchazo", "chuchazo", **_mark),
    *_numbered("pase corrido", "pase corrido", (), "passes.corridos_by_side", read=read_count, write=write_count),
    SheetColumn("opening pass", "pase de salida", **_mark, at=("passes.opening_pass",)),
)
"""The sheet of hands, one hand a row."""

MATCHES_TITLE: dict[Language, str] = {"en": "matches", "es": "partidas"}
HANDS_TITLE: dict[Language, str] = {"en": "hands", "es": "manos"}
"""The names of the sheets in a workbook. The first sheet is that of the matches whatever its name is."""
IGNORED = ("#", "nota", "note")
"""Columns whose headings begin like this are not read."""


def heading_key(heading: str) -> str:
    """A heading without case, accents and spaces: all spellings of a heading have the same key."""
    return name_key(heading).replace(" ", "")


def language_of(column: SheetColumn, heading: str) -> Language | None:
    """The language of a heading of a column; None where both have the same."""
    if heading_key(column.name) == heading_key(column.spanish):
        return None
    return "en" if heading_key(heading) == heading_key(column.name) else "es"


def by_heading(columns: tuple[SheetColumn, ...]) -> dict[str, SheetColumn]:
    """The columns by the keys of their headings."""
    return {heading_key(heading): column for column in columns for heading in (column.name, column.spanish)}


def required_of(columns: tuple[SheetColumn, ...]) -> list[str]:
    """The names of the columns that a sheet must have."""
    return [column.name for column in columns if column.is_required]


def named_in(cells: Iterable[Cell], known: Mapping[str, SheetColumn]) -> set[str]:
    """The names of the columns whose headings are in a row. `known`: the result of `by_heading`."""
    keys = (heading_key(cell) for cell in cells if isinstance(cell, str) and len(cell) <= LONGEST_CELL)
    return {known[key].name for key in keys if key in known}


# ---------------------------------------------------------------- the template: headings, and one example


def write_csv_template(columns: tuple[SheetColumn, ...], language: Language, out: TextIO) -> None:
    """Write the template of one sheet."""
    csv.writer(out, lineterminator="\n").writerows(_template(columns, language))


def write_xlsx_template(language: Language, out: BinaryIO) -> None:
    """Write a workbook with the templates of both sheets."""
    from openpyxl import Workbook  # noqa: PLC0415  # it takes a quarter of a second

    book = Workbook(write_only=True)
    for title, columns in ((MATCHES_TITLE, MATCHES), (HANDS_TITLE, HANDS)):
        sheet = book.create_sheet(title[language])
        for row in _template(columns, language):
            sheet.append(row)
    book.save(out)


def _template(columns: tuple[SheetColumn, ...], language: Language) -> list[list[str | int]]:
    return [[column.heading(language) for column in columns], [column.example for column in columns]]
