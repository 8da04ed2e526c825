"""Explanations in words: why ratings moved, every message, and explanations as documents with their words."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from league.domain.bonuses import HAND_TERMS
from league.domain.sentences import say
from league.explanations.explanation import PEOPLE, Explanation, Message, MessageKey, Term
from league.projections.folds.badges import BADGES
from league.wording.language import spoken
from league.wording.matches import NO_NAMES, Names, competition_in_words, match_in_words, people_in_words
from league.wording.numbers import figure, rating

K_RULES = {
    "casual": say("a casual match"),
    "provisional": say("a newcomer: few rated matches before this one"),
    "special": say("a special tournament"),
    "veteran": say("a highly rated veteran"),
    "standard": say("an established rating"),
}
"""The reason for the value of K, by the name of the rule that applied."""

MODIFIER_TERMS = {
    "differential": say("the difference of the final score"),
    "pollona": say("pollona: the losers ended the match on 0"),
    "viajera": say("viajera: a hand with {pips} or more leftover pips"),
    "capicua": say("a hand that ended with a capicúa"),
    "capicua_blocks": say("the capicúa blocked the chain too"),
    "recovery": say("won after trailing far behind"),
    "block_won": say("won a hand by a block"),
    "critical_block": say("locked the block that ended the match"),
    "strength": say("the gap between the two sides' ratings"),
}
"""What each term of the performance modifier is awarded for; `{pips}` is the ruleset's `viajera_from`."""

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
"""The same, for those who did not play it."""
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


def journal_reason(cause: str, event: str, match: str | None) -> str:
    """Why a rating moved. `event` is the name of the event behind it; `match` names the match, None: several."""
    if cause in OTHER_RULES:
        return spoken(OTHER_RULES[cause])
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
    """A message in the language that is spoken."""
    values, sentence = dict(message.values), SENTENCES[message.key]
    values |= {name: _named(name, values[name], names) for name in PEOPLE if name in values}
    if "competition" in values:
        values["competition"] = competition_in_words(str(values["competition"]))
    return say(sentence, **values) if isinstance(sentence, str) else sentence(**values)


def _named(name: str, value: Any, names: Names) -> str:
    """The players or the pairs of a message by name."""
    if name == "sides":
        return match_in_words(value, names)
    return people_in_words(value if isinstance(value, tuple) else (value,), names)


def document_of(explained: Explanation, names: Names) -> dict[str, Any]:
    """An explanation as plain values, its messages in words; beside the statement the ids that it names."""
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


# ---------------------------------------------------------------- sentences with parts that depend on the values


def _hand(text: str) -> Callable[..., str]:
    """A sentence with the points of a hand."""
    return lambda *, points, **of: say(text, points=_score(points), **of)


def _match_won(*, score: tuple[int, ...] | None, status: str, **of: Any) -> str:
    # Of several individuals one gave up.
    among = "forfeited_by_one" if status == "forfeited" and of["mode"] == "individuals" else status
    return say(MATCH_WON[among, score is not None], score=_score(score or ()), **of)


MATCH_WON = {
    ("completed", True): say("{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition})."),
    ("completed", False): say("{subject} won against {opponents} ({ruleset}, {mode}, {competition})."),
    ("cut_short", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); play was stopped early."
    ),
    ("cut_short", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); play was stopped early."
    ),
    ("forfeited", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); the other side gave up."
    ),
    ("forfeited", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); the other side gave up."
    ),
    ("forfeited_by_one", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); one of them gave up."
    ),
    ("forfeited_by_one", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); one of them gave up."
    ),
    ("announced", True): say(
        "{subject} won {score} against {opponents} ({ruleset}, {mode}, {competition}); only the result was recorded."
    ),
    ("announced", False): say(
        "{subject} won against {opponents} ({ruleset}, {mode}, {competition}); only the result was recorded."
    ),
}
"""By the status of the match, and whether it has a score."""


def _rating_changed(*, score: tuple[int, ...] | None, **of: Any) -> str:
    text = RATING_CHANGED[bool(of["outcome"]), score is not None]
    return say(text, score=_score(score or ()), formula=_formula(**of), **of)


def _rating_by_forfeit(**of: Any) -> str:
    return say(RATING_BY_FORFEIT[bool(of["outcome"])], formula=_formula(**of), **of)


def _formula(
    *, before: float, k: float, outcome: float, modifier: float, expected: float, after: float, **_of: Any
) -> str:
    """The rating's formula with its numbers, rounded for people."""
    sign = "-" if modifier < 0 else "+"
    inner = f"({figure(outcome)} {sign} {figure(abs(modifier))}) - {rating(expected, 4)}"
    return f"{rating(before, 2)} + {figure(k)} x ({inner}) = {rating(after, 2)}"


RATING_CHANGED = {
    (True, True): say("{subject} won {score} against {opponents} ({ruleset}, {mode}): {formula}."),
    (True, False): say("{subject} won against {opponents} ({ruleset}, {mode}): {formula}."),
    (False, True): say("{subject} lost {score} against {opponents} ({ruleset}, {mode}): {formula}."),
    (False, False): say("{subject} lost against {opponents} ({ruleset}, {mode}): {formula}."),
}
"""By whether the match was won, and whether it has a score."""

RATING_BY_FORFEIT = {
    True: say("{subject} won against {opponents} ({ruleset}, {mode}), who gave up, so M is 0: {formula}."),
    False: say("{subject} gave up against {opponents} ({ruleset}, {mode}), so M is 0: {formula}."),
}
"""By whether the match was won."""


def _with_value(text: str) -> Callable[..., str]:
    """A sentence with a value of a board."""
    return lambda *, value, **of: say(text, value=figure(value), **of)


def _badge(text: str) -> Callable[..., str]:
    """A sentence about a badge, in which `{what}` is what the badge is given for."""

    def sentence(*, measure: str, threshold: int, reached: float = 0, **of: Any) -> str:
        return say(text, what=BADGES[measure].in_words(threshold, of), reached=figure(reached), **of)

    return sentence


def _score(points: tuple[int, ...]) -> str:
    return "-".join(map(str, points))


SENTENCES: Mapping[MessageKey, str | Callable[..., str]] = {
    # statements
    "hand_scored": _hand(say("Hand {hand} of {sides} ({ruleset}) scored {points}.")),
    "hand_after_end": _hand(
        say("Hand {hand} of {sides} ({ruleset}) scored {points}, which do not count: the match had already ended.")
    ),
    "hand_of_forfeited_match": _hand(
        say(
            "Hand {hand} of {sides} ({ruleset}) scored {points}. A side gave up the match, so nothing but the score of "
            "the hand counts."
        )
    ),
    "hand_of_voided_match": say("Hand {hand} of {sides} ({ruleset}) scores nothing: the match was voided."),
    "match_won": _match_won,
    "match_voided": say("The match {sides} ({ruleset}, {mode}, {competition}) was voided: it counts for nothing."),
    "match_pending": say("The match {sides} ({ruleset}, {mode}, {competition}) has ended, and awaits confirmation."),
    "match_open": say("The match {sides} ({ruleset}, {mode}, {competition}) is open."),
    "rating_changed": _rating_changed,
    "rating_by_forfeit": _rating_by_forfeit,
    "rating_of_voided_match": say("{subject} has no rating change by the match against {opponents}: it was voided."),
    "badge_by_match": _badge(say("{subject} earned {badge} ({what}) in the match against {opponents}.")),
    "badge_by_month": _badge(say("{subject} earned {badge} ({what}) when the month {month} was closed.")),
    "badge_not_held": _badge(say("{subject} does not hold {badge} ({what}): {reached} reached.")),
    "place_with_rank": _with_value(say("{subject} has rank {rank} on the board {board}, with {value}.")),
    "place_provisional": _with_value(
        say("{subject} is provisional on the board {board}, without a rank, with {value}.")
    ),
    "standing": say("{subject} has {total} points in the series of {month} ({mode})."),
    # formulas
    "sum_by_side": say("the {unit} of a side are the sum of its terms"),
    "sum_is_total": say("the total is the sum of the terms"),
    "sum_is_value": say("the value is the sum of the terms in {unit}"),
    "sum_against_threshold": say("the sum of the terms, compared with the threshold"),
    "rating_formula": say("before + k * ((outcome + M) - expected), where M is the sum of the terms in units of M"),
    "share": say("{counted} / {per}"),
    # terms of a hand and a match
    "hand_term": lambda term: spoken(HAND_TERMS[term].label),
    "hand_term_stated": lambda term: say("{what}; the score sheet names the winner", what=HAND_TERMS[term].label),
    "hand_of_match": say("hand {hand}"),
    "reset_by_hand": lambda hand: say("hand {hand}: {label}", hand=hand, label=HAND_TERMS["reset"].label),
    "announced": say("the score that the table announced"),
    # terms of a rating change
    "rating_before": say("the rating before the match"),
    "won": say("the match was won"),
    "lost": say("the match was lost"),
    "modifier_term": lambda term, **values: say(MODIFIER_TERMS[term], **values),
    "cap": say("the terms add up to {total}, which is beyond the cap"),
    "expected": say("the score to be expected from the ratings before the match"),
    "k_rule": lambda rule: spoken(K_RULES[rule]),
    # terms of a badge
    "badge_threshold": say("what earns the badge"),
    "counted_before": say("before the match that earned it"),
    "counted_in_match": say("in the match that earned it"),
    "counted_until_now": say("up to now"),
    "longest_streak": say("the longest so far"),
    "rating_after": say("the rating after the match"),
    "highest_rating": say("the highest rating so far, once established"),
    "month_won": say("first in {month} in {mode}"),
    "unbeaten_month": say("no loss in {month}, in {games} games that count"),
    # terms of a place
    "rating_in_mode": say("the rating in {mode}"),
    "weighted_rating": lambda mode, weight: say(
        "the rating in {mode}, times its weight {weight}", mode=mode, weight=figure(weight)
    ),
    "counted_in_all": say("in all decided matches"),
    "rank": say("1, plus the {above} with a higher value; equal values share a rank"),
    "provisional": say(
        "rated matches; a rating with fewer than the setting is provisional: it follows the ranks, by value"
    ),
    "last_match": say("days since the last match that counts for the board"),
    # terms of a standing
    "start": say("points at the beginning of the month"),
    "series_points": say("series points from the games against them"),
    "game_points": say("game points from the games against them"),
    "competitive": say("competitive games do not count"),
    "casual": say("casual games do not count"),
    "special": say("games of special tournaments do not count"),
    "beyond_limit": say("games after the pair was locked for the month do not count"),
    # corrections
    "hand_corrected": say("hand {hand} was corrected"),
    "end_taken_back": say("the end was taken back"),
    "match_was_voided": say("the match was voided"),
}
"""By key, the sentence with its values in braces, or a function of them."""
