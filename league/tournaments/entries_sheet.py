"""Entries of a tournament from a club's sheet, which has a row for each player or each pair.

`POST /entries` takes the sheet. The answer is JSON: the entries, or the faults of the sheet.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from league.api.graphql.executing.context import Context, Process
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.threads import in_writing_thread
from league.api.server.sheet_endpoint import check_fields, flag, names_meant, sheet_file, sheet_refused
from league.api.server.uploads import UploadedForm, UploadEndpoint
from league.application.dispatch import decide, store_decided
from league.application.registering import named_players
from league.application.storing import first_answer, retried
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import Faults, SheetRefused
from league.domain.player import PlayerRegistered, RegisterPlayer
from league.domain.refusals import AlreadyExists, InvalidInput, Refusal
from league.domain.seating import competitor_of
from league.domain.sentences import Sentence, say
from league.eventlog.records import Append, AppendRequest
from league.tournaments.domain.commands import EnterCompetitor
from league.tournaments.domain.events import CompetitorEntered
from league.tournaments.events import STREAM
from league.transfer.sheets.cells import read_number, read_text
from league.transfer.sheets.columns import SheetColumn
from league.transfer.sheets.people import SheetPeople
from league.transfer.sheets.reading import MOST_BYTES, WORKBOOK, SheetTable, read_csv, read_workbook, unreadable
from league.transfer.sheets.rows import CellFaults, Sheet, SheetRow
from league.transfer.sheets.sheet_import import SheetFile
from league.wording.language import spoken

MOST_ROWS = 1_000
_text: dict[str, Any] = {"read": read_text, "write": str}
COLUMNS = (
    SheetColumn("player", "jugador", **_text, at=("players",), is_required=True),
    SheetColumn("partner", "pareja", **_text, at=("players.1",)),
    SheetColumn("table", "mesa", read_number, int, at=("fixed_table",)),
)
"""A pair stands in one cell, such as `Ana / Luis`, or as player and partner. `table`: the table that they keep."""


class SheetEntry(Struct, frozen=True):
    """A row of a sheet, with the command that enters its competitor."""

    row: int
    """Number of the row, as a spreadsheet shows it."""
    command: EnterCompetitor
    names: tuple[str, ...]
    """Names of the players, in the order of the command."""


class SheetEntries(Struct, frozen=True):
    """All entries of a sheet."""

    rows: list[SheetEntry]
    notes: list[Sentence]
    """How the file was read, where a person may want to check it."""
    registered: Mapping[str, str] = MappingProxyType({})
    """The names of players who are new, by id."""

    @property
    def commands(self) -> list[EnterCompetitor]:
        """The commands that enter them."""
        return [row.command for row in self.rows]


def entries_in(
    file: SheetFile, tournament: str, states: StreamStates, meant: Mapping[str, str | None] = MappingProxyType({})
) -> SheetEntries:
    """The entries of a sheet. Nothing is stored, but all of them could be entered now.

    `meant`: for a name in the sheet, the id or the other name to read instead; None: a new player. Raises SheetRefused
    with every wrong cell, and another Refusal if the tournament lets nobody enter.
    """
    read = _EntriesSheet(file, tournament, states, meant)
    read.check(states)
    return read.entries()


def enter_from_sheet(
    file: SheetFile,
    tournament: str,
    new_states: Callable[[], StreamStates],
    meant: Mapping[str, str | None],
    request: AppendRequest,
) -> tuple[SheetEntries, int]:
    """Enter everybody in a sheet, or nobody. Returns the entries and the position.

    A repeated request, with a key that was answered before, stores nothing. It returns those who entered then, whatever
    the names in the sheet mean now. Raises Conflict, KeyReused, and what `entries_in` raises.
    """

    def attempt() -> tuple[SheetEntries, int]:
        states = new_states()
        answered = first_answer(states.store, request)
        read = _EntriesSheet(file, tournament, states, meant)
        if answered is not None:
            return read.entered_before(states, request), answered
        try:
            appends = read.check(states)
        except Refusal:
            # An equal request may have succeeded meanwhile. Then its events must not make this one fail.
            if first_answer(states.store, request) is not None:
                return attempt()
            states.check_unchanged()
            raise
        return read.entries(), store_decided(appends, states, request)

    return retried(attempt)


def hash_of(file: SheetFile, tournament: str, meant: Mapping[str, str | None]) -> str:
    """A hash of the request. A used key with another sheet, tournament or meaning of names is refused."""
    asked = msgspec.json.encode((tournament, sorted(meant.items())))
    return sha256(b"".join(sha256(part).digest() for part in (asked, file.content))).hexdigest()


def _place(number: int, name: str) -> str:
    """The path of a fault: the number of the entry, then the field of the entry's command."""
    return name if name == "tournament" else f"{number}.{name}"


class _EntriesSheet:
    """A sheet of entries that has been read."""

    def __init__(self, file: SheetFile, tournament: str, states: StreamStates, meant: Mapping[str, str | None]) -> None:
        self.faults, self._table, self._tournament = CellFaults(), _table(file), tournament
        self._sheet = Sheet(self._table, COLUMNS, self.faults)
        self._people = SheetPeople(named_players(states.store), states.merges().aliases(), meant=meant)
        self._rows: list[tuple[SheetRow, EnterCompetitor]] = []
        for row in self._sheet.rows if self._sheet.is_readable else ():
            if row.lacks("player"):
                self._sheet.fault(row.number, "player", InvalidInput("player", say("the cell is empty")))
            if row.bad or "player" not in row.values:
                continue
            players = _players(self._sheet, row, self._people)
            if players is not None:
                self._rows.append((row, EnterCompetitor(tournament, players, row.values.get("table"))))

    def entries(self) -> SheetEntries:
        """The entries of the sheet. Raises SheetRefused if it is empty."""
        if not self._rows:
            raise unreadable(self._sheet.title, say("the sheet is empty"))
        return self._entries(self._rows, self._new)

    def entered_before(self, states: StreamStates, request: AppendRequest) -> SheetEntries:
        """The entries that an earlier request with this sheet stored. Each row entered one competitor."""
        stream = states.events(STREAM + self._tournament)
        entered = [one.event for one in stream if (one.actor, one.key) == (request.actor, request.key)]
        commands = [
            EnterCompetitor(self._tournament, event.players, event.fixed_table, event.replaces)
            for event in entered
            if isinstance(event, CompetitorEntered)
        ]
        streams = {f"player:{player}": player for command in commands for player in command.players}
        states.prefetch(streams)
        registered = {
            player: one.event.name or player
            for stream, player in streams.items()
            for one in states.events(stream)
            if (one.actor, one.key) == (request.actor, request.key) and isinstance(one.event, PlayerRegistered)
        }
        return self._entries([*zip(self._sheet.rows, commands, strict=True)], registered)

    def check(self, states: StreamStates) -> list[Append]:
        """The events that enter all. Raises SheetRefused if some cannot enter now, another Refusal if nobody can."""
        appends: list[Append] = []
        states.prefetch(f"player:{player}" for player in self._new)
        registering = [RegisterPlayer(player, name) for player, name in self._new.items()]
        try:
            appends = decide([*registering, *(command for _row, command in self._rows)], states, place=_place)
        except Refusal as refused:
            self.add(refused)
        if self.faults.count:
            raise self.faults.refused()
        return appends

    def _entries(self, rows: Sequence[tuple[SheetRow, EnterCompetitor]], registered: Mapping[str, str]) -> SheetEntries:
        read = []
        for row, command in rows:
            players = tuple(sorted(command.players))  # as the log has them
            names = tuple(self._people.name(player) or player for player in players)
            read.append(SheetEntry(row.number, replace(command, players=players), names))
        return SheetEntries(read, self._table.notes, registered)

    def add(self, refused: Refusal) -> None:
        """Add the faults of entries to their rows. Raises a refusal that belongs to no entry."""
        for fault in Faults.of(refused):
            number, _, path = (fault.field or "").partition(".")
            if not path or not number.isdigit():
                raise fault
            row = self._row(int(number))
            if isinstance(fault, AlreadyExists):
                fault.id = self._people.name(fault.id) or fault.id  # people read it beside the name that they wrote
            fault.at = path  # type: ignore[attr-defined]  # it has a field, as read above
            self._sheet.fault(row.number, _column_of(self._sheet, row, fault), fault)

    @property
    def _new(self) -> dict[str, str]:
        """The names of new players by id, in rows that name everybody."""
        entering = {player for _row, command in self._rows for player in command.players}
        return {player: name for player, name in self._people.registered.items() if player in entering}

    def _row(self, number: int) -> SheetRow:
        """The row of a command: those that register the new players come before those that enter."""
        new = [*self._new]
        if number >= len(new):
            return self._rows[number - len(new)][0]
        return next(row for row, command in self._rows if new[number] in command.players)


def _players(sheet: Sheet, row: SheetRow, people: SheetPeople) -> tuple[str, ...] | None:
    """The players of a row. None if a cell names nobody; the fault of each such cell is added."""
    cells = [name for name in ("player", "partner") if name in row.values]
    found: list[str] | None = []
    for name in cells:
        try:
            text = row.values[name]
            named = people.side(text) if len(cells) == 1 else (people.find(text),)
            found = None if found is None else [*found, *named]
        except Refusal as refused:
            found = None
            for fault in Faults.of(refused):
                sheet.fault(row.number, name, fault)
    return None if found is None else tuple(found)


def _column_of(sheet: Sheet, row: SheetRow, fault: Refusal) -> str:
    """The column whose cell has the fault. If a pair stands in one cell, it is `player`."""
    column = sheet.column_of(fault.field or "")
    return "player" if column is None or column not in row.values else column


def _table(file: SheetFile) -> SheetTable:
    if len(file.content) > MOST_BYTES:
        raise unreadable(file.name, say("the file has more than {most} bytes", most=MOST_BYTES))
    if file.content.startswith(WORKBOOK):
        return read_workbook(file.content, file.name, MOST_ROWS, file.read)[0]
    return read_csv(file.content, file.name, COLUMNS, MOST_ROWS)


# ---------------------------------------------------------------- the endpoint


FIELDS = ("tournament", "names", "preview")


def endpoints(process: Process) -> list[BaseRoute]:
    """The route that takes sheets of entries."""
    upload = UploadEndpoint(partial(Context, process), "/entries", "enterTournament", _take)
    return [Route("/entries", upload.answer, methods=["POST"])]


async def _take(context: Context, upload: UploadedForm) -> Response:
    try:
        return JSONResponse(await report_of(context, upload))
    except SheetRefused as refused:
        return sheet_refused(refused)


async def report_of(context: Context, upload: UploadedForm) -> dict[str, Any]:
    """Enter everybody in a sheet, or preview that, and report it. Raises Refusal: SheetRefused if cells are wrong."""
    context.viewer.require("enterTournament")
    check_fields(upload, FIELDS)
    if "tournament" not in upload.fields:
        raise InvalidInput("tournament", say("name the tournament"))
    tournament = local_id("Tournament", upload.fields["tournament"])
    meant, is_preview = names_meant(upload), flag(upload, "preview")
    if None in meant.values():
        context.viewer.require("registerPlayer")
    file = await sheet_file(context, upload, MOST_ROWS)

    def work() -> dict[str, Any]:
        if is_preview:
            position = context.league.store.head()
            return _report(entries_in(file, tournament, context.states(), meant), position)
        assert context.viewer.sub is not None, "who may do anything has a name"
        input_hash = upload.key and hash_of(file, tournament, meant)
        request = AppendRequest(context.viewer.sub, "import", upload.key, input_hash)
        return _report(*enter_from_sheet(file, tournament, context.states, meant, request))

    return await in_writing_thread(work)


def _report(entries: SheetEntries, position: int) -> dict[str, Any]:
    return {
        "position": str(position),
        "rows": [
            {
                "row": one.row,
                "competitorId": competitor_of(one.command.players),
                "playerIds": list(one.command.players),
                "names": list(one.names),
                "fixedTable": one.command.fixed_table,
            }
            for one in entries.rows
        ],
        "registered": [{"playerId": player, "name": name} for player, name in entries.registered.items()],
        "notes": [spoken(note) for note in entries.notes],
    }
