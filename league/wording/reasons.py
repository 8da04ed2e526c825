"""Sentences for people: the keys and parameters of reasons, put into words at the edge of the program."""

K_RULES = {
    "casual": "a casual match",
    "provisional": "a newcomer: few rated matches before this one",
    "special": "a special tournament",
    "veteran": "a highly rated veteran",
    "standard": "an established rating",
}
"""Why K is what it is, by the name of the rule that applied."""

MODIFIER_TERMS = {
    "differential": "the difference of the final score",
    "pollona": "pollona: the losers ended the match on 0",
    "viajera": "viajera: a hand with 100 or more leftover pips",
    "capicua": "capicúa: the closing tile matched both ends",
    "capicua_blocks": "the capicúa blocked the chain too",
    "recovery": "won after trailing far behind",
    "block_won": "won a hand by a block",
    "critical_block": "locked the block that ended the match",
    "strength": "the gap between the two sides' ratings",
}
"""What each term of the performance modifier stands for."""

HAND_TERMS = {
    "leftover": "leftover pips",
    "first_hand": "first hand of the match",
    "double_out": "went out with a double",
    "domino_without_draw": "went out without drawing",
    "block_won": "won the block",
    "shutout": "shutout",
    "capicua": "capicúa",
    "chuchazo": "chuchazo",
    "round_bonus": "round bonus",
    "opening_pass": "pase primera mano",
    "pase_corrido": "pase corrido",
    "hand_won": "hand won",
    "key_bone": "key bone",
    "reset": "the side behind won: back to 0-0",
}
"""What each term of a hand stands for."""


CORRECTIONS = {
    "match-voided/1": "voided",
    "match-reopened/1": "reopened",
    "hand-corrected/1": "corrected",
}
"""What happened to a match that had been rated, by the name of the event."""

OTHER_RULES = {
    "adoption": "Other rules were adopted for matches that had been rated.",
    "promotion": "A replay under other rules became the official league.",
    "rebuild": "The league was computed anew by a newer version of the program.",
}
"""Why ratings move without a match, by the cause."""


def journal_reason(cause: str, event: str, match: str | None) -> str:
    """Why a rating moved. `event` is the name of the event behind it; without a `match` it is about several."""
    if cause in OTHER_RULES:
        return OTHER_RULES[cause]
    matches, were = ("Several matches", "were") if match is None else (f"Match {match}", "was")
    what = CORRECTIONS.get(event)
    if cause == "ripple":
        done = what or "recorded late"
        return f"{matches} of other players {were} {done}; ratings that rest on it were computed anew."
    return f"{matches} {were} {what or 'decided'}."


def k_reason(rule: str) -> str:
    """Why K is what it is."""
    return K_RULES[rule]


def formula(before: float, k: float, outcome: float, modifier: float, expected: float, after: float) -> str:
    """The rating's formula with its numbers in it, rounded to show."""
    sign = "-" if modifier < 0 else "+"
    return f"{before:.2f} + {k:g} x (({outcome:g} {sign} {abs(modifier):g}) - {expected:.4f}) = {after:.2f}"
