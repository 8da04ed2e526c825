"""The hands of matches that were played at live tables, from the events of the tables."""

from collections.abc import Sequence

from league.domain.play import WholeHand
from league.domain.transcript import CountedTurn
from league.eventlog.records import Stored
from league.eventlog.store import EventStore
from league.projections.writers.play_metrics import PlayedHands
from league.tables.domain.events import TableEvent
from league.tables.domain.review import Happened, finished_hands
from league.tables.projections.turn_times import taken_turns


def turns_of_hand(ended: Stored, store: EventStore) -> list[CountedTurn]:
    """The turns of the hand that an event ended, from its last deal on."""
    since = store.load_since_last("table-hand-dealt/1", ended.stream, ended.version)
    return list(taken_turns((one.event, one.recorded_at) for one in since if isinstance(one.event, TableEvent)))


def happened(stored: Sequence[Stored]) -> list[Happened]:
    """The stored events of a table, as the domain reads them."""
    return [Happened(one.position, one.recorded_at, one.event) for one in stored if isinstance(one.event, TableEvent)]


def whole_hands(table: str, stored: Sequence[Stored]) -> dict[int, WholeHand]:
    """The hands of a table that have ended, by number."""
    return {
        hand.proof.hand: WholeHand(hand.proof.deals[-1].dealt, hand.turns)
        for hand in finished_hands(table, happened(stored))
    }


PLAYED = PlayedHands("table", "table-hand-ended/1", turns_of_hand, whole_hands)
