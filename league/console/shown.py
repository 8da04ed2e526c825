"""What features show on pages of the core: fields that the documents of those pages ask for, and macros."""

from functools import cache
from typing import ClassVar

from msgspec import Struct

from league.features import declared


class Shown(Struct, frozen=True):
    """What is asked for and shown in one place."""

    fields: str
    """What it asks for: fields of `Query` on the first page, fields of `Match` on pages of matches."""
    template: str
    """Its macros, such as `tables/console/on_pages.html`."""


class OnPages(Struct, frozen=True, kw_only=True):
    """What a feature shows on pages of the core."""

    place: ClassVar[str] = "site"
    on_home: Shown | None = None
    """A card on the first page: the macro `card()`, which sees the data of the page."""
    on_matches: Shown | None = None
    """Where a match is shown: the macros `action(match)` among its buttons, and `in_play(match)` on the desk."""
    on_hand_forms: Shown | None = None
    """Above the form of a hand: the macro `above_form()`, which sees the data of the page."""


_FRAGMENTS = {
    "OfFeatures": ("Query", "on_home"),
    "MatchOfFeatures": ("Match", "on_matches"),
    "HandFormOfFeatures": ("Match", "on_hand_forms"),
}
"""By the name of a fragment that documents of the core spread: its type, and where features declare its fields."""


@cache
def with_fields_of_features(document: str) -> str:
    """A document of the core with the fragments that it spreads."""
    for name, (kind, place) in _FRAGMENTS.items():
        if f"...{name}" in document:
            shown = (getattr(part, place) for part in declared(OnPages))
            fields = " ".join(["__typename", *(one.fields for one in shown if one is not None)])
            document = f"{document}\nfragment {name} on {kind} {{ {fields} }}\n"
    return document
