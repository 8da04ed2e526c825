"""The form of a plan: what it takes over from an earlier tournament, and what it changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.datastructures import FormData
from starlette.requests import Request

from league.api.schema import core
from league.console.controls import FieldErrors
from league.tournaments.console.plan_form import OF_ANY_FORMAT, OF_ITS_FORMAT, USUAL, changed, planned

TAKEN: dict[str, Any] = {
    "format": "SWISS", "competition": "CASUAL", "lockedPlayCasually": True, "tieBreaks": ["DIRECT", "DIFFERENCE"],
    "scoreCap": 100, "walkover": {"won": True, "pointsFor": 5, "pointsAgainst": 0}, "legs": 1,
    "opponentWindow": {"rounds": 2}, "partnerWindow": {"rounds": 3}, "partners": "NEAR", "fullCycle": False,
    "regionRounds": 1, "bye": {"won": True, "pointsFor": None, "pointsAgainst": 0},
}  # fmt: skip
REQUEST = Request({"type": "http"})


def plan_of(format_: str, taken: object = TAKEN, **more: str) -> dict[str, Any]:
    form = {
        "plan.name": "Copa",
        "plan.format": format_,
        "plan.ruleset": "cuban-150",
        "taken": json.dumps(taken),
        **more,
    }
    found: dict[str, Any] = planned(FormData(form), REQUEST)["plan"]
    return found


def test_each_setting_has_a_control_or_is_taken_over() -> None:
    """Otherwise a plan as last time would silently lose it."""
    settings = set(core.type_map["TournamentPlanInput"].fields)  # type: ignore[union-attr]
    assert settings == {*USUAL, *OF_ANY_FORMAT, *OF_ITS_FORMAT} - {"rules"}


def test_a_plan_as_last_time_takes_over_what_has_no_control() -> None:
    """Settings of one format are left out for another, and so is a tie-break that it cannot have."""
    same = plan_of("SWISS")
    assert all(same[name] == value for name, value in TAKEN.items())
    other = plan_of("ROTATING_PARTNERS")
    assert (other["tieBreaks"], other["scoreCap"], "opponentWindow" in other) == (["DIFFERENCE"], 100, False)


@pytest.mark.parametrize("taken", [{}, [], {"format": "SWISS"}, 7])
def test_what_the_page_did_not_write_is_refused(taken: object) -> None:
    """The hidden control comes from a browser, so it may hold anything."""
    with pytest.raises(FieldErrors):
        plan_of("SWISS", taken)


def test_a_requested_bye_is_set_where_the_format_has_it() -> None:
    """Another format returns it to its default."""
    bye = {"plan.requestedBye.won": "yes", "plan.requestedBye.pointsFor": "75", "plan.requestedBye.pointsAgainst": ""}
    assert plan_of("SWISS", **bye)["requestedBye"] == {"won": True, "pointsFor": 75, "pointsAgainst": 0}
    assert "requestedBye" not in plan_of("ROUND_ROBIN", **bye)
    change = changed(FormData({"plan.name": "Copa", "plan.format": "ROUND_ROBIN", **bye}))
    assert ("requestedBye" in change["plan"], "REQUESTED_BYE" in change["remove"]) == (False, True)
