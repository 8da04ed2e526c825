"""No sentence reaches a person with a brace in it: tables of templates are filled before they are said."""

from __future__ import annotations

import pytest

from league.cli.preview_tables import not_judged_lines
from league.domain.not_judged import HAND, WINNER, NotJudged
from league.domain.sentences import LANGUAGES, Language
from league.explanations.rating_changes import K_REASONS
from league.projections.replays.preview import NotJudgedRow
from league.wording import explanations, facts, rulebook
from league.wording.facts import FACTS, RULES, fact_at_in_words, not_judged_in_words, rule_in_words
from league.wording.language import speaking, spoken

WHYS = ("unknown", "not_played", "facts_hold", "after_end")
SAID_AS_THEY_ARE = {
    "RULES": RULES,
    "FACTS": FACTS,
    "SCORING_RULES": facts.SCORING_RULES,
    "MODIFIER_RULES": facts.MODIFIER_RULES,
    "TERMS": facts.TERMS,
    "LABELS": facts.TERM_LABELS,
    "UNITS": facts.UNITS,
    "SOURCES": facts.SOURCES,
    "K_REASONS": K_REASONS,
    "OTHER_RULES": explanations.OTHER_RULES,
    "MERGES": explanations.MERGES,
    "RATING": rulebook.RATING,
    "UNITS of rules": rulebook.UNITS,
}
"""Tables whose entries are shown without values of their place."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("table", SAID_AS_THEY_ARE)
def test_an_entry_that_is_said_as_it_is_has_no_brace(language: Language, table: str) -> None:
    """In both languages."""
    with speaking(language):
        said = [spoken(text) for text in SAID_AS_THEY_ARE[table].values()]
    assert [text for text in said if "{" in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_judged_is_said_without_braces(language: Language) -> None:
    """Each rule for each reason, alone and in the list of a preview."""
    found = [
        NotJudged(rule, why, at, 1)
        for rule in RULES for why in WHYS for at in ((None,) if why == "after_end" else FACTS)
    ]  # fmt: skip
    with speaking(language):
        said = [rule_in_words(one.rule) for one in found] + [fact_at_in_words(one.at) for one in found]
        said += map(not_judged_in_words, found)
        said += not_judged_lines([NotJudgedRow("m1", one) for one in found])
    assert {HAND, WINNER} < set(RULES)
    assert [text for text in said if "{" in text] == []
