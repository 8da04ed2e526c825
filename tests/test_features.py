"""Features beside the core: what each declares, and that the program does without any of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from subprocess import PIPE
from textwrap import dedent
from typing import get_type_hints

import pytest
from databases import MIGRATED, Template, copy_of
from leagues import PLAYERS, TABLE_SECRET, send
from live_tables import SLOW, dealt, league_with_tables, now, play

from league.api.auth.reach import AccessPart
from league.api.schema_part import FieldPart, SchemaPart
from league.application.decisions import CommandPart
from league.application.work_part import WorkPart
from league.cli.entry import CliPart
from league.console.site_part import SitePart
from league.domain.match import OpenMatch
from league.eventlog.records import EventPart
from league.features import FEATURES, Feature, FeaturePart, declared
from league.photos.domain.photo import UploadPhoto
from league.projections.row_part import RowPart
from league.tournaments.domain.commands import PlanTournament
from league.transfer.transfer_part import TransferPart
from league.wording.matches import WordPart

ROOT = Path(__file__).parents[1]
PROGRAM = Path(__file__).with_name("without_a_feature.py")
PARTS: list[type[FeaturePart]] = [
    EventPart, WordPart, CommandPart, RowPart, WorkPart, TransferPart, AccessPart, FieldPart, SchemaPart, SitePart,
    CliPart,
]  # fmt: skip
PATHS = {
    "tables": {"/": 200, "/matches/m1": 200, "/matches/t": 200, "/matches/t/hands/1": 200, "/boards": 200, "/more": 200,
               "/tables": 404, "/tables/t": 404, "/log": 200, "/record/photos/p": 401},
    "photos": {"/": 200, "/matches/m1": 200, "/matches/t": 200, "/matches/t/hands/1": 200, "/boards": 200, "/more": 200,
               "/tables": 200, "/tables/t": 200, "/log": 200, "/record/photos/p": 404},
    "lab": {"/": 200, "/matches/m1": 200, "/boards": 200, "/more": 200, "/tables": 200, "/admin/replays": 200,
            "/admin/lab": 404},
    "tournaments": {"/": 200, "/matches/m1": 200, "/matches/t": 200, "/boards": 200, "/more": 200, "/tables": 200,
                    "/tournaments": 404, "/tournaments/c": 404},
    "review": {"/": 200, "/matches/m1": 200, "/matches/t/hands/1": 200, "/boards": 200, "/tables": 200,
               "/matches/t/hands/1/review": 404},
    "nights": {"/": 200, "/matches/m1": 200, "/boards": 200, "/tables": 200, "/nights/2026-03-01": 404},
}  # fmt: skip
"""What pages answer without each feature: its own are not found, those of the core and of others answer as always."""

Program = Callable[..., str]


def test_a_feature_names_a_module_for_each_part() -> None:
    """The class of a part says the field of `Feature`, and the module is found there."""
    assert [part.place for part in PARTS] == [field.name for field in fields(Feature)]


@pytest.mark.parametrize("part", PARTS)
def test_what_a_feature_declares_is_such_a_part(part: type[FeaturePart]) -> None:
    """A module declares nothing under the name of a part that is not of that part."""
    assert [one for one in declared(part) if not isinstance(one, part)] == []


@pytest.mark.parametrize("part", PARTS)
def test_each_field_of_a_part_is_filled_in_by_a_feature(part: type[FeaturePart]) -> None:
    """Otherwise it would be an option that nobody asked for."""
    names = [name for name in get_type_hints(part) if name != "place"]
    assert [name for name in names if not any(getattr(one, name) for one in declared(part))] == []


def _played(url: str) -> None:
    with league_with_tables(url, SLOW) as league:
        dealt(league, "t")
        while now(league, "t").hand == 1:
            play(league, now(league, "t"))
        send(
            league,
            OpenMatch("m1", "cuban-150", "1v1", "casual", tuple(PLAYERS[2:4]), None, None),
            UploadPhoto("p", "m1", 1, 0, None, "0" * 64, 10, "image/png", 10, 10),
            PlanTournament("c", {"name": "C", "format": "swiss", "ruleset": "cuban-150", "rounds": 2}),
        )
        league.project()


PLAYED = Template("played_with_all_features", _played, MIGRATED)


@pytest.fixture
def played_url(embedded_server: str) -> Iterator[str]:
    """A league with a hand of a live table, a second one that runs, a photo, and a tournament."""
    with copy_of(embedded_server, PLAYED) as url:
        yield url


@contextmanager
def program(absent: str, **environ: str) -> Iterator[Program]:
    """A process that has the program without a feature: runs a command for a database, and says what it printed."""
    given = {**os.environ, "LEAGUE_SECRET": "s" * 40, "LEAGUE_TABLE_SECRET": TABLE_SECRET, **environ}
    command = [sys.executable, str(PROGRAM), absent]
    with subprocess.Popen(command, text=True, stdin=PIPE, stdout=PIPE, env=given) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        wanted, printed = running.stdin, running.stdout

        def run(url: str, *arguments: str) -> str:
            wanted.write(json.dumps([url, *arguments]) + "\n")
            wanted.flush()
            text: str = json.loads(printed.readline() or "null")
            assert text is not None, (arguments, "it ended; see what it says above")
            return text

        yield run


@pytest.mark.heavy
@pytest.mark.parametrize("feature", FEATURES)
def test_the_program_does_without_a_feature(
    feature: str, played_url: str, embedded_server: str, tmp_path: Path
) -> None:
    """On a log with its events: it serves, verifies, folds anew, backs up and restores it, with the same digest."""
    backup = str(tmp_path / "backup")
    with program(feature) as run, copy_of(embedded_server, MIGRATED) as empty:
        before = run(played_url, "digest")
        assert json.loads(run(played_url, "get", *PATHS[feature])) == PATHS[feature]
        assert json.loads(run(played_url, "verify", "--json"))["ok"]
        assert "photo-uploaded" in run(played_url, "trail", "--json")
        run(played_url, "backup", backup)
        assert json.loads(run(empty, "restore", backup)) == json.loads(before)


@pytest.mark.heavy
def test_the_feature_of_the_guide_works(played_url: str, tmp_path: Path) -> None:
    """Its files, made as `docs/features.md` says, add a query and a page to the program."""
    guide = (ROOT / "docs" / "features.md").read_text(encoding="utf-8").partition("## Add a feature")[2]
    files = iter(re.findall(r"^ +regulars/(\S+)", guide, re.MULTILINE))
    fence = r"(?ms)^   ```{}\n(.*?)^   ```"
    kinds = ("python", "graphql", "html")
    blocks = {kind: [dedent(text) for text in re.findall(fence.format(kind), guide)] for kind in kinds}
    declaration, *others = files
    shutil.copytree(ROOT / "league", tmp_path / "league", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "migrations", tmp_path / "migrations")
    texts = [*blocks["python"][:-1], *blocks["graphql"], *blocks["html"], blocks["python"][-1]]
    for name, text in zip([*others, declaration], texts, strict=True):
        file = tmp_path / "league" / "regulars" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    listed = tmp_path / "league" / "features.py"
    listed.write_text(listed.read_text().replace("FEATURES = (", 'FEATURES = ("regulars", ', 1))
    with program("none", PYTHONPATH=str(tmp_path)) as run:
        found = json.loads(run(played_url, "get", "/regulars", "/more", "/tables"))
    assert found == {"/regulars": 200, "/more": 200, "/tables": 200}
