"""Explanations of what three recorded seasons say: they add up, and their numbers are those of the exports."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from leagues import (
    EXAMPLES,
    at,
    catch_up,
    domino,
    empty_league,
    exported,
    own_database,
    played,
    reading,
    send,
    small_league,
)
from sqlalchemy import event

from league.bootstrap import clock
from league.domain.match import CorrectHand, OpenMatch, RecordHand, VoidMatch
from league.domain.refusals import NotFound
from league.explanations.badges import explain_badge
from league.explanations.explanation import Explanation
from league.explanations.hands import explain_hand
from league.explanations.places import explain_place
from league.explanations.rating_changes import explain_change
from league.explanations.standings import explain_standing
from league.projections.boards import ACHIEVEMENT_BOARDS, RATING_BOARDS, Board
from league.projections.reads.pages import PageOf
from league.projections.reads.places import read_places
from league.projections.reads.series import month_named
from league.projections.reads.snapshot import Snapshot
from league.recorded import import_season

SEASONS = ("cuban-2026", "caribbean-2026", "dominican-2026")


@pytest.fixture(scope="module")
def seasons(embedded_server: str) -> Iterator[str]:
    """The URL of a database with all three seasons, imported and projected; for reading."""
    with own_database(embedded_server) as url:
        with empty_league(url) as league:
            league.create("Liga", "America/Havana", "test")
            for season in SEASONS:
                import_season(EXAMPLES / season, league.store, clock, "test")
            catch_up(league)
        yield url


def some(rows: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    return random.Random(7).sample(rows, min(most, len(rows)))


@contextmanager
def statements(snapshot: Snapshot) -> Iterator[list[str]]:
    """What the database is asked meanwhile."""
    asked: list[str] = []

    def note(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        asked.append(statement)

    event.listen(snapshot.conn, "before_cursor_execute", note)
    try:
        yield asked
    finally:
        event.remove(snapshot.conn, "before_cursor_execute", note)


def numbers(explained: Explanation) -> dict[str, float]:
    return {term.name: term.value for term in explained.terms}


def test_a_thousand_changes_add_up_bit_for_bit(seasons: str) -> None:
    """The formula over the terms gives the rating after; every number is the export's."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "changes"), 1_000):
            explained = explain_change(snapshot, row["match"], row["id"])
            said = numbers(explained)
            m = float(sum((Decimal(str(term.value)) for term in explained.terms if term.unit == "M"), Decimal(0)))
            after = said["before"] + said["k"] * ((said["outcome"] + m) - said["expected"])
            assert after == row["after"] == explained.value
            assert m == row["modifier"]
            assert {name: said[name] for name in ("before", "k", "outcome", "expected")} == {
                name: row[name] for name in ("before", "k", "outcome", "expected")
            }
            assert row["position"] in [event.position for event in explained.events]


def test_the_terms_of_hands_add_up_to_their_points(seasons: str) -> None:
    """By side; each term names its rule's section and rests on an event that is told."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "hands"), 300):
            explained = explain_hand(snapshot, row["match"], row["hand"])
            points = [0] * len(row["points"])
            for term in explained.terms:
                points[term.side or 0] += int(term.value)
            assert points == row["points"]
            positions = {event.position for event in explained.events}
            assert all(basis.position in positions for term in explained.terms for basis in term.because)
            assert all(term.clause for term in explained.terms)


def test_a_leftover_is_the_pips_of_the_seats_that_are_named(seasons: str) -> None:
    """The facts of the term `leftover` are just those seats whose pips the winner scores."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "hands"), 200):
            explained = explain_hand(snapshot, row["match"], row["hand"])
            for term in explained.terms:
                if term.name == "leftover":
                    assert sum(int(fact.value.split()[0]) for fact in term.facts) == term.value


def test_terms_of_a_modifier_rest_on_the_hands_that_earned_them(seasons: str) -> None:
    """A block that was won rests on blocks of the winner, a viajera on hands with so many leftover pips."""
    earned = {"block_won", "viajera", "capicua", "recovery", "critical_block", "capicua_blocks"}
    seen = set()
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "changes"), 300):
            for term in explain_change(snapshot, row["match"], row["id"]).terms:
                if term.name in earned:
                    seen.add(term.name)
                    assert term.because
                    assert all(basis.hand for basis in term.because)
    assert {"block_won", "capicua"} <= seen


def test_the_terms_of_standings_add_up_to_their_totals(seasons: str) -> None:
    """Every game of the month is named once by what it counts for, also one that counts zero."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "standings"), 150):
            month = month_named(snapshot, row["mode"], row["month"], clock())
            explained = explain_standing(snapshot, month, row["id"])
            assert sum(term.value for term in explained.terms) == row["total"] == explained.value
            counting = [basis for term in explained.terms if term.name == "game_points" for basis in term.because]
            assert len(counting) == row["wins"] + row["losses"]
            zero = sum(term.name in {"casual", "beyond_limit"} for term in explained.terms)
            assert len(explained.events) == len(counting) + zero


def test_badges_were_earned_by_what_was_counted(seasons: str) -> None:
    """What was counted up to the match before lay below the threshold, and with the match that earned it no more."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "badges"), 300):
            explained = explain_badge(snapshot, row["id"], row["badge"])
            said = numbers(explained)
            assert explained.value is not None
            threshold = int(row["badge"].rpartition("-")[2])
            assert said["threshold"] == threshold <= explained.value
            if "before" in said:
                assert said["before"] < threshold
            assert explained.terms[-1].settings
            assert row["position"] in [event.position for event in explained.events]


@pytest.mark.parametrize("kind", [*RATING_BOARDS, *ACHIEVEMENT_BOARDS])
def test_places_rest_on_what_makes_their_value(seasons: str, kind: Any) -> None:
    """The ratings with their weights, or what was counted over all matches, give the value of the place."""
    board = Board(kind, include_inactive=True)
    with reading(seasons) as snapshot:
        for place in read_places(snapshot, board, PageOf(15)).rows:
            explained = explain_place(snapshot, board, place.id)
            parts = [term.value for term in explained.terms if term.name != "active"]
            assert (parts[0] / parts[1] if kind == "capicuas_per_hand" else sum(parts)) == place.value
            assert explained.value == place.value


@pytest.mark.parametrize("kind", ACHIEVEMENT_BOARDS)
def test_what_the_fold_has_counted_is_what_the_matches_add_up_to(seasons: str, kind: Any) -> None:
    """A board as of the latest match counts each match of a career; the present one reads what is kept."""
    with reading(seasons) as snapshot:
        assert snapshot.shown is not None
        for place in read_places(snapshot, Board(kind), PageOf(10)).rows:
            now, then = (explain_place(snapshot, Board(kind, as_of=at), place.id) for at in (None, snapshot.shown.at))
            assert now.terms == then.terms


def test_a_standing_takes_as_many_statements_however_many_games_there_are(seasons: str) -> None:
    """Also where some count zero."""
    with reading(seasons) as snapshot:
        taken: set[int] = set()
        for row in some(exported(seasons, "standings"), 40):
            month = month_named(snapshot, row["mode"], row["month"], clock())
            with statements(snapshot) as asked:
                explain_standing(snapshot, month, row["id"])
            taken.add(len(asked))
    assert len(taken) == 1, taken


def test_every_term_of_a_change_rests_on_something(seasons: str) -> None:
    """Ratings and K on what had made them or on the match's opening, a cap on what the terms that it cut rest on."""
    seen = set()
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "changes"), 200):
            explained = explain_change(snapshot, row["match"], row["id"])
            positions = {event.position for event in explained.events}
            for term in explained.terms:
                seen.add(term.name)
                assert term.because, term
                assert all(basis.position in positions for basis in term.because if basis.match), term
    assert "cap" in seen


def test_an_upset_rests_on_the_ratings_of_the_sides(seasons: str) -> None:
    """Only wins against a side whose average was so much higher are counted."""
    with reading(seasons) as snapshot:
        upsets = [row for row in exported(seasons, "badges") if row["badge"].startswith("upset")]
        for row in upsets[:3]:
            assert numbers(explain_badge(snapshot, row["id"], row["badge"]))["added"] == 1


def test_each_pase_corrido_rests_on_its_own_event(database_url: str) -> None:
    """The seats of two corridos, in the order in which they were recorded."""
    opening = OpenMatch("d1", "dominican-200", "2v2", "competitive", ("ana", "bea", "cira", "dora"), None, at(0))
    facts = msgspec.structs.replace(domino(0, (), 30, 20, 20), corridos=(2, 1))
    with small_league(database_url) as league:
        send(league, [opening, RecordHand("d1", facts, None, at(1))])
        catch_up(league)
        with reading(database_url) as snapshot:
            explained = explain_hand(snapshot, "d1", 1)
    corridos = [term for term in explained.terms if term.name == "pase_corrido"]
    assert [(term.side, term.facts[0].value) for term in corridos] == [(0, "2"), (1, "1")]
    recorded = [event.position for event in explained.events if event.name == "bonus-recorded/1"]
    assert [term.because[0].position for term in corridos] == recorded
    assert recorded[0] < recorded[1]


def test_a_corrected_hand_rests_on_the_correction(database_url: str) -> None:
    """Once it is folded: its facts are those of the correction, which is told too. A voided match has none."""
    with small_league(database_url) as league:
        send(league, played("c1", ("ana", "bea"), 1, domino(0, (), 30), domino(0, (), 130)))
        catch_up(league)
        position = send(league, [CorrectHand("c1", 2, domino(0, (), 140), "misread")])
        with reading(database_url) as snapshot:
            explained = explain_hand(snapshot, "c1", 2)
            assert [term.value for term in explained.terms] == [130]
            assert max(event.position for event in explained.events) < position
        catch_up(league)
        with reading(database_url) as snapshot:
            (leftover,) = explain_hand(snapshot, "c1", 2).terms
            assert (leftover.value, leftover.because[0].position) == (140, position)
            names = [event.name for event in explain_hand(snapshot, "c1", 2).events]
            assert names[-1] == "hand-corrected/1"
        send(league, [VoidMatch("c1", "never played")])
        catch_up(league)
        with reading(database_url) as snapshot, pytest.raises(NotFound):
            explain_hand(snapshot, "c1", 2)
