"""`league heads`: signed heads of the log, which people keep outside the league."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from league.application import audit_trail
from league.audit.head_signing import stored_heads
from league.audit.signed_heads import Head, public_pem, raw
from league.audit.signed_heads import as_json as written
from league.audit.signing_key import required_key
from league.cli import terminal
from league.cli.opening import existing_league, settings
from league.cli.options import Actor, Json, ProofFile, SignedBy
from league.cli.prove import prove_since
from league.domain.audit_trail import HeadRequested
from league.eventlog.records import Request
from league.infra.database import connect
from league.wording.language import _

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
        audit_trail.record(league.store, HeadRequested(key.hex()), Request(actor, "manual"))
        head = league.sign_head(new_key=new_key)
    _print([] if head is None else [head], as_json=as_json)


@heads.command()
def public_key() -> None:
    """Print the public key of the signed heads, as PEM."""
    print(public_pem(required_key(settings())), end="")  # noqa: T201  # for a file, as it is


@heads.command()
def prove(
    kept: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Signed heads that you kept.")],
    out: ProofFile,
    public_key: SignedBy = None,
    as_json: Json = False,
) -> None:
    """Write a proof that the log only grew since the last of the kept heads."""
    with existing_league() as league:
        prove_since(league, kept, out, public_key or [], as_json=as_json)


def _print(heads: Sequence[Head], *, as_json: bool) -> None:
    if as_json:
        terminal.print_json([written(head) for head in heads])
        return
    rows = [(head.position, f"{head.signed_at:%Y-%m-%d %H:%M:%S}", head.root.hex(), head.key.hex()) for head in heads]
    terminal.table(_("Signed heads (UTC)"), ("position", "signed", "root", "key"), rows, ("position",))
