"""How features declare what they import from files, export, and add to backups."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct
from sqlalchemy import Connection

from league.domain.collected_refusals import BadLine
from league.eventlog.store import EventStore
from league.infra.photo_store import PhotoStore
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import Conn
from league.transfer.match_import import MatchImport

Row = dict[str, Any]
Read = Callable[[Connection, int], Iterable[Any]]
"""Reads the rows of a run from the database, in the order of the export."""


class Export(Struct, frozen=True):
    """An export: its headings, each with the function that gets the value from a row."""

    read: Read
    columns: dict[str, Callable[[Any], Any]]

    def rows(self, conn: Connection, run: int) -> Iterator[Row]:
        """The rows of a run, by heading."""
        for row in self.read(conn, run):
            yield {heading: value(row) for heading, value in self.columns.items()}


class LogExport(Struct, frozen=True):
    """An export of what only the log has."""

    read: Callable[[EventStore, Snapshot], Iterable[Any]]
    columns: dict[str, Callable[[Any], Any]]
    needs_consent: bool = False
    """Whether it has only what players have consented to, so that its reader must ask for that."""

    def rows(self, store: EventStore, snapshot: Snapshot) -> Iterator[Row]:
        """The rows of the official run, by heading."""
        for row in self.read(store, snapshot):
            yield {heading: value(row) for heading, value in self.columns.items()}


Take = Callable[[Path, MatchImport], Iterable[BadLine]]
"""Adds what the feature's files in a folder hold to an import. Returns the lines that are wrong."""


class TransferPart(Struct, frozen=True, kw_only=True):
    """What a feature imports, exports, and adds to backups."""

    place: ClassVar[str] = "transfer"
    recorded: Take | None = None
    exports: Mapping[str, Export] = {}
    """The feature's exports of a run, by name."""
    log_exports: Mapping[str, LogExport] = {}
    """The feature's exports from the log, by name."""
    backed_up: Callable[[Conn, PhotoStore], list[str]] | None = None
    """The names of its stored objects, for a backup with pictures."""
