"""A change of the plan names the settings that change; all others stay."""

from __future__ import annotations

from typing import Any

import pytest
from played_tournaments import ACTOR, planned, state_of

from league.application.bootstrap import League
from league.domain.refusals import ChangedSince, InvalidInput
from league.tournaments.domain import commands as c
from league.tournaments.domain.plan import Plan, changed_document, parse_plan, plan_hash

SWISS: dict[str, Any] = {
    "name": "Copa", "format": "swiss", "ruleset": "cuban-150", "rounds": 4, "minutes": 25, "opponent_window": 2,
    "tie_breaks": ["direct"], "walkover": {"won": True, "for": 60, "against": 0},
}  # fmt: skip


def changed(changes: dict[str, Any], remove: tuple[str, ...] = ()) -> Plan:
    return parse_plan(changed_document(parse_plan(SWISS), changes, remove))


def test_what_a_change_does_not_name_stays() -> None:
    """Only the minutes change."""
    assert changed({"minutes": 30}) == parse_plan({**SWISS, "minutes": 30})
    assert plan_hash(changed({})) == plan_hash(parse_plan(SWISS))


def test_defaults_that_somebody_wrote_out_do_not_change_the_hash() -> None:
    """A plan that was read has all of them, and is the same plan when it is sent back."""
    written = {"bye": {"won": True, "for": None, "against": 0}, "mode": "2v2", "late_entries": 0}
    assert plan_hash(changed(written)) == plan_hash(parse_plan(SWISS))
    usual = ["buchholz", "difference", "points_for"]
    without = {name: value for name, value in SWISS.items() if name != "tie_breaks"}
    assert plan_hash(parse_plan({**without, "tie_breaks": usual})) == plan_hash(parse_plan(without))


def test_what_is_removed_returns_to_its_default() -> None:
    """A setting that has its default already may be named as well."""
    found = changed({}, ("minutes", "opponent_window", "score_cap"))
    assert (found.minutes, found.opponent_window, found.score_cap) == (None, None, None)
    assert found.tie_breaks == ("direct",)


@pytest.mark.parametrize("name", ["name", "ruleset", "format", "rules", "nothing"])
def test_only_a_setting_with_a_default_can_be_removed(name: str) -> None:
    """The refusal names its place in the list."""
    with pytest.raises(InvalidInput, match="cannot be removed") as refused:
        changed({}, ("minutes", name))
    assert refused.value.field == "remove.1"


def test_a_setting_is_not_changed_and_removed_at_once() -> None:
    """Nobody could say what is meant."""
    with pytest.raises(InvalidInput, match="is changed as well"):
        changed({"minutes": 30}, ("minutes",))


def test_the_plan_that_a_change_would_make_is_checked_whole() -> None:
    """Another format may not have a setting that was kept: the refusal names it, and it can be removed."""
    with pytest.raises(InvalidInput) as refused:
        changed({"format": "rotating_partners"})
    assert refused.value.field == "plan.tie_breaks"
    assert changed({"format": "rotating_partners"}, ("tie_breaks",)).format == "rotating_partners"


def test_of_two_organisers_who_change_a_plan_at_once_the_second_is_told(league: League) -> None:
    """Entries meanwhile do not matter; a change of the plan does."""
    planned(league, [])
    read = league.store.newest_position("tournament:copa")
    dispatcher = league.dispatcher
    dispatcher.send(c.ChangePlan("copa", {"minutes": 30}), ACTOR, expected=read)
    with pytest.raises(ChangedSince) as refused:
        dispatcher.send(c.ChangePlan("copa", {"rounds": 6}), "another", expected=read)
    dispatcher.send(c.ChangePlan("copa", {"rounds": 6}), "another", expected=refused.value.position)
    plan = state_of(league).known_plan
    assert (plan.minutes, plan.rounds) == (30, 6)
