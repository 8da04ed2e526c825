"""A checker of knock-outs, written from the text of the rules. It reads exports and imports no code of the league."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from exported_brackets import Knockout
from exported_tournaments import COUNTED, UNPLAYED, ExportedTournaments, Row, tie

PLAYED = COUNTED - UNPLAYED
"""Statuses of games with a result of play, forfeits included."""


def check_knockout(knockout: Knockout, *, corrected: bool) -> None:
    """Check the published rounds of a knock-out. `corrected`: a result was corrected after a drawing."""
    for number in knockout.published:
        check_games(knockout, number)
        check_bracket(knockout, number)
        check_present(knockout, number)
        check_corrected(knockout, number, corrected=corrected)
    check_third_place(knockout)
    for number in knockout.published[:-1]:
        assert all(one.is_over or one.is_corrected for one in knockout.ties[number]), "an open tie blocks the drawing"
    assert len(knockout.published) <= knockout.depth


def check_games(knockout: Knockout, number: int) -> None:
    """The games of each tie count from 1, and end with the one that decides it. Who is absent loses what is left."""
    last = number == knockout.published[-1]
    for one in knockout.ties[number]:
        games = [row["game"] for row in one.rows]
        assert games == ([None] if one.best_of == 1 else list(range(1, len(games) + 1)))
        wins, over = [0, 0], False
        for row in one.rows:
            assert not over, "rows end with the game that decides"
            assert row["counts"] is None
            assert not row["annulled"]
            assert row["group"] is None
            assert not row["by_hand"]
            if row["status"] in COUNTED - {"double_absence"}:
                wins[row["winner"]] += 1
                over = max(wins) > one.best_of // 2
            else:
                assert row["winner"] is None
        kinds = [row["status"] for row in one.rows]
        away = [at for at, kind in enumerate(kinds) if kind in {"walkover", "double_absence"}]
        assert not away or set(kinds) <= COUNTED, "an absence leaves no game open"
        assert kinds.count("double_absence") <= 1
        assert len({kinds[at] for at in away}) <= 1
        # Only who was absent before a game was played again has lost a game that comes before a played one.
        assert all(row["match"] is None for row in one.rows if row["status"] in {"walkover", "double_absence"})
        assert len({row["winner"] for row in one.rows if row["status"] == "walkover"}) <= 1
        if any(kinds[at] == "walkover" for at in away):
            assert one.is_over, "who is absent loses all games that are left"
        open_ = [at for at, kind in enumerate(kinds) if kind in {"scheduled", "open", "voided"}]
        if last and knockout.it.tournament["status"] != "ended":
            assert one.is_over or open_, "the next game is opened"
            assert len([at for at in open_ if kinds[at] != "voided"]) <= 1


def check_bracket(knockout: Knockout, number: int) -> None:
    """Who meets follows the bracket: ties by place, a bye where the opponent is missing, nothing where both are."""
    slots = knockout.slots[number]
    pairs = [slots[at : at + 2] for at in range(0, len(slots), 2)]
    assert len(pairs) == knockout.size >> (number - knockout.first + 1)
    both = [frozenset(two) for two in pairs if None not in two]
    drawn = {one["id"] for one in knockout.it.rounds[number]["input"]}
    alone = sorted(id_ for two in pairs if two.count(None) == 1 for id_ in two if id_ in drawn)
    ties = knockout.in_bracket(number)
    assert [frozenset(one.sides) for one in ties] == both, "tables are numbered by place"
    assert [one.rows[0]["table"] for one in ties] == list(range(1, len(ties) + 1))
    byes = [row for row in knockout.byes[number] if not row["third_place"]]
    assert sorted(knockout.it.sides(row)[0][0] for row in byes) == alone
    assert all((row["game"], row["group"], row["counts"], row["winner"]) == (None,) * 4 for row in byes)
    seed = knockout.it.rounds[number]["seed"]
    for one in knockout.ties[number]:
        first, second = (tie(seed, "side", id_) for id_ in one.sides)
        assert first < second, "side 0 has the lower tie value"
        for side in one.rows[0]["sides"]:
            assert side == sorted(side, key=lambda player: tie(seed, "seat", player)), "seats go by tie value"
    check_locked(knockout.it, number)


def check_locked(it: ExportedTournaments, number: int) -> None:
    """A table lists a lock of the series, and nothing else: the format says who meets. A walkover needs no lock."""
    here = {one["id"] for one in it.rounds[number]["input"]}
    locked = {frozenset(two) for two in it.rounds[number]["locked"] if here.issuperset(two)}
    for row in it.tables(number):
        ids = frozenset(id_ for side in it.sides(row) for id_ in side)
        found = [(one["criterion"], frozenset(one["ids"]), one["round"]) for one in row["relaxed"]]
        assert row["by_hand"] or found == ([("series", ids, None)] if ids in locked else [])


def check_present(knockout: Knockout, number: int) -> None:
    """Who is not in `input` had left, and loses the tie: a walkover, or a double absence of two who had left."""
    it, of = knockout.it, knockout.it.rounds[number]
    drawn = {one["id"] for one in of["input"]}
    for one in knockout.ties[number]:
        here = [side for side, id_ in enumerate(one.sides) if id_ in drawn]
        if len(here) == 1:
            assert one.rows[0]["match"] is None
            if not one.rows[0]["corrected"] and not one.both_absent:
                assert all((row["status"], row["winner"]) == ("walkover", here[0]) for row in one.rows)
        elif not here:
            assert [row["status"] for row in one.rows] == ["double_absence"]
    for id_ in drawn:
        left = it.entries[id_]["withdrawn_at"]
        assert left is None or left > of["published_at"], "who has left is not drawn"
    if number > knockout.first:
        able = {id_ for id_ in knockout.slots[number] if id_ is not None}
        if number == knockout.final and knockout.has_third_place:
            absent = knockout.absent_pairs()
            able |= {id_ for id_ in knockout.losers(number - 1) if id_ not in absent}
        assert drawn <= able, "`input` has who is still in"


def check_corrected(knockout: Knockout, number: int, *, corrected: bool) -> None:
    """The winner plays on, unless a correction came after the next round was published; a row then says so."""
    for one in knockout.in_bracket(number):
        assert corrected or not one.is_corrected
        if number + 1 in knockout.published:
            on = knockout.followed(number, one.sides)
            assert one.is_corrected or (on == one.winner and one.is_over), (number, one.sides)
        else:
            assert not one.is_corrected


def check_third_place(knockout: Knockout) -> None:
    """The losers of the semi-finals meet at table 2 of the final's round. A missing opponent gives a bye."""
    rows = [row for number in knockout.published for row in knockout.it.pairings if row["round"] == number]
    played = [row for row in rows if row["third_place"]]
    assert all(row["round"] == knockout.final for row in played)
    if knockout.final not in knockout.published or not knockout.has_third_place:
        assert not played
        return
    drawn = {one["id"] for one in knockout.it.rounds[knockout.final]["input"]}
    absent = knockout.absent_pairs()
    able = {id_ for id_ in knockout.losers(knockout.final - 1) if id_ not in absent and id_ in drawn}
    if len(able) < 2:
        assert [(row["status"], *knockout.it.sides(row)[0]) for row in played] == [("bye", id_) for id_ in able]
        return
    (one,) = knockout.third()
    assert set(one.sides) == able
    if knockout.in_bracket(knockout.final):
        assert one.rows[0]["table"] == 2


def ranks_of(knockout: Knockout) -> dict[str, int]:
    """The rank of everybody who was drawn into the knock-out."""
    it, found = knockout.it, dict.fromkeys(knockout.entrants.values(), 1)
    for number in knockout.published:
        ties = knockout.size >> (number - knockout.first + 1)
        found |= dict.fromkeys(knockout.losers(number), ties + 1)
        if number == knockout.published[-1] < knockout.final:
            # Who is through and leaves is the loser of the next round.
            gone = [id_ for id_ in knockout.through(number) if it.entries[id_]["withdrawn_at"] is not None]
            found |= dict.fromkeys(gone, ties // 2 + 1)
    if knockout.has_third_place and knockout.final in knockout.published:
        found |= _ranks_by_third_place(knockout)
    return found


def _ranks_by_third_place(knockout: Knockout) -> dict[str, int]:
    """Ranks 3 and 4 of the losers of the semi-finals. They share 3 until the tie for the third place is decided."""
    losers = knockout.losers(knockout.final - 1)
    byes = [row for row in knockout.byes[knockout.final] if row["third_place"]]
    here = [id_ for row in byes for id_ in knockout.it.sides(row)[0]]
    here += [id_ for one in knockout.third() for id_ in one.sides]
    found = dict.fromkeys(losers, 3)
    if here and all(one.is_over for one in knockout.third()):
        found |= {id_: 4 for id_ in losers if id_ not in here}
    for one in knockout.third():
        found |= dict.fromkeys(one.losers, 4)
    return found


def reached_by(knockout: Knockout, id_: str) -> int | None:
    """The last published round in which a competitor has a row of the bracket."""
    return max((number for number in knockout.published if id_ in knockout.has_row(number)), default=None)


def check_knockout_standing(knockout: Knockout) -> None:
    """Each has the rank of the bracket, lies within bounds, and counts ties. Who was never drawn has no rank."""
    it, ranks = knockout.it, ranks_of(knockout)
    if not knockout.published:
        ranks = unpublished(it)
    ties = [one for of in knockout.ties.values() for one in of]
    for row in it.standings:
        id_ = row["id"]
        assert row["rank"] == ranks.get(id_) or id_ in knockout.unclear, id_
        assert row["won"] == sum(one.winner == id_ for one in ties)
        assert row["lost"] == sum(id_ in one.losers for one in ties)
        assert (row["byes"], row["tie_breaks"], row["group"], row["group_rank"]) == (0, [], None, None)
        assert row["reached"] == reached_by(knockout, id_)
        assert not row["annulled"]
        if row["rank"] is not None:
            assert row["best_rank"] <= row["rank"] <= row["worst_rank"]
    assert set(ranks) <= {row["id"] for row in it.standings} or not knockout.published


def unpublished(it: ExportedTournaments) -> dict[str, int]:
    """Before the first round all who are there share the first rank."""
    return {id_: 1 for id_, entry in it.entries.items() if entry["withdrawn_at"] is None}


def check_places(it: ExportedTournaments, number: int) -> None:
    """Places follow the shared ranks, in the first round the ratings if the plan says so; equal ones by tie value."""
    of = it.rounds[number]
    rated = number == 1 and it.tournament["plan"].get("first_round") == "rating"

    def key(one: Row) -> tuple[Any, ...]:
        return -one["rating"] if rated else 0, one["rank"], tie(of["seed"], "place", one["id"])

    assert [one["place"] for one in of["input"]] == list(range(1, len(of["input"]) + 1))
    assert sorted(of["input"], key=key) == of["input"]


def check_met(it: ExportedTournaments, number: int, *, corrected: bool) -> None:
    """Inputs have the opponents of earlier rounds. A tie is a meeting once it has a match, even a voided one."""
    met: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
    for row in it.pairings:
        if row["round"] < number and row["table"] is not None and row["status"] not in UNPLAYED:
            (first,), (second,) = it.sides(row)
            met[first].add((second, row["round"], row["table"]))
            met[second].add((first, row["round"], row["table"]))
    for one in it.rounds[number]["input"]:
        if not corrected:  # who had been absent may have come later
            assert sorted((m["id"], m["round"], m["table"]) for m in one["met"]) == sorted(met[one["id"]])
        assert one["partners"] == []
        assert one["region"] == it.entries[one["id"]]["region"]


def check_alone(it: ExportedTournaments, *, corrected: bool) -> None:
    """Check a tournament that is a knock-out from its first round on."""
    assert all(row["stage"] == "knockout" for row in it.drawings)
    if not it.rounds:
        assert {row["id"]: row["rank"] for row in it.standings if row["rank"] is not None} == unpublished(it)
        return
    entrants = {one["place"]: one["id"] for one in it.rounds[1]["input"]}
    knockout = Knockout(it, entrants)
    check_knockout(knockout, corrected=corrected)
    check_knockout_standing(knockout)
    for number, of in it.rounds.items():
        check_places(it, number)
        check_met(it, number, corrected=corrected)
        assert all(one["byes"] == 0 for one in of["input"])
