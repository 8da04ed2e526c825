"""Options and arguments that several commands share."""

from contextlib import suppress
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated

import typer

FIRST, AROUND = 20, 5
"""The places that a board prints: from its top, and on either side of `--around`."""

TIMES = "Times without an offset are in the league's time zone; a date alone begins at midnight."
"""How `moment` and `league.cli.opening.in_utc` read times."""


def moment(text: str) -> datetime:
    """A time as entered; without an offset it has no zone yet, and a date alone is midnight."""
    with suppress(ValueError):
        return datetime.combine(date.fromisoformat(text), time.min)
    with suppress(ValueError, OverflowError):
        read = datetime.fromisoformat(text)
        return read if read.tzinfo is None else read.astimezone(UTC)
    example = "2026-03-01, 2026-03-01T14:30 or 2026-03-01T14:30-05:00"
    raise typer.BadParameter(f"{text!r} is not a time; write it as {example}.")


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]

Actor = Annotated[
    str, typer.Option(help="The name that the log records as the author. It is not checked.", envvar="LEAGUE_ACTOR")
]

Run = Annotated[
    int | None, typer.Option(help="Read the run of the replay with this number (default: the official run).")
]

RunArgument = Annotated[
    int, typer.Argument(metavar="RUN", help="The number of the replay, as `league replays` lists it.")
]

KnownAt = Annotated[
    datetime | None,
    typer.Option("--known-at", parser=moment, metavar="TIME", help=f"Use only what was recorded by then. {TIMES}"),
]

AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", parser=moment, metavar="TIME", help=f"The state at this time of play. {TIMES}"),
]

Region = Annotated[str | None, typer.Option(help="Only this region.")]

Around = Annotated[
    str | None,
    typer.Option(
        metavar="PLAYER",
        help="The places around a player or a pair (an id or a name; the two of a pair joined by +).",
    ),
]

First = Annotated[
    int | None,
    typer.Option(
        help=f"How many places to print (default: {FIRST}); with --around, on either side (default: {AROUND}).",
        min=1,
    ),
]

OnePlayer = Annotated[str, typer.Argument(metavar="PLAYER", help="An id or a name.")]

OnlyPreview = Annotated[bool, typer.Option("--preview", help="Only print what would change; store nothing.")]

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]

Heads = Annotated[
    list[Path] | None,
    typer.Option("--heads", metavar="FILE", help="Signed heads that you kept outside the league. Repeatable."),
]

SignedBy = Annotated[
    list[Path] | None,
    typer.Option(
        "--public-key",
        metavar="FILE",
        help="Use a head signed by this key (default: the league's own key). Repeatable.",
    ),
]

ProofFile = Annotated[Path, typer.Option("--out", metavar="FILE", help="Write the proof to this file.")]
