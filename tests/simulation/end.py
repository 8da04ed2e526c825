"""What must hold when a simulated league has come to its end."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from unittest.mock import patch

import psycopg

from league.application.bootstrap import League, open_league
from league.application.decisions import RepeatedCommand
from league.application.dispatch import Dispatcher, decide
from league.application.stream_states import StreamStates
from league.cli.verify import verify_league
from league.domain.dealing import SECRET_BYTES
from league.domain.members import MemberRemoved
from league.domain.player import PlayerErased
from league.domain.refusals import Conflict, Refusal
from league.eventlog.records import Append, AppendRequest, LoggedEvent
from league.infra.database import connect
from league.infra.photo_store import PhotoStore
from league.infra.settings import Settings
from league.projections import runs
from league.projections.projector import Projector
from league.projections.runs import run_digest
from league.tables.application import table_commands
from league.tables.domain.commands_and_events import HandDropped, PlayBegan, ShuffleCommitted
from league.transfer.backup_format import BackupReader
from league.transfer.restore import load_backup
from tests.simulation.photos import faults_of_photos, quick_counter
from tests.simulation.run import TABLE_SECRET, Asked, Simulation, Violation
from tests.simulation.tables import ALIVE, faults_of_tables
from tests.simulation.workers import finish, in_threads

RECORDED_THEN = """
    UPDATE league.stored_events AS event SET recorded_at = original.recorded_at
    FROM unnest(%s::bigint[], %s::timestamptz[]) AS original (position, recorded_at)
    WHERE event.position = original.position
"""
"""The deadlines of live tables follow from these times."""
MOST_EVENTS = 1_000_000
"""Limit on the events of a simulated league."""


SAID_TWICE = """
    SELECT * FROM stored_events AS one JOIN stored_events AS next USING (originator_id, topic)
    WHERE starts_with(originator_id, 'consent:') AND next.originator_version = one.originator_version + 1
"""
ERASED_AND_LEFT = """
    SELECT * FROM (
        SELECT player_id, name FROM players WHERE name IS NOT NULL
        UNION SELECT player_id, 'member ' || member_id FROM members WHERE player_id IS NOT NULL
        UNION SELECT player_id, 'consent' FROM review_consents
    ) AS found (player_id, what)
    WHERE EXISTS (
        SELECT FROM stored_events WHERE originator_id = 'player:' || player_id AND topic = 'player-erased/1'
    )
"""


def check_end(simulation: Simulation, sequential: str, restored: str) -> None:
    """Raise Violation unless everything holds. `sequential`, `restored`: URLs of two other migrated databases."""
    with open_league(simulation.settings) as league:
        check_answers(simulation, league)
        check_erased(league)
        check_consents(league)
        check_photos(league, simulation.place)
        for fault in faults_of_tables(league, simulation.world.tables):
            raise Violation(fault)
        check_folds(league)
        check_log(league)
        check_sequential(simulation, league, sequential)
        if simulation.backup is not None:
            check_backup(simulation.backup, league, restored, simulation.place)


def check_answers(simulation: Simulation, league: League) -> None:
    """What was acknowledged is there, once; equal requests have equal answers; what was refused left nothing."""
    by_key: dict[tuple[str, str], list[Asked]] = defaultdict(list)
    for asked in simulation.asked:
        by_key[asked.actor, asked.key].append(asked)
    with connect(league.database.url) as conn:
        stored = {(actor, key): at for actor, key, at in conn.execute("SELECT actor, key, position FROM requests")}
    for of, answers in by_key.items():
        positions = {asked.position for asked in answers if asked.position is not None}
        if len(positions) > 1 or (positions and stored.get(of) not in positions):
            raise Violation(f"{of} was answered {sorted(positions)}, and is stored at {stored.get(of)}")
        if of in stored and not positions and all(asked.refusal is not None for asked in answers):
            raise Violation(f"{of} was refused, and is stored at {stored[of]}")


def check_photos(league: League, place: str) -> None:
    """Workers who do what waits leave no photo without its count, and no picture of an erased photo."""
    with in_threads(), quick_counter():
        finish(league.database.url, place)
    for fault in faults_of_photos(league, place):
        raise Violation(fault)


def check_folds(league: League) -> None:
    """The rows that were folded step by step are those of a rebuild."""
    found = []
    for rebuilds in (False, True):
        with Projector(league.database.url, league.store) as projector:
            projector.rebuild() if rebuilds else projector.catch_up()
        with connect(league.database.url) as conn:
            run = runs.official_run(conn)
            assert run is not None, "it was projected"
            found.append(run_digest(conn, run))
    if found[0] != found[1]:
        raise Violation(f"the rows folded step by step have the digest {found[0]}, those of a rebuild {found[1]}")


def check_log(league: League) -> None:
    """The chain, the heads, the keys and the requests are as `league verify` wants them."""
    faults = verify_league(league, [], [], rebuild=True).faults
    if faults:
        raise Violation(f"league verify finds {faults}")


def check_erased(league: League) -> None:
    """No table has the name of somebody who was erased, lets them sign in, or shows how they played."""
    with connect(league.database.url) as conn:
        left = conn.execute(ERASED_AND_LEFT).fetchall()
    if left:
        raise Violation(f"erased, and still there: {left}")


def check_consents(league: League) -> None:
    """Players give a consent that they have not given, and withdraw one that they have."""
    with connect(league.database.url) as conn:
        twice = conn.execute(SAID_TWICE).fetchall()
    if twice:
        raise Violation(f"said twice: {twice}")


def check_sequential(simulation: Simulation, league: League, url: str) -> None:
    """One process that gets the accepted commands in the order of the log, one after the other, makes the same log.

    What was refused is refused there, too, at some moment between the question and its answer.
    """
    log = league.store.read_after(0, MOST_EVENTS)
    accepted = {(asked.actor, asked.key): asked for asked in simulation.asked}
    refused = {id(asked): (asked, list[str]()) for asked in simulation.asked if asked.refusal is not None}
    with open_league(Settings(database_url=url, table_secret=TABLE_SECRET)) as again, psycopg.connect(url) as owner:
        owner.execute("SET session_replication_role = replica")  # the log is not changed otherwise
        owner.execute(ALIVE)
        owner.commit()

        def ask_again() -> None:
            for one, (asked, said) in list(refused.items()):
                if asked.begun <= again.store.head() <= asked.ended:
                    said.append(answer_of(again, asked))
                    if said[-1] == without_numbers(asked.refusal):
                        del refused[one]

        for request in requests_of(log):
            ask_again()
            asked = accepted.get((request[0].actor, request[0].key or ""))
            say_again(again, request, asked)
            owner.execute(RECORDED_THEN, [[one.position for one in request], [one.recorded_at for one in request]])
            owner.commit()
        ask_again()
        for asked, said in refused.values():
            if not isinstance(asked.refusal, Conflict):
                where = f"at {asked.begun} to {asked.ended}"
                raise Violation(f"{asked.command} was refused {where} ({asked.refusal}), and said again: {said}")
        if again.store.head() != len(log):
            raise Violation(f"the log has {len(log)} events, that of the sequential league {again.store.head()}")
        compare(log, again.store.read_after(0, MOST_EVENTS))


def check_backup(backup: bytes, league: League, url: str, place: str) -> None:
    """A backup that was made meanwhile is a beginning of the log, can be folded, and has the pictures of its photos."""
    pictures = f"{place} restored"
    with BackupReader(io.BytesIO(backup)) as reader:
        load_backup(url, reader, pictures=PhotoStore(pictures))
    with open_league(Settings(database_url=url, table_secret=TABLE_SECRET)) as restored:
        log = restored.store.read_after(0, MOST_EVENTS)
        while isinstance(log[-1].event, HandDropped):  # a restore drops the hands that were running
            log.pop()
        compare(league.store.read_after(0, MOST_EVENTS), log)
        check_folds(restored)
        check_photos(restored, pictures)
        check_erased(restored)


def requests_of(log: list[LoggedEvent]) -> Iterator[list[LoggedEvent]]:
    """The events of each request, in the order of the log."""
    request: list[LoggedEvent] = []
    for stored in log:
        if request and (stored.key is None or (stored.actor, stored.key) != (request[0].actor, request[0].key)):
            yield request
            request = []
        request.append(stored)
    if request:
        yield request


def say_again(again: League, request: list[LoggedEvent], asked: Asked | None) -> None:
    """Say one request to the sequential league. What no client sent is appended as it was."""
    first = request[0]
    if asked is None:
        streams: dict[str, list[LoggedEvent]] = defaultdict(list)
        for stored in request:
            streams[stored.stream].append(stored)
        appends = [
            Append(stream, of[0].version - 1, tuple(one.event for one in of), of[0].played_at)
            for stream, of in streams.items()
        ]
        again.store.append(appends, AppendRequest(first.actor, first.source))
        return
    began = next((one.event.at for one in request if isinstance(one.event, PlayBegan)), first.recorded_at)
    secret = next((one.event.secret for one in request if isinstance(one.event, ShuffleCommitted)), None)
    try:
        dispatcher = Dispatcher(again.store, lambda: began.astimezone(UTC))
        with patch.object(table_commands, "new_secret", lambda: bytes.fromhex(secret or "00" * SECRET_BYTES)):
            dispatcher.send(asked.command, asked.actor, "manual", asked.key)
    except Refusal as refusal:
        raise Violation(f"{asked.command} was accepted at {first.position}, where it is refused: {refusal}") from None
    if again.store.head() != request[-1].position:
        raise Violation(f"{asked.command} stored {len(request)} events at {first.position}, and others said again")


def answer_of(again: League, asked: Asked) -> str:
    """What the sequential league says to a command now, without its numbers."""
    try:
        decide([asked.command], StreamStates(again.store, datetime.now(UTC), None, asked.actor))
    except Refusal as refusal:
        return without_numbers(refusal)
    except RepeatedCommand:
        return "repeated"
    return "accepted"


def without_numbers(refusal: Refusal | None) -> str:
    """What a refusal says, without its times."""
    return re.sub(r"\d", "", str(refusal))


def compare(log: list[LoggedEvent], other: list[LoggedEvent]) -> None:
    """The other log is the beginning of the log, but for names that were erased later."""
    erased = {stored.stream for stored in log if isinstance(stored.event, PlayerErased | MemberRemoved)}
    for one, two in zip(log, other, strict=False):
        if (one.stream, one.version, one.name) != (two.stream, two.version, two.name):
            raise Violation(f"event {one.position} is {one.name} of {one.stream}, and {two.name} of {two.stream}")
        if one.stream not in erased and one.event != two.event:
            raise Violation(f"event {one.position} of {one.stream} is {one.event}, and {two.event}")
