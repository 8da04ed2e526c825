"""Where a row that the league has already says something else than the league.

An empty cell says nothing: a sheet may leave out what the league knows.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.transfer.sheets.cells import Moment
from league.transfer.sheets.columns import HANDS, MATCHES
from league.transfer.sheets.rows import Row
from league.transfer.sheets.sheet_rows import WrittenMatch
from league.transfer.sheets.stored_rows import StoredMatch, Values

COLUMNS = {column.name: column for column in (*MATCHES, *HANDS)}
Name = Callable[[str], str]
"""What a sheet calls the player of an id."""


class Difference(Struct, frozen=True):
    """A cell that says something else than the league has."""

    row: Row
    column: str
    refusal: InvalidInput
    of_hand: bool = False


def differences(match: WrittenMatch, stored: StoredMatch, name: Name) -> Iterator[Difference]:
    """The cells of a match and its hands that say something else."""
    for column, refusal in _differences(match.row.values, stored.match, name):
        yield Difference(match.row, column, refusal)
    if match.hands and len(match.hands) != len(stored.hands):
        reason = say(
            "{stored} hands of this match are stored, {written} are written",
            stored=len(stored.hands), written=len(match.hands),
        )  # fmt: skip
        yield Difference(match.hands[-1], "hand", InvalidInput("hand", reason), of_hand=True)
    for row, values in zip(match.hands, stored.hands, strict=False):
        for column, refusal in _differences(row.values, values, name):
            yield Difference(row, column, refusal, of_hand=True)


def _differences(written: Values, stored: Values, name: Name) -> Iterator[tuple[str, InvalidInput]]:
    for column, value in written.items():
        if column != "match" and not _same(value, stored.get(column)):
            reason = say(
                "{stored} is stored, {written} is written",
                stored=_shown(column, stored.get(column), name), written=_shown(column, value, name),
            )  # fmt: skip
            yield column, InvalidInput(column, reason)


def _same(written: Any, stored: Any) -> bool:
    if isinstance(written, Moment) and isinstance(stored, Moment):
        return written.day == stored.day if written.clock is None else written == stored
    if isinstance(written, tuple) and isinstance(stored, tuple):
        return sorted(written) == sorted(stored)  # partners, or the halves of a tile, in either order
    return bool(written == stored)


def _shown(column: str, value: Any, name: Name) -> str:
    if value is None:
        return say("nothing")
    if column.startswith("side "):
        return " / ".join(map(name, value))
    if column in ("starts", "closed by"):
        return name(value)
    return str(COLUMNS[column].write(value))
