"""Bounds of final ranks in knock-outs and groups: every outcome of small ones lies within them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from itertools import product
from random import Random
from typing import Any

import pytest
from scripted_knockouts import Knockout, won_by

from league.domain.refusals import Refusal
from league.tournaments.domain.events import TournamentEnded
from league.tournaments.domain.results import MatchSummary
from league.tournaments.domain.ties import tie_result

Bounds = dict[str, tuple[int, int]]
SCORES = ((160, 0), (160, 150), (0, 160), (150, 160))


def bounds_of(cup: Knockout) -> Bounds:
    return {id_: (one.best, one.worst) for id_, one in cup.seen.possible().items()}


def again(cup: Knockout) -> Knockout:
    """A copy that can be played on."""
    found = copy(cup)
    found.results, found.events = dict(cup.results), [*cup.events]
    return found


def open_ties(cup: Knockout) -> list[tuple[str, str]]:
    """Who meets in the ties of the last round that are not over."""
    tables = [table for table in cup.state.rounds[-1].tables if table.best_of is not None]
    open_ = [table for table in tables if not tie_result(table, cup._all_results()).is_over]  # a step of the player
    return [(first, second) for (first,), (second,) in (table.sides for table in open_)]


def played_on(cup: Knockout, *, with_absences: bool) -> Iterator[Knockout]:
    """Each way in which the knock-out can come to its end."""
    ties = open_ties(cup)
    if not ties:
        cup = again(cup)
        try:
            cup.draw()
        except Refusal:  # it is over
            yield cup
            return
        check_narrower(cup)
        yield from played_on(cup, with_absences=with_absences)
        return
    for winner in (*ties[0], None) if with_absences else ties[0]:
        after = again(cup)
        if winner is None:
            after.miss(*ties[0])
        else:
            while ties[0] in open_ties(after):
                after.win(winner)
        check_narrower(after)
        yield from played_on(after, with_absences=with_absences)


def check_narrower(cup: Knockout) -> None:
    """Bounds lie within those before."""
    before, now = cup.bounds[-1], bounds_of(cup)
    cup.bounds = [*cup.bounds, now]
    assert now.keys() <= before.keys()
    assert all(before[id_][0] <= best <= worst <= before[id_][1] for id_, (best, worst) in now.items())


def check_ended_now(before: Knockout, after: Knockout) -> None:
    """A tournament that ends between its groups and its knock-out has final ranks within all bounds so far."""
    ended = again(after)
    ended._take([TournamentEnded()])  # a step of the player
    for id_, rank in ended.ranks().items():
        for bounds in (bounds_of(before), bounds_of(after)):
            assert rank is None or bounds[id_][0] <= rank <= bounds[id_][1]


def check_ends(cup: Knockout, *, with_absences: bool) -> None:
    """Every end lies within the bounds. If nobody has left, some end reaches each bound."""
    cup.bounds = [bounds_of(cup)]
    reached: dict[str, set[int]] = {id_: set() for id_ in cup.bounds[0]}
    for end in played_on(cup, with_absences=with_absences):
        ranks = end.ranks()
        for id_, (best, worst) in bounds_of(end).items():
            assert best <= (ranks[id_] or 0) <= worst
            reached[id_].add(ranks[id_] or 0)
    if all(entry.withdrawn_at is None for entry in cup.state.entries.values()):
        assert {id_: (min(of), max(of)) for id_, of in reached.items()} == cup.bounds[0]


@pytest.mark.parametrize("third_place", [True, False])
@pytest.mark.parametrize("entrants", [2, 3, 4, 5, 6])
def test_bounds_of_a_knock_out_are_the_ranks_that_can_be_reached(entrants: int, third_place: bool) -> None:
    """From the first round on, whoever wins: some way leads to the best and to the worst rank of each."""
    check_ends(Knockout(entrants, third_place=third_place), with_absences=False)


@pytest.mark.parametrize("third_place", [True, False])
@pytest.mark.parametrize("entrants", [2, 3, 4])
def test_bounds_of_a_knock_out_hold_with_double_absences(entrants: int, third_place: bool) -> None:
    """From the first round on, also if both sides of a tie are absent."""
    check_ends(Knockout(entrants, third_place=third_place, best_of=[1, 3]), with_absences=True)


@pytest.mark.parametrize("third_place", [True, False])
def test_bounds_of_a_knock_out_hold_after_somebody_left(rng: Random, third_place: bool) -> None:
    """One who is through leaves before the semi-finals, and one who is out leaves too."""
    cup = Knockout(6, third_place=third_place)
    first, second = cup.meetings()
    cup.win(first[0])
    cup.win(second[0])
    cup.leave(rng.choice(first))
    check_ends(cup, with_absences=True)


@pytest.mark.parametrize("number", range(12))
def test_bounds_of_groups_hold_through_the_knock_out(rng: Random, number: int) -> None:
    """Two groups of three, one round before the knock-out, with some results of that round, and all of the ties."""
    chance = Random(rng.random() + number)
    plan: dict[str, Any] = {
        "format": "groups",
        "groups": 2,
        "advance": 1 + number % 2,
        "third_place": chance.choice((True, False)),
        "withdrawals": chance.choice(("keep", "annul_below_half")),
    }
    cup = Knockout(chance.choice((6, 6, 7)), **plan)
    rounds = max(len(members) - 1 + len(members) % 2 for members in cup.state.groups)
    for of in range(1, rounds + 1):
        if of > 1:
            cup.draw()
        if of < rounds:
            for table in cup.state.rounds[-1].tables:
                if not table.absent:
                    cup._decide(table)  # a step of the same player
            if chance.random() < 0.3:
                cup.leave(chance.choice(cup.state.available()).id)
    cup.bounds = [bounds_of(cup)]
    tables = [table for table in cup.state.rounds[-1].tables if not table.absent]
    ways = list(product(SCORES, repeat=len(tables)))  # fewer than four if many have left
    for scores in chance.sample(ways, min(4, len(ways))):
        after = again(cup)
        for table, score in zip(tables, scores, strict=True):
            assert table.match is not None
            after.results[table.match] = MatchSummary("completed", int(score[1] > score[0]), score, begun=True)
        check_narrower(after)
        check_ended_now(cup, after)
        for end in played_on(after, with_absences=False):
            assert bounds_of(end) == {id_: (rank, rank) for id_, rank in end.ranks().items() if rank is not None}


def after_groups(leaves: int) -> tuple[Knockout, list[str]]:
    """Two groups of four in which all is played, and the first one in its order. The member at a place there leaves."""
    cup = Knockout(8, format="groups", groups=2, advance=2, withdrawals="keep")
    for number in range(3):
        if number:
            cup.draw()
        for table in cup.state.rounds[-1].tables:
            order = next(members for members in cup.state.groups if set(table.competitors) <= set(members))
            first, second = table.competitors
            cup.results[str(table.match)] = won_by(int(order.index(second) < order.index(first)))
    cup.leave(cup.state.groups[0][leaves - 1])
    return cup, list(cup.state.groups[0])


def test_who_leaves_behind_a_third_of_a_group_lets_nobody_advance() -> None:
    """The third does not enter the knock-out: two who are there stand before her."""
    cup, order = after_groups(leaves=4)
    assert cup.bounds_of(order[2]) == (5, 8)


def test_who_leaves_before_a_third_of_a_group_lets_her_advance() -> None:
    """She is the second of those who are there, so she enters the knock-out for certain."""
    cup, order = after_groups(leaves=1)
    assert cup.bounds_of(order[2])[0] == 1
