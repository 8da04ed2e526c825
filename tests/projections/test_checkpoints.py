"""Checkpoints store what has changed, and together they are the state of the league."""

from __future__ import annotations

import pytest
from leagues import announced, at, catch_up, caught_up_digest, domino, forget_projections, official, played, send

from league.application.bootstrap import League
from league.domain.match import OpenMatch, RecordResult, VoidMatch
from league.domain.player import RegisterPlayer
from league.domain.result import AnnouncedResult
from league.infra.database import connect
from league.projections.runs import table_of
from league.projections.writers import league_rows
from league.projections.writers.checkpoints import checkpoints_before, state_before

PAIRS = [(f"p{number}", f"p{number + 1}") for number in range(0, 24, 2)]
MATCHES = 40
CAPICUA = (domino(0, 0, 90), domino(0, 0, 80, both=True))
LATEST = """
    SELECT DISTINCT ON (subject, mode, id) subject || '|' || mode || '|' || id, after FROM {}
    WHERE (decided_at, match_id) <= (%s, %s) ORDER BY subject, mode, id, decided_at DESC, match_id DESC
"""


@pytest.fixture
def in_pairs(league: League, monkeypatch: pytest.MonkeyPatch) -> League:
    """A league in which twelve pairs play in turn, then four of them against each other and three for themselves.

    A checkpoint is stored after every second match.
    """
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(league_rows, "PAGE", 2)
    send(league, *(RegisterPlayer(player, player, None) for pair in PAIRS for player in pair))
    send(league, *(played(f"m{n:02}", PAIRS[n % 12], n, *CAPICUA) for n in range(MATCHES)))
    send(league, *(announced(f"t{n}", (*PAIRS[n], *PAIRS[n + 1]), MATCHES + n) for n in range(3)))
    alone = AnnouncedResult(2, (10, 20, 100))
    send(
        league,
        OpenMatch("three", "doscientos-100", "individuals", "competitive", ("p0", "p3", "p6"), None, at(50)),
        RecordResult("three", alone, at(51)),
    )
    catch_up(league)
    return league


def test_checkpoints_add_up_to_the_state(in_pairs: League) -> None:
    """Most store their two matches only; before each place they give every rating that the ledger has there."""
    run = official(in_pairs.database.url)
    with connect(in_pairs.database.url) as conn:
        places = conn.execute("SELECT decided_at, match_id FROM checkpoints ORDER BY decided_at").fetchall()
        assert len(places) == (MATCHES + 4) // 2
        [*stored] = (checkpoints_before(conn, run, (when, f"{match}+"))[-1][1] for when, match in places)
        assert sum(checkpoint.whole for checkpoint in stored) < len(stored) // 4
        assert {checkpoint.size for checkpoint in stored[: MATCHES // 2] if not checkpoint.whole} == {12}
        for when, match in places:
            reached = state_before(conn, run, (when, f"{match}+"))
            assert reached.last == (when, match)
            ledger = dict(conn.execute(LATEST.replace("{}", table_of(run, "changes").as_string(conn)), (when, match)))
            assert {key: rated.rating for key, rated in reached.state.ratings.standings.items()} == ledger


@pytest.mark.parametrize("match", ["m00", "m09", "m26", "m39", "t1", "three"])
def test_a_correction_goes_on_from_what_checkpoints_add_up_to(in_pairs: League, match: str) -> None:
    """A league in which a match was voided is the league that never knew its result."""
    send(in_pairs, VoidMatch(match, "never played"))
    corrected = caught_up_digest(in_pairs)
    forget_projections(in_pairs.database.url)
    assert caught_up_digest(in_pairs) == corrected
