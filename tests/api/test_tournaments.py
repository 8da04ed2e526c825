"""Tournaments over GraphQL: mutations with typed refusals, standings with their parts, and a subscription."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from api_server import Served, heard, subscribe, token

from league.api.graphql.executing.limits import MUTATION
from league.tournaments.domain import inputs

KEEPER, ADMIN = token("scorekeeper"), token("admin")
ANA, BEA = token("player", sub="ana"), token("player", sub="bea")
FAULTS = "... on InvalidInputError { faults { field } }"
SEEN = """{
  tournament(id: "liga") {
    status roundsInAll
    entries { competitorId checkedIn withdrawnAt competitor { displayName } }
    rounds {
      number status drawings signed seed
      tables { number status matchId sides { playerIds score won } why { stage sentence } }
      byes { competitorId }
    }
    standing { rank competitorId won lost bestRank worstRank tieBreaks { name value parts { round value opponentId } } }
  }
}"""


def do(small: Served, mutation: str, bearer: str = KEEPER, **given: Any) -> Any:
    """A mutation that must succeed."""
    answer = small.do(mutation, bearer, "... on TournamentSuccess { tournament { status } }", **given)
    assert answer["__typename"].endswith("Success"), answer
    return answer


def test_a_tournament_from_its_plan_to_its_end(small: Served) -> None:
    """Four players, three rounds of a round robin; a result moves the standing, its parts and its bounds."""
    plan = {"name": "Liga", "format": "ROUND_ROBIN", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "checkIn": True}
    do(small, "planTournament", tournamentId="liga", plan=plan)
    with small.socket() as socket:
        subscribe(socket, 'subscription { tournamentChanged(id: "liga") { status entries { competitorId } } }')
        assert heard(socket)["tournamentChanged"] == {"status": "PLANNED", "entries": []}
        do(small, "enterTournament", ANA, tournament="liga", competitors=[{"players": ["ana"]}])
        assert [one["competitorId"] for one in heard(socket)["tournamentChanged"]["entries"]] == ["ana"]
    for player in ("bea", "cira", "dora"):
        do(small, "enterTournament", tournament="liga", competitors=[{"players": [player]}])
    for player in ("ana", "bea", "cira", "dora"):
        do(small, "checkInToTournament", tournament="liga", competitors=[player])
    preview = '{ previewRound(id: "liga") { tables { number sides } byes { competitorId } } }'
    assert len(small.ask(preview, KEEPER)["previewRound"]["tables"]) == 2
    assert small.error(preview, ANA)["extensions"]["code"] == "FORBIDDEN"
    do(small, "drawRound", tournament="liga")
    assert small.ask(SEEN)["tournament"]["rounds"][0]["tables"] == [], "nobody sees what is held back"
    assert len(small.ask(SEEN, KEEPER)["tournament"]["rounds"][0]["tables"]) == 2
    position = do(small, "publishRound", tournament="liga", round=1)["position"]
    small.follow(position)
    of = small.ask(SEEN)["tournament"]["rounds"][0]
    assert [table["status"] for table in of["tables"]] == ["OPEN", "OPEN"]
    assert of["tables"][0]["why"][0]["stage"] == "FIXED"
    result = small.do(
        "recordResult", KEEPER, match=of["tables"][0]["matchId"], announced={"winner": 0, "score": [150, 40]}
    )
    small.follow(result["position"])
    winner = of["tables"][0]["sides"][0]["playerIds"][0]
    loser = of["tables"][0]["sides"][1]["playerIds"][0]
    first = small.ask(SEEN)["tournament"]["standing"][0]
    assert (first["rank"], first["competitorId"], first["won"]) == (1, winner, 1)
    other = small.do("recordResult", KEEPER, match=of["tables"][1]["matchId"], announced={"winner": 0})
    small.follow(other["position"])
    places = '{ tournament(id: "liga") { standing { competitorId unknownScores outcomes { known } } } }'
    theirs = {id_ for side in of["tables"][1]["sides"] for id_ in side["playerIds"]}
    for place in small.ask(places)["tournament"]["standing"]:
        is_unknown = place["competitorId"] in theirs
        assert (place["unknownScores"], place["outcomes"]) == (int(is_unknown), [{"known": not is_unknown}])
    values = {one["name"]: one for one in first["tieBreaks"]}
    assert values["DIFFERENCE"]["value"] == 110
    assert values["BUCHHOLZ"]["parts"] == [{"round": 1, "value": 0, "opponentId": loser}]
    another = '{ tournament(id: "liga") { standing(tieBreaks: [BEST_HAND]) { bestRank tieBreaks { name } } } }'
    place = small.ask(another)["tournament"]["standing"][0]
    assert place == {"bestRank": None, "tieBreaks": [{"name": "BEST_HAND"}]}, "what is possible follows from the plan"
    error = small.error('{ tournament(id: "liga") { standing(tieBreaks: [BEST_HAND, BEST_HAND]) { rank } } }')
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_REQUEST", "tieBreaks")
    assert "names a tie-break twice" in error["message"]
    match = small.ask("query ($id: ID!) { match(id: $id) { tournament { round table tournament { name } } } }",
                      id=of["tables"][0]["matchId"])  # fmt: skip
    assert match["match"]["tournament"] == {"round": 1, "table": 1, "tournament": {"name": "Liga"}}
    mine = '{ tournament(id: "liga") { tablesOf(player: "ana") { round side table { number } } } }'
    assert [one["round"] for one in small.ask(mine)["tournament"]["tablesOf"]] == [1]
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
      provisionalStanding { rank competitorId won }
      standing { won }
      plan { rules withdrawals differenceCap requestedBye { won pointsFor pointsAgainst } }
      rounds { tables { matchId annulled sides { playerIds score matchScore } } }
    } }"""
    before = small.ask(now)["tournament"]
    assert before["provisionalStanding"] is None
    assert before["plan"] == {
        "rules": 2, "withdrawals": "ANNUL_BELOW_HALF", "differenceCap": None,
        "requestedBye": {"won": False, "pointsFor": 0, "pointsAgainst": 0},
    }  # fmt: skip
    (table,) = before["rounds"][0]["tables"]
    leader, other = (side["playerIds"][0] for side in table["sides"])
    with small.socket() as socket:
        live = 'subscription { tournamentChanged(id: "viva") { provisionalStanding { competitorId won } } }'
        subscribe(socket, live)
        assert heard(socket)["tournamentChanged"] == {"provisionalStanding": None}
        facts = {"starter": 0, "ended": {"by": "DOMINO", "seat": 0}, "leftover": [{"tiles": []}, {"pips": 45}]}
        small.follow(small.do("recordHand", KEEPER, match=table["matchId"], facts=facts)["position"])
        assert heard(socket)["tournamentChanged"]["provisionalStanding"] == [
            {"competitorId": leader, "won": 1}, {"competitorId": other, "won": 0},
        ]  # fmt: skip
    after = small.ask(now)["tournament"]
    assert [place["rank"] for place in after["provisionalStanding"]] == [1, 2]
    assert [place["won"] for place in after["standing"]] == [0, 0]
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
    entries = small.ask('{ tournament(id: "lista") { entries { checkedIn } } }')["tournament"]["entries"]
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
    rounds = small.ask('{ tournament(id: "once") { rounds { drawings status } } }')["tournament"]["rounds"]
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
    entries = '{ tournament(id: "suerte") { asksDevices entries { competitorId commitment } } }'
    assert small.ask(entries)["tournament"] == {
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
    seen = small.ask(
        """{ tournament(id: "suerte") { lastRound {
            drawingState askedUntil commitments { competitorId commitment } contributions { bytes } missing
            proofOfCommitment(competitor: "ana")
        } } }""",
        ANA,
    )["tournament"]["lastRound"]
    assert seen == {
        "drawingState": "PAIRED",
        "askedUntil": None,
        "commitments": [{"competitorId": "ana", "commitment": promised["ana"]}],
        "contributions": [],
        "missing": ["ana"],
        "proofOfCommitment": None,
    }
