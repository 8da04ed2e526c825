"""What the lines of a recorded tournament have that cannot be, each by itself."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from league.domain.collected_refusals import Faults
from league.domain.competitor import PARTNERS, competitor_of
from league.domain.merges import canonical
from league.domain.refusals import InTheFuture, InvalidInput, NotFound, Refusal
from league.domain.seating import sides_of
from league.domain.sentences import say, say_count
from league.tournaments.domain.drawn import seed_of
from league.tournaments.domain.entering import check_tournament_id, faults_of_ruleset
from league.tournaments.domain.plan import faults_of_plan, players_of_competitor
from league.tournaments.domain.rounds import check_many
from league.tournaments.transfer.lines import EntryLine, PairingLine, RoundLine, TournamentLine
from league.tournaments.transfer.recorded_events import Recorded, competitors_of
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
        Faults.check(faults_of_ruleset(read.plan, matches.rulebook.at(recorded.began_at or matches.states.now)))
    except Refusal as refused:
        yield from Faults.of(refused)


def _faults_of_entry(read: EntryLine, recorded: Recorded, matches: MatchImport) -> Iterator[Refusal]:
    size = players_of_competitor(recorded.tournament.plan)
    if len(set(read.players)) != size or len(read.players) != size or read.id != competitor_of(read.players):
        yield InvalidInput("id", say("a pair enters as `a+b`, a player alone"))
    for player in read.players:
        if not matches.states.events(f"player:{player}"):
            yield NotFound("id", "player", player)
    if read.replaces is not None and read.replaces not in recorded.entered:
        yield NotFound("replaces", "competitor", read.replaces)
    for column in ("entered_at", "withdrawn_at"):
        yield from _faults_of_time(column, getattr(read, column), matches.states.now)
    if read.withdrawn_at is not None and read.withdrawn_at < read.entered_at:
        yield InvalidInput("withdrawn_at", say("is before the entry"))


def _faults_of_round(read: RoundLine, recorded: Recorded, matches: MatchImport) -> Iterator[Refusal]:
    if read.round not in range(1, len(recorded.rounds) + 1):
        yield InvalidInput("round", say("rounds count from 1, and none is left out"))
    if read.seed != seed_of(read.root, read.tournament, read.round, [one.bytes for one in read.contributions]):
        yield InvalidInput("seed", say("its seed does not follow from its root"))
    yield from _faults_of_input(read, recorded)
    yield from _faults_of_status(read, recorded)
    yield from _faults_of_time("published_at", read.published_at, matches.states.now)


def _faults_of_input(read: RoundLine, recorded: Recorded) -> Iterator[Refusal]:
    ids = [one.id for one in read.input]
    if [one.place for one in read.input] != list(range(1, len(ids) + 1)):
        yield InvalidInput("input", say("its places do not count from 1"))
    for id_ in (*ids, *read.fixed):
        if id_ not in recorded.entered:
            yield NotFound("input", "competitor", id_)
    for id_ in sorted({id_ for id_ in ids if ids.count(id_) > 1}):
        yield InvalidInput("input", say("{competitor!r} is named twice", competitor=id_))
    for entry in recorded.entries:
        if entry.id in ids and read.published_at is not None and entry.entered_at > read.published_at:
            yield InvalidInput("input", say("{competitor!r} entered after this round", competitor=entry.id))
    try:
        check_many(len(ids), recorded.tournament.plan)
    except Refusal as refused:
        yield refused


def _faults_of_status(read: RoundLine, recorded: Recorded) -> Iterator[Refusal]:
    if (read.published_at is None) != (read.status == "drawn"):
        yield InvalidInput("published_at", say("a round has this time once it is published, and not before"))
    if read.status != "closed" and read.round < len(recorded.rounds):
        yield InvalidInput("status", say("a round is closed before the next one is drawn"))
    if read.status == "published" and recorded.tournament.status == "ended":
        yield InvalidInput("status", say("a tournament ends after its rounds are closed"))
    before = [one.published_at for one in recorded.rounds if one.round < read.round and one.published_at is not None]
    if read.published_at is not None and any(earlier > read.published_at for earlier in before):
        yield InvalidInput("published_at", say("is before the round before it"))


def _faults_of_pairing(read: PairingLine, recorded: Recorded) -> Iterator[Refusal]:
    if read.round not in recorded.published:
        yield NotFound("round", "round", str(read.round))
    if read.table is not None and read.table < 1:
        yield InvalidInput("table", say("must be at least {least}", least=1))
    if len(read.sides) != (1 if read.table is None else 2):
        yield InvalidInput("sides", say("a table has two sides, and who sits out is one"))
    else:
        yield from _faults_of_sides(read, recorded)
    if read.status == "walkover" and read.winner not in {0, 1}:
        yield InvalidInput("winner", say("a walkover has a winner: side 0 or side 1"))


def _faults_of_sides(read: PairingLine, recorded: Recorded) -> Iterator[Refusal]:
    """What cannot be of who sits at a table, or sits out."""
    plan = recorded.tournament.plan
    size = players_of_competitor(plan) if read.table is None else PARTNERS if plan.mode == "2v2" else 1
    if any(len(side) != size for side in read.sides):
        yield InvalidInput("sides", say_count("a side has {count} player", "a side has {count} players", size))
        return
    drawn = {one.id for of in recorded.rounds if of.round == read.round for one in of.input}
    for id_ in (id_ for side in read.sides for id_ in competitors_of(side, plan)):
        if id_ not in recorded.entered:
            yield NotFound("sides", "competitor", id_)
        elif id_ not in drawn:
            yield InvalidInput("sides", say("{competitor!r} is not among the inputs of the round", competitor=id_))
    of_round = Counter(
        player for one in recorded.pairings if one.round == read.round for side in one.sides for player in side
    )
    for player in sorted({player for side in read.sides for player in side}):
        if of_round[player] > 1:
            yield InvalidInput("sides", say("player {player!r} is named twice in this round", player=player))


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
