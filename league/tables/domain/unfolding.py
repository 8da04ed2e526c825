"""Events of a table as they are decided, and what follows from them at once: the deal, forced turns, the next hand."""

from datetime import datetime

from league.domain.dealing import commitment_of, deal, drawn_starter, leading_tile, next_starter, starting_draw
from league.domain.result import result_of
from league.domain.tiles import is_double
from league.tables.domain.events import (
    HandDealt,
    HandDropped,
    HandEnded,
    ReshuffleDeclined,
    ReshuffleOffered,
    ShuffleCommitted,
    StartingDrawn,
    TableClosed,
    TableEvent,
    TileDrawn,
    TurnPassed,
)
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState


class Unfolding:
    """A table while a command is decided. `state` is the state after the events so far."""

    def __init__(self, state: TableState, now: datetime, secret: bytes) -> None:
        """`secret`: 32 fresh bytes, for the next hand if one begins."""
        self.state, self.now, self._secret = state, now, secret
        self.events: list[TableEvent] = []

    def add(self, event: TableEvent) -> None:
        """Take an event as it is decided."""
        self.events.append(event)
        self.state = evolve(self.state, event, self.now)

    def settle(self) -> list[TableEvent]:
        """Add all that follows without a choice of a player or of an AI. Returns all events."""
        while self._step():
            pass
        return self.events

    def commit(self, hand: int) -> None:
        """Begin the shuffle of a hand."""
        self.add(ShuffleCommitted(hand, commitment_of(self._secret), self._secret.hex()))

    def redeal(self) -> None:
        """Begin the running hand again. It cannot be opened and is dropped, unless a restore has dropped it already."""
        hand = self.state.hand
        if self.state.commitment is not None:
            self.add(HandDropped(hand))
        self.commit(hand)

    def deal(self) -> None:
        """Deal the running hand; the first one of a match after the starting draw, where the rules have one."""
        state, attempt = self.state, 0
        if state.played is None and state.ruleset.first_starter == "starting_draw":
            while True:
                drawn = starting_draw(state.shuffle(self._opened), attempt, state.ruleset.set)
                self.add(StartingDrawn(attempt, drawn))
                attempt += 1
                if drawn_starter(drawn) is not None:
                    break
        self._deal(attempt)
        self._offer()

    def deal_anew(self) -> None:
        """Deal the running hand once more, after a reshuffle was accepted."""
        assert self.state.attempt is not None, "it was dealt"
        self._deal(self.state.attempt + 1)

    def _deal(self, attempt: int) -> None:
        state = self.state
        if state.played is not None and state.played.hands:
            starter = next_starter(state.played, state.ruleset)
        elif state.ruleset.first_starter == "starting_draw":
            drawn = drawn_starter(state.drawn or ())
            assert drawn is not None, "all draw until one has the most pips"
            starter = drawn
        else:
            starter, _ = leading_tile(deal(state.shuffle(self._opened), attempt, state.ruleset).dealt)
        self.add(HandDealt(state.hand, attempt, starter))

    def _offer(self) -> None:
        """Offer a reshuffle to each seat with many doubles (Cuban text, Reshuffling); an AI declines."""
        least, dealt = self.state.ruleset.live.reshuffle_doubles, self.state.deal
        assert dealt is not None, "the secret is open"
        for seat, tiles in enumerate(dealt.dealt):
            if 0 < least <= sum(map(is_double, tiles)):
                self.add(ReshuffleOffered(self.state.hand, seat))

    def _step(self) -> bool:
        """One thing that follows at once; whether there was one."""
        state = self.state
        if state.deserted:
            self.add(TableClosed("abandoned"))
        elif state.unreadable:
            return False  # only its deadline deals the hand again
        elif state.phase == "shuffling" and not state.awaited:
            self.deal()
        elif state.phase == "offering" and (seat := self._ai_with_offer()) is not None:
            self.add(ReshuffleDeclined(state.hand, seat, "ai"))
        elif state.phase == "playing" and state.play is not None and state.play.is_over:
            self._end_hand()
        elif state.phase == "playing" and state.play is not None and (forced := state.play.forced) is not None:
            seat = state.play.to_move
            drew = TileDrawn(state.hand, state.turn, seat)
            self.add(drew if forced == "draw" else TurnPassed(state.hand, state.turn, seat, "no_play"))
        else:
            return False
        return True

    def _end_hand(self) -> None:
        """The hand is over: its secret is published. The match ends with it, or the next hand is shuffled."""
        hand = self.state.hand
        self.add(HandEnded(hand, self._opened))
        assert self.state.played is not None, "a hand was played"
        if result_of(self.state.played, self.state.ruleset).last_hand is not None:
            self.add(TableClosed("finished"))
        else:
            self.commit(hand + 1)

    def _ai_with_offer(self) -> int | None:
        return next((seat for seat in self.state.offers if self.state.seats[seat].played_by == "ai"), None)

    @property
    def _opened(self) -> str:
        assert self.state.secret is not None, "a hand that cannot be opened waits for its deadline"
        return self.state.secret
