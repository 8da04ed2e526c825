"""The word that was probably meant by one that is not allowed."""

from __future__ import annotations

import pytest

from league.domain.player_names import nearest, there_are
from league.domain.refusals import NotFound


@pytest.mark.parametrize(
    ("given", "meant"),
    [("globl", "global"), ("GLOBAL", "global"), ("capicúas", "capicuas"), ("chess", None), ("", None)],
)
def test_the_nearest_word_is_found_whatever_case_and_accents(given: str, meant: str | None) -> None:
    """No word is found if all are far away."""
    assert nearest(given, ("global", "1v1", "capicuas")) == meant


def test_a_refusal_names_what_is_allowed_and_the_nearest_last() -> None:
    """A message that is cut off loses its middle; one allowed word is not named twice."""
    assert there_are("wins-11", ("wins-10", "upset-1")) == "there are wins-10, upset-1; the nearest is wins-10"
    assert there_are("wins-11", ("wins-10",)) == "there are wins-10"


def test_what_is_not_there_names_the_command_that_lists_it() -> None:
    """The refusal also lists the ids if they are few."""
    missing = NotFound("run", "run", "9", ("1", "2"), "league replays")
    assert missing.message == "there is no run 9; there are 1, 2; `league replays` lists them"
