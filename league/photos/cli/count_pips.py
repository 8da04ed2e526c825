"""`league count-pips`: counts the pips of the tiles on a photo."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from league.cli import terminal
from league.cli.terminal import Json
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.infra.decoding import DecodingTask, Undecodable, decode

COUNTER = "league.vision.pip_counter"


def count_pips(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A photo of tiles: JPEG, PNG, WebP or HEIC.")],
    overlay: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Also write the photo, as a JPEG, with each tile marked.")
    ] = None,
    tile_set: Annotated[
        Literal["double-six", "double-nine"] | None, typer.Option("--set", help="The set that the tiles are of.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Count the pips of the tiles on a photo.

    Needs the extra `photos`, but no league. Where the photo does not show the total clearly, the command says so and
    gives none.
    """
    try:
        from league.vision import pip_counter  # noqa: PLC0415  # of the extra `photos`
    except ModuleNotFoundError:
        raise InvalidInput(
            "file", say("to count pips, install the extra: `pip install {package}`", package="'domino-league[photos]'")
        ) from None
    try:
        content = file.read_bytes()
        counted: pip_counter.PipCount = decode(DecodingTask(f"{COUNTER}:count_pips", content, (tile_set,)))
        if overlay is not None:
            overlay.write_bytes(decode(DecodingTask(f"{COUNTER}:overlay", content, (counted,))))
    except pip_counter.BadImage as error:
        raise InvalidInput("file", _FAULTS[type(error).__name__]) from None
    except Undecodable as error:
        raise InvalidInput("file", error.reason) from None
    except OSError as error:
        raise InvalidInput("file", f"{error.filename}: {error.strerror}") from None
    if as_json:
        details = [
            {"tile": [tile.a, tile.b], "confidence": tile.confidence, "outline": [list(at) for at in tile.outline]}
            for tile in counted.tiles
        ]
        terminal.print_json(
            {
                "tiles": [[tile.a, tile.b] for tile in counted.tiles],
                "total": counted.total,
                "confidence": counted.confidence,
                "reason": counted.reason,
                "details": details,
            }
        )
        return
    rows = [(f"{tile.a}-{tile.b}", tile.a + tile.b, f"{tile.confidence:.2f}") for tile in counted.tiles]
    pips, confidence = say("pips"), say("confidence")
    terminal.table(file.name, (say("tile"), pips, confidence), rows, numbers=(pips, confidence))
    if counted.total is None:
        terminal.out.print(_REASONS[counted.reason or "unsure"](), soft_wrap=True)
    else:
        text = say("Total: {total} pips, confidence {confidence}", total=counted.total, confidence=counted.confidence)
        terminal.out.print(text, soft_wrap=True)


_FAULTS = {
    "NotAnImage": say("the file is not a picture: JPEG, PNG, WebP and HEIC can be read"),
    "TruncatedImage": say("the picture is damaged or cut off"),
    "TooManyBytes": say("the file is too large: at most 10 MiB are read"),
    "TooManyPixels": say("the picture has more than 50 million pixels"),
}
"""The message for each error of the counter, by the error's name. The counter itself knows no languages."""
_REASONS = {
    "no_tiles": lambda: say("No total: no tile was found. Count by hand."),
    "unsure": lambda: say("No total: the photo does not show every tile clearly. Count by hand."),
    "cut_by_edge": lambda: say("No total: the edge of the photo cuts a tile. Take another photo, or count by hand."),
    "too_many_pips": lambda: say("No total: a half shows more than nine pips. Count by hand."),
    "not_in_set": lambda: say("No total: a tile appears twice or cannot be there. Count by hand."),
}
