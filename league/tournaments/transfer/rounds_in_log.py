"""The rounds of tournaments as an exported log has them: what was drawn at last, and the tables that were announced."""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import Commitment, Contribution, Relaxed
from league.tournaments.domain.plan import Plan


class Logged(Struct, frozen=True):
    """An event of a tournament in the log."""

    tournament: str
    position: int
    event: e.TournamentEvent
    root: str = ""
    """Of a drawing: that of the log up to and with it, hexadecimal."""


class TableInLog(Struct, frozen=True):
    """A table as it was announced, or as somebody has paired it since."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side."""
    relaxed: tuple[Relaxed, ...]
    by_hand: bool


class Committed(Struct, frozen=True):
    """A commitment in the log that no drawing has spent."""

    position: int
    commitment: str
    drawings: int
    """How many drawings the tournament had seen by then."""


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


def rounds_in_log(logged: Iterable[Logged]) -> dict[tuple[str, int], RoundInLog]:
    """The rounds by tournament and number."""
    plans: dict[str, Plan] = {}
    promised: dict[str, _Promised] = defaultdict(_Promised)
    found: dict[tuple[str, int], RoundInLog] = {}
    for one in logged:
        match one.event:
            case e.TournamentPlanned() | e.PlanChanged():
                plans[one.tournament] = one.event.plan
            case e.SeedCommitted():
                promised[one.tournament].add(one.event, one.position)
            case e.RoundDrawn():
                before = found.get((one.tournament, one.event.round))
                number = 1 if before is None else before.number_of_drawing + 1
                asked = promised[one.tournament].asked(one.event, again=before is not None)
                found[one.tournament, one.event.round] = RoundInLog(
                    one.position,
                    one.root,
                    one.event,
                    plans.get(one.tournament),
                    number_of_drawing=number,
                    commitments=asked,
                )
            case e.RoundPaired() | e.RoundPublished() | e.PairingsChanged() | e.SeedContributed():
                key = one.tournament, one.event.round
                if key in found:
                    found[key] = _after(found[key], one.event)
    return found


class _Promised:
    """The commitments of a tournament that are not spent (rules, Tournaments, Drawing)."""

    def __init__(self) -> None:
        self._drawings = 0
        self._by_competitor: dict[str, list[Committed]] = defaultdict(list)

    def add(self, event: e.SeedCommitted, position: int) -> None:
        """A commitment is stored."""
        self._by_competitor[event.competitor].append(Committed(position, event.commitment, self._drawings))

    def asked(self, drawing: e.RoundDrawn, *, again: bool) -> tuple[Commitment, ...]:
        """The commitments that a drawing asks for, and spends: the first of each competitor.

        `again`: the round was drawn before; then only those after that drawing count.
        """
        found = []
        for id_ in sorted((one.id for one in drawing.competitors), key=str.encode):
            mine = self._by_competitor[id_]
            first = next((one for one in mine if not again or one.drawings == self._drawings), None)
            if first is not None:
                mine.remove(first)
                found.append(Commitment(id_, first.position, first.commitment))
        self._drawings += 1
        return tuple(found)


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
