"""The report of `league tune`: three sentences for an organiser, figures, and two curves; printed, drawn or written."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import msgspec

from league.cli import terminal
from league.cli.board import ShareFiles
from league.domain.refusals import InvalidInput
from league.domain.sentences import joined, say, say_count
from league.domain.verdict import MeanInterval
from league.lab.fitting import TuningResult
from league.lab.forecasts import JudgedForecasts, coin
from league.pictures.drawing import CARD, DOWN, FELT, HEADER, INK, MARGIN, SOFT, UP, WIDTH, box, page, rule, text
from league.wording.forecast_verdict import in_words, interval_in_words, verdict_sentence
from league.wording.language import spoken
from league.wording.numbers import number

DIGITS = 3
WAYS = {
    say("the fitted rules"): "fitted",
    say("the rules in force"): "in_force",
    say("the shipped rules"): "shipped",
    say("plain Elo with one K"): "plain_elo",
    say("a coin"): "coin",
}
"""The ways of forecasting that are compared, each with its field of `TuningResult`."""

LETTERS = 62
"""Letters per line of a sentence in the picture."""
HIGH = 150
"""Height of a chart in the picture."""
MIDDLE, RIGHT = WIDTH - 170, WIDTH - MARGIN
COLOURS = {"shipped": "#7c5aa6", "in_force": INK, "plain_elo": "#9a6b15", "coin": SOFT, "fitted": FELT}
"""Colour of each way of forecasting, in the order in which they are drawn; later ones cover earlier ones."""


def report(
    tuned: TuningResult, document: str, out: Path | None, shared: ShareFiles, foot: tuple[str, str], *, as_json: bool
) -> None:
    """Print the result of a search, and write the files. Raises InvalidInput if a file cannot be written."""
    if out is not None:
        try:
            out.write_text(document, encoding="utf-8")
        except OSError as error:
            raise InvalidInput("out", say("cannot write {file}: {why}", file=out, why=error.strerror)) from None
    if as_json:
        terminal.print_json(_as_json(tuned, document))
    else:
        _print(tuned, document, out)
    if shared:
        title, svg = tuned_picture(tuned, document.splitlines(), foot)
        shared.write(title, svg, as_json=False)


def _print(tuned: TuningResult, document: str, out: Path | None) -> None:
    if tuned.is_interrupted:
        terminal.err.print(f"[yellow]{spoken(say('Interrupted: this is the best so far.'))}[/]")
    words = in_words(tuned.verdict)
    what_was_done, verdict, against_coin = sentences(tuned)
    for sentence in (what_was_done, joined(" ", (verdict, words.meaning)), words.basis, against_coin):
        terminal.out.print(terminal.shown(sentence), markup=False)
    terminal.out.print()
    rows = []
    for name, way in WAYS.items():
        judged = getattr(tuned, way)
        against = "" if judged is tuned.fitted else _interval(judged.against_fitted)
        rows.append((say(name), number(judged.loss.mean, 4), _interval(judged.loss), against))
    numbers = ("loss", "interval", "fitted rules less it")
    terminal.table(say("The held-out months"), ("", "loss", "interval", "fitted rules less it"), rows, numbers)
    drift = number(tuned.drift, 1)
    terminal.out.print(
        say(
            "Over the whole history the mean rating moves by {drift} points, and a match moves a rating by {change} at"
            " most.",
            drift=drift,
            change=number(tuned.largest_change, 1),
        )
    )
    if not document:
        terminal.out.print(say("No setting changes."))
        return
    terminal.out.print(document, markup=False)
    file = "rules.toml" if out is None else str(out)
    terminal.out.print(say("Try them in a replay: `{command}`", command=f"league replay --rules {file}"))


def _as_json(tuned: TuningResult, document: str) -> dict[str, Any]:
    """The whole result as JSON, with names in the style of the other commands."""
    said: dict[str, Any] = {
        "document": document,
        "interrupted": tuned.is_interrupted,
        "objective": tuned.wanted.objective,
        "seed": tuned.wanted.seed,
        "tried": tuned.tried,
        "held_out": {"months": tuned.months, "matches": tuned.verdict.matches, "days": tuned.verdict.days},
        "matches": tuned.all_matches,
        "drift": tuned.drift,
        "largest_change": tuned.largest_change,
        "chosen": [{setting: float(value) for setting, value in each.items()} for each in tuned.chosen],
        "sentences": sentences(tuned),
        "verdict": msgspec.to_builtins(tuned.verdict),
    }
    return said | {way: msgspec.to_builtins(getattr(tuned, way)) for way in WAYS.values()}


def sentences(tuned: TuningResult) -> tuple[str, str, str]:
    """Three sentences: what was done, the verdict on the fitted rules against those in force, and against a coin."""
    return _what_was_done(tuned), verdict_sentence(tuned.verdict), _against_coin(tuned)


def _what_was_done(tuned: TuningResult) -> str:
    return say(
        "The search tried {tried} settings and was judged on {matches} matches of {months}, which it had not seen.",
        tried=tuned.tried,
        matches=tuned.verdict.matches,
        months=", ".join(tuned.months),
    )


def _against_coin(tuned: TuningResult) -> str:
    against, loss = tuned.coin.against_fitted, _digits(coin(tuned.wanted.objective))
    if against.is_below_zero:
        return say("They also do better than a coin ({loss}): ratings say something about who wins.", loss=loss)
    return say(
        "They do no better than a coin ({loss}): in these results the search found nothing that tells who wins.",
        loss=loss,
    )


def _interval(interval: MeanInterval) -> str:
    return interval_in_words(interval, DIGITS)


def _digits(value: float) -> str:
    return number(value, DIGITS)


def tuned_picture(tuned: TuningResult, settings: Sequence[str], foot: tuple[str, str]) -> tuple[str, str]:
    """The title and the drawing. `settings`: what changes, a line each; `foot`: the league's name and the date."""
    parts: list[str] = []
    y = HEADER + 36.0
    for sentence in sentences(tuned):
        for line in wrap(spoken(sentence), LETTERS):
            parts.append(text(line, MARGIN, y, 16, most=WIDTH - 2 * MARGIN))
            y += 22
        y += 8
    y = _figures(parts, tuned, y + 14)
    y = _chart(
        parts,
        say("Loss in the months that were held out"),
        [(getattr(tuned, way).by_month, colour) for way, colour in COLOURS.items()],
        (tuned.months[0], tuned.months[-1]),
        y + 30,
    )
    if tuned.curve:
        level = [coin(tuned.wanted.objective)] * len(tuned.curve)
        y = _chart(
            parts,
            say("The best loss so far of the search over all matches"),
            [(level, SOFT), (tuned.curve, FELT)],
            ("1", number(len(tuned.curve))),
            y + 30,
        )
    parts.append(text(say("Settings that change"), MARGIN, y + 30, 16, most=WIDTH, bold=True))
    y += 30
    for line in settings or [say("none")]:
        y += 21
        parts.append(text(line, MARGIN, y, 14, most=WIDTH - 2 * MARGIN))
    title = say("Fitted rules")
    return title, page(title, say_count("{count} match", "{count} matches", tuned.all_matches), parts, y + 20, foot)


def _figures(parts: list[str], tuned: TuningResult, y: float) -> float:
    """A row for each way of forecasting; returns where they end."""
    parts.append(text(say("loss"), MIDDLE, y, 13, most=100, fill=SOFT, end=True))
    parts.append(text(say("fitted rules less it"), RIGHT, y, 13, most=160, fill=SOFT, end=True))
    parts.append(box(MARGIN - 10, y + 10, WIDTH - 2 * MARGIN + 20, 30.0 * len(WAYS), CARD, 8))
    for name, way in WAYS.items():
        y += 30
        judged: JudgedForecasts = getattr(tuned, way)
        parts.append(text(say(name), MARGIN, y, 15, most=MIDDLE - MARGIN - 60, fill=COLOURS[way], bold=way == "fitted"))
        parts.append(text(number(judged.loss.mean, 3), MIDDLE, y, 15, most=100, end=True))
        if way != "fitted":
            against = judged.against_fitted
            fill = UP if against.is_below_zero else DOWN if against.is_above_zero else SOFT
            parts.append(text(_interval(against), RIGHT, y, 15, most=160, fill=fill, end=True))
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
