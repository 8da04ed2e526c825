"""One simulated league: what its processes do, and what must hold after each step and at the end."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any, get_args
from unittest.mock import patch

from msgspec import Struct
from msgspec.structs import replace

from league.application import replay_requests
from league.application.bootstrap import League, clock, open_league
from league.application.dispatch import Dispatcher
from league.application.jobs import Jobs
from league.application.replay_folding import progress_of, run_of
from league.application.storing import first_answer
from league.audit.signed_heads import new_seed, read_private_key
from league.domain.dealing import SECRET_BYTES
from league.domain.deciders import Command
from league.domain.player import RegisterPlayer
from league.domain.refusals import Refusal
from league.domain.rulebook import parse_rulebook
from league.domain.rules import Rulebook
from league.eventlog.records import AppendRequest
from league.infra.database import engine
from league.infra.photo_store import PhotoDamaged, PhotoStore
from league.infra.settings import Settings
from league.photos.domain.photo import UploadPhoto
from league.photos.photo_jobs import PhotoJobs, store_photo
from league.projections import runs
from league.projections.projector import AnotherProjector, Projector
from league.projections.queries.snapshot import take_snapshot
from league.projections.runs import ReadState
from league.review.commands import SetReviewConsent
from league.rulebook import shipped_edition
from league.tables.application import table_commands
from league.tables.domain.commands_and_events import OpenTable, TableCommand
from league.transfer.backup import write_backup
from tests.simulation.limits import without_limits
from tests.simulation.people import World, command_of
from tests.simulation.photos import photo_command, quick_counter
from tests.simulation.schedule import OUTAGES, Actor, Fault, Killed, Schedule
from tests.simulation.tables import AT_ONCE, clock_command, faults_of_views, table_command
from tests.simulation.tournaments import carried_out, tournament_command
from tests.simulation.workers import Redis, do_next, in_threads, jobs_of, look

TABLE_SECRET = "the secret of the tables of the simulation"  # noqa: S105  # no league but a simulated one has it
STEP = timedelta(milliseconds=3)
"""What a step takes on the clocks of processes, on a slow machine too: it decides which deadlines have passed."""
JUMPS = 0.03
"""The share of looks at a clock before which it jumps."""
ATTEMPTS = 6
"""How often a device sends a request whose answer did not come."""
DONE_BEFORE = (SetReviewConsent, *(one for one in get_args(TableCommand) if one is not OpenTable))
"""Commands that store nothing, and are accepted, where it is so already."""
AFTER_STEP = """
    SELECT coalesce(max(position), 0), count(*), ARRAY(
        SELECT name FROM league.stored_events JOIN league.players ON originator_id = 'player:' || player_id
        WHERE topic = 'player-erased/1' AND name IS NOT NULL
    ) FROM league.stored_events
"""
"""The last position of the log, how many events it has, and the names of erased players that readers see."""
PHOTOS_ERASED = "SELECT count(*) FROM league.stored_events WHERE topic = 'photo-erased/1'"
OF_TABLES = "SELECT position, topic, state FROM league.stored_events WHERE position > %s AND topic LIKE 'table-%%'"
SERVER_STARTS = 0.02
"""The share of faults that are a restart of the server."""


class Plan(Struct, frozen=True):
    """What a simulated league is made of. With the seed it is all that a run depends on."""

    seed: int
    commands: int = 24
    """Commands that each client sends."""
    clients: int = 3
    projectors: int = 2
    readers: int = 1
    admins: int = 1
    """Who replay rules and promote the run, or roll back."""
    signers: int = 1
    keepers: int = 1
    """Who make backups."""
    players: int = 2
    """Who play at live tables, twice as many commands as a client sends: threads of one process."""
    clocks: int = 1
    """Who meet the deadlines of live tables."""
    directors: int = 1
    """Who hold tournaments."""
    photographers: int = 2
    """Who take photos of leftover tiles, and record hands by them."""
    workers: int = 2
    """Workers that fold replays and count photos."""
    faults: tuple[Fault, ...] = ("lost_before", "lost_after", "killed", "disk_full", "restart", "redis")
    """What goes wrong in exchanges with the database. `redis`: the queues of workers fail."""
    fault_rate: float = 0.004
    """The share of exchanges in which something goes wrong. Messages to workers have shares of their own."""


def clock_of_process(random: Random, true: Callable[[], datetime]) -> Callable[[], datetime]:
    """A clock that is some seconds off from the true one, and jumps now and then."""
    off = [timedelta(seconds=random.uniform(-20, 20))]

    def now() -> datetime:
        if random.random() < JUMPS:
            off[0] = timedelta(seconds=random.uniform(-1, 1) * random.choice((1, 60, 3600)))
        return true() + off[0]

    return now


@dataclass
class Asked:
    """A command that a client sent, and what it was answered."""

    command: Command
    actor: str
    key: str
    begun: int
    """The head of the log when it was sent first."""
    ended: int = 0
    """The head when it was answered."""
    position: int | None = None
    refusal: Refusal | None = None


@dataclass
class Violation(Exception):
    """Something that must hold does not."""

    said: str

    def __str__(self) -> str:
        return self.said


@dataclass
class Simulation:
    """A league that is being simulated."""

    plan: Plan
    url: str
    place: str
    """Where photos are stored."""
    restart: Callable[[], None]
    world: World = field(default_factory=World)
    asked: list[Asked] = field(default_factory=list)
    states: dict[str, ReadState] = field(default_factory=dict)
    """The newest state that each reader has read."""
    backup: bytes | None = None
    """The latest backup."""
    head: int = 0
    """The last position of the log after the latest step."""

    def __post_init__(self) -> None:
        self.random, self._chance = Random(f"{self.plan.seed} faults"), Random(f"{self.plan.seed} secrets")
        self.schedule = Schedule(Random(f"{self.plan.seed} order"), self.url, self._fault, self.restart)
        self.began = clock()
        self.redis = Redis(Random(f"{self.plan.seed} redis"), breaks="redis" in self.plan.faults)
        self.settings = Settings(database_url=self.url, table_secret=TABLE_SECRET, photos=self.place)
        self.secrets: list[bytes] = []
        """The secrets of the hands of live tables, in hexadecimal."""
        self.key = read_private_key(new_seed())

    # ------------------------------------------------------------ running

    def run(self) -> None:
        """Simulate. Raises Violation, and what a process has raised that it must not."""
        with open_league(self.settings, prepare=False) as league:
            league.create("Simulated", "America/Havana", "founder")
            for player in self.world.players:
                league.dispatcher.send(RegisterPlayer(player, f"Player {player}", None), "founder")
        plan = self.plan
        works: dict[str, Callable[[Random], Iterator[Callable[[League], None]]]] = {
            **{f"client-{n}": self._client for n in range(plan.clients)},
            **{f"projector-{n}": self._projector for n in range(plan.projectors)},
            **{f"reader-{n}": self._reader for n in range(plan.readers)},
            **{f"admin-{n}": self._admin for n in range(plan.admins)},
            **{f"signer-{n}": self._signer for n in range(plan.signers)},
            **{f"keeper-{n}": self._keeper for n in range(plan.keepers)},
            **{f"clock-{n}": self._clock for n in range(plan.clocks)},
            **{f"director-{n}": self._director for n in range(plan.directors)},
            **{f"photographer-{n}": self._photographer for n in range(plan.photographers)},
            **{f"worker-{n}": self._worker for n in range(plan.workers)},
        }
        try:
            for name, work in works.items():
                self._start(name, work)
            with self._replaced(), self._opened(Random(f"{plan.seed} players")) as shared:
                for number in range(plan.players):
                    items = self._player(Random(f"{plan.seed} player-{number}"))
                    self.schedule.start(f"player-{number}", partial(self._thread, shared, items))
                self.schedule.run(self._after_step)
        finally:
            self.schedule.close()

    @contextmanager
    def _replaced(self) -> Iterator[None]:
        """Replace what depends on chance, processes or the speed of the machine."""
        secrets = patch.object(table_commands, "new_secret", self._new_secret)
        drops = patch.object(runs, "drop", self.schedule.impatient()(runs.drop))
        with secrets, drops, in_threads(), quick_counter(), without_limits():
            yield

    def _new_secret(self) -> bytes:
        """A secret for a shuffle, by the seed."""
        secret = self._chance.randbytes(SECRET_BYTES)
        self.secrets.append(secret.hex().encode())
        return secret

    def _start(self, name: str, work: Callable[[Random], Iterator[Callable[[League], None]]]) -> None:
        """Begin a process, which is begun again when it is killed, and goes on with its work."""
        random = Random(f"{self.plan.seed} {name}")
        items = work(random)
        self.schedule.start(name, lambda: self._process(name, items, Random(f"{self.plan.seed} {name} clock")))

    def _process(self, name: str, items: Iterator[Callable[[League], None]], random: Random) -> None:
        """Do one item of work after the other. A killed process is begun again, and goes on with the same item."""
        actor = next(one for one in self.schedule.actors if one.name == name)
        item = next(items, None)
        while item is not None:
            opened = ExitStack()
            try:
                league = opened.enter_context(self._opened(random))
                while item is not None:
                    try:
                        item(league)
                    except OUTAGES:
                        continue  # as devices, people and workers do
                    item = next(items, None)
            except (Killed, *OUTAGES):
                pass
            finally:
                with suppress(Killed, *OUTAGES):
                    opened.close()
                actor.is_killed = False

    def _thread(self, league: League, items: Iterator[Callable[[League], None]]) -> None:
        """Do one item of work after the other, as a thread of a process that others share."""
        item = next(items, None)
        while item is not None:
            try:
                item(league)
            except OUTAGES:
                continue  # as devices do
            item = next(items, None)

    @contextmanager
    def _opened(self, random: Random) -> Iterator[League]:
        """A process's worth of the program."""
        with open_league(self.settings) as league:
            dispatcher = Dispatcher(league.store, clock_of_process(random, self._now))
            yield replace(league, key=self.key, dispatcher=dispatcher)

    def _now(self) -> datetime:
        return self.began + self.schedule.steps * STEP

    def _fault(self, actor: Actor) -> Fault:
        plan = self.plan
        faults = [fault for fault in plan.faults if fault != "redis"]
        if not faults or self.random.random() >= plan.fault_rate:
            return "none"
        fault = self.random.choice(faults)
        if fault == "killed" and actor.name.startswith("player-"):
            return "none"  # with its process the other threads would end
        if fault == "restart" and self.random.random() >= SERVER_STARTS * len(faults):
            return "none"
        return fault

    # ------------------------------------------------------------ processes

    def _client(self, random: Random) -> Iterator[Callable[[League], None]]:
        """A scorekeeper's device: commands with keys, sent again when no answer came; some are sent twice at once."""
        name = f"client-{random.random():.6f}"
        for number in range(self.plan.commands):
            before = random.choice(self.asked) if random.random() < 0.1 and self.asked else None
            if before is not None:
                yield self._sending(before.actor, before.key, lambda _league, before=before: before.command)
            else:
                yield self._sending(name, f"{name} {number}", lambda _league: command_of(self.world, random))

    def _player(self, random: Random) -> Iterator[Callable[[League], None]]:
        """A device at live tables."""
        name = f"player-{random.random():.6f}"
        for number in range(2 * self.plan.commands):
            yield self._sending(name, f"{name} {number}", lambda league: table_command(league, self.world, random))

    def _director(self, random: Random) -> Iterator[Callable[[League], None]]:
        """A device of the director of a tournament."""
        name = f"director-{random.random():.6f}"
        for number in range(2 * self.plan.commands):
            yield self._sending(name, f"{name} {number}", lambda league: tournament_command(league, self.world, random))

    def _photographer(self, random: Random) -> Iterator[Callable[[League], None]]:
        """A device that takes photos."""
        name = f"photographer-{random.random():.6f}"
        for number in range(2 * self.plan.commands):
            yield self._sending(name, f"{name} {number}", lambda league: photo_command(league, self.world, random))

    def _worker(self, random: Random) -> Iterator[Callable[[League], None]]:
        """Folds replays and counts photos: those of messages, and those that a search finds."""

        def work(_league: League) -> None:
            jobs = self._jobs()
            look(jobs)
            while do_next(jobs):
                pass

        while self._goes_on():
            yield work
            for _ in range(random.randint(1, 8)):
                yield lambda _league: time.sleep(1)

    def _jobs(self) -> Jobs:
        return jobs_of(self.url, self.place, self.redis)

    def _clock(self, random: Random) -> Iterator[Callable[[League], None]]:
        """The clock of live tables, for which time jumps to a deadline; and an eye on what is shown there."""
        name = f"clock-{random.random():.6f}"
        number = 0
        while self._goes_on():
            number += 1
            yield self._sending(name, f"{name} {number}", lambda league: clock_command(league, random))
            for _ in range(random.randint(1, 8)):
                yield lambda _league: time.sleep(1)
                yield self._look_at_tables

    def _look_at_tables(self, league: League) -> None:
        for table in self.world.tables[-AT_ONCE:]:
            for fault in faults_of_views(league, table):
                raise Violation(fault)

    def _sending(self, actor: str, key: str, make: Callable[[League], Command | None]) -> Callable[[League], None]:
        """Send a command, which is made once; again when no answer came."""
        attempts, made = iter(range(ATTEMPTS)), list[Asked]()

        def send(league: League) -> None:
            if next(attempts, None) is None:
                return
            if not made:
                command = make(league)
                if command is None:
                    return
                made.append(Asked(command, actor, key, self._head()))
                self.asked.append(made[0])
            asked = made[0]
            try:
                asked.position = self._carried_out(league, asked)
            except Refusal as refusal:
                asked.refusal = refusal
            asked.ended = self._head()
            if isinstance(asked.command, DONE_BEFORE) and not self._stored(asked):
                self._check_done_before(asked)
                asked.position = None
            if asked.position is not None:
                self._check_stored(asked)
                self.world.note(asked.command)

        return send

    def _carried_out(self, league: League, asked: Asked) -> int:
        """Carry out a command as the API does. Returns its position."""
        command = asked.command
        if not isinstance(command, UploadPhoto):
            return carried_out(league, command, asked.actor, asked.key)
        position = store_photo(league, self.place, self.world.pictures[command.sha256], command, asked.actor, asked.key)
        self._jobs().of(PhotoJobs).hand_out(command.photo)
        return position

    def _projector(self, random: Random) -> Iterator[Callable[[League], None]]:
        """Folds what is there, and now and then the whole log."""
        while self._goes_on():
            rebuilds = random.random() < 0.03

            def project(league: League, rebuilds: bool = rebuilds) -> None:
                try:
                    with Projector(league.database.url, league.store, random.choice((1, 3, 20_000))) as projector:
                        projector.rebuild() if rebuilds else projector.catch_up()
                except AnotherProjector:
                    time.sleep(1)

            yield project

    def _reader(self, random: Random) -> Iterator[Callable[[League], None]]:
        """Reads the league, whose state never goes back, and whose rows are of that state."""
        name = f"reader-{random.random():.6f}"

        def read(_league: League) -> None:
            pool = engine(self.url, pool_size=1)
            try:
                snapshot = take_snapshot(pool, as_reader=random.random() < 0.5)
                try:
                    self._check_snapshot(name, snapshot.state, snapshot.conn)
                finally:
                    snapshot.conn.close()
            finally:
                pool.dispose()

        while self._goes_on():
            yield read

    def _admin(self, random: Random) -> Iterator[Callable[[League], None]]:
        """Has workers replay the league under revised rules, and promotes the run; or rolls back."""
        number = 0
        while self._goes_on():
            number += 1
            request = AppendRequest("admin", "manual", f"promotion {number}", "of the simulation")
            value, back = random.randint(20, 80), random.random() < 0.3

            def promote(
                league: League, request: AppendRequest = request, value: int = value, back: bool = back
            ) -> None:
                try:
                    if back:
                        league.promoter.roll_back(request)
                    elif first_answer(league.store, request) is None:
                        candidate = parse_rulebook(f"rating.k.provisional = {value}", shipped_edition(1))
                        asked = replace(request, key=f"replay for {request.key}", input_hash="of a replay")
                        league.promoter.promote(self._replayed(league, candidate, asked), request)
                except Refusal:
                    return

            yield promote
            for _ in range(5):
                yield lambda _league: time.sleep(1)

    def _replayed(self, league: League, candidate: Rulebook, request: AppendRequest) -> int:
        """The run of a replay that a worker folds. Raises Refusal."""
        number = replay_requests.start(league, replay_requests.ReplaySpec(candidate), request).number
        self._jobs().hand_out(number)
        while progress_of(self.url, number) is not None and self._goes_on():
            time.sleep(1)
        return run_of(self.url, number)

    def _signer(self, random: Random) -> Iterator[Callable[[League], None]]:
        """Signs heads of the log."""
        while self._goes_on():
            yield lambda league: league.sign_head() and None
            for _ in range(random.randint(2, 20)):
                yield lambda _league: time.sleep(1)

    def _keeper(self, random: Random) -> Iterator[Callable[[League], None]]:
        """Makes backups; the last one is restored at the end."""

        def back_up(league: League) -> None:
            out, erased = io.BytesIO(), self.schedule.monitor(PHOTOS_ERASED)
            try:
                write_backup(league.database.url, out, clock(), pictures=PhotoStore(self.place))
            except PhotoDamaged as error:
                if self.schedule.monitor(PHOTOS_ERASED) == erased:
                    raise Violation(f"no photo was erased meanwhile, and a backup misses one: {error}") from None
                return  # it is no backup, and is made again
            self.backup = out.getvalue()

        while self._goes_on():
            yield back_up
            for _ in range(random.randint(20, 60)):
                yield lambda _league: time.sleep(1)

    def _goes_on(self) -> bool:
        """Whether a client still works."""
        clients = [
            actor
            for actor in self.schedule.actors
            if actor.name.startswith(("client-", "player-", "director-", "photographer-"))
        ]
        return any(actor.state != "done" for actor in clients)

    # ------------------------------------------------------------ what must hold meanwhile

    def _head(self) -> int:
        ((head,),) = self.schedule.monitor("SELECT coalesce(max(position), 0) FROM league.stored_events")
        return int(head)

    def _stored(self, asked: Asked) -> list[tuple[Any, ...]]:
        """The position of a request, and whether the log has an event there."""
        return self.schedule.monitor(
            "SELECT r.position, e.position IS NOT NULL FROM league.requests AS r "
            "LEFT JOIN league.stored_events AS e USING (position) WHERE actor = %s AND key = %s",
            asked.actor, asked.key,
        )  # fmt: skip

    def _check_stored(self, asked: Asked) -> None:
        """What was acknowledged is in the log, at the position that was answered."""
        found = self._stored(asked)
        if found != [(asked.position, True)]:
            raise Violation(f"{asked.command} was acknowledged at {asked.position}, but the log has {found}")

    def _check_done_before(self, asked: Asked) -> None:
        """What was so before is answered with an event of its own stream: nothing was stored for it."""
        if asked.refusal is not None:
            return
        table = getattr(asked.command, "table", None)
        of = "SELECT originator_id FROM league.stored_events WHERE position = %s"
        if table is not None and self.schedule.monitor(of, asked.position) != [(f"table:{table}",)]:
            raise Violation(f"{asked.command} was answered {asked.position}, where {table} has no event")

    def _check_snapshot(self, name: str, state: ReadState | None, conn: Any) -> None:
        if state is None:
            return
        before = self.states.get(name)
        if before is not None and state < before:
            raise Violation(f"{name} read {state} after {before}")
        self.states[name] = state
        beyond = conn.exec_driver_sql(
            "SELECT count(*) FROM matches WHERE run = %s AND position > %s", (state.run, state.position)
        ).scalar_one()
        if beyond:
            raise Violation(f"{name} read {beyond} matches that were decided after {state}")

    def _after_step(self) -> None:
        ((head, count, named),) = self.schedule.monitor(AFTER_STEP)
        before, self.head = self.head, head
        if head != count:
            raise Violation(f"the log has {count} events, and the last one is at {head}")
        if named:
            raise Violation(f"erased at {head} or before, and readers see the name: {named}")
        if head > before:
            self._check_secrets(before)

    def _check_secrets(self, after: int) -> None:
        """No event has the secret of a hand in the clear until the hand has ended."""
        for position, topic, state in self.schedule.monitor(OF_TABLES, after):
            if topic != "table-hand-ended/1" and any(secret in bytes(state) for secret in self.secrets):
                raise Violation(f"event {position} ({topic}) has the secret of a hand")
