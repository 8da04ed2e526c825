"""The composition root: the one place that assembles the parts of the program."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from zoneinfo import ZoneInfo

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct

from league.application.dispatch import Dispatcher
from league.application.promotion import Promoter
from league.application.stream_states import StreamStates
from league.audit import head_signing
from league.audit.signed_heads import LogHead, signing_key_of
from league.domain.deciders import Command
from league.domain.league import CreateLeague
from league.domain.refusals import NoLeague
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.domain.sentences import say
from league.eventlog import codec
from league.eventlog.store import DatabaseClock, EventStore
from league.infra.database import (
    Database,
    connect,
    database_time,
    has_tables,
    migrate,
    open_database,
    place_of,
    reason_of,
    wait_until_reachable,
)
from league.infra.durable_files import table_secret_of
from league.infra.embedded_postgres import keep_running
from league.infra.outages import outages
from league.infra.settings import BadSetting, Settings
from league.projections.notices import remove_ended
from league.projections.page_fold import Progress
from league.projections.projector import AnotherProjector, Projector, lag
from league.rulebook import shipped_edition


@contextmanager
def in_background(work: Callable[[threading.Event], None]) -> Iterator[None]:
    """Run `work` in a thread while the context lasts. At its end the event is set, and `work` must return."""
    ended = threading.Event()
    thread = threading.Thread(target=work, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


SERVER_TIMEOUT = 30.0
"""Seconds that a serving process waits for an external database server to start."""
PATIENCE = 60.0
"""Seconds that a process waits for another process's projector."""

STOP_SERVE = say("another process projects this league: stop `league serve` first, which does that with this database")
STOP_PROJECT = say("another process projects this league: stop the other `league project` first")


log = structlog.get_logger()


class ProjectorStuck(Exception):
    """Another process holds the projector's lock, and its position does not advance."""


class CannotListen(Exception):
    """The port is taken, or the address is not one of this machine."""


class CannotStart(Exception):
    """A web process failed to start."""


def clock() -> datetime:
    """Now, in UTC, by the clock of this process. Commands use the clock of the database instead: `Dispatcher.clock`."""
    return datetime.now(UTC)


def founding(name: str = "Domino league", time_zone: str = "UTC") -> list[Command]:
    """The commands that create a league: its settings, and edition 1, adopted from the beginning."""
    return [CreateLeague(name, time_zone), PublishEdition(shipped_edition(1)), AdoptEdition(1)]


class League(Struct, frozen=True):
    """An open league: its database, its log, and the dispatcher of its commands."""

    database: Database
    store: EventStore
    dispatcher: Dispatcher
    key: Ed25519PrivateKey | None = None
    """The key that signs heads of the log, if there is one."""

    def create(self, name: str, time_zone: str, actor: str) -> int:
        """Create the league with edition 1, adopted from the beginning. Raises AlreadyExists, InvalidInput."""
        return self.dispatcher.send_all(founding(name, time_zone), actor)

    def exists(self) -> bool:
        """Whether the league has been created."""
        return self.store.head() > 0

    def name(self) -> str:
        """The name of the league; empty before it is created."""
        return StreamStates(self.store, clock()).league().name or ""

    def time_zone(self) -> ZoneInfo:
        """The time zone in which the league's months begin and end."""
        return ZoneInfo(StreamStates(self.store, clock()).league().time_zone)

    def project(self, progress: Progress | None = None, *, rebuild: bool = False) -> None:
        """Bring the read tables up to the end of the log, or wait for another process that already does so.

        Notices that have run out are removed. `rebuild`: fold the whole log again; no other process may project
        meanwhile. Raises AnotherProjector, ProjectorStuck.
        """
        head, deadline = self.store.followed_head(), time.monotonic() + PATIENCE
        while True:
            try:
                with Projector(self.database.url, self.store) as projector:
                    projector.rebuild(progress) if rebuild else projector.catch_up(progress)
                with connect(self.database.url, autocommit=True) as conn:
                    remove_ended(conn, database_time(conn))
                return
            except AnotherProjector:
                if rebuild:
                    raise AnotherProjector(STOP_SERVE if self.database.embedded else STOP_PROJECT) from None
            reached = self.reached()
            if reached >= head:
                return
            if time.monotonic() > deadline:
                of = {"reached": reached, "head": head}
                raise ProjectorStuck(
                    say("another process's projector is at {reached} of {head} and does not catch up", **of)
                )
            if progress is not None:
                progress(reached, head)
            time.sleep(0.05)

    @property
    def promoter(self) -> Promoter:
        """The object that makes another run official."""
        return Promoter(self.database.url, self.store, self.dispatcher.clock, self.project)

    def sign_head(self, *, new_key: bool = False, until: int | None = None) -> LogHead | None:
        """Sign the head of the log, or of its part up to a position. Returns None for an empty log.

        `new_key`: allow another key than the last one. Raises BadSetting without a key, ChainBroken, NewSigningKey.
        """
        if self.key is None:
            raise BadSetting("LEAGUE_SIGNING_KEY", say("must be set: it signs heads of the log"))
        with head_signing.signing(self.database.url) as conn:
            return head_signing.sign_head(conn, self.key, new_key=new_key, until=until)

    def reached(self) -> int:
        """The position up to which the log is projected."""
        with connect(self.database.url) as conn:
            return lag(conn).position


@contextmanager
def open_league(settings: Settings, *, prepare: bool = False, patience: float = 0) -> Iterator[League]:
    """Open the league that these settings name. Its tables may still be empty.

    `prepare`: create the database and its tables if there are none; otherwise this raises NoLeague. `patience`:
    seconds to wait for a server that cannot be reached yet; the wait is logged. Raises LeagueOfAnotherVersion: only
    `league migrate` upgrades a league.
    """
    with open_database(settings, create=prepare) as database:
        wait_until_reachable(
            database.url, patience, lambda error: log.warning("waiting_for_database", reason=reason_of(error))
        )
        if not has_tables(database.url):
            if not prepare:
                raise NoLeague(place_of(settings))
            migrate(database.url)
        with league_in(database, settings) as league:
            yield league


@contextmanager
def league_in(database: Database, settings: Settings) -> Iterator[League]:
    """The league in a database that has been reached and has this program's tables, which `open_league` checks."""
    outages.watch(database.url)
    with EventStore(database.url, codec, table_secret_of(settings)) as store:
        now = DatabaseClock(store.now, clock)
        yield League(database, store, Dispatcher(store, now), signing_key_of(settings))


def database_kept_running(league: League, settings: Settings) -> AbstractContextManager[None]:
    """A context in which the embedded database is started again if it dies. Does nothing for an external database."""
    if not league.database.embedded:
        return nullcontext()
    return in_background(partial(keep_running, settings.data_dir))
