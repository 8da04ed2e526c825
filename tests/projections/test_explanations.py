"""Explanations of what three recorded seasons say: they add up, and their numbers are those of the exports."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, NamedTuple

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
from league.explanations.explanation import Explanation, Setting
from league.explanations.hands import explain_hand
from league.explanations.onward import explain_basis
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


class Explained(NamedTuple):
    """An exported row, and why it says so."""

    row: dict[str, Any]
    why: Explanation


def some(rows: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Rows at random, other ones each time; whoever fails names its row."""
    return random.sample(rows, min(most, len(rows)))


@pytest.fixture(scope="module")
def changes(seasons: str) -> list[Explained]:
    """A thousand rating changes of the seasons, explained."""
    with reading(seasons) as snapshot:
        rows = some(exported(seasons, "changes"), 1_000)
        return [Explained(row, explain_change(snapshot, row["match"], row["id"])) for row in rows]


@pytest.fixture(scope="module")
def hands(seasons: str) -> list[Explained]:
    """Some hands of the seasons, explained."""
    with reading(seasons) as snapshot:
        rows = some(exported(seasons, "hands"), 500)
        return [Explained(row, explain_hand(snapshot, row["match"], row["hand"])) for row in rows]


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


def test_a_thousand_changes_add_up_bit_for_bit(changes: list[Explained]) -> None:
    """The formula over the terms gives the rating after; every number is the export's. Each season has some of them."""
    assert len(changes) == 1_000
    for row, explained in changes:
        said = numbers(explained)
        m = float(sum((Decimal(str(term.value)) for term in explained.terms if term.unit == "M"), Decimal(0)))
        after = said["before"] + said["k"] * ((said["outcome"] + m) - said["expected"])
        assert after == row["after"] == explained.value, row
        assert m == row["modifier"], row
        rules = [{"rule": t.name, "value": t.value} for t in explained.terms if t.unit == "M" and t.name != "cap"]
        assert rules == row["modifier_terms"], row
        assert {name: said[name] for name in ("before", "k", "outcome", "expected")} == {
            name: row[name] for name in ("before", "k", "outcome", "expected")
        }, row
        assert row["position"] in [event.position for event in explained.events], row
    rulesets = {fact.value for _, explained in changes for fact in explained.facts if fact.name == "ruleset"}
    assert {ruleset.partition("-")[0] for ruleset in rulesets} >= {"cuban", "caribbean", "dominican"}


def test_every_term_of_a_change_rests_on_something(changes: list[Explained]) -> None:
    """Ratings and K on what had made them or on the match's opening, a cap on what the terms that it cut rest on."""
    for row, explained in changes:
        positions = {event.position for event in explained.events}
        for term in explained.terms:
            assert term.because, (row, term)
            assert all(basis.position in positions for basis in term.because), (row, term)
    assert "cap" in {term.name for _, explained in changes for term in explained.terms}


def test_the_rating_before_is_the_one_that_its_basis_explains(seasons: str, changes: list[Explained]) -> None:
    """The walk goes on: the change before ends where this one begins, and a newcomer begins where the rules say."""
    ends, begins = 0, 0
    with reading(seasons) as snapshot:
        for row, explained in changes[:250]:
            [before] = [term for term in explained.terms if term.name == "before"]
            [basis] = before.because
            earlier = explain_basis(snapshot, basis)
            if earlier is None:
                begins += 1
                assert before.settings == (Setting("rating.start", str(before.value).removesuffix(".0")),), row
            else:
                ends += 1
                assert (earlier.subject, earlier.value) == (row["id"], before.value), row
    assert ends
    assert begins


def test_terms_of_a_modifier_rest_on_the_hands_that_earned_them(changes: list[Explained]) -> None:
    """A block that was won rests on blocks of the winner, a viajera on hands with so many leftover pips."""
    earned = {"block_won", "viajera", "capicua", "recovery", "critical_block", "capicua_blocks"}
    terms = [term for _, explained in changes for term in explained.terms if term.name in earned]
    assert {"block_won", "capicua"} <= {term.name for term in terms}
    for term in terms:
        assert term.because
        assert all(basis.hand for basis in term.because), term


def test_the_terms_of_hands_add_up_to_their_points(hands: list[Explained]) -> None:
    """By side; each term names its rule's section and rests on an event that is told."""
    for row, explained in hands:
        points = [0] * len(row["points"])
        for term in explained.terms:
            points[term.side or 0] += int(term.value)
        assert points == row["points"], row
        positions = {event.position for event in explained.events}
        assert all(basis.position in positions for term in explained.terms for basis in term.because), row
        assert all(term.clause for term in explained.terms), row


def test_a_leftover_is_the_pips_of_the_seats_that_are_named(hands: list[Explained]) -> None:
    """The facts of the term `leftover` are just those seats whose pips the winner scores."""
    for row, explained in hands:
        for term in explained.terms:
            if term.name == "leftover":
                assert sum(int(fact.value.split()[0]) for fact in term.facts) == term.value, row


def test_the_terms_of_standings_add_up_to_their_totals(seasons: str) -> None:
    """Every game of the month is named once by what it counts for, also one that counts zero."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "standings"), 150):
            month = month_named(snapshot, row["mode"], row["month"], clock())
            explained = explain_standing(snapshot, month, row["id"])
            assert sum(term.value for term in explained.terms) == row["total"] == explained.value
            counting = [basis for term in explained.terms if term.name == "game_points" for basis in term.because]
            assert len(counting) == row["wins"] + row["losses"]
            zero = [b for term in explained.terms if term.name in {"casual", "beyond_limit"} for b in term.because]
            named = {basis.position for basis in (*counting, *zero)}
            assert named == {event.position for event in explained.events}
            assert len(named) == len(counting) + len(zero)


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
            positions = {event.position for event in explained.events}
            for term in explained.terms:
                assert term.because or not term.value, term
                assert all(basis.position in positions for basis in term.because)


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
