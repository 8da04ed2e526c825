"""Sentences for one rating change; its numbers are the ledger's, the sentences are made here."""

from decimal import Decimal
from typing import Any

import strawberry
from sqlalchemy import Row
from strawberry import field
from strawberry.scalars import JSON

from league.domain.rules import Rating
from league.reasons import formula, k_reason, modifier_reason


@strawberry.type(description="One step of an explanation.")
class Reason:
    key: str = field(description="Which step: `expected`, `outcome`, `k`, `modifier_term`, `cap` or `after`.")
    parameters: JSON = field(description="Its numbers and names, as an object; enough to word it in any language.")
    text: str = field(description="The step as a sentence in English.")


def reasons_of(change: Row[Any], rules: Rating) -> list[Reason]:
    """The steps from the rating before to the rating after, in the order in which they are computed."""
    terms = [(rule, Decimal(str(value))) for rule, value in change.modifier_terms]
    steps = [_expected(change, rules), _outcome(change), _k(change, rules)]
    steps += [
        Reason(
            key="modifier_term",
            parameters=JSON({"rule": rule, "value": float(value)}),
            text=f"{float(value):+g}: {modifier_reason(rule)}.",
        )
        for rule, value in terms
    ]
    if change.capped:
        steps.append(_cap(change, sum((value for _, value in terms), Decimal(0)), rules))
    numbers = (change.before, change.k, change.outcome, change.modifier, change.expected, change.after)
    steps.append(
        Reason(
            key="after",
            parameters=JSON({"before": change.before, "after": change.after, "modifier": change.modifier}),
            text=f"{formula(*numbers)}.",
        )
    )
    return steps


def _expected(change: Row[Any], rules: Rating) -> Reason:
    own, opponents, expected = change.own, change.opponents, change.expected
    return Reason(
        key="expected",
        parameters=JSON({"own": own, "opponents": opponents, "scale": float(rules.scale), "expected": expected}),
        text=f"A side rated {own:.2f} is expected to score {expected:.4f} against one rated {opponents:.2f}.",
    )


def _outcome(change: Row[Any]) -> Reason:
    word = "won" if change.outcome else "lost"
    return Reason(
        key="outcome",
        parameters=JSON({"outcome": change.outcome}),
        text=f"The side {word}, which scores {change.outcome:g}.",
    )


def _k(change: Row[Any], rules: Rating) -> Reason:
    parameters = {
        "k": change.k,
        "rule": change.k_rule,
        "matches_before": change.matches_before,
        "provisional_below": rules.provisional_below,
    }
    played = f"{change.matches_before} rated matches before this one"
    return Reason(
        key="k", parameters=JSON(parameters), text=f"K is {change.k:g}: {k_reason(change.k_rule)} ({played})."
    )


def _cap(change: Row[Any], total: Decimal, rules: Rating) -> Reason:
    return Reason(
        key="cap",
        parameters=JSON({"sum": float(total), "cap": float(rules.cap), "modifier": change.modifier}),
        text=f"The terms add up to {total:+}; the cap of {rules.cap} makes it {change.modifier:+g}.",
    )
