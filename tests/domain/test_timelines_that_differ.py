"""The spans of play time for which two timelines have different editions."""

from __future__ import annotations

from datetime import UTC, datetime

from league.domain.timeline import OtherRules, replaced_edition, rules_that_differ

MARCH, MAY, JULY = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 5, 7))


def test_equal_timelines_differ_nowhere() -> None:
    """However they are cut into spans."""
    assert rules_that_differ([(None, "a")], [(None, "a"), (MARCH, "a")]) == []


def test_a_span_ends_where_both_have_the_same_edition_again() -> None:
    """A revision for a season leaves the time before and after it alone."""
    revised = [(None, "a"), (MARCH, "b"), (MAY, "a")]
    assert rules_that_differ([(None, "a")], revised) == [OtherRules(MARCH, MAY, "a", "b")]


def test_neighbours_with_the_same_two_editions_are_one_span() -> None:
    """Only another pair of editions begins another span."""
    first = [(None, "a"), (MAY, "c")]
    second = [(None, "b"), (MARCH, "b"), (JULY, "c")]
    assert rules_that_differ(first, second) == [OtherRules(None, MAY, "a", "b"), OtherRules(MAY, JULY, "c", "b")]


def test_an_adoption_is_named_by_the_first_edition_that_it_replaces() -> None:
    """The first timeline of all replaces nothing."""
    assert replaced_edition([(None, 1), (MAY, 2)], [(None, 1), (MARCH, 3), (MAY, 2)]) == (1, 3)
    assert replaced_edition([], [(None, 1)]) == replaced_edition([(None, 1)], [(None, 1), (MAY, 1)]) == (1, 1)
