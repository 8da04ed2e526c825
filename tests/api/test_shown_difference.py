"""The difference of a replay over GraphQL equals the rows of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from api_server import Served
from leagues import official, revised
from sqlalchemy import text

from league.infra.database import engine
from league.projections.difference.totals import LISTS, totals
from league.projections.difference.two_runs import two_runs
from league.projections.difference.verdict import verdict
from league.projections.replays.replay import ReplayPeriod, replay
from league.transfer.export import PartOfList, rows_of_difference
from league.wording.forecast_verdict import in_words
from league.wording.language import speaking, spoken

CANDIDATE = "rating.k.provisional = 32\nrulesets.cuban-150.target = 110"
PAGE = "pageInfo { endCursor hasNextPage }"


@pytest.fixture(scope="module")
def known(season: Served) -> Iterator[dict[str, Any]]:
    """The numbers of a replay and of another one under other rules, and the rows of every list of the first."""
    url = season.league.database.url
    run, other = (
        replay(url, revised(rules), ReplayPeriod()) for rules in (CANDIDATE, CANDIDATE + "\nrating.k.standard = 8")
    )
    pool = engine(url, pool_size=1)
    with pool.connect() as conn:
        for number in (run, other):
            conn.execute(
                text(
                    "INSERT INTO replays (replay, candidate, requested_by, requested_at, run, attempts, done, total)"
                    " VALUES (:number, NULL, 'test', now(), :number, 1, 60, 60)"
                ),
                {"number": number},
            )
        conn.commit()
        two = two_runs(conn, official(url), run)
        yield {
            "replay": run,
            "other": other,
            "totals": totals(conn, two),
            "verdict": verdict(conn, two),
            **{what: list(rows_of_difference(conn, two, what, PartOfList())) for what in LISTS},
        }
    pool.dispose()


def ask(season: Served, number: int, fields: str, arguments: str = "") -> Any:
    found = season.ask(f"{{ replay(number: {number}) {{ difference{arguments} {{ {fields} }} }} }}")
    return found["replay"]["difference"]


def test_the_figures_are_those_of_both_runs(season: Served, known: dict[str, Any]) -> None:
    """With the losses by mode."""
    fields = (
        "playersMoved teamsMoved largestMove medianMove meanMove drift matchesChanged handsChanged badgesLost"
        " predictions { mode matches brierBefore logLossAfter }"
    )
    found, expected = ask(season, known["replay"], f"totals {{ {fields} }}")["totals"], known["totals"]
    assert (found["playersMoved"], found["teamsMoved"]) == (expected.players_moved, expected.teams_moved)
    assert (found["largestMove"], found["medianMove"]) == (expected.largest_move, expected.median_move)
    assert (found["meanMove"], found["drift"]) == (expected.mean_move, expected.drift)
    assert (found["matchesChanged"], found["handsChanged"]) == (expected.matches_changed, expected.hands_changed)
    assert found["badgesLost"] == expected.badges_lost
    assert [(one["matches"], one["brierBefore"], one["logLossAfter"]) for one in found["predictions"]] == [
        (one.matches, one.brier_before, one.log_loss_after) for one in expected.predictions
    ]
    assert [one["mode"] for one in found["predictions"]] == ["ONE_ON_ONE", "TWO_ON_TWO", None]


LOSSES = "{ logLoss brier }"


def test_the_verdict_is_that_of_the_command_line(season: Served, known: dict[str, Any]) -> None:
    """With its words, in the reader's language, against the official league and against another replay."""
    fields = (
        "verdict { kind sentence meaning basis notes firstMonth lastMonth matches days plainK isPlainKChosen difference"
        f" low high before {LOSSES} after {LOSSES} plainElo {LOSSES} coin {LOSSES} tuned {{ kind }} }}"
    )
    found, expected = ask(season, known["replay"], f"totals {{ {fields} }}")["totals"]["verdict"], known["verdict"]
    assert found["kind"] == expected.kind.upper()
    assert (found["matches"], found["days"], found["plainK"]) == (expected.matches, expected.days, expected.plain_k)
    assert found["before"] == {"logLoss": expected.first.log_loss, "brier": expected.first.brier}
    assert found["after"] == {"logLoss": expected.second.log_loss, "brier": expected.second.brier}
    assert (found["difference"], found["low"]) == (expected.difference.mean, expected.difference.low)
    words = in_words(expected)
    assert [found[name] for name in ("sentence", "meaning", "basis", "notes")] == [
        words.sentence, words.meaning, words.basis, list(words.notes),
    ]  # fmt: skip
    assert found["tuned"] is None
    query = f"{{ replay(number: {known['replay']}) {{ difference {{ totals {{ verdict {{ sentence }} }} }} }} }}"
    spanish = season.ask(query, headers={"Accept-Language": "es"})["replay"]["difference"]
    with speaking("es"):
        assert spanish["totals"]["verdict"]["sentence"] == spoken(in_words(expected).sentence)


def test_a_difference_names_the_positions_of_both_runs(season: Served, known: dict[str, Any]) -> None:
    """They are equal here, so there is nothing to warn of."""
    found = ask(season, known["replay"], "positionBefore positionAfter warning")
    assert (
        found["positionBefore"] == found["positionAfter"] == season.ask("{ league { position } }")["league"]["position"]
    )
    assert found["warning"] is None


@pytest.mark.parametrize(
    ("what", "node", "columns"),
    [
        ("moves", "competitorId before after change", ("id", "before", "after", "change")),
        (
            "standings",
            "competitorId month rankBefore rankAfter totalBefore totalAfter",
            ("id", "month", "rank_before", "rank_after", "total_before", "total_after"),
        ),
        ("badges", "competitorId badge", ("id", "badge")),
        ("results", "matchId rulesetName handsChanged", ("match", "ruleset", "hands")),
        ("hands", "matchId number", ("match", "hand")),
        (
            "encounters",
            "month a b before { aWins } after { aWins }",
            ("month", "a", "b", "a_wins_before", "a_wins_after"),
        ),
        ("changes", "competitorId matchId difference", ("id", "match", "difference")),
        ("months", "month results standingsOfPairs", ("month", "results", "standings_of_pairs")),
        (
            "divergences",
            "competitorId matchId ratingBefore ratingAfter",
            ("id", "match", "rating_before", "rating_after"),
        ),
    ],
)
def test_a_list_is_read_page_by_page(
    season: Served, known: dict[str, Any], what: str, node: str, columns: tuple[str, ...]
) -> None:
    """All pages together are the rows of the command line, in their order."""
    read: list[Any] = []
    arguments = "(first: 30)"
    while True:
        page = ask(season, known["replay"], f"{what}{arguments} {{ totalCount nodes {{ {node} }} {PAGE} }}")[what]
        read += page["nodes"]
        if not page["pageInfo"]["hasNextPage"]:
            break
        arguments = f'(first: 30, after: "{page["pageInfo"]["endCursor"]}")'
    expected = known[what]
    flat = [tuple(v["aWins"] if isinstance(v, dict) else v for v in one.values()) for one in read]
    assert flat == [tuple(row[column] for column in columns) for row in expected]
    assert page["totalCount"] == len(expected) > 0


def test_places_are_those_of_one_board(season: Served, known: dict[str, Any]) -> None:
    """The global board, and the series of a month."""
    node = "nodes { competitorId rankBefore rankAfter valueBefore valueAfter }"
    columns = ("id", "rank_before", "rank_after", "value_before", "value_after")
    for arguments, key in (
        ("board: GLOBAL", ("global", None, None)),
        ('board: SERIES, month: "2026-01", mode: ONE_ON_ONE', ("series", "2026-01", "1v1")),
    ):
        rows = [row for row in known["places"] if (row["board"], row["month"], row["mode"]) == key]
        found = ask(season, known["replay"], f"places({arguments}, first: 100) {{ {node} }}")["places"]["nodes"]
        assert [tuple(one.values()) for one in found] == [tuple(row[c] for c in columns) for row in rows]
        assert rows


def test_each_side_of_a_badge_a_result_and_a_divergence(season: Served, known: dict[str, Any]) -> None:
    """A badge with its events, a match with its first other hand, a divergence with its terms."""
    found = ask(
        season,
        known["replay"],
        "badges(first: 1) { nodes { fate before { matchId position } after { matchId position event { name } } } }"
        " results(first: 1) { nodes { before { winner score status } after { winner score status } match { matchId }"
        "   firstHand { number position event { name } before { points counted terms { rule side points } }"
        "   after { points counted } } } }"
        " divergences(first: 1) { nodes { terms { term rule before after } positionAfter competitor { id } } }",
    )
    (badge,), expected = found["badges"]["nodes"], known["badges"][0]
    assert badge["fate"] == expected["what"].upper()
    for side in ("before", "after"):
        position = expected[f"position_{side}"]
        assert (badge[side] and badge[side]["position"]) == (None if position is None else str(position))
    (result,), expected = found["results"]["nodes"], known["results"][0]
    assert result["before"]["score"] == expected["score_before"]
    assert result["after"]["score"] == expected["score_after"]
    hand = result["firstHand"]
    assert (hand["number"], hand["position"]) == (expected["hand"], str(expected["position"]))
    assert hand["event"]["name"].startswith("hand-")
    terms = [{**term, "rule": term["rule"].lower()} for term in hand["before"]["terms"]]
    assert terms == expected["hand_terms_before"]
    assert (hand["after"]["points"], hand["after"]["counted"]) == (
        expected["hand_points_after"], expected["hand_counted_after"],
    )  # fmt: skip
    (divergence,), expected = found["divergences"]["nodes"], known["divergences"][0]
    parts = [one["term"].partition(".") for one in expected["terms"]]
    named = [("MODIFIER_RULE", rule.upper()) if rule else (name.upper(), None) for name, _, rule in parts]
    assert [(one["term"], one["rule"]) for one in divergence["terms"]] == named
    values = [[(one["before"], one["after"]) for one in terms] for terms in (divergence["terms"], expected["terms"])]
    assert values[0] == values[1]
    assert divergence["positionAfter"] == str(expected["position_after"])


def test_a_move_tells_its_ranks(season: Served, known: dict[str, Any]) -> None:
    """The ranks are those on the board of the same ratings."""
    moves = ask(
        season, known["replay"], "moves(mode: OVERALL, first: 100) { nodes { competitorId rankBefore rankAfter } }"
    )["moves"]
    places = ask(season, known["replay"], "places(first: 100) { nodes { competitorId rankBefore rankAfter } }")[
        "places"
    ]
    stands = {one["competitorId"]: one for one in places["nodes"]}
    assert [stands.get(move["competitorId"], move) for move in moves["nodes"]] == moves["nodes"]


def test_no_first_match_parts_two_overall_ratings(season: Served, known: dict[str, Any]) -> None:
    """So their divergences are refused: an empty list would say that they agree."""
    asked = (
        "query ($number: Int!) { replay(number: $number) { difference { divergences(mode: OVERALL) { totalCount } } } }"
    )
    assert season.error(asked, number=known["replay"])["extensions"] == {"code": "BAD_REQUEST", "argument": "mode"}


def test_two_replays_are_compared(season: Served, known: dict[str, Any]) -> None:
    """Against itself a replay differs in nothing; against one that is not there there is no difference."""
    number, other, of = known["replay"], known["other"], "moves { totalCount } totals { largestMove }"
    assert ask(season, number, of, f"(against: {number})")["moves"]["totalCount"] == 0
    nearer = ask(season, other, of, f"(against: {number})")["totals"]["largestMove"]
    assert nearer < ask(season, number, of)["totals"]["largestMove"]
    assert ask(season, number, of, "(against: 999)") is None


def test_the_rules_of_both_runs_are_compared(season: Served, known: dict[str, Any]) -> None:
    """Each setting that differs, with the section of the source text where one is known."""
    fields = "rules { from to before { number } after { number } changes { setting source before after } }"
    (span,) = ask(season, known["replay"], fields)["rules"]
    assert (span["from"], span["to"], span["before"], span["after"]) == (None, None, {"number": 1}, {"number": None})
    assert span["changes"] == [
        {"setting": "rating.k.provisional", "source": "CDS text 4, high K", "before": "40", "after": "32"},
        {"setting": "rulesets.cuban-150.target", "source": None, "before": "150", "after": "110"},
    ]


def test_a_result_says_what_decides_it(season: Served, known: dict[str, Any]) -> None:
    """Settings of its ruleset, the points by rule, and all hands that differ, which are as many as are counted."""
    row = known["results"][0]
    fields = (
        f'result(match: "{row["match"]}") {{ handsChanged handsBefore handsAfter settings {{ setting before after }}'
        " otherTerms { side rule before after } otherHands { number } before { score } after { score } }"
    )
    found = ask(season, known["replay"], fields)["result"]
    assert found["settings"] == [{"setting": "rulesets.cuban-150.target", "before": "150", "after": "110"}]
    assert len(found["otherHands"]) == found["handsChanged"] == row["hands"]
    assert found["handsBefore"] > found["handsAfter"]
    for side, (before, after) in enumerate(zip(row["score_before"], row["score_after"], strict=True)):
        terms = [term for term in found["otherTerms"] if term["side"] == side]
        assert sum(term["after"] - term["before"] for term in terms) == after - before
    assert ask(season, known["replay"], 'result(match: "none") { matchId }')["result"] is None


def test_a_row_is_explained_in_both_runs(season: Served, known: dict[str, Any]) -> None:
    """The total is the row's difference; what neither run has is null, what one lacks is null on that side."""
    change, standing, place = known["changes"][0], known["standings"][0], known["places"][0]
    both = "{ total before { run value } after { run value } terms { share } }"
    asked = (
        f'change: explainedChange(match: "{change["match"]}", of: "{change["id"]}") {both}'
        f' standing: explainedStanding(month: "{standing["month"]}", of: "{standing["id"]}") {both}'
        f' hand: explainedHand(match: "{change["match"]}", number: 1) {both}'
        f' match: explainedMatch(match: "{change["match"]}") {both}'
        f' badge: explainedBadge(player: "p005", badge: "matches-10") {both}'
        f' place: explainedPlace(board: GLOBAL, of: "p005") {both}'
        f' nobody: explainedChange(match: "none", of: "p005") {both}'
    )
    found = ask(season, known["replay"], asked)
    ends = [found["change"][side]["value"] for side in ("before", "after")]
    assert ends == [change["rating_before"], change["rating_after"]]
    assert found["standing"]["total"] == standing["total_after"] - standing["total_before"]
    assert found["nobody"] is None
    assert place
    for kind in ("change", "standing", "hand", "match", "badge", "place"):
        assert found[kind]["after"]["run"] == known["replay"]
