"""`league explain`: why a number of the league is what it is, for people, or as JSON for scripts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, get_args

import msgspec
from rich.markup import escape

from league import console
from league.bootstrap import clock
from league.domain.refusals import InvalidInput
from league.explanations.badges import explain_badge
from league.explanations.explanation import Explanation, Fact, Term
from league.explanations.hands import explain_hand
from league.explanations.places import explain_place
from league.explanations.rating_changes import explain_change
from league.explanations.side_by_side import Compared, side_by_side
from league.explanations.standings import explain_standing
from league.player_command import find
from league.projections.boards import AchievementBoard, Board, BoardKind, RatingBoard
from league.projections.official import names_of
from league.projections.reads.catalogue import editions_by_hash
from league.projections.reads.log import LogEntry
from league.projections.reads.series import month_named
from league.projections.reads.snapshot import Snapshot

BOARDS: tuple[BoardKind, ...] = (*get_args(RatingBoard), *get_args(AchievementBoard))
FORMS = "MATCH PLAYER, MATCH --hand N, standing MONTH PLAYER, badge PLAYER BADGE, or place BOARD PLAYER"


class Asked(msgspec.Struct, frozen=True):
    """What is to be explained: the words of the command, and the number of a hand."""

    words: Sequence[str]
    hand: int | None = None


def show(snapshot: Snapshot, asked: Asked, *, as_json: bool) -> None:
    """Print an explanation. Raises NotFound, InvalidInput for words that ask for nothing."""
    explained = explanation_asked_for(snapshot, asked)
    if as_json:
        console.print_json(_document(snapshot, explained))
        return
    print_explanation(snapshot, explained)
    _print_facts(explained)
    _print_events(explained.events)


def print_explanation(snapshot: Snapshot, explained: Explanation) -> None:
    """What is explained, and every term of it with its rule and what it rests on."""
    console.out.print(f"[bold]{escape(_stated(snapshot, explained))}[/]")
    console.out.print(f"{explained.formula}; under {_edition(snapshot, explained)}\n", markup=False)
    names = names_of(snapshot.conn, _opponents(explained))
    for term in explained.terms:
        _print_term(term, names)
    if explained.not_judged:
        _line(f"not judged, for want of a fact: {', '.join(explained.not_judged)}")


def show_beside(before: Snapshot, after: Snapshot, asked: Asked, *, as_json: bool) -> None:
    """Print the same number of two runs side by side. Raises NotFound when neither has it, InvalidInput."""
    found = side_by_side(partial(explanation_asked_for, asked=asked), before, after)
    both = ((before, found.before), (after, found.after))
    if as_json:
        documents = [None if explained is None else _document(snapshot, explained) for snapshot, explained in both]
        terms = [{**msgspec.to_builtins(row), "differs": row.differs, "settings": row.settings} for row in found.terms]
        console.print_json({"before": documents[0], "after": documents[1], "terms": terms})
        return
    for snapshot, explained in both:
        said = "" if explained is None else f"under {_edition(snapshot, explained)}: {_stated(snapshot, explained)}"
        text = said or "not there"
        console.out.print(f"run {snapshot.run}, {text}", markup=False)
    console.out.print()
    titles = tuple(f"run {snapshot.run}" for snapshot, _ in both)
    shown = [(row.name, _value(row.before), _value(row.after), _why(row)) for row in found.terms]
    console.table("Term by term", ("term", *titles, "why"), shown, numbers=titles)


def explanation_asked_for(snapshot: Snapshot, asked: Asked) -> Explanation:
    """The explanation that the words ask for. Raises NotFound, InvalidInput."""
    match list(asked.words), asked.hand:
        case [match], int() as hand:
            return explain_hand(snapshot, match, hand)
        case [match, player], None:
            return explain_change(snapshot, match, find(snapshot, player, "player"))
        case ["standing", month, player], None:
            id_ = find(snapshot, player, "player")
            mode = "2v2" if "+" in id_ else "1v1"
            return explain_standing(snapshot, month_named(snapshot, mode, month, clock()), id_)
        case ["badge", player, badge], None:
            return explain_badge(snapshot, find(snapshot, player, "player"), badge)
        case ["place", board, player], None:
            kind = next((kind for kind in BOARDS if kind == board), None)
            if kind is None:
                raise InvalidInput("board", f"is none; there are {', '.join(BOARDS)}")
            return explain_place(snapshot, Board(kind, include_inactive=True), find(snapshot, player, "player"))
    raise InvalidInput("what", f"say what is explained: {FORMS}")


def _document(snapshot: Snapshot, explained: Explanation) -> dict[str, Any]:
    document: dict[str, Any] = msgspec.to_builtins(explained)
    return {**document, "run": snapshot.run}


def _stated(snapshot: Snapshot, explained: Explanation) -> str:
    """The statement, which begins with an id, with the name in its place."""
    if explained.subject is None:
        return explained.statement
    name = names_of(snapshot.conn, {explained.subject})[explained.subject]
    return name + explained.statement.removeprefix(explained.subject)


def _edition(snapshot: Snapshot, explained: Explanation) -> str:
    number = editions_by_hash(snapshot, [explained.edition])[explained.edition].edition
    return f"edition {number}" if number else f"a candidate edition ({explained.edition[:12]})"


def _print_term(term: Term, names: Mapping[str, str]) -> None:
    side = "" if term.side is None else f"  [side {term.side}]"
    _line(f"{_value(term):>10} {term.unit}  {term.name}: {term.text}{side}")
    rule = [term.clause, *(f"{setting.key} = {setting.value}" for setting in term.settings)]
    _line(f"{'':11}by {'; '.join(part for part in rule if part)}")
    if term.facts:
        _line(f"{'':11}as {'; '.join(_fact(fact, names) for fact in term.facts)}")
    if term.because:
        told = (f"hand {b.hand} of {b.match}" if b.hand else b.match or "a closed month" for b in term.because)
        _line(f"{'':11}from {', '.join(dict.fromkeys(told))}")


def _print_facts(explained: Explanation) -> None:
    rows = [(fact.name.replace("_", " "), fact.value) for fact in explained.facts]
    console.out.print()
    console.table("Facts", ("", ""), rows)


def _print_events(events: Sequence[LogEntry]) -> None:
    shown = [
        (e.position, e.name, e.stream, _time(e.played_at), _time(e.recorded_at), e.actor, e.source, e.key or "")
        for e in events
    ]
    columns = ("position", "event", "of", "played", "recorded", "by", "source", "request")
    console.table("Events (UTC)", columns, shown, numbers=("position",))


def _line(text: str) -> None:
    console.out.print(text, markup=False, soft_wrap=True)


def _fact(fact: Fact, names: Mapping[str, str]) -> str:
    value = names.get(fact.value, fact.value) if fact.name == "opponent" else fact.value
    return f"{fact.name.replace('_', ' ')}: {value}"


def _opponents(explained: Explanation) -> set[str]:
    return {fact.value for term in explained.terms for fact in term.facts if fact.name == "opponent"}


def _why(row: Compared) -> str:
    if not row.differs:
        return ""
    return (
        "; ".join(f"{key}: {_or_none(before)} -> {_or_none(after)}" for key, before, after in row.settings) or "differs"
    )


def _or_none(value: str | None) -> str:
    return "none" if value is None else value


def _value(term: Term | None) -> str:
    return "" if term is None else f"{term.value:.10g}"


def _time(time: Any) -> str:
    return "" if time is None else f"{time:%Y-%m-%d %H:%M:%S}"
