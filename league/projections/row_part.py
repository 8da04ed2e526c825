"""What features declare of the rows that commands write with their events, and the core of its own."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from league.domain.play import WholeHand
from league.domain.transcript import CountedTurn
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.projections.runs import Conn


class SampledResults(Struct, frozen=True):
    """What was found where a few results of long computations were computed again."""

    faults: list[str]
    notes: list[str]
    """What could not be compared."""


class RowsAgain(Struct, frozen=True):
    """Tables whose rows are written with their events, and what makes these rows again."""

    tables: tuple[str, ...]
    make: Callable[[Conn, EventStore], None]
    """Writes the rows of the whole log into these tables, in the transaction that the log is read in, too.

    They are empty, and hide those of the league: it reads these as `league.NAME` where a row holds what no event says.
    """
    sample: Callable[[Conn, EventStore, bytes], SampledResults] | None = None
    """Computes a few long results again, chosen by the hash of the last event, from the rows that `make` has made."""


class PlayedHands(Struct, frozen=True):
    """Hands of matches whose turns are in events of a feature."""

    kind: str
    """How the names of their streams begin, before the colon; then comes the id of the match."""
    ended: str
    """The stored name of the event that ends such a hand."""
    turns: Callable[[LoggedEvent, EventStore], list[CountedTurn]]
    """The turns of the hand that an event ended."""
    whole_hands: Callable[[str, Sequence[LoggedEvent]], dict[int, WholeHand]]
    """The hands that have ended, by number, from the id of the match and the events of the stream."""


class RowPart(Struct, frozen=True, kw_only=True):
    """What a feature has in the database."""

    place: ClassVar[str] = "rows"
    again: RowsAgain
    """Makes the rows that are saved with its events again from the whole log."""
    bookkeeping: Mapping[str, str] = {}
    """What of its tables does not follow from the log, by table or column, with the reason."""
    played: PlayedHands | None = None
    """Hands whose turns are in events of its own."""
