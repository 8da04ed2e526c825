"""The reasons behind ratings in plain words, by the keys that rows hold."""

K_RULES = {
    "casual": "a casual match",
    "provisional": "a newcomer: few rated matches before this one",
    "special": "a special tournament",
    "veteran": "a highly rated veteran",
    "standard": "an established rating",
}
"""The reason for the value of K, by the name of the rule that applied."""

MODIFIER_TERMS = {
    "differential": "the difference of the final score",
    "pollona": "pollona: the losers ended the match on 0",
    "viajera": "viajera: a hand with {pips} or more leftover pips",
    "capicua": "a hand that ended with a capicúa",
    "capicua_blocks": "the capicúa blocked the chain too",
    "recovery": "won after trailing far behind",
    "block_won": "won a hand by a block",
    "critical_block": "locked the block that ended the match",
    "strength": "the gap between the two sides' ratings",
}
"""What each term of the performance modifier is awarded for; `{pips}` is the ruleset's `viajera_from`."""

CORRECTIONS = {
    "match-voided/1": "voided",
    "match-reopened/1": "reopened",
    "hand-corrected/1": "corrected",
}
"""What happened to a match that had been rated, by the name of the event."""

OTHER_RULES = {
    "adoption": "Other rules were adopted for matches that had been rated.",
    "promotion": "A replay under other rules became the official league.",
    "rebuild": "A newer version of the program recomputed the league.",
}
"""Why ratings move without a match, by the cause."""


def journal_reason(cause: str, event: str, match: str | None) -> str:
    """Why a rating moved. `event` is the name of the event behind it; `match` names the match, None: several."""
    if cause in OTHER_RULES:
        return OTHER_RULES[cause]
    matches, were = ("Several matches", "were") if match is None else (f"Match {match}", "was")
    what = CORRECTIONS.get(event)
    if cause == "ripple":
        done = what or "recorded late"
        return f"{matches}, played by others, {were} {done}; ratings that rest on it were recomputed."
    return f"{matches} {were} {what or 'decided'}."


def formula(before: float, k: float, outcome: float, modifier: float, expected: float, after: float) -> str:
    """The rating's formula with its numbers, rounded for people."""
    sign = "-" if modifier < 0 else "+"
    return f"{before:.2f} + {k:g} x (({outcome:g} {sign} {abs(modifier):g}) - {expected:.4f}) = {after:.2f}"
