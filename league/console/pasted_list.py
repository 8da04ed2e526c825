"""A list of names that somebody pastes, such as one from a chat: a sheet of entries, or players to register."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple

MARK = re.compile(r"\s*(?:(?:[#(]?\d{1,4}\s*[.)\]:º°ª-]+|#\d{1,4}\b|[-–—•*·~]+)\s*)+")  # noqa: RUF001  # dashes
"""What chats put before a name: a number, a dash, a bullet."""
NUMBERED = re.compile(r"\s*\d{1,4}\s+(?=\D)")
"""A number without a sign after it. It is no part of the name if every line begins so."""
KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
SENT = re.compile(r"\[[^\[\]]{1,20}\d:\d\d[^\[\]]{0,20}\] [^:\[\]]{1,60}: ")
"""What WhatsApp on an iPhone puts before a message that is copied: when it was sent, and by whom."""
BETWEEN_PEOPLE = re.compile(r"\s*[;/&]\s*")
"""What always stands between two people: `Ana / Luis`, `Ana; Luis`."""
BETWEEN_PARTS = re.compile(r"\s*[,\t]\s*")
"""What stands between two people or between the parts of one name: `Ana, Luis`, `Pérez,Juan`, columns of a sheet."""
INVISIBLE = {"\ufe0e", "\ufe0f", "\u200d", "\u20e3"}
"""What joins the parts of an emoji."""


PartsAre = Literal["people", "surname", "name"]
"""What commas and columns of a list separate: people; surname and name; nothing, they belong to the name."""


class ListedName(NamedTuple):
    """A name of a list."""

    line: int
    """Its line, from 1; empty lines count."""
    name: str
    parts: tuple[str, ...] = ()
    """Parts that may be two people, or surname and name. Empty once somebody has said which."""


def names_in(text: str, parts_are: PartsAre | None = None) -> list[ListedName]:
    """The names of a list, without headings such as `Friday:`."""
    lines = enumerate(_cells(text), 1)
    return [
        name for line, cells in lines if cells and not _is_heading(cells) for name in _people(line, cells, parts_are)
    ]


def _people(line: int, cells: str, parts_are: PartsAre | None) -> Iterator[ListedName]:
    """The people on a line."""
    for one in BETWEEN_PEOPLE.split(cells):
        found = [part.strip(" ,") for part in BETWEEN_PARTS.split(one.strip(" ,\t"))]
        parts = tuple(part for part in found if any(map(str.isalpha, part)))  # no number of a row, no telephone
        written = " ".join(parts) if "\t" in one and parts else " ".join(one.strip(" ,\t").split())
        if len(parts) < 2:  # noqa: PLR2004  # a name, or a number, which is a name if nothing else is there
            yield from [ListedName(line, parts[0] if parts else written)] if written else ()
        elif parts_are == "people" or (len(parts) > 2 and "\t" not in one):  # noqa: PLR2004  # nobody has three parts
            yield from (ListedName(line, part) for part in parts)
        elif parts_are == "surname":
            yield ListedName(line, " ".join((*parts[1:], parts[0])))
        else:
            yield ListedName(line, written, parts if parts_are is None else ())


def as_sheet(text: str) -> bytes:
    """The lines of a list as a CSV file: row N + 1 is line N."""
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["player"])
    writer.writerows([line] for line in _lines(text))
    return rows.getvalue().encode()


def _lines(text: str) -> list[str]:
    """The lines without what chats put before a name. ` / ` stands in place of a tab, which separates a pair."""
    return [" / ".join(part for part in cells.split("\t") if part) for cells in _cells(text)]


def _cells(text: str) -> list[str]:
    """The lines without what chats put before a name. A tab stands between the columns of a sheet."""
    lines = [_without_emoji(_without_sender(line.strip())) for line in text.splitlines()]
    filled = [line for line in lines if line.strip() and not _is_heading(line)]
    if len(filled) > 1 and all(NUMBERED.match(line) for line in filled):
        lines = [NUMBERED.sub("", line, count=1) for line in lines]
    found = []
    for line in lines:
        names = MARK.sub("", line, count=1) if MARK.match(line) else line
        found.append("\t".join(" ".join(part.split()) for part in names.split("\t")).strip("\t"))
    return found


def _without_sender(line: str) -> str:
    """The line without what WhatsApp puts before it."""
    sent = SENT.match(line)
    return line if sent is None else line[sent.end() :]


def _is_heading(line: str) -> bool:
    """Whether a line is a heading. No name ends with a colon."""
    return line.rstrip().endswith(":")


def _without_emoji(line: str) -> str:
    """The line without emoji, unless nothing else is in it."""
    kept = (sign for sign in KEYCAP.sub("", line) if sign not in INVISIBLE and not _is_emoji(sign))
    found = "".join(kept)
    return found if found.strip() else line


def _is_emoji(sign: str) -> bool:
    """Whether a sign is an emoji, or a tone of skin of one."""
    return unicodedata.category(sign) == "So" or "\U0001f3fb" <= sign <= "\U0001f3ff"
