"""Prints an explanation: each term with its rule, its facts, and the command that explains it further."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.markup import escape

from league.cli import terminal
from league.explanations.explanation import Basis, Correction, Explanation, Fact, Term
from league.explanations.side_by_side import Compared, SideBySide
from league.projections.difference.divergences import DivergenceRow, terms_of
from league.projections.queries.catalogue import editions_by_hash
from league.projections.queries.log import LogEntry
from league.projections.queries.official import names_of
from league.projections.queries.snapshot import Snapshot
from league.wording.explanations import words
from league.wording.language import _, spoken

MOST_COMMANDS = 4
"""How many bases and commands are listed below a term."""
INDENT = " " * 11

Names = Mapping[str, str]


def print_page(snapshot: Snapshot, explained: Explanation, *, of_run: bool) -> None:
    """All of an explanation; `of_run`: the commands for further explanation name the run."""
    print_explanation(snapshot, explained, of_run=of_run)
    names = names_of(snapshot.conn, _ids(explained))
    rows = [(_plain(fact.name), _shown(fact, names), _who(fact, names)) for fact in explained.facts]
    terminal.out.print()
    terminal.table(_("Facts"), ("", "", ""), rows)
    _print_events(explained.events)


def print_explanation(snapshot: Snapshot, explained: Explanation, *, of_run: bool = False) -> None:
    """The subject of an explanation, every term with its rule and its basis, and the corrections."""
    names = names_of(snapshot.conn, _ids(explained))
    terminal.out.print(f"[bold]{escape(words(explained.statement, names))}[/]")
    terminal.out.print(
        _("{formula}; under {snapshot}\n", formula=words(explained.formula), snapshot=_edition(snapshot, explained)),
        markup=False,
    )
    # The terms of a hand are based on the hand itself, which this explanation is about.
    suffix = None if explained.kind == "hand" else f" --run {snapshot.run}" if of_run else ""
    for term in explained.terms:
        _print_term(term, names, suffix)
    if explained.conditions:
        _line(_("beside the number:"))
    for condition in explained.conditions:
        _print_term(condition, names, suffix)
    if explained.not_judged:
        _line(_("not judged, because a fact is unknown: {not_judged}", not_judged=", ".join(explained.not_judged)))
    for correction in explained.corrections:
        _print_correction(correction, names)


def print_side_by_side(runs: tuple[Snapshot, Snapshot], found: SideBySide, first: DivergenceRow | None) -> None:
    """The number in both runs, the difference, the share of each term in it, and where the ratings first diverged."""
    conn, both = runs[1].conn, tuple(zip(runs, (found.before, found.after), strict=True))
    ids = {id_ for _, explained in both if explained is not None for id_ in _ids(explained)}
    names = names_of(conn, ids)
    for snapshot, explained in both:
        said = _("not there")
        if explained is not None:
            said = _(
                "under {snapshot}: {statement}",
                snapshot=_edition(snapshot, explained),
                statement=words(explained.statement, names),
            )
        terminal.out.print(_("run {run}, {said}", run=snapshot.run, said=said), markup=False)
    terminal.out.print()
    if found.total is not None:
        _line(_("The difference is {total}; the shares of the terms add up to it.", total=_signed(found.total)))
    if first is not None:
        _line(_diverges(runs, first, names))
    terminal.out.print()
    titles = (*(_("run {run}", run=snapshot.run) for snapshot in runs), _("share"))
    shown = [(*_named(row, names), _value(row.before), _value(row.after), _signed(row.share), _why(row, titles))
             for row in found.terms]  # fmt: skip
    terminal.table(_("Term by term"), (_("term"), _("of"), *titles, _("why")), shown, numbers=titles)


# ---------------------------------------------------------------- terms


def _print_term(term: Term, names: Names, suffix: str | None) -> None:
    """A term; `suffix`: the end of the commands for further explanation; None: no commands."""
    side = (
        ""
        if term.side is None
        else _("  [side {side}{value}]", side=term.side, value=", " + names[term.of] if term.of else "")
    )
    _line(f"{_value(term):>10} {spoken(term.unit)}  {_plain(term.name)}: {words(term.text)}{side}")
    rule = [part for part in (term.clause, *(f"{setting.key} = {setting.value}" for setting in term.settings)) if part]
    if rule:
        _line(INDENT + _("by {rules}", rules="; ".join(rule)))
    if term.facts:
        _line(INDENT + _("as {facts}", facts="; ".join(_fact(fact, names) for fact in term.facts)))
    if term.because:
        bases = ", ".join(dict.fromkeys(_basis(basis, names) for basis in term.because))
        rest = _(", and {left_out} more in earlier matches", left_out=term.left_out) if term.left_out else ""
        _line(INDENT + _("from {bases}{rest}", bases=bases, rest=rest))
    if term.because and suffix is not None:
        commands = list(dict.fromkeys(_command(basis) + suffix for basis in term.because))
        more = "; …" if len(commands) > MOST_COMMANDS else ""
        _line(INDENT + _("next: {commands}", commands="; ".join(commands[:MOST_COMMANDS]) + more))


def _basis(basis: Basis, names: Names) -> str:
    if basis.hand is not None:
        return _("hand {hand} of {match}", hand=basis.hand, match=basis.match)
    who = "" if basis.competitor is None else f" ({names[basis.competitor]})"
    adds = f" (+{basis.adds})" if basis.adds is not None and basis.adds > 1 else ""
    return f"{basis.match or _('{month} in {mode}', month=basis.month, mode=basis.mode)}{who}{adds}"


def _command(basis: Basis) -> str:
    """The command that explains a basis."""
    if basis.hand is not None:
        words = [basis.match, "--hand", str(basis.hand)]
    elif basis.match is None:
        words = ["standing", basis.month, basis.competitor]
    else:
        words = [basis.match, basis.competitor]
    return shlex.join(["league", "explain", *(word for word in words if word is not None)])


def _fact(fact: Fact, names: Names) -> str:
    who = _who(fact, names)
    if fact.value == fact.of:
        return f"{_plain(fact.name)}: {who}"
    return f"{_plain(fact.name)}{who and f' ({who})'}: {_shown(fact, names)}"


def _who(fact: Fact, names: Names) -> str:
    return "" if fact.of is None else names[fact.of]


def _shown(fact: Fact, names: Names) -> str:
    """A fact's value as displayed: two digits of a long number, a name for an id."""
    if fact.value == fact.of:
        return names[fact.of]
    return f"{float(fact.value):.2f}" if re.fullmatch(r"-?\d+\.\d{3,}", fact.value) else fact.value


# ---------------------------------------------------------------- corrections and events


def _print_correction(correction: Correction, names: Names) -> None:
    entry = correction.entry
    by = _(
        "by {actor} at {recorded_at} UTC (event {position}): {reason}",
        actor=entry.actor,
        recorded_at=_time(entry.recorded_at),
        position=entry.position,
        reason=correction.reason,
    )
    _line(_("corrected: {what} {by}", what=words(correction.text), by=by))
    for changed in correction.changed:
        who = "" if changed.of is None else f" ({names[changed.of]})"
        before, after = (_or_none(value) for value in (changed.before, changed.after))
        _line(
            _(
                "{indent}{name}{who}: {before}, now {after}",
                indent=INDENT,
                name=_plain(changed.name),
                who=who,
                before=before,
                after=after,
            )
        )


def _print_events(events: Sequence[LogEntry]) -> None:
    shown = [
        (e.position, e.name, e.stream, _time(e.played_at), _time(e.recorded_at), e.actor, e.source, e.key or "")
        for e in events
    ]
    position = _("position")
    columns: Sequence[str] = (
        position, _("event"), _("of"), _("time of play"), _("recorded"), _("by"), _("source"), _("request"),
    )  # fmt: skip
    if not any(event.key for event in events):
        columns = columns[:-1]
    terminal.table(_("Events (UTC)"), columns, [row[: len(columns)] for row in shown], numbers=(position,))


# ---------------------------------------------------------------- two runs


def _diverges(runs: tuple[Snapshot, Snapshot], first: DivergenceRow, names: Names) -> str:
    ratings = (first.after_before, first.after_after)
    both = _(" and ").join(_("not rated") if rating is None else f"{rating:.2f}" for rating in ratings)
    terms = ", ".join(one.term for one in terms_of(first))
    on = "; ".join(_command(Basis(first.match_id, None, 0, first.id)) + f" --run {run.run}" for run in runs)
    return _(
        "The ratings of {names} in {mode} first went apart by match {match_id} ({decided_at} UTC): "
        "{both} after it. What differs there: {terms}.\n  next: {on}",
        names=names[first.id],
        mode=first.mode,
        match_id=first.match_id,
        decided_at=_time(first.decided_at),
        both=both,
        terms=terms,
        on=on,
    )


def _named(row: Compared, names: Names) -> tuple[str, str]:
    """The term, and its subject."""
    term = row.after or row.before
    assert term is not None, "one of the runs has it"
    opponent = next((fact.of for fact in term.facts if fact.name == "opponent"), None)
    of = term.of or opponent
    text = words(term.text) if term.name in ("hand", "month") else _plain(row.name)
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
    return _("other {facts}", facts=", ".join(dict.fromkeys(map(_plain, other))))


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
    return (
        _("edition {number}", number=number)
        if number
        else _("a candidate edition ({edition})", edition=explained.edition[:12])
    )


def _line(text: str) -> None:
    terminal.out.print(text, markup=False, soft_wrap=True)


def _plain(name: str) -> str:
    return _(spoken(name).replace("_", " "))


def _or_none(value: str | None) -> str:
    return _("none") if value is None else value


def _value(term: Term | None) -> str:
    return "" if term is None else f"{term.value:.10g}"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.10g}"


def _time(time: Any) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M:%S}"
