"""Tools of clients accept the schema and the server: Relay, codegen, graphql-ws, the audit of GraphQL over HTTP.

They are projects of node in tests/node. Without node these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from api_server import Served, token
from graphql import parse, validate
from leagues import adopt, announced, send
from node_projects import node_project, run
from waiting import LIMIT

from league.api.schema import FILE, core

pytestmark = pytest.mark.heavy

PROJECT = Path(__file__).parents[1] / "node"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The projects with their packages."""
    return node_project(PROJECT, tmp_path_factory.mktemp("node"))


def test_relay_compiles_its_documents(project: Path) -> None:
    """Fragments that are fetched again, a connection, a mutation, a subscription, a state to read from."""
    relay = project / "relay"
    shutil.copy(FILE, relay / "schema.graphql")
    artifacts = relay / "src" / "__generated__"
    artifacts.mkdir()
    run(relay, "../node_modules/.bin/relay-compiler", "relay.config.json")
    made = {artifact.name.removesuffix(".graphql.ts"): artifact.read_text() for artifact in artifacts.iterdir()}
    texts = {
        name: json.loads(found[1])
        for name, text in made.items()
        if (found := re.search(r'^    "text": (".*")$', text, re.MULTILINE))
    }
    again = {f"app{kind}AgainQuery" for kind in ("Player", "Match", "Hand")}
    assert set(texts) == {
        *again,
        "appBoardPageQuery",
        "appQuery",
        "appRecordHandMutation",
        "appBoardChangedSubscription",
    }
    assert "@readFrom(afterPosition: $position)" in texts["appQuery"]
    for text in texts.values():
        assert validate(core, parse(text)) == []


def test_generated_types_compile_strictly(project: Path) -> None:
    """The types of the whole schema and of operations compile, with a type for each scalar."""
    codegen = project / "codegen"
    shutil.copy(FILE, codegen / "schema.graphql")
    run(codegen, "../node_modules/.bin/graphql-codegen", "--config", "codegen.yml")
    strictly = ("--noEmit", "--strict", "--module", "nodenext", "--target", "es2022")
    run(codegen, "../node_modules/.bin/tsc", *strictly, "app.ts", "schema.ts", "operations.ts")


def test_the_server_passes_the_audit_of_graphql_over_http(project: Path, season: Served) -> None:
    """All of it, also what servers only should or may do."""
    lines = run(project, "node", "audit.js", f"http://127.0.0.1:{season.port}/graphql").splitlines()
    audits = [json.loads(line) for line in lines]
    assert len(audits) == 61
    assert [audit for audit in audits if audit["status"] != "ok"] == []


@contextmanager
def printed_lines(project: Path, *command: str, **environment: str) -> Iterator[Queue[Any]]:
    """What a program prints while it runs: lines of JSON."""
    lines: Queue[Any] = Queue()
    env = {**os.environ, **environment}
    with subprocess.Popen(command, cwd=project, env=env, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        reading = Thread(target=lambda: [lines.put(json.loads(line)) for line in running.stdout or ()])
        reading.start()
        try:
            yield lines
        finally:
            running.kill()
            reading.join()


def test_a_client_follows_all_matches_and_misses_none(project: Path, small: Served) -> None:
    """With graphql-ws, as docs/api/live-updates.md shows: after a break it goes on; after new rules it reads again."""
    url = f"ws://127.0.0.1:{small.port}/graphql"
    # Node has WebSocket since version 22; the version before has it behind this option.
    program = ("node", "--experimental-websocket", "print_matches.js", url)
    with printed_lines(project, *program, TOKEN=token("player")) as said:
        assert said.get(timeout=LIMIT) == "read again"
        for number in (1, 2):
            send(small.league, announced(f"m{number}", ("ana", "bea"), number, (150, 0)))
            small.lose_the_sockets()
            # Each change comes at least once, and the opened match may come before its result.
            while said.get(timeout=LIMIT) != {"matchId": f"m{number}", "status": "ANNOUNCED", "score": [150, 0]}:
                pass
        adopt(small.league, "[rating.k]\nprovisional = 32")
        while said.get(timeout=LIMIT) != "read again":
            pass
        send(small.league, announced("m9", ("ana", "bea"), 9, (150, 0)))
        while said.get(timeout=LIMIT) != {"matchId": "m9", "status": "ANNOUNCED", "score": [150, 0]}:
            pass
