"""The verdict on two sets of rules in words, in both languages."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from league.domain.sentences import Language
from league.domain.verdict import FittedRules, ForecastLoss, MeanInterval, Verdict
from league.wording.forecast_verdict import in_words, losses_by_name
from league.wording.language import speaking, spoken

BETTER = Verdict(
    kind="better",
    matches=212,
    days=31,
    first_month="2026-04",
    last_month="2026-06",
    first=ForecastLoss(0.68, 0.24),
    second=ForecastLoss(0.67, 0.235),
    plain_elo=ForecastLoss(0.69, 0.249),
    plain_k=24,
    is_k_chosen=True,
    coin=ForecastLoss(0.693147, 0.25),
    difference=MeanInterval(-0.01, -0.015, -0.005),
)
NONE = MeanInterval(-0.01)
UNDECIDED = replace(BETTER, kind="no_difference", difference=MeanInterval(-0.01, -0.02, 0.01))
FIT = FittedRules("2025-01", "2026-06", UNDECIDED)


def said(verdict: Verdict, language: Language = "en", **how: Any) -> list[str]:
    with speaking(language):
        words = in_words(verdict, **how)
        return [spoken(text) for text in (words.sentence, words.meaning, words.basis, *words.notes)]


@pytest.mark.parametrize(
    ("verdict", "english", "spanish"),
    [
        (
            BETTER,
            "These rules foresee results better: log loss 0.6700 instead of 0.6800.",
            "Estas reglas prevén mejor los resultados: pérdida logarítmica 0.6700 en vez de 0.6800.",
        ),
        (
            replace(BETTER, kind="worse", difference=MeanInterval(0.01, 0.005, 0.015)),
            "These rules foresee results worse: log loss 0.6700 instead of 0.6800.",
            "Estas reglas prevén peor los resultados: pérdida logarítmica 0.6700 en vez de 0.6800.",
        ),
        (
            UNDECIDED,
            "No difference that these matches show: log loss 0.6700 instead of 0.6800.",
            "Estas partidas no muestran ninguna diferencia: pérdida logarítmica 0.6700 en vez de 0.6800.",
        ),
        (
            replace(BETTER, kind="too_few_days", days=1, difference=NONE),
            "Too few days for a verdict: 1; it takes 10.",
            "Muy pocos días para un veredicto: 1; hacen falta 10.",
        ),
        (
            replace(BETTER, kind="same", difference=MeanInterval(0.0)),
            "The predictions are the same: log loss 0.6800.",
            "Los pronósticos son los mismos: pérdida logarítmica 0.6800.",
        ),
        (
            replace(BETTER, kind="two_truths", other_winners=2, difference=NONE),
            "No verdict: two truths are compared. 2 of the judged matches have another winner.",
            "Sin veredicto: se comparan dos verdades. 2 de las partidas juzgadas tienen otro ganador.",
        ),
        (
            replace(BETTER, kind="fitted", second_fitted=FIT, difference=NONE),
            "No verdict: these rules were fitted on these very months.",
            "Sin veredicto: estas reglas se ajustaron con estos mismos meses.",
        ),
        (
            replace(BETTER, kind="fitted", first_fitted=FIT, difference=NONE),
            "No verdict: the rules in force were fitted on these very months.",
            "Sin veredicto: las reglas en vigor se ajustaron con estos mismos meses.",
        ),
    ],
    ids=lambda value: value.kind if isinstance(value, Verdict) else "",
)
def test_each_kind_is_a_sentence_in_both_languages(verdict: Verdict, english: str, spanish: str) -> None:
    """It says what it means in one line, which is translated as well."""
    in_english, in_spanish = said(verdict), said(verdict, "es")
    assert (in_english[0], in_spanish[0]) == (english, spanish)
    assert len(in_english) == len(in_spanish)
    assert not set(in_english) & set(in_spanish)


def test_the_basis_names_matches_days_months_and_the_interval() -> None:
    """A single month is named once, and plain Elo says how it got its K if it was not chosen."""
    assert said(BETTER)[2] == (
        "Judged on 212 matches from April 2026 to June 2026, played on 31 days. The log losses differ by -0.0100"
        " (at 95%: -0.0150 to -0.0050). Below 0 these rules do better."
    )
    first = replace(
        BETTER, kind="too_few_days", first_month="2026-06", days=1, matches=1, is_k_chosen=False, difference=NONE
    )
    assert said(first)[2] == (
        "Judged on 1 match of June 2026, played on 1 day. Plain Elo has K 24, because no earlier months are there to"
        " choose it by."
    )


def test_a_small_difference_that_counts_is_seen() -> None:
    """It has as many decimal places as it takes."""
    small = replace(BETTER, second=ForecastLoss(0.67999, 0.24), difference=MeanInterval(-1e-5, -1.5e-5, -0.4e-5))
    assert said(small)[0] == "These rules foresee results better: log loss 0.679990 instead of 0.680000."
    assert "-0.000015 to -0.000004" in said(small)[2]


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        (0.70, 0.71, "Both foresee these results worse than a coin does (0.693)."),
        (0.70, 0.69, "The rules in force foresee these results worse than a coin does (0.693)."),
        (0.69, 0.70, "These rules foresee these results worse than a coin does (0.693)."),
        (0.69, 0.69, None),
    ],
)
def test_a_coin_that_does_better_is_named(first: float, second: float, note: str | None) -> None:
    """Whether the rules in force do worse, the others, or both."""
    verdict = replace(BETTER, first=ForecastLoss(first, 0.25), second=ForecastLoss(second, 0.25))
    sentence = "These rules foresee results better: log loss"
    with speaking("en"):
        found = spoken(in_words(verdict).sentence)
    assert found.startswith(sentence)
    assert ("coin" in found, note is None or found.endswith(f" {note}")) == (note is not None, True)


def test_the_verdict_of_tune_is_told_where_the_fit_has_seen_the_months() -> None:
    """The note names the month up to which the fit has read."""
    (note,) = said(replace(BETTER, kind="fitted", second_fitted=FIT, difference=NONE))[3:]
    assert note == (
        "`league tune` fitted them on the months up to June 2026. Its own verdict, on months that its search had not"
        " seen: No difference that these matches show: log loss 0.6700 instead of 0.6800."
    )


def test_other_rules_than_those_in_force_are_not_called_so() -> None:
    """A comparison of two replays says `compared with`, in the sentence, the notes and the table."""
    worse = replace(BETTER, kind="fitted", first_fitted=FIT, first=ForecastLoss(0.7, 0.26), difference=NONE)
    words = said(worse, first_is_in_force=False)
    assert words[0] == (
        "No verdict: the rules compared with were fitted on these very months. The rules compared with foresee these"
        " results worse than a coin does (0.693)."
    )
    names = [name for name, _loss in losses_by_name(worse, first_is_in_force=False)]
    assert names == ["Rules compared with", "These rules", "Plain Elo (K 24)", "A coin"]
