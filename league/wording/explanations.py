"""Explanations in words: why ratings moved, every message, and explanations as documents with their words."""

from typing import Any

import msgspec

from league.domain.sentences import say
from league.explanations.explanation import Explanation, Message, RatingFormula, Term
from league.wording.language import spoken
from league.wording.matches import NO_NAMES, Names, competition_in_words, match_in_words, people_in_words
from league.wording.numbers import figure, rating

CORRECTIONS = {
    "match-voided/1": say("Match {match} was voided."),
    "match-reopened/1": say("Match {match} was reopened."),
    "hand-corrected/1": say("Match {match} was corrected."),
}
"""What happened to a match that had been rated, by the name of the event."""
DECIDED = say("Match {match} was decided.")

RIPPLES = {
    "match-voided/1": say("Match {match}, played by others, was voided; ratings that rest on it were recomputed."),
    "match-reopened/1": say("Match {match}, played by others, was reopened; ratings that rest on it were recomputed."),
    "hand-corrected/1": say("Match {match}, played by others, was corrected; ratings that rest on it were recomputed."),
}
"""What happened to a match, for people who did not play in it but whose ratings moved."""
LATE = say("Match {match}, played by others, was recorded late; ratings that rest on it were recomputed.")

MERGES = {
    "players-merged/1": say("Two ids of one player were merged; the matches of both were rated again."),
    "merge-undone/1": say("A merge of two players was undone; the matches of both were rated again."),
}
"""Why ratings move by a merge, by the name of its event."""

OTHER_RULES = {
    "adoption": say("Other rules were adopted for matches that had been rated."),
    "promotion": say("A replay under other rules became the official league."),
    "rebuild": say("A newer version of the program recomputed the league."),
}
"""Why ratings move without a match, by the cause."""

KNOWN_RULES = {
    "adoption": say("Other rules were adopted for matches that had been rated: {edition}."),
    "promotion": say("A replay under other rules became the official league: {edition}."),
}
"""Why ratings move by rules whose edition is known, by the cause."""


def journal_reason(cause: str, event: str, match: str | None, edition: str | None = None) -> str:
    """Why a rating moved. `event`: the name of the event behind it; `match`: the match, None for several.

    `edition`: the edition that an adoption or a promotion brought, in words.
    """
    if cause in OTHER_RULES:
        known = edition is not None and cause in KNOWN_RULES
        return spoken(say(KNOWN_RULES[cause], edition=edition) if known else OTHER_RULES[cause])
    if event in MERGES:
        return spoken(MERGES[event])
    if cause == "ripple":
        if match is None:
            return say("Several matches, played by others, changed; ratings that rest on them were recomputed.")
        return say(RIPPLES.get(event, LATE), match=match)
    if match is None:
        return say("Several matches were decided or changed.")
    return say(CORRECTIONS.get(event, DECIDED), match=match)


# ---------------------------------------------------------------- messages and documents


def words(message: Message, names: Names = NO_NAMES) -> str:
    """A message as a sentence; `spoken` translates it."""
    return say(message.template, **{name: _in_words(name, value, names) for name, value in message.values.items()})


def _in_words(name: str, value: Any, names: Names) -> Any:
    """A value of a message for people."""
    match name:
        case "sides":
            return match_in_words(value, names)
        case "subject" | "opponents":
            return people_in_words(value if isinstance(value, tuple) else (value,), names)
        case "competition":
            return competition_in_words(value)
        case "ruleset":
            return say(value)
    return _number(value)


def _number(value: Any) -> Any:
    """A score with hyphens, numbers rounded; any other value as it is."""
    match value:
        case tuple():
            return "-".join(map(str, value))
        case float():
            return figure(value)
        case RatingFormula():
            return _formula(value)
    return value


def _formula(numbers: RatingFormula) -> str:
    """The rating's formula with its numbers, rounded for people."""
    sign = "-" if numbers.modifier < 0 else "+"
    modified = f"({figure(numbers.outcome)} {sign} {figure(abs(numbers.modifier))})"
    inner = f"{modified} - {rating(numbers.expected, 4)}"
    return f"{rating(numbers.before, 2)} + {figure(numbers.k)} x ({inner}) = {rating(numbers.after, 2)}"


def document_of(explained: Explanation, names: Names) -> dict[str, Any]:
    """An explanation as plain values, its messages in words, with the ids that the statement names."""
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
    """A term as plain values, its message in words."""
    return _plain(term) | {"text": words(term.text)}


def _plain(value: msgspec.Struct) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(value, enc_hook=spoken)
    return plain
