"""Checkpoints store what has changed, and together they are the state of the league."""

from __future__ import annotations

import pytest
from leagues import catch_up, caught_up_digest, domino, forget_projections, official, played, send

from league.application.bootstrap import League
from league.domain.match import VoidMatch
from league.domain.player import RegisterPlayer
from league.infra.database import connect
from league.projections.runs import table_of
from league.projections.writers import league_rows
from league.projections.writers.checkpoints import checkpoints_before, state_before

PAIRS = [(f"p{number}", f"p{number + 1}") for number in range(0, 24, 2)]
MATCHES = 40
CAPICUA = (domino(0, 0, 90), domino(0, 0, 80, both=True))
LATEST = """
    SELECT DISTINCT ON (id) 'player|1v1|' || id, after FROM {} WHERE (decided_at, match_id) <= (%s, %s)
    ORDER BY id, decided_at DESC, match_id DESC
"""


@pytest.fixture
def in_pairs(league: League, monkeypatch: pytest.MonkeyPatch) -> League:
    """A league of twelve pairs that play each other in turn, with a checkpoint after every second match."""
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 2)
    monkeypatch.setattr(league_rows, "PAGE", 2)
    send(league, *(RegisterPlayer(player, player, None) for pair in PAIRS for player in pair))
    send(league, *(played(f"m{n:02}", PAIRS[n % 12], n, *CAPICUA) for n in range(MATCHES)))
    catch_up(league)
    return league


def test_checkpoints_add_up_to_the_state(in_pairs: League) -> None:
    """Most store their two matches only; before each place they give every rating that the ledger has there."""
    run = official(in_pairs.database.url)
    with connect(in_pairs.database.url) as conn:
        places = conn.execute("SELECT decided_at, match_id FROM checkpoints ORDER BY decided_at").fetchall()
        assert len(places) == MATCHES // 2
        [*stored] = (checkpoints_before(conn, run, (at, f"{match}+"))[-1][1] for at, match in places)
        assert sum(checkpoint.whole for checkpoint in stored) == 4
        assert {checkpoint.size for checkpoint in stored if not checkpoint.whole} == {12}
        for at, match in places:
            reached = state_before(conn, run, (at, f"{match}+"))
            assert reached.last == (at, match)
            ledger = dict(conn.execute(LATEST.replace("{}", table_of(run, "changes").as_string(conn)), (at, match)))
            assert {key: rated.rating for key, rated in reached.state.ratings.standings.items()} == ledger


@pytest.mark.parametrize("match", ["m00", "m09", "m26", "m39"])
def test_a_correction_goes_on_from_what_checkpoints_add_up_to(in_pairs: League, match: str) -> None:
    """A league in which a match was voided is the league that never knew its result."""
    send(in_pairs, VoidMatch(match, "never played"))
    corrected = caught_up_digest(in_pairs)
    forget_projections(in_pairs.database.url)
    assert caught_up_digest(in_pairs) == corrected
