"""How features and the core declare the rows that commands write with their events."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from league.domain.play import WholeHand
from league.domain.transcript import CountedTurn
from league.eventlog.records import LoggedEvent
from league.eventlog.store import EventStore
from league.projections.runs import Conn


class SampledResults(Struct, frozen=True):
    """The findings from computing a few results of long computations again."""

    faults: list[str]
    notes: list[str]
    """Messages on what could not be compared."""


class RowsAgain(Struct, frozen=True):
    """Tables whose rows commands write with their events, and the function that makes these rows again."""

    tables: tuple[str, ...]
    make: Callable[[Conn, EventStore], None]
    """Writes the rows that follow from the log into empty temporary tables, in the transaction that reads the log.

    The temporary tables hide the league's. What no event says is read from the league's tables, as `league.NAME`.
    """
    sample: Callable[[Conn, EventStore, bytes], SampledResults] | None = None
    """Computes a few long results again, chosen by the hash of the last event, from the rows that `make` has made."""


class PlayedHands(Struct, frozen=True):
    """Hands of matches whose turns are in events of a feature."""

    kind: str
    """The name of their streams up to the colon. After it comes the id of the match."""
    ended: str
    """The stored name of the event that ends such a hand."""
    turns: Callable[[LoggedEvent, EventStore], list[CountedTurn]]
    """The turns of the hand that an event ended."""
    whole_hands: Callable[[str, Sequence[LoggedEvent]], dict[int, WholeHand]]
    """The ended hands by number, made from the id of the match and the events of its stream."""


class RowPart(Struct, frozen=True, kw_only=True):
    """The rows of a feature in the database."""

    place: ClassVar[str] = "rows"
    again: RowsAgain
    """Makes the rows that are saved with the feature's events again from the whole log."""
    bookkeeping: Mapping[str, str] = {}
    """Tables and columns (`table.column`) that do not follow from the log, each with the reason."""
    played: PlayedHands | None = None
    """Hands whose turns are in the feature's events."""
