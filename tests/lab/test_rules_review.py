"""The review of a league's own rules: what it finds in made-up leagues, and what it says of its numbers."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

import pytest
from test_tuning import EDITION, RULES, START, UTC_ZONE, history

from league.domain.rulebook import parse_rulebook
from league.domain.timeline import EditionSpan
from league.domain.verdict import ForecastLoss, JudgedMatch, MeanInterval, Verdict, VerdictKind
from league.lab import make_rules_review
from league.lab.make_rules_review import candidates_for, review
from league.lab.rules_review import FavouriteRecord, MeanRatingMove, RulesFit, RulesReview, favourite_record
from league.lab.rules_review_words import sentences
from league.projections.folds.match_fold import HashedEdition, RulesTimeline


@pytest.fixture(autouse=True)
def few_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for what these tests ask."""
    monkeypatch.setattr(make_rules_review, "MOST_CANDIDATES", 40)


@pytest.mark.heavy
def test_a_fit_helps_a_league_whose_ratings_jump() -> None:
    """Its strengths never change, so a smaller K foresees results better. The numbers are there to try."""
    found = review(history(Random(1), spread=250, matches=1_000, turned_from=1_000), RULES, EDITION, UTC_ZONE)
    calibration, drift, fit = sentences(found)
    assert calibration.startswith("The ratings promise too much: from April 2026 to June 2026 favourites were expected")
    assert drift.startswith("The mean rating hardly moved from April 2026 to June 2026: one on one from 15")
    assert fit.startswith("A fitted change would help beyond chance: log loss 0.")
    assert found.fit is not None
    assert "rating.k." in found.fit.settings
    assert found.fit.verdict.kind == "better"


@pytest.mark.heavy
def test_a_fit_does_not_help_a_league_that_has_fitted_rules() -> None:
    """Nothing beyond chance is left to find, and the review says so."""
    fitted = parse_rulebook("rating.cap = 0.01\nrating.k.provisional = 71\nrating.k.standard = 12", EDITION)
    rules = RulesTimeline((EditionSpan(None, 1),), {1: HashedEdition("e1", fitted)})
    found = review(history(Random(1), spread=250, matches=1_000, turned_from=1_000), rules, fitted, UTC_ZONE)
    assert found.fit is not None
    assert found.fit.verdict.kind in ("no_difference", "same")
    assert sentences(found)[2].startswith(("A fitted change would not help beyond chance", "A fit finds nothing"))


def test_no_fit_is_tried_without_a_month_beside_the_judged_ones() -> None:
    """The review still says whether forecasts are right."""
    columns = history(Random(1), spread=250, matches=600)
    columns.cut(next(row for row, at in enumerate(columns.decided_at) if at > (START.timestamp() + 80 * 86_400) * 1e6))
    found = review(columns, RULES, EDITION, UTC_ZONE)
    assert found.fit is None
    assert sentences(found)[2] == "No fit was tried: the league has rated matches in 3 months, and it takes 4."


def test_a_large_league_tries_fewer_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a review ends, and with the same matches always in the same way."""
    monkeypatch.undo()
    assert [candidates_for(matches) for matches in (500, 20_000, 100_000, 10_000_000)] == [400, 400, 375, 50]


def test_favourites_are_counted_without_matches_between_equals() -> None:
    """The favourite is the side with the larger expected score, whether it won or not."""
    days = [date(2026, 1, 1) + timedelta(days=n % 12) for n in range(24)]
    forecasts = [0.75, 0.25] * 10 + [0.5] * 4
    found = favourite_record([JudgedMatch(day, each, each) for day, each in zip(days, forecasts, strict=True)])
    assert (found.matches, found.days, found.expected, found.won) == (20, 12, 0.75, 0.5)
    assert found.difference.mean == -0.25


# ---------------------------------------------------------------- words


def made(
    kind: VerdictKind = "better",
    fitted_loss: float = 0.6,
    changed: int = 3,
    difference: MeanInterval = MeanInterval(0.01, -0.02, 0.04),  # noqa: B008  # frozen
    means: tuple[float, float] = (1500.0, 1500.0),
) -> RulesReview:
    """A review with these numbers."""
    loss, coin = ForecastLoss(0.65, 0.2), ForecastLoss(0.693147, 0.25)
    verdict = Verdict(
        kind=kind,
        matches=400,
        days=30,
        first_month="2026-04",
        last_month="2026-06",
        first=loss,
        second=ForecastLoss(fitted_loss, 0.2),
        plain_elo=loss,
        plain_k=32,
        is_k_chosen=True,
        coin=coin,
        difference=MeanInterval(-0.05, -0.06, -0.04),
    )
    return RulesReview(
        matches=900,
        rated_months=6,
        first_month="2026-04",
        last_month="2026-06",
        favourites=FavouriteRecord(380, 30, 0.61, 0.62, difference),
        means=(MeanRatingMove("1v1", *means),),
        fit=RulesFit(verdict, "", changed, 1_600, "2026-01", "2026-06"),
    )


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (MeanInterval(0.01, -0.02, 0.04), "The forecasts are right within chance: "),
        (MeanInterval(-0.1, -0.2, -0.04), "The ratings promise too much: "),
        (MeanInterval(0.1, 0.02, 0.2), "The ratings promise too little: "),
        (MeanInterval(0.1), "Too few days from "),
    ],
)
def test_a_calibration_is_judged_by_its_interval(difference: MeanInterval, said: str) -> None:
    """Only an interval that leaves out 0 says that forecasts are wrong."""
    assert sentences(made(difference=difference))[0].startswith(said)


@pytest.mark.parametrize(("last", "said"), [(1504.9, "hardly moved"), (1495.0, "moved"), (1505.0, "moved")])
def test_a_mean_rating_drifts_from_five_points_on(last: float, said: str) -> None:
    """In either direction."""
    assert sentences(made(means=(1500.0, last)))[1].startswith(f"The mean rating {said} from April 2026")


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        (made(), "would help beyond chance: log loss 0.6000 instead of 0.6500"),
        (made(fitted_loss=0.7), "a coin does at least as well (0.6931)"),
        (made(changed=0), "keeps the rules in force"),
        (made("worse"), "would make forecasts worse"),
        (made("no_difference"), "would not help beyond chance"),
        (made("too_few_days"), "cannot be said"),
        (made("same"), "nothing to change"),
    ],
)
def test_a_fit_is_judged_by_its_verdict(numbers: RulesReview, said: str) -> None:
    """A fit that only stops rating is not praised: a coin does as well."""
    assert said in sentences(numbers)[2]
