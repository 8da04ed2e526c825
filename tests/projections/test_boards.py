"""Leaderboards: their competitors, places and ranks."""

from __future__ import annotations

from typing import Any

import pytest
from leagues import PLAYERS, adopt, announced, at, catch_up, exported, ratings, send

from league.application.bootstrap import League
from league.domain.match import ForfeitMatch
from league.domain.player import MovePlayer

ESTABLISHED = "rating.provisional_below = 0"
ACTIVE_HOURS = 90 * 24


def places(league: League, board: str, region: str | None = None) -> list[tuple[int | None, str]]:
    """Rank and id by place."""
    catch_up(league)
    rows = exported(league.database.url, "boards")
    return [(row["rank"], row["id"]) for row in rows if (row["board"], row["region"]) == (board, region)]


@pytest.mark.also_on_server
def test_equal_ratings_share_a_rank(league: League) -> None:
    """Equal values share a rank and the next one is left out (1, 2, 2, 4); ids order them."""
    adopt(league, ESTABLISHED)
    send(
        league,
        announced("m1", ("bea", "eva"), 0, (150, 0)),
        announced("m2", ("ana", "dora"), 0, (150, 100)),
        announced("m3", ("cira", "flor"), 0, (150, 100)),
    )
    assert places(league, "1v1") == [(1, "bea"), (2, "ana"), (2, "cira"), (4, "dora"), (4, "flor"), (6, "eva")]
    assert places(league, "global") == places(league, "1v1")


def test_provisional_players_stand_below_without_a_rank(league: League) -> None:
    """Players with fewer matches than needed have no rank and come last, however high their rating."""
    adopt(league, "rating.provisional_below = 2")
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", ("ana", "bea"), 2, (10, 150)))
    send(league, announced("m3", ("cira", "dora"), 4, (150, 0)))
    assert places(league, "1v1") == [(1, "bea"), (2, "ana"), (None, "cira"), (None, "dora")]


def test_provisional_players_are_ordered_by_their_value(league: League) -> None:
    """Below the established ones the provisional ones go by value, equal values by id; none of them has a rank."""
    adopt(league, "rating.provisional_below = 2")
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("ana", "bea"), 1),
        announced("m3", ("flor", "cira"), 4, (150, 0)),
        announced("m4", ("eva", "dora"), 6, (150, 0)),
    )
    by_value = [(1, "ana"), (2, "bea"), (None, "eva"), (None, "flor"), (None, "cira"), (None, "dora")]
    assert places(league, "1v1") == by_value
    assert places(league, "global") == by_value


def test_thirty_matches_establish_a_player(league: League) -> None:
    """Under edition 1 the thirtieth match establishes; with 29 a player is provisional."""
    # Casual ones, which two players may play as often as they like.
    send(league, *(announced(f"m{n}", ("ana", "bea"), n, competition="casual") for n in range(29)))
    assert places(league, "1v1") == [(None, "ana"), (None, "bea")]
    send(league, announced("m29", ("ana", "cira"), 40))
    assert places(league, "1v1") == [(1, "ana"), (None, "cira"), (None, "bea")]


def test_overall_is_established_by_any_mode(league: League) -> None:
    """On the global board a player is provisional only while provisional in every mode played."""
    adopt(league, "rating.provisional_below = 2")
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("ana", "bea"), 1),
        announced("m3", ("ana", "cira", "dora", "eva"), 2),
    )
    provisional = [(None, "dora"), (None, "cira"), (None, "eva")]
    assert places(league, "global") == [(1, "ana"), (2, "bea"), *provisional]
    assert all(rank is None for rank, _ in places(league, "2v2"))


@pytest.mark.parametrize(("hours", "active"), [(ACTIVE_HOURS, True), (ACTIVE_HOURS + 0.001, False)])
def test_who_has_not_played_for_ninety_days_is_not_shown(league: League, hours: float, active: bool) -> None:
    """Within 90 times 24 hours before the latest decided match a player is active, both ends included."""
    adopt(league, ESTABLISHED)
    send(league, announced("m1", ("ana", "bea"), 0), announced("m2", ("cira", "dora"), hours))
    shown = {id_ for _, id_ in places(league, "1v1")}
    assert shown == {"ana", "bea", "cira", "dora"} if active else shown == {"cira", "dora"}


def test_activity_is_by_mode_and_overall_by_any(league: League) -> None:
    """A player who now plays only 2v2 leaves the 1v1 board and stays on the global board."""
    adopt(league, ESTABLISHED)
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("ana", "cira", "dora", "eva"), ACTIVE_HOURS + 1),
    )
    assert places(league, "1v1") == []
    assert {id_ for _, id_ in places(league, "global")} == {"ana", "cira", "dora", "eva"}


def test_casual_and_forfeited_matches_keep_a_player_active(league: League) -> None:
    """A casual match and a forfeited one are matches that a player finished."""
    adopt(league, ESTABLISHED)
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("cira", "dora"), 0),
        announced("m3", ("ana", "bea"), ACTIVE_HOURS + 1, competition="casual"),
        announced("m4", ("cira", "dora"), ACTIVE_HOURS + 1)[:1],
        ForfeitMatch("m4", 0, at(ACTIVE_HOURS + 2)),
        announced("m5", ("eva", "flor"), 2 * ACTIVE_HOURS),
    )
    assert {id_ for _, id_ in places(league, "1v1")} == set(PLAYERS)


@pytest.mark.heavy
def test_a_region_has_boards_of_its_own(league: League) -> None:
    """A region's board ranks only its own players; players without a region are on the league's board only."""
    adopt(league, ESTABLISHED)
    send(
        league,
        announced("m1", ("dora", "ana"), 0, (150, 0)),
        announced("m2", ("bea", "flor"), 0, (150, 100)),
        announced("m3", ("cira", "eva"), 0, (150, 50)),
    )
    assert places(league, "1v1") == [(1, "dora"), (2, "cira"), (3, "bea"), (4, "flor"), (5, "eva"), (6, "ana")]
    assert places(league, "1v1", "Matanzas") == [(1, "cira"), (2, "bea"), (3, "ana")]
    assert places(league, "1v1", "Granma") == [(1, "dora"), (2, "eva")]
    send(league, MovePlayer("dora", "Matanzas"))
    assert places(league, "1v1", "Matanzas") == [(1, "dora"), (2, "cira"), (3, "bea"), (4, "ana")]


def test_a_team_is_of_a_region_with_both_partners(league: League) -> None:
    """A team is on a region's board if both players belong to it."""
    adopt(league, ESTABLISHED)
    send(
        league,
        announced("m1", ("ana", "dora", "bea", "eva"), 0),
        announced("m2", ("cira", "bea", "flor", "dora"), 5),
    )
    assert {id_ for _, id_ in places(league, "teams")} == {"ana+bea", "dora+eva", "cira+flor", "bea+dora"}
    assert [id_ for _, id_ in places(league, "teams", "Matanzas")] == ["ana+bea"]
    assert [id_ for _, id_ in places(league, "teams", "Granma")] == ["dora+eva"]


@pytest.mark.also_on_server
def test_the_boards_are_exported_in_order(league: League) -> None:
    """Rows go by board, region (the whole league first), month, mode, ranked ones first, value, id."""
    adopt(league, "rating.provisional_below = 2")
    send(
        league,
        announced("m1", ("ana", "bea"), 0),
        announced("m2", ("ana", "bea"), 1),
        announced("m3", ("cira", "dora", "eva", "flor"), 2),
    )
    catch_up(league)
    rows = exported(league.database.url, "boards")

    def order(row: dict[str, Any]) -> tuple[Any, ...]:
        rank = row["rank"]
        series = (row["month"] or "", row["mode"] or "")
        return (row["board"], row["region"] or "", *series, rank is None, -row["value"], row["id"])

    assert rows == sorted(rows, key=order)
    rows = [row for row in rows if row["board"] != "series"]
    modes = {"global": "overall", "teams": "2v2"}
    found = ratings(league.database.url)
    assert all(row["value"] == found[row["id"], modes.get(row["board"], row["board"])] for row in rows)
    assert {row["board"] for row in rows} == {"global", "1v1", "2v2", "teams"}
    assert all(row["month"] is row["mode"] is None for row in rows)
