"""What reading a tournament costs beside a page of a board: microseconds of the server's CPU for a point of cost.

`make bench` runs it; alone it is `python -m tests.bench.tournaments`, with any numbers of competitors.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from graphql import GraphQLField, get_named_type, is_composite_type, is_object_type, is_required_argument
from msgspec import Struct
from structlog.testing import capture_logs

from league.api.graphql.executing.rate_limits import QUERY_COST
from league.api.schema import core
from league.application.bootstrap import League, open_league
from league.console.asking import document_in
from league.domain.match import RecordResult
from league.domain.result import AnnouncedResult
from league.infra.database import connect
from league.infra.settings import Settings
from league.tournaments.console.whole_lists import FOLDER
from league.tournaments.domain import commands as c
from league.tournaments.domain.state import RoundState
from league.tournaments.drawing import LargeRounds, draw_round, publish_round
from league.tournaments.explaining import explain_round
from league.tournaments.tournament_states import stored_tournament
from tests.bench.answers import BOARD
from tests.bench.made_league import RULESET, make_league
from tests.bench.measure import say
from tests.bench.requests import CHEAPEST, TICK, Server, cost, serving

COUNTS = (16, 160, 1_000)
"""Numbers of competitors."""
HANDS = 20_000
"""Hands of the league beside the tournaments."""
TIMES, RUNS = 20, 9
"""How often each request is asked in a run. A named request costs the median of several runs, a random one has one."""
RANDOM = 30
"""Random queries for each tournament."""
SEED = 1
"""Seed of the random queries: each tournament is asked the same ones."""
FEWEST = 100
"""Random queries of fewer points are not measured: what every request takes is most of their cost."""
DEEPEST = 5
"""Limit on the objects below each other in a random query."""
SHOWN = 3
"""How many of the dearest random queries are printed."""
LINE = 300
"""Limit on the characters of a query that are printed."""
OF_THE_CORE = {"Competitor", "Edition", "Match", "Player", "Team"}
"""Types at which a random query ends: what lies behind them is no part of a tournament."""
PLAN = {"name": "Evening", "format": "swiss", "mode": "1v1", "ruleset": RULESET, "rounds": 5}
EVENING = document_in(FOLDER / "tournament.graphql")
EVERYBODY = BOARD.replace("board {", "board(includeInactive: true) {")
WHY = """query ($id: ID!) { tournament(id: $id) { publishedRound { tables(first: 40) { nodes {
  number whyState why { stage sentence } } } } } }"""
WANTED = "at most twice the CPU a point of a board page"
ACTOR = "bench"


class ReadCost(Struct, frozen=True):
    """What one request costs."""

    name: str
    points: int
    seconds: float
    """Seconds of CPU beyond those of `{ __typename }`, which every request takes."""

    @property
    def a_point(self) -> float:
        """Microseconds of CPU for a point."""
        return self.seconds / self.points * 1e6


class Reader:
    """Asks a server, and counts what each request costs it."""

    def __init__(self, server: Server) -> None:
        """Measure what any request costs."""
        self._server = server
        self.least = cost(server, "{ __typename }", {}, CHEAPEST)

    def cost(self, name: str, query: str, variables: dict[str, Any], runs: int, fewest: int = 1) -> ReadCost | None:
        """What a request costs; None if it is refused, or has fewer than `fewest` points."""
        answer = self._server.post(query, variables)
        if "errors" in answer.json():
            return None
        points = int(answer.headers[QUERY_COST].partition(";")[0])
        if points < fewest:
            return None
        taken = statistics.median(cost(self._server, query, variables, TIMES) for _ in range(runs))
        return ReadCost(name, points, max(taken - self.least, TICK / TIMES))


def bench_tournaments(counts: Sequence[int] = COUNTS) -> None:
    """Print the CPU a point of each request, and how many times that of a board page it is."""
    with (
        tempfile.TemporaryDirectory(prefix="league-bench-") as folder,
        open_league(Settings(data_dir=Path(folder) / "data"), prepare=True) as league,
    ):
        league.create("Bench", "UTC", "bench")
        make_league(league, HANDS, max(counts))
        with capture_logs():
            for count in counts:
                play_evening(league, f"t{count}", count)
        league.project()
        for count in counts:
            explain_round(league.database.url, f"t{count}", 2)
        with serving(DATABASE_URL=league.database.url, LOG_LEVEL="error") as server:
            compare(server, counts)


def compare(server: Server, counts: Sequence[int]) -> None:
    """Ask for a board page, and then for each tournament."""
    reader = Reader(server)
    board = reader.cost("a board page of 50", EVERYBODY, {}, RUNS)
    assert board is not None
    say(f"reading tournaments: CPU beyond the {reader.least * 1_000:.1f} ms of `{{ __typename }}`")
    say(f"{'':<57}{'points':>8}{'CPU ms':>9}{'us a point':>12}{'to the board':>14}")
    say_cost(board, board)
    for count in counts:
        of = {"id": f"t{count}"}
        for name, query in (("the page of an evening", EVENING), ("`why` of 40 tables", WHY)):
            found = reader.cost(f"{name}, {count:,} competitors", query, of, RUNS)
            assert found is not None, name
            say_cost(found, board)
        say_random(reader, count, board)
    say(f"  wanted: {WANTED}\n")


def say_random(reader: Reader, count: int, board: ReadCost) -> None:
    """Print the median of random queries over a tournament, and the dearest of them."""
    asked = (reader.cost(query, query, {"id": f"t{count}"}, 1, FEWEST) for query in queries(SEED))
    found = sorted(islice((one for one in asked if one), RANDOM), key=lambda one: -one.a_point)
    ratio = statistics.median(one.a_point for one in found) / board.a_point
    beyond = sum(one.a_point > 2 * board.a_point for one in found)
    say(f"  {len(found)} random queries, {count:,} competitors: median {ratio:.2f} to the board, {beyond} above 2")
    for one in found[:SHOWN]:
        say_cost(one, board)


def say_cost(found: ReadCost, board: ReadCost) -> None:
    """Print what one request costs. The line of a long query ends before it does."""
    figures = f"{found.points:>8}{found.seconds * 1_000:>9.1f}{found.a_point:>12.1f}"
    say(f"  {found.name[:LINE]:<55}{figures}{found.a_point / board.a_point:>14.2f}")


# ---------------------------------------------------------------- a tournament of an evening


def play_evening(league: League, id_: str, count: int) -> None:
    """Plan a Swiss tournament of the first players of the made league, play a round and half of the next one."""
    entries = [c.EnterCompetitor(id_, (f"p{number:05}",)) for number in range(count)]
    league.dispatcher.send_all([c.PlanTournament(id_, PLAN), *entries], ACTOR)
    record_results(league, id_, next_round(league, id_), count)
    record_results(league, id_, next_round(league, id_), count // 4)


def next_round(league: League, id_: str) -> RoundState:
    """Draw the next round and publish it."""
    draw_round(league, c.DrawRound(id_), ACTOR)
    with connect(league.database.url, autocommit=True) as conn:
        LargeRounds(league, threading.Event()).pair_waiting(conn)
    drawn = stored_tournament(league.dispatcher.state_cache, id_).rounds[-1]
    publish_round(league, c.PublishRound(id_, drawn.number), ACTOR)
    return stored_tournament(league.dispatcher.state_cache, id_).rounds[-1]


def record_results(league: League, id_: str, of: RoundState, tables: int) -> None:
    """Record results at the first tables of a round; chance says who wins."""
    random = Random(f"{id_} {of.number}")
    for table in of.tables[:tables]:
        if table.match is not None:
            winner, lost = random.randrange(2), random.randrange(150)
            scores = (150, lost) if winner == 0 else (lost, 150)
            league.dispatcher.send(RecordResult(table.match, AnnouncedResult(winner, scores)), ACTOR)


# ---------------------------------------------------------------- random queries


def queries(seed: int) -> Iterator[str]:
    """Random queries over a tournament; endless, and always the same ones."""
    random = Random(seed)
    while True:
        yield f"query ($id: ID!) {{ tournament(id: $id) {selected('Tournament', random)} }}"


def selected(kind: str, random: Random, depth: int = 1) -> str:
    """Some fields of a type, with some fields below them."""
    fields = [(name, field) for name, field in core.type_map[kind].fields.items() if may_ask(field, depth)]
    chosen = random.sample(fields, min(len(fields), random.randrange(1, 6)))
    return f"{{ __typename {' '.join(asked(name, field, random, depth) for name, field in chosen)} }}"


def may_ask(field: GraphQLField, depth: int) -> bool:
    """Whether a field needs no argument and leads neither too deep nor out of the tournament."""
    kind = get_named_type(field.type)
    if any(is_required_argument(argument) for argument in field.args.values()) or kind.name in OF_THE_CORE:
        return False
    return not is_composite_type(kind) or (is_object_type(kind) and depth < DEEPEST)


def asked(name: str, field: GraphQLField, random: Random, depth: int) -> str:
    """A field with what is selected below it; of a connection its rows."""
    kind = get_named_type(field.type)
    size = f"(first: {random.choice((10, 40, 100))})" if "first" in field.args else ""
    if kind.name.endswith("Connection"):
        row = get_named_type(kind.fields["nodes"].type)
        return f"{name}{size} {{ nodes {selected(row.name, random, depth + 1)} }}"
    return f"{name}{size} {selected(kind.name, random, depth + 1)}" if is_object_type(kind) else name


if __name__ == "__main__":
    bench_tournaments(tuple(map(int, sys.argv[1:])) or COUNTS)
