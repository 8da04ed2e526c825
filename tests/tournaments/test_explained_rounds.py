"""A round is explained once, in the background, from what its drawing stores; whatever dies meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from leagues import catch_up
from msgspec.structs import replace
from played_tournaments import ACTOR, drawn, finish, planned, published, register, state_of
from processes import Point, killed, league_command
from waiting import wait_until

from league.application.bootstrap import League, clock, founding
from league.application.jobs import broker_for
from league.application.redis_queue import QueueAlarm
from league.application.work_part import JobSettings
from league.audit.shadow_rebuild import compare
from league.domain.match import VoidMatch
from league.infra.database import connect, engine
from league.projections.queries.snapshot import take_snapshot
from league.tournaments import corrected_rounds, explained_rounds
from league.tournaments.domain import commands as c
from league.tournaments.domain.drawn import RoundPairings
from league.tournaments.drawing import publish_round
from league.tournaments.explained_rounds import (
    MOST_DEATHS,
    RoundKey,
    RoundToExplain,
    StoredExplanation,
    TableKey,
    explain_stored_round,
    note_death,
    stored_explanations,
    waiting_rounds,
)
from league.tournaments.explaining import ExplanationJobs, explain_round
from league.tournaments.pairing import pair
from league.tournaments.tournament_queries import drawings_by_tournament, tournaments_by_id
from league.tournaments.tournament_states import stored_tournament
from league.tournaments.why_paired import RoundExplainer, nothing_is_chosen
from league.transfer.recorded_season import import_season

SWISS = {"format": "swiss", "mode": "1v1"}
COPA = Path(__file__).parents[2] / "examples" / "copa-2026"


@pytest.fixture
def conn(league: League) -> Iterator[psycopg.Connection[Any]]:
    with connect(league.database.url, autocommit=True) as made:
        yield made


def enter(league: League, count: int = 6, **plan: Any) -> None:
    planned(league, [[player] for player in register(league, count)], **{**SWISS, **plan})


ASKED = (1, 2, 3, 4, 9)
"""The tables whose explanations are read; nobody plays at the last one."""
WAITS = dict.fromkeys(ASKED, StoredExplanation(is_there=False, choices=()))


def stored(league: League, number: int = 1, drawing: int = 1) -> dict[int, StoredExplanation]:
    """What readers see of the explanation of a round, by table; empty if nobody asked for it."""
    keys, pool = [TableKey("copa", number, drawing, table) for table in ASKED], engine(league.database.url)
    catch_up(league)
    with closing(take_snapshot(pool, as_reader=True)) as snapshot:
        found = stored_explanations(snapshot, keys)
    pool.dispose()
    return {key.number: one for key, one in found.items()}


def rows(conn: psycopg.Connection[Any]) -> list[tuple[Any, ...]]:
    """All rows of explanations, each with the transaction that wrote it."""
    queries = ("SELECT xmin::text, * FROM tournament_explanations", "SELECT xmin::text, * FROM tournament_choices")
    return [row for query in queries for row in conn.execute(query)]


def test_a_published_round_waits_and_is_explained_once(league: League, conn: psycopg.Connection[Any]) -> None:
    """The row comes with the publication. The choices are those that the drawing gives; the next message finds none."""
    enter(league)
    of = drawn(league)
    assert (stored(league), waiting_rounds(conn, 9)) == ({}, [])
    publish_round(league, c.PublishRound("copa", 1), ACTOR)
    assert (stored(league), waiting_rounds(conn, 9)) == (WAITS, [("copa", 1)])
    explain_stored_round(conn, "copa", 1)
    found = stored(league)
    assert found[1].is_there
    assert of.drawing is not None
    sides = [table.sides for table in of.tables]
    why = RoundExplainer(state_of(league).known_plan, of.drawing, of.seed, of.order, sides)
    for table in of.tables:
        assert found[table.number].choices == tuple(why.of(table.sides))
        assert found[table.number].choices[0].next_best is not None
    assert found[9].choices == ()
    before = rows(conn)
    explain_stored_round(conn, "copa", 1)
    assert (rows(conn), waiting_rounds(conn, 9)) == (before, [])


@pytest.mark.parametrize("format_", ["round_robin", "fixtures"])
def test_a_format_without_choices_waits_for_nobody(league: League, conn: psycopg.Connection[Any], format_: str) -> None:
    """Where the format says who meets, nothing is chosen, so that no worker has anything to do."""
    enter(league, format=format_, rounds=None)
    published(league)
    assert nothing_is_chosen(state_of(league).known_plan)
    assert waiting_rounds(conn, 9) == []


@pytest.mark.heavy
def test_a_bracket_is_explained_and_verified(league: League, conn: psycopg.Connection[Any]) -> None:
    """Its byes have a row as well. A rebuild keeps all of it, and verification computes it again."""
    enter(league, 6, format="knockout", rounds=None)
    for number in (1, 2):
        of = published(league)
        assert waiting_rounds(conn, 9) == [("copa", number)]
        explain_stored_round(conn, "copa", number)
        finish(league)
    assert of.number == 2
    numbers = conn.execute("SELECT round, number FROM tournament_choices ORDER BY 1, 2").fetchall()
    assert numbers == [(1, 0), (1, 1), (1, 2), (2, 1), (2, 2)]
    found = compare(league.database.url, league.store, league.project)
    assert (found.faults, found.notes) == ([], [])
    conn.execute("UPDATE tournament_explanations SET input = 'other' WHERE round = 2")
    assert [fault.split(":")[0] for fault in compare(league.database.url, league.store, league.project).faults] != []


def test_who_asks_for_an_older_round_lets_it_wait_once(league: League, conn: psycopg.Connection[Any]) -> None:
    """A round without a row, as an imported one, waits from the first question on. An unknown drawing does not."""
    enter(league)
    published(league)
    conn.execute("DELETE FROM tournament_explanations")
    jobs = ExplanationJobs(league.database.url, broker_for(None, QueueAlarm()), JobSettings(), threading.Event())
    key = RoundKey("copa", 1, 1)
    assert [jobs.is_first_to_ask(key), jobs.is_first_to_ask(key)] == [True, False]
    for drawing in (2, 1, 1):
        jobs.ask(key._replace(drawing=drawing))
    assert waiting_rounds(conn, 9) == [("copa", 1)]
    before = rows(conn)
    jobs.ask(key)
    assert rows(conn) == before


def test_an_explanation_goes_with_its_drawing(league: League, conn: psycopg.Connection[Any]) -> None:
    """A withdrawn round has none. What was asked for of a draft goes when it is drawn again, or its plan changes."""
    enter(league)
    published(league)
    explain_stored_round(conn, "copa", 1)
    league.dispatcher.send(c.WithdrawRound("copa", 1, "the hall is closed"), ACTOR)
    assert rows(conn) == []
    for change in (
        lambda: drawn(league, again="again"),
        lambda: league.dispatcher.send(c.ChangePlan("copa", {**SWISS, "name": "Copa", "rounds": 3}), ACTOR),
    ):
        of = drawn(league) if state_of(league).rounds[-1].status == "withdrawn" else state_of(league).rounds[-1]
        explained_rounds.ask_for_explanation(conn, "copa", 1, of.drawings)
        explain_stored_round(conn, "copa", 1)
        assert len(rows(conn)) == 4
        change()
        assert rows(conn) == []


def test_what_was_computed_for_a_drawing_that_is_gone_is_not_stored(
    league: League, conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a worker computes, the round is drawn again and asked for anew: the new row waits, and gets its own."""
    enter(league)
    drawn(league)
    explained_rounds.ask_for_explanation(conn, "copa", 1, 1)
    compute = RoundToExplain.explained

    def drawn_again(of: RoundToExplain, *, searches: bool) -> Any:
        found = compute(of, searches=searches)
        if of.of.drawings == 1:
            drawn(league, again="Eva came late")
            explained_rounds.ask_for_explanation(conn, "copa", 1, 2)
        return found

    monkeypatch.setattr(RoundToExplain, "explained", drawn_again)
    explain_stored_round(conn, "copa", 1)
    assert stored(league, drawing=2) == WAITS
    explain_stored_round(conn, "copa", 1)
    found = stored(league, drawing=2)
    assert found[1].is_there


def test_a_table_that_was_paired_by_hand_is_left_out(league: League, conn: psycopg.Connection[Any]) -> None:
    """The others are compared with the round as it was drawn, not with what somebody changed."""
    enter(league, 8)
    of = published(league)
    explain_stored_round(conn, "copa", 1)
    whole = stored(league)
    (a, b), (x, y) = of.tables[2].sides, of.tables[3].sides
    swapped = (c.NewTable(3, (a, x)), c.NewTable(4, (b, y)))
    league.dispatcher.send(c.ChangePairings("copa", 1, swapped, "they asked"), ACTOR)
    assert stored(league) == whole
    conn.execute("DELETE FROM tournament_explanations")
    explained_rounds.ask_for_explanation(conn, "copa", 1, 1)
    explain_stored_round(conn, "copa", 1)
    anew = stored(league)
    assert {number: anew[number].choices for number in (1, 2, 3, 4)} == {
        **{number: whole[number].choices for number in (1, 2)}, 3: (), 4: (),
    }  # fmt: skip


@pytest.mark.heavy
def test_after_processes_died_a_round_is_explained_by_criteria_alone(
    league: League, conn: psycopg.Connection[Any]
) -> None:
    """So a search that always reaches a limit is not begun for ever. Verification takes that explanation as it is."""
    enter(league)
    published(league)
    for _ in range(MOST_DEATHS):
        note_death(conn, "copa", 1)
    explain_stored_round(conn, "copa", 1)
    found = stored(league)
    choices = [one for table in (1, 2, 3) for one in found[table].choices]
    assert [(bool(one.costs), one.next_best) for one in choices] == [(True, None)] * 3
    assert compare(league.database.url, league.store, league.project).faults == []


@pytest.mark.heavy
def test_verification_computes_some_tables_again(league: League, conn: psycopg.Connection[Any]) -> None:
    """Choices that were changed, with the hash left as it is, are named. Without its row a round is explained again."""
    enter(league, 4)
    published(league)
    explain_stored_round(conn, "copa", 1)
    with psycopg.connect(league.database.url) as owner:
        owner.execute("UPDATE league.tournament_choices SET choices = jsonb_set(choices, '{0,costs,3,value}', '7')")
    said = sorted(compare(league.database.url, league.store, league.project).faults)
    row = "table tournament_choices, row tournament copa, round 1, number {}: choices is not what its drawing gives"
    assert [one.startswith(row.format(number)) for number, one in enumerate(said, 1)] == [True, True]
    conn.execute("DELETE FROM tournament_explanations")
    explained_rounds.ask_for_explanation(conn, "copa", 1, 1)
    explain_stored_round(conn, "copa", 1)
    assert compare(league.database.url, league.store, league.project).faults == []


@pytest.mark.heavy
def test_an_explanation_by_older_code_is_noted_and_made_again(league: League, conn: psycopg.Connection[Any]) -> None:
    """Nobody reads it, and it is no fault. Who asks gets one by the code of now."""
    enter(league)
    published(league)
    explain_stored_round(conn, "copa", 1)
    conn.execute("UPDATE tournament_explanations SET explainer = explainer - 1, input = 'of then'")
    assert stored(league) == {}
    found = compare(league.database.url, league.store, league.project)
    assert (found.faults, len(found.notes)) == ([], 1)
    assert found.notes[0].startswith("1 explanation of a round is by an older version of what explains")
    explained_rounds.ask_for_explanation(conn, "copa", 1, 1)
    explain_stored_round(conn, "copa", 1)
    found = compare(league.database.url, league.store, league.project)
    assert (found.faults, found.notes) == ([], [])


def test_the_hash_of_the_input_does_not_depend_on_what_may_change(league: League) -> None:
    """Rounds may be added after the publication: the explanation stays. With another lot it would be another one."""
    enter(league)
    of = drawn(league)
    assert of.drawing is not None
    round_ = RoundToExplain(state_of(league), of, of.drawing)
    longer = replace(round_, state=replace(round_.state, plan=replace(round_.state.known_plan, rounds=9)))
    assert longer.input_hash == round_.input_hash
    assert replace(round_, of=replace(of, seed="ab")).input_hash != round_.input_hash


def test_an_imported_round_waits_for_nobody(league: League, conn: psycopg.Connection[Any]) -> None:
    """Whoever imports years of tournaments does not let a worker explain all of them: each is, when somebody asks."""
    import_season(COPA, league.store, clock, ACTOR, founding=founding())
    of = league.dispatcher.state_cache
    assert stored_tournament(of, "copa-junio").published
    assert waiting_rounds(conn, 9) == []


def test_tables_that_take_long_to_pair_again_are_paired_in_another_process(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What corrections would have changed is computed there once for one state, and is the same."""
    enter(league)
    published(league)
    finish(league)
    of = published(league)
    league.dispatcher.send(VoidMatch("copa-r1-t1", "it was another one"), ACTOR)
    catch_up(league)
    pool = engine(league.database.url)
    with closing(take_snapshot(pool)) as snapshot:
        seen = tournaments_by_id(snapshot, ["copa"])["copa"]
        drawing = drawings_by_tournament(snapshot, ["copa"])["copa"][2, 1]
    pool.dispose()
    expected = corrected_rounds.tables_today(seen, of, drawing)
    seen.tables_today.clear()
    paired: list[int] = []

    def elsewhere(*given: Any, ending: threading.Event) -> RoundPairings:
        paired.append(ending.is_set())
        return pair(*given)

    monkeypatch.setattr(corrected_rounds, "is_fast", lambda: False)
    monkeypatch.setattr(corrected_rounds, "MOST_IN_THREAD", 5)
    monkeypatch.setattr(corrected_rounds, "pair_within_limits", elsewhere)
    assert [corrected_rounds.tables_today(seen, of, drawing) for _ in range(2)] == [expected] * 2
    assert expected != []
    assert paired == [False, False], "as it was drawn, and as it would be now"


@pytest.mark.heavy
def test_a_worker_explains_a_round_though_another_one_was_killed(
    league: League, conn: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left of a process that was killed before it stored. The next worker finds the row."""
    monkeypatch.setenv("LEAGUE_DATABASE_URL", league.database.url)
    enter(league)
    published(league)
    killed(Point("before", "league.tournaments.explained_rounds:raise_generation"), explain_round,
           league.database.url, "copa", 1)  # fmt: skip
    assert stored(league) == WAITS
    with league_command("worker"):
        wait_until(lambda: waiting_rounds(conn, 9) == [])
    found = stored(league)
    assert sum(bool(one.choices) for one in found.values()) == 3
