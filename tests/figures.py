"""Everything that statistics say of a league of a few players: two leagues are alike when all of it is."""

from __future__ import annotations

from functools import partial
from itertools import combinations, permutations
from typing import Any

from leagues import BASE, PLAYERS
from sqlalchemy import Engine

from league.projections.folds.league_fold import RATED_MODES
from league.projections.queries import encounters, ratings, statistics
from league.projections.queries.pages import PageRequest, read_pages
from league.projections.queries.rating_spread import distribution, rating_drift
from league.projections.queries.ratings import SeriesFilter, rating_series
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.projections.queries.statistics import MatchOwner, StatisticsFilter, counted

PAIRS = ["+".join(pair) for pair in combinations(PLAYERS, 2)]
MET = [(a, b) for kind in (PLAYERS, PAIRS) for a, b in permutations(kind, 2) if not {*a.split("+")} & {*b.split("+")}]
EVERYBODY = [*map(MatchOwner, (*PLAYERS, *PAIRS)), *(MatchOwner(a, b) for a, b in MET)]
FILTERS = (
    StatisticsFilter(),
    StatisticsFilter(mode="2v2", month=f"{BASE:%Y-%m}"),
)
SUBJECTS = [("player", mode) for mode in (*RATED_MODES, "overall")] + [("team", "2v2")]


def figures(pool: Engine) -> dict[str, Any]:
    """Statistics of every player, pair and two who may have met; series, distributions and drift."""
    with pool.connect() as conn:
        snapshot = snapshot_of(conn, chosen_run(conn, None))
        found: dict[str, Any] = {}
        for wanted in FILTERS:
            matches = counted(snapshot, wanted)
            for ask in (statistics.totals, statistics.streaks, statistics.form, ratings.marks):
                found[f"{ask.__name__} {wanted}"] = ask(snapshot, matches, EVERYBODY)
            for find, owners in (
                (encounters.partners_of, PLAYERS),
                (encounters.opponents_of_player, PLAYERS),
                (encounters.opponents_of_pair, PAIRS),
            ):
                theirs = partial(find, snapshot.run, counted=matches)
                pages = read_pages(
                    snapshot.conn, encounters.CompanyRow, owners, theirs, encounters.MOST_OFTEN_FIRST, PageRequest(50)
                )
                found[f"{find.__name__} {wanted}"] = {owner: page.rows for owner, page in pages.items()}
        for subject, ids in (("player", PLAYERS), ("team", PAIRS)):
            found[f"series {subject}"] = rating_series(snapshot, subject, SeriesFilter(points=4), ids)
        for subject, mode in SUBJECTS:
            spread = [distribution(snapshot, subject, mode, 20, established=only) for only in (True, False)]
            found[f"distribution {subject} {mode}"] = spread
            found[f"drift {subject} {mode}"] = rating_drift(snapshot, subject, mode)
        return found
