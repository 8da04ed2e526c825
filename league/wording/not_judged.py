"""What was not judged, in words."""

from league.domain.bonuses import HAND_TERMS
from league.domain.not_judged import ANNOUNCED, HAND, WINNER, NotJudged
from league.domain.sentences import say
from league.wording.language import _, spoken
from league.wording.reasons import MODIFIER_TERMS

FACTS = {
    "announced.score": say("the announced score"),
    "announced.winner": say("the announced winner"),
    "ended.blocks_too": say("whether nobody could have moved after the last tile"),
    "ended.ends_equal": say("whether both ends were equal after the last tile"),
    "ended.fits_both_ends": say("whether the last tile could have gone on either end"),
    "ended.locker": say("which seat locked the hand"),
    "ended.tile": say("the last tile"),
    "passes.corridos": say("which seats made a pase corrido"),
    "passes.drew": say("which seats drew from the boneyard"),
    "passes.opening_pass": say("whether there was a pase primera mano that scores"),
    "starter": say("which seat started"),
}
"""By the path of a fact, what it tells. `leftover.N` is what seat N still held."""

RULES = {
    **MODIFIER_TERMS,
    **{name: term.label for name, term in HAND_TERMS.items()},
    WINNER: say("who won the hand"),
    ANNOUNCED: say("what the table announced"),
    HAND: say("a hand after the end of the match"),
}
"""By rule, what it judges."""


def fact_in_words(at: str | None) -> str:
    """What a fact tells; None: all the hands."""
    if at is None:
        return _("the hands of the match")
    name, *seat = at.split(".")
    return _("what seat {seat} still held", seat=seat[0]) if name == "leftover" else spoken(FACTS[at])


def not_judged_in_words(found: NotJudged) -> str:
    """What was not judged, and what would be needed."""
    rule = spoken(RULES[found.rule]).partition(":")[0]
    match found.why:
        case "unknown":
            return _("Not judged: {rule}. For that, record {at}.", rule=rule, at=fact_in_words(found.at))
        case "not_played":
            return _("Not used: {rule}. The ruleset does not play it.", rule=rule)
        case "facts_hold":
            return _(
                "Not used: {at}. The facts of the hands say something else, and they hold.", at=fact_in_words(found.at)
            )
        case "after_end":
            return _("Not judged: the hand. It came after the end of the match, and counts for nothing.")
