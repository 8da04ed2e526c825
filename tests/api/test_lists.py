"""Lists of matches and pairs: filters, orders, and what a pair has."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from api_server import Served, token

ADMIN = token("admin")
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
    """A badge counts that either player earned by a match of the pair."""
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
    """The order is by beginning or by decision, in either direction; by decision only decided ones are listed."""
    for order, column in (("BEGAN", "beganAt"), ("DECIDED", "decidedAt")):
        newest = [node[column] for node in matches(season, o=f"{order}_LATEST_FIRST")["nodes"]]
        oldest = [node[column] for node in matches(season, o=f"{order}_EARLIEST_FIRST")["nodes"]]
        assert newest == sorted(newest, reverse=True) == oldest[::-1]
        assert None not in newest
    pages, after = [], None
    while True:
        page = matches(season, o="DECIDED_LATEST_FIRST", first=7, after=after)
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
    assert matches(season, o="BEGAN_LATEST_FIRST", after=cursor)["nodes"]
    for order in ("DECIDED_LATEST_FIRST", "BEGAN_EARLIEST_FIRST"):
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
    """Pairs are found by a part of either name, the region of both, and one of the two."""
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


# ---------------------------------------------------------------- against an opponent

OF_OWNER = """query ($id: ID!, $f: MatchFilterInput) {{
  it: {0}(id: $id) {{ matches(first: 100, filter: $f) {{ {1} }} }} }}"""
SIDES = "totalCount nodes { matchId sides { players { playerId } } }"


def sides_of(match: Any) -> list[set[str]]:
    """The players of each side of a match."""
    return [{player["playerId"] for player in side["players"]} for side in match["sides"]]


def opposed(match: Any, one: str, other: str) -> bool:
    """Whether two competitors, each a player or a pair, sit on different sides of a match."""
    one_ids, other_ids = (set(competitor.split("+")) for competitor in (one, other))
    sides = sides_of(match)
    return any(one_ids <= side and other_ids <= across for side in sides for across in sides if side is not across)


def test_matches_against_an_opponent_are_those_in_which_they_sit_across(season: Served) -> None:
    """This holds for a player and for a pair, in the league's list and in their own; partners are no opponents."""
    everything, after = [], None
    while True:
        page = matches(season, after=after)
        everything += page["nodes"]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    pairs = [sorted(map("+".join, map(sorted, sides_of(one)))) for one in everything if one["mode"] == "TWO_ON_TWO"][:2]
    singles = [[*map("".join, sides_of(one))] for one in everything if one["mode"] == "ONE_ON_ONE"][:2]
    a, b = pairs[0][0], pairs[0][1]
    partners = a.split("+")
    asked = [*pairs, *singles, partners, [partners[0], b], [a, b.split("+")[0]], [a, partners[0]], [partners[0]] * 2]
    found = []
    for one, other in asked:
        expected = {match["matchId"] for match in everything if opposed(match, one, other)}
        listed = matches(season, f={"competitor": one, "opponent": other})
        assert ({match["matchId"] for match in listed["nodes"]}, listed["totalCount"]) == (expected, len(expected))
        of_owner = season.ask(OF_OWNER.format("team" if "+" in one else "player", SIDES), id=one, f={"opponent": other})
        if of_owner["it"] is not None:
            assert {match["matchId"] for match in of_owner["it"]["matches"]["nodes"]} == expected
        found.append(len(expected))
    assert min(found[:4]) > 0
    assert found[-2:] == [0, 0]


def test_an_opponent_needs_somebody_to_play_against(season: Served) -> None:
    """In the league's list there has to be a competitor; an unknown opponent is an error, too."""
    error = season.error(MATCHES, f={"opponent": "p001"})["extensions"]
    assert (error["code"], error["argument"]) == ("BAD_REQUEST", "filter.opponent")
    error = season.error(MATCHES, f={"competitor": "p001", "opponent": "nobody"})["extensions"]
    assert (error["code"], error["argument"]) == ("UNKNOWN_ID", "filter.opponent")


# ---------------------------------------------------------------- the order of players

PLAYERS = """query ($o: PlayerOrder, $f: PlayerFilterInput, $first: Int, $after: String, $last: Int, $before: String) {
  players(orderBy: $o, filter: $f, first: $first, after: $after, last: $last, before: $before) {
    totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    nodes { playerId displayName registeredAt statistics { matches } ratings { mode value } } } }"""


def folded(name: str) -> str:
    """A name without accents and case."""
    return "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter)).lower()


def key_of(order: str, player: Any) -> Any:
    """The value by which a player is ordered."""
    if "NAME" in order:
        return folded(player["displayName"])
    if "REGISTERED" in order:
        return player["registeredAt"]
    if "MATCHES" in order:
        return player["statistics"]["matches"]
    return next((rating["value"] for rating in player["ratings"] if rating["mode"] == "OVERALL"), None)


@pytest.mark.parametrize(
    ("order", "descending"),
    [
        ("NAME", False), ("EARLIEST_REGISTERED_FIRST", False), ("FEWEST_MATCHES_FIRST", False),
        ("LOWEST_RATING_FIRST", False), ("NAME_REVERSED", True), ("LATEST_REGISTERED_FIRST", True),
        ("MOST_MATCHES_FIRST", True), ("HIGHEST_RATING_FIRST", True),
    ],
)  # fmt: skip
def test_players_come_in_the_order_asked_for(season: Served, order: str, descending: bool) -> None:
    """Ties by id; page by page forward and backward each player comes once; by rating only those who have one."""
    everybody = season.ask(PLAYERS, first=100)["players"]["nodes"]
    keys = {player["playerId"]: (key_of(order, player), player["playerId"]) for player in everybody}
    expected = sorted((id_ for id_, key in keys.items() if key[0] is not None), key=keys.__getitem__)
    expected = expected[::-1] if descending else expected
    assert len(expected) > 20
    for towards, bound, cursor, more in (
        ("first", "after", "endCursor", "hasNextPage"),
        ("last", "before", "startCursor", "hasPreviousPage"),
    ):
        found, at = [], None
        while True:
            page = season.ask(PLAYERS, o=order, **{towards: 7, bound: at})["players"]
            ids = [player["playerId"] for player in page["nodes"]]
            found = [*found, *ids] if towards == "first" else [*ids, *found]
            assert page["totalCount"] == len(expected)
            at = page["pageInfo"][cursor]
            if not page["pageInfo"][more]:
                break
        assert found == expected


def test_the_order_of_players_goes_with_a_filter_and_has_cursors_of_its_own(season: Served) -> None:
    """A cursor of another order is refused."""
    page = season.ask(PLAYERS, o="NAME", first=3)["players"]
    error = season.error(PLAYERS, o="HIGHEST_RATING_FIRST", after=page["pageInfo"]["endCursor"])
    assert error["extensions"]["code"] == "INVALID_CURSOR"
    assert season.error(PLAYERS, after=page["pageInfo"]["endCursor"])["extensions"]["code"] == "INVALID_CURSOR"
    region = season.ask("{ regions }")["regions"][0]
    there = season.ask(PLAYERS, o="MOST_MATCHES_FIRST", f={"region": region}, first=100)["players"]
    played = [player["statistics"]["matches"] for player in there["nodes"]]
    assert played == sorted(played, reverse=True)
    assert 0 < there["totalCount"] < 40


def test_an_erased_player_is_ordered_by_the_name_that_is_shown(small: Served) -> None:
    """The pseudonym, which the database makes as the domain does."""
    for id_, name in (("erased", "Zulema"), ("p-a", "Playa"), ("p-z", "Plazuela")):
        small.do("registerPlayer", ADMIN, playerId=id_, name=name)
    done = small.do("erasePlayer", ADMIN, player="erased")
    text = """query ($at: BigInt!) @readFrom(afterPosition: $at) {
      players(orderBy: NAME, first: 100) { nodes { displayName } } }"""
    names = [player["displayName"] for player in small.ask(text, at=done["position"])["players"]["nodes"]]
    assert names == sorted(names, key=folded)
    pseudonym = next(name for name in names if name.startswith("Player "))
    assert names.index("Playa") < names.index(pseudonym) < names.index("Plazuela")
