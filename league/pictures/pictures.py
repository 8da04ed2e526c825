"""Pictures of a table (a board, or the standings of a month), and of a player or a pair."""

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
    box,
    centred,
    move,
    page,
    rule,
    text,
)

ROW, HEADS = 62, 46
VALUE = 130
"""The width of the values, at the right."""
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
    """The table as SVG. The same table always gives the same text."""
    end = HEADER + HEADS + ROW * len(table.rows) + (40 if table.note else 8)
    return page(table.title, table.subtitle, _parts(table), end, table.foot)


def _parts(table: PictureTable) -> Iterator[str]:
    top = HEADER + HEADS
    yield box(0, HEADER, WIDTH, HEADS + ROW * len(table.rows), CARD)
    yield text(table.who, MARGIN + 52, HEADER + 29, 15, most=220, fill=SOFT)
    yield text(table.heading, WIDTH - MARGIN, HEADER + 29, 15, most=180, fill=SOFT, end=True)
    for number, row in enumerate(table.rows):
        yield rule(top + ROW * number)
        yield from _row(row, top + ROW * number)
    if table.note:
        yield text(table.note, MARGIN, top + ROW * len(table.rows) + 28, 15, most=WIDTH - 2 * MARGIN, fill=SOFT)


def _row(row: PictureRow, top: float) -> Iterator[str]:
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
    """The portrait as SVG. The same portrait always gives the same text."""
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
    wide = (WIDTH - 2 * MARGIN) / ACROSS
    yield box(0, top, WIDTH, FIGURE * -(-len(figures) // ACROSS), CARD)
    for number, (label, value) in enumerate(figures):
        x, y = MARGIN + wide * (number % ACROSS), top + FIGURE * (number // ACROSS)
        if number % ACROSS == 0:
            yield rule(y)
        yield text(value, x, y + 44, 26, most=wide - 12, bold=True)
        yield text(label, x, y + 67, 14, most=wide - 12, fill=SOFT)


def _listing(listing: Listing, top: float) -> Iterator[str]:
    yield text(listing.title, MARGIN, top + 40, 17, most=WIDTH - 2 * MARGIN, bold=True)
    yield box(MARGIN - 12, top + 54, WIDTH - 2 * MARGIN + 24, LISTED * len(listing.entries), CARD, 8)
    for number, (name, detail) in enumerate(listing.entries):
        y = top + 54 + LISTED * number
        if number:
            yield rule(y)
        yield text(name, MARGIN, y + 26, 17, most=300)
        yield text(detail, WIDTH - MARGIN, y + 26, 16, most=170, fill=SOFT, end=True)
