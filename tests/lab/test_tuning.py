"""Rules fitted to a history: found where there is signal, not where there is none, and never on what is held out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from leagues import shipped_edition

from league.domain.collected_refusals import InvalidRulebook
from league.domain.refusals import InvalidInput, WrongState
from league.domain.result import Achievements
from league.domain.rulebook import parse_rulebook
from league.domain.timeline import EditionSpan
from league.lab.cli.tuned_report import sentences
from league.lab.columns import MatchColumns
from league.lab.fitting import TuningRequest, TuningResult, fit
from league.lab.forecasts import Forecaster, Objective, TuningLimits
from league.lab.ranges import SettingRange, as_toml, check_ranges, parse_range, tunable, usual_ranges, with_values
from league.lab.trial import rated
from league.lab.trial_results import judged
from league.projections.folds.match_fold import DecidedMatch, HashedEdition, RulesTimeline

EDITION = shipped_edition(1)
RULES = RulesTimeline((EditionSpan(None, 1),), {1: HashedEdition("e1", EDITION)})
START = datetime(2026, 1, 1, tzinfo=UTC)
UTC_ZONE = ZoneInfo("UTC")
K_RANGES = ["rating.k.standard=0..60", "rating.k.provisional=0..60", "rating.cap=0..1"]


def history(
    rng: Random, spread: float, matches: int = 2_000, players: int = 16, turned_from: int = 2_000
) -> MatchColumns:
    """Matches of six months, one on one, between players whose strengths differ by so many points of Elo.

    From the match `turned_from` on the weaker one wins as often as the stronger one did.
    """
    strengths = [rng.gauss(0, spread) for _ in range(players)]
    columns = MatchColumns()
    for number in range(matches):
        a, b = rng.sample(range(players), 2)
        wins = 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))
        winner = int(rng.random() > wins) if number < turned_from else int(rng.random() < wins)
        columns.add(a_match(number, matches, (f"p{a}", f"p{b}"), winner, rng.randrange(150)))
    return columns


def a_match(number: int, matches: int, players: tuple[str, str], winner: int, difference: int) -> DecidedMatch:
    at = START + timedelta(days=180) * number / matches
    return DecidedMatch(
        match=f"m{number}",
        ruleset="cuban-150",
        mode="1v1",
        competition="competitive",
        began_at=at,
        decided_at=at,
        sides=tuple((player,) for player in players),
        winner=winner,
        difference=difference,
        status="completed",
        achievements=Achievements(),
        edition="",
        position=number,
    )


def wanted(**changes: Any) -> TuningRequest:
    given: dict[str, Any] = {
        "ranges": [parse_range(text, EDITION) for text in K_RANGES],
        "objective": "log-loss",
        "limits": TuningLimits(),
        "held_out": 2,
        "candidates": 60,
        "seed": 1,
        "workers": 2,
    }
    return TuningRequest(**(given | changes))


def tuned(columns: MatchColumns, **changes: Any) -> TuningResult:
    return fit(columns, RULES, EDITION, UTC_ZONE, wanted(**changes))


@pytest.mark.heavy
def test_signal_is_found_where_strengths_differ() -> None:
    """On the held-out months the fitted rules beat the coin and the rules in force, and the sentences say so."""
    found = tuned(history(Random(1), spread=250))
    assert found.coin.against_fitted.is_below_zero
    assert found.in_force.against_fitted.is_below_zero
    assert found.fitted.loss.mean < found.in_force.loss.mean
    _, in_force, coin = sentences(found)
    assert "foresee results better" in in_force
    assert "better than a coin" in coin


@pytest.mark.heavy
def test_nothing_is_found_where_results_are_coin_tosses() -> None:
    """If results are coin tosses, the fitted rules are not better than a coin, and the sentences say so."""
    found = tuned(history(Random(1), spread=0))
    assert not found.coin.against_fitted.is_below_zero
    assert "found nothing" in sentences(found)[2]


@pytest.mark.heavy
def test_what_is_held_out_is_not_read(rng: Random) -> None:
    """Other results in a held-out month do not change the settings that are judged on it."""
    seed = rng.random()
    found, other = (
        tuned(history(Random(seed), 200, matches=600, turned_from=turned), candidates=24) for turned in (600, 450)
    )
    assert other.chosen[0] == found.chosen[0]
    assert other.values != found.values, "the last search has read all"


@pytest.mark.heavy
def test_a_seed_gives_the_same_settings_with_any_number_of_workers(rng: Random) -> None:
    """The result depends on the seed, not on the number of workers, because candidates come in whole generations."""
    columns = history(rng, spread=200, matches=400)
    one, two = (tuned(columns, candidates=30, workers=workers) for workers in (1, 2))
    assert (one.values, one.curve, one.fitted) == (two.values, two.curve, two.fitted)


@pytest.mark.parametrize("objective", ["log-loss", "brier"])
def test_losses_are_those_of_the_laboratory(objective: Objective, rng: Random) -> None:
    """The search and the page of the laboratory compute losses by the same definition."""
    columns = history(rng, spread=200, matches=100)
    page = judged(rated(columns, RULES), 0, len(columns))
    found = Forecaster(columns).forecasts(EDITION, len(columns)).mean_loss(objective)
    assert found == pytest.approx(page.brier if objective == "brier" else page.log_loss)


@pytest.mark.heavy
def test_limits_are_kept(rng: Random) -> None:
    """With a limit on changes, no match moves a rating by more, although a larger K would forecast better."""
    columns = history(rng, spread=300, matches=600)
    free, held = tuned(columns), tuned(columns, limits=TuningLimits(drift=1.0, change=10.0))
    assert free.largest_change > 10 >= held.largest_change
    assert held.drift <= 1


def test_a_drift_beyond_the_limit_is_measured_in_points(rng: Random) -> None:
    """The drift is the distance of a mode's mean rating from the start; only a larger drift breaks the limit."""
    columns = history(rng, spread=300, matches=300)
    found = Forecaster(columns).forecasts(EDITION, len(columns))
    ratings = rated(columns, RULES).ratings
    drift = abs(sum(ratings) / len(ratings) - 1500)
    assert found.drift() == pytest.approx(drift)
    assert drift > 0
    assert found.excess(TuningLimits(drift=drift / 2)) == pytest.approx(drift / 2)
    assert found.excess(TuningLimits(drift=2 * drift)) == 0


@pytest.mark.heavy
def test_the_verdict_is_that_of_every_comparison() -> None:
    """It judges the fitted rules on the held-out months, and its sentence is the second of the three."""
    found = tuned(history(Random(1), spread=250))
    assert found.verdict.kind == "better"
    assert (found.verdict.first_month, found.verdict.last_month) == tuple(found.months)
    against = found.in_force.against_fitted
    measured = found.verdict.difference
    assert (measured.mean, measured.low, measured.high) == pytest.approx((against.mean, against.low, against.high))
    assert found.verdict.plain_elo.log_loss == pytest.approx(found.plain_elo.loss.mean)
    assert sentences(found)[1].startswith("These rules foresee results better: log loss")
    assert found.read == ("2026-01", "2026-06")


@pytest.mark.heavy
def test_limits_that_no_setting_keeps_are_named(rng: Random) -> None:
    """If the search cannot respect a limit, because K is not searched, the command says so."""
    with pytest.raises(WrongState, match="no setting in the ranges keeps them"):
        tuned(
            history(rng, spread=0, matches=60),
            ranges=[parse_range("rating.modifier.pollona.value=0..1", EDITION)],
            limits=TuningLimits(change=1.0),
        )


@pytest.mark.heavy
def test_ctrl_c_keeps_the_best_so_far(rng: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C the best settings so far are judged as usual, and later searches try nothing."""
    forecasts, left = Forecaster.forecasts, iter(range(20))

    def interrupted(*given: Any) -> Any:
        if next(left, None) == 19:
            raise KeyboardInterrupt
        return forecasts(*given)

    monkeypatch.setattr(Forecaster, "forecasts", interrupted)
    found = tuned(history(rng, spread=200, matches=300), workers=1)
    assert found.is_interrupted
    assert found.tried < 60
    assert set(found.values) == {text.partition("=")[0] for text in K_RANGES}
    assert found.verdict.matches > 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rating.k.standard=60..10", "upside down"),
        ("rating.k.standard=10..10", "upside down"),
        ("rating.k.standard=10", "two numbers"),
        ("rating.k.standard=ten..20", "two numbers"),
        ("rating.k.none=1..2", "no number that forecasts depend on"),
        ("rating.start=1000..2000", "no number that forecasts depend on"),
        ("rating.k.standard=nan..20", "two numbers"),
    ],
)
def test_a_range_that_cannot_be_searched_is_named(text: str, said: str) -> None:
    """A range that cannot be searched is refused, with a hint what would help."""
    with pytest.raises(InvalidInput) as refused:
        parse_range(text, EDITION)
    assert refused.value.field == "range"
    assert said in str(refused.value)


def test_a_cap_that_is_off_is_called_off() -> None:
    """It is not said to be no number that forecasts depend on."""
    with pytest.raises(InvalidInput, match="the cap is off"):
        parse_range("rating.cap=0..1", parse_rulebook("rating.cap = false", EDITION))


def test_a_range_whose_end_the_rules_refuse_names_the_setting() -> None:
    """A range whose end the rules refuse gets the same refusal as a document of rules."""
    with pytest.raises(InvalidRulebook) as refused:
        parse_range("rating.k.standard=0..1000000", EDITION)
    assert refused.value.problems[0].at == "rating.k.standard"


def test_a_setting_has_one_range() -> None:
    """A setting with two ranges is refused."""
    with pytest.raises(InvalidInput, match="two ranges"):
        check_ranges([parse_range("rating.cap=0..1", EDITION)] * 2)


@pytest.mark.parametrize(("make", "said"), [(MatchColumns, "without a match"), (None, "has matches in 6 months")])
def test_too_little_history_is_named(make: Callable[[], MatchColumns] | None, said: str, rng: Random) -> None:
    """A history with too few months is refused, with a hint what would help."""
    columns = history(rng, 0, matches=60) if make is None else make()
    with pytest.raises(WrongState, match=said):
        tuned(columns, held_out=6)


def test_the_usual_ranges_give_rules_at_every_step() -> None:
    """Both ends of a usual range are allowed, it has the value in force, and the document has only changed settings."""
    ranges = usual_ranges(EDITION)
    assert {"rating.k.standard", "rating.cap", "rating.modifier.pollona.value"} <= {one.setting for one in ranges}
    known = tunable(EDITION)
    for one in ranges:
        assert one.least <= known[one.setting] <= one.most
        for share in (0.0, 0.37, 1.0):
            with_values(EDITION, {one.setting: one.value(share)})
    k = SettingRange("rating.k.standard", Decimal(10), Decimal(60), Decimal(1))
    assert [k.value(share) for share in (0, 0.505, 1)] == [10, 35, 60]
    assert as_toml({"rating.k.standard": Decimal(35), "rating.cap": known["rating.cap"]}, EDITION) == (
        "rating.k.standard = 35\n"
    )
