"""`league prove`, `league heads prove` and `league check-proof`: what people take home, and how they check it."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from league.application.bootstrap import League
from league.audit.consistency import check_consistency
from league.audit.head_signing import last_head
from league.audit.log_proofs import prove_events, prove_growth
from league.audit.proofs import BadProof, check_proof
from league.audit.signed_heads import Head, earliest_first, heads_in, is_genuine, public_keys_in, raw
from league.cli import terminal
from league.domain.refusals import InvalidInput, NotFound, WrongState
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import Conn
from league.eventlog.hash_chain import moment
from league.eventlog.store import Envelope
from league.infra.database import connect
from league.infra.settings import BadSetting


class AnyProof(msgspec.Struct):
    """Says which kind of proof a file is, whatever else is in it."""

    format: str


def prove(league: League, what: str, out: Path, public_keys: Sequence[Path]) -> None:
    """Write the proof of a match, or of the event at a position. Raises NotFound, WrongState, BadSetting."""
    keys = _keys(league, public_keys)
    with connect(league.database.url) as conn:
        _read_one_state(conn)
        events = encoded_rows.events_of(conn, stream=f"match:{what}")
        if not events and what.isdecimal():
            events = encoded_rows.events_of(conn, position=int(what))
        if not events:
            raise NotFound("what", "match or position", what)
        head, last = last_head(conn, keys), events[-1][0].position
        if head is None or head.position < last:
            raise WrongState(what, "not signed yet", "no head signs all of it; `league heads sign` makes one")
        text = prove_events(conn, events, head)
    _write(out, text)
    terminal.out.print(f"{terminal.quoted(str(out))} proves {len(events)} events under {_named(head)}.")


def prove_since(league: League, kept: Sequence[Path], out: Path, public_keys: Sequence[Path]) -> None:
    """Write the proof that the log began as the last of the heads in files says. Raises WrongState, BadSetting."""
    keys, heads = _keys(league, public_keys), earliest_first(heads_in(kept))
    if not heads or not is_genuine(heads[-1]):
        raise InvalidInput("heads", "the last head in the files is not what its key signed, or there is none")
    with connect(league.database.url) as conn:
        _read_one_state(conn)
        older, head = heads[-1], last_head(conn, keys)
        if head is None or head.position < older.position:
            reason = "no head signs so much of the log; `league heads sign` makes one, unless the log was cut"
            raise WrongState(_named(older), "beyond all that are stored", reason)
        text = prove_growth(conn, older, head)
    _write(out, text)
    terminal.out.print(f"{terminal.quoted(str(out))} proves that {_named(head)} continues {_named(older)}.")


def check(file: Path, heads: Sequence[Path], public_keys: Sequence[Path]) -> bool:
    """Say what a proof proves; whether it does. Needs no database."""
    trusted, kept = public_keys_in(public_keys), heads_in(heads)
    try:
        text = file.read_bytes()
        if _format(text).startswith("league-consistency/"):
            _show_consistency(text, kept, trusted)
        else:
            _show_events(text, trusted)
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
    except BadProof as error:
        terminal.out.print(f"[bold red]It proves nothing:[/] {terminal.quoted(str(error))}.")
        return False
    return True


def _show_events(text: bytes, trusted: Sequence[bytes]) -> None:
    head, events = check_proof(text, trusted)
    versions = dict[str, int]()
    for entry in events:
        next_version = versions.get(entry.stream, 0) + 1
        if entry.version > next_version:
            left_out = f"events {next_version} to {entry.version - 1} of {entry.stream} are not in this file"
            terminal.out.print(f"[yellow]note[/] {terminal.quoted(left_out)}")
        versions[entry.stream] = entry.version
        envelope = msgspec.json.decode(entry.state, type=Envelope)
        terminal.out.print(
            f"[bold]{entry.position}[/] {terminal.quoted(entry.stream)} {terminal.quoted(entry.name)}, recorded "
            f"{moment(entry.recorded_at):%Y-%m-%d %H:%M:%S.%f} UTC by {terminal.quoted(envelope.actor)} "
            f"({terminal.quoted(envelope.source)})"
        )
        terminal.out.print(f"  {terminal.quoted(bytes(envelope.body).decode())}")
    terminal.out.print(f"[bold green]All that is shown stands in the log[/] under {_named(head)}.")


def _show_consistency(text: bytes, kept: Sequence[Head], trusted: Sequence[bytes]) -> None:
    if not kept:
        raise InvalidInput("heads", "the head that you kept is needed (--heads): the proof is about it")
    older, head = check_consistency(text, kept, trusted)
    terminal.out.print(
        f"[bold green]The log only grew:[/] up to position {older.position} it is what {_named(older)} signed, "
        f"and {_named(head)} continues it."
    )


def _write(out: Path, text: bytes) -> None:
    try:
        out.write_bytes(text)
    except OSError as error:
        raise InvalidInput("out", f"{out}: {error.strerror}") from error


def _format(text: bytes) -> str:
    try:
        return msgspec.json.decode(text, type=AnyProof).format
    except (ValueError, RecursionError) as error:
        raise BadProof(f"it is no proof ({error})") from error


def _keys(league: League, public_keys: Sequence[Path]) -> list[bytes]:
    """The keys in files, or else the league's own."""
    if public_keys:
        return public_keys_in(public_keys)
    if league.key is None:
        raise BadSetting("LEAGUE_SIGNING_KEY", "must be set, or the league's public key be given (--public-key)")
    return [raw(league.key.public_key())]


def _read_one_state(conn: Conn) -> None:
    # The log as it is now: what a head signs does not change, but it may come while we look.
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _named(head: Head) -> str:
    return f"the head that signs position {head.position}, of {head.signed_at:%Y-%m-%d %H:%M:%S} UTC"
