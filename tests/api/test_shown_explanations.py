"""Explanations over HTTP: one shape for hands, rating changes, standings, badges and places."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served, token
from leagues import domino, played, send

from league.api.graphql.executing import limits
from league.domain.match import CorrectHand
from league.domain.player import pseudonym

SHAPE = """fragment Why on Explanation { statement value unit formula notJudgedRules edition { number }
  terms { name value unit text side clause settings { key value } facts { name value }
    because { matchId hand position } }
  conditions { name value settings { key } facts { competitorId competitor { id } } }
  facts { name value competitorId } events { position name recordedAt playedAt actor source idempotencyKey } }"""

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
        assert any(term["settings"] for term in (*why["terms"], *why["conditions"]))


def test_a_badge_is_explained_by_what_was_counted(season: Served) -> None:
    """It had reached the threshold."""
    for badge in rows(season, BADGES):
        assert badge["explanation"]["value"] >= badge["badge"]["threshold"]


def test_who_wrote_an_event_is_shown_to_auditors_only(season: Served) -> None:
    """The actor and the source of the events behind; everybody sees the rest."""
    seen = [rows(season, HANDS, by)[0]["explanation"]["events"][0] for by in (None, token("auditor", sub="audit"))]
    assert [event["actor"] for event in seen] == [None, "test"]
    assert [event["source"] for event in seen] == [None, "IMPORT"]
    assert seen[0]["name"] == seen[1]["name"]


STATED = """query ($match: ID!, $at: BigInt) @readFrom(afterPosition: $at) { match(id: $match) {
  explanation { ...Said } hands { explanation { ...Said } } ratingChanges { explanation { ...Said } } } }
fragment Said on Explanation { statement people { id displayName } match { matchId } }"""


def stated(small: Served, match: str, position: int) -> list[str]:
    """The sentences about a match; each names those whose ids are beside it."""
    found = small.ask(STATED, match=match, at=str(position))["match"]
    said = [found["explanation"], *(row["explanation"] for row in (*found["hands"], *found["ratingChanges"]))]
    assert all(one["match"] == {"matchId": match} for one in said)
    assert all(who["id"] and who["displayName"] in one["statement"] for one in said for who in one["people"])
    assert [len(one["people"]) for one in said] == [2] * len(said)
    return [one["statement"].partition(":")[0] for one in said]


def test_a_statement_names_people_and_has_their_ids_beside_it(small: Served) -> None:
    """The opponents of a match, pairs by both names, and those who were erased by their pseudonym."""
    singles = send(small.league, played("s1", ("cira", "dora"), 1, domino(0, (), 80), domino(0, (), 80)))
    assert stated(small, "s1", singles) == [
        "Cira won 160-0 against Dora (Cuban, 150, 1v1, competitive).",
        "Hand 1 of Cira against Dora (Cuban, 150) scored 80-0.",
        "Hand 2 of Cira against Dora (Cuban, 150) scored 80-0.",
        "Cira won 160-0 against Dora (Cuban, 150, 1v1)",
        "Dora lost 0-160 against Cira (Cuban, 150, 1v1)",
    ]
    doubles = send(small.league, played("s2", ("cira", "eva", "dora", "flor"), 2, domino(1, 90, (), 80, 12)))
    erased = int(small.do("erasePlayer", token("admin"), player="flor")["position"])
    said = stated(small, "s2", max(doubles, erased))
    assert said[1] == f"Hand 1 of Cira & Dora against Eva & {pseudonym('flor')} (Cuban, 150) scored 0-170."
    assert "Flor" not in " ".join(said)


CORRECTED = """query ($match: ID!) { match(id: $match) { explanation { ...Told } hands { explanation { ...Told } } } }
fragment Told on Explanation { statement terms { name } corrections { text reason event { position name actor }
  changed { name before after competitorId competitor { id } } } }"""


def test_what_was_corrected_is_told_with_the_facts_before(small: Served) -> None:
    """To everybody; who did it and why to auditors only. A voided match and its hands say so."""
    keeper, auditor = token("scorekeeper", sub="kim"), token("auditor", sub="audit")
    send(small.league, played("x1", ("ana", "bea"), 1, domino(0, (), 30), domino(0, (), 130)))
    send(small.league, [CorrectHand("x1", 2, domino(0, (), 140), "misread")])
    done = small.do("voidMatch", keeper, match="x1", reason="never played")
    small.ask('query ($at: BigInt) @readFrom(afterPosition: $at) { match(id: "x1") { id } }', at=done["position"])
    for by, actor, reasons in ((None, None, [None, None]), (auditor, "kim", ["misread", "never played"])):
        match = small.ask(CORRECTED, by, match="x1")["match"]
        corrected, voided = match["explanation"]["corrections"]
        assert [corrected["reason"], voided["reason"]] == reasons
        assert voided["event"] == {"position": done["position"], "name": "match-voided/1", "actor": actor}
        [changed] = corrected["changed"]
        assert (changed["before"], changed["after"], changed["competitorId"]) == ("130 pips", "140 pips", "bea")
        assert changed["competitor"]["id"]
        first, second = (hand["explanation"] for hand in match["hands"])
        assert [one["text"] for one in first["corrections"]] == ["the match was voided"]
        assert second["corrections"] == [corrected, voided]
        assert (first["terms"], match["explanation"]["terms"]) == ([], [])


def test_long_lists_say_what_they_leave_out(season: Served) -> None:
    """What the matches that are named add, and what the others do, is the number."""
    query = """{ board(kind: CAPICUAS) { places(first: 5) { nodes { explanation { terms { value leftOut
      because { adds } } conditions { name value facts { name competitor { id } } } } } } } }"""
    for row in rows(season, query):
        for term in row["explanation"]["terms"]:
            assert sum(basis["adds"] for basis in term["because"]) + term["leftOut"] == term["value"]
        [rank] = row["explanation"]["conditions"]
        assert rank["name"] == "RANK"
        assert all(fact["competitor"] for fact in rank["facts"] if fact["name"].startswith("next"))


def test_from_a_change_one_query_walks_to_the_deal(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """It walks by the hands that the terms rest on, and by those of the change that made the rating before."""
    monkeypatch.setattr(limits, "DEAREST", 100_000)
    walk = """query ($match: ID!, $of: ID!) { ratingChange(match: $match, of: $of) { explanation { terms { name
      because { matchId hand position event { position name } match { matchId }
        explanation { value facts { name } events { position }
          terms { name because { hand explanation { facts { name } } } } } } } } } }"""
    change = rows(season, '{ player(id: "p001") { ratingHistory(first: 1) { nodes { match { matchId } after } } } }')[0]
    why = season.ask(walk, match=change["match"]["matchId"], of="p001")["ratingChange"]["explanation"]
    terms = {term["name"]: term["because"] for term in why["terms"]}
    [before] = terms["BEFORE"]
    assert before["explanation"]["value"] == value_of(season, "before", change["match"]["matchId"])
    hands = [basis for because in terms.values() for basis in because if basis["hand"]]
    earlier = [basis for term in before["explanation"]["terms"] for basis in term["because"] if basis["hand"]]
    assert hands
    assert earlier
    for basis in (*hands, *earlier):
        assert "dealt to seat 0" in {fact["name"] for fact in basis["explanation"]["facts"]}
    for basis in (before, *hands):
        assert basis["event"]["position"] == basis["position"]
        assert basis["position"] in [event["position"] for event in basis["explanation"]["events"]]
        assert basis["match"]["matchId"] == basis["matchId"]


def value_of(season: Served, field: str, match: str) -> float:
    """A field of the change of p001 by a match."""
    asked = f'query ($m: ID!) {{ ratingChange(match: $m, of: "p001") {{ {field} }} }}'
    return float(season.ask(asked, m=match)["ratingChange"][field])


@pytest.mark.parametrize("levels", [3, 5])
def test_a_walk_without_end_is_refused(season: Served, levels: int) -> None:
    """Each level costs as many explanations as the terms of the level before rest on."""
    walk = "value"
    for _ in range(levels):
        walk = f"terms {{ because {{ explanation {{ {walk} }} }} }}"
    said = season.error(f'{{ ratingChange(match: "c-0414", of: "p001") {{ explanation {{ {walk} }} }} }}')
    assert said["extensions"]["code"] == "TOO_COMPLEX"


def test_the_deals_behind_many_standings_are_refused(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deals behind a few standings are allowed."""
    monkeypatch.setattr(limits, "DEAREST", 60_000)
    walk = "explanation { terms { because { match { hands { explanation { facts { value } } } } } } }"
    asked = '{{ seriesMonth(month: "2026-01") {{ standings(first: {}) {{ nodes {{ {} }} }} }} }}'
    assert season.ask(asked.format(1, walk))
    assert season.error(asked.format(20, walk))["extensions"]["code"] == "TOO_COMPLEX"
