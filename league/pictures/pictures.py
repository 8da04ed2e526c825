"""Pictures of a table (a board, or the standings of a month), of the tables of a round, and of a player or a pair."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from league.pictures.drawing import (
    CARD,
    FELT,
    HEADER,
    INK,
    LINE,
    MARGIN,
    SOFT,
    WIDTH,
    Words,
    box,
    centred,
    fitting,
    move,
    page,
    rule,
    text,
    wide,
)

ROW, HEADS = 62, 46
MEDALS = {1: "#e3b341", 2: "#b9c0c7", 3: "#cd8b5a"}


class PictureRow(Struct, frozen=True):
    """A row of a table in a picture."""

    rank: int | None
    """None while provisional."""
    name: str
    detail: str
    """Small text below the name: a region, or games won and lost."""
    value: str
    gained: int | None = None
    """Ranks gained since a week ago; None if there is nothing to compare with."""
    mark: str = ""
    """Drawn where a rank would be, if there is none."""


class PictureTable(Struct, frozen=True):
    """The content of the picture of a table."""

    title: str
    subtitle: str
    who: str
    """Heading of the column of names."""
    heading: str
    """Heading of the column of values."""
    rows: Sequence[PictureRow]
    foot: tuple[str, str]
    """The league's name, and a date."""
    note: str = ""
    """Small text below the rows."""


def table_picture(table: PictureTable) -> str:
    """The table as SVG. A table always gives the same text."""
    rows = _with_names(table)
    note = _note(table.note)
    end = HEADER + HEADS + sum(high for _row, _name, _detail, high in rows) + (40 + note.high if table.note else 8)
    return page(table.title, table.subtitle, _parts(table, rows), end, table.foot)


NAMES = MARGIN + 52
"""Where the names begin, right of the ranks."""
MOVES = 46
"""The width of the ranks gained, left of the values."""

NamedRow = tuple[PictureRow, Words, Words, float]
"""A row with its name and its detail as they fit, and its height."""


def _with_names(table: PictureTable) -> list[NamedRow]:
    """The rows with their names and details, which take all the room that values and moves leave."""
    values = max((wide(row.value, 24, bold=True) for row in table.rows), default=0)
    moves = MOVES if any(row.gained is not None for row in table.rows) else 0
    most = WIDTH - MARGIN - values - 16 - moves - NAMES
    found = []
    for row in table.rows:
        name = fitting(row.name, most, 20, smallest=17, lines=2, bold=True)
        detail = fitting(row.detail, most, 15, smallest=13, lines=2)
        found.append((row, name, detail, ROW + name.high + detail.high))
    return found


def _parts(table: PictureTable, rows: Sequence[NamedRow]) -> Iterator[str]:
    top: float = HEADER + HEADS
    yield box(0, HEADER, WIDTH, HEADS + sum(high for _row, _name, _detail, high in rows), CARD)
    heading = wide(table.heading, 15)
    yield text(table.who, NAMES, HEADER + 29, 15, most=WIDTH - MARGIN - heading - 16 - NAMES, fill=SOFT)
    yield text(table.heading, WIDTH - MARGIN, HEADER + 29, 15, most=WIDTH - MARGIN - NAMES, fill=SOFT, end=True)
    values = max((wide(row.value, 24, bold=True) for row in table.rows), default=0)
    for row in rows:
        yield rule(top)
        yield from _row(row, top, values)
        top += row[-1]
    if table.note:
        yield _note(table.note).at(MARGIN, top + 28, SOFT)


def _note(words: str) -> Words:
    return fitting(words, WIDTH - 2 * MARGIN, 15, smallest=12, lines=3)


def _row(of: NamedRow, top: float, values: float) -> Iterator[str]:
    row, name, detail, high = of
    middle = top + high / 2
    if row.rank in MEDALS:
        yield f'<circle cx="{MARGIN + 16}" cy="{middle}" r="18" fill="{MEDALS[row.rank]}"/>'
    rank = row.mark if row.rank is None else str(row.rank)
    yield centred(rank, MARGIN + 16, middle + 7, 20 if len(rank) < 4 else 15, INK if row.rank else SOFT)  # noqa: PLR2004  # digits that fit
    yield name.at(NAMES, top + (29 if row.detail else 38))
    if row.detail:
        yield detail.at(NAMES, top + name.high + 51, SOFT)
    yield move(row.gained, WIDTH - MARGIN - values - 22, middle + 6)
    yield text(row.value, WIDTH - MARGIN, middle + 8, 24, most=WIDTH, bold=True, end=True)


class PictureSide(Struct, frozen=True):
    """A side at a table: its players, its points if there are any, and whether it has won."""

    name: str
    value: str = ""
    won: bool = False


class PictureTables(Struct, frozen=True):
    """The content of the picture of a round: its tables, each with its sides."""

    title: str
    subtitle: str
    tables: Sequence[tuple[str, Sequence[PictureSide]]]
    """The number of each table, and its sides."""
    foot: tuple[str, str]
    note: str = ""


LINE_HIGH = 27


def tables_picture(round_: PictureTables) -> str:
    """The tables of a round as SVG."""
    parts: list[str] = []
    top: float = HEADER
    for number, sides in round_.tables:
        lines, high = _sides(sides, top + 14)
        parts += [box(0, top, WIDTH, high + 28, CARD), rule(top) if top > HEADER else ""]
        parts += [centred(number, MARGIN + 16, top + high / 2 + 21, 20, SOFT), *lines]
        top += high + 28
    if round_.note:
        parts.append(fitting(round_.note, WIDTH - 2 * MARGIN, 15, smallest=12, lines=2).at(MARGIN, top + 28, SOFT))
        top += 40
    return page(round_.title, round_.subtitle, parts, top + 8, round_.foot)


def _sides(sides: Sequence[PictureSide], top: float) -> tuple[list[str], float]:
    """The sides of a table below each other, and how high they are together."""
    values = max((wide(side.value, 20, bold=True) for side in sides), default=0)
    lines: list[str] = []
    high: float = 0
    for side in sides:
        name = fitting(side.name, WIDTH - MARGIN - values - 16 - NAMES, 19, smallest=15, lines=2, bold=side.won)
        lines.append(name.at(NAMES, top + high + 20))
        lines.append(text(side.value, WIDTH - MARGIN, top + high + 20, 20, most=WIDTH, bold=side.won, end=True))
        high += LINE_HIGH + name.high
    return lines, high


CHART = 250
FIGURE, LISTED = 86, 40
ACROSS = 3
"""Figures per line."""


class PlayerChart(Struct, frozen=True):
    """A rating over time."""

    title: str
    points: Sequence[tuple[datetime, float]]
    """Times and ratings, the earliest first."""
    first: str
    """The date below the left end."""
    last: str
    """The date below the right end."""


class Listing(Struct, frozen=True):
    """A list under a heading. Each entry has a name, and a detail at the right."""

    title: str
    entries: Sequence[tuple[str, str]]


class Portrait(Struct, frozen=True):
    """The content of the picture of a player or a pair."""

    name: str
    subtitle: str
    chart: PlayerChart | None
    figures: Sequence[tuple[str, str]]
    """Labels and values."""
    listings: Sequence[Listing]
    foot: tuple[str, str]
    """The league's name, and a date."""


def player_picture(portrait: Portrait) -> str:
    """The portrait as SVG. A portrait always gives the same text."""
    parts: list[str] = []
    top: float = HEADER
    if portrait.chart is not None and portrait.chart.points:
        parts += _chart(portrait.chart, top)
        top += CHART
    parts += _figures(portrait.figures, top)
    top += FIGURE * -(-len(portrait.figures) // ACROSS)
    for listing in portrait.listings:
        parts += _listing(listing, top)
        top += 56 + LISTED * len(listing.entries)
    return page(portrait.name, portrait.subtitle, parts, top + 8, portrait.foot)


def _chart(chart: PlayerChart, top: float) -> Iterator[str]:
    left, right, high, low = MARGIN + 52, WIDTH - MARGIN - 14, top + 62, top + CHART - 48
    times = [time.timestamp() for time, _ in chart.points]
    ratings = [rating for _, rating in chart.points]
    step = _step(max(ratings) - min(ratings))
    bottom, ceiling = step * (min(ratings) // step), step * -(-max(ratings) // step)
    if bottom == ceiling:
        bottom, ceiling = bottom - step, ceiling + step
    span = times[-1] - times[0]
    # If all points have the same time, they stand at the right.
    across = [right if span == 0 else left + (right - left) * (time - times[0]) / span for time in times]
    down = [low - (low - high) * (rating - bottom) / (ceiling - bottom) for rating in ratings]
    yield box(0, top, WIDTH, CHART, CARD)
    yield text(chart.title, MARGIN, top + 34, 17, most=WIDTH - 2 * MARGIN, bold=True)
    mark = bottom
    while mark <= ceiling:
        y = low - (low - high) * (mark - bottom) / (ceiling - bottom)
        yield f'<path d="M{left} {y:.1f}H{right}" stroke="{LINE}"/>'
        yield text(str(round(mark)), left - 10, y + 5, 14, most=50, fill=SOFT, end=True)
        mark += step
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(across, down, strict=True))
    yield f'<path d="M{across[0]:.1f} {low}L{path}L{across[-1]:.1f} {low}z" fill="{FELT}" fill-opacity="0.1"/>'
    yield f'<path d="M{path}" fill="none" stroke="{FELT}" stroke-width="3" stroke-linejoin="round"/>'
    yield f'<circle cx="{across[-1]:.1f}" cy="{down[-1]:.1f}" r="6" fill="{FELT}" stroke="{CARD}" stroke-width="2"/>'
    yield text(chart.first, left, low + 26, 14, most=180, fill=SOFT)
    yield text(chart.last, WIDTH - MARGIN, low + 26, 14, most=180, fill=SOFT, end=True)


def _step(span: float) -> float:
    """The rating points between two lines of a chart, chosen so that two to four lines cross the span."""
    step = 10.0
    for factor in (2, 2.5, 2) * 4:
        if span / step <= 4:  # noqa: PLR2004  # lines
            break
        step *= factor
    return step


def _figures(figures: Sequence[tuple[str, str]], top: float) -> Iterator[str]:
    across = (WIDTH - 2 * MARGIN) / ACROSS
    yield box(0, top, WIDTH, FIGURE * -(-len(figures) // ACROSS), CARD)
    for number, (label, value) in enumerate(figures):
        x, y = MARGIN + across * (number % ACROSS), top + FIGURE * (number // ACROSS)
        if number % ACROSS == 0:
            yield rule(y)
        yield text(value, x, y + 42, 26, most=across - 12, bold=True)
        yield fitting(label, across - 12, 14, smallest=12, lines=2).at(x, y + 63, SOFT)


def _listing(listing: Listing, top: float) -> Iterator[str]:
    yield text(listing.title, MARGIN, top + 40, 17, most=WIDTH - 2 * MARGIN, bold=True)
    yield box(MARGIN - 12, top + 54, WIDTH - 2 * MARGIN + 24, LISTED * len(listing.entries), CARD, 8)
    for number, (name, detail) in enumerate(listing.entries):
        y = top + 54 + LISTED * number
        if number:
            yield rule(y)
        most = WIDTH - 2 * MARGIN - wide(detail, 16) - 16
        yield fitting(name, most, 17, smallest=13).at(MARGIN, y + 26)
        yield text(detail, WIDTH - MARGIN, y + 26, 16, most=300, fill=SOFT, end=True)
