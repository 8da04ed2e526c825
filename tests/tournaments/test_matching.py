"""The matching that costs least, by both libraries: compared with all matchings, and with networkx on plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, permutations
from random import Random

import networkx as nx
import pytest

from league.tournaments import matching, pairing
from league.tournaments.domain.drawn import EarlierMeeting, PlacedCompetitor, RoundPairings, RoundToPair
from league.tournaments.matching import NOBODY, Costs, CostsOf, Solver, least_assignment, least_matching
from league.tournaments.pairing import choice_of_opponents, pair_partners, pair_swiss

Pairs = Sequence[tuple[str, str]]
Field = tuple[list[PlacedCompetitor], RoundToPair]

NUMBER = 6


@pytest.fixture(params=["rustworkx", "networkx"])
def solver(request: pytest.FixtureRequest) -> Solver:
    """Each library in turn."""
    if request.param == "rustworkx":
        pytest.importorskip("rustworkx")
    chosen: Solver = request.param
    return chosen


def random_field(random: Random, count: int) -> Field:
    """Competitors with earlier rounds, regions and byes, some of whom the series has locked."""
    ids = [f"p{number:03}" for number in range(count)]
    met: dict[str, list[EarlierMeeting]] = {id_: [] for id_ in ids}
    partners: dict[str, list[EarlierMeeting]] = {id_: [] for id_ in ids}
    for number in range(1, random.randint(1, NUMBER)):
        for known in (met, partners):
            order = random.sample(ids, count)
            for table, (a, b) in enumerate(zip(order[::2], order[1::2], strict=False), 1):
                known[a].append(EarlierMeeting(b, number, table))
                known[b].append(EarlierMeeting(a, number, table))
    places = random.sample(range(1, count + 1), count)
    regions = random.choice([[None], ["Holguín", "Camagüey", None], ["Holguín"]])
    competitors = [
        PlacedCompetitor(
            id_, random.randint(0, 4), place, random.choice(regions), random.randint(0, 1), tuple(met[id_]),
            tuple(partners[id_]),
        )
        for id_, place in zip(ids, places, strict=True)
    ]  # fmt: skip
    pairs = [frozenset(two) for two in combinations(ids, 2)]
    most = random.choice([0, count // 2, len(pairs)])
    return competitors, RoundToPair(
        seed=f"{random.getrandbits(64):016x}",
        number=random.choice([1, NUMBER]),
        opponent_window=random.choice([None, 2]),
        partner_window=random.choice([None, 2]),
        region_rounds=random.choice([0, NUMBER]),
        by_rating=random.random() < 0.5,
        near_partners=random.random() < 0.7,
        locked=frozenset(random.sample(pairs, random.randint(0, most))),
    )


def all_matchings(ids: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Every way to split an even number of ids into pairs."""
    if not ids:
        yield []
        return
    first, *others = ids
    for other in others:
        for pairs in all_matchings([one for one in others if one != other]):
            yield [(first, other), *pairs]


def total(pairs: Pairs, costs: CostsOf) -> Costs:
    """What pairs cost by each criterion."""
    return tuple(map(sum, zip(*(costs(a, b) for a, b in pairs), strict=True)))


def least_by_networkx(ids: Sequence[str], costs: CostsOf) -> list[tuple[str, str]]:
    """The least matching on plain numbers: all criteria are digits, and all edges are searched at once."""
    edges = {two: costs(*two) for two in combinations(ids, 2)}
    bases = [max(column) * len(ids) // 2 + 1 for column in zip(*edges.values(), strict=True)]
    graph = nx.Graph()
    for (a, b), each in edges.items():
        number = 0
        for cost, base in zip(each, bases, strict=True):
            number = number * base + cost
        graph.add_edge(a, b, weight=-number)
    return sorted((min(two), max(two)) for two in nx.max_weight_matching(graph, maxcardinality=True))


def searched(
    pair: Callable[..., RoundPairings], field: Field, solver: Solver
) -> list[tuple[Sequence[str], CostsOf, Pairs]]:
    """The matchings that the pairing of a round searches: the ids, what pairs of them cost, and what was found."""
    found = []

    def search(ids: Sequence[str], costs: CostsOf, by: Solver) -> matching.LeastMatching:
        least = least_matching(ids, costs, by)
        found.append((ids, costs, least.pairs))
        return least

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairing, "least_matching", search)
        paired = pair(*field, solver)
    assert paired.solvers == (solver,) * len(found)
    return found


@pytest.mark.parametrize("count", range(2, 11))
def test_every_small_swiss_round_is_the_least_of_all(count: int, solver: Solver) -> None:
    """No possible Swiss round costs less, with locks, repeats, regions and byes, whichever library finds it."""
    for chance in range(40 if count < 9 else 6):
        for ids, costs, found in searched(pair_swiss, random_field(Random(1000 * count + chance), count), solver):
            assert total(found, costs) == min(total(pairs, costs) for pairs in all_matchings(ids))


@pytest.mark.parametrize("count", range(4, 11))
def test_every_small_round_of_partners_is_the_least_of_all(count: int, solver: Solver) -> None:
    """No possible partners, and no tables that they could have, cost less, whichever library finds them."""
    for chance in range(40 if count < 8 else 12):
        for ids, costs, found in searched(pair_partners, random_field(Random(1000 * count + chance), count), solver):
            assert total(found, costs) == min(total(pairs, costs) for pairs in all_matchings(ids))


@pytest.mark.parametrize("count", [15, 24, 33, 64])
@pytest.mark.parametrize("pair", [pair_swiss, pair_partners])
def test_larger_rounds_are_those_of_networkx(count: int, pair: Callable[..., RoundPairings]) -> None:
    """The matching is the one that networkx finds on plain numbers, pair by pair."""
    pytest.importorskip("rustworkx")
    for chance in range(6 if count < 64 else 2):
        for ids, costs, found in searched(pair, random_field(Random(1000 * count + chance), count), "rustworkx"):
            assert list(found) == least_by_networkx(ids, costs)


@pytest.mark.heavy
def test_a_round_whose_plain_numbers_wrap_is_that_of_networkx() -> None:
    """An odd field with regions and locked pairs is paired without networkx, though its plain numbers would wrap."""
    pytest.importorskip("rustworkx")
    for count in (125, 141, 181):
        competitors, of = random_field(Random(count), count)
        locked = frozenset(frozenset((f"p{number:03}", f"p{number + 1:03}")) for number in range(0, count - 1, 3))
        ids, costs = choice_of_opponents(competitors, RoundToPair(of.seed, 2, region_rounds=2, locked=locked))
        least = least_matching(ids, costs)
        assert least.solver == "rustworkx"
        assert least.pairs == least_by_networkx(ids, costs)


def test_numbers_too_large_for_rustworkx_go_to_networkx() -> None:
    """Where packed costs reach 2^124, networkx finds the matching, and the result says so."""
    pytest.importorskip("rustworkx")
    ids = ["a", "b", "c", "d"]

    def found(bits: int) -> matching.LeastMatching:
        values = {"ab": 1 << bits, "cd": 1, "ac": 1 << bits, "bd": 2, "ad": 1 << bits, "bc": 3}
        least = least_matching(ids, lambda a, b: (values[a + b],))
        assert least.pairs == [("a", "b"), ("c", "d")]
        assert least.bits == bits + 1
        return least

    assert found(123).solver == "rustworkx"
    assert found(124).solver == "networkx"
    assert found(300).solver == "networkx"


def test_a_panic_of_rustworkx_goes_to_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rustworkx wraps and its own check stops it, networkx finds the matching."""
    pytest.importorskip("rustworkx")
    monkeypatch.setattr(matching, "TOO_LARGE", 1 << 127)
    random = Random(12)
    ids = [f"p{number:02}" for number in range(12)]
    costs = {two: (random.getrandbits(127),) for two in combinations(ids, 2)}
    least = least_matching(ids, lambda a, b: costs[a, b])
    assert least.solver == "networkx"
    assert least.pairs == least_by_networkx(ids, lambda a, b: costs[a, b])


@pytest.mark.parametrize("criteria", [3, 5])
def test_any_costs_give_the_least_matching(criteria: int, solver: Solver) -> None:
    """Costs that can be 0 for all, for some or for nobody are weighed in their order, also around who sits out."""
    for chance in range(150):
        random = Random(1000 * criteria + chance)
        names = [f"p{number}" for number in range(random.randint(1, 7))]
        ids = names + [NOBODY] * (len(names) % 2)
        order = {name: number for number, name in enumerate(random.sample(names, len(names)))}
        sitting = random.randrange(criteria)
        share = random.choice([0.2, 0.5, 0.9])
        costs = {
            two: tuple(
                (order[two[0]] if number == sitting else 0) if NOBODY in two
                else 0 if number == sitting or random.random() > share
                else random.randint(1, 3)
                for number in range(criteria)
            )
            for two in combinations(ids, 2)
        }  # fmt: skip

        def of(a: str, b: str, known: dict[tuple[str, str], Costs] = costs) -> Costs:
            return known.get((a, b)) or known[b, a]

        found = least_matching(ids, of, solver).pairs
        assert sorted(id_ for two in found for id_ in two) == sorted(ids)
        assert total(found, of) == min(total(pairs, of) for pairs in all_matchings(ids))


@pytest.mark.parametrize("ones", range(1, 6))
def test_every_small_assignment_is_the_least_of_all(ones: int) -> None:
    """None costs less, with equal costs and with more others than ones."""
    for chance in range(30):
        random = Random(1000 * ones + chance)
        names, others = [f"a{at}" for at in range(ones)], [f"b{at}" for at in range(ones + random.randint(0, 2))]
        most = random.choice([1, 3, 2**64])
        costs = {(a, b): (random.randint(0, 1), random.randint(0, most)) for a in names for b in others}
        found = least_assignment(names, others, lambda a, b, costs=costs: costs[a, b])
        assert [a for a, _ in found] == names
        assert len({b for _, b in found}) == ones
        all_of_them = (zip(names, chosen, strict=True) for chosen in permutations(others, ones))
        assert added(costs[two] for two in found) == min(added(costs[two] for two in pairs) for pairs in all_of_them)


@pytest.mark.parametrize("count", [6, 20])
def test_a_larger_assignment_is_the_least_matching(count: int) -> None:
    """It is the matching of least cost that networkx finds in the graph of the ones and the others."""
    random = Random(count)
    names, others = [f"a{at:02}" for at in range(count)], [f"b{at:02}" for at in range(count)]
    costs = {(a, b): (random.randint(0, 2), random.getrandbits(64)) for a in names for b in others}
    graph = nx.Graph()
    graph.add_weighted_edges_from((*two, -(each[0] * (count << 64) + each[1])) for two, each in costs.items())
    wanted = sorted((min(two), max(two)) for two in nx.max_weight_matching(graph, maxcardinality=True))
    assert least_assignment(names, others, lambda a, b: costs[a, b]) == wanted


def added(costs: Iterable[Costs]) -> Costs:
    return tuple(map(sum, zip(*costs, strict=True)))
