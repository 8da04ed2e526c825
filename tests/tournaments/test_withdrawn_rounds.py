"""A published round that is withdrawn counts for nothing, and is drawn anew under its number."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from commands import runner
from leagues import catch_up, exported, league_at, own_database, rebuild
from live_tables import SLOW, contribute, do, league_with_tables, now
from played_tournaments import ACTOR, drawn, finish, planned, played, published, register, state_of
from signed_leagues import unsigned_league

from league.application.bootstrap import League, clock, founding
from league.audit.proofs import write_log
from league.audit.signed_heads import raw
from league.domain.match import ForfeitMatch, RecordHand, VoidMatch
from league.domain.player import RegisterPlayer
from league.domain.refusals import NotFound, WrongState
from league.eventlog import encoded_rows
from league.infra.database import connect
from league.tables.domain.commands_and_events import OpenTableOfMatch, SayReady
from league.tournaments.domain import commands as c
from league.tournaments.domain.inputs import byes_before, encounters
from league.tournaments.drawing import publish_round
from league.transfer.backup import write_backup
from league.transfer.backup_format import BackupReader
from league.transfer.recorded_season import import_season
from league.transfer.restore import fold_restored, load_backup
from tests.leagues import domino

REGIONS = ("Granma", "Holguín", None)
WHAT = ("tournaments", "entries", "rounds", "pairings", "tournament_standings")


def withdraw(league: League, number: int = 1, reason: str = "wrong names", key: str | None = None) -> int:
    return league.dispatcher.send(c.WithdrawRound("copa", number, reason), ACTOR, key=key)


def swiss(league: League, players: int = 5, **plan: Any) -> None:
    planned(league, [[player] for player in register(league, players)], format="swiss", mode="1v1", **plan)


def test_a_withdrawn_round_counts_for_nothing(league: League) -> None:
    """Its matches are voided; it is no meeting, no partner and no bye, and the round before it stays closed."""
    planned(league, [[player] for player in register(league, 6)])
    played(league, 1)
    published(league)
    before = encounters(state_of(league), {}, 2), byes_before(state_of(league), 2)
    withdraw(league, 2)
    state = state_of(league)
    assert [of.status for of in state.rounds] == ["closed", "withdrawn"]
    assert (encounters(state, {}, 3), byes_before(state, 3)) == before
    assert league.store.load("match:copa-r2-t1")[-1].name == "match-voided/1"
    assert [of.number for of, _ in state.tables()] == [1]


def test_a_withdrawn_round_is_drawn_anew_with_new_matches(league: League) -> None:
    """The next drawing has the same number; nobody has to say why, for the withdrawal has said it."""
    swiss(league)
    published(league)
    withdraw(league)
    with pytest.raises(WrongState, match="there is nothing to draw again"):
        drawn(league, again="once more")
    of = published(league)
    assert (of.number, of.drawings, of.status) == (1, 2, "published")
    assert [table.matches for table in of.tables] == [("copa-r1-t1-2",), ("copa-r1-t2-2",)]
    [former] = state_of(league).former
    assert (former.drawings, former.status, former.reason) == (1, "withdrawn", "wrong names")
    assert [table.match for table in former.tables] == ["copa-r1-t1", "copa-r1-t2"]
    finish(league)
    assert published(league).number == 2


def test_a_withdrawn_first_round_opens_the_plan_and_the_entries_again(league: League) -> None:
    """Nothing is published any more, so whatever was wrong can be put right before the round is drawn anew."""
    swiss(league)
    published(league)
    withdraw(league)
    assert state_of(league).status == "planned"
    register_one_more = RegisterPlayer("p06", "Player p06", None)
    league.dispatcher.send_all([register_one_more, c.EnterCompetitor("copa", ("p06",))], ACTOR)
    assert len(published(league).tables) == 3


def test_a_repeated_request_withdraws_once(league: League) -> None:
    """A repeated key gets the first answer again, also after the round was drawn anew and published."""
    swiss(league)
    published(league)
    position = withdraw(league, key="once")
    published(league)
    assert withdraw(league, key="once") == position
    assert state_of(league).rounds[0].status == "published"


def hand(league: League) -> None:
    league.dispatcher.send(RecordHand("copa-r1-t1", domino(0, (), 20)), ACTOR)


def voided_hand(league: League) -> None:
    hand(league)
    league.dispatcher.send(VoidMatch("copa-r1-t1", "wrong set"), ACTOR)


def replaced_hand(league: League) -> None:
    voided_hand(league)
    league.dispatcher.send(c.ReplaceMatch("copa", 1, 1, "again"), ACTOR)


def result(league: League) -> None:
    finish(league)


def forfeit(league: League) -> None:
    league.dispatcher.send(ForfeitMatch("copa-r1-t1", 0), ACTOR)


def absence(league: League) -> None:
    league.dispatcher.send(c.RecordAbsence("copa", 1, 1, (0,)), ACTOR)


@pytest.mark.parametrize(
    "happens", [hand, voided_hand, replaced_hand, result, forfeit, absence], ids=lambda one: one.__name__
)
def test_a_round_that_has_begun_is_not_withdrawn(league: League, happens: Any) -> None:
    """One hand, result or absence at a table keeps the round, also where the match was voided or replaced since."""
    swiss(league)
    published(league)
    happens(league)
    with pytest.raises(WrongState, match="a round is withdrawn before play begins") as refused:
        withdraw(league)
    assert refused.value.code == "ROUND_BEGUN"


def test_only_the_last_published_round_is_withdrawn(league: League) -> None:
    """A round that is drawn, closed, withdrawn or unknown is refused, each with its own code."""
    swiss(league)
    drawn(league)
    assert refusal(league, 1) == "ROUND_NOT_PUBLISHED"
    publish_round(league, c.PublishRound("copa", 1), ACTOR)
    finish(league)
    published(league)
    assert refusal(league, 1) == "ROUND_CLOSED"
    withdraw(league, 2)
    assert refusal(league, 2) == "ROUND_WITHDRAWN"
    with pytest.raises(NotFound):
        withdraw(league, 3)


def refusal(league: League, number: int) -> str:
    with pytest.raises(WrongState) as refused:
        withdraw(league, number)
    return str(refused.value.code)


COMMANDS = (
    c.PublishRound("copa", 1),
    c.CloseRound("copa", 1),
    c.RecordAbsence("copa", 1, 1, (0,)),
    c.ReplaceMatch("copa", 1, 1, "they came"),
    c.ChangePairings("copa", 1, (c.NewTable(1, (("p01",), ("p02",))),), "a wish"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_nothing_happens_at_tables_of_a_withdrawn_round(league: League, command: Any) -> None:
    """Its tables cannot be published, closed, changed or replayed."""
    swiss(league)
    published(league)
    withdraw(league)
    with pytest.raises(WrongState) as refused:
        league.dispatcher.send(command, ACTOR)
    assert refused.value.code == "ROUND_WITHDRAWN"


def test_a_fixture_that_was_never_opened_is_withdrawn_with_its_round(league: League) -> None:
    """The table has no match to void; in the exports it is voided all the same."""
    planned(league, [[player] for player in register(league, 4)], format="fixtures", mode="1v1", rounds=None)
    published(league)
    league.dispatcher.send(c.OpenFixture("copa", 1, 1), ACTOR)
    withdraw(league)
    catch_up(league)
    rows = exported(league.database.url, "pairings")
    assert [(row["match"], row["status"]) for row in rows] == [("copa-r1-t1", "voided"), (None, "voided")]


def test_the_hand_that_runs_at_a_live_table_is_given_up(embedded_server: str) -> None:
    """A hand is dealt at the table. Its match is voided like the others, and the table closes."""
    with own_database(embedded_server) as url, league_with_tables(url, SLOW) as league:
        swiss(league)
        of = published(league)
        league.dispatcher.send(OpenTableOfMatch("copa-r1-t1"), ACTOR, source="live")
        for player in of.tables[0].competitors:
            do(league, SayReady("copa-r1-t1", player))
        contribute(league, now(league, "copa-r1-t1"))
        assert now(league, "copa-r1-t1").play is not None
        withdraw(league)
        assert league.store.load("match:copa-r1-t1")[-1].name == "match-voided/1"
        assert now(league, "copa-r1-t1").closed is not None


# ---------------------------------------------------------------- exports, rebuild, restore, import, verify-round


@pytest.fixture(scope="module")
def kept(embedded_server: str) -> Iterator[League]:
    """A tournament whose first round was dropped once, and whose second was withdrawn and drawn anew."""
    with unsigned_league(embedded_server) as league:
        swiss(league)
        drawn(league)
        drawn(league, again="a wish")
        publish_round(league, c.PublishRound("copa", 1), ACTOR)
        finish(league)
        published(league)
        withdraw(league, 2)
        published(league)
        catch_up(league)
        yield league


def rows_of(url: str) -> dict[str, list[dict[str, Any]]]:
    return {what: exported(url, what) for what in WHAT}


def test_each_drawing_has_a_line_and_pairings_name_it(kept: League) -> None:
    """Dropped and withdrawn drawings are listed, numbered from 1; a dropped one has no pairings."""
    rows = rows_of(kept.database.url)
    lines = [(row["round"], row["drawing"], row["status"]) for row in rows["rounds"]]
    assert lines == [(1, 1, "dropped"), (1, 2, "closed"), (2, 1, "withdrawn"), (2, 2, "published")]
    assert {(row["round"], row["drawing"]) for row in rows["pairings"]} == {(1, 2), (2, 1), (2, 2)}
    withdrawn = [row for row in rows["pairings"] if (row["round"], row["drawing"]) == (2, 1)]
    assert [row["status"] for row in withdrawn] == ["voided", "voided", "bye"]
    assert rows["tournaments"][0]["rounds"] == 2
    assert sum(row["byes"] for row in rows["tournament_standings"]) == 2


@pytest.mark.heavy
def test_a_rebuild_and_a_restore_give_the_drawings_again(kept: League, embedded_server: str) -> None:
    """All rows follow from the log."""
    before = rows_of(kept.database.url)
    rebuild(kept)
    assert rows_of(kept.database.url) == before
    out = io.BytesIO()
    assert kept.key is not None
    write_backup(kept.database.url, out, datetime(2026, 3, 1, tzinfo=UTC), raw(kept.key.public_key()))
    with own_database(embedded_server) as url:
        with BackupReader(io.BytesIO(out.getvalue())) as reader:
            load_backup(url, reader, (), "test")
            with league_at(url) as restored:
                fold_restored(restored, reader.header)
        assert rows_of(url) == before


@pytest.fixture
def folder(kept: League, tmp_path: Path) -> Path:
    """A folder with the exports and the log."""
    for what, rows in rows_of(kept.database.url).items():
        (tmp_path / f"{what}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with connect(kept.database.url) as conn, (tmp_path / "log.jsonl").open("wb") as file:
        write_log(encoded_rows.rows(conn), file)
    return tmp_path


def test_verify_round_checks_every_drawing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names dropped and withdrawn drawings, with the log and without."""
    command = runner(monkeypatch, capsys)
    said = command("verify-round", folder)
    assert said.code == 0, said.out + said.err
    text = " ".join(said.out.split())
    assert "Round 1 of copa, drawing 1 (drawn again): the inputs are those of the log." in text
    assert "Round 2 of copa, drawing 1 (withdrawn): the inputs are those of the log, and give these tables." in text
    (folder / "log.jsonl").unlink()
    assert command("verify-round", folder).code == 0


def as_published(rows: list[dict[str, Any]]) -> None:
    rows[2]["status"] = "published"


def without_the_last(rows: list[dict[str, Any]]) -> None:
    del rows[3]
    as_published(rows)


def as_withdrawn(rows: list[dict[str, Any]]) -> None:
    rows[3]["status"] = "withdrawn"


def as_dropped(rows: list[dict[str, Any]]) -> None:
    rows[2]["status"] = "dropped"


@pytest.mark.parametrize(
    ("change", "flaw"),
    [
        (as_published, "the log says that it was withdrawn"),
        (without_the_last, "its last drawing in the log is at position"),
        (as_withdrawn, "the log has no withdrawal of it"),
        (as_dropped, "the log does not say that it was drawn again before it was published"),
    ],
)
def test_verify_round_refuses_another_story_of_a_round(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], change: Any, flaw: str
) -> None:
    """The log says which drawings were withdrawn or dropped."""
    file = folder / "rounds.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    change(rows)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = runner(monkeypatch, capsys)("verify-round", folder)
    assert said.code == 1
    assert flaw in " ".join(said.out.split())


@pytest.mark.heavy
def test_an_import_gives_every_drawing_again(embedded_server: str, tmp_path: Path) -> None:
    """Imported lines are exported as they were, but for the voided matches, which recorded seasons lack."""
    with unsigned_league(embedded_server) as league:
        swiss(league)
        drawn(league)
        drawn(league, again="a wish")
        publish_round(league, c.PublishRound("copa", 1), ACTOR)
        withdraw(league)
        drawn(league)
        catch_up(league)
        before = rows_of(league.database.url)
    players = [{"player": f"p{at + 1:02}", "name": f"Player {at}", "region": REGIONS[at % 3]} for at in range(5)]
    for what, rows in {**before, "players": players, "matches": []}.items():
        (tmp_path / f"{what}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with own_database(embedded_server) as url, league_at(url) as elsewhere:
        import_season(tmp_path, elsewhere.store, clock, ACTOR, founding=founding())
        catch_up(elsewhere)
        after = rows_of(url)
    assert [row["status"] for row in after["rounds"]] == ["dropped", "withdrawn", "drawn"]
    assert after["rounds"] == before["rounds"]
    assert after["pairings"] == [{**row, "match": None} for row in before["pairings"]]
