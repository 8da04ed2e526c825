"""The decided matches of a run as columns, cached in memory and brought up to date with the run."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from psycopg import sql

from league.domain.player import Aliases
from league.domain.result import Achievements
from league.domain.rules import Competition
from league.domain.seating import competitor_of
from league.domain.series import bounds, month_of
from league.lab.kernel import (
    BLOCKS_WON,
    CAPICUAS,
    CAPICUAS_BLOCKING,
    CASUAL,
    COMPETITIVE,
    CRITICAL_BLOCK,
    FACTS,
    NO_POINTS,
    NOBODY,
    PLACES,
    POLLONA,
    SPECIAL,
    TRAILED_BY,
    VIAJERAS,
    column,
    compiled,
)
from league.projections import runs
from league.projections.folds.league_fold import RATED_MODES, Subject
from league.projections.folds.match_fold import DecidedMatch, RulesTimeline
from league.projections.runs import Conn, table_of
from league.projections.writers.catalogue import aliases_of
from league.projections.writers.match_rows import Key, decided_after, sort_key

COMPETITIONS: dict[Competition, int] = {"casual": CASUAL, "competitive": COMPETITIVE, "special": SPECIAL}
PAGE = 5_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
EARLIEST, LATEST = -(2**62), 2**62
"""Values before and after every time, in microseconds since 1970."""


class _ColumnsSource(Struct, frozen=True):
    """The source of the columns. When it changes, the columns are made again from the beginning."""

    run: int
    timeline: tuple[tuple[datetime | None, str], ...]
    aliases: Aliases


class MatchColumns:
    """The decided matches of one run, in the order in which they are rated.

    Columns that are shared between threads do not change: `refreshed` returns new ones.
    """

    def __init__(self, source: _ColumnsSource | None = None) -> None:
        self.position = 0
        """The log position up to which the run was folded when the columns were made."""
        self._source = source
        self.ids: list[str] = []
        self.decided_at, self.began_at = array("q"), array("q")
        """Microseconds since 1970."""
        self.facts, self.seats = array("i"), array("i")
        """The columns of the kernel, with `FACTS` and `PLACES` numbers per match."""
        self.subjects: list[Subject] = []
        """The subject of each rating, by the number of the rating."""
        self.rulesets: list[str] = []
        """Names of rulesets, by number."""
        self._numbers: dict[Subject, int] = {}
        self._rulesets: dict[str, int] = {}
        self._rows: dict[str, int] = {}
        """The row of each match, by the match's id."""

    def __len__(self) -> int:
        return len(self.ids)

    def refreshed(self, conn: Conn, run: int, rules: RulesTimeline) -> MatchColumns:
        """These columns if the run has not changed; otherwise new ones, which are read from the first change on."""
        aliases, position = aliases_of(conn), runs.position_of(conn, run)
        source = _ColumnsSource(run, rules.hashes(), aliases)
        if source != self._source or position < self.position:
            made = MatchColumns(source)
        elif position == self.position:
            return self
        else:
            made = deepcopy(self)
            first = self._first_changed(conn, run)
            if first is not None:
                made.cut(self._row_at(first))
        made.append(conn, run)
        made.position = position
        return made

    def spans(self, rules: RulesTimeline) -> Iterator[tuple[int, int, str]]:
        """Consecutive rows with the same edition: the first row, the row after the last, the hash of the edition."""
        spans = rules.hashes()
        edges = [EARLIEST, *(micros(start) for start, _ in spans if start is not None), LATEST]
        began, first = column(self.began_at), 0
        while first < len(self):
            number = bisect_right(edges, self.began_at[first]) - 1
            end = _end_of_span(began, first, edges[number], edges[number + 1])
            yield first, end, spans[number][1]
            first = end

    def number_of(self, subject: Subject) -> int | None:
        """The number of a subject's rating; None if it has no rating."""
        return self._numbers.get(subject)

    def achievements(self, row: int) -> Achievements:
        """The achievements in a match from which M is computed."""
        facts = self.facts[FACTS * row : FACTS * (row + 1)]
        return Achievements(
            pollona=bool(facts[POLLONA]),
            viajeras=facts[VIAJERAS],
            capicuas=facts[CAPICUAS],
            capicuas_blocking=facts[CAPICUAS_BLOCKING],
            trailed_by=facts[TRAILED_BY],
            blocks_won=facts[BLOCKS_WON],
            critical_block=bool(facts[CRITICAL_BLOCK]),
        )

    def _first_changed(self, conn: Conn, run: int) -> Key | None:
        """The first place in the order that has changed since the columns were read; None if none has."""
        changed = conn.execute(
            sql.SQL(
                "SELECT match_id, m.decided_at FROM match_facts LEFT JOIN {} AS m USING (match_id)"
                " WHERE changed_position > %s"
            ).format(table_of(run, "matches")),
            (self.position,),
        ).fetchall()
        keys = [(decided_at, match) for match, decided_at in changed if decided_at is not None]
        left = [self._rows[match] for match, _ in changed if match in self._rows]
        if left:
            row = min(left)
            keys.append((EPOCH + self.decided_at[row] * MICROSECOND, self.ids[row]))
        return min(keys, key=sort_key, default=None)

    def _row_at(self, key: Key) -> int:
        """The first row whose match does not come before this place."""
        at, match = micros(key[0]), key[1].encode()
        places = range(len(self))
        return bisect_left(places, (at, match), key=lambda row: (self.decided_at[row], self.ids[row].encode()))

    def cut(self, row: int) -> None:
        """Remove the matches from a row on."""
        for match in self.ids[row:]:
            del self._rows[match]
        del self.ids[row:], self.decided_at[row:], self.began_at[row:]
        del self.facts[FACTS * row :], self.seats[PLACES * row :]

    def append(self, conn: Conn, run: int) -> None:
        """Append the matches of the run that come after the last one."""
        last = (EPOCH + self.decided_at[-1] * MICROSECOND, self.ids[-1]) if self.ids else None
        while page := decided_after(conn, run, last, PAGE):
            for match in page:
                self.add(match)
            last = (page[-1].decided_at, page[-1].match)

    def add(self, match: DecidedMatch) -> None:
        """Append a match."""
        self._rows[match.match] = len(self.ids)
        self.ids.append(match.match)
        self.decided_at.append(micros(match.decided_at))
        self.began_at.append(micros(match.began_at))
        self.seats.extend(self._seats(match))
        done = match.achievements
        self.facts.extend((
            match.winner,
            COMPETITIONS[match.competition],
            match.status == "forfeited",
            self._ruleset(match.ruleset),
            NO_POINTS if match.difference is None else match.difference,
            done.pollona,
            done.viajeras,
            done.capicuas,
            done.capicuas_blocking,
            done.trailed_by,
            done.blocks_won,
            done.critical_block,
        ))  # fmt: skip

    def _seats(self, match: DecidedMatch) -> list[int]:
        if match.mode not in RATED_MODES:
            return [NOBODY] * PLACES
        seats: list[int] = []
        for side in match.sides:
            players = [self._number(("player", player, match.mode)) for player in side]
            seats += players if len(players) > 1 else [*players, NOBODY]
        if match.mode == "1v1":
            return [*seats, NOBODY, NOBODY]
        return seats + [self._number(("team", competitor_of(side), match.mode)) for side in match.sides]

    def _number(self, subject: Subject) -> int:
        number = self._numbers.get(subject)
        if number is None:
            number = self._numbers[subject] = len(self.subjects)
            self.subjects.append(subject)
        return number

    def _ruleset(self, name: str) -> int:
        if name not in self._rulesets:
            self._rulesets[name] = len(self.rulesets)
            self.rulesets.append(name)
        return self._rulesets[name]


class MonthRows(Struct, frozen=True):
    """The rows of the matches that were decided in a month of the league's time zone."""

    name: str
    first: int
    end: int
    """The row after the last one."""


def months_of(columns: MatchColumns, zone: ZoneInfo) -> list[MonthRows]:
    """Months with matches, from the first match to the last."""
    months, row = [], 0
    while row < len(columns):
        month = month_of(EPOCH + columns.decided_at[row] * MICROSECOND, zone)
        end = bisect_left(columns.decided_at, micros(bounds(month, zone)[1]), row)
        months.append(MonthRows(month, row, end))
        row = end
    return months


@compiled
def _end_of_span(began: Any, first: int, start: int, end: int) -> int:
    """The row after the last consecutive match, from row `first` on, that began within the span."""
    row = first
    while row < len(began) and start <= began[row] < end:
        row += 1
    return row


def micros(time: datetime) -> int:
    """Microseconds since 1970."""
    return (time - EPOCH) // MICROSECOND
