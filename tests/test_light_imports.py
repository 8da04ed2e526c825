"""What is started often imports little: counted in modules, since a time differs between machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from waiting import LIMIT

DEALS = Path(__file__).parents[1] / "docs" / "deals.json"

HEAVY = ("PIL", "sqlalchemy", "starlette", "strawberry")
"""Nothing in the table imports these, unless its line says so."""
COMMANDS_ARE_MADE_OF = (
    "alembic", "babel", "dramatiq", "eventsourcing", "psycopg", "redis", "uvicorn", "league.application",
    "league.projections",
)  # fmt: skip
"""Nor does `league --help`, nor `league --version`."""


class Light(NamedTuple):
    """Something that is to stay light."""

    runs: str
    measured: int
    """Modules that it imported when this was written, all extras installed; it may import 5 % more."""
    without: tuple[str, ...] = HEAVY


TABLE = {
    "league --help": Light("run('--help')", 210, HEAVY + COMMANDS_ARE_MADE_OF),
    "league --version": Light("run('--version')", 208, HEAVY + COMMANDS_ARE_MADE_OF),
    "league sheet-template": Light("run('sheet-template')", 545, HEAVY[1:]),  # openpyxl imports Pillow
    "league verify-deal": Light("run('verify-deal', '-')", 293),
    "league count-pips --help": Light("run('count-pips', '--help')", 275),  # to count, it imports what reads photos
    "import league.eventlog.kinds": Light("import league.eventlog.kinds", 87),
    "import league.api.auth.permissions": Light("import league.api.auth.permissions", 35),
    "league serve": Light("import league.cli.serving", 1747, ("networkx", "numba", "numpy", "openpyxl", "PIL")),
    "what features add to a backup": Light(
        "from league.features import declared; from league.transfer.transfer_part import TransferPart;"
        " declared(TransferPart)",
        719,
        ("networkx", "starlette", "strawberry"),  # networkx takes half a second, more than a small backup
    ),
}

SCRIPT = """
import json, sys
before = set(sys.modules)

def run(*arguments):
    from league import cli
    sys.argv = ["league", *arguments]
    try:
        cli.main()
    except SystemExit as end:
        assert not end.code, end.code

{runs}
print()
print(json.dumps(sorted(name for name in set(sys.modules) - before
                        if name.partition(".")[0] not in sys.stdlib_module_names)))
"""


@pytest.mark.heavy
@pytest.mark.parametrize("what", TABLE)
def test_what_is_started_often_imports_little(what: str) -> None:
    """No more modules beside the standard library than when it was measured, and none of the heavy packages."""
    light = TABLE[what]
    found = imported_by(light.runs)
    assert [name for name in found if any(f"{name}.".startswith(f"{heavy}.") for heavy in light.without)] == []
    assert len(found) <= light.measured * 105 // 100, found


def imported_by(runs: str) -> list[str]:
    """The modules that a clean interpreter imports for this, without those of the standard library."""
    script = SCRIPT.format(runs=runs)
    proof = next(entry["proof"] for entry in json.loads(DEALS.read_bytes()) if not entry["wrong"])
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEAGUE_")}
    said = subprocess.run(
        [sys.executable, "-c", script], input=json.dumps(proof), check=False, capture_output=True, text=True,
        timeout=LIMIT, env=environment,
    )  # fmt: skip
    assert said.returncode == 0, said.stderr
    names: list[str] = json.loads(said.stdout.splitlines()[-1])
    return names
