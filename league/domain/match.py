"""A match: its events, its commands, and its state as a fold of its events. `match_decider` decides the commands."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from league.domain.disputes import (
    DisputeEvent,
    DisputeRejected,
    DisputeWithdrawn,
    MatchConfirmed,
    ResultConfirmed,
    ResultDisputed,
    ResultReview,
)
from league.domain.hand import Closing, HandFacts, Held
from league.domain.result import AnnouncedResult, MatchFacts
from league.domain.rules import Competition, Mode
from league.domain.seating import count_sides
from league.domain.tiles import Tile
from league.domain.transcript import Transcript

# ---------------------------------------------------------------- events


class MatchOpened(Struct, frozen=True, gc=False, omit_defaults=True):
    """The players are seated. The match began at the event's time of play."""

    ruleset: str
    mode: Mode
    competition: Competition
    seats: tuple[str, ...]
    starting_draw: tuple[Tile, ...] | None
    table: bool = False
    """Whether it is played at a live table, which has the same id."""


class MatchTakenToTable(Struct, frozen=True):
    """The match moved to the live table of the same id. It was opened without a table and has no hands yet."""

    starting_draw: tuple[Tile, ...] | None


class HandTranscribed(Struct, frozen=True):
    """Every turn of a hand, where the turns are known. No fold reads it."""

    hand: int
    transcript: Transcript


class OpeningPass(Struct, frozen=True, tag="opening_pass"):
    """An opening pass that scores."""


class PaseCorrido(Struct, frozen=True, tag="pase_corrido", omit_defaults=True):
    """All other seats passed and this seat played again."""

    seat: int | None
    side: int | None = None
    """The side; given only if the seat is not known."""


class ClosingTile(Struct, frozen=True, gc=False, tag="closing_tile"):
    """A last tile that may earn a bonus: it fits both ends, leaves equal ends, or is a double."""

    closing: Closing


class HandPhotographed(Struct, frozen=True):
    """Photos show the leftover tiles that the facts of a hand state. This is evidence; no fold reads it."""

    hand: int
    photos: tuple[str, ...]
    """The ids of the photos. The stream of each is `photo:<id>`."""


class BonusRecorded(Struct, frozen=True, gc=False):
    """A bonus fact of the hand that the next HandRecorded completes."""

    hand: int
    bonus: OpeningPass | PaseCorrido | ClosingTile


class HandRecorded(Struct, frozen=True, gc=False, omit_defaults=True):
    """The facts of a hand, except those in its bonus events."""

    hand: int
    starter: int | None
    ended_by: Literal["domino", "block"]
    seat: int | None
    leftover: tuple[Held, ...]
    closing: Closing | None
    """None when a bonus event carries it."""
    drew: tuple[int, ...] | None
    opening_pass_known: bool
    corridos_known: bool
    side_leftover: tuple[int | None, ...] | None = None
    stated_winner: int | None = None
    stated_capicua: bool | None = None


class HandCorrected(Struct, frozen=True, omit_defaults=True):
    """Replaces a hand and its bonuses."""

    hand: int
    facts: HandFacts
    reason: str
    settles: int | None = None
    """The dispute that this settles."""


class MatchEnded(Struct, frozen=True, gc=False, omit_defaults=True):
    """Play stopped at the event's time of play. The result that the table announced is stored as evidence."""

    announced: AnnouncedResult | None
    confirm_by: datetime | None = None
    """The time at which the match is decided if no dispute is open; None: it needs no confirmation."""


class MatchReopened(Struct, frozen=True, omit_defaults=True):
    """The end of the match was taken back."""

    reason: str
    settles: int | None = None
    """The dispute that this settles."""


class MatchForfeited(Struct, frozen=True, omit_defaults=True):
    """A side gave up the match. The result that the table announced is stored as evidence."""

    side: int
    announced: AnnouncedResult | None = None
    confirm_by: datetime | None = None
    """The time at which the match is decided if no dispute is open; None: it needs no confirmation."""


class MatchVoided(Struct, frozen=True, omit_defaults=True):
    """The match counts for nothing."""

    reason: str
    settles: int | None = None
    """The dispute that this settles."""


MatchEvent = (
    MatchOpened | MatchTakenToTable | HandTranscribed | HandPhotographed | BonusRecorded | HandRecorded
    | HandCorrected | MatchEnded | MatchReopened | MatchForfeited | MatchVoided | DisputeEvent
)  # fmt: skip

# ---------------------------------------------------------------- commands


class RecordedHand(Struct, frozen=True):
    """A hand to store: its facts, and its turns if they are known."""

    facts: HandFacts
    transcript: Transcript | None = None


class OpenMatch(Struct, frozen=True):
    """Open a match with its seats. `played_at` is the time at which it began; None means now."""

    match: str
    ruleset: str
    mode: Mode
    competition: Competition
    seats: tuple[str, ...]
    starting_draw: tuple[Tile, ...] | None = None
    played_at: datetime | None = None


class RecordHand(Struct, frozen=True):
    """Record the next hand, by its facts or by its turns."""

    match: str
    facts: HandFacts | None = None
    transcript: Transcript | None = None
    played_at: datetime | None = None
    hand: int | None = None
    """The expected number of the hand, from 1. Another number than the next one is refused; None: do not check."""
    photos: tuple[str, ...] = ()
    """Ids of photos whose counts fill in the leftover tiles."""
    proposed: bool = False
    """Whether to take counts too that no person has confirmed. For previews."""
    out_of_order: bool = False
    """Whether the hand may have ended before the previous one did."""


class CorrectHand(Struct, frozen=True, omit_defaults=True):
    """Replace the facts of a hand that was recorded wrongly. `settles`: the number of a dispute that this settles."""

    match: str
    hand: int
    facts: HandFacts
    reason: str
    settles: int | None = None
    photos: tuple[str, ...] = ()
    """As for `RecordHand`; so is `proposed`."""
    proposed: bool = False
    reopens: bool = False
    """Whether play goes on if the corrected hands no longer end the match: the end of the match is then taken back."""


class EndMatch(Struct, frozen=True):
    """Play stopped before the end condition held."""

    match: str
    announced: AnnouncedResult | None = None
    played_at: datetime | None = None


class RecordResult(Struct, frozen=True):
    """Record what the table announced for a match whose hands are not known."""

    match: str
    announced: AnnouncedResult
    played_at: datetime | None = None


class CorrectResult(Struct, frozen=True, omit_defaults=True):
    """Replace the announced result of a match without hands. `settles`: the number of a dispute that this settles."""

    match: str
    announced: AnnouncedResult
    reason: str
    settles: int | None = None


class ReopenMatch(Struct, frozen=True, omit_defaults=True):
    """Take back the end of a match. `settles`: the number of a dispute that this settles."""

    match: str
    reason: str
    settles: int | None = None


class ForfeitMatch(Struct, frozen=True):
    """A side gives up."""

    match: str
    side: int
    played_at: datetime | None = None


class VoidMatch(Struct, frozen=True, omit_defaults=True):
    """Void a match. It cannot be undone. `settles`: the number of a dispute that this settles."""

    match: str
    reason: str
    settles: int | None = None


class ImportMatch(Struct, frozen=True):
    """A whole match from a recorded season. It has one time, at which it began and was decided."""

    opening: OpenMatch
    hands: tuple[RecordedHand, ...]
    announced: AnnouncedResult | None
    forfeited_by: int | None = None


MatchCommand = (
    OpenMatch
    | RecordHand
    | CorrectHand
    | EndMatch
    | RecordResult
    | CorrectResult
    | ReopenMatch
    | ForfeitMatch
    | VoidMatch
)
"""The commands on a match that are dispatched. Only imports decide `ImportMatch`."""

# ---------------------------------------------------------------- state


class MatchState(Struct, frozen=True, gc=False):
    """The current facts of a match, and the positions of the events that they rest on."""

    played: MatchFacts | None = None
    bonuses: tuple[OpeningPass | PaseCorrido | ClosingTile, ...] = ()
    """The bonuses of the hand whose `HandRecorded` follows."""
    hand_positions: tuple[int, ...] = ()
    """The position of the event with the facts of each hand."""
    last_hand_at: datetime | None = None
    """The time at which the last hand ended."""
    decided_position: int | None = None
    """The position of the event that decided or voided the match."""
    live: bool = False
    """Whether it is or was played at a live table, which has the same id."""
    review: ResultReview = ResultReview()
    """The players' confirmations and disputes of its result."""


def evolve(  # noqa: C901, PLR0911  # one return for each event
    state: MatchState, event: MatchEvent, when: datetime, position: int
) -> MatchState:
    """The state after an event. `when`: the event's time of play; if it has none, the time at which it was recorded."""
    if isinstance(event, MatchOpened):
        return MatchState(
            MatchFacts(event.ruleset, event.mode, event.competition, event.seats, event.starting_draw, began_at=when),
            live=event.table,
        )
    played = state.played
    assert played is not None, "a match stream starts with MatchOpened"
    match event:
        case MatchTakenToTable():
            return replace(state, played=replace(played, starting_draw=event.starting_draw), live=True)
        case BonusRecorded():
            return replace(state, bonuses=(*state.bonuses, event.bonus))
        case HandRecorded():
            sides = count_sides(played.mode, len(played.seats))
            hands = (*played.hands, _assembled(event, state.bonuses, sides))
            positions = (*state.hand_positions, position)
            return replace(
                state, played=replace(played, hands=hands), bonuses=(), hand_positions=positions, last_hand_at=when
            )
        case HandPhotographed() | HandTranscribed():
            return state
        case HandCorrected():
            at = event.hand - 1
            hands = (*played.hands[:at], event.facts, *played.hands[at + 1 :])
            positions = (*state.hand_positions[:at], position, *state.hand_positions[at + 1 :])
            return replace(
                state,
                played=replace(played, hands=hands),
                hand_positions=positions,
                review=state.review.changed("corrected", event.settles, event.reason, when),
            )
        case MatchEnded():
            return _ended(state, replace(played, announced=event.announced), event.confirm_by, when, position)
        case MatchReopened():
            again = replace(played, ended_at=None, announced=None, pending=False, confirmed_at=None)
            review = state.review.changed("reopened", event.settles, event.reason, when)
            return replace(state, played=again, decided_position=None, review=review)
        case MatchForfeited():
            forfeited = replace(played, forfeited_by=event.side, announced=event.announced)
            return _ended(state, forfeited, event.confirm_by, when, position)
        case MatchVoided():
            voided = replace(played, voided=True, pending=False)
            review = state.review.changed("voided", event.settles, event.reason, when)
            return replace(state, played=voided, decided_position=position, review=review)
        case MatchConfirmed():
            confirmed = replace(played, pending=False, confirmed_at=when)
            review = state.review.after(event, when)
            return replace(state, played=confirmed, decided_position=position, review=review)
        case ResultConfirmed() | ResultDisputed() | DisputeWithdrawn() | DisputeRejected():
            return replace(state, review=state.review.after(event, when))


def _ended(
    state: MatchState, played: MatchFacts, confirm_by: datetime | None, when: datetime, position: int
) -> MatchState:
    """The state after the end of play, which decides the match unless it awaits confirmation."""
    pending = confirm_by is not None
    ended = replace(played, ended_at=when, pending=pending)
    decided = None if pending else position
    return replace(state, played=ended, decided_position=decided, review=state.review.ended(confirm_by))


def _assembled(
    event: HandRecorded, bonuses: Sequence[OpeningPass | PaseCorrido | ClosingTile], sides: int
) -> HandFacts:
    closing, opening_pass = event.closing, False
    corridos: list[int] = []
    by_side: list[int] = []
    for bonus in bonuses:
        if isinstance(bonus, ClosingTile):
            closing = closing or bonus.closing
        elif isinstance(bonus, OpeningPass):
            opening_pass = True
        elif bonus.seat is not None:
            corridos.append(bonus.seat)
        elif bonus.side is not None:
            by_side.append(bonus.side)
    assert closing is not None, "the hand or its bonuses have the closing tile"
    return HandFacts(
        starter=event.starter,
        ended_by=event.ended_by,
        seat=event.seat,
        leftover=event.leftover,
        closing=closing,
        opening_pass=opening_pass if event.opening_pass_known else None,
        corridos=tuple(corridos) if event.corridos_known else None,
        drew=event.drew,
        side_leftover=event.side_leftover,
        side_corridos=tuple(by_side.count(side) for side in range(sides)) if by_side else None,
        stated_winner=event.stated_winner,
        stated_capicua=event.stated_capicua,
    )
