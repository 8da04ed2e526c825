"""The facts that explanations give, in words: their names and their values."""

import re

from league.domain.sentences import Sentence, say
from league.wording.language import spoken, text_of
from league.wording.numbers import number

NAMES: dict[str, Sentence] = {
    "active_since": say("counts from"),
    "arithmetic": say("computed as"),
    "began_at": say("began"),
    "behind_at_most": say("behind by at most"),
    "blocks_too": say("blocks the chain too"),
    "by": say("by"),
    "capped": say("the cap cut it"),
    "closing_tile": say("last tile"),
    "competition": say("competition"),
    "corridos": say("pases corridos"),
    "corridos_by_side": say("pases corridos by side"),
    "decided_at": say("decided"),
    "drew": say("drew from the boneyard"),
    "earned_at": say("earned"),
    "ended_by": say("ended by"),
    "ends_equal": say("both ends are equal"),
    "fits_both_ends": say("fits both ends"),
    "games": say("games"),
    "hand": say("hand"),
    "hands": say("hands"),
    "last_decided_at": say("last match"),
    "locked": say("locked"),
    "locked_it": say("locked it"),
    "losses": say("lost"),
    "matches": say("matches"),
    "mode": say("mode"),
    "opening_pass": say("opening pass"),
    "opponents_average": say("average of the opponents"),
    "opponents_rating": say("rating of the opponents"),
    "other_side": say("opponent's rating"),
    "own_average": say("average of the own side"),
    "own_rating": say("rating of the own side"),
    "own_side": say("own side's rating"),
    "pair": say("pair"),
    "photo": say("photo"),
    "players_who_share_it": say("players who share it"),
    "provisional": say("provisional"),
    "rank": say("rank"),
    "rated_matches": say("rated matches"),
    "rated_matches_before": say("rated matches before"),
    "rating": say("rating"),
    "rating_before": say("rating before"),
    "rule": say("rule"),
    "ruleset": say("rules"),
    "score": say("score"),
    "score_before": say("score before"),
    "series_points": say("series points"),
    "shares_the_rank_with": say("shares the rank with"),
    "shown_as": say("shown as"),
    "side_that_won": say("side that won"),
    "starter": say("started"),
    "stated_capicua": say("capicúa, as stated"),
    "stated_winner": say("winner, as stated"),
    "status": say("status"),
    "the_last_of_them": say("the last of them"),
    "threshold": say("threshold"),
    "weight": say("weight"),
    "went_out": say("went out"),
    "wins": say("won"),
}

NUMBERED: dict[str, Sentence] = {
    "dealt to seat": say("dealt to seat {number}"),
    "leftover of seat": say("left at seat {number}"),
    "leftover of side": say("left on side {number}"),
    "seat": say("seat {number}"),
    "side": say("side {number}"),
}
"""Names that end with the number of a seat or a side."""

WORDS = {
    "yes": say("yes"),
    "no": say("no"),
    "none": say("none"),
    "not known": say("not known"),
    "domino": say("going out"),
    "block": say("a block"),
    "casual": say("casual"),
    "competitive": say("competitive"),
    "special": say("special tournament"),
    "provisional": say("provisional"),
    "standard": say("standard"),
    "veteran": say("veteran"),
    "open": say("open"),
    "completed": say("completed"),
    "forfeited": say("forfeited"),
    "voided": say("voided"),
    "match": say("once a match"),
}
"""Values that are words."""

_DECIMAL = re.compile(r"-?\d+\.\d+")
_NUMBERED = re.compile(r"(.+) (\d+)")


def value_in_words(value: str) -> str:
    """The value of a fact in the language that is spoken: long fractions with two places, seats and sides in words."""
    if _DECIMAL.fullmatch(value):
        return number(float(value), 2)
    if value in WORDS:
        return spoken(WORDS[value])
    return _numbered(value) or spoken(value)


def fact_in_words(name: str) -> str:
    """The name of a fact in the language that is spoken; a name that has no words yet without its underscores."""
    if name in NAMES:
        return spoken(NAMES[name])
    return _numbered(name) or spoken(name).replace("_", " ")


def _numbered(text: str) -> str | None:
    """A text such as `seat 2`; None for another one."""
    found = _NUMBERED.fullmatch(text)
    if found is None or found[1] not in NUMBERED:
        return None
    return text_of(NUMBERED[found[1]].template).format(number=found[2])
