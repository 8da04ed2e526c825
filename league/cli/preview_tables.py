"""Prints what a change would move before it is stored: ratings, ranks, badges and standings."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from league.cli import terminal
from league.domain.rating import shown
from league.domain.seating import competitor_of, sides_of
from league.domain.sentences import say, say_count
from league.projections.queries.matches import matches_by_id
from league.projections.queries.players import names_of
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.projections.replays.preview import NotJudgedRow, PreviewedChanges
from league.wording.facts import fact_at_in_words, not_judged_in_words, rule_in_words
from league.wording.language import spoken
from league.wording.matches import status_in_words
from league.wording.numbers import signed


def counted(number: int, what: str) -> str:
    """A number with its word in the language that is spoken: `1 player`, `2 players`. `what`: a key of COUNTED."""
    return COUNTED[what](number)


COUNTED: Mapping[str, Callable[[int], str]] = {
    "badge": lambda number: say_count("{count} badge", "{count} badges", number),
    "encounter": lambda number: say_count("{count} encounter", "{count} encounters", number),
    "event": lambda number: say_count("{count} event", "{count} events", number),
    "hand": lambda number: say_count("{count} hand", "{count} hands", number),
    "match": lambda number: say_count("{count} match", "{count} matches", number),
    "player": lambda number: say_count("{count} player", "{count} players", number),
    "rank": lambda number: say_count("{count} rank", "{count} ranks", number),
    "standing": lambda number: say_count("{count} standing", "{count} standings", number),
    "team": lambda number: say_count("{count} pair", "{count} pairs", number),
}
"""For each thing that is counted, the function that makes the number with its word."""


ROWS = 10
"""Limit on the printed rows of each list. JSON has all rows."""


def plain_preview(found: PreviewedChanges) -> dict[str, Any]:
    """A preview as a JSON document."""
    return {name: _plain(getattr(found, name)) for name in found.__struct_fields__}


def print_preview(
    conn: Connection,
    found: PreviewedChanges,
    *,
    as_json: bool,
    new_names: Mapping[str, str] | None = None,
    new_matches: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Print a preview, as tables or as one JSON document.

    `new_names`: the names of players whom the league does not have yet. `new_matches`: labels of such matches, by id.
    """
    if as_json:
        terminal.print_json(plain_preview(found))
        return
    lists = (found.moves, found.badges, found.places)
    names = names_of(conn, {row.id for rows in lists for row in rows}, new_names)
    terminal.out.print(
        say(
            "{players_moved} and {teams_moved} would move; {matches_rated_anew} would be rated again, "
            "{count} would score differently; {badges_gained} would be gained and {badges_lost} lost; "
            "{ranks_changed} would change.\n",
            players_moved=counted(found.players_moved, "player"),
            teams_moved=counted(found.teams_moved, "team"),
            matches_rated_anew=counted(found.matches_rated_anew, "match"),
            count=counted(len(found.hands), "hand"),
            badges_gained=counted(found.badges_gained, "badge"),
            badges_lost=counted(found.badges_lost, "badge"),
            ranks_changed=counted(found.ranks_changed, "rank"),
        )
    )
    for title, columns, rows in _tables(found, names, _sides(conn, found), new_matches):
        if rows:
            numbers = [name for name in columns if name in NUMBERS]
            terminal.table(title, columns, rows[:ROWS], numbers=numbers)
            if len(rows) > ROWS:
                terminal.out.print(
                    say("[dim]{rows} of {count} are shown; --json prints all[/]\n", rows=ROWS, count=len(rows))
                )
    for line in not_judged_lines(found.not_judged, new_matches):
        terminal.out.print(terminal.shown(line), markup=False)
    for month in found.months:
        text = say("Series of {month}, {mode}: {changed} would change.")
        if month.closed:
            text = say(
                "Series of {month}, {mode}: {changed} would change; the month is closed, and its published list stays."
            )
        changed = counted(month.changed, "standing")
        terminal.out.print(say(text, month=month.month, mode=month.mode, changed=changed))


def not_judged_lines(
    found: Sequence[NotJudgedRow], new_matches: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    """Lines that list what was not judged and which facts are unknown, grouped by matches and hands."""
    facts: dict[str, list[str]] = {}
    hands: dict[str, dict[str, set[int]]] = {}
    for match_id, one in found:
        said = rule_in_words(one.rule) if one.why == "unknown" else spoken(not_judged_in_words(one))
        known = facts.setdefault(said, [])
        if one.why == "unknown" and (fact := spoken(fact_at_in_words(one.at))) not in known:
            known.append(fact)
        numbers = hands.setdefault(said, {}).setdefault(new_matches.get(match_id, match_id), set())
        numbers |= set() if one.hand is None else {one.hand}
    lacking: dict[str, list[str]] = {}
    for said, of in facts.items():
        places = _places_in_words(hands[said])
        if of:
            lacking.setdefault(places, []).append(f"  {said}: {'; '.join(of)}")
        else:
            yield f"{said} ({places})"
    for places, lines in lacking.items():
        yield say("Not judged in {places}, because these facts are not known:", places=places)
        yield from lines


def _places_in_words(hands: Mapping[str, set[int]]) -> str:
    """Matches with their hands, such as `m1: hands 1, 2; m2: hand 4`."""
    said = [
        match_id
        if not numbers
        else spoken(
            say_count(
                "{match_id}: hand {hands}",
                "{match_id}: hands {hands}",
                len(numbers),
                match_id=match_id,
                hands=", ".join(map(str, sorted(numbers))),
            )
        )
        for match_id, numbers in hands.items()
    ]
    more = len(said) - ROWS
    return "; ".join(
        said[:ROWS] + ([spoken(say_count("{count} more match", "{count} more matches", more))] * (more > 0))
    )


NUMBERS = ("before", "after", "change")


def _sides(conn: Connection, found: PreviewedChanges) -> dict[tuple[str, int], str]:
    """The names of the players by match and side. Matches that the league does not have yet are left out."""
    if not found.results:
        return {}
    known = matches_by_id(snapshot_of(conn, chosen_run(conn, None)), [row.match_id for row in found.results])
    sides = {
        (one.match_id, number): competitor_of(side)
        for one in known.values()
        for number, side in enumerate(sides_of(one.mode, tuple(one.seats)))
    }
    names = names_of(conn, sides.values())
    return {side: names[id_] for side, id_ in sides.items()}


def _tables(
    found: PreviewedChanges,
    names: dict[str, str],
    sides: Mapping[tuple[str, int], str],
    new_matches: Mapping[str, str],
) -> Iterator[tuple[str, tuple[str, ...], list[tuple[Any, ...]]]]:
    def side(match: str, number: int | None) -> str:
        return "-" if number is None else sides.get((match, number), say("side {side}", side=number))

    order = {match_id: number for number, match_id in enumerate(new_matches)}
    yield (
        say("The matches themselves"),
        (say("match"), say("winner before"), say("winner now"), say("status before"), say("status now")),
        [
            (
                new_matches.get(r.match_id, r.match_id),
                side(r.match_id, r.winner_before),
                side(r.match_id, r.winner_after),
                *("-" if one is None else status_in_words(one) for one in (r.status_before, r.status_after)),
            )
            for r in sorted(found.results, key=lambda row: order.get(row.match_id, len(order)))
        ],
    )
    moves = [row for row in found.moves if row.mode != "overall"]
    yield (
        say("The largest moves"),
        ("who", "mode", "before", "after", "change"),
        [(names[m.id], m.mode, shown_rating(m.before), shown_rating(m.after), signed_change(m.change)) for m in moves],
    )
    yield (
        say("The largest changes of ranks"),
        ("board", "who", "before", "after"),
        [(p.board, names[p.id], _or_dash(p.rank_before), _or_dash(p.rank_after)) for p in found.places],
    )
    what = {"gained": say("gained"), "lost": say("lost"), "earned_otherwise": say("earned by another event")}
    yield (
        say("Badges"),
        (say("who"), say("badge"), ""),
        [(names[b.id], b.badge, what.get(b.what, b.what)) for b in found.badges],
    )


def _plain(value: Any) -> Any:
    is_rows = isinstance(value, Sequence) and not isinstance(value, str)
    return [row._asdict() for row in value] if is_rows else value


def shown_rating(rating: float | None) -> str:
    """A rating as people see it; a dash for None."""
    return "-" if rating is None else str(shown(rating))


def signed_change(change: float | None) -> str:
    """A change of a rating with its sign; empty for None."""
    return "" if change is None else signed(change, 1)


def _or_dash(value: Any) -> str:
    return "-" if value is None else str(value)
