"""The least perfect matching by criteria in their order, as exact integers."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

import networkx as nx

Costs = tuple[int, ...]
"""What an edge costs by each criterion, the first one first; never negative."""
CostsOf = Callable[[str, str], Costs]
"""What an edge between two costs."""


def least_matching(ids: Sequence[str], costs: CostsOf) -> list[tuple[str, str]]:
    """The pairs whose costs are least by the first criterion, among these by the second, and so on.

    `ids` are an even number, each of which is in one pair.
    """
    edges = {(a, b): costs(a, b) for a, b in combinations(ids, 2)}
    bases = _bases(edges.values(), len(ids) // 2)
    graph = nx.Graph()
    graph.add_nodes_from(ids)
    graph.add_weighted_edges_from((a, b, -one_number(each, bases)) for (a, b), each in edges.items())
    return [tuple(sorted(pair)) for pair in nx.max_weight_matching(graph, maxcardinality=True)]


def one_number(costs: Costs, bases: Sequence[int]) -> int:
    """Costs as digits of one number: sums of such numbers compare as the sums of their digits, the first one first."""
    number = 0
    for cost, base in zip(costs, bases, strict=True):
        number = number * base + cost
    return number


def _bases(costs: Iterable[Costs], pairs: int) -> list[int]:
    """The base of each digit: more than all pairs together can reach."""
    columns = zip(*costs, strict=True)
    return [max(column) * pairs + 1 for column in columns]
