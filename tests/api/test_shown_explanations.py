"""Explanations over HTTP: one shape for hands, rating changes, standings, badges and places."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token

SHAPE = """fragment Why on Explanation { statement value unit formula notJudged edition { number }
  terms { name value unit text side clause settings { key value } facts { name value }
    because { matchId hand position } }
  facts { name value } events { position name recordedAt playedAt actor source idempotencyKey } }"""

HANDS = '{ match(id: "c-0002") { hands { number points explanation { ...Why } } } }' + SHAPE
CHANGES = '{ match(id: "c-0002") { ratingChanges { after explanation { ...Why } } } }' + SHAPE
PLACES = "{ board(kind: ONE_ON_ONE) { places(first: 3) { nodes { value explanation { ...Why } } } } }" + SHAPE
STANDINGS = (
    '{ seriesMonth(month: "2026-01") { standings(first: 3) { nodes { total explanation { ...Why } } } } }' + SHAPE
)
BADGES = '{ player(id: "p001") { badges { badge { threshold } explanation { ...Why } } } }' + SHAPE


def rows(season: Served, query: str, by: str | None = None) -> list[dict[str, Any]]:
    found: Any = season.ask(query, by)
    while isinstance(found, dict):
        (found,) = found.values()
    return list(found)


def test_a_hand_is_explained_by_its_terms(season: Served) -> None:
    """The terms of a side add up to its points; each has a clause, and its events are there."""
    for hand in rows(season, HANDS):
        why = hand["explanation"]
        points = [0] * len(hand["points"])
        for term in why["terms"]:
            points[term["side"]] += int(term["value"])
            assert term["clause"]
            assert term["because"][0]["position"] in [event["position"] for event in why["events"]]
        assert points == hand["points"]


@pytest.mark.parametrize(
    ("query", "number"),
    [(CHANGES, "after"), (PLACES, "value"), (STANDINGS, "total")],
    ids=["changes", "places", "series"],
)
def test_the_number_that_is_explained_is_the_one_that_is_shown(season: Served, query: str, number: str) -> None:
    """Under the edition that gave it, with the settings of the rules."""
    found = rows(season, query)
    assert found
    for row in found:
        why = row["explanation"]
        assert why["value"] == row[number]
        assert why["edition"] == {"number": 1}
        assert any(term["settings"] for term in why["terms"])


def test_a_badge_is_explained_by_what_was_counted(season: Served) -> None:
    """It had reached the threshold."""
    for badge in rows(season, BADGES):
        assert badge["explanation"]["value"] >= badge["badge"]["threshold"]


def test_who_wrote_an_event_is_shown_to_auditors_only(season: Served) -> None:
    """The actor and the source of the events behind; everybody sees the rest."""
    seen = [rows(season, HANDS, by)[0]["explanation"]["events"][0] for by in (None, token("auditor", sub="audit"))]
    assert [event["actor"] for event in seen] == [None, "test"]
    assert [event["source"] for event in seen] == [None, "import"]
    assert seen[0]["name"] == seen[1]["name"]
