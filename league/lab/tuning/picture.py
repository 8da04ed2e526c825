"""The picture of a search: what it comes to in sentences, in figures, and in two curves."""

from collections.abc import Sequence
from textwrap import wrap

from league.lab.tuning.forecasts import coin
from league.lab.tuning.judged import Compared
from league.lab.tuning.sentences import WAYS, interval_in_words, sentences
from league.lab.tuning.walk import Tuned
from league.pictures.drawing import CARD, DOWN, FELT, HEADER, INK, MARGIN, SOFT, UP, WIDTH, box, page, rule, text
from league.wording.language import _, counted
from league.wording.numbers import number

LETTERS = 62
"""Of a line of a sentence."""
HIGH = 150
"""Of a chart."""
MIDDLE, RIGHT = WIDTH - 170, WIDTH - MARGIN
COLOURS = {"shipped": "#7c5aa6", "in_force": INK, "plain_elo": "#9a6b15", "coin": SOFT, "fitted": FELT}
"""Of each way of forecasting; what is drawn later lies above."""


def tuned_picture(tuned: Tuned, settings: Sequence[str], foot: tuple[str, str]) -> tuple[str, str]:
    """The title and the drawing. `settings`: what changes, a line each; `foot`: the league's name and the date."""
    parts: list[str] = []
    y = HEADER + 36.0
    for sentence in sentences(tuned):
        for line in wrap(sentence, LETTERS):
            parts.append(text(line, MARGIN, y, 16, most=WIDTH - 2 * MARGIN))
            y += 22
        y += 8
    y = _figures(parts, tuned, y + 14)
    y = _chart(
        parts,
        _("Loss in the months that were held out"),
        [(getattr(tuned, way).by_month, colour) for way, colour in COLOURS.items()],
        (tuned.months[0], tuned.months[-1]),
        y + 30,
    )
    if tuned.curve:
        level = [coin(tuned.wanted.objective)] * len(tuned.curve)
        y = _chart(
            parts,
            _("The best loss so far of the search over all matches"),
            [(level, SOFT), (tuned.curve, FELT)],
            ("1", number(len(tuned.curve))),
            y + 30,
        )
    parts.append(text(_("Settings that change"), MARGIN, y + 30, 16, most=WIDTH, bold=True))
    y += 30
    for line in settings or [_("none")]:
        y += 21
        parts.append(text(line, MARGIN, y, 14, most=WIDTH - 2 * MARGIN))
    title = _("Fitted rules")
    return title, page(title, counted("{count} match", "{count} matches", tuned.all_matches), parts, y + 20, foot)


def _figures(parts: list[str], tuned: Tuned, y: float) -> float:
    """A row for each way of forecasting; returns where they end."""
    parts.append(text(_("loss"), MIDDLE, y, 13, most=100, fill=SOFT, end=True))
    parts.append(text(_("fitted rules less it"), RIGHT, y, 13, most=160, fill=SOFT, end=True))
    parts.append(box(MARGIN - 10, y + 10, WIDTH - 2 * MARGIN + 20, 30.0 * len(WAYS), CARD, 8))
    for name, way in WAYS.items():
        y += 30
        judged: Compared = getattr(tuned, way)
        parts.append(text(_(name), MARGIN, y, 15, most=MIDDLE - MARGIN - 60, fill=COLOURS[way], bold=way == "fitted"))
        parts.append(text(number(judged.loss.mean, 3), MIDDLE, y, 15, most=100, end=True))
        if way != "fitted":
            against = judged.against_fitted
            fill = UP if against.is_below_zero else DOWN if against.is_above_zero else SOFT
            parts.append(text(interval_in_words(against), RIGHT, y, 15, most=160, fill=fill, end=True))
    return y + 16


def _chart(
    parts: list[str], title: str, lines: Sequence[tuple[Sequence[float], str]], ends: tuple[str, str], y: float
) -> float:
    """Lines over the same places from left to right; returns where the chart ends."""
    parts.append(text(title, MARGIN, y, 16, most=WIDTH - 2 * MARGIN, bold=True))
    values = [value for line, _colour in lines for value in line]
    least, most = min(values), max(values)
    span = (most - least) or 1.0
    top, left = y + 16, MARGIN + 48
    for value, at in ((most, top), (least, top + HIGH)):
        parts.append(text(number(value, 3), left - 8, at + 5, 13, most=48, fill=SOFT, end=True))
        parts.append(rule(at, left))
    for line, colour in lines:
        step = (RIGHT - left) / max(1, len(line) - 1)
        points = [(left + step * n, top + HIGH * (most - value) / span) for n, value in enumerate(line)]
        if len(points) == 1:
            points.append((RIGHT, points[0][1]))
        drawn = " ".join(f"{x:.1f},{at:.1f}" for x, at in points)
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
    for words, at, end in ((ends[0], left, False), (ends[1], RIGHT, True)):
        parts.append(text(words, at, top + HIGH + 20, 13, most=200, fill=SOFT, end=end))
    return top + HIGH + 24
