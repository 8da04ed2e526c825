"""A sentence of an explanation as a key and its values; `league.wording.explanations` has the words."""

from typing import Literal

from msgspec import Struct

MessageKey = Literal[
    # statements
    "hand_scored", "hand_after_end", "hand_of_voided_match", "hand_of_forfeited_match",
    "match_won", "match_voided", "match_open", "match_pending",
    "rating_changed", "rating_by_forfeit", "rating_of_voided_match",
    "badge_by_match", "badge_by_month", "badge_not_held", "place_with_rank", "place_provisional", "standing",
    # formulas
    "sum_by_side", "sum_is_total", "sum_is_value", "sum_against_threshold", "rating_formula", "share",
    # terms
    "hand_term", "hand_term_stated", "hand_of_match", "reset_by_hand", "announced",
    "rating_before", "won", "lost", "modifier_term", "cap", "expected", "k_rule",
    "badge_threshold", "counted_before", "counted_in_match", "counted_until_now", "longest_streak",
    "rating_after", "highest_rating", "month_won", "unbeaten_month",
    "rating_in_mode", "weighted_rating", "counted_in_all", "rank", "provisional", "last_match",
    "start", "series_points", "game_points", "competitive", "casual", "special", "beyond_limit",
    # corrections
    "hand_corrected", "end_taken_back", "match_was_voided",
]  # fmt: skip

Value = str | int | float | bool | tuple[int, ...] | tuple[str, ...] | None

PEOPLE = ("subject", "opponents", "sides")
"""The values that are ids of players and pairs; a sentence has their names."""


class Message(Struct, frozen=True):
    """A sentence as a key and values."""

    key: MessageKey
    values: dict[str, Value] = {}

    @property
    def people(self) -> tuple[str, ...]:
        """The ids of the players and pairs that it names."""
        found = (self.values.get(name) for name in PEOPLE)
        ids = [id_ for value in found for id_ in (value if isinstance(value, tuple) else (value,)) if id_ is not None]
        return tuple(dict.fromkeys(map(str, ids)))

    @property
    def match(self) -> str | None:
        """The id of the match that it is about, if it is about one."""
        match = self.values.get("match")
        return None if match is None else str(match)


def message(key: MessageKey, **values: Value) -> Message:
    """A message with its values by name."""
    return Message(key, values)
