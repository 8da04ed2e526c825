"""Merging players: what is refused, by name, and which id is read as which."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.domain.match_refusals import AlreadyMerged, MergeCircle, NotMerged, PlayedTogether
from league.domain.player import (
    MergePlayers,
    Merges,
    MergeUndone,
    PlayersMerged,
    PlayerState,
    SharedMatch,
    UndoMerge,
    competitors_ever,
    evolve_merges,
    merge_players,
    moved,
    undo_merge,
)
from league.domain.refusals import InvalidInput, NotFound, Refusal, WrongState
from league.domain.seating import CompetitorId

IDS = ("ana", "bea", "coc", "dan")


class Registered(dict[str, PlayerState]):
    """Everybody is registered but those who are not."""

    def __missing__(self, player: str) -> PlayerState:
        return PlayerState(registered=True, name=player)


EVERYBODY = Registered()


def after(*events: Any) -> Merges:
    state = Merges()
    for event in events:
        state = evolve_merges(state, event)
    return state


CHAIN = after(PlayersMerged("bea", "ana"), PlayersMerged("coc", "bea"))
"""Ana was merged into Bea, and Bea into Coc."""


def refused(kind: type[Refusal], at: str, keep: str, drop: str, merges: Merges = CHAIN, **of: Any) -> Any:
    """The refusal of a merge, which names this field."""
    with pytest.raises(kind) as refusal:
        merge_players(MergePlayers(keep, drop), merges, of.get("players", EVERYBODY), of.get("together"))
    assert refusal.value.field == at
    return refusal.value


def test_chains_end_at_one_id() -> None:
    """Every id of a chain is read as its end; what else was merged stays as it is."""
    assert CHAIN.aliases() == {"ana": "coc", "bea": "coc"}
    assert CHAIN.ids_of("ana") == CHAIN.ids_of("coc") == {"ana", "bea", "coc"}
    assert CHAIN.ids_of("dan") == {"dan"}


def test_any_link_of_a_chain_can_be_undone() -> None:
    """The other links stay; a player who was ever merged with them is still known."""
    first = after(PlayersMerged("bea", "ana"), PlayersMerged("coc", "bea"), MergeUndone("bea", "ana"))
    assert first.aliases() == {"bea": "coc"}
    assert moved(CHAIN.aliases(), first.aliases()) == {"ana"}
    last = after(PlayersMerged("bea", "ana"), PlayersMerged("coc", "bea"), MergeUndone("coc", "bea"))
    assert last.aliases() == {"ana": "bea"}
    assert moved(CHAIN.aliases(), last.aliases()) == {"ana", "bea"}
    assert first.ever_one_with("ana") == last.ever_one_with("coc") == {"ana", "bea", "coc"}
    met = competitors_ever(CompetitorId("coc+dan"), first)
    assert met == ["ana+dan", "bea+dan", "coc+dan"]


def test_what_cannot_be_merged_is_refused_by_name() -> None:
    """Unknown and erased players, one id, a circle, an id that is dropped already, and two who sat together."""
    players = Registered(eva=PlayerState(), flor=PlayerState(registered=True, erased=True))
    assert refused(NotFound, "keep", "eva", "ana", players=players).id == "eva"
    refused(WrongState, "drop", "dan", "flor", players=players)
    refused(InvalidInput, "drop", "dan", "dan")
    assert refused(MergeCircle, "drop", "ana", "coc") == MergeCircle("ana", "coc")
    assert refused(AlreadyMerged, "drop", "dan", "ana") == AlreadyMerged("drop", "ana", "bea")
    assert refused(AlreadyMerged, "keep", "bea", "dan") == AlreadyMerged("keep", "bea", "coc")
    both = SharedMatch("m1", ("ana", "dan"))
    said = refused(PlayedTogether, "drop", "dan", "coc", together=both)
    assert said == PlayedTogether("m1", ("ana", "dan"))
    assert said.message == "'ana' and 'dan' both sit in match 'm1': void it first if they are one person"


def test_only_a_merge_that_is_in_force_can_be_undone() -> None:
    """The refusal names the one that is."""
    assert undo_merge(UndoMerge("bea", "ana"), CHAIN) == [MergeUndone("bea", "ana")]
    for keep, drop, into in (("coc", "ana", "bea"), ("ana", "dan", None)):
        with pytest.raises(NotMerged) as refusal:
            undo_merge(UndoMerge(keep, drop), CHAIN)
        assert refusal.value == NotMerged(keep, drop, into)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(IDS), st.sampled_from(IDS)), max_size=12))
def test_whatever_is_accepted_gives_every_id_one_player(wanted: list[tuple[bool, str, str]]) -> None:
    """No circle, no id that is read as a dropped one; a merge and its undoing leave the aliases as they were."""
    state = Merges()
    for undo, keep, drop in wanted:
        try:
            (event,) = (
                undo_merge(UndoMerge(keep, drop), state)
                if undo
                else merge_players(MergePlayers(keep, drop), state, EVERYBODY, None)
            )
        except Refusal:
            continue
        before, state = state, evolve_merges(state, event)
        if isinstance(event, PlayersMerged):
            assert evolve_merges(state, undo_merge(UndoMerge(keep, drop), state)[0]).aliases() == before.aliases()
        aliases = state.aliases()
        assert not set(aliases) & set(aliases.values())
        for player in IDS:
            assert {aliases.get(id_, id_) for id_ in state.ids_of(player)} == {aliases.get(player, player)}
            assert state.ids_of(player) <= state.ever_one_with(player)
