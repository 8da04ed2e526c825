"""What a drawing is made of: its seed, the stored inputs of a round, and the tables (rules, Tournaments).

Everybody can compute the seed and the tie values again. The formats whose meetings are fixed in advance are here;
`pairing` pairs the formats in which costs decide.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

from msgspec import Struct


def seed_of(root: str, tournament: str, number: int, contributions: Iterable[str] = ()) -> str:
    """The seed of a round, as hexadecimal.

    `root`: root of the log up to and with the drawing; nobody knows it before the drawing. `contributions`: the bytes
    of devices in lower-case hexadecimal, in the order of their competitors' ids as bytes.
    """
    said = f"{root},{tournament},{number}"
    given = ",".join(contributions)
    return hashlib.sha256((f"{said},{given}" if given else said).encode()).hexdigest()


def tie_value(seed: str, stage: str, *ids: str) -> int:
    """A 64-bit number for one id, or for two in any order. It decides when all criteria are equal."""
    named = ",".join((seed, stage, *sorted(ids, key=str.encode)))
    return int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big")


Criterion = Literal["series", "meetings", "partners", "byes"]
"""A criterion of pairing that may give way."""


class EarlierMeeting(Struct, frozen=True):
    """An opponent or partner whom a competitor had at an earlier table of the tournament."""

    id: str
    round: int
    table: int


class RankedCompetitor(Struct, frozen=True, omit_defaults=True):
    """A competitor who is available for a round, as the drawing stores them."""

    id: str
    won: int
    """Matches won so far."""
    rank: int
    """Rank in the standing; before the first round by rating, or 1 for all. Equal competitors share a rank."""
    region: str | None = None
    byes: int = 0
    met: tuple[EarlierMeeting, ...] = ()
    """Earlier opponents in this tournament, including those of voided matches."""
    partners: tuple[EarlierMeeting, ...] = ()
    """Earlier partners in this tournament, including those of voided matches."""
    group_rank: int | None = None
    """Rank in their group, in the first drawing of a knock-out after groups; otherwise None."""
    strength: int | None = None
    """In that drawing, the rank by matches won and then by difference, each divided by the meetings of their group."""
    rating: float | None = None
    """In the first round, if ratings rank it; otherwise None."""


class PlacedCompetitor(Struct, frozen=True):
    """A competitor who is available for a round, with a place of their own."""

    id: str
    won: int
    place: int
    """From 1. No two competitors share a place."""
    region: str | None = None
    byes: int = 0
    met: tuple[EarlierMeeting, ...] = ()
    partners: tuple[EarlierMeeting, ...] = ()
    rank: int | None = None
    """As in `RankedCompetitor`. Older exports lack it: then the place is the rank."""
    rating: float | None = None
    group_rank: int | None = None
    strength: int | None = None


def placed(ranked: Iterable[RankedCompetitor], seed: str) -> list[PlacedCompetitor]:
    """The competitors in the order of their places: by rank, and among equal ranks by tie value (stage `place`).

    A drawing stores ranks and not places, because places need the seed, which follows from the log with the drawing.
    """
    ordered = sorted(ranked, key=lambda one: (one.rank, tie_value(seed, "place", one.id)))
    return [
        PlacedCompetitor(
            one.id,
            one.won,
            place,
            one.region,
            one.byes,
            one.met,
            one.partners,
            one.rank,
            one.rating,
            one.group_rank,
            one.strength,
        )
        for place, one in enumerate(ordered, 1)
    ]


def as_ranked(drawn: Iterable[PlacedCompetitor]) -> tuple[RankedCompetitor, ...]:
    """The inputs that a drawing would have stored for competitors whose places are known."""
    return tuple(
        RankedCompetitor(
            one.id,
            one.won,
            one.rank or one.place,
            one.region,
            one.byes,
            one.met,
            one.partners,
            one.group_rank,
            one.strength,
            one.rating,
        )
        for one in drawn
    )


class SeedCommitment(Struct, frozen=True):
    """A device's promise before a drawing: the hash of bytes that only the device knows."""

    id: str
    """The competitor."""
    position: int | None
    """Position of the promise in the log; None until the round is paired."""
    commitment: str
    """The SHA-256 of 32 bytes, in lower-case hexadecimal."""


class SeedContribution(Struct, frozen=True):
    """The bytes that a competitor's device gave for a drawing."""

    id: str
    """The competitor."""
    bytes: str
    """32 bytes in lower-case hexadecimal. Their SHA-256 is the commitment."""


class RoundToPair(Struct, frozen=True):
    """The inputs of pairing a round, apart from its competitors."""

    seed: str
    number: int
    """From 1."""
    opponent_window: int | None = None
    """How many earlier rounds count for meetings of opponents; None: all."""
    partner_window: int | None = None
    """How many earlier rounds count for partnerships; None: all."""
    region_rounds: int = 0
    """Number of first rounds in which competitors of one region do not meet."""
    by_rating: bool = False
    """Whether ratings pair the first round: the upper half meets the lower half."""
    near_partners: bool = True
    """Whether partners should have equally many wins; otherwise the lot chooses partners."""
    locked: frozenset[frozenset[str]] = frozenset()
    """Pairs that have met as often as the series allows. Empty if the plan lets such pairs play casually."""
    fixed: Mapping[str, int] = {}
    """Table numbers that competitors keep, by competitor."""


class Relaxation(Struct, frozen=True):
    """A criterion that gave way, and the competitors for whom."""

    criterion: Criterion
    ids: tuple[str, ...]
    round: int | None = None
    """Round of the earlier meeting or partnership; None for other criteria."""


class PairedTable(Struct, frozen=True, omit_defaults=True):
    """A table with the competitors who meet there. Side 0 comes first; each side lists its competitors by seat."""

    number: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    relaxed: tuple[Relaxation, ...]
    group: int | None = None
    """The group that plays there, from 1; None outside of groups."""
    best_of: int | None = None
    """The most games of a tie of a knock-out; None outside of knock-outs."""
    third_place: bool = False
    """Whether the two play for the third place of a knock-out."""


class RoundPairings(Struct, frozen=True):
    """Who plays whom in a round: its tables in the order of their numbers, and who sits out."""

    tables: tuple[PairedTable, ...]
    byes: tuple[str, ...] = ()
    relaxed: tuple[Relaxation, ...] = ()
    """Criteria that gave way for those who sit out."""
    solvers: tuple[str, ...] = ()
    """The library that found the matching of each stage. Empty where the format says who meets."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The groups, each in the order of the pots, if this round draws them."""
    bracket: tuple[str, ...] = ()
    """Who has which place of the bracket, from place 1 on, if this round begins the knock-out."""
    third_place_bye: str | None = None
    """Who has the third place because nobody can play for it against them."""


class Schedule(Struct, frozen=True):
    """What the first drawings of a tournament decided for its later rounds."""

    order: tuple[str, ...]
    """Ids in the order of the places of the first round."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The groups, each in the order of the pots."""
    bracket: tuple[str, ...] = ()
    """Who has which place of the bracket, from place 1 on. Empty before the knock-out."""


def counting(met: tuple[EarlierMeeting, ...], other: str, number: int, window: int | None) -> list[int]:
    """The rounds, within the window before round `number`, with a meeting with `other`; the latest comes first."""
    first = 1 if window is None else number - window
    return sorted((one.round for one in met if one.id == other and first <= one.round < number), reverse=True)


# ---------------------------------------------------------------- what devices promise to a drawing


class SeedPromise(Struct, frozen=True):
    """A commitment that is not spent: no drawing has asked for its bytes."""

    commitment: str
    drawings: int
    """How many drawings the tournament had had when the promise was made."""


P = TypeVar("P", bound=SeedPromise)


def counting_promise(promises: Iterable[P], drawings: int, *, again: bool) -> P | None:
    """The promise of a competitor that counts in the next drawing: the oldest one, or None.

    `drawings`: how many drawings the tournament has had. `again`: the next drawing draws a round again. Then only
    promises that were made after the last drawing count.
    """
    return next((one for one in promises if not again or one.drawings == drawings), None)


def asked(
    promises: Mapping[str, tuple[P, ...]], competitors: Iterable[str], drawings: int, *, again: bool
) -> tuple[dict[str, P], dict[str, tuple[P, ...]]]:
    """The promises that a drawing of these competitors asks for, and the promises that are left.

    The first result is in the order of the competitors' ids as bytes.
    """
    found: dict[str, P] = {}
    for id_ in sorted(competitors, key=str.encode):
        promise = counting_promise(promises.get(id_, ()), drawings, again=again)
        if promise is not None:
            found[id_] = promise
    left = {id_: tuple(one for one in mine if one is not found.get(id_)) for id_, mine in promises.items()}
    return found, {id_: mine for id_, mine in left.items() if mine}


# ---------------------------------------------------------------- formats whose meetings are fixed


def berger_round(number: int, ids: Sequence[str]) -> list[tuple[str, str]]:
    """The meetings of one round of Berger's tables, by ids in the order of places. After the last it begins again.

    In each leg everybody meets everybody once. With an odd number of competitors one sits out in each round: the one
    who is in no meeting. `number`: of the round, from 1.
    """
    last = rounds_of_leg(len(ids))
    number = (number - 1) % last
    # Berger's tables: the last number stays, and the others rotate by half of the circle.
    turned = [(number * (last // 2 + 1) + place) % last for place in range(last)]
    fixed = (turned[0], last) if number % 2 == 0 else (last, turned[0])
    found = [fixed, *((turned[place], turned[-place]) for place in range(1, last // 2 + 1))]
    return [(ids[a], ids[b]) for a, b in found if a < len(ids) and b < len(ids)]


def sits_out_of_round(number: int, ids: Sequence[str]) -> str:
    """Who is in no meeting of a round of Berger's tables, with an odd number of competitors."""
    last = rounds_of_leg(len(ids))
    return ids[(number - 1) * (last // 2 + 1) % last]


def rounds_of_leg(count: int) -> int:
    """How many rounds this many competitors need until everybody has met everybody."""
    return max(0, count - 1 + count % 2)


Pairs = tuple[tuple[int, int], tuple[int, int]]

_FIRST_ROUNDS: Mapping[int, tuple[Pairs, ...]] = {
    8: (((7, 0), (1, 3)), ((6, 2), (4, 5))),
    12: (((11, 0), (1, 3)), ((10, 4), (5, 8)), ((9, 2), (6, 7))),
    16: (((15, 0), (1, 2)), ((14, 5), (6, 9)), ((13, 8), (4, 11)), ((12, 10), (3, 7))),
}
"""The tables of the first round, by the number of players. Players count from 0.

Each entry was found by search. Its differences modulo `players - 1` cover every partnership once and every opposition
twice. Each further round adds 1 to all numbers but the last. A test checks all rounds against the definition.
"""
WHIST_SIZES = tuple(_FIRST_ROUNDS)


def whist_round(players: int, number: int) -> list[Pairs]:
    """The tables of one round of a full cycle. Rounds count from 1; there is one round fewer than players.

    In a full cycle every player is every other player's partner once and opponent twice. It is a whist tournament
    (E. H. Moore, "Tactical Memoranda", 1896).
    """

    def turned(player: int) -> int:
        return player if player == players - 1 else (player + number - 1) % (players - 1)

    return [((turned(a), turned(b)), (turned(c), turned(d))) for (a, b), (c, d) in _FIRST_ROUNDS[players]]


# ---------------------------------------------------------------- from a table to its match


Side = tuple[str, ...]


def sides_of_players(sides: tuple[Side, Side], seed: str) -> tuple[Side, Side]:
    """The players of each side by seat. The two players of a pair `a+b` sit by their tie values (stage `seat`)."""
    return _players(sides[0], seed), _players(sides[1], seed)


def seats(sides: tuple[Side, Side], seed: str) -> tuple[str, ...]:
    """The players in order of play. In 2v2, seats 0 and 2 are side 0."""
    first, second = sides_of_players(sides, seed)
    return tuple(player for pair in zip(first, second, strict=True) for player in pair)


def match_id(tournament: str, number: int, table: int, before: int) -> str:
    """The id of a table's next match. `before`: how many matches the table has had."""
    again = f"-{before + 1}" if before else ""
    return f"{tournament}-r{number}-t{table}{again}"


def _players(side: Side, seed: str) -> Side:
    if len(side) > 1 or "+" not in side[0]:
        return side
    return tuple(sorted(side[0].split("+"), key=lambda player: tie_value(seed, "seat", player)))
