"""A checker of groups before a knock-out, written from the text of the rules. It reads exports alone."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import Any

from checker import check_points, outcomes, value_of, won_by
from exported_brackets import Knockout, fold
from exported_tournaments import ExportedTournaments, Row, tie
from knockout_checker import (
    check_knockout,
    check_locked,
    check_met,
    check_places,
    ranks_of,
    reached_by,
    unpublished,
)

USUAL_TIE_BREAKS = ["direct", "difference", "points_for"]


class Group(ExportedTournaments):
    """One group, as a tournament of its own. `before`: only what had happened when this round was drawn."""

    def __init__(self, whole: ExportedTournaments, number: int, members: Sequence[str], before: int | None) -> None:
        vars(self).update(vars(whole))
        self.number, self.members = number, list(members)
        self.pairings = [
            row for row in whole.pairings if row["group"] == number and (before is None or row["round"] < before)
        ]
        self.legs = whole.tournament["plan"].get("legs", 1)
        self.absent_meet, self.alone = True, set()  # a bye gives nothing
        self.annulled = self._annulled(None if before is None else whole.rounds[before]["published_at"])

    @property
    def length(self) -> int:
        """The number of rounds in which the group plays."""
        return (len(self.members) - 1 + len(self.members) % 2) * self.legs

    def _annulled(self, now: str | None) -> set[str]:
        """Who left before the knock-out was first published, with fewer than half of the meetings played."""
        if self.rule_of_leaving != "annul_below_half":
            return set()
        first = knockout_published_at(self)
        return {
            id_
            for id_ in self.members
            if left_before(self, id_, first) and left_before(self, id_, now)
            and 2 * self._played(id_) < (len(self.members) - 1) * self.legs
        }  # fmt: skip

    def _played(self, id_: str) -> int:
        own = [row for row in self.tables() if any(id_ in side for side in self.sides(row))]
        unplayed = {"voided", "walkover", "double_absence", "scheduled"}
        return sum(
            row["status"] not in unplayed and (row["status"] != "open" or row["match"] in self.with_hands)
            for row in own
        )

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The shared rank of each in the group. Who is out of the standing has none."""
        left = [id_ for id_ in self.members if id_ not in self.annulled]
        keys: dict[str, list[int]] = {id_: [won_by(self, id_, None)] for id_ in left}
        for name in self.tournament["tie_breaks"]:
            if name == "direct":
                values = {id_: self.direct(id_, {one for one in left if keys[one] == keys[id_]}) or 0 for id_ in left}
            else:
                values = {id_: value_of(self, name, id_, None) for id_ in left}
            keys = {id_: [*keys[id_], values[id_]] for id_ in left}
        return {id_: 1 + sum(keys[other] > keys[id_] for other in left) for id_ in left}

    def direct(self, id_: str, level: set[str]) -> int | None:
        """The matches won among those who are level, if all of them met."""
        found = {one: [each for each in outcomes(self, one, None) if each["opponents"]] for one in level}
        met = {one: {other for each in found[one] for other in each["opponents"]} for one in level}
        if any(level - {one} - met[one] for one in level):
            return None
        return sum(each["won"] for each in found[id_] if set(each["opponents"]) <= level)

    def tie_breaks(self, id_: str) -> list[int | None]:
        """The value of each tie-break, as people read it."""
        found: list[int | None] = []
        left = [one for one in self.members if (one in self.annulled) == (id_ in self.annulled)]
        level = {one for one in left if won_by(self, one, None) == won_by(self, id_, None)}
        for name in self.tournament["tie_breaks"]:
            if name == "direct":
                found.append(self.direct(id_, level))
                level = {one for one in level if self.direct(one, level) == found[-1]}
                continue
            value = value_of(self, name, id_, None)
            level = {one for one in level if value_of(self, name, one, None) == value}
            found.append(-value if name == "fewest_byes" else value)
        return found

    def strength(self, id_: str) -> tuple[Fraction, Fraction]:
        """Matches won and difference, each by the meetings of the schedule that count."""
        meetings = (len(self.members) - 1 - len(self.annulled)) * self.legs
        if meetings == 0:
            return Fraction(0), Fraction(0)
        difference = value_of(self, "difference", id_, None)
        return Fraction(won_by(self, id_, None), meetings), Fraction(difference, meetings)


def left_before(it: ExportedTournaments, id_: str, when: str | None) -> bool:
    """Whether a competitor is gone, and left before this time. None: whenever it was."""
    left = it.entries[id_]["withdrawn_at"]
    return left is not None and (when is None or left < when)


def knockout_published_at(it: ExportedTournaments) -> str | None:
    """When the knock-out was published for the first time, even if that round was withdrawn."""
    times = [row["published_at"] for row in it.drawings if row["stage"] == "knockout" and row["published_at"]]
    return min(times, default=None)


def assigned(ids: Sequence[str], places: Sequence[int], cost: Any) -> dict[str, int]:
    """The assignment of ids to places of least cost, found by trying all. There may be more places than ids."""
    found = min(permutations(places, len(ids)), key=lambda chosen: cost(tuple(zip(ids, chosen, strict=True))))
    return dict(zip(ids, found, strict=True))


def hashed(*words: object) -> int:
    """The first 8 bytes of the SHA-256 of words joined by commas."""
    return int.from_bytes(hashlib.sha256(",".join(map(str, words)).encode()).digest()[:8], "big")


def drawn_groups(it: ExportedTournaments) -> dict[int, list[str]]:
    """The groups, drawn again from the seed: members in the order of pots."""
    of, count = it.rounds[1], it.tournament["plan"]["groups"]
    ids = [one["id"] for one in of["input"]]
    region = {one["id"]: one["region"] for one in of["input"]}
    groups: dict[int, list[str]] = {number: [id_] for number, id_ in enumerate(ids[:count], 1)}

    def cost(chosen: tuple[tuple[str, int], ...]) -> tuple[int, int]:
        near = sum(
            region[id_] is not None and region[id_] == region[other]
            for id_, number in chosen
            for other in groups[number]
        )
        return near, sum(hashed(of["seed"], "groups", id_, number) for id_, number in chosen)

    for start in range(count, len(ids), count):
        for id_, number in assigned(ids[start : start + count], list(groups), cost).items():
            groups[number].append(id_)
    return groups


def berger(members: Sequence[str], number: int) -> tuple[list[frozenset[str]], list[str]]:
    """The pairs and the bye of a round by FIDE's table. `number`: from 0, in one leg."""
    size = len(members) + len(members) % 2
    place = dict(enumerate(members, 1))
    pairs, bye = [], []
    for at in range(1, size):
        # Two places meet in the round in which their sum is the number of the round plus 1, modulo size - 1.
        other = (number + 2 - at) % (size - 1) or size - 1
        other = size if other == at else other
        if other == size and size not in place:
            bye.append(place[at])
        elif at < other:
            pairs.append(frozenset((place[at], place[other])))
    return pairs, bye


class GroupStage:
    """The groups of a tournament now, or when a round was drawn."""

    def __init__(self, it: ExportedTournaments, before: int | None = None) -> None:
        self.it = it
        self.groups = [Group(it, number, members, before) for number, members in drawn_groups(it).items()]
        self.of = {id_: group for group in self.groups for id_ in group.members}
        self.rounds = max(group.length for group in self.groups)

    def others(self, without: Iterable[str] = ()) -> dict[str, int]:
        """Ranks by place in the group, then by the fractions. Ranks begin after those who are in the knock-out."""
        out = set(without)
        keys = {
            id_: (group.ranks[id_], *(-each for each in group.strength(id_)))
            for group in self.groups
            for id_ in group.ranks
            if id_ not in out
        }
        return {id_: 1 + len(out) + sum(other < key for other in keys.values()) for id_, key in keys.items()}


def check_with_groups(it: ExportedTournaments, *, corrected: bool) -> None:
    """Check a tournament of groups and a knock-out. `corrected`: inputs may differ from what is known now."""
    usual = it.tournament["plan"].get("tie_breaks", USUAL_TIE_BREAKS)
    assert it.tournament["tie_breaks"] == usual
    if not it.rounds:
        assert {row["id"]: row["rank"] for row in it.standings if row["rank"] is not None} == unpublished(it)
        return
    stage = GroupStage(it)
    assert all(len(group.members) >= 3 for group in stage.groups)
    for number, of in it.rounds.items():
        assert of["stage"] == ("group" if number <= stage.rounds else "knockout")
        check_places(it, number)
        check_met(it, number, corrected=corrected)
        check_byes_of_input(it, number)
        if number <= stage.rounds and of["published_at"] is not None:
            check_group_round(it, stage, number)
        if not corrected and number > 1:
            check_input(it, number)
    first = stage.rounds + 1
    knockout = None
    if first in it.rounds:
        check_candidates(it, stage, corrected=corrected)
        knockout = Knockout(it, entrants(it, stage))
        check_knockout(knockout, corrected=corrected)
    check_standing(it, stage, knockout)
    for group in stage.groups:
        check_points(group)


def check_byes_of_input(it: ExportedTournaments, number: int) -> None:
    """Byes in the groups are counted; those in a bracket stand in no number."""
    byes: dict[str, int] = defaultdict(int)
    for row in it.byes():
        if row["round"] < number and row["group"] is not None:
            byes[it.sides(row)[0][0]] += 1
    assert all(one["byes"] == byes[one["id"]] for one in it.rounds[number]["input"])


def check_group_round(it: ExportedTournaments, stage: GroupStage, number: int) -> None:
    """Each group has its round of the Berger table. Who has left loses by a walkover, and has no bye."""
    of = it.rounds[number]
    here = {one["id"]: one for one in of["input"]}
    for group in stage.groups:
        rows = [row for row in it.pairings if row["round"] == number and row["group"] == group.number]
        if number > group.length:
            assert not rows
            continue
        pairs, byes = berger(group.members, (number - 1) % (group.length // group.legs))
        tables = [row for row in rows if row["table"] is not None]
        found = [frozenset(id_ for side in it.sides(row) for id_ in side) for row in tables]
        assert sorted(map(sorted, found)) == sorted(map(sorted, pairs))
        alone = [row for row in rows if row["table"] is None]
        assert [it.sides(row)[0][0] for row in alone] == [id_ for id_ in byes if id_ in here]
        assert all((row["status"], row["counts"]) == ("bye", None if row["annulled"] else [0, 0]) for row in alone)
        for row in tables:
            left = [side for side, (id_,) in enumerate(it.sides(row)) if id_ not in here]
            if left:
                assert row["match"] is None
                assert row["status"] in ({"double_absence"} if len(left) == 2 else {"walkover", "double_absence"})
                assert row["status"] == "double_absence" or row["winner"] == 1 - left[0]
    rows = [row for row in it.pairings if row["round"] == number]
    assert all(row["group"] is not None and row["game"] is None and not row["third_place"] for row in rows)
    playing = {id_ for group in stage.groups if number <= group.length for id_ in group.members}
    assert set(here) & playing <= {id_ for row in rows for side in it.sides(row) for id_ in side}
    check_table_numbers(it, number, here)
    check_locked(it, number)
    for row in rows:
        if row["table"] is not None and not row["by_hand"]:
            first, second = (tie(of["seed"], "side", names[0]) for names in it.sides(row))
            assert first < second, "side 0 has the lower tie value"


def check_table_numbers(it: ExportedTournaments, number: int, here: dict[str, Row]) -> None:
    """Table 1 has the most matches won, then the best place. Tables of who left come last, by place."""
    fixed = it.rounds[number]["fixed"]
    tables = sorted(it.tables(number), key=lambda row: row["table"])
    assert [row["table"] for row in tables] == list(range(1, len(tables) + 1))
    keys = []
    for row in tables:
        ids = [id_ for side in it.sides(row) for id_ in side]
        if any(id_ in fixed for id_ in ids) or row["by_hand"]:
            continue
        known = [here[id_] for id_ in ids if id_ in here]
        place = min((one["place"] for one in known), default=len(here) + 1)
        keys.append((0, -sum(one["won"] for one in known), place) if len(known) == 2 else (1, 0, place))
    assert keys == sorted(keys)


def check_input(it: ExportedTournaments, number: int) -> None:
    """Matches won and ranks are those of the standing when the round was drawn."""
    stage = GroupStage(it, number)
    if number <= stage.rounds + 1:
        ranks = stage.others()
        for one in it.rounds[number]["input"]:
            assert one["won"] == won_by(stage.of[one["id"]], one["id"], None)
            assert one["rank"] == ranks[one["id"]]


def check_candidates(it: ExportedTournaments, stage: GroupStage, *, corrected: bool) -> None:
    """Everybody who may advance is in `input`, with the rank in the group and the shared rank by the fractions."""
    number, advance = stage.rounds + 1, it.tournament["plan"].get("advance", 2)
    given = {one["id"]: one for one in it.rounds[number]["input"]}
    if corrected:
        return
    then = GroupStage(it, number)
    expected: set[str] = set()
    for group in then.groups:
        here = {
            id_: rank
            for id_, rank in group.ranks.items()
            if not left_before(it, id_, it.rounds[number]["published_at"])
        }
        expected |= {id_ for id_, rank in here.items() if sum(other < rank for other in here.values()) < advance}
        assert all(given[id_]["group_rank"] == group.ranks[id_] for id_ in group.members if id_ in given)
    assert set(given) == expected
    strengths = {id_: then.of[id_].strength(id_) for id_ in given}
    for id_, one in given.items():
        assert one["strength"] == 1 + sum(other > strengths[id_] for other in strengths.values())


def entrants(it: ExportedTournaments, stage: GroupStage) -> dict[int, str]:
    """Who enters the knock-out at which place, by the number of the seed that the place is for."""
    of, advance = it.rounds[stage.rounds + 1], it.tournament["plan"].get("advance", 2)
    given = {one["id"]: one for one in of["input"]}

    def by_tie(id_: str) -> int:
        return tie(of["seed"], "place", id_)

    classes: list[list[str]] = [[] for _ in range(advance)]
    for group in stage.groups:
        own = [id_ for id_ in group.members if id_ in given]
        own.sort(key=lambda id_: (given[id_]["group_rank"], by_tie(id_)))
        for number, id_ in enumerate(own[:advance]):
            classes[number].append(id_)
    for ids in classes:
        ids.sort(key=lambda id_: (given[id_]["strength"], by_tie(id_)))
    return _placed(classes, {id_: group.number for id_, group in stage.of.items()}, of["seed"])


def _placed(classes: Sequence[Sequence[str]], group_of: dict[str, int], seed: str) -> dict[int, str]:
    """Give each class its own places: winners those of their seeds, then class by class the best assignment."""
    size = 2
    while size < sum(map(len, classes)):
        size *= 2
    assert len(fold(size)) == size
    placed = dict(enumerate(classes[0], 1))
    for ids in classes[1:]:
        seeds = {id_: len(placed) + at for at, id_ in enumerate(ids, 1)}

        def cost(
            chosen: tuple[tuple[str, int], ...], seeds: dict[str, int] = seeds, placed: dict[int, str] = placed
        ) -> tuple[int, int, int]:
            meetings = sum(
                group_of[placed[size + 1 - place]] == group_of[id_]
                for id_, place in chosen
                if size + 1 - place in placed
            )
            moved = sum((place - seeds[id_]) ** 2 for id_, place in chosen)
            return meetings, moved, sum(hashed(seed, "bracket", id_, place) for id_, place in chosen)

        placed |= {place: id_ for id_, place in assigned(ids, list(seeds.values()), cost).items()}
    return placed


def check_standing(it: ExportedTournaments, stage: GroupStage, knockout: Knockout | None) -> None:
    """First the competitors of the knock-out, in its order, then the others; the numbers are those of the groups."""
    inside = ranks_of(knockout) if knockout is not None and knockout.published else {}
    ranks = {**stage.others(inside), **inside}
    if 1 not in it.rounds or it.rounds[1]["published_at"] is None:
        ranks = unpublished(it)
    for row in it.standings:
        id_ = row["id"]
        assert row["rank"] == ranks.get(id_) or (knockout is not None and id_ in knockout.unclear), id_
        assert row["reached"] == (None if knockout is None else reached_by(knockout, id_))
        if row["rank"] is not None and (inside or it.tournament["status"] == "ended"):
            assert row["best_rank"] <= row["rank"] <= row["worst_rank"]
        if id_ not in stage.of:
            assert (row["won"], row["lost"], row["group"], row["group_rank"]) == (0, 0, None, None)
            continue
        group = stage.of[id_]
        own = outcomes(group, id_, None)
        assert row["won"] == won_by(group, id_, None)
        assert row["lost"] == sum(one["lost"] for one in own)
        assert row["byes"] == sum(one["kind"] == "bye" for one in own)
        assert row["annulled"] == (id_ in group.annulled)
        assert (row["group"], row["group_rank"]) == (group.number, group.ranks.get(id_))
        assert [one["value"] for one in row["tie_breaks"]] == group.tie_breaks(id_)
        assert [one["name"] for one in row["tie_breaks"]] == it.tournament["tie_breaks"]
