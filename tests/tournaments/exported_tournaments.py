"""The exports of one tournament, as checkers read them. They import no code of the league."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
COUNTED = {"pending", "completed", "cut_short", "announced", "forfeited", "walkover", "double_absence"}
UNPLAYED = {"walkover", "double_absence", "bye", "requested_bye"}
GONE = {"dropped", "withdrawn"}
"""Statuses of drawings that count for nothing."""


class ExportedTournaments:
    """The exports of one tournament."""

    def __init__(self, **rows: Sequence[Row]) -> None:
        (self.tournament,) = rows["tournaments"]
        self.entries = {row["id"]: row for row in rows["entries"]}
        self.drawings = list(rows["rounds"])
        self.all_pairings = list(rows["pairings"])
        self.rounds = {row["round"]: row for row in self.drawings if row["status"] not in GONE}
        last = {(row["round"], row["drawing"]) for row in self.rounds.values()}
        self.pairings = [row for row in self.all_pairings if (row["round"], row["drawing"]) in last]
        self.standings = list(rows["tournament_standings"])
        self.best: dict[tuple[str, int], int] = defaultdict(int)
        for hand in rows["hands"]:
            for side, points in enumerate(hand["points"]):
                if hand["counted"]:
                    self.best[hand["match"], side] = max(self.best[hand["match"], side], points)
        self.scores = {row["match"]: row["score"] for row in rows["matches"]}
        self.rotating = self.tournament["format"] == "rotating_partners"
        self.rules = self.tournament["rules"]
        self.absent_meet = self.rules > 1 and self.tournament["format"] in {"round_robin", "fixtures"}
        """Whether a walkover or a double absence is a match of the two for the tie-breaks of opponents."""
        alone = {"bye", "walkover"} if self.rules == 1 else {"bye"} if self.absent_meet else UNPLAYED
        self.alone = alone | {"requested_bye"}
        """Outcomes that add the own matches won to `buchholz`."""
        self.with_hands = {row["match"] for row in rows["hands"]}
        self.annulled = annulled(self)

    @property
    def rule_of_leaving(self) -> str | None:
        """What the plan does with the meetings of who leaves; None: it has no such rule."""
        if self.rules == 1 or self.tournament["format"] not in {"round_robin", "groups"}:
            return None
        return str(self.tournament["plan"].get("withdrawals") or "annul_below_half")

    def is_annulled(self, row: Row) -> bool:
        """Whether a table or a bye counts for nobody."""
        return any(id_ in self.annulled for side in self.sides(row) for id_ in side)

    def tables(self, number: int | None = None) -> list[Row]:
        """The tables of a round, or of all rounds, without byes."""
        return [row for row in self.pairings if row["table"] is not None and number in {None, row["round"]}]

    def byes(self, number: int | None = None) -> list[Row]:
        """The byes of a round, or of all rounds, without those that somebody asked for."""
        return [row for row in self.pairings if row["status"] == "bye" and number in {None, row["round"]}]

    def sides(self, row: Row) -> list[list[str]]:
        """The competitors of each side: its players if each counts alone, otherwise the competitor who entered."""
        if self.rotating:
            return [list(side) for side in row["sides"]]
        return [["+".join(sorted(side, key=str.encode))] for side in row["sides"]]


def annulled(it: ExportedTournaments) -> set[str]:
    """Who left before the last round was published, with fewer than half of their meetings of the schedule played."""
    if it.rule_of_leaving != "annul_below_half" or 1 not in it.rounds:
        return set()
    drawn = [one["id"] for one in it.rounds[1]["input"]]
    legs = it.tournament["plan"].get("legs", 1)
    last = it.rounds.get((len(drawn) - 1 + len(drawn) % 2) * legs)
    found = set()
    for id_ in drawn:
        left = it.entries[id_]["withdrawn_at"]
        if left is None or (last is not None and last["published_at"] is not None and left > last["published_at"]):
            continue
        own = [row for row in it.tables() if any(id_ in side for side in it.sides(row))]
        unplayed = {"voided", "walkover", "double_absence", "scheduled"}
        played = [
            row
            for row in own
            if row["status"] not in unplayed and (row["status"] != "open" or row["match"] in it.with_hands)
        ]
        if 2 * len(played) < (len(drawn) - 1) * legs:
            found.add(id_)
    return found


def tie(seed: str, stage: str, *ids: str) -> int:
    named = ",".join([seed, stage, *sorted(ids, key=str.encode)])
    return int.from_bytes(hashlib.sha256(named.encode()).digest()[:8], "big")
