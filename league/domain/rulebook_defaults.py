"""The settings that were added after edition 1, with the values that editions without them have.

A document is hashed without them where they have their default, and written out with them for people.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from msgspec.structs import fields

from league.domain.rules import COUNTED_COMPETITIONS, Bonuses, LiveTableRules

ADDED_AFTER_EDITION_1: dict[str, Any] = {
    "rating.k.provisional_below": None,
    "series.competitions": COUNTED_COMPETITIONS,
    "rulesets.*.capicua_doubles": False,
    "rulesets.*.hand_points": "pips",
    "rulesets.*.ending": None,
    "rulesets.*.made_from": None,
    "rulesets.*.live": {},
    **{f"rulesets.*.live.{setting.name}": setting.default for setting in fields(LiveTableRules)},
}
"""The default of each setting that edition 1 does not have, by dotted key.

None: another setting gives the value, or there is none.

`*` in a key stands for every item: `rulesets.*.title` is the title of every ruleset.
"""

LEFT_OUT_AT_DEFAULT: dict[str, Any] = {
    **ADDED_AFTER_EDITION_1,
    **{f"rulesets.*.bonuses.{bonus.name}": bonus.default for bonus in fields(Bonuses)},
}
"""Settings that the hash omits at their default: those added after edition 1, and bonuses that are not played.

Only this list decides about the hash. `omit_defaults` of a section omits defaults from the log and changes no hash.
"""


def in_one_form(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the form that is hashed, in which equal rules are written alike.

    Sorts competitions, writes a cap with equal halves as one number, omits a `provisional_below` of K that equals the
    rating's, and omits the settings of `LEFT_OUT_AT_DEFAULT` at their default. The document must have no faults.
    """
    found: dict[str, Any] = deepcopy(dict(document))
    rating, series = found["rating"], found["series"]
    if isinstance(cap := rating["cap"], dict) and cap["below"] == cap["above"]:
        rating["cap"] = cap["above"]
    if rating["k"].get("provisional_below") == rating["provisional_below"]:
        del rating["k"]["provisional_below"]
    if "competitions" in series:
        series["competitions"] = tuple(sorted(series["competitions"]))
    for key, default in reversed(LEFT_OUT_AT_DEFAULT.items()):  # a section after its settings
        path, _, name = key.rpartition(".")
        for section in _sections(found, path):
            if name in section and section[name] == default:
                del section[name]
    return found


def written_out(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with every setting that was added after edition 1, unless another setting gives its value."""
    found: dict[str, Any] = deepcopy(dict(document))
    for key, default in ADDED_AFTER_EDITION_1.items():
        path, _, name = key.rpartition(".")
        for section in _sections(found, path) if default is not None else ():
            section.setdefault(name, deepcopy(default))
    return found


def _sections(value: Any, path: str) -> Iterator[dict[str, Any]]:
    """The tables at a path: several if it has a `*`, none if the document has no table there."""
    part, _, rest = path.partition(".")
    if not part:
        if isinstance(value, dict):
            yield value
        return
    if part == "*":
        below = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    else:
        below = [value[part]] if isinstance(value, dict) and part in value else ()
    for item in below:
        yield from _sections(item, rest)
