"""Candidates in words: the title that a replay, or the edition that it became, has until somebody names it."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from league.domain.rules import Rulebook
from league.domain.sentences import Sentence, joined, say, say_count
from league.projections.queries.candidates import EditionTitle, Revision, RuleChange
from league.wording.language import spoken
from league.wording.numbers import date_of
from league.wording.rulebook import plain_value, setting_in_words

MOST_NAMED = 2
"""How many changes a title names."""
LONGEST_VALUE = 20
"""Characters of a value that a title tells. A longer value, such as a list of steps, is only said to change."""


def title_of(revision: Revision, rules_title: str | None) -> str | None:
    """The title of a replay that nobody has named; None if it changes nothing.

    `rules_title`: the title of the revised edition, used where it is not known what the edition revises.
    """
    if revision.restores is not None:
        day = date_of(revision.restores.adopted_at)
        titles = joined(", ", map(title_of_edition, revision.restores.titles))
        return spoken(say("Back to the rules of {day}: {titles}", day=day, titles=titles))
    if revision.after is None:
        return None
    changes = revision.changes
    if not changes:
        return spoken(say(rules_title)) if rules_title else None
    parts = [*_parts(changes, revision.after)]
    if not parts:
        return spoken(say("Other titles and descriptions"))
    named, others = parts[:MOST_NAMED], len(parts) - MOST_NAMED
    title = joined("; ", named)
    if others > 0:
        title = say_count("{changes} and {count} more", "{changes} and {count} more", others, changes=title)
    said = spoken(title)
    return said[:1].upper() + said[1:]


def title_of_edition(title: EditionTitle) -> str:
    """The title of an edition: that of its change where an earlier edition has its title."""
    return title_of(title.revision, title.title) or spoken(say(title.title))


def _parts(changes: Sequence[RuleChange], after: Rulebook) -> Iterator[str]:
    """The changes in words, the largest first; a ruleset that is new is one change. Titles are left out."""
    new = {name for name in after.rulesets if _is_new(name, changes)}
    for name in sorted(new):
        yield say("new ruleset {title}", title=say(after.rulesets[name].title))
    for key, old, value in sorted(changes, key=_size, reverse=True):
        section, _, rest = key.partition(".")
        ruleset = rest.partition(".")[0] if section == "rulesets" else None
        decides = setting_in_words(key)
        if decides and ruleset not in new:
            change = _change(decides, old, value)
            yield change if ruleset is None else _in_ruleset(after, ruleset, change)


def _is_new(name: str, changes: Sequence[RuleChange]) -> bool:
    """Whether a ruleset is not in the edition before: every ruleset has a title there."""
    return any(key == f"rulesets.{name}.title" and old is None for key, old, _ in changes)


def _in_ruleset(after: Rulebook, name: str, change: Sentence) -> Sentence:
    found = after.rulesets.get(name)
    return say("{ruleset}: {change}", ruleset=say(found.title) if found else name, change=change)


def _change(decides: str, old: Any, value: Any) -> Sentence:
    before, after = plain_value(old), plain_value(value)
    if max(len(spoken(before)), len(spoken(after))) > LONGEST_VALUE:
        return say("{decides} changes", decides=decides)
    return say("{decides} {before} → {after}", decides=decides, before=before, after=after)


def _size(change: RuleChange) -> float:
    """How large a change is: of numbers as a share of the larger one, 1 for all else."""
    _, old, value = change
    if not all(isinstance(one, int | float | Decimal) and not isinstance(one, bool) for one in (old, value)):
        return 1.0
    return float(abs(value - old) / max(abs(old), abs(value)))
