"""The layout tells the architecture, and import-linter holds it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

PACKAGE = Path(__file__).parents[1] / "league"


def test_who_may_import_whom() -> None:
    """Imports point down the layers, the domain is pure, and so are the folds."""
    assert lint_imports(no_cache=True) == EXIT_STATUS_SUCCESS


def test_only_the_api_hides_imports_from_the_program() -> None:
    """import-linter does not see an import under TYPE_CHECKING; types of the API refer to each other in circles."""
    hiding = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        if "TYPE_CHECKING" in path.read_text(encoding="utf-8")
    }
    assert hiding <= {"api"}


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_the_domain_imports_the_standard_library_and_msgspec_only() -> None:
    """Whatever else is installed: import-linter forbids the libraries that it is given by name."""
    known = {*sys.stdlib_module_names, "msgspec"}
    for path in PACKAGE.rglob("domain/**/*.py"):
        of_its_own = ".".join(("league", *path.relative_to(PACKAGE).parts)).partition(".domain")[0] + ".domain"
        for module in imported(path):
            own = module.startswith(("league.domain", of_its_own))
            assert own or module.split(".")[0] in known, f"{path.name} imports {module}"
