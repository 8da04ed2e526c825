"""The options of commands that write a picture to share, as a PNG or as a page of HTML."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from league.cli import terminal
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.pictures.drawing import html, png
from league.wording.language import _, language

Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a page to share to this file; it needs no network."),
]
Png = Annotated[Path | None, typer.Option("--png", metavar="FILE", help="Write a picture to share to this file.")]


class Shared(Struct, frozen=True):
    """The files that were asked for."""

    html: Path | None = None
    png: Path | None = None

    def __bool__(self) -> bool:
        """Whether there is any."""
        return self.html is not None or self.png is not None

    def write(self, title: str, svg: str, *, as_json: bool) -> None:
        """Write the drawing to the files, and say so. Raises InvalidInput for a file that cannot be written."""
        made: tuple[tuple[str, Path | None, Callable[[], bytes]], ...] = (
            ("html", self.html, lambda: html(svg, title, language()).encode()),
            ("png", self.png, lambda: png(svg)),
        )
        for option, file, content in made:
            if file is not None:
                try:
                    file.write_bytes(content())
                except OSError as error:
                    raise InvalidInput(
                        option, say("cannot write {file}: {why}", file=file, why=error.strerror)
                    ) from None
        written = [file for _option, file, _content in made if file is not None]
        if as_json:
            terminal.print_json({"written": list(map(str, written))})
            return
        for file in written:
            terminal.out.print(terminal.shown(_("Written: {file}", file=file)), markup=False, soft_wrap=True)
