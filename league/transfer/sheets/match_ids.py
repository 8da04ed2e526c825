"""Ids of matches whose sheet gives them none: the same rows get the same ids whenever they are imported."""

from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import product

from league.domain.player import Aliases
from league.transfer.sheets.cells import Moment, write_moment

LENGTH = 24
"""Characters of the hash."""

Sides = tuple[tuple[str, ...], ...]


class MatchIds:
    """Makes the ids of a sheet's rows, from the first row to the last."""

    def __init__(self, aliases: Aliases, is_stored: Callable[[str], bool]) -> None:
        """`aliases`: the ids that are read as other ones; `is_stored`: whether the league has a match of this id."""
        self._aliases, self._is_stored = aliases, is_stored
        self._rows: Counter[str] = Counter()
        self._ids: dict[str, list[str]] = {}
        """By the ids as which players are read, all their ids."""
        for dropped, player in sorted(aliases.items()):
            self._ids.setdefault(player, [player]).append(dropped)

    def next_id(self, moment: Moment, sides: Sides) -> str:
        """The id of the next row: from its day, its time, its sides and how many equal rows came before it.

        Partners may stand in either order. A row of a merged player that was imported under another id of theirs keeps
        the id that it got then.
        """
        own, *others = (_row(moment, each) for each in self._under_all_ids(sides))
        found = own
        if others:
            found = next((row for row in (own, *others) if self._is_stored(self._next_of(row))), own)
        id_ = self._next_of(found)
        self._rows[found] += 1
        return id_

    def _next_of(self, row: str) -> str:
        hashed = sha256(f"{row}\n{self._rows[row]}".encode()).hexdigest()
        return f"s-{hashed[:LENGTH]}"

    def _under_all_ids(self, sides: Sides) -> Iterator[Sides]:
        """These sides first, then the same players under their other ids."""
        yield sides
        players = [player for side in sides for player in side]
        for ids in product(*(self._ids.get(self._aliases.get(one, one), [one]) for one in players)):
            if list(ids) != players:
                seated = iter(ids)
                yield tuple(tuple(next(seated) for _ in side) for side in sides)


def _row(moment: Moment, sides: Sides) -> str:
    return "\n".join([write_moment(moment), *(" ".join(sorted(side)) for side in sides)])
