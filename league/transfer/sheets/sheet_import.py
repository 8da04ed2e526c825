"""Imports a club's sheets, all rows or none. Rows of matches that the league already has are skipped."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from types import MappingProxyType

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from league.application.dispatch import Clock, store_decided
from league.application.registering import named_players
from league.application.storing import first_answer, retried
from league.application.stream_states import StreamStates
from league.domain.audit_trail import STREAM, SheetImported
from league.domain.collected_refusals import Faults
from league.domain.player import RegisterPlayer, canonical, faults_of_id
from league.domain.refusals import InvalidInput, Refusal
from league.domain.result import MatchFacts
from league.domain.rules import Mode
from league.domain.seating import side_of
from league.domain.sentences import Sentence, say, with_others
from league.eventlog.records import Append, AppendRequest
from league.eventlog.store import EventStore
from league.infra.decoding import PackedAnswer
from league.transfer.match_import import ImportNote, ImportReport, MatchImport, MatchPlaces, Progress, SheetPlace
from league.transfer.sheets.columns import HANDS, MATCHES, required_of
from league.transfer.sheets.people import MatchIds, SheetPeople
from league.transfer.sheets.reading import (
    MOST_BYTES,
    MOST_ROWS,
    WORKBOOK,
    SheetTable,
    read_csv,
    read_workbook,
    unreadable,
)
from league.transfer.sheets.rows import CellFaults, Sheet, SheetRow
from league.transfer.sheets.sheet_export import as_recorded, stored_match
from league.transfer.sheets.sheet_rows import (
    CellDifference,
    SheetCalendar,
    WrittenMatch,
    differences,
    read_hands,
    read_match,
)

NEEDED_OF_HAND = required_of(HANDS)
MOST_SHOWN = 200
"""Rows that a report shows as they were understood."""
MOST_CLOSE = 100
"""The most added players for whom a report lists close names."""


class SheetFile(Struct, frozen=True):
    """A sheet as it was sent."""

    name: str
    """The name of the file, without its path."""
    content: bytes
    hands: bytes | None = None
    """The CSV file with the hands, if the matches are in a CSV file."""
    hands_name: str = "hands"
    read: PackedAnswer | None = None
    """The tables of a workbook that was read before; otherwise a process reads it when they are needed."""


class RegisteredPlayer(Struct, frozen=True):
    """A player whom a sheet adds to the league."""

    player: str
    """A random id."""
    name: str
    close: tuple[str, ...] = ()
    """Names of other players that are close to it: it may be a slip of the pen."""


class ReadRow(Struct, frozen=True):
    """A row of a sheet as the league has understood it."""

    number: int
    """As the spreadsheet counts rows."""
    match: str
    sides: tuple[str, ...]
    """The names of the players of each side."""
    score: tuple[int, ...] | None
    winner: int | None
    is_new: bool
    """False: the league has the match already."""


class SheetReport(ImportReport):
    """The result of importing a sheet, or in a preview the result that it would have."""

    registered: tuple[RegisteredPlayer, ...] = ()
    rows: list[ReadRow] = msgspec.field(default_factory=list)
    """The first rows of matches."""


class SheetOptions(Struct, frozen=True):
    """How a sheet is read."""

    rules: str | None = None
    """The ruleset of the rows that name none."""
    register: bool = False
    """Register players whom the league does not know."""
    most_rows: int = MOST_ROWS
    """The most rows of each of its sheets."""
    meant: Mapping[str, str | None] = MappingProxyType({})
    """The id or other name to read in place of a name in the sheet; None: register the player."""


def import_sheet(
    file: SheetFile,
    options: SheetOptions,
    store: EventStore,
    clock: Clock,
    request: AppendRequest,
    *,
    progress: Progress | None = None,
) -> SheetReport:
    """Import a sheet, all of it or nothing, and report what was added and skipped.

    A request whose key has been answered stores nothing again. Raises SheetRefused with the faults of all cells,
    Conflict when other writers keep changing what it rests on, KeyReused.
    """

    def attempt() -> SheetReport:
        answered = first_answer(store, request)
        states = StreamStates(store, clock())
        plan = SheetPlan(file, options, states, named_players(store), progress)
        if plan.faults.count and answered is None:
            states.check_unchanged()
            raise plan.faults.refused()
        if answered is not None or not plan.appends:
            plan.report.position = answered or store.head()
            return plan.report
        imported = Append(STREAM, store.version(STREAM), (plan.act(),))
        plan.report.position = store_decided([*plan.appends, imported], states, request)
        return plan.report

    return retried(attempt)


def hash_of(file: SheetFile, options: SheetOptions) -> str:
    """A hash of the sheet and the options. A key that comes again with another hash is refused."""
    asked = msgspec.json.encode((options.rules, options.register, sorted(options.meant.items())))
    parts = (asked, file.content, file.hands or b"")
    return sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()


class SheetPlan:
    """All rows checked against the current league: what to append, and what is wrong."""

    def __init__(
        self,
        file: SheetFile,
        options: SheetOptions,
        states: StreamStates,
        names: Mapping[str, str | None],
        progress: Progress | None = None,
    ) -> None:
        """`names`: the names of the league's players by id. Raises SheetRefused for a file that cannot be read."""
        self.report, self.faults = SheetReport(), CellFaults()
        self.rows: dict[str, int] = {}
        """The row of each match, as the spreadsheet numbers it, by the id of the match."""
        self._file, self._options, self._states, self._names = file, options, states, names
        self._import = MatchImport(states, self.report)
        self._aliases = states.merges().aliases()
        self._people = SheetPeople(names, self._aliases, register=options.register, meant=options.meant)
        matches, hands = tables_of(file, options.most_rows)
        self._matches = Sheet(matches, MATCHES, self.faults)
        self._hands = None if hands is None else Sheet(hands, HANDS, self.faults)
        self.report.notes += [ImportNote(None, note) for table in (matches, hands) if table for note in table.notes]
        if self._matches.is_readable and (self._hands is None or self._hands.is_readable):
            self._plan(progress)

    @property
    def appends(self) -> list[Append]:
        """What the sheet adds to the log."""
        return self._import.appends

    def act(self) -> SheetImported:
        """The record of the import for the log."""
        new = self.report
        return SheetImported(self._file.name, new.players_added, new.matches_added, new.hands_added)

    def _plan(self, progress: Progress | None) -> None:
        hands = self._hands_by_match()
        matches = [*self._written(hands)]
        self.rows = {match.match: match.row.number for match in matches}
        for rows in hands.values():
            for row in rows:
                reason = say("no match of the sheet has the id or the row {match!r}", match=row.values["match"])
                self._hand_fault(row, "match", InvalidInput("match", reason))
        self._states.prefetch(f"match:{match.match}" for match in matches)
        self._register()
        for done, match in enumerate(matches, 1):
            try:
                self._take(match)
            except Refusal as refused:
                self._match_faults(match, refused)
            if progress is not None:
                progress(done, len(matches))
        self._import.finish()

    def _hands_by_match(self) -> dict[str, list[SheetRow]]:
        """The rows of hands by what they call their match."""
        found: dict[str, list[SheetRow]] = {}
        for row in self._hands.rows if self._hands else ():
            for name in NEEDED_OF_HAND:
                if row.lacks(name):
                    self._hand_fault(row, name, InvalidInput(name, say("the cell is empty")))
                    row.bad += (name,)
            if "match" in row.values:
                found.setdefault(row.values["match"], []).append(row)
        return found

    def _written(self, hands: dict[str, list[SheetRow]]) -> Iterator[WrittenMatch]:
        """The matches of the rows that can be understood, with their ids and hands, which are taken out of `hands`."""
        ids, calendar = MatchIds(self._aliases, self._is_stored), SheetCalendar(self._states.zone())
        own_ids = {row.values.get("match") for row in self._matches.rows}
        for row in self._matches.rows:
            if self._options.rules is not None:
                row.values.setdefault("rules", self._options.rules)
            named = row.values.get("match")
            number = str(row.number)
            its_hands = hands.pop(named, []) if named is not None else []
            if not its_hands and number not in own_ids:
                its_hands = hands.pop(number, [])
            match = read_match(row, self._matches, self._people, calendar, has_hands=bool(its_hands))
            if match is None:
                continue
            match.match = named or ids.next_id(row.values["date"], match.sides)
            match.hands = sorted(its_hands, key=lambda hand: int(hand.values.get("hand", 0)))
            faults = [*faults_of_id("match", match.match)]
            for fault in faults:
                self._matches.fault(row.number, "match", fault)
            if not faults:
                yield match

    def _is_stored(self, match: str) -> bool:
        return bool(self._states.events(f"match:{match}"))

    def _register(self) -> None:
        known = SheetPeople(self._names, self._aliases)
        self.report.registered = tuple(
            RegisteredPlayer(player, name, tuple(known.close_to(name)) if number < MOST_CLOSE else ())
            for number, (player, name) in enumerate(self._people.registered.items())
        )
        self._states.prefetch(f"player:{added.player}" for added in self.report.registered)
        for added in self.report.registered:
            self._import.register(RegisterPlayer(added.player, added.name))

    def _take(self, match: WrittenMatch) -> None:
        """Add a match, or skip it where the league has it. Raises Refusal with paths within the recorded match."""
        if any(row.bad for row in match.hands):
            return
        if self._states.events(f"match:{match.match}"):
            self._compare(match)
            self.report.matches_skipped += 1
            self._show(match, is_new=False)
            return
        before = self.faults.count
        hands = read_hands(match, self._hands, self._people) if self._hands else []
        if self.faults.count > before:
            return
        command, edition = self._import.checked(match.line(hands))
        self._import.add(command, edition, self._places(match))
        self._show(match, is_new=True)

    def _places(self, match: WrittenMatch) -> MatchPlaces:
        hands = () if self._hands is None else tuple(SheetPlace(self._hands.title, row.number) for row in match.hands)
        return MatchPlaces(SheetPlace(self._matches.title, match.row.number), hands)

    def _show(self, match: WrittenMatch, *, is_new: bool) -> None:
        if len(self.report.rows) < MOST_SHOWN:
            sides = tuple(" & ".join(self._people.name(player) or player for player in side) for side in match.sides)
            number, score, winner = match.row.number, match.score, match.winner
            self.report.rows.append(ReadRow(number, match.match, sides, score, winner, is_new))

    def _compare(self, match: WrittenMatch) -> None:
        """Add a fault for each cell that says something else than the league has, now and when it was recorded."""
        now, recorded = self._states.match(match.match).played, as_recorded(self._states, match.match)
        assert now is not None, "a match is opened"
        if self._hands:
            read_hands(match, self._hands, self._people)  # puts the ids of players into the rows
        found = self._differences(match, now)
        if found and (now == recorded or self._differences(match, recorded)):
            for one in found:
                if one.of_hand:
                    self._hand_fault(one.row, one.column, one.refusal)
                else:
                    self._matches.fault(one.row.number, one.column, one.refusal)

    def _differences(self, match: WrittenMatch, played: MatchFacts) -> list[CellDifference]:
        edition = self._states.rulebook().at(played.began_at)
        read = replace(played, seats=canonical(played.seats, self._aliases))
        stored = stored_match(match.match, read, edition, self._states.zone())
        return [*differences(match, stored, lambda player: self._people.name(player) or player, self._aliases)]

    def _match_faults(self, match: WrittenMatch, refused: Refusal) -> None:
        """Add the faults of a recorded match to the cells that they come from."""
        for one in Faults.of(refused):
            fault = self._with_names(one, match)
            kind, _, path = (fault.field or "").partition(".")
            if kind == "hands" and path:
                number, _, path = path.partition(".")
                assert self._hands is not None, "without the sheet there are no hands"
                self._hand_fault(match.hands[int(number)], self._column_of_hand(path, match.mode), fault)
            elif kind == "hands":
                self._hand_fault(match.hands[-1], "hand", fault)
            elif kind == "seats":
                side = side_of(int(path), match.mode) + 1 if path.isdigit() else 1
                self._matches.fault(match.row.number, f"side {side}", fault)
            else:
                self._matches.fault(match.row.number, self._matches.column_of(fault.field or ""), fault)

    def _with_names(self, refusal: Refusal, match: WrittenMatch) -> Refusal:
        """The refusal with names where its reason has ids of the match's players, which the sheet may not have."""
        if not isinstance(refusal, InvalidInput) or not isinstance(refusal.reason, Sentence):
            return refusal
        names = {player: name for player in match.seats if (name := self._people.name(player)) is not None}
        named = InvalidInput(refusal.at, with_others(refusal.reason, names))
        named.tell_times(refusal.zone)
        return named

    def _column_of_hand(self, path: str, mode: Mode) -> str | None:
        """The column of a fault of a recorded hand. A fault of a seat's pips belongs to the column of its side."""
        assert self._hands is not None, "the hand is of this sheet"
        name, _, seat = path.partition(".")
        if name == "leftover":
            return f"left {side_of(int(seat), mode) + 1}" if seat else "left 1"
        return self._hands.column_of(path)

    def _hand_fault(self, row: SheetRow, column: str | None, refusal: Refusal) -> None:
        assert self._hands is not None, "the row is of this sheet"
        self._hands.fault(row.number, column, refusal)


def tables_of(file: SheetFile, most_rows: int) -> tuple[SheetTable, SheetTable | None]:
    """The sheets of matches and of hands. Raises SheetRefused."""
    for content in (file.content, file.hands or b""):
        if len(content) > MOST_BYTES:
            raise unreadable(file.name, say("the file has more than {most} bytes", most=MOST_BYTES))
    if file.content.startswith(WORKBOOK):
        if file.hands is not None:
            raise unreadable(file.name, say("the hands of an XLSX file are its sheet {title!r}", title="hands"))
        return read_workbook(file.content, file.name, most_rows, file.read)
    hands = None if file.hands is None else read_csv(file.hands, file.hands_name, HANDS, most_rows)
    return read_csv(file.content, file.name, MATCHES, most_rows), hands
