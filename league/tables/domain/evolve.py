"""How each event of a live table changes its state, and which events follow from others at once.

The state plays the running hand from the deal of its secret. `WorkingTable` takes events as they are decided, and adds
the deal, forced turns and the next hand.
"""

from datetime import datetime, timedelta

from msgspec.structs import replace

from league.domain.dealing import (
    DealtTiles,
    commitment_of,
    deal,
    drawn_starter,
    leading_tile,
    next_starter,
    starting_draw,
)
from league.domain.play import HandInPlay
from league.domain.result import MatchFacts, result_of
from league.domain.tiles import is_double
from league.tables.domain.commands_and_events import (
    ClockStood,
    HandDealt,
    HandDropped,
    HandEnded,
    PlayBegan,
    ReshuffleAccepted,
    ReshuffleDeclined,
    ReshuffleOffered,
    SeatAway,
    SeatBack,
    SeatHandedOver,
    SeatLeft,
    SeatReady,
    SeatTaken,
    SeedContributed,
    ShuffleCommitted,
    StartingDrawn,
    TableClosed,
    TableEvent,
    TableOpened,
    TileDrawn,
    TilePlayed,
    TurnPassed,
)
from league.tables.domain.refusals import NotSeated
from league.tables.domain.state import Absence, SeatState, TableState, TurnEvent


def evolve(state: TableState, event: TableEvent, when: datetime) -> TableState:
    """The state after an event that was recorded at `when`.

    After a standstill no clock runs until the players have had time to return. Whatever begins in that time begins at
    its end.
    """
    if state.stands_until is not None:
        when = max(when, state.stands_until)
    return replace(_after(state, event, when), version=state.version + 1)


def _after(  # noqa: C901, PLR0911, PLR0912  # one case for each event
    state: TableState, event: TableEvent, when: datetime
) -> TableState:
    match event:
        case TableOpened():
            # A table that was closed before its first deal may be opened again for its match.
            seats = (SeatState(),) * event.seats
            return TableState(state.table, state.version, opening=event, opened_at=when, seats=seats)
        case SeatTaken():
            return _seated(state, event)
        case SeatLeft():
            return _with_seat(state, event.seat, SeatState())
        case SeatReady():
            return _with_seat(state, event.seat, replace(state.seats[event.seat], ready=True))
        case PlayBegan():
            budget = timedelta(seconds=event.ruleset.live.away_seconds)
            return replace(state, began=event, seats=tuple(replace(seat, away_left=budget) for seat in state.seats))
        case ShuffleCommitted():
            return _shuffling(state, event, when)
        case SeedContributed():
            given = state.contributions
            given = (*given[: event.seat], event.contribution, *given[event.seat + 1 :])
            return replace(state, contributions=given)
        case StartingDrawn():
            return replace(state, drawn=event.tiles)
        case HandDealt():
            return _dealt(state, event, when)
        case ReshuffleOffered():
            return replace(state, phase="offering", offers=(*state.offers, event.seat), clock_from=when)
        case ReshuffleAccepted():
            return replace(state, reshuffled=True, offers=())
        case ReshuffleDeclined():
            offers = tuple(seat for seat in state.offers if seat != event.seat)
            after = replace(state, offers=offers)
            return after if offers else _turns_begin(after, when)
        case TilePlayed() | TileDrawn() | TurnPassed():
            return _moved(state, event, when)
        case HandEnded():
            return _hand_ended(state, event)
        case HandDropped():
            return replace(_without_hand(state), phase="shuffling", hand_from=when, clock_from=None)
        case SeatAway():
            return _waits(_with_seat(state, event.seat, replace(state.seats[event.seat], away_since=when)), when)
        case SeatBack():
            return _back(state, event.seat, when)
        case SeatHandedOver():
            return _handed_over(state, event, when)
        case ClockStood():
            return _stood_still(state, event)
        case TableClosed():
            return replace(state, phase="closed", closed=event.reason, offers=(), clock_from=None)


def _with_seat(state: TableState, number: int, seat: SeatState) -> TableState:
    return replace(state, seats=(*state.seats[:number], seat, *state.seats[number + 1 :]))


def _seated(state: TableState, event: SeatTaken) -> TableState:
    """The state after somebody sat down. An AI is always ready; after it sits down, players must say so again."""
    if event.level is not None:
        seats = tuple(seat if seat.level is not None else replace(seat, ready=False) for seat in state.seats)
        state = replace(state, seats=seats)
    return _with_seat(state, event.seat, SeatState(event.player, event.level, ready=event.level is not None))


# ---------------------------------------------------------------- a hand


def _shuffling(state: TableState, event: ShuffleCommitted, when: datetime) -> TableState:
    return replace(
        _without_hand(state),
        phase="shuffling",
        hand=event.hand,
        hand_from=when,
        commitment=event.commitment,
        secret=event.secret,
        contributions=(None,) * len(state.seats),
        clock_from=when,
        clock_spent=timedelta(),
    )


def _without_hand(state: TableState) -> TableState:
    return replace(
        state,
        hand_from=None,
        commitment=None,
        secret=None,
        contributions=(),
        attempt=None,
        starter=None,
        deal=None,
        play=None,
        moves=(),
        offers=(),
        reshuffled=False,
    )


def _dealt(state: TableState, event: HandDealt, when: datetime) -> TableState:
    """The state after a deal. Turns begin at once. An offer of a reshuffle, which may follow at once, stops them."""
    assert state.opening is not None, "the table is open"
    assert state.began is not None, "play has begun"
    played, opening = state.played, state.opening
    if played is None:
        names = tuple(seat.player or f"ai-{number}" for number, seat in enumerate(state.seats))
        played = MatchFacts(opening.ruleset, opening.mode, opening.competition, names, state.drawn, state.began.at)
    after = replace(state, played=played, attempt=event.attempt, starter=event.starter, deal=None, play=None, moves=())
    if state.secret is not None:
        dealt = deal(state.shuffle(state.secret), event.attempt, state.ruleset)
        after = replace(after, deal=dealt, play=_led(after, dealt, event.starter))
    return _turns_begin(after, when)


def _led(state: TableState, dealt: DealtTiles, starter: int) -> HandInPlay:
    """A hand before its first tile. If the rules say so, the highest double must lead."""
    by_double = state.hand == 1 and state.ruleset.first_starter == "highest_double"
    must_lead = leading_tile(dealt.dealt)[1] if by_double else None
    return HandInPlay(state.ruleset, dealt.dealt, starter, dealt.boneyard, must_lead)


def _moved(state: TableState, event: TurnEvent, when: datetime) -> TableState:
    """The state after a turn. The clock of the next turn starts, and a play of the player resets their timeouts."""
    play = None
    if state.play is not None:
        play = state.play.copy()
        _take(play, event)
    seat = state.seats[event.seat]
    by_clock = isinstance(event, TurnPassed) and event.reason == "timeout"
    by_clock = by_clock or (isinstance(event, TilePlayed) and event.by == "clock")
    if by_clock:
        state = _with_seat(state, event.seat, replace(seat, timeouts=seat.timeouts + 1))
    elif seat.timeouts and isinstance(event, TilePlayed) and event.by == "player":
        state = _with_seat(state, event.seat, replace(seat, timeouts=0))
    return replace(state, play=play, moves=(*state.moves, event), clock_from=when, clock_spent=timedelta())


def _take(play: HandInPlay, event: TurnEvent) -> None:
    match event:
        case TilePlayed():
            play.play(event.tile, event.end)
        case TileDrawn():
            play.draw()
        case TurnPassed():
            play.pass_turn(by_clock=event.reason == "timeout")


def _hand_ended(state: TableState, event: HandEnded) -> TableState:
    """The state after a hand, whose facts are added to the match.

    The facts follow from the published secret, even if the sealed secret could not be opened.
    """
    assert state.played is not None, "it was dealt"
    assert state.attempt is not None, "it was dealt"
    assert state.starter is not None, "it was dealt"
    play = state.play
    if play is None:
        play = _led(state, deal(state.shuffle(event.secret), state.attempt, state.ruleset), state.starter)
        for move in state.moves:
            _take(play, move)
    played = replace(state.played, hands=(*state.played.hands, play.facts()))
    return replace(_without_hand(state), phase="shuffling", played=played, clock_from=None)


# ---------------------------------------------------------------- clocks and absence


def _turns_begin(state: TableState, when: datetime) -> TableState:
    """Begin the first turn of a hand; if a player is away, pause at once."""
    return _waits(replace(state, phase="playing", clock_from=when), when)


def _waits(state: TableState, when: datetime) -> TableState:
    """Pause the table if a turn is running and a player is away. The turn's clock stands still."""
    if state.phase != "playing" or not any(seat.waited_for for seat in state.seats):
        return state
    seats = tuple(replace(seat, away_since=when) if seat.waited_for else seat for seat in state.seats)
    spent = state.clock_spent + _span(state.clock_from, when)
    return replace(state, phase="paused", seats=seats, clock_from=None, clock_spent=spent)


def _goes_on(state: TableState, when: datetime) -> TableState:
    """End the pause if the table no longer waits for any player."""
    if state.phase != "paused" or any(seat.waited_for for seat in state.seats):
        return state
    return replace(state, phase="playing", clock_from=when)


def _waited(state: TableState, number: int, when: datetime) -> SeatState:
    """A seat for which the table no longer waits, with the remaining waiting time."""
    seat = state.seats[number]
    if seat.away_since is None or state.phase != "paused":
        return replace(seat, away_since=None)
    left = max(timedelta(), seat.away_left - _span(seat.away_since, when))
    return replace(seat, away_since=None, away_left=left, last_absence=Absence(seat.away_since, when, seat.away_left))


def _back(state: TableState, number: int, when: datetime) -> TableState:
    """The player plays the seat again. Coming back gains no time: the clock of the seat's turn is not reset."""
    seat = replace(_waited(state, number, when), handed_over=None)
    return _goes_on(_with_seat(state, number, seat), when)


def _handed_over(state: TableState, event: SeatHandedOver, when: datetime) -> TableState:
    seat = replace(_waited(state, event.seat, when), handed_over=event.reason)
    if event.reason == "timeouts":
        seat = replace(seat, timeouts=0)
    return _goes_on(_with_seat(state, event.seat, seat), when)


def _stood_still(state: TableState, event: ClockStood) -> TableState:
    """Give back the time of a standstill: no clock ran in it, and none runs until the players have had time to return.

    Nobody counts as away in a standstill, not even a player who came back before it was noted.
    """
    stood_from = event.since if state.stands_until is None else max(event.since, state.stands_until)
    runs_again = max(stood_from, event.until + timedelta(seconds=state.ruleset.live.return_seconds))

    def moved(since: datetime | None) -> datetime | None:
        return None if since is None else max(since, runs_again - max(stood_from - since, timedelta()))

    def without_standstill(seat: SeatState) -> timedelta:
        absence = seat.last_absence
        if absence is None or absence.until <= stood_from:
            return seat.away_left
        spent = _span(absence.since, stood_from) + _span(max(absence.since, runs_again), absence.until)
        return max(timedelta(), absence.left_before - spent)

    seats = tuple(
        replace(seat, away_since=moved(seat.away_since), away_left=without_standstill(seat), last_absence=None)
        for seat in state.seats
    )
    return replace(state, seats=seats, clock_from=moved(state.clock_from), stands_until=runs_again)


def _span(since: datetime | None, when: datetime) -> timedelta:
    """The time from `since` to `when`; zero if `since` is None or later."""
    return timedelta() if since is None else max(timedelta(), when - since)


# ---------------------------------------------------------------- what follows at once


class WorkingTable:
    """A working copy of a table while a command is decided. `state` is the state after the events decided so far."""

    def __init__(self, state: TableState, now: datetime, secret: bytes) -> None:
        """`secret`: 32 new random bytes, which are used if another hand begins."""
        self.state, self.now, self._secret = state, now, secret
        self.events: list[TableEvent] = []

    def add(self, event: TableEvent) -> None:
        """Add a decided event and apply it to the state."""
        self.events.append(event)
        self.state = evolve(self.state, event, self.now)

    def seat_of(self, player: str) -> int:
        """The seat of a player. Raises NotSeated."""
        seat = self.state.seat_of(player)
        if seat is None:
            raise NotSeated(self.state.table)
        return seat

    def settle(self) -> list[TableEvent]:
        """Add all events that follow without a choice of a player or an AI. Returns all events."""
        while self._step():
            pass
        return self.events

    def commit(self, hand: int) -> None:
        """Begin the shuffle of a hand."""
        self.add(ShuffleCommitted(hand, commitment_of(self._secret), self._secret.hex()))

    def redeal(self) -> None:
        """Drop the running hand, whose secret cannot be opened, and begin it again.

        A restore may have dropped it already.
        """
        hand = self.state.hand
        if self.state.commitment is not None:
            self.add(HandDropped(hand))
        self.commit(hand)

    def deal(self) -> None:
        """Deal the running hand. Before the first hand of a match there is a starting draw, if the rules have one."""
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
        """Deal the running hand again, after a reshuffle was accepted."""
        assert self.state.attempt is not None, "it was dealt"
        self._deal(self.state.attempt + 1)

    def _deal(self, attempt: int) -> None:
        state = self.state
        if state.played is not None and state.played.hands:
            next_one = next_starter(state.played, state.ruleset)
            assert next_one is not None, "a live table knows who started and who won"
            starter = next_one
        elif state.ruleset.first_starter == "starting_draw":
            drawn = drawn_starter(state.drawn or ())
            assert drawn is not None, "all draw until one has the most pips"
            starter = drawn
        else:
            starter, _ = leading_tile(deal(state.shuffle(self._opened), attempt, state.ruleset).dealt)
        self.add(HandDealt(state.hand, attempt, starter))

    def _offer(self) -> None:
        """Offer a reshuffle to each seat with many doubles (Cuban text, Reshuffling)."""
        least, dealt = self.state.ruleset.live.reshuffle_doubles, self.state.deal
        assert dealt is not None, "the secret is open"
        for seat, tiles in enumerate(dealt.dealt):
            if 0 < least <= sum(map(is_double, tiles)):
                self.add(ReshuffleOffered(self.state.hand, seat))

    def _step(self) -> bool:
        """Add one event that follows at once. Returns whether there was one."""
        state = self.state
        if state.deserted:
            self.add(TableClosed("abandoned"))
        elif state.unreadable:
            return False  # the hand is dealt again at its deadline
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
        """End the hand and publish its secret. Then the match ends, or the next hand is shuffled."""
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
