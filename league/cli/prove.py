"""`league prove`: files that prove, under a signed head, what the log contains."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from league.application.bootstrap import League
from league.audit.head_signing import last_head
from league.audit.log_proofs import prove_events, prove_growth
from league.audit.signed_heads import Head, earliest_first, heads_in, is_genuine, public_keys_in, raw
from league.cli import terminal
from league.cli.opening import existing_league
from league.cli.options import Json, ProofFile, SignedBy
from league.domain.refusals import InvalidInput, NotFound, WrongState
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import Conn
from league.infra.database import connect
from league.infra.settings import BadSetting
from league.wording.language import _


def prove(
    what: Annotated[str, typer.Argument(metavar="MATCH|POSITION", help="A match's id, or a position of the log.")],
    out: ProofFile,
    public_key: SignedBy = None,
    as_json: Json = False,
) -> None:
    """Write a proof that a match is in the log.

    The proof is a small file under the last signed head. `league check-proof` checks it without a database.
    """
    with existing_league() as league:
        prove_match(league, what, out, public_key or [], as_json=as_json)


def prove_match(league: League, what: str, out: Path, public_keys: Sequence[Path], *, as_json: bool) -> None:
    """Write the proof of a match, or of the event at a position. Raises NotFound, WrongState, BadSetting."""
    keys = _keys(league, public_keys)
    with connect(league.database.url) as conn:
        _read_one_state(conn)
        events = encoded_rows.events_of(conn, stream=f"match:{what}")
        if not events and what.isdecimal():
            events = encoded_rows.events_of(conn, position=int(what))
        if not events:
            raise NotFound("what", _("match or position"), what)
        head, last = last_head(conn, keys), events[-1][0].position
        if head is None or head.position < last:
            raise WrongState(what, _("not signed yet"), _("no head signs all of it; `league heads sign` makes one"))
        text = prove_events(conn, events, head)
    _write(out, text)
    if as_json:
        terminal.print_json({"file": str(out), "events": len(events), "head": head.position})
        return
    terminal.out.print(
        _(
            "{out} proves {count} events under {head}.",
            out=terminal.quoted(str(out)),
            count=len(events),
            head=named(head),
        )
    )


def prove_since(league: League, kept: Sequence[Path], out: Path, public_keys: Sequence[Path], *, as_json: bool) -> None:
    """Write the proof that the log extends the last of the heads in files. Raises WrongState, BadSetting."""
    keys, heads = _keys(league, public_keys), earliest_first(heads_in(kept))
    if not heads or not is_genuine(heads[-1]):
        raise InvalidInput("heads", _("the last head in the files is not what its key signed, or there is none"))
    with connect(league.database.url) as conn:
        _read_one_state(conn)
        older, head = heads[-1], last_head(conn, keys)
        if head is None or head.position < older.position:
            reason = _("no head signs so much of the log; `league heads sign` makes one, unless the log was cut")
            raise WrongState(named(older), _("beyond all that are stored"), reason)
        text = prove_growth(conn, older, head)
    _write(out, text)
    if as_json:
        terminal.print_json({"file": str(out), "kept": older.position, "head": head.position})
        return
    terminal.out.print(
        _(
            "{out} proves that {head} continues {older}.",
            out=terminal.quoted(str(out)),
            head=named(head),
            older=named(older),
        )
    )


def _write(out: Path, text: bytes) -> None:
    try:
        out.write_bytes(text)
    except OSError as error:
        raise InvalidInput("out", f"{out}: {error.strerror}") from error


def _keys(league: League, public_keys: Sequence[Path]) -> list[bytes]:
    """The keys in files, or else the league's own key."""
    if public_keys:
        return public_keys_in(public_keys)
    if league.key is None:
        raise BadSetting("LEAGUE_SIGNING_KEY", _("must be set, or the league's public key be given (--public-key)"))
    return [raw(league.key.public_key())]


def _read_one_state(conn: Conn) -> None:
    # So that a head and the events under it come from one state of the log.
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def named(head: Head) -> str:
    """A head in words."""
    return _(
        "the head that signs position {position}, of {signed_at:%Y-%m-%d %H:%M:%S} UTC",
        position=head.position,
        signed_at=head.signed_at,
    )
