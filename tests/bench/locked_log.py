"""`python -m tests.bench.locked_log`: the longest answers of a server while another session locks the log.

Clients ask for health, figures, boards that no answer is kept of, and mutations, all at once: first without the lock,
then under it. The server runs as `league serve`, on the embedded database of a temporary folder.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg

from league.api.auth.tokens import issue_token
from league.application.bootstrap import clock, open_league
from league.infra.settings import Settings
from league.transfer.recorded_season import import_season
from tests.bench.measure import say

SEASON = Path("examples/cuban-2026")
SECRET = "a secret of this run, of thirty-two letters"  # noqa: S105  # of a league that is dropped
LIMIT = 120
CLIENTS = 3
"""The number of clients of each kind."""
PAUSE = 0.05
"""Seconds between two requests of a client."""
BOARD = "{ board { places(first: 20) { nodes { rank shown a%d: player { name } } } } }"
RENAME = (
    'mutation ($name: String!) { renamePlayer(input: {player: "p001", name: $name}) {'
    " ... on Success { position } ... on UserError { code message } } }"
)


class Asked:
    """What clients were answered, by the kind of request."""

    def __init__(self, address: str, token: str) -> None:
        self.longest: dict[str, float] = defaultdict(float)
        self.answers: dict[str, Counter[str]] = defaultdict(Counter)
        self._address, self._headers = address, {"Authorization": f"Bearer {token}"}
        self._numbers = itertools.count()

    def ask(self, seconds: float) -> None:
        """Let all clients ask for so long, and wait until each has its last answer."""
        ended = threading.Event()
        asking: dict[str, Callable[[httpx.Client], str]] = {
            "/readyz": lambda client: str(client.get("/readyz").json().get("reason", "ready")),
            "/metrics": lambda client: str(client.get("/metrics").status_code),
            "a board": lambda client: self._graphql(client, BOARD % next(self._numbers)),
            "a mutation": lambda client: self._graphql(client, RENAME, name=f"Ana {next(self._numbers)}"),
        }

        def repeat(kind: str) -> None:
            with httpx.Client(base_url=self._address, headers=self._headers, timeout=LIMIT) as client:
                while not ended.is_set():
                    began = time.monotonic()
                    answer = asking[kind](client)
                    self.longest[kind] = max(self.longest[kind], time.monotonic() - began)
                    self.answers[kind][answer] += 1
                    time.sleep(PAUSE)

        threads = [threading.Thread(target=repeat, args=(kind,)) for kind in asking for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        ended.set()
        for thread in threads:
            thread.join()

    def told(self, when: str) -> None:
        """Print the longest answer of each kind, and what was answered."""
        for kind, longest in self.longest.items():
            counts = ", ".join(f"{count} {answer}" for answer, count in self.answers[kind].most_common())
            say(f"{when}: {kind} at most {longest:.2f} s ({counts})")
        self.longest.clear()
        self.answers.clear()

    @staticmethod
    def _graphql(client: httpx.Client, query: str, **variables: str) -> str:
        answer = client.post("/graphql", json={"query": query, "variables": variables}).json()
        if "errors" not in answer:
            return "answered"
        of = answer["errors"][0]["extensions"]
        return " ".join(str(of[name]) for name in ("code", "reason", "stored") if name in of)


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """`league serve` for the league in a folder; its address."""
    environment = {
        **os.environ,
        "LEAGUE_DATA_DIR": str(folder),
        "LEAGUE_SECRET": SECRET,
        "LEAGUE_RATE_LIMIT": "100000000",
    }
    command = [sys.executable, "-m", "league", "serve", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = next(line for line in server.stderr if "is served on" in line).split(" is served on ")[1]
        threading.Thread(target=server.stderr.read, daemon=True).start()
        yield address.split(",")[0].strip()
        server.terminate()


def main() -> None:
    """Measure for some seconds without the lock, then for as many under it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = Settings(data_dir=Path(folder))
        with open_league(settings, prepare=True) as league:
            league.create("Liga", "America/Havana", "bench")
            import_season(SEASON, league.store, clock, "bench")
            url = league.database.url
            with serving(Path(folder)) as address:
                asked = Asked(address, issue_token(SECRET, "bench", ["admin"], 3_600))
                asked.ask(seconds / 6)
                asked.told("without the lock")
                with psycopg.connect(url) as holder:
                    holder.execute("LOCK TABLE league.stored_events IN ACCESS EXCLUSIVE MODE")
                    asked.ask(seconds)
                asked.told("under the lock")
                asked.ask(seconds / 6)
                asked.told("after it")


if __name__ == "__main__":
    main()
