"""How the terminal shows tournaments."""

from collections.abc import Sequence
from typing import Any

import msgspec

from league.cli import terminal
from league.projections.queries.official import names_of
from league.projections.queries.snapshot import Snapshot
from league.tournaments.domain.drawn import Relaxed
from league.tournaments.domain.plan import plan_hash
from league.tournaments.domain.results import table_result
from league.tournaments.domain.standing import TieBreak
from league.tournaments.domain.state import RoundState
from league.tournaments.projections.seen import SeenTournament
from league.tournaments.words import words_of_format, words_of_relaxed, words_of_status, words_of_tie_break
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
            "rounds": [_round(seen, of) for of in state.rounds],
            "standing": _standing(seen, None),
            **({} if position is None else {"position": position}),
        }
        terminal.print_json(document)
        return
    terminal.out.print(
        _(
            "{name}: {format}, {status}, {count} entered",
            name=state.plan.name,
            format=words_of_format(state.plan.format),
            status=words_of_status(state.status),
            count=len(state.entries),
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
        terminal.print_json(_round(seen, of))
        return
    names = names_of(snapshot.conn, seen.state.entries)
    rows = []
    for table in of.tables:
        result = table_result(table, seen.results, seen.points)
        score = "" if result.score is None else " : ".join(map(str, result.score))
        sides = [" & ".join(names[id_] for id_ in side) for side in table.sides]
        relaxed = "; ".join(_relaxed(one, names) for one in table.relaxed)
        rows.append((table.number, *sides, score, words_of_status(result.status), table.match, relaxed))
    columns = (_("table"), _("side 0"), _("side 1"), _("score"), _("status"), _("match"), _("what gave way"))
    title = _("Round {round}: {status}", round=of.number, status=words_of_status(of.status))
    terminal.table(title, columns, rows)
    if of.byes:
        terminal.out.print(_("Sit out: {names}", names=", ".join(names[id_] for id_ in of.byes)), markup=False)


def print_standing(
    snapshot: Snapshot, seen: SeenTournament, tie_breaks: Sequence[TieBreak] | None, *, as_json: bool
) -> None:
    """The standing, with what is still possible."""
    if as_json:
        terminal.print_json(_standing(seen, tie_breaks))
        return
    names, bounds = names_of(snapshot.conn, seen.state.entries), seen.possible()
    assert seen.state.plan is not None, "it is planned"
    used = seen.state.plan.tie_breaks if tie_breaks is None else tie_breaks
    unknown = _unknown_scores(seen)
    rows = [
        (
            place.rank,
            names[place.id] + (" *" if unknown[place.id] else ""),
            place.won,
            *place.values,
            f"{bounds[place.id].best}-{bounds[place.id].worst}",
        )
        for place in seen.standing(tie_breaks)
    ]
    columns = (_("rank"), _("competitor"), _("won"), *map(words_of_tie_break, used), _("still possible"))
    terminal.table(_("Standing"), columns, rows)
    if any(unknown.values()):
        terminal.out.print(_("* A match of theirs counts 0 to 0, for nobody wrote its score down."), markup=False)


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


def _round(seen: SeenTournament, of: RoundState) -> dict[str, Any]:
    tables = [(table, table_result(table, seen.results, seen.points)) for table in of.tables]
    return {
        "round": of.number,
        "status": of.status,
        "drawings": of.drawings,
        "seed": of.seed,
        "signed": of.signed,
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
    used, bounds = seen.state.plan.tie_breaks if tie_breaks is None else tie_breaks, seen.possible()
    unknown = _unknown_scores(seen)
    return [
        {
            "rank": place.rank,
            "id": place.id,
            "won": place.won,
            "unknown_scores": unknown[place.id],
            "tie_breaks": dict(zip(used, place.values, strict=True)),
            "best_rank": bounds[place.id].best,
            "worst_rank": bounds[place.id].worst,
        }
        for place in seen.standing(tie_breaks)
    ]


def _unknown_scores(seen: SeenTournament) -> dict[str, int]:
    """How many matches of each competitor count 0 and 0, for nobody wrote their score down."""
    return {id_: sum(not one.known for one in own) for id_, own in seen.outcomes().items()}


def _relaxed(one: Relaxed, names: dict[str, str]) -> str:
    who = ", ".join(names.get(id_, id_) for id_ in one.ids)
    return words_of_relaxed(one.criterion, who, one.round)
