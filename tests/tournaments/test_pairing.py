"""Each stage of pairing costs least by the criteria in their order, compared with all possible pairings."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from league.domain.refusals import WrongState
from league.domain.seating import competitor_of
from league.tournaments.domain.drawn import (
    EarlierMeeting,
    PlacedCompetitor,
    RankedCompetitor,
    RoundPairings,
    RoundToPair,
    Schedule,
    berger_round,
    seed_of,
    sits_out_of_round,
    tie_value,
)
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.plan import parse_plan
from league.tournaments.pairing import (
    MOST_IN_THREAD,
    bye_order,
    pair,
    pair_apart,
    pair_partners,
    pair_swiss,
    partner_costs,
    swiss_costs,
    table_costs,
)
from tests.bench.pairing import bench_pairing

Costs = tuple[int, ...]
NUMBER = 5


@st.composite
def competitors(draw: st.DrawFn, least: int, most: int) -> list[PlacedCompetitor]:
    """Competitors in any order, with any earlier opponents and partners."""
    ids = [f"p{number:02}" for number in range(draw(st.integers(least, most)))]
    places = draw(st.permutations(range(1, len(ids) + 1)))
    earlier = {
        (kind, *sorted(draw(st.permutations(ids))[:2])): draw(st.integers(1, NUMBER - 1))
        for kind in draw(st.lists(st.sampled_from(["met", "partners"]), max_size=8))
    }

    def earlier_of(kind: str, id_: str) -> tuple[EarlierMeeting, ...]:
        found = [(set(two) - {id_}, round_) for (of, *two), round_ in earlier.items() if of == kind and id_ in two]
        return tuple(EarlierMeeting(other.pop(), round_, 1) for other, round_ in found)

    return [
        PlacedCompetitor(
            id_,
            won=draw(st.integers(0, 4)),
            place=place,
            region=draw(st.sampled_from([None, "Holguín", "Camagüey"])),
            byes=draw(st.integers(0, 1)),
            met=earlier_of("met", id_),
            partners=earlier_of("partners", id_),
        )
        for id_, place in zip(ids, places, strict=True)
    ]


@st.composite
def rounds(draw: st.DrawFn, ids: Sequence[str] = ()) -> RoundToPair:
    windows = st.none() | st.integers(1, 4)
    locked = (
        draw(st.lists(st.lists(st.sampled_from(ids), min_size=2, max_size=2, unique=True), max_size=3)) if ids else []
    )
    return RoundToPair(
        seed=draw(st.text("0123456789abcdef", min_size=4, max_size=4)),
        number=NUMBER,
        opponent_window=draw(windows),
        partner_window=draw(windows),
        region_rounds=draw(st.sampled_from([0, NUMBER])),
        near_partners=draw(st.booleans()),
        locked=frozenset(map(frozenset, locked)),
    )


def all_pairings(ids: Sequence[Any]) -> Iterator[list[tuple[Any, Any]]]:
    """Every way to split an even number of items into pairs."""
    if not ids:
        yield []
        return
    first, *others = ids
    for other in others:
        rest = [one for one in others if one != other]
        for pairs in all_pairings(rest):
            yield [(first, other), *pairs]


def total(pairs: Sequence[tuple[Any, Any]], costs: Callable[[Any, Any], Costs]) -> Costs:
    return tuple(map(sum, zip(*(costs(a, b) for a, b in pairs), strict=True)))


ANA = PlacedCompetitor(
    "ana",
    3,
    1,
    "Holguín",
    met=(EarlierMeeting("bea", 1, 1), EarlierMeeting("bea", 4, 2), EarlierMeeting("dora", 4, 2)),
    partners=(EarlierMeeting("cira", 3, 1),),
)
BEA = PlacedCompetitor("bea", 1, 4, "Holguín")
CIRA = PlacedCompetitor("cira", 0, 3, "Camagüey")
DORA = PlacedCompetitor("dora", 0, 2, "Camagüey")


def test_the_criteria_of_a_swiss_table_are_those_of_the_rules() -> None:
    """Costs are: locked, sitting out, meetings in the window, squares of wins, region, squares of places, tie value."""
    tie = tie_value("ff", "opponents", "ana", "bea")
    of = RoundToPair("ff", 5, region_rounds=5, locked=frozenset({frozenset({"ana", "bea"})}))
    assert swiss_costs(ANA, BEA, of, 4) == (1, 0, 2, 4, 1, 9, tie)
    assert swiss_costs(ANA, BEA, RoundToPair("ff", 5, opponent_window=3), 4) == (0, 0, 1, 4, 0, 9, tie)
    assert swiss_costs(ANA, BEA, RoundToPair("ff", 1, by_rating=True), 4) == (0, 0, 0, 4, 0, 1, tie)


def test_the_criteria_of_partners_and_tables_are_those_of_the_rules() -> None:
    """Partners cost partnerships in the window and wins; tables cost locks, meetings, wins of pairs and regions."""
    tie = tie_value("ff", "partners", "ana", "cira")
    assert partner_costs(ANA, CIRA, RoundToPair("ff", 5, partner_window=3)) == (1, 9, tie)
    assert partner_costs(ANA, CIRA, RoundToPair("ff", 7, partner_window=3, near_partners=False)) == (0, 0, tie)
    of = RoundToPair(
        "ff", 5, opponent_window=3, region_rounds=5, locked=frozenset({frozenset({"ana+cira", "bea+dora"})})
    )
    tie = tie_value("ff", "tables", "ana+cira", "bea+dora")
    assert table_costs((CIRA, ANA), (BEA, DORA), of) == (1, 2, 4, 2, tie)


@pytest.mark.heavy
@settings(max_examples=60)
@given(st.data())
def test_a_swiss_round_is_the_least_of_all(data: st.DataObject) -> None:
    """No possible round costs less. With an odd number this includes everybody who could sit out."""
    drawn = data.draw(competitors(2, 7))
    check_swiss(drawn, data.draw(rounds([one.id for one in drawn])))


@settings(max_examples=4)
@given(st.data())
def test_a_large_swiss_round_is_the_least_of_all(data: st.DataObject) -> None:
    """No possible round of nine or ten competitors costs less: each has 945 rounds."""
    drawn = data.draw(competitors(9, 10))
    check_swiss(drawn, data.draw(rounds([one.id for one in drawn])))


def check_swiss(drawn: list[PlacedCompetitor], of: RoundToPair) -> None:
    """Compare the round with all possible rounds."""
    paired = pair_swiss(drawn, of)
    known, order = {one.id: one for one in drawn}, bye_order(drawn)
    playing = len(drawn) - len(drawn) % 2

    def costs(a: str, b: str) -> Costs:
        if "" in {a, b}:
            return (0, order[a or b], 0, 0, 0, 0, 0)
        return swiss_costs(known[a], known[b], of, playing)

    ids = [*known] + [""] * (len(known) % 2)
    chosen = [(table.sides[0][0], table.sides[1][0]) for table in paired.tables]
    chosen += [(bye, "") for bye in paired.byes]
    assert total(chosen, costs) == min(total(pairs, costs) for pairs in all_pairings(ids))
    assert sorted(one for pair in chosen for one in pair if one) == sorted(known)


@pytest.mark.heavy
@settings(max_examples=40)
@given(st.data())
def test_partners_and_tables_are_the_least_of_all(data: st.DataObject) -> None:
    """Each stage costs least: who sits out, then partners, then tables, where the series has locked some pairs."""
    players = data.draw(competitors(4, 9))
    of = data.draw(with_locked_pairs(players))
    paired = pair_partners(players, of)
    fewest = sorted(players, key=lambda one: (one.byes, -one.place))
    assert list(paired.byes) == [one.id for one in fewest[: len(players) % 4]]
    known = {one.id: one for one in players if one.id not in paired.byes}

    def of_partners(a: str, b: str) -> Costs:
        return partner_costs(known[a], known[b], of)

    sides = [tuple(sorted(side)) for table in paired.tables for side in table.sides]
    assert total(sides, of_partners) == min(total(pairs, of_partners) for pairs in all_pairings([*known]))  # type: ignore[arg-type]  # two a side

    check_tables(paired, known, of)


@settings(max_examples=15)
@given(st.data())
def test_four_tables_are_the_least_of_all(data: st.DataObject) -> None:
    """No choice of tables costs less, among the 105 that the partners of sixteen players allow."""
    players = data.draw(competitors(16, 16))
    of = data.draw(with_locked_pairs(players))
    check_tables(pair_partners(players, of), {one.id: one for one in players}, of)


@st.composite
def with_locked_pairs(draw: st.DrawFn, players: list[PlacedCompetitor]) -> RoundToPair:
    """A round in which the series has locked some pairs of partners. Who become partners does not depend on locks."""
    of = draw(rounds())
    pairs = [competitor_of(side) for table in pair_partners(players, of).tables for side in table.sides]
    two = st.frozensets(st.sampled_from(pairs), min_size=2, max_size=2)
    return replace(of, locked=draw(st.frozensets(two, max_size=6)))


def check_tables(paired: RoundPairings, known: dict[str, PlacedCompetitor], of: RoundToPair) -> None:
    """Compare the tables with all that these partners could have, and check that each locked one is listed."""

    def of_tables(one: tuple[str, str], other: tuple[str, str]) -> Costs:
        return table_costs((known[one[0]], known[one[1]]), (known[other[0]], known[other[1]]), of)

    tables = [(tuple(sorted(a)), tuple(sorted(b))) for a, b in (table.sides for table in paired.tables)]
    sides = [side for table in tables for side in table]
    assert total(tables, of_tables) == min(total(pairs, of_tables) for pairs in all_pairings(sides))
    for table in paired.tables:
        is_locked = frozenset(map(competitor_of, table.sides)) in of.locked
        assert any(one.criterion == "series" for one in table.relaxed) == is_locked


@pytest.mark.heavy
@given(competitors(4, 12), rounds())
def test_what_gave_way_is_listed_with_its_round(players: list[PlacedCompetitor], of: RoundToPair) -> None:
    """Every earlier meeting and partnership within the window is listed, and no other."""
    known = {one.id: one for one in players}
    paired = pair_partners(players, of)
    for table in paired.tables:
        across, within = [*product(*table.sides)], [*table.sides]
        for criterion, pairs, window in (
            ("meetings", across, of.opponent_window),
            ("partners", within, of.partner_window),
        ):
            field = "met" if criterion == "meetings" else "partners"
            first = 1 if window is None else of.number - window
            due = sorted(
                (tuple(sorted(pair)), met.round)
                for pair in pairs
                for met in getattr(known[pair[0]], field)
                if met.id == pair[1] and met.round >= first
            )
            said = sorted((tuple(sorted(one.ids)), one.round) for one in table.relaxed if one.criterion == criterion)
            assert said == due
    assert {one.ids[0] for one in paired.relaxed} == {id_ for id_ in paired.byes if known[id_].byes}


@pytest.mark.heavy
@given(competitors(4, 14), rounds(), st.randoms())
def test_the_order_of_the_inputs_changes_nothing(players: list[PlacedCompetitor], of: RoundToPair, random: Any) -> None:
    """Competitors in any order give the same round."""
    shuffled = [*players]
    random.shuffle(shuffled)
    assert pair_partners(players, of) == pair_partners(shuffled, of)
    assert pair_swiss(players, of) == pair_swiss(shuffled, of)


@given(
    competitors(2, 12), rounds(), st.dictionaries(st.sampled_from([f"p{n:02}" for n in range(12)]), st.integers(1, 6))
)
def test_tables_are_numbered_from_one_and_a_fixed_one_is_kept(
    players: list[PlacedCompetitor], of: RoundToPair, fixed: dict[str, int]
) -> None:
    """Tables without a fixed number are ordered by matches won, then by the best place."""
    known = {one.id: one for one in players}
    plain = pair_swiss(players, of)
    assert [table.number for table in plain.tables] == [*range(1, len(plain.tables) + 1)]
    keys = [_rank(known, table.sides) for table in plain.tables]
    assert keys == sorted(keys)
    given_tables = RoundToPair(**{**{name: getattr(of, name) for name in of.__struct_fields__}, "fixed": fixed})
    numbered = pair_swiss(players, given_tables)
    assert sorted(sides_of_tables(numbered)) == sorted(sides_of_tables(plain))
    for table in numbered.tables:
        wanted = {fixed[id_] for side in table.sides for id_ in side if id_ in fixed}
        taken = {number for number in wanted if number <= len(numbered.tables)}
        if taken and table.number not in taken:
            holders = {each.number: each for each in numbered.tables}
            assert all(any(id_ in fixed for side in holders[number].sides for id_ in side) for number in taken)


def sides_of_tables(paired: RoundPairings) -> list[tuple[tuple[str, ...], ...]]:
    return [table.sides for table in paired.tables]


def _rank(known: dict[str, PlacedCompetitor], sides: Any) -> tuple[int, int]:
    everybody = [known[id_] for side in sides for id_ in side]
    return -sum(one.won for one in everybody), min(one.place for one in everybody)


@pytest.mark.parametrize("count", range(2, 13))
@pytest.mark.parametrize("legs", [1, 2])
def test_everybody_meets_everybody_once_a_leg(count: int, legs: int) -> None:
    """In each leg everybody meets everybody once, at most once a round. With an odd number one sits out a round."""
    ids = [f"p{number}" for number in range(1, count + 1)]
    played = [berger_round(number, ids) for number in range(1, legs * (count - 1 + count % 2) + 1)]
    for number, meetings in enumerate(played, 1):
        there = [one for meeting in meetings for one in meeting]
        assert len(there) == len(set(there)) == count - count % 2
        if count % 2:
            assert {*ids} - {*there} == {sits_out_of_round(number, ids)}
    met = [frozenset(meeting) for meetings in played for meeting in meetings]
    assert all(met.count(two) == legs for two in set(met))
    assert len(set(met)) == count * (count - 1) // 2


@pytest.mark.parametrize(
    "settings",
    [
        {"format": "round_robin", "mode": "1v1", "legs": 2},
        {"format": "fixtures", "mode": "1v1"},
        {"format": "rotating_partners", "full_cycle": True, "rounds": 7},
    ],
)
def test_what_the_format_repeats_has_not_given_way(settings: dict[str, Any]) -> None:
    """Repeats in second legs, fixtures and full cycles are not listed; only locks of the series are."""
    ids = [f"p{number}" for number in range(8)]
    earlier = {id_: tuple(EarlierMeeting(other, 1, 1) for other in ids if other != id_) for id_ in ids}
    ranked = tuple(RankedCompetitor(id_, 0, 1, met=earlier[id_], partners=earlier[id_]) for id_ in ids)
    plan = parse_plan({"name": "C", "ruleset": "cuban-150", "opponent_window": "all", **settings})
    assert {table.relaxed for table in pair(plan, RoundDrawn(2, ranked), "ab", Schedule(tuple(ids))).tables} == {()}
    pairs = [
        competitor_of(side) for side in pair(plan, RoundDrawn(2, ranked), "ab", Schedule(tuple(ids))).tables[0].sides
    ]
    locked = RoundDrawn(2, ranked, ((pairs[0], pairs[1]),))
    listed = [table.relaxed for table in pair(plan, locked, "ab", Schedule(tuple(ids))).tables if table.relaxed]
    assert [[(one.criterion, set(one.ids)) for one in relaxed] for relaxed in listed] == [[("series", set(pairs))]]


def test_the_rounds_of_six_are_bergers() -> None:
    """A round robin of six follows Berger's tables as federations print them."""
    numbers = [str(number) for number in range(1, 7)]
    rounds = [berger_round(number, numbers) for number in range(1, 6)]
    assert [" ".join(f"{a}-{b}" for a, b in meetings) for meetings in rounds] == [
        "1-6 2-5 3-4",
        "6-4 5-3 1-2",
        "2-6 3-1 4-5",
        "6-5 1-4 2-3",
        "3-6 4-2 5-1",
    ]


def test_fewer_than_four_have_no_table() -> None:
    """Pairing fewer than four players is refused, and the message says how many are available."""
    with pytest.raises(WrongState, match="round 1 is short of competitors: 3 players are available"):
        pair_partners([PlacedCompetitor(f"p{number}", 0, number) for number in (1, 2, 3)], RoundToPair("s", 1))


def test_the_first_round_by_rating_pairs_the_halves() -> None:
    """The best of the upper half meets the best of the lower half."""
    drawn = [PlacedCompetitor(f"p{number}", 0, number) for number in range(1, 9)]
    paired = pair_swiss(drawn, RoundToPair("s", 1, by_rating=True))
    met = {frozenset(side[0] for side in table.sides) for table in paired.tables}
    assert met == {frozenset((f"p{number}", f"p{number + 4}")) for number in range(1, 5)}


def test_seed_and_tie_values_are_those_of_the_rules() -> None:
    """Seeds and tie values are the SHA-256 of what the rules name; two ids may come in any order."""
    seed = seed_of("00" * 32, "t1", 1)
    assert seed == "a52e618b9d4370c43863b6a8ea943f0f839eb42001f99b50b980dbf800311088"
    assert tie_value(seed, "opponents", "b", "a") == tie_value(seed, "opponents", "a", "b")
    assert tie_value("ff", "seat", "ana") == int.from_bytes(bytes.fromhex("0ec385a03ef48ba7"), "big")


@pytest.mark.parametrize("count", [8, MOST_IN_THREAD + 1])
def test_a_large_field_is_paired_in_a_process_of_its_own(count: int) -> None:
    """Another process gives the same tables for a large field; a small field stays in this process."""
    plan = parse_plan({"name": "C", "format": "swiss", "mode": "1v1", "ruleset": "cuban-150", "rounds": 3})
    drawing = RoundDrawn(1, tuple(RankedCompetitor(f"p{number:02}", 0, 1) for number in range(count)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert pair_apart(plan, drawing, "ab", Schedule(())) == pair(plan, drawing, "ab", Schedule(()))
    has_worked_elsewhere = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime > before
    assert has_worked_elsewhere == (count > MOST_IN_THREAD)


def test_the_bench_of_pairings_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """The benchmark of pairings gives a value for every figure."""
    bench_pairing((8,))
    assert "rotating partners" in capsys.readouterr().out
