"""What the lines of a recorded tournament have that cannot be, each by itself."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from league.domain.collected_refusals import Faults
from league.domain.merges import canonical
from league.domain.refusals import InTheFuture, InvalidInput, NotFound, Refusal
from league.domain.seating import sides_of
from league.domain.sentences import say
from league.tournaments.domain.entering import check_ruleset, check_tournament_id
from league.tournaments.domain.plan import faults_of_plan, players_of_competitor
from league.tournaments.domain.seed import seed_of
from league.tournaments.transfer.lines import EntryLine, PairingLine, RoundLine, TournamentLine
from league.tournaments.transfer.recorded_events import Recorded
from league.transfer.match_import import MatchImport


def faults_of(read: Any, recorded: Recorded, matches: MatchImport) -> Iterator[Refusal]:
    """What is wrong with a line of a tournament."""
    match read:
        case TournamentLine():
            yield from _faults_of_tournament(read, recorded, matches)
        case EntryLine():
            yield from _faults_of_entry(read, recorded, matches)
        case RoundLine():
            yield from _faults_of_round(read, recorded, matches)
        case PairingLine():
            yield from _faults_of_pairing(read, recorded)
            yield from _faults_of_match(read, matches)


def _faults_of_tournament(read: TournamentLine, recorded: Recorded, matches: MatchImport) -> Iterator[Refusal]:
    try:
        check_tournament_id(read.tournament)
        Faults.check(faults_of_plan(read.plan))
        check_ruleset(read.plan, matches.rulebook.at(recorded.began_at or matches.states.now))
    except Refusal as refused:
        yield from Faults.of(refused)


def _faults_of_entry(read: EntryLine, recorded: Recorded, matches: MatchImport) -> Iterator[Refusal]:
    if len(read.players) != players_of_competitor(recorded.tournament.plan):
        yield InvalidInput("id", say("a pair enters as `a+b`, a player alone"))
    for player in read.players:
        if not matches.states.events(f"player:{player}"):
            yield NotFound("id", "player", player)
    if read.replaces is not None and read.replaces not in recorded.entered:
        yield NotFound("replaces", "competitor", read.replaces)
    for column in ("entered_at", "withdrawn_at"):
        yield from _faults_of_time(column, getattr(read, column), matches.states.now)


def _faults_of_round(read: RoundLine, recorded: Recorded, matches: MatchImport) -> Iterator[Refusal]:
    if read.round not in range(1, len(recorded.rounds) + 1):
        yield InvalidInput("round", say("rounds count from 1, and none is left out"))
    if read.seed != seed_of(read.root, read.tournament, read.round):
        yield InvalidInput("seed", say("its seed does not follow from its root"))
    if [one.place for one in read.input] != list(range(1, len(read.input) + 1)):
        yield InvalidInput("input", say("its places do not count from 1"))
    for id_ in (*(one.id for one in read.input), *read.fixed):
        if id_ not in recorded.entered:
            yield NotFound("input", "competitor", id_)
    if (read.published_at is None) != (read.status == "drawn"):
        yield InvalidInput("published_at", say("a round has this time once it is published, and not before"))
    yield from _faults_of_time("published_at", read.published_at, matches.states.now)


def _faults_of_pairing(read: PairingLine, recorded: Recorded) -> Iterator[Refusal]:
    if read.round not in recorded.published:
        yield NotFound("round", "round", str(read.round))
    if read.table is not None and read.table < 1:
        yield InvalidInput("table", say("must be at least {least}", least=1))
    if len(read.sides) != (1 if read.table is None else 2):
        yield InvalidInput("sides", say("a table has two sides, and who sits out is one"))
    elif missing := [player for side in read.sides for player in side if player not in recorded.players]:
        yield NotFound("sides", "competitor", missing[0])
    if read.status == "walkover" and read.winner not in {0, 1}:
        yield InvalidInput("winner", say("a walkover has a winner: side 0 or side 1"))


def _faults_of_time(column: str, at: datetime | None, now: datetime) -> Iterator[Refusal]:
    if at is not None and at > now:
        yield InTheFuture(column, at, now)


def _faults_of_match(read: PairingLine, matches: MatchImport) -> Iterator[Refusal]:
    """Whether a table's match is known, and is one of these players."""
    if read.match is None or read.may_lack_match:
        return
    played = matches.states.match(read.match).played
    if played is None:
        yield NotFound("match", "match", read.match)
        return
    sides = sides_of(played.mode, canonical(played.seats, matches.aliases))
    if [sorted(side) for side in sides] != [sorted(canonical(side, matches.aliases)) for side in read.sides]:
        said = " / ".join(" & ".join(side) for side in sides)
        yield InvalidInput("match", say("was played by {players}", players=said))
