"""The composition root: the one place where the parts of the program are put together."""

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Struct
from psycopg import OperationalError

from league.application import policies
from league.application.dispatch import Dispatcher
from league.application.promotion import Promoter
from league.application.stream_states import StreamStates
from league.audit import head_signing
from league.audit.head_signing import ChainBroken, NewKey
from league.audit.signed_heads import BadKey, Head, new_seed, read_private_key
from league.domain.deciders import Command
from league.domain.league import CreateLeague
from league.domain.refusals import Refusal
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.eventlog import codec
from league.eventlog.recorder import StoreUnavailable
from league.eventlog.store import EventStore
from league.infra.database import Database, connect, migrate, open_database, wait_until_reachable
from league.infra.settings import BadSetting, Settings
from league.projections.projector import AnotherProjector, Progress, Projector, lag
from league.rulebook import shipped_edition

SERVER_TIMEOUT = 30.0
"""Seconds that a given server may take to come up."""


PATIENCE = 60.0
"""Seconds that another process's projector is waited for."""

SHORTEST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds between two attempts of a projector that fails."""

CALENDAR = "calendar"
"""The actor of what is done because its time has come."""
CALENDAR_PAUSE = 10.0
"""Seconds between two looks at the calendar."""

log = structlog.get_logger()


class ProjectorStuck(Exception):
    """Another process holds the projector's lock and does not come forward."""


class CannotListen(Exception):
    """The port is taken, or the address is not ours."""


def clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


def founding(name: str = "Domino league", time_zone: str = "UTC") -> list[Command]:
    """What creates a league: its settings, and edition 1 adopted from the beginning."""
    return [CreateLeague(name, time_zone), PublishEdition(shipped_edition(1)), AdoptEdition(1)]


class League(Struct, frozen=True):
    """A running league: its database, its log, and the door for commands."""

    database: Database
    store: EventStore
    dispatcher: Dispatcher
    key: Ed25519PrivateKey | None = None
    """Signs heads of the log."""

    def create(self, name: str, time_zone: str, actor: str) -> int:
        """Create the league with edition 1, adopted from the beginning. Raises AlreadyExists, InvalidInput."""
        return self.dispatcher.send_all(founding(name, time_zone), actor)

    def exists(self) -> bool:
        """Whether the league has been created."""
        return self.store.head() > 0

    def time_zone(self) -> ZoneInfo:
        """Where the league's months begin and end."""
        return ZoneInfo(StreamStates(self.store, clock()).league().time_zone)

    def project(self, progress: Progress | None = None, *, rebuild: bool = False) -> None:
        """Bring the read tables up to the log, or wait for the process that does so already.

        `rebuild`: fold the whole log again; that process must have ended first.
        Raises AnotherProjector, ProjectorStuck.
        """
        head, deadline = self.store.head(), time.monotonic() + PATIENCE
        while True:
            try:
                with Projector(self.database.url, self.store) as projector:
                    projector.rebuild(progress) if rebuild else projector.catch_up(progress)
                return
            except AnotherProjector:
                if rebuild:
                    raise
            reached = self.reached()
            if reached >= head:
                return
            if time.monotonic() > deadline:
                raise ProjectorStuck(f"the projector has stood at {reached} of {head} for too long")
            if progress is not None:
                progress(reached, head)
            time.sleep(0.05)

    @property
    def promoter(self) -> Promoter:
        """What makes another run official."""
        return Promoter(self.database.url, self.store, clock, self.project)

    def sign_head(self, *, new_key: bool = False) -> Head | None:
        """Sign what the log stands at; None for an empty one. `new_key`: the league changes its key.

        Raises BadSetting without a key, ChainBroken, NewKey.
        """
        if self.key is None:
            raise BadSetting("LEAGUE_SIGNING_KEY", "must be set: it signs heads of the log")
        with connect(self.database.url) as conn:
            # The log as it is now, whatever is appended meanwhile.
            conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            return head_signing.sign_head(conn, self.key, self.dispatcher.clock(), new_key=new_key)

    def reached(self) -> int:
        """The position up to which the log is projected."""
        with connect(self.database.url) as conn:
            return lag(conn).position


@contextmanager
def open_league(settings: Settings, *, prepare: bool = True) -> Iterator[League]:
    """Open the league of these settings; `prepare` migrates its database first."""
    with open_database(settings) as database:
        wait_until_reachable(database.url, SERVER_TIMEOUT)
        if prepare:
            migrate(database.url)
        with EventStore(database.url, codec) as store:
            yield League(database, store, Dispatcher(store, clock), signing_key_of(settings))


def follow(league: League, stop: Callable[[], bool]) -> None:
    """Project events as they arrive, until `stop()`. Waits while another process does it.

    A failure is logged and tried again, after ever longer pauses: the database comes back, a row is mended.
    """
    pause, failed_at = SHORTEST_PAUSE, None
    while not stop():
        try:
            with Projector(league.database.url, league.store) as projector, calendar(league):
                projector.follow(stop)
            continue
        except AnotherProjector:
            pause = SHORTEST_PAUSE
        except (StoreUnavailable, OperationalError) as error:
            log.warning("projector_without_database", error=str(error))
            pause = SHORTEST_PAUSE
        except Exception:
            position = _reached(league)
            # What failed elsewhere was got over.
            pause = min(2 * pause, LONGEST_PAUSE) if position == failed_at else SHORTEST_PAUSE
            failed_at = position
            log.exception("projector_failed", position=position, pause=pause)
        _wait(pause, stop)


@contextmanager
def calendar(league: League) -> Iterator[None]:
    """Meanwhile, close the months that end, and sign what the log stands at."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(CALENDAR_PAUSE):
            try:
                close_ended_months(league)
            except (StoreUnavailable, Refusal) as error:
                log.warning("calendar_put_off", error=str(error))
            except Exception:
                log.exception("calendar_failed")
            try:
                sign_head_when_due(league)
            except (OperationalError, ChainBroken, NewKey) as error:
                log.warning("head_not_signed", error=str(error))
            except Exception:
                log.exception("head_not_signed")

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def close_ended_months(league: League) -> None:
    """Close the months that have ended since the league was created, but for those in which nobody competed.

    Raises StoreUnavailable, Refusal.
    """
    states = StreamStates(league.store, league.dispatcher.clock())
    created = next(iter(states.events("league")), None)
    if created is not None:
        state = states.league()
        for command in policies.close_ended_months(created.recorded_at, states.now, states.zone(), state.closed):
            if states.competed_in(command.month):
                league.dispatcher.send(command, CALENDAR, source="live")


def sign_head_when_due(league: League) -> None:
    """Sign a head where there is a key and the last head is old. Raises ChainBroken, NewKey."""
    if league.key is not None:
        with connect(league.database.url) as conn:
            due = head_signing.is_due(conn, league.key, league.dispatcher.clock())
        if due:
            league.sign_head()


def _reached(league: League) -> int | None:
    with suppress(OperationalError):
        return league.reached()
    return None


def _wait(seconds: float, stop: Callable[[], bool]) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not stop():
        time.sleep(0.1)


def secret_of(settings: Settings) -> str:
    """The secret that signs tokens: the one that is set, or with the embedded database one kept beside it.

    Raises BadSetting where a server is used and no secret is set.
    """
    if settings.secret is not None:
        return settings.secret
    if settings.database_url is not None:
        raise BadSetting("LEAGUE_SECRET", "must be set: it signs and checks bearer tokens")
    return _kept(settings, "secret", lambda: secrets.token_urlsafe(48))


def signing_key_of(settings: Settings) -> Ed25519PrivateKey | None:
    """The key that signs heads: the one that is set, or with the embedded database one kept beside it.

    None where a server is used and no key is set: then nobody signs. Raises BadSetting.
    """
    if settings.signing_key is None and settings.database_url is not None:
        return None
    try:
        return read_private_key(settings.signing_key or _kept(settings, "signing-key", new_seed))
    except BadKey as error:
        raise BadSetting("LEAGUE_SIGNING_KEY", str(error)) from error


def required_key(settings: Settings) -> Ed25519PrivateKey:
    """The key that signs heads. Raises BadSetting where there is none."""
    key = signing_key_of(settings)
    if key is None:
        raise BadSetting("LEAGUE_SIGNING_KEY", "must be set: it signs heads of the log")
    return key


def _kept(settings: Settings, name: str, make: Callable[[], str]) -> str:
    """A secret text in a file beside the embedded database, made the first time."""
    kept = settings.data_dir / name
    with suppress(FileExistsError):
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(make())
    return kept.read_text()
