"""What `league tune` prints and writes."""

from pathlib import Path
from typing import Any

import msgspec

from league.cli import terminal
from league.cli.sharing import Shared
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.lab.tuning.picture import tuned_picture
from league.lab.tuning.sentences import WAYS, interval_in_words, sentences
from league.lab.tuning.walk import Tuned
from league.wording.language import _
from league.wording.numbers import number


def report(
    tuned: Tuned, document: str, out: Path | None, shared: Shared, foot: tuple[str, str], *, as_json: bool
) -> None:
    """Write the files, and print what the search comes to. Raises InvalidInput for a file that cannot be written."""
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


def _print(tuned: Tuned, document: str, out: Path | None) -> None:
    if tuned.is_interrupted:
        terminal.err.print(f"[yellow]{_('Interrupted: this is the best so far.')}[/]")
    for sentence in sentences(tuned):
        terminal.out.print(terminal.shown(sentence), markup=False)
    terminal.out.print()
    rows = []
    for name, way in WAYS.items():
        judged = getattr(tuned, way)
        against = "" if judged is tuned.fitted else interval_in_words(judged.against_fitted)
        rows.append((_(name), number(judged.loss.mean, 4), interval_in_words(judged.loss), against))
    numbers = ("loss", "interval", "fitted rules less it")
    terminal.table(_("The held-out months"), ("", "loss", "interval", "fitted rules less it"), rows, numbers)
    drift = number(tuned.drift, 1)
    terminal.out.print(
        _(
            "Over the whole history the mean rating moves by {drift} points, and a match moves a rating by {change} at"
            " most.",
            drift=drift,
            change=number(tuned.largest_change, 1),
        )
    )
    if not document:
        terminal.out.print(_("No setting changes."))
        return
    terminal.out.print(document, markup=False)
    file = "rules.toml" if out is None else str(out)
    terminal.out.print(_("Try them in a replay: `{command}`", command=f"league replay --rules {file}"))


def _as_json(tuned: Tuned, document: str) -> dict[str, Any]:
    """Everything, with names in the form of the other commands."""
    said: dict[str, Any] = {
        "document": document,
        "interrupted": tuned.is_interrupted,
        "objective": tuned.wanted.objective,
        "seed": tuned.wanted.seed,
        "tried": tuned.tried,
        "held_out": {"months": tuned.months, "matches": tuned.matches, "days": tuned.days},
        "matches": tuned.all_matches,
        "drift": tuned.drift,
        "largest_change": tuned.largest_change,
        "chosen": [{setting: float(value) for setting, value in each.items()} for each in tuned.chosen],
        "sentences": sentences(tuned),
    }
    return said | {way: msgspec.to_builtins(getattr(tuned, way)) for way in WAYS.values()}
