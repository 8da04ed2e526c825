"""Plans of tournaments: each fault is named by its key, and equal plans have equal hashes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from league.domain.collected_refusals import Faults
from league.domain.refusals import InvalidInput
from league.tournaments.domain.plan import opponent_window, parse_plan, plan_hash
from league.tournaments.domain.schedule import time_of

SWISS = {"name": "Copa", "format": "swiss", "ruleset": "cuban-150", "rounds": 5}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"format": "scramble"}, "plan.format"),
        ({"colour": "red"}, "plan"),
        ({"rounds": None}, "plan.rounds"),
        ({"rounds": 0}, "plan.rounds"),
        ({"rounds": "five"}, "plan.rounds"),
        ({"legs": 3}, "plan.legs"),
        ({"format": "round_robin", "late_entries": 2}, "plan.late_entries"),
        ({"name": " "}, "plan.name"),
        ({"format": "rotating_partners", "mode": "1v1"}, "plan.mode"),
        ({"tie_breaks": ["difference", "difference"]}, "plan.tie_breaks"),
        ({"tie_breaks": ["luck"]}, "plan.tie_breaks[0]"),
        ({"format": "rotating_partners", "tie_breaks": ["direct"]}, "plan.tie_breaks"),
        ({"partner_window": -1}, "plan.partner_window"),
        ({"bye": {"for": -5}}, "plan.bye.for"),
        ({"minutes": 0}, "plan.minutes"),
        ({"setup_minutes": -1}, "plan.setup_minutes"),
        ({"setup_minutes": 1441}, "plan.setup_minutes"),
        ({"difference_cap": 0}, "plan.difference_cap"),
        ({"requested_bye": {"for": -1}}, "plan.requested_bye.for"),
        ({"format": "round_robin", "requested_bye": {"won": True}}, "plan.requested_bye"),
        ({"rules": 2}, "plan.rules"),
    ],
)
def test_a_fault_is_named_by_its_key(change: dict[str, Any], field: str) -> None:
    """Wrong types, unknown keys, numbers out of range and contradictory settings are named by their key."""
    with pytest.raises(InvalidInput) as refused:
        parse_plan({**SWISS, **change})
    assert refused.value.field == field


def test_all_faults_are_named_at_once() -> None:
    """One answer names all faults, so that people can mend them together."""
    with pytest.raises(Faults) as refused:
        parse_plan({**SWISS, "rounds": 0, "legs": 3})
    assert [each.field for each in refused.value.refusals] == ["plan.rounds", "plan.legs"]


def test_equal_plans_have_one_hash() -> None:
    """The hash does not depend on written defaults or on the order of the keys."""
    plain = parse_plan(SWISS)
    assert plan_hash(parse_plan({"legs": 1, **dict(reversed(SWISS.items()))})) == plan_hash(plain)
    assert plan_hash(parse_plan({**SWISS, "rounds": 6})) != plan_hash(plain)


def test_the_usual_window_depends_on_the_format() -> None:
    """Opponents count in all rounds of a Swiss tournament, and in three rounds with rotating partners."""
    assert opponent_window(parse_plan(SWISS)) is None
    assert opponent_window(parse_plan({**SWISS, "format": "rotating_partners"})) == 3
    assert opponent_window(parse_plan({**SWISS, "opponent_window": 2})) == 2
    assert opponent_window(parse_plan({**SWISS, "format": "rotating_partners", "opponent_window": "all"})) is None


def test_a_plan_under_earlier_rules_has_no_newer_settings() -> None:
    """A tournament that was planned under version 1 keeps it, and its plan takes no setting of version 2."""
    assert parse_plan(SWISS, rules=1).rules == 1
    newer = {"difference_cap": 50, "setup_minutes": 5, "requested_bye": {"won": True}}
    with pytest.raises(Faults) as refused:
        parse_plan({**SWISS, **newer}, rules=1)
    assert [each.field for each in refused.value.refusals] == [f"plan.{name}" for name in newer]


def test_the_time_of_a_round_begins_after_the_minutes_to_set_up() -> None:
    """Without them it begins with the publication. A round that is untimed, or not published, has no time."""
    at = datetime(2026, 3, 1, 18, tzinfo=UTC)
    timed = parse_plan({**SWISS, "minutes": 25})
    assert time_of(timed, at) == (at, at + timedelta(minutes=25))
    later, with_setup = at + timedelta(minutes=5), parse_plan({**SWISS, "minutes": 25, "setup_minutes": 5})
    assert time_of(with_setup, at) == (later, later + timedelta(minutes=25))
    assert time_of(timed, None) is time_of(parse_plan({**SWISS, "setup_minutes": 5}), at) is None
