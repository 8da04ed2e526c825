"""What features show on pages of the core: fields that the documents of those pages ask for, and macros."""

from functools import cache

from msgspec import Struct

from league.features import declared


class Shown(Struct, frozen=True):
    """What a feature shows on pages of the core."""

    fields: str
    """What it asks for: fields of `Query` on the first page, fields of `Match` on pages of matches."""
    template: str
    """Its macros, such as `tables/console/on_pages.html`."""


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
            shown = (getattr(part, place) for part in declared("site"))
            fields = " ".join(["__typename", *(one.fields for one in shown if one is not None)])
            document = f"{document}\nfragment {name} on {kind} {{ {fields} }}\n"
    return document
