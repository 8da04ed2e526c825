"""Plans of tournaments in which chance decides every setting."""

from __future__ import annotations

from random import Random
from typing import Any

from league.rulebook import shipped_edition
from league.tournaments.domain.plan import WITH_KNOCKOUT

RULEBOOK = shipped_edition(1)
TIE_BREAKS = [
    "difference", "points_for", "buchholz", "buchholz_cut", "buchholz_median", "sonneborn_berger", "best_hand",
    "fewest_byes",
]  # fmt: skip
WITH_LATE_ENTRIES = {"swiss", "rotating_partners", "fixtures"}


def random_plan(chance: Random, rules: int, format_: str | None) -> dict[str, Any]:
    """A plan under a version of the rules. `format_`: None lets chance decide, without knock-outs."""
    usual = ("swiss", "swiss", "rotating_partners", "rotating_partners", "round_robin", "fixtures")
    format_ = format_ or chance.choice(usual)
    plan: dict[str, Any] = {
        "name": "Copa",
        "format": format_,
        "ruleset": chance.choice(("cuban-150", "caribbean-500-bonus")),
        "mode": "2v2" if format_ == "rotating_partners" else chance.choice(("1v1", "2v2")),
        "tie_breaks": _tie_breaks(chance, format_),
        "late_entries": chance.choice((0, 3)) if format_ in WITH_LATE_ENTRIES else 0,
        "region_rounds": chance.choice((0, 1)),
        "partners": chance.choice(("near", "drawn")),
        "bye": {"won": chance.random() < 0.8, "for": chance.choice((None, 30)), "against": chance.choice((0, 20))},
    }
    if plan["mode"] not in RULEBOOK.rulesets[plan["ruleset"]].modes:
        plan["ruleset"] = "cuban-150"
    if format_ in WITH_LATE_ENTRIES:
        plan["rounds"] = chance.randint(1, 6)
    if format_ in WITH_KNOCKOUT:
        del plan["bye"]
        plan |= _knockout(chance, format_)
    if format_ == "rotating_partners":
        plan["full_cycle"] = chance.random() < 0.1
    for window in ("opponent_window", "partner_window"):
        if chance.random() < 0.4:
            plan[window] = chance.choice(("all", 0, 1, 2, 4))
    if chance.random() < 0.3:
        plan["score_cap"] = chance.choice((20, 100))
    return {**plan, **_since_version_2(chance, format_)} if rules > 1 else plan


def least_entrants(plan: dict[str, Any]) -> int:
    """The fewest competitors that the plan can be played with, and a few more where all formats are alike."""
    if plan["format"] == "groups":
        return int(plan["groups"]) * max(3, plan.get("advance", 2) + 1)
    return 2 if plan["format"] == "knockout" else 4


def _since_version_2(chance: Random, format_: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "walkover": {"won": chance.random() < 0.7, "for": chance.choice((None, 20)), "against": 0},
        "difference_cap": chance.choice((None, 15, 60)),
    }
    if format_ in {"round_robin", "groups"}:
        found["legs"] = chance.choice((1, 1, 1, 2))
        found["withdrawals"] = chance.choice((None, None, "annul_below_half", "keep"))
    return found


def _knockout(chance: Random, format_: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "best_of": chance.choice((1, 1, 3, 5, [1, 3, 5], [3, 1])),
        "third_place": chance.choice((None, True, False)),
        "first_round": chance.choice(("drawn", "drawn", "rating")),
    }
    if format_ == "groups":
        found["groups"] = chance.choice((2, 2, 3, 4, 5))
        advance = chance.choice((None, 1, 2, 3))  # None: as usual
        found |= {} if advance is None else {"advance": advance}
    return found


def _tie_breaks(chance: Random, format_: str) -> list[str]:
    if format_ == "knockout":
        return []
    known = TIE_BREAKS if format_ == "rotating_partners" else [*TIE_BREAKS, "direct"]
    return chance.sample(known, chance.randint(0, 4))
