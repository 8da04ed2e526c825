"""The ids of competitors: players and fixed pairs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.domain.player import is_id
from league.domain.refusals import InvalidInput
from league.domain.seating import competitor_of, is_pair, players_of, read_competitor, subject_of

PLAYER_IDS = st.text(min_size=1, max_size=64).filter(is_id)


@given(one=PLAYER_IDS, other=PLAYER_IDS)
def test_a_pair_has_one_id_whatever_the_seats(one: str, other: str) -> None:
    """The id of two players does not depend on their order, tells them again, and is no player's id."""
    pair = competitor_of((one, other))
    assert pair == competitor_of((other, one))
    assert players_of(pair) == tuple(sorted((one, other)))
    assert is_pair(pair)
    assert subject_of(pair) == "team"
    assert not is_id(pair)


@given(player=PLAYER_IDS)
def test_a_player_competes_under_their_own_id(player: str) -> None:
    """A side of one player competes under the player's id."""
    assert competitor_of((player,)) == player == read_competitor(player, "player")
    assert players_of(competitor_of((player,))) == (player,)
    assert subject_of(competitor_of((player,))) == "player"


def test_the_partners_of_a_pair_are_read_in_either_order() -> None:
    """A text names a player, or two different players in either order."""
    assert read_competitor("eva+ana", "player") == read_competitor("ana+eva", "player") == "ana+eva"
    for text in ("ana+ana", "ana+bea+eva"):
        with pytest.raises(InvalidInput, match=r"^a: .* is neither a player nor a pair of two players"):
            read_competitor(text, "a")
