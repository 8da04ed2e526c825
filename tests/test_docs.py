"""The examples of the pages are true: they answer as shown, and commands run as written."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from api_server import SECRET, Served, heard, served, subscribe, token
from commands import runner
from databases import MIGRATED, Template, copy_of
from leagues import league_at, part_of_season
from waiting import LIMIT, wait_until

from league.application import storing
from league.domain.audit_trail import TokenMade
from league.domain.dealing import SECRET_BYTES
from league.eventlog.records import AppendRequest
from league.tables.api import live_tables
from league.tables.application import table_commands

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"

ELLIPSIS = "…"

GUIDE = [DOCS / "api.md", *sorted((DOCS / "api").glob("*.md"))]
"""The pages about the API."""

EXAMPLE = re.compile(
    r"^```(graphql|sh)\n(.*?)^```\n(?:\n```http\n(.*?)^```\n)?(?:\n```json\n(.*?)^```)?", re.DOTALL | re.MULTILINE
)


AS_PLAYER = re.compile(r"# as (\w+)\n")


class Example(NamedTuple):
    """A GraphQL document or commands, and what the page shows of the answer: lines of HTTP and JSON, if any."""

    line: int
    language: str
    text: str
    lines: str | None
    answer: Any


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def examples(page: Path) -> list[Example]:
    text = text_of(page)
    found = []
    for block in EXAMPLE.finditer(text):
        language, written, lines, answer = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        found.append(Example(line, language, written, lines, json.loads(answer) if answer else None))
    return found


def is_part_of(shown: Any, said: Any) -> bool:
    """Whether an answer matches the page's excerpt: keys may be left out, and `…` matches anything."""
    if shown == ELLIPSIS:
        return True
    if isinstance(shown, dict):
        return isinstance(said, dict) and all(key in said and is_part_of(shown[key], said[key]) for key in shown)
    if isinstance(shown, list):
        if shown and shown[-1] == ELLIPSIS:
            shown, said = shown[:-1], said[: len(shown) - 1]
        return len(shown) == len(said) and all(map(is_part_of, shown, said))
    return bool(shown == said)


# ---------------------------------------------------------------- examples of the API


SEED = b64encode(bytes(range(32))).decode()
"""The key of the demo's league."""


def make_demo(url: str) -> str:
    """Make the league of `make demo`, by its command, in a migrated database. Returns what it printed."""
    variables = {"LEAGUE_DATABASE_URL": url, "LEAGUE_TABLE_SECRET": SECRET, "LEAGUE_SIGNING_KEY": SEED}
    command = [sys.executable, "-m", "league", "demo", "--no-serve"]
    env = {**os.environ, **variables, "COLUMNS": "100"}
    made = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600, env=env)
    assert made.returncode == 0, made.stderr
    return made.stdout


PRINTED: list[str] = []
"""What the demo printed when it was made, once for this file."""


def fill_demo(url: str) -> None:
    """Fill a template database with the demo."""
    PRINTED.append(make_demo(url))


DEMO = Template("demo", fill_demo, MIGRATED)
"""The league of the demo: the season in run 1, the replay in run 2."""


@pytest.fixture
def known_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secrets of live tables are those with which the pages were written, and their clocks stand still."""
    monkeypatch.setattr(table_commands, "new_secret", lambda: bytes(SECRET_BYTES))
    monkeypatch.setattr(live_tables, "keep_clock", lambda _, ended, **__: ended.wait())


@pytest.fixture
def demo(embedded_server: str, known_deals: None) -> Iterator[Served]:  # noqa: ARG001  # it comes first
    """The league of the demo, served, for which `league token kim --role admin` made a token."""
    with copy_of(embedded_server, DEMO) as url:
        with league_at(url) as league:
            made = TokenMade("5546bc", "kim", ("admin",), datetime(2026, 11, 23, tzinfo=UTC))
            storing.record(league.store, made, AppendRequest("cli", "manual"))
        with served(url) as server:
            yield server


class Answer(NamedTuple):
    """What a server said to an example: JSON, and all text around it."""

    json: Any
    text: str


def ask(demo: Served, example: Example, folder: Path) -> Answer:
    """Run an example, as an admin, or as the player that its first line names."""
    admin = token("admin")
    if (named := AS_PLAYER.match(example.text)) is not None:
        admin = token("player", sub=named[1])
    if example.language == "sh":
        commands = example.text.replace("127.0.0.1:8000", f"127.0.0.1:{demo.port}").replace("curl ", "curl --silent ")
        ran = subprocess.run(
            ["bash", "-c", commands],
            cwd=folder,
            env={**os.environ, "TOKEN": admin},
            capture_output=True,
            text=True,
            check=True,
            timeout=LIMIT,
        )
        body = ran.stdout.replace("\r\n", "\n").split("\n\n")[-1]
        return Answer(json.loads(body) if example.answer else None, ran.stdout)
    if AS_PLAYER.sub("", example.text).startswith("subscription"):
        with demo.socket(admin) as open_socket:
            subscribe(open_socket, example.text)
            return Answer({"data": heard(open_socket)}, "")
    return Answer(demo.post(example.text, admin).json(), "")


def differs(example: Example, answer: Answer) -> bool:
    """Whether an answer is not as the page shows it: the whole response, or its data only."""
    said = answer.text.replace("\r\n", "\n").splitlines()
    for line in (example.lines or "").splitlines():
        pattern = re.escape(line).replace(ELLIPSIS, ".*")
        if not any(re.fullmatch(pattern, one) for one in said):
            return True
    if example.answer is None:
        return False
    shown = example.answer if {"data", "errors"} & set(example.answer) else {"data": example.answer}
    return ("errors" in answer.json) != ("errors" in shown) or not is_part_of(shown, answer.json)


@pytest.mark.parametrize("page", GUIDE, ids=name_of)
def test_the_examples_of_a_page_about_the_api_answer_as_shown(demo: Served, page: Path, tmp_path: Path) -> None:
    """In the order of the page, against the league of the demo, as an admin."""
    wrong = []
    for example in examples(page):
        if "league token" in example.text:
            continue  # the fixture has made the token
        answer = ask(demo, example, tmp_path)
        if differs(example, answer):
            wrong.append((example.line, answer))
    assert not wrong, json.dumps(wrong, ensure_ascii=False, indent=1)


@pytest.mark.parametrize("page", GUIDE, ids=name_of)
def test_every_example_shows_its_answer(page: Path) -> None:
    """So that a reader sees what to expect, and the test above what to compare."""
    silent = [example.text for example in examples(page) if example.answer is None and example.lines is None]
    assert [text for text in silent if "league token" not in text] == []


# ---------------------------------------------------------------- the page about deals

DEAL = DOCS / "verify-deal.md"


def block_of(page: Path, name: str) -> str:
    """A block of code with a name: its text."""
    [text] = re.findall(rf"^```\w+ {name}\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE)
    return str(text)


def deals() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text_of(DOCS / "deals.json"))
    return found


@pytest.fixture(scope="module")
def checker() -> dict[str, Any]:
    """What the checker of the page defines."""
    names: dict[str, Any] = {"__name__": "checker"}
    exec(block_of(DEAL, "checker"), names)  # noqa: S102  # the page's own code
    return names


def test_the_numbers_of_the_shuffle_are_those_of_its_proof(checker: dict[str, Any]) -> None:
    """Each block of the worked example follows from the proof that the page shows."""
    proof = json.loads(block_of(DEAL, "proof"))
    seed = bytes.fromhex(block_of(DEAL, "seed"))
    numbers = [int(number) for number in block_of(DEAL, "numbers").split()]
    order = [f"{a}-{b}" for a, b in checker["shuffled"](proof, 0)]
    exchanges = [f"{27 - done}-{number % (28 - done)}" for done, number in enumerate(numbers)]
    message = b"friday\n2\n0\n" + b"".join(map(bytes.fromhex, proof["contributions"]))
    assert hmac.digest(bytes.fromhex(proof["secret"]), message, "sha256") == seed
    assert hashlib.sha256(seed + bytes(8)).hexdigest() == block_of(DEAL, "block").strip()
    assert list(islice(checker["numbers"](seed), len(numbers))) == numbers
    assert block_of(DEAL, "exchanges").split() == exchanges
    assert block_of(DEAL, "order").split() == order
    assert block_of(DEAL, "commitment").strip() == proof["commitment"]
    assert checker["below"](55, iter([4294967270, 4294967269])) == 54


def test_the_checker_of_the_page_agrees_with_the_test_vectors(checker: dict[str, Any]) -> None:
    """It finds nothing in the good ones, and in the bad ones what is wrong, if less exactly."""
    assert deals()[0]["proof"] == json.loads(block_of(DEAL, "proof"))
    for entry in deals():
        found = list(checker["check"](entry["proof"]))
        assert bool(found) == bool(entry["wrong"]), entry["says"]
        assert all(any(wrong.startswith(field) for field in found) for wrong in entry["wrong"]), entry["says"]


def test_the_program_agrees_with_the_test_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`league verify-deal` names the wrong fields, without a database."""
    league, file = runner(monkeypatch, capsys), tmp_path / "hand.json"
    monkeypatch.setenv("LEAGUE_DATABASE_URL", "postgresql:///no-such-database")
    for entry in deals():
        file.write_text(json.dumps(entry["proof"]), encoding="utf-8")
        said = league("verify-deal", str(file), "--json")
        assert said.code == (1 if entry["wrong"] else 0)
        assert [fault["field"] for fault in json.loads(said.out)["faults"]] == entry["wrong"], entry["says"]


# ---------------------------------------------------------------- the page of the command line

NOT_RUN = {
    "league demo": "makes the league that the others need",
    "league demo --no-serve": "makes the league that the others need",
    'league init --name "Liga de La Habana" --time-zone America/Havana': "the demo has made the league",
    "league erase p005": "asks for the name of the player",
    "league replay --known-at 2026-12-01T14:30-05:00": "depends on the time at which the demo was recorded",
    "league restore league.backup --secrets secrets.env": "needs a database without a league",
    "league restore league.backup --erase p005,p017": "needs a database without a league",
    "league publish site": "takes minutes; tests/console/test_publishing.py publishes a smaller league",
    "league drop 3": "the number of the run varies",
    "league simulate --ruleset dominican-200 --levels heuristic,random --hands 500": "needs a league without people",
    "export LEAGUE_DATA_DIR=./ai-league": "belongs to the two commands after it",
    "unset LEAGUE_DATA_DIR": "belongs to the two commands before it",
    "league serve --host 0.0.0.0 --port 8000": "runs until it is stopped",
    "league serve --workers 4": "runs until it is stopped",
    "league project": "runs until it is stopped",
    "league worker": "runs until it is stopped",
}
"""Examples of docs/cli.md that the test leaves out, and why."""

QUICKER = {
    "league tune --range rating.k.standard=5..40 --range rating.cap=0..1 --out fitted.toml --png fitted.png": (
        "--candidates", "6", "--held-out", "1",
    ),
}  # fmt: skip
"""What the test adds to examples that take long."""

FILE_OF_A_BLOCK = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.DOTALL | re.MULTILINE)


def test_the_commands_of_the_page_end_well(
    embedded_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the page, on the league of the demo; what a command writes, a later one reads."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "deal.json").write_text(block_of(DEAL, "proof"), encoding="utf-8")
    (tmp_path / "leftovers.jpg").symlink_to(ROOT / "tests" / "vision" / "photos" / "pc_36w.jpg")
    monkeypatch.chdir(tmp_path)
    league, refused, left_out = runner(monkeypatch, capsys), [], set()
    blocks = re.findall(r"^```sh\n(.*?)^```", text_of(DOCS / "cli.md"), re.DOTALL | re.MULTILINE)
    with copy_of(embedded_server, DEMO) as url:
        monkeypatch.setenv("LEAGUE_DATABASE_URL", url)
        monkeypatch.setenv("LEAGUE_SIGNING_KEY", SEED)
        monkeypatch.setenv("LEAGUE_SECRET", SECRET)
        monkeypatch.setenv("LEAGUE_PHOTOS", str(tmp_path / "photos"))
        for block in blocks:
            for name, content in FILE_OF_A_BLOCK.findall(block):
                Path(name).write_text(content, encoding="utf-8")
            for line in FILE_OF_A_BLOCK.sub("", block).splitlines():
                if line in NOT_RUN:
                    left_out.add(line)
                    continue
                command, _, file = line.partition(" > ")
                said = league(*shlex.split(command)[1:], *QUICKER.get(command, ()))
                if said.code != 0:
                    refused.append((line, said.err))
                if file:
                    Path(file).write_text(said.out, encoding="utf-8")
    assert refused == []
    assert left_out == set(NOT_RUN)


# ---------------------------------------------------------------- the first page


def test_the_tour_shows_what_the_demo_prints(embedded_server: str) -> None:
    """Each line of it."""
    with copy_of(embedded_server, DEMO):
        [printed] = PRINTED
    flat = " ".join(printed.split())
    tour = text_of(README).split("## A tour")[1].split("\n## ")[0]
    shown = [
        line for block in re.findall(r"^```\n(.*?)^```", tour, re.DOTALL | re.MULTILINE) for line in block.splitlines()
    ]
    assert [line for line in shown if " ".join(line.split()) not in flat] == []


def test_your_own_league_runs_as_written(tmp_path: Path, data_dir: Path) -> None:
    """The commands of "Run your own league", pasted one block after the other, end well."""
    section = text_of(README).split("## Run your own league")[1].split("\n## ")[0]
    # The first block prepares each terminal of the reader; each later one runs in such a terminal.
    first, *others = re.findall(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    make_environment(tmp_path / ".venv" / "bin")
    (tmp_path / "my-league").symlink_to(data_dir)  # so that the fixture removes it
    port = free_port()
    settings_apart = {name: value for name, value in os.environ.items() if not name.startswith("LEAGUE_")}
    server: subprocess.Popen[bytes] | None = None
    try:
        for block in others:
            script = f"set -e\n{first}\n{block}".replace("league serve", f"exec league serve --port {port}")
            command = ["bash", "-c", script.replace("127.0.0.1:8000", f"127.0.0.1:{port}")]
            if "league serve" in block:
                server = subprocess.Popen(command, cwd=tmp_path, env=settings_apart, stderr=subprocess.DEVNULL)
                wait_until_served(port, server)
                continue
            ran = subprocess.run(
                command, cwd=tmp_path, env=settings_apart, capture_output=True, text=True, check=False, timeout=300
            )
            assert ran.returncode == 0, ran.stderr
            if "curl" in block:
                assert "matchId" in json.loads(ran.stdout)["data"]["openMatch"], ran.stdout
        assert server is not None, "the section serves the league"
    finally:
        if server is not None:
            server.terminate()
            server.wait(LIMIT)


def test_backups_are_made_and_restored_as_written(
    tmp_path: Path, migrated_data_dir: Path, second_data_dir: Path, embedded_server: str
) -> None:
    """The commands of "Backups", pasted one block after the other, end well; the server's database is the test's."""
    section = text_of(DOCS / "operations" / "database.md").split("\n## Backups")[1].split("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    make_environment(tmp_path / "bin")
    (tmp_path / "my-league").symlink_to(migrated_data_dir)
    (tmp_path / "restored").symlink_to(second_data_dir)
    settings_apart = {name: value for name, value in os.environ.items() if not name.startswith("LEAGUE_")}
    season = part_of_season(tmp_path / "season", 60)
    first = f"set -e\n. bin/activate\nexport LEAGUE_DATA_DIR=my-league\nleague import {season}\n"
    with copy_of(embedded_server, MIGRATED) as url:
        script = first + "".join(blocks).replace("createdb league\n", "").replace(
            "postgresql:///league", shlex.quote(url)
        )
        command = ["bash", "-c", script]
        ran = subprocess.run(
            command, cwd=tmp_path, env=settings_apart, capture_output=True, text=True, check=False, timeout=300
        )
    assert ran.returncode == 0, ran.stderr
    digests = [line for line in ran.stdout.splitlines() if line.startswith('{"position"')]
    assert len(digests) == 2
    assert len(set(digests)) == 1


def make_environment(folder: Path) -> None:
    """What the reader has after `make demo`: a virtual environment with the program of this tree."""
    folder.mkdir(parents=True)
    program = folder / "league"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m league "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (folder / "activate").write_text(f'PATH="{folder}:$PATH"\n', encoding="utf-8")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def wait_until_served(port: int, server: subprocess.Popen[bytes]) -> None:
    def answers() -> bool:
        assert server.poll() is None, "the server ended"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=LIMIT).close()
        except OSError:
            return False
        return True

    wait_until(answers)
