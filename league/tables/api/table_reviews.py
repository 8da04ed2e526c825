"""The finished hands of live tables, which this process remembers: they never change, and many viewers ask for them."""

import asyncio
from collections import OrderedDict

from league.api.graphql.threads import in_thread
from league.eventlog.recorder import TABLE_STREAM
from league.eventlog.store import EventStore
from league.tables.domain.events import HandEnded, PlayBegan, TableOpened
from league.tables.domain.review import FinishedHand, Happened, finished_hands
from league.tables.projections.played_hands import happened

MOST_TABLES = 100
"""Tables whose finished hands are remembered; a hand takes some tens of kilobytes."""


class TableReviews:
    """The finished hands of the tables that were asked for last."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._known: OrderedDict[str, _Reviewed] = OrderedDict()

    async def hands(self, table: str, number: int) -> list[FinishedHand]:
        """The first hands of a table, `number` of them, which have ended. Whole, in order."""
        reviewed = self._known.setdefault(table, _Reviewed(table))
        self._known.move_to_end(table)
        if len(self._known) > MOST_TABLES:
            self._known.popitem(last=False)
        async with reviewed.reading:
            if len(reviewed.hands) < number:
                await in_thread(reviewed.read, self._store)
        return reviewed.hands[:number]


class _Reviewed:
    """The finished hands of one table."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._version = 0
        """Of the stream, after the last hand here."""
        self._beginning: list[Happened] = []
        """The events that all hands need: under which rules they were played."""
        self.hands: list[FinishedHand] = []
        self.reading = asyncio.Lock()

    def read(self, store: EventStore) -> None:
        """Go on to the hands that have ended since. Blocks."""
        newer = store.load_after(TABLE_STREAM + self._table, self._version)
        beginning = self._beginning + happened([one for one in newer if isinstance(one.event, TableOpened | PlayBegan)])
        ended = [one.version for one in newer if isinstance(one.event, HandEnded)]
        if ended:
            hands = list(finished_hands(self._table, self._beginning + happened(newer)))
            self.hands, self._beginning, self._version = self.hands + hands, beginning, ended[-1]
