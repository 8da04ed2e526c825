"""`league check-proof`: checks a proof, without a database."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from league.application.bootstrap import clock
from league.audit.consistency import check_consistency
from league.audit.proofs import BadProof
from league.audit.proofs import check_proof as check_events
from league.audit.signed_heads import Head, heads_in, public_keys_in
from league.audit.signed_heads import as_json as written
from league.cli import terminal
from league.cli.exit_codes import FAILURE
from league.cli.options import Heads, Json
from league.cli.prove import named
from league.domain.refusals import InvalidInput
from league.eventlog.envelopes import Envelope
from league.eventlog.hash_chain import Entry, moment
from league.wording.language import _


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
    if not _check(file, heads or [], public_key, as_json=as_json):
        raise typer.Exit(FAILURE)


def _check(file: Path, heads: Sequence[Path], public_keys: Sequence[Path], *, as_json: bool) -> bool:
    """Print what a proof proves. Returns whether it is valid."""
    trusted, kept = public_keys_in(public_keys), heads_in(heads)
    try:
        text = file.read_bytes()
        if _format(text).startswith("league-consistency/"):
            _show_consistency(text, kept, trusted, as_json=as_json)
        else:
            _show_events(text, trusted, as_json=as_json)
    except FileNotFoundError:
        raise InvalidInput("file", _("{file} is not there", file=file)) from None
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
    except BadProof as error:
        if as_json:
            terminal.print_json({"holds": False, "reason": str(error)})
        else:
            terminal.out.print(_("[bold red]It proves nothing:[/] {error}.", error=terminal.quoted(str(error))))
        return False
    return True


def _show_events(text: bytes, trusted: Sequence[bytes], *, as_json: bool) -> None:
    head, events = check_events(text, trusted, clock())
    if as_json:
        terminal.print_json({"holds": True, "head": written(head), "events": [_document(entry) for entry in events]})
        return
    versions = dict[str, int]()
    for entry in events:
        next_version = versions.get(entry.stream, 0) + 1
        if entry.version > next_version:
            left_out = _(
                "events {next_version} to {version} of {stream} are not in this file",
                next_version=next_version,
                version=entry.version - 1,
                stream=entry.stream,
            )
            terminal.out.print(f"[yellow]{_('note')}[/] {terminal.quoted(left_out)}")
        versions[entry.stream] = entry.version
        envelope = msgspec.json.decode(entry.state, type=Envelope[msgspec.Raw])
        terminal.out.print(
            _(
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
    terminal.out.print(_("[bold green]The log contains all of this[/] under {head}.", head=named(head)))


def _document(entry: Entry) -> dict[str, Any]:
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


def _show_consistency(text: bytes, kept: Sequence[Head], trusted: Sequence[bytes], *, as_json: bool) -> None:
    if not kept:
        raise InvalidInput("heads", _("the head that you kept is needed (--heads): the proof is about it"))
    older, head = check_consistency(text, kept, trusted, clock())
    if as_json:
        terminal.print_json({"holds": True, "kept": written(older), "head": written(head)})
        return
    terminal.out.print(
        _(
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
        raise BadProof(_("it is no proof ({error})", error=error)) from error
