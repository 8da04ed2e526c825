"""A list of names that somebody pastes, such as one from a chat, read as a sheet of entries."""

import csv
import io
import re

MARK = re.compile(r"\s*(?:\d{1,4}\s*[.)\]:-]+|[-–—•*·✅✔]+)\s*")  # noqa: RUF001  # dashes
"""What chats put before a name: a number, a dash, a bullet."""


def as_sheet(text: str) -> bytes:
    """The lines of a list as a CSV file: row N + 1 is line N. A tab stands between the two of a pair."""
    rows = io.StringIO()
    writer = csv.writer(rows)
    writer.writerow(["player"])
    for line in text.splitlines():
        names = MARK.sub("", line, count=1) if MARK.match(line) else line
        writer.writerow([" / ".join(part.strip() for part in names.split("\t") if part.strip())])
    return rows.getvalue().encode()
