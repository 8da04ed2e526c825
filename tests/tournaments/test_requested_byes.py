"""A competitor asks for a bye of a round before it is drawn, and may take the request back."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from leagues import catch_up, exported
from played_tournaments import ACTOR, drawn, finish, planned, published, register, state_of
from random_tournaments import PlayedTournament
from test_recorded_tournaments import recorded_of

from league.application.bootstrap import League
from league.domain.refusals import InvalidInput, NotFound, WrongState
from league.tournaments.domain import commands as c
from league.tournaments.domain import entering
from league.tournaments.domain.inputs import would_differ
from league.tournaments.domain.state import TournamentState
from league.tournaments.drawing import publish_round
from league.tournaments.events import CACHED
from league.tournaments.recorded_events import steps_of


def swiss(league: League, players: int = 5, **plan: Any) -> None:
    planned(league, [[player] for player in register(league, players)], **{"format": "swiss", "mode": "1v1", **plan})


def ask(league: League, competitor: str = "p01", number: int = 1) -> int:
    return league.dispatcher.send(c.RequestBye("copa", competitor, number), ACTOR)


def take_back(league: League, competitor: str = "p01", number: int = 1) -> int:
    return league.dispatcher.send(c.TakeBackBye("copa", competitor, number), ACTOR)


def test_who_asks_is_not_drawn_for_that_round(league: League) -> None:
    """Four of five play, so nobody sits out; in the next round all five are drawn again."""
    swiss(league)
    ask(league)
    of = published(league)
    assert (of.byes, of.requested, "p01" in of.order) == ((), ("p01",), False)
    finish(league)
    second = published(league)
    assert (second.requested, len(second.order), len(second.byes)) == ((), 5, 1)


def test_a_requested_bye_gives_what_the_plan_says_and_is_none_of_the_byes(league: League) -> None:
    """It adds the own wins to `buchholz`, and counts neither in `byes` nor in `fewest_byes`."""
    plan = {"requested_bye": {"won": True, "for": 40, "against": 30}, "tie_breaks": ["buchholz", "fewest_byes"]}
    swiss(league, **plan)
    ask(league)
    published(league)
    catch_up(league)
    [row] = [row for row in exported(league.database.url, "tournament_standings") if row["id"] == "p01"]
    values = [one["value"] for one in row["tie_breaks"]]
    assert (row["won"], row["lost"], row["byes"], values) == (1, 0, 0, [1, 0])
    [bye] = [row for row in exported(league.database.url, "pairings") if row["table"] is None]
    assert (bye["sides"], bye["status"], bye["counts"]) == ([["p01"]], "requested_bye", [40, 30])


def test_a_request_is_taken_back_before_the_drawing(league: League) -> None:
    """Then the competitor is drawn like everybody."""
    swiss(league, players=4)
    ask(league)
    take_back(league)
    assert len(drawn(league).order) == 4


def test_after_the_drawing_nobody_asks_or_takes_back(league: League) -> None:
    """Whoever sees the drawing can no longer choose. After a withdrawal of the round they can."""
    swiss(league)
    ask(league)
    drawn(league)
    for refused in (lambda: ask(league, "p02"), lambda: take_back(league)):
        with pytest.raises(WrongState, match="before the drawing") as found:
            refused()
        assert found.value.code == "ROUND_DRAWN"
    publish_round(league, c.PublishRound("copa", 1), ACTOR)
    with pytest.raises(WrongState) as found:
        ask(league, "p02")
    assert found.value.code == "ROUND_PUBLISHED"
    league.dispatcher.send(c.WithdrawRound("copa", 1, "wrong names"), ACTOR)
    take_back(league)
    ask(league, "p02")
    assert drawn(league).requested == ("p02",)


def test_a_bye_of_a_later_round_may_be_asked_for(league: League) -> None:
    """It waits for the drawing of that round."""
    swiss(league, players=4)
    ask(league, number=2)
    assert published(league).requested == ()
    finish(league)
    assert drawn(league).requested == ("p01",)


@pytest.mark.parametrize(("competitor", "number"), [("p01", 0), ("p01", 5)])
def test_only_rounds_of_the_plan_are_asked_for(league: League, competitor: str, number: int) -> None:
    """The refusal says which rounds there are."""
    swiss(league)
    with pytest.raises(InvalidInput, match="from 1 to 4"):
        ask(league, competitor, number)


def test_each_refusal_has_its_code(league: League) -> None:
    """Twice, never asked, withdrawn, unknown: each is told apart."""
    swiss(league)
    ask(league)
    assert code_of(lambda: ask(league)) == "BYE_REQUESTED"
    assert code_of(lambda: take_back(league, "p02")) == "BYE_NOT_REQUESTED"
    league.dispatcher.send(c.Withdraw("copa", "p01"), ACTOR)
    assert code_of(lambda: ask(league, number=2)) == "ALREADY_WITHDRAWN"
    assert state_of(league).requested() == ()
    with pytest.raises(NotFound):
        ask(league, "p09")


def code_of(act: Any) -> str:
    with pytest.raises(WrongState) as refused:
        act()
    return str(refused.value.code)


def test_in_a_round_robin_nobody_asks_for_a_bye(league: League) -> None:
    """The format says who meets."""
    swiss(league, format="round_robin", rounds=None)
    assert code_of(lambda: ask(league)) == "NO_REQUESTED_BYES"


def test_who_asks_and_withdraws_before_the_publication_gets_nothing(league: League) -> None:
    """The round is drawn again, as it is for everybody who withdraws."""
    swiss(league)
    ask(league)
    drawn(league)
    league.dispatcher.send(c.Withdraw("copa", "p01"), ACTOR)
    with pytest.raises(WrongState, match="'p01' has withdrawn since it was drawn"):
        publish_round(league, c.PublishRound("copa", 1), ACTOR)
    assert drawn(league, again="without p01").requested == ()


def test_who_is_not_there_yet_may_ask(league: League) -> None:
    """Where the plan asks who is there, somebody who comes later gets the bye without a check-in."""
    swiss(league, check_in=True)
    league.dispatcher.send(c.CheckIn("copa", ("p02", "p03")), ACTOR)
    ask(league)
    of = published(league)
    assert (of.requested, set(of.order)) == (("p01",), {"p02", "p03"})


def test_an_import_guesses_no_request_of_a_round_that_is_not_published(rng: Random) -> None:
    """One asked for a bye, another one withdrew and returned after the drawing: their lines are alike.

    The round counts as outdated, so nobody publishes it without noticing.
    """
    plan = {"name": "Copa", "format": "swiss", "ruleset": "cuban-150", "mode": "1v1", "rounds": 4}
    played = PlayedTournament(rng, most=7, plan=plan)
    played.draw()
    played.play_round()
    asks, leaves, *_ = played.state.available()
    played._take(entering.request_bye(c.RequestBye("copa", asks.id, played.state.next_round), played.state))
    played._take(entering.withdraw(c.Withdraw("copa", leaves.id), played.state))
    played.luck = Random(3)  # nobody else asks
    played._draw(None)
    played._take(entering.return_(c.Return("copa", leaves.id), played.state))
    recorded, _ = recorded_of(played.rows())
    state = TournamentState("copa")
    for step in steps_of(recorded, played.now):
        state = CACHED.after(state, step.events, [step.at] * len(step.events))
    assert (state.requested(), state.rounds[-1].requested) == ((), ())
    of = state.rounds[-1]
    assert of.drawing is not None
    assert would_differ(state, of.drawing, of.seed, played.results, played.seen.points, {})
