"""What the pages of docs say of the tree is so: links, paths, names, tables and diffs. Reads files only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from graphql import build_schema, is_object_type

from league.api.auth.permissions import PERMISSIONS
from league.api.auth.reach import ROLES
from league.infra import settings
from league.transfer.export import exports_by_name, log_exports_by_name

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    ROOT / "examples" / "README.md",
    *sorted(DOCS.rglob("*.md")),
]
GUIDE = [DOCS / "api.md", *sorted((DOCS / "api").glob("*.md"))]
"""The pages about the API."""

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"(?<![\w/.-])(?:league|tests|docs|examples|migrations)/[\w./-]*")
MODULE = re.compile(r"-m (league[\w.]*)")
NAME_IN_PATH = re.compile(r"`(\w+)` in `([\w./-]+\.py)`")
QUOTE = re.compile(r"^```\w+ (\S+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    without_code = re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", without_code, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    """To a file of the tree, and to a heading of it."""
    broken = []
    for target in LINK.findall(text_of(page)):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
            broken.append(target)
    assert not broken


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_paths_exist(page: Path) -> None:
    """Every path and every module to run that a page names is in the tree; so is a name that it says is in a file."""
    text = re.sub(r"\w+://\S+", "", text_of(page))
    missing = [path for path in PATH.findall(LINK.sub("", text)) if not (ROOT / path.rstrip(".")).exists()]
    assert not missing
    for module in MODULE.findall(text):
        assert find_spec(module.rstrip(".")), module
    for name, path in NAME_IN_PATH.findall(text):
        assert re.search(rf"\b{name}\b", text_of(ROOT / path)), (name, path)


def test_the_first_page_is_short() -> None:
    """At most 150 lines; what goes deeper has a page of its own."""
    assert len(text_of(README).splitlines()) <= 150


def test_every_decision_is_listed() -> None:
    """Each page of a decision is in the list of decisions."""
    listed = set(LINK.findall(text_of(DOCS / "decisions" / "README.md")))
    assert {page.name for page in (DOCS / "decisions").glob("*.md")} - {"README.md"} <= listed


def test_the_table_of_permissions_is_the_one_that_is_enforced() -> None:
    """Each operation, by role: `✓` anywhere, `own` in one's own affairs."""
    table = text_of(DOCS / "api" / "permissions.md").split("## Who may do what")[1]
    rows = re.findall(r"^\| (.*?`.*?) \|(.*)\|$", table, re.MULTILINE)
    shown = {}
    for operations, cells in rows:
        reach = {"✓": "any", "own": "own"}
        by_role = dict(zip(ROLES, (reach.get(cell.strip()) for cell in cells.split("|")), strict=True))
        for operation in re.findall(r"`(\w+)`", operations):
            shown[operation] = {role: allowed for role, allowed in by_role.items() if allowed}
    assert {name: shown.get(name) for name in PERMISSIONS} == PERMISSIONS


def test_the_table_of_filters_is_that_of_the_schema() -> None:
    """Each filter with all of its fields, and the fields of the schema that take it."""
    types = build_schema((ROOT / "league" / "api" / "schema.graphql").read_text(encoding="utf-8")).type_map
    filters = {name: set(made.fields) for name, made in types.items() if name.endswith("FilterInput")}
    takers: dict[str, set[str]] = {name: set() for name in filters}
    for made in types.values():
        for name, field in made.fields.items() if is_object_type(made) else ():
            for argument in field.args.values():
                takers.get(str(argument.type), set()).add(name)
    rows = re.findall(r"^\| `(\w+FilterInput)` \| (.*?) \| (.*?) \|$", text_of(DOCS / "api.md"), re.MULTILINE)
    assert {name: set(re.findall(r"`(\w+)`", fields)) for name, _, fields in rows} == filters
    assert {name: set(re.findall(r"`(\w+)`", by)) for name, by, _ in rows} == takers


def test_the_table_of_settings_is_complete() -> None:
    """Every environment variable that the program reads is explained."""
    read = set(re.findall(r'"(LEAGUE_\w+)"', Path(settings.__file__).read_text(encoding="utf-8")))
    assert read == set(re.findall(r"^\| `(LEAGUE_\w+)`", text_of(DOCS / "operations.md"), re.MULTILINE))


@pytest.mark.parametrize("what", [*exports_by_name(), *log_exports_by_name()])
def test_the_columns_of_an_export_are_documented(what: str) -> None:
    """In the order in which they are written."""
    section = text_of(DOCS / "exports.md").split(f"### {what}\n")[1].split("\n### ")[0].split("\n## ")[0]
    columns = [re.findall(r"`(\w+)`", cells) for cells in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)]
    exported: dict[str, Any] = {**exports_by_name(), **log_exports_by_name()}
    assert tuple(name for names in columns for name in names) == tuple(exported[what].columns)


@pytest.mark.parametrize("page", GUIDE, ids=name_of)
def test_quoted_code_is_that_of_the_tree(page: Path) -> None:
    """A block that names a file has lines of that file, which other tests run."""
    assert [path for path, code in QUOTE.findall(text_of(page)) if code not in text_of(ROOT / path)] == []


def changes(page: Path) -> Iterator[tuple[str, str]]:
    """The files that the diffs of a page change, each with the lines that it must have for the change to fit."""
    for block in re.findall(r"^```diff\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE):
        for file, hunks in re.findall(r"^--- a/.*\n\+\+\+ b/(.*)\n((?:(?!--- ).*\n)*)", block, re.MULTILINE):
            for hunk in re.split(r"^@@.*\n", hunks, flags=re.MULTILINE)[1:]:
                yield file, "".join(line[1:] for line in hunk.splitlines(keepends=True) if line[0] != "+")


@pytest.mark.parametrize(("page", "hunks"), [("adding-a-rule.md", 7), ("recipes.md", 29)])
def test_the_changes_that_a_page_shows_fit_the_tree(page: str, hunks: int) -> None:
    """The lines around each added line are those of the file today."""
    shown = list(changes(DOCS / page))
    assert len(shown) == hunks
    assert [file for file, lines in shown if text_of(ROOT / file).count(lines) != 1] == []
