"""Where a row that the league has already says something else than the league.

An empty cell says nothing: a sheet may leave out what the league knows.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from league.domain.player import Aliases, canonical
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.transfer.sheets.cells import Moment
from league.transfer.sheets.columns import HANDS, MATCHES
from league.transfer.sheets.rows import Row
from league.transfer.sheets.sheet_rows import WrittenMatch
from league.transfer.sheets.stored_rows import StoredMatch, Values

COLUMNS = {column.name: column for column in (*MATCHES, *HANDS)}
PLAYERS = ("starts", "closed by")
"""Columns of one player."""
Name = Callable[[str], str]
"""What a sheet calls the player of an id."""


class Difference(Struct, frozen=True):
    """A cell that says something else than the league has."""

    row: Row
    column: str
    refusal: InvalidInput
    of_hand: bool = False


def differences(match: WrittenMatch, stored: StoredMatch, name: Name, aliases: Aliases) -> Iterator[Difference]:
    """The cells of a match and its hands that say something else; what is stored has ids as which players are read."""
    for column, refusal in _differences(_read_as(match.row.values, aliases), stored.match, name):
        yield Difference(match.row, column, refusal)
    if match.hands and len(match.hands) != len(stored.hands):
        reason = say(
            "{stored} hands of this match are stored, {written} are written",
            stored=len(stored.hands), written=len(match.hands),
        )  # fmt: skip
        yield Difference(match.hands[-1], "hand", InvalidInput("hand", reason), of_hand=True)
    for row, values in zip(match.hands, stored.hands, strict=False):
        for column, refusal in _differences(_read_as(row.values, aliases), values, name):
            yield Difference(row, column, refusal, of_hand=True)


def _differences(written: Values, stored: Values, name: Name) -> Iterator[tuple[str, InvalidInput]]:
    for column, value in written.items():
        if column != "match" and not _same(value, stored.get(column)):
            reason = say(
                "{stored} is stored, {written} is written",
                stored=_shown(column, stored.get(column), name), written=_shown(column, value, name),
            )  # fmt: skip
            yield column, InvalidInput(column, reason)


def _read_as(values: Values, aliases: Aliases) -> Values:
    """A row with the ids as which its players are read."""
    sides = {column: canonical(players, aliases) for column, players in values.items() if column.startswith("side ")}
    players = {column: aliases.get(values[column], values[column]) for column in PLAYERS if column in values}
    return values | sides | players


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
    if column in PLAYERS:
        return name(value)
    return str(COLUMNS[column].write(value))
