"""Promotion: a replay's run becomes the official one and its rules are adopted, both in one transaction.

Under the lock that every writer takes, the run must be at the head of the log. If it is not, it catches up outside
the lock and tries again.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import psycopg
from msgspec import Struct
from psycopg.errors import LockNotAvailable
from psycopg.rows import tuple_row

from league.application.dispatch import Clock
from league.application.retry import first_answer, retried
from league.application.stream_states import StreamStates
from league.domain.audit_trail import STREAM, Act, RolledBack, RunPromoted
from league.domain.refusals import NotFound, WrongState
from league.domain.rulebook import AdoptTimeline, EditionAdopted, EditionPublished, RulebookState, adopt_timeline
from league.domain.timeline import Timeline
from league.eventlog.store import Append, EventStore, Overtaken, Request
from league.infra.database import connect
from league.projections import runs
from league.projections.folds.match_fold import Edition, Rules
from league.projections.projector import CHANNEL
from league.projections.replays.replay import catch_up, fold_under
from league.projections.writers import catalogue

ATTEMPTS = 50
"""How often a run catches up with the writers of the log."""
PAUSE = 0.02
"""Seconds before the second attempt; each further pause is longer by this much."""

ActOf = Callable[[psycopg.Connection[Any], int, int], Act]
"""Makes the act to write, from the new official run and the previous one."""


class NotAtHead(Overtaken):
    """Events were appended after the run caught up, or the official run is still being folded."""

    def __init__(self) -> None:
        super().__init__("the log", "has events that the run does not have")


class Promoter(Struct, frozen=True):
    """Promotes runs of one league. `project` brings the official run up to the log, or waits for the projector."""

    url: str
    store: EventStore
    clock: Clock
    project: Callable[[], None]

    def promote(self, run: int, request: Request) -> int:
        """Make a run the official one. Returns the position of the adoption.

        Raises NotFound; WrongState when the run is official already, or revises rules that are no longer in force;
        Conflict when other writers append faster than it catches up; KeyReused.
        """
        if (answered := first_answer(self.store, request)) is not None:
            return answered
        rulebook = StreamStates(self.store, self.clock()).rulebook()
        with connect(self.url) as conn:
            if runs.official_run(conn) == run:
                raise WrongState(f"run {run}", "official", "it is the official run")
            if not runs.is_ready(conn, run):
                raise NotFound("run", "run", str(run))
            if not runs.is_based_on(conn, run, _rules(rulebook.timeline, rulebook)):
                raise WrongState(f"run {run}", "outdated", "other rules were adopted since it was folded; replay again")
        return self._adopt(run, request, rulebook.timeline, _promoted)

    def roll_back(self, request: Request) -> int:
        """Adopt the rules again that were in force before the last adoption. Returns the position of the adoption.

        Raises WrongState when there was only one adoption, Conflict and KeyReused.
        """
        if (answered := first_answer(self.store, request)) is not None:
            return answered
        states = StreamStates(self.store, self.clock())
        said = [stored.event for stored in states.events("rulebook")]
        adopted = [event.timeline for event in said if isinstance(event, EditionAdopted)]
        if len(adopted) < 2:  # noqa: PLR2004  # the last one, and the one before it
            raise WrongState("the league", "under its first rules", "there is nothing to roll back to")
        before = _rules(adopted[-2], states.rulebook())
        with connect(self.url) as conn:
            run = runs.folded_under(conn, before)
        if run is None:
            run = fold_under(self.url, lambda _: before)
        return self._adopt(run, request, adopted[-1], lambda _, run, before: RolledBack(run, before))

    def _adopt(self, run: int, request: Request, held: Timeline, act_of: ActOf) -> int:
        """Adopt the run's timeline in place of `held`, the timeline in force when this was decided."""

        def attempt() -> int:
            self.project()
            states = StreamStates(self.store, self.clock())
            rulebook = states.rulebook()
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
            # The act comes first, so that the answered position is that of the adoption.
            done = Append(STREAM, self.store.version(STREAM), (act,))
            adopted = Append("rulebook", len(states.events("rulebook")), tuple(events))
            return self.store.append([done, adopted], request, within=partial(_point_to, run, before, events))

        # Between attempts other writers append, or the league is folded again.
        return retried(attempt, ATTEMPTS, PAUSE)


def _rules(timeline: Timeline, state: RulebookState) -> Rules:
    return Rules(timeline, {e.edition: Edition(e.hash, e.document) for e in state.editions})


def _promoted(conn: psycopg.Connection[Any], run: int, before: int) -> Act:
    return RunPromoted(run, runs.replay_of(conn, run), before)


def _point_to(
    run: int, official: int, events: Sequence[Any], conn: psycopg.Connection[Any], before: int, last: int
) -> None:
    """Make the run official, in the transaction that adopts its rules.

    Raises NotAtHead, also when another run has become official.
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
