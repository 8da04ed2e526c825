"""Reads the rows of a sheet as recorded matches: who sat where, what was announced, what happened in each hand.

Also finds where the row of a match that the league already has differs from the league. An empty cell is no difference:
a sheet may leave out what the league knows.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from league.domain.collected_refusals import Faults
from league.domain.player import Aliases, canonical
from league.domain.refusals import InvalidInput, Refusal
from league.domain.result import AnnouncedResult
from league.domain.rules import Mode
from league.domain.seating import FULL_TABLE
from league.domain.sentences import say
from league.transfer.recorded_lines import HandEnd, HandLine, HandPasses, MatchLine
from league.transfer.sheets.cells import WrittenTime
from league.transfer.sheets.columns import HANDS, MATCHES
from league.transfer.sheets.people import SheetPeople
from league.transfer.sheets.rows import Sheet, SheetRow
from league.transfer.sheets.sheet_export import StoredMatch, Values

FEWEST_INDIVIDUALS = 3
LAST_SECOND = timedelta(hours=22, minutes=59, seconds=59)
"""The latest derived time after the beginning of a day: no day has fewer than 23 hours."""


class _Faults(list[tuple[str, Refusal]]):
    """The faults of a row, each with its column."""

    def add(self, column: str, reason: str) -> None:
        self.append((column, InvalidInput(column, reason)))


class WrittenMatch(Struct):
    """A match as it is written in a row of the sheet."""

    row: SheetRow
    sides: tuple[tuple[str, ...], ...]
    """The ids of the players."""
    mode: Mode
    score: tuple[int, ...] | None
    winner: int | None
    """The side that has won; None if only the hands tell it."""
    forfeit: int | None
    """The side that gave up."""
    began_at: datetime
    match: str = ""
    """The id of the match."""
    hands: Sequence[SheetRow] = ()

    @property
    def seats(self) -> tuple[str, ...]:
        """The ids of the players in order of play."""
        if self.mode == "2v2":
            return (self.sides[0][0], self.sides[1][0], self.sides[0][1], self.sides[1][1])
        return tuple(side[0] for side in self.sides)

    def line(self, hands: Sequence[HandLine]) -> MatchLine:
        """The match as a line of a recorded season."""
        values = self.row.values
        announced = None if self.winner is None else AnnouncedResult(self.winner, self.score)
        # A forfeit without a score needs no announcement beside it.
        if self.forfeit is not None and self.score is None:
            announced = None
        return MatchLine(
            self.match, values["rules"], self.mode, self.began_at, self.seats, tuple(hands),
            values.get("kind"), None, announced, self.forfeit,
        )  # fmt: skip


class SheetCalendar:
    """Gives the rows their times of play; a row without a time of day follows the rows of its day before it."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._rows: dict[Any, int] = {}

    def began_at(self, moment: WrittenTime) -> datetime:
        """The time of play of the next row."""
        before = self._rows.get(moment.day, 0)
        self._rows[moment.day] = before + 1
        began_at = moment.in_zone(self._zone)
        return began_at if moment.clock else began_at + min(timedelta(seconds=before), LAST_SECOND)

    def moment_of(self, began_at: datetime) -> WrittenTime:
        """How a sheet writes a time of play."""
        return WrittenTime.of(began_at, self._zone)


def read_match(
    row: SheetRow, sheet: Sheet, people: SheetPeople, calendar: SheetCalendar, *, has_hands: bool
) -> WrittenMatch | None:
    """The match of a row. None if it cannot be understood; then its faults are added to the sheet's."""
    faults = _Faults()
    if row.lacks("date"):
        faults.add("date", say("the cell is empty"))
    if row.lacks("rules"):
        faults.add("rules", _no_rules(sheet))
    sides = _sides(row, people, faults)
    mode = _mode(sides, faults)
    count = len(sides)
    score = _score(row, count, faults)
    forfeit, winner = _side(row, "forfeit", count, faults), _side(row, "winner", count, faults)
    if winner is None and not faults and not row.bad:
        winner = _winner(score, forfeit, count, faults, has_hands=has_hands)
    elif winner is not None and winner == forfeit:
        faults.add("winner", say("this side gave up, so the other one has won"))
    for column, refusal in faults:
        sheet.fault(row.number, column, refusal)
    if faults or row.bad or mode is None:
        return None
    moment = row.values["date"]
    try:
        began_at = calendar.began_at(moment)
    except InvalidInput as refused:
        sheet.fault(row.number, "date", refused)
        return None
    if moment.clock:
        row.values["date"] = calendar.moment_of(began_at)
    row.values |= {f"side {number}": side for number, side in enumerate(sides, 1)}
    return WrittenMatch(row, sides, mode, score, winner, forfeit, began_at)


def _no_rules(sheet: Sheet) -> str:
    if sheet.has("rules"):
        return say(
            "the row names no rules: write them here, or choose the rules of the rows that name none"
            " (on the page above, on the command line with `--rules`)"
        )
    return say(
        "the sheet has no column of rules: choose the rules of its matches (on the page above, on the command line"
        " with `--rules`), or add the column"
    )


def _sides(row: SheetRow, people: SheetPeople, faults: _Faults) -> tuple[tuple[str, ...], ...]:
    """The players of each side."""
    sides: list[tuple[str, ...]] = []
    written = [number for number in range(1, FULL_TABLE + 1) if f"side {number}" in row.values]
    for number in range(1, max([2, *written]) + 1):
        name = f"side {number}"
        if row.lacks(name):
            faults.add(name, say("the cell is empty"))
        side: tuple[str, ...] = ()
        try:
            side = people.side(row.values[name]) if name in row.values else ()
        except Refusal as refused:
            faults += [(name, one) for one in Faults.of(refused)]
        sides.append(side)
    return tuple(sides)


def _mode(sides: tuple[tuple[str, ...], ...], faults: _Faults) -> Mode | None:
    sizes = [len(side) for side in sides]
    if faults or not all(sizes):
        return None
    if len(sides) >= FEWEST_INDIVIDUALS and set(sizes) == {1}:
        return "individuals"
    if sizes == [1, 1]:
        return "1v1"
    if sizes == [2, 2]:
        return "2v2"
    odd = sizes.index(2) + 1 if len(sides) >= FEWEST_INDIVIDUALS else sizes.index(1) + 1
    reason = say("a match has two players, two pairs of partners, or three or four players each for themselves")
    faults.add(f"side {odd}", reason)
    return None


def _score(row: SheetRow, sides: int, faults: _Faults) -> tuple[int, ...] | None:
    scores = [row.values.get(f"score {number}") for number in range(1, FULL_TABLE + 1)]
    for number, points in enumerate(scores, 1):
        if points is not None and number > sides:
            faults.add(f"score {number}", say("a score without a side: the match has {sides} sides", sides=sides))
    of_sides = [points for points in scores[:sides] if points is not None]
    for number in range(1, sides + 1):
        if of_sides and row.lacks(f"score {number}"):
            faults.add(f"score {number}", say("the score of this side is missing"))
    return tuple(of_sides) or None


def _side(row: SheetRow, name: str, sides: int, faults: _Faults) -> int | None:
    """The side that a cell names by its number from 1."""
    number = row.values.get(name)
    if number is None:
        return None
    if not 1 <= number <= sides:
        faults.add(name, _no_side(number, sides))
    return int(number) - 1


def _no_side(number: int, sides: int) -> str:
    return say("there is no side {number}: the sides are 1 to {sides}", number=number, sides=sides)


def _winner(
    score: tuple[int, ...] | None,
    forfeit: int | None,
    sides: int,
    faults: _Faults,
    *,
    has_hands: bool,
) -> int | None:
    """The winner that a row does not name."""
    others = [side for side in range(sides) if side != forfeit]
    if len(others) == 1:
        return others[0]
    best = [] if score is None else [side for side in others if score[side] == max(score[other] for other in others)]
    if len(best) == 1:
        return best[0]
    if score is not None and not has_hands:
        faults.add("winner", say("the scores are equal: name the winner"))
    elif score is None and forfeit is None and not has_hands:
        faults.add("winner", say("the match has no result: write the scores, the winner, who gave up, or the hands"))
    return None


# ---------------------------------------------------------------- hands


def read_hands(match: WrittenMatch, sheet: Sheet, people: SheetPeople) -> list[HandLine]:
    """The hands of a match; faults are added to the sheet's."""
    lines = []
    for number, row in enumerate(match.hands, 1):
        if row.values["hand"] != number:
            reason = say("hand {number} is missing, or is there twice", number=min(number, row.values["hand"]))
            sheet.fault(row.number, "hand", InvalidInput("hand", reason))
        faults = [*_read_players(row, match, people), *_fill(row, match, sheet)]
        for column, refusal in faults:
            sheet.fault(row.number, column, refusal)
        if not faults:
            lines.append(_hand_line(row, match))
    return lines


def _read_players(row: SheetRow, match: WrittenMatch, people: SheetPeople) -> Iterator[tuple[str, Refusal]]:
    """Put the ids of players into the row. Yields the faults, each with its column."""
    for name in ("starts", "closed by"):
        if name not in row.values:
            continue
        try:
            player = people.seated(row.values[name], match.seats)
        except InvalidInput as refused:
            yield name, refused
        else:
            row.values[name] = player


def _fill(row: SheetRow, match: WrittenMatch, sheet: Sheet) -> Iterator[tuple[str, Refusal]]:
    """Put into the row what its empty cells mean. Yields the faults of its filled cells, each with its column."""
    values, sides = row.values, len(match.sides)
    for name in ("capicua", "opening pass"):
        if sheet.has(name):
            values.setdefault(name, "no")
    yield from _fill_passes(values, sides, sheet)
    for number in range(sides + 1, FULL_TABLE + 1):
        for name in (f"pase corrido {number}", f"left {number}"):
            if values.get(name):
                yield name, InvalidInput(name, _no_side(number, sides))
    winner = values.get("winner")
    if winner is not None and not 1 <= winner <= sides:
        yield "winner", InvalidInput("winner", _no_side(winner, sides))
    if values.get("chuchazo") != "yes":
        values.pop("chuchazo", None)  # says nothing
    elif values.setdefault("tile", (0, 0)) != (0, 0):
        yield "chuchazo", InvalidInput("chuchazo", say("a chuchazo is closed with 0-0, and the row names another tile"))


def _fill_passes(values: dict[str, Any], sides: int, sheet: Sheet) -> Iterator[tuple[str, Refusal]]:
    """An empty cell of pases corridos says that the side made none."""
    columns = [f"pase corrido {number}" for number in range(1, FULL_TABLE + 1)]
    if not any(map(sheet.has, columns)):
        return
    for name in columns[:sides]:
        values.setdefault(name, 0)
    unknown = [name for name in columns[:sides] if values[name] is None]
    if unknown and any(values[name] for name in columns[:sides]):
        reason = say("this is known of every side or of none: write a number, or ? for all sides")
        yield unknown[0], InvalidInput("pase corrido", reason)


def _hand_line(row: SheetRow, match: WrittenMatch) -> HandLine:
    values, seats = row.values, match.seats
    closed_by = values.get("closed by")
    seat = None if closed_by is None else seats.index(closed_by)
    is_domino = values["ended"] == "domino"
    starts = values.get("starts")
    left = tuple(values.get(f"left {number}") for number in range(1, len(match.sides) + 1))
    passes = [values.get(f"pase corrido {number}") for number in range(1, len(match.sides) + 1)]
    known = tuple(count for count in passes if count is not None)
    corridos = known if len(known) == len(passes) else None
    winner = values.get("winner")
    return HandLine(
        ended=HandEnd(values["ended"], seat if is_domino else None, None if is_domino else seat, values.get("tile")),
        starter=None if starts is None else seats.index(starts),
        passes=HandPasses(opening_pass=_fact(values.get("opening pass")), corridos_by_side=corridos),
        side_leftover=None if left.count(None) == len(left) else left,
        stated_winner=None if winner is None else winner - 1,
        stated_capicua=_fact(values.get("capicua")),
    )


def _fact(mark: str | None) -> bool | None:
    return {"yes": True, "no": False}.get(mark or "unknown")


# ---------------------------------------------------------------- what differs from the league


_COLUMNS = {column.name: column for column in (*MATCHES, *HANDS)}
_OF_PLAYERS = ("starts", "closed by")
"""Columns of one player."""
Name = Callable[[str], str]
"""Gives the name of the player with an id, as a sheet writes it."""


class CellDifference(Struct, frozen=True):
    """A cell that says something else than the league has."""

    row: SheetRow
    column: str
    refusal: InvalidInput
    of_hand: bool = False


def differences(match: WrittenMatch, stored: StoredMatch, name: Name, aliases: Aliases) -> Iterator[CellDifference]:
    """The cells of a match and its hands that differ from what is stored. The stored rows have canonical ids."""
    for column, refusal in _differences(_read_as(match.row.values, aliases), stored.match, name):
        yield CellDifference(match.row, column, refusal)
    if match.hands and len(match.hands) != len(stored.hands):
        reason = say(
            "{stored} hands of this match are stored, {written} are written",
            stored=len(stored.hands), written=len(match.hands),
        )  # fmt: skip
        yield CellDifference(match.hands[-1], "hand", InvalidInput("hand", reason), of_hand=True)
    for row, values in zip(match.hands, stored.hands, strict=False):
        for column, refusal in _differences(_read_as(row.values, aliases), values, name):
            yield CellDifference(row, column, refusal, of_hand=True)


def _differences(written: Values, stored: Values, name: Name) -> Iterator[tuple[str, InvalidInput]]:
    for column, value in written.items():
        if column != "match" and not _same(value, stored.get(column)):
            reason = say(
                "{stored} is stored, {written} is written",
                stored=_shown(column, stored.get(column), name), written=_shown(column, value, name),
            )  # fmt: skip
            yield column, InvalidInput(column, reason)


def _read_as(values: Values, aliases: Aliases) -> Values:
    """A row with the canonical ids of merged players."""
    sides = {column: canonical(players, aliases) for column, players in values.items() if column.startswith("side ")}
    players = {column: aliases.get(values[column], values[column]) for column in _OF_PLAYERS if column in values}
    return values | sides | players


def _same(written: Any, stored: Any) -> bool:
    if isinstance(written, WrittenTime) and isinstance(stored, WrittenTime):
        return written.day == stored.day if written.clock is None else written == stored
    if isinstance(written, tuple) and isinstance(stored, tuple):
        return sorted(written) == sorted(stored)  # partners, or the halves of a tile, in either order
    return bool(written == stored)


def _shown(column: str, value: Any, name: Name) -> str:
    if value is None:
        return say("nothing")
    if column.startswith("side "):
        return " / ".join(map(name, value))
    if column in _OF_PLAYERS:
        return name(value)
    return str(_COLUMNS[column].write(value))
