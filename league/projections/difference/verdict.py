"""The verdict on two runs: the rows behind `league.domain.verdict`, and which rules `league tune` has fitted."""

from collections.abc import Iterable, Mapping

import msgspec
from sqlalchemy import Connection, Date, Select, Subquery, cast, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by

from league.domain.rulebook import rating_hash
from league.domain.rules import Rulebook
from league.domain.verdict import FittedRules, JudgedMatch, RatedMatch, Verdict, first_judged, judge, plain_elo
from league.projections import tables as t
from league.projections.boards.board import known_rulebook, rulebook_of
from league.projections.difference.two_runs import TwoRuns
from league.projections.runs import Conn, raise_generation

c, f, e = t.changes.c, t.fitted_rules.c, t.editions.c


def verdict(conn: Connection, two: TwoRuns) -> Verdict | None:
    """Which of two runs foresaw results better; None if there is no match that both rate.

    The forecast of a match is the score that the ledger expected of the winning side, as in `ratings.predictions`.
    """
    rows = conn.execute(_rated_in_both(two)).all()
    if not rows:
        return None
    # Plain Elo has one rating for each player and mode, and takes the winners of the first run.
    matches = [
        RatedMatch(tuple((row.mode, id_) for id_ in row.winners), tuple((row.mode, id_) for id_ in row.losers))
        for row in rows
    ]
    first = first_judged([row.day for row in rows])
    judged = rows[first:]
    fitted = fitted_by_rating(conn)
    of_first, of_second = (
        fitted_among(rulebooks_of(conn, {getattr(row, name) for row in judged}), fitted) if fitted else None
        for name in ("edition_before", "edition_after")
    )
    return judge(
        [JudgedMatch(row.day, row.forecast_before, row.forecast_after, row.has_two_winners) for row in judged],
        plain_elo(matches, first),
        of_first,
        of_second,
    )


def _rated_in_both(two: TwoRuns) -> Select[tuple[object, ...]]:
    """The matches that both runs rate, in order. A match that a correction has moved stands at its earlier time."""
    first, second = _rated(two.first, "first"), _rated(two.second, "second")
    of_first, of_second = (
        select(t.matches.c.match_id, t.matches.c.winner).where(t.matches.c.run == run).subquery(name)
        for run, name in ((two.first, "of_first"), (two.second, "of_second"))
    )
    zone = func.coalesce(select(t.league.c.time_zone).scalar_subquery(), "UTC")
    decided_at = func.least(first.c.decided_at, second.c.decided_at, type_=t.Time)
    both = (
        first.join(second, first.c.match_id == second.c.match_id)
        .join(of_first, of_first.c.match_id == first.c.match_id)
        .join(of_second, of_second.c.match_id == first.c.match_id)
    )
    return (
        select(
            cast(func.timezone(zone, decided_at), Date).label("day"),
            first.c.mode,
            first.c.winners,
            first.c.losers,
            first.c.forecast.label("forecast_before"),
            second.c.forecast.label("forecast_after"),
            first.c.edition.label("edition_before"),
            second.c.edition.label("edition_after"),
            of_first.c.winner.is_distinct_from(of_second.c.winner).label("has_two_winners"),
        )
        .select_from(both)
        .order_by(decided_at, first.c.match_id)
    )


def _rated(run: int, name: str) -> Subquery:
    """The rated matches of a run: the sides, and what was expected of the side that won."""
    has_won = c.outcome == 1.0
    return (
        select(
            c.match_id,
            c.mode,
            func.min(c.decided_at).label("decided_at"),
            func.min(c.edition).label("edition"),
            func.avg(aggregate_order_by(c.expected, c.id)).filter(has_won).label("forecast"),
            func.array_agg(aggregate_order_by(c.id, c.id)).filter(has_won).label("winners"),
            func.array_agg(aggregate_order_by(c.id, c.id)).filter(~has_won).label("losers"),
        )
        .where(c.run == run, c.subject == "player")
        .group_by(c.match_id, c.mode)
        .subquery(name)
    )


# ---------------------------------------------------------------- fitted rules
# A comparison on months that a fit has read would flatter it. Rules are known by their section `rating`, so a fitted
# document is recognized whatever else an edition changes, but not after somebody changed that section by hand.


def store_fitted(conn: Conn, rulebook: Rulebook, fitted: FittedRules) -> None:
    """Note how the section `rating` of a rulebook was fitted. A later fit with the same result replaces the note."""
    conn.execute(
        "INSERT INTO fitted_rules (rating, first_month, last_month, held_out) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (rating) DO UPDATE SET first_month = excluded.first_month, last_month = excluded.last_month,"
        " held_out = excluded.held_out, fitted_at = excluded.fitted_at",
        (rating_hash(rulebook), fitted.first_month, fitted.last_month, msgspec.json.encode(fitted.held_out)),
    )
    raise_generation(conn)


def fitted_by_rating(conn: Connection) -> Mapping[str, FittedRules]:
    """Everything that was fitted, by the hash of the section `rating`."""
    rows = conn.execute(select(f.rating, f.first_month, f.last_month, f.held_out))
    return {
        row.rating: FittedRules(row.first_month, row.last_month, msgspec.json.decode(row.held_out, type=Verdict))
        for row in rows
    }


def fitted_among(rulebooks: Iterable[Rulebook], fitted: Mapping[str, FittedRules]) -> FittedRules | None:
    """How one of these rulebooks was fitted; of several the fit that read the latest month. None if none was."""
    found = [fitted[hash_] for hash_ in map(rating_hash, rulebooks) if hash_ in fitted] if fitted else []
    return max(found, key=lambda one: one.last_month, default=None)


def rulebooks_of(conn: Connection, hashes: Iterable[str]) -> list[Rulebook]:
    """The rulebooks of editions."""
    wanted = list(hashes)
    unread = [hash_ for hash_ in wanted if known_rulebook(hash_) is None]
    read = {row.hash: row.document for row in conn.execute(select(e.hash, e.document).where(e.hash.in_(unread)))}
    return [rulebook_of(hash_, read.get(hash_)) for hash_ in wanted]
