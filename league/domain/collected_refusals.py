"""Refusals that name every fault of an input, a rulebook, a recorded season or a club's sheet."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import tzinfo

from league.domain.refusals import Refusal, shortened
from league.domain.sentences import say, say_count

MOST_NAMED = 10
"""Limit on the faults that one message names; it counts the others."""


@dataclass(frozen=True)
class RulebookFault:
    """One fault of a document: the dotted path of the key and what is wrong with it."""

    at: str
    reason: str


class InvalidRulebook(Refusal, code="INVALID_RULEBOOK"):
    """A rulebook with unknown keys, wrong types or impossible values."""

    problems: tuple[RulebookFault, ...]
    given_as: str = "document"
    """The field of the input that has the rulebook as a text; the keys of `problems` are paths within that text."""

    @property
    def field(self) -> str | None:
        return self.problems[0].at

    def said(self, by: Callable[[str], str]) -> str:
        """The message: the first faults, and the number of the others."""
        first, *others = self.problems
        named = [by(first.reason), *(f"{problem.at}: {by(problem.reason)}" for problem in others[: MOST_NAMED - 1])]
        return _listed(named, len(self.problems), by)


class Faults(Refusal, code="INVALID"):
    """Several refusals of one input, in its order."""

    refusals: tuple[Refusal, ...]

    @staticmethod
    def check(refusals: Iterable[Refusal]) -> None:
        """Raise the refusals found, several as one; return if there are none."""
        found = tuple(refusals)
        if len(found) > 1:
            raise Faults(found)
        for refusal in found:
            raise refusal

    @staticmethod
    def found_by(*checks: Callable[[], object]) -> "Iterator[Refusal]":
        """The refusals that these checks raise. Every check runs, whatever the others find."""
        for check in checks:
            try:
                check()
            except Refusal as refusal:
                yield from Faults.of(refusal)

    @staticmethod
    def of(refusal: Refusal) -> "tuple[Refusal, ...]":
        """The refusals that a refusal consists of, usually one."""
        return refusal.refusals if isinstance(refusal, Faults) else (refusal,)

    @property
    def field(self) -> str | None:
        return self.refusals[0].field

    def tell_times(self, zone: tzinfo) -> None:
        """Say the times of all refusals in a time zone."""
        for refusal in self.refusals:
            refusal.tell_times(zone)

    def said(self, by: Callable[[str], str]) -> str:
        """The message: the first refusals, and the number of the others."""
        first, *others = self.refusals
        named = [first.said(by), *(other.line(by) for other in others[: MOST_NAMED - 1])]
        return _listed(named, len(self.refusals), by)


@dataclass(eq=True)
class BadLine:
    """One fault of a line of a recorded season. A line with several faults has several of these."""

    file: str
    line: int
    refusal: Refusal

    def said(self, by: Callable[[str], str]) -> str:
        """The place and the fault, translated by `by`."""
        return by(say("{file} line {line}: {fault}", file=self.file, line=self.line, fault=self.refusal.line(by)))

    def __str__(self) -> str:
        return self.said(str)


class SeasonRefused(Refusal, code="SEASON_REFUSED"):
    """A recorded season with bad lines. Nothing of it was stored."""

    lines: tuple[BadLine, ...]
    """Every fault of every line."""

    def said(self, by: Callable[[str], str]) -> str:
        """The message: the first fault, and the number of the others."""
        first, *others = self.lines
        if not others:
            return first.said(by)
        return by(
            say_count(
                "{first} (and {count} more fault)",
                "{first} (and {count} more faults)",
                len(others),
                first=first.said(by),
            )
        )


@dataclass(eq=True)
class BadCell:
    """A fault of a cell, of a row, or of a sheet as a whole."""

    sheet: str
    row: int | None
    """The number that a spreadsheet shows, from 1."""
    column: str | None
    """The letters of the column, such as `C`."""
    heading: str | None
    """The heading of the column."""
    refusal: Refusal

    @property
    def place(self) -> str:
        """The place in the sheet, such as `C7`; only the row or the column if the other is not known."""
        return f"{self.column or ''}{self.row or ''}"

    def said(self, by: Callable[[str], str]) -> str:
        """The place and the reason, translated by `by`."""
        reason = self.refusal.said(by)
        place = f"{self.sheet} {self.place}".strip()
        if self.heading is None:
            return f"{place}: {reason}"
        return f"{place} ({self.heading}): {reason}"

    def __str__(self) -> str:
        return self.said(str)


class SheetRefused(Refusal, code="SHEET_REFUSED"):
    """A club's sheet with faults. Nothing of it was stored."""

    cells: tuple[BadCell, ...]
    """The first faults, in the order of the sheet."""
    count: int = 1
    """The number of all faults."""

    def said(self, by: Callable[[str], str]) -> str:
        """The message: the first fault, and the number of the others."""
        first, more = self.cells[0].said(by), self.count - 1
        if not more:
            return first
        return by(say_count("{first} (and {count} more fault)", "{first} (and {count} more faults)", more, first=first))


def _listed(named: list[str], count: int, by: Callable[[str], str]) -> str:
    """One message for `count` faults, of which it names some."""
    tail = [by(say("and {count} more", count=count - len(named)))] if len(named) < count else []
    return "; ".join([*map(shortened, named), *tail])
