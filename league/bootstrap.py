"""The composition root: the one place where the parts of the program are put together."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from msgspec import Struct

from league import event_codec
from league.database import Database, migrate, open_database, wait_until_reachable
from league.dispatch import Dispatcher
from league.domain.league import CreateLeague
from league.domain.rulebook import AdoptEdition, PublishEdition
from league.event_store import EventStore
from league.projections.projector import AnotherProjector, Progress, Projector
from league.rulebook import shipped_edition
from league.settings import Settings

SERVER_TIMEOUT = 30.0
"""Seconds that a given server may take to come up."""


def clock() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)


class League(Struct, frozen=True):
    """A running league: its database, its log, and the door for commands."""

    database: Database
    store: EventStore
    dispatcher: Dispatcher

    def create(self, name: str, time_zone: str, actor: str) -> int:
        """Create the league with edition 1, adopted from the beginning. Raises AlreadyExists, InvalidInput."""
        edition = shipped_edition(1)
        commands = [CreateLeague(name, time_zone), PublishEdition(edition), AdoptEdition(1)]
        return self.dispatcher.send_all(commands, actor)

    def exists(self) -> bool:
        """Whether the league has been created."""
        return self.store.head() > 0

    def project(self, progress: Progress | None = None) -> None:
        """Bring the read tables up to the log now, or leave it to the process that does so already."""
        try:
            with Projector(self.database.url, self.store) as projector:
                projector.catch_up(progress)
        except AnotherProjector:
            return


@contextmanager
def open_league(settings: Settings, *, prepare: bool = True) -> Iterator[League]:
    """Open the league of these settings; `prepare` migrates its database first."""
    with open_database(settings) as database:
        wait_until_reachable(database.url, SERVER_TIMEOUT)
        if prepare:
            migrate(database.url)
        with EventStore(database.url, event_codec) as store:
            yield League(database, store, Dispatcher(store, clock))


def follow(league: League, stop: Callable[[], bool]) -> None:
    """Project events as they arrive, until `stop()`. Waits while another process does it."""
    import time  # noqa: PLC0415

    while not stop():
        try:
            with Projector(league.database.url, league.store) as projector:
                projector.follow(stop)
        except AnotherProjector:
            time.sleep(1.0)
