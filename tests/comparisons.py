"""Text that counts how often it is compared, for tests of how much work a program does."""

from __future__ import annotations


class Compared(str):
    """Text that counts the comparisons of all texts of its kind."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        Compared.comparisons += 1
        return super().__eq__(other)

    __hash__ = str.__hash__
