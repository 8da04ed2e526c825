"""Badges of a part of the recorded season: what is shown agrees with the export and with the matches."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served
from leagues import exported

EARNED = """{ players(first: 40) { nodes { playerId badges { badge { key measure threshold description } earnedAt
  position match { matchId decidedAt event { position } } event { position name } edition { number }
  player { playerId } } } } }"""
PROGRESS = """{ players(first: 100) { nodes { playerId badgeProgress { measure reached best
  next { key threshold description } earned { badge { key threshold } } } } } }"""
MATCHES = """{ matches(first: 100) { nodes { matchId decidedAt mode sides { won players { playerId } } } } }"""


def by_player(season: Served, text: str, field: str) -> dict[str, Any]:
    """A field of all players."""
    return {node["playerId"]: node[field] for node in season.ask(text)["players"]["nodes"]}


def test_the_badges_of_players_are_those_of_the_export(season: Served) -> None:
    """With the match that earned each, decided then, and the event that decided it."""
    shown = by_player(season, EARNED, "badges")
    rows = {
        (player, mine["badge"]["key"], int(mine["position"])) for player, badges in shown.items() for mine in badges
    }
    export = exported(season.league.database.url, "badges")
    assert rows == {(row["id"], row["badge"], row["position"]) for row in export} != set()
    for player, badges in shown.items():
        assert [mine["earnedAt"] for mine in badges] == sorted((mine["earnedAt"] for mine in badges), reverse=True)
        for mine in badges:
            badge, match = mine["badge"], mine["match"]
            assert badge["key"] == f"{badge['measure']}-{badge['threshold']}"
            assert mine["earnedAt"] == match["decidedAt"]
            assert mine["position"] == mine["event"]["position"] == match["event"]["position"]
            assert mine["event"]["name"] == "match-ended/1"
            assert mine["edition"]["number"] == 1
            assert mine["player"]["playerId"] == player


def test_progress_leads_from_what_is_earned_to_the_next(season: Served) -> None:
    """What is earned is reached; the next is the lowest threshold above it."""
    badges = season.ask("{ badges { key measure threshold description } }")["badges"]
    earned = by_player(season, EARNED, "badges")
    for player, progress in by_player(season, PROGRESS, "badgeProgress").items():
        assert [one["measure"] for one in progress] == list(dict.fromkeys(badge["measure"] for badge in badges))
        mine = [held["badge"]["key"] for one in progress for held in one["earned"]]
        assert sorted(mine) == sorted(held["badge"]["key"] for held in earned[player])
        for one in progress:
            higher = [badge for badge in badges if badge["measure"] == one["measure"] and badge["key"] not in mine]
            assert one["next"] == {name: higher[0][name] for name in ("key", "threshold", "description")}
            assert one["reached"] <= one["best"] < one["next"]["threshold"]
            assert all(held["badge"]["threshold"] <= one["best"] for held in one["earned"])


def test_progress_counts_the_matches_that_are_shown(season: Served) -> None:
    """Wins and the current streak, counted here."""
    matches = sorted(season.ask(MATCHES)["matches"]["nodes"], key=lambda node: (node["decidedAt"], node["matchId"]))
    wins: dict[str, int] = {}
    streaks: dict[str, int] = {}
    for match in matches:
        for side in match["sides"]:
            for player in side["players"]:
                id_, won = player["playerId"], side["won"]
                wins[id_] = wins.get(id_, 0) + won
                streaks[id_] = (streaks.get(id_, 0) + 1) * won
    for player, progress in by_player(season, PROGRESS, "badgeProgress").items():
        reached = {one["measure"]: one["reached"] for one in progress}
        assert (reached["wins"], reached["streak"]) == (wins.get(player, 0), streaks.get(player, 0))


def test_who_holds_a_badge_stands_in_pages_in_the_order_in_which_it_was_earned(season: Served) -> None:
    """As many as the badge says, and as the export has."""
    export = exported(season.league.database.url, "badges")
    badges = season.ask("{ badges { key description holderCount holders(first: 0) { totalCount } } }")["badges"]
    assert all(badge["description"] for badge in badges)
    for badge in badges:
        held = [row for row in export if row["badge"] == badge["key"]]
        assert badge["holderCount"] == badge["holders"]["totalCount"] == len(held)
    most = max(badges, key=lambda badge: badge["holderCount"])["key"]
    text = """query ($key: String!, $after: String) { badge(key: $key) { holders(first: 3, after: $after) {
      nodes { earnedAt player { playerId } badge { key } } pageInfo { hasNextPage endCursor } } } }"""
    found, page = [], season.ask(text, key=most)["badge"]["holders"]
    while True:
        found += [(node["earnedAt"], node["player"]["playerId"]) for node in page["nodes"]]
        assert {node["badge"]["key"] for node in page["nodes"]} == {most}
        if not page["pageInfo"]["hasNextPage"]:
            break
        page = season.ask(text, key=most, after=page["pageInfo"]["endCursor"])["badge"]["holders"]
    assert found == sorted(found)
    assert [player for _, player in sorted(found, key=lambda one: one[1])] == [
        row["id"] for row in export if row["badge"] == most
    ]
    assert len(found) > 3


@pytest.mark.parametrize("key", ["streak-4", "streak", "", "wins-10 "])
def test_a_badge_that_the_edition_does_not_have_is_null(season: Served, key: str) -> None:
    """Keys are spelt exactly."""
    assert season.ask("query ($key: String!) { badge(key: $key) { key } }", key=key)["badge"] is None
