"""Tournaments over GraphQL: mutations with typed refusals, standings with their parts, and a subscription."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from typing import Any

import pytest
from api_server import Served, heard, subscribe, token
from waiting import LIMIT

from league.api.graphql.executing.accounting import CACHED_ANSWER
from league.api.graphql.executing.documents import cost_of
from league.api.graphql.executing.limits import MUTATION
from league.api.schema import core
from league.console.asking import document_in
from league.tournaments.console.whole_lists import FOLDER
from league.tournaments.domain import inputs

KEEPER, ADMIN = token("scorekeeper"), token("admin")
ANA, BEA = token("player", sub="ana"), token("player", sub="bea")
FAULTS = "... on InvalidInputError { faults { field } }"
SEEN = """{
  tournament(id: "liga") {
    status roundsInAll
    entries { nodes { competitorId checkedIn withdrawnAt displayName competitor { displayName } } }
    rounds(first: 1) { nodes {
      number status drawings signed seed
      tables(first: 4) { ...Tables }
      byes { nodes { competitorId } }
      draft { isOutdated tables(first: 4) { ...Tables } byes { nodes { competitorId } } wouldChange { totalCount } }
    } }
    standing(first: 4) { nodes {
      rank competitorId displayName won lost bestRank worstRank values
      tieBreaks { name value parts(first: 3) { nodes { round value opponentId } } }
    } }
  }
}
fragment Tables on TournamentTableConnection {
  nodes { number status matchId sides { playerIds score won } why { stage sentence } }
}"""


def flat(data: Any) -> Any:
    """The data with the list of its rows in place of each connection."""
    if isinstance(data, dict):
        return flat(data["nodes"]) if set(data) == {"nodes"} else {name: flat(value) for name, value in data.items()}
    return [flat(one) for one in data] if isinstance(data, list) else data


def seen_by(small: Served, bearer: str | None = None) -> Any:
    """The tournament `liga` as somebody sees it."""
    return flat(small.ask(SEEN, bearer))["tournament"]


def do(small: Served, mutation: str, bearer: str = KEEPER, **given: Any) -> Any:
    """A mutation that must succeed."""
    answer = small.do(mutation, bearer, "... on TournamentSuccess { tournament { status } }", **given)
    assert answer["__typename"].endswith("Success"), answer
    return answer


@pytest.mark.heavy
def test_a_tournament_from_its_plan_to_its_end(small: Served) -> None:
    """Four players, three rounds of a round robin; a result moves the standing, its parts and its bounds."""
    plan = {"name": "Liga", "format": "ROUND_ROBIN", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "checkIn": True}
    do(small, "planTournament", tournamentId="liga", plan=plan)
    with small.socket() as socket:
        subscribe(
            socket, 'subscription { tournamentChanged(id: "liga") { status entries { nodes { competitorId } } } }'
        )
        assert flat(heard(socket))["tournamentChanged"] == {"status": "PLANNED", "entries": []}
        do(small, "enterTournament", ANA, tournament="liga", competitors=[{"players": ["ana"]}])
        assert [one["competitorId"] for one in flat(heard(socket))["tournamentChanged"]["entries"]] == ["ana"]
    for player in ("bea", "cira", "dora"):
        do(small, "enterTournament", tournament="liga", competitors=[{"players": [player]}])
    for player in ("ana", "bea", "cira", "dora"):
        do(small, "checkInToTournament", tournament="liga", competitors=[player])
    preview = '{ previewRound(id: "liga") { tables { nodes { number sides } } byes { nodes { competitorId } } } }'
    assert len(flat(small.ask(preview, KEEPER))["previewRound"]["tables"]) == 2
    assert small.error(preview, ANA)["extensions"]["code"] == "FORBIDDEN"
    do(small, "drawRound", tournament="liga")
    held_back = seen_by(small)["rounds"][0]
    assert (held_back["tables"], held_back["draft"]) == ([], None), "nobody sees what is held back"
    draft = seen_by(small, KEEPER)["rounds"][0]["draft"]
    assert (len(draft["tables"]), draft["isOutdated"]) == (2, False)
    position = do(small, "publishRound", tournament="liga", round=1)["position"]
    small.follow(position)
    of = seen_by(small)["rounds"][0]
    assert of["draft"] is None
    assert [table["status"] for table in of["tables"]] == ["OPEN", "OPEN"]
    assert of["tables"][0]["why"][0]["stage"] == "FIXED"
    result = small.do(
        "recordResult", KEEPER, match=of["tables"][0]["matchId"], announced={"winner": 0, "score": [150, 40]}
    )
    small.follow(result["position"])
    winner = of["tables"][0]["sides"][0]["playerIds"][0]
    loser = of["tables"][0]["sides"][1]["playerIds"][0]
    first = seen_by(small)["standing"][0]
    assert (first["rank"], first["competitorId"], first["won"]) == (1, winner, 1)
    assert first["values"] == [one["value"] for one in first["tieBreaks"]]
    other = small.do("recordResult", KEEPER, match=of["tables"][1]["matchId"], announced={"winner": 0})
    small.follow(other["position"])
    places = (
        '{ tournament(id: "liga") { standing { nodes { competitorId unknownScores outcomes { nodes { known } } } } } }'
    )
    theirs = {id_ for side in of["tables"][1]["sides"] for id_ in side["playerIds"]}
    for place in flat(small.ask(places))["tournament"]["standing"]:
        is_unknown = place["competitorId"] in theirs
        assert (place["unknownScores"], place["outcomes"]) == (int(is_unknown), [{"known": not is_unknown}])
    values = {one["name"]: one for one in first["tieBreaks"]}
    assert values["DIFFERENCE"]["value"] == 110
    assert values["BUCHHOLZ"]["parts"] == [{"round": 1, "value": 0, "opponentId": loser}]
    another = (
        '{ tournament(id: "liga") { standing(tieBreaks: [BEST_HAND]) { nodes { bestRank tieBreaks { name } } } } }'
    )
    place = flat(small.ask(another))["tournament"]["standing"][0]
    assert place == {"bestRank": None, "tieBreaks": [{"name": "BEST_HAND"}]}, "what is possible follows from the plan"
    error = small.error('{ tournament(id: "liga") { standing(tieBreaks: [BEST_HAND, BEST_HAND]) { totalCount } } }')
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_REQUEST", "tieBreaks")
    assert "names a tie-break twice" in error["message"]
    _is_found_from_its_parts(small, of["tables"][0]["matchId"])


def _is_found_from_its_parts(small: Served, match_id: str) -> None:
    """The tournament is found by a match, a player and a filter; who has no token has no table of their own."""
    match = small.ask("query ($id: ID!) { match(id: $id) { tournament { round table tournament { name } } } }",
                      id=match_id)  # fmt: skip
    assert match["match"]["tournament"] == {"round": 1, "table": 1, "tournament": {"name": "Liga"}}
    mine = '{ tournament(id: "liga") { tablesOf(player: "ana") { nodes { round side } } ownTable { round } } }'
    hers = flat(small.ask(mine, ANA))["tournament"]
    assert ([one["round"] for one in hers["tablesOf"]], hers["ownTable"]) == ([1], {"round": 1})
    assert small.ask(mine)["tournament"]["ownTable"] is None, "somebody without a token sits nowhere"
    listed = small.ask(
        '{ tournaments(filter: {player: "ana", status: [RUNNING]}) { totalCount nodes { tournamentId } } }'
    )
    assert listed["tournaments"] == {"totalCount": 1, "nodes": [{"tournamentId": "liga"}]}


def test_the_provisional_standing_moves_with_each_hand(small: Served) -> None:
    """Who leads an open match has won it there; the standing, the bounds and the score that counts do not move."""
    plan = {"name": "Liga", "format": "ROUND_ROBIN", "mode": "ONE_ON_ONE", "ruleset": "cuban-150"}
    do(small, "planTournament", tournamentId="viva", plan=plan)
    do(small, "enterTournament", tournament="viva", competitors=[{"players": ["ana"]}, {"players": ["bea"]}])
    do(small, "drawRound", tournament="viva")
    small.follow(do(small, "publishRound", tournament="viva", round=1)["position"])
    now = """{ tournament(id: "viva") {
      provisionalStanding(first: 2) { nodes { rank competitorId won } }
      standing(first: 2) { nodes { competitorId won provisionalRank provisionalWon } }
      other: standing(first: 1, tieBreaks: [POINTS_FOR]) { nodes { provisionalRank provisionalWon } }
      plan { rules withdrawals differenceCap requestedBye { won pointsFor pointsAgainst } }
      rounds(first: 1) { nodes { tables(first: 1) { nodes {
        matchId annulled sides { playerIds score matchScore }
      } } } }
    } }"""
    before = flat(small.ask(now))["tournament"]
    assert before["provisionalStanding"] == []
    assert {place["provisionalWon"] for place in before["standing"]} == {None}
    assert before["plan"] == {
        "rules": 2, "withdrawals": "ANNUL_BELOW_HALF", "differenceCap": None,
        "requestedBye": {"won": False, "pointsFor": 0, "pointsAgainst": 0},
    }  # fmt: skip
    (table,) = before["rounds"][0]["tables"]
    leader, other = (side["playerIds"][0] for side in table["sides"])
    with small.socket() as socket:
        live = 'subscription { tournamentChanged(id: "viva") { provisionalStanding { nodes { competitorId won } } } }'
        subscribe(socket, live)
        assert flat(heard(socket))["tournamentChanged"] == {"provisionalStanding": []}
        facts = {"starter": 0, "ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 45}]}
        small.follow(small.do("recordHand", KEEPER, match=table["matchId"], facts=facts)["position"])
        assert flat(heard(socket))["tournamentChanged"]["provisionalStanding"] == [
            {"competitorId": leader, "won": 1}, {"competitorId": other, "won": 0},
        ]  # fmt: skip
    after = flat(small.ask(now))["tournament"]
    assert [place["rank"] for place in after["provisionalStanding"]] == [1, 2]
    assert [place["won"] for place in after["standing"]] == [0, 0]
    provisional = {
        place["competitorId"]: (place["provisionalRank"], place["provisionalWon"]) for place in after["standing"]
    }
    assert provisional == {leader: (1, 1), other: (2, 0)}
    assert after["other"] == [{"provisionalRank": None, "provisionalWon": None}]
    assert [(side["score"], side["matchScore"]) for side in after["rounds"][0]["tables"][0]["sides"]] == [
        (None, 45), (None, 0),
    ]  # fmt: skip


def test_refusals_name_their_field(small: Served) -> None:
    """A plan that cannot be, an entrant twice, a table of another round, a player who acts for another one."""
    plan = {"name": "Copa", "format": "ROTATING_PARTNERS", "ruleset": "cuban-150", "rounds": 2}
    wrong = small.do("planTournament", KEEPER, tournamentId="copa", plan={**plan, "mode": "ONE_ON_ONE", "minutes": 0})
    assert (wrong["__typename"], wrong["code"], wrong["field"]) == ("InvalidInputError", "INVALID", ["plan", "mode"])
    assert "plan.minutes: must be at least 1" in wrong["message"]
    do(small, "planTournament", tournamentId="copa", plan=plan)
    for more in ({"fixedTable": 1}, {"replaces": "dora"}):
        hers = small.do("enterTournament", ANA, tournament="copa", competitors=[{"players": ["ana"], **more}])
        assert (hers["code"], hers["field"]) == ("FORBIDDEN", ["competitors", "0", *more])
        assert "needs the role admin or scorekeeper" in hers["message"]
    do(small, "enterTournament", tournament="copa", competitors=[{"players": ["ana"], "fixedTable": 1}])
    twice = small.do("enterTournament", KEEPER, tournament="copa", competitors=[{"players": ["ana"]}])
    assert (twice["__typename"], twice["field"]) == ("AlreadyExistsError", ["competitors", "0", "players", "0"])
    few = small.do("drawRound", KEEPER, tournament="copa")
    assert few["__typename"] == "WrongStateError"
    assert "1 competitor is available" in few["message"]
    other = small.do("withdrawFromTournament", BEA, tournament="copa", competitor="ana")
    assert (other["code"], other["field"]) == ("FORBIDDEN", ["competitor"])
    missing = small.do("recordAbsence", KEEPER, tournament="copa", round=7, table=1, sides=[0])
    assert (missing["__typename"], missing["field"]) == ("NotFoundError", ["round"])
    unknown = small.do("publishRound", KEEPER, tournament="nothing", round=1)
    assert (unknown["__typename"], unknown["field"]) == ("NotFoundError", ["tournament"])
    assert small.ask('{ tournament(id: "nothing") { name } }') == {"tournament": None}


def test_a_list_enters_and_is_checked_in_as_a_whole(small: Served) -> None:
    """Every fault names its place in the list, and nobody is stored; the same key stores the list once."""
    plan = {"name": "Lista", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "checkIn": True}
    do(small, "planTournament", tournamentId="lista", plan={**plan, "rounds": 2})
    head = small.league.store.head()
    listed = [
        {"players": ["ana"]}, {"players": ["nobody"]}, {"players": ["bea"], "fixedTable": 0},
        {"players": ["cira", "dora"]}, {"players": ["ana"]},
    ]  # fmt: skip
    refused = small.do("enterTournament", KEEPER, FAULTS, tournament="lista", competitors=listed)
    assert (refused["__typename"], refused["field"]) == ("InvalidInputError", ["competitors", "1", "players", "0"])
    at = [fault["field"][1:] for fault in refused["faults"]]
    assert at == [["1", "players", "0"], ["2", "fixedTable"], ["3", "players"], ["4", "players", "0"]]
    one = small.do("enterTournament", KEEPER, tournament="lista", competitors=listed[:2])
    assert (one["__typename"], one["field"]) == ("NotFoundError", ["competitors", "1", "players", "0"])
    nobody = small.do("enterTournament", KEEPER, tournament="lista", competitors=[])
    assert (nobody["code"], nobody["field"]) == ("INVALID", ["competitors"])
    elsewhere = small.do("enterTournament", KEEPER, tournament="nowhere", competitors=listed)
    assert (elsewhere["__typename"], elsewhere["field"]) == ("NotFoundError", ["tournament"])
    unsaid = small.do("enterTournament", KEEPER, tournament="lista", competitors=[*listed[:1], {"players": ["\x00"]}])
    assert (unsaid["code"], unsaid["field"]) == ("INVALID", ["competitors", "1", "players", "0"])
    assert small.league.store.head() == head

    all_of_them = {"tournament": "lista", "competitors": [{"players": [one]} for one in ("ana", "bea", "cira")]}
    first, again = (do(small, "enterTournament", **all_of_them, idempotencyKey="all-1") for _ in range(2))
    assert (first["position"], small.league.store.head()) == (again["position"], head + 3)
    other = small.do("checkInToTournament", BEA, tournament="lista", competitors=["bea", "cira"])
    assert (other["code"], other["field"]) == ("FORBIDDEN", ["competitors", "1"])
    do(small, "checkInToTournament", BEA, tournament="lista", competitors=["bea"])
    unknown = small.do("checkInToTournament", KEEPER, FAULTS, tournament="lista", competitors=["ana", "dora", "eva"])
    assert [fault["field"] for fault in unknown["faults"]] == [["competitors", "1"], ["competitors", "2"]]
    before = small.league.store.head()
    do(small, "checkInToTournament", tournament="lista", competitors=["bea", "ana", "cira", "ana"])
    entries = small.ask('{ tournament(id: "lista") { entries { nodes { checkedIn } } } }')["tournament"]["entries"][
        "nodes"
    ]
    assert entries == [{"checkedIn": True}] * 3
    assert small.league.store.head() == before + 2, "who is there already has no second event"
    late = small.do("checkInToTournament", KEEPER, tournament="lista", competitors=["bea", "ana"])
    assert (late["code"], late["field"]) == ("ALREADY_CHECKED_IN", ["competitors", "0"])


def test_a_list_costs_as_much_as_its_entries_alone(small: Served) -> None:
    """Each entry after the first takes the points of a mutation; an admin spends a tenth."""
    document = "mutation ($input: EnterTournamentInput!) { enterTournament(input: $input) { __typename } }"
    costs = {}
    for role in ("scorekeeper", "admin"):
        for count in (1, 3):
            listed = {"tournament": "nowhere", "competitors": [{"players": ["ana"]}] * count}
            answer = small.post(document, token(role), input=listed)
            cost, _, taken = answer.headers["Query-Cost"].partition(";taken=")
            costs[role, count] = int(cost), int(taken)
            assert answer.json()["extensions"] == {"cost": int(cost)}
    for role, of_one in (("scorekeeper", MUTATION), ("admin", MUTATION // 10)):
        (cost, taken), (costs_more, takes_more) = costs[role, 1], costs[role, 3]
        assert (costs_more - cost, takes_more - taken) == (2 * MUTATION, 2 * of_one)


def test_the_same_key_draws_once(small: Served) -> None:
    """A client that got no answer sends the request again: the round is drawn once."""
    plan = {"name": "Once", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    do(small, "planTournament", tournamentId="once", plan=plan)
    for player in ("ana", "bea"):
        do(small, "enterTournament", tournament="once", competitors=[{"players": [player]}])
    for _ in range(2):
        do(small, "drawRound", tournament="once", idempotencyKey="draw-1")
    for _ in range(2):
        do(small, "publishRound", tournament="once", round=1, idempotencyKey="publish-1")
    rounds = small.ask('{ tournament(id: "once") { rounds { nodes { drawings status } } } }')["tournament"]["rounds"][
        "nodes"
    ]
    assert rounds == [{"drawings": 1, "status": "PUBLISHED"}]


def test_devices_promise_and_give_bytes(small: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the check-in or alone, each for themselves; refusals are typed."""
    monkeypatch.setattr(inputs, "WAIT", timedelta(0))
    secret = {player: hashlib.sha256(player.encode()).hexdigest() for player in ("ana", "bea", "cira")}
    promised = {player: hashlib.sha256(bytes.fromhex(hex_)).hexdigest() for player, hex_ in secret.items()}
    plan = {"name": "Suerte", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    do(small, "planTournament", tournamentId="suerte", plan={**plan, "checkIn": True})
    for player in ("ana", "bea"):
        do(small, "enterTournament", tournament="suerte", competitors=[{"players": [player]}])
    at = {"tournament": "suerte", "competitor": "ana"}
    here = {"tournament": "suerte", "competitors": ["ana"], "commitment": promised["ana"]}
    keeper = small.do("checkInToTournament", KEEPER, **here)
    assert (keeper["code"], keeper["field"]) == ("FORBIDDEN", ["commitment"])
    both = small.do("checkInToTournament", KEEPER, **{**here, "competitors": ["ana", "bea"]})
    assert (both["code"], both["field"]) == ("INVALID", ["commitment"])
    do(small, "checkInToTournament", ANA, **here)
    do(small, "checkInToTournament", tournament="suerte", competitors=["bea"])
    twice = small.do("commitToDrawing", ANA, **at, commitment=promised["cira"])
    assert (twice["__typename"], twice["code"]) == ("AlreadyCommittedError", "ALREADY_COMMITTED")
    bad = small.do("commitToDrawing", BEA, tournament="suerte", competitor="bea", commitment="AB")
    assert (bad["code"], bad["field"]) == ("INVALID", ["commitment"])
    other = small.do("commitToDrawing", BEA, **at, commitment=promised["bea"])
    assert (other["code"], other["field"]) == ("FORBIDDEN", ["competitor"])
    entries = '{ tournament(id: "suerte") { asksDevices entries { nodes { competitorId commitment } } } }'
    assert flat(small.ask(entries))["tournament"] == {
        "asksDevices": False,
        "entries": [
            {"competitorId": "ana", "commitment": promised["ana"]},
            {"competitorId": "bea", "commitment": None},
        ],
    }
    do(small, "drawRound", tournament="suerte")
    given = {"round": 1, "drawing": 1, "contribution": secret["ana"]}
    late = small.do("contributeToDrawing", ANA, **at, **given)
    assert (late["__typename"], late["code"]) == ("ContributionRefusedError", "DRAWING_CLOSED")
    nobody = small.do("contributeToDrawing", BEA, tournament="suerte", competitor="bea", **given)
    assert nobody["code"] == "NO_COMMITMENT"
    asked = """{ tournament(id: "suerte") { lastRound {
        drawingState askedUntil commitments { nodes { competitorId commitment came } } contributions { nodes { bytes } }
        proofOfCommitment(competitor: "ana")
    } } }"""
    seen = flat(small.ask(asked, ANA))["tournament"]["lastRound"]
    assert seen == {
        "drawingState": "PAIRED",
        "askedUntil": None,
        "commitments": [{"competitorId": "ana", "commitment": promised["ana"], "came": False}],
        "contributions": [],
        "proofOfCommitment": None,
    }


PAGE = """query ($first: Int, $after: String, $last: Int, $before: String) {
  tournament(id: "paginas") {
    entries(first: $first, after: $after, last: $last, before: $before) {
      totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { competitorId }
    }
    standing(first: 2) { pageInfo { endCursor } nodes { competitorId } }
  }
}"""


def test_lists_have_pages_that_others_do_not_shift(small: Served) -> None:
    """A page begins after a row; a cursor of another list, or of another order, is refused."""
    plan = {"name": "Paginas", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    do(small, "planTournament", tournamentId="paginas", plan=plan)
    for player in ("dora", "ana", "cira"):
        do(small, "enterTournament", tournament="paginas", competitors=[{"players": [player]}])
    first = small.ask(PAGE, first=2)["tournament"]["entries"]
    assert ([one["competitorId"] for one in first["nodes"]], first["totalCount"]) == (["dora", "ana"], 3)
    do(small, "enterTournament", tournament="paginas", competitors=[{"players": ["bea"]}])
    rest = small.ask(PAGE, after=first["pageInfo"]["endCursor"])["tournament"]["entries"]
    assert [one["competitorId"] for one in rest["nodes"]] == ["cira", "bea"]
    before = small.ask(PAGE, last=1, before=rest["pageInfo"]["startCursor"])["tournament"]["entries"]
    assert [one["competitorId"] for one in before["nodes"]] == ["ana"]
    places = small.ask(PAGE)["tournament"]["standing"]
    assert small.error(PAGE, after=places["pageInfo"]["endCursor"])["extensions"]["code"] == "INVALID_CURSOR"
    other = '{ tournament(id: "paginas") { standing(tieBreaks: [POINTS_FOR], after: "%s") { totalCount } } }'
    refused = small.error(other % places["pageInfo"]["endCursor"])
    assert refused["extensions"]["code"] == "INVALID_CURSOR"


def test_all_who_follow_a_tournament_share_its_results(small: Served) -> None:
    """A result is computed once for two clients, and names its change to those who follow all tournaments."""
    plan = {"name": "Vivo", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 1}
    do(small, "planTournament", tournamentId="vivo", plan=plan)
    do(small, "planTournament", tournamentId="otro", plan=plan)
    for player in ("ana", "bea"):
        do(small, "enterTournament", tournament="vivo", competitors=[{"players": [player]}])
    do(small, "drawRound", tournament="vivo")
    small.follow(do(small, "publishRound", tournament="vivo", round=1)["position"])
    places = 'subscription { tournamentChanged(id: "vivo") { standing(first: 1) { nodes { competitorId won } } } }'
    with small.socket() as one, small.socket() as two, small.socket() as three:
        for socket in (one, two):
            subscribe(socket, places)
            heard(socket)
        subscribe(three, "subscription { tournamentsChanged { since position tournamentIds } }")
        assert heard(three)["tournamentsChanged"]["tournamentIds"] == []
        table = '{ tournament(id: "vivo") { publishedRound { table(number: 1) { matchId sides { playerIds } } } } }'
        of = small.ask(table)["tournament"]["publishedRound"]["table"]
        small.do("recordResult", KEEPER, match=of["matchId"], announced={"winner": 1, "score": [40, 150]})
        winner = of["sides"][1]["playerIds"][0]
        expected = {"standing": {"nodes": [{"competitorId": winner, "won": 1}]}}
        assert [heard(socket)["tournamentChanged"] for socket in (one, two)] == [expected] * 2
        assert heard(three)["tournamentsChanged"]["tournamentIds"] == ["vivo"]
    with small.socket() as socket:
        subscribe(socket, 'subscription { tournamentChanged(id: "nowhere") { status } }')
        assert "UNKNOWN_ID" in str(socket.recv(LIMIT))


def test_the_page_of_an_evening_costs_at_most_300_points() -> None:
    """For sixteen who entered, also while a round is open: one document has the provisional standing, too.

    A phone that follows tournaments spends at most 60 on a message and on its own table.
    """
    page = document_in(FOLDER / "tournament.graphql")
    assert {"provisionalRank", "isOutdated", "beginsAt"} <= {*re.findall(r"\w+", page)}
    assert cost_of(core, page, None) <= 300
    followed = cost_of(core, "subscription { tournamentsChanged { position tournamentIds } }", None)
    own = """{ tournament(id: "copa") { tablesOf(player: "ana", first: 1) { nodes {
        table { number matchId status sides { score won players { displayName } } }
    } } } }"""
    assert followed + CACHED_ANSWER + cost_of(core, own, None) <= 60
