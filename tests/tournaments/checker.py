"""A checker of tournaments, written from the text of the rules. It reads exports and imports no code of the league."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from exported_tournaments import COUNTED, GONE, UNPLAYED, ExportedTournaments, Row, tie


def check(it: ExportedTournaments, *, corrected: bool) -> None:
    """Check everything. `corrected`: a result was corrected after a drawing, so inputs may differ from today's."""
    check_drawings(it)
    check_rounds(it)
    check_inputs(it, corrected=corrected)
    check_criteria(it)
    check_byes(it)
    check_settings(it)
    check_points(it)
    check_standing(it)


def check_drawings(it: ExportedTournaments) -> None:
    """Each drawing has a line, numbered from 1 in its round. Only the last drawing counts."""
    lines: dict[int, list[Row]] = defaultdict(list)
    for row in it.drawings:
        lines[row["round"]].append(row)
    assert list(lines) == list(range(1, len(lines) + 1))
    for of in lines.values():
        assert [row["drawing"] for row in of] == list(range(1, len(of) + 1))
        assert all(row["status"] in GONE for row in of[:-1])
        assert [row["position"] for row in of] == sorted(row["position"] for row in of)
        assert len({row["root"] for row in of}) == len(of)
        assert all((row["published_at"] is None) == (row["status"] in {"drawn", "dropped"}) for row in of)
    shown = {(row["round"], row["drawing"]) for row in it.drawings if row["status"] not in {"drawn", "dropped"}}
    written = {(row["round"], row["drawing"]) for row in it.all_pairings}
    assert written <= shown
    assert written == shown or it.tournament["format"] == "fixtures", "only fixtures can have a round without tables"
    withdrawn = {(row["round"], row["drawing"]) for row in it.drawings if row["status"] == "withdrawn"}
    gone = [row for row in it.all_pairings if (row["round"], row["drawing"]) in withdrawn]
    assert all(row["status"] in ({"bye", "requested_bye"} if row["table"] is None else {"voided"}) for row in gone)
    assert all(row["counts"] is None for row in gone)
    assert all(row["winner"] is None and row["score"] is None for row in gone)
    matches = [row["match"] for row in it.all_pairings if row["match"] is not None]
    assert len(matches) == len(set(matches)), "a round that is drawn anew has new matches"


def check_rounds(it: ExportedTournaments) -> None:
    """Everybody is at most once in a round, tables count from 1, and nobody plays who was not drawn."""
    for number, of in it.rounds.items():
        if of["status"] == "drawn":
            continue
        tables = it.tables(number)
        assert sorted(row["table"] for row in tables) == list(range(1, len(tables) + 1))
        ours = [row for row in it.pairings if row["round"] == number]
        at = [id_ for row in ours if row["status"] != "requested_bye" for side in it.sides(row) for id_ in side]
        drawn = sorted(one["id"] for one in of["input"])
        asked = [it.sides(row)[0][0] for row in ours if row["status"] == "requested_bye"]
        assert not set(asked) & set(drawn), "who asks is not in `input`"
        assert not asked or it.tournament["format"] in {"swiss", "rotating_partners"}
        if it.tournament["format"] == "fixtures":
            assert len(at) == len(set(at))
            assert set(at) <= set(drawn)
        else:
            gone = {id_ for id_ in at if id_ not in drawn}
            assert sorted(set(at) - gone) == drawn, "everybody plays or sits out, once"
            assert len(at) == len(set(at))
            check_gone(it, number, gone)
        players = [p for row in it.pairings if row["round"] == number for side in row["sides"] for p in side]
        assert len(players) == len(set(players))
        check_seed(it, number)
        for row in tables:
            if not row["by_hand"] and not it.rotating:
                first, second = (tie(of["seed"], "side", names[0]) for names in it.sides(row))
                assert first < second, "side 0 has the lower tie value"


def check_seed(it: ExportedTournaments, number: int) -> None:
    """The seed follows from the root and from the bytes of devices, which fit their commitments."""
    of = it.rounds[number]
    promised = {one["id"]: one for one in of["commitments"]}
    for one in of["contributions"]:
        assert promised[one["id"]]["commitment"] == hashlib.sha256(bytes.fromhex(one["bytes"])).hexdigest()
    assert all(one["position"] < of["position"] for one in of["commitments"])
    given = sorted(of["contributions"], key=lambda one: one["id"].encode())
    said = [of["root"], it.tournament["tournament"], str(number), *(one["bytes"] for one in given)]
    assert of["seed"] == sha(",".join(said))


def check_gone(it: ExportedTournaments, number: int, gone: set[str]) -> None:
    """Who left a round robin is at their tables all the same: a walkover, or a double absence of two who left."""
    if it.rule_of_leaving is None:
        assert not gone
        return
    assert gone <= {one["id"] for one in it.rounds[1]["input"]}
    for row in it.tables(number):
        (first,), (second,) = it.sides(row)
        left = [side for side, id_ in enumerate((first, second)) if id_ in gone]
        if left:
            assert row["match"] is None
            assert row["status"] in ({"double_absence"} if len(left) == 2 else {"walkover", "double_absence"})
            assert row["status"] == "double_absence" or row["winner"] == 1 - left[0]


def check_inputs(it: ExportedTournaments, *, corrected: bool) -> None:
    """Inputs have the byes, opponents and partners of earlier rounds; wins and places too, if nothing was corrected."""
    for number, of in it.rounds.items():
        byes, met, partners = history(it, number)
        values = {id_: standing_value(it, id_, number) for id_ in it.entries}
        for one in of["input"]:
            id_ = one["id"]
            assert one["byes"] == byes[id_]
            assert sorted((m["id"], m["round"], m["table"]) for m in one["met"]) == sorted(met[id_])
            assert sorted((m["id"], m["round"], m["table"]) for m in one["partners"]) == sorted(partners[id_])
            assert one["region"] == it.entries[id_]["region"]
            if not corrected:
                assert one["won"] == values[id_][0]
        assert [one["place"] for one in of["input"]] == list(range(1, len(of["input"]) + 1))
        if not corrected and number > 1 and "direct" not in it.tournament["tie_breaks"]:
            order = sorted(
                (one["id"] for one in of["input"]),
                key=lambda id_: ([-value for value in values[id_]], tie(of["seed"], "place", id_)),
            )
            assert [one["id"] for one in of["input"]] == order, "places are those of the standing, ties by tie value"


def check_criteria(it: ExportedTournaments) -> None:
    """A table lists exactly what gives way: locks of the series, meetings and partners within the window."""
    plan = it.tournament["plan"]
    usual = 3 if it.rotating else "all"
    for row in it.tables():
        if row["by_hand"]:
            continue
        _, met, partners = history(it, row["round"])
        expected = []
        first, second = it.sides(row)
        for a in first:
            for b in second:
                expected += again("meetings", a, b, met, row["round"], plan.get("opponent_window", usual))
        if it.rotating:
            for a, b in (first, second):
                expected += again("partners", a, b, partners, row["round"], plan.get("partner_window", 3))
        found = [(one["criterion"], frozenset(one["ids"]), one["round"]) for one in row["relaxed"]]
        expected = [] if is_given(it, row["round"]) else expected
        names = frozenset("+".join(sorted(side, key=str.encode)) for side in (first, second))
        if names in {frozenset(two) for two in it.rounds[row["round"]]["locked"]}:
            expected.append(("series", names, None))
        assert sorted(map(repr_of, found)) == sorted(map(repr_of, expected))


def is_given(it: ExportedTournaments, number: int) -> bool:
    """Whether the format says who meets. Then repeated meetings are planned, and nothing gives way."""
    if it.tournament["format"] in {"round_robin", "fixtures"}:
        return True
    first, now = ({one["id"] for one in it.rounds[of]["input"]} for of in (1, number))
    return it.tournament["plan"].get("full_cycle", False) and first == now and len(first) in {8, 12, 16}


def again(
    what: str, a: str, b: str, known: dict[str, list[tuple[str, int, int]]], number: int, window: Any
) -> list[tuple[str, frozenset[str], int]]:
    least = 1 if window == "all" else number - window
    return [(what, frozenset({a, b}), of) for id_, of, _ in known[a] if id_ == b and of >= least]


def check_byes(it: ExportedTournaments) -> None:
    """As many sit out as the format needs: those with the fewest byes, and among equals the lowest places."""
    for number, of in it.rounds.items():
        if of["status"] == "drawn" or any(row["by_hand"] for row in it.tables(number)):
            continue
        out = {id_ for row in it.byes(number) for side in it.sides(row) for id_ in side}
        if it.tournament["format"] in {"swiss", "rotating_partners"}:
            wanted = len(of["input"]) % (4 if it.rotating else 2)
            order = sorted(of["input"], key=lambda one: (one["byes"], -one["place"]))
            assert len(out) == wanted
            # In a Swiss round a lock of the series weighs more than who sits out.
            if it.rotating or not of["locked"]:
                assert out == {one["id"] for one in order[:wanted]}
            listed = {id_ for row in it.byes(number) for one in row["relaxed"] for id_ in one["ids"]}
            assert listed == {one["id"] for one in order if one["id"] in out and one["byes"]}


def check_settings(it: ExportedTournaments) -> None:
    """Every setting holds as the plan's document has it, or by its default."""
    row, plan = it.tournament, it.tournament["plan"]
    assert row["rules"] == plan.get("rules", 1)
    usual = {
        "legs": 1,
        "check_in": False,
        "late_entries": 0,
        "region_rounds": 0,
        "mode": "2v2",
        "difference_cap": None,
        "setup_minutes": 0,
        "advance": 2,
        "best_of": 1,
    }
    for name, value in row["settings"].items():
        if name in row and name != "rounds":  # that column counts the published rounds
            assert value == row[name]
        elif name in usual:
            assert value == plan.get(name, usual[name])
    asked = plan.get("requested_bye", {})
    assert row["requested_bye"] == {"won": False, "for": 0, "against": 0, **asked}
    assert row["withdrawals"] == it.rule_of_leaving
    assert row["difference_cap"] == plan.get("difference_cap")


def check_points(it: ExportedTournaments) -> None:
    """A table has the score of its match, and counts it up to the cap, or what a bye, walkover or forfeit gives."""
    for row in it.pairings:
        score = it.scores.get(row["match"])
        assert row["annulled"] == it.is_annulled(row)
        assert row["counts"] == (None if row["annulled"] else counts_of(it, row))
        if it.rules == 1 and row["table"] is not None:
            assert row["score"] == row["counts"], "version 1 says only the points that count"
        else:
            assert row["score"] == score


def counts_of(it: ExportedTournaments, row: Row) -> list[int] | None:
    """The points of a row that count, if it is not annulled."""
    walkover, cap, score = it.tournament["walkover"], it.tournament["score_cap"], it.scores.get(row["match"])
    if row["status"] in {"bye", "requested_bye"}:
        bye = it.tournament[row["status"]]
        return [bye["for"], bye["against"]]
    if row["status"] in {"walkover", "forfeited"}:
        points = [walkover["for"], walkover["against"]]
        return points if row["winner"] == 0 else points[::-1]
    if row["status"] not in COUNTED:
        return None
    return [0, 0] if score is None else [min(each, cap) for each in score]


def check_standing(it: ExportedTournaments) -> None:
    """Every value and every rank is as computed again here, and each rank lies within its bounds."""
    ranked = []
    for row in it.standings:
        won, *values = standing_value(it, row["id"], None)
        assert row["won"] == won
        own = outcomes(it, row["id"], None)
        assert row["annulled"] == (row["id"] in it.annulled)
        assert row["lost"] == sum(one["lost"] for one in own)
        assert row["byes"] == sum(one["kind"] == "bye" for one in own)
        found = {one["name"]: one["value"] for one in row["tie_breaks"]}
        assert list(found) == it.tournament["tie_breaks"]
        expected = dict(zip(it.tournament["tie_breaks"], values, strict=True))
        for name, value in found.items():
            if name == "direct":
                expected[name] = direct(it, row)
            if name == "fewest_byes" and it.rules > 1:
                found[name] = -value
            assert found[name] == expected[name], (row["id"], name)
        if row["annulled"]:
            assert (row["rank"], own) == (None, [])
            continue
        ranked.append((row["rank"], [won, *(value or 0 for value in found.values())]))
        assert row["best_rank"] <= row["rank"] <= row["worst_rank"]
    for rank, key in ranked:
        assert rank == 1 + sum(other > key for _, other in ranked)


def direct(it: ExportedTournaments, row: Row) -> int | None:
    """The matches won among those who are level so far, if all of them met; else null, and 0 in version 1."""

    def key(other: Row) -> list[int | None]:
        names = [one["name"] for one in other["tie_breaks"]]
        return [other["won"], *(one["value"] for one in other["tie_breaks"][: names.index("direct")])]

    level = {other["id"] for other in it.standings if other["annulled"] == row["annulled"] and key(other) == key(row)}

    def matches(id_: str) -> list[Row]:
        return [one for one in outcomes(it, id_, None) if one["opponents"]]

    met = {id_: {other for one in matches(id_) for other in one["opponents"]} for id_ in level}
    if any(level - {id_} - met[id_] for id_ in level):
        return None if it.rules > 1 else 0
    return sum(one["won"] for one in matches(row["id"]) for other in one["opponents"] if other in level)


@cache
def standing_value(it: ExportedTournaments, id_: str, before: int | None) -> list[int]:
    """Matches won, then each tie-break of the plan; 0 for `direct`."""
    return [
        sum(one["won"] for one in outcomes(it, id_, before)),
        *(value_of(it, name, id_, before) for name in it.tournament["tie_breaks"]),
    ]


@cache
def won_by(it: ExportedTournaments, id_: str, before: int | None) -> int:
    return sum(one["won"] for one in outcomes(it, id_, before))


def value_of(it: ExportedTournaments, name: str, id_: str, before: int | None) -> int:  # noqa: PLR0911  # one return for each
    own = outcomes(it, id_, before)

    def won(other: str) -> int:
        return won_by(it, other, before)

    cap = it.tournament["difference_cap"]
    buchholz = [won(other) for one in own for other in one["opponents"]]
    buchholz += [won(id_) for one in own if one["kind"] in it.alone]
    match name:
        case "difference":
            differences = [one["own"] - one["other"] for one in own]
            return sum(each if cap is None else max(-cap, min(each, cap)) for each in differences)
        case "points_for":
            return sum(one["own"] for one in own)
        case "buchholz":
            return sum(buchholz)
        case "buchholz_cut":
            return sum(sorted(buchholz)[1:])
        case "buchholz_median":
            return sum(sorted(buchholz)[1:-1])
        case "sonneborn_berger":
            return sum(won(other) for one in own if one["won"] for other in one["opponents"])
        case "best_hand":
            return max((one["best"] for one in own), default=0)
        case "fewest_byes":
            return -sum(one["kind"] == "bye" for one in own)
    return 0


@cache
def outcomes(it: ExportedTournaments, id_: str, before: int | None) -> list[Row]:
    """What each round came to for a competitor."""
    found = []
    for row in it.pairings:
        if (before is not None and row["round"] >= before) or it.is_annulled(row):
            continue
        for side, ids in enumerate(it.sides(row)):
            if id_ not in ids:
                continue
            if row["status"] in {"bye", "requested_bye"}:
                bye = it.tournament[row["status"]]
                found.append(
                    {
                        "kind": row["status"], "won": bye["won"], "lost": it.rules == 1 and not bye["won"],
                        "own": bye["for"], "other": bye["against"], "opponents": [], "best": 0,
                    }
                )  # fmt: skip
            elif row["status"] in COUNTED:
                found.append(_outcome(it, row, side))
    return found


def _outcome(it: ExportedTournaments, row: Row, side: int) -> Row:
    kind = row["status"] if row["status"] in UNPLAYED else "match"
    came = row["winner"] == side
    won = came and (kind != "walkover" or it.tournament["walkover"]["won"])
    lost = not won if it.rules == 1 else not came
    opponents = it.sides(row)[1 - side] if kind == "match" or it.absent_meet else []
    best = it.best[row["match"], side] if kind == "match" and row["status"] != "forfeited" else 0
    counts = counts_of(it, row) or [0, 0]
    own, other = counts[side], counts[1 - side]
    return {
        "kind": kind, "won": won, "lost": lost, "own": own, "other": other, "opponents": opponents, "best": best
    }  # fmt: skip


@cache
def history(it: ExportedTournaments, number: int) -> tuple[Any, Any, Any]:
    """Byes, opponents and partners before a round."""
    byes: dict[str, int] = defaultdict(int)
    met: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    partners: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for row in it.pairings:
        if row["round"] >= number or row["status"] in UNPLAYED - {"bye"}:
            continue
        if row["table"] is None:
            byes[it.sides(row)[0][0]] += 1
            continue
        sides = it.sides(row)
        for side in (0, 1):
            for id_ in sides[side]:
                met[id_] += [(other, row["round"], row["table"]) for other in sides[1 - side]]
                partners[id_] += [(other, row["round"], row["table"]) for other in sides[side] if other != id_]
    return byes, met, partners


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def repr_of(one: Iterable[Any]) -> str:
    criterion, ids, number = one
    return f"{criterion} {sorted(ids)} {number}"
