"""The content of one cell: read as a value, and written as a text that is read as the same value."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.domain.player_names import name_key
from league.domain.refusals import InvalidInput
from league.domain.rules import Competition
from league.domain.sentences import Sentence, say
from league.domain.texts_and_times import beginning_of, in_utc, is_shown_twice
from league.domain.tiles import Tile

Cell = str | int | float | bool | date | datetime | time | timedelta | None | InvalidInput
"""The content of a cell. A text is never empty; a refusal says why the cell has no value."""

T = TypeVar("T")

LONGEST_CELL = 1_000
"""The most characters of a cell."""

Mark = Literal["yes", "no", "unknown"]
"""What is written in a box that one can tick."""


class WrittenTime(Struct, frozen=True):
    """The day of a match and, where it was written down, the time of day, on the league's clock."""

    day: date
    clock: time | None = None
    """It has an offset from UTC if the league's clock shows this time twice on that day."""

    def in_zone(self, zone: ZoneInfo) -> datetime:
        """The time of play, or the beginning of the day, in UTC. Raises SkippedTime, AmbiguousTime."""
        if self.clock is None:
            return beginning_of(self.day, zone)
        if self.clock.tzinfo is not None:
            return datetime.combine(self.day, self.clock).astimezone(UTC)
        return in_utc(datetime.combine(self.day, self.clock), zone, "played_at")

    @classmethod
    def of(cls, began_at: datetime, zone: ZoneInfo) -> "WrittenTime":
        """How a sheet writes a time of play."""
        local = began_at.astimezone(zone)
        plain_time = local.replace(tzinfo=None, fold=0)
        offset = timezone(local.utcoffset() or timedelta()) if is_shown_twice(plain_time, zone) else None
        return cls(local.date(), local.time().replace(tzinfo=offset, fold=0))


def cell_of(value: Cell) -> Cell:
    """A cell as it was read from a file: texts without space around them, None for an empty one."""
    if isinstance(value, str):
        text = value.strip()
        if len(text) > LONGEST_CELL:
            return _refused(
                say("the cell has {count} characters; the most are {most}", count=len(text), most=LONGEST_CELL)
            )
        if any(ord(character) < ord(" ") and character not in "\t\r\n" for character in text):
            return _refused(say("the cell has a character that cannot be printed"))
        return (text[1:] if text.startswith("'") and is_formula(text[1:]) else text) or None
    return value


def plain(cell: Cell) -> str:
    """The text of a cell, whatever its type; a whole number without a decimal point."""
    if isinstance(cell, InvalidInput):
        raise cell
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


# ---------------------------------------------------------------- times

YEARS = range(1900, 9000)
"""Other years are slips of the pen."""
ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\s*(.+))?")
DAY_FIRST = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:,?\s+(.+))?")
CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?\s*(Z|[+-]\d{2}:\d{2})?")


def read_moment(cell: Cell) -> WrittenTime:
    """`2026-11-14`, `14/11/2026` (day first) or a date of a spreadsheet, each with or without a time of day."""
    if isinstance(cell, datetime):
        # A date of a spreadsheet without a time of day is midnight.
        return WrittenTime(cell.date(), cell.time() if cell.time() != time() else None)
    if isinstance(cell, date):
        return WrittenTime(cell)
    text = plain(cell)
    if found := ISO.fullmatch(text):
        year, month, day, clock = found.groups()
    elif found := DAY_FIRST.fullmatch(text):
        day, _, month, year, clock = found.groups()
    else:
        example = "2026-11-14, 14/11/2026, 2026-11-14 21:30"
        raise _refused(say("{text!r} is not a date; write it as in {example}", text=text, example=example))
    try:
        if int(year) not in YEARS:
            raise ValueError(year)  # noqa: TRY301  # the same refusal
        on = date(int(year), int(month), int(day))
    except ValueError:
        raise _refused(say("there is no day {text!r}; the day comes before the month", text=text)) from None
    return WrittenTime(on, None if clock is None else _read_clock(clock))


def _read_clock(text: str) -> time:
    if found := CLOCK.fullmatch(text.strip()):
        hour, minute, second, fraction, offset = found.groups()
        with suppress(ValueError):
            zone = None if offset is None else datetime.fromisoformat(f"2000-01-01T00:00{offset}").tzinfo
            return time(int(hour), int(minute), int(second or 0), int((fraction or "0").ljust(6, "0")), zone)
    raise _refused(say("{text!r} is not a time of day; write it as in 21:30", text=text))


def write_moment(moment: WrittenTime) -> str:
    """The day and, where it is known, the time of day."""
    if moment.clock is None:
        return moment.day.isoformat()
    exact = moment.clock.second or moment.clock.microsecond
    return f"{moment.day.isoformat()} {moment.clock.isoformat('auto' if exact else 'minutes')}"


# ---------------------------------------------------------------- other values

KINDS: dict[str, Competition] = {
    "competitive": "competitive",
    "competitiva": "competitive",
    "casual": "casual",
    "amistosa": "casual",
    "special": "special",
    "torneo": "special",
}
"""The kind of match by the key of its text. The first text of a kind is the one that an export writes."""

ENDINGS: dict[str, Literal["domino", "block"]] = {"domino": "domino", "block": "block", "tranque": "block"}

MARKS: dict[str, Mark] = {
    "x": "yes", "yes": "yes", "y": "yes", "si": "yes", "s": "yes", "1": "yes", "true": "yes",
    "no": "no", "n": "no", "0": "no", "false": "no",
    "?": "unknown",
}  # fmt: skip
"""What a mark says, by the key of its text."""

TILE = re.compile(r"(\d)\s*[-/|:]\s*(\d)")
HALVES = 2
DATED_TILE = re.compile(r"(?:\d{4}[-/.])?(\d{1,2})[-/. ]+(\d{1,2}|[a-z]{3,10})\.?(?:[-/. ]+(?:\d{4}|\d{2}))?", re.ASCII)
"""A tile that a spreadsheet took for a date, as CSV has it: `04-ene`, `1-Apr`, `01/04/2026`, `2026-04-01`."""
MONTH_FIRST = re.compile(r"([a-z]{3,10})\.?[-/. ]+(\d{1,2})", re.ASCII)
"""A tile that a spreadsheet took for a date with the month first: `Apr-01`."""
MONTHS = (
    ("january", "enero"), ("february", "febrero"), ("march", "marzo"), ("april", "abril"), ("may", "mayo"),
    ("june", "junio"), ("july", "julio"), ("august", "agosto"), ("september", "septiembre", "setiembre"),
    ("october", "octubre"), ("november", "noviembre"), ("december", "diciembre"),
)  # fmt: skip
WHOLE_NUMBER = re.compile(r"([0-9]{1,9})(?:[.,]0{1,2})?")
"""A whole number, perhaps with up to two zeros as decimals. Three zeros would mean thousands to some."""


def read_text(cell: Cell) -> str:
    """Any text; a number as it is written."""
    return plain(cell)


def read_rules(cell: Cell) -> str:
    """A ruleset's name, also in capitals or with spaces: `Dominican 200`."""
    return "-".join(name_key(plain(cell)).split())


def _reader_of(words: Mapping[str, T], choice: str) -> Callable[[Cell], T]:
    """Reads a cell that has one of these words."""

    def read(cell: Cell) -> T:
        if (found := words.get(name_key(plain(cell)))) is None:
            raise _refused(say("{text!r} is none of: {choice}", text=plain(cell), choice=choice))
        return found

    return read


read_kind = _reader_of(KINDS, ", ".join(KINDS))
"""The kind of a match."""
read_ending = _reader_of(ENDINGS, ", ".join(ENDINGS))
"""How a hand ended."""
read_mark = _reader_of(MARKS, "x, ?")
"""A ticked box; an empty one is not read."""


def write_mark(mark: Mark) -> str:
    """`x`, nothing, or `?`."""
    return {"yes": "x", "no": "", "unknown": "?"}[mark]


def read_number(cell: Cell) -> int:
    """A whole number from 0; a spreadsheet may have written it as `200,0`."""
    text = plain(cell)
    found = WHOLE_NUMBER.fullmatch(text)
    if isinstance(cell, bool) or found is None:
        raise _refused(say("{text!r} is not a whole number", text=text))
    return int(found[1])


def read_count(cell: Cell) -> int | None:
    """A whole number, or `?` for one that is not known."""
    return None if cell == "?" else read_number(cell)


def write_count(count: int | None) -> str | int:
    """The reverse of `read_count`."""
    return "?" if count is None else count


def read_tile(cell: Cell) -> Tile:
    """A tile such as `4-1`. A spreadsheet takes that for a date, whose day and month are the halves in either order."""
    if isinstance(cell, date):
        low, high = sorted((cell.day, cell.month))
        return low, high
    text = name_key(plain(cell))
    found = next(filter(None, (pattern.fullmatch(text) for pattern in (TILE, DATED_TILE, MONTH_FIRST))), None)
    halves = [] if found is None else [half for part in found.groups() if (half := _half(part)) is not None]
    if len(halves) != HALVES:
        raise _refused(say("{text!r} is not a tile; write it as in 4-1", text=plain(cell)))
    low, high = sorted(halves)
    return low, high


def _half(text: str) -> int | None:
    """A half of a tile, or the number of a month; None for any other word."""
    if text.isdigit():
        return int(text)
    months = (number for number, names in enumerate(MONTHS, 1) if any(name.startswith(text) for name in names))
    return next(months, None)


def write_tile(tile: Tile) -> str:
    """A tile such as `4-1`."""
    return f"{tile[1]}-{tile[0]}"


def _refused(reason: Sentence) -> InvalidInput:
    return InvalidInput("cell", reason)


# ---------------------------------------------------------------- texts that a spreadsheet would compute


_FORMULA_SIGNS = "=+-@＝＋－＠"  # noqa: RUF001  # some spreadsheets take full-width signs for the others
"""How formulas begin."""
_UNSEEN = ("C", "Z", "M")
"""Kinds of characters that a spreadsheet may pass over before a sign: controls and formats, spaces, marks."""


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may compute a text: it begins with a sign, or with what nobody sees and then a sign."""
    first = next((character for character in text if not unicodedata.category(character).startswith(_UNSEEN)), "")
    return first != "" and first in _FORMULA_SIGNS


def quoted(text: str) -> str:
    """A text that no spreadsheet takes for a formula: every export puts a quote before a text that looks like one."""
    return f"'{text}" if is_formula(text) else text
