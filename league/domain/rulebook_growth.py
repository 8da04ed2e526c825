"""How the rulebook grows: the settings added after edition 1, and the one form in which editions are hashed.

A published edition is known by its hash for ever. So a new setting stays out of the hash while it is at its default:
editions that were written before the setting existed keep their hash.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from msgspec.structs import fields

from league.domain.rules import COUNTED_COMPETITIONS, Bonuses, LiveTable

ADDED_AFTER_EDITION_1: dict[str, Any] = {
    "rating.k.provisional_below": None,
    "series.competitions": COUNTED_COMPETITIONS,
    "rulesets.*.live": {},
    **{f"rulesets.*.live.{setting.name}": setting.default for setting in fields(LiveTable)},
}
"""By dotted key, the default of each setting that edition 1 does not have. None: another setting gives the value.

`*` in a key is every item: `rulesets.*.title` is the title of every ruleset.
"""

LEFT_OUT_AT_DEFAULT: dict[str, Any] = {
    **ADDED_AFTER_EDITION_1,
    **{f"rulesets.*.bonuses.{bonus.name}": bonus.default for bonus in fields(Bonuses)},
}
"""What stays out of the hash at its default: the added settings, and the bonuses that a ruleset does not play.

This list alone decides it. `omit_defaults` of a section keeps defaults out of the log, and changes no hash.
"""


def in_one_form(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the form that is hashed, where what means the same is written alike.

    Competitions are sorted, a cap of equal halves is the number, a count for K that equals the shown one is left out,
    and so is all that is on `LEFT_OUT_AT_DEFAULT` at its default. The document must be free of faults.
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
    """The document with the added settings that it leaves out, where they have a default of their own."""
    found: dict[str, Any] = deepcopy(dict(document))
    for key, default in ADDED_AFTER_EDITION_1.items():
        path, _, name = key.rpartition(".")
        for section in _sections(found, path) if default is not None else ():
            section.setdefault(name, deepcopy(default))
    return found


def _sections(value: Any, path: str) -> Iterator[dict[str, Any]]:
    """The tables at a path. It has several with a `*`, and none where the document has another value or nothing."""
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
