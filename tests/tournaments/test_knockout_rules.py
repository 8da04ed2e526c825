"""Rare turns of a knock-out: who leaves, who is absent, and what is corrected later."""

from __future__ import annotations

import pytest
from format_checkers import check_exports
from msgspec.structs import replace
from scripted_knockouts import Knockout

from league.tournaments.domain import commands as c
from league.tournaments.domain import round_tables
from league.tournaments.domain.refusals import TooFewCompetitors
from league.tournaments.domain.results import MatchSummary


def test_a_bye_of_the_bracket_is_not_counted_in_inputs() -> None:
    """Who advanced by a bye is drawn with no byes: in a knock-out they stand in no number."""
    cup = Knockout(3)
    ((first, _),) = cup.meetings()
    cup.win(first)
    cup.draw()
    assert [one["byes"] for one in cup.rows()["rounds"][-1]["input"]] == [0, 0]


@pytest.mark.parametrize(
    ("entrants", "asked", "played"), [(3, None, False), (4, None, True), (3, True, True), (2, True, False)]
)
def test_the_exported_setting_says_whether_the_third_place_is_played_for(
    entrants: int, asked: bool | None, played: bool
) -> None:
    """Three who enter play for no third place by default, and two never do; the setting that holds says so."""
    cup = Knockout(entrants, third_place=asked)
    (row,) = cup.rows()["tournaments"]
    assert row["settings"]["third_place"] is played


def test_who_leaves_before_a_tie_without_an_opponent_is_its_loser() -> None:
    """Who won, left, and would have met nobody has the rank of a loser of that round, before and after its drawing."""
    cup = Knockout(8)
    first, second, third, fourth = cup.meetings()
    cup.win(first[0])
    cup.miss(*second)
    cup.win(third[0])
    cup.win(fourth[0])
    cup.leave(first[0])
    before = cup.bounds_of(first[0])
    cup.draw()
    assert cup.tie_of(third[0]).competitors == cup.tie_of(fourth[0]).competitors
    assert (before, cup.bounds_of(first[0])) == ((3, 4), (3, 4))
    cup.win(third[0])
    cup.draw()
    assert cup.ranks() | {first[0]: 4, fourth[0]: 3, second[0]: 5} == cup.ranks()


def test_who_left_without_an_opponent_and_returns_was_not_corrected() -> None:
    """Their return after the next round was published makes no tie a corrected one."""
    cup = Knockout(8)
    first, second, third, fourth = cup.meetings()
    for pair in (first, third, fourth):
        cup.win(pair[0])
    cup.miss(*second)
    cup.leave(first[0])
    cup.draw()
    cup.return_(first[0])
    assert not cup.changed()


def test_a_tie_that_is_open_again_after_the_next_round_was_published_is_corrected() -> None:
    """Two were absent, and play a game of their tie later: nobody has won it, but it says that it changed."""
    cup = Knockout(4, best_of=[3, 1])
    first, second = cup.meetings()
    cup.miss(*first)
    cup.win(second[0])
    cup.win(second[0])
    cup.draw()
    assert not cup.changed()
    cup.come_after_all(first[0], 1)
    assert cup.changed() == {(1, 1)}


def test_no_round_is_drawn_without_a_tie_or_a_bye() -> None:
    """The only one who is through leaves: there is nothing to draw, and they can return."""
    cup = Knockout(4, third_place=False)
    first, second = cup.meetings()
    cup.miss(*first)
    cup.win(second[0])
    cup.leave(second[0])
    with pytest.raises(TooFewCompetitors):
        cup.draw()
    assert cup.ranks()[second[0]] == 2
    cup.return_(second[0])
    cup.draw()
    assert cup.ranks()[second[0]] == 1


def test_a_tie_in_which_a_game_was_played_is_a_meeting() -> None:
    """Two who played a game have met, although one of them did not come to the next one."""
    cup = Knockout(4, best_of=3)
    first, second = cup.meetings()
    cup.win(first[0])
    cup.miss(first[1])
    cup.miss(second[1])
    cup.draw()
    met = {one["id"]: [other["id"] for other in one["met"]] for one in cup.rows()["rounds"][-1]["input"]}
    assert (met[first[0]], met[second[0]]) == ([first[1]], [])


def test_two_finalists_who_leave_before_the_final_are_second() -> None:
    """The final is published as a double absence: nobody is first."""
    cup = Knockout(4, third_place=False)
    first, second = cup.meetings()
    for pair in (first, second):
        cup.win(pair[0])
        cup.leave(pair[0])
    cup.draw()
    assert [cup.ranks()[pair[0]] for pair in (first, second)] == [2, 2]
    assert [row["status"] for row in cup.rows()["pairings"] if row["round"] == 2][-1:] == ["double_absence"]


def test_a_correction_before_the_next_drawing_opens_the_next_game() -> None:
    """A tie of three games is over after two; the second one is turned, and the third is opened."""
    cup = Knockout(2, best_of=3)
    ((first, _),) = cup.meetings()
    cup.win(first)
    cup.win(first)
    assert cup.ranks()[first] == 1
    table = cup.tie_of(first)
    assert table.match is not None
    result = cup.results[table.match]
    cup.results[table.match] = replace(result, winner=1 - (result.winner or 0))
    assert cup.ranks() == dict.fromkeys(cup.ranks(), 1)
    assert cup._opens_game(cup.tie_of(first))  # a step of the same player
    assert len(cup.tie_of(first).games) == 3


def test_a_bye_of_a_withdrawn_round_has_the_group_that_was_drawn_with_it() -> None:
    """The first round is withdrawn and drawn anew several times. Each drawing has groups of its own."""
    cup = Knockout(7, format="groups", groups=2)
    for _ in range(4):
        cup._withdraw()  # steps of the same player
        cup._draw(None)
        cup._publish()
    rows = [row for row in cup.rows()["pairings"] if row["table"] is None]
    for of in cup.state.drawings_of(1):
        numbers = {id_: number for number, members in enumerate(of.groups, 1) for id_ in members}
        groups = {row["sides"][0][0]: row["group"] for row in rows if row["drawing"] == of.drawings}
        assert groups == {id_: numbers[id_] for id_ in groups}


@pytest.fixture
def replayed() -> tuple[Knockout, str]:
    """A tie of five games. Each side has won one of the first two, and the first is to be played again."""
    cup = Knockout(2, best_of=5)
    for id_ in cup.meetings()[0]:
        cup.win(id_)
    return cup, cup.play_again(1)


def test_an_absence_before_a_game_that_is_played_again_keeps_the_later_results(replayed: tuple[Knockout, str]) -> None:
    """Side 1 does not come any more: it keeps the game that it has won, and loses the others."""
    cup, _ = replayed
    cup.miss(cup.meetings()[0][1])
    walkovers = [(number, "walkover", 0) for number in (1, 3, 4)]
    assert cup.tie() == sorted([*walkovers, (2, "completed", 1)])
    check_exports(cup.rows(), corrected=False)


def test_a_double_absence_before_a_game_that_is_played_again_keeps_the_later_results(
    replayed: tuple[Knockout, str],
) -> None:
    """The tie ends for both, and the second game has been played all the same."""
    cup, _ = replayed
    cup.miss(*cup.meetings()[0])
    assert cup.tie() == [(1, "double_absence", None), (2, "completed", 1)]
    assert cup.ranks() == dict.fromkeys(cup.ranks(), 2)
    check_exports(cup.rows(), corrected=False)


def test_who_leaves_a_game_that_is_played_again_loses_it_and_keeps_later_results(
    replayed: tuple[Knockout, str],
) -> None:
    """Side 0 leaves while it plays the first game again: a forfeit, and the third game is lost without play."""
    cup, again = replayed
    cup.results[again] = MatchSummary("open", begun=True)
    cup.leave(cup.meetings()[0][0])
    assert cup.tie() == [(1, "forfeited", 1), (2, "completed", 1), (3, "walkover", 1)]


def test_who_was_absent_and_comes_plays_the_game_that_was_played_again(replayed: tuple[Knockout, str]) -> None:
    """The first game gets another match, and the absence is forgotten."""
    cup, _ = replayed
    cup.miss(cup.meetings()[0][1])
    command = c.ReplaceMatch("copa", 1, 1, "they came")
    cup._take(round_tables.replace_match(command, cup.state, cup._all_results(), "late"))  # a step of the player
    assert cup.tie()[:2] == [(1, "open", None), (2, "completed", 1)]


def test_two_of_each_group_advance_if_the_plan_does_not_say() -> None:
    """The settings say it, and so does the bracket of two groups of three."""
    cup = Knockout(6, format="groups", groups=2)
    for _ in range(3):
        for table in cup.state.rounds[-1].tables:
            cup._decide(table)  # a step of the player
        cup.draw()
    assert cup.rows()["tournaments"][0]["settings"]["advance"] == 2
    assert len(cup.state.knockout[0].bracket) == 4
