"""Notices in words: what changed, and what each part of a rating is."""

from league.domain.sentences import Sentence, say

CORRECTED = {
    "match-voided/1": say("Match {match} was voided"),
    "match-reopened/1": say("Match {match} was reopened"),
    "hand-corrected/1": say("A hand of match {match} was corrected"),
}
"""What happened to a match, by the name of the event."""

OTHER_RULES = {
    "promotion": say("Other rules are in force: {title}"),
    "rollback": say("Earlier rules are in force again: {title}"),
    "adoption": say("Other rules were adopted: {title}"),
}
"""What happened to the rules, by the kind of the notice."""


def changed(kind: str, title: str | None, match: str | None, event: str | None) -> Sentence:
    """What a notice tells of, without a full stop. `title`: of the rules; `event`: the name of a correction's event."""
    if kind == "correction":
        return say(CORRECTED[event or "hand-corrected/1"], match=match)
    return say(OTHER_RULES[kind], title=title)


def edition_in_words(number: int | None, title: str) -> Sentence:
    """An edition of the rules by its number and title: `edition 3, “Short evenings”`."""
    # A title may be a text of the program, as that of the shipped edition is.
    if number is None:
        return say(title)
    return say("edition {number}, “{title}”", number=number, title=say(title))
