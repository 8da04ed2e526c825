"""House rules in words: refusals that a form shows, what they change, and whose title they would repeat."""

import re

import pytest

from league.domain.collected_refusals import InvalidRulebook
from league.domain.rulebook import parse_rulebook
from league.rulebook import shipped_edition
from league.wording.house_rules import called, description_of
from league.wording.language import speaking, spoken
from league.wording.rulebook import fault_in_words

EDITION = shipped_edition()
HEAD = '[rulesets.house-club]\nextends = "dominican-200"\ntitle = "Our house"\n'
BY_ENDING = 'hand_points = "by_ending"\n'
ENDING = "ending = { domino = 1, double = 2, both_ends = 3, double_both_ends = 4, block = 1 }\n"


@pytest.mark.parametrize(
    "settings",
    [
        f"{HEAD}{BY_ENDING}",
        f"{HEAD}{ENDING}",
        f"{HEAD}{BY_ENDING}{ENDING}capicua_doubles = true",
        f"{HEAD}{BY_ENDING}{ENDING}target = 900000",
        f'{HEAD}scoring = "hands"\nreset = "off"\ncapicua_doubles = true',
        f"{HEAD}target = 0",
        f"{HEAD}target = 2000000",
        f"{HEAD}bonuses.capicua = -1",
        f"{HEAD}tiles_each = 9",
        f"{HEAD}{BY_ENDING}{ENDING.replace('domino = 1', 'domino = -1', 1)}",
        "rating.cap = -1",
        "rating.cap = { below = -1, above = 1 }",
    ],
)
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_refusal_for_a_form_has_no_names_of_a_document(settings: str, language: str) -> None:
    """It says the words that the form's labels and choices have."""
    with pytest.raises(InvalidRulebook) as refused, speaking(language):
        parse_rulebook(settings, EDITION)
    with speaking(language):
        for fault in refused.value.problems:
            said = fault_in_words(fault.reason)
            assert not re.search(r"[a-z]_[a-z]|`|\bfalse\b|\bscoring\b|-1000000", said), said
            assert "{" not in said


def test_a_refusal_says_the_labels_of_the_settings_that_it_means() -> None:
    """In the document's words for a document, in a form's words for a form."""
    with pytest.raises(InvalidRulebook) as refused:
        parse_rulebook(f"{HEAD}{ENDING}", EDITION)
    [fault] = refused.value.problems
    assert spoken(fault.reason) == "is read only where hand_points is by_ending: set that, or switch this off"
    assert fault_in_words(fault.reason) == (
        "is read only where “the winner of a hand scores” is “a number by the way in which the hand ended”: set that, "
        "or switch this off"
    )


@pytest.mark.parametrize("title", ["Dominicano, 200", "DOMINICANO,  200", "dominican, 200", "Dominicáno, 200"])
def test_a_title_that_another_ruleset_has_in_some_language_is_found(title: str) -> None:
    """Case, accents and spaces do not count. The house ruleset itself may have it."""
    assert called(title, EDITION.rulesets, but="house-x") in ("Dominicano, 200", "Dominican, 200")
    assert called(title, EDITION.rulesets, but="dominican-200") is None
    assert called("El Patio", EDITION.rulesets, but="house-x") is None


def test_house_rules_without_a_description_say_what_they_change_in_their_base() -> None:
    """In the language of the reader; a bonus that is off is said to be off, and not to be missing."""

    def told(settings: str) -> str:
        rulebook = parse_rulebook(f"{HEAD}{settings}", EDITION)
        return spoken(description_of("house-club", rulebook.rulesets["house-club"], rulebook))

    some = 'target = 150\nblock_tie = "next_starts"\nbonuses.chuchazo = false\nbonuses.double_out = 10'
    with speaking("es"):
        assert told("").startswith("Como Dominicano, 200")
        said = told(some)
        assert said.startswith("Como Dominicano, 200, pero: ")
        assert all(part in said for part in ("200 → 150", "50 → no se da", "no se da → 10"))
        assert "(no está)" not in told(f"{BY_ENDING}{ENDING}")
    assert told('description = "As in the patio."') == "As in the patio."
    assert told(f"{BY_ENDING}{ENDING}target = 12").endswith("; and 1 more.")
