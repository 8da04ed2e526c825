"""Reviews the rules of a league after a month was closed, and stores what is found. Reads the official run.

The process of a review imports this module, since numpy and numba are slow to import.
"""

from bisect import bisect_left
from zoneinfo import ZoneInfo

from sqlalchemy import Engine

from league.domain.rulebook import parse_rulebook
from league.domain.rules import Rulebook
from league.domain.series import bounds
from league.domain.verdict import MONTHS, FittedRules
from league.infra.database import WITHOUT_TIME_LIMITS, connect, engine
from league.lab.columns import EPOCH, MICROSECOND, MatchColumns, micros, months_of
from league.lab.kernel import RatedColumns
from league.lab.ranges import as_toml, tunable, usual_ranges
from league.lab.rules_review import LEAST_MATCHES, MeanRatingMove, RulesFit, RulesReview, favourite_record
from league.lab.stored_rules_reviews import ClosedMonth, end, is_waiting
from league.lab.trial import psycopg_of, rated
from league.lab.trial_results import drift
from league.lab.verdicts import judged_matches, rated_months, rated_rows
from league.projections.difference.verdict import store_fitted
from league.projections.folds.league_fold import RATED_MODES
from league.projections.folds.match_fold import RulesTimeline
from league.projections.queries.snapshot import take_snapshot
from league.projections.runs import Conn
from league.projections.writers.catalogue import rules_of_run

SEED = 1
"""The seed of every search, so that the same matches give the same review."""
MOST_CANDIDATES, FEWEST_CANDIDATES = 400, 50
"""Limits on the settings that each search tries."""
MOST_RATED = 150_000_000
"""Matches that all searches together rate at most; about 20 seconds of one core. Large leagues try fewer settings."""
LOCK_SPACE = 7_120_437
"""First key of the advisory locks. Only one process at a time reviews the rules of a league."""
LOCK = "SELECT pg_try_advisory_lock(%s, 0)"
UNLOCK = "SELECT pg_advisory_unlock(%s, 0)"


def review_rules_after(url: str, closed: ClosedMonth, *, has_lab: bool) -> None:
    """Review the rules after a closing and store what was found, unless another process does so."""
    pool = engine(url, pool_size=1, limits=WITHOUT_TIME_LIMITS)
    try:
        with connect(url, autocommit=True) as conn:
            if conn.execute(LOCK, (LOCK_SPACE,)).fetchone() != (True,):
                return
            if is_waiting(conn, closed):
                _review_and_store(conn, pool, closed, has_lab=has_lab)
            # PostgreSQL notices the end of a session only after a moment, and the next review may begin before that.
            conn.execute(UNLOCK, (LOCK_SPACE,))
    finally:
        pool.dispose()


def _review_and_store(conn: Conn, pool: Engine, closed: ClosedMonth, *, has_lab: bool) -> None:
    snapshot = take_snapshot(pool)
    try:
        reading, zone = psycopg_of(snapshot.conn), ZoneInfo(snapshot.zone)
        rules = rules_of_run(reading, snapshot.run)
        columns = MatchColumns().refreshed(reading, snapshot.run, rules)
    finally:
        snapshot.close()
    month_end = bounds(closed.month, zone)[1]
    columns.cut(bisect_left(columns.decided_at, micros(month_end)))
    matches = sum(1 for _row in rated_rows(columns, 0, len(columns)))
    if matches < LEAST_MATCHES:
        end(conn, closed, "few_matches", snapshot.position, matches)
        return
    if not has_lab:
        end(conn, closed, "no_lab", snapshot.position, matches)
        return
    base = rules.at(month_end).rulebook
    found = review(columns, rules, base, zone)
    with conn.transaction():
        if end(conn, closed, "done", snapshot.position, matches, found) and found.fit is not None and found.fit.changed:
            # Otherwise a comparison on the months that the search has read would praise these settings.
            read = found.fit.first_month, found.fit.last_month
            store_fitted(conn, parse_rulebook(found.fit.settings, base), FittedRules(*read, found.fit.verdict))


# ---------------------------------------------------------------- what a review finds


def review(columns: MatchColumns, rules: RulesTimeline, base: Rulebook, zone: ZoneInfo) -> RulesReview:
    """Review the rules on at least one rated match. `base`: the edition in force at its end. Needs the extra `lab`."""
    months = rated_months(columns, zone)
    judged = months[-MONTHS:]
    in_force = rated(columns, rules)
    matches = judged_matches(columns, zone, judged[0].first, in_force.forecasts, in_force.forecasts)
    return RulesReview(
        matches=sum(1 for _row in rated_rows(columns, 0, len(columns))),
        rated_months=len(months),
        first_month=judged[0].name,
        last_month=judged[-1].name,
        favourites=favourite_record(matches),
        means=_mean_moves(columns, in_force, rules, zone, judged[0].name),
        fit=None if len(months) <= MONTHS else _fit(columns, rules, base, zone),
    )


def _mean_moves(
    columns: MatchColumns, in_force: RatedColumns, rules: RulesTimeline, zone: ZoneInfo, first: str
) -> tuple[MeanRatingMove, ...]:
    months = months_of(columns, zone)
    start = rules.at(EPOCH + columns.began_at[0] * MICROSECOND).formula.start
    moves = []
    for mode in RATED_MODES:
        means = drift(columns, in_force, months, "player", mode)
        earlier = [one.mean for one in means if one.month < first]
        if means:
            moves.append(MeanRatingMove(mode, float(earlier[-1] if earlier else start), float(means[-1].mean)))
    return tuple(moves)


def candidates_for(matches: int) -> int:
    """How many settings each search tries in a league with so many matches."""
    return max(FEWEST_CANDIDATES, min(MOST_CANDIDATES, MOST_RATED // ((MONTHS + 1) * matches)))


def _fit(columns: MatchColumns, rules: RulesTimeline, base: Rulebook, zone: ZoneInfo) -> RulesFit:
    from league.lab.fitting import TuningRequest, fit  # noqa: PLC0415  # of the extra `lab`
    from league.lab.forecasts import TuningLimits  # noqa: PLC0415

    wanted = TuningRequest(
        ranges=usual_ranges(base),
        objective="log-loss",
        limits=TuningLimits(),
        held_out=MONTHS,
        candidates=candidates_for(len(columns)),
        seed=SEED,
        workers=1,
    )
    found = fit(columns, rules, base, zone, wanted)
    known = tunable(base)
    return RulesFit(
        verdict=found.verdict,
        settings=as_toml(found.values, base),
        changed=sum(value != known[setting] for setting, value in found.values.items()),
        tried=found.tried,
        first_month=found.read[0],
        last_month=found.read[1],
    )
