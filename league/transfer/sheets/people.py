"""Finds the players that a sheet names: by id or by name, alone or as two partners in one cell.

Also makes ids for matches to which the sheet gives none: the same rows get the same ids whenever they are imported.
"""

import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import product
from types import MappingProxyType

from league.domain.collected_refusals import Faults
from league.domain.player import PARTNERS, Aliases, canonical
from league.domain.player_names import closest_names, name_key
from league.domain.refusals import InvalidInput, UnknownName
from league.domain.sentences import joined, say
from league.domain.texts_and_times import tidied
from league.transfer.sheets.cells import WrittenTime, write_moment

WORDS = re.compile(r"\s(?:y|and)(?=\s)", re.IGNORECASE)
"""Words between partners, which names may have too: Ramón y Cajal."""
PERHAPS = re.compile(r",|\s[-–—](?=\s)|\s(?:con|e(?=\s+(?:h?[ií]|y[^aeiou\s])))(?=\s)", re.IGNORECASE)  # noqa: RUF001  # a dash
"""What may stand between partners or in a name: `Ana e Inés` and `Pérez, Ana`. It splits where both parts are known."""


class SheetPeople:
    """The players of the league by what a sheet calls them; with `register`, also those that the sheet adds."""

    def __init__(
        self,
        names: Mapping[str, str | None],
        aliases: Aliases,
        *,
        register: bool = False,
        meant: Mapping[str, str | None] = MappingProxyType({}),
    ) -> None:
        """`aliases`: the merged ids, each with its canonical id. `meant`: as in `SheetOptions`."""
        self._names, self._aliases, self._register = names, aliases, register
        self._meant = {name_key(name): other for name, other in meant.items()}
        self._by_key: dict[str, list[str]] = {}
        for player, name in names.items():
            if name is not None:
                self._by_key.setdefault(name_key(name), []).append(player)
        self.registered: dict[str, str] = {}
        """The names, by id, of the players that the sheet adds."""

    def name(self, player: str) -> str | None:
        """The name of a player, None for one who is unknown or erased."""
        return self.registered.get(player) or self._names.get(player)

    def is_known(self, text: str) -> bool:
        """Whether the text is an id, the name of at least one player, or a name with a meaning."""
        return text in self._names or name_key(text) in self._by_key or name_key(text) in self._meant

    def find(self, text: str) -> str:
        """The id of a player. Raises InvalidInput for a name that two players have, or that no player has."""
        text, is_new = self._read(text)
        if text in self._names:
            return text
        found = self._by_key.get(name_key(text), [])
        if len(found) == 1:
            return found[0]
        if len(players := {*canonical(found, self._aliases)}) == 1:
            return players.pop()
        if found:
            ids = ", ".join(sorted(found))
            raise InvalidInput(
                "player", say("several players are called {name!r}: write an id, {ids}", name=text, ids=ids)
            )
        if (self._register or is_new) and name_key(text):
            return self._added(text)
        closest = self._closest(text)
        if closest:
            close = ", ".join(f"{name} ({player})" for player, name in closest)
            reason = say("there is no player {name!r}; the closest names are {names}", name=text, names=close)
        else:
            reason = say("there is no player {name!r}", name=text)
        raise UnknownName("player", reason, text, closest)

    def side(self, cell: str) -> tuple[str, ...]:
        """The ids of the player or the two partners in a cell. Raises InvalidInput, or Faults for both partners."""
        if self.is_known(cell):
            return (self.find(cell),)
        found, faults = [], []
        for one in self._names_in(cell):
            try:
                found.append(self.find(one))
            except InvalidInput as refused:
                faults.append(refused)
        Faults.check(faults)
        return tuple(found)

    def seated(self, text: str, seats: Sequence[str]) -> str:
        """The id of one of the players of a match. Raises InvalidInput."""
        if text in seats:
            return text
        called = canonical(self._by_key.get(name_key(text), []), self._aliases)
        found = [seat for seat, read in zip(seats, canonical(seats, self._aliases), strict=True) if read in called]
        if len(found) == 1:
            return found[0]
        names = ", ".join(self.name(player) or player for player in seats)
        raise InvalidInput(
            "player", say("{name!r} is none of the players of the match: {names}", name=text, names=names)
        )

    def close_to(self, name: str) -> list[str]:
        """The known names that are close to a name."""
        return closest_names(name, (known for known in self._names.values() if known is not None))

    def _closest(self, text: str) -> tuple[tuple[str, str], ...]:
        """The ids and the names of the players with the closest names."""
        return tuple((self._by_key[name_key(name)][0], name) for name in self.close_to(text))

    def _read(self, text: str) -> tuple[str, bool]:
        """The id or the name for which a name of the sheet stands, and whether it is the name of a new player."""
        read = set[str]()
        while (key := name_key(text)) in self._meant and key not in read:
            other = self._meant[key]
            if other is None:
                return text, True
            read.add(key)
            text = other
        return text, False

    def _added(self, name: str) -> str:
        if PARTNERS.search(name):
            raise InvalidInput("player", say("{name!r} is no name: a cell has one player or two partners", name=name))
        player = f"p-{secrets.token_hex(4)}"
        while player in self._names or player in self.registered:
            player = f"p-{secrets.token_hex(4)}"
        self.registered[player] = tidied(name)
        self._by_key[name_key(name)] = [player]
        return player

    def _names_in(self, cell: str) -> tuple[str, ...]:
        """The names in a cell that is not a known name itself. Raises UnknownName if it can be read in two ways."""
        if signs := _split(cell, PARTNERS):
            return max(signs, key=self._count_known)
        words, perhaps = _split(cell, WORDS), _split(cell, PERHAPS)
        whole = [pair for pair in (*words, *perhaps) if self._count_known(pair) == len(pair)]
        if len(whole) == 1:
            return whole[0]
        fitting = sorted(words, key=self._count_known, reverse=True)
        is_tied = len(fitting) > 1 and self._count_known(fitting[0]) == self._count_known(fitting[1])
        if whole or perhaps or is_tied:
            raise self._unclear(cell, [*whole, *words, *perhaps][0])
        return fitting[0] if fitting else (cell,)

    def _count_known(self, names: Iterable[str]) -> int:
        return sum(map(self.is_known, names))

    def _unclear(self, cell: str, partners: tuple[str, str]) -> UnknownName:
        """The refusal of a cell that may be one player or two partners."""
        closest = self._closest(cell)
        reason = say(
            "{cell!r} is one player, or the partners {one!r} and {other!r}: write partners as in {example!r},"
            " or register the one player first",
            cell=cell, one=partners[0], other=partners[1], example=" / ".join(partners),
        )  # fmt: skip
        if closest:
            close = ", ".join(f"{name} ({player})" for player, name in closest)
            reason = joined("; ", [reason, say("the closest names are {names}", names=close)])
        return UnknownName("player", reason, cell, closest)


def _split(cell: str, between: re.Pattern[str]) -> list[tuple[str, str]]:
    """The ways to split a cell between two partners."""
    parts = ((cell[: found.start()].strip(), cell[found.end() :].strip()) for found in between.finditer(cell))
    return [(one, other) for one, other in parts if one and other]


# ---------------------------------------------------------------- ids of matches


_HASH_LENGTH = 24
"""Characters of the hash."""

Sides = tuple[tuple[str, ...], ...]


class MatchIds:
    """Makes the ids of a sheet's rows, from the first row to the last."""

    def __init__(self, aliases: Aliases, is_stored: Callable[[str], bool]) -> None:
        """`aliases`: the merged ids, each with its canonical id. `is_stored`: whether the league has a match."""
        self._aliases, self._is_stored = aliases, is_stored
        self._rows: Counter[str] = Counter()
        self._ids: dict[str, list[str]] = {}
        """All ids of each merged player, by the canonical id."""
        for dropped, player in sorted(aliases.items()):
            self._ids.setdefault(player, [player]).append(dropped)

    def next_id(self, moment: WrittenTime, sides: Sides) -> str:
        """The id of the next row: from its day, its time, its sides and how many equal rows came before it.

        Partners may stand in either order. A row of a merged player that was imported under another id of theirs keeps
        the id that it got then.
        """
        own, *others = (_row(moment, each) for each in self._under_all_ids(sides))
        found = own
        if others:
            found = next((row for row in (own, *others) if self._is_stored(self._next_of(row))), own)
        id_ = self._next_of(found)
        self._rows[found] += 1
        return id_

    def _next_of(self, row: str) -> str:
        hashed = sha256(f"{row}\n{self._rows[row]}".encode()).hexdigest()
        return f"s-{hashed[:_HASH_LENGTH]}"

    def _under_all_ids(self, sides: Sides) -> Iterator[Sides]:
        """These sides first, then the same players under their other ids."""
        yield sides
        players = [player for side in sides for player in side]
        for ids in product(*(self._ids.get(self._aliases.get(one, one), [one]) for one in players)):
            if list(ids) != players:
                seated = iter(ids)
                yield tuple(tuple(next(seated) for _ in side) for side in sides)


def _row(moment: WrittenTime, sides: Sides) -> str:
    return "\n".join([write_moment(moment), *(" ".join(sorted(side)) for side in sides)])
