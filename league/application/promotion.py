"""Promotion: a replay's run becomes the official one, and its rules are adopted; both in one step, or neither.

Under the lock that every writer takes the run has to stand at the head of the log. Where it does not, it catches up
outside the lock, and tries again.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.errors import LockNotAvailable
from psycopg.rows import tuple_row

from league.application.dispatch import Clock
from league.application.world import World
from league.domain.audit_trail import STREAM, Act, RolledBack, RunPromoted
from league.domain.refusals import Conflict, KeyReused, NotFound, WrongState
from league.domain.rulebook import AdoptTimeline, EditionAdopted, EditionPublished, RulebookState, adopt_timeline
from league.domain.timeline import Timeline
from league.eventlog.store import Append, EventStore, KeyTaken, Request, VersionConflict
from league.infra.database import connect
from league.projections import runs
from league.projections.folds.match_fold import Edition, Rules
from league.projections.projector import CHANNEL
from league.projections.replays.replay import catch_up, fold_under
from league.projections.writers import catalogue

ATTEMPTS = 50
"""How often a run catches up with those who write meanwhile."""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 1.0
"""Seconds between two attempts, ever more of them."""


ActOf = Callable[[psycopg.Connection[Any], int, int], Act]
"""What is written down, of the run that is to be official and the one that was."""


class NotAtHead(Exception):
    """Events came meanwhile, or the official run is still being folded."""


class Promoter(Struct, frozen=True):
    """Promotes runs of one league. `project` brings the official run up to the log, or waits for who does."""

    url: str
    store: EventStore
    clock: Clock
    project: Callable[[], None]

    def promote(self, run: int, request: Request) -> int:
        """Make a run the official one. Returns the position of the adoption.

        Raises NotFound for a run that is not there, WrongState when it is official already or revises rules that do
        not hold any more, Conflict when others write faster than it catches up, KeyReused.
        """
        if (answered := self._answered(request)) is not None:
            return answered
        rulebook = World(self.store, self.clock()).rulebook()
        with connect(self.url) as conn:
            if runs.official_run(conn) == run:
                raise WrongState(f"run {run}", "official", "it is what everybody reads")
            if not runs.is_ready(conn, run):
                raise NotFound("run", "run", str(run))
            if not runs.is_based_on(conn, run, _rules(rulebook.timeline, rulebook)):
                raise WrongState(f"run {run}", "outdated", "other rules were adopted since it was folded; replay again")
        return self._adopt(run, request, rulebook.timeline, _promoted)

    def roll_back(self, request: Request) -> int:
        """Make the rules official that held before the last adoption. Returns the position of the adoption.

        Raises WrongState when there was none but the first; and what `promote` raises.
        """
        if (answered := self._answered(request)) is not None:
            return answered
        world = World(self.store, self.clock())
        said = [stored.event for stored in world.events("rulebook")]
        adopted = [event.timeline for event in said if isinstance(event, EditionAdopted)]
        if len(adopted) < 2:  # noqa: PLR2004  # the one that holds, and the one before it
            raise WrongState("the league", "at its first rules", "there is nothing to roll back to")
        before = _rules(adopted[-2], world.rulebook())
        with connect(self.url) as conn:
            run = runs.folded_under(conn, before)
        if run is None:
            run = fold_under(self.url, lambda _: before)
        return self._adopt(run, request, adopted[-1], lambda _, run, before: RolledBack(run, before))

    def _adopt(self, run: int, request: Request, held: Timeline, act_of: ActOf) -> int:
        """`held`: the timeline that is to be replaced; when another one holds by now, somebody was faster."""
        for attempt in range(ATTEMPTS):
            # Between attempts others write, or the league is folded anew.
            time.sleep(min(attempt * SHORTEST_PAUSE, LONGEST_PAUSE))
            self.project()
            world = World(self.store, self.clock())
            rulebook = world.rulebook()
            if rulebook.timeline != held:
                raise WrongState(f"run {run}", "outdated", "other rules were adopted meanwhile")
            catch_up(self.url, run)
            with connect(self.url) as conn:
                rules, before = catalogue.rules_of_run(conn, run), runs.official_run(conn)
                assert before is not None, "the league was just projected"
                act = act_of(conn, run, before)
            editions = [(span.start, rules.editions[span.edition]) for span in rules.timeline]
            spans = tuple((start, edition.hash, edition.rulebook) for start, edition in editions)
            events = adopt_timeline(AdoptTimeline(spans), rulebook)
            # What was done comes first, so that the position is that of the adoption.
            done = Append(STREAM, self.store.version(STREAM), (act,))
            adopted = Append("rulebook", len(world.events("rulebook")), tuple(events))
            try:
                return self.store.append([done, adopted], request, within=partial(_point_to, run, before, events))
            except (NotAtHead, VersionConflict):
                continue
            except KeyTaken as taken:
                raise KeyReused(taken.key) from None
        raise Conflict("the log")

    def _answered(self, request: Request) -> int | None:
        if request.key is None or (answer := self.store.answer_to(request.actor, request.key)) is None:
            return None
        if answer.input_hash != request.input_hash:
            raise KeyReused(request.key)
        return answer.position


def _rules(timeline: Timeline, state: RulebookState) -> Rules:
    return Rules(timeline, {e.edition: Edition(e.hash, e.document) for e in state.editions})


def _promoted(conn: psycopg.Connection[Any], run: int, before: int) -> Act:
    return RunPromoted(run, runs.replay_of(conn, run), before)


def _point_to(
    run: int, official: int, events: Sequence[Any], conn: psycopg.Connection[Any], before: int, last: int
) -> None:
    """Let readers read the run instead of the official one, in the transaction that adopts its rules.

    Raises NotAtHead, also when another run is official by now.
    """
    try:
        with conn.cursor(row_factory=tuple_row) as cursor:
            rows = cursor.execute(
                "SELECT run, position FROM runs WHERE run = %s AND ready"
                " OR run = (SELECT run FROM official_run WHERE run = %s FOR UPDATE NOWAIT) FOR UPDATE NOWAIT",
                (run, official),
            ).fetchall()
    except LockNotAvailable as error:
        raise NotAtHead from error
    if len(rows) != 2 or any(position != before for _, position in rows):  # noqa: PLR2004  # the old one and the new
        raise NotAtHead
    for event in events:
        if isinstance(event, EditionPublished):
            catalogue.keep_edition(conn, Edition(event.hash, event.document), event.edition)
    runs.set_position(conn, run, last)
    conn.execute("UPDATE official_run SET previous = run, run = %s", (run,))
    conn.execute(f"NOTIFY {CHANNEL}")
