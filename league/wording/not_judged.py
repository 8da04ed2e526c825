"""What was not judged, in English."""

from league.domain.bonuses import HAND_TERMS
from league.domain.not_judged import ANNOUNCED, HAND, WINNER, NotJudged
from league.wording.reasons import MODIFIER_TERMS

FACTS = {
    "announced.score": "the announced score",
    "announced.winner": "the announced winner",
    "ended.blocks_too": "whether nobody could have moved after the last tile",
    "ended.ends_equal": "whether both ends were equal after the last tile",
    "ended.fits_both_ends": "whether the last tile could have gone on either end",
    "ended.locker": "which seat locked the hand",
    "ended.tile": "the last tile",
    "passes.corridos": "which seats made a pase corrido",
    "passes.drew": "which seats drew from the boneyard",
    "passes.opening_pass": "whether there was a pase primera mano that scores",
    "starter": "which seat started",
}
"""By the path of a fact, what it tells. `leftover.N` is what seat N still held."""

RULES = {
    **{name: label.partition(":")[0] for name, label in MODIFIER_TERMS.items()},
    **{name: term.label for name, term in HAND_TERMS.items()},
    WINNER: "who won the hand",
    ANNOUNCED: "what the table announced",
    HAND: "a hand after the end of the match",
}
"""By rule, what it judges."""


def fact_in_words(at: str | None) -> str:
    """What a fact tells; None: all the hands."""
    if at is None:
        return "the hands of the match"
    name, _, seat = at.partition(".")
    return f"what seat {seat} still held" if name == "leftover" else FACTS[at]


def not_judged_in_words(found: NotJudged) -> str:
    """What was not judged, and what would be needed."""
    rule = RULES[found.rule]
    match found.why:
        case "unknown":
            return f"Not judged: {rule}. For that, record {fact_in_words(found.at)}."
        case "not_played":
            return f"Not used: {rule}. The ruleset does not play it."
        case "facts_hold":
            return f"Not used: {fact_in_words(found.at)}. The facts of the hands say something else, and they hold."
        case "after_end":
            return "Not judged: the hand. It came after the end of the match, and counts for nothing."
