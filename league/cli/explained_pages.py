"""Prints an explanation: each term with its rule, its facts, and the command that explains it further."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from league.cli import terminal
from league.explanations.explanation import Basis, Correction, Explanation, Fact, Term
from league.explanations.onward import Compared, SideBySide
from league.projections.difference.ratings import DivergenceRow, terms_of
from league.projections.queries.catalogue import editions_by_hash
from league.projections.queries.log import LogEntry
from league.projections.queries.players import names_of
from league.projections.queries.snapshot import Snapshot
from league.wording.explanations import words
from league.wording.facts import (
    Table,
    change_in_words,
    clause_in_words,
    fact_in_words,
    label_of,
    rule_in_words,
    seats_of,
    unit_in_words,
)
from league.wording.language import _
from league.wording.numbers import figure, rating

MOST_COMMANDS = 4
"""How many bases and commands are listed below a term."""
INDENT = " " * 11

Names = Mapping[str, str]


def print_page(snapshot: Snapshot, explained: Explanation, *, of_run: bool) -> None:
    """All of an explanation; `of_run`: the commands for further explanation name the run."""
    print_explanation(snapshot, explained, of_run=of_run)
    table = _table(snapshot, explained)
    rows = [(said.label, said.value) for said in (fact_in_words(fact, table) for fact in explained.facts)]
    terminal.out.print()
    terminal.table(_("Facts"), ("", ""), rows)
    _print_events(explained.events)


def print_explanation(snapshot: Snapshot, explained: Explanation, *, of_run: bool = False) -> None:
    """The subject of an explanation, every term with its rule and its basis, and the corrections."""
    table = _table(snapshot, explained)
    terminal.out.print(words(explained.statement, table.names), style="bold", markup=False)
    terminal.out.print(
        _("{formula}; under {edition}\n", formula=words(explained.formula), edition=_edition(snapshot, explained)),
        markup=False,
    )
    # The terms of a hand are based on the hand itself, which this explanation is about.
    suffix = None if explained.kind == "hand" else f" --run {snapshot.run}" if of_run else ""
    for term in explained.terms:
        _print_term(term, table, suffix)
    if explained.conditions:
        _line(_("beside the number:"))
    for condition in explained.conditions:
        _print_term(condition, table, suffix)
    if explained.not_judged:
        rules = "; ".join(map(rule_in_words, explained.not_judged))
        _line(_("not judged, because a fact is unknown: {not_judged}", not_judged=rules))
    for correction in explained.corrections:
        _print_correction(correction, table)


def _table(snapshot: Snapshot, explained: Explanation) -> Table:
    """Where the facts of an explanation were observed."""
    names = names_of(snapshot.conn, _ids(explained))
    return Table(names, seats_of(explained.facts), ZoneInfo(snapshot.zone))


def print_side_by_side(runs: tuple[Snapshot, Snapshot], found: SideBySide, first: DivergenceRow | None) -> None:
    """The number in both runs, the difference, the share of each term in it, and where the ratings first diverged."""
    conn, both = runs[1].conn, tuple(zip(runs, (found.before, found.after), strict=True))
    ids = {id_ for _, explained in both if explained is not None for id_ in _ids(explained)}
    names = names_of(conn, ids)
    for snapshot, explained in both:
        if explained is None:
            said = _("run {run}: not there", run=snapshot.run)
        else:
            said = _(
                "run {run}, under {edition}: {statement}",
                run=snapshot.run,
                edition=_edition(snapshot, explained),
                statement=words(explained.statement, names),
            )
        terminal.out.print(said, markup=False)
    terminal.out.print()
    if found.total is not None:
        _line(_("The difference is {total}; the shares of the terms add up to it.", total=_signed(found.total)))
    if first is not None:
        _line(_diverges(runs, first, names))
    terminal.out.print()
    titles = (*(_("run {run}", run=snapshot.run) for snapshot in runs), _("share"))
    shown = [(*_named(row, names), _value(row.before), _value(row.after), _signed(row.share), _why(row, titles))
             for row in found.terms]  # fmt: skip
    terminal.table(_("Term by term"), ("term", "of", *titles, "why"), shown, numbers=titles)


# ---------------------------------------------------------------- terms


def _print_term(term: Term, table: Table, suffix: str | None) -> None:
    """A term; `suffix`: the end of the commands for further explanation; None: no commands."""
    whose = "" if term.of is None else f"  [{table.named(term.of)}]"
    _line(f"{_value(term):>10} {unit_in_words(term.unit)}  {label_of(term.name)}: {words(term.text)}{whose}")
    clause = clause_in_words(term.clause)
    rule = [part for part in (clause, *(f"{setting.key} = {setting.value}" for setting in term.settings)) if part]
    if rule:
        _line(INDENT + _("by {rule}", rule="; ".join(rule)))
    if term.facts:
        said = (fact_in_words(fact, table) for fact in term.facts)
        _line(INDENT + _("as {facts}", facts="; ".join(f"{one.label}: {one.value}" for one in said)))
    if term.because:
        bases = ", ".join(dict.fromkeys(_basis(basis, table.names) for basis in term.because))
        if term.left_out:
            _line(
                INDENT + _("from {bases}, and {left_out} more in earlier matches", bases=bases, left_out=term.left_out)
            )
        else:
            _line(INDENT + _("from {bases}", bases=bases))
    if term.because and suffix is not None:
        commands = list(dict.fromkeys(_command(basis) + suffix for basis in term.because))
        more = "; …" if len(commands) > MOST_COMMANDS else ""
        _line(INDENT + _("next: {commands}", commands="; ".join(commands[:MOST_COMMANDS]) + more))


def _basis(basis: Basis, names: Names) -> str:
    if basis.hand is not None:
        return _("hand {hand} of {match}", hand=basis.hand, match=basis.match)
    who = "" if basis.competitor is None else f" ({names[basis.competitor]})"
    adds = f" (+{basis.adds})" if basis.adds is not None and basis.adds > 1 else ""
    return (basis.match or f"{basis.month} {basis.mode}") + who + adds


def _command(basis: Basis) -> str:
    """The command that explains a basis."""
    if basis.hand is not None:
        words = [basis.match, "--hand", str(basis.hand)]
    elif basis.match is None:
        words = ["standing", basis.month, basis.competitor]
    else:
        words = [basis.match, basis.competitor]
    return shlex.join(["league", "explain", *(word for word in words if word is not None)])


# ---------------------------------------------------------------- corrections and events


def _print_correction(correction: Correction, table: Table) -> None:
    entry = correction.entry
    _line(
        _(
            "corrected: {what}, by {actor} at {recorded_at} UTC (event {position}): {reason}",
            what=words(correction.text),
            actor=entry.actor,
            recorded_at=_time(entry.recorded_at),
            position=entry.position,
            reason=correction.reason,
        )
    )
    for changed in correction.changed:
        _line(INDENT + change_in_words(changed, table))


def _print_events(events: Sequence[LogEntry]) -> None:
    shown = [
        (e.position, e.name, e.stream, _time(e.played_at), _time(e.recorded_at), e.actor, e.source, e.key or "")
        for e in events
    ]
    columns: Sequence[str] = (
        _("position"), _("event"), _("of"), _("played at"), _("recorded at"), _("by"), _("source"), _("request"),
    )  # fmt: skip
    if not any(event.key for event in events):
        columns = columns[:-1]
    terminal.table(_("Events (UTC)"), columns, [row[: len(columns)] for row in shown], numbers=columns[:1])


# ---------------------------------------------------------------- two runs


def _diverges(runs: tuple[Snapshot, Snapshot], first: DivergenceRow, names: Names) -> str:
    ratings = (first.after_before, first.after_after)
    before, after = (_("not rated") if one is None else rating(one, 2) for one in ratings)
    terms = ", ".join(label_of(one.term) for one in terms_of(first))
    on = "; ".join(_command(Basis(first.match_id, None, 0, first.id)) + f" --run {run.run}" for run in runs)
    return _(
        "The ratings of {names} in {mode} first went apart by match {match_id} ({decided_at} UTC): "
        "{before} and {after} after it. What differs there: {terms}.\n  next: {on}",
        names=names[first.id],
        mode=first.mode,
        match_id=first.match_id,
        decided_at=_time(first.decided_at),
        before=before,
        after=after,
        terms=terms,
        on=on,
    )


def _named(row: Compared, names: Names) -> tuple[str, str]:
    """The term, and its subject."""
    term = row.after or row.before
    assert term is not None, "one of the runs has it"
    opponent = next((fact.of for fact in term.facts if fact.name == "opponent"), None)
    of = term.of or opponent
    text = words(term.text) if term.name in ("hand", "month") else label_of(row.name)
    return text, "" if of is None else names[of]


def _why(row: Compared, titles: Sequence[str]) -> str:
    settings = "; ".join(f"{key}: {_or_none(before)} → {_or_none(after)}" for key, before, after in row.settings)
    if row.before is None or row.after is None:
        return "; ".join(filter(None, (_("in {titles} only", titles=titles[row.before is None]), settings)))
    if not row.differs:
        return ""
    return settings or _other_facts(row.before, row.after)


def _other_facts(before: Term, after: Term) -> str:
    """What differs although the rules are the same."""
    old, new = ({(fact.name, fact.of): fact.value for fact in term.facts} for term in (before, after))
    other = (key[0] for key in old | new if old.get(key) != new.get(key))
    if old == new:
        return _("rests on another history")
    labels = (fact_in_words(Fact(name, ""), Table()).label for name in other)
    return _("other facts: {facts}", facts=", ".join(dict.fromkeys(labels)))


# ---------------------------------------------------------------- words


def _ids(explained: Explanation) -> set[str]:
    """Every player and pair in an explanation."""
    return {id_ for id_ in _each_id(explained) if id_ is not None}


def _each_id(explained: Explanation) -> Iterator[str | None]:
    yield from explained.statement.people
    yield from (fact.of for fact in explained.facts)
    yield from (changed.of for correction in explained.corrections for changed in correction.changed)
    for term in (*explained.terms, *explained.conditions):
        yield term.of
        yield from (fact.of for fact in term.facts)
        yield from (basis.competitor for basis in term.because)


def _edition(snapshot: Snapshot, explained: Explanation) -> str:
    number = editions_by_hash(snapshot, [explained.edition])[explained.edition].edition
    if number:
        return _("edition {edition}", edition=number)
    return _("a candidate edition ({edition})", edition=explained.edition[:12])


def _line(text: str) -> None:
    terminal.out.print(text, markup=False, soft_wrap=True)


def _or_none(value: str | None) -> str:
    return _("none") if value is None else value


def _value(term: Term | None) -> str:
    return "" if term is None else figure(term.value, 6)


def _signed(value: float | None) -> str:
    return "" if value is None else ("+" if value > 0 else "") + figure(value, 6)


def _time(time: Any) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M:%S}"
