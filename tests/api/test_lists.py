"""Lists of matches and pairs: filters, orders, and what a pair has."""

from __future__ import annotations

from typing import Any

import pytest
from api_server import Served

MATCHES = """query ($f: MatchFilterInput, $o: MatchOrder, $first: Int = 100, $after: String) {
  matches(filter: $f, orderBy: $o, first: $first, after: $after) {
    totalCount nodes { id matchId mode beganAt decidedAt status sides { players { playerId } } }
    pageInfo { hasNextPage endCursor } } }"""


def matches(season: Served, **given: Any) -> Any:
    """A page of matches."""
    return season.ask(MATCHES, **given)["matches"]


def a_pair(season: Served) -> Any:
    """A pair with rated matches, its two players, their badges and its matches."""
    text = """{ board(kind: TEAMS, includeInactive: true) { places(first: 1) { nodes { matches team {
      id teamId displayName players { playerId displayName badges { badge { key } match { matchId } } }
      badges { badge { key } player { playerId } match { matchId } }
      matches(first: 100) { totalCount nodes { matchId sides { players { playerId } } } } } } } } }"""
    return season.ask(text)["board"]["places"]["nodes"][0]


def test_a_pair_has_a_name_and_the_matches_of_its_partners(season: Served) -> None:
    """Both names; every match in which the two sit on one side, and no other."""
    place = a_pair(season)
    team = place["team"]
    assert team["displayName"] == " & ".join(player["displayName"] for player in team["players"])
    pair = {player["playerId"] for player in team["players"]}
    everything = matches(season, f={"mode": "TWO_ON_TWO"})["nodes"]

    def is_theirs(match: Any) -> bool:
        return any({player["playerId"] for player in side["players"]} == pair for side in match["sides"])

    theirs = {match["matchId"] for match in everything if is_theirs(match)}
    assert {match["matchId"] for match in team["matches"]["nodes"]} == theirs != set()
    assert team["matches"]["totalCount"] == len(theirs) >= place["matches"]
    for competitor in (team["id"], team["teamId"], "+".join(reversed(team["teamId"].split("+")))):
        assert {match["matchId"] for match in matches(season, f={"competitor": competitor})["nodes"]} == theirs


def test_a_pair_shows_the_badges_earned_together(season: Served) -> None:
    """Those that either player earned by a match of the pair."""
    text = "{ teams(first: 100) { nodes { teamId badges { badge { key } player { playerId } match { matchId } } } } }"
    earned = 0
    for team in season.ask(text)["teams"]["nodes"]:
        players = team["teamId"].split("+")
        expected = []
        for player in players:
            of_player = "query ($id: ID!) { player(id: $id) { badges { badge { key } match { matchId } } } }"
            theirs = {match["matchId"] for match in matches(season, f={"competitor": team["teamId"]})["nodes"]}
            badges = season.ask(of_player, id=player)["player"]["badges"]
            expected += [
                (player, badge["badge"]["key"], badge["match"]["matchId"])
                for badge in badges
                if badge["match"] is not None and badge["match"]["matchId"] in theirs
            ]
        found = [(one["player"]["playerId"], one["badge"]["key"], one["match"]["matchId"]) for one in team["badges"]]
        assert sorted(found) == sorted(expected)
        earned += len(found)
        if earned > 3:
            return
    pytest.fail("the season has too few badges of pairs")


def test_a_player_on_another_side_is_no_partner(season: Served) -> None:
    """A pair that met across the table only has no match."""
    sides = matches(season, f={"mode": "TWO_ON_TWO"}, first=1)["nodes"][0]["sides"]
    across = "+".join(side["players"][0]["playerId"] for side in sides)
    together = matches(season, f={"competitor": across})["nodes"]
    both = set(across.split("+"))
    for match in together:
        assert any(both == {player["playerId"] for player in side["players"]} for side in match["sides"])


def test_matches_come_in_the_order_asked_for(season: Served) -> None:
    """By beginning or by decision, in either direction; by decision only decided ones."""
    for field, column in (("BEGAN_AT", "beganAt"), ("DECIDED_AT", "decidedAt")):
        newest = [node[column] for node in matches(season, o={"field": field})["nodes"]]
        oldest = [node[column] for node in matches(season, o={"field": field, "direction": "ASC"})["nodes"]]
        assert newest == sorted(newest, reverse=True) == oldest[::-1]
        assert None not in newest
    pages, after = [], None
    while True:
        page = matches(season, o={"field": "DECIDED_AT"}, first=7, after=after)
        pages += [node["decidedAt"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert pages == newest
    middle = newest[20]
    before, later = (matches(season, f={name: middle})["totalCount"] for name in ("decidedBefore", "decidedFrom"))
    assert before + later == len(newest)


def test_a_cursor_belongs_to_its_order(season: Served) -> None:
    """Another field or another direction refuses it; both have keys of the same shape."""
    cursor = matches(season, first=2)["pageInfo"]["endCursor"]
    assert matches(season, o={"field": "BEGAN_AT"}, after=cursor)["nodes"]
    for order in ({"field": "DECIDED_AT"}, {"field": "BEGAN_AT", "direction": "ASC"}):
        assert season.error(MATCHES, o=order, after=cursor)["extensions"]["code"] == "INVALID_CURSOR"


@pytest.mark.parametrize(
    ("text", "argument"),
    [
        ('{ matches(filter: {competitor: "nobody"}) { totalCount } }', "filter.competitor"),
        ('{ matches(filter: {competitor: "p001+nobody"}) { totalCount } }', "filter.competitor"),
        ('{ matches(filter: {season: "nosuch"}) { totalCount } }', "filter.season"),
        ('{ teams(filter: {player: "nobody"}) { totalCount } }', "filter.player"),
        ('{ player(id: "p001") { matches(filter: {competitor: "nobody"}) { totalCount } } }', "filter.competitor"),
        ('{ player(id: "p001") { statistics(filter: {season: "nosuch"}) { matches } } }', "filter.season"),
        ('{ board { around(of: "nobody") { __typename } } }', "of"),
        ('{ matches(filter: {ruleset: "chess"}) { totalCount } }', "filter.ruleset"),
        ('{ player(id: "p001") { statistics(filter: {ruleset: "chess"}) { matches } } }', "filter.ruleset"),
    ],
)
def test_an_unknown_id_in_a_filter_is_an_error(season: Served, text: str, argument: str) -> None:
    """It is not an empty page; the error names the argument."""
    extensions = season.error(text)["extensions"]
    assert (extensions["code"], extensions["argument"]) == ("UNKNOWN_ID", argument)


def test_pairs_are_found_by_name_region_and_player(season: Served) -> None:
    """By a part of either name, the region of both, and one of the two."""
    text = """query ($f: TeamFilterInput) { teams(filter: $f, first: 100) { totalCount nodes {
      teamId players { playerId name region } } } }"""

    def found(**wanted: str) -> Any:
        return season.ask(text, f=wanted)["teams"]["nodes"]

    everything = found()
    one = everything[0]["players"][0]
    by_name = found(nameContains=one["name"][:4].upper())
    assert everything[0] in by_name
    assert len(by_name) < len(everything)
    by_player = found(player=one["playerId"])
    assert by_player == [team for team in everything if one["playerId"] in team["teamId"].split("+")]
    region = next(
        team["players"][0]["region"] for team in everything if len({p["region"] for p in team["players"]}) == 1
    )
    assert {player["region"] for team in found(region=region) for player in team["players"]} == {region}


def test_a_partner_comes_with_the_pair_of_the_two(season: Served) -> None:
    """With a rated match; an opponent has none."""
    text = """{ player(id: "p004") { partners(first: 5) { nodes { competitorId team { teamId } } }
      opponents(first: 5) { nodes { team { teamId } } } } }"""
    player = season.ask(text)["player"]
    partners = player["partners"]["nodes"]
    assert partners
    for partner in partners:
        assert partner["team"] == {"teamId": "+".join(sorted(("p004", partner["competitorId"])))}
    assert all(node["team"] is None for node in player["opponents"]["nodes"])
