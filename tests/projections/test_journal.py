"""The journal of ratings: whatever happens, the history of a rating adds up and says why."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import pytest
from happenings import corrections, hand, recorded, revisions
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import (
    adopt,
    announced,
    at,
    catch_up,
    exported,
    forget_projections,
    found,
    played,
    ratings,
    rebuild,
    revised,
    send,
    start_anew,
)

from league.application.bootstrap import League
from league.audit.shadow_rebuild import compare
from league.domain.disputes import DisputeResult
from league.domain.league import CloseMonth
from league.domain.match import CorrectHand, VoidMatch
from league.domain.player import RenamePlayer
from league.domain.refusals import Refusal
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.writers import league_rows

ADMIN = AppendRequest("admin", "manual")


class Entry(NamedTuple):
    """A row of the journal."""

    position: int
    cause: str
    subject: str
    id: str
    mode: str
    match: str | None
    before: float
    after: float | None


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints and pages of the second fold come often, so that going back meets them."""
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(league_rows, "PAGE", 3)


def journal(league: League, after: int = 0) -> list[Entry]:
    """The journal in its order, but for its first entries."""
    query = "SELECT position, cause, subject, id, mode, match_id, before, after FROM journal ORDER BY entry OFFSET %s"
    with connect(league.database.url) as conn:
        return [Entry(*row) for row in conn.execute(query, (after,))]


def causes(entries: list[Entry]) -> dict[str, str]:
    """The causes of the moves of each id."""
    return {entry.id: entry.cause for entry in entries}


def of_ledger(league: League, match: str) -> set[tuple[str, float, float]]:
    """What a match did to ratings."""
    rows = exported(league.database.url, "changes")
    return {(row["id"], row["before"], row["after"]) for row in rows if row["match"] == match}


# ---------------------------------------------------------------- the law

hours = st.none() | st.integers(0, 40)
happenings = st.one_of(
    recorded,
    recorded,
    recorded,
    corrections,
    st.just([RenamePlayer("ana", "Ana B.")]),
    st.just("project"),
    st.just("rebuild"),
    st.tuples(st.just("adopt"), revisions, hours),
    st.tuples(st.just("promote"), revisions, hours),
)


def happen(league: League, happening: Any, page: int) -> None:
    """Let it happen, as far as the league allows it."""
    try:
        match happening:
            case "project":
                catch_up(league, page)
            case "rebuild":
                rebuild(league, page)
            case ("adopt", text, hour):
                adopt(league, text, None if hour is None else at(hour))
            case ("promote", text, hour):
                catch_up(league, page)
                period = ReplayPeriod(None if hour is None else at(hour))
                league.promoter.promote(replay(league.database.url, revised(text), period), ADMIN)
            case commands:
                for command in commands:
                    send(league, command)
    except Refusal:
        return


@pytest.mark.heavy
@settings(
    max_examples=3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(happened=st.lists(happenings, min_size=6, max_size=20), page=st.sampled_from([1, 3, 50]))
def test_the_entries_of_a_rating_follow_one_another_up_to_the_rating(
    league: League, happened: list[Any], page: int
) -> None:
    """Matches, late ones, corrections, voids, adoptions, promotions and rebuilds, by pages of any size."""
    start_anew(league.database.url)
    found(league)
    for happening in happened:
        happen(league, happening, page)
    catch_up(league, page)
    reached: dict[tuple[str, str], float | None] = defaultdict(lambda: None)
    for entry in journal(league):
        known = reached[entry.id, entry.mode]
        assert entry.before == known or (known is None and entry.before in (1500, 1600))
        reached[entry.id, entry.mode] = entry.after
    rated = {key: rating for key, rating in ratings(league.database.url).items() if key[1] != "overall"}
    assert {key: rating for key, rating in reached.items() if rating is not None} == rated
    assert compare(league.database.url, league.store, league.project).faults == []


# ---------------------------------------------------------------- each cause


def test_a_match_adds_exactly_its_changes(league: League) -> None:
    """A match adds exactly its changes, with the event that decided it, even after a restart of the projector."""
    send(league, announced("m1", ("ana", "bea"), 1))
    catch_up(league)
    before = len(journal(league))
    position = send(league, announced("m2", ("ana", "bea", "cira", "dora"), 2))
    catch_up(league)
    entries = journal(league, before)
    assert {(e.id, e.before, e.after) for e in entries} == of_ledger(league, "m2")
    assert {(e.position, e.cause, e.match) for e in entries} == {(position, "match", "m2")}


def test_a_correction_is_one_to_who_played_and_a_ripple_to_others(league: League) -> None:
    """Ana and Bea played it; Cira met Bea afterwards, Dora met Cira; Eva and Flor have nothing to do with it."""
    send(
        league,
        played("m1", ("ana", "bea"), 1, hand(2, 0, 150)),
        announced("m2", ("bea", "cira"), 2),
        announced("m3", ("cira", "dora"), 3),
        announced("m4", ("eva", "flor"), 4),
    )
    catch_up(league)
    before = len(journal(league))
    position = send(league, CorrectHand("m1", 1, hand(2, 1, 150), "misread"))
    catch_up(league)
    entries = journal(league, before)
    assert causes(entries) == {"ana": "correction", "bea": "correction", "cira": "ripple", "dora": "ripple"}
    assert {(e.position, e.match) for e in entries} == {(position, "m1")}


def test_each_of_several_corrections_is_recorded_apart(league: League) -> None:
    """Each correction has its own entries, even if one page holds several with other events between them."""
    send(league, announced("m1", ("ana", "bea"), 1), announced("m2", ("cira", "dora"), 2))
    catch_up(league)
    before = len(journal(league))
    position = send(
        league,
        announced("m3", ("eva", "flor"), 3),
        VoidMatch("m1", "never played"),
        RenamePlayer("ana", "Ana B."),
        VoidMatch("m2", "nor this"),
    )
    catch_up(league)
    entries = [(e.position, e.cause, e.id, e.match, e.after is None) for e in journal(league, before)]
    assert sorted(entries[2:]) == [
        (position - 2, "correction", "ana", "m1", True),
        (position - 2, "correction", "bea", "m1", True),
        (position, "correction", "cira", "m2", True),
        (position, "correction", "dora", "m2", True),
    ]
    assert [(cause, id_, match) for _, cause, id_, match, _ in entries[:2]] == [
        ("match", "eva", "m3"), ("match", "flor", "m3"),
    ]  # fmt: skip


def test_partners_and_opponents_of_a_corrected_match_are_recorded_apart(league: League) -> None:
    """Ana and Bea met in it, so the pair of the two has no part in it, and only a ripple reaches it."""
    send(
        league,
        played("m1", ("ana", "bea", "cira", "dora"), 1, hand(4, 0, 150)),
        announced("m2", ("eva", "bea", "flor", "dora"), 2),
        announced("m3", ("ana", "eva", "bea", "flor"), 3),
    )
    catch_up(league)
    before = len(journal(league))
    send(league, VoidMatch("m1", "never played"))
    catch_up(league)
    by_cause = causes(journal(league, before))
    assert (by_cause["ana+cira"], by_cause["ana+bea"]) == ("correction", "ripple")


def test_a_late_match_is_a_match_to_who_played_and_a_ripple_to_others(league: League) -> None:
    """A late match is a match to its players and a ripple to others; a new player begins with the starting rating."""
    send(league, announced("m2", ("ana", "bea"), 2))
    catch_up(league)
    before = len(journal(league))
    send(league, announced("m1", ("ana", "cira"), 1))
    catch_up(league)
    entries = journal(league, before)
    assert causes(entries) == {"ana": "match", "cira": "match", "bea": "ripple"}
    assert next(entry.before for entry in entries if entry.id == "cira") == 1500


def test_an_adoption_over_the_past_is_the_cause_for_all_whom_it_moves(league: League) -> None:
    """An adoption over the past is the cause of all moves that it makes, with the event that adopts."""
    send(league, announced("m1", ("ana", "bea"), 1), announced("m2", ("cira", "dora"), 2))
    catch_up(league)
    before = len(journal(league))
    adopt(league, "rating.k.provisional = 32")
    catch_up(league)
    entries = journal(league, before)
    assert causes(entries) == dict.fromkeys(("ana", "bea", "cira", "dora"), "adoption")
    assert {(entry.position, entry.match) for entry in entries} == {(league.store.head(), None)}


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_promotion_adds_exactly_the_differences(league: League) -> None:
    """A promotion adds exactly the differences, even if a rebuild comes before the next fold of the promoted run."""
    url = league.database.url
    send(league, announced("m1", ("ana", "bea"), 1), announced("m2", ("cira", "dora"), 2, competition="casual"))
    catch_up(league)
    before, old = len(journal(league)), ratings(url)
    position = league.promoter.promote(replay(url, revised("rating.k.provisional = 32"), ReplayPeriod()), ADMIN)
    rebuild(league)
    new = ratings(url)
    moved = {(id_, old[id_, mode], new[id_, mode]) for id_, mode in old if mode == "1v1" and id_ in ("ana", "bea")}
    entries = journal(league, before)
    assert {(entry.id, entry.before, entry.after) for entry in entries} == moved
    assert {(entry.cause, entry.position) for entry in entries} == {("promotion", position)}


def test_a_rebuild_adds_nothing(league: League) -> None:
    """A rebuild that changes no rating adds no entry."""
    send(league, announced("m1", ("ana", "bea"), 1), announced("m0", ("ana", "cira"), 0), VoidMatch("m1", "no"))
    catch_up(league)
    before = journal(league)
    rebuild(league)
    assert journal(league) == before


def test_a_first_rebuild_takes_no_match_that_is_disputed_for_a_corrected_one(league: League) -> None:
    """A first rebuild records each match on its own, disputed ones included, even after the end of a month."""
    send(league, announced("m0", ("ana", "bea"), 0), announced("m1", ("ana", "bea"), 1), CloseMonth("2026-03"))
    send(league, DisputeResult("m0", "bea", "it was the other way round"))
    send(league, announced("m2", ("ana", "bea"), 2), announced("m3", ("ana", "bea"), 3))
    forget_projections(league.database.url)
    rebuild(league)
    entries = journal(league)
    assert [entry.match for entry in entries if entry.id == "ana"] == ["m0", "m1", "m2", "m3"]
    assert {entry.cause for entry in entries} == {"match"}
