"""Recorded seasons of every rule family in one league, under edition 1 and under other settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from club_sheets import recorded
from databases import copy_of
from leagues import EXAMPLES, SEASONS, THREE_SEASONS, exported, fingerprint, revised, without

from league.domain.hand import pips_by_seat
from league.projections.folds.match_fold import HashedEdition
from league.projections.replays.replay import ReplayPeriod, replay
from league.rulebook import shipped_edition

pytestmark = pytest.mark.slow

DOMINICAN = ("dominican-200", "dominican-250", "dominican-500", "dominican-500-bonus")

REVISIONS = {
    "a Cuban block by the lowest hand": '[rulesets.cuban-150]\nblock_winner = "lowest_hand"',
    "the hand that resets counts": '[rulesets.partnership-6]\nreset = "winner_keeps_hand"',
    "a shutout in every hand": '[rulesets.caribbean-500-bonus]\nshutout = "per_hand"',
    "a capicúa is void on a double only": "".join(f'[rulesets.{r}]\ncapicua_void_on = ["double"]\n' for r in DOMINICAN),
    "all others count": "".join(f'[rulesets.{r}]\ncounted_pips = "all_others"\n' for r in (*DOMINICAN, "cuban-150")),
    "a tied block has no winner": "".join(
        f'[rulesets.{r}]\nblock_tie = "no_score"\n' for r in (*DOMINICAN, "cuban-150")
    ),
}
GOLDEN = {
    # Each was compared hand by hand with a second implementation when it was written down.
    "edition 1": ("444f2d54e1f12881", "3baac9c9d88bb92f"),
    "a Cuban block by the lowest hand": ("5e5a0335a56811db", "e17ce7e315f16b7c"),
    "the hand that resets counts": ("1a65dcea829783f0", "d9ce396d18c3b4e2"),
    "a shutout in every hand": ("1e6d44f51e041245", "b7455d40011abe23"),
    "a capicúa is void on a double only": ("c95e586a0d4fa9b5", "ac3faa3f0cbce6ac"),
    "all others count": ("485ad44ecee6f2ba", "5aec254511bbcd95"),
    "a tied block has no winner": ("0fe4b987b2514903", "70d9647e4745db29"),
}

SERIES = {
    # By settings: standings and series. Each was compared row by row with a second implementation, too.
    "": ("e85d780cb22cbc0d", "6dc4b309f47f4ad7"),
    "limit = 3": ("407b0c18891fcf17", "c027d576d58709b6"),
    "limit = 3\npool = 60\nstart = 1000\npool_from_game = 1": ("0ede4481b6c972dc", "d860cf442e24cd34"),
}


@pytest.fixture(scope="module")
def league_url(embedded_server: str) -> Iterator[str]:
    """The URL of a database with all three seasons, imported and projected; for reading and for replays."""
    with copy_of(embedded_server, THREE_SEASONS) as url:
        yield url


def announced() -> dict[str, Any]:
    files = [EXAMPLES / season / "matches.jsonl" for season in SEASONS]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return {match["match"]: match["announced"] for match in map(json.loads, lines)}


def hands_of(url: str, run: int | None = None) -> list[dict[str, Any]]:
    """The hands of an export, without the columns that are newer than the fingerprints."""
    return without(exported(url, "hands", run), "winner_by", "stated_winner")


def test_every_match_ends_as_its_table_announced(league_url: str) -> None:
    """Ten rulesets, 545 matches: winner and score are those that were announced wherever something was."""
    said = announced()
    rows = exported(league_url, "matches")
    assert len(rows) == 545
    assert len({row["ruleset"] for row in rows}) == 10
    for row in rows:
        if result := said[row["match"]]:
            assert (row["match"], row["winner"], row["score"]) == (row["match"], result["winner"], result["score"])


def test_a_tied_duel_of_the_dominican_season_is_won_by_a_seat_that_was_compared() -> None:
    """Ten hands are tied between locker and next seat; in four of them the winner's partner holds less."""
    tied, partner_holds_less = 0, []
    for match in recorded(EXAMPLES / "dominican-2026", HashedEdition("", shipped_edition(1))):
        for number, (facts, scored) in enumerate(zip(match.played.hands, match.result.hands, strict=True), 1):
            if facts.ended_by == "domino" or facts.seat is None or facts.starter is None:
                continue
            pips, compared = pips_by_seat(facts), (facts.seat, (facts.seat + 1) % 4)
            if pips[compared[0]] == pips[compared[1]]:
                tied += 1
                (winner,) = (seat for seat in compared if seat % 2 == facts.starter % 2)
                assert scored.winning_seat == winner
                own, partner = pips[winner], pips[(winner + 2) % 4]
                if own is not None and partner is not None and partner < own:
                    partner_holds_less.append((match.read.match, number))
    assert tied == 10
    assert partner_holds_less == [("d-0006", 2), ("d-0031", 1), ("d-0037", 4), ("d-0038", 6)]


def test_every_hand_of_every_family_adds_up(league_url: str) -> None:
    """The terms of a hand are its points, in every family."""
    for hand in exported(league_url, "hands"):
        for side, points in enumerate(hand["points"]):
            assert points == sum(term["points"] for term in hand["terms"] if term["side"] == side)


def test_edition_1_says_what_it_said(league_url: str) -> None:
    """Another fingerprint means other hands or matches: look before you change it."""
    hands, matches = hands_of(league_url), exported(league_url, "matches")
    assert (fingerprint(hands), fingerprint(matches)) == GOLDEN["edition 1"]


@pytest.mark.heavy
@pytest.mark.parametrize("revision", REVISIONS)
def test_a_revision_says_what_it_said(league_url: str, revision: str) -> None:
    """The seasons are replayed under another setting, and differ from edition 1 where they should."""
    run = replay(league_url, revised(REVISIONS[revision]), ReplayPeriod())
    hands, matches = hands_of(league_url, run), exported(league_url, "matches", run)
    assert (fingerprint(hands), fingerprint(matches)) == GOLDEN[revision] != GOLDEN["edition 1"]
    changed = {row["ruleset"] for row, before in zip(hands, hands_of(league_url), strict=True) if row != before}
    named = {line.removeprefix("[rulesets.").rstrip("]") for line in REVISIONS[revision].splitlines() if line[0] == "["}
    assert changed
    assert changed <= named


@pytest.mark.heavy
@pytest.mark.parametrize("settings", SERIES)
def test_the_months_say_what_they_said(league_url: str, settings: str) -> None:
    """Six months of series under edition 1 and under other settings: another fingerprint means other standings."""
    run = replay(league_url, revised(f"[series]\n{settings}"), ReplayPeriod()) if settings else None
    standings, series = exported(league_url, "standings", run), exported(league_url, "series", run)
    assert (fingerprint(standings), fingerprint(series)) == SERIES[settings]
    assert (len(standings), len(series)) == (276, 214)
    limited = "limit" in settings
    assert sum(pair["locked"] for pair in series) == (54 if limited else 38)
    assert sum(pair["ignored"] for pair in series) == (80 if limited else 17)
