"""The parts of a bracket that fit on a sheet of paper, and the rounds that fit on the screen for the hall."""

from __future__ import annotations

from typing import Any

import pytest

from league.tournaments.console.bracket_page import groups_of
from league.tournaments.console.bracket_parts import fills_sheet, last_rounds, parts_of, rounds_of


def bracket_of(places: int) -> list[dict[str, Any]]:
    """The ties of a bracket from the top, each with its place, and the tie for the third place."""
    rounds = [places >> number for number in range(1, places.bit_length())]
    ties = [{"ties": count, "place": place} for count in rounds for place in range(1, count + 1)]
    return [*ties, {"ties": 1, "place": 2}]


def shown(places: int) -> list[list[tuple[int, list[int]]]]:
    """The parts of a bracket: for each round its ties, and the places that are shown of it."""
    parts = parts_of(rounds_of(bracket_of(places)))
    return [[(of.ties, [tie["place"] for tie in of.places]) for of in part] for part in parts]


def test_a_bracket_of_32_is_one_part() -> None:
    """All its rounds are beside each other, with the tie for the third place after the final."""
    [part] = shown(32)
    assert [(ties, len(places)) for ties, places in part] == [(16, 16), (8, 8), (4, 4), (2, 2), (1, 2)]


def test_a_bracket_of_64_is_two_halves_and_the_final() -> None:
    """Each half ends with its semi-final; nobody is shown twice."""
    upper, lower, last = shown(64)
    assert upper == [(32, [*range(1, 17)]), (16, [*range(1, 9)]), (8, [1, 2, 3, 4]), (4, [1, 2]), (2, [1])]
    assert lower == [(32, [*range(17, 33)]), (16, [*range(9, 17)]), (8, [5, 6, 7, 8]), (4, [3, 4]), (2, [2])]
    assert last == [(1, [1, 2])]


@pytest.mark.parametrize("places", [2, 4, 8, 16, 128, 1024])
def test_every_tie_is_in_one_part_and_no_part_has_more_ties_of_a_round_than_a_sheet(places: int) -> None:
    """Also in the largest bracket that there can be."""
    parts = shown(places)
    assert sum(len(found) for part in parts for _, found in part) == places
    assert max(len(found) for part in parts for _, found in part) <= 16


def test_letters_are_small_only_where_a_sheet_is_full() -> None:
    """Eight ties below each other leave room."""
    assert [fills_sheet(parts_of(rounds_of(bracket_of(places)))[0]) for places in (16, 32, 64)] == [False, True, True]


def test_the_hall_sees_the_bracket_from_the_quarter_finals_on() -> None:
    """Earlier rounds, and tournaments without a bracket, have their tables only."""
    rounds = rounds_of(bracket_of(16)[-8:])
    assert [of.ties for of in last_rounds(rounds, 4)] == [4, 2, 1]
    assert (last_rounds(rounds, 8), last_rounds([], None)) == ([], [])


def test_a_group_says_what_orders_those_who_have_won_as_often() -> None:
    """Tie-breaks are named up to the one that parts all of them. Who has won as often as nobody else needs none."""

    def place(id_: str, rank: int | None, won: int, *values: int) -> dict[str, Any]:
        return {"competitorId": id_, "group": 1, "groupRank": rank, "won": won, "values": list(values)}

    places = [
        place("a", 1, 2, 1, 30, 9),
        place("b", 2, 2, 1, 20, 8),
        place("c", 3, 0, 0, 0, 0),
        place("d", None, 2, 1, 30, 9),
    ]
    [(_, own)] = groups_of(places, ("DIRECT", "DIFFERENCE", "POINTS_FOR"))
    assert [[(one["name"], one["value"]) for one in place["by"]] for place in own] == [
        [("DIRECT", 1), ("DIFFERENCE", 30)], [("DIRECT", 1), ("DIFFERENCE", 20)], [], [],
    ]  # fmt: skip
