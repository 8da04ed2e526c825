"""`league explain`: why a number of the league is what it is, for people, or as JSON for scripts.

Each term is printed with its rule, its facts, and the command that explains it further.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec
import typer

from league.cli import terminal
from league.cli.opening import find, match_in, reading_run
from league.cli.terminal import Json, KnownAt, Run
from league.domain.player_names import there_are
from league.domain.refusals import InvalidInput
from league.domain.seating import is_pair
from league.domain.sentences import say
from league.explanations.badges import explain_badge
from league.explanations.explanation import Basis, Correction, Explanation, Fact, Term
from league.explanations.hands import explain_hand
from league.explanations.matches import explain_match
from league.explanations.onward import SideBySide, TermComparison, first_divergence, side_by_side
from league.explanations.places import explain_place, explain_standing
from league.explanations.rating_changes import explain_change
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS
from league.projections.difference.ratings import DivergenceRow, terms_of
from league.projections.queries.catalogue import editions_by_hash
from league.projections.queries.log import LogEntry
from league.projections.queries.players import names_of
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot, snapshot_beside
from league.transfer.export import divergence_of
from league.wording.explanations import document_of, document_of_term, words
from league.wording.facts import (
    FactContext,
    change_in_words,
    clause_in_words,
    fact_in_words,
    label_of,
    rule_in_words,
    seats_of,
    unit_in_words,
)
from league.wording.language import spoken
from league.wording.numbers import figure, rating

FORMS = say("MATCH PLAYER, MATCH, MATCH --hand N, standing MONTH PLAYER, badge PLAYER BADGE, or place BOARD PLAYER")


class ExplainArguments(msgspec.Struct, frozen=True):
    """What to explain: the words of the command line, the number of a hand, and whether a run or a time was named."""

    words: Sequence[str]
    hand: int | None = None
    of_run: bool = False


def explain(
    what: Annotated[
        list[str],
        typer.Argument(metavar="WHAT...", help="A match and a player (an id or a name), or another form; see above."),
    ],
    hand: Annotated[int | None, typer.Option(help="With a match alone: the number of a hand.", min=1)] = None,
    against: Annotated[
        int | None, typer.Option(metavar="RUN", help="Compare with the explanation in this run, term by term.")
    ] = None,
    run: Run = None,
    known_at: KnownAt = None,
    as_json: Json = False,
) -> None:
    """Explain a rating change, a hand, a match, a standing, a badge or a place.

    The explanation names every term of the number, the rule and the facts that each term comes from, and the events
    behind them. WHAT is one of:

    - MATCH PLAYER: the rating change of a player, or of a team (two joined by +)
    - MATCH: the result of a match
    - MATCH --hand N: the points of a hand
    - standing MONTH PLAYER: a standing in the series
    - badge PLAYER BADGE: when and how a badge was earned
    - place BOARD PLAYER: a place on a board
    """
    with reading_run(run, known_at) as (_, snapshot):
        wanted = ExplainArguments(what, hand, of_run=run is not None or known_at is not None)
        if against is None:
            _print_one(snapshot, wanted, as_json=as_json)
        else:
            _print_two(snapshot_beside(snapshot, against, drafts=True), snapshot, wanted, as_json=as_json)


def _print_one(snapshot: Snapshot, wanted: ExplainArguments, *, as_json: bool) -> None:
    explained = _explanation(snapshot, wanted)
    if as_json:
        terminal.print_json(_document(snapshot, explained))
    else:
        print_page(snapshot, explained, of_run=wanted.of_run)


def _print_two(before: Snapshot, after: Snapshot, wanted: ExplainArguments, *, as_json: bool) -> None:
    found = side_by_side(partial(_explanation, wanted=wanted), before, after)
    first = first_divergence(found, before, after)
    if not as_json:
        print_side_by_side((before, after), found, first)
        return
    both = ((before, found.before), (after, found.after))
    documents = [None if explained is None else _document(snapshot, explained) for snapshot, explained in both]
    terms = [_compared(row) for row in found.terms]
    document = {"before": documents[0], "after": documents[1], "total": found.total, "terms": terms}
    terminal.print_json({**document, "first_divergence": None if first is None else divergence_of(first)})


def _explanation(snapshot: Snapshot, wanted: ExplainArguments) -> Explanation:
    """The explanation. Raises NotFound, and InvalidInput for arguments of no known form."""
    match list(wanted.words), wanted.hand:
        case [match], int() as hand:
            return explain_hand(snapshot, match_in(snapshot, match), hand)
        case [match], None:
            return explain_match(snapshot, match_in(snapshot, match))
        case [match, player], None:
            return explain_change(snapshot, match_in(snapshot, match), find(snapshot, player, "player"))
        case ["standing", month, player], None:
            id_ = find(snapshot, player, "player")
            mode = "2v2" if is_pair(id_) else "1v1"
            return explain_standing(snapshot, month_named(snapshot, mode, month), id_)
        case ["badge", player, badge], None:
            return explain_badge(snapshot, find(snapshot, player, "player"), badge)
        case ["place", board, player], None:
            definition = BOARDS.get(board)
            if definition is None:
                known = [kind for kind, one in BOARDS.items() if not one.monthly]
                raise InvalidInput(
                    "board",
                    say("there is no board {board!r}; {there_are}", board=board, there_are=there_are(board, known)),
                )
            if definition.monthly:
                raise InvalidInput("board", say("the series has a board for each month: use `standing MONTH PLAYER`"))
            return explain_place(snapshot, BoardKey(board, include_inactive=True), find(snapshot, player, "player"))
    raise InvalidInput("what", say("say what to explain: {forms}", forms=FORMS))


def _document(snapshot: Snapshot, explained: Explanation) -> dict[str, Any]:
    names = names_of(snapshot.conn, explained.statement.people)
    return {**document_of(explained, names), "run": snapshot.run}


def _compared(row: TermComparison) -> dict[str, Any]:
    both = {"before": row.before, "after": row.after}
    terms = {run: None if term is None else document_of_term(term) for run, term in both.items()}
    return {**msgspec.to_builtins(row, enc_hook=spoken), **terms, "differs": row.differs}


# ---------------------------------------------------------------- what is printed


MOST_COMMANDS = 4
"""How many bases and commands are listed below a term."""
INDENT = " " * 11

Names = Mapping[str, str]


def print_page(snapshot: Snapshot, explained: Explanation, *, of_run: bool) -> None:
    """Print an explanation with its facts and events. `of_run`: the printed commands name the run."""
    print_explanation(snapshot, explained, of_run=of_run)
    table = _table(snapshot, explained)
    rows = [(said.label, said.value) for said in (fact_in_words(fact, table) for fact in explained.facts)]
    terminal.out.print()
    terminal.table(say("Facts"), ("", ""), rows)
    _print_events(explained.events)


def print_explanation(snapshot: Snapshot, explained: Explanation, *, of_run: bool = False) -> None:
    """Print the statement of an explanation, every term with its rule and its basis, and the corrections."""
    table = _table(snapshot, explained)
    terminal.out.print(words(explained.statement, table.names), style="bold", markup=False)
    terminal.out.print(
        say("{formula}; under {edition}\n", formula=words(explained.formula), edition=_edition(snapshot, explained)),
        markup=False,
    )
    # No commands for a hand: its terms are based on the hand itself, which is being explained.
    suffix = None if explained.kind == "hand" else f" --run {snapshot.run}" if of_run else ""
    for term in explained.terms:
        _print_term(term, table, suffix)
    if explained.conditions:
        _line(say("beside the number:"))
    for condition in explained.conditions:
        _print_term(condition, table, suffix)
    if explained.not_judged:
        rules = "; ".join(map(rule_in_words, explained.not_judged))
        _line(say("not judged, because a fact is unknown: {not_judged}", not_judged=rules))
    for correction in explained.corrections:
        _print_correction(correction, table)


def _table(snapshot: Snapshot, explained: Explanation) -> FactContext:
    """The names, the seats and the time zone for the facts of an explanation."""
    names = names_of(snapshot.conn, _ids(explained))
    return FactContext(names, seats_of(explained.facts), ZoneInfo(snapshot.zone))


def print_side_by_side(runs: tuple[Snapshot, Snapshot], found: SideBySide, first: DivergenceRow | None) -> None:
    """Print a number in both runs: the difference, each term's share in it, and where the ratings first diverged."""
    conn, both = runs[1].conn, tuple(zip(runs, (found.before, found.after), strict=True))
    ids = {id_ for _, explained in both if explained is not None for id_ in _ids(explained)}
    names = names_of(conn, ids)
    for snapshot, explained in both:
        if explained is None:
            said = say("run {run}: not there", run=snapshot.run)
        else:
            said = say(
                "run {run}, under {edition}: {statement}",
                run=snapshot.run,
                edition=_edition(snapshot, explained),
                statement=words(explained.statement, names),
            )
        terminal.out.print(said, markup=False)
    terminal.out.print()
    if found.total is not None:
        _line(say("The difference is {total}; the shares of the terms add up to it.", total=_signed(found.total)))
    if first is not None:
        _line(_diverges(runs, first, names))
    terminal.out.print()
    titles = (*(say("run {run}", run=snapshot.run) for snapshot in runs), say("share"))
    shown = [(*_named(row, names), _value(row.before), _value(row.after), _signed(row.share), _why(row, titles))
             for row in found.terms]  # fmt: skip
    terminal.table(say("Term by term"), ("term", "of", *titles, "why"), shown, numbers=titles)


# ---------------------------------------------------------------- terms


def _print_term(term: Term, table: FactContext, suffix: str | None) -> None:
    """Print a term. `suffix`: the end of the commands that explain further; None to print no commands."""
    whose = "" if term.of is None else f"  [{table.named(term.of)}]"
    _line(f"{_value(term):>10} {unit_in_words(term.unit)}  {label_of(term.name)}: {spoken(words(term.text))}{whose}")
    clause = clause_in_words(term.clause)
    rule = [part for part in (clause, *(f"{setting.key} = {setting.value}" for setting in term.settings)) if part]
    if rule:
        _line(INDENT + spoken(say("by {rule}", rule="; ".join(rule))))
    if term.facts:
        said = (fact_in_words(fact, table) for fact in term.facts)
        _line(INDENT + spoken(say("as {facts}", facts="; ".join(f"{one.label}: {one.value}" for one in said))))
    if term.because:
        bases = ", ".join(dict.fromkeys(spoken(_basis(basis, table.names)) for basis in term.because))
        if term.left_out:
            _line(
                INDENT
                + spoken(
                    say("from {bases}, and {left_out} more in earlier matches", bases=bases, left_out=term.left_out)
                )
            )
        else:
            _line(INDENT + spoken(say("from {bases}", bases=bases)))
    if term.because and suffix is not None:
        commands = list(dict.fromkeys(_command(basis) + suffix for basis in term.because))
        more = "; …" if len(commands) > MOST_COMMANDS else ""
        _line(INDENT + spoken(say("next: {commands}", commands="; ".join(commands[:MOST_COMMANDS]) + more)))


def _basis(basis: Basis, names: Names) -> str:
    if basis.hand is not None:
        return say("hand {hand} of {match}", hand=basis.hand, match=basis.match)
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


def _print_correction(correction: Correction, table: FactContext) -> None:
    entry = correction.entry
    _line(
        say(
            "corrected: {what}, by {actor} at {recorded_at} UTC (event {position}): {reason}",
            what=words(correction.text),
            actor=entry.actor,
            recorded_at=_time(entry.recorded_at),
            position=entry.position,
            reason=correction.reason,
        )
    )
    for changed in correction.changed:
        _line(INDENT + spoken(change_in_words(changed, table)))


def _print_events(events: Sequence[LogEntry]) -> None:
    shown = [
        (e.position, e.name, e.stream, _time(e.played_at), _time(e.recorded_at), e.actor, e.source, e.key or "")
        for e in events
    ]
    columns: Sequence[str] = (
        say("position"), say("event"), say("of"), say("played at"), say("recorded at"), say("by"), say("source"),
        say("request"),
    )  # fmt: skip
    if not any(event.key for event in events):
        columns = columns[:-1]
    terminal.table(say("Events (UTC)"), columns, [row[: len(columns)] for row in shown], numbers=columns[:1])


# ---------------------------------------------------------------- two runs


def _diverges(runs: tuple[Snapshot, Snapshot], first: DivergenceRow, names: Names) -> str:
    ratings = (first.after_before, first.after_after)
    before, after = (say("not rated") if one is None else rating(one, 2) for one in ratings)
    terms = ", ".join(label_of(one.term) for one in terms_of(first))
    on = "; ".join(_command(Basis(first.match_id, None, 0, first.id)) + f" --run {run.run}" for run in runs)
    return say(
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


def _named(row: TermComparison, names: Names) -> tuple[str, str]:
    """The term, and its subject."""
    term = row.after or row.before
    assert term is not None, "one of the runs has it"
    opponent = next((fact.of for fact in term.facts if fact.name == "opponent"), None)
    of = term.of or opponent
    text = words(term.text) if term.name in ("hand", "month") else label_of(row.name)
    return text, "" if of is None else names[of]


def _why(row: TermComparison, titles: Sequence[str]) -> str:
    settings = "; ".join(
        f"{key}: {spoken(_or_none(before))} → {spoken(_or_none(after))}" for key, before, after in row.settings
    )
    if row.before is None or row.after is None:
        return "; ".join(filter(None, (spoken(say("in {titles} only", titles=titles[row.before is None])), settings)))
    if not row.differs:
        return ""
    return settings or _other_facts(row.before, row.after)


def _other_facts(before: Term, after: Term) -> str:
    """What differs although the rules are the same."""
    old, new = ({(fact.name, fact.of): fact.value for fact in term.facts} for term in (before, after))
    other = (key[0] for key in old | new if old.get(key) != new.get(key))
    if old == new:
        return say("rests on another history")
    labels = (fact_in_words(Fact(name, ""), FactContext()).label for name in other)
    return say("other facts: {facts}", facts=", ".join(dict.fromkeys(labels)))


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
        return say("edition {edition}", edition=number)
    return say("a candidate edition ({edition})", edition=explained.edition[:12])


def _line(text: str) -> None:
    terminal.out.print(text, markup=False, soft_wrap=True)


def _or_none(value: str | None) -> str:
    return say("none") if value is None else value


def _value(term: Term | None) -> str:
    return "" if term is None else figure(term.value, 6)


def _signed(value: float | None) -> str:
    return "" if value is None else ("+" if value > 0 else "") + figure(value, 6)


def _time(time: Any) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M:%S}"
