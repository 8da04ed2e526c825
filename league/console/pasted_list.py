"""A list of names that somebody pastes, such as one from a chat: a sheet of entries, or players to register."""

import csv
import io
import re
import unicodedata
from typing import NamedTuple

MARK = re.compile(r"\s*(?:(?:[#(]?\d{1,4}\s*[.)\]:º°ª-]+|#\d{1,4}\b|[-–—•*·]+)\s*)+")  # noqa: RUF001  # dashes
"""What chats put before a name: a number, a dash, a bullet."""
NUMBERED = re.compile(r"\s*\d{1,4}\s+(?=\D)")
"""A number without a sign after it. It is no part of the name if every line begins so."""
KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
INVISIBLE = {"\ufe0e", "\ufe0f", "\u200d", "\u20e3"}
"""What joins the parts of an emoji."""


class ListedName(NamedTuple):
    """A name of a list."""

    line: int
    """Its line, from 1; empty lines count."""
    name: str


def names_in(text: str) -> list[ListedName]:
    """The names of a list, without headings such as `Friday:`. A line with two people is one name with a `/`."""
    lines = enumerate(_lines(text), 1)
    return [ListedName(line, name) for line, name in lines if name and not _is_heading(name)]


def as_sheet(text: str) -> bytes:
    """The lines of a list as a CSV file: row N + 1 is line N."""
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["player"])
    writer.writerows([line] for line in _lines(text))
    return rows.getvalue().encode()


def _lines(text: str) -> list[str]:
    """The lines without what chats put before a name. ` / ` stands in place of a tab, which separates a pair."""
    lines = [_without_emoji(line) for line in text.splitlines()]
    filled = [line for line in lines if line.strip() and not _is_heading(line)]
    if len(filled) > 1 and all(NUMBERED.match(line) for line in filled):
        lines = [NUMBERED.sub("", line, count=1) for line in lines]
    found = []
    for line in lines:
        names = MARK.sub("", line, count=1) if MARK.match(line) else line
        found.append(" / ".join(" ".join(part.split()) for part in names.split("\t") if part.strip()))
    return found


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
