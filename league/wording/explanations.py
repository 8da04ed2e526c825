"""Explanations in English: the words of every message, and explanations as documents with their words."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from league.domain.bonuses import HAND_TERMS
from league.explanations.explanation import Explanation, Term
from league.explanations.message import PEOPLE, Message, MessageKey
from league.projections.folds.badges import BADGES
from league.wording.language import _, spoken
from league.wording.matches import NO_NAMES, Names, match_in_words, people_in_words
from league.wording.reasons import K_RULES, MODIFIER_TERMS, formula


def words(message: Message, names: Names = NO_NAMES) -> str:
    """A message in English."""
    values, sentence = dict(message.values), SENTENCES[message.key]
    values |= {name: _named(name, values[name], names) for name in PEOPLE if name in values}
    return sentence.format(**values) if isinstance(sentence, str) else sentence(**values)


def _named(name: str, value: Any, names: Names) -> str:
    """The players or the pairs of a message by name."""
    if name == "sides":
        return match_in_words(value, names)
    return people_in_words(value if isinstance(value, tuple) else (value,), names)


def document_of(explained: Explanation, names: Names) -> dict[str, Any]:
    """An explanation as plain values, its messages in English; beside the statement the ids that it names."""
    statement = explained.statement
    return {
        **_plain(explained),
        "statement": words(statement, names),
        "people": {id_: names.get(id_, id_) for id_ in statement.people},
        "match": statement.match,
        "formula": words(explained.formula),
        "terms": [document_of_term(term) for term in explained.terms],
        "conditions": [document_of_term(term) for term in explained.conditions],
        "corrections": [_plain(one) | {"text": words(one.text)} for one in explained.corrections],
    }


def document_of_term(term: Term) -> dict[str, Any]:
    """A term as plain values, its message in English."""
    return _plain(term) | {"text": words(term.text)}


def _plain(value: msgspec.Struct) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(value)
    return plain


# ---------------------------------------------------------------- sentences with parts that depend on the values


def _hand_scored(*, points: tuple[int, ...], **of: Any) -> str:
    return "Hand {hand} of {sides} ({ruleset}) scored {points}.".format(points=_score(points), **of)


def _hand_after_end(*, points: tuple[int, ...], **of: Any) -> str:
    text = "Hand {hand} of {sides} ({ruleset}) scored {points}, which do not count: the match had already ended."
    return text.format(points=_score(points), **of)


def _match_won(*, score: tuple[int, ...] | None, status: str, **of: Any) -> str:
    text = "{subject} won{score} against {opponents} ({ruleset}, {mode}, {competition}){ending}."
    return text.format(score="" if score is None else f" {_score(score)}", ending=ENDINGS.get(status, ""), **of)


ENDINGS = {
    "cut_short": "; play was stopped early",
    "forfeited": "; the other side gave up",
    "announced": "; only the result was recorded",
}
"""What is added about a winner, by the status of the match."""


def _rating_changed(
    *,
    score: tuple[int, ...] | None,
    before: float,
    k: float,
    outcome: float,
    modifier: float,
    expected: float,
    after: float,
    **of: Any,
) -> str:
    return "{subject} {won}{score} against {opponents} ({ruleset}, {mode}): {formula}.".format(
        won="won" if outcome else "lost",
        score="" if score is None else f" {_score(score)}",
        formula=formula(before, k, outcome, modifier, expected, after),
        **of,
    )


def _badge(text: str) -> Callable[..., str]:
    """A sentence about a badge, in which `{what}` is what the badge is given for."""

    def sentence(*, measure: str, threshold: int, **of: Any) -> str:
        return text.format(what=BADGES[measure].in_words(threshold, of), **of)

    return sentence


def _hand_term(*, term: str) -> str:
    return spoken(HAND_TERMS[term].label)


def _hand_term_stated(*, term: str) -> str:
    return _("{what}; the score sheet names the winner", what=HAND_TERMS[term].label)


def _modifier_term(*, term: str, **values: Any) -> str:
    return MODIFIER_TERMS[term].format(**values)


def _k_rule(*, rule: str) -> str:
    return K_RULES[rule]


def _score(points: tuple[int, ...]) -> str:
    return "-".join(map(str, points))


SENTENCES: Mapping[MessageKey, str | Callable[..., str]] = {
    # statements
    "hand_scored": _hand_scored,
    "hand_after_end": _hand_after_end,
    "hand_of_voided_match": "Hand {hand} of {sides} ({ruleset}) scores nothing: the match was voided.",
    "match_won": _match_won,
    "match_voided": "The match {sides} ({ruleset}, {mode}, {competition}) was voided: it counts for nothing.",
    "match_pending": "The match {sides} ({ruleset}, {mode}, {competition}) has ended, and awaits confirmation.",
    "match_open": "The match {sides} ({ruleset}, {mode}, {competition}) is open.",
    "rating_changed": _rating_changed,
    "rating_of_voided_match": "{subject} has no rating change by the match against {opponents}: it was voided.",
    "badge_by_match": _badge("{subject} earned {badge} ({what}) in the match against {opponents}."),
    "badge_by_month": _badge("{subject} earned {badge} ({what}) when the month {month} was closed."),
    "badge_not_held": _badge("{subject} does not hold {badge} ({what}): {reached:g} reached."),
    "place_with_rank": "{subject} has rank {rank} on the board {board}, with {value:g}.",
    "place_provisional": "{subject} is provisional on the board {board}, without a rank, with {value:g}.",
    "standing": "{subject} has {total} points in the series of {month} ({mode}).",
    # formulas
    "sum_by_side": "the {unit} of a side are the sum of its terms",
    "sum_is_total": "the total is the sum of the terms",
    "sum_is_value": "the value is the sum of the terms in {unit}",
    "sum_against_threshold": "the sum of the terms, compared with the threshold",
    "rating_formula": "before + k * ((outcome + M) - expected), where M is the sum of the terms in units of M",
    "share": "{counted} / {per}",
    # terms of a hand and a match
    "hand_term": _hand_term,
    "hand_term_stated": _hand_term_stated,
    "hand_of_match": "hand {hand}",
    "reset_by_hand": f"hand {{hand}}: {HAND_TERMS['reset'].label}",
    "announced": "the score that the table announced",
    # terms of a rating change
    "rating_before": "the rating before the match",
    "won": "the match was won",
    "lost": "the match was lost",
    "modifier_term": _modifier_term,
    "cap": "the terms add up to {total}, which is beyond the cap",
    "expected": "the score to be expected from the ratings before the match",
    "k_rule": _k_rule,
    # terms of a badge
    "badge_threshold": "what earns the badge",
    "counted_before": "before the match that earned it",
    "counted_in_match": "in the match that earned it",
    "counted_until_now": "up to now",
    "longest_streak": "the longest so far",
    "rating_after": "the rating after the match",
    "highest_rating": "the highest rating so far, once established",
    "month_won": "first in {month} in {mode}",
    "unbeaten_month": "no loss in {month}, in {games} games that count",
    # terms of a place
    "rating_in_mode": "the rating in {mode}",
    "weighted_rating": "the rating in {mode}, times its weight {weight:g}",
    "counted_in_all": "in all decided matches",
    "rank": "1, plus the {above} with a higher value; equal values share a rank",
    "provisional": "rated matches; a rating with fewer than the setting is provisional: it follows the ranks, by value",
    "last_match": "days since the last match that counts for the board",
    # terms of a standing
    "start": "points at the beginning of the month",
    "series_points": "series points from the games against them",
    "game_points": "game points from the games against them",
    "competitive": "competitive games do not count",
    "casual": "casual games do not count",
    "special": "games of special tournaments do not count",
    "beyond_limit": "games after the pair was locked for the month do not count",
    # corrections
    "hand_corrected": "hand {hand} was corrected",
    "end_taken_back": "the end was taken back",
    "match_was_voided": "the match was voided",
}
"""By key, the sentence with its values in braces, or a function of them."""
