"""The bracket of a knock-out as the exports of a tournament show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from exported_tournaments import COUNTED, ExportedTournaments, Row


@dataclass
class Tie:
    """The rows of two competitors at a table of a knock-out."""

    rows: list[Row]
    sides: tuple[str, str]
    best_of: int

    @property
    def wins(self) -> tuple[int, int]:
        """The games that each side has won."""
        counted = [row["winner"] for row in self.rows if row["status"] in COUNTED]
        return counted.count(0), counted.count(1)

    @property
    def winner(self) -> str | None:
        """Who has won the tie; None while it is open, and after a double absence."""
        for side, won in enumerate(self.wins):
            if won > self.best_of // 2:
                return self.sides[side]
        return None

    @property
    def both_absent(self) -> bool:
        """Whether the tie ended for both."""
        return self.winner is None and any(row["status"] == "double_absence" for row in self.rows)

    @property
    def is_over(self) -> bool:
        """Whether no further game follows."""
        return self.winner is not None or self.both_absent

    @property
    def is_corrected(self) -> bool:
        """Whether a row says that it was corrected."""
        return any(row["corrected"] for row in self.rows)

    @property
    def losers(self) -> list[str]:
        """Who is out by this tie."""
        return [id_ for id_ in self.sides if self.is_over and id_ != self.winner]


class Knockout:
    """The bracket as the published rounds show it. `entrants`: who has each place, by the number of the seed."""

    def __init__(self, it: ExportedTournaments, entrants: dict[int, str]) -> None:
        self.it, self.entrants = it, entrants
        of_stage = [number for number, row in it.rounds.items() if row["stage"] == "knockout"]
        self.first = min(of_stage)
        self.published = [number for number in sorted(of_stage) if it.rounds[number]["published_at"] is not None]
        self.size = 2
        while self.size < len(entrants):
            self.size *= 2
        self.depth = self.size.bit_length() - 1
        """How many rounds there are from the first one to the final."""
        self.ties: dict[int, list[Tie]] = {number: self._ties(number) for number in self.published}
        self.byes = {number: it.byes(number) for number in self.published}
        self.slots: dict[int, list[str | None]] = {}
        """Who has each place of a round, from the top of the bracket."""
        for number in self.published:
            self.slots[number] = self._slots(number)

    @property
    def has_third_place(self) -> bool:
        """Whether the losers of the semi-finals play for the third place."""
        wanted = self.it.tournament["plan"].get("third_place")
        return self.depth > 1 and (len(self.entrants) >= 4 if wanted is None else bool(wanted))

    @property
    def final(self) -> int:
        """The number of the round of the final."""
        return self.first + self.depth - 1

    def best_of(self, number: int) -> int:
        """The games of a tie of a round: the last of the list are for the final, those before for the rounds before."""
        wanted = self.it.tournament["plan"].get("best_of", 1)
        if isinstance(wanted, int):
            return wanted
        return int(wanted[max(0, len(wanted) - 1 - (self.final - number))])

    def in_bracket(self, number: int) -> list[Tie]:
        """The ties of a round without the one for the third place."""
        return [one for one in self.ties[number] if not one.rows[0]["third_place"]]

    def third(self) -> list[Tie]:
        """The tie for the third place, if it was published."""
        return [one for number in self.published for one in self.ties[number] if one.rows[0]["third_place"]]

    def has_row(self, number: int) -> set[str]:
        """Who has a row of the bracket in a round."""
        byes = {self.it.sides(row)[0][0] for row in self.byes[number] if not row["third_place"]}
        return byes | {id_ for one in self.in_bracket(number) for id_ in one.sides}

    def followed(self, number: int, two: Sequence[str | None]) -> str | None:
        """Who of these two plays on after a published round, when the next one was published.

        Who left before that and has no opponent there has no row, and keeps the place all the same.
        """
        found = [id_ for id_ in two if id_ is not None and id_ in self.has_row(number + 1)]
        assert len(found) <= 1, "one of each tie plays on"
        gone = [id_ for id_ in two if id_ in self.gone_through(number)]
        return next((id_ for id_ in (*found, *gone)), None)

    def gone_through(self, number: int) -> set[str]:
        """Who won in a round and had left when the next one was drawn."""
        next_ = self.it.rounds[number + 1]
        drawn = {one["id"] for one in next_["input"]}
        corrected = {one.winner for one in self.in_bracket(number) if one.is_corrected}
        return self.through(number) - corrected - drawn

    def losers(self, number: int) -> list[str]:
        """Who is out by the ties of a round: by published tables where there are any of the next one."""
        if number + 1 in self.published:
            return [id_ for id_ in self.slots[number] if id_ is not None and id_ not in self.slots[number + 1]]
        here = self.has_row(number)
        out = [id_ for id_ in self.slots[number] if id_ is not None and id_ not in here]
        return out + [id_ for one in self.in_bracket(number) for id_ in one.losers]

    @property
    def unclear(self) -> set[str]:
        """Who may have gone through and left without an opponent: no row says so once the tie is corrected."""
        pairs = [(number, one) for number in self.published[:-1] for one in self.in_bracket(number) if one.is_corrected]
        return {id_ for number, one in pairs if self.followed(number, one.sides) is None for id_ in one.sides}

    def absent_pairs(self) -> list[str]:
        """Who was absent in a semi-final together with the opponent."""
        number = self.final - 1
        if number not in self.published:
            return []
        on = self.slots[self.final] if self.final in self.published else []
        return [id_ for one in self.in_bracket(number) if not set(on).intersection(one.sides) for id_ in one.sides]

    def through(self, number: int) -> set[str]:
        """Who has won in a round, or has a bye there."""
        byes = {self.it.sides(row)[0][0] for row in self.byes[number] if not row["third_place"]}
        return byes | {one.winner for one in self.in_bracket(number) if one.winner is not None}

    def _ties(self, number: int) -> list[Tie]:
        at: dict[int, list[Row]] = defaultdict(list)
        for row in self.it.tables(number):
            at[row["table"]].append(row)
        assert sorted(at) == list(range(min(at, default=1), min(at, default=1) + len(at)))
        found = []
        for table in sorted(at):
            rows = sorted(at[table], key=lambda row: row["game"] or 1)
            (first,), (second,) = self.it.sides(rows[0])
            assert all(self.it.sides(row) == [[first], [second]] for row in rows), "the sides stay"
            # The tie for the third place has as many games as the semi-finals.
            of = self.best_of(number - 1 if rows[0]["third_place"] else number)
            found.append(Tie(rows, (first, second), of))
        return found

    def _slots(self, number: int) -> list[str | None]:
        if number == self.first:
            return [self.entrants.get(seed) for seed in fold(self.size)]
        above = self.slots[number - 1]
        return [self.followed(number - 1, above[at : at + 2]) for at in range(0, len(above), 2)]


def fold(size: int) -> list[int]:
    """The seeds by place: of two [1, 2]; the next one replaces each s by s and 2n + 1 - s."""
    places = [1, 2]
    while len(places) < size:
        places = [one for s in places for one in (s, 2 * len(places) + 1 - s)]
    return places
