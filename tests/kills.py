"""Kills the embedded PostgreSQL and Redis under load, many times: `python tests/kills.py 30`.

Writers send mutations to `league serve` and repeat each, with its idempotency key, until it is answered. In the end
everything that was answered is in the log, once. The tests of this folder do the same with a few kills.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

import httpx
import psycopg
import redis
from http_clients import http_client
from waiting import wait_until

from league.api.auth.tokens import issue_token
from league.infra.database import connect, open_database
from league.infra.embedded_postgres import _home
from league.infra.settings import Settings

SECRET = "a secret of thirty-two characters"  # noqa: S105  # for tests
WRITERS = 4
PAUSE = 0.03
"""Seconds between two matches of a writer: more would only be more of the same."""
MOST_ANSWERS = 40
"""That writers get before a server is killed again."""

EVENTS_BY_KEY = """
    SELECT e.envelope ->> 'key', count(*), max(position)
    FROM (SELECT convert_from(state, 'UTF8')::json AS envelope, position FROM stored_events) AS e
    WHERE e.envelope ->> 'actor' = 'writer' GROUP BY 1
"""


class Outcome(NamedTuple):
    """What came of the kills."""

    kills: int
    answered: int
    """Mutations that were answered."""
    repeated: int
    """Attempts that had no answer, and were repeated."""
    longest: float
    """The most seconds between a kill and the next time that the league was ready."""


class Load:
    """Writers that send mutations, one after the other each, until the context ends."""

    def __init__(self, port: int, *, replays: bool) -> None:
        self._port, self._replays = port, replays
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]
        self.answered: dict[str, int] = {}
        """The acknowledged position, by idempotency key."""
        self.repeated = 0
        self.failure: BaseException | None = None

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def more(self, answers: int = WRITERS) -> Callable[[], bool]:
        """Whether so much more was answered since now."""
        before = len(self.answered)

        def answered() -> bool:
            if self.failure is not None:
                raise self.failure
            return len(self.answered) >= before + answers

        return answered

    def _write(self, number: int) -> None:
        try:
            with http_client(self._port) as client:
                players = [f"w{number}-a", f"w{number}-b"]
                for player in players:
                    self._send(client, "registerPlayer", f"{player}-new", playerId=player, name=player)
                for turn in range(sys.maxsize):
                    if self._ended.is_set():
                        return
                    self._send(client, "renamePlayer", f"{number}-{turn}-n", player=players[0], name=f"Name {turn}")
                    match = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "competition": "CASUAL", "seats": players}
                    self._send(client, "openMatch", f"{number}-{turn}-m", **match)
                    self._ended.wait(PAUSE)
                    if self._replays and number == 0:
                        self._send(client, "startReplay", f"{number}-{turn}-r", document="rating.k.provisional = 32")
                        self._ended.wait(1)
        except BaseException as error:  # noqa: BLE001  # the thread that waits for it raises it
            self.failure = error

    def _send(self, client: httpx.Client, mutation: str, key: str, **given: Any) -> None:
        """Send a mutation until it is answered."""
        kind = mutation[0].upper() + mutation[1:]
        text = (
            f"mutation ($input: {kind}Input!) {{ it: {mutation}(input: $input)"
            f" {{ __typename ... on Success {{ position }} ... on UserError {{ code message }} }} }}"
        )
        sent = {"query": text, "variables": {"input": {"idempotencyKey": key, **given}}}
        bearer = {"Authorization": f"Bearer {issue_token(SECRET, 'writer', ['admin'], 3600)}"}
        while True:
            with suppress(httpx.TransportError):
                answer = client.post("/graphql", json=sent, headers=bearer).json()
                if "errors" not in answer:
                    said = answer["data"]["it"]
                    if "position" in said:
                        self.answered[key] = int(said["position"])
                        return
                    assert said["code"] == "CONFLICT", said
                else:
                    codes = {error["extensions"]["code"] for error in answer["errors"]}
                    assert codes == {"UNAVAILABLE"}, answer
            self.repeated += 1
            time.sleep(0.05)


@contextmanager
def serving(data_dir: Path, **environment: str) -> Iterator[int]:
    """`league serve` with its embedded PostgreSQL and a new league, ready. Yields its port."""
    port = free_port()
    settings = {"LEAGUE_DATA_DIR": str(data_dir), "LEAGUE_SECRET": SECRET, "LEAGUE_LOG_LEVEL": "warning"}
    others = {name: value for name, value in os.environ.items() if not name.startswith("LEAGUE_")}
    environment = others | settings | environment
    league = [sys.executable, "-m", "league"]
    serve = ["serve", "--port", str(port), "--ai-processes", "0"]
    subprocess.run([*league, "init", "--name", "Liga", "--time-zone", "UTC"], env=environment, check=True)
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen([*league, *serve], env=environment, stderr=log, stdout=log, start_new_session=True) as process,
    ):
        try:
            wait_until(lambda: process.poll() is not None or is_ready(port, least=1))
            yield port
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        except BaseException:
            log.seek(0)
            sys.stderr.write(log.read().decode(errors="replace")[-4000:])
            raise
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def is_ready(port: int, least: int = 0) -> bool:
    """Whether the league takes reads and writes, and has projected at least up to this position."""
    try:
        with http_client(port) as client:
            ready = client.get("/readyz")
    except httpx.TransportError:
        return False
    return ready.status_code == 200 and ready.json()["position"] >= least


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Redis:
    """A Redis server of its own, which keeps nothing."""

    def __init__(self) -> None:
        self._port = free_port()
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self.start()

    def start(self) -> None:
        command = ["redis-server", "--port", str(self._port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        wait_until(self._answers)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        with redis.Redis.from_url(self.url) as client, suppress(redis.ConnectionError):
            return bool(client.ping())
        return False


def kill_database(kills: int, data_dir: Path, rng: random.Random) -> Outcome:
    """Kill the embedded PostgreSQL under load, so often. The league comes back by itself each time."""
    with serving(data_dir) as port, Load(port, replays=False) as load:
        longest = 0.0
        for _ in range(kills):
            wait_until(load.more(rng.randint(WRITERS, MOST_ANSWERS)))
            killed = postmaster(data_dir)
            assert killed is not None
            os.kill(killed, signal.SIGKILL)
            started = time.monotonic()
            wait_until(lambda: postmaster(data_dir) not in {None, killed} and is_ready(port))  # noqa: B023  # waits here
            longest = max(longest, time.monotonic() - started)
        wait_until(load.more())
    return Outcome(kills, checked(load, data_dir), load.repeated, longest)


def kill_redis(kills: int, data_dir: Path, rng: random.Random) -> Outcome:
    """Kill Redis under load, so often, and start it again. The league stays ready, and every replay is folded."""
    broker = Redis()
    try:
        with serving(data_dir, LEAGUE_BROKER_URL=broker.url) as port:
            longest = 0.0
            with Load(port, replays=True) as load:
                for _ in range(kills):
                    wait_until(load.more(rng.randint(WRITERS, MOST_ANSWERS)))
                    broker.kill()
                    started = time.monotonic()
                    wait_until(load.more())  # without Redis
                    wait_until(lambda: is_ready(port))
                    longest = max(longest, time.monotonic() - started)
                    broker.start()
            check_replays(load, data_dir)
        return Outcome(kills, checked(load, data_dir), load.repeated, longest)
    finally:
        broker.kill()


def check_replays(load: Load, data_dir: Path) -> None:
    """Every replay that was asked for is stored once, and folded in the end."""
    with open_database(Settings(data_dir=data_dir)) as database, connect(database.url, autocommit=True) as conn:
        wait_until(lambda: conn.execute("SELECT count(*) FROM replays WHERE unfinished").fetchone() == (0,))
        failures = [failure for (failure,) in conn.execute("SELECT failure FROM replays")]
        assert failures == [None] * sum(key.endswith("-r") for key in load.answered), failures


def postmaster(data_dir: Path) -> int | None:
    """The process of the embedded server; None while there is no pid file."""
    try:
        return int((_home(data_dir.resolve()) / "cluster" / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def checked(load: Load, data_dir: Path) -> int:
    """How many mutations were answered: each of them is in the log once, at the position that was answered."""
    if load.failure is not None:
        raise load.failure
    with open_database(Settings(data_dir=data_dir)) as database, psycopg.connect(database.url) as conn:
        conn.execute("SET search_path = league, runs")
        found = {key: (count, position) for key, count, position in conn.execute(EVENTS_BY_KEY)}
        assert {key for key in load.answered if key not in found} == set(), "lost"
        assert {key for key in found if key not in load.answered} == set(), "stored, but never answered"
        assert {key for key, (count, _) in found.items() if count != 1} == set(), "stored twice"
        assert {key: found[key][1] for key in load.answered} == load.answered
        positions = conn.execute("SELECT count(*) = max(position) FROM stored_events").fetchone()
        assert positions == (True,), "positions have no gap"
    return len(load.answered)


def main() -> None:
    """Kill both as often as the first argument says."""
    kills = int(sys.argv[1])
    rng = random.Random(kills)
    for kill in (kill_database, kill_redis):
        data_dir = Path(tempfile.mkdtemp(prefix="league-kills-"))
        try:
            outcome = kill(kills, data_dir, rng)
            sys.stdout.write(
                f"{kill.__name__}: {outcome.kills} kills, {outcome.answered} mutations answered and stored once,"
                f" {outcome.repeated} repeated, ready again after at most {outcome.longest:.1f} s\n"
            )
        finally:
            shutil.rmtree(_home(data_dir.resolve()), ignore_errors=True)
            shutil.rmtree(data_dir, ignore_errors=True)


if __name__ == "__main__":
    main()
