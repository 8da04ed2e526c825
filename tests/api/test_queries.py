"""Queries over HTTP on a part of the recorded season."""

from __future__ import annotations

import math
from typing import Any

import pytest
from api_server import Served, token

from league.api.graphql.executing import reader

PAGES = """query ($first: Int, $after: String, $last: Int, $before: String) {
  board(includeInactive: true) { places(first: $first, after: $after, last: $last, before: $before) {
    totalCount edges { cursor node { competitorId rank value } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }"""


def places(season: Served, **page: Any) -> Any:
    """A page of the board."""
    return season.ask(PAGES, **page)["board"]["places"]


def test_the_league_says_how_far_it_is_read(season: Served) -> None:
    """Positions are strings of digits."""
    said = season.ask("{ league { name timeZone position head lagSeconds } }")["league"]
    head = str(season.league.store.head())
    assert said == {
        "name": "Liga", "timeZone": "America/Havana", "position": head, "head": head, "lagSeconds": 0.0,
    }  # fmt: skip


def test_pages_forward_and_backward_are_the_whole_list(season: Served) -> None:
    """Each page begins where the one before ended, and knows whether there is more."""
    whole = places(season, first=100)
    total = whole["totalCount"]
    assert len(whole["edges"]) == total > 12
    forward, page = [], places(season, first=5)
    assert not page["pageInfo"]["hasPreviousPage"]
    while True:
        forward += page["edges"]
        if not page["pageInfo"]["hasNextPage"]:
            break
        page = places(season, first=5, after=page["pageInfo"]["endCursor"])
        assert page["pageInfo"]["hasPreviousPage"]
    backward, page = [], places(season, last=5)
    while True:
        backward = page["edges"] + backward
        if not page["pageInfo"]["hasPreviousPage"]:
            break
        page = places(season, last=5, before=page["pageInfo"]["startCursor"])
        assert page["pageInfo"]["hasNextPage"]
    assert forward == backward == whole["edges"]
    assert places(season, first=0)["edges"] == []


@pytest.mark.parametrize(
    ("page", "code"),
    [
        ({"first": 101}, "EXCESSIVE_PAGINATION"),
        ({"last": 101}, "EXCESSIVE_PAGINATION"),
        ({"first": -1}, "BAD_REQUEST"),
        ({"first": 1, "last": 1}, "BAD_REQUEST"),
        ({"after": "nonsense"}, "INVALID_CURSOR"),
        ({"after": "WyJwMDA1Il0"}, "INVALID_CURSOR"),
    ],
)
def test_an_impossible_page_is_refused_with_a_code(season: Served, page: Any, code: str) -> None:
    """Too large, in both directions, or after a cursor of another list."""
    assert season.error(PAGES, **page)["extensions"]["code"] == code


def test_players_are_found_by_name_and_region(season: Served) -> None:
    """Names match regardless of case and accents; the database's wildcards are literal."""
    text = "query ($f: PlayerFilterInput) { players(filter: $f, first: 100) { totalCount nodes { name region } } }"

    def names(**wanted: str) -> set[str]:
        return {node["name"] for node in season.ask(text, f=wanted)["players"]["nodes"]}

    everybody = names()
    assert {"Inés A."} <= names(nameContains="ines") == names(nameContains="ÍNÉS")
    assert names(nameContains="NÉS") == {name for name in everybody if "nes" in name.lower().replace("é", "e")}
    assert names(nameStartsWith="y") == {name for name in everybody if name.startswith("Y")} != set()
    assert names(nameContains="%") == set()
    region = season.ask("{ regions }")["regions"][0]
    assert 0 < len(names(region=region)) < len(everybody)
    assert season.error(text, f={"nameContains": "a\0b"})["extensions"]["code"] == "BAD_REQUEST"


def test_a_match_shows_hands_with_terms_that_add_up(season: Served) -> None:
    """The points of the counted hands are the score, and the terms of each hand are its points."""
    text = """{ matches(first: 40, filter: {status: [COMPLETED]}) { nodes {
      matchId score winner lastHand sides { number won score players { name } }
      seats { number side player { playerId } }
      hands { number counted points winner terms { side rule points } leftover { seat tiles pips } closing { tile } }
    } } }"""
    nodes = season.ask(text)["matches"]["nodes"]
    assert len(nodes) > 30
    for match in nodes:
        counted = [hand for hand in match["hands"] if hand["counted"]]
        assert [sum(column) for column in zip(*(hand["points"] for hand in counted), strict=True)] == match["score"]
        assert len(counted) == match["lastHand"]
        for hand in match["hands"]:
            by_side = [0, 0]
            for term in hand["terms"]:
                by_side[term["side"]] += term["points"]
            assert by_side == hand["points"]
        assert [side["won"] for side in match["sides"]].index(True) == match["winner"]
        assert [side["score"] for side in match["sides"]] == match["score"]


def test_matches_are_filtered(season: Served) -> None:
    """Filters are player, mode, competition and the time of the beginning; they narrow each other."""
    text = (
        "query ($f: MatchFilterInput) { matches(filter: $f, first: 100) { totalCount nodes { matchId mode beganAt } } }"
    )

    def found(**wanted: Any) -> Any:
        return season.ask(text, f=wanted)["matches"]

    everything = found()
    assert everything["totalCount"] == 60
    times = [node["beganAt"] for node in everything["nodes"]]
    assert times == sorted(times, reverse=True)
    by_mode = [found(mode=mode)["totalCount"] for mode in ("ONE_ON_ONE", "TWO_ON_TWO")]
    assert sum(by_mode) == 60
    middle = times[30]
    before, later = found(beganBefore=middle)["totalCount"], found(beganFrom=middle)["totalCount"]
    assert before + later == 60
    hers = found(competitor="p001", mode="TWO_ON_TWO")
    listed = season.ask(
        'query ($f: MatchFilterInput) { player(id: "p001") { matches(filter: $f, first: 100) { totalCount } } }',
        f={"mode": "TWO_ON_TWO"},
    )
    assert listed["player"]["matches"]["totalCount"] == hers["totalCount"] > 0


CHANGE = """query ($match: ID!, $of: ID!) { ratingChange(match: $match, of: $of) {
  id mode before after shownAfter k kRule outcome expected own opponents modifier modifierTerms { rule value } capped
  matchesBefore delta match { matchId } player { playerId } team { teamId } edition { number hash }
  position event { position name recordedAt playedAt actor source } } }"""


def test_a_rating_change_is_explained_to_the_last_bit(season: Served) -> None:
    """The terms give M, E comes from the two ratings, and the formula gives the rating after."""
    text = (
        "{ matches(first: 60, filter: {mode: TWO_ON_TWO}) { nodes { matchId ratingChanges { player { playerId } } } } }"
    )
    nodes = [node for node in season.ask(text)["matches"]["nodes"] if node["ratingChanges"]]
    match = nodes[0]["matchId"]
    player = nodes[0]["ratingChanges"][0]["player"]["playerId"]
    change = season.ask(CHANGE, match=match, of=player)["ratingChange"]
    assert change["after"] == change["before"] + change["k"] * (
        (change["outcome"] + change["modifier"]) - change["expected"]
    )
    assert change["expected"] == 1.0 / (1.0 + math.pow(10.0, (change["opponents"] - change["own"]) / 400))
    if not change["capped"]:
        assert change["modifier"] == pytest.approx(sum(term["value"] for term in change["modifierTerms"]))
    assert change["edition"]["number"] == 1
    assert change["position"] == change["event"]["position"]
    assert (change["event"]["name"], change["event"]["actor"]) == ("match-ended/1", None)
    again = season.ask("query ($id: ID!) { node(id: $id) { ... on RatingChange { after } } }", id=change["id"])
    assert again["node"]["after"] == change["after"]
    assert season.ask(CHANGE, match=match, of="p999")["ratingChange"] is None


def test_a_team_has_a_rating_and_a_history_of_its_own(season: Served) -> None:
    """A pair's changes name the pair; its history ends at its rating."""
    text = """{ board(kind: TEAMS, includeInactive: true) { places(first: 1) { nodes { value player { id }
      team { id teamId players { playerId } rating { value }
        ratingHistory(first: 1) { nodes { after team { teamId } player { id } } } } } } } }"""
    place = season.ask(text)["board"]["places"]["nodes"][0]
    team = place["team"]
    assert place["player"] is None
    assert "+".join(player["playerId"] for player in team["players"]) == team["teamId"]
    [latest] = team["ratingHistory"]["nodes"]
    assert latest == {"after": team["rating"]["value"], "team": {"teamId": team["teamId"]}, "player": None}
    assert place["value"] == latest["after"]
    assert (
        season.ask("query ($id: ID!) { team(id: $id) { teamId } }", id=team["id"])["team"]["teamId"] == team["teamId"]
    )


def test_every_node_can_be_fetched_again(season: Served) -> None:
    """A node is found by its global id, alone or with others; an unknown one is null."""
    ids = season.ask("""{ player(id: "p001") { id } edition(number: 1) { id }
      board(kind: TEAMS, includeInactive: true) { places(first: 1) { nodes { team { id } } } }
      matches(first: 1) { nodes { id } } }""")
    wanted = [
        ids["player"]["id"],
        ids["edition"]["id"],
        ids["board"]["places"]["nodes"][0]["team"]["id"],
        ids["matches"]["nodes"][0]["id"],
    ]
    text = "query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }"
    nodes = season.ask(text, ids=[*wanted, "UGxheWVyOm5vYm9keQ", "nonsense"])["nodes"]
    assert [node and node["id"] for node in nodes] == [*wanted, None, None]
    assert [node["__typename"] for node in nodes[:4]] == ["Player", "Edition", "Team", "Match"]
    assert season.error(text, ids=wanted * 26)["extensions"]["code"] == "EXCESSIVE_PAGINATION"


def test_a_region_has_a_board_of_its_own(season: Served) -> None:
    """Only its players, with ranks of their own."""
    region = season.ask("{ regions }")["regions"][0]
    text = """query ($region: String) { board(region: $region, includeInactive: true) {
      places(first: 100) { nodes { rank provisional player { region } } } } }"""
    nodes = season.ask(text, region=region)["board"]["places"]["nodes"]
    assert nodes
    assert {node["player"]["region"] for node in nodes} == {region}
    assert all((node["rank"] is None) == node["provisional"] for node in nodes)


def test_reading_after_a_position_that_never_comes_says_so(season: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has a code and says how far the read side is."""
    monkeypatch.setattr(reader, "WAIT", 0.3)
    error = season.error('query @readFrom(afterPosition: "999999999") { player(id: "p001") { name } }')
    head = str(season.league.store.head())
    assert error["extensions"] == {"code": "NOT_YET_PROJECTED", "position": "999999999", "projected": head}
    head_text = f'query @readFrom(afterPosition: {head}) {{ player(id: "p001") {{ name }} }}'
    assert season.ask(head_text)["player"]["name"]


@pytest.mark.parametrize(
    ("text", "given", "waits"),
    [
        ('query One ($at: BigInt = "999999999") @readFrom(afterPosition: $at) { regions }', {}, True),
        ('query One ($at: BigInt = "999999999") @readFrom(afterPosition: $at) { regions }', {"at": "1"}, False),
        ("query One ($at: BigInt) @readFrom(afterPosition: $at, run: null) { regions }", {"at": None}, False),
        ("query One { regions } query Two @readFrom(afterPosition: 999999999) { regions }", {}, False),
    ],
)
def test_the_operation_that_is_executed_says_what_to_wait_for(
    season: Served, monkeypatch: pytest.MonkeyPatch, text: str, given: dict[str, object], waits: bool
) -> None:
    """The default of a variable says it, too. Nothing waits for null, or for what another operation names."""
    monkeypatch.setattr(reader, "WAIT", 0.3)
    answer = season.http.post("/graphql", json={"query": text, "operationName": "One", "variables": given}).json()
    codes = [error["extensions"]["code"] for error in answer.get("errors", ())]
    assert codes == (["NOT_YET_PROJECTED"] if waits else [])


def test_viewer_says_who_one_is_and_what_one_may_do(season: Served) -> None:
    """The viewer has the token's subject, roles, rights and player; without a token there is none."""
    text = "{ viewer { sub roles may expiresAt player { name } } }"
    assert season.ask(text)["viewer"] is None
    viewer = season.ask(text, token("player", sub="p001"))["viewer"]
    assert (viewer["sub"], viewer["roles"], viewer["player"]["name"]) == ("p001", ["PLAYER"], "Yanelis D.")
    assert {"renamePlayer", "openMatch", "recordHand", "playTile", "readProof"} <= set(viewer["may"])
    assert not {"registerPlayer", "correctHand", "promoteReplay"} & set(viewer["may"])


def test_only_auditors_and_admins_see_who_wrote(season: Served) -> None:
    """The log of a match is open to all, its actors and sources are not."""
    text = '{ match(id: "c-0001") { log { name actor source idempotencyKey } event { actor } } }'
    for roles, actor in (((), None), (("scorekeeper",), None), (("auditor",), "test"), (("admin",), "test")):
        match = season.ask(text, token(*roles) if roles else None)["match"]
        assert match["log"][0]["name"] == "match-opened/1"
        assert {event["actor"] for event in match["log"]} == {actor}
        assert match["event"]["actor"] == actor


RANKS = """{ players(first: %(n)d) { nodes { playerId ratings%(at)s { mode rank } } }
  teams(first: %(n)d) { nodes { teamId rating%(at)s { mode rank } } } }"""
PLACES = """query ($kind: BoardKind!, $at: DateTime) { board(kind: $kind, asOf: $at) { places(first: 100) { nodes {
  competitorId rank } } } }"""


@pytest.mark.parametrize("at", [None, "2026-01-20T00:00:00Z"])
def test_a_rating_has_the_rank_of_its_board(season: Served, at: str | None) -> None:
    """Ratings of players in each mode and of pairs have it, now and at a moment; null if the board gives no rank."""
    boards = {"OVERALL": "GLOBAL", "ONE_ON_ONE": "ONE_ON_ONE", "TWO_ON_TWO": "TWO_ON_TWO", "PAIR": "TEAMS"}
    ranks: dict[str, dict[str, int | None]] = {}
    for mode, kind in boards.items():
        places = season.ask(PLACES, kind=kind, at=at)["board"]["places"]["nodes"]
        ranks[mode] = {place["competitorId"]: place["rank"] for place in places}
    said = season.ask(RANKS % ({"n": 100, "at": ""} if at is None else {"n": 20, "at": f'(asOf: "{at}")'}))
    shown = [(row["mode"], p["playerId"], row["rank"]) for p in said["players"]["nodes"] for row in p["ratings"]]
    shown += [("PAIR", t["teamId"], t["rating"]["rank"]) for t in said["teams"]["nodes"] if t["rating"]]
    assert len(shown) >= 40
    for mode, id_, rank in shown:
        assert rank == ranks[mode].get(id_), (mode, id_)


def test_a_match_and_an_edition_show_their_rulesets(season: Served) -> None:
    """With title and all settings; that of a match is the one of its edition."""
    said = season.ask("""{ matches(first: 3) { nodes { ruleset { name title rules } edition {
      rulesets { name title rules } } } } }""")
    for match in said["matches"]["nodes"]:
        assert match["ruleset"] in match["edition"]["rulesets"]
        assert match["ruleset"]["title"]
        assert match["ruleset"]["rules"]["target"] == 150
