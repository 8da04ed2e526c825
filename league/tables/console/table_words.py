"""The words of live tables: names for the API's enums, and sentences for the JavaScript of a table's page."""

from collections.abc import Mapping

from league.domain.sentences import say
from league.wording.language import spoken

MODES = {
    "ONE_ON_ONE": say("one on one"),
    "TWO_ON_TWO": say("pairs"),
    "INDIVIDUALS": say("each on their own"),
    "INDIVIDUALS_3": say("three, each on their own"),
    "INDIVIDUALS_4": say("four, each on their own"),
}
COMPETITIONS = {"COMPETITIVE": say("For the rating"), "CASUAL": say("For fun")}
LEVELS = {"RANDOM": say("beginner"), "HEURISTIC": say("good"), "INFERENCE": say("strong")}
"""How well an AI plays."""
PHASES = {
    "OPEN": say("players sit down"),
    "SHUFFLING": say("shuffling"),
    "OFFERING": say("dealt"),
    "PLAYING": say("in play"),
    "PAUSED": say("paused"),
    "CLOSED": say("over"),
}
CLOSED = {
    "FINISHED": say("The match is over."),
    "VOIDED": say("The match was voided."),
    "FORFEITED": say("The match was forfeited."),
    "ABANDONED": say("The table was closed."),
    "LOCKED": say("The two have played all games of this month that count."),
}

SENTENCES = {
    # What happens, for the running commentary.
    "sat": say("{name} sat down."),
    "stood": say("{name} stood up."),
    "ready": say("{name} is ready."),
    "began": say("All are ready. Play begins."),
    "shuffling": say("The tiles are being shuffled."),
    "drawn": say("Draw for the start: {tiles}."),
    "dealt": say("Hand {hand}: {name} starts."),
    "dealt_you": say("Hand {hand}: you start."),
    "offered": say("{name} was dealt many doubles and may have all hands dealt anew."),
    "accepted": say("{name} has all hands dealt anew."),
    "declined": say("{name} keeps the hand."),
    "first": say("{name} began with {tile}."),
    "first_you": say("You began with {tile}."),
    "left": say("{name} played {tile} on the left."),
    "left_you": say("You played {tile} on the left."),
    "right": say("{name} played {tile} on the right."),
    "right_you": say("You played {tile} on the right."),
    "clock_played": say("The time of {name} was up: {tile} was played."),
    "drew": say("{name} drew a tile."),
    "drew_you": say("You had nothing to play and drew {tile}."),
    "passed": say("{name} passes: nothing for {ends}."),
    "passed_you": say("You pass: you have nothing for {ends}."),
    "late": say("The time of {name} was up: a pass."),
    "late_you": say("Your time was up: a pass."),
    "hand_over": say("Hand {hand} is over: {name} gets {points} points."),
    "hand_block": say("Hand {hand} is blocked: {name} gets {points} points."),
    "hand_none": say("Hand {hand} is over. Nobody wins it."),
    "dropped": say("The hand could not go on and is dealt again."),
    "away": say("{name} lost the connection. The table waits."),
    "back": say("{name} is back."),
    "handed": say("An AI plays for {name}."),
    "handed_you": say("An AI plays for you. Play a tile to take over again."),
    "clock_stood": say("The clock stood still while the league was away."),
    "said": say("{name}: {phrase}"),
    "ai": say("AI ({level})"),
    "ai_numbered": say("AI {number} ({level})"),
    "free": say("free"),
    # What the table waits for.
    "your_turn": say("Your turn: the ends show {ends}."),
    "your_turn_first": say("Your turn: begin with any tile."),
    "you_start_with": say("Your turn: begin with {tiles}."),
    "you_can": say("You can play {tiles}."),
    "waits_for": say("{name} is to play."),
    "paused": say("The table waits for {name}."),
    "offer_waits": say("A player may have all hands dealt anew."),
    "seconds": say("{count} seconds left."),
    "and": say("{some} and {last}"),
    "both_ends": say("{left} and {right}"),
    # The own hand.
    "tile_fits": say("{tile}, fits"),
    "tile_fits_not": say("{tile}, does not fit"),
    "play": say("Play {tile}"),
    "play_left": say("Left, on {shows}"),
    "play_right": say("Right, on {shows}"),
    "choose_end": say("It fits on both ends: press L for the left one, R for the right one."),
    "not_your_turn": say("Wait for your turn."),
    "does_not_fit": say("{tile} fits neither end."),
    "chain": say("The chain: {tiles}"),
    "empty_chain": say("No tile has been played yet."),
    "tiles_left": say("{count} tiles"),
    "tile_left": say("1 tile"),
    # The line.
    "sending": say("The line is slow. Your move is being sent again…"),
    "signed_out": say("You are no longer signed in. Sign in again to play on."),
    "muted": say("Hear {name} again"),
    "mute": say("Mute {name}"),
    # The deal.
    "deal_fair": say("This deal was fair."),
    "deal_wrong": say("This deal does not follow from its secret."),
    "deal_seal": say("The secret fits the seal that was published before the deal."),
    "deal_seal_wrong": say("The secret does not fit the seal that was published before the deal."),
    "deal_seen": say("It is the seal that this browser saw before the deal."),
    "deal_seen_wrong": say("This browser saw another seal before the deal."),
    "deal_own": say("The random numbers of this browser were mixed in."),
    "deal_own_wrong": say(
        "The random numbers of this browser were not mixed in: they came too late, or were left out."
    ),
    "deal_watched": say("This browser was not at the table then. What it saw cannot be compared."),
    "deal_tiles": say("The tiles of all hands follow from the secret and the random numbers of the players."),
    "deal_tiles_wrong": say("The tiles of a hand are not those that follow from the secret."),
    "deal_insecure": say(
        "Browsers calculate this only on secure pages (https). Save the proof and check it with `league verify-deal`."
    ),
}
"""Sentences whose placeholders the page's JavaScript fills in, by the names that it uses."""


def said(texts: Mapping[str, str]) -> Mapping[str, str]:
    """The texts in the language of the current request."""
    return {name: spoken(text) for name, text in texts.items()}
