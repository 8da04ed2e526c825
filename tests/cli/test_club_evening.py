"""An evening of a club, from an empty folder to a picture of the board: the script, and the page that explains it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from commands import League

pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("own_environment")]

ROOT = Path(__file__).parents[2]
SCRIPT = (ROOT / "examples" / "club-evening.sh").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "club-evening.md").read_text(encoding="utf-8")
COMMANDS = [line for line in SCRIPT.splitlines() if line and not line.startswith(("#", "set "))]


def test_the_evening_ends_with_a_board_a_picture_and_a_backup(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command ends well; ratings, scores and winners are those that the sheets give."""
    for line in COMMANDS:
        if line.startswith("export "):
            name, _, value = line.removeprefix("export ").partition("=")
            monkeypatch.setenv(name, value)
            continue
        said = league(*shlex.split(line)[1:])
        assert said.code == 0, (line, said.err)
    found = {one["match"]: (one["score"], one["status"]) for one in league("match", "list", "--json").document}
    assert found == {
        "mesa-1": ([206, 27], "completed"),
        "mesa-2": ([57, 202], "completed"),
        "mesa-3": ([0, 55], "cut_short"),
        "mesa-4": (None, "forfeited"),
    }
    hands = league("match", "show", "mesa-1", "--json").document["hands"]
    assert [[term["rule"] for term in hand["terms"]] for hand in hands] == [
        ["leftover"], ["leftover", "capicua"], ["leftover"], ["leftover", "pase_corrido"], ["leftover"],
    ]  # fmt: skip
    assert [hand["winner_by"] for hand in hands] == ["facts", "facts", "facts", "facts", "stated"]
    assert league("match", "show", "mesa-2", "--json").document["hands"][1]["winner_by"] == "stated"
    assert (tmp_path / "tabla.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "liga.backup").stat().st_size > 0


def test_the_page_has_the_commands_of_the_script() -> None:
    """All of them, in their order."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert [line for block in blocks for line in block.splitlines()] == COMMANDS
