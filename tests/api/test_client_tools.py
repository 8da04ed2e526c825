"""Tools of clients accept the schema and the server: Relay's compiler, code generation, the audit of GraphQL over HTTP.

They are projects of node in tests/node. Without node these tests are skipped.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from api_server import Served
from graphql import parse, validate
from node_projects import node_project, run

from league.api.schema import FILE, core

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
    """Of the whole schema and of operations, with a type for each scalar."""
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
