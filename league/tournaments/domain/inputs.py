"""The inputs of a drawing (rules, Tournaments, Drawing).

A drawing stores the inputs of pairing for every available competitor. Devices of competitors contribute to the seed:
each promises random bytes before the drawing and gives them after it, so that nobody chooses a seed alone.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.tournaments.domain import commands as c
from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import EarlierMeeting, PlacedCompetitor, RankedCompetitor, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.final_standing import places_in_groups, places_of
from league.tournaments.domain.groups import GroupPlace, candidates, strengths
from league.tournaments.domain.knockout import losers_of_semi_finals, still_in
from league.tournaments.domain.leaving import annulled
from league.tournaments.domain.outcomes import Outcomes, PointRules, lacks_result, outcomes
from league.tournaments.domain.plan import tie_breaks_of
from league.tournaments.domain.refusals import (
    AlreadyCommitted,
    AlreadyContributed,
    AlreadyWithdrawn,
    CommitmentUsed,
    DrawingClosed,
    NoCommitment,
    OtherCommitment,
)
from league.tournaments.domain.results import Results
from league.tournaments.domain.schedule import is_knockout
from league.tournaments.domain.state import CompetitorEntry, RoundState, TableOfRound, TournamentState
from league.tournaments.domain.ties import tie_result


def inputs(
    state: TournamentState,
    number: int,
    available: Sequence[CompetitorEntry],
    results: Results,
    points: PointRules,
    ratings: Mapping[str, float],
) -> tuple[RankedCompetitor, ...]:
    """The available competitors of a round as its drawing stores them, with their record in the rounds before it.

    `ratings`: by competitor, in the plan's mode. They rank the first round if the plan says so.
    """
    plan, out = state.known_plan, annulled(state, results)
    found = outcomes(state, results, points, before=number)
    places = {place.id: place for place in places_of(state, results, found, tie_breaks_of(plan), out)}
    ranks = {id_: place.rank for id_, place in places.items() if place.rank is not None}
    is_first = not any(of.number < number for of in state.published)
    if is_first:
        ranks = _by_rating(state, ratings) if plan.first_round == "rating" else dict.fromkeys(state.entries, 1)
    met, partners = encounters(state, results, number)
    byes = byes_before(state, number)
    entering = _candidates(state, results, points) if begins_knockout(state) else {}
    strength = strengths(list(entering.values()))
    return tuple(
        RankedCompetitor(
            entry.id,
            places[entry.id].won,
            rank_of(entry, ranks, found),
            entry.region,
            byes[entry.id],
            tuple(met[entry.id]),
            tuple(partners[entry.id]),
            entering[entry.id].place.group_rank if entering else None,
            strength[entry.id] if entering else None,
            ratings.get(entry.id) if is_first and plan.first_round == "rating" else None,
        )
        for entry in available
    )


def to_draw(state: TournamentState, results: Results, points: PointRules) -> list[CompetitorEntry]:
    """The competitors who can play the next round, ordered by id. In a knock-out they are still in."""
    if not state.published or not is_knockout(state.known_plan, state.groups, state.next_round):
        return state.available()
    if begins_knockout(state):
        wanted = set(_candidates(state, results, points))
    else:
        wanted = still_in(state, results) | losers_of_semi_finals(state, results)
    ordered = sorted(wanted, key=str.encode)
    return [state.entries[id_] for id_ in ordered if state.entries[id_].withdrawn_at is None]


def left_in_knockout(state: TournamentState, results: Results) -> tuple[str, ...]:
    """Who is through to the next round of a knock-out and has withdrawn, ordered by id."""
    gone = (id_ for id_ in still_in(state, results) if state.entries[id_].withdrawn_at is not None)
    return tuple(sorted(gone, key=str.encode))


def begins_knockout(state: TournamentState) -> bool:
    """Whether the next round begins the knock-out after the groups."""
    after_groups = state.known_plan.format == "groups" and bool(state.published) and not state.knockout
    return after_groups and is_knockout(state.known_plan, state.groups, state.next_round)


def _candidates(state: TournamentState, results: Results, points: PointRules) -> dict[str, GroupPlace]:
    out = annulled(state, results)
    places = places_in_groups(state, outcomes(state, results, points, out=out), tie_breaks_of(state.known_plan), out)
    gone = {id_ for id_, entry in state.entries.items() if entry.withdrawn_at is not None}
    return {one.place.id: one for one in candidates(state.known_plan, places.values(), gone)}


def would_differ(
    state: TournamentState,
    drawing: RoundDrawn,
    seed: str,
    results: Results,
    points: PointRules,
    ratings: Mapping[str, float],
) -> bool:
    """Whether a drawing that is not published would have other inputs now, or could not be made now.

    It cannot be made while a table of an earlier round is in play again. `ratings`: as in `inputs`. Locked pairs are
    not compared, because the series refuses them at publication.
    """
    before = [of for of in state.published if of.number < drawing.round]
    if any(tables_without_result(of, results, points) for of in before):
        return True
    available = to_draw(state, results, points)
    if left_in_knockout(state, results) != drawing.left:
        return True
    now = inputs(state, drawing.round, available, results, points, ratings)
    if state.requested() != drawing.requested or fixed_tables(state, drawing.round, available) != drawing.fixed:
        return True
    return as_compared(now, seed) != as_compared(drawing.competitors, seed)


def as_compared(competitors: Iterable[RankedCompetitor], seed: str) -> list[PlacedCompetitor]:
    """The competitors with places, and without ranks and ratings, which older recorded seasons lack."""
    return [replace(one, rank=None, rating=None) for one in placed(competitors, seed)]


def fixed_tables(state: TournamentState, number: int, available: Iterable[CompetitorEntry]) -> dict[str, int]:
    """Table numbers that available competitors keep in a round, by competitor. Nobody keeps one in a knock-out."""
    if is_knockout(state.known_plan, state.groups, number):
        return {}
    return {entry.id: entry.fixed_table for entry in available if entry.fixed_table is not None}


def tables_without_result(of: RoundState, results: Results, points: PointRules) -> list[int]:
    """The numbers of the tables that are in play or still to be played. A voided match counts only in a knock-out."""
    return [table.number for table in of.tables if lacks_result(table, results, points)]


def ratings_of_competitors(state: TournamentState, found: Mapping[str, float], start: float) -> dict[str, float]:
    """The rating of each competitor; a pair has the mean of both. A player without a rating has `start`."""
    return {
        entry.id: sum(found.get(player, start) for player in entry.players) / len(entry.players)
        for entry in state.entries.values()
    }


def rank_of(entry: CompetitorEntry, ranks: Mapping[str, int], found: Outcomes) -> int:
    """The rank that a competitor is drawn with. A substitute without results has the rank of whom they replace."""
    return ranks[entry.id if entry.replaces is None or found[entry.id] else entry.replaces]


def encounters(
    state: TournamentState, results: Results, before: int
) -> tuple[Mapping[str, list[EarlierMeeting]], Mapping[str, list[EarlierMeeting]]]:
    """The opponents and the partners at published tables before a round, by competitor.

    A table with a voided match counts; a walkover does not, unless a game of its tie was played.
    """
    met: dict[str, list[EarlierMeeting]] = defaultdict(list)
    partners: dict[str, list[EarlierMeeting]] = defaultdict(list)
    for of, table in state.tables():
        if of.number >= before or (table.absent and not _has_game(table, results)):
            continue
        for side in (0, 1):
            for id_ in table.sides[side]:
                met[id_] += _at(table.sides[1 - side], of.number, table.number)
                partners[id_] += _at((other for other in table.sides[side] if other != id_), of.number, table.number)
    return met, partners


def _has_game(table: TableOfRound, results: Results) -> bool:
    """Whether somebody has won a game with a match in a tie."""
    return table.best_of is not None and any(game.match is not None for game in tie_result(table, results).games)


def byes_before(state: TournamentState, before: int) -> Mapping[str, int]:
    """How often each competitor sat out before a round. A bye of a knock-out stands in no number."""
    in_knockout = {of.number for of in state.knockout}
    earlier = [of for of in state.published if of.number < before and of.number not in in_knockout]
    return Counter(id_ for of in earlier for id_ in of.byes)


def _at(others: Iterable[str], number: int, table: int) -> list[EarlierMeeting]:
    return [EarlierMeeting(other, number, table) for other in others]


def _by_rating(state: TournamentState, ratings: Mapping[str, float]) -> dict[str, int]:
    """Ranks by rating, highest first. Competitors without a rating come last and share a rank."""
    values = [ratings.get(id_, float("-inf")) for id_ in state.entries]
    return {id_: 1 + sum(other > ratings.get(id_, float("-inf")) for other in values) for id_ in state.entries}


# ---------------------------------------------------------------- the bytes of devices


WAIT = timedelta(seconds=10)
"""How long a drawing waits for bytes at most."""
BYTES = 32
"""Length of a contribution in bytes."""
_HEXADECIMAL = re.compile(rf"[0-9a-f]{{{2 * BYTES}}}")


def fits(contribution: str, commitment: str) -> bool:
    """Whether a contribution is 32 bytes in hexadecimal whose SHA-256 is the commitment."""
    if not _HEXADECIMAL.fullmatch(contribution):
        return False
    return hashlib.sha256(bytes.fromhex(contribution)).hexdigest() == commitment


def commit_seed(competitor: str, commitment: str, state: TournamentState) -> e.SeedCommitted:
    """Promise bytes of a competitor's device to the next drawing.

    Raises InvalidInput, AlreadyCommitted, CommitmentUsed, WrongState.
    """
    _check_hexadecimal("commitment", commitment)
    if state.entries[competitor].withdrawn_at is not None:
        raise AlreadyWithdrawn(
            say("competitor {competitor!r}", competitor=competitor), say("out of the tournament"),
            say("they take part in no drawing"), "competitor",
        )  # fmt: skip
    if state.promise(competitor) is not None:
        raise AlreadyCommitted(competitor)
    _check_unused("commitment", commitment, state)
    return e.SeedCommitted(competitor, commitment)


def contribute_seed(command: c.ContributeSeed, of: RoundState, state: TournamentState) -> list[e.TournamentEvent]:
    """Store the bytes that a drawing asks for, and the device's next commitment if the competitor can make one.

    Raises InvalidInput, NotFound, NoCommitment, OtherCommitment, AlreadyContributed, DrawingClosed, CommitmentUsed.
    """
    who = command.competitor, of.number
    _check_hexadecimal("contribution", command.contribution)
    if command.drawing > of.drawings or command.drawing < 1:
        raise NotFound("drawing", "drawing", str(command.drawing))
    if command.drawing < of.drawings:
        raise DrawingClosed(*who)
    promised = next((one for one in of.commitments if one.id == command.competitor), None)
    if promised is None:
        raise NoCommitment(*who)
    if not fits(command.contribution, promised.commitment):
        raise OtherCommitment(*who)
    if any(one.id == command.competitor for one in of.contributions):
        raise AlreadyContributed(*who)
    if of.status != "drawn" or of.root is not None:
        raise DrawingClosed(*who)
    given = e.SeedContributed(of.number, of.drawings, command.competitor, command.contribution)
    if command.next_commitment is None:
        return [given]
    _check_hexadecimal("next_commitment", command.next_commitment)
    is_free = state.promise(command.competitor) is None and state.entries[command.competitor].withdrawn_at is None
    if not is_free:
        return [given]
    _check_unused("next_commitment", command.next_commitment, state)
    return [given, e.SeedCommitted(command.competitor, command.next_commitment)]


def is_asking(of: RoundState, now: datetime) -> bool:
    """Whether a drawing still waits for bytes at the time `now`."""
    return of.asked_at is not None and bool(of.missing) and now < of.asked_at + WAIT


def is_left_to_its_request(of: RoundState, now: datetime) -> bool:
    """Whether a round that asks for no bytes was drawn so recently that the request that drew it may be pairing it."""
    return not of.commitments and of.asked_at is not None and now < of.asked_at + WAIT


def _check_hexadecimal(at: str, given: str) -> None:
    if not _HEXADECIMAL.fullmatch(given):
        raise InvalidInput(at, say("must be {count} bytes in hexadecimal, in lower case", count=BYTES))


def _check_unused(at: str, commitment: str, state: TournamentState) -> None:
    """Raise CommitmentUsed if the log of the tournament already has this hash: its bytes may be public.

    Commitments of imported rounds are stored only with their tables, so these are searched as well.
    """
    paired = (one.commitment for of in (*state.former, *state.rounds) for one in of.commitments)
    if commitment in state.committed or commitment in paired:
        raise CommitmentUsed(at)
