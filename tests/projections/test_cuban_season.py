"""The recorded Cuban season: its exports agree with the rules, computed here a second time, and stay what they are."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from databases import copy_of
from leagues import CUBAN, CUBAN_SEASON, exported, fingerprint, without

GOLDEN = {
    # Another value means that the league says something else about a recorded season: look before you change it.
    "hands": "58f778270764cc8f",
    "matches": "5a1789304107962b",
    "changes": "48135c86c16ec549",
    "ratings": "91e97119228ac5a7",
    "standings": "ff58705ebdc13c9c",
    "series": "6a077c3ca87cca30",
    "boards": "b49d0c2bebcad0bf",
    "achievements": "62c8689fe36cb441",
    "badges": "a9412cb03a76d50b",
}


@pytest.fixture(scope="module")
def season(embedded_server: str) -> Iterator[str]:
    """The URL of a database with the season, imported and projected; for reading."""
    with copy_of(embedded_server, CUBAN_SEASON) as url:
        yield url


Rows = list[dict[str, Any]]


# ---------------------------------------------------------------- a second implementation, as plain as can be


def recorded() -> dict[str, dict[str, Any]]:
    lines = (CUBAN / "matches.jsonl").read_text(encoding="utf-8").splitlines()
    return {match["match"]: match for match in map(json.loads, lines)}


def side_of(seat: int, mode: str) -> int:
    return seat % 2 if mode == "2v2" else seat


def terms_of_the_winner(match: dict[str, Any], hands: Rows, facts: list[dict[str, Any]]) -> dict[str, Decimal]:
    """The terms of M that the hands give to the winner (CDS text 3), but not differential and strength."""
    winner, terms = match["winner"], {}
    score, behind = [0, 0], 0
    for hand in hands:
        score = [score[side] + hand["points"][side] for side in (0, 1)]
        behind = max(behind, score[1 - winner] - score[winner])
    if match["score"][1 - winner] == 0:
        terms["pollona"] = Decimal("0.2")
    won = [(hand, fact) for hand, fact in zip(hands, facts, strict=True) if hand["winner"] == winner]
    if any(term["rule"] == "leftover" and term["points"] >= 100 for hand, _ in won for term in hand["terms"]):
        terms["viajera"] = Decimal("0.1")
    capicuas = [fact for hand, fact in won if hand["ended_by"] == "domino" and fact["fits_both_ends"]]
    if capicuas:
        terms["capicua"] = Decimal("0.1")
    if any(fact["blocks_too"] for fact in capicuas):
        terms["capicua_blocks"] = Decimal("0.1")
    if behind >= 50:
        terms["recovery"] = Decimal("0.25") if behind >= 100 else Decimal("0.15")
    if any(hand["ended_by"] == "block" for hand, _ in won):
        terms["block_won"] = Decimal("0.1")
    if hands and hands[-1]["ended_by"] == "block" and hands[-1]["winner"] == winner:
        locker = facts[-1].get("locker")
        if locker is not None and side_of(locker, match["mode"]) == winner:
            terms["critical_block"] = Decimal("0.1")
    return terms


def rated(matches: Rows, hands: Rows) -> tuple[Rows, dict[tuple[str, str, str], tuple[float, int]]]:
    """Every change of the season in order, and the ratings with their numbers of matches."""
    facts = {name: [hand["ended"] for hand in match["hands"]] for name, match in recorded().items()}
    of_match = defaultdict(list)
    for hand in hands:
        of_match[hand["match"]].append(hand)
    standing: dict[tuple[str, str, str], tuple[float, int]] = defaultdict(lambda: (1500.0, 0))
    changes = []
    for match in sorted(matches, key=lambda match: (match["decided_at"], match["match"])):
        name, mode, winner = match["match"], match["mode"], match["winner"]
        counted = [hand for hand in of_match[name] if hand["counted"]]
        earned = terms_of_the_winner(match, counted, facts[name][: len(counted)])
        steps = (match["score"][winner] - match["score"][1 - winner]) // 10
        players = [[("player", player, mode) for player in side] for side in match["sides"]]
        teams = [[("team", "+".join(sorted(side)), mode)] for side in match["sides"]] if mode == "2v2" else []
        after = {}
        for sides in filter(None, (players, teams)):
            mean = [sum(standing[one][0] for one in side) / len(side) for side in sides]
            for side, ones in enumerate(sides):
                own, other, won = mean[side], mean[1 - side], side == winner
                terms = {"differential": Decimal("0.05") * steps, **earned} if won else {}
                if not won:
                    terms["differential"] = Decimal("-0.05") * steps
                gap = (other - own) if won else (own - other)
                if gap >= 100:
                    terms["strength"] = Decimal("0.05") * int(gap // 100) * (1 if won else -1)
                terms = {rule: value for rule, value in terms.items() if value}
                m = max(Decimal(-1), min(Decimal(1), sum(terms.values(), Decimal(0))))
                for one in ones:
                    before, count = standing[one]
                    rule, k = (
                        ("casual", 10.0) if match["competition"] == "casual"
                        else ("provisional", 40.0) if count < 30
                        else ("special", 40.0) if match["competition"] == "special"
                        else ("veteran", 10.0) if count >= 100 and before >= 2000
                        else ("standard", 20.0)
                    )  # fmt: skip
                    e = 1.0 / (1.0 + math.pow(10.0, (other - own) / 400.0))
                    rating = before + k * ((float(won) + float(m)) - e)
                    after[one] = (rating, count + 1)
                    changes.append(
                        {
                            "match": name, "subject": one[0], "id": one[1], "before": before, "after": rating,
                            "k": k, "k_rule": rule, "outcome": float(won), "expected": e, "modifier": float(m),
                            "capped": m != sum(terms.values(), Decimal(0)),
                            "terms": {rule: float(value) for rule, value in terms.items()},
                        }
                    )  # fmt: skip
        standing.update(after)
    return changes, standing


@pytest.mark.heavy
def test_every_change_agrees_with_the_text(season: str) -> None:
    """The exported changes are those that the exported matches and hands give by the text of the Domino Score."""
    changes, _ = rated(exported(season, "matches"), exported(season, "hands"))
    columns = ("match", "subject", "id", "before", "after", "k", "k_rule", "outcome", "expected", "modifier", "capped")
    mine = {(row["match"], row["subject"], row["id"]): row for row in changes}
    theirs = {(row["match"], row["subject"], row["id"]): row for row in exported(season, "changes")}
    assert mine.keys() == theirs.keys()
    for key, row in theirs.items():
        found = {column: row[column] for column in columns}
        found["terms"] = {term["rule"]: term["value"] for term in row["modifier_terms"]}
        assert found == mine[key]


def test_every_rating_agrees_with_the_text(season: str) -> None:
    """The exported ratings are the last ones of each player and team; overall by the modes' numbers of matches."""
    _, standing = rated(exported(season, "matches"), exported(season, "hands"))
    expected = {key: (rating, count, count < 30) for key, (rating, count) in standing.items() if count}
    for player in {id_ for subject, id_, _ in expected if subject == "player"}:
        modes = [expected[key] for mode in ("1v1", "2v2") if (key := ("player", player, mode)) in expected]
        count = sum(matches for _, matches, _ in modes)
        main, *others = sorted(modes, key=lambda mode: -mode[1])
        weight = 1.0 if not others else 0.5 if main[1] <= 0.55 * count else 0.6
        rating = weight * main[0] + sum((1.0 - weight) * rating for rating, _, _ in others)
        expected["player", player, "overall"] = (rating, count, all(provisional for _, _, provisional in modes))
    rows = exported(season, "ratings")
    found = {
        (row["subject"], row["id"], row["mode"]): (row["rating"], row["matches"], row["provisional"]) for row in rows
    }
    assert found == expected


def test_every_hand_adds_up(season: str) -> None:
    """The terms of a hand are its points, and the points of a match's hands its score."""
    sums = defaultdict(lambda: [0, 0])
    for hand in exported(season, "hands"):
        for side in (0, 1):
            points = sum(term["points"] for term in hand["terms"] if term["side"] == side)
            assert points == hand["points"][side]
            sums[hand["match"]][side] += points
    for match in exported(season, "matches"):
        assert match["status"] == "announced" or match["score"] == sums[match["match"]]


def test_the_results_are_those_that_the_tables_announced(season: str) -> None:
    """Wherever a table announced a result, the hands give that winner and that score."""
    known = recorded()
    for row in exported(season, "matches"):
        announced = known[row["match"]]["announced"]
        if announced is not None:
            assert (row["winner"], row["score"]) == (announced["winner"], announced["score"])


def rounded(rows: Rows) -> Rows:
    """The last bits of a power are the machine's own."""
    return [{key: round(value, 9) if isinstance(value, float) else value for key, value in row.items()} for row in rows]


@pytest.mark.heavy
def test_the_exports_are_what_they_were(season: str) -> None:
    """Apart from positions and editions, each export is the same as ever, to nine decimals."""
    of_source = ("position", "edition", "winner_by", "stated_winner")
    found = {what: fingerprint(rounded(without(exported(season, what), *of_source))) for what in GOLDEN}
    assert found == GOLDEN
