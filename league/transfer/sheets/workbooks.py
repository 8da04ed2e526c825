"""Has workbooks read in a process of its own: a file of some kilobytes can take a gigabyte, or minutes."""

from league.infra.decoding import Answer, Limits, Undecodable, Work, decode
from league.transfer.sheets.reading_xlsx import read_xlsx
from league.transfer.sheets.table import Table, unreadable

WORKBOOK = b"PK"
"""How the content of a workbook begins: it is a ZIP archive."""
OWN_LIMITS = Limits(seconds=600, wall_seconds=3600.0)
"""On the command line: 200,000 rows, which an upload may not have, take minutes."""

Tables = tuple[Table, Table | None]
"""The sheets of matches and of hands."""


def reading_of(content: bytes, title: str, most_rows: int) -> Work:
    """What a process has to do to read a workbook. `title` names the file."""
    return Work(f"{__name__}:{read_whole.__name__}", content, (title, most_rows))


def read_whole(content: bytes, title: str, most_rows: int) -> Tables:
    """All rows of a workbook: for a process that reads it for another one. Raises SheetRefused."""
    tables = read_xlsx(content, title, most_rows)
    for table in tables:
        if table is not None:
            table.rows = iter([*table.rows])
    return tables


def read_workbook(content: bytes, title: str, most_rows: int, read: Answer | None) -> Tables:
    """The sheets of a workbook; `read` has them where it was read before. Blocks. Raises SheetRefused."""
    try:
        tables: Tables = decode(reading_of(content, title, most_rows), OWN_LIMITS) if read is None else read.value()
    except Undecodable as error:
        raise unreadable(title, error.reason) from error
    return tables
