"""A list of names that somebody pastes, such as one from a chat, read as a sheet of entries."""

import csv
import io
import re
import unicodedata

MARK = re.compile(r"\s*(?:[#(]?\d{1,4}\s*[.)\]:º°ª-]+|#\d{1,4}\b|[-–—•*·]+)+\s*")  # noqa: RUF001  # dashes
"""What chats put before a name: a number, a dash, a bullet."""
NUMBERED = re.compile(r"\s*\d{1,4}\s+(?=\D)")
"""A number without a sign after it. It is no part of the name if every line begins so."""
KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
INVISIBLE = {"\ufe0e", "\ufe0f", "\u200d", "\u20e3"}
"""What joins the parts of an emoji."""


def as_sheet(text: str) -> bytes:
    """The lines of a list as a CSV file: row N + 1 is line N. A tab stands between the two of a pair."""
    lines = [_without_emoji(line) for line in text.splitlines()]
    filled = [line for line in lines if line.strip()]
    if len(filled) > 1 and all(NUMBERED.match(line) for line in filled):
        lines = [NUMBERED.sub("", line, count=1) for line in lines]
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["player"])
    for line in lines:
        names = MARK.sub("", line, count=1) if MARK.match(line) else line
        writer.writerow([" / ".join(part.strip() for part in names.split("\t") if part.strip())])
    return rows.getvalue().encode()


def _without_emoji(line: str) -> str:
    """The line without emoji, unless nothing else is in it."""
    kept = (sign for sign in KEYCAP.sub("", line) if sign not in INVISIBLE and not _is_emoji(sign))
    found = "".join(kept)
    return found if found.strip() else line


def _is_emoji(sign: str) -> bool:
    """Whether a sign is an emoji, or a tone of skin of one."""
    return unicodedata.category(sign) == "So" or "\U0001f3fb" <= sign <= "\U0001f3ff"
