"""What was not judged, and what would be needed."""

from league.domain.bonuses import HAND_TERMS
from league.domain.not_judged import ANNOUNCED, HAND, PREVIOUS, WINNER, NotJudged
from league.domain.sentences import say
from league.wording.language import _, spoken
from league.wording.terms import MODIFIER_RULES

FACTS = {
    "announced.score": say("the announced score"),
    "announced.winner": say("the announced winner"),
    "ended.blocks_too": say("whether nobody could have moved after the last tile"),
    "ended.ends_equal": say("whether both ends were equal after the last tile"),
    "ended.fits_both_ends": say("whether the last tile could have gone on either end"),
    "ended.locker": say("which seat locked the hand"),
    "ended.seat": say("which seat went out"),
    "ended.tile": say("the last tile"),
    "passes.corridos": say("which seats made a pase corrido"),
    "passes.corridos_by_side": say("how many pases corridos each side made"),
    "passes.drew": say("which seats drew from the boneyard"),
    "passes.opening_pass": say("whether there was an opening pass that scores"),
    "leftover.0": say("what the first seat still held"),
    "leftover.1": say("what the second seat still held"),
    "leftover.2": say("what the third seat still held"),
    "leftover.3": say("what the fourth seat still held"),
    PREVIOUS: say("who won the hand before"),
    "side_leftover.0": say("how many pips the first side still held"),
    "side_leftover.1": say("how many pips the second side still held"),
    "side_leftover.2": say("how many pips the third side still held"),
    "side_leftover.3": say("how many pips the fourth side still held"),
    "starter": say("which seat started"),
    "stated_capicua": say("whether the score sheet claims a capicúa"),
    "stated_winner": say("which side won the hand, as the score sheet states it"),
}
"""By the path of a fact, what it tells. Paths number seats and sides from 0, which the words do not."""

RULES = {
    **MODIFIER_RULES,
    **{name: term.label for name, term in HAND_TERMS.items()},
    WINNER: say("who won the hand"),
    ANNOUNCED: say("what the table announced"),
    HAND: say("a hand after the end of the match"),
}
"""By rule, what it judges."""


def fact_in_words(at: str | None) -> str:
    """What a fact tells; None: all the hands."""
    return _("the hands of the match") if at is None else spoken(FACTS[at])


def rule_in_words(rule: str) -> str:
    """What a rule judges, by its name."""
    return spoken(RULES[rule]).partition(":")[0]


def not_judged_in_words(found: NotJudged) -> str:
    """What was not judged, and what would be needed."""
    rule, fact = rule_in_words(found.rule), fact_in_words(found.at)
    match found.why:
        case "unknown" if found.rule == WINNER and found.at != "stated_winner":
            return _(
                "Not judged: {rule}. For that, record {fact}, or the side that the score sheet names.",
                rule=rule, fact=fact,
            )  # fmt: skip
        case "unknown":
            return _("Not judged: {rule}. For that, record {fact}.", rule=rule, fact=fact)
        case "not_played":
            return _("Not used: {rule}. The ruleset does not play it.", rule=rule)
        case "facts_hold":
            return _("Not used: {fact}. The facts of the hands say something else, and they hold.", fact=fact)
        case "after_end":
            return _("Not judged: the hand. It came after the end of the match, and counts for nothing.")
