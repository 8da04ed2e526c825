"""A league made for the bench: seeded, of any size, its facts accepted by the domain and stored by the event store."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.domain.hand import Closing, HandFacts
from league.domain.match import ImportMatch, OpenMatch, RecordedHand
from league.domain.match_decider import import_match
from league.domain.player import PlayerRegistered
from league.domain.rules import Competition, Mode, Rulebook
from league.domain.seating import sides_of
from league.domain.series import Encounter, MatchEntered, is_entered
from league.eventlog.records import Append, AppendRequest

BEGAN = datetime(2025, 1, 1, tzinfo=UTC)
SEASON = timedelta(days=360)
HANDS_A_MATCH = 8
CLUB = 20
"""Players who play among themselves; in 2v2 each has two partners, so that there are as many pairs as players."""
RULESET, TARGET = "cuban-150", 150
BLOCKED, CAPICUA = 0.1, 0.08
MATCHES_AT_ONCE = 1_000
REQUEST = AppendRequest("bench", "import")


def make_league(
    league: League,
    hands: int,
    players: int,
    matches_at_once: int = MATCHES_AT_ONCE,
    between: Callable[[], None] = lambda: None,
) -> None:
    """Fill an empty league with a season of matches of both modes, eight hands each on average.

    `between` is called each time that so many matches are stored.
    """
    states = StreamStates(league.store, BEGAN + 2 * SEASON)
    edition, zone, random = states.rulebook().at(BEGAN), states.zone(), Random(hands)
    everybody = [f"p{number:05}" for number in range(players)]
    registered = [Append(f"player:{id_}", 0, (PlayerRegistered(id_, None),)) for id_ in everybody]
    league.store.append(registered, REQUEST)
    entered: Counter[str] = Counter()
    appends: list[Append] = []
    matches = hands // HANDS_A_MATCH
    for number in range(matches):
        command = made_match(number, BEGAN + SEASON / matches * number, everybody, random)
        appends += stored_match(command, edition, zone, entered)
        if number % matches_at_once == matches_at_once - 1 or number == matches - 1:
            league.store.append(appends, REQUEST)
            appends = []
            between()


def stored_match(command: ImportMatch, edition: Rulebook, zone: ZoneInfo, entered: Counter[str]) -> Iterator[Append]:
    """The match, found possible, and its entry in the series of its month."""
    opening = command.opening
    assert opening.played_at is not None
    events = import_match(command, edition, frozenset(opening.seats), BEGAN + 2 * SEASON)
    yield Append(f"match:{opening.match}", 0, tuple(events), opening.played_at)
    if is_entered(opening.mode, opening.competition, edition.series):
        stream = Encounter.of(opening.mode, sides_of(opening.mode, opening.seats), opening.played_at, zone).stream
        yield Append(stream, entered[stream], (MatchEntered(opening.match),), opening.played_at)
        entered[stream] += 1


def made_match(number: int, began_at: datetime, everybody: list[str], random: Random) -> ImportMatch:
    """A match within a club, 1v1 and 2v2 in turn; of each four, two have fewer hands and two as many more."""
    mode: Mode = "2v2" if number % 2 else "1v1"
    competition: Competition = random.choices(("competitive", "casual", "special"), (80, 15, 5))[0]
    more = number // 4 % 4
    hands = HANDS_A_MATCH + (more if number % 4 < 2 else -more)
    opening = OpenMatch(f"m{number:07}", RULESET, mode, competition, seats_of(mode, everybody, random), None, began_at)
    return ImportMatch(opening, tuple(made_hands(hands, len(opening.seats), random)), None)


def seats_of(mode: Mode, everybody: list[str], random: Random) -> tuple[str, ...]:
    """Two players of a club, or two pairs of neighbours in it."""
    club = random.randrange(len(everybody) // CLUB) * CLUB
    if mode == "1v1":
        a, b = random.sample(range(club, club + CLUB), 2)
        return (everybody[a], everybody[b])
    shift = random.randrange(2)
    a, b = random.sample(range(CLUB // 2), 2)
    first, second = ([club + (2 * pair + shift + seat) % CLUB for seat in (0, 1)] for pair in (a, b))
    return tuple(everybody[player] for player in (first[0], second[0], first[1], second[1]))


def made_hands(count: int, seats: int, random: Random) -> Iterator[RecordedHand]:
    """Hands of which the last one wins the match: the winner's points reach the target then, the other side's never."""
    winner, won = random.randrange(2), count // 2 + 1
    lost = count - won
    points = [TARGET // won - random.randrange(5) for _ in range(won - 1)]
    points.append(TARGET - sum(points) + random.randrange(9))
    sides = [winner] * (won - 1) + [1 - winner] * lost
    random.shuffle(sides)
    for side in (*sides, winner):
        worth = points.pop(0) if side == winner else random.randrange(5, (TARGET - 1) // lost)
        yield made_hand(side, worth, seats, random)


def made_hand(side: int, points: int, seats: int, random: Random) -> RecordedHand:
    """A hand that gives a side these points: its opponents' pips."""
    mine = [seat for seat in range(seats) if seat % 2 == side]
    others = [seat for seat in range(seats) if seat % 2 != side]
    leftover = [0] * seats
    first = points if len(others) == 1 else random.randrange(1, points)
    for seat, pips in zip(others, (first, points - first), strict=False):
        leftover[seat] = pips
    blocked = random.random() < BLOCKED
    for seat in mine:
        leftover[seat] = 1
    winning = random.choice(mine)
    if not blocked:
        leftover[winning] = 0
    capicua = not blocked and random.random() < CAPICUA
    facts = HandFacts(
        starter=random.randrange(seats),
        ended_by="block" if blocked else "domino",
        seat=winning,
        leftover=tuple(leftover),
        closing=Closing(fits_both_ends=capicua, ends_equal=capicua, blocks_too=blocked or random.random() < 0.1),
        opening_pass=False,
        corridos=(),
        drew=(),
    )
    return RecordedHand(facts)
