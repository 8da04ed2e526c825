"""What promoting a run would change: the rules, the figures, and who moves most.

A preview has a fingerprint. A promotion that carries it is refused if the rules, the figures or the listed moves have
changed since.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from league.domain.sentences import say
from league.domain.wrong_states import PreviewIsOutdated
from league.infra.database import WITHOUT_TIME_LIMITS, engine
from league.projections.boards.board import BoardKey
from league.projections.difference.places import PLACES, PlaceMoveRow
from league.projections.difference.totals import DifferenceFigures, totals
from league.projections.difference.two_runs import TwoRuns, two_runs
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries.pages import PageRequest, read_page
from league.projections.queries.snapshot import chosen_run
from league.projections.writers import catalogue

MOST_MOVES = 20
"""How many of those who move most a preview lists."""

_FIGURES = (
    "players_moved", "teams_moved", "largest_move", "matches_changed", "hands_changed", "standings_changed",
    "encounters_changed", "badges_gained", "badges_lost", "badges_earned_otherwise",
)  # fmt: skip
"""The figures that a fingerprint covers."""


class PromotionPreview(Struct, frozen=True):
    """What promoting a run would change, at one position of the log."""

    run: int
    before: int
    """The official run."""
    position: int
    """The log position up to which both runs are folded."""
    rules_before: RulesTimeline
    rules_after: RulesTimeline
    figures: DifferenceFigures
    moves: Sequence[PlaceMoveRow]
    """The places of the global board that move by most points, at most MOST_MOVES."""
    fingerprint: str
    """Equal fingerprints: equal rules, and equal figures and listed moves as they are printed."""
    restores: int | None = None
    """The position of the adoption whose rules a rollback brings back."""


def preview_of(url: str, run: int) -> PromotionPreview:
    """What promoting this run would change. Raises NotFound if the run is gone."""
    pool = engine(url, pool_size=1, limits=WITHOUT_TIME_LIMITS)
    try:
        with pool.connect().execution_options(isolation_level="REPEATABLE READ") as conn:
            before = chosen_run(conn, None)
            two = two_runs(conn, before, chosen_run(conn, run, drafts=True))
            figures, moves = totals(conn, two), _moves(conn, two)
            same_snapshot: Any = conn.connection.driver_connection  # SQLAlchemy does not type it
            held, rules = (catalogue.rules_of_run(same_snapshot, number) for number in (before, run))
    finally:
        pool.dispose()
    return PromotionPreview(
        run, before, two.second_position, held, rules, figures, moves, fingerprint(held, rules, figures, moves)
    )


def check_preview(url: str, run: int, previewed: str | None) -> int | None:
    """Raise WrongState if promoting the run would change something else than the preview with this fingerprint said.

    Returns the log position at which this was checked; None without a fingerprint, when nothing is checked.
    """
    if previewed is None:
        return None
    now = preview_of(url, run)
    if now.fingerprint != previewed:
        raise PreviewIsOutdated(
            say("the preview of run {run}", run=run),
            say("outdated"),
            say("matches or rules have come or changed since, and with them what would change; look at it again"),
        )
    return now.position


def _moves(conn: Connection, two: TwoRuns) -> Sequence[PlaceMoveRow]:
    page = read_page(
        conn,
        PlaceMoveRow,
        PLACES.query(two, boards=[BoardKey("global")]),
        PLACES.orders["largest_value_first"],
        PageRequest(MOST_MOVES),
    )
    return page.rows


def fingerprint(
    held: RulesTimeline, rules: RulesTimeline, figures: DifferenceFigures, moves: Sequence[PlaceMoveRow]
) -> str:
    """Stands for everything that a preview shows, with ratings rounded to the tenth that pages print."""
    shown: Any = [_printed(getattr(figures, name)) for name in _FIGURES]
    listed = [
        (row.id, row.rank_before, row.rank_after, _printed(row.value_before), _printed(row.value_after))
        for row in moves
    ]
    return hashlib.sha256(msgspec.json.encode([held.hashes(), rules.hashes(), shown, listed])).hexdigest()[:32]


def _printed(figure: float | None) -> float | None:
    return None if figure is None else round(figure, 1)
