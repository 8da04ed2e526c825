"""Chance that everybody can compute again: the seed of a round, and its tie values (rules, Tournaments)."""

import hashlib
from collections.abc import Iterable


def seed_of(root: str, tournament: str, number: int, contributions: Iterable[str] = ()) -> str:
    """The seed of a round, as hexadecimal: of the root of the log with the drawing, which nobody knows before it.

    `contributions`: the bytes of devices in lower-case hexadecimal, in the order of their competitors' ids as bytes.
    """
    said = f"{root},{tournament},{number}"
    given = ",".join(contributions)
    return hashlib.sha256((f"{said},{given}" if given else said).encode()).hexdigest()


def tie_value(seed: str, stage: str, *ids: str) -> int:
    """A number of 64 bits for one id, or for two in any order: what decides where all criteria are equal."""
    named = ",".join((seed, stage, *sorted(ids, key=str.encode)))
    return int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big")
