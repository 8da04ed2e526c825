"""Opens the league, and a run of it for reading, for the commands."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, time

from sqlalchemy import Connection

from league.application.bootstrap import League, open_league
from league.cli.folding import run_asked_for
from league.domain import texts_and_times
from league.domain.refusals import InvalidInput, NoLeague
from league.infra.database import WITHOUT_TIME_LIMITS, engine, place_of
from league.infra.settings import Settings, from_environment
from league.projections.queries.snapshot import Snapshot, chosen_run, snapshot_of
from league.wording.language import _


def settings() -> Settings:
    """The settings of this process. Raises BadSetting."""
    return from_environment(os.environ)


@contextmanager
def existing_league() -> Iterator[League]:
    """The league. Raises NoLeague when it has not been created."""
    chosen = settings()
    with open_league(chosen) as league:
        if not league.exists():
            raise NoLeague(place_of(chosen))
        yield league


@contextmanager
def reading_run(run: int | None, known_at: datetime | None, actor: str = "cli") -> Iterator[tuple[League, Snapshot]]:
    """The league, projected up to the head of its log, and a snapshot of one run.

    `run`: its number (None: the official run). `known_at`: the run of what was recorded by then; if there is none yet,
    it is folded first, and the request is recorded under `actor`. Raises InvalidInput when both are given.
    """
    if run is not None and known_at is not None:
        raise InvalidInput("known-at", _("name a run or a time, not both"))
    with existing_league() as league:
        league.project()
        number = run_asked_for(league, run, in_utc(known_at, league), actor)
        with reading(league) as conn:
            yield league, snapshot_of(conn, chosen_run(conn, number))


@contextmanager
def reading(league: League) -> Iterator[Connection]:
    """A connection to the read tables."""
    pool = engine(league.database.url, pool_size=1, limits=WITHOUT_TIME_LIMITS)
    try:
        with pool.connect() as conn:
            yield conn
    finally:
        pool.dispose()


def in_utc(moment: datetime | None, league: League) -> datetime | None:
    """A time in UTC. One without a zone is read in the league's time zone. Raises InvalidInput."""
    if moment is None or moment.tzinfo is not None:
        return moment
    try:
        zone = league.time_zone()
        if moment.time() == time():  # of a day alone
            return texts_and_times.beginning_of(moment.date(), zone)
        return texts_and_times.in_utc(moment, zone, "time")
    except OverflowError:
        raise InvalidInput("time", _("{moment:%Y-%m-%d} is out of range", moment=moment)) from None
