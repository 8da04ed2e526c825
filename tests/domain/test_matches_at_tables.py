"""Whole matches at a table, for every ruleset and mode: laws that hold whatever is played."""

from __future__ import annotations

from typing import get_args

import pytest
from given import EDITION, NOW
from msgspec.structs import replace
from tables import NAMES, GivenTable

from league.domain.result import result_of
from league.domain.rules import Mode
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState

MODES = [
    (name, mode, seats)
    for name, ruleset in EDITION.rulesets.items()
    for mode in get_args(Mode)
    for seats in ((3, 4) if mode == "individuals" else (4,) if mode == "2v2" else (2,))
    if mode in ruleset.modes
]


@pytest.mark.parametrize(("ruleset", "mode", "seats"), MODES)
def test_every_ruleset_is_played_to_its_end(ruleset: str, mode: Mode, seats: int) -> None:
    """The match ends by its end condition, and the events alone give the same table again."""
    table = GivenTable(ruleset, mode, seats, seed=seats).sit(*NAMES[:seats]).ready().match_out()
    state = table.state
    assert state.closed == "finished"
    assert state.played is not None
    assert result_of(replace(state.played, ended_at=NOW), EDITION.rulesets[ruleset]).status == "completed"
    again = TableState("t")
    for event, when in zip(table.events, table.times, strict=True):
        again = evolve(again, event, when)
    assert again == state
