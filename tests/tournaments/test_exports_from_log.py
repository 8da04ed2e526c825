"""What exports of tournaments tell from the log: corrected results, and drawings that were dropped early."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import runner
from leagues import catch_up, exported
from played_tournaments import ACTOR, bytes_of, commit, drawn, finish, planned, published, register, state_of

from league.application.bootstrap import League
from league.audit.proofs import write_log
from league.domain.match import RecordResult, ReopenMatch, VoidMatch
from league.domain.result import AnnouncedResult
from league.eventlog import encoded_rows
from league.infra.database import connect
from league.tournaments.domain import commands as c
from league.tournaments.drawing import publish_round


def corrected(league: League) -> set[tuple[int, int | None, int | None]]:
    """Round, table and game of the rows that say so."""
    catch_up(league)
    rows = exported(league.database.url, "pairings")
    return {(row["round"], row["table"], row["game"]) for row in rows if row["corrected"]}


def turn(league: League, of: int, table: int, score: tuple[int, int] = (20, 150)) -> None:
    """Record another result of a table."""
    match = state_of(league).rounds[of - 1].tables[table - 1].match
    assert match is not None
    league.dispatcher.send(ReopenMatch(match, "wrong side"), ACTOR)
    league.dispatcher.send(RecordResult(match, AnnouncedResult(int(score[1] > score[0]), score)), ACTOR)


def two_rounds(league: League, **plan: Any) -> None:
    """The first of several rounds is played, and a result corrected before the second one is published."""
    planned(league, [[id_] for id_ in register(league, 5)], mode="1v1", **plan)
    published(league)
    finish(league)
    turn(league, 1, 2)
    published(league)
    finish(league)


@pytest.mark.heavy
@pytest.mark.parametrize("format_", ["swiss", "round_robin"])
def test_a_result_that_changes_after_the_next_publication_is_corrected(league: League, format_: str) -> None:
    """Not one that changed before, and none of the last round. The winner may stay: a score is a result too."""
    two_rounds(league, format=format_, rounds=None if format_ == "round_robin" else 4)
    assert corrected(league) == set()
    turn(league, 1, 1, (150, 77))
    assert corrected(league) == {(1, 1, None)}
    turn(league, 2, 1)
    assert corrected(league) == {(1, 1, None)}, "no round follows the second one"


def test_a_voided_match_is_corrected_until_it_is_played_again_with_the_same_result(league: League) -> None:
    """What counts is what stands now. A result that comes back is the one on which the next round was published."""
    two_rounds(league, format="swiss")
    match = state_of(league).rounds[0].tables[0].match
    assert match is not None
    league.dispatcher.send(VoidMatch(match, "wrong tiles"), ACTOR)
    assert corrected(league) == {(1, 1, None)}
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "wrong tiles"), ACTOR)
    finished = state_of(league).rounds[0].tables[0].match
    assert finished is not None
    league.dispatcher.send(RecordResult(finished, AnnouncedResult(0, (150, 10))), ACTOR)
    assert corrected(league) == set()


def test_who_was_absent_and_plays_later_has_a_corrected_result(league: League) -> None:
    """The winner is the one of the walkover, but the two have played since the next round was published."""
    planned(league, [[id_] for id_ in register(league, 4)], mode="1v1", format="swiss")
    published(league)
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (1,)), ACTOR)
    finish(league)
    published(league)
    assert corrected(league) == set()
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "they came"), ACTOR)
    match = state_of(league).rounds[0].tables[0].match
    assert match is not None
    league.dispatcher.send(RecordResult(match, AnnouncedResult(0, (75, 0))), ACTOR)
    assert corrected(league) == {(1, 1, None)}


def test_a_correction_before_the_next_round_is_published_anew_is_none(league: League) -> None:
    """The second round is withdrawn. Results count that stand when it is published for the second time."""
    planned(league, [[id_] for id_ in register(league, 4)], mode="1v1", format="swiss")
    published(league)
    finish(league)
    published(league)
    turn(league, 1, 1)
    assert corrected(league) == {(1, 1, None)}
    league.dispatcher.send(c.WithdrawRound("copa", 2, "a mistake"), ACTOR)
    assert corrected(league) == set()
    published(league)
    assert corrected(league) == set()


def test_a_tie_that_changed_before_the_next_round_was_published_is_not_corrected(league: League) -> None:
    """The final was drawn again, since who plays on had changed. The tie has not changed since."""
    planned(league, [[id_] for id_ in register(league, 4)], mode="1v1", format="knockout", rounds=None)
    published(league)
    finish(league)
    drawn(league)
    turn(league, 1, 1)
    drawn(league, again="a result was corrected")
    publish_round(league, c.PublishRound("copa", 2), ACTOR)
    assert corrected(league) == set()
    turn(league, 1, 1, (150, 20))
    assert corrected(league) == {(1, 1, None)}


def test_a_game_of_a_tie_is_corrected_for_itself(league: League) -> None:
    """The second of two games is turned after the final was published: the tie is open again, the first game stays."""
    planned(league, [[id_] for id_ in register(league, 4)], mode="1v1", format="knockout", rounds=None, best_of=3)
    published(league)
    for _ in range(2):
        finish(league)
    published(league)
    turn(league, 1, 1)
    assert corrected(league) == {(1, 1, 2)}


# ---------------------------------------------------------------- drawings that were dropped early


@pytest.fixture
def dropped_early(league: League) -> League:
    """A round that was drawn, and drawn again before anybody had computed its tables. A device had given bytes."""
    planned(league, [[id_] for id_ in register(league, 5)], mode="1v1", format="swiss")
    commit(league, "p03")
    commit(league, "p04")
    league.dispatcher.send(c.DrawRound("copa"), ACTOR)  # a crash: nobody goes on
    for id_ in ("p03", "p04"):
        league.dispatcher.send(c.ContributeSeed("copa", 1, 1, id_, bytes_of(id_)), id_)
    drawn(league, again="once more")
    catch_up(league)
    return league


def test_a_drawing_that_was_dropped_before_its_tables_has_a_line(dropped_early: League) -> None:
    """It is numbered, with inputs, root and seed, with what devices had promised, and with the bytes that came."""
    first, second = exported(dropped_early.database.url, "rounds")
    assert [(row["drawing"], row["status"]) for row in (first, second)] == [(1, "dropped"), (2, "drawn")]
    assert len(first["input"]) == 5
    assert first["position"] < second["position"]
    assert [one["id"] for one in first["commitments"]] == [one["id"] for one in first["contributions"]]
    assert [one["id"] for one in first["contributions"]] == ["p03", "p04"]


def test_a_drawing_that_was_dropped_before_its_tables_is_verified(
    dropped_early: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its root, its seed and the promises before it are those of the log."""
    for what in ("tournaments", "rounds", "pairings"):
        rows = exported(dropped_early.database.url, what)
        (tmp_path / f"{what}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with connect(dropped_early.database.url) as conn, (tmp_path / "log.jsonl").open("wb") as file:
        write_log(encoded_rows.rows(conn), file)
    said = runner(monkeypatch, capsys)("verify-round", tmp_path)
    assert said.code == 0, said.out
    assert "drawing 1 (drawn again): the inputs are those of the log; bytes" in said.out
