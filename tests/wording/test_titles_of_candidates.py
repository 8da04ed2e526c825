"""The titles that candidates have until somebody names them."""

from datetime import UTC, datetime

import pytest

from league.domain.rulebook import parse_rulebook
from league.projections.queries.candidates import EditionTitle, RestoredTimeline, Revision
from league.rulebook import shipped_edition
from league.wording.candidates import title_of
from league.wording.language import speaking

EDITION = shipped_edition()
PROVISIONAL = "[rating.k]\nprovisional = 32\n"


def revision(toml: str) -> Revision:
    return Revision(EDITION, parse_rulebook(toml, EDITION))


@pytest.mark.parametrize(("toml", "title"), [
    (PROVISIONAL, "K while provisional 40 → 32"),
    (f"{PROVISIONAL}standard = 10", "K of all others 20 → 10; K while provisional 40 → 32"),
    (f"{PROVISIONAL}standard = 10\ncasual = 9\n[series]\nlimit = 5",
     "K of all others 20 → 10; K while provisional 40 → 32 and 2 more"),
    ('title = "Calmer"', "Calmer"),
    (f'title = "Calmer"\n{PROVISIONAL}', "K while provisional 40 → 32"),
    ("[rulesets.cuban-150]\ntarget = 200", "Cuban, 150: ends at 150 → 200"),
    ('[rulesets.cuban-200]\nextends = "cuban-150"\ntitle = "Cuban, 200"\ntarget = 200',
     "New ruleset Cuban, 200"),
])  # fmt: skip
def test_a_title_names_the_two_largest_changes(toml: str, title: str) -> None:
    """Changes of numbers are as large as their share of the number; titles count only where nothing else changes."""
    assert title_of(revision(toml), "Calmer") == title


def test_a_title_is_in_the_language_of_its_reader() -> None:
    """It is made when it is read."""
    with speaking("es"):
        assert title_of(revision(PROVISIONAL), None) == "K mientras es provisional 40 → 32"


def test_a_restored_timeline_is_named_by_its_day_and_its_editions() -> None:
    """So that its reader knows which rules come back."""
    restores = RestoredTimeline(datetime(2026, 3, 3, 12, tzinfo=UTC), (EditionTitle("Club rules 2026"),))
    found = title_of(Revision(EDITION, EDITION, restores), None)
    assert found == "Back to the rules of Mar 3, 2026: Club rules 2026"


def test_what_is_not_known_to_revise_anything_has_the_title_of_its_rules() -> None:
    """A candidate of an earlier version may lack the edition that it revises; a replay without rules has no title."""
    assert title_of(Revision(None, EDITION), "Calmer") == "Calmer"
    assert title_of(Revision(), None) is None
