"""The players of a match by seat and by side, found by what people call them at the table."""

from collections.abc import Sequence

from msgspec import Struct

from league.cli.competitors import BETWEEN_PARTNERS
from league.domain.player_names import begins_words, name_key
from league.domain.refusals import InvalidInput
from league.domain.result import Played
from league.domain.rules import Mode
from league.domain.seating import count_sides, side_of
from league.domain.sentences import say


class Seated(Struct, frozen=True):
    """Who sits where: ids and names by seat."""

    mode: Mode
    ids: tuple[str, ...]
    names: tuple[str, ...]

    @staticmethod
    def of(played: Played, names: dict[str, str]) -> "Seated":
        """The players of a match; `names` by id."""
        return Seated(played.mode, played.seats, tuple(names[player] for player in played.seats))

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the sides: `Ana & Luis`."""
        return tuple(self.side_name(side) for side in range(count_sides(self.mode, len(self.ids))))

    def side_name(self, side: int) -> str:
        """The names of the players of a side."""
        return " & ".join(self.names[seat] for seat in self.seats_of(side))

    def seats_of(self, side: int) -> list[int]:
        """The seats of a side in order of play."""
        return [seat for seat in range(len(self.ids)) if side_of(seat, self.mode) == side]

    def side_of(self, seat: int) -> int:
        """The side of a seat."""
        return side_of(seat, self.mode)

    def seat(self, who: str, at: str) -> int:
        """The seat of a player of the match: by id, by name, or by the beginning of a name. Raises InvalidInput."""
        found = self.called(who)
        if len(found) == 1:
            return found[0]
        if found:
            reason = say("{who} may be {players}", who=repr(who), players=self._listed(found))
        else:
            everybody = self._listed(range(len(self.ids)))
            reason = say("{who} does not sit in the match: its players are {players}", who=repr(who), players=everybody)
        raise InvalidInput(at, reason)

    def side(self, who: str, at: str) -> int:
        """The side of a player, or of two partners, of the match. Raises InvalidInput."""
        sides = {self.side_of(seat) for seat in self._seats_named(who, at)}
        if len(sides) != 1:
            reason = say("{who} are not one side; the sides are {sides}", who=repr(who), sides=", ".join(self.sides))
            raise InvalidInput(at, reason)
        return sides.pop()

    def are_partners(self, who: str) -> bool:
        """Whether this names the two players of a side, not one player."""
        return not self.called(who) and len(BETWEEN_PARTNERS.split(who)) > 1

    def _seats_named(self, who: str, at: str) -> list[int]:
        if self.are_partners(who):
            return [self.seat(one, at) for one in BETWEEN_PARTNERS.split(who)]
        return [self.seat(who, at)]

    def called(self, who: str) -> Sequence[int]:
        """The seats of whom this may name: by id, else by the whole name, else by beginnings of words."""
        seats, key = range(len(self.ids)), name_key(who)
        return (
            [seat for seat in seats if self.ids[seat] == who]
            or [seat for seat in seats if name_key(self.names[seat]) == key]
            or [seat for seat in seats if begins_words(key, name_key(self.names[seat]))]
        )

    def _listed(self, seats: Sequence[int]) -> str:
        return ", ".join(f"{self.names[seat]} ({self.ids[seat]})" for seat in seats)
