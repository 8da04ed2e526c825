"""Notices: who is told that ratings moved without a match, by how much, and until when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from databases import Template, copy_of
from happenings import hand
from leagues import (
    SMALL_LEAGUE,
    adopt,
    announced,
    catch_up,
    forget_projections,
    league_at,
    official,
    played,
    ratings,
    rebuild,
    revised,
    send,
)

from league.application.bootstrap import League
from league.application.following import remove_ended_notices
from league.domain.match import CorrectHand, MatchVoided, ReopenMatch, VoidMatch
from league.eventlog.records import AppendRequest, LoggedEvent
from league.infra.database import connect
from league.projections.folds.match_fold import RulesTimeline
from league.projections.notices import NoticeBody, NoticeMove, RatingsBefore, body_of, moves_of, tell_of_fold
from league.projections.replays.replay import ReplayPeriod, replay

ADMIN = AppendRequest("admin", "manual")
SLOWER = "rating.k.provisional = 32"
NO_RULES = RulesTimeline((), {})


def _three_matches(url: str) -> None:
    with league_at(url) as league:
        send(
            league,
            played("m1", ("ana", "bea"), 1, hand(2, 0, 150)),
            announced("m2", ("bea", "cira"), 2),
            announced("m3", ("cira", "dora"), 3),
        )
        catch_up(league)


THREE_MATCHES = Template("noticed", _three_matches, SMALL_LEAGUE)


@pytest.fixture
def league(postgres: str) -> Iterator[League]:
    """Ana and Bea played; Cira met Bea, and Dora met Cira."""
    with copy_of(postgres, THREE_MATCHES) as url, league_at(url) as made:
        yield made


def told(league: League) -> list[tuple[str, int, NoticeBody, dict[str, list[NoticeMove]]]]:
    """Each notice: kind, position, body, and the moves by player."""
    with connect(league.database.url) as conn:
        found = []
        for notice, kind, position, body in conn.execute(
            "SELECT notice, kind, position, body FROM notices ORDER BY notice"
        ).fetchall():
            rows = conn.execute("SELECT player_id, moves FROM notice_players WHERE notice = %s", (notice,)).fetchall()
            found.append((kind, position, body_of(body), {id_: moves_of(moves) for id_, moves in rows}))
        return found


def moved(moves: list[NoticeMove]) -> dict[str, tuple[float | None, float | None]]:
    return {move.mode: (move.before, move.after) for move in moves}


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_promotion_and_a_rollback_leave_a_notice_to_everybody_whom_they_move(league: League) -> None:
    """The notice has both ratings, and what each is made of, of every mode and of the overall rating."""
    url = league.database.url
    old = ratings(url)
    promoted = league.promoter.promote(replay(url, revised(SLOWER), ReplayPeriod()), ADMIN)
    new = ratings(url)
    [(kind, position, body, players)] = told(league)
    assert (kind, position) == ("promotion", promoted)
    assert {id_: moved(moves) for id_, moves in players.items()} == {
        id_: {mode: (old[id_, mode], new[id_, mode]) for mode in ("1v1", "overall")}
        for id_ in ("ana", "bea", "cira", "dora")
    }
    assert (body.players, body.largest) == (4, max(abs(new[key] - old[key]) for key in old))
    for moves in players.values():
        [one] = [move for move in moves if move.mode == "1v1"]
        assert one.old is not None
        assert one.new is not None
        assert one.old.start + one.old.outcome + one.old.expected + one.old.modifier == pytest.approx(one.before)
        assert one.new.start + one.new.outcome + one.new.expected + one.new.modifier == pytest.approx(one.after)
    league.promoter.roll_back(ADMIN)
    kind, _, body, players = told(league)[1]
    assert (kind, body.players) == ("rollback", 4)
    assert moved(players["ana"])["1v1"] == (new["ana", "1v1"], old["ana", "1v1"])
    catch_up(league)
    assert len(told(league)) == 2, "to fold an adoption that a promotion made tells nobody again"


@pytest.mark.heavy
@pytest.mark.also_on_server
def test_a_correction_leaves_a_notice_to_others_whom_it_moves(league: League) -> None:
    """Not to those who sit in the match; with the reason, and with both ratings from the corrected match on."""
    old = ratings(league.database.url)
    position = send(league, CorrectHand("m1", 1, hand(2, 1, 150), "misread"))
    catch_up(league)
    new = ratings(league.database.url)
    far = {id_ for id_ in ("cira", "dora") if abs(new[id_, "1v1"] - old[id_, "1v1"]) >= 1}
    assert far
    [(kind, at_position, body, players)] = told(league)
    assert (kind, at_position, players.keys()) == ("correction", position, far)
    assert (body.reason, body.match, body.event, body.players) == ("misread", "m1", "hand-corrected/1", len(far))
    [move] = players["cira"]
    assert (move.before, move.after) == (old["cira", "1v1"], new["cira", "1v1"])
    for parts, end in ((move.old, move.before), (move.new, move.after)):
        assert parts is not None
        assert parts.start + parts.outcome + parts.expected + parts.modifier == pytest.approx(end)
    rebuild(league)
    assert len(told(league)) == 1, "a rebuild tells nobody again"
    forget_projections(league.database.url)
    catch_up(league)
    assert len(told(league)) == 1, "nor does a projector that begins anew"


def test_a_void_and_a_reopened_match_are_corrections(league: League) -> None:
    """Each has a notice of its own, by the position of its event."""
    positions = [send(league, VoidMatch("m1", "never played")), send(league, ReopenMatch("m2", "not over"))]
    send(league, announced("m4", ("dora", "eva"), 4))
    catch_up(league)
    assert [(kind, position, body.event) for kind, position, body, _ in told(league)] == [
        ("correction", positions[0], "match-voided/1"),
        ("correction", positions[1], "match-reopened/1"),
    ]


@pytest.mark.parametrize(("points", "told_of"), [(0.9, 0), (-0.999, 0), (1.0, 1), (-1.5, 1)])
def test_a_correction_is_told_of_from_one_point_on(league: League, points: float, told_of: int) -> None:
    """Up or down; of several players those whom it moves so far."""
    stored = _voided(league)
    with connect(league.database.url) as conn:
        for id_, move in (("dora", points), ("eva", 0.5)):
            conn.execute(
                "INSERT INTO journal (position, cause, subject, id, mode, match_id, before, after)"
                " VALUES (%s, 'ripple', 'player', %s, '1v1', 'm1', 1500, %s)",
                (stored.position, id_, 1500 + move),
            )
        tell_of_fold(conn, official(league.database.url), stored, RatingsBefore(None, 0, {}, NO_RULES), NO_RULES)
    assert [(body.players, [*players]) for _, _, body, players in told(league)] == [(1, ["dora"])] * told_of


def _voided(league: League) -> LoggedEvent:
    """An event that voids a match, as the last event of the log would be stored."""
    last = league.store.read_after(league.store.head() - 1, 1)[0]
    return LoggedEvent(
        last.position, "match:m1", 9, "match-voided/1", last.recorded_at, None, "kim", "manual", None, MatchVoided("no")
    )


def test_a_late_match_leaves_no_notice(league: League) -> None:
    """It moves others, but nobody was wrong; nor does a corrected hand of a match that is not decided yet."""
    send(league, announced("late", ("ana", "bea"), 0.5))
    send(league, played("open", ("eva", "flor"), 9, hand(2, 0, 50)), CorrectHand("open", 1, hand(2, 0, 60), "misread"))
    catch_up(league)
    assert told(league) == []


def test_an_adoption_over_the_past_leaves_a_notice(league: League) -> None:
    """An edition that is adopted by itself moves ratings too; one for later matches tells nobody."""
    old = ratings(league.database.url)
    adopt(league, SLOWER)
    position = league.store.head()
    catch_up(league)
    new = ratings(league.database.url)
    [(kind, at_position, body, players)] = told(league)
    assert (kind, at_position, body.players) == ("adoption", position, 4)
    assert body.edition is not None
    assert moved(players["ana"]) == {"1v1": (old["ana", "1v1"], new["ana", "1v1"])}


@pytest.mark.also_on_server
def test_a_notice_ends_after_thirty_days(league: League) -> None:
    """It counts from the recording of its event. What goes raises the generation, so that cached pages end."""
    league.promoter.promote(replay(league.database.url, revised(SLOWER), ReplayPeriod()), ADMIN)
    with connect(league.database.url) as conn:
        row: Any = conn.execute(
            "SELECT since, until, recorded_at FROM notices JOIN stored_events USING (position)"
        ).fetchone()
    since, until, recorded_at = row
    assert (since, until) == (recorded_at, recorded_at + timedelta(days=30))
    before = _generation(league)
    assert remove_ended_notices(league, until - timedelta(microseconds=1)) == 0
    assert remove_ended_notices(league) == 0
    assert (len(told(league)), _generation(league)) == (1, before)
    assert remove_ended_notices(league, until) == 1
    assert (told(league), _generation(league)) == ([], before + 1)
    with connect(league.database.url) as conn:
        assert conn.execute("SELECT FROM notice_players").rowcount == 0
        assert conn.execute("SELECT FROM promotions").rowcount == 1, "what it moved stays"


@pytest.mark.heavy
def test_what_projects_removes_what_has_ended(league: League) -> None:
    """A league that is operated by commands has no calendar."""
    league.promoter.promote(replay(league.database.url, revised(SLOWER), ReplayPeriod()), ADMIN)
    league.project()
    assert len(told(league)) == 1
    with connect(league.database.url) as conn:
        conn.execute("UPDATE notices SET until = now()")
    league.project()
    assert told(league) == []


def _generation(league: League) -> int:
    with connect(league.database.url) as conn:
        row: Any = conn.execute("SELECT number FROM generation").fetchone()
    return int(row[0])
