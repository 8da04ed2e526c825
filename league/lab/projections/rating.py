"""Ratings of all matches under given rules, by the kernel."""

from collections.abc import Sequence

from league.domain.rating import Formula
from league.lab.projections.columns import Columns
from league.lab.projections.compiled import column, floats, integers, table
from league.lab.projections.kernel import PLACES, Numbers, Rated, Steps, rate_matches
from league.projections.folds.match_fold import Rules

TEN = 10.0
K_RULES = ("casual", "provisional", "special", "veteran", "standard")


def rated(columns: Columns, rules: Rules) -> Rated:
    """The ratings of all matches of the columns."""
    matches, subjects = len(columns), len(columns.subjects)
    result = Rated(
        ratings=floats(subjects),
        played=integers(subjects),
        before=floats(matches * PLACES),
        after=floats(matches * PLACES),
        played_before=integers(matches * PLACES),
        forecasts=floats(matches),
    )
    facts, seats = column(columns.facts), column(columns.seats)
    for first, end, hash_ in columns.spans(rules):
        formula = rules.by_hash[hash_].formula
        numbers, steps = numbers_of(formula), steps_of(formula, columns.rulesets)
        rate_matches(facts, seats, first, end, numbers, steps, TEN, result)
    return result


def numbers_of(formula: Formula) -> Numbers:
    """The numbers of a formula for the kernel."""
    k = {f"k_{rule}": getattr(formula, rule)[1] for rule in K_RULES}
    return Numbers(*(k[name] if name in k else getattr(formula, name) for name in Numbers._fields))


def steps_of(formula: Formula, rulesets: Sequence[str]) -> Steps:
    """The lists of a formula for the kernel."""
    points = [formula.points_by_ruleset.get(ruleset, formula.points) for ruleset in rulesets]
    behind, units = [behind for behind, _ in formula.recovery], [units for _, units in formula.recovery]
    return Steps(table(points), table(behind), table(units))
