"""What explanations cost by kind: medians and 95th percentiles in a made league, beside one of a tenth of its size."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import text

from league.application.bootstrap import League, open_league
from league.explanations.badges import explain_badge
from league.explanations.hands import explain_hand
from league.explanations.matches import explain_match
from league.explanations.places import explain_place, explain_standing
from league.explanations.rating_changes import explain_change
from league.infra.database import connect, engine
from league.infra.settings import Settings
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS
from league.projections.queries.pages import PageRequest
from league.projections.queries.places import PlaceRow, read_places
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot, take_snapshot
from tests.bench.made_league import make_league
from tests.bench.measure import best, say

PLAYERS = 40
"""So few that in a league of a million hands each plays some 800 matches a month."""
SAMPLE = 200
"""Explanations of each kind, as far as there are so many."""
TIMES = 5
"""How often each explanation is measured."""
PLACES = 20
"""How many of the first places of each board are explained."""
TO_COME = ("rating-2200", "streak-20", "viajeras-50", "month_won-12")
"""Badges that few hold; for other players the explanation gives their progress."""

Question = Callable[[], object]
Cost = tuple[float, float]
"""The median and the 95th percentile of different explanations, in milliseconds."""

SAMPLES = {
    "change": "SELECT match_id, id FROM changes WHERE run = :run ORDER BY md5(match_id || id)",
    "hand": "SELECT match_id, hand FROM hands WHERE run = :run ORDER BY md5(match_id || hand)",
    "standing": "SELECT mode, month, id FROM standings WHERE run = :run ORDER BY md5(mode || month || id)",
    "badge": "SELECT player_id, badge FROM badges WHERE run = :run ORDER BY md5(player_id || badge)",
}
"""What is explained, in no order and yet always the same."""


def bench_explanations(hands: int) -> None:
    """Print what each kind costs, and how many times as much as in a league of a tenth of the hands."""
    tenth, whole = (made_league_costs(size) for size in (hands // 10, hands))
    say(f"explanations: ms{f'{hands // 10:,} hands':>22}{'p95':>8}{f'{hands:,} hands':>18}{'p95':>8}   ratios")
    for kind, found in whole.items():
        floor = tenth[kind]
        figures = f"{floor[0]:>22.2f}{floor[1]:>8.2f}{found[0]:>18.2f}{found[1]:>8.2f}"
        say(f"  {kind:<14}{figures}   {found[0] / floor[0]:.2f}  {found[1] / floor[1]:.2f}")
    say()


def made_league_costs(hands: int) -> dict[str, Cost]:
    """What each kind costs in a made league of so many hands."""
    with (
        tempfile.TemporaryDirectory(prefix="league-bench-") as folder,
        open_league(Settings(data_dir=Path(folder)), prepare=True) as league,
    ):
        league.create("Bench", "UTC", "bench")
        make_league(league, hands, PLAYERS)
        league.project()
        return costs(league)


def costs(league: League) -> dict[str, Cost]:
    """What each kind costs in a league that is projected; its tables are analysed first."""
    with connect(league.database.url, autocommit=True) as conn:
        conn.execute("ANALYZE")
    pool = engine(league.database.url, pool_size=1)
    snapshot = take_snapshot(pool)
    try:
        return {kind: cost(list(asked)) for kind, asked in questions(snapshot).items()}
    finally:
        snapshot.conn.close()
        pool.dispose()


def cost(asked: list[Question]) -> Cost:
    """The median and the 95th percentile; of the times of one explanation the best."""
    times = [best(TIMES, ask) * 1_000 for ask in asked]
    return statistics.median(times), statistics.quantiles(times, n=20, method="inclusive")[-1]


def questions(snapshot: Snapshot) -> dict[str, Iterator[Question]]:
    """What is to be explained, by kind."""

    def some(kind: str) -> list[Any]:
        query = text(f"{SAMPLES[kind]} LIMIT :sample")
        return list(snapshot.conn.execute(query, {"run": snapshot.run, "sample": SAMPLE}))

    def asked(explain: Callable[..., object], *of: Any) -> Question:
        return lambda: explain(snapshot, *of)

    def standing(mode: str, month: str, id_: str) -> Question:
        return asked(explain_standing, month_named(snapshot, mode, month), id_)

    boards = [BoardKey(kind, include_inactive=True) for kind, board in BOARDS.items() if not board.monthly]
    places = (
        (board, place) for board in boards for place in read_places(snapshot, PlaceRow, board, PageRequest(PLACES)).rows
    )
    return {
        "change": (asked(explain_change, *row) for row in some("change")),
        "match": (asked(explain_match, row[0]) for row in some("change")),
        "hand": (asked(explain_hand, *row) for row in some("hand")),
        "standing": (standing(*row) for row in some("standing")),
        "badge": (asked(explain_badge, *row) for row in some("badge")),
        "badge to come": (asked(explain_badge, row[0], badge) for row in some("badge")[:PLACES] for badge in TO_COME),
        "place": (asked(explain_place, board, place.id) for board, place in places),
    }
