"""A player is erased: the name is nowhere any more, whenever it happens, and everything else is as it was."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest
from api_server import served, token
from leagues import (
    announced,
    at_once,
    catch_up,
    digest,
    domino,
    everything,
    exported,
    import_cuban,
    league_at,
    opened,
    part_of_season,
    played,
    rebuild,
    revised,
    send,
    shared_rows,
)
from typer.testing import CliRunner
from waiting import LIMIT, wait_until

from league import cli
from league.application.bootstrap import League, clock
from league.application.dispatch import Dispatcher, decide, store_decided
from league.application.stream_states import StreamStates
from league.domain.collected_refusals import SeasonRefused
from league.domain.deciders import Command
from league.domain.match import VoidMatch
from league.domain.members import AddMember
from league.domain.player import ErasePlayer, MergePlayers, MovePlayer, RegisterPlayer, RenamePlayer, pseudonym
from league.domain.refusals import Refusal, WrongState
from league.eventlog import codec
from league.eventlog.records import AppendRequest, LoggedEvent, Overtaken
from league.eventlog.store import EventStore
from league.infra.embedded_postgres import _binaries
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.writers import catalogue
from league.review.commands import SetReviewConsent

pytestmark = [pytest.mark.heavy, pytest.mark.slow]

OLD, NEW = "Zoraida Quiñónez", "Xiomara Güiráldez"

SEED = base64.b64encode(bytes(32)).decode()

EVERYTHING_OF = """query ($id: ID!) {
  player(id: $id) { name displayName region badges { badge { key } }
    partners(first: 9) { nodes { competitor { ... on Player { name displayName } } } }
    opponents(first: 9) { nodes { competitor { ... on Player { name displayName } } } }
    ratingHistory(first: 9) { nodes { explanation { statement } event { name } } }
    journal(first: 9) { nodes { __typename } } }
  trail(filter: {player: $id}, first: 100) { nodes { text body } }
  players(first: 100) { nodes { name displayName } }
  found: players(filter: {nameContains: "Güiráldez"}) { nodes { playerId } }
  board(includeInactive: true) { places(first: 100) { nodes { player { name displayName } } } }
  teams(first: 100) { nodes { players { name displayName } } }
  matches(first: 100) { nodes { sides { players { name displayName } } } } }"""


@pytest.fixture
def known(league: League) -> League:
    """A league in which `zq` has won alone and in a pair, has badges, and goes by another name than at first."""
    send_named(league, RegisterPlayer("zq", OLD, "Granma"))
    won = [announced(f"a{number:02}", ("zq", "ana"), number - 500, competition="casual") for number in range(10)]
    pairs = announced("b1", ("zq", "bea", "cira", "dora"), 30)
    hands = played("b2", ("zq", "flor"), 50, domino(0, 0, 90, both=True), domino(0, 0, 80))
    send(league, *won, pairs, hands, announced("b3", ("zq", "eva"), 40), VoidMatch("b3", "played twice"))
    send_named(league, RenamePlayer("zq", NEW))
    catch_up(league)
    return league


def send_named(league: League, command: RegisterPlayer | RenamePlayer) -> int:
    """Send a command under a key, as a client of the API does, so that a hash of the input is stored."""
    return league.dispatcher.send(command, "clerk", key=type(command).__name__)


def run(url: str, *arguments: str) -> str:
    """The output of a command."""
    said = CliRunner().invoke(cli.app, arguments, env={"LEAGUE_DATABASE_URL": url, "LEAGUE_SIGNING_KEY": SEED})
    assert said.exception is None, said.exception
    return said.stdout


def keys(url: str) -> set[str]:
    """Whose names can be read."""
    with psycopg.connect(url) as conn:
        return {
            row[0]
            for row in conn.execute("SELECT substr(stream, 8) FROM sealing_keys WHERE starts_with(stream, 'player:')")
        }


def names_in_the_log(league: League, player: str) -> set[str | None]:
    return {e.event.name for e in league.store.load(f"player:{player}") if hasattr(e.event, "name")}


# ---------------------------------------------------------------- the name is nowhere


def spellings(name: str) -> set[bytes]:
    """Each word of a name as it may be written: accents, case, escapes, hexadecimal, base64 at any place."""
    found = set()
    for word in name.split():
        bare = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
        for form in (word, unicodedata.normalize("NFD", word), bare):
            for cased in (form, form.lower(), form.upper()):
                raw = cased.encode()
                found |= {raw, json.dumps(cased)[1:-1].encode(), raw.hex().encode()}
                for offset, touched in ((0, 0), (1, 2), (2, 3)):
                    whole = (offset + len(raw)) // 3 * 3
                    found.add(base64.b64encode((bytes(offset) + raw)[:whole])[touched:])
    return found


SPELLINGS = spellings(OLD) | spellings(NEW)


def traces(text: bytes | str) -> set[bytes]:
    """How the names of `zq` are spelled in a text."""
    data = text.encode() if isinstance(text, str) else text
    return {spelling for spelling in SPELLINGS if spelling in data}


def dump(url: str) -> bytes:
    """A backup, with what the planner knows of the tables."""
    command = [_binaries() / "pg_dump", "--statistics", url]
    return subprocess.run(command, check=True, capture_output=True, timeout=LIMIT).stdout


def files(url: str) -> str:
    """All exports, and the log as it is read."""
    with league_at(url) as league:
        log = msgspec.json.encode(league.store.read_after(0, 10_000)).decode()
    return json.dumps(everything(url, but=()), ensure_ascii=False) + json.dumps(exported(url, "matches")) + log


def answers(url: str) -> str:
    """Everything that the API returns about the player to the role that may read most."""
    with served(url, projecting=False) as server:
        return json.dumps(server.ask(EVERYTHING_OF, token("admin"), id="zq"), ensure_ascii=False)


def pages(url: str) -> str:
    """The output of commands about the player."""
    commands = (
        ("board", "--all"), ("board", "teams", "--all", "--json"), ("board", "series", "--month", "2026-03"),
        ("explain", "b2", "zq"), ("explain", "b2"), ("explain", "standing", "2026-03", "zq"), ("difference", "2"),
        ("trail", "--player", "zq", "--first", "99"), ("trail", "--player", "zq", "--json"), ("export", "trail"),
    )  # fmt: skip
    return "\n".join(run(url, *command) for command in commands)


def analyzed(url: str) -> bytes:
    """Let the planner sample all tables, and return the key of `zq`."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("ANALYZE")
        found = conn.execute("SELECT key FROM sealing_keys WHERE stream = 'player:zq'").fetchone()
    assert found is not None
    return bytes(found[0])


SURFACES = (dump, files, answers, pages)


def test_no_table_export_answer_or_page_holds_the_name(known: League) -> None:
    """The last name and the one before it are gone in any spelling; a pseudonym replaces them."""
    url = known.database.url
    replay(url, revised("[rating.k]\nprovisional = 32\n"), ReplayPeriod())
    key = analyzed(url)
    for surface in SURFACES:
        assert NEW.split()[1].encode() in traces(surface(url)), "what cannot be found cannot be missed"
    assert "is erased" in run(url, "erase", "zq", "--yes")
    for surface in SURFACES:
        assert traces(surface(url)) == set(), surface.__name__
    assert key.hex().encode() not in dump(url)
    said = json.loads(answers(url))
    assert said["player"] == {**said["player"], "name": None, "displayName": pseudonym("zq"), "region": "Granma"}
    assert said["player"]["badges"]
    assert said["found"] == {"nodes": []}
    assert pages(url).count(pseudonym("zq")) > 5


def test_a_name_cannot_be_guessed_from_what_was_asked(known: League) -> None:
    """The record of a request holds no hash that somebody who knows names could try."""
    plain = msgspec.json.encode([("RenamePlayer", RenamePlayer("zq", NEW))], order="deterministic")
    assert hashlib.sha256(plain).hexdigest().encode() not in dump(known.database.url)


def test_everything_but_the_name_stays(known: League) -> None:
    """Ratings, digests, every export and all bytes of the log; a rebuild folds to the same league."""
    url = known.database.url
    before = (digest(url), everything(url, but=()), known.store.rows_after(0, 1000))
    erased = send(known, ErasePlayer("zq"))
    catch_up(known)
    assert (digest(url), everything(url, but=()), known.store.rows_after(0, erased - 1)) == before
    shared = shared_rows(url)
    assert rebuild(known) == before[0]
    assert shared_rows(url) == shared


def test_the_log_is_verified_as_before(known: League, tmp_path: Path) -> None:
    """A head that was signed before the erasure still holds, in the database and in an export without a name."""
    url, heads, log = known.database.url, tmp_path / "heads.json", tmp_path / "log"
    heads.write_text(run(url, "heads", "sign", "--json"), encoding="utf-8")
    send(known, ErasePlayer("zq"))
    log.write_text(run(url, "export", "log"), encoding="utf-8")
    assert traces(log.read_bytes()) == set()
    for source in ((), ("--log", str(log))):
        assert json.loads(run(url, "verify", "--heads", str(heads), "--json", *source))["faults"] == []


# ---------------------------------------------------------------- at any moment


def test_a_process_killed_between_the_two_steps_leaves_nothing_half_done(known: League) -> None:
    """The event and the destruction of the key are one transaction: killed amid them, it is as if never begun."""
    url = known.database.url
    head = known.store.head()
    with psycopg.connect(url) as holder:
        holder.execute("SELECT FROM sealing_keys WHERE stream = 'player:zq' FOR UPDATE")
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "LEAGUE_DATABASE_URL": url}
        process = subprocess.Popen([sys.executable, "-m", "league", "erase", "zq", "--yes"], env=environment)
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE%keys%'"
        waiting += " AND datname = current_database()"
        with psycopg.connect(url, autocommit=True) as watcher:
            wait_until(lambda: process.poll() is not None or watcher.execute(waiting).fetchone() != (0,))
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait(LIMIT)
    # This append waits for the lock of the log, so what was killed is rolled back by then.
    send(known, MovePlayer("ana", "Holguín"))
    assert known.store.head() == head + 1
    assert names_in_the_log(known, "zq") == {OLD, NEW}
    send(known, ErasePlayer("zq"))
    assert names_in_the_log(known, "zq") == {None}
    assert traces(dump(url)) == set()


def test_an_erasure_does_not_wait_to_be_projected(known: League) -> None:
    """Without a projector the name is gone as well; the next projector projects the rest."""
    url = known.database.url
    analyzed(url)
    send(known, ErasePlayer("zq"))
    for surface in (dump, answers):
        assert traces(surface(url)) == set(), surface.__name__
    assert pseudonym("zq") in run(url, "board", "--all")
    assert traces(dump(url)) == set()


@pytest.mark.parametrize("rebuilding", [False, True], ids=["following", "rebuilding"])
def test_a_projector_that_has_read_a_name_already_does_not_bring_it_back(
    known: League, monkeypatch: pytest.MonkeyPatch, *, rebuilding: bool
) -> None:
    """The erasure waits for what it is about to commit; others go on writing meanwhile."""
    url, apply = known.database.url, catalogue.apply
    has_read, go_on = threading.Event(), threading.Event()

    def held_up(conn: Any, page: Iterable[LoggedEvent]) -> Any:
        events = list(page)
        timeline = apply(conn, events)
        if any(stored.stream == "player:zq" for stored in events):
            has_read.set()
            assert go_on.wait(LIMIT)
        return timeline

    known.dispatcher.send(RenamePlayer("zq", OLD), "clerk")
    monkeypatch.setattr(catalogue, "apply", held_up)
    projector = threading.Thread(target=rebuild if rebuilding else catch_up, args=(known,))
    projector.start()
    assert has_read.wait(LIMIT)
    eraser = threading.Thread(target=send, args=(known, ErasePlayer("zq")))
    eraser.start()
    waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with psycopg.connect(url, autocommit=True) as watcher:
        wait_until(lambda: not eraser.is_alive() or watcher.execute(waiting).rowcount)
    send(known, MovePlayer("bea", "Holguín"))
    monkeypatch.setattr(catalogue, "apply", apply)
    go_on.set()
    eraser.join(LIMIT)
    projector.join(LIMIT)
    assert not eraser.is_alive()
    assert not projector.is_alive()
    assert traces(dump(url)) == set()


def test_a_projector_that_runs_meanwhile_brings_no_name_back(league: League) -> None:
    """Players come, are renamed and erased while somebody projects."""
    url = league.database.url
    with served(url):
        for number in range(20):
            send(league, RegisterPlayer(f"p{number}", OLD), RenamePlayer(f"p{number}", NEW))
            send(league, ErasePlayer(f"p{number}"))
            if number % 5 == 0:
                assert traces(dump(url)) == set()
    assert traces(dump(url)) == set()


def test_a_key_that_came_back_with_a_backup_is_destroyed_by_a_rebuild(known: League) -> None:
    """After keys from before an erasure are restored, a rebuild destroys them again."""
    url = known.database.url
    with psycopg.connect(url) as owner:
        restored = owner.execute("SELECT * FROM sealing_keys WHERE stream = 'player:zq'").fetchone()
        send(known, ErasePlayer("zq"))
        owner.execute("INSERT INTO sealing_keys VALUES (%s, %s)", restored)
    rebuild(known)
    assert "zq" not in keys(url)
    assert traces(dump(url)) == set()


# ---------------------------------------------------------------- concurrent processes


def test_a_rename_that_is_overtaken_by_an_erasure_is_refused(known: League) -> None:
    """It was decided before and comes to be stored after: no new key is made, and no name is sealed."""

    class Overtaken(EventStore):
        """Somebody erases the player between the decision and the append."""

        def append(self, *arguments: Any, **more: Any) -> int:
            if "zq" in keys(known.database.url):
                send(known, ErasePlayer("zq"))
            return super().append(*arguments, **more)

    with Overtaken(known.database.url, codec) as store, pytest.raises(WrongState, match="erased"):
        Dispatcher(store, clock).send(RenamePlayer("zq", OLD), "clerk")
    assert names_in_the_log(known, "zq") == {None}
    assert "zq" not in keys(known.database.url)


def test_renames_and_erasures_at_once_leave_no_name(league: League) -> None:
    """In whatever order they come: one erasure is carried out, and nothing can be read afterwards."""
    for player in ("ana", "bea", "cira", "dora"):
        rename = [
            lambda p=player, n=n: league.dispatcher.send(RenamePlayer(p, f"{p} {n}"), "c", key=f"{p}{n}") for n in "123"
        ]
        erase = [lambda p=player: league.dispatcher.send(ErasePlayer(p), "admin")] * 2
        said = at_once(*rename, *erase)
        assert sorted(type(one).__name__ for one in said[3:]) == ["PlayerIsErased", "int"]
        assert names_in_the_log(league, player) == {None}
    assert keys(league.database.url) == {"eva", "flor"}


def test_asking_for_an_erased_player_makes_no_key(known: League) -> None:
    """This holds for a new request with a name and for one that is repeated under its key."""
    send(known, ErasePlayer("zq"))
    for command in (RenamePlayer("zq", OLD), RegisterPlayer("zq", OLD)):
        with pytest.raises(Exception, match="erased"):
            known.dispatcher.send(command, "clerk", key="fresh")
        assert known.dispatcher.send(command, "clerk", key=type(command).__name__) < known.store.head()
    assert "zq" not in keys(known.database.url)


@pytest.mark.parametrize(
    "refused", [RenamePlayer("nobody", OLD), RegisterPlayer("nobody", "")], ids=["unknown player", "no name"]
)
def test_what_is_refused_makes_no_key(league: League, refused: RenamePlayer | RegisterPlayer) -> None:
    """A key is there for players who are there; asked again under the same key, it is refused again."""
    before = keys(league.database.url)
    for _ in range(2):
        with pytest.raises(Refusal):
            league.dispatcher.send(refused, "clerk", key="k")
    assert keys(league.database.url) == before


def test_an_erased_player_is_seated_in_no_new_match(known: League) -> None:
    """Open matches go on; a new match is refused, and the refusal names the id."""
    send(known, opened("c1", ("zq", "ana"), 60, "casual"))
    send(known, ErasePlayer("zq"))
    send(known, played("c1", ("zq", "ana"), 60, domino(0, 0, 90), domino(0, 0, 80))[1:])
    with pytest.raises(WrongState, match="player 'zq' is erased"):
        send(known, opened("c2", ("ana", "zq"), 70, "casual"))


ADDING = AddMember("m1", "lee", ("player",), "zq")


@pytest.mark.parametrize(
    "command", [opened("c1", ("zq", "ana"), 60, "casual"), ADDING, SetReviewConsent("zq", given=True)]
)
def test_what_was_decided_before_an_erasure_is_decided_again_after_it(known: League, command: Command) -> None:
    """It would seat a player who is erased by then, let them sign in, or show how they played."""
    check_overtaken(known, command, ErasePlayer("zq"))


@pytest.mark.parametrize("other", [MergePlayers("eva", "zq"), ADDING])
def test_an_erasure_sees_what_the_player_has_become_meanwhile(known: League, other: Command) -> None:
    """Another id, whose name it would leave; or a member, whom it would leave."""
    check_overtaken(known, ErasePlayer("zq"), other)


def check_overtaken(league: League, command: Command, other: Command) -> None:
    """A command that was decided before another one, and is stored after it, is decided again."""
    states = StreamStates(league.store, clock())
    appends = decide([command], states)
    send(league, other)
    with pytest.raises(Overtaken):
        store_decided(appends, states, AppendRequest("test", "manual"))


def test_an_import_does_not_bring_a_name_back(database_url: str, tmp_path: Path) -> None:
    """The season that brought the player is skipped line by line; its further matches with the player are refused."""
    some, more = part_of_season(tmp_path / "some", 6), part_of_season(tmp_path / "more", 40)
    with league_at(database_url) as league:
        league.create("Liga", "America/Havana", "test")
        import_cuban(league, some)
        lines = (more / "matches.jsonl").read_text().splitlines()
        seat = next(seat for seat in json.loads(lines[0])["seats"] if f'"{seat}"' in "".join(lines[6:]))
        erased = send(league, ErasePlayer(seat))
        import_cuban(league, some)
        assert league.store.head() == erased
        with pytest.raises(SeasonRefused) as refused:
            import_cuban(league, more)
        assert {line.refusal for line in refused.value.lines if not isinstance(line.refusal, WrongState)} == set()
        assert re.search(f"'{seat}' is erased", str(refused.value))
        assert names_in_the_log(league, seat) == {None}


# ---------------------------------------------------------------- the command


def test_the_command_asks_first(known: League) -> None:
    """Without a yes nothing happens; what would be refused is not asked."""
    url = known.database.url
    head = known.store.head()
    said = CliRunner().invoke(cli.app, ["erase", "zq"], input="n\n", env={"LEAGUE_DATABASE_URL": url})
    assert said.exit_code == 1
    assert f"Erase the names of {NEW} (zq) for good?" in said.output
    assert known.store.head() == head
    assert (
        pseudonym("zq")
        in CliRunner().invoke(cli.app, ["erase", "zq"], input="y\n", env={"LEAGUE_DATABASE_URL": url}).output
    )
    (last,) = known.store.read_after(head, 9)
    assert (last.name, last.stream, last.actor) == ("player-erased/1", "player:zq", "cli")
    again = CliRunner().invoke(cli.app, ["erase", "zq"], env={"LEAGUE_DATABASE_URL": url})
    assert isinstance(again.exception, WrongState)
