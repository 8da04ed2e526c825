"""The layout tells the architecture, and import-linter holds it."""

from __future__ import annotations

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports


def test_who_may_import_whom() -> None:
    """Imports point down the layers, the domain is pure, and so are the folds."""
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS
