"""What people do: commands that a seed chooses from what they have seen of the league."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from league.domain.deciders import Command
from league.domain.hand import Closing, HandFacts
from league.domain.league import ChangeSettings, CloseMonth, ReopenMonth
from league.domain.match import (
    CorrectHand,
    EndMatch,
    ForfeitMatch,
    OpenMatch,
    RecordHand,
    RecordResult,
    ReopenMatch,
    VoidMatch,
)
from league.domain.members import AddMember, RemoveMember
from league.domain.player import ErasePlayer, MergePlayers, MovePlayer, RegisterPlayer, RenamePlayer, UndoMerge
from league.domain.result import AnnouncedResult
from league.domain.rulebook import AdoptEdition, PublishEdition, parse_rulebook
from league.photos.domain.photo import UploadPhoto
from league.review.commands import SetReviewConsent
from league.rulebook import shipped_edition
from league.tables.domain.commands_and_events import OpenTable
from league.tournaments.domain.commands import PlanTournament

FIRST = datetime(2026, 3, 28, 12, tzinfo=UTC)
"""When the first match is played: a month ends soon after."""
EACH = timedelta(hours=3)
"""Time between two matches."""
LATE = timedelta(days=2)
"""How far the clock of a device may be behind."""


@dataclass
class World:
    """What the people of a league know of it, from the answers that they got."""

    players: list[str] = field(default_factory=lambda: [f"p{number}" for number in range(6)])
    matches: dict[str, int] = field(default_factory=dict)
    """The known matches by id, and the number of their players."""
    hands: dict[str, int] = field(default_factory=dict)
    editions: int = 1
    opened: int = 0
    tables: list[str] = field(default_factory=list)
    """Live tables."""
    photos: list[str] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)
    """The pictures by hash."""
    tournaments: int = 0
    """How many were planned before the newest one."""

    def note(self, command: Command) -> None:
        """Note what was answered."""
        match command:
            case RegisterPlayer(player=player) if player not in self.players:
                self.players.append(player)
            case OpenMatch(match=match_, seats=seats):
                self.matches[match_] = len(seats)
            case PlanTournament(tournament=tournament):
                self.tournaments = max(self.tournaments, int(tournament.removeprefix("c")))
            case UploadPhoto(photo=photo) if photo not in self.photos:
                self.photos.append(photo)
            case OpenTable(table=table) if table not in self.tables:
                self.tables.append(table)
                self.matches[table] = 2  # once play begins
            case RecordHand(match=match_):
                self.hands[match_] = self.hands.get(match_, 0) + 1
            case PublishEdition():
                self.editions += 1


def command_of(world: World, random: Random) -> Command:
    """The next thing that somebody does."""
    makers, weights = zip(*MAKERS.items(), strict=True)
    maker = random.choices(makers, weights)[0]
    made = maker(world, random)
    return open_match(world, random) if made is None else made


def open_match(world: World, random: Random) -> Command:
    """Open a match; sometimes under an id that somebody else takes at the same time."""
    world.opened += random.random() < 0.8
    mode, count = random.choice((("1v1", 2), ("2v2", 4)))
    seats = tuple(random.sample(world.players, count))
    began = FIRST + EACH * world.opened - LATE * random.random()
    competition = random.choice(("competitive", "competitive", "casual"))
    return OpenMatch(f"m{world.opened}", "cuban-150", mode, competition, seats, None, began)  # type: ignore[arg-type]


def record_hand(world: World, random: Random) -> Command | None:
    """Record a hand of one of the newest matches."""
    if not world.matches:
        return None
    match = random.choice(list(world.matches)[-4:])
    return RecordHand(match, hand(world.matches[match], random), None, FIRST + EACH * (world.opened + 1))


def hand(seats: int, random: Random) -> HandFacts:
    """The facts of a hand."""
    winner = random.randrange(seats)
    held = tuple(0 if seat == winner else random.randint(5, 40) for seat in range(seats))
    closing = Closing(None, random.random() < 0.2, ends_equal=False, blocks_too=False)
    return HandFacts(0, "domino", winner, held, closing, opening_pass=False, corridos=(), drew=())


def of_match(make: Callable[[str, Random], Command]) -> Callable[[World, Random], Command | None]:
    """Something about a match that is known."""
    return lambda world, random: make(random.choice(list(world.matches)), random) if world.matches else None


def announced(random: Random) -> AnnouncedResult:
    """A result as a table announces it."""
    winner = random.randrange(2)
    score = (150, random.randrange(0, 150, 5))
    return AnnouncedResult(winner, score if winner == 0 else score[::-1])


def correct(world: World, random: Random) -> Command | None:
    """Correct a hand that was recorded."""
    if not world.hands:
        return None
    match = random.choice(sorted(world.hands))
    return CorrectHand(match, random.randint(1, world.hands[match]), hand(world.matches[match], random), "miscounted")


def edition(world: World, random: Random) -> Command:
    """Publish an edition, or adopt one."""
    if world.editions == 1 or random.random() < 0.5:
        changed = random.choice(("rating.k.provisional", "rulesets.cuban-150.target"))
        text = f"{changed} = {random.randint(20, 80)}"
        return PublishEdition(parse_rulebook(text, shipped_edition(1)))
    return AdoptEdition(random.randint(1, world.editions), FIRST + EACH * random.randint(1, 40))


def add_member(world: World, random: Random) -> Command:
    """Let a player sign in."""
    return AddMember(f"m{random.randrange(40)}", f"s{random.randrange(9)}", ("player",), one(world, random))


def one(world: World, random: Random) -> str:
    """A player."""
    return random.choice(world.players)


def two(world: World, random: Random) -> tuple[str, str]:
    """Two players."""
    keep, drop = random.sample(world.players, 2)
    return keep, drop


MAKERS: dict[Callable[[World, Random], Command | None], float] = {
    open_match: 6,
    record_hand: 14,
    of_match(lambda match, random: RecordResult(match, announced(random), None)): 5,
    of_match(lambda match, _: EndMatch(match)): 2,
    of_match(lambda match, random: ForfeitMatch(match, random.randrange(2))): 1,
    of_match(lambda match, _: ReopenMatch(match, "a mistake")): 1,
    of_match(lambda match, _: VoidMatch(match, "not played")): 1,
    correct: 3,
    lambda _, random: RegisterPlayer(f"n{random.randrange(30)}", "Somebody New", None): 2,
    lambda world, random: RenamePlayer(one(world, random), f"Name {random.randrange(99)}"): 4,
    lambda world, random: MovePlayer(one(world, random), random.choice(("Granma", "Matanzas"))): 1,
    lambda world, random: ErasePlayer(one(world, random)): 1.5,
    lambda world, random: MergePlayers(*two(world, random)): 0.5,
    lambda world, random: UndoMerge(*two(world, random)): 0.3,
    lambda _, random: CloseMonth(random.choice(("2026-03", "2026-04"))): 1,
    lambda _, random: ReopenMonth(random.choice(("2026-03", "2026-04"))): 0.5,
    lambda _, random: ChangeSettings(time_zone=random.choice(("UTC", "America/Havana"))): 0.2,
    edition: 1,
    add_member: 1,
    lambda world, random: SetReviewConsent(one(world, random), random.random() < 0.7): 1,
    lambda _, random: RemoveMember(f"m{random.randrange(40)}"): 0.5,
}
"""What people do, by how often."""
