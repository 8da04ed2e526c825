"""The perfect matching that costs least by several criteria in their order.

A matching is found in one search: the costs of an edge are the digits of one number. rustworkx, of the extra
`tournaments`, is compiled and ten to forty times as fast as networkx, but computes with 128 bits and wraps near 2^127
without an error. So criteria that can be kept altogether become edges that are left out, who sits out is chosen first,
and a number that could still wrap goes to networkx, which has integers of any size. Both give the same matching.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import combinations
from typing import Literal

import structlog
from msgspec import Struct

Costs = tuple[int, ...]
"""What an edge costs by each criterion, in the order of the criteria. Costs are never negative."""
CostsOf = Callable[[str, str], Costs]
"""Returns what an edge between two ids costs."""
Solver = Literal["rustworkx", "networkx"]
"""A library that finds matchings."""
NOBODY = ""
"""The id that is paired with whoever sits out."""

TOO_LARGE = 1 << 124
"""A number from which on rustworkx does not get an edge. It doubles differences of two numbers, in 128 bits."""

log = structlog.get_logger()

_Edge = tuple[int, int, Costs]


class LeastMatching(Struct, frozen=True):
    """The matching that costs least, and how it was found."""

    pairs: list[tuple[str, str]]
    """Each id is in exactly one pair. The smaller id comes first."""
    solver: Solver
    """The library that found the matching. `networkx`: numbers too large for rustworkx, or it is not installed."""
    bits: int
    """Length of the largest number that weighs an edge."""


class NoPerfectMatching(ValueError):
    """The edges cannot pair all nodes. In a complete graph with an even number of nodes this never happens."""


@cache
def is_fast() -> bool:
    """Whether rustworkx, of the extra `tournaments`, is installed with the numpy that it needs."""
    return find_spec("rustworkx") is not None and find_spec("numpy") is not None


def least_matching(ids: Sequence[str], costs: CostsOf, solver: Solver | None = None) -> LeastMatching:
    """The matching whose total cost is least by the first criterion, among these by the second, and so on.

    `ids`: an even number of ids; `NOBODY` may be one. `solver`: the library to use; None means rustworkx where it can.

    Where several matchings cost least by all criteria, the result depends on the order of `ids` and on the library. In
    drawings the last criterion is a sum of 64-bit hashes, so that this is as unlikely as two equal hashes.
    """
    if solver is None:
        solver = "rustworkx" if is_fast() else "networkx"
    nodes = list(range(len(ids)))
    edges = [(a, b, costs(ids[a], ids[b])) for a, b in combinations(nodes, 2)]
    nobody = ids.index(NOBODY) if NOBODY in ids else None
    settled: list[tuple[int, int]] = []
    weighing: list[int] = []
    for criterion in range(len(edges[0][2]) if edges else 0):
        costing = [edge for edge in edges if edge[2][criterion]]
        if not costing:
            continue
        if nobody is not None and all(nobody in edge[:2] for edge in costing):
            sits_out = _who_sits_out(nodes, edges, nobody, criterion, weighing, solver)
            settled.append((sits_out, nobody))
            nodes, edges = _without(nodes, edges, settled[-1])
            nobody = None
        elif not weighing and _is_perfect(nodes, free := [edge for edge in edges if not edge[2][criterion]], solver):
            edges = free
        else:
            weighing.append(criterion)
    weights = packed(edges, weighing)
    found, found_by = _matched(nodes, edges, weights, solver)
    if 2 * len(found) < len(nodes):
        raise NoPerfectMatching
    pairs = sorted(tuple(sorted((ids[a], ids[b]))) for a, b in (*found, *settled))
    return LeastMatching([(a, b) for a, b in pairs], found_by, max(weights, default=0).bit_length())


def packed(edges: Sequence[_Edge], criteria: Sequence[int]) -> list[int]:
    """A number for each edge, such that sums over perfect matchings compare as their costs by these criteria do.

    The costs are digits. The base of each digit exceeds what a perfect matching can reach: at each node at most its
    dearest edge, and each edge has two nodes. The first digit needs no base.
    """
    numbers = [0] * len(edges)
    for criterion in criteria:
        dearest: dict[int, int] = {}
        for a, b, costs in edges:
            cost = costs[criterion]
            if cost > dearest.get(a, 0):
                dearest[a] = cost
            if cost > dearest.get(b, 0):
                dearest[b] = cost
        base = sum(dearest.values()) // 2 + 1
        numbers = [number * base + edge[2][criterion] for number, edge in zip(numbers, edges, strict=True)]
    return numbers


def _who_sits_out(
    nodes: Sequence[int], edges: Sequence[_Edge], nobody: int, criterion: int, weighing: Sequence[int], solver: Solver
) -> int:
    """The first in the order of sitting out without whom the others cost no more by the criteria before it.

    A perfect matching has one edge of `nobody`, so what that edge costs is all that this criterion costs.
    """
    least = _least_cost(nodes, edges, weighing, solver)
    own = sorted((costs[criterion], b if a == nobody else a) for a, b, costs in edges if nobody in {a, b})
    for _, one in own:
        others = _without(nodes, edges, (one, nobody))
        if least is not None and _least_cost(*others, weighing, solver) == least:
            return one
    raise NoPerfectMatching


def _without(nodes: Sequence[int], edges: Sequence[_Edge], two: tuple[int, int]) -> tuple[list[int], list[_Edge]]:
    left = [node for node in nodes if node not in two]
    return left, [edge for edge in edges if edge[0] not in two and edge[1] not in two]


def _least_cost(
    nodes: Sequence[int], edges: Sequence[_Edge], criteria: Sequence[int], solver: Solver
) -> tuple[int, ...] | None:
    """What a perfect matching costs at least, by these criteria; None if there is none."""
    if not criteria:
        return () if _is_perfect(nodes, edges, solver) else None
    pairs, _ = _matched(nodes, edges, packed(edges, criteria), solver)
    if 2 * len(pairs) < len(nodes):
        return None
    chosen = {frozenset(two) for two in pairs}
    kept = [costs for a, b, costs in edges if frozenset((a, b)) in chosen]
    return tuple(sum(costs[criterion] for costs in kept) for criterion in criteria)


def _is_perfect(nodes: Sequence[int], edges: Sequence[_Edge], solver: Solver) -> bool:
    """Whether these edges can pair all nodes."""
    others: dict[int, list[int]] = {node: [] for node in nodes}
    for a, b, _ in edges:
        others[a].append(b)
        others[b].append(a)
    if 2 * min(map(len, others.values()), default=0) >= len(nodes):
        return True  # Dirac's theorem: then there is even a circle through all nodes
    if any(size % 2 for size in _sizes_of_parts(others)):
        return False
    return 2 * len(_matched(nodes, edges, [0] * len(edges), solver)[0]) == len(nodes)


def _sizes_of_parts(others: dict[int, list[int]]) -> Iterable[int]:
    """The number of nodes in each connected part of a graph. `others`: the neighbours of each node."""
    seen: set[int] = set()
    for node in others:
        if node in seen:
            continue
        seen.add(node)
        part = [node]
        for each in part:
            new = [other for other in others[each] if other not in seen]
            seen.update(new)
            part += dict.fromkeys(new)
        yield len(part)


# ---------------------------------------------------------------- an assignment


def least_assignment(ones: Sequence[str], others: Sequence[str], costs: CostsOf) -> list[tuple[str, str]]:
    """The assignment of each of `ones` to another of `others` whose total cost is least, criterion by criterion.

    `others`: at least as many as `ones`. Equal costs: as in `least_matching`. It needs no library: each of the ones
    takes a shortest augmenting path, which among 250 takes a second where a matching takes a minute.
    """
    edges = [
        (a, b, costs(one, other)) for a, one in enumerate(ones) for b, other in enumerate(others, len(ones))
    ]  # fmt: skip
    weights = packed(edges, range(len(edges[0][2]) if edges else 0))
    width = len(others)
    found = _assigned([weights[a * width : (a + 1) * width] for a in range(len(ones))])
    return [(one, others[found[a]]) for a, one in enumerate(ones)]


def _assigned(weights: Sequence[Sequence[int]]) -> dict[int, int]:
    """The column of each row, such that the weights add up to least. There are as many columns as rows, or more.

    Row after row is assigned along the path that adds least. Prices of rows and columns keep each weight less both
    prices at 0 or more, so that the path is found as by Dijkstra (Jonker and Volgenant, 1987).
    """
    columns = range(len(weights[0]) if weights else 0)
    of_row, of_column = [0] * len(weights), [0] * len(columns)
    row_of: dict[int, int] = {}
    column_of: dict[int, int] = {}
    for new in range(len(weights)):
        row, length, left = new, 0, list(columns)
        least: dict[int, int] = {}
        before: dict[int, int] = {}
        reached: dict[int, int] = {}
        while True:
            rest, own = length - of_row[row], weights[row]
            for column in left:
                path = rest + own[column] - of_column[column]
                if column not in least or path < least[column]:
                    least[column], before[column] = path, row
            column = min(left, key=least.__getitem__)
            left.remove(column)
            length = least[column]
            if column not in row_of:
                break
            row, reached[column] = row_of[column], length
        of_row[new] += length
        for passed, path in reached.items():
            of_column[passed] -= length - path
            of_row[row_of[passed]] += length - path
        row = -1
        while row != new:
            row = before[column]
            row_of[column] = row
            column_of[row], column = column, column_of.get(row, -1)
    return column_of


# ---------------------------------------------------------------- the libraries


def _matched(
    nodes: Sequence[int], edges: Sequence[_Edge], weights: Sequence[int], solver: Solver
) -> tuple[list[tuple[int, int]], Solver]:
    """The pairs whose weights add up to least, among the matchings with the most pairs, and who found them."""
    if solver == "rustworkx" and max(weights, default=0) < TOO_LARGE:
        pairs = _by_rustworkx(nodes, edges, weights)
        if pairs is not None:
            return pairs, "rustworkx"
    return _by_networkx(nodes, edges, weights), "networkx"


def _by_rustworkx(nodes: Sequence[int], edges: Sequence[_Edge], weights: Sequence[int]) -> list[tuple[int, int]] | None:
    """The pairs that rustworkx finds and proves to be the best; None if it fails."""
    from rustworkx import PyGraph, max_weight_matching  # noqa: PLC0415  # only a drawing needs it

    at = {node: number for number, node in enumerate(nodes)}
    graph = PyGraph[None, int](multigraph=False)
    graph.add_nodes_from([None] * len(nodes))
    graph.add_edges_from([(at[a], at[b], -weight) for (a, b, _), weight in zip(edges, weights, strict=True)])
    try:
        pairs = max_weight_matching(graph, max_cardinality=True, weight_fn=int, verify_optimum=True)
    except BaseException as error:
        # A panic of Rust is no Exception, and its class can be imported from nowhere.
        if type(error).__name__ != "PanicException":
            raise
        log.warning("matching_failed", nodes=len(nodes), reason=str(error))
        return None
    return [(nodes[a], nodes[b]) for a, b in pairs]


def _by_networkx(nodes: Sequence[int], edges: Sequence[_Edge], weights: Sequence[int]) -> list[tuple[int, int]]:
    import networkx as nx  # noqa: PLC0415  # slow to import, and only a drawing needs it

    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_weighted_edges_from((a, b, -weight) for (a, b, _), weight in zip(edges, weights, strict=True))
    return list(nx.max_weight_matching(graph, maxcardinality=True))
