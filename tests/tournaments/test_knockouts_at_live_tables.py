"""Ties of a knock-out whose games are played at live tables."""

from __future__ import annotations

from live_tables import SLOW, contribute, do, league_with_tables, now, play
from played_tournaments import ACTOR, planned, published, state_of

from league.application.bootstrap import League, clock
from league.application.stream_states import StreamStates
from league.domain.match import MatchOpened
from league.tables.domain.commands_and_events import OpenTableOfMatch, SayReady
from league.tournaments.domain import commands as c
from league.tournaments.domain.results import Results
from league.tournaments.domain.state import TableOfRound
from league.tournaments.domain.ties import tie_result
from league.tournaments.tournament_states import results_of

ONE_HAND = f"[rulesets.cuban-150]\ntarget = 1\n{SLOW}"
"""Rules under which the first hand that gives points ends a match."""


def play_at_table(league: League, match: str) -> None:
    """Open the table of a match, and play until the match ends."""
    do(league, OpenTableOfMatch(match), "ana")
    for player in ("ana", "bea"):
        do(league, SayReady(match, player))
    while (table := now(league, match)).phase != "closed":
        if table.play is None:
            contribute(league, table)
        else:
            play(league, table)
    assert table.closed == "finished"


def test_the_next_game_of_a_tie_opens_when_a_live_table_ends_the_one_before(database_url: str) -> None:
    """It has the rules and seats of the first, and a table of its own. The tie ends with the game that decides."""
    with league_with_tables(database_url, ONE_HAND) as league:
        planned(league, [["ana"], ["bea"]], format="knockout", mode="1v1", rounds=None, best_of=3)
        [tie] = published(league).tables
        while tie_result(tie, results(league, tie)).is_over is False:
            play_at_table(league, str(tie.match))
            [tie] = state_of(league).rounds[0].tables
        assert len(tie.games) in {2, 3}
        opened = [league.store.load(f"match:{match}")[0].event for match in tie.matches]
        assert len({(event.ruleset, event.seats) for event in opened if isinstance(event, MatchOpened)}) == 1
        league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def results(league: League, tie: TableOfRound) -> Results:
    """The results of the games of a tie."""
    return results_of(tie.matches, StreamStates(league.store, clock()))
