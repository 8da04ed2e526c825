"""Plays and stores matches between AI players in a league of their own, as load and as an example of a full league."""

import re
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from league.ai.matches import MatchInPlay, chooser, play_hand, seat_seed
from league.application.dispatch import Dispatcher
from league.domain.match import OpenMatch, RecordHand
from league.domain.match_refusals import SeriesLocked
from league.domain.play import Level
from league.domain.player import RegisterPlayer
from league.domain.refusals import WrongState
from league.domain.rules import Mode, Ruleset
from league.domain.seating import side_of
from league.domain.sentences import say
from league.domain.tiles import Tile
from league.domain.transcript import Transcript
from league.eventlog.store import EventStore

PLAYERS_OF_A_LEVEL = 8
"""Number of AI players of one level in a league: enough for rows on boards and in the series."""

_MATCH = "match:ai-"
_PLAYER = re.compile(r"player:ai-[a-z]+-\d+")
MOST_HANDS = 1000
"""More hands than a match has, so that the seeds of matches differ."""


class AiSimulation(NamedTuple):
    """The settings of a simulation, which apply to all its matches."""

    name: str
    """The name of the ruleset."""
    ruleset: Ruleset
    mode: Mode
    levels: tuple[Level, ...]
    """The level of each side."""
    seats: int
    seed: int
    first: int
    """The number of the first match. A later simulation continues after the last one."""
    samples: int | None = None
    """The number of deals that an AI tries for a move; None: the default of its level."""


class PlayedAiMatch(NamedTuple):
    """A match that was played to its end."""

    match: str
    seats: tuple[str, ...]
    starting_draw: tuple[Tile, ...] | None
    hands: tuple[Transcript, ...]


def players_of(levels: Sequence[Level]) -> list[RegisterPlayer]:
    """The AI players of some levels."""
    numbers = range(1, PLAYERS_OF_A_LEVEL + 1)
    return [
        RegisterPlayer(_player(level, number), f"{level.capitalize()} {number}")
        for level in dict.fromkeys(levels)
        for number in numbers
    ]


def prepare(store: EventStore, dispatcher: Dispatcher, levels: Sequence[Level], actor: str) -> int:
    """Register the missing AI players. Returns the number of matches that AI players have played already.

    Raises WrongState if people are registered in the league: AI players need a league of their own.
    """
    head = store.head()
    registered = {event.stream for event in store.streams_until("player:", head)}
    people = sum(not _PLAYER.fullmatch(stream) for stream in registered)
    if people:
        raise WrongState(
            say("the league"),
            say("one of people ({people} registered)", people=people),
            say("AI players need a league of their own"),
        )
    missing = [command for command in players_of(levels) if f"player:{command.player}" not in registered]
    if missing:
        dispatcher.send_all(missing, actor, "import")
    return len({event.stream for event in store.streams_until(_MATCH, head)})


def play_match(pairing: AiSimulation, number: int) -> PlayedAiMatch:
    """Play one match of a simulation. The seed determines its players."""
    number += pairing.first
    seats, levels = _seated(pairing, number)
    match = MatchInPlay(f"ai-{number:06}", pairing.ruleset, pairing.mode, seats, pairing.seed)
    hands = []
    while match.played.ended_at is None:
        hand, played = match.number, match.deal()
        dealt = tuple(tuple(played.tiles.of_mask(held)) for held in played.held)
        seeds = [seat_seed(pairing.seed, number * MOST_HANDS + hand, seat) for seat in range(len(seats))]
        choosers = [chooser(*of_seat, pairing.samples) for of_seat in zip(levels, seeds, strict=True)]
        play_hand(played, pairing.mode, choosers, match.result.score, hand)
        match.record(played)
        hands.append(Transcript(dealt, tuple(played.turns)))
    return PlayedAiMatch(match.name, seats, match.played.starting_draw, tuple(hands))


def store_match(dispatcher: Dispatcher, pairing: AiSimulation, played: PlayedAiMatch, actor: str) -> None:
    """Store a match with every turn. It becomes a casual match if this month's series locks its competitors."""
    opening = OpenMatch(played.match, pairing.name, pairing.mode, "competitive", played.seats, played.starting_draw)
    hands = [RecordHand(played.match, transcript=hand) for hand in played.hands]
    try:
        dispatcher.send_all([opening, *hands], actor, "import")
    except SeriesLocked:
        casual = OpenMatch(played.match, pairing.name, pairing.mode, "casual", played.seats, played.starting_draw)
        dispatcher.send_all([casual, *hands], actor, "import")


def _seated(pairing: AiSimulation, number: int) -> tuple[tuple[str, ...], list[Level]]:
    """The player and the level of each seat: the sides in random order, with random players of their levels."""
    random = Random(f"{pairing.seed} {number}")  # noqa: S311  # the same seed gives the same matches
    sides = random.sample(pairing.levels, len(pairing.levels))
    levels = [sides[side_of(seat, pairing.mode)] for seat in range(pairing.seats)]
    free = {level: random.sample(range(1, PLAYERS_OF_A_LEVEL + 1), PLAYERS_OF_A_LEVEL) for level in pairing.levels}
    return tuple(_player(level, free[level].pop()) for level in levels), levels


def _player(level: Level, number: int) -> str:
    return f"ai-{level}-{number}"
