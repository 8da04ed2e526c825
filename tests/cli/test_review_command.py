"""`league review`: hands that were played turn by turn are reviewed, and the others say why not."""

from __future__ import annotations

import csv
import json
from math import isclose
from pathlib import Path
from typing import Any

import pytest
from commands import League
from leagues import league_at, opened, send

from league.review import hand as hands
from league.review import options
from league.review.cli import review
from league.review.domain.consent import SetReviewConsent
from league.review.hand import Parts

SEASON = Path(__file__).parents[2] / "examples" / "dominican-2026"


@pytest.fixture(autouse=True)
def few_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough for what these tests ask."""
    monkeypatch.setattr(options, "FIRST_DEALS", 32)
    monkeypatch.setattr(options, "MOST_DEALS", 32)
    monkeypatch.setattr(hands, "DEALS", 16)


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


def documents(said: str) -> list[Any]:
    return [json.loads(line) for line in said.splitlines()]


def test_a_match_is_reviewed_hand_by_hand(league: League, season: Path) -> None:
    """Each mistake has its sentence, the parts add up, and a hand without turns says so."""
    league("import", season)
    first, second, *_ = documents(league("review", "d-0001", "--json").out)
    assert (first["hand"], second["hand"], second["moves"]) == (1, 2, None)
    assert second["why_not"] == "hand 2 is without turns: only what was played turn by turn is reviewed"
    mistakes = [move for move in first["moves"] if move["mistake"]]
    assert mistakes
    assert all("cost" in move["sentence"] and move["loss"]["low"] > 0 for move in mistakes)
    for part in first["parts"]:
        made_of = part["deal"] + part["luck"] + part["own_moves"] + part["other_moves"]
        assert isclose(part["result"], made_of, abs_tol=1e-9)


def test_a_review_is_printed_for_people(league: League, season: Path) -> None:
    """Mistakes with the players' names, and what made the result."""
    league("import", season)
    said = league("review", "d-0001", 1).out
    assert "Hand 1: mistakes" in said
    assert "Leandro L." in said
    assert "Hand 1: what made the result" in said


def test_what_has_no_review_is_said_once(league: League, season: Path) -> None:
    """A hand without turns, and one that was corrected."""
    league("import", season)
    assert league("review", "d-0001", 2).out.startswith("Hand 2 is without turns: only what was played turn by turn")
    facts = '{"ended":{"by":"domino","seat":0},"leftover":[[],7,7,7]}'
    (season / "hand.json").write_text(facts)
    given = ("--facts", season / "hand.json", "--reason", "miscounted", "--yes")
    corrected = league("hand", "correct", "d-0001", 3, *given)
    assert corrected.code == 0, corrected.err
    assert league("review", "d-0001", 3).out == "Hand 3 is corrected: its turns are not known.\n"


def test_a_hand_without_mistakes_says_so(league: League, season: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of an empty table; a match that was found by names is named; nothing is -0.0."""
    league("import", season)
    monkeypatch.setattr(review, "review_moves", lambda *_: iter(()))
    monkeypatch.setattr(review, "parts_of", lambda *_: (Parts(0, -0.001, -0.04, 0.0, 0.0, 1.0),))
    names = [json.loads(line)["name"] for line in (season / "players.jsonl").read_text().splitlines()]
    ids = [json.loads(line)["player"] for line in (season / "players.jsonl").read_text().splitlines()]
    seats = json.loads((season / "matches.jsonl").read_text())["seats"]
    one, other, partner, last = (names[ids.index(seat)] for seat in seats)
    answer = league("review", f"{one} & {partner} - {other} & {last}", 1)
    assert "Hand 1: no move was surely a mistake." in answer.out
    assert "Hand 1: mistakes" not in answer.out
    assert "-0.0" not in answer.out
    assert answer.err.startswith("d-0001: ")
    assert "d-0001" not in league("review", "d-0001", 1).err


def test_a_hand_that_is_none_is_refused(league: League, season: Path) -> None:
    """By its number."""
    league("import", season)
    refused = league("review", "d-0001", 99)
    assert (refused.code, "there is no hand 99" in refused.err) == (2, True), refused.err


def test_a_match_that_is_still_played_has_no_review(league: League, season: Path, database_url: str) -> None:
    """It would tell who holds what."""
    league("import", season)
    players = [json.loads(line)["player"] for line in (season / "players.jsonl").read_text().splitlines()[:4]]
    with league_at(database_url) as made:
        send(made, opened("m1", players, 24 * 60))
    refused = league("review", "m1")
    assert (refused.code, "it is reviewed when it is over" in refused.err) == (2, True), refused.err


def test_transcripts_are_written_of_those_who_consent(league: League, season: Path, database_url: str) -> None:
    """Matches in which all players consent, without names or ids; a hand without turns is left out."""
    league("import", season)
    (seats,) = [json.loads(line)["seats"] for line in (season / "matches.jsonl").read_text().splitlines()]
    with league_at(database_url) as made:
        send(made, *(SetReviewConsent(player, given=True) for player in seats[:3]))
    assert league("export", "transcripts", "--consented").out == ""
    with league_at(database_url) as made:
        send(made, SetReviewConsent(seats[3], given=True))
    said = league("export", "transcripts", "--consented").out
    hands = documents(said)
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
def test_transcripts_are_asked_for_by_name(league: League, season: Path, arguments: Any) -> None:
    """Without `--consented` nothing is written; other exports do not take it; every run has the same turns."""
    league("import", season)
    given = (*arguments, "--consented") if "--run" in arguments else arguments
    refused = league("export", *given)
    assert (refused.code, refused.out) == (2, ""), refused.err
