"""`league void`, `league hand correct`: what was wrong is put right."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from commands import League, head, matches_of

pytestmark = pytest.mark.usefixtures("own_environment")


@pytest.mark.usefixtures("players")
def test_void_shows_what_it_changes_and_asks(
    league: League, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Declining, or asking for the preview only, changes nothing; the preview is tables or JSON."""
    league("project", "--once")
    before = head(database_url)
    seen = league("void", "m1", "--reason", "never played", "--preview")
    assert seen.code == 0
    assert "3 players and 0 pairs would move; 2 matches would be rated again" in " ".join(seen.out.split())
    document = league("void", "m1", "--reason", "never played", "--preview", "--json").document
    assert {move["id"] for move in document["moves"]} == {"p1", "p2", "p4"}
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    assert league("void", "m1", "--reason", "never played").code == 0
    assert head(database_url) == before
    assert league("void", "m1", "--reason", "never played", "--yes").code == 0
    assert head(database_url) == before + 1
    assert league("void", "m1", "--reason", "again", "--preview").code == 2


def test_correct_replaces_a_hand(league: League, season: Path, tmp_path: Path) -> None:
    """By the form of a recorded season; what cannot be is refused with its place in the file."""
    assert league("import", season).code == 0
    match = matches_of(season)[0]
    hand, file = match["hands"][0], tmp_path / "hand.json"
    wrong = {"ended": {"by": "block"}, "starter": hand.get("starter")}
    file.write_text(json.dumps(wrong))
    arguments = ("hand", "correct", match["match"], 1, "--facts", file, "--reason", "misread")
    seen = league(*arguments, "--preview", "--json").document
    assert (seen["hands"][0]["match_id"], seen["hands"][0]["hand"]) == (match["match"], 1)
    said = league(*arguments, "--preview").out.partition(f"Not judged in {match['match']}: hand 1, because")[2]
    _, *lines = said.splitlines()
    assert lines
    assert len({line.partition(":")[0] for line in lines}) == len(lines)
    assert league(*arguments, "--yes").code == 0
    assert "already recorded with these facts" in league(*arguments, "--preview").err
    file.write_text(json.dumps({**wrong, "ended": {"by": "luck"}}))
    refused = league(*arguments, "--preview")
    assert refused.code == 2
    assert "ended.by" in refused.err
