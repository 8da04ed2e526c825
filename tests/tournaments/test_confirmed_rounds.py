"""All results of a round that await confirmation are confirmed at once."""

from __future__ import annotations

import pytest
from leagues import catch_up, reading
from played_tournaments import ACTOR, finish, planned, published, register

from league.application.bootstrap import League
from league.domain.disputes import DisputeResult
from league.domain.league import ChangeSettings
from league.domain.refusals import NotFound, WrongState
from league.domain.wrong_states import NothingToConfirm
from league.tournaments.domain import commands as c
from league.tournaments.domain.refusals import RoundNotPublished
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import tournaments_by_id


def seen(league: League) -> SeenTournament:
    catch_up(league)
    with reading(league.database.url) as snapshot:
        return tournaments_by_id(snapshot, ["copa"])["copa"]


def confirm(league: League, number: int = 1) -> None:
    league.dispatcher.send(c.ConfirmRound("copa", number), ACTOR)


def refusal_of(league: League, number: int = 1) -> type[WrongState]:
    with pytest.raises(WrongState) as refused:
        confirm(league, number)
    assert refused.value.at == "round"
    return refused.type


def test_a_round_is_confirmed_except_what_is_disputed(league: League) -> None:
    """Tables that are open, or have an absence, do not matter. Then there is nothing left, and the refusal says why."""
    planned(league, [[player] for player in register(league, 8)], format="swiss", mode="1v1", rounds=1)
    league.dispatcher.send(ChangeSettings(confirmation=True), ACTOR)
    with pytest.raises(NotFound):
        confirm(league)
    of = published(league)
    league.dispatcher.send(c.RecordAbsence("copa", 1, 4, (1,)), ACTOR)
    assert refusal_of(league) is NothingToConfirm
    finish(league)
    first, disputed, third = (table.match or "" for table in of.tables[:3])
    league.dispatcher.send(DisputeResult(disputed, of.tables[1].sides[0][0], "not so"), ACTOR)
    assert seen(league).pending == {1: [first, disputed, third]}
    confirm(league)
    assert seen(league).pending == {1: [disputed]}
    assert refusal_of(league) is NothingToConfirm


def test_a_round_that_is_not_published_has_nothing_to_confirm(league: League) -> None:
    """A withdrawn round has no results either."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1", rounds=1)
    published(league)
    league.dispatcher.send(c.WithdrawRound("copa", 1, "too early"), ACTOR)
    assert refusal_of(league) is RoundNotPublished
