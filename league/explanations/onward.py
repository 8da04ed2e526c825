"""From an explanation onward: to what a term rests on, back to the deal, and to the same number in another run."""

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import column

from league.domain.refusals import NotFound
from league.domain.rules import Rulebook
from league.domain.seating import CompetitorId, subject_of
from league.domain.series import bounds
from league.explanations.explanation import Basis, Explanation, Term, setting_at
from league.explanations.hands import explain_hand
from league.explanations.places import explain_standing
from league.explanations.rating_changes import explain_change
from league.projections import tables as t
from league.projections.difference.ratings import DIVERGENCES, DivergenceRow, divergences
from league.projections.difference.two_runs import two_runs
from league.projections.queries.pages import typed
from league.projections.queries.series import ModeMonth
from league.projections.queries.snapshot import Snapshot, read_rulebook


def explain_basis(snapshot: Snapshot, basis: Basis) -> Explanation | None:
    """Explain a basis: the points of a hand, the latest change of a rating, or the standing of a month.

    None for a match as a whole, which `explain_match` explains.
    """
    if basis.match is not None and basis.hand is not None:
        return explain_hand(snapshot, basis.match, basis.hand)
    if basis.competitor is None:
        return None
    if basis.match is not None:
        return explain_change(snapshot, basis.match, basis.competitor)
    assert basis.month is not None, "a standing is that of a month"
    assert basis.mode is not None, "a standing is that of a mode"
    month = ModeMonth(basis.mode, basis.month, *bounds(basis.month, ZoneInfo(snapshot.zone)))
    return explain_standing(snapshot, month, basis.competitor)


Key = tuple[str, int | None, str, int]
"""A term's name, its side, its opponent or month, and its number among terms that share the other three."""


class TermComparison(Struct, frozen=True):
    """A term or a condition in two runs. `before` or `after` is None if that run lacks it."""

    name: str
    before: Term | None
    after: Term | None
    share: float | None = None
    """What the term contributes to the difference; None for a condition, or if there is no difference to share."""
    settings: tuple[tuple[str, str | None, str | None], ...] = ()
    """The settings of the term's rule that differ between the editions, as (key, before, after). None means not set."""

    @property
    def differs(self) -> bool:
        """Whether the values differ, or only one run has the term."""
        return (self.before and self.before.value) != (self.after and self.after.value)


class SideBySide(Struct, frozen=True):
    """The explanations of one number in two runs; None for a run that lacks the number."""

    before: Explanation | None
    after: Explanation | None
    editions: tuple[Rulebook, Rulebook] | None
    """The editions under which the two were computed; None if a run lacks the number."""

    @property
    def total(self) -> float | None:
        """The number after minus the number before; None if a run has none, or has one for each side."""
        if self.before is None or self.after is None or self.before.value is None or self.after.value is None:
            return None
        return self.after.value - self.before.value

    @property
    def terms(self) -> list[TermComparison]:
        """The terms of both in their order, then the conditions.

        To find the shares, the terms of the first run are replaced by those of the second, one at a time and in the
        order of the explanation. A term's share is what its replacement does to the number. So the shares add up to
        the total exactly, but a share may depend on the replacements before it. A hand and a match have a number for
        each side; there a term's share is its own difference.
        """
        old, new = _keyed(self.before, "terms"), _keyed(self.after, "terms")
        shares = self._shares(old, new)
        compared = [self._compared(key, old, new, shares.get(key)) for key in _merged(old, new)]
        held, holds = _keyed(self.before, "conditions"), _keyed(self.after, "conditions")
        return compared + [self._compared(key, held, holds, None) for key in _merged(held, holds)]

    def _compared(self, key: Key, old: dict[Key, Term], new: dict[Key, Term], share: float | None) -> TermComparison:
        before, after = old.get(key), new.get(key)
        keys = dict.fromkeys(setting.key for term in (before, after) if term for setting in term.settings)
        settings = []
        if self.editions is not None:
            # Even if only one run has the term: the other edition may have the setting, too.
            first, second = self.editions
            both = [(name, setting_at(first, name), setting_at(second, name)) for name in keys]
            settings = [(name, then, now) for name, then, now in both if then != now]
        return TermComparison(key[0], before, after, share, tuple(settings))

    def _shares(self, old: dict[Key, Term], new: dict[Key, Term]) -> dict[Key, float]:
        keys, shares = _merged(old, new), {}
        if self.before is None or self.after is None:
            return {}
        if self.before.kind in ("hand", "match"):
            return {key: _value(new.get(key)) - _value(old.get(key)) for key in keys}
        if self.total is None:
            return {}
        current, number = dict(old), self.before.value
        for key in keys:
            if key in new:
                current[key] = new[key]
            else:
                del current[key]
            then = number_of(self.before, [current[each] for each in keys if each in current])
            assert number is not None, "there is a total"
            shares[key], number = then - number, then
        return shares


def number_of(explained: Explanation, terms: Sequence[Term]) -> float:
    """The number that the formula makes of these terms, computed in the same order as the original number."""
    value = {term.name: term.value for term in terms}
    if explained.kind == "rating_change":
        m = float(sum((Decimal(str(term.value)) for term in terms if term.unit == "M"), Decimal(0)))
        return value["before"] + value["k"] * ((value["outcome"] + m) - value["expected"])
    if {"capicuas", "hands_won"} <= set(value):
        return value["capicuas"] / value["hands_won"]
    return sum(term.value for term in terms)


def side_by_side(explain: Callable[[Snapshot], Explanation], before: Snapshot, after: Snapshot) -> SideBySide:
    """Explain a number in two runs. Raises NotFound if neither has it."""
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
    first, second = found
    editions = None
    if first is not None and second is not None:
        editions = (read_rulebook(before, first.edition), read_rulebook(after, second.edition))
    return SideBySide(first, second, editions)


def _merged(old: dict[Key, Term], new: dict[Key, Term]) -> list[Key]:
    """The keys of both in order. A key that only the second has comes after its predecessor there."""
    merged = list(old)
    at = 0
    for key in new:
        if key not in old:
            merged.insert(at, key)
        at = merged.index(key) + 1
    return merged


def _keyed(explained: Explanation | None, which: str) -> dict[Key, Term]:
    return {} if explained is None else dict(_with_keys(getattr(explained, which)))


def _with_keys(terms: Sequence[Term]) -> Iterator[tuple[Key, Term]]:
    seen: dict[tuple[str, int | None, str], int] = {}
    for term in terms:
        of = next((fact.value for fact in term.facts if fact.name == "opponent"), "")
        if term.name == "month":
            of = str(term.because[0].month)
        key = (term.name, term.side, of if term.name != "start" else "")
        seen[key] = seen.get(key, 0) + 1
        yield (*key, seen[key]), term


def _value(term: Term | None) -> float:
    return 0.0 if term is None else term.value


def first_divergence(found: SideBySide, before: Snapshot, after: Snapshot) -> DivergenceRow | None:
    """The first row of `divergences` among the ratings that a number is based on.

    None if it is based on none, or if no term differs. It reads a whole career, so its cost grows with the career.
    """
    explained = found.after or found.before
    if explained is None or not explained.rated_in or not any(term.differs for term in found.terms):
        return None
    two = two_runs(after.conn, before.run, after.run)
    mode = explained.rated_in[0] if len(explained.rated_in) == 1 else None
    subject = subject_of(CompetitorId(explained.subject or ""))
    theirs = divergences(two, mode=mode, subject=subject).where(column("id", t.Id) == explained.subject)
    rows = after.conn.execute(theirs.order_by(*DIVERGENCES.usual.columns).limit(1))
    return next(typed(DivergenceRow, rows), None)
