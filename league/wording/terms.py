"""The terms of explanations, their units and the rules behind them in plain words, by their names."""

import re
from collections.abc import Mapping

from league.domain.bonuses import HAND_TERMS
from league.domain.sentences import joined, say
from league.projections.boards.definitions import BOARDS, AchievementBoard
from league.wording.language import _, spoken
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

LABELS: Mapping[str, str] = {
    "active": say("activity"),
    "added": say("added"),
    "announced": say("announced"),
    "before": say("before"),
    "beyond_limit": say("beyond the limit"),
    "block_won": say("block won"),
    "cap": say("cap"),
    "capicua": say("capicúa"),
    "capicua_blocks": say("capicúa that blocks"),
    "capicuas": say("capicúas"),
    "casual": say("casual"),
    "chuchazo": say("chuchazo"),
    "competitive": say("competitive"),
    "critical_block": say("critical block"),
    "differential": say("differential"),
    "domino_without_draw": say("domino without a draw"),
    "double_out": say("double out"),
    "expected": say("expected"),
    "first_hand": say("first hand"),
    "game_points": say("game points"),
    "hand": say("hand"),
    "hand_won": say("hand won"),
    "hands_won": say("hands won"),
    "k": say("K"),
    "key_bone": say("key bone"),
    "leftover": say("leftover"),
    "month": say("month"),
    "opening_pass": say("opening pass"),
    "outcome": say("outcome"),
    "pase_corrido": say("pase corrido"),
    "pollona": say("pollona"),
    "pollonas": say("pollonas"),
    "provisional": say("provisional"),
    "rank": say("rank"),
    "rating": say("rating"),
    "recovery": say("recovery"),
    "reset": say("reset"),
    "round_bonus": say("round bonus"),
    "series_points": say("series points"),
    "shutout": say("shutout"),
    "special": say("special tournament"),
    "start": say("start"),
    "strength": say("strength"),
    "threshold": say("threshold"),
    "viajera": say("viajera"),
    "viajeras": say("viajeras"),
}
"""By the name of a term, a short name for people; the modes have none."""

UNITS: Mapping[str, str] = {
    "blocks": say("blocks won"),
    "capicuas": say("capicúas"),
    "matches": say("matches"),
    "month_won": say("months won"),
    "pollonas": say("pollonas"),
    "rating": say("rating points"),
    "recoveries": say("recoveries"),
    "score": say("of a win"),
    "streak": say("wins in a row"),
    "threshold": say("at least"),
    "unbeaten_month": say("months without a loss"),
    "upset": say("upsets"),
    "viajeras": say("viajeras"),
    "wins": say("wins"),
}
"""By what a badge counts, the unit of the count."""

SOURCES = {
    "CDS text": say("CDS text"),
    "Caribbean text": say("Caribbean text"),
    "Cuban text": say("Cuban text"),
    "Dominican text": say("Dominican text"),
    "ToT text": say("ToT text"),
    "high K": say("high K"),
    "medium K": say("medium K"),
    "low K": say("low K"),
    "only competitive games count": say("only competitive games count"),
}
"""The texts that rules come from, and what names their sections."""


def label_of(term: str) -> str:
    """A short name of a term."""
    return spoken(LABELS.get(term, term))


def unit_in_words(unit: str) -> str:
    """The unit of a number; what badges count is known by the key of their measure, such as `recoveries_50`."""
    return spoken(UNITS.get(re.sub(r"_\d+$", "", unit), unit))


def clause_in_words(clause: str) -> str:
    """The section of a source text."""
    return re.sub("|".join(SOURCES), lambda found: _(SOURCES[found[0]]), clause)
