"""The reasons behind ratings in plain words, by the keys that rows hold."""

from league.domain.sentences import say
from league.wording.language import _, spoken
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
            return _("Several matches, played by others, changed; ratings that rest on them were recomputed.")
        return _(RIPPLES.get(event, LATE), match=match)
    if match is None:
        return _("Several matches were decided or changed.")
    return _(CORRECTIONS.get(event, DECIDED), match=match)


def formula(before: float, k: float, outcome: float, modifier: float, expected: float, after: float) -> str:
    """The rating's formula with its numbers, rounded for people."""
    sign = "-" if modifier < 0 else "+"
    inner = f"({figure(outcome)} {sign} {figure(abs(modifier))}) - {rating(expected, 4)}"
    return f"{rating(before, 2)} + {figure(k)} x ({inner}) = {rating(after, 2)}"
