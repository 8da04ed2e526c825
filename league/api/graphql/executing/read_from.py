"""The directive `@readFrom`: which state of the league all fields of a query read."""

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
from league.domain.sentences import say
from league.projections.queries.catalogue import folding_known_at
from league.projections.queries.snapshot import Snapshot, take_snapshot_of
from league.projections.replays.replay import run_known_at
from league.projections.runs import last_folded
from league.wording.language import spoken

DIRECTIVE = "readFrom"

DESCRIPTION = (
    "Chooses the state of the league that the whole query reads; it takes one argument. `afterPosition` reads your own "
    "write. `run` and `knownAt` read another run than the official one: then boards, ratings, standings, badges, "
    "statistics, matches and the timeline of the rules come from that run; names, regions, seasons, time zone and "
    "published lists are the current ones."
)
AFTER_POSITION = (
    "Wait up to 5 seconds until this log position can be read; after that the error has the code `NOT_YET_PROJECTED`. "
    "The success of a mutation has the position of its change."
)
RUN = "The number of a run. The number of a replay is the number of its run."
KNOWN_AT = (
    "What had been recorded by this moment, under the rules in force then. The run must exist; the query does not "
    "compute it. If there is none, the error has the code `NOT_FOLDED`: start a replay with "
    "`startReplay(input: {knownAt: …})`. If one was requested already, `extensions.replay` is its number."
)


class ReadFrom(Struct, frozen=True):
    """The state to read. Without run and moment it is a state of the official run."""

    run: int | None = None
    known_at: datetime | None = None
    after_position: int = 0

    @property
    def is_official(self) -> bool:
        """Whether the official run is read."""
        return self.run is None and self.known_at is None


def read_from_directive(schema: GraphQLSchema) -> GraphQLDirective:
    """The directive, with the scalars of a schema."""
    date_time: Any = schema.type_map["DateTime"]
    big_int: Any = schema.type_map["BigInt"]
    arguments = {
        "afterPosition": GraphQLArgument(big_int, description=AFTER_POSITION),
        "run": GraphQLArgument(GraphQLInt, description=RUN),
        "knownAt": GraphQLArgument(date_time, description=KNOWN_AT),
    }
    return GraphQLDirective(DIRECTIVE, [DirectiveLocation.QUERY], arguments, description=DESCRIPTION)


def wanted_state(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: VariableValues) -> ReadFrom:
    """The state that an operation wants to read. Raises RequestError for more than one argument of the directive."""
    directive = schema.get_directive(DIRECTIVE)
    assert directive is not None
    values = get_directive_values(directive, operation, variables) or {}
    given = [name for name, value in values.items() if value is not None]
    if len(given) > 1:
        # Only the official run follows the log, so that waiting for a position of another run could last for ever.
        raise RequestError(
            say(
                "`@{directive}` takes one argument, not both {given} and {given_2}.",
                directive=DIRECTIVE,
                given=given[0],
                given_2=given[1],
            ),
            argument=given[1],
        )
    return ReadFrom(values.get("run"), values.get("knownAt"), values.get("afterPosition") or 0)


def snapshot_wanted(engine: Engine, league: League, wanted: ReadFrom, *, drafts: bool) -> Snapshot:
    """A snapshot of the run that `@readFrom` chooses. `drafts`: for somebody who may read drafts.

    Blocks. Raises RequestError.
    """
    moment = wanted.known_at
    if moment is None:
        assert wanted.run is not None, "without run and moment the official run is read"
        return _snapshot_of(engine, wanted.run, drafts=drafts)
    if moment > clock():
        raise RequestError(say("`knownAt` lies in the future."), argument="knownAt")
    while True:
        # What was known at a moment is no draft, whichever run shows it.
        snapshot = _snapshot_of(engine, _run_known_at(engine, league, moment), drafts=True)
        conn: Any = snapshot.conn.connection.driver_connection
        if last_folded(conn, snapshot.position) == last_folded(conn, league.store.position_at(moment)):
            return snapshot
        # It was the official run, which has moved on.
        snapshot.conn.close()


def _run_known_at(engine: Engine, league: League, moment: datetime) -> int:
    try:
        run = run_known_at(league.database.url, league.store, moment)
    except Refusal as refusal:
        raise RequestError(say("`knownAt`: {spoken}.", spoken=refusal.said(spoken)), argument="knownAt") from None
    if run is None:
        with engine.connect() as conn:
            replay = folding_known_at(conn, moment)
        asks = "start one with startReplay(input: {knownAt: …})"
        how = asks if replay is None else f"replay {replay} is in progress"
        message = say("There is no run of what was known at {moment}; {how}.", moment=moment, how=how)
        raise NotFolded(message, replay=replay)
    return run


def _snapshot_of(engine: Engine, run: int, *, drafts: bool) -> Snapshot:
    try:
        return take_snapshot_of(engine, run, drafts=drafts)
    except NotFound:
        raise RequestError(say("There is no run {run}.", run=run), argument="run") from None
