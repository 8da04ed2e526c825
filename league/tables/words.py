"""Sentences about the events of live tables."""

from league.domain.deciders import Event
from league.domain.sentences import say
from league.tables.domain import commands_and_events as table
from league.tables.domain.state import TurnEvent
from league.wording.matches import EventContext, StreamWords, WordPart, competition_in_words

ENDS = {
    "finished": say("the match is over"),
    "voided": say("the match was voided"),
    "forfeited": say("the match was forfeited"),
    "abandoned": say("no player was left"),
    "locked": say("the pair has played its last match of the month"),
}
GONE = {
    "away": say("the player is away"),
    "timeouts": say("the player's time ran out again"),
    "left": say("the player left"),
}


PLAYED = {
    "player": say("{who} played {tile}"),
    "clock": say("{who} played {tile} since the time ran out"),
    "ai": say("{who} played {tile} by the AI"),
}
"""The sentence for a play, by who chose it."""


def _in_words(event: Event, around: EventContext) -> str:  # noqa: C901, PLR0911, PLR0912  # one for each event
    """A sentence about an event, without a full stop. It says nothing that only some players may know."""
    match event:
        case table.TableOpened():
            if event.opened_by is None:
                text = say("opened, {competition} {mode} by {ruleset}, with {seats} seats")
            else:
                text = say("opened by {who}, {competition} {mode} by {ruleset}, with {seats} seats")
            return say(
                text,
                who=around.named(event.opened_by or ""),
                competition=competition_in_words(event.competition),
                mode=event.mode,
                ruleset=around.ruleset(event.ruleset),
                seats=event.seats,
            )
        case table.SeatTaken():
            who = around.named(event.player) if event.player else say("an AI ({level})", level=event.level)
            return say("{who} took seat {seat}", who=who, seat=event.seat)
        case table.SeatLeft():
            return say("seat {seat} was left", seat=event.seat)
        case table.SeatReady():
            return say("seat {seat} is ready", seat=event.seat)
        case table.PlayBegan():
            return say("play began under edition {edition} of the rules", edition=event.edition)
        case table.ShuffleCommitted():
            return say("hand {hand} is shuffled: the hash of its secret was published", hand=event.hand)
        case table.SeedContributed():
            return say("{who} added to the seed of hand {hand}", who=around.at_seat(event.seat), hand=event.hand)
        case table.StartingDrawn():
            return say("starting draw: {names}", names=", ".join(str(list(tile)) for tile in event.tiles))
        case table.HandDealt():
            return say("hand {hand} was dealt; {who} starts", hand=event.hand, who=around.at_seat(event.starter))
        case table.ReshuffleOffered():
            return say(
                "{who} was dealt many doubles, and may have hand {hand} dealt anew",
                who=around.at_seat(event.seat),
                hand=event.hand,
            )
        case table.ReshuffleAccepted():
            return say("{who} had hand {hand} dealt anew", who=around.at_seat(event.seat), hand=event.hand)
        case table.ReshuffleDeclined():
            return say("{who} kept the tiles of hand {hand}", who=around.at_seat(event.seat), hand=event.hand)
        case table.TilePlayed() | table.TileDrawn() | table.TurnPassed():
            return say(
                "hand {hand}, turn {turn}: {event}", hand=event.hand, turn=event.turn, event=_turn(event, around)
            )
        case table.HandEnded():
            return say("hand {hand} ended, and its secret was published", hand=event.hand)
        case table.HandDropped():
            return say("hand {hand} could not be opened and is dealt again", hand=event.hand)
        case table.SeatAway():
            return say("{who} lost the connection", who=around.at_seat(event.seat))
        case table.SeatBack():
            return say("{who} is back", who=around.at_seat(event.seat))
        case table.SeatHandedOver():
            return say("an AI plays for {who}: {why}", who=around.at_seat(event.seat), why=GONE[event.reason])
        case table.ClockStood():
            return say(
                "no server was alive for {total_seconds:.0f} seconds",
                total_seconds=(event.until - event.since).total_seconds(),
            )
        case table.TableClosed():
            return say("closed: {why}", why=ENDS[event.reason])
    raise TypeError(event)


def _turn(event: TurnEvent, around: EventContext) -> str:
    who = around.at_seat(event.seat)
    match event:
        case table.TilePlayed():
            return say(PLAYED[event.by], who=who, tile=list(event.tile))
        case table.TileDrawn():
            return say("{who} drew a tile", who=who)
        case table.TurnPassed(reason="timeout"):
            return say("{who} passed since the time ran out", who=who)
    return say("{who} passed", who=who)


def _of_table(id_: str, event: Event, around: EventContext) -> str:
    said, sides = _in_words(event, around), around.match()
    if sides is None:
        return say("Table {id}: {event}", id=id_, event=said)
    return say("Table of {match}: {event}", match=sides, event=said)


def _players(_id: str, event: Event) -> set[str]:
    match event:
        case table.TableOpened(opened_by=str(player)) | table.SeatTaken(player=str(player)):
            return {player}
    return set()


WORDS = WordPart((StreamWords("table", _of_table, _players),))
