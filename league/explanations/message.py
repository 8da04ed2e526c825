"""A sentence of an explanation as a key and its values; `league.wording.explanations` has the words."""

from typing import Literal

from msgspec import Struct

MessageKey = Literal[
    # statements
    "hand_scored", "hand_after_end", "hand_of_voided_match", "match_won", "match_voided", "match_open",
    "rating_changed", "rating_of_voided_match", "badge_by_match", "badge_by_month", "badge_not_held",
    "place_with_rank", "place_provisional", "standing",
    # formulas
    "sum_by_side", "sum_is_total", "sum_is_value", "sum_against_threshold", "rating_formula", "share",
    # terms
    "hand_term", "hand_of_match", "reset_by_hand", "announced",
    "rating_before", "won", "lost", "modifier_term", "cap", "expected", "k_rule",
    "badge_threshold", "counted_before", "counted_in_match", "counted_until_now", "longest_streak",
    "rating_after", "highest_rating", "month_won", "unbeaten_month",
    "rating_in_mode", "weighted_rating", "counted_in_all", "rank", "provisional", "last_match",
    "start", "series_points", "game_points", "competitive", "casual", "special", "beyond_limit",
    # corrections
    "hand_corrected", "end_taken_back", "match_was_voided",
]  # fmt: skip

Value = str | int | float | bool | tuple[int, ...] | None


class Message(Struct, frozen=True):
    """A sentence as a key and values."""

    key: MessageKey
    values: dict[str, Value] = {}


def message(key: MessageKey, **values: Value) -> Message:
    """A message with its values by name."""
    return Message(key, values)
