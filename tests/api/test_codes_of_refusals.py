"""Codes of refusals are complete: each is raised, listed and documented, and a state that has one does not hide it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import league
from league.api.graphql.shaping.user_errors import ERROR_CODES, UserErrorCode
from league.api.schema_part import SchemaPart
from league.domain.refusals import Refusal, WrongState
from league.features import declared

SOURCE = Path(league.__file__).parent
GUIDE = SOURCE.parent / "docs" / "api" / "refusals.md"
NOT_IN_THE_API = {"REFUSED", "SEASON_REFUSED", "SHEET_REFUSED", "NOT_EMPTY", "NOTHING_DUE", "CLOCK_STANDS"}
"""Codes of files, sheets and backups, and of what the program sends to itself."""
WITHOUT_A_CODE = {
    ("application/ai_matches.py", "prepare"): "a command of the terminal",
    ("audit/shadow_rebuild.py", "official_digest"): "commands of the terminal",
    ("audit/proofs.py", "write_log"): "a command of the terminal",
    ("audit/head_signing.py", "_dated_wrong"): "only an operator can mend a log",
    ("audit/head_signing.py", "prove_events"): "only an operator can mend a log",
    ("audit/head_signing.py", "prove_growth"): "only an operator can mend a log",
    ("cli/proofs.py", "prove_match"): "a command of the terminal",
    ("cli/proofs.py", "prove_heads"): "a command of the terminal",
    ("domain/dispute_decider.py", "confirm_by_time"): "only the program itself sends it",
    ("domain/members.py", "request_access"): "only the page for signing in sends it",
    ("lab/fitting.py", "check_months"): "a command of the terminal",
    ("lab/fitting.py", "fit"): "a command of the terminal",
    ("photos/domain/photo.py", "propose_count"): "only the program itself sends it",
    ("projections/replays/replay.py", "_fold"): "only an operator can adopt the first rules",
    ("transfer/secrets_file.py", "store_secrets"): "a command of the terminal",
    ("transfer/secrets_file.py", "write_secrets"): "a command of the terminal",
}
"""Where `WRONG_STATE` itself is raised: by file and function, why no client could act on a code of its own."""


@pytest.fixture(scope="module")
def calls() -> list[tuple[str, str, str]]:
    """Every call of a plain name in the program: the file, the function around it, the name."""
    found = []
    for path in SOURCE.rglob("*.py"):
        where = path.relative_to(SOURCE)
        left: list[tuple[ast.AST, str]] = [(ast.parse(path.read_text()), "")]
        while left:
            node, within = left.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                within = node.name
            elif isinstance(node, ast.Name):
                found.append((f"{where}:name", within, node.id))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found.append((f"{where}:call", within, node.func.id))
            left += [(child, within) for child in ast.iter_child_nodes(node)]
    return found


def kinds(of: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    """All types of refusals of the core and of the features."""
    declared(SchemaPart)
    for kind in of.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_each_code_is_that_of_a_refusal_which_is_raised(calls: list[tuple[str, str, str]]) -> None:
    """And each refusal that the API may meet has a code of the enum."""
    named = {name for _, within, name in calls if within}
    codes: dict[str, set[str]] = {}
    for kind in kinds():
        codes.setdefault(kind.code, set()).add(kind.__name__)
    assert set(codes) - NOT_IN_THE_API == {code.value for code in UserErrorCode}
    unraised = {code for code, names in codes.items() if code not in NOT_IN_THE_API and not names & named}
    assert unraised == set()


def test_a_code_belongs_to_one_kind_of_state() -> None:
    """A code for two kinds of state would leave a client without a right reaction."""
    states = [kind.code for kind in kinds(WrongState)]
    assert sorted(states) == sorted(set(states))


def test_a_state_is_without_a_code_only_where_no_client_could_act_on_it(calls: list[tuple[str, str, str]]) -> None:
    """A new `WrongState` gets a type with a code, or a line above with the reason."""
    found = {
        (where.partition(":")[0], within)
        for where, within, name in calls
        if (name, where[-4:]) == ("WrongState", "call")
    }
    assert found == set(WITHOUT_A_CODE)


def test_each_code_is_in_the_docs_with_what_to_do() -> None:
    """In one table, and the tables have no other."""
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.+) \| (.+) \|$", GUIDE.read_text(), re.MULTILINE)
    assert sorted(code for code, _, _ in rows) == sorted(ERROR_CODES)
    assert all(meaning.strip() and action.strip() for _, meaning, action in rows)
