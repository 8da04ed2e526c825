"""The monthly series as rows: games, pairs and standings, against a second computation as plain as can be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leagues import (
    adopt,
    announced,
    at,
    catch_up,
    caught_up_digest,
    digest,
    domino,
    exported,
    found,
    mode_for,
    rebuild,
    revised,
    send,
    shared_rows,
    start_anew,
)

from league.application.bootstrap import League, clock
from league.domain.league import ChangeSettings, CloseMonth
from league.domain.match import CorrectHand, OpenMatch, RecordHand, VoidMatch
from league.domain.refusals import Refusal
from league.infra.database import connect
from league.projections import runs
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.writers import league_rows
from league.transfer.recorded_season import import_season

ANA_BEA, ANA_CIRA = ("ana", "bea"), ("ana", "cira")
Row = dict[str, Any]


# ---------------------------------------------------------------- recorded matches


def recorded(match: str, seats: tuple[str, ...], winner: int, began: datetime, competition: str = "competitive") -> Row:
    """A line of a recorded season: a match of one hand, which a seat of the winning side ended."""
    facts = won_by(winner, seats)
    hand = {"starter": 0, "ended": {"by": "domino", "seat": winner}, "leftover": list(facts.leftover)}
    return {
        "match": match,
        "ruleset": "cuban-150",
        "mode": mode_for(seats),
        "competition": competition,
        "played_at": began.isoformat(),
        "seats": seats,
        "hands": [hand],
    }


def won_by(winner: int, seats: tuple[str, ...]) -> Any:
    """A hand that decides a match: the seat with the number of the side ends it."""
    return domino(winner, *(() if seat == winner else 150 // (len(seats) // 2) for seat in range(len(seats))))


def late(league: League, folder: Path, *lines: Row) -> None:
    """Import matches; they are never refused for a lock."""
    folder.mkdir(exist_ok=True)
    (folder / "players.jsonl").touch()
    (folder / "matches.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    import_season(folder, league.store, clock, "test")


# ---------------------------------------------------------------- a second computation


def expected(
    matches: list[Row],
    zone: str,
    limit: int = 4,
    pool: int = 40,
    start: int = 500,
    competitions: Sequence[str] = ("competitive", "special"),
) -> tuple[list[Row], ...]:
    """Games, series and standings from the rows of the export `matches`, by the words of the ToT text."""
    games: list[Row] = []
    pairs: dict[tuple[str, str, str, str], list[int]] = {}
    decided = [m for m in matches if m["decided_at"] and m["status"] != "voided" and m["mode"] != "individuals"]
    for match in sorted(decided, key=lambda m: (datetime.fromisoformat(m["decided_at"]), m["match"].encode())):
        month = datetime.fromisoformat(match["played_at"]).astimezone(ZoneInfo(zone)).strftime("%Y-%m")
        sides = ["+".join(sorted(side)) for side in match["sides"]]
        a, b = sorted(sides)
        a_won, why = sides[match["winner"]] == a, None
        if match["competition"] not in competitions:
            why = match["competition"]
        else:
            wins = pairs.setdefault((month, match["mode"], a, b), [0, 0, 0])
            if max(wins[:2]) >= limit:
                why = "beyond_limit"
                wins[2] += 1
            else:
                wins[0 if a_won else 1] += 1
        game = {"month": month, "mode": match["mode"], "a": a, "b": b, "match": match["match"]}
        games.append({**game, "a_won": a_won, "counts_zero": why})
    series, held = [], dict[tuple[str, str, str], list[int]]()
    for (month, mode, a, b), (a_wins, b_wins, ignored) in sorted(pairs.items()):
        points = series_points(a_wins, b_wins, pool)
        row = {"month": month, "mode": mode, "a": a, "b": b, "a_wins": a_wins, "b_wins": b_wins}
        locked = max(a_wins, b_wins) >= limit
        series.append({**row, "a_series_points": points, "locked": locked, "ignored": ignored})
        for id_, wins, losses, own in ((a, a_wins, b_wins, points), (b, b_wins, a_wins, -points)):
            before = held.get((month, mode, id_), [0, 0, 0])
            held[month, mode, id_] = [before[0] + wins, before[1] + losses, before[2] + own]
    standings = []
    for (month, mode, id_), (wins, losses, points) in held.items():
        total = start + points + 5 * (wins - losses)
        row = {"month": month, "mode": mode, "id": id_, "wins": wins, "losses": losses}
        standings.append({**row, "series_points": points, "total": total})
    for row in standings:
        same = [other for other in standings if (other["month"], other["mode"]) == (row["month"], row["mode"])]
        row["rank"] = 1 + sum(other["total"] > row["total"] for other in same)
    standings.sort(key=lambda row: (row["month"], row["mode"], row["rank"], row["id"]))
    return sorted(games, key=lambda game: game["match"]), series, standings


def series_points(wins: int, losses: int, pool: int) -> int:
    if wins + losses < 2:
        return 0
    share = Decimal(pool * wins) / (wins + losses) - Decimal(pool) / 2
    return int(share.quantize(Decimal(1), ROUND_HALF_UP))


def games_of(url: str) -> list[Row]:
    """The games of the official run."""
    columns = ("month", "mode", "a", "b", "match", "a_won", "counts_zero")
    with connect(url) as conn:
        query = "SELECT month, mode, a, b, match_id, a_won, counts_zero FROM series_games WHERE run = %s"
        rows = conn.execute(query, (runs.official_run(conn),)).fetchall()
    return sorted((dict(zip(columns, row, strict=True)) for row in rows), key=lambda game: game["match"])


def assert_adds_up(url: str, zone: str = "America/Havana", **rules: Any) -> None:
    """Games, pairs and standings are those of the second computation, and the points add up."""
    games, series, standings = expected(exported(url, "matches"), zone, **rules)
    assert games_of(url) == games
    assert exported(url, "series") == series
    assert exported(url, "standings") == standings
    for month, mode in {(row["month"], row["mode"]) for row in standings}:
        totals = [row["total"] for row in standings if (row["month"], row["mode"]) == (month, mode)]
        assert sum(totals) == rules.get("start", 500) * len(totals)


# ---------------------------------------------------------------- anything, in any order

tried = settings(
    max_examples=3,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
RULES: tuple[dict[str, Any], ...] = (
    {"limit": 4, "pool": 40, "start": 500},
    {"limit": 2, "pool": 41, "start": 1000},
    {"limit": 4, "pool": 40, "start": 500, "competitions": ["casual", "competitive"]},
)
ZONES = ("America/Havana", "UTC")

seats = st.sampled_from(
    [
        ANA_BEA,
        ("bea", "ana"),
        ANA_CIRA,
        # Both pairs again, in other seats.
        ("ana", "bea", "cira", "dora"),
        ("dora", "cira", "bea", "ana"),
        ("ana", "cira", "bea", "dora"),
    ]
)
nights = st.sampled_from([datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4)])
"""Within eight hours of them it is this month or the last, in Havana, in UTC or in both."""
times = st.builds(lambda night, hours: night + timedelta(hours=hours), nights, st.integers(-2, 7))
competitions = st.sampled_from(["competitive"] * 6 + ["casual", "special"])
numbers = st.integers(0, 40)
batch = st.lists(st.tuples(seats, st.integers(0, 1), times, competitions), min_size=3, max_size=12)
happenings = st.one_of(
    st.tuples(st.just("import"), batch),
    st.tuples(st.just("play"), batch),
    st.tuples(st.just("correct"), numbers, st.integers(0, 1)),
    st.tuples(st.just("void"), numbers),
    st.tuples(st.just("move"), st.sampled_from(ZONES)),
    st.tuples(st.just("close"), st.sampled_from(["2026-02", "2026-03", "2026-04"])),
    st.tuples(st.just("adopt"), st.sampled_from(range(len(RULES)))),
    st.tuples(st.just("project")),
)


class Story:
    """A league to which things happen, and what they leave to be known."""

    def __init__(self, league: League, folder: Path) -> None:
        self.league, self.folder = league, folder
        self.zone, self.rules = ZONES[0], RULES[0]
        self.matches: list[tuple[str, ...]] = []
        """The seats of every match that was tried; its number is in its id."""

    def happen(self, what: str, *given: Any) -> None:
        """Let it happen, as far as the league allows it; it never refuses to take in what is past."""
        if what == "import":
            self._import(*given)
            return
        with suppress(Refusal):
            getattr(self, f"_{what}")(*given)

    def _import(self, drawn: list[Any]) -> None:
        late(self.league, self.folder, *(recorded(self._next(one[0]), *one) for one in drawn))

    def _play(self, drawn: list[Any]) -> None:
        for seats, winner, began, competition in drawn:
            match = self._next(seats)
            opening = OpenMatch(match, "cuban-150", mode_for(seats), competition, seats, None, began)
            self.happen("send", opening, RecordHand(match, won_by(winner, seats), None, began + timedelta(hours=3)))

    def _next(self, seats: tuple[str, ...]) -> str:
        self.matches.append(seats)
        return f"m{len(self.matches) - 1}"

    def _correct(self, number: int, winner: int) -> None:
        if number < len(self.matches):
            self._send(CorrectHand(f"m{number}", 1, won_by(winner, self.matches[number]), "misread"))

    def _void(self, number: int) -> None:
        self._send(VoidMatch(f"m{number}", "never played"))

    def _move(self, zone: str) -> None:
        self._send(ChangeSettings(time_zone=zone))
        self.zone = zone

    def _close(self, month: str) -> None:
        self._send(CloseMonth(month))

    def _adopt(self, number: int) -> None:
        adopt(self.league, "[series]\n" + "\n".join(f"{key} = {value}" for key, value in RULES[number].items()))
        self.rules = RULES[number]

    def _project(self) -> None:
        catch_up(self.league)

    def _send(self, *commands: Any) -> None:
        send(self.league, *commands)


@pytest.mark.heavy
@tried
@given(first=batch, happened=st.lists(happenings, min_size=4, max_size=12), page=st.sampled_from([1, 5, None]))
def test_the_months_add_up_whatever_happens(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: Any, happened: list[Any], page: int | None
) -> None:
    """Corrections, voids, late matches, another zone, closings and other rules: sums, rows, and any way to fold."""
    monkeypatch.setattr(league_rows, "CHECKPOINT_EVERY", 3)
    monkeypatch.setattr(league_rows, "PAGE", 4)
    url = league.database.url
    start_anew(url)
    found(league)
    story = Story(league, tmp_path / "season")
    for happening in (("import", first), *happened):
        story.happen(*happening)
    as_it_happened, shared = caught_up_digest(league), shared_rows(url)
    assert_adds_up(url, story.zone, **story.rules)
    assert (rebuild(league, page), shared_rows(url)) == (as_it_happened, shared)


# ---------------------------------------------------------------- games


def reasons(league: League) -> dict[str, str | None]:
    """The reason for which the game of each match counts zero."""
    catch_up(league)
    assert_adds_up(league.database.url)
    return {game["match"]: game["counts_zero"] for game in games_of(league.database.url)}


def march(number: int) -> datetime:
    """Noon of a day of March 2026."""
    return datetime(2026, 3, number, 12, tzinfo=UTC)


@pytest.mark.also_on_server
def test_what_comes_in_late_pushes_out_what_was_decided_last(league: League, tmp_path: Path) -> None:
    """The limit follows the order decided, regardless of the order of recording."""
    late(league, tmp_path / "a", *(recorded(f"m{day}", ANA_BEA, 0, march(day)) for day in (11, 12, 13, 14)))
    assert set(reasons(league).values()) == {None}
    late(league, tmp_path / "b", recorded("m10", ANA_BEA, 1, march(10)), recorded("m9", ANA_BEA, 0, march(9)))
    assert reasons(league) == {"m9": None, "m10": None, "m11": None, "m12": None, "m13": None, "m14": "beyond_limit"}
    (pair,) = exported(league.database.url, "series")
    assert (pair["a_wins"], pair["b_wins"], pair["a_series_points"], pair["ignored"]) == (4, 1, 12, 1)


def test_a_correction_lets_a_game_count_that_did_not(league: League, tmp_path: Path) -> None:
    """After a correction or a void, the place goes to the next game that was decided."""
    late(league, tmp_path / "a", *(recorded(f"m{day}", ANA_BEA, 0, march(day)) for day in range(1, 7)))
    assert [match for match, why in reasons(league).items() if why] == ["m5", "m6"]
    send(league, CorrectHand("m1", 1, won_by(1, ANA_BEA), "the other one went out"))
    assert [match for match, why in reasons(league).items() if why] == ["m6"]
    send(league, VoidMatch("m2", "never played"))
    assert [match for match, why in reasons(league).items() if why] == []


def test_casual_games_are_listed_and_enter_nobody(league: League) -> None:
    """A player with casual matches only has no standing; a special match counts like any other."""
    send(league, announced("m1", ANA_BEA, 0, competition="casual"))
    assert reasons(league) == {"m1": "casual"}
    assert exported(league.database.url, "standings") == exported(league.database.url, "series") == []
    send(league, announced("m2", ANA_CIRA, 1, competition="special"))
    assert reasons(league) == {"m1": "casual", "m2": None}
    assert [row["id"] for row in exported(league.database.url, "standings")] == ["ana", "cira"]


def test_the_edition_says_which_competitions_count(league: League) -> None:
    """The edition in force decides which games count, even one adopted later, whatever was entered."""
    url, send_ = league.database.url, partial(send, league)
    send_(announced("m1", ANA_BEA, 0, competition="casual"), announced("m2", ANA_BEA, 2, competition="special"))
    send_(announced("m3", ANA_BEA, 4), announced("m4", ANA_BEA, 6, competition="casual"))
    before = caught_up_digest(league)
    adopt(league, 'series.competitions = ["casual", "competitive"]')
    catch_up(league)
    assert {game["match"]: game["counts_zero"] for game in games_of(url)} == {
        "m1": None, "m2": "special", "m3": None, "m4": None
    }  # fmt: skip
    assert_adds_up(url, competitions=("casual", "competitive"))
    (pair,) = exported(url, "series")
    assert (pair["a_wins"], pair["ignored"], pair["locked"]) == (3, 0, False)
    assert rebuild(league) == caught_up_digest(league) != before


def test_a_recorded_season_is_entered_by_the_edition_of_each_match(league: League, tmp_path: Path) -> None:
    """Casual matches of a season enter their series where their edition counts them."""
    adopt(league, 'series.competitions = ["casual"]', march(10))
    lines = [
        recorded(f"{kind}-{day}", ANA_BEA, 0, march(day), kind) for day in (9, 11) for kind in ("casual", "special")
    ]
    late(league, tmp_path / "a", *lines)
    stored = league.store.load("series:1v1:2026-03:ana:bea")
    assert [one.event.match for one in stored] == ["special-9", "casual-11"]
    catch_up(league)
    assert {game["match"]: game["counts_zero"] for game in games_of(league.database.url)} == {
        "casual-9": "casual", "special-9": None, "casual-11": None, "special-11": "special"
    }  # fmt: skip


def test_a_match_is_of_the_month_in_which_it_starts(league: League, tmp_path: Path) -> None:
    """A match belongs to the month in which it starts; its place among the games follows the time it was decided."""
    evening, night = datetime(2026, 3, 31, 23, tzinfo=UTC), datetime(2026, 4, 1, 9, tzinfo=UTC)
    opening = OpenMatch("m0", "cuban-150", "1v1", "competitive", ANA_BEA, None, evening)
    send(league, opening, RecordHand("m0", won_by(1, ANA_BEA), None, night))
    late(league, tmp_path / "a", *(recorded(f"m{day}", ANA_BEA, 0, march(day)) for day in range(1, 5)))
    assert [match for match, why in reasons(league).items() if why] == ["m0"]
    assert {row["month"] for row in exported(league.database.url, "standings")} == {"2026-03"}


def test_another_time_zone_moves_matches_to_another_month(league: League) -> None:
    """What was the last evening of March in Havana is April in UTC, and back."""
    url, night = league.database.url, datetime(2026, 4, 1, 3, tzinfo=UTC)
    opening = OpenMatch("m1", "cuban-150", "1v1", "competitive", ANA_BEA, None, night)
    send(league, opening, RecordHand("m1", won_by(0, ANA_BEA), None, night), announced("m2", ANA_CIRA, 0))
    in_havana = caught_up_digest(league)
    assert {(row["month"], row["id"]) for row in exported(url, "standings")} == {
        ("2026-03", "ana"), ("2026-03", "bea"), ("2026-03", "cira"),
    }  # fmt: skip
    send(league, ChangeSettings(time_zone="UTC"))
    catch_up(league)
    assert_adds_up(url, "UTC")
    assert {(row["month"], row["id"]) for row in exported(url, "standings")} == {
        ("2026-03", "ana"), ("2026-03", "cira"), ("2026-04", "ana"), ("2026-04", "bea"),
    }  # fmt: skip
    send(league, ChangeSettings(time_zone="America/Havana"))
    assert caught_up_digest(league) == in_havana


# ---------------------------------------------------------------- other rules


def test_a_replay_under_another_limit_has_series_of_its_own(league: League) -> None:
    """Games beyond the candidate's limit count zero there, and the official months stay."""
    url = league.database.url
    send(league, *(announced(f"m{number}", ANA_BEA, number) for number in range(4)), announced("m9", ANA_CIRA, 9))
    catch_up(league)
    series, standings = exported(url, "series"), exported(url, "standings")
    run = replay(url, revised("[series]\nlimit = 2\npool = 60\nstart = 1000\npool_from_game = 1"), ReplayPeriod())
    first, second = exported(url, "series", run)
    assert (first["a_wins"], first["locked"], first["ignored"], first["a_series_points"]) == (2, True, 2, 30)
    assert (second["a_wins"], second["locked"], second["ignored"], second["a_series_points"]) == (1, False, 0, 30)
    assert {row["id"]: row["total"] for row in exported(url, "standings", run)} == {
        "ana": 1000 + 30 + 10 + 30 + 5, "bea": 1000 - 30 - 10, "cira": 1000 - 30 - 5,
    }  # fmt: skip
    assert (exported(url, "series"), exported(url, "standings")) == (series, standings)
    assert {row["id"]: row["total"] for row in standings} == {"ana": 545, "bea": 460, "cira": 495}


@pytest.mark.heavy
def test_a_month_may_have_two_editions(league: League) -> None:
    """A competitor enters under the edition of their first game; a pair follows that of its latest one."""
    url = league.database.url
    send(league, announced("m1", ANA_BEA, 0), announced("m2", ("cira", "dora"), 1))
    adopt(league, "[series]\npool = 60\nstart = 1000\ngame_points = 7", at(10))
    send(league, announced("m3", ANA_BEA, 20), announced("m4", ("eva", "flor"), 21))
    adopt(league, "[series]\nstart = 200", at(30))
    send(league, announced("m5", ("cira", "eva"), 22), announced("m6", ("eva", "dora"), 31))
    catch_up(league)
    assert {row["id"]: row["total"] for row in exported(url, "standings")} == {
        "ana": 500 + 30 + 14, "bea": 500 - 30 - 14, "cira": 512, "dora": 490, "eva": 1005, "flor": 993,
    }  # fmt: skip
    as_it_happened = digest(url)
    assert rebuild(league) == as_it_happened
