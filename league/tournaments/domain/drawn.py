"""A drawing: its seed, the inputs of a round as it stores them, and the tables that follow (rules, Tournaments).

Everybody can compute the seed and the tie values again. Other modules pair the formats in which costs decide; the
formats whose meetings are fixed in advance are here.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from msgspec import Struct


def seed_of(root: str, tournament: str, number: int, contributions: Iterable[str] = ()) -> str:
    """The seed of a round, as hexadecimal: of the root of the log with the drawing, which nobody knows before it.

    `contributions`: the bytes of devices in lower-case hexadecimal, in the order of their competitors' ids as bytes.
    """
    said = f"{root},{tournament},{number}"
    given = ",".join(contributions)
    return hashlib.sha256((f"{said},{given}" if given else said).encode()).hexdigest()


def tie_value(seed: str, stage: str, *ids: str) -> int:
    """A number of 64 bits for one id, or for two in any order: what decides where all criteria are equal."""
    named = ",".join((seed, stage, *sorted(ids, key=str.encode)))
    return int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big")


Criterion = Literal["series", "meetings", "partners", "byes"]
"""A criterion that may give way."""


class EarlierMeeting(Struct, frozen=True):
    """Somebody met at a table, or had as partner there."""

    id: str
    round: int
    table: int


class RankedCompetitor(Struct, frozen=True, omit_defaults=True):
    """A competitor who is available for a round, as its drawing stores them."""

    id: str
    won: int
    """Matches so far."""
    rank: int
    """In the standing, or by rating before the first round. Those who are equal share it."""
    region: str | None = None
    byes: int = 0
    met: tuple[EarlierMeeting, ...] = ()
    """As opponents: at tables of this tournament, voided ones too."""
    partners: tuple[EarlierMeeting, ...] = ()


class PlacedCompetitor(Struct, frozen=True):
    """A competitor who is available for a round, with a place that nobody shares."""

    id: str
    won: int
    place: int
    """From 1."""
    region: str | None = None
    byes: int = 0
    met: tuple[EarlierMeeting, ...] = ()
    partners: tuple[EarlierMeeting, ...] = ()


def placed(ranked: Iterable[RankedCompetitor], seed: str) -> list[PlacedCompetitor]:
    """The competitors by place: by rank, and of those who share one by tie value (stage `place`).

    The seed follows from the log with the drawing, so a drawing cannot store places.
    """
    ordered = sorted(ranked, key=lambda one: (one.rank, tie_value(seed, "place", one.id)))
    return [
        PlacedCompetitor(one.id, one.won, place, one.region, one.byes, one.met, one.partners)
        for place, one in enumerate(ordered, 1)
    ]


def as_ranked(drawn: Iterable[PlacedCompetitor]) -> tuple[RankedCompetitor, ...]:
    """What a drawing would have stored of competitors whose places are known."""
    return tuple(
        RankedCompetitor(one.id, one.won, one.place, one.region, one.byes, one.met, one.partners) for one in drawn
    )


class SeedCommitment(Struct, frozen=True):
    """What a competitor's device promised before a drawing: the hash of bytes that only it knows."""

    id: str
    """Of the competitor."""
    position: int | None
    """In the log; None until the round is paired."""
    commitment: str
    """The SHA-256 of 32 bytes, in lower-case hexadecimal."""


class SeedContribution(Struct, frozen=True):
    """What a competitor's device gave for a drawing."""

    id: str
    """Of the competitor."""
    bytes: str
    """32 bytes in lower-case hexadecimal. Their SHA-256 is the commitment."""


class RoundToPair(Struct, frozen=True):
    """What the pairing of a round reads beside its competitors."""

    seed: str
    number: int
    """From 1."""
    opponent_window: int | None = None
    """Rounds before this one in which a meeting counts; None: all."""
    partner_window: int | None = None
    """The same for partners."""
    region_rounds: int = 0
    """The first rounds, in which competitors of one region are kept apart."""
    by_rating: bool = False
    """Whether the first round pairs by rating: the upper half against the lower one."""
    near_partners: bool = True
    """Whether partners have won about as many matches; else they are drawn."""
    locked: frozenset[frozenset[str]] = frozenset()
    """Two competitors who have met as often as the series allows, where the plan does not let them play casually."""
    fixed: Mapping[str, int] = {}
    """Tables that competitors keep."""


class Relaxation(Struct, frozen=True):
    """A criterion that gave way, and for whom."""

    criterion: Criterion
    ids: tuple[str, ...]
    round: int | None = None
    """Of the earlier meeting."""


class PairedTable(Struct, frozen=True):
    """A match of a round. Side 0 comes first; each side lists its players by seat."""

    number: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    relaxed: tuple[Relaxation, ...] = ()


class RoundPairings(Struct, frozen=True):
    """A round: its tables in the order of their numbers, and who sits out."""

    tables: tuple[PairedTable, ...]
    byes: tuple[str, ...] = ()
    relaxed: tuple[Relaxation, ...] = ()
    """Of those who sit out."""


def counting(met: tuple[EarlierMeeting, ...], other: str, number: int, window: int | None) -> list[int]:
    """The rounds within a window before round `number` in which somebody was met, the last one first."""
    first = 1 if window is None else number - window
    return sorted((one.round for one in met if one.id == other and first <= one.round < number), reverse=True)


# ---------------------------------------------------------------- what devices promise to it


class SeedPromise(Struct, frozen=True):
    """A commitment that no drawing has spent: its bytes were not asked for yet."""

    commitment: str
    drawings: int
    """How many drawings the tournament had seen by then."""


P = TypeVar("P", bound=SeedPromise)


def counting_promise(promises: Iterable[P], drawings: int, *, again: bool) -> P | None:
    """The promise of a competitor that counts in the next drawing: the first one.

    `drawings`: how many the tournament has seen. `again`: the round was drawn before; then only those after that
    drawing count.
    """
    return next((one for one in promises if not again or one.drawings == drawings), None)


def asked(
    promises: Mapping[str, tuple[P, ...]], competitors: Iterable[str], drawings: int, *, again: bool
) -> tuple[dict[str, P], dict[str, tuple[P, ...]]]:
    """The promises that a drawing of these competitors asks for, and those that are left.

    What it asks for is in the order of the ids as bytes.
    """
    found: dict[str, P] = {}
    for id_ in sorted(competitors, key=str.encode):
        promise = counting_promise(promises.get(id_, ()), drawings, again=again)
        if promise is not None:
            found[id_] = promise
    left = {id_: tuple(one for one in mine if one is not found.get(id_)) for id_, mine in promises.items()}
    return found, {id_: mine for id_, mine in left.items() if mine}


# ---------------------------------------------------------------- formats whose meetings are fixed


def berger(ids: Sequence[str], legs: int = 1) -> list[list[tuple[str, str]]]:
    """A round robin: its rounds in the order of Berger's tables, each a list of meetings.

    In each leg everybody meets everybody once; a second leg has the same meetings again. With an odd
    number one sits out in each round: whoever is in no meeting.
    """
    count = len(ids) + len(ids) % 2
    last = count - 1
    rounds = []
    for number in range(last):
        # Berger's tables: the last number stays, the others go round by half of the circle.
        turned = [(number * (count // 2) + place) % last for place in range(last)]
        fixed = (turned[0], last) if number % 2 == 0 else (last, turned[0])
        meetings = [fixed, *((turned[place], turned[-place]) for place in range(1, count // 2))]
        rounds.append([(ids[a], ids[b]) for a, b in meetings if a < len(ids) and b < len(ids)])
    return rounds * legs


Pairs = tuple[tuple[int, int], tuple[int, int]]

_FIRST_ROUNDS: Mapping[int, tuple[Pairs, ...]] = {
    8: (((7, 0), (1, 3)), ((6, 2), (4, 5))),
    12: (((11, 0), (1, 3)), ((10, 4), (5, 8)), ((9, 2), (6, 7))),
    16: (((15, 0), (1, 2)), ((14, 5), (6, 9)), ((13, 8), (4, 11)), ((12, 10), (3, 7))),
}
"""By the number of players: the tables of the first round; players count from 0.

Each was found by search: its differences modulo `players - 1` cover every partnership once and every opposition
twice. The other rounds add 1 to all numbers but the last. A test checks all rounds against the definition.
"""
WHIST_SIZES = tuple(_FIRST_ROUNDS)


def whist_round(players: int, number: int) -> list[Pairs]:
    """The tables of a round of a full cycle, in one round fewer than players. Rounds count from 1.

    Everybody has everybody as partner once and as opponent twice: a whist tournament (E. H. Moore, "Tactical
    Memoranda", 1896).
    """

    def turned(player: int) -> int:
        return player if player == players - 1 else (player + number - 1) % (players - 1)

    return [((turned(a), turned(b)), (turned(c), turned(d))) for (a, b), (c, d) in _FIRST_ROUNDS[players]]


# ---------------------------------------------------------------- from a table to its match


Side = tuple[str, ...]


def sides_of_players(sides: tuple[Side, Side], seed: str) -> tuple[Side, Side]:
    """The players of each side by seat. A pair `a+b` sits in the order of its tie values (stage `seat`)."""
    return _players(sides[0], seed), _players(sides[1], seed)


def seats(sides: tuple[Side, Side], seed: str) -> tuple[str, ...]:
    """The players in order of play: in 2v2 seats 0 and 2 are side 0."""
    first, second = sides_of_players(sides, seed)
    return tuple(player for pair in zip(first, second, strict=True) for player in pair)


def match_id(tournament: str, number: int, table: int, before: int) -> str:
    """The id of a table's match; `before`: how many matches the table has had."""
    again = f"-{before + 1}" if before else ""
    return f"{tournament}-r{number}-t{table}{again}"


def _players(side: Side, seed: str) -> Side:
    if len(side) > 1:
        return side
    return tuple(sorted(side[0].split("+"), key=lambda player: tie_value(seed, "seat", player)))
