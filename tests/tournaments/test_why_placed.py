"""Explanations of groups and brackets name exactly what the drawing used, and the next best draw costs that much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from random import Random

import pytest
from random_tournaments import PlayedTournament

from league.tournaments.bracket_pairing import Assigned, assigned_classes, assigned_pots, entrants_by_class
from league.tournaments.domain.brackets import fold, size_of
from league.tournaments.domain.drawn import placed
from league.tournaments.domain.state import TournamentState
from league.tournaments.rounds_to_explain import SITTING_OUT, Choices, RoundToExplain
from league.tournaments.why_in_words import said
from league.tournaments.why_paired import CRITERIA, ExplainedChoice
from league.wording.language import speaking, spoken

FEW = 5
"""The most in a pot or class whose next best draw is searched among all."""


def rounds_of(played: PlayedTournament) -> Iterator[RoundToExplain]:
    """All published rounds as they were explained when the next one was not yet there."""
    for of in played.state.published:
        before = TournamentState("copa", plan=played.state.plan, rounds=played.state.rounds[: of.number])
        yield RoundToExplain(before, of, played.drawings[of.number, of.drawings])


def choice(choices: Sequence[ExplainedChoice], stage: str, id_: str) -> ExplainedChoice:
    (found,) = (one for one in choices if (one.stage, one.one) == (stage, (id_,)))
    return found


def check_next_best(found: ExplainedChoice, of: Assigned) -> None:
    """Compare the next best draw of a pot or a class with the best of all others."""
    (id_,) = found.one
    if len(of.numbers) > FEW:
        return

    def cost(numbers: tuple[str, ...]) -> list[int]:
        each = (of.costs(*two) for two in zip(of.ids, numbers, strict=True))
        return [sum(column) for column in zip(*each, strict=True)]

    sums = {numbers: cost(numbers) for numbers in permutations(of.numbers, len(of.ids))}
    chosen = tuple(of.chosen[each] for each in of.ids)
    assert sums[chosen] == min(sums.values())
    others = [costs for numbers, costs in sums.items() if numbers[of.ids.index(id_)] != of.chosen[id_]]
    if not others:
        assert found.next_best is None
        return
    assert found.next_best is not None
    more = [worse - least for worse, least in zip(min(others), sums[chosen], strict=True)]
    at = next(place for place, one in enumerate(more) if one)
    assert CRITERIA[found.stage][at] == found.next_best.criterion
    assert found.next_best.more == (0 if found.next_best.criterion == "chance" else more[at])


def check_group(of: RoundToExplain, id_: str, choices: Choices) -> None:
    """The seed is the place, the pot follows from it, and the group is that in the drawing."""
    drawn, plan = placed(of.drawing.competitors, of.of.seed), of.state.known_plan
    count = plan.groups or 0
    found = choice(choices, "group", id_)
    own = next(one for one in drawn if one.id == id_)
    assert (found.seed, found.pot) == (own.place, -(-own.place // count))
    members = of.of.groups[(found.group or 0) - 1]
    assert id_ in members
    known = {one.id: one for one in drawn}
    same = [one for one in members[: members.index(id_)] if own.region is not None and known[one].region == own.region]
    assert list(found.other) == same
    if found.pot == 1:
        assert (found.costs, found.next_best, found.other) == ((), None, ())
        return
    assert [(cost.criterion, cost.value) for cost in found.costs] == [("region", len(same))]
    check_next_best(found, assigned_pots(drawn, count, of.of.seed)[(found.pot or 0) - 2])


def check_scheduled(of: RoundToExplain, ids: tuple[str, ...], choices: Choices) -> None:
    """The numbers are those in the order of pots."""
    (found,) = (one for one in choices if one.stage == "fixed" and {*one.one, *one.other} == {*ids})
    (members,) = (group for group in of.state.groups or of.of.groups if ids[0] in group)
    assert [members[number - 1] for number in found.numbers] == [*found.one, *found.other]
    assert (found.round or 0) + ((found.leg or 0) - 1) * (len(members) - 1 + len(members) % 2) == of.of.number


def check_first(of: RoundToExplain, ids: tuple[str, ...], choices: Choices) -> None:
    """The places are those of the bracket, and add up to its size and one."""
    bracket, groups = of.of.bracket, of.state.groups
    for id_ in ids:
        found = choice(choices, "bracket", id_)
        assert bracket[(found.place or 0) - 1] == id_
        if groups:
            assert id_ in groups[(found.group or 0) - 1]
            drawn = placed(of.drawing.competitors, of.of.seed)
            classes = entrants_by_class(of.state.known_plan, drawn, of.of.seed, of.state.schedule(of.of.number))
            own = {one.id: one for one in classes[(found.group_rank or 0) - 1]}[id_]
            assert (found.seed, found.group) == (own.seed, own.group)
            if found.group_rank == 1:
                assert (found.seed, found.costs) == (found.place, ())
            else:
                meets = len(ids) > 1 and len({group for group in groups if {*ids} <= {*group}}) == 1
                costs: dict[str, int] = {one.criterion: one.value for one in found.costs}
                assert costs["places"] == (own.seed - (found.place or 0)) ** 2
                assert not found.other or meets
                check_next_best(found, assigned_classes(classes, of.of.seed)[(found.group_rank or 0) - 2])
        else:
            assert (found.seed, found.costs, found.next_best) == (found.place, (), None)
    (meet,) = (one for one in choices if one.stage == "first_tie" and {*one.one, *one.other} == {*ids})
    size = 1 << (len(bracket) - 1).bit_length()
    assert sum(meet.numbers) == size + 1
    assert (meet.numbers[-1] > len(bracket)) == (len(ids) == 1)
    assert {bracket[place - 1] for place in meet.numbers if place <= len(bracket)} == {*ids}


def check_later(of: RoundToExplain, ids: tuple[str, ...], choices: Choices) -> None:
    """Everybody came from the table that is named, against whom it says, and from the tie of their place."""
    before, bracket = of.state.rounds[of.of.number - 2], of.state.knockout[0].bracket
    number = of.of.number - of.state.knockout[0].number
    lines = fold(size_of(len(bracket)))
    tie_of = {id_: 1 + (lines.index(place) >> number) for place, id_ in enumerate(bracket, 1)}
    for one in choices:
        table = before.table(one.table or 0)
        if one.stage == "next_tie":
            assert {*one.numbers} == {tie_of[id_] for id_ in ids}
        elif one.stage == "no_opponent":
            assert table is None or {*table.competitors} == {*one.other}
            assert not {*one.other} & {*ids}
        elif one.stage in {"through", "semi_final"} and table is None:
            assert one.one[0] in before.byes
        elif one.stage in {"through", "semi_final"} and table is not None:
            assert {*table.competitors} == {*one.one, *one.other}
            assert one.round == before.number
    assert {one.one for one in choices if one.stage == "left"} & {(id_,) for id_ in ids} == {
        (id_,) for id_ in ids if id_ in of.drawing.left
    }


@pytest.mark.heavy
def test_reasons_name_what_the_drawing_used() -> None:
    """In random tournaments of both formats: seeds, pots, groups, places, ties, and who left."""
    stages: set[str] = set()
    for number in range(24):
        played = PlayedTournament(Random(number), 22, format_=("groups", "knockout")[number % 2])
        played.play()
        for of in rounds_of(played):
            found = of.explained(searches=True)
            ids_at = {table.number: table.competitors for table in of.of.tables if not table.by_hand}
            byes = [(id_,) for id_ in of.named.get(SITTING_OUT, ())]
            for ids, choices in [
                *((ids, found[number]) for number, ids in ids_at.items()),
                *((ids, found[SITTING_OUT]) for ids in byes),
            ]:
                stages |= {one.stage for one in choices}
                assert {*ids} <= {id_ for one in choices for id_ in (*one.one, *one.other)}
                for language in ("en", "es"):
                    with speaking(language):
                        assert all(spoken(said(one, {})).endswith(".") for one in choices)
                if of.of.bracket:
                    check_first(of, ids, choices)
                elif of.state.knockout and of.of.number > of.state.knockout[0].number:
                    check_later(of, ids, choices)
                else:
                    check_scheduled(of, ids, choices)
                    if of.of.groups:
                        for id_ in ids:
                            check_group(of, id_, choices)
    assert stages == {
        "group", "fixed", "bracket", "first_tie", "next_tie", "through", "semi_final", "left", "no_opponent",
    }  # fmt: skip
