"""Score cards and the standing after a round, over GraphQL."""

from __future__ import annotations

from api_server import Served, token

KEEPER = token("scorekeeper")
CARD = """query ($who: ID!) { tournament(id: "copa") { scoreCard(competitor: $who) {
    competitorId displayName place { rank won }
    rounds { nodes { round kind side rankAfter wonAfter outcome { won own other }
        table { number sides { competitorIds players { displayName } } } } }
} } }"""
AFTER = '{ tournament(id: "copa") { standing(afterRound: %s) { nodes { competitorId rank won bestRank } } } }'


def test_a_score_card_and_the_standing_after_a_round_follow_from_the_results(small: Served) -> None:
    """The card has partner, opponents, score and rank; nobody has a card who has not entered."""
    plan = {"name": "Copa", "format": "SWISS", "mode": "ONE_ON_ONE", "ruleset": "cuban-150", "rounds": 2}
    small.do("planTournament", KEEPER, tournamentId="copa", plan=plan)
    small.do("enterTournament", KEEPER, tournament="copa", competitors=[{"players": [one]} for one in ("ana", "bea")])
    small.do("drawRound", KEEPER, tournament="copa")
    small.follow(small.do("publishRound", KEEPER, tournament="copa", round=1)["position"])
    tables = small.ask('{ tournament(id: "copa") { publishedRound { tables { nodes { matchId sides { competitorIds } }'
                       ' } } } }')  # fmt: skip
    [table] = tables["tournament"]["publishedRound"]["tables"]["nodes"]
    winner, loser = (side["competitorIds"][0] for side in table["sides"])
    announced = {"winner": 0, "score": [160, 90]}
    small.follow(small.do("recordResult", KEEPER, match=table["matchId"], announced=announced)["position"])
    card = small.ask(CARD, who=loser)["tournament"]["scoreCard"]
    assert (card["competitorId"], card["place"]) == (loser, {"rank": 2, "won": 0})
    [only] = card["rounds"]["nodes"]
    assert only["outcome"] == {"won": False, "own": 90, "other": 150}, "points that count are capped by the target"
    assert (only["kind"], only["side"], only["rankAfter"], only["wonAfter"]) == ("MATCH", 1, 2, 0)
    assert only["table"]["number"] == 1
    assert small.ask(CARD, who="cira")["tournament"]["scoreCard"] is None
    places = small.ask(AFTER % 1)["tournament"]["standing"]["nodes"]
    assert [(one["competitorId"], one["rank"], one["won"]) for one in places] == [(winner, 1, 1), (loser, 2, 0)]
    assert {one["bestRank"] for one in places} == {None}, "what is possible follows from the present standing"
    error = small.error(AFTER % 2)
    assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("BAD_REQUEST", "afterRound")
