"""Requests that cost graphql-core seconds before they were bounded, and the dearest that are still allowed."""

from __future__ import annotations

from typing import Any

from graphql import get_introspection_query

FILTER = "query ($f: MatchFilterInput) { matches(first: 1, filter: $f) { totalCount } }"
TILES = "query ($l: [Tile!]!) { regions @skip(if: true) board { places(first: $l) { totalCount } } }"

HOSTILE: dict[str, tuple[str, dict[str, Any], str, int]] = {
    "unknown keys": (
        FILTER, {"f": {f"k{n}": 1 for n in range(10_000)}}, "keys in one object of the variables", 10_000),
    "wrong enum values": (FILTER, {"f": {"status": ["X"] * 30_000}}, "values in the variables", 30_002),
    "values that are no tiles": (TILES, {"l": [1] * 80_000}, "values in the variables", 80_001),
    "valid statuses": (FILTER, {"f": {"status": ["OPEN"] * 20_000}}, "values in the variables", 20_002),
    "a field 390 times": (
        "{" + "board{kind} " * 390 + "}", {}, "fields in one selection with its fragments", 390),
    "a field 190 times": ("{" + "board{kind} " * 190 + "}", {}, "pairs of fields to compare", 190 * 189 // 2),
    "inline fragments": (
        "{" + "...on Query{regions} " * 190 + "}", {}, "pairs of fields to compare", 190 * 189 // 2),
    "spreads of fragments": (
        "{" + "".join(f"...F{n} " for n in range(150)) + "}"
        + "".join(f"fragment F{n} on Query{{regions}}" for n in range(150)),
        {}, "fields in one selection with its fragments", 300),
    "keys of an object in the document": (
        "{matches(filter:{" + "".join(f"k{n}:1 " for n in range(600)) + "}){totalCount}}",
        {}, "keys in one object of the document", 600),
    "tokens": ("{" + "a " * 3_000 + "}", {}, "tokens", 3_002),
    "bytes": ("{regions}#" + "x" * 40_000, {}, "bytes of document", 40_010),
}  # fmt: skip
"""Each with its variables, what there is too much of, and how much."""

ALLOWED: dict[str, tuple[str, dict[str, Any]]] = {
    "introspection": (get_introspection_query(), {}),
    "explanations of hands": ("{matches(first:13){nodes{hands{explanation{statement}}}}}", {}),
    "explanations of places": ("{board{places(first:70){nodes{explanation{statement}}}}}", {}),
    "explanations of changes": ("{matches(first:22){nodes{ratingChanges{explanation{statement}}}}}", {}),
    "proofs of matches": ("{matches(first:19){nodes{proof}}}", {}),
    "30 boards at earlier moments": (
        "{"
        + "".join(f'b{n}:board(asOf:"2026-0{n % 6 + 1}-10T00:00:00Z"){{places{{nodes{{shown}}}}}}' for n in range(30))
        + "}",
        {},
    ),
    "boards at earlier moments with their moves": (
        "{"
        + "".join(
            f'b{n}:board(asOf:"2026-0{n % 6 + 1}-1{n}T00:00:00Z"){{places{{nodes{{moves{{'
            "day{rank}week{rank}month{rank}}}}}"
            for n in range(7)
        )
        + "}",
        {},
    ),
    "counts of opponents": (
        '{player(id:"p004"){' + "".join(f"a{n}:series{{opponents(first:1){{totalCount}}}}" for n in range(20)) + "}}",
        {},
    ),
    "close names": ("{" + "".join(f'a{n}:similarPlayers(name:"Ana {n}"){{name}}' for n in range(30)) + "}", {}),
    "filtered counts": (
        "{" + "".join(f'a{n}:matches(filter:{{competitor:"p0{n + 10}"}}){{totalCount}}' for n in range(30)) + "}",
        {},
    ),
    "explanations of badges": ("{players(first:1){nodes{badges{explanation{statement}}}}}", {}),
    "play of players": ("{players(first:100){nodes{statistics{play{hands}}}}}", {}),
    "two players": (
        "{" + "".join(f'a{n}:headToHead(a:"p001",b:"p0{n + 10}"){{series{{winsLeft}}}}' for n in range(30)) + "}",
        {},
    ),
    "hands of matches": ("{matches(first:100){nodes{id score hands{number winner points terms{rule points}}}}}", {}),
    "terms of explanations": ("{matches(first:20){nodes{ratingChanges{explanation{terms{name value}}}}}}", {}),
    "ranks of players": ("{players(first:100){nodes{ratings{rank}}}}", {}),
    "searches": ("{" + "".join(f'a{n}:search(query:"a e i o u"){{totalCount}}' for n in range(11)) + "}", {}),
    "logs of matches": ("{matches(first:100){nodes{log{position name}}}}", {}),
    "histories of players": (
        "{players(first:9){nodes{name ratingSeries(mode:ONE_ON_ONE,points:1000){points{rating}}}}}",
        {},
    ),
    "valid statuses": (FILTER, {"f": {"status": ["OPEN"] * 4_900}}),
    "values that are no tiles": (TILES, {"l": [1] * 4_900}),
    "unknown keys": (FILTER, {"f": {f"k{n}": 1 for n in range(99)}}),
    "unknown arguments": ("{matches(" + " ".join(f"k{n}:1" for n in range(99)) + "){totalCount}}", {}),
    "a field 70 times": ("{" + "board{kind} " * 70 + "}", {}),
    "inline fragments": ("{" + "...on Query{regions} " * 100 + "}", {}),
    "tokens": ("{" + "a " * 70 + "}" + "#" * 30_000, {}),
}
"""Each with its variables."""
