"""The directive `@readFrom`: all fields of a query read a run other than the official one."""

from datetime import datetime
from typing import Any

from graphql import (
    DirectiveLocation,
    GraphQLArgument,
    GraphQLDirective,
    GraphQLInt,
    GraphQLSchema,
    OperationDefinitionNode,
    get_directive_values,
)
from graphql.execution.values import VariableValues
from msgspec import Struct
from sqlalchemy import Engine

from league.api.graphql.request_errors import NotFolded, RequestError
from league.application.bootstrap import League, clock
from league.domain.refusals import NotFound, Refusal
from league.projections.queries.replays import folding_known_at
from league.projections.queries.snapshot import Snapshot, take_snapshot_of
from league.projections.replays.replay import run_known_at

DIRECTIVE = "readFrom"

DESCRIPTION = (
    "The whole query reads this run of the league instead of the official one: `run`, the "
    "run of a replay; or `knownAt`, what had been recorded by a moment, under the rules in force then. The run must "
    "exist; the query does not compute it. Without it the error has the code `NOT_FOLDED`, and "
    "`startReplay(input: {knownAt: …})` starts a replay (if one was requested already, `extensions.replay` is its "
    "number). Boards, ratings, standings, badges, statistics, matches and the timeline of the rules come from the run; "
    "names, regions, seasons, time zone and published lists are the current ones."
)


class ReadFrom(Struct, frozen=True):
    """The wanted run; neither field: the official one."""

    run: int | None = None
    known_at: datetime | None = None


def read_from_directive(schema: GraphQLSchema) -> GraphQLDirective:
    """The directive, with the scalars of a schema."""
    date_time: Any = schema.type_map["DateTime"]
    arguments = {
        "run": GraphQLArgument(GraphQLInt, description="The number of a run."),
        "knownAt": GraphQLArgument(date_time, description="A moment."),
    }
    return GraphQLDirective(DIRECTIVE, [DirectiveLocation.QUERY], arguments, description=DESCRIPTION)


def wanted_run(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: VariableValues) -> ReadFrom:
    """What an operation wants to read with these variables."""
    directive = schema.get_directive(DIRECTIVE)
    assert directive is not None
    values = get_directive_values(directive, operation, variables) or {}
    return ReadFrom(values.get("run"), values.get("knownAt"))


def snapshot_wanted(engine: Engine, league: League, wanted: ReadFrom) -> Snapshot:
    """A snapshot of the wanted run. Blocks. Raises RequestError."""
    moment = wanted.known_at
    if moment is None:
        assert wanted.run is not None, "without run and moment the official run is read"
        return _snapshot_of(engine, wanted.run)
    if wanted.run is not None:
        raise RequestError(f"`@{DIRECTIVE}` takes a run or a moment, not both.", argument="knownAt")
    if moment > clock():
        raise RequestError("`knownAt` lies in the future.", argument="knownAt")
    while True:
        snapshot = _snapshot_of(engine, _run_known_at(engine, league, moment))
        if snapshot.position == league.store.position_at(moment):
            return snapshot
        # It was the official run, which has moved on.
        snapshot.conn.close()


def _run_known_at(engine: Engine, league: League, moment: datetime) -> int:
    try:
        run = run_known_at(league.database.url, league.store, moment)
    except Refusal as refusal:
        raise RequestError(f"`knownAt`: {refusal.message}.", argument="knownAt") from None
    if run is None:
        with engine.connect() as conn:
            replay = folding_known_at(conn, moment)
        asks = "start one with startReplay(input: {knownAt: …})"
        how = asks if replay is None else f"replay {replay} is in progress"
        raise NotFolded(f"There is no run of what was known at {moment.isoformat()}; {how}.", replay=replay)
    return run


def _snapshot_of(engine: Engine, run: int) -> Snapshot:
    try:
        return take_snapshot_of(engine, run)
    except NotFound:
        raise RequestError(f"There is no run {run}.", argument="run") from None
