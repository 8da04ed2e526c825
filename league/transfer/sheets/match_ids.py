"""Ids of matches whose sheet gives them none: the same rows get the same ids whenever they are imported."""

from collections import Counter
from hashlib import sha256

from league.transfer.sheets.cells import Moment, write_moment

LENGTH = 24
"""Characters of the hash."""


class MatchIds:
    """Makes the ids of a sheet's rows, from the first row to the last."""

    def __init__(self) -> None:
        self._rows: Counter[str] = Counter()

    def next_id(self, moment: Moment, sides: tuple[tuple[str, ...], ...]) -> str:
        """The id of the next row: from its day, its time, its sides and how many equal rows came before it.

        Partners may stand in either order.
        """
        row = "\n".join([write_moment(moment), *(" ".join(sorted(side)) for side in sides)])
        hashed = sha256(f"{row}\n{self._rows[row]}".encode()).hexdigest()
        self._rows[row] += 1
        return f"s-{hashed[:LENGTH]}"
