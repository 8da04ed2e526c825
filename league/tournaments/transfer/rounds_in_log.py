"""The rounds of tournaments as an exported log has them: what was drawn at last, and the tables that were announced."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import Commitment, Contribution, Promise, Relaxed, asked
from league.tournaments.domain.plan import Plan

IMPORT = "import"
"""The source of events that came with a recorded season."""


class Logged(Struct, frozen=True):
    """An event of a tournament in the log."""

    tournament: str
    position: int
    event: e.TournamentEvent
    root: str = ""
    """Of a drawing: that of the log up to and with it, hexadecimal."""
    source: str = ""
    """Of the request that stored it."""


class TableInLog(Struct, frozen=True):
    """A table as it was announced, or as somebody has paired it since."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side."""
    relaxed: tuple[Relaxed, ...]
    by_hand: bool


class Committed(Promise, frozen=True):
    """A commitment in the log that no drawing has spent."""

    position: int


class Elsewhere(Struct, frozen=True):
    """The drawing of an imported round, in the log of the league that drew it. This log cannot prove it."""

    position: int
    root: str


class RoundInLog(Struct, frozen=True):
    """A round."""

    position: int
    """Of its last drawing."""
    root: str
    drawing: e.RoundDrawn
    plan: Plan | None
    """That held at the drawing."""
    tables: dict[int, TableInLog] = {}
    """By number."""
    byes: tuple[str, ...] = ()
    is_published: bool = False
    number_of_drawing: int = 1
    """How many times the round was drawn."""
    commitments: tuple[Commitment, ...] = ()
    """Those that its last drawing asks for."""
    came: tuple[Contribution, ...] = ()
    """The bytes that were stored after that drawing and before the tables."""
    is_paired: bool = False
    elsewhere: Elsewhere | None = None
    """Where it was drawn, if it came with an import."""


def rounds_in_log(logged: Iterable[Logged]) -> dict[tuple[str, int], RoundInLog]:
    """The rounds by tournament and number."""
    plans: dict[str, Plan] = {}
    promised: dict[str, dict[str, tuple[Committed, ...]]] = defaultdict(dict)
    drawings = Counter[str]()
    found: dict[tuple[str, int], RoundInLog] = {}
    # Tournaments with an event of this league: an import brings whole ones, so none is imported after.
    held_here = set[str]()
    for one in logged:
        id_ = one.tournament
        if one.source != IMPORT:
            held_here.add(id_)
        match one.event:
            case e.TournamentPlanned() | e.PlanChanged():
                plans[id_] = one.event.plan
            case e.SeedCommitted():
                committed = Committed(one.event.commitment, drawings[id_], one.position)
                promised[id_][one.event.competitor] = (*promised[id_].get(one.event.competitor, ()), committed)
            case e.RoundDrawn():
                before = found.get((id_, one.event.round))
                ids = [drawn.id for drawn in one.event.competitors]
                spent, promised[id_] = asked(promised[id_], ids, drawings[id_], again=before is not None)
                drawings[id_] += 1
                found[id_, one.event.round] = RoundInLog(
                    one.position,
                    one.root,
                    one.event,
                    plans.get(id_),
                    number_of_drawing=1 if before is None else before.number_of_drawing + 1,
                    commitments=tuple(Commitment(by, its.position, its.commitment) for by, its in spent.items()),
                )
            case e.RoundPaired() | e.RoundPublished() | e.PairingsChanged() | e.SeedContributed():
                key = id_, one.event.round
                if key in found:
                    found[key] = _after(found[key], one.event)
                    if id_ not in held_here and isinstance(one.event, e.RoundPaired):
                        found[key] = _imported(found[key], one.event, one.position)
    return found


def _imported(of: RoundInLog, paired: e.RoundPaired, position: int) -> RoundInLog:
    """A round of an import, which stores the tables right after the drawing. What devices did there came with them."""
    if position != of.position + 1:
        return of
    there = Elsewhere(paired.position, paired.root)
    return replace(of, elsewhere=there, commitments=paired.commitments, came=paired.contributions)


def _after(
    of: RoundInLog, event: e.RoundPaired | e.RoundPublished | e.PairingsChanged | e.SeedContributed
) -> RoundInLog:
    match event:
        case e.SeedContributed():
            if event.drawing != of.number_of_drawing or of.is_paired:
                return of
            came = (*of.came, Contribution(event.competitor, event.contribution))
            return replace(of, came=tuple(sorted(came, key=lambda one: one.id.encode())))
        case e.RoundPaired():
            by_hand = of.drawing.meetings is not None
            tables = {table.number: TableInLog(table.sides, table.relaxed, by_hand) for table in event.tables}
            return replace(of, tables=tables, byes=event.byes, is_paired=True)
        case e.PairingsChanged():
            changed = {table.table: TableInLog(table.sides, table.relaxed, by_hand=True) for table in event.tables}
            return replace(of, tables={**of.tables, **changed}, byes=event.byes)
        case e.RoundPublished():
            return replace(of, is_published=True)
