"""What all commands share: the application, options that many have, and how the league is opened for reading.

Exit codes: 0 done, 1 failed (the database is away, a bug), 2 refused (bad input, or the league says no).
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Annotated

import typer
from sqlalchemy import Connection

from league.application.bootstrap import League, open_league
from league.cli import board_command, replays_command
from league.domain.refusals import InvalidInput, WrongState
from league.infra.database import engine
from league.infra.settings import Settings, from_environment
from league.projections.queries.official import chosen_run
from league.projections.queries.snapshot import Snapshot, snapshot_of

app = typer.Typer(
    name="league",
    help="A domino league: hands go in; ratings, boards and the reason behind every number come out.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


SUCCESS, FAILURE, REFUSED = 0, 1, 2

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


Actor = Annotated[
    str, typer.Option(help="Who does it, as recorded in the log; nobody checks that.", envvar="LEAGUE_ACTOR")
]


TIMES = "A time without an offset is UTC; a day alone begins where the league is."
"""How `moment` and `in_utc` read what people write."""


def moment(text: str) -> datetime:
    """A time as people write it: of a day alone midnight without a zone, without an offset UTC."""
    with suppress(ValueError):
        return datetime.combine(date.fromisoformat(text), time.min)
    with suppress(ValueError, OverflowError):
        read = datetime.fromisoformat(text)
        return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
    example = "2026-03-01, 2026-03-01T14:30 (UTC) or 2026-03-01T14:30-05:00"
    raise typer.BadParameter(f"{text!r} is not a time; write it as {example}.")


Run = Annotated[int | None, typer.Option(help="The run of a replay (default: the official run).")]


KnownAt = Annotated[
    datetime | None,
    typer.Option("--known-at", parser=moment, metavar="TIME", help=f"What had been recorded by then. {TIMES}"),
]


AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", parser=moment, metavar="TIME", help=f"As it stood at this moment of play. {TIMES}"),
]


Region = Annotated[str | None, typer.Option(help="Only this region.")]


Around = Annotated[
    str | None, typer.Option(metavar="PLAYER", help="The places around a player or a team, by id or name.")
]


First = Annotated[
    int | None,
    typer.Option(
        help=f"How many places; with --around how many on either side (default: {board_command.FIRST}, or "
        f"{board_command.AROUND} on either side).",
        min=1,
    ),
]


RunArgument = Annotated[int, typer.Argument(metavar="RUN", help="The run of a replay.")]


def settings() -> Settings:
    """The settings of this process."""
    return from_environment(os.environ)


@contextmanager
def existing_league() -> Iterator[League]:
    """The league. Raises WrongState where there is none."""
    with open_league(settings()) as league:
        if not league.exists():
            raise WrongState("the league", "not there", "create it first (`league init`, or `league import`)")
        yield league


@contextmanager
def reading_run(run: int | None, known_at: datetime | None, actor: str = "cli") -> Iterator[tuple[League, Snapshot]]:
    """The league, brought up to its log, and what the run says that is asked for; `actor` has it folded if need be."""
    if run is not None and known_at is not None:
        raise InvalidInput("known-at", "name a run, or a moment, not both")
    with existing_league() as league:
        league.project()
        number = replays_command.run_asked_for(league, run, in_utc(known_at, league), actor)
        with reading(league) as conn:
            yield league, snapshot_of(conn, chosen_run(conn, number))


@contextmanager
def reading(league: League) -> Iterator[Connection]:
    """A connection to the read tables."""
    pool = engine(league.database.url, pool_size=1)
    try:
        with pool.connect() as conn:
            yield conn
    finally:
        pool.dispose()


def in_utc(moment: datetime | None, league: League) -> datetime | None:
    """A moment in UTC, as all times are printed; a day alone begins where the league is, as its months do."""
    if moment is None or moment.tzinfo is not None:
        return moment
    try:
        return moment.replace(tzinfo=league.time_zone()).astimezone(UTC)
    except OverflowError:
        raise InvalidInput("time", f"{moment:%Y-%m-%d} is out of reach") from None


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Write to standard output until its reader has gone: `league export hands | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class SeriesMode(StrEnum):
    """Who competes in a series."""

    ONE_ON_ONE = "1v1"
    TWO_ON_TWO = "2v2"
