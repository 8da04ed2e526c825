"""The photos of a hand in its form: which ones it lists, which ones it sends, and what they say of the pips."""

from collections.abc import Mapping, Sequence
from typing import Any

SETTLED = ("CONFIRMED", "CORRECTED", "TYPED")
"""States of photos whose count a person has settled."""
ERASED = "ERASED"

Photos = Sequence[Mapping[str, Any]]


def photos_of(match: Mapping[str, Any], hand: int) -> Photos:
    """The photos of a hand that are still there."""
    return [photo for photo in match["photos"] or [] if photo["hand"] == hand and photo["status"] != ERASED]


def new_counts(photos: Photos, since: int = 0) -> Photos:
    """Those whose count a person has settled since the facts were recorded at a position: the form sends them along."""
    return [photo for photo in photos if photo["status"] in SETTLED and int(photo["position"]) > since]


def counted_pips(counts: Photos, sides: Sequence[int]) -> Mapping[str, Any]:
    """The pips on photos, by the names of the controls that they belong to. `sides`: the side of each seat."""
    found: dict[str, Any] = {}
    for photo in counts:
        if photo["seat"] is not None:
            found[f"facts.leftover.{photo['seat']}"] = photo["pips"]
            continue
        of_side = [seat for seat, side in enumerate(sides) if side == photo["side"]]
        found |= {f"facts.leftover.{seat}": "" for seat in of_side}  # what was counted of each apart does not hold
        found[f"facts.sideLeftover.{photo['side']}"] = photo["pips"]
    return found


def evidence(match: Mapping[str, Any], hand: int, recorded_at: int | None, sides: Sequence[int]) -> Mapping[str, Any]:
    """The photos of a hand, and of a recorded hand the pips that its controls show since then."""
    photos = photos_of(match, hand)
    counts = new_counts(photos, recorded_at or 0)
    return {
        "photos": photos,
        "new_counts": counts,
        "evidence": [photo["photoId"] for photo in counts],
        "counted_pips": {} if recorded_at is None else counted_pips(counts, sides),
    }
