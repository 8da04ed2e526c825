"""How the rulebook grows: the settings added after edition 1, and the one form in which editions are hashed.

A published edition is known by its hash for ever. So a new setting stays out of the hash while it is at its default:
editions that were written before the setting existed keep their hash.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from league.domain.rules import COUNTED_COMPETITIONS

ADDED_AFTER_EDITION_1: dict[str, Any] = {
    "rating.k.provisional_below": None,
    "series.competitions": COUNTED_COMPETITIONS,
}
"""By dotted key, the default of each setting that edition 1 does not have. None: another setting gives the value."""


def in_one_form(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the form that is hashed, where what means the same is written alike.

    Competitions are sorted, a cap of equal halves is the number, a count for K that equals the shown one is left out,
    and so is every added setting at its default. The document must be free of faults.
    """
    found: dict[str, Any] = deepcopy(dict(document))
    rating, series = found["rating"], found["series"]
    if isinstance(cap := rating["cap"], dict) and cap["below"] == cap["above"]:
        rating["cap"] = cap["above"]
    if rating["k"].get("provisional_below") == rating["provisional_below"]:
        del rating["k"]["provisional_below"]
    if "competitions" in series:
        series["competitions"] = tuple(sorted(series["competitions"]))
    for key, default in ADDED_AFTER_EDITION_1.items():
        section, name = _section_of(key, found)
        if name in section and section[name] == default:
            del section[name]
    return found


def written_out(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with the added settings that it leaves out, where they have a default of their own."""
    found: dict[str, Any] = deepcopy(dict(document))
    for key, default in ADDED_AFTER_EDITION_1.items():
        section, name = _section_of(key, found)
        if default is not None:
            section.setdefault(name, default)
    return found


def _section_of(key: str, document: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """The table of a dotted key, and the name of the setting in it."""
    *path, name = key.split(".")
    section = document
    for part in path:
        section = section[part]
    return section, name
