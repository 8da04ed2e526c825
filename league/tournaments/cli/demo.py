"""What `league demo` shows of tournaments with rotating partners: one of the season, and one that is about to begin."""

from pathlib import Path

import msgspec
from sqlalchemy import select

from league.application.bootstrap import League
from league.cli import terminal
from league.cli.opening import reading
from league.infra.shipped_files import shipped
from league.projections import tables as t
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import snapshot_of
from league.tournaments.application.drawing import draw_round, publish_round
from league.tournaments.application.tournament_states import stored_tournament
from league.tournaments.cli.tournament_page import print_round, print_standing
from league.tournaments.domain import commands as c
from league.tournaments.projections.seen import tournaments_by_id
from league.transfer.recorded_season import import_season
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
            print_standing(snapshot, tournaments_by_id(snapshot, [PLAYED])[PLAYED], None, as_json=False)
        terminal.out.print(_("{tournament}: the round that is about to begin", tournament=ID), style="bold")
        print_round(snapshot, seen, seen.state.rounds[0], as_json=False)


def _players_of(season: Path) -> set[str]:
    """The ids of the players of a recorded season."""
    lines = (season / "players.jsonl").read_bytes().splitlines()
    return {msgspec.json.decode(line)["player"] for line in lines}


def _known_players(league: League) -> set[str]:
    with reading(league) as conn:
        return set(conn.scalars(select(t.players.c.player_id)))
