"""The names of a sheet that no player has: one entry for each, in which a person says who is meant."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

NEW, OTHER, PLAYER = "new", "other", "player:"


class AskedName(Struct, frozen=True):
    """A name of the sheet, and what the form says of it."""

    name: str
    chosen: str = ""
    """`new`, `other`, or `player:` with the id, a space and the name of one; empty where nothing is chosen yet."""
    other: str = ""
    """The name to read instead."""
    closest: tuple[Mapping[str, str], ...] = ()
    """The players with the closest names: `playerId` and `name`."""
    cells: tuple[Mapping[str, Any], ...] = ()
    """The cells that have the name, as `faults_of` gives them; none once somebody has said who is meant."""

    @property
    def meant(self) -> str | None:
        """The id or the name to read in its place; None for a new player."""
        if self.chosen == NEW:
            return None
        return self.other if self.chosen == OTHER else self.chosen.removeprefix(PLAYER).partition(" ")[0]

    @property
    def read_as(self) -> str:
        """The name to read in its place, for people."""
        return self.other if self.chosen == OTHER else self.chosen.removeprefix(PLAYER).partition(" ")[2]

    @property
    def is_said(self) -> bool:
        """Whether somebody has said who is meant."""
        return self.chosen == NEW or self.chosen.startswith(PLAYER) or (self.chosen == OTHER and self.other != "")


def said_in(fields: Mapping[str, str]) -> list[AskedName]:
    """The names that a form says something of, in its order."""
    found = []
    for number in [name.removeprefix("name.") for name in fields if name.startswith("name.")]:
        other = fields.get(f"other.{number}", "").strip()
        found.append(AskedName(fields[f"name.{number}"], fields.get(f"as.{number}", OTHER if other else ""), other))
    return found


def as_field(names: Iterable[AskedName]) -> str:
    """What these names stand for, as the upload of a sheet takes it in the field `names`."""
    return json.dumps({one.name: one.meant for one in names if one.is_said})


def with_faults(said: Iterable[AskedName], faults: Iterable[Mapping[str, Any]]) -> list[AskedName]:
    """The names that have been said, then those that still are unknown, each with all of its cells."""
    found: dict[str, AskedName] = {}
    for fault in faults:
        known = found.get(fault["name"], AskedName(fault["name"], closest=tuple(fault["closest"])))
        found[fault["name"]] = replace(known, cells=(*known.cells, fault))
    return [*(one for one in said if one.is_said and one.name not in found), *found.values()]
