"""`league heads`, `prove`, `check-proof`: signed heads of the log, and proofs that follow from them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from league.application import storing
from league.application.bootstrap import League, clock
from league.audit.head_signing import last_head, prove_events, prove_growth, stored_heads
from league.audit.proofs import BadProof, check_consistency
from league.audit.proofs import check_proof as check_events
from league.audit.signed_heads import (
    LogHead,
    earliest_first,
    heads_in,
    is_genuine,
    public_keys_in,
    public_pem,
    raw,
    required_key,
)
from league.audit.signed_heads import as_json as written
from league.cli import terminal
from league.cli.entry import FAILURE
from league.cli.opening import existing_league, settings
from league.cli.terminal import Actor, Heads, Json, ProofFile, SignedBy
from league.domain.audit_trail import HeadRequested
from league.domain.refusals import InvalidInput, NotFound, WrongState
from league.domain.sentences import say
from league.eventlog import encoded_rows
from league.eventlog.encoded_rows import Conn, HashedRow, moment
from league.eventlog.envelopes import Envelope
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.infra.settings import BadSetting
from league.wording.language import error_in_words, spoken


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
            raise NotFound("what", "match", what, called=say("match or position"))
        head, last = last_head(conn, keys), events[-1][0].position
        if head is None or head.position < last:
            raise WrongState(what, say("not signed yet"), say("no head signs all of it; `league heads sign` makes one"))
        text = prove_events(conn, events, head)
    _write(out, text)
    if as_json:
        terminal.print_json({"file": str(out), "events": len(events), "head": head.position})
        return
    terminal.out.print(
        say(
            "{out} proves {count} events under {head}.",
            out=terminal.quoted(str(out)),
            count=len(events),
            head=named(head),
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
        raise BadSetting("LEAGUE_SIGNING_KEY", say("must be set, or the league's public key be given (--public-key)"))
    return [raw(league.key.public_key())]


def _read_one_state(conn: Conn) -> None:
    # A head and the events under it must come from one state of the log.
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def named(head: LogHead) -> str:
    """A signed head in words."""
    return say(
        "the head that signs position {position}, of {signed_at:%Y-%m-%d %H:%M:%S} UTC",
        position=head.position,
        signed_at=head.signed_at,
    )


class AnyProof(msgspec.Struct):
    """Identifies the kind of proof in a file."""

    format: str


def check_proof(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `league prove` or `league heads prove` wrote.")],
    public_key: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="The league's public key, from a source that you trust. Repeatable."),
    ],
    heads: Heads = None,
    as_json: Json = False,
) -> None:
    """Check a proof, without a database.

    The command ends with exit code 1 if the proof does not hold. A proof that the log only grew is checked against a
    head that you kept (--heads).
    """
    trusted, kept = public_keys_in(public_key), heads_in(heads or [])
    try:
        text = file.read_bytes()
        if _format(text).startswith("league-consistency/"):
            _show_consistency(text, kept, trusted, as_json=as_json)
        else:
            _show_events(text, trusted, as_json=as_json)
    except FileNotFoundError:
        raise InvalidInput("file", say("{file} is not there", file=file)) from None
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
    except BadProof as error:
        if as_json:
            terminal.print_json({"holds": False, "reason": error_in_words(error)})
        else:
            terminal.out.print(
                say("[bold red]It proves nothing:[/] {error}.", error=terminal.quoted(error_in_words(error)))
            )
        raise typer.Exit(FAILURE) from None


def _show_events(text: bytes, trusted: Sequence[bytes], *, as_json: bool) -> None:
    head, events = check_events(text, trusted, clock())
    if as_json:
        terminal.print_json({"holds": True, "head": written(head), "events": [_document(entry) for entry in events]})
        return
    versions = dict[str, int]()
    for entry in events:
        next_version = versions.get(entry.stream, 0) + 1
        if entry.version > next_version:
            left_out = say(
                "events {next_version} to {version} of {stream} are not in this file",
                next_version=next_version,
                version=entry.version - 1,
                stream=entry.stream,
            )
            terminal.out.print(f"[yellow]{spoken(say('note'))}[/] {terminal.quoted(left_out)}")
        versions[entry.stream] = entry.version
        envelope = msgspec.json.decode(entry.state, type=Envelope[msgspec.Raw])
        terminal.out.print(
            say(
                "[bold]{position}[/] {stream} {name}, recorded {recorded_at:%Y-%m-%d %H:%M:%S.%f} UTC by "
                "{actor} ({source})",
                position=entry.position,
                stream=terminal.quoted(entry.stream),
                name=terminal.quoted(entry.name),
                recorded_at=moment(entry.recorded_at),
                actor=terminal.quoted(envelope.actor),
                source=terminal.quoted(envelope.source),
            )
        )
        terminal.out.print(f"  {terminal.quoted(bytes(envelope.body).decode())}")
    terminal.out.print(say("[bold green]The log contains all of this[/] under {head}.", head=named(head)))


def _document(entry: HashedRow) -> dict[str, Any]:
    envelope = msgspec.json.decode(entry.state, type=Envelope[msgspec.Raw])
    return {
        "position": entry.position,
        "stream": entry.stream,
        "version": entry.version,
        "name": entry.name,
        "recorded_at": moment(entry.recorded_at),
        "actor": envelope.actor,
        "source": envelope.source,
        "body": envelope.body,
    }


def _show_consistency(text: bytes, kept: Sequence[LogHead], trusted: Sequence[bytes], *, as_json: bool) -> None:
    if not kept:
        raise InvalidInput("heads", say("the head that you kept is needed (--heads): the proof is about it"))
    older, head = check_consistency(text, kept, trusted, clock())
    if as_json:
        terminal.print_json({"holds": True, "kept": written(older), "head": written(head)})
        return
    terminal.out.print(
        say(
            "[bold green]The log only grew:[/] up to position {position} it is what {older} signed, and "
            "{head} continues it.",
            position=older.position,
            older=named(older),
            head=named(head),
        )
    )


def _format(text: bytes) -> str:
    try:
        return msgspec.json.decode(text, type=AnyProof).format
    except (ValueError, RecursionError) as error:
        raise BadProof(say("it is no proof ({error})", error=error)) from error


heads = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@heads.callback(invoke_without_command=True)
def list_(context: typer.Context, as_json: Json = False) -> None:
    """List, sign and prove heads of the log.

    A signed head names a position of the log and the hash of everything up to it. Without a subcommand the stored
    heads are listed; with --json that is the file to keep, which `league verify --heads` reads.
    """
    if context.invoked_subcommand is None:
        with existing_league() as league, connect(league.database.url) as conn:
            _print(stored_heads(conn), as_json=as_json)


@heads.command()
def sign(
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Sign even though another key signed the last head.")
    ] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Sign the head of the log with LEAGUE_SIGNING_KEY (or the key beside the embedded database)."""
    with existing_league() as league:
        key = raw(required_key(settings()).public_key())
        storing.record(league.store, HeadRequested(key.hex()), AppendRequest(actor, "manual"))
        head = league.sign_head(new_key=new_key)
    _print([] if head is None else [head], as_json=as_json)


@heads.command()
def public_key() -> None:
    """Print the public key of the signed heads, as PEM."""
    print(public_pem(required_key(settings())), end="")  # noqa: T201  # for a file, as it is


@heads.command("prove")
def prove_heads(
    kept: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Signed heads that you kept.")],
    out: ProofFile,
    public_key: SignedBy = None,
    as_json: Json = False,
) -> None:
    """Write a proof that the log only grew since the last of the kept heads."""
    with existing_league() as league:
        keys, heads = _keys(league, public_key or []), earliest_first(heads_in(kept))
        if not heads or not is_genuine(heads[-1]):
            raise InvalidInput("heads", say("the last head in the files is not what its key signed, or there is none"))
        with connect(league.database.url) as conn:
            _read_one_state(conn)
            older, head = heads[-1], last_head(conn, keys)
            if head is None or head.position < older.position:
                reason = say("no head signs so much of the log; `league heads sign` makes one, unless the log was cut")
                raise WrongState(named(older), say("beyond all that are stored"), reason)
            text = prove_growth(conn, older, head)
    _write(out, text)
    if as_json:
        terminal.print_json({"file": str(out), "kept": older.position, "head": head.position})
        return
    file = terminal.quoted(str(out))
    said = say("{out} proves that {head} continues {older}.", out=file, head=named(head), older=named(older))
    terminal.out.print(said)


def _print(heads: Sequence[LogHead], *, as_json: bool) -> None:
    if as_json:
        terminal.print_json([written(head) for head in heads])
        return
    rows = [(head.position, f"{head.signed_at:%Y-%m-%d %H:%M:%S}", head.root.hex(), head.key.hex()) for head in heads]
    terminal.table(say("Signed heads (UTC)"), ("position", "signed", "root", "key"), rows, ("position",))
