"""The verdict on two sets of rules: better, worse, noise, and where none is given; its laws; plain Elo beside it."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain import verdict as module
from league.domain.verdict import (
    FittedRules,
    JudgedMatch,
    MeanInterval,
    PlainElo,
    RatedMatch,
    Verdict,
    first_judged,
    intervals,
    judge,
    plain_elo,
)

FIRST_DAY = date(2026, 4, 1)
FLIPPED = {"better": "worse", "worse": "better"}


@pytest.fixture
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DRAWS", 200)


def made_up(
    rng: Random, matches: int, days: int, forecasts: Callable[[float], tuple[float, float]]
) -> list[JudgedMatch]:
    """Matches between sides of other strengths. `forecasts` gives both forecasts of the first side from its chance."""
    found = []
    for number in range(matches):
        chance = rng.uniform(0.2, 0.8)
        has_won = rng.random() < chance
        first, second = (each if has_won else 1 - each for each in forecasts(chance))
        found.append(JudgedMatch(FIRST_DAY + timedelta(days=number * days // matches), first, second))
    return found


def verdict_on(matches: list[JudgedMatch], **fitted: FittedRules) -> Verdict:
    return judge(matches, PlainElo(32, is_chosen=True, forecasts=[0.5] * len(matches)), **fitted)


@pytest.mark.parametrize(
    ("kind", "forecasts"),
    [
        ("better", lambda chance: (0.5, chance)),
        ("worse", lambda chance: (chance, 0.5)),
        ("no_difference", lambda chance: (chance, chance + 0.001)),
    ],
)
def test_the_kind_follows_from_the_interval(kind: str, forecasts: Any) -> None:
    """Rules that know the chances are better than a coin, a coin is worse, and a hair's breadth is no difference."""
    found = verdict_on(made_up(Random(1), 600, 60, forecasts))
    assert found.kind == kind
    low, high = found.difference.low, found.difference.high
    assert low is not None
    assert high is not None
    assert low < found.difference.mean < high
    assert (high < 0, low > 0) == (kind == "better", kind == "worse")
    assert found.difference.mean == pytest.approx(found.second.log_loss - found.first.log_loss)
    assert (found.matches, found.days, found.first_month, found.last_month) == (600, 60, "2026-04", "2026-05")


@pytest.mark.usefixtures("_few_draws")
def test_chance_seldom_passes_for_a_difference() -> None:
    """About one in twenty forecasts that err alike is called better or worse."""
    rng, called = Random(7), 0
    for _ in range(100):
        matches = made_up(rng, 120, 30, lambda chance: (chance + rng.gauss(0, 0.05), chance + rng.gauss(0, 0.05)))
        called += verdict_on(matches).kind in FLIPPED
    assert called <= 14


def test_losses_are_those_of_the_trade() -> None:
    """Log loss in nats and the Brier score, of both rules, of plain Elo and of a coin."""
    found = judge(
        [JudgedMatch(FIRST_DAY, 0.5, 0.75), JudgedMatch(FIRST_DAY, 0.5, 0.25)],
        PlainElo(8, is_chosen=True, forecasts=[1.0, 0.0]),
    )
    assert (found.first.log_loss, found.first.brier) == (found.coin.log_loss, found.coin.brier) == (math.log(2), 0.25)
    assert found.second.log_loss == pytest.approx(-(math.log(0.75) + math.log(0.25)) / 2)
    assert found.second.brier == (0.0625 + 0.5625) / 2
    assert found.plain_elo.log_loss == pytest.approx(-math.log(1e-15) / 2), (
        "what was thought impossible costs a finite loss"
    )


# ---------------------------------------------------------------- no verdict


def test_fewer_than_ten_days_give_no_verdict() -> None:
    """However many matches were played on them."""
    matches = made_up(Random(1), 500, 9, lambda chance: (0.5, chance))
    found = verdict_on(matches)
    assert (found.kind, found.days, found.difference.low) == ("too_few_days", 9, None)
    assert found.difference.mean < 0
    assert verdict_on([*matches, JudgedMatch(FIRST_DAY + timedelta(days=9), 0.5, 0.5)]).kind == "better"


def test_forecasts_that_do_not_move_are_the_same() -> None:
    """A difference of the arithmetic is none, one forecast that moves is one."""
    matches = [JudgedMatch(FIRST_DAY + timedelta(days=n), 0.6, 0.6 + 1e-13) for n in range(20)]
    assert (verdict_on(matches).kind, verdict_on(matches).difference) == ("same", MeanInterval(0.0))
    assert verdict_on([*matches, JudgedMatch(FIRST_DAY, 0.6, 0.61)]).kind != "same"


def test_two_truths_are_not_compared() -> None:
    """A single judged match with another winner is enough, and it is counted."""
    matches = made_up(Random(1), 500, 50, lambda chance: (0.5, chance))
    found = verdict_on([*matches[1:], matches[0]._replace(has_two_winners=True)])
    assert (found.kind, found.other_winners, found.difference.low) == ("two_truths", 1, None)
    same_forecasts = [match._replace(second=match.first, has_two_winners=True) for match in matches]
    assert verdict_on(same_forecasts).kind == "two_truths"


@pytest.mark.parametrize(
    ("first", "last", "is_seen"),
    [
        ("2025-01", "2026-03", False),
        ("2025-01", "2026-04", True),
        ("2026-05", "2026-05", True),
        ("2026-06", "2026-07", False),
    ],
)
@pytest.mark.parametrize("which", ["first_fitted", "second_fitted"])
def test_rules_that_were_fitted_on_judged_months_get_no_verdict(
    which: str,
    first: str,
    last: str,
    is_seen: bool,
) -> None:
    """Neither as the first rules nor as the second. A fit on other months does not matter."""
    matches = made_up(Random(1), 500, 50, lambda chance: (0.5, chance))
    held_out = verdict_on(matches)
    fitted = FittedRules(first, last, held_out)
    found = verdict_on(matches, **{which: fitted})
    assert found.kind == ("fitted" if is_seen else "better")
    assert getattr(found, which) == (fitted if is_seen else None)
    assert (found.difference.low is None) == is_seen


# ---------------------------------------------------------------- laws


forecasts_of_days = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40).map(
    lambda pairs: [JudgedMatch(FIRST_DAY + timedelta(days=n % 15), *pair) for n, pair in enumerate(pairs)]
)


@pytest.mark.usefixtures("_few_draws")
@given(forecasts_of_days, st.randoms(use_true_random=False))
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_laws(matches: list[JudgedMatch], rng: Random) -> None:
    """Swapped rules flip the kind and negate the interval. The order within a day does not matter, nor a repetition."""
    found = verdict_on(matches)
    assert verdict_on(matches) == found
    shuffled = sorted(rng.sample(matches, len(matches)), key=lambda match: match.day)
    assert verdict_on(shuffled) == found
    swapped = verdict_on([match._replace(first=match.second, second=match.first) for match in matches])
    assert swapped.kind == FLIPPED.get(found.kind, found.kind)
    assert (swapped.first, swapped.second) == (found.second, found.first)
    negated = [None if end is None else -end for end in (found.difference.high, found.difference.low)]
    assert [swapped.difference.low, swapped.difference.high] == negated
    assert swapped.difference.mean == -found.difference.mean


def test_long_evenings_count_for_more() -> None:
    """The mean of a sample is a sum over matches, not a mean of days."""
    long, short = FIRST_DAY, [FIRST_DAY + timedelta(days=n) for n in range(1, 20)]
    (found,) = intervals([*[long] * 19, *short], [[1.0] * 19 + [0.0] * 19])
    assert found.mean == 0.5
    assert found.low is not None
    assert found.high is not None
    assert found.low == 0.0, "some samples miss the long evening"
    assert found.high > 0.7


# ---------------------------------------------------------------- the months, and plain Elo


def test_the_last_three_months_with_matches_are_judged() -> None:
    """Months without a match do not count."""
    days = [date(2026, 1, 5), date(2026, 2, 1), date(2026, 2, 27), date(2026, 5, 1), date(2026, 8, 31)]
    assert first_judged(days) == 1
    assert first_judged(days[:2]) == 0
    assert first_judged([]) == 0


def test_plain_elo_takes_the_k_that_forecast_the_earlier_matches_best() -> None:
    """If the same player always wins, the largest K; if the last loser always wins, the smallest."""
    always, alternating = (
        [RatedMatch(*((("a",), ("b",)) if n % 2 < share else (("b",), ("a",)))) for n in range(100)] for share in (2, 1)
    )
    assert plain_elo(always, 80).k == 48
    assert plain_elo(alternating, 80).k == 8
    assert len(plain_elo(always, 80).forecasts) == 20


def test_plain_elo_without_earlier_months_has_the_usual_k() -> None:
    """It says that K was not chosen. Partners are averaged, and move alike."""
    found = plain_elo(
        [RatedMatch(("a", "b"), ("c", "d")), RatedMatch(("a",), ("e",)), RatedMatch(("a", "e"), ("c", "f"))], 0
    )
    assert (found.k, found.is_chosen) == (32, False)
    after_first = 1500 + 32 * 0.5
    second = 1 / (1 + 10 ** ((1500 - after_first) / 400))
    a, e, c = after_first + 32 * (1 - second), 1500 - 32 * (1 - second), 1500 - 16
    third = 1 / (1 + 10 ** (((c + 1500) / 2 - (a + e) / 2) / 400))
    assert found.forecasts == pytest.approx([0.5, second, third])


def test_plain_elo_stands_beside_the_verdict() -> None:
    """The verdict names its K, and whether that was chosen."""
    found = judge([JudgedMatch(FIRST_DAY, 0.5, 0.5)], PlainElo(24, is_chosen=False, forecasts=[0.5]))
    assert (found.plain_k, found.is_k_chosen, found.plain_elo) == (24, False, found.coin)
    assert replace(found, plain_k=8) != found
