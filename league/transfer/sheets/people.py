"""The players that a sheet names: by id or by name, alone or as two partners in one cell."""

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from league.domain.collected_refusals import Faults
from league.domain.merges import Aliases, canonical
from league.domain.player import PlayerErased, PlayerRegistered, PlayerRenamed
from league.domain.player_names import closest_names, name_key
from league.domain.refusals import InvalidInput, UnknownName
from league.domain.sentences import say
from league.eventlog.store import EventStore

BETWEEN_PARTNERS = re.compile(r"\s*[/&+]\s*|\s+(?:y|and)\s+", re.IGNORECASE)
SIGNS = "/&+"
"""Characters between partners; no name has them."""


def named_players(store: EventStore) -> dict[str, str | None]:
    """The names of all players by id; None for an erased one."""
    names: dict[str, str | None] = {}
    for stored in store.streams_until("player:", store.head()):
        player = stored.stream.removeprefix("player:")
        match stored.event:
            case PlayerRegistered(name) | PlayerRenamed(name):
                names[player] = name
            case PlayerErased():
                names[player] = None
    return names


class People:
    """The players of the league by what a sheet calls them; with `register`, also those that the sheet adds."""

    def __init__(
        self,
        names: Mapping[str, str | None],
        aliases: Aliases,
        *,
        register: bool = False,
        meant: Mapping[str, str | None] = MappingProxyType({}),
    ) -> None:
        """`aliases`: the ids that are read as other ones. `meant`: what names of the sheet stand for, as in Options."""
        self._names, self._aliases, self._register = names, aliases, register
        self._meant = {name_key(name): other for name, other in meant.items()}
        self._by_key: dict[str, list[str]] = {}
        for player, name in names.items():
            if name is not None:
                self._by_key.setdefault(name_key(name), []).append(player)
        self.registered: dict[str, str] = {}
        """By id, the names of the players that the sheet adds."""

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
        closest = tuple((self._by_key[name_key(name)][0], name) for name in self.close_to(text))
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
        for one in max(_readings(cell), key=self._fitting):
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

    def _read(self, text: str) -> tuple[str, bool]:
        """The id or the name that a name of the sheet stands for, and whether it is that of a new player."""
        read = set[str]()
        while (key := name_key(text)) in self._meant and key not in read:
            other = self._meant[key]
            if other is None:
                return text, True
            read.add(key)
            text = other
        return text, False

    def _added(self, name: str) -> str:
        if any(sign in name for sign in SIGNS):
            raise InvalidInput("player", say("{name!r} is no name: a cell has one player or two partners", name=name))
        player = f"p-{secrets.token_hex(4)}"
        while player in self._names or player in self.registered:
            player = f"p-{secrets.token_hex(4)}"
        self.registered[player] = name
        self._by_key[name_key(name)] = [player]
        return player

    def _fitting(self, reading: tuple[str, ...]) -> tuple[int, int, int]:
        """How well a reading of a cell fits: by known players, then as partners, then by signs rather than words."""
        rest = sum(any(sign in one for sign in SIGNS) for one in reading)
        return sum(map(self.is_known, reading)), len(reading), -rest


def _readings(cell: str) -> Iterator[tuple[str, ...]]:
    """The ways to read a cell: as a whole, or split between two partners."""
    yield (cell,)
    for found in BETWEEN_PARTNERS.finditer(cell):
        parts = cell[: found.start()].strip(), cell[found.end() :].strip()
        if all(parts):
            yield parts
