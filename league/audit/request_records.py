"""Whether the records of requests are those of the log: each append stored one, with the position of its last event."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from league.domain.sentences import say
from league.eventlog.envelopes import Envelope
from league.projections.runs import Conn

NOT_CHECKED = say("hashes of inputs, and records of requests without a key, are not checked")

# Rows are compared in Python: as JSON in the log, and as text here, the same key may be spelled differently.
RECORDED = """
    SELECT actor, key, r.position, state FROM requests AS r LEFT JOIN stored_events AS e ON e.position = r.position
    ORDER BY r.position, actor, key
"""
KEYED = """
    SELECT position, state FROM stored_events
    WHERE between_marks(state, ',"key":', ',"played_at":') <> 'null' ORDER BY position
"""
NEWEST = """
    SELECT position, EXISTS (SELECT FROM requests AS r WHERE r.position = e.position)
    FROM stored_events AS e ORDER BY position DESC LIMIT 1
"""


def request_faults(conn: Conn) -> Iterator[tuple[int, str]]:
    """The positions at which the record of a request is missing or wrong, and what is wrong. The log has to hold.

    Covered: a key that a client gave answers with its own request. A record of a request without a key is missed only
    at the end of the log.
    """
    recorded = dict[tuple[str, str], int]()
    with conn.cursor("recorded") as rows:
        for actor, key, position, state in rows.execute(RECORDED):
            recorded[actor, key] = position
            stored = None if state is None else msgspec.json.decode(state, type=Envelope[msgspec.Raw])
            # The program makes a key that begins with ~ for a request that has none.
            given = None if stored is None else stored.key or (key if key.startswith("~") else None)
            if stored is None or (stored.actor, given) != (actor, key):
                yield (
                    position,
                    say(
                        "the record of the request {key!r} of {actor} leads to an event of another request",
                        key=key,
                        actor=actor,
                    ),
                )
    last = dict[tuple[str, str], int]()
    with conn.cursor("keyed") as rows:
        for position, state in rows.execute(KEYED):
            stored = msgspec.json.decode(state, type=Envelope[msgspec.Raw])
            if stored.key is not None:
                last[stored.actor, stored.key] = position
    for (actor, key), position in last.items():
        if (actor, key) not in recorded:
            yield (
                position,
                say(
                    "the record of the request {key!r} of {actor} is missing: a repeat would be stored again",
                    key=key,
                    actor=actor,
                ),
            )
        elif recorded[actor, key] != position:
            yield (
                position,
                say(
                    "the record of the request {key!r} of {actor} does not lead to its last event", key=key, actor=actor
                ),
            )
    newest = conn.execute(NEWEST).fetchone()
    if newest is not None and not newest[1]:
        yield newest[0], say("the newest event has no record of its request")
