"""The terms of explanations and the rules behind them in plain words, by their names."""

from collections.abc import Mapping

from league.domain.bonuses import HAND_TERMS
from league.domain.sentences import joined, say
from league.projections.boards.achievements import AchievementBoard
from league.projections.boards.definitions import BOARDS
from league.wording.reasons import MODIFIER_TERMS

SCORING_RULES: Mapping[str, str] = {name: term.label for name, term in HAND_TERMS.items()}
"""What each rule gives points for."""

MODIFIER_RULES: Mapping[str, str] = {
    name: say(text, pips=say("the ruleset's `viajera_from`")) for name, text in MODIFIER_TERMS.items()
}
"""What each rule adds to the modifier M for."""

_COUNTED = {count for board in BOARDS.values() if isinstance(board, AchievementBoard) for count in board.counts}

_OTHERS = {
    # of a match
    "hand": say("what a hand gave to a side"),
    "announced": say("the score that the table announced"),
    # of a rating change
    "before": say("the rating before the match; of a badge what had counted before the match that earned it"),
    "outcome": say("whether the match was won"),
    "cap": say("what the cap cuts off M"),
    "expected": say("the score to be expected from the ratings before the match"),
    "k": say("how far one match can move the rating"),
    # of a badge
    "added": say("what counted in the match that earned the badge"),
    "month": say("a month that counts for the badge"),
    "rating": say("the rating that earned the badge, or the highest so far"),
    "threshold": say("what earns the badge"),
    # of a place
    "1v1": say("the rating in matches of two players"),
    "2v2": say("the rating in matches of two pairs"),
    "rank": say("the rank with who is next to it"),
    "provisional": say("rated matches that are too few for a rank"),
    "active": say("days since the last match that counts for the board"),
    **dict.fromkeys(sorted(_COUNTED), say("what the board counts, in all decided matches")),
    # of a standing
    "start": say("points at the beginning of the month"),
    "series_points": say("series points from the games against an opponent"),
    "game_points": say("game points from the games against an opponent"),
    "competitive": say("competitive games that do not count"),
    "casual": say("casual games that do not count"),
    "special": say("games of special tournaments that do not count"),
    "beyond_limit": say("games after the two were locked for the month, which do not count"),
}

TERMS: Mapping[str, str] = {
    name: joined("; ", dict.fromkeys(one[name] for one in (SCORING_RULES, MODIFIER_RULES, _OTHERS) if name in one))
    for name in {**SCORING_RULES, **MODIFIER_RULES, **_OTHERS}
}
"""What each term of an explanation is."""
