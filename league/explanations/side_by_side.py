"""The same number in two runs: which terms make the difference."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from league.domain.refusals import NotFound
from league.explanations.explanation import Explanation, Setting, Term
from league.projections.reads.snapshot import Snapshot

Key = tuple[str, int | None, str, int]
"""A term's name, side and opponent, and which of those it is."""


class Compared(Struct, frozen=True):
    """A term in both runs; None where one does not have it."""

    name: str
    before: Term | None
    after: Term | None

    @property
    def differs(self) -> bool:
        """Whether the term is another number."""
        return (self.before and self.before.value) != (self.after and self.after.value)

    @property
    def settings(self) -> list[tuple[str, str | None, str | None]]:
        """The settings that the two have otherwise: key, before, after."""
        before, after = _settings(self.before), _settings(self.after)
        return [(key, before.get(key), after.get(key)) for key in before | after if before.get(key) != after.get(key)]


class SideBySide(Struct, frozen=True):
    """What two runs say of a number; None where one does not have it."""

    before: Explanation | None
    after: Explanation | None

    @property
    def terms(self) -> list[Compared]:
        """The terms of both in their order."""
        old, new = dict(_keyed(self.before)), dict(_keyed(self.after))
        return [Compared(key[0], old.get(key), new.get(key)) for key in old | new]


def side_by_side(explain: Callable[[Snapshot], Explanation], before: Snapshot, after: Snapshot) -> SideBySide:
    """Explain a number in two runs. Raises NotFound when neither has it."""
    found: list[Explanation | None] = []
    missing: list[NotFound] = []
    for snapshot in (before, after):
        try:
            found.append(explain(snapshot))
        except NotFound as refusal:
            found.append(None)
            missing.append(refusal)
    if found == [None, None]:
        raise missing[-1]
    return SideBySide(*found)


def _keyed(explained: Explanation | None) -> Iterator[tuple[Key, Term]]:
    seen: dict[tuple[str, int | None, str], int] = {}
    for term in () if explained is None else explained.terms:
        opponent = next((fact.value for fact in term.facts if fact.name == "opponent"), "")
        key = (term.name, term.side, opponent if term.name != "start" else "")
        seen[key] = seen.get(key, 0) + 1
        yield (*key, seen[key]), term


def _settings(term: Term | None) -> dict[str, str]:
    settings: tuple[Setting, ...] = () if term is None else term.settings
    return {setting.key: setting.value for setting in settings}
