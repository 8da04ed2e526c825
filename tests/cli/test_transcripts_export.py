"""`league export transcripts --consented`: the hands of players who let others see how they play."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from commands import League
from leagues import EXAMPLES, league_at, send

from league.review.commands import SetReviewConsent

SEASON = EXAMPLES / "dominican-2026"


@pytest.fixture
def season(tmp_path: Path) -> Path:
    """One match, whose second hand has lost its turns."""
    folder = tmp_path / "season"
    folder.mkdir()
    (folder / "players.jsonl").write_bytes((SEASON / "players.jsonl").read_bytes())
    match = json.loads((SEASON / "matches.jsonl").read_text(encoding="utf-8").splitlines()[0])
    match["hands"][1].update(dealt=None, plays=None)
    (folder / "matches.jsonl").write_text(json.dumps(match), encoding="utf-8")
    return folder


@pytest.mark.heavy
def test_transcripts_are_written_of_those_who_consent(league: League, season: Path, database_url: str) -> None:
    """Only matches in which all players consent are written, without names or ids. Hands without turns are left out."""
    league("import", season)
    (seats,) = [json.loads(line)["seats"] for line in (season / "matches.jsonl").read_text().splitlines()]
    with league_at(database_url) as made:
        send(made, *(SetReviewConsent(player, given=True) for player in seats[:3]))
    assert league("export", "transcripts", "--consented").out == ""
    with league_at(database_url) as made:
        send(made, SetReviewConsent(seats[3], given=True))
    said = league("export", "transcripts", "--consented").out
    hands = [json.loads(line) for line in said.splitlines()]
    assert [one["hand"] for one in hands][:2] == [1, 3]
    assert [one["players"] for one in hands] == [[1, 2, 3, 4]] * len(hands)
    assert hands[0]["score"] == [0, 0]
    assert not any(player in said for player in seats)
    recorded = json.loads((season / "matches.jsonl").read_text())["hands"][0]
    dealt = [sorted(tuple(sorted(tile)) for tile in held) for held in recorded["dealt"]]
    assert [sorted(tuple(sorted(tile)) for tile in held) for held in hands[0]["dealt"]] == dealt
    assert hands[0]["plays"] == recorded["plays"]
    table = league("export", "transcripts", "--consented", "--format", "csv").out
    rows = [*csv.DictReader(table.splitlines())]
    assert [json.loads(row["plays"]) for row in rows] == [one["plays"] for one in hands]
    assert [json.loads(row["score"]) for row in rows] == [one["score"] for one in hands]


@pytest.mark.parametrize("arguments", [("transcripts",), ("ratings", "--consented"), ("transcripts", "--run", 1)])
@pytest.mark.usefixtures("imported_season")
def test_transcripts_are_asked_for_by_name(league: League, arguments: Any) -> None:
    """Without `--consented` nothing is written; other exports do not take it; every run has the same turns."""
    given = (*arguments, "--consented") if "--run" in arguments else arguments
    refused = league("export", *given)
    assert (refused.code, refused.out) == (2, ""), refused.err
