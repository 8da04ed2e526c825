"""A check that starts after a verified head finds what is wrong after it, and says what it leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import psycopg
import pytest
from leagues import UNGUARDED, announced, catch_up, send
from signed_leagues import heads_of, signed_league

from league.application.bootstrap import League
from league.audit.signed_heads import as_json, new_seed, public_pem, read_private_key
from league.cli.verify import verify_league
from league.domain.match import VoidMatch
from league.domain.refusals import InvalidInput


@pytest.fixture
def league(embedded_server: str) -> Iterator[League]:
    with signed_league(embedded_server) as made:
        yield made


@pytest.fixture
def kept(league: League, tmp_path: Path) -> Path:
    """A file with the head of the league, written before more is recorded."""
    file = tmp_path / "heads.json"
    file.write_bytes(msgspec.json.encode([as_json(head) for head in heads_of(league)]))
    send(league, announced("m8", ("ana", "eva"), 8), VoidMatch("m1", "not played"))
    league.sign_head()
    catch_up(league)
    return file


def alter(league: League, statement: str, *values: object) -> None:
    """Change the log, as only its owner can."""
    with psycopg.connect(league.database.url) as owner:
        owner.execute(f"{UNGUARDED}; SET search_path = league")
        assert owner.execute(statement.encode(), values).rowcount == 1


def test_what_came_after_a_head_is_checked(league: League, kept: Path) -> None:
    """The log ends with the same hash and root as one that is read whole, and what was not read is said."""
    whole = verify_league(league, [kept], [], rebuild=False)
    found = verify_league(league, [], [], kept, rebuild=True)
    head = heads_of(league)[0]
    assert (found.faults, found.log.after, found.outside) == ([], head.position, 1)
    assert (found.log.events, found.log.hash, found.log.root) == (whole.log.events, whole.log.hash, whole.log.root)
    assert [one.position for one in found.log.agreed] == [one.position for one in heads_of(league)]
    assert f"the events up to {head.position} were not read" in found.verdicts["log"].says
    assert {part: verdict.ok for part, verdict in found.verdicts.items() if verdict.ok is not True} == {"tables": None}


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE stored_events SET topic = 'x' WHERE position = %s", "hash"),
        ("UPDATE stored_events SET originator_version = 9 WHERE position = %s", "version"),
        ("DELETE FROM stored_events WHERE position = %s", "beyond"),
    ],
)
def test_what_was_altered_after_the_head_is_found(league: League, kept: Path, statement: str, kind: str) -> None:
    """A change after the head is found, even in a stream that began before the head."""
    bad = league.store.newest_position("match:m1")
    alter(league, statement, bad)
    found = verify_league(league, [], [], kept, rebuild=False)
    assert (found.log.faults[0].kind, found.log.faults[0].position) == (kind, bad)


def test_what_was_altered_before_the_head_is_not_found(league: League, kept: Path) -> None:
    """A change before the head is found only by a check of the whole log."""
    alter(league, "UPDATE stored_events SET topic = 'x' WHERE position = %s", 3)
    assert verify_league(league, [], [], kept, rebuild=False).log.faults == []
    assert verify_league(league, [kept], [], rebuild=False).log.faults[0].position == 3


def test_a_head_of_another_log_lets_nothing_be_left_out(league: League, kept: Path) -> None:
    """If the event there is not the one that the head signs, or is gone, the whole log is checked."""
    position = heads_of(league)[0].position
    alter(league, "UPDATE stored_events SET topic = 'x' WHERE position = %s", position)
    found = verify_league(league, [], [], kept, rebuild=False)
    assert (found.log.after, found.log.faults[0].position) == (0, position)
    alter(league, "DELETE FROM stored_events WHERE position = %s", position)
    assert verify_league(league, [], [], kept, rebuild=False).log.faults[0].kind == "missing"


def test_a_head_that_cannot_have_been_found_good_is_refused(league: League, kept: Path, tmp_path: Path) -> None:
    """A changed head, or a head by a key that was not given, is refused."""
    key = tmp_path / "other.pem"
    key.write_text(public_pem(read_private_key(new_seed())), encoding="utf-8")
    with pytest.raises(InvalidInput, match="key that was not given"):
        verify_league(league, [], [key], kept, rebuild=False)
    changed = kept.read_text().replace('"position":', '"position":1')
    kept.write_text(changed, encoding="utf-8")
    with pytest.raises(InvalidInput, match="not what its key signed"):
        verify_league(league, [], [], kept, rebuild=False)
