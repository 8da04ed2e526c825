"""Tournaments follow from the state of the read side, and are computed once for as long as they are the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from leagues import catch_up
from played_tournaments import ACTOR, finish, planned, played, published, register
from signed_leagues import unsigned_league

from league.application.bootstrap import League
from league.domain.match import VoidMatch
from league.domain.player import RenamePlayer
from league.infra.database import engine
from league.projections.queries.snapshot import Snapshot, take_snapshot
from league.tournaments.domain.commands import Withdraw
from league.tournaments.match_results import read_results
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import changed_since, tournaments_by_id


@contextmanager
def reading(league: League) -> Iterator[Snapshot]:
    """The newest state of the read side."""
    pool = engine(league.database.url, pool_size=1)
    snapshot = take_snapshot(pool)
    try:
        yield snapshot
    finally:
        snapshot.close()
        pool.dispose()


def seen(league: League) -> SeenTournament:
    """The tournament as a new snapshot shows it."""
    with reading(league) as snapshot:
        return tournaments_by_id(snapshot, ["copa"])["copa"]


def test_a_tournament_is_the_same_object_until_it_changes(embedded_server: str) -> None:
    """What it has computed stays with it over states that do not concern it; a result and an event make another."""
    with unsigned_league(embedded_server) as league:
        register(league, 4)
        planned(league, [[f"p0{number}"] for number in range(1, 5)], format="swiss", mode="1v1")
        published(league)
        catch_up(league)
        first = seen(league)
        league.dispatcher.send(RenamePlayer("p01", "Another name"), ACTOR)
        catch_up(league)
        assert seen(league) is first
        finish(league)
        catch_up(league)
        now = seen(league)
        assert now is not first
        assert [place.won for place in now.standing()] == [1, 1, 0, 0]
        league.dispatcher.send(Withdraw("copa", "p01"), ACTOR)
        assert seen(league).state.entries["p01"].withdrawn_at is not None, "its rows are written with its events"


def test_an_event_of_a_tournament_leads_to_another_state_at_once(embedded_server: str) -> None:
    """Before the projector has read it: answers that were cached are dropped."""
    with unsigned_league(embedded_server) as league:
        register(league, 2)
        planned(league, [["p01"], ["p02"]], format="swiss", mode="1v1")
        catch_up(league)
        with reading(league) as snapshot:
            before, position = snapshot.state, snapshot.position
            assert changed_since(snapshot, 0) == ["copa"]
        league.dispatcher.send(Withdraw("copa", "p01"), ACTOR)
        with reading(league) as snapshot:
            assert before is not None
            assert snapshot.state is not None
            assert snapshot.position == position
            assert snapshot.state > before
        catch_up(league)
        with reading(league) as snapshot:
            assert changed_since(snapshot, position) == ["copa"]
            assert changed_since(snapshot, snapshot.position) == []


@pytest.mark.heavy
def test_only_rounds_with_other_results_are_read_again(embedded_server: str) -> None:
    """Results of other rounds stay the same objects, and all are as if nothing had been read before."""
    with unsigned_league(embedded_server) as league:
        register(league, 4)
        planned(league, [[f"p0{number}"] for number in range(1, 5)], format="swiss", mode="1v1")
        played(league, 2)
        catch_up(league)
        before = seen(league)
        corrected = before.state.rounds[1].tables[0].match
        assert corrected is not None
        league.dispatcher.send(VoidMatch(corrected, "wrong table"), ACTOR)
        catch_up(league)
        after = seen(league)
        again = {match for match, result in after.results.items() if result is not before.results[match]}
        assert again == {table.match for table in after.state.rounds[1].tables}
        assert after.results[corrected].status == "voided"
        with reading(league) as snapshot:
            by_round = read_results(snapshot, {"copa": after.state}, {})["copa"]
            with_other = read_results(snapshot, {"other": after.state, "copa": after.state}, {"copa": by_round})["copa"]
        assert [with_other[number] is of for number, of in by_round.items()] == [True, True]
        assert {match: one for of in by_round.values() for match, one in of.results.items()} == after.results
