"""Knock-outs and groups in a league: the next game opens by itself, and who leaves loses the rest."""

from __future__ import annotations

import pytest
from played_tournaments import ACTOR, drawn, planned, published, register, state_of

from league.application.bootstrap import League
from league.application.dispatch import decide
from league.application.stream_states import StreamStates
from league.domain.match import ForfeitMatch, MatchVoided, RecordResult, ReopenMatch, VoidMatch
from league.domain.player import ErasePlayer
from league.domain.refusals import Refusal
from league.domain.result import AnnouncedResult
from league.domain.sentences import Sentence
from league.tournaments.domain import commands as c
from league.tournaments.domain.refusals import TableIsVoided
from league.tournaments.domain.state import TableOfRound

PLAN = {"format": "knockout", "mode": "1v1", "rounds": None, "best_of": 3}


def entered(league: League, count: int, **plan: object) -> None:
    planned(league, [[id_] for id_ in register(league, count)], **{**PLAN, **plan})


def table(league: League, number: int, of: int = -1) -> TableOfRound:
    found = state_of(league).rounds[of].table(number)
    assert found is not None
    return found


def win(league: League, number: int, side: int, of: int = -1) -> None:
    """Let a side win the open game of a table."""
    match = table(league, number, of).match
    assert match is not None
    score = (150, 40) if side == 0 else (40, 150)
    league.dispatcher.send(RecordResult(match, AnnouncedResult(side, score)), ACTOR)


def test_the_next_game_of_a_tie_opens_with_the_result_of_the_one_before(league: League) -> None:
    """Game 2 is there in the same save, and no third one after two wins."""
    entered(league, 4)
    published(league)
    before = league.store.head()
    win(league, 1, 0)
    assert len(table(league, 1).games) == 2
    assert league.store.head() > before
    win(league, 1, 0)
    assert len(table(league, 1).games) == 2


def test_a_result_at_a_table_of_another_format_does_not_depend_on_the_tournament(league: League) -> None:
    """It is not decided again because somebody else has written to the tournament."""
    entered(league, 4, format="swiss", rounds=2, best_of=None)
    published(league)
    match = str(table(league, 1).match)
    states = StreamStates(league.store, league.dispatcher.clock(), league.dispatcher.state_cache)
    decide([RecordResult(match, AnnouncedResult(0, (150, 40)))], states)
    assert f"match:{match}" in states.read()
    assert "tournament:copa" not in states.read()


def test_who_withdraws_in_a_tie_loses_all_games_that_are_left(league: League) -> None:
    """The open game is voided, since nobody has played in it."""
    entered(league, 2)
    of = published(league)
    win(league, 1, 0)
    (loser,) = of.tables[0].sides[0]
    league.dispatcher.send(c.Withdraw("copa", loser), ACTOR)
    after = table(league, 1)
    assert (after.absent, len(after.games)) == ((0,), 1)
    league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def test_an_erased_player_loses_the_tie(league: League) -> None:
    """An erasure withdraws them, with the same consequence."""
    entered(league, 2)
    of = published(league)
    league.dispatcher.send(ErasePlayer(of.tables[0].sides[1][0]), ACTOR)
    assert table(league, 1).absent == (1,)


def test_a_game_that_a_correction_makes_needless_is_voided(league: League) -> None:
    """The second game had opened a third one. After its correction the tie is over, and nobody waits for a game."""
    entered(league, 2)
    published(league)
    win(league, 1, 0)
    win(league, 1, 1)
    second, third = table(league, 1).counting[1:]
    league.dispatcher.send(ReopenMatch(second, "wrong side"), ACTOR)
    league.dispatcher.send(RecordResult(second, AnnouncedResult(0, (150, 40))), ACTOR)
    with pytest.raises(Refusal):
        league.dispatcher.send(VoidMatch(third, "again"), ACTOR)  # it is voided already
    league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def test_a_forfeit_loses_one_game(league: League) -> None:
    """The tie goes on."""
    entered(league, 2)
    published(league)
    match = table(league, 1).match
    assert match is not None
    league.dispatcher.send(ForfeitMatch(match, 0), ACTOR)
    assert len(table(league, 1).games) == 2


def test_a_voided_game_is_replaced_within_its_tie(league: League) -> None:
    """The other games stay, and the round waits until the game is played."""
    entered(league, 2)
    published(league)
    win(league, 1, 0)
    win(league, 1, 1)
    league.dispatcher.send(VoidMatch(table(league, 1).counting[0], "wrong tiles"), ACTOR)
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "wrong tiles"), ACTOR)
    assert [len(game) for game in table(league, 1).games] == [2, 1, 1]


def test_games_after_the_series_locked_the_two_are_casual(league: League) -> None:
    """The limit is four wins in a month: the fifth game opens with the result of the fourth, and does not count."""
    entered(league, 2, best_of=9)
    published(league)
    for _ in range(5):
        win(league, 1, 0)
    opened = [league.store.load(f"match:{match}")[0].event for match in table(league, 1).counting]
    assert [getattr(event, "competition", None) for event in opened] == [*["special"] * 4, "casual"]


def test_who_withdraws_while_the_game_in_play_is_voided_loses_the_tie(league: League) -> None:
    """Nothing is left to void."""
    entered(league, 2)
    of = published(league)
    league.dispatcher.send(VoidMatch(table(league, 1).counting[0], "wrong tiles"), ACTOR)
    league.dispatcher.send(c.Withdraw("copa", of.tables[0].sides[0][0]), ACTOR)
    league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def test_an_absence_leaves_no_game_open(league: League) -> None:
    """A voided first game is to be played again while the third one is open. Then a side does not come any more."""
    entered(league, 2)
    published(league)
    win(league, 1, 0)
    win(league, 1, 1)
    league.dispatcher.send(VoidMatch(table(league, 1).counting[0], "wrong tiles"), ACTOR)
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "wrong tiles"), ACTOR)
    first, _, third = table(league, 1).counting
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (1,)), ACTOR)
    for match in (first, third):
        assert isinstance(league.store.load(f"match:{match}")[-1].event, MatchVoided)
    league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def test_a_game_that_an_absence_voided_opens_again_after_the_one_before(league: League) -> None:
    """The third game is voided while the second one is played again. They come, and its result opens the third."""
    entered(league, 2)
    published(league)
    win(league, 1, 0)
    win(league, 1, 1)
    league.dispatcher.send(VoidMatch(table(league, 1).counting[1], "wrong tiles"), ACTOR)
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "wrong tiles"), ACTOR)
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (1,)), ACTOR)
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "they came"), ACTOR)
    second = table(league, 1).counting[1]
    league.dispatcher.send(RecordResult(second, AnnouncedResult(1, (40, 150))), ACTOR)
    assert [len(game) for game in table(league, 1).games] == [1, 1, 2]
    win(league, 1, 0)
    league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def test_a_needless_game_opens_again_when_a_correction_needs_it(league: League) -> None:
    """The second game is turned twice: the third one is voided, and then played all the same."""
    entered(league, 2)
    published(league)
    win(league, 1, 0)
    win(league, 1, 1)
    second = table(league, 1).counting[1]
    for side, score in ((0, (150, 40)), (1, (40, 150))):
        league.dispatcher.send(ReopenMatch(second, "wrong side"), ACTOR)
        league.dispatcher.send(RecordResult(second, AnnouncedResult(side, score)), ACTOR)
    assert [len(game) for game in table(league, 1).games] == [1, 1, 2]


def test_a_game_that_an_organiser_voids_does_not_open_by_itself(league: League) -> None:
    """Nobody had played in it. It waits until its match is replaced."""
    entered(league, 2)
    published(league)
    win(league, 1, 0)
    league.dispatcher.send(VoidMatch(str(table(league, 1).match), "not tonight"), ACTOR)
    assert [len(game) for game in table(league, 1).games] == [1, 1]
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "tomorrow"), ACTOR)
    assert [len(game) for game in table(league, 1).games] == [1, 2]


def test_the_absence_at_a_later_game_of_a_tie_is_changed(league: League) -> None:
    """One side leaves after the first game. Then the other does not come back either."""
    entered(league, 2)
    of = published(league)
    win(league, 1, 0)
    league.dispatcher.send(c.Withdraw("copa", of.tables[0].sides[1][0]), ACTOR)
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (0, 1)), ACTOR)
    assert (table(league, 1).absent, len(table(league, 1).games)) == ((0, 1), 1)
    league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def test_a_voided_game_is_replaced_before_an_absence_is_changed(league: League) -> None:
    """Both have played in it, so that an absence cannot take its place."""
    entered(league, 2)
    published(league)
    win(league, 1, 0)
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (1,)), ACTOR)
    league.dispatcher.send(VoidMatch(table(league, 1).counting[0], "wrong tiles"), ACTOR)
    with pytest.raises(Refusal) as refused:
        league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (0, 1)), ACTOR)
    assert isinstance(refused.value, TableIsVoided)
    assert isinstance(refused.value.state, Sentence), "a bare word would not be translated"


def test_a_correction_opens_no_game_for_who_was_erased(league: League) -> None:
    """The winner of a tie is erased, then a game is corrected: they lose the game that would be left."""
    entered(league, 2)
    of = published(league)
    win(league, 1, 0)
    win(league, 1, 0)
    second = table(league, 1).counting[1]
    league.dispatcher.send(ErasePlayer(of.tables[0].sides[0][0]), ACTOR)
    league.dispatcher.send(ReopenMatch(second, "wrong side"), ACTOR)
    league.dispatcher.send(RecordResult(second, AnnouncedResult(1, (40, 150))), ACTOR)
    after = table(league, 1)
    assert (after.absent, len(after.games)) == ((0,), 2)
    league.dispatcher.send(c.CloseRound("copa", 1), ACTOR)


def test_a_bracket_is_not_paired_by_hand(league: League) -> None:
    """The bracket says who meets."""
    entered(league, 4)
    of = published(league)
    (a,), (b,) = of.tables[0].sides
    command = c.ChangePairings("copa", 1, (c.NewTable(1, ((b,), (a,))),), "a wish")
    with pytest.raises(Refusal) as refused:
        league.dispatcher.send(command, ACTOR)
    assert refused.value.code == "BRACKET_IS_FIXED"


def test_tables_paired_by_hand_keep_to_their_groups(league: League) -> None:
    """Within a group anybody may meet; a table of two groups would count for neither, and is refused."""
    players = {"format": "groups", "groups": 2, "advance": 1, "tie_breaks": ["buchholz"], "best_of": None}
    entered(league, 8, **players)
    of = published(league)
    first, *others = of.tables
    own = next(one for one in others if one.group == first.group)
    other = next(one for one in others if one.group != first.group)

    def swapped(with_: TableOfRound) -> c.ChangePairings:
        (a,), (b,) = first.sides
        (d,), (e,) = with_.sides
        new = (c.NewTable(first.number, ((a,), (e,))), c.NewTable(with_.number, ((d,), (b,))))
        return c.ChangePairings("copa", 1, new, "a wish")

    with pytest.raises(Refusal, match="plays in another group"):
        league.dispatcher.send(swapped(other), ACTOR)
    league.dispatcher.send(swapped(own), ACTOR)
    assert table(league, first.number).by_hand


def test_a_tie_without_a_result_blocks_the_next_drawing(league: League) -> None:
    """It names the tables."""
    entered(league, 4)
    published(league)
    with pytest.raises(Refusal) as refused:
        drawn(league)
    assert refused.value.code == "RESULTS_MISSING"


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"best_of": 2}, "plan.best_of"),
        ({"best_of": []}, "plan.best_of"),
        ({"rounds": 3}, "plan.rounds"),
        ({"late_entries": 2}, "plan.late_entries"),
        ({"tie_breaks": ["direct"]}, "plan.tie_breaks"),
        ({"groups": 2}, "plan.groups"),
        ({"bye": {"won": False}}, "plan.bye"),
        ({"format": "groups"}, "plan.groups"),
        ({"format": "swiss", "rounds": 3}, "plan.best_of"),
    ],
)
def test_a_plan_of_a_knock_out_names_what_is_wrong(league: League, plan: dict[str, object], field: str) -> None:
    """Settings that the format lacks or cannot have are refused before anything is stored."""
    settings = {
        key: value
        for key, value in {"name": "Copa", "ruleset": "cuban-150", **PLAN, **plan}.items()
        if value is not None
    }
    with pytest.raises(Refusal) as refused:
        league.dispatcher.send(c.PlanTournament("copa", settings), ACTOR)
    assert refused.value.field == field


@pytest.mark.parametrize(("count", "field"), [(5, "plan.groups"), (6, "plan.advance")])
def test_groups_that_cannot_be_filled_are_not_drawn(league: League, count: int, field: str) -> None:
    """The refusal says how many are needed, or how many can advance."""
    entered(league, count, format="groups", groups=2, advance=3)
    with pytest.raises(Refusal) as refused:
        drawn(league)
    assert (refused.value.code, refused.value.field) == ("GROUPS_NOT_FILLED", field)
