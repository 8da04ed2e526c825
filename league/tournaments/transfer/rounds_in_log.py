"""The rounds of tournaments as an exported log has them: what was drawn at last, and the tables that were announced."""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain import events as e
from league.tournaments.domain.drawn import Relaxed
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


def rounds_in_log(logged: Iterable[Logged]) -> dict[tuple[str, int], RoundInLog]:
    """The rounds by tournament and number."""
    plans: dict[str, Plan] = {}
    found: dict[tuple[str, int], RoundInLog] = {}
    for one in logged:
        match one.event:
            case e.TournamentPlanned() | e.PlanChanged():
                plans[one.tournament] = one.event.plan
            case e.RoundDrawn():
                drawn = RoundInLog(one.position, one.root, one.event, plans.get(one.tournament))
                found[one.tournament, one.event.round] = drawn
            case e.RoundPaired() | e.RoundPublished() | e.PairingsChanged():
                key = one.tournament, one.event.round
                if key in found:
                    found[key] = _after(found[key], one.event)
    return found


def _after(of: RoundInLog, event: e.RoundPaired | e.RoundPublished | e.PairingsChanged) -> RoundInLog:
    match event:
        case e.RoundPaired():
            by_hand = of.drawing.meetings is not None
            tables = {table.number: TableInLog(table.sides, table.relaxed, by_hand) for table in event.tables}
            return replace(of, tables=tables, byes=event.byes)
        case e.PairingsChanged():
            changed = {table.table: TableInLog(table.sides, table.relaxed, by_hand=True) for table in event.tables}
            return replace(of, tables={**of.tables, **changed}, byes=event.byes)
        case e.RoundPublished():
            return replace(of, is_published=True)
