"""Players say that the other side did not come. It decides nothing until that side or an organiser confirms it."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import catch_up, exported
from played_tournaments import ACTOR, finish, planned, published, register, state_of

from league.application.bootstrap import League
from league.domain.match import RecordHand
from league.domain.refusals import NotFound, WrongState
from league.tournaments.domain import commands as c
from league.tournaments.domain.results import OPEN
from league.tournaments.domain.round_tables import claims_of
from league.tournaments.domain.state import TableOfRound
from tests.leagues import domino


@pytest.fixture
def first(league: League) -> tuple[str, str]:
    """The two competitors at table 1 of a published round, by side."""
    planned(league, [[player] for player in register(league, 5)], format="swiss", mode="1v1")
    (one,), (other,) = published(league).tables[0].sides
    return one, other


def claim(league: League, competitor: str) -> int:
    return league.dispatcher.send(c.ClaimAbsence("copa", competitor, 1), competitor)


def confirm(league: League, competitor: str) -> int:
    return league.dispatcher.send(c.ConfirmAbsence("copa", competitor, 1), competitor)


def table(league: League) -> TableOfRound:
    return state_of(league).rounds[0].tables[0]


def code_of(act: Any) -> str:
    with pytest.raises(WrongState) as refused:
        act()
    return str(refused.value.code)


def test_a_claim_decides_nothing(league: League, first: tuple[str, str]) -> None:
    """The match stays open, and is played as if nothing had been said."""
    claim(league, first[0])
    assert (table(league).claimed, table(league).absent) == ((1,), ())
    assert league.store.version("match:copa-r1-t1") == 1
    finish(league)
    catch_up(league)
    assert exported(league.database.url, "pairings")[0]["status"] == "announced"


def test_the_side_that_did_not_come_confirms_it(league: League, first: tuple[str, str]) -> None:
    """Then it is a walkover like one that an organiser records, and the match is voided."""
    claim(league, first[0])
    confirm(league, first[1])
    assert (table(league).claimed, table(league).absent) == ((), (1,))
    assert league.store.load("match:copa-r1-t1")[-1].name == "match-voided/1"
    catch_up(league)
    row = exported(league.database.url, "pairings")[0]
    assert (row["status"], row["winner"]) == ("walkover", 0)


def test_an_organiser_confirms_it_by_recording_the_absence(league: League, first: tuple[str, str]) -> None:
    """The claim is settled by that."""
    claim(league, first[0])
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (1,)), ACTOR)
    assert (table(league).claimed, table(league).absent) == ((), (1,))
    assert code_of(lambda: claim(league, first[0])) == "ABSENCE_RECORDED"


def test_two_opposite_claims_are_left_to_an_organiser(league: League, first: tuple[str, str]) -> None:
    """Neither side can settle them by confirming. The table has no result."""
    for one in first:
        claim(league, one)
    assert table(league).claimed == (0, 1)
    assert [code_of(lambda one=one: confirm(league, one)) for one in first] == ["CLAIMS_DISAGREE"] * 2
    catch_up(league)
    assert exported(league.database.url, "pairings")[0]["status"] == "open"
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (0, 1)), ACTOR)
    assert table(league).absent == (0, 1)


def test_a_claim_lapses_when_play_begins(league: League, first: tuple[str, str]) -> None:
    """They came after all: nobody sees the claim any more, and nobody can confirm it."""
    claim(league, first[0])
    assert claims_of(table(league), {"copa-r1-t1": OPEN}) == (1,)
    league.dispatcher.send(RecordHand("copa-r1-t1", domino(0, (), 20)), ACTOR)
    begun = {"copa-r1-t1": OPEN.__class__("open", begun=True)}
    assert claims_of(table(league), begun) == ()
    assert code_of(lambda: confirm(league, first[1])) == "TABLE_BEGUN"
    assert code_of(lambda: claim(league, first[1])) == "TABLE_BEGUN"


def test_each_refusal_has_its_code(league: League, first: tuple[str, str]) -> None:
    """Said twice, never said, and somebody who sits out are told apart."""
    assert code_of(lambda: confirm(league, first[1])) == "ABSENCE_NOT_CLAIMED"
    claim(league, first[0])
    assert code_of(lambda: claim(league, first[0])) == "ABSENCE_CLAIMED"
    assert code_of(lambda: confirm(league, first[0])) == "ABSENCE_NOT_CLAIMED"
    (out,) = state_of(league).rounds[0].byes
    with pytest.raises(NotFound):
        claim(league, out)


def test_a_repeated_claim_is_stored_once(league: League, first: tuple[str, str]) -> None:
    """A repeated key gets the first answer, also after the absence was recorded."""
    command = c.ClaimAbsence("copa", first[0], 1)
    position = league.dispatcher.send(command, first[0], key="once")
    confirm(league, first[1])
    assert league.dispatcher.send(command, first[0], key="once") == position


def test_another_pairing_or_match_drops_the_claims(league: League, first: tuple[str, str]) -> None:
    """They were about the table as it was."""
    claim(league, first[0])
    tables = (c.NewTable(1, ((first[1],), (first[0],))),)
    league.dispatcher.send(c.ChangePairings("copa", 1, tables, "a wish"), ACTOR)
    assert table(league).claimed == ()
