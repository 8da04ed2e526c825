"""`league prove` and `league check-proof`: that a match stands in the log, for a player to take home."""

from pathlib import Path

import msgspec
from rich.markup import escape

from league import console, log_rows
from league.bootstrap import League
from league.chain import moment
from league.database import connect
from league.domain.refusals import InvalidInput, NotFound, WrongState
from league.event_store import Envelope
from league.head_signing import last_head
from league.merkle import root_over
from league.proofs import BadProof, check_proof, make_proof
from league.signed_heads import Head, public_keys_in


def prove(league: League, what: str, out: Path) -> None:
    """Write the proof of a match, or of the event at a position. Raises NotFound, WrongState without a head."""
    with connect(league.database.url) as conn:
        # The log as it is now: what a head signs does not change, but it may come while we look.
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        head = last_head(conn)
        events = log_rows.events_of(conn, stream=f"match:{what}")
        if not events and what.isdecimal():
            events = log_rows.events_of(conn, position=int(what))
        if not events:
            raise NotFound("what", "match or position", what)
        if head is None or head.position < events[-1][0].position:
            raise WrongState(f"{what}", "not signed yet", "no head signs all of it; `league heads sign` makes one")
        proof = make_proof(events, head, lambda start, end: root_over(log_rows.hashes(conn, start, end)))
    out.write_bytes(msgspec.json.format(msgspec.json.encode(proof)) + b"\n")
    console.out.print(f"{escape(str(out))} proves {len(events)} events under {_named(head)}.")


def check(file: Path, public_key: Path) -> bool:
    """Say what a proof proves; whether it does. Needs no database."""
    trusted = public_keys_in([public_key])
    try:
        head, events = check_proof(file.read_bytes(), trusted)
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
    except BadProof as error:
        console.out.print(f"[bold red]It proves nothing:[/] {escape(str(error))}.")
        return False
    for entry in events:
        envelope = msgspec.json.decode(entry.state, type=Envelope)
        console.out.print(
            f"[bold]{entry.position}[/] {escape(entry.stream)} {escape(entry.name)}, recorded "
            f"{moment(entry.recorded_at):%Y-%m-%d %H:%M:%S.%f} UTC by {escape(envelope.actor)} ({envelope.source})"
        )
        console.out.print(f"  {bytes(envelope.body).decode()}", markup=False)
    console.out.print(f"[bold green]All of it stands in the log[/] under {_named(head)}.")
    return True


def _named(head: Head) -> str:
    return f"the head that signs position {head.position}, of {head.signed_at:%Y-%m-%d %H:%M:%S} UTC"
