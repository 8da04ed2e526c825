"""The verdict on two runs: from their ledgers, in days of the league's time zone, and where none is given."""

from __future__ import annotations

from datetime import datetime
from statistics import mean
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from leagues import PLAYERS, announced, catch_up, domino, exported, official, played, revised, send

from league.application.bootstrap import League
from league.domain.verdict import FittedRules, JudgedMatch, RatedMatch, Verdict, judge, plain_elo
from league.infra.database import connect, engine
from league.projections.difference.two_runs import two_runs
from league.projections.difference.verdict import store_fitted, verdict
from league.projections.queries.snapshot import chosen_run
from league.projections.replays.replay import ReplayPeriod, replay

pytestmark = pytest.mark.slow

FASTER = "rating.k.provisional = 80"
HAVANA = ZoneInfo("America/Havana")
DAY = 24.0


def play(league: League, evenings: int, apart: int = 1) -> None:
    """Two matches an evening, `apart` days from the one before; the second after midnight in UTC. Some are of pairs."""
    commands = []
    for evening in range(evenings):
        first, second, third = (PLAYERS[(evening + n) % 6] for n in range(3))
        score, hours = ((150, 100) if evening % 2 else (100, 150)), DAY * apart * evening
        commands += announced(f"a{evening}", (first, second), hours, score)
        commands += announced(f"b{evening}", (second, third), hours + 14)
        if evening % 7 == 0:
            commands += announced(f"c{evening}", ("ana", "bea", "cira", "dora"), hours + 2)
    send(league, commands)
    catch_up(league)


def verdict_between(league: League, first: int, second: int) -> Verdict | None:
    pool = engine(league.database.url, pool_size=1)
    with pool.connect() as conn:
        found = verdict(
            conn, two_runs(conn, chosen_run(conn, first, drafts=True), chosen_run(conn, second, drafts=True))
        )
    pool.dispose()
    return found


def by_match(league: League, run: int) -> dict[str, dict[str, Any]]:
    """The rated matches of a run in order, from its exported ledger."""
    found: dict[str, dict[str, Any]] = {}
    rows = [row for row in exported(league.database.url, "changes", run) if row["subject"] == "player"]
    for row in sorted(rows, key=lambda row: (row["decided_at"], row["match"], row["id"])):
        match = found.setdefault(row["match"], {"decided_at": row["decided_at"], "sides": ([], []), "expected": []})
        match["sides"][row["outcome"] != 1].append((row["mode"], row["id"]))
        if row["outcome"] == 1:
            match["expected"].append(row["expected"])
    return found


@pytest.mark.heavy
def test_the_verdict_is_judged_from_both_ledgers(league: League) -> None:
    """On the matches of the last three months in the league's time zone, with plain Elo fitted on those before."""
    play(league, evenings=42, apart=3)
    url = league.database.url
    run = replay(url, revised(FASTER), ReplayPeriod())
    found = verdict_between(league, official(url), run)
    before, after = by_match(league, official(url)), by_match(league, run)
    assert list(before) == list(after)
    days = [datetime.fromisoformat(match["decided_at"]).astimezone(HAVANA).date() for match in before.values()]
    first = next(n for n, day in enumerate(days) if f"{day:%Y-%m}" == "2026-05")
    expected = judge(
        [
            JudgedMatch(day, mean(before[match]["expected"]), mean(after[match]["expected"]))
            for match, day in list(zip(before, days, strict=True))[first:]
        ],
        plain_elo([RatedMatch(*map(tuple, match["sides"])) for match in before.values()], first),
    )
    assert found == expected
    assert (expected.first_month, expected.last_month) == ("2026-05", "2026-07")
    assert expected.is_k_chosen
    assert expected.difference.low is not None
    swapped = verdict_between(league, run, official(url))
    assert swapped is not None
    assert swapped.difference.mean == -expected.difference.mean


@pytest.mark.heavy
def test_another_winner_in_a_judged_match_gives_no_verdict(league: League) -> None:
    """Unless the match was played before the judged months."""
    send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 90), domino(1, 80, 0), domino(1, 99, 0)))
    send(league, announced("m2", ("ana", "bea"), 5))
    catch_up(league)
    url = league.database.url
    shorter = "rulesets.cuban-150.target = 85"
    found = verdict_between(league, official(url), replay(url, revised(shorter), ReplayPeriod()))
    assert found is not None
    assert (found.kind, found.other_winners) == ("two_truths", 1)
    send(league, *(announced(f"n{month}", ("ana", "bea"), DAY * 31 * month) for month in (1, 2, 3)))
    catch_up(league)
    found = verdict_between(league, official(url), replay(url, revised(shorter), ReplayPeriod()))
    assert found is not None
    assert (found.kind, found.other_winners, found.first_month) == ("too_few_days", 0, "2026-04")


@pytest.mark.heavy
def test_rules_that_tune_has_fitted_are_known_by_their_ratings(league: League) -> None:
    """Whatever else their edition changes; as the rules in force too. A fit on earlier months does not matter."""
    play(league, evenings=12)
    url = league.database.url
    run = replay(url, revised(FASTER + "\ntitle = 'Faster'"), ReplayPeriod())
    plain = verdict_between(league, official(url), run)
    assert plain is not None
    assert plain.kind not in ("fitted", "same")
    for months, kind in ((("2025-10", "2026-02"), plain.kind), (("2025-10", "2026-03"), "fitted")):
        with connect(url) as conn:
            store_fitted(conn, revised(FASTER), FittedRules(*months, plain))
        found, swapped = verdict_between(league, official(url), run), verdict_between(league, run, official(url))
        assert found is not None
        assert swapped is not None
        assert found.kind == kind
        assert (swapped.kind == "fitted") == (kind == "fitted")
        assert (
            found.second_fitted == swapped.first_fitted == (FittedRules(*months, plain) if kind == "fitted" else None)
        )


def test_without_a_rated_match_there_is_no_verdict(league: League) -> None:
    """Matches of three or four players for themselves are not rated."""
    catch_up(league)
    url = league.database.url
    assert verdict_between(league, official(url), replay(url, revised(FASTER), ReplayPeriod())) is None


@pytest.mark.heavy
def test_rules_that_rate_alike_foresee_the_same(league: League) -> None:
    """Only the series differs; and ratings that all begin lower forecast the same by other arithmetic."""
    play(league, evenings=12)
    url = league.database.url
    for rules in ("series.pool = 60", "rating.start = 1400\nrating.veteran.rating = 1900"):
        found = verdict_between(league, official(url), replay(url, revised(rules), ReplayPeriod()))
        assert found is not None
        assert (found.kind, found.difference.mean) == ("same", 0)
