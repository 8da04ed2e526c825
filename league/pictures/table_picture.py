"""The picture of a table: a board, or the standings of a month."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from league.pictures.drawing import CARD, HEADER, INK, MARGIN, SOFT, WIDTH, box, centred, move, page, rule, text

ROW, HEADS = 62, 46
VALUE = 130
"""The width of the values, at the right."""
MEDALS = {1: "#e3b341", 2: "#b9c0c7", 3: "#cd8b5a"}


class Row(Struct, frozen=True):
    """A place in a table."""

    rank: int | None
    """None: provisional."""
    name: str
    detail: str
    """Said small below the name: a region, or games won and lost."""
    value: str
    gained: int | None = None
    """Ranks gained since a week ago; None: there is nothing to compare."""


class Table(Struct, frozen=True):
    """What the picture says."""

    title: str
    subtitle: str
    who: str
    """The heading of the names."""
    heading: str
    """The heading of the values."""
    rows: Sequence[Row]
    foot: tuple[str, str]
    """The league's name, and a date."""
    note: str = ""
    """Said below the rows."""


def table_picture(table: Table) -> str:
    """The table as SVG. The same table always gives the same text."""
    end = HEADER + HEADS + ROW * len(table.rows) + (40 if table.note else 8)
    return page(table.title, table.subtitle, _parts(table), end, table.foot)


def _parts(table: Table) -> Iterator[str]:
    top = HEADER + HEADS
    yield box(0, HEADER, WIDTH, HEADS + ROW * len(table.rows), CARD)
    yield text(table.who, MARGIN + 52, HEADER + 29, 15, most=220, fill=SOFT)
    yield text(table.heading, WIDTH - MARGIN, HEADER + 29, 15, most=180, fill=SOFT, end=True)
    for number, row in enumerate(table.rows):
        yield rule(top + ROW * number)
        yield from _row(row, top + ROW * number)
    if table.note:
        yield text(table.note, MARGIN, top + ROW * len(table.rows) + 28, 15, most=WIDTH - 2 * MARGIN, fill=SOFT)


def _row(row: Row, top: float) -> Iterator[str]:
    middle, names = top + ROW / 2, MARGIN + 52
    if row.rank in MEDALS:
        yield f'<circle cx="{MARGIN + 16}" cy="{middle}" r="18" fill="{MEDALS[row.rank]}"/>'
    rank = "-" if row.rank is None else str(row.rank)
    yield centred(rank, MARGIN + 16, middle + 7, 20 if len(rank) < 4 else 15, INK if row.rank else SOFT)  # noqa: PLR2004  # digits that fit
    most = WIDTH - MARGIN - VALUE - 58 - names
    yield text(row.name, names, middle + (-2 if row.detail else 7), 20, most=most, bold=True)
    if row.detail:
        yield text(row.detail, names, middle + 20, 15, most=most, fill=SOFT)
    yield move(row.gained, WIDTH - MARGIN - VALUE - 18, middle + 6)
    yield text(row.value, WIDTH - MARGIN, middle + 8, 24, most=VALUE, bold=True, end=True)
