"""Whether the inputs of a round give its tables: from exports alone, without a server, a database or a key.

With the exported log it also shows that these are the inputs that the log has, and that the seed is that of its root.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from league.domain.sentences import Sentence, say
from league.tournaments.domain.drawn import Ranked, placed
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import Plan
from league.tournaments.domain.seating import sides_of_players
from league.tournaments.domain.seed import seed_of
from league.tournaments.pairing.pairing import pair
from league.tournaments.transfer.lines import PairingLine, RoundLine, TournamentLine


class InLog(Struct, frozen=True):
    """What the log has of a drawing."""

    drawing: RoundDrawn
    root: str
    """Of the log up to and with it, hexadecimal."""


class Verdict(Struct, frozen=True):
    """What was found of a round."""

    tournament: str
    round: int
    flaws: tuple[Sentence, ...]
    """Empty: the inputs give these tables."""
    by_hand: tuple[int, ...] = ()
    """Tables that somebody has paired by hand, and that nothing can give."""


def verify_rounds(
    tournaments: Sequence[TournamentLine],
    rounds: Sequence[RoundLine],
    pairings: Sequence[PairingLine],
    log: Mapping[int, InLog] | None,
) -> Iterator[Verdict]:
    """What is found of each round that is published. `log`: its drawings by position; None: the log was not given."""
    plans = {line.tournament: line.plan for line in tournaments}
    first = {line.tournament: tuple(one.id for one in line.input) for line in rounds if line.round == 1}
    for line in rounds:
        if line.status == "drawn":
            continue
        ours = [one for one in pairings if (one.tournament, one.round) == (line.tournament, line.round)]
        by_hand = tuple(one.table for one in ours if one.by_hand and one.table is not None)
        flaws = [*_of_seed(line), *_of_log(line, log), *_of_tables(line, plans[line.tournament], first, ours)]
        yield Verdict(line.tournament, line.round, tuple(flaws), by_hand)


def _of_seed(line: RoundLine) -> Iterator[Sentence]:
    if line.seed != seed_of(line.root, line.tournament, line.round):
        yield say("its seed does not follow from its root")


def _of_log(line: RoundLine, log: Mapping[int, InLog] | None) -> Iterator[Sentence]:
    if log is None:
        return
    found = log.get(line.position)
    if found is None:
        yield say("the log has no drawing at position {position}", position=line.position)
        return
    if found.root != line.root:
        yield say("its root is not that of the log up to position {position}", position=line.position)
    drawn = found.drawing
    if tuple(placed(drawn.competitors, line.seed)) != line.input:
        yield say("its inputs are not those that the log has")
    if drawn.locked != line.locked or drawn.fixed != line.fixed:
        yield say("its locked pairs or fixed tables are not those that the log has")


def _of_tables(
    line: RoundLine, plan: Plan, first: Mapping[str, tuple[str, ...]], ours: Sequence[PairingLine]
) -> Iterator[Sentence]:
    """By what the inputs give. Where tables were paired by hand, those who sat at them may sit anywhere."""
    ranked = tuple(
        Ranked(one.id, one.won, one.place, one.region, one.byes, one.met, one.partners) for one in line.input
    )
    if [one.place for one in line.input] != list(range(1, len(line.input) + 1)):
        yield say("its places do not count from 1")
        return
    if plan.format == "fixtures" and any(one.by_hand for one in ours):
        return
    drawing = RoundDrawn(line.round, ranked, line.locked, line.fixed)
    paired = pair(plan, drawing, line.seed, first[line.tournament])
    by_table = {one.table: one for one in ours if one.table is not None}
    if {table.number for table in paired.tables} != set(by_table):
        yield say("it has other tables than its inputs give")
        return
    for table in paired.tables:
        published = by_table[table.number]
        wanted = sides_of_players(table.sides, line.seed)
        if not published.by_hand and (wanted, table.relaxed) != (published.sides, published.relaxed):
            said = " / ".join(" & ".join(side) for side in wanted)
            yield say("at table {table} its inputs give {sides}", table=table.number, sides=said)
    byes = {one.sides[0] for one in ours if one.table is None}
    if not any(one.by_hand for one in ours) and byes != {tuple(id_.split("+")) for id_ in paired.byes}:
        yield say("its inputs give other ones who sit out")


def read_lines(text: bytes, kind: Any) -> list[Any]:
    """The lines of an export. Raises msgspec.ValidationError or msgspec.DecodeError."""
    return msgspec.json.Decoder(kind).decode_lines(text)
