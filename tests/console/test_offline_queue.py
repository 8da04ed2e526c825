"""The queue of unsent hands sends every hand once and in order, whatever the connection does. Run by node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MODULES = ROOT / "league" / "console" / "static" / "offline"
CASES = 600
STEPS = 24


def played(*cases: list[list[Any]]) -> list[dict[str, Any]]:
    """Where the hands of each case end up. Skips the test if node is not installed."""
    if shutil.which("node") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is not installed")
        pytest.skip("needs node")
    with TemporaryDirectory() as folder:
        for name in ("queue.js", "sender.js"):
            shutil.copy(MODULES / name, folder)
        (Path(folder) / "package.json").write_text('{"type": "module"}', encoding="utf-8")  # as a browser takes them
        done = subprocess.run(
            ["node", ROOT / "tests" / "node" / "offline_queue.mjs", folder],
            input="\n".join(map(json.dumps, cases)),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def steps_of(rng: Random) -> list[list[Any]]:
    """What people, connections and a second phone do, in some order."""
    found: list[list[Any]] = []
    for number in range(STEPS):
        kind = rng.choice(["type"] * 4 + ["send"] * 3 + ["other", "take back", "change", "decide"])
        if kind == "type":
            found.append(["type", rng.choice("ab"), f"hand-{number:02}"])
        elif kind == "send":
            found.append(["send", rng.choices(["ok", "away", "lost", "foreign", "busy"], [5, 1, 1, 1, 1], k=6)])
        elif kind == "other":
            found.append(["other", rng.choice("ab")])
        else:
            found.append([kind, rng.randrange(4)])
    return found


@pytest.mark.heavy
def test_every_hand_is_stored_once_and_in_order(rng: Random) -> None:
    """It holds over lost and foreign answers, changes, a second phone. What is taken back is stored once at most."""
    cases = [steps_of(rng) for _ in range(CASES)]
    for case, result in zip(cases, played(*cases), strict=True):
        assert result["faults"] == [], case
        assert result["unsent"] == 0, case
        taken_back = any(step[0] == "take back" for step in case)
        for match in "ab":
            typed = [step[2] for step in case if step[0] == "type" and step[1] == match]
            stored = [one for one in result["hands"].get(match, []) if one != "another's"]
            assert stored == sorted(set(stored)), case
            assert set(stored) <= set(typed) if taken_back else stored == typed, case


def test_a_refusal_stops_its_match_only() -> None:
    """What follows it in the match waits for a decision; the other match goes on."""
    steps = [["type", "a", "1"], ["type", "a", "2"], ["type", "b", "3"], ["other", "a"], ["send", []]]
    assert played(steps)[0]["hands"] == {"a": ["another's", "1", "2"], "b": ["3"]}


def test_hands_behind_one_that_is_taken_back_move_up() -> None:
    """They get new numbers, so they are not refused for a gap."""
    steps = [["type", "a", "1"], ["type", "a", "2"], ["type", "a", "3"], ["take back", 1], ["send", []]]
    [result] = played(steps)
    assert (result["hands"], result["refused"]) == ({"a": ["1", "3"]}, 0)
