"""A list of players is registered whole, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from league.domain.collected_refusals import Faults
from league.domain.player import (
    MOST_REGISTERED,
    NewPlayer,
    PlayerEvent,
    PlayerRegistered,
    PlayerState,
    RegisterPlayers,
    register_players,
)
from league.domain.player_names import KnownNames, closest_names, name_key
from league.domain.refusals import Refusal

KNOWN = {"ana": PlayerState(registered=True, name="Ana")}


def decided(*players: NewPlayer) -> dict[str, list[PlayerEvent]]:
    """What registering them gives in a league where Ana plays."""
    states = {one.player: KNOWN.get(one.player, PlayerState()) for one in players}
    return register_players(RegisterPlayers(players), states, {"ana"})


def fields(*players: NewPlayer) -> list[str | None]:
    """The places of all faults."""
    with pytest.raises(Refusal) as refused:
        decided(*players)
    return [one.field for one in Faults.of(refused.value)]


def test_each_player_has_an_event_with_the_name_as_stored() -> None:
    """A namesake is registered, too."""
    assert decided(NewPlayer("b", " Bea ", "Playa"), NewPlayer("a", "Ana", is_namesake=True)) == {
        "b": [PlayerRegistered("Bea", "Playa")],
        "a": [PlayerRegistered("Ana", None)],
    }


def test_every_fault_has_its_place_in_the_list() -> None:
    """Names are compared regardless of case and accents, with the league and within the list."""
    assert fields(NewPlayer("a", "ÁNA"), NewPlayer("b", "Bea"), NewPlayer("c", "béa"), NewPlayer("ana", "")) == [
        "players.0.name",
        "players.2.name",
        "players.3.player",
        "players.3.name",
    ]
    assert fields(NewPlayer("b", "Bea"), NewPlayer("b", "Bruno")) == ["players.1.player"]
    assert fields(NewPlayer("b", "Bea / Bruno")) == ["players.0.name"]
    assert fields() == fields(*[NewPlayer(f"p{n}", f"P {n}") for n in range(MOST_REGISTERED + 1)]) == ["players"]


@given(some.lists(some.sampled_from(("Ana", "ana", "Áña", "Bea", "Luis", "Luiz")), max_size=6))
def test_no_two_players_of_a_list_share_a_name_unless_it_is_said(names: list[str]) -> None:
    """Whatever the list: it is stored whole if all its names are new and different, and refused otherwise."""
    players = [NewPlayer(f"p{number}", name) for number, name in enumerate(names)]
    keys = [name_key(name) for name in names]
    if names and len({*keys, "ana"}) == len(keys) + 1:
        assert len(decided(*players)) == len(names)
    else:
        assert fields(*players)


def test_names_of_a_list_are_close_to_the_names_that_one_name_is_close_to() -> None:
    """A list is compared through an index."""
    names = ["Ana Pérez", "Anna Peres", "Luis Mota", "José Luis Mota", "Bea"]
    known = KnownNames({name: name_key(name) for name in names})
    for name in ("ana perez", "J. Luis Mota", "Luiz Mota", "Carmen", "Beatriz Pérez"):
        assert known.closest(name) == closest_names(name, names)
    assert known.equal("ANA PEREZ") == ["Ana Pérez"]
