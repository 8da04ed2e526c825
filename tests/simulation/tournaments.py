"""A tournament of a simulated league: what its director does, round after round."""

from __future__ import annotations

from random import Random

from league.application.bootstrap import League
from league.domain.deciders import Command
from league.domain.match import RecordResult
from league.tournaments.domain import commands as c
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.tournament_states import stored_tournament
from tests.simulation.people import World, announced, one

PLAN = {"name": "Copa", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 3, "first_round": "drawn"}
ENOUGH = 4
"""Competitors: with fewer nothing is drawn."""


def tournament_command(league: League, world: World, random: Random) -> Command:
    """What the director of the newest tournament does next; now and then somebody comes late or goes."""
    state = stored_tournament(league.dispatcher.state_cache, f"c{world.tournaments}")
    if state.plan is None or state.ended:
        return c.PlanTournament(f"c{world.tournaments + state.ended}", PLAN)
    if len(state.available()) < ENOUGH or random.random() < 0.1:
        return c.EnterCompetitor(state.id, (one(world, random),))
    if random.random() < 0.05:
        return random.choice((c.Withdraw, c.Return))(state.id, random.choice(sorted(state.entries)))
    last = state.rounds[-1] if state.rounds else None
    return next_round(state) if last is None or last.status == "closed" else in_round(state, last, world, random)


def next_round(state: TournamentState) -> Command:
    """The next round is drawn, or the tournament ends."""
    assert state.plan is not None, "it is planned"
    return c.EndTournament(state.id) if len(state.rounds) == state.plan.rounds else c.DrawRound(state.id)


def in_round(state: TournamentState, of: RoundState, world: World, random: Random) -> Command:
    """What is done in a round that is not closed."""
    if of.status == "drawn":
        again = random.random() < 0.2
        return c.DrawRound(state.id, "once more") if again else c.PublishRound(state.id, of.number)
    if random.random() < 0.7:
        return at_a_table(state, of, world, random)
    return c.CloseRound(state.id, of.number)


def at_a_table(state: TournamentState, of: RoundState, world: World, random: Random) -> Command:
    """A result at a table of a round, or somebody who does not come, or another match."""
    table = random.choice(of.tables)
    if table.match is None or random.random() < 0.05:
        return c.RecordAbsence(state.id, of.number, table.number, (0,))
    if random.random() < 0.05:
        return c.ReplaceMatch(state.id, of.number, table.number, "voided by mistake")
    world.matches.setdefault(table.match, len(table.competitors))
    return RecordResult(table.match, announced(random), None)


def carried_out(league: League, command: Command, actor: str, key: str) -> int:
    """Carry out a command as the API does, where a round that is drawn is paired as well. Returns its position."""
    match command:
        case c.DrawRound():
            draw_round(league, command, actor, key)
            answer = league.store.answer_to(actor, key)
            assert answer is not None, "it was drawn"
            return answer.position
        case c.PublishRound():
            return publish_round(league, command, actor, key)
        case _:
            return league.dispatcher.send(command, actor, "manual", key)
