"""What the core and features declare of the rows that commands write with their events."""

from collections.abc import Callable

from msgspec import Struct

from league.eventlog.store import EventStore
from league.projections.runs import Conn


class Sampled(Struct, frozen=True):
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
    sample: Callable[[Conn, EventStore, bytes], Sampled] | None = None
    """Computes a few long results again, chosen by the hash of the last event, from the rows that `make` has made."""
