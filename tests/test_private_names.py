"""The program uses private names of libraries only where none is public: those that are listed here, with the reason.

A new version of a library that lacks one of them fails here first.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

LEAGUE = Path(__file__).parents[1] / "league"
PUBLIC = {"_asdict", "_fields", "_make", "_replace", "_exit"}
"""Public methods of named tuples, and `os._exit`, whatever they are called."""


class Private(NamedTuple):
    """A private name of a library."""

    file: str
    """The file that uses it, below `league/`."""
    module: str
    """Where the library has it."""
    name: str | None
    """None: the module itself is private."""
    why: str


NAMES = [
    Private("api/graphql/executing/documents.py", "strawberry.schema.schema", "_schema", "the schema of graphql-core"),
    Private(
        "api/graphql/executing/operations.py", "strawberry.schema.schema", "_schema", "the same, while it is being made"
    ),
    Private(
        "api/graphql/executing/documents.py",
        "strawberry.types.execution",
        "_provided_operation_name",
        "`operation_name` is the first operation where the client named none",
    ),
    Private(
        "api/graphql/executing/operations.py",
        "strawberry.schema.schema",
        "_get_custom_context_kwargs",
        "graphql-core takes `hide_suggestions`, and Strawberry has no setting for it",
    ),
    Private(
        "api/graphql/executing/operations.py",
        "strawberry.schema.schema",
        "_extend_introspection",
        "Strawberry's own introspection fields are not part of the league's schema",
    ),
    Private(
        "api/server/http.py",
        "strawberry.http.base",
        "_stream_transport_map",
        "`parse_http_body` is replaced, which sets the transport of streams",
    ),
    Private(
        "api/server/http.py",
        "strawberry.http.async_base_view",
        "_get_stream_transport_from_headers",
        "`parse_http_body` is replaced, which sets the transport of streams",
    ),
    Private(
        "api/server/uploads.py", "starlette.formparsers", "_files_to_close_on_error", "files of a form that is cut off"
    ),
    Private("cli/commands.py", "typer._click", None, "Typer does not export its copy of click"),
    *[
        Private(
            "transfer/sheets/workbook_reading.py", module, name, "openpyxl's own rows hide merged cells and formulas"
        )
        for module, name in [
            ("openpyxl.worksheet._read_only", None),
            ("openpyxl.worksheet._reader", None),
            ("openpyxl.worksheet._read_only", "_get_source"),
            ("openpyxl.worksheet._read_only", "_shared_strings"),
            ("openpyxl.workbook.workbook", "_date_formats"),
            ("openpyxl.workbook.workbook", "_timedelta_formats"),
        ]
    ],
]


@pytest.mark.parametrize("private", NAMES, ids=lambda private: f"{private.file} {private.module} {private.name}")
def test_the_library_has_the_name(private: Private) -> None:
    """As an attribute that its module defines or sets."""
    module = importlib.import_module(private.module)
    assert private.name is None or private.name in inspect.getsource(module)


@pytest.mark.heavy
def test_no_other_private_name_is_used() -> None:
    """Neither imported, nor read of an object, nor overridden in a subclass."""
    used = {(str(file.relative_to(LEAGUE)), name) for file in LEAGUE.rglob("*.py") for name in _private_names(file)}
    assert used == {(one.file, one.name or one.module) for one in NAMES}


def _private_names(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("league"):
            parts = (node.module or "").split(".")
            private = next((at for at, part in enumerate(parts) if part.startswith("_") and part != "__future__"), None)
            if private is not None:
                yield ".".join(parts[: private + 1])
        elif isinstance(node, ast.Attribute) and _is_private(node.attr):
            holder = node.value
            if not (isinstance(holder, ast.Name) and holder.id in ("self", "cls")) and not _is_super(holder):
                yield node.attr
    if file.stem == "__main__":
        return
    module = importlib.import_module(".".join(file.relative_to(LEAGUE.parent).with_suffix("").parts))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from _of_bases(node, getattr(module, node.name))


def _of_bases(node: ast.ClassDef, kind: type) -> Iterator[str]:
    """The private names of a class that one of its bases in a library has made."""
    libraries = [base for base in kind.__mro__ if not base.__module__.startswith("league")]
    for name in {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute) and _is_private(one.attr)} | {
        one.name
        for one in node.body
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and _is_private(one.name)
    }:
        if any(name in vars(base) or re.search(rf"self\.{name}\b", _source(base)) for base in libraries):
            yield name


@functools.cache
def _source(kind: type) -> str:
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):  # it is written in C, or made at run time
        return ""


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def _is_super(holder: ast.expr) -> bool:
    return isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name) and holder.func.id == "super"
