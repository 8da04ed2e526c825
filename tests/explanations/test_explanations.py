"""Explanations of what three recorded seasons say: they add up, and their numbers are those of the exports."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import pytest
from databases import copy_of
from leagues import (
    THREE_SEASONS,
    adopt,
    announced,
    at,
    catch_up,
    domino,
    exported,
    league_at,
    opened,
    played,
    reading,
    send,
)
from sqlalchemy import event

from league.domain.hand import Closing, HandFacts
from league.domain.league import CloseMonth
from league.domain.match import CorrectHand, ForfeitMatch, OpenMatch, RecordHand, VoidMatch
from league.domain.player import MergePlayers
from league.domain.refusals import NotFound
from league.explanations.badges import explain_badge
from league.explanations.explanation import ChangedFact, Explanation, Fact, Setting
from league.explanations.hands import explain_hand
from league.explanations.matches import explain_match
from league.explanations.onward import explain_basis
from league.explanations.places import explain_place, explain_standing
from league.explanations.rating_changes import explain_change
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import BOARDS, AchievementBoard
from league.projections.queries.matches import facts_by_id
from league.projections.queries.pages import PageRequest
from league.projections.queries.places import PlaceRow, read_places
from league.projections.queries.series import counting_zero, month_named
from league.projections.queries.snapshot import Snapshot
from league.wording.explanations import words
from league.wording.facts import FACT_LABELS, FACT_LABELS_OF, TERMS, FactContext, fact_in_words, seats_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def seasons(embedded_server: str) -> Iterator[str]:
    """The URL of a database with all three seasons, imported and projected; for reading."""
    with copy_of(embedded_server, THREE_SEASONS) as url:
        yield url


ACHIEVED = [kind for kind, board in BOARDS.items() if isinstance(board, AchievementBoard)]


class Explained(NamedTuple):
    """An exported row, and its explanation."""

    row: dict[str, Any]
    why: Explanation


def some(rows: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Random rows, different ones each time; a failure names its row."""
    return random.sample(rows, min(most, len(rows)))


@pytest.fixture(scope="module")
def changes(seasons: str) -> list[Explained]:
    """Some rating changes of the seasons, explained."""
    with reading(seasons) as snapshot:
        rows = some(exported(seasons, "changes"), 100)
        return [Explained(row, explain_change(snapshot, row["match"], row["id"])) for row in rows]


@pytest.fixture(scope="module")
def hands(seasons: str) -> list[Explained]:
    """Some hands of the seasons, explained."""
    with reading(seasons) as snapshot:
        rows = some(exported(seasons, "hands"), 80)
        return [Explained(row, explain_hand(snapshot, row["match"], row["hand"])) for row in rows]


@contextmanager
def statements(snapshot: Snapshot) -> Iterator[list[str]]:
    """Collects the statements that the database gets meanwhile."""
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


def test_changes_add_up_bit_for_bit(changes: list[Explained]) -> None:
    """The formula over the terms gives the rating after; every number is the export's. Each season has some of them."""
    assert len(changes) == 100
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
    """Ratings and K rest on earlier changes or the match's opening, a cap on the bases of the terms that it cuts."""
    for row, explained in changes:
        positions = {event.position for event in explained.events}
        for term in explained.terms:
            assert term.name in TERMS, "the enum of the API has no such term"
            assert term.because, (row, term)
            assert all(basis.position in positions for basis in term.because), (row, term)
    assert "cap" in {term.name for _, explained in changes for term in explained.terms}


@pytest.mark.heavy
def test_the_rating_before_is_the_one_that_its_basis_explains(seasons: str, changes: list[Explained]) -> None:
    """The walk goes on: the change before ends where this one begins, and a newcomer begins where the rules say."""
    ends, begins = 0, 0
    with reading(seasons) as snapshot:
        for row, explained in changes[:100]:
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
    """They add up for each side. Each term names its rule's section and has an event."""
    for row, explained in hands:
        points = [0] * len(row["points"])
        for term in explained.terms:
            points[term.side or 0] += int(term.value)
        assert points == row["points"], row
        positions = {event.position for event in explained.events}
        assert all(basis.position in positions for term in explained.terms for basis in term.because), row
        assert all(term.clause and term.name in TERMS for term in explained.terms), row


def test_a_leftover_is_the_pips_of_the_seats_that_are_named(hands: list[Explained]) -> None:
    """The facts of the term `leftover` are just those seats whose pips the winner scores."""
    for row, explained in hands:
        for term in explained.terms:
            if term.name == "leftover":
                assert sum(int(fact.value.split()[0]) for fact in term.facts) == term.value, row


def test_the_terms_of_standings_add_up_to_their_totals(seasons: str) -> None:
    """Every game of the month is named once by what it counts for, also one that counts zero."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "standings"), 60):
            month = month_named(snapshot, row["mode"], row["month"])
            explained = explain_standing(snapshot, month, row["id"])
            assert sum(term.value for term in explained.terms) == row["total"] == explained.value
            counting = [basis for term in explained.terms if term.name == "game_points" for basis in term.because]
            assert len(counting) == row["wins"] + row["losses"]
            zero = [b for term in explained.terms if term.name in {"casual", "beyond_limit"} for b in term.because]
            named = {basis.position for basis in (*counting, *zero)}
            assert named == {event.position for event in explained.events}
            assert len(named) == len(counting) + len(zero)


@pytest.mark.heavy
def test_badges_were_earned_by_what_was_counted(seasons: str) -> None:
    """The count was below the threshold before the match that earned the badge, and reached it in that match."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "badges"), 100):
            explained = explain_badge(snapshot, row["id"], row["badge"])
            said = numbers(explained)
            assert explained.value is not None
            threshold = int(row["badge"].rpartition("-")[2])
            assert [term.value for term in explained.conditions] == [threshold]
            assert threshold <= explained.value
            if "before" in said:
                assert said["before"] < threshold
            assert explained.conditions[0].settings
            assert row["position"] in [event.position for event in explained.events]


@pytest.mark.parametrize("kind", [kind for kind, board in BOARDS.items() if not board.monthly])
def test_places_rest_on_what_makes_their_value(seasons: str, kind: Any) -> None:
    """The ratings with their weights, or what was counted over all matches, give the value of the place."""
    board = BoardKey(kind, include_inactive=True)
    with reading(seasons) as snapshot:
        for place in read_places(snapshot, PlaceRow, board, PageRequest(15)).rows:
            explained = explain_place(snapshot, board, place.id)
            parts = [term.value for term in explained.terms]
            assert (parts[0] / parts[1] if kind == "capicuas_per_hand" else sum(parts)) == place.value
            assert explained.value == place.value
            positions = {event.position for event in explained.events}
            for term in explained.terms:
                assert term.because or not term.value, term
                assert all(basis.position in positions for basis in term.because)


@pytest.mark.parametrize("kind", ACHIEVED)
def test_what_the_fold_has_counted_is_what_the_matches_add_up_to(seasons: str, kind: Any) -> None:
    """The board as of the latest match counts every match; the present board reads stored counts. They are equal."""
    with reading(seasons) as snapshot:
        assert snapshot.shown is not None
        for place in read_places(snapshot, PlaceRow, BoardKey(kind), PageRequest(10)).rows:
            now, then = (
                explain_place(snapshot, BoardKey(kind, as_of=at), place.id) for at in (None, snapshot.shown.at)
            )
            assert now.terms == then.terms


def test_a_standing_takes_as_many_statements_however_many_games_there_are(seasons: str) -> None:
    """This holds even if some games count zero."""
    with reading(seasons) as snapshot:
        taken: set[int] = set()
        for row in some(exported(seasons, "standings"), 40):
            month = month_named(snapshot, row["mode"], row["month"])
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


def test_each_pase_corrido_rests_on_its_own_event(league_url: str) -> None:
    """Two corridos name their seats in the order in which they were recorded."""
    opening = OpenMatch("d1", "dominican-200", "2v2", "competitive", ("ana", "bea", "cira", "dora"), None, at(0))
    facts = msgspec.structs.replace(domino(0, (), 30, 20, 20), corridos=(2, 1))
    with league_at(league_url) as league:
        send(league, [opening, RecordHand("d1", facts, None, at(1))])
        catch_up(league)
        with reading(league_url) as snapshot:
            explained = explain_hand(snapshot, "d1", 1)
    corridos = [term for term in explained.terms if term.name == "pase_corrido"]
    assert [(term.side, term.facts[0].value) for term in corridos] == [(0, "seat 2"), (1, "seat 1")]
    recorded = [event.position for event in explained.events if event.name == "bonus-recorded/1"]
    assert [term.because[0].position for term in corridos] == recorded
    assert recorded[0] < recorded[1]


def test_a_corrected_hand_rests_on_the_correction(league_url: str) -> None:
    """Once folded, its facts are the corrected ones; the correction lists the facts before and the reason."""
    with league_at(league_url) as league:
        send(league, played("c1", ("ana", "bea"), 1, domino(0, (), 30), domino(0, (), 130)))
        catch_up(league)
        position = send(league, [CorrectHand("c1", 2, domino(0, (), 140), "misread")])
        with reading(league_url) as snapshot:
            explained = explain_hand(snapshot, "c1", 2)
            assert [term.value for term in explained.terms] == [130]
            assert max(event.position for event in explained.events) < position
        catch_up(league)
        with reading(league_url) as snapshot:
            (leftover,) = explain_hand(snapshot, "c1", 2).terms
            assert (leftover.value, leftover.because[0].position) == (140, position)
            for explained in (explain_hand(snapshot, "c1", 2), explain_change(snapshot, "c1", "ana")):
                [correction] = explained.corrections
                assert (correction.entry.position, correction.entry.actor, correction.reason) == (
                    position,
                    "test",
                    "misread",
                )
                assert correction.changed == (ChangedFact("leftover of seat 1", "130 pips", "140 pips", "bea"),)
                assert position in [event.position for event in explained.events]
            assert explain_hand(snapshot, "c1", 1).corrections == ()


def test_a_match_of_a_merged_player_is_explained_as_theirs(league_url: str) -> None:
    """Hands, corrections and changes name the kept id in place of the one under which the player sat."""
    with league_at(league_url) as league:
        send(league, played("c1", ("ana", "bea"), 1, domino(0, (), 30), domino(0, (), 130)))
        send(league, CorrectHand("c1", 2, domino(0, (), 140), "misread"), MergePlayers("cira", "bea"))
        catch_up(league)
        with reading(league_url) as snapshot:
            (changed,) = explain_hand(snapshot, "c1", 2).corrections[0].changed
            assert changed == ChangedFact("leftover of seat 1", "130 pips", "140 pips", "cira")
            assert facts_by_id(snapshot, ["c1"])["c1"].state.played.seats == ("ana", "cira")  # type: ignore[union-attr]
            assert explain_change(snapshot, "c1", "cira").terms
            with pytest.raises(NotFound):
                explain_change(snapshot, "c1", "bea")


def test_of_a_voided_match_everything_says_so(league_url: str) -> None:
    """The match, its hands and its rating changes score nothing, and the event says who voided it and why."""
    with league_at(league_url) as league:
        send(league, played("c1", ("ana", "bea"), 1, domino(0, (), 30), domino(0, (), 130)))
        position = send(league, [VoidMatch("c1", "never played")])
        catch_up(league)
        with reading(league_url) as snapshot:
            found = (
                explain_hand(snapshot, "c1", 2),
                explain_change(snapshot, "c1", "ana"),
                explain_match(snapshot, "c1"),
            )
            for explained in found:
                assert "voided" in words(explained.statement)
                assert (explained.terms, explained.value) == ((), None)
                assert [(c.entry.position, c.reason) for c in explained.corrections] == [(position, "never played")]
                assert position in [event.position for event in explained.events]


def test_of_a_forfeited_match_everything_says_so(league_url: str) -> None:
    """It says why M is 0, which side gave up, and that only the score of hands counts. The score adds up."""
    with league_at(league_url) as league:
        send(league, announced("c0", ("ana", "bea"), 0))
        send(league, played("c1", ("ana", "bea"), 2, domino(0, (), 130, both=True)), ForfeitMatch("c1", 0, at(3)))
        send(league, announced("c2", ("ana", "bea"), 4), opened("c3", ("ana", "bea"), 6), ForfeitMatch("c3", 1, at(7)))
        catch_up(league)
        with reading(league_url) as snapshot:
            lost, won = (explain_change(snapshot, "c1", player) for player in ("ana", "bea"))
            assert words(lost.statement).startswith("ana gave up against bea (Cuban, 150, 1v1), so M is 0: ")
            assert words(won.statement).startswith("bea won against ana (Cuban, 150, 1v1), who gave up, so M is 0: ")
            for change in (lost, won):
                assert [term.name for term in change.terms] == ["before", "outcome", "expected", "k"]
            hand = explain_hand(snapshot, "c1", 1)
            assert "A side gave up the match, so nothing but the score of the hand counts." in words(hand.statement)
            match, bare = explain_match(snapshot, "c1"), explain_match(snapshot, "c3")
            assert words(match.statement).startswith("bea won 0-130 against ana")
            assert [(term.name, term.value, term.side) for term in match.terms] == [("hand", 130, 0)]
            assert words(bare.statement).startswith("ana won against bea")
            assert bare.terms == ()


def test_a_forfeit_among_individuals_is_won_by_who_leads_or_voided(league_url: str) -> None:
    """If no other player has won a hand, the match counts for nothing, and its hands say so."""
    seats = ("ana", "bea", "cira")
    with league_at(league_url) as league:
        for number, match in enumerate(("i1", "i2")):
            opening = OpenMatch(match, "doscientos-200", "individuals", "casual", seats, None, at(2 * number))
            send(league, opening, RecordHand(match, domino(0, (), 30, 30), None, at(2 * number)))
        send(league, RecordHand("i1", domino(1, 10, (), 20), None, at(1)), ForfeitMatch("i1", 0, at(1)))
        send(league, ForfeitMatch("i2", 0, at(3)))
        catch_up(league)
        rows = {row["match"]: (row["status"], row["winner"], row["score"]) for row in exported(league_url, "matches")}
        assert (rows["i1"], rows["i2"]) == (("forfeited", 1, [60, 30, 0]), ("voided", None, None))
        assert [row["hand"] for row in exported(league_url, "hands") if row["match"] == "i2"] == []
        with reading(league_url) as snapshot:
            assert "one of them gave up" in words(explain_match(snapshot, "i1").statement)
            for explained in (explain_match(snapshot, "i2"), explain_hand(snapshot, "i2", 1)):
                assert "voided" in words(explained.statement)


@pytest.mark.parametrize(
    ("ask", "field", "unknown"),
    [
        (lambda snapshot: explain_hand(snapshot, "none", 1), "match", "none"),
        (lambda snapshot: explain_hand(snapshot, "c1", 9), "hand", "9"),
        (lambda snapshot: explain_hand(snapshot, "c1", 0), "hand", "0"),
        (lambda snapshot: explain_match(snapshot, "none"), "match", "none"),
        (lambda snapshot: explain_change(snapshot, "none", "ana"), "match", "none"),
        (lambda snapshot: explain_change(snapshot, "c1", "cira"), "player", "cira"),
        (lambda snapshot: explain_badge(snapshot, "ana", "none-1"), "badge", "none-1"),
        (lambda snapshot: explain_place(snapshot, BoardKey("1v1"), "cira"), "player", "cira"),
    ],
)
def test_what_is_not_there_is_refused_by_its_field(
    league_url: str, ask: Callable[[Snapshot], Any], field: str, unknown: str
) -> None:
    """The refusal names the wrong argument, not the first one; for badges it lists the known ones."""
    with league_at(league_url) as league:
        send(league, played("c1", ("ana", "bea"), 1, domino(0, (), 30), domino(0, (), 130)))
        catch_up(league)
        with reading(league_url) as snapshot, pytest.raises(NotFound) as refused:
            ask(snapshot)
    assert (refused.value.field, refused.value.id) == (field, unknown)
    assert field != "badge" or "streak-3" in refused.value.message


@pytest.mark.heavy
def test_a_badge_that_is_not_held_says_how_far_it_is(seasons: str) -> None:
    """The number is below the threshold. A badge for a rating names the match with the highest rating."""
    with reading(seasons) as snapshot:
        held = {(row["id"], row["badge"]) for row in exported(seasons, "badges")}
        for player in {id_ for id_, _ in held}:
            for badge in ("rating-2200", "matches-1000", "streak-20", "pollonas-50", "month_won-1"):
                explained = explain_badge(snapshot, player, badge)
                [threshold] = explained.conditions
                assert explained.value is not None
                assert (explained.value >= threshold.value) is ((player, badge) in held)
                assert sum(term.value for term in explained.terms) == explained.value
                if badge.startswith("rating") and explained.terms:
                    earlier = explain_basis(snapshot, explained.terms[0].because[0])
                    assert earlier is not None
                    assert earlier.value == explained.value


def test_a_month_that_was_won_leads_on_to_its_standing(league_url: str) -> None:
    """In 2v2 the badge says with whom, and what it rests on explains the standing of that pair."""
    with league_at(league_url) as league:
        pairs = ("ana", "bea", "cira", "dora")
        send(league, played("t1", pairs, 1, domino(0, (), 30, 5, 20), domino(0, (), 70, 5, 60)))
        send(league, [CloseMonth("2026-03")])
        catch_up(league)
        with reading(league_url) as snapshot:
            explained = explain_badge(snapshot, "cira", "month_won-1")
            [month] = explained.terms
            assert month.facts == (Fact("pair", "ana+cira", "ana+cira"),)
            standing = explain_basis(snapshot, month.because[0])
    assert standing is not None
    assert (standing.kind, standing.subject, standing.value) == ("standing", "ana+cira", 505)


def test_the_terms_of_matches_add_up_to_their_scores(seasons: str) -> None:
    """They add up for each side. Without a score, hands in a row are counted. Each hand leads to its explanation."""
    with reading(seasons) as snapshot:
        for row in some(exported(seasons, "matches"), 80):
            explained = explain_match(snapshot, row["match"])
            score = [0] * len(row["score"] or (0, 0))
            for term in explained.terms:
                score[term.side or 0] += int(term.value)
                assert term.because
            assert row["score"] in (None, score), row
            assert explained.unit == ("points" if row["score"] is not None else "hands won")


@pytest.mark.heavy
def test_what_is_counted_names_what_each_match_adds(seasons: str) -> None:
    """The listed matches and the unlisted earlier ones together add up to the number."""
    cut = 0
    with reading(seasons) as snapshot:
        for kind in ACHIEVED:
            for place in read_places(snapshot, PlaceRow, BoardKey(kind), PageRequest(5)).rows:
                for term in explain_place(snapshot, BoardKey(kind), place.id).terms:
                    assert sum(basis.adds or 0 for basis in term.because) + term.left_out == term.value
                    cut += term.left_out > 0
        for row in some(exported(seasons, "badges"), 60):
            for term in explain_badge(snapshot, row["id"], row["badge"]).terms:
                if term.name in ("before", "added"):
                    assert sum(basis.adds or 0 for basis in term.because) + term.left_out == term.value
    assert cut


@pytest.mark.parametrize("kind", ["global", "capicuas"])
def test_a_rank_is_explained_by_who_is_next_to_it(seasons: str, kind: Any) -> None:
    """The explanation says how many are above, who is next, and how many share the rank."""
    board = BoardKey(kind, include_inactive=True)
    with reading(seasons) as snapshot:
        places = read_places(snapshot, PlaceRow, board, PageRequest(20)).rows
        for above, place in pairwise(places):
            rank = explain_place(snapshot, board, place.id).conditions[0]
            facts = {fact.name: fact for fact in rank.facts}
            assert facts["next_above"].of == above.id
            if place.rank is None:
                assert (rank.name, rank.settings[0].key) == ("provisional", "rating.provisional_below")
                continue
            assert (rank.name, rank.value) == ("rank", place.rank)
            sharing = [one for one in places if one.rank == place.rank and one.id != place.id]
            if sharing and place.rank != places[-1].rank:
                assert facts["players_who_share_it"].value == str(len(sharing))


def test_who_sat_there_is_said_with_every_seat(hands: list[Explained]) -> None:
    """Leftovers, deals and terms name the player or the pair by id, never a seat alone."""
    for row, explained in hands[:100]:
        seats = {fact.name: fact.of for fact in explained.facts if fact.name.startswith("seat ")}
        for fact in (*explained.facts, *(fact for term in explained.terms for fact in term.facts)):
            if (about := fact.name[fact.name.find("seat ") :]) in seats:
                assert fact.of == seats[about], row
        for term in explained.terms:
            assert set(str(term.of).split("+")) <= set(seats.values()), row


@pytest.mark.heavy
def test_every_fact_has_its_words(seasons: str, hands: list[Explained], changes: list[Explained]) -> None:
    """Each fact has a label, perhaps one that names a person. This includes facts of places and standings."""
    with reading(seasons) as snapshot:
        places = [row for row in some(exported(seasons, "boards"), 10) if row["board"] != "series"]
        found = [explain_place(snapshot, BoardKey(row["board"]), row["id"]) for row in places]
        for row in some(exported(seasons, "standings"), 10):
            month = month_named(snapshot, "2v2" if "+" in row["id"] else "1v1", row["month"])
            found.append(explain_standing(snapshot, month, row["id"]))
    for explained in (*found, *(one.why for one in (*hands, *changes))):
        seats = seats_of(explained.facts)
        for fact in (*explained.facts, *(fact for term in explained.terms for fact in term.facts)):
            said = fact_in_words(fact, FactContext(seats=seats))
            assert fact.name in {**FACT_LABELS, **FACT_LABELS_OF} or "seat" in fact.name or "side" in fact.name, fact
            assert re.search(r"(seat|side) \d", said.label + said.value) is None, said


def test_a_change_names_every_rating_that_it_met(changes: list[Explained]) -> None:
    """Ratings are listed by player or pair, and the averages of the sides are those of the formula."""
    for row, explained in changes[:100]:
        [expected] = [term for term in explained.terms if term.name == "expected"]
        own = [float(fact.value) for fact in expected.facts if fact.name == "own_side"]
        other = [float(fact.value) for fact in expected.facts if fact.name == "other_side"]
        read = {fact.name: float(fact.value) for fact in expected.facts if fact.of is None}
        averages = {"own_rating": sum(own) / len(own), "opponents_rating": sum(other) / len(other)}
        assert averages == read, row
        assert row["id"] in {fact.of for fact in expected.facts}


# ---------------------------------------------------------------- settings added after edition 1


def test_a_cap_by_sign_and_the_count_of_k_are_explained(league_url: str) -> None:
    """The winner's M ends at +0.75 and the loser's at -0.5; K is provisional for one match, the rating for longer."""
    with league_at(league_url) as league:
        adopt(league, "rating.cap = { below = 0.5, above = 0.75 }\nrating.k.provisional_below = 1")
        send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 150)))
        send(league, played("m2", ("ana", "bea"), 1, domino(0, 0, 150)))
        catch_up(league)
        assert {row["provisional"] for row in exported(league_url, "ratings")} == {True}
    with reading(league_url) as snapshot:
        won, lost, second = (explain_change(snapshot, *of) for of in (("m1", "ana"), ("m1", "bea"), ("m2", "ana")))
    for explained, m in ((won, "0.75"), (lost, "-0.5")):
        parts = [Decimal(str(term.value)) for term in explained.terms if term.unit == "M"]
        assert sum(parts) == Decimal(m)
        [cap] = [term for term in explained.terms if term.name == "cap"]
        assert cap.settings == (Setting("rating.cap", "-0.5 to +0.75"),)
    k, then = won.terms[-1], second.terms[-1]
    assert (k.value, k.settings) == (
        40, (Setting("rating.k.provisional", "40"), Setting("rating.k.provisional_below", "1"))
    )  # fmt: skip
    assert (then.value, then.settings) == (20, (Setting("rating.k.standard", "20"),))


HOUSE = """
[rulesets.house-club]
extends = "cuban-150"
title = "Club"
counted_pips = "all_on_block"
capicua_doubles = true
[rulesets.house-brasil]
extends = "cuban-150"
title = "Brasil"
target = 6
hand_points = "by_ending"
ending = { domino = 1, double = 2, both_ends = 3, double_both_ends = 4, block = 1 }
"""


def test_terms_of_house_rules_are_explained_with_their_source_and_settings(league_url: str) -> None:
    """The pips of every seat after a block, a doubled capicúa, the points of the ending, and one that is unknown."""
    with league_at(league_url) as league:
        adopt(league, HOUSE)
        for match, ruleset in (("club", "house-club"), ("brasil", "house-brasil")):
            send(league, OpenMatch(match, ruleset, "1v1", "casual", ("ana", "bea"), None, at(9)))
        blocked = HandFacts(0, "block", 0, (10, 20))
        both = HandFacts(0, "domino", 0, ((), 30), Closing((3, 3), fits_both_ends=True, ends_equal=True))
        unknown = HandFacts(0, "domino", 0, ((), 30))
        hands = (("club", blocked), ("club", both), ("brasil", both), ("brasil", unknown))
        send(league, *(RecordHand(match, facts) for match, facts in hands))
        catch_up(league)
    with reading(league_url) as snapshot:
        block, doubled, ending, left_open = (
            explain_hand(snapshot, *of) for of in (("club", 1), ("club", 2), ("brasil", 1), ("brasil", 2))
        )
    [pips] = block.terms
    assert (pips.value, [fact.name for fact in pips.facts]) == (30, ["seat 0", "seat 1"])
    assert pips.clause.startswith("House rules")
    assert Setting("rulesets.house-club.counted_pips", "all_on_block") in pips.settings
    assert [(term.name, term.value) for term in doubled.terms] == [("leftover", 30), ("capicua_doubled", 30)]
    assert doubled.terms[1].clause == "House rules"
    [points] = ending.terms
    assert (points.name, points.value, points.clause) == ("ending", 4, "House rules")
    assert Setting("rulesets.house-brasil.ending.double_both_ends", "4") in points.settings
    assert (left_open.terms, left_open.not_judged) == ((), ("ending", "capicua"))


def test_a_game_of_a_competition_that_does_not_count_is_explained(league_url: str) -> None:
    """The reason is its competition, with the setting that says so; a casual game that counts is a game like any."""
    with league_at(league_url) as league:
        adopt(league, 'series.competitions = ["casual"]')
        send(league, played("m1", ("ana", "bea"), 0, domino(0, 0, 150), competition="casual"))
        send(league, played("m2", ("ana", "bea"), 1, domino(0, 0, 150), competition="special"))
        catch_up(league)
    with reading(league_url) as snapshot:
        explained = explain_standing(snapshot, month_named(snapshot, "1v1", "2026-03"), "ana")
        zero = snapshot.conn.execute(counting_zero(snapshot.run, month_named(snapshot, "1v1", "2026-03"))).all()
    assert [(row.match_id, row.reason) for row in zero] == [("m2", "special")]
    found = {term.name: (term.value, [basis.match for basis in term.because]) for term in explained.terms}
    assert (found["game_points"], found["special"]) == ((5, ["m1"]), (0, ["m2"]))
    assert explained.terms[-1].settings == (Setting("series.competitions", "casual"),)
    assert explained.value == 505


def test_a_term_that_rests_on_a_stated_winner_says_so(league_url: str) -> None:
    """It names the winner, the pips of the side that were counted together, and the event with the statement."""
    with league_at(league_url) as league:
        send(league, OpenMatch("sheet", "dominican-200", "2v2", "casual", ("ana", "bea", "cira", "dora"), None, at(9)))
        facts = HandFacts(
            None, "domino", None, (None,) * 4, Closing((1, 2), fits_both_ends=True), False, side_leftover=(None, 35),
            side_corridos=(0, 1), stated_winner=0, stated_capicua=True,
        )  # fmt: skip
        send(league, RecordHand("sheet", facts, played_at=at(9)))
        catch_up(league)
    [row] = [row for row in exported(league_url, "hands") if row["match"] == "sheet"]
    assert (row["winner"], row["winner_by"], row["stated_winner"], row["points"]) == (0, "stated", 0, [85, 25])
    with reading(league_url) as snapshot:
        explained = explain_hand(snapshot, "sheet", 1)
    leftover, capicua, corrido = explained.terms
    assert words(leftover.text) == "leftover pips; the score sheet names the winner"
    assert leftover.facts == (Fact("side 1", "35 pips", "bea+dora"), Fact("stated_winner", "side 0", "ana+cira"))
    [recorded] = [entry.position for entry in explained.events if entry.name == "hand-recorded/1"]
    assert recorded in [basis.position for basis in leftover.because]
    assert recorded in [basis.position for basis in capicua.because]
    assert Fact("stated_capicua", "yes") in capicua.facts
    assert (words(corrido.text), corrido.facts) == ("a pase corrido", (Fact("by", "side 1", "bea+dora"),))
    shown = {fact.name: fact.value for fact in explained.facts}
    assert (shown["leftover of side 1"], shown["stated_winner"], shown["winning_seat"]) == (
        "35 pips", "side 0", "not known",
    )  # fmt: skip
