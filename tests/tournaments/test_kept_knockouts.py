"""Groups with a knock-out in a league: a rebuild gives all rows again, and its rounds are verified from exports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import runner
from leagues import catch_up, exported, rebuild
from played_tournaments import ACTOR, planned, published, register, state_of
from signed_leagues import unsigned_league

from league.application.bootstrap import League
from league.audit.proofs import write_log
from league.domain.match import RecordResult, ReopenMatch
from league.domain.result import AnnouncedResult
from league.eventlog import encoded_rows
from league.infra.database import connect
from league.tournaments.domain import commands as c

WHAT = ("tournaments", "entries", "rounds", "pairings", "tournament_standings")
ROUNDS = 5


def play(league: League) -> None:
    """Let side 0 win all games of the last round."""
    of = state_of(league).rounds[-1]
    for number in (table.number for table in of.tables):
        before: str | None = None
        while (match := _open_match(league, number)) not in {None, before}:
            before = match
            score = (150, 10 * number)
            league.dispatcher.send(RecordResult(str(match), AnnouncedResult(0, score)), ACTOR)


def _open_match(league: League, number: int) -> str | None:
    table = state_of(league).rounds[-1].table(number)
    return None if table is None or table.absent else table.match


@pytest.fixture(scope="module")
def kept(embedded_server: str) -> Iterator[League]:
    """Seven in two groups, and ties of three games: one leaves the groups, one the final, and a tie is corrected."""
    with unsigned_league(embedded_server) as league:
        ids = register(league, 7)
        settings: dict[str, Any] = {"groups": 2, "best_of": 3, "rounds": None, "mode": "1v1"}
        planned(league, [[id_] for id_ in ids], format="groups", **settings)
        published(league)
        play(league)
        league.dispatcher.send(c.Withdraw("copa", max(state_of(league).groups, key=len)[3]), ACTOR)
        for _ in range(3):
            published(league)
            play(league)
        semi_final = state_of(league).rounds[3].tables[0].counting[-1]
        final = published(league)
        league.dispatcher.send(ReopenMatch(semi_final, "wrong side"), ACTOR)
        league.dispatcher.send(RecordResult(semi_final, AnnouncedResult(1, (10, 150))), ACTOR)
        league.dispatcher.send(c.Withdraw("copa", final.tables[0].competitors[0]), ACTOR)
        play(league)
        league.dispatcher.send(c.CloseRound("copa", ROUNDS), ACTOR)
        league.dispatcher.send(c.EndTournament("copa"), ACTOR)
        catch_up(league)
        yield league


def rows_of(url: str) -> dict[str, list[dict[str, Any]]]:
    return {what: exported(url, what) for what in WHAT}


def test_the_rows_of_a_knock_out_are_exported_game_by_game(kept: League) -> None:
    """The final is lost without play, the corrected tie is marked, and who left the groups stands last."""
    rows = rows_of(kept.database.url)
    final = [row for row in rows["pairings"] if row["round"] == ROUNDS and not row["third_place"]]
    assert [(row["game"], row["status"], row["match"]) for row in final] == [
        (1, "walkover", None),
        (2, "walkover", None),
    ]
    assert {row["round"] for row in rows["pairings"] if row["corrected"]} == {4}
    assert [row["stage"] for row in rows["rounds"]] == ["group"] * 3 + ["knockout"] * 2
    ranks = [row["rank"] for row in rows["tournament_standings"]]
    assert (ranks[:4], ranks[-1]) == ([1, 2, 3, 4], None)


def test_a_rebuild_gives_the_rows_of_a_knock_out_again(kept: League) -> None:
    """All rows follow from the log."""
    before = rows_of(kept.database.url)
    rebuild(kept)
    assert rows_of(kept.database.url) == before


def test_the_rounds_of_a_knock_out_are_verified_from_its_exports(
    kept: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another group, or another game of a tie for the third place, is a flaw."""
    rows = rows_of(kept.database.url)
    with connect(kept.database.url) as conn, (tmp_path / "log.jsonl").open("wb") as file:
        write_log(encoded_rows.rows(conn), file)

    def verify() -> tuple[int, str]:
        for what, lines in rows.items():
            (tmp_path / f"{what}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        said = runner(monkeypatch, capsys)("verify-round", tmp_path)
        return said.code, " ".join((said.out + said.err).split())

    code, text = verify()
    assert code == 0, text
    rows["pairings"][0]["group"] += 1
    code, text = verify()
    assert (code, "at table 1 its inputs give" in text) == (1, True)
