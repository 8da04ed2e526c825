"""The settings of a tournament that hold: every setting of its format, with defaults filled in."""

from collections.abc import Mapping
from typing import Any

from league.tournaments.domain.knockout import plays_for_third
from league.tournaments.domain.outcomes import Award, PointRules
from league.tournaments.domain.plan import USUAL_ADVANCE, Format, Plan, opponent_window, tie_breaks_of, withdrawals_of

_OF_ALL = (
    "mode", "competition", "rounds", "first_round", "locked_play_casually", "tie_breaks", "score_cap",
    "difference_cap", "walkover", "minutes", "setup_minutes", "at_bell", "check_in",
)  # fmt: skip
_CHOSEN = ("bye", "requested_bye", "opponent_window", "region_rounds", "late_entries")
"""Settings of formats in which costs decide who meets whom."""
_OF_KNOCKOUT = ("best_of", "third_place")

SETTINGS: Mapping[Format, tuple[str, ...]] = {
    "round_robin": (*_OF_ALL, "legs", "bye", "withdrawals"),
    "swiss": (*_OF_ALL, *_CHOSEN),
    "rotating_partners": (*_OF_ALL, *_CHOSEN, "partner_window", "partners", "full_cycle"),
    "fixtures": (*_OF_ALL, "legs", "late_entries"),
    "knockout": (
        *_OF_KNOCKOUT,
        "mode",
        "competition",
        "first_round",
        "locked_play_casually",
        "minutes",
        "setup_minutes",
        "at_bell",
        "check_in",
    ),
    "groups": (
        *(name for name in _OF_ALL if name != "rounds"),
        "legs",
        "withdrawals",
        "groups",
        "advance",
        *_OF_KNOCKOUT,
    ),
}
"""The names of the settings of each format. `name`, `format`, `ruleset` and `rules` are no settings."""


def settings_that_hold(plan: Plan, points: PointRules, entered: int | None = None) -> dict[str, Any]:
    """The settings of the plan's format by name, as JSON values. `points`: how the plan counts results.

    `entered`: how many entered the knock-out; None: it has not begun.
    """
    window = opponent_window(plan)
    third_place = plan.third_place is not False if entered is None else plays_for_third(plan, entered)
    filled: dict[str, Any] = {
        "opponent_window": "all" if window is None else window,
        "withdrawals": withdrawals_of(plan),
        "tie_breaks": list(tie_breaks_of(plan)),
        "best_of": plan.best_of if isinstance(plan.best_of, int) else list(plan.best_of),
        "third_place": third_place,
        "advance": plan.advance or USUAL_ADVANCE,
        "score_cap": points.cap,
        "bye": award_document(points.bye),
        "walkover": award_document(points.walkover),
        "requested_bye": award_document(points.requested_bye),
    }
    return {name: filled[name] if name in filled else getattr(plan, name) for name in SETTINGS[plan.format]}


def award_document(award: Award) -> dict[str, Any]:
    """What is given without play, as a JSON value with the keys `won`, `for` and `against`."""
    won, for_, against = award
    return {"won": won, "for": for_, "against": against}
