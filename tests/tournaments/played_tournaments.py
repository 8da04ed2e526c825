"""Tournaments for tests: planned, entered and played in a league, a few lines each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from league.application.bootstrap import League
from league.domain.match import ForfeitMatch, RecordResult
from league.domain.player import RegisterPlayer
from league.domain.result import AnnouncedResult
from league.tournaments.domain import commands as c
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.drawing import draw_round, publish_round
from league.tournaments.tournament_states import stored_tournament

PLAN: dict[str, Any] = {"name": "Copa", "format": "rotating_partners", "ruleset": "cuban-150", "rounds": 4}
ACTOR = "organiser"

Score = tuple[int, int]


def register(league: League, count: int) -> list[str]:
    """Register `count` players from p01 on, in turn of two regions and of none."""
    ids = [f"p{number:02}" for number in range(1, count + 1)]
    commands = [RegisterPlayer(id_, f"Player {id_}", ("Granma", "Holguín", None)[at % 3]) for at, id_ in enumerate(ids)]
    league.dispatcher.send_all(commands, ACTOR)
    return ids


def planned(league: League, entries: Sequence[Sequence[str]], tournament: str = "copa", **plan: Any) -> TournamentState:
    """Plan a tournament, and enter these players or pairs. A setting that is None is left out."""
    settings = {name: value for name, value in {**PLAN, **plan}.items() if value is not None}
    league.dispatcher.send(c.PlanTournament(tournament, settings), ACTOR)
    for players in entries:
        league.dispatcher.send(c.EnterCompetitor(tournament, tuple(players)), ACTOR)
    return state_of(league, tournament)


def state_of(league: League, tournament: str = "copa") -> TournamentState:
    """The state of a tournament as it is stored."""
    return stored_tournament(league.dispatcher.state_cache, tournament)


def drawn(league: League, tournament: str = "copa", **command: Any) -> RoundState:
    """Draw the next round."""
    draw_round(league, c.DrawRound(tournament, **command), ACTOR)
    return state_of(league, tournament).rounds[-1]


def published(league: League, tournament: str = "copa", **command: Any) -> RoundState:
    """Draw the next round and publish it."""
    of = drawn(league, tournament, **command)
    publish_round(league, c.PublishRound(tournament, of.number), ACTOR)
    return state_of(league, tournament).rounds[-1]


def first_wins(_of: RoundState, table: int) -> Score:
    """Side 0 wins at every table; the loser's score grows with the table's number."""
    return 150, 10 * table


def finish(
    league: League,
    tournament: str = "copa",
    score: Callable[[RoundState, int], Score] = first_wins,
    *,
    forfeited: int | None = None,
) -> None:
    """Record a result at every open table of the last round. Side 0 gives up at the table `forfeited`."""
    of = state_of(league, tournament).rounds[-1]
    for table in of.tables:
        if table.match is not None and table.number == forfeited:
            league.dispatcher.send(ForfeitMatch(table.match, 0), ACTOR)
        elif table.match is not None and not table.absent:
            points = score(of, table.number)
            result = AnnouncedResult(int(points[1] > points[0]), points)
            league.dispatcher.send(RecordResult(table.match, result), ACTOR)


def played(league: League, rounds: int, tournament: str = "copa") -> TournamentState:
    """Play this many rounds."""
    for _ in range(rounds):
        published(league, tournament)
        finish(league, tournament)
    return state_of(league, tournament)


def bytes_of(competitor: str, number: int = 1) -> str:
    """The bytes that a device keeps secret, in hexadecimal."""
    return hashlib.sha256(f"{competitor} {number}".encode()).hexdigest()


def commitment_of(competitor: str, number: int = 1) -> str:
    """The commitment to these bytes."""
    return hashlib.sha256(bytes.fromhex(bytes_of(competitor, number))).hexdigest()


def commit(league: League, competitor: str, number: int = 1) -> int:
    """Promise the bytes of a competitor's device to the next drawing."""
    return league.dispatcher.send(c.CommitSeed("copa", competitor, commitment_of(competitor, number)), competitor)


def give(league: League, competitor: str, number: int = 1, of: tuple[int, int] = (1, 1)) -> int:
    """Give the promised bytes, with the next commitment. `of`: the round, and the number of its drawing."""
    following = commitment_of(competitor, number + 1)
    command = c.ContributeSeed("copa", *of, competitor, bytes_of(competitor, number), following)
    return league.dispatcher.send(command, competitor)
