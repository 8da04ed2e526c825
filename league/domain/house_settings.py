"""The settings that houses play and no shipped ruleset uses, and what is wrong with them in a document."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import fields

from league.domain.collected_refusals import RulebookFault
from league.domain.rules import EndingPoints
from league.domain.sentences import joined, say
from league.domain.setting_names import setting_name, setting_value

HOUSE_SETTINGS: Mapping[str, Any] = {
    "counted_pips": "all_on_block",
    "block_tie": "next_starts",
    "capicua_doubles": True,
    "hand_points": "by_ending",
}
"""The settings that no shipped ruleset uses, each with the value that needs a ruleset with points."""


def faults_of_house_rules(at: str, rules: Mapping[str, Any]) -> Iterator[RulebookFault]:
    """The faults in the house settings of a ruleset, which has the dotted key `at`."""
    scoring = {"scoring": setting_name(f"{at}.scoring"), "points": setting_value(f"{at}.scoring", "points")}
    hand_points = setting_name(f"{at}.hand_points")
    endings = [setting_name(f"{at}.ending.{field.name}") for field in fields(EndingPoints)]
    used = [setting for setting, value in HOUSE_SETTINGS.items() if rules.get(setting) == value]
    if rules.get("scoring") in ("hands", "row"):
        for setting in used:
            yield RulebookFault(
                f"{at}.{setting}",
                say("is for rulesets with points: choose another value, or set {scoring} to {points}", **scoring),
            )
    by_ending, ending = "hand_points" in used, rules.get("ending")
    if by_ending and "capicua_doubles" in used:
        yield RulebookFault(
            f"{at}.capicua_doubles",
            say(
                "doubles pips, and here hands score by their ending: switch it off, or set {hand_points} to {pips}",
                hand_points=hand_points,
                pips=setting_value(f"{at}.hand_points", "pips"),
            ),
        )
    if by_ending and ending is None:
        yield RulebookFault(
            f"{at}.ending",
            say("is missing: write a number for each of {endings}", endings=joined(", ", endings)),
        )
    if ending is not None and not by_ending:
        yield RulebookFault(
            f"{at}.ending",
            say(
                "is read only where {hand_points} is {by_ending}: set that, or switch this off",
                hand_points=hand_points,
                by_ending=setting_value(f"{at}.hand_points", "by_ending"),
            ),
        )
    if isinstance(ending, Mapping) and ending and all(points == 0 for points in ending.values()):
        yield RulebookFault(f"{at}.ending", say("needs a number above 0, or no hand would score"))
