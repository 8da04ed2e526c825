"""Releases one statement of one session at a time, in an order that a seed decides, and lets connections break.

Each actor is a thread with a process's worth of the program. It stops before each exchange with PostgreSQL, and runs
when the schedule says so, until it has its answer and comes to its next exchange. A statement that waits for a lock
leaves its actor blocked; the others go on. So only one actor runs at any time, and a seed gives the same order again.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any, Literal
from weakref import WeakSet

import eventsourcing.utils
import psycopg
import sqlalchemy.exc
from psycopg.errors import DeadlockDetected, DiskFull

from league.eventlog.recorder import StoreUnavailable

Fault = Literal["none", "lost_before", "lost_after", "killed", "disk_full", "restart", "redis"]
"""What happens to an exchange: its connection breaks before the server gets it or before the answer is read, the
process is killed, the disk is full, or the server is killed and started again. `redis` is for `workers`."""
MAY_MEET: dict[str, tuple[Fault, ...]] = {
    "a pause": ("none", "killed", "restart"),
    "an exchange": ("none", "killed", "restart", "lost_before", "lost_after"),
    "a statement": ("none", "killed", "restart", "lost_before", "lost_after", "disk_full"),
}
"""What may go wrong, by where an actor stops."""
OUTAGES = (
    StoreUnavailable,
    psycopg.OperationalError,
    psycopg.InterfaceError,
    sqlalchemy.exc.OperationalError,
    sqlalchemy.exc.InterfaceError,
)
"""Errors of a database that is away. Who gets one tries again."""

SILENT = ("BasePipeline._enter_gen", "BaseCopy._read_gen")
"""What the driver does without a message to the server: go into pipeline mode, and read what has arrived of a COPY."""

BLOCKED = "SELECT pid FROM unnest(%s::integer[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0"
SLOW, SLOWEST = 0.003, 0.05
"""Seconds without an answer after which it is asked whether the statement waits for a lock: at first, and at most."""
LIMIT = 300.0
"""Seconds after which an exchange that waits for nothing is a failure of the simulation."""
PATIENCE = 0.5
"""Seconds that an actor is given to end before its sessions are ended."""
GONE = 5_000
"""Milliseconds for which the server is given to end a session."""


class Killed(BaseException):
    """The process of an actor was killed."""


class Ended(BaseException):
    """The simulation is over, and so is the work of an actor."""


class Stuck(Exception):
    """An actor neither comes to its next exchange nor waits for a lock."""

    def __init__(self, actor: Actor) -> None:
        frame = sys._current_frames().get(actor.thread.ident or 0)
        where = "".join(traceback.format_stack(frame)) if frame else ""
        super().__init__(f"{actor.name} ({actor.state}):\n{where}")


class Actor:
    """A thread that the schedule releases step by step."""

    def __init__(self, name: str, work: Callable[[], None]) -> None:
        self.name, self._work = name, work
        self.state: Literal["ready", "running", "blocked", "done"] = "ready"
        self.error: BaseException | None = None
        self.is_killed = False
        self.has_ended = False
        """Whether it knows that the simulation is over: it closes what it has open."""
        self.pid: int | None = None
        """Process id of the database session in whose exchange the actor stopped."""
        self.connections: WeakSet[Any] = WeakSet()
        self.fault: Fault = "none"
        self.at: str | None = None
        """Where it stops; None before it has begun."""
        self.is_impatient = False
        """Whether PostgreSQL ends its waits at once."""
        self._go = threading.Semaphore(0)
        self.changed = threading.Condition()
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)

    def release(self, fault: Fault) -> None:
        """Let it go on, to its next exchange."""
        self.fault, self.state = fault, "running"
        self._go.release()

    def stop(self, at: str) -> Fault:
        """In its thread: wait until it is released. `at`: of MAY_MEET. Returns what happens to it."""
        self.at = at
        self._become("ready")
        self._go.acquire()
        return self.fault

    def was_blocked(self) -> bool:
        """In its thread: whether the others have gone on since it was released."""
        with self.changed:
            return self.state == "blocked"

    def _run(self) -> None:
        self._go.acquire()
        try:
            self._work()
        except BaseException as error:  # noqa: BLE001  # the simulation reports it
            self.error = error
        self._become("done")

    def _become(self, state: Literal["ready", "done"]) -> None:
        with self.changed:
            self.state = state
            self.changed.notify_all()


class Schedule:
    """Runs actors one at a time."""

    def __init__(
        self, random: Random, url: str, fault_of: Callable[[Actor], Fault], restart: Callable[[], None]
    ) -> None:
        """`fault_of`: what happens to the next exchange of an actor. `restart`: kills the server and starts it."""
        self._random, self._url, self._fault_of, self._restart = random, url, fault_of, restart
        self._monitor = psycopg.connect(url, autocommit=True)
        self._actors: dict[threading.Thread, Actor] = {}
        self.actors: list[Actor] = []
        self._is_over = False
        self.steps = 0
        self.faults: dict[Fault, int] = {}
        self.trace: list[tuple[str, Fault]] = []
        self.deadlock: DeadlockDetected | None = None

    def start(self, name: str, work: Callable[[], None]) -> Actor:
        """Begin an actor, which waits to be released."""
        actor = Actor(name, work)
        self.actors.append(actor)
        self._actors[actor.thread] = actor
        actor.thread.start()
        return actor

    def run(self, after_step: Callable[[], None]) -> None:
        """Release actors until all are done. Raises Stuck, DeadlockDetected, and what an actor has raised."""
        with self._hooked():
            while going := [actor for actor in self.actors if actor.state != "done"]:
                ready = [actor for actor in going if actor.state == "ready"]
                if not ready:
                    self._wait_for_a_lock(going)
                    continue
                actor = self._random.choice(ready)
                fault = self._fault_of(actor)
                self._release(actor, fault if actor.at and fault in MAY_MEET[actor.at] else "none")
                self._settle_blocked()
                after_step()
                if actor.error is not None and not isinstance(actor.error, Killed):
                    raise actor.error
                if self.deadlock is not None:
                    raise self.deadlock

    def close(self) -> None:
        """Close the monitor's connection."""
        self._monitor.close()

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """In the thread of an actor: inside this context a statement that has to wait for a lock fails.

        The schedule waits for that, so no other actor runs meanwhile.
        """
        actor = self._actors.get(threading.current_thread())
        if actor is not None:
            actor.is_impatient = True
        try:
            yield
        finally:
            if actor is not None:
                actor.is_impatient = False

    def monitor(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """What the database says, in a session of its own that no fault meets."""
        return self._monitor.execute(query, values).fetchall()  # type: ignore[arg-type]  # texts of the simulation

    def _release(self, actor: Actor, fault: Fault) -> None:
        self.steps += 1
        self.trace.append((actor.name, fault))
        if fault != "none":
            self.faults[fault] = self.faults.get(fault, 0) + 1
        if fault == "restart":
            self._monitor.close()
            self._restart()
            self._monitor = psycopg.connect(self._url, autocommit=True)
        actor.release(fault)
        self._settle(actor)

    def _settle(self, actor: Actor) -> None:
        """Wait until an actor has come to its next exchange, is done, or is blocked."""
        deadline, patience = time.monotonic() + LIMIT, SLOW
        while True:
            with actor.changed:
                actor.changed.wait_for(lambda: actor.state != "running", patience)
                if actor.state != "running":
                    return
                if not actor.is_impatient and self._blocked([actor]):
                    actor.state = "blocked"
                    return
            if time.monotonic() > deadline:
                raise Stuck(actor)
            patience = min(2 * patience, SLOWEST)  # on a busy machine most wait for a core, and not for a lock

    def _settle_blocked(self) -> None:
        """Wait for those who no longer wait for a lock."""
        deadline = time.monotonic() + LIMIT
        while waiting := [actor for actor in self.actors if actor.state == "blocked"]:
            blocked = self._blocked(waiting)
            freed = [actor for actor in waiting if actor.pid not in blocked]
            if not freed:
                return
            for actor in freed:  # a statement may wait for its next lock then: it is asked again
                with actor.changed:
                    actor.changed.wait_for(lambda: actor.state != "blocked", SLOW)  # noqa: B023  # asked at once
            if time.monotonic() > deadline:
                raise Stuck(freed[0])

    def _wait_for_a_lock(self, going: list[Actor]) -> None:
        """All wait for locks: PostgreSQL ends a deadlock."""
        deadline = time.monotonic() + LIMIT
        while not any(actor.state == "ready" for actor in going):
            time.sleep(SLOW)
            self._settle_blocked()
            if time.monotonic() > deadline:
                raise Stuck(going[0])

    def _blocked(self, actors: list[Actor]) -> set[int]:
        """Process ids of the sessions of these actors that wait for a lock."""
        pids = [actor.pid for actor in actors if actor.pid is not None]
        return {pid for (pid,) in self.monitor(BLOCKED, pids)} if pids else set()

    def _end_sessions(self, actor: Actor) -> None:
        """End all sessions of a killed process, as its kernel does."""
        for connection in list(actor.connections):
            self._end(connection)

    def _end(self, connection: Any) -> None:
        """Break a connection, and end its session."""
        if connection.closed:
            return
        pid = connection.info.backend_pid
        connection.pgconn.finish()
        self._end_session(pid)

    def _end_session(self, pid: int) -> None:
        """Have the server end a session now, with its locks: by itself it notices sooner or later."""
        while self.monitor("SELECT FROM pg_stat_activity WHERE pid = %s", pid):
            self.monitor("SELECT pg_terminate_backend(%s, %s)", pid, GONE)

    def _stop(self, actor: Actor, at: str) -> Fault:
        """In the thread of an actor: wait until it is released. Raises Killed, Ended."""
        if actor.has_ended:
            return "none"
        if actor.is_killed and not self._is_over:
            raise Killed
        fault = "none" if self._is_over else actor.stop(at)
        if self._is_over:
            actor.has_ended = True
            raise Ended
        if fault == "killed":
            actor.is_killed = True
            self._end_sessions(actor)
            raise Killed
        return fault

    def exchange(self, actor: Actor, connection: Any, answer: Callable[[], Any], at: str) -> Any:
        """In the thread of an actor: one exchange with the server, and what happens to it."""
        actor.connections.add(connection)
        actor.pid = None if connection.closed else connection.info.backend_pid
        fault = self._stop(actor, at)
        if fault == "disk_full":
            raise DiskFull("the simulated disk is full")
        if fault == "lost_before":
            self._end(connection)
        try:
            found = answer()
        except DeadlockDetected as deadlock:
            self.deadlock = deadlock
            raise
        finally:
            if actor.was_blocked():
                self._stop(actor, "a pause")
        if fault == "lost_after":
            self._end(connection)
            raise psycopg.OperationalError("the simulated network lost the answer")
        return found

    @contextmanager
    def _hooked(self) -> Iterator[None]:
        """Have the driver stop before each exchange of an actor, and actors pause without waiting."""
        waits, closes = psycopg.Connection.wait, psycopg.Connection.close
        sleep, library_sleep = time.sleep, eventsourcing.utils.sleep

        def wait(connection: Any, gen: Any, *args: Any, **more: Any) -> Any:
            actor = self._actors.get(threading.current_thread())
            if actor is None or connection is self._monitor or gen.gi_code.co_qualname in SILENT:
                return waits(connection, gen, *args, **more)
            at = "a statement" if gen.gi_code.co_name == "_execute_gen" else "an exchange"
            return self.exchange(actor, connection, lambda: waits(connection, gen, *args, **more), at)

        def close(connection: Any) -> None:
            if connection.closed or connection is self._monitor or threading.current_thread() not in self._actors:
                closes(connection)
                return
            pid = connection.info.backend_pid
            closes(connection)
            self._end_session(pid)

        def pause(seconds: float) -> None:
            actor = self._actors.get(threading.current_thread())
            if actor is None:
                sleep(seconds)
                return
            actor.pid = None
            self._stop(actor, "a pause")

        # For as long as the simulation runs:
        psycopg.Connection.wait, psycopg.Connection.close = wait, close  # type: ignore[method-assign]
        time.sleep, eventsourcing.utils.sleep = pause, pause
        try:
            yield
        finally:
            self._end_actors()
            psycopg.Connection.wait, psycopg.Connection.close = waits, closes  # type: ignore[method-assign]
            time.sleep, eventsourcing.utils.sleep = sleep, library_sleep

    def _end_actors(self) -> None:
        """End the actors that are not done, after a failure. Raises Stuck: one that goes on slows all that follows."""
        self._is_over = True
        going = [actor for actor in self.actors if actor.thread.is_alive()]
        for actor in going:
            actor.release("none")
        deadline = time.monotonic() + LIMIT
        for actor in going:
            actor.thread.join(PATIENCE)
            while actor.thread.is_alive():
                if time.monotonic() > deadline:
                    raise Stuck(actor)
                with suppress(psycopg.Error):
                    self._end_sessions(actor)  # it waits for a lock of one that ends after it
                actor.thread.join(PATIENCE)
