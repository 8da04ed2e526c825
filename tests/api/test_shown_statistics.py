"""Statistics, series and drift over HTTP on a part of the recorded season."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served
from leagues import exported

STATISTICS = """query ($id: ID!, $filter: StatisticsFilterInput) { player(id: $id) { statistics(filter: $filter) {
  matches wins losses winRate averageDifference handsWon handsWonByDomino handsWonByBlock capicuas viajeras pollonas
  pollonasSuffered recoveries { behind matches } currentStreak { won length since until }
  longestWinningStreak { length } longestLosingStreak { length } form { won matchId match { matchId } }
  peakRating { value shown mode provisional decidedAt match { matchId } } bestWin { opponents matchId }
  worstLoss { opponents matchId } } } }"""


def rows(season: Served, what: str) -> list[dict[str, Any]]:
    return exported(season.league.database.url, what)


def of_player(season: Served, player: str, **filter_: Any) -> Any:
    return season.ask(STATISTICS, id=player, filter=filter_ or None)["player"]["statistics"]


def test_the_statistics_of_a_player_agree_with_the_exports(season: Served) -> None:
    """Matches, wins, the order of form, achievements and the peak."""
    player = "p004"
    found = of_player(season, player)
    played = [row for row in rows(season, "matches") if any(player in side for side in row["sides"])]
    played.sort(key=lambda row: (row["decided_at"], row["match"]), reverse=True)
    won = [player in row["sides"][row["winner"]] for row in played]
    assert (found["matches"], found["wins"], found["losses"]) == (len(won), sum(won), len(won) - sum(won))
    assert found["winRate"] == sum(won) / len(won)
    form = [(row["match"], row["match"], has_won) for row, has_won in zip(played, won, strict=True)]
    assert [(m["matchId"], m["match"]["matchId"], m["won"]) for m in found["form"]] == form[:10]
    assert found["currentStreak"]["won"] == won[0]
    achieved = next(row for row in rows(season, "achievements") if row["id"] == player)
    assert (found["capicuas"], found["viajeras"], found["pollonas"], found["handsWon"]) == (
        achieved["capicuas"], achieved["viajeras"], achieved["pollonas"], achieved["hands_won"],
    )  # fmt: skip
    assert found["handsWonByDomino"] + found["handsWonByBlock"] == found["handsWon"]
    after = [row["after"] for row in rows(season, "changes") if row["id"] == player]
    assert (found["peakRating"]["value"], found["peakRating"]["provisional"]) == (max(after), True)


def test_statistics_of_a_month_and_a_mode(season: Served) -> None:
    """The months of a mode add up to it; nothing is null but what needs a match."""
    months = [of_player(season, "p004", mode="TWO_ON_TWO", month=f"2026-{month:02}") for month in range(1, 8)]
    whole = of_player(season, "p004", mode="TWO_ON_TWO")
    assert sum(month["matches"] for month in months) == whole["matches"] > 0
    nothing = of_player(season, "p004", month="1999-12")
    assert (nothing["matches"], nothing["winRate"], nothing["currentStreak"], nothing["form"]) == (0, None, None, [])
    assert nothing["peakRating"] is nothing["bestWin"] is nothing["worstLoss"] is nothing["averageDifference"] is None


def test_statistics_partners_and_opponents_as_of_a_moment(season: Served) -> None:
    """What was decided by a match's own moment counts, also with other filters, of players, pairs and two who met."""
    text = """query ($id: ID!, $pair: ID!, $other: ID!, $filter: StatisticsFilterInput) {
      player(id: $id) { ...figures partners(first: 100, filter: $filter) { nodes { competitorId matches wins } } }
      team(id: $pair) { ...figures }
      headToHead(a: $id, b: $other, filter: $filter) { a { statistics { matches wins } } } }
      fragment figures on Competitor { statistics(filter: $filter) { matches wins form { matchId }
        peakRating { matchId } }
        opponents(first: 100, filter: $filter) { nodes { competitorId matches } } }"""
    player, mate, other = "p001", "p002", "p003"
    played = sorted(rows(season, "matches"), key=lambda row: (row["decided_at"], row["match"]))
    moment = played[len(played) // 2]["decided_at"]

    def asked(**filter_: Any) -> Any:
        return season.ask(text, id=player, pair=f"{player}+{mate}", other=other, filter=filter_)

    def won_of(matches: list[Any], *seated: str, against: str = "") -> dict[str, int]:
        own = [(row, side) for row in matches for side in row["sides"] if set(seated) <= set(side)]
        if against:
            own = [(row, side) for row, side in own if against in seats_of(row) and against not in side]
        return {"matches": len(own), "wins": sum(row["sides"][row["winner"]] == side for row, side in own)}

    def seats_of(row: Any) -> list[str]:
        return [seated for side in row["sides"] for seated in side]

    modes: tuple[dict[str, str], ...] = ({}, {"mode": "TWO_ON_TWO"})
    for mode in modes:
        then = [row for row in played if row["decided_at"] <= moment and (not mode or row["mode"] == "2v2")]
        found = asked(asOf=moment, **mode)
        of_player, of_pair = found["player"]["statistics"], found["team"]["statistics"]
        assert {name: of_player[name] for name in ("matches", "wins")} == won_of(then, player)
        assert {name: of_pair[name] for name in ("matches", "wins")} == won_of(then, player, mate)
        assert found["headToHead"]["a"]["statistics"] == won_of(then, player, against=other)
        assert of_player["form"][0]["matchId"] == [row["match"] for row in then if player in seats_of(row)][-1]
        for partner in found["player"]["partners"]["nodes"]:
            together = won_of(then, player, partner["competitorId"])
            assert {name: partner[name] for name in ("matches", "wins")} == together
        for opponent in found["player"]["opponents"]["nodes"]:
            assert opponent["matches"] == won_of(then, player, against=opponent["competitorId"])["matches"]
    assert asked(asOf="2126-01-01T00:00:00Z") == asked()
    nothing = asked(asOf="1926-01-01T00:00:00+05:00")
    assert nothing["player"]["statistics"] == {"matches": 0, "wins": 0, "form": [], "peakRating": None}
    assert nothing["player"]["partners"]["nodes"] == nothing["team"]["opponents"]["nodes"] == []


def test_two_who_have_met_see_the_same_matches(season: Served) -> None:
    """Takes global ids and ids of the league, players and pairs, with a pair's ids in any order."""
    text = """query ($a: ID!, $b: ID!) { headToHead(a: $a, b: $b) {
      a { competitor { id __typename } statistics { matches wins } }
      b { competitor { id __typename } statistics { matches wins } } } }"""
    match = next(row for row in rows(season, "matches") if row["mode"] == "2v2")
    one, other = match["sides"]
    for a, b, kind in ((one[0], other[1], "Player"), ("+".join(one), "+".join(reversed(other)), "Team")):
        found = season.ask(text, a=a, b=b)["headToHead"]
        assert {found[side]["competitor"]["__typename"] for side in "ab"} == {kind}
        sums = [found[side]["statistics"] for side in "ab"]
        assert sums[0]["matches"] == sums[1]["matches"] == sums[0]["wins"] + sums[1]["wins"] > 0
        again = season.ask(text, a=found["b"]["competitor"]["id"], b=found["a"]["competitor"]["id"])["headToHead"]
        assert (again["a"], again["b"]) == (found["b"], found["a"])
    assert season.ask(text, a="p004", b="nobody")["headToHead"] is None


def test_partners_and_opponents_are_pages_of_competitors(season: Served) -> None:
    """A player's opponents are players, a pair's are pairs."""
    text = """query ($first: Int, $after: String) {
      player(id: "p001") { partners(first: 1) { totalCount nodes { matches wins winRate competitor { __typename } } }
        opponents(first: $first, after: $after) { totalCount nodes { matches competitorId } pageInfo { endCursor } } }
      team(id: "p001+p002") { opponents { nodes {
        competitorId competitor { ... on Team { players { name } } } } } } }"""
    whole = season.ask(text, first=100)
    found = whole["player"]["opponents"]
    assert found["totalCount"] == len(found["nodes"]) > 3
    order = [(-node["matches"], node["competitorId"]) for node in found["nodes"]]
    assert order == sorted(order)
    first = season.ask(text, first=2)["player"]["opponents"]
    rest = season.ask(text, first=100, after=first["pageInfo"]["endCursor"])["player"]["opponents"]
    assert first["nodes"] + rest["nodes"] == found["nodes"]
    assert {node["competitor"]["__typename"] for node in whole["player"]["partners"]["nodes"]} == {"Player"}
    pairs = whole["team"]["opponents"]["nodes"]
    assert {node["competitorId"].count("+") for node in pairs} == {1}
    assert {len(node["competitor"]["players"]) for node in pairs} == {2}


def test_a_rating_series_is_the_ledger_made_short(season: Served) -> None:
    """Its total says what it was made from."""
    text = """query ($points: Int!) { player(id: "p001") {
      ratingSeries(mode: TWO_ON_TWO, points: $points) { total points { rating matchId match { matchId } } } } }"""
    ledger = [r for r in rows(season, "changes") if (r["id"], r["mode"]) == ("p001", "2v2")]
    found = season.ask(text, points=200)["player"]["ratingSeries"]
    assert [(p["matchId"], p["rating"]) for p in found["points"]] == [(r["match"], r["after"]) for r in ledger]
    short = season.ask(text, points=4)["player"]["ratingSeries"]
    assert (short["total"], len(short["points"])) == (len(ledger), 4)
    assert all(point in found["points"] for point in short["points"])


def test_distribution_and_drift_of_the_league(season: Served) -> None:
    """All who are rated are in a bucket; the latest month's mean is that of the ratings now."""
    found = season.ask("""{
      ratingDistribution(mode: ONE_ON_ONE, establishedOnly: false) { count mean buckets { start end count } }
      teams: ratingDistribution(mode: TWO_ON_TWO, of: TEAMS, establishedOnly: false) { count }
      ratingDrift(mode: ONE_ON_ONE) { month rated mean matches gained gainedPerMatch } }""")
    ratings = [row["rating"] for row in rows(season, "ratings") if (row["subject"], row["mode"]) == ("player", "1v1")]
    spread, latest = found["ratingDistribution"], found["ratingDrift"][-1]
    assert spread["count"] == sum(bucket["count"] for bucket in spread["buckets"]) == latest["rated"] == len(ratings)
    assert latest["mean"] == pytest.approx(spread["mean"]) == pytest.approx(sum(ratings) / len(ratings))
    assert found["teams"]["count"] == sum(row["subject"] == "team" for row in rows(season, "ratings"))
    played = sum(row["mode"] == "1v1" for row in rows(season, "matches"))
    assert sum(month["matches"] for month in found["ratingDrift"]) == played


@pytest.mark.parametrize(
    ("query", "argument"),
    [
        ('{ player(id: "p004") { statistics(filter: {month: "2026-13"}) { wins } } }', "filter.month"),
        ('{ player(id: "p004") { partners(filter: {month: "March"}) { totalCount } } }', "filter.month"),
        ('{ player(id: "p004") { ratingSeries(points: 3) { total } } }', "points"),
        ('{ player(id: "p004") { ratingSeries(points: 1001) { total } } }', "points"),
        ('{ headToHead(a: "p004", b: "p004") { a { statistics { wins } } } }', "b"),
        ('{ headToHead(a: "p004", b: "p001+p002") { a { statistics { wins } } } }', "b"),
        ('{ headToHead(a: "p001+p002+p003", b: "p004") { a { statistics { wins } } } }', "a"),
        ("{ ratingDistribution(mode: ONE_ON_ONE, width: 4) { count } }", "width"),
        ("{ ratingDistribution(mode: ONE_ON_ONE, of: TEAMS) { count } }", "mode"),
        ("{ ratingDrift(mode: OVERALL) { month } }", "mode"),
    ],
)
def test_an_impossible_argument_is_named(season: Served, query: str, argument: str) -> None:
    """A month or a season that is none, too few points, somebody against themselves, a mode without such ratings."""
    error = season.error(query)
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_REQUEST", argument)


def test_the_points_of_a_series_count_as_what_they_may_come_to(season: Served) -> None:
    """A hundred long series are refused before anything is read."""
    series = "ratingSeries(points: %d) { points { shown } }"
    text = "{ players(first: 100) { nodes { %s } } }"
    assert season.error(text % (series % 1_000))["extensions"]["code"] == "TOO_COMPLEX"
    assert season.ask(text % (series % 20))["players"]["nodes"]
