"""The events in the golden bodies of photos."""

from __future__ import annotations

from typing import Any

from league.domain import match
from league.photos.domain import photo

HASHES = (
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
)


def of_photos() -> dict[str, list[Any]]:
    """The events by stored name."""
    outline = ((10.5, 20.0), (110.0, 21.5), (109.0, 71.0), (9.0, 70.5))
    ids = ("0b7f6c9e-5a64-5a0c-9d2a-111111111111", "0b7f6c9e-5a64-5a0c-9d2a-222222222222")
    return {
        "hand-photographed/1": [match.HandPhotographed(3, ids)],
        "photo-uploaded/1": [
            photo.PhotoUploaded("c-0001", 3, 1, None, HASHES[0], 734_003, "image/jpeg", 4032, 3024),
            photo.PhotoUploaded("c-0001", 4, None, 0, HASHES[1], 1_203_311, "image/png", 1200, 900),
        ],
        "photo-count-proposed/1": [
            photo.CountProposed((photo.ReadTile((2, 5), 0.98, outline),), 7, 0.97, None),
            photo.CountProposed((), None, 0.0, "no_tiles"),
        ],
        "photo-count-confirmed/1": [photo.CountConfirmed()],
        "photo-count-corrected/1": [
            photo.CountCorrected(((2, 5), (3, 3)), 13),
            photo.CountCorrected(None, 41),
        ],
        "photo-erased/1": [photo.PhotoErased("a face is on it")],
    }
