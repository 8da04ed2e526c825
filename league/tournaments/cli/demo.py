"""What `league demo` shows of tournaments with rotating partners: one of the season, and one that is about to begin."""

from pathlib import Path

import msgspec
from sqlalchemy import select

from league.application.bootstrap import League
from league.cli import terminal
from league.cli.opening import reading
from league.infra.shipped_files import shipped
from league.projections import tables as t
from league.projections.queries.official import chosen_run, names_of
from league.projections.queries.snapshot import Snapshot, snapshot_of
from league.tournaments.domain import commands as c
from league.tournaments.domain.standing import table_result
from league.tournaments.domain.state import RoundState
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.seen import SeenTournament, tournaments_by_id
from league.tournaments.tournament_states import stored_tournament
from league.tournaments.words import (
    days_of,
    shown_value,
    words_of_relaxed,
    words_of_round,
    words_of_status,
    words_of_tie_break,
)
from league.transfer.recorded_season import import_season
from league.wording.joining import joined
from league.wording.language import _

ID, ACTOR = "copa-de-la-casa", "demo"
RECORDED = "examples/copa-2026"
"""Of players of the season that is installed. A league of another season has none of them."""
PLAYED = "copa-junio"
PLAYERS = 14
"""Two of them sit out."""
PLAN = {
    "name": "Copa de la casa",
    "format": "rotating_partners",
    "ruleset": "cuban-150",
    "rounds": 5,
    "minutes": 25,
    "first_round": "rating",
}
_r = t.ratings.c


def show_tournament(league: League) -> None:
    """Import a tournament of the season, publish the first round of another one, and show both."""
    folder = shipped(RECORDED)
    has_players = _players_of(folder) <= _known_players(league)
    if has_players:
        import_season(folder, league.store, league.dispatcher.clock, ACTOR)
    league.project()
    with reading(league) as conn:
        run = chosen_run(conn, None)
        most = select(_r.id).where(_r.run == run, _r.subject == "player", _r.mode == "2v2")
        players = conn.scalars(most.order_by(_r.matches.desc(), _r.id).limit(PLAYERS)).all()
    if stored_tournament(league.dispatcher.kept_states, ID).plan is None:
        entering = [c.EnterCompetitor(ID, (player,)) for player in players]
        league.dispatcher.send_all([c.PlanTournament(ID, PLAN), *entering], ACTOR)
        draw_round(league, c.DrawRound(ID), ACTOR)
        publish_round(league, c.PublishRound(ID, 1), ACTOR)
        league.project()
    title = _("4. A tournament in which each player gets another partner every round")
    terminal.out.rule(f"[bold]{title}", align="left")
    with reading(league) as conn:
        snapshot = snapshot_of(conn, chosen_run(conn, None))
        seen = tournaments_by_id(snapshot, [ID])[ID]
        if has_players:
            terminal.out.print(_("{tournament}: the final standing", tournament=PLAYED), style="bold")
            print_standing(snapshot, tournaments_by_id(snapshot, [PLAYED])[PLAYED])
        terminal.out.print(_("{tournament}: the round that is about to begin", tournament=ID), style="bold")
        print_round(snapshot, seen, seen.state.rounds[0])


def print_round(snapshot: Snapshot, seen: SeenTournament, of: RoundState) -> None:
    """Print the tables of a round, and who sits out."""
    names = names_of(snapshot.conn, seen.state.entries)
    rows = []
    for table in of.tables:
        result = table_result(table, seen.results, seen.points)
        sides = [" & ".join(names[id_] for id_ in side) for side in table.sides]
        score = "" if result.score is None else " : ".join(map(str, result.score))
        relaxed = "; ".join(
            words_of_relaxed(one.criterion, joined(names.get(id_, id_) for id_ in one.ids), one.round)
            for one in table.relaxed
        )
        rows.append((table.number, *sides, score, words_of_status(result.status), table.match, relaxed))
    columns = (_("table"), _("side 0"), _("side 1"), _("score"), _("status"), _("match"), _("what gave way"))
    terminal.table(", ".join([words_of_round(of.number, of.status), *days_of(of.day, of.until)]), columns, rows)
    if of.byes:
        terminal.out.print(_("Sit out: {names}", names=", ".join(names[id_] for id_ in of.byes)), markup=False)


def print_standing(snapshot: Snapshot, seen: SeenTournament) -> None:
    """Print the standing, with the ranks that are still possible."""
    assert seen.state.plan is not None, "it is planned"
    names, bounds, tie_breaks = names_of(snapshot.conn, seen.state.entries), seen.possible(), seen.state.plan.tie_breaks
    outcomes = seen.outcomes()
    rows, scores_missing = [], False
    for place in seen.standing():
        name = names[place.id]
        if not all(one.known for one in outcomes[place.id]):
            name, scores_missing = f"{name} *", True
        if seen.state.entries[place.id].withdrawn_at is not None:
            name = _("{competitor} (withdrew)", competitor=name)
        values = [shown_value(key, value) for key, value in zip(tie_breaks, place.values, strict=True)]
        possible = [f"{bounds[place.id].best}-{bounds[place.id].worst}"] if bounds else []
        rows.append((place.rank, name, place.won, *values, *possible))
    last = [_("still possible")] if bounds else []
    columns = (_("rank"), _("competitor"), _("won"), *map(words_of_tie_break, tie_breaks), *last)
    terminal.table(_("Standing"), columns, rows)
    if scores_missing:
        terminal.out.print(_("* A match of theirs counts 0 to 0, for nobody wrote its score down."), markup=False)


def _players_of(season: Path) -> set[str]:
    """The ids of the players of a recorded season."""
    lines = (season / "players.jsonl").read_bytes().splitlines()
    return {msgspec.json.decode(line)["player"] for line in lines}


def _known_players(league: League) -> set[str]:
    with reading(league) as conn:
        return set(conn.scalars(select(t.players.c.player_id)))
