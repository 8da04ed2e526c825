"""A tournament in a league, from its plan to its end: what is stored, opened and refused."""

from __future__ import annotations

import pytest
from played_tournaments import ACTOR, PLAN, drawn, finish, planned, played, published, register, state_of

from league.application.bootstrap import League, clock
from league.application.dispatch import decide, store_decided
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import Faults
from league.domain.match import RecordHand, RecordResult, ReopenMatch, VoidMatch
from league.domain.match_refusals import MatchOver
from league.domain.player import ErasePlayer, MergePlayers
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound, Refusal, WrongState
from league.domain.result import AnnouncedResult
from league.eventlog.records import AppendRequest, Overtaken
from league.tournaments.domain import commands as c
from league.tournaments.domain.outcomes import outcomes
from league.tournaments.tournament_states import point_rules_in_force, results_of
from tests.leagues import domino


def send(league: League, *commands: object) -> int:
    return league.dispatcher.send_all(commands, ACTOR)  # type: ignore[arg-type]


def test_each_table_has_one_match_that_opens_with_the_publication(league: League) -> None:
    """Fourteen players with rotating partners get three tables with ordinary matches, and two sit out."""
    players = register(league, 14)
    planned(league, [[player] for player in players])
    of = published(league)
    assert of.signed == (league.key is not None)
    assert sorted([*of.byes, *(id_ for table in of.tables for id_ in table.competitors)]) == players
    assert len(of.byes) == 2
    for table in of.tables:
        (first, second) = table.sides
        state = league.store.load(f"match:copa-r1-t{table.number}")
        assert state[0].event.seats == (first[0], second[0], first[1], second[1])  # type: ignore[attr-defined]


def test_two_rounds_are_paired_on_what_came_of_the_first(league: League) -> None:
    """The drawing stores wins, places, byes and who met; nobody has the same partner twice within the window."""
    planned(league, [[player] for player in register(league, 14)])
    state = played(league, 2)
    drawing = next(
        stored.event
        for stored in reversed(league.store.load("tournament:copa"))
        if stored.name == "tournament-round-drawn/1"
    )
    inputs = {one.id: one for one in drawing.competitors}  # type: ignore[attr-defined]
    first, second = state.rounds
    for table in first.tables:
        for side, ids in enumerate(table.sides):
            for id_ in ids:
                assert inputs[id_].won == int(side == 0)
                assert {met.id for met in inputs[id_].met} == set(table.sides[1 - side])
                assert {met.id for met in inputs[id_].partners} == set(ids) - {id_}
    assert {id_ for id_, one in inputs.items() if one.byes} == set(first.byes)
    assert not set(first.byes) & set(second.byes)
    partners = {frozenset(side) for of in state.rounds for table in of.tables for side in table.sides}
    assert len(partners) == 12
    assert [of.status for of in state.rounds] == ["closed", "published"]


def test_pairs_enter_a_swiss_tournament_and_stay_together(league: League) -> None:
    """A pair is one competitor; with an odd number one pair sits out."""
    players = register(league, 10)
    planned(league, list(zip(players[::2], players[1::2], strict=True)), format="swiss", first_round="rating")
    state = played(league, 2)
    assert [len(of.byes) for of in state.rounds] == [1, 1]
    assert {id_ for table in state.rounds[0].tables for id_ in table.competitors} < {
        "p01+p02",
        "p03+p04",
        "p05+p06",
        "p07+p08",
        "p09+p10",
    }


def test_a_round_robin_is_complete_after_its_last_round(league: League) -> None:
    """Five players play five rounds, and a sixth is refused."""
    planned(league, [[player] for player in register(league, 5)], format="round_robin", mode="1v1", rounds=None)
    state = played(league, 5)
    meetings = {frozenset(table.competitors) for of in state.rounds for table in of.tables}
    assert len(meetings) == 10
    with pytest.raises(WrongState, match="its plan has 5 rounds"):
        drawn(league)
    send(league, c.CloseRound("copa", 5), c.EndTournament("copa"))
    assert state_of(league).status == "ended"


def test_fixtures_open_their_match_when_play_begins(league: League) -> None:
    """Fixtures are entered by hand with a last day. Publishing them opens no match."""
    planned(league, [[player] for player in register(league, 4)], format="fixtures", mode="1v1", rounds=None)
    of = published(league, meetings=(("p01", "p03"), ("p02", "p04")))
    assert {table.match for table in of.tables} == {None}
    assert {frozenset(table.competitors) for table in of.tables} == {
        frozenset({"p01", "p03"}),
        frozenset({"p02", "p04"}),
    }
    send(league, c.OpenFixture("copa", 1, 1))
    assert league.store.version("match:copa-r1-t1") == 1
    with pytest.raises(WrongState, match="tables without a result: 1, 2"):
        send(league, c.CloseRound("copa", 1))


def test_a_fixture_that_is_changed_gets_a_match_only_if_it_had_one(league: League) -> None:
    """If an open and a scheduled fixture exchange players, only the open one gets a new match."""
    planned(league, [[player] for player in register(league, 4)], format="fixtures", mode="1v1", rounds=None)
    of = published(league, meetings=(("p01", "p03"), ("p02", "p04")))
    send(league, c.OpenFixture("copa", 1, 1))
    (a,), (b,) = of.tables[0].sides
    (d,), (e,) = of.tables[1].sides
    tables = (c.NewTable(1, ((a,), (d,))), c.NewTable(2, ((b,), (e,))))
    send(league, c.ChangePairings("copa", 1, tables, "a wish"))
    assert [table.matches for table in state_of(league).rounds[0].tables] == [("copa-r1-t1", "copa-r1-t1-2"), ()]


@pytest.mark.heavy
def test_a_full_cycle_gives_everybody_every_partner_once(league: League) -> None:
    """In seven rounds, each of eight players has every other as partner once."""
    planned(league, [[player] for player in register(league, 8)], rounds=7, full_cycle=True)
    state = played(league, 7)
    partners = {frozenset(side) for of in state.rounds for table in of.tables for side in table.sides}
    assert len(partners) == 28


def test_who_does_not_come_loses_and_the_match_is_voided(league: League) -> None:
    """An absence is a walkover in the tournament, and the match is unrated. If the side comes, a new match opens."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1")
    of = published(league)
    send(league, c.RecordAbsence("copa", 1, 1, (0,)))
    assert state_of(league).rounds[0].tables[0].absent == (0,)
    voided = league.store.load("match:copa-r1-t1")[-1]
    assert (voided.name, voided.event.reason) == ("match-voided/1", "walkover")  # type: ignore[attr-defined]
    send(league, c.ReplaceMatch("copa", 1, 1, "they were late"))
    table = state_of(league).rounds[0].tables[0]
    assert (table.absent, table.matches) == ((), ("copa-r1-t1", "copa-r1-t1-2"))
    assert of.tables[0].sides == table.sides


def test_a_result_for_a_table_of_another_round_is_refused(league: League) -> None:
    """A result is refused for a table that the round does not have, and for a match of a closed round."""
    planned(league, [[player] for player in register(league, 6)], format="swiss", mode="1v1")
    published(league)
    finish(league)
    send(league, c.Withdraw("copa", "p01"), c.Withdraw("copa", "p02"))
    assert len(published(league).tables) == 2
    with pytest.raises(NotFound, match="there is no table '3'"):
        send(league, c.RecordAbsence("copa", 2, 3, (0,)))
    with pytest.raises(MatchOver, match="match 'copa-r1-t3' ended"):
        send(league, RecordResult("copa-r1-t3", AnnouncedResult(1, (0, 150))))


def test_a_result_without_a_score_is_known_in_the_standing(league: League) -> None:
    """A result without a score counts 0 to 0 for both sides, and each outcome says that the score is unknown."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1")
    published(league)
    send(
        league,
        RecordResult("copa-r1-t1", AnnouncedResult(0)),
        RecordResult("copa-r1-t2", AnnouncedResult(0, (150, 10))),
    )
    states, state = StreamStates(league.store, clock()), state_of(league)
    found = outcomes(state, results_of(state.matches(), states), point_rules_in_force(state, states))
    unknown, known = (table.competitors for table in state.rounds[0].tables)
    assert [(own.known, own.own, own.other) for id_ in unknown for own in found[id_]] == [(False, 0, 0)] * 2
    assert all(own.known for id_ in known for own in found[id_])


def test_a_tournament_does_not_end_while_a_match_is_open_in_a_closed_round(league: League) -> None:
    """Ending is refused while a match is open, because its result would change a final standing."""
    planned(league, [[player] for player in register(league, 2)], format="swiss", mode="1v1", rounds=1)
    published(league)
    finish(league)
    send(league, c.CloseRound("copa", 1), ReopenMatch("copa-r1-t1", "a mistake"))
    with pytest.raises(WrongState, match="table 1 of round 1 is in play: record its result, or void its match"):
        send(league, c.EndTournament("copa"))
    send(league, VoidMatch("copa-r1-t1", "given up"), c.EndTournament("copa"))
    assert state_of(league).status == "ended"


def test_nobody_returns_in_a_pair_while_they_play_in_another_one(league: League) -> None:
    """A pair cannot return while one of them plays in another pair."""
    players = register(league, 4)
    planned(league, [players[:2]], format="swiss")
    send(league, c.Withdraw("copa", "p01+p02"), c.EnterCompetitor("copa", ("p01", "p03")))
    with pytest.raises(AlreadyExists, match="they play with somebody else now"):
        send(league, c.Return("copa", "p01+p02"))


def test_who_does_not_come_to_a_match_that_was_voided_after_play_began_is_said_at_another_one(league: League) -> None:
    """The refusal tells to replace the voided match first, and does not call it a match in play."""
    planned(league, [[player] for player in register(league, 4)])
    published(league)
    send(league, RecordHand("copa-r1-t1", domino(0, (), 5, 6, 7)), VoidMatch("copa-r1-t1", "wrong set"))
    with pytest.raises(WrongState, match="table 1 is voided: play had begun there; replace its match"):
        send(league, c.RecordAbsence("copa", 1, 1, (0,)))
    send(league, c.ReplaceMatch("copa", 1, 1, "again"), c.RecordAbsence("copa", 1, 1, (0,)))


def test_a_voided_match_counts_nothing_until_it_is_replaced(league: League) -> None:
    """A round with a voided match can be closed. Its players have met, and it counts nothing until it is replaced."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1")
    published(league)
    finish(league)
    send(league, VoidMatch("copa-r1-t1", "wrong set"))
    drawn(league)
    drawing = league.store.load("tournament:copa")[-2].event
    inputs = {one.id: one for one in drawing.competitors}  # type: ignore[attr-defined]
    first, second = state_of(league).rounds[0].tables
    assert [inputs[id_].won for id_ in first.competitors] == [0, 0]
    assert [len(inputs[id_].met) for id_ in first.competitors] == [1, 1]
    assert sum(inputs[id_].won for id_ in second.competitors) == 1


def test_tables_change_by_hand_before_play_begins(league: League) -> None:
    """Changed tables get new matches, and the old ones are voided. Who leaves the tables sits out."""
    planned(league, [[player] for player in register(league, 6)])
    of = published(league)
    (a, b), (d, e) = of.tables[0].sides
    bench = of.byes[0]
    send(league, c.ChangePairings("copa", 1, (c.NewTable(1, ((a, bench), (d, e))),), "a quarrel"))
    after = state_of(league).rounds[0]
    assert after.tables[0].by_hand
    assert after.tables[0].sides == ((a, bench), (d, e))
    assert set(after.byes) == {b, of.byes[1]}
    assert league.store.load("match:copa-r1-t1")[-1].name == "match-voided/1"
    send(league, RecordHand("copa-r1-t1-2", domino(0, (), 5, 6, 7)))
    with pytest.raises(WrongState, match="pairings change before play begins"):
        send(league, c.ChangePairings("copa", 1, (c.NewTable(1, ((a, b), (d, e))),), "again"))


def test_erasing_a_player_withdraws_them(league: League) -> None:
    """Erasing a player withdraws them from every tournament that has not ended."""
    planned(league, [[player] for player in register(league, 4)])
    send(league, ErasePlayer("p02"))
    assert state_of(league).entries["p02"].withdrawn_at is not None


@pytest.mark.parametrize("command", [ErasePlayer("p05"), MergePlayers("p01", "p05")])
def test_a_player_who_enters_while_an_erasure_or_a_merge_is_decided_is_seen(league: League, command: object) -> None:
    """An erasure or merge is decided again if its player enters meanwhile; other entries do not matter."""
    planned(league, [[player] for player in register(league, 6)[:4]])
    states = StreamStates(league.store, clock())
    appends = decide([command], states)  # type: ignore[list-item]
    send(league, c.EnterCompetitor("copa", ("p06",)))
    send(league, c.EnterCompetitor("copa", ("p05",)))
    with pytest.raises(Overtaken, match="meets an entry that was made meanwhile"):
        store_decided(appends, states, AppendRequest(ACTOR, "manual", None, None))


def test_play_at_other_tables_does_not_hold_up_an_absence(league: League) -> None:
    """An absence is decided again only if something happens at its own table."""
    planned(league, [[player] for player in register(league, 4)], format="swiss", mode="1v1")
    published(league)
    states = StreamStates(league.store, clock())
    appends = decide([c.RecordAbsence("copa", 1, 1, (0,))], states)
    send(league, RecordHand("copa-r1-t2", domino(0, 0, 30)))
    store_decided(appends, states, AppendRequest(ACTOR, "manual", None, None))
    assert state_of(league).rounds[0].tables[0].absent == (0,)


def test_two_entrants_of_one_tournament_are_not_merged(league: League) -> None:
    """A merge of two entrants of one tournament is refused, and the refusal names the tournament."""
    planned(league, [[player] for player in register(league, 4)])
    with pytest.raises(WrongState, match="in tournament 'copa'"):
        send(league, MergePlayers("p01", "p02"))


@pytest.mark.parametrize(
    ("command", "refusal", "said"),
    [
        (c.PlanTournament("copa", {}), AlreadyExists, "'copa' already exists"),
        (c.PlanTournament("x", {"name": "X"}), InvalidInput, "plan"),
        (c.PlanTournament("x", {**PLAN, "ruleset": "nope"}), NotFound, "ruleset 'nope'"),
        (c.EnterCompetitor("copa", ("p01",)), AlreadyExists, "'p01' already exists"),
        (c.EnterCompetitor("copa", ("p99",)), NotFound, "'p99'"),
        (c.EnterCompetitor("copa", ("p05", "p06")), Faults, "each player enters alone"),
        (c.EnterCompetitor("nope", ("p01",)), NotFound, "tournament 'nope'"),
        (c.Return("copa", "p01"), WrongState, "they have not withdrawn"),
        (c.Withdraw("copa", "p99"), NotFound, "'p99'"),
        (c.PublishRound("copa", 1), NotFound, "round"),
        (c.CloseRound("copa", 3), NotFound, "round"),
        (c.DrawRound("copa", meetings=(("p01", "p02"),)), InvalidInput, "only a tournament of fixtures"),
        (c.DrawRound("copa", again="why"), WrongState, "nothing to draw again"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_by_name(league: League, command: object, refusal: type[Refusal], said: str) -> None:
    """Each bad input gives its type of refusal, and nothing is stored."""
    planned(league, [[player] for player in register(league, 4)])
    before = league.store.head()
    with pytest.raises(refusal, match=said):
        send(league, command)
    assert league.store.head() == before


def test_too_few_players_make_no_round(league: League) -> None:
    """The refusal of a round counts the available players, and says what would help."""
    planned(league, [[player] for player in register(league, 3)])
    said = "round 1 is short of competitors: 3 competitors are available, and the round needs at least 4; enter"
    with pytest.raises(WrongState, match=said):
        drawn(league)


def test_after_the_first_round_only_the_number_of_rounds_changes(league: League) -> None:
    """After the first round the plan's other settings stay, and nobody enters unless the plan allows late entries."""
    planned(league, [[player] for player in register(league, 5)[:4]])
    published(league)
    plan = {"name": "Copa", "format": "rotating_partners", "ruleset": "cuban-150", "rounds": 6}
    with pytest.raises(WrongState, match="only the number of rounds may change"):
        send(league, c.ChangePlan("copa", {**plan, "minutes": 20}))
    send(league, c.ChangePlan("copa", plan))
    with pytest.raises(WrongState, match="lets nobody enter"):
        send(league, c.EnterCompetitor("copa", ("p05",)))
