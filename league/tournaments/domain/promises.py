"""Commitments of devices that no drawing has spent, and which of them a drawing asks for (rules, Drawing)."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct


class Promise(Struct, frozen=True):
    """A commitment whose bytes were not asked for yet."""

    commitment: str
    drawings: int
    """How many drawings the tournament had seen by then."""


P = TypeVar("P", bound=Promise)


def counting(promises: Iterable[P], drawings: int, *, again: bool) -> P | None:
    """The promise of a competitor that counts in the next drawing: the first one.

    `drawings`: how many the tournament has seen. `again`: the round was drawn before; then only those after that
    drawing count.
    """
    return next((one for one in promises if not again or one.drawings == drawings), None)


def asked(
    promises: Mapping[str, tuple[P, ...]], competitors: Iterable[str], drawings: int, *, again: bool
) -> tuple[dict[str, P], dict[str, tuple[P, ...]]]:
    """The promises that a drawing of these competitors asks for, and those that are left.

    What it asks for is in the order of the ids as bytes.
    """
    found: dict[str, P] = {}
    for id_ in sorted(competitors, key=str.encode):
        promise = counting(promises.get(id_, ()), drawings, again=again)
        if promise is not None:
            found[id_] = promise
    left = {id_: tuple(one for one in mine if one is not found.get(id_)) for id_, mine in promises.items()}
    return found, {id_: mine for id_, mine in left.items() if mine}
