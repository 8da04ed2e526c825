"""A tournament is the same after a rebuild and a restore, and verify-round finds what was changed."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from commands import League as Command
from commands import runner
from leagues import catch_up, exported, league_at, own_database, rebuild
from played_tournaments import bytes_of, commit, commitment_of, drawn, give, planned, played, register
from signed_leagues import unsigned_league

from league.application.bootstrap import League
from league.audit.proofs import write_log
from league.audit.signed_heads import raw
from league.domain.match import VoidMatch
from league.eventlog import encoded_rows
from league.infra.database import connect
from league.tournaments.domain import commands as c
from league.tournaments.domain import inputs
from league.tournaments.domain.drawn import seed_of
from league.tournaments.drawing import publish_round
from league.transfer.backup import write_backup
from league.transfer.backup_format import BackupReader
from league.transfer.restore import fold_restored, load_backup

WHAT = ("tournaments", "entries", "rounds", "pairings", "tournament_standings")


@contextmanager
def played_league(server: str) -> Iterator[League]:
    """A league with a key, and a tournament of ten players: two rounds are played, and a third is published.

    One match was voided. Three devices promised bytes to the third round, and two gave them.
    """
    with unsigned_league(server) as found, pytest.MonkeyPatch.context() as patch:
        planned(found, [[player] for player in register(found, 10)])
        played(found, 2)
        found.dispatcher.send(VoidMatch("copa-r2-t1", "wrong set"), "organiser")
        for player in ("p01", "p02", "p03"):
            commit(found, player)
        drawn(found)
        for player in ("p03", "p01"):
            give(found, player, of=(3, 1))
        patch.setattr(inputs, "WAIT", timedelta(0))
        publish_round(found, c.PublishRound("copa", 3), "organiser")
        catch_up(found)
        yield found


@pytest.fixture
def league(embedded_server: str) -> Iterator[League]:
    with played_league(embedded_server) as found:
        yield found


def rows_of(url: str) -> dict[str, list[dict[str, Any]]]:
    return {what: exported(url, what) for what in WHAT}


def test_a_rebuild_gives_the_same_standings(league: League) -> None:
    """A rebuild leaves all exports of the tournament as they were. The rounds were signed."""
    before = rows_of(league.database.url)
    rebuild(league)
    assert rows_of(league.database.url) == before
    assert [row["signed"] for row in before["rounds"]] == [True, True, True]
    assert [row["status"] for row in before["pairings"] if row["round"] == 2].count("voided") == 1


@pytest.mark.heavy
def test_a_restored_league_has_its_tournaments(league: League, embedded_server: str) -> None:
    """A restored league has its tournaments, though a backup has only events: the rows are written again."""
    before = rows_of(league.database.url)
    out = io.BytesIO()
    assert league.key is not None
    write_backup(league.database.url, out, datetime(2026, 3, 1, tzinfo=UTC), raw(league.key.public_key()))
    with own_database(embedded_server) as url:
        with BackupReader(io.BytesIO(out.getvalue())) as reader:
            load_backup(url, reader, (), "test")
            with league_at(url) as restored:
                fold_restored(restored, reader.header)
        assert rows_of(url) == before


@pytest.fixture(scope="module")
def written(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the exports of the tournament and the log."""
    folder = tmp_path_factory.mktemp("written")
    with played_league(embedded_server) as league:
        for what, rows in rows_of(league.database.url).items():
            write(folder / f"{what}.jsonl", rows)
        with connect(league.database.url) as conn, (folder / "log.jsonl").open("wb") as file:
            write_log(encoded_rows.rows(conn), file)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy of the exports that a test may change."""
    return Path(shutil.copytree(written, tmp_path, dirs_exist_ok=True))


def write(file: Path, rows: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return runner(monkeypatch, capsys)


def test_verify_round_accepts_each_published_round(command: Command, folder: Path) -> None:
    """`verify-round` accepts each published round from exports alone, with and without the log."""
    said = command("verify-round", folder, "--json")
    assert said.code == 0, said.out + said.err
    third = command("verify-round", folder, "--round", 3, "--json").document
    assert (third["promised"], third["missing"]) == (3, ["p02"])
    shown = command("verify-round", folder).out
    assert "those of the log" in shown
    assert "bytes of 2 of 3 devices; missing: p02" in " ".join(shown.split())
    (folder / "log.jsonl").unlink()
    said = command("verify-round", folder, "--round", 2)
    assert said.code == 0
    assert "those of the log" not in said.out


Rows = list[dict[str, Any]]
Files = dict[str, Rows]


def exchange_two(of: Files) -> None:
    one, other = (row["sides"] for row in of["pairings"] if row["round"] == 2 and row["table"])
    one[0][0], other[0][0] = other[0][0], one[0][0]


def exchange_two_by_hand(of: Files) -> None:
    exchange_two(of)
    for row in of["pairings"]:
        row["by_hand"] = row["round"] == 2 and row["table"] is not None


def seat_twice(of: Files) -> None:
    exchange_two_by_hand(of)
    one, other = (row["sides"] for row in of["pairings"] if row["round"] == 2 and row["table"])
    one[0][0] = other[0][0]


def seat_a_stranger(of: Files) -> None:
    exchange_two_by_hand(of)
    one = next(row["sides"] for row in of["pairings"] if row["round"] == 2)
    one[0][0] = "p99"


def another_who_sits_out(of: Files) -> None:
    bye = next(row for row in of["pairings"] if row["round"] == 2 and row["table"] is None)
    of["pairings"].remove(bye)


def another_win(of: Files) -> None:
    of["rounds"][1]["input"][3]["won"] += 1


def another_partner(of: Files) -> None:
    partner = of["rounds"][2]["input"][0]["partners"][0]
    partner["round"] = 3 - partner["round"]  # round 2 in place of 1, or 1 in place of 2


def another_seed(of: Files) -> None:
    of["rounds"][0]["seed"] = "0" * 64


def another_root(of: Files) -> None:
    of["rounds"][0]["root"] = "0" * 64


def another_drawing(of: Files) -> None:
    of["rounds"][0]["position"] -= 1


def another_plan(of: Files) -> None:
    of["tournaments"][0]["plan"]["minutes"] = 20


def no_tournament(of: Files) -> None:
    of["tournaments"].clear()


def no_first_round(of: Files) -> None:
    del of["rounds"][0]


def seed_again(row: dict[str, Any]) -> None:
    row["seed"] = seed_of(row["root"], "copa", 3, [one["bytes"] for one in row["contributions"]])


def leave_out_bytes(of: Files) -> None:
    """Leave out bytes, as an operator who prefers the other seed might."""
    row = of["rounds"][2]
    del row["contributions"][0]
    seed_again(row)


def other_bytes(of: Files) -> None:
    row = of["rounds"][2]
    row["contributions"][0]["bytes"] = bytes_of("p01", 9)
    seed_again(row)


def bytes_of_nobody(of: Files) -> None:
    row = of["rounds"][2]
    row["contributions"].insert(1, {"id": "p02", "bytes": bytes_of("p02")})
    row["contributions"].append({"id": "p04", "bytes": bytes_of("p04")})
    seed_again(row)


def commitment_afterwards(of: Files) -> None:
    row = of["rounds"][2]
    row["commitments"][0]["position"] = row["position"] + 1


def another_commitment(of: Files) -> None:
    row = of["rounds"][2]
    row["commitments"][1]["commitment"] = commitment_of("p02", 9)


def no_commitment(of: Files) -> None:
    del of["rounds"][2]["commitments"][1]


FLAWS = [
    (leave_out_bytes, "Round 3 of copa", "the bytes of 'p01' came and were left out"),
    (
        other_bytes,
        "Round 3 of copa",
        "the bytes of 'p01' do not fit their commitment",
        "are not those that the log has",
    ),
    (
        bytes_of_nobody,
        "Round 3 of copa",
        "the bytes of 'p04' were promised by no commitment",
        "the bytes of 'p02' are not those that the log has",
    ),
    (commitment_afterwards, "Round 3 of copa", "the commitment of 'p01' does not precede the drawing"),
    (another_commitment, "Round 3 of copa", "its commitments are not those that the log has before its drawing"),
    (no_commitment, "Round 3 of copa", "its commitments are not those that the log has before its drawing"),
    (exchange_two, "Round 2 of copa", "at table 1 its inputs give", "its table 2 is not the one that the log has"),
    (exchange_two_by_hand, "Round 2 of copa", "its table 1 is not the one that the log has"),
    (seat_twice, "Round 2 of copa", "is named twice", "was drawn and neither plays nor sits out"),
    (seat_a_stranger, "Round 2 of copa", "'p99' plays and was not drawn"),
    (
        another_who_sits_out,
        "Round 2 of copa",
        "by its inputs, other competitors sit out",
        "in the log, other competitors sit out",
    ),
    (another_win, "Round 2 of copa", "its inputs are not those that the log has"),
    (another_partner, "Round 3 of copa", "its inputs are not those that the log has"),
    (another_seed, "Round 1 of copa", "its seed does not follow from its root"),
    (another_root, "Round 1 of copa", "its root is not that of the log up to its drawing"),
    (another_drawing, "Round 1 of copa", "the log has its drawing at position"),
    (another_plan, "Round 1 of copa", "its plan is not the one that the log has"),
    (no_tournament, "Round 1 of copa", "its tournament, or the first round of that, has no line"),
    (no_first_round, "Round 2 of copa", "its tournament, or the first round of that, has no line"),
]


@pytest.mark.parametrize(("change", "of", "flaws"), [(change, of, flaws) for change, of, *flaws in FLAWS])
def test_verify_round_refuses_what_was_changed(
    command: Command, folder: Path, change: Any, of: str, flaws: list[str]
) -> None:
    """The command ends with exit code 1, and names the round and its fault."""
    read = {
        what: [json.loads(line) for line in (folder / f"{what}.jsonl").read_text().splitlines()]
        for what in ("tournaments", "pairings", "rounds")
    }
    change(read)
    for what, rows in read.items():
        write(folder / f"{what}.jsonl", rows)
    said = command("verify-round", folder)
    assert said.code == 1
    text = " ".join(said.out.split())
    line = next(line for line in text.split("Round ") if f"Round {line}".startswith(of))
    for flaw in flaws:
        assert flaw in line


def test_a_file_that_is_missing_is_named(command: Command, tmp_path: Path) -> None:
    """The message names the missing file and the command that writes it."""
    said = command("verify-round", tmp_path)
    assert said.code == 2
    assert "`league export tournaments` writes it" in said.err.replace("\n", " ")
