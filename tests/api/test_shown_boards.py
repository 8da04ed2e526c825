"""Boards over GraphQL: every kind, the places around a competitor, the past, and rank changes."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from typing import Any

import pytest
from api_server import Served, heard, subscribe, token

KEEPER = token("scorekeeper")
KINDS = ("GLOBAL", "ONE_ON_ONE", "TWO_ON_TWO", "TEAMS", "CAPICUAS", "CAPICUAS_PER_HAND", "POLLONAS", "VIAJERAS", "WINS")

PLACES = """query ($kind: BoardKind!, $region: String, $asOf: DateTime) {
  board(kind: $kind, region: $region, asOf: $asOf, includeInactive: true) { asOf activeSince places(first: 100) {
    totalCount nodes { rank value shown matches provisional lastDecidedAt competitorId player { region } team { id }
      moves { day { rank change at } week { rank change } month { rank } } } } } }"""
AROUND = """query ($kind: BoardKind!, $of: ID!, $radius: Int!) { board(kind: $kind, includeInactive: true) {
  around(of: $of, radius: $radius) {
    missing places { rank competitorId } } } }"""
MOVED = "subscription { boardsChanged { since position boards { kind month mode regions } } }"


def places(season: Served, kind: str, **wanted: Any) -> Any:
    return season.ask(PLACES, kind=kind, **wanted)["board"]["places"]["nodes"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_board_has_places_with_ranks(season: Served, kind: str) -> None:
    """Ranked places are ordered by value, of players or of pairs; a region has only its own."""
    board = season.ask(PLACES, kind=kind)["board"]
    nodes = board["places"]["nodes"]
    assert len(nodes) == min(100, board["places"]["totalCount"])
    assert (board["activeSince"] is None) == (kind in KINDS[4:])
    ranked = [(-node["value"], node["competitorId"]) for node in nodes if node["rank"] is not None]
    assert ranked == sorted(ranked)
    assert all((node["team"] is None) == (kind != "TEAMS") for node in nodes)
    if kind != "CAPICUAS_PER_HAND":
        assert nodes
    region = season.ask("{ regions }")["regions"][0]
    assert {node["player"]["region"] for node in places(season, kind, region=region) if node["player"]} <= {region}


@pytest.mark.parametrize("kind", ["GLOBAL", "TEAMS", "CAPICUAS", "SERIES"])
def test_a_forged_cursor_of_a_board_is_refused(season: Served, kind: str) -> None:
    """Each part of the key has a type."""
    cursor = urlsafe_b64encode(b'["provisional,below,id",{},0,"p001"]').decode()
    month = '"2026-03"' if kind == "SERIES" else "null"
    query = f'{{ board(kind: {kind}, month: {month}) {{ places(after: "{cursor}") {{ nodes {{ rank }} }} }} }}'
    assert season.error(query)["extensions"]["code"] == "INVALID_CURSOR"


@pytest.mark.parametrize("kind", ["GLOBAL", "TEAMS", "CAPICUAS"])
def test_the_places_around_somebody_are_part_of_the_board(season: Served, kind: str) -> None:
    """As many above as below, fewer at the ends; also by global id."""
    ids = [node["competitorId"] for node in places(season, kind)]
    for number in (0, len(ids) // 2, len(ids) - 1):
        around = season.ask(AROUND, kind=kind, of=ids[number], radius=2)["board"]["around"]["places"]
        assert [node["competitorId"] for node in around] == ids[max(0, number - 2) : number + 3]
    player = season.ask('{ player(id: "p001") { id } }')["player"]["id"]
    around = season.ask(AROUND, kind="GLOBAL", of=player, radius=0)["board"]["around"]["places"]
    assert [node["competitorId"] for node in around] == ["p001"]
    error = season.error(AROUND, kind=kind, of="p001", radius=51)
    assert error["extensions"]["code"] == "EXCESSIVE_PAGINATION"


def test_a_board_says_why_it_does_not_list_somebody(season: Served) -> None:
    """Inactive at that moment, of another region, or without anything that counts here."""
    text = """query ($of: ID!, $region: String, $kind: BoardKind = GLOBAL, $all: Boolean = false, $at: DateTime) {
      board(kind: $kind, region: $region, includeInactive: $all, asOf: $at) {
        around(of: $of, radius: 1) { missing places { competitorId } } } }"""

    def missing(**given: Any) -> Any:
        around = season.ask(text, **given)["board"]["around"]
        assert (around["missing"] is None) == bool(around["places"])
        return around["missing"]

    regions = season.ask("{ regions }")["regions"]
    first = season.ask("{ board(includeInactive: true) { places(first: 1) { nodes { player { playerId region } } } } }")
    player = first["board"]["places"]["nodes"][0]["player"]
    other = next(region for region in regions if region != player["region"])
    assert missing(of=player["playerId"], region=player["region"]) is None
    assert missing(of=player["playerId"], region=other) == "OTHER_REGION"
    assert missing(of=player["playerId"], at="2020-01-01T00:00:00Z") == "NOTHING_COUNTS"
    assert "pairs" in season.error(text, of=player["playerId"], kind="TEAMS")["message"]


def test_a_board_tells_the_inactive_from_those_who_have_not_played(small: Served) -> None:
    """Somebody whose last match is older than the board allows is on it with `includeInactive`."""
    for match, when, seats in (("old", "2025-01-01", ["ana", "bea"]), ("new", "2026-03-01", ["cira", "dora"])):
        asked = {"matchId": match, "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": seats}
        small.do("openMatch", KEEPER, **asked, playedAt=f"{when}T10:00:00Z")
        result = {"match": match, "announced": {"winner": 0}, "playedAt": f"{when}T11:00:00Z"}
        position = small.do("recordResult", KEEPER, **result)["position"]
    text = """query ($of: ID!, $all: Boolean!, $at: BigInt!) @readFrom(afterPosition: $at) {
      board(kind: ONE_ON_ONE, includeInactive: $all) { around(of: $of, radius: 0) { missing } } }"""

    def missing(of: str, *, everybody: bool = False) -> Any:
        return small.ask(text, of=of, all=everybody, at=position)["board"]["around"]["missing"]

    assert [missing(player) for player in ("ana", "cira", "flor")] == ["INACTIVE", None, "NOTHING_COUNTS"]
    assert missing("ana", everybody=True) is None


def test_a_pair_is_named_by_its_two_players_in_either_order(season: Served) -> None:
    """On its board, and alone."""
    pair = places(season, "TEAMS")[0]["competitorId"]
    turned = "+".join(reversed(pair.split("+")))
    around = season.ask(AROUND, kind="TEAMS", of=turned, radius=0)["board"]["around"]["places"]
    assert [node["competitorId"] for node in around] == [pair]
    assert season.ask("query ($id: ID!) { team(id: $id) { teamId } }", id=turned)["team"]["teamId"] == pair


def test_a_board_of_the_past_knows_nothing_later(season: Served) -> None:
    """Fewer matches then, and no places before the first match."""
    now = {node["competitorId"]: node for node in places(season, "CAPICUAS")}
    moment = min(node["lastDecidedAt"] for node in now.values())
    then = places(season, "CAPICUAS", asOf=moment)
    assert then
    for node in then:
        assert node["value"] <= now[node["competitorId"]]["value"]
        assert node["lastDecidedAt"] <= moment
    for long_ago in ("2000-01-01T00:00:00Z", "0001-01-01T00:00:00Z"):
        assert places(season, "CAPICUAS", asOf=long_ago) == []


def test_moves_are_told_against_the_board_of_the_moment(season: Served) -> None:
    """The rank of a day before is that on the board as of then; the difference is what was gained since."""
    nodes = places(season, "CAPICUAS")
    moment = next(node["moves"]["day"]["at"] for node in nodes if node["moves"]["day"])
    then = {node["competitorId"]: node["rank"] for node in places(season, "CAPICUAS", asOf=moment)}
    for node in nodes:
        day = node["moves"]["day"]
        assert (day and day["rank"]) == then.get(node["competitorId"])
        assert day is None or day["change"] == day["rank"] - node["rank"]


def test_who_watches_all_boards_hears_which_have_moved(small: Served) -> None:
    """First where it begins, then a message with the boards and regions of those who played."""

    def play(match: str) -> str:
        asked = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["dora", "eva"]}
        small.do("openMatch", KEEPER, matchId=match, playedAt="2026-03-05T10:00:00Z", **asked)
        result = {"winner": 0, "score": [150, 90]}
        return str(small.do("recordResult", KEEPER, match=match, announced=result)["position"])

    small.ask("query ($p: BigInt) @readFrom(afterPosition: $p) { board { activeSince } }", p=play("moved-1"))
    with small.socket() as socket:
        subscribe(socket, MOVED)
        first = heard(socket)["boardsChanged"]
        assert (first["boards"], first["since"]) == ([], first["position"])
        done = play("moved-2")
        told = heard(socket)["boardsChanged"]
        assert (told["since"], told["position"]) == (first["position"], done)
        kinds = {board["kind"] for board in told["boards"]}
        assert {"ONE_ON_ONE", "GLOBAL", "SERIES"} <= kinds
        assert [(b["month"], b["mode"]) for b in told["boards"] if b["kind"] == "SERIES"] == [("2026-03", "ONE_ON_ONE")]
        assert {region for board in told["boards"] for region in board["regions"]} >= {"Granma"}


def test_the_series_of_the_past_is_that_of_the_latest_month_by_then(small: Served) -> None:
    """Without `month`, the board shows the latest month that had games at that moment; before all games, its own."""
    for month in ("2025-05", "2025-06"):
        asked = {"matchId": month, "ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["ana", "bea"]}
        small.do("openMatch", KEEPER, **asked, playedAt=f"{month}-10T10:00:00Z")
        result = {"match": month, "announced": {"winner": 0}, "playedAt": f"{month}-10T11:00:00Z"}
        position = small.do("recordResult", KEEPER, **result)["position"]
    text = """query ($at: DateTime!, $read: BigInt!) @readFrom(afterPosition: $read) {
      board(kind: SERIES, asOf: $at) { month places { totalCount } } }"""

    def shown(at: str) -> Any:
        return small.ask(text, at=at, read=position)["board"]

    assert shown("2025-05-20T00:00:00Z") == {"month": "2025-05", "places": {"totalCount": 2}}
    assert shown("2025-06-20T00:00:00Z") == {"month": "2025-06", "places": {"totalCount": 2}}
    assert shown("2020-01-15T12:00:00Z") == {"month": "2020-01", "places": {"totalCount": 0}}
    error = small.error(text, at="0001-01-01T00:00:00Z", read=position)
    assert error["extensions"] == {"code": "BAD_REQUEST", "argument": "asOf"}


@pytest.mark.parametrize("given", ['month: "2026-03"', "mode: TWO_ON_TWO"])
def test_a_board_without_months_takes_none(season: Served, given: str) -> None:
    """`month` and `mode` belong to SERIES; elsewhere they are an error that names the argument."""
    error = season.error(f"{{ board(kind: GLOBAL, {given}) {{ kind }} }}")
    assert error["extensions"] == {"code": "BAD_REQUEST", "argument": given.partition(":")[0]}


@pytest.mark.parametrize("kind", ["GLOBAL", "TEAMS"])
def test_a_place_names_its_competitor_as_one_type(season: Served, kind: str) -> None:
    """A player or a pair, whichever the board lists."""
    text = f"""{{ board(kind: {kind}) {{ places(first: 3) {{ nodes {{ competitorId competitor {{
      ... on Player {{ it: playerId }} ... on Team {{ it: teamId }} }} }} }} }} }}"""
    nodes = season.ask(text)["board"]["places"]["nodes"]
    assert nodes
    assert all(node["competitor"]["it"] == node["competitorId"] for node in nodes)
