"""Sentences for people: what happened at a live table, for every event of it."""

from collections.abc import Mapping

from league.domain.deciders import Event
from league.domain.table import events as table
from league.domain.table.moves import in_words

ENDS = {
    "finished": "the match is over",
    "voided": "the match was voided",
    "forfeited": "the match was forfeited",
    "abandoned": "no player was left",
    "locked": "the pair has played its last match of the month",
}
GONE = {"away": "the player is away", "timeouts": "the player's time ran out again", "left": "the player left"}


def words_of_table(event: Event, names: Mapping[str, str]) -> str:  # noqa: C901, PLR0911, PLR0912  # one for each event
    """What happened, in a sentence without a full stop. It says nothing that only some players may know."""
    match event:
        case table.TableOpened():
            by = f" by {_named(event.opened_by, names)}" if event.opened_by else ""
            return f"opened{by}, {event.competition} {event.mode} by {event.ruleset}, with {event.seats} seats"
        case table.SeatTaken():
            who = _named(event.player, names) if event.player else f"an AI ({event.level})"
            return f"{who} took seat {event.seat}"
        case table.SeatLeft():
            return f"seat {event.seat} was left"
        case table.SeatReady():
            return f"seat {event.seat} is ready"
        case table.PlayBegan():
            return f"play began under edition {event.edition} of the rules"
        case table.ShuffleCommitted():
            return f"hand {event.hand} is shuffled: the hash of its secret was published"
        case table.SeedContributed():
            return f"seat {event.seat} added to the seed of hand {event.hand}"
        case table.StartingDrawn():
            return f"starting draw: {', '.join(str(list(tile)) for tile in event.tiles)}"
        case table.HandDealt():
            return f"hand {event.hand} was dealt; seat {event.starter} starts"
        case table.ReshuffleOffered():
            return f"seat {event.seat} was dealt many doubles, and may have hand {event.hand} dealt anew"
        case table.ReshuffleAccepted():
            return f"seat {event.seat} had hand {event.hand} dealt anew"
        case table.ReshuffleDeclined():
            return f"seat {event.seat} kept the tiles of hand {event.hand}"
        case table.TilePlayed() | table.TileDrawn() | table.TurnPassed():
            return f"hand {event.hand}, turn {event.turn}: {in_words(event)}"
        case table.HandEnded():
            return f"hand {event.hand} ended, and its secret was published"
        case table.HandDropped():
            return f"hand {event.hand} could not be opened and is dealt again"
        case table.SeatAway():
            return f"the player at seat {event.seat} lost the connection"
        case table.SeatBack():
            return f"the player at seat {event.seat} is back"
        case table.SeatHandedOver():
            return f"an AI plays seat {event.seat}: {GONE[event.reason]}"
        case table.ClockStood():
            return f"no server was alive for {(event.until - event.since).total_seconds():.0f} seconds"
        case table.TableClosed():
            return f"closed: {ENDS[event.reason]}"
    raise TypeError(event)


def _named(id_: str, names: Mapping[str, str]) -> str:
    return f"{names[id_]} ({id_})" if id_ in names and names[id_] != id_ else id_
