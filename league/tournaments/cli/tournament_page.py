"""How the terminal shows tournaments."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from league.cli import terminal
from league.projections.queries.official import names_of
from league.projections.queries.snapshot import Snapshot
from league.tournaments.domain.drawn import Paired, Relaxed, Table
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import plan_hash
from league.tournaments.domain.results import table_result
from league.tournaments.domain.standing import TieBreak
from league.tournaments.domain.state import RoundState, TableOfRound
from league.tournaments.explaining import choices_of, is_outdated, tables_today
from league.tournaments.projections.seen import SeenTournament, drawings_by_tournament
from league.tournaments.why_in_words import said
from league.tournaments.words import (
    days_of,
    shown_value,
    words_of_entry,
    words_of_format,
    words_of_relaxed,
    words_of_round,
    words_of_status,
    words_of_tie_break,
)
from league.wording.joining import joined
from league.wording.language import _


def print_tournament(snapshot: Snapshot, seen: SeenTournament, position: int | None = None, *, as_json: bool) -> None:
    """A tournament: its last round, its standing."""
    state = seen.state
    assert state.plan is not None, "it is planned"
    if as_json:
        document = {
            "tournament": state.id,
            "status": state.status,
            "plan": msgspec.to_builtins(state.plan),
            "plan_hash": plan_hash(state.plan),
            "entries": sorted(state.entries),
            "rounds": [_round(snapshot, seen, of) for of in state.rounds],
            "standing": _standing(seen, None),
            **({} if position is None else {"position": position}),
        }
        terminal.print_json(document)
        return
    terminal.out.print(
        _(
            "{name}: {format}, {status}, {count} taking part",
            name=state.plan.name,
            format=words_of_format(state.plan.format),
            status=words_of_status(state.status),
            count=sum(entry.withdrawn_at is None for entry in state.entries.values()),
        ),
        markup=False,
    )
    if state.rounds:
        print_round(snapshot, seen, state.rounds[-1], as_json=False)
    if state.published:
        print_standing(snapshot, seen, None, as_json=False)


def print_round(snapshot: Snapshot, seen: SeenTournament, of: RoundState, *, as_json: bool) -> None:
    """A round: its tables, and who sits out."""
    if as_json:
        terminal.print_json(_round(snapshot, seen, of))
        return
    names = names_of(snapshot.conn, seen.state.entries)
    rows = []
    for table in of.tables:
        result = table_result(table, seen.results, seen.points)
        score = "" if result.score is None else " : ".join(map(str, result.score))
        relaxed = "; ".join(_relaxed(one, names) for one in table.relaxed)
        rows.append((table.number, *_named(table, names), score, words_of_status(result.status), table.match, relaxed))
    columns = (_("table"), _("side 0"), _("side 1"), _("score"), _("status"), _("match"), _("what gave way"))
    terminal.table(", ".join([words_of_round(of.number, of.status), *days_of(of.day, of.until)]), columns, rows)
    if of.byes:
        terminal.out.print(_("Sit out: {names}", names=", ".join(names[id_] for id_ in of.byes)), markup=False)
    if of.root is not None and is_outdated(seen, of, _drawing(snapshot, seen, of)):
        command = f"league tournament would-change {seen.state.id} {of.number}"
        said = (
            _("What this round was drawn on has changed since. Draw it again, or publish it with `--even-if-outdated`.")
            if of.status == "drawn"
            else _("Results were corrected after the drawing. The tables may be others today: `{command}`.")
        )
        terminal.out.print(said.format(command=command), markup=False)


def print_entries(snapshot: Snapshot, seen: SeenTournament, *, as_json: bool) -> None:
    """Who takes part."""
    assert seen.state.plan is not None, "it is planned"
    entered = sorted(seen.state.entries.values(), key=lambda entry: (entry.entered_at, entry.id))
    if as_json:
        terminal.print_json([msgspec.to_builtins(entry) for entry in entered])
        return
    names = names_of(snapshot.conn, seen.state.entries)
    rows = [
        (
            names[entry.id],
            entry.id,
            words_of_entry(withdrawn=entry.withdrawn_at is not None, checked_in=entry.checked_in),
            names.get(entry.replaces or "", ""),
            entry.fixed_table,
        )
        for entry in entered
    ]
    columns = (_("competitor"), _("id"), _("status"), _("in the place of"), _("keeps table"))
    terminal.table(_("Who takes part"), columns, rows)


def print_standing(
    snapshot: Snapshot, seen: SeenTournament, tie_breaks: Sequence[TieBreak] | None, *, as_json: bool
) -> None:
    """The standing, with what is still possible under the plan's order."""
    if as_json:
        terminal.print_json(_standing(seen, tie_breaks))
        return
    names, bounds = names_of(snapshot.conn, seen.state.entries), seen.possible(tie_breaks)
    assert seen.state.plan is not None, "it is planned"
    used = seen.state.plan.tie_breaks if tie_breaks is None else tie_breaks
    rows, unknown = [], _unknown_scores(seen)
    for place in seen.standing(tie_breaks):
        name = names[place.id] + (" *" if unknown[place.id] else "")
        if seen.state.entries[place.id].withdrawn_at is not None:
            name = _("{competitor} (withdrew)", competitor=name)
        values = [shown_value(key, value) for key, value in zip(used, place.values, strict=True)]
        possible = [f"{bounds[place.id].best}-{bounds[place.id].worst}"] if bounds else []
        rows.append((place.rank, name, place.won, *values, *possible))
    last = [_("still possible")] if bounds else []
    columns = (_("rank"), _("competitor"), _("won"), *map(words_of_tie_break, used), *last)
    terminal.table(_("Standing"), columns, rows)
    if any(unknown.values()):
        terminal.out.print(_("* A match of theirs counts 0 to 0, for nobody wrote its score down."), markup=False)


def print_preview(snapshot: Snapshot, seen: SeenTournament, found: tuple[str, Paired] | None, *, as_json: bool) -> None:
    """The next round as it could come out."""
    tables, byes = ([], ()) if found is None else (found[1].tables, found[1].byes)
    if as_json:
        terminal.print_json({"tables": [_sides(table) for table in tables], "byes": list(byes)})
        return
    if found is None:
        terminal.out.print(_("Too few are there for a round."))
        return
    names = names_of(snapshot.conn, seen.state.entries)
    terminal.out.print(_("Nothing is stored; the real drawing will give other tables."))
    _print_tables(_("Preview"), tables, names)
    if byes:
        terminal.out.print(_("Sit out: {names}", names=", ".join(names[id_] for id_ in byes)), markup=False)


def print_why(snapshot: Snapshot, seen: SeenTournament, of: RoundState, *, as_json: bool) -> None:
    """Why the tables of a round came about."""
    drawing, names = _drawing(snapshot, seen, of), names_of(snapshot.conn, seen.state.entries)
    found = [
        (table, [said(choice, names) for choice in choices_of(seen, drawing, table.number)]) for table in of.tables
    ]
    if as_json:
        terminal.print_json([{**_sides(table), "why": sentences} for table, sentences in found])
        return
    for table, sentences in found:
        title = _("Table {table}", table=table.number)
        terminal.out.print(f"{title}: {' - '.join(_named(table, names))}", markup=False)
        relaxed = [_relaxed(one, names) for one in table.relaxed]
        by_hand = [_("Somebody has paired this table by hand.")] if table.by_hand else []
        for sentence in (*by_hand, *sentences, *relaxed):
            terminal.out.print(f"  {sentence}", markup=False)


def print_would_change(snapshot: Snapshot, seen: SeenTournament, of: RoundState, *, as_json: bool) -> None:
    """The tables that a round would have today, and does not have."""
    tables = _today(snapshot, seen, of)
    if as_json:
        terminal.print_json([_sides(table) for table in tables])
    elif tables:
        names = names_of(snapshot.conn, seen.state.entries)
        _print_tables(_("Round {round} on the results of today", round=of.number), tables, names)
    else:
        terminal.out.print(_("The results of today give the same tables."))


def print_list(found: Sequence[SeenTournament], *, as_json: bool) -> None:
    """All tournaments."""
    if as_json:
        terminal.print_json(
            [
                {"tournament": one.state.id, "name": one.state.plan and one.state.plan.name, "status": one.state.status}
                for one in found
            ]
        )
        return
    if not found:
        terminal.out.print(_("No tournaments yet. `league tournament plan ID` plans one."))
        return
    rows = [
        (one.state.plan.name, one.state.id, words_of_format(one.state.plan.format), words_of_status(one.state.status))
        for one in found
        if one.state.plan is not None
    ]
    terminal.table(_("Tournaments"), (_("name"), _("id"), _("format"), _("status")), rows)


def _round(snapshot: Snapshot, seen: SeenTournament, of: RoundState) -> dict[str, Any]:
    tables = [(table, table_result(table, seen.results, seen.points)) for table in of.tables]
    return {
        "round": of.number,
        "status": of.status,
        "drawings": of.drawings,
        "day": of.day and of.day.isoformat(),
        "until": of.until and of.until.isoformat(),
        "seed": of.seed,
        "signed": of.signed,
        "is_outdated": of.root is not None and is_outdated(seen, of, _drawing(snapshot, seen, of)),
        "tables": [
            {
                "table": table.number,
                "sides": [list(side) for side in table.sides],
                "match": table.match,
                "status": result.status,
                "winner": result.winner,
                "score": result.score,
                "relaxed": msgspec.to_builtins(table.relaxed),
                "by_hand": table.by_hand,
            }
            for table, result in tables
        ],
        "byes": list(of.byes),
    }


def _standing(seen: SeenTournament, tie_breaks: Sequence[TieBreak] | None) -> list[dict[str, Any]]:
    assert seen.state.plan is not None, "it is planned"
    used, bounds = seen.state.plan.tie_breaks if tie_breaks is None else tie_breaks, seen.possible(tie_breaks)
    unknown = _unknown_scores(seen)
    return [
        {
            "rank": place.rank,
            "id": place.id,
            "won": place.won,
            "unknown_scores": unknown[place.id],
            "tie_breaks": dict(zip(used, place.values, strict=True)),
            "best_rank": bounds[place.id].best if bounds else None,
            "worst_rank": bounds[place.id].worst if bounds else None,
            "withdrawn": seen.state.entries[place.id].withdrawn_at is not None,
        }
        for place in seen.standing(tie_breaks)
    ]


def _unknown_scores(seen: SeenTournament) -> dict[str, int]:
    """How many matches of each competitor count 0 and 0 because their score was not recorded."""
    return {id_: sum(not one.known for one in own) for id_, own in seen.outcomes().items()}


def _drawing(snapshot: Snapshot, seen: SeenTournament, of: RoundState) -> RoundDrawn:
    return drawings_by_tournament(snapshot, [seen.state.id])[seen.state.id][of.number]


def _today(snapshot: Snapshot, seen: SeenTournament, of: RoundState) -> list[Table]:
    return [] if of.root is None else tables_today(seen, of, _drawing(snapshot, seen, of))


def _print_tables(title: str, tables: Sequence[Table], names: Mapping[str, str]) -> None:
    rows = [(table.number, *_named(table, names)) for table in tables]
    terminal.table(title, (_("table"), _("side 0"), _("side 1")), rows)


def _sides(table: Table | TableOfRound) -> dict[str, Any]:
    return {"table": table.number, "sides": [list(side) for side in table.sides]}


def _named(table: Table | TableOfRound, names: Mapping[str, str]) -> list[str]:
    return [" & ".join(names[id_] for id_ in side) for side in table.sides]


def _relaxed(one: Relaxed, names: Mapping[str, str]) -> str:
    return words_of_relaxed(one.criterion, joined(names.get(id_, id_) for id_ in one.ids), one.round)
