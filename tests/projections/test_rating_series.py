"""Rating series for charts, the distribution of ratings, and how their mean drifts."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import adopt, announced, at, catch_up, exported, ratings, reading, send

from league.application.bootstrap import League
from league.domain.match import VoidMatch
from league.projections.queries.rating_spread import distribution, rating_drift
from league.projections.queries.ratings import SeriesFilter, rating_series

PAIRS = ("ana", "bea", "cira", "dora")
WON, LOST = (150, 100), (100, 150)


def series(league: League, id_: str, **wanted: Any) -> list[tuple[str, float]]:
    """Match and rating of each point."""
    catch_up(league)
    subject = "team" if "+" in id_ else "player"
    with reading(league.database.url) as snapshot:
        found = rating_series(snapshot, subject, SeriesFilter(**wanted), [id_]).get(id_)
    return [(point.match, point.rating) for point in found.points] if found else []


def changes(league: League, id_: str, mode: str) -> list[tuple[str, float]]:
    """Match and rating of each point, computed from the ledger."""
    rows = exported(league.database.url, "changes")
    return [(row["match"], row["after"]) for row in rows if (row["id"], row["mode"]) == (id_, mode)]


# ---------------------------------------------------------------- series


def test_a_series_has_a_point_for_each_match_of_a_mode(league: League) -> None:
    """A series has a point for each match of a mode, in the order decided; a pair has its own series."""
    send(league, *(announced(f"m{n}", ("ana", "bea"), n, WON if n % 2 else LOST) for n in range(4)))
    send(league, announced("p1", PAIRS, 10))
    assert series(league, "ana", mode="1v1") == changes(league, "ana", "1v1")
    assert series(league, "ana+cira") == changes(league, "ana+cira", "2v2")
    assert series(league, "flor") == series(league, "ana+cira", mode="1v1") == []


def test_a_long_series_is_thinned(league: League) -> None:
    """Within a span of time, with its ends and extremes; see the laws of thinning."""
    scores = [LOST, WON, WON, LOST, LOST, LOST, WON]
    send(league, *(announced(f"m{n}", ("ana", "bea"), n, s, competition="casual") for n, s in enumerate(scores)))
    assert [match for match, _ in series(league, "ana", points=4)] == ["m0", "m2", "m5", "m6"]
    within = series(league, "ana", decided_from=at(3), decided_before=at(5))
    assert [match for match, _ in within] == ["m2", "m3"]


def test_an_overall_series_weighs_both_modes(league: League) -> None:
    """From the second mode on both count; the last point is the overall rating, even if a span leaves matches out."""
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", PAIRS, 2), announced("m3", ("ana", "eva"), 4))
    found = series(league, "ana")
    assert [match for match, _ in found] == ["m1", "m2", "m3"]
    assert found[0] == changes(league, "ana", "1v1")[0]
    assert found[-1][1] == ratings(league.database.url)["ana", "overall"]
    assert series(league, "ana", decided_from=at(4)) == found[-1:]


# ---------------------------------------------------------------- distribution


@pytest.mark.also_on_server
def test_ratings_fall_into_buckets_without_gaps(league: League) -> None:
    """A bucket begins at a multiple of its width; figures are over all of them."""
    adopt(league, "rating.k.provisional = 100\nrating.modifier.differential.value = 0")
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", ("cira", "dora"), 0), announced("m3", PAIRS, 4))
    with_provisional = spread(league, established=False)
    assert with_provisional.buckets == [(1440, 1480, 2), (1480, 1520, 0), (1520, 1560, 2)]
    assert (with_provisional.count, with_provisional.lowest, with_provisional.highest) == (4, 1450, 1550)
    assert (with_provisional.mean, with_provisional.median, with_provisional.deviation) == (1500, 1500, 50)
    empty = spread(league, established=True)
    assert (empty.count, empty.mean, empty.median, empty.deviation, empty.buckets) == (0, None, None, None, [])


class Spread:
    def __init__(self, found: Any) -> None:
        self.count, self.mean, self.median = found.count, found.mean, found.median
        self.lowest, self.highest, self.deviation = found.lowest, found.highest, found.standard_deviation
        self.buckets = [(bucket.start, bucket.end, bucket.count) for bucket in found.buckets]


def spread(league: League, *, established: bool) -> Spread:
    """How the ratings in 1v1 are spread."""
    catch_up(league)
    with reading(league.database.url) as snapshot:
        return Spread(distribution(snapshot, "player", "1v1", 40, established=established))


# ---------------------------------------------------------------- drift


def drift(league: League, subject: str = "player", mode: str = "1v1") -> list[Any]:
    """The months."""
    catch_up(league)
    with reading(league.database.url) as snapshot:
        return rating_drift(snapshot, subject, mode)


@pytest.mark.also_on_server
def test_the_mean_at_the_end_of_a_month_is_of_all_who_have_a_rating(league: League) -> None:
    """A player who does not play keeps the rating; a month without a match has the mean of the month before."""
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", ("ana", "bea"), 1))
    send(league, announced("m3", ("ana", "cira"), 24 * 70))
    after = {row["match"] + row["id"]: row["after"] for row in exported_changes(league)}
    months = drift(league)
    assert [(m.month, m.rated, m.matches) for m in months] == [("2026-03", 2, 2), ("2026-04", 2, 0), ("2026-05", 3, 1)]
    march = (after["m2ana"] + after["m2bea"]) / 2
    assert [m.mean for m in months[:2]] == pytest.approx([march, march])
    assert months[2].mean == pytest.approx((after["m3ana"] + after["m2bea"] + after["m3cira"]) / 3)
    gained = after["m2ana"] + after["m2bea"] - 3000
    assert (months[0].gained, months[0].gained_per_match) == pytest.approx((gained, gained / 2))
    assert (months[1].gained, months[1].gained_per_match) == (0, None)


def exported_changes(league: League) -> list[dict[str, Any]]:
    catch_up(league)
    return exported(league.database.url, "changes")


def test_months_end_where_the_league_is(league: League) -> None:
    """A match that is decided in the first of two hours after midnight is of the new month, as is one of the second."""
    november = 245 * 24 - 8
    decided = [november - 1.1, november - 0.9, november + 0.1]
    send(league, *(announced(f"m{n}", ("ana", "bea"), hours, competition="casual") for n, hours in enumerate(decided)))
    assert [(m.month, m.matches) for m in drift(league)] == [("2026-10", 1), ("2026-11", 2)]


def test_pairs_have_a_drift_of_their_own(league: League) -> None:
    """A match counts once, however many ratings it changes; voided, it leaves no month behind."""
    send(league, announced("p1", PAIRS, 0), announced("p2", ("ana", "bea", "eva", "dora"), 24 * 40))
    assert [(m.month, m.rated, m.matches) for m in drift(league, "team", "2v2")] == [
        ("2026-03", 2, 1),
        ("2026-04", 3, 1),
    ]
    assert [(m.rated, m.matches) for m in drift(league, "player", "2v2")] == [(4, 1), (5, 1)]
    assert drift(league) == []
    send(league, VoidMatch("p2", "never played"))
    assert [m.month for m in drift(league, "team", "2v2")] == ["2026-03"]
