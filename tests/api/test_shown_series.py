"""The monthly series over HTTP: what a game would change, whom one can meet, what is published and what counts zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served, served, token
from leagues import announced, catch_up, found, league_at, opened, own_database, send

from league.domain.match import VoidMatch

ADMIN = token("admin")


@pytest.fixture(scope="module")
def march(embedded_server: str) -> Iterator[Served]:
    """March: ana leads bea 3-0 and is locked with cira at 4-0; eva and flor have one open match; two pairs met once."""
    with own_database(embedded_server) as url:
        with league_at(url) as league:
            found(league)
            for number in range(3):
                send(league, announced(f"ab{number}", ("ana", "bea"), number))
            for number in range(4):
                send(league, announced(f"ac{number}", ("ana", "cira"), 10 + number))
            send(league, opened("ef", ("eva", "flor"), 20))
            send(league, announced("pairs", ("ana", "cira", "bea", "dora"), 30))
            send(league, announced("casual", ("dora", "eva"), 40, competition="casual"))
            send(league, announced("void", ("dora", "flor"), 50), VoidMatch("void", "wrong table"))
            catch_up(league)
        with served(url) as server:
            yield server


BETWEEN = """query ($a: ID!, $b: ID!, $month: String) { headToHead(a: $a, b: $b) { series(month: $month) {
  month { month mode endsAt } competitorId opponentId wins losses ignored openMatches winsLeft lossesLeft locked mayMeet
  freeAt now { ...held } ifWon { ...held } ifLost { ...held } } } }
fragment held on Holding { seriesPoints gamePoints total change }"""


def between(league: Served, a: str, b: str, month: str = "2026-03") -> Any:
    """The two in a month."""
    return league.ask(BETWEEN, a=a, b=b, month=month)["headToHead"]["series"]


def held(series: int, games: int, change: int = 0) -> dict[str, int]:
    return {"seriesPoints": series, "gamePoints": games, "total": series + games, "change": change}


def test_before_play_one_sees_what_a_game_would_change(march: Served) -> None:
    """A first game of the present month moves only what a game gives."""
    seen = march.ask(BETWEEN, a="ana", b="bea", month=None)["headToHead"]["series"]
    assert (seen["wins"], seen["losses"], seen["winsLeft"], seen["lossesLeft"]) == (0, 0, 4, 4)
    assert (seen["locked"], seen["mayMeet"], seen["freeAt"]) == (False, True, None)
    assert (seen["now"], seen["ifWon"], seen["ifLost"]) == (held(0, 0), held(0, 5, 5), held(0, -5, -5))


def test_a_month_that_is_over_shows_its_games_and_no_next_one(march: Served) -> None:
    """In a past month no competitors can meet, locked or not."""
    seen = between(march, "ana", "bea")
    assert (seen["wins"], seen["locked"], seen["now"]) == (3, False, held(20, 15))
    assert (seen["mayMeet"], seen["freeAt"], seen["ifWon"], seen["ifLost"]) == (False, None, None, None)
    locked = between(march, "cira", "ana")
    assert (locked["locked"], locked["freeAt"], locked["winsLeft"], locked["lossesLeft"]) == (True, None, 0, 0)


def test_pairs_meet_in_their_own_series(march: Served) -> None:
    """Whatever the order of the two ids; open matches of players are none of theirs."""
    seen = between(march, "bea+ana", "cira+dora")
    assert (seen["month"]["mode"], seen["competitorId"], seen["wins"]) == ("TWO_ON_TWO", "ana+bea", 1)
    assert between(march, "eva", "flor")["openMatches"] == 1


def test_opponents_are_everybody_one_can_still_play(march: Served) -> None:
    """All others in the current month, page by page; none in a past month, but the standing stays."""
    text = """query ($id: ID!, $month: String, $after: String) { player(id: $id) { series(month: $month) {
      standing { rank wins losses seriesPoints total }
      opponents(first: 3, after: $after) { totalCount pageInfo { endCursor }
        nodes { opponentId openMatches opponent { __typename } ifWon { change } } } } } }"""
    first = march.ask(text, id="bea")["player"]["series"]["opponents"]
    rest = march.ask(text, id="bea", after=first["pageInfo"]["endCursor"])["player"]["series"]["opponents"]
    assert first["totalCount"] == 5
    nodes = first["nodes"] + rest["nodes"]
    assert [node["opponentId"] for node in nodes] == ["ana", "cira", "dora", "eva", "flor"]
    assert {node["ifWon"]["change"] for node in nodes} == {5}
    over = march.ask(text, id="bea", month="2026-03")["player"]["series"]
    assert over["standing"] == {"rank": 2, "wins": 0, "losses": 3, "seriesPoints": -20, "total": 465}
    assert over["opponents"]["totalCount"] == 0


ENCOUNTERS = """query ($month: String, $first: Int, $after: String, $mayMeet: Boolean, $among: Int = 100) {
  seriesMonth(month: $month) { encounters(first: $first, after: $after, mayMeet: $mayMeet, amongFirst: $among) {
    totalCount pageInfo { endCursor hasNextPage }
    nodes { competitorId opponentId competitor { displayName } opponent { displayName } wins losses winsLeft lossesLeft
      openMatches locked mayMeet } } } }"""


def encounters(march: Served, **given: Any) -> Any:
    """The encounters of a month."""
    return march.ask(ENCOUNTERS, **given)["seriesMonth"]["encounters"]


def test_who_may_still_play_whom_is_one_list(march: Served) -> None:
    """Every two of the standings with names, also those who have not met; each as the two see it one by one."""
    found = encounters(march, month="2026-03")
    ids = [(node["competitorId"], node["opponentId"]) for node in found["nodes"]]
    names = {node["competitor"]["displayName"] for node in found["nodes"]}
    assert (ids, names) == ([("ana", "bea"), ("ana", "cira"), ("bea", "cira")], {"Ana", "Bea"})
    assert found["totalCount"] == len(ids)
    for node in found["nodes"]:
        seen = between(march, node["competitorId"], node["opponentId"])
        assert {key: seen[key] for key in ("wins", "losses", "winsLeft", "lossesLeft", "locked", "mayMeet")} == {
            key: node[key] for key in ("wins", "losses", "winsLeft", "lossesLeft", "locked", "mayMeet")
        }
    assert encounters(march, month="2026-03", mayMeet=False)["totalCount"] == len(ids), "the month is over"
    assert encounters(march, month="2026-03", mayMeet=True)["nodes"] == []


def test_encounters_have_pages_and_a_bound(march: Served) -> None:
    """Pages are ordered by ids; at most 100 competitors meet."""
    first = encounters(march, month="2026-03", first=2)
    rest = encounters(march, month="2026-03", first=2, after=first["pageInfo"]["endCursor"])
    whole = encounters(march, month="2026-03")["nodes"]
    assert (first["nodes"] + rest["nodes"], first["pageInfo"]["hasNextPage"]) == (whole, True)
    assert len(encounters(march, month="2026-03", among=2)["nodes"]) == 1
    for wrong in (-1, 101):
        assert march.error(ENCOUNTERS, among=wrong)["extensions"]["argument"] == "amongFirst"


def test_matches_that_count_zero_are_listed_with_the_reason(march: Served) -> None:
    """Casual ones and voided ones, in the order in which they began."""
    text = '{ seriesMonth(month: "2026-03") { countingZero { nodes { reason match { matchId } } } } }'
    nodes = march.ask(text)["seriesMonth"]["countingZero"]["nodes"]
    assert [(node["reason"], node["match"]["matchId"]) for node in nodes] == [("CASUAL", "casual"), ("VOIDED", "void")]


def test_the_standings_are_a_board_too(march: Served) -> None:
    """With pages, the places around a competitor, and their rank a day before."""
    text = """{ seriesMonth(month: "2026-03") { standings { nodes { rank competitorId total competitor { id } } } }
      board(kind: SERIES, month: "2026-03") { around(of: "bea", radius: 1) {
        places { rank competitorId value moves { day { rank change } } } } }
      pairs: board(kind: SERIES, month: "2026-03", mode: TWO_ON_TWO) { places { nodes { rank value team { teamId } } } }
      seriesMonths { nodes { month mode competitors } } }"""
    said = march.ask(text)
    assert [(n["rank"], n["competitorId"], n["total"]) for n in said["seriesMonth"]["standings"]["nodes"]] == [
        (1, "ana", 575), (2, "bea", 465), (3, "cira", 460),
    ]  # fmt: skip
    around = said["board"]["around"]["places"]
    assert [(n["rank"], n["value"]) for n in around] == [(1, 575), (2, 465), (3, 460)]
    assert [n["moves"]["day"] for n in around] == [{"rank": rank, "change": 0} for rank in (1, 2, 3)]
    assert [n["team"]["teamId"] for n in said["pairs"]["places"]["nodes"]] == ["ana+bea", "cira+dora"]
    assert [(n["month"], n["mode"], n["competitors"]) for n in said["seriesMonths"]["nodes"]] == [
        ("2026-03", "TWO_ON_TWO", 2), ("2026-03", "ONE_ON_ONE", 3),
    ]  # fmt: skip


LISTS = """fragment row on SeriesStanding { id competitorId } fragment place on BoardPlace { id competitorId }
query ($asOf: DateTime!) {
  part: board(kind: SERIES, month: "2026-03", region: "Matanzas") { places { nodes { ...place } } }
  all: board(kind: SERIES, month: "2026-03") { places { nodes { ...place } } around(of: "ana") { places { ...place } } }
  then: board(kind: SERIES, month: "2026-03", asOf: $asOf) { places { nodes { ...place } } }
  seriesMonth(month: "2026-03") {
    all: standings { nodes { ...row } } then: standings(asOf: $asOf) { nodes { ...row } }
    part: standings(region: "Matanzas") { nodes { ...row } } }
  player(id: "ana") { series(month: "2026-03") { standing { ...row } }
    now: ratings { id mode } then: ratings(asOf: $asOf) { id mode } } }"""


def test_a_row_has_one_id_for_caches_and_no_two_lists_share_one(march: Served) -> None:
    """A row is known by its list, by the moment that the list shows and by its competitor."""
    shown = march.ask(LISTS, asOf="2026-03-02T00:00:00+01:00")
    places = {name: shown[name]["places"]["nodes"] for name in ("part", "all", "then")}
    standings = {name: shown["seriesMonth"][name]["nodes"] for name in ("part", "all", "then")}
    lists = [*places.values(), *standings.values(), shown["player"]["now"], shown["player"]["then"]]
    assert all(lists)
    ids = [row["id"] for rows in lists for row in rows]
    assert len(set(ids)) == len(ids)
    assert all(row in places["all"] for row in shown["all"]["around"]["places"])
    assert shown["player"]["series"]["standing"] in standings["all"]
    assert march.ask(LISTS, asOf="2026-03-01T23:00:00Z") == shown, "an id is stable, and one moment is one moment"


def test_an_open_month_has_nothing_published_and_nothing_corrected(march: Served) -> None:
    """Both lists are empty until it is closed."""
    lists = "published { totalCount } corrections { totalCount } closing { closedAt }"
    said = march.ask('{ seriesMonth(month: "2026-03") { ' + lists + " } }")["seriesMonth"]
    assert said == {"published": {"totalCount": 0}, "corrections": {"totalCount": 0}, "closing": None}


def test_without_a_month_it_is_the_latest_one_with_games(march: Served) -> None:
    """This holds for the standings and their board; a pair's month is looked for in its own mode."""
    text = """{ seriesMonth { month standings { totalCount } } pairs: seriesMonth(mode: TWO_ON_TWO) { month }
      board(kind: SERIES) { places { totalCount } } }"""
    said = march.ask(text)
    assert said["seriesMonth"] == {"month": "2026-03", "standings": said["board"]["places"]}
    assert said["seriesMonth"]["standings"]["totalCount"] == 3
    assert said["pairs"] == {"month": "2026-03"}


def test_what_is_no_month_is_an_error_that_names_the_argument(march: Served) -> None:
    """On every field that takes a month."""
    for text in (
        '{ seriesMonth(month: "2026-13") { month } }',
        '{ player(id: "ana") { series(month: "March") { standing { rank } } } }',
        '{ board(kind: SERIES, month: "") { kind } }',
    ):
        assert march.error(text)["extensions"]["argument"] == "month"


OPEN = """ ... on SeriesLockedError { code field a b mode month aWins bWins openMatches locked freeAt } """


def test_a_refused_match_says_all_about_the_lock(small: Served) -> None:
    """The pair, the month, their games and when they are free; the same match is accepted as casual."""
    seats = ["ana", "bea"]
    for number in range(4):
        match = f"l{number}"
        small.do(
            "openMatch", ADMIN, matchId=match, ruleset="cuban-150", mode="ONE_ON_ONE", seats=seats,
            playedAt="2026-05-02T10:00:00Z",
        )  # fmt: skip
        small.do(
            "recordResult", ADMIN, match=match, announced={"winner": 1, "score": [100, 150]},
            playedAt="2026-05-02T11:00:00Z",
        )  # fmt: skip
    given = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": seats[::-1], "playedAt": "2026-05-03T10:00:00Z"}
    refused = small.do("openMatch", ADMIN, OPEN, **given)
    said = ("code", "field", "a", "b", "mode", "month", "aWins", "bWins", "locked", "freeAt")
    assert {key: refused[key] for key in said} == {
        "code": "SERIES_LOCKED", "field": ["competition"], "a": "ana", "b": "bea", "mode": "ONE_ON_ONE",
        "month": "2026-05", "aWins": 0, "bWins": 4, "locked": True, "freeAt": "2026-06-01T04:00:00Z",
    }  # fmt: skip
    assert "position" in small.do("openMatch", ADMIN, competition="CASUAL", **given)


def test_a_closed_month_keeps_its_list_and_shows_what_was_corrected(small: Served) -> None:
    """The published list stays, the standings follow, and the difference is shown."""
    seats, when = ["dora", "eva"], "2026-04-02T10:00:00Z"
    small.do("openMatch", ADMIN, matchId="april", ruleset="cuban-150", mode="ONE_ON_ONE", seats=seats, playedAt=when)
    small.do("recordResult", ADMIN, match="april", announced={"winner": 0, "score": [150, 100]}, playedAt=when)
    closed = small.do(
        "closeMonth", ADMIN, "... on MonthSuccess { series { closing { event { name } } } }", month="2026-04"
    )
    assert closed["series"][0]["closing"]["event"]["name"] == "month-closed/1"
    both = '{ seriesMonth(month: "2026-04") { standings { nodes { id } } published { nodes { id } } } }'
    lists = small.ask(both)["seriesMonth"]
    assert len({row["id"] for name in lists for row in lists[name]["nodes"]}) == 4
    months = small.ask("{ seriesMonths { nodes { month closed } } }")["seriesMonths"]["nodes"]
    assert {node["month"]: node["closed"] for node in months}["2026-04"]
    assert small.do("closeMonth", ADMIN, month="2026-04")["code"] == "MONTH_CLOSED"
    voided = small.do("voidMatch", ADMIN, match="april", reason="wrong players")
    text = """query ($p: BigInt) @readFrom(afterPosition: $p) { seriesMonth(month: "2026-04") {
      standings { totalCount } published { nodes { rank competitorId total } }
      corrections { nodes { competitorId publishedRank publishedTotal rank total } } } }"""
    said = small.ask(text, p=voided["position"])["seriesMonth"]
    assert said["standings"]["totalCount"] == 0
    assert [(n["rank"], n["competitorId"], n["total"]) for n in said["published"]["nodes"]] == [
        (1, "dora", 505), (2, "eva", 495),
    ]  # fmt: skip
    assert [(n["competitorId"], n["publishedTotal"], n["rank"], n["total"]) for n in said["corrections"]["nodes"]] == [
        ("dora", 505, None, None), ("eva", 495, None, None),
    ]  # fmt: skip


def test_all_months_that_have_ended_are_closed_at_once(small: Served) -> None:
    """In one save, the oldest first; the key gives the same months again, and then there is nothing to close."""
    for month in ("2025-11", "2025-12", "2026-05"):
        when = f"{month}-10T10:00:00Z"
        rules = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE", "seats": ["dora", "flor"], "playedAt": when}
        small.do("openMatch", ADMIN, matchId=f"in-{month}", **rules)
        small.do("recordResult", ADMIN, match=f"in-{month}", announced={"winner": 0}, playedAt=when)
    small.do("closeMonth", ADMIN, month="2025-12")
    small.follow(small.do("reopenMonth", ADMIN, month="2025-12")["position"])
    months = "{ seriesMonths(first: 100) { nodes { month closed } } }"
    before = {node["month"]: node["closed"] for node in small.ask(months)["seriesMonths"]["nodes"]}
    fields = "... on MonthSuccess { months }"
    head = small.league.store.head()
    said = small.do("closeEndedMonths", ADMIN, fields, idempotencyKey="all")
    assert said["months"] == sorted(month for month, closed in before.items() if not closed)
    assert {"2025-11", "2025-12", "2026-05"} <= set(said["months"])
    assert int(said["position"]) == head + len(said["months"])
    now = small.ask(months.replace("{", "query ($at: BigInt) @readFrom(afterPosition: $at) {", 1), at=said["position"])
    assert all(node["closed"] for node in now["seriesMonths"]["nodes"])
    small.do("reopenMonth", ADMIN, month="2025-11")
    small.do("closeMonth", ADMIN, month="2025-11")
    again = small.do("closeEndedMonths", ADMIN, fields, idempotencyKey="all")
    assert (again["position"], again["months"]) == (said["position"], said["months"])
    refused = small.do("closeEndedMonths", ADMIN)
    assert (refused["code"], refused["__typename"]) == ("NOTHING_TO_CLOSE", "WrongStateError")
    assert small.do("closeEndedMonths", token("scorekeeper"))["code"] == "FORBIDDEN"


def test_a_match_that_comes_late_is_listed_until_the_month_is_reopened(small: Served) -> None:
    """The closed month takes it; reopening withdraws the list, and a second closing publishes the late match too."""
    rules = {"ruleset": "cuban-150", "mode": "ONE_ON_ONE"}

    def play(match: str, seats: list[str]) -> None:
        when = f"2026-02-0{len(match)}T10:00:00Z"
        assert "position" in small.do("openMatch", ADMIN, matchId=match, **rules, seats=seats, playedAt=when)
        small.do("forfeitMatch", ADMIN, match=match, side=0, playedAt=when)

    text = """query ($p: BigInt) @readFrom(afterPosition: $p) { seriesMonth(month: "2026-02") {
      closing { position: closedAt } published { totalCount }
      late { nodes { matchId match { matchId } event { name } } } } }"""
    play("m", ["dora", "eva"])
    small.do("closeMonth", ADMIN, month="2026-02")
    play("late", ["cira", "bea"])
    said = small.ask(text, p=small.do("renamePlayer", ADMIN, player="ana", name="Anita")["position"])["seriesMonth"]
    assert said["published"] == {"totalCount": 2}
    late = {"matchId": "late", "match": {"matchId": "late"}, "event": {"name": "match-forfeited/1"}}
    assert said["late"] == {"nodes": [late]}
    opened = "... on MonthSuccess { position months series { closing { closedAt } late { totalCount } } }"
    again = small.do("reopenMonth", ADMIN, opened, month="2026-02")
    assert (again["months"], again["series"]) == (["2026-02"], [{"closing": None, "late": {"totalCount": 0}}])
    assert small.do("reopenMonth", ADMIN, month="2026-02")["code"] == "MONTH_OPEN"
    said = small.ask(text, p=small.do("closeMonth", ADMIN, month="2026-02")["position"])["seriesMonth"]
    assert (said["published"], said["late"]) == ({"totalCount": 4}, {"nodes": []})
