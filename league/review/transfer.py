"""`league export transcripts`: exports hands of players who consent, turn by turn and without names, for study."""

from collections.abc import Iterator
from operator import attrgetter

from msgspec import Struct
from sqlalchemy import select

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.domain.play import Maker
from league.domain.refusals import WrongState
from league.domain.rules import Mode
from league.domain.tiles import Tile
from league.domain.transcript import Transcript
from league.eventlog.store import EventStore
from league.projections import tables as t
from league.projections.queries.snapshot import Snapshot
from league.review.commands import hands_to_review
from league.review.rows import consenting
from league.transfer.transfer_part import LogExport, TransferPart

_m = t.matches.c


class OpenSetHand(Struct, frozen=True):
    """A hand without names. The numbers of matches and players are valid within one export only."""

    match: int
    hand: int
    ruleset: str
    mode: Mode
    players: list[int]
    """The number of each player, by seat."""
    score: tuple[int, ...] | None
    """The score before the hand, by side; None in rulesets without points."""
    transcript: Transcript
    by: list[Maker | None]
    """Who chose each turn. None if the turn was forced, or if the hand was recorded by hand."""

    @property
    def dealt(self) -> tuple[tuple[Tile, ...], ...]:
        """The tiles dealt to each seat."""
        return self.transcript.dealt


def read_transcripts(store: EventStore, snapshot: Snapshot) -> Iterator[OpenSetHand]:
    """The hands whose turns are known, of decided matches in which every player consents; by match and number."""
    matches = select(_m.match_id, _m.seats, _m.ruleset).where(
        _m.run == snapshot.run, _m.status.not_in(("open", "pending", "voided"))
    )
    numbers: dict[str, int] = {}
    count = 0
    for match, seats, ruleset in snapshot.conn.execute(matches.order_by(_m.decided_at, _m.match_id)).all():
        if not set(seats) <= consenting(snapshot, seats):
            continue
        count += 1
        try:
            _, hands = hands_to_review(match, StreamStates(store, clock()))
        except WrongState:  # the match was opened again or voided since the snapshot
            continue
        for one in hands:
            if (hand := one.hand) is not None:
                players = [numbers.setdefault(player, len(numbers) + 1) for player in seats]
                by = list(hand.made_by)
                yield OpenSetHand(count, one.number, ruleset, hand.mode, players, hand.score, hand.transcript, by)


TRANSFER = TransferPart(
    log_exports={
        "transcripts": LogExport(
            read_transcripts,
            {
                **{
                    name: attrgetter(name) for name in ("match", "hand", "ruleset", "mode", "players", "score", "dealt")
                },
                "plays": attrgetter("transcript.plays"),
                "by": attrgetter("by"),
            },
            needs_consent=True,
        )
    }
)
