"""The log is checked: verify, signed heads, proofs."""

from pathlib import Path
from typing import Annotated

import typer

from league.application import audit_trail
from league.application.bootstrap import open_league
from league.audit.digests import official_digest
from league.audit.head_signing import stored_heads
from league.audit.signed_heads import public_pem, raw
from league.audit.signing_key import required_key
from league.cli import prove_command, terminal, verify_command
from league.cli.app import FAILURE, Actor, Json, app, existing_league, settings
from league.domain.audit_trail import HeadRequested
from league.domain.refusals import InvalidInput
from league.eventlog.store import Request
from league.infra.database import connect

PANEL = "The log, checked"

Heads = Annotated[
    list[Path] | None, typer.Option("--heads", metavar="FILE", help="Signed heads kept elsewhere; may be repeated.")
]


PublicKeys = Annotated[
    list[Path] | None, typer.Option("--public-key", metavar="FILE", help="The public keys to trust; may be repeated.")
]
SignedBy = Annotated[
    list[Path] | None,
    typer.Option("--public-key", metavar="FILE", help="Under a head by this key, not by our own; may be repeated."),
]
Out = Annotated[Path, typer.Option(metavar="FILE", help="Where the proof is written.")]


@app.command(rich_help_panel=PANEL)
def verify(
    heads: Heads = None,
    public_key: PublicKeys = None,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A log from `league export log` (-: standard input); needs no database."),
    ] = None,
    digest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="From `league digest`: what the exported log must fold to.")
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild/--no-rebuild", help="Also rebuild the league from the log, and compare.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Check that the log is unchanged and the official league follows from it; exit code 1 if not."""
    if log is not None:
        found = verify_command.verify_file(log, heads or [], public_key or [], digest, rebuild=rebuild)
    else:
        if digest is not None:
            raise InvalidInput("digest", "it goes with --log: here the official league itself is compared")
        # Also where no league is left: heads may tell that there was one.
        with open_league(settings()) as league:
            found = verify_command.verify_league(league, heads or [], public_key or [], rebuild=rebuild)
    verify_command.show(found, as_json=as_json)
    if found.faults:
        raise typer.Exit(FAILURE)


@app.command(rich_help_panel=PANEL)
def digest() -> None:
    """Print the digest of the official league, for those who check an exported log."""
    with existing_league() as league:
        league.project()
        terminal.print_json(official_digest(league.database.url))


heads_app = typer.Typer(help="Signed heads of the log, to be kept elsewhere.")
app.add_typer(heads_app, name="heads", rich_help_panel=PANEL)


@heads_app.callback(invoke_without_command=True)
def heads_(context: typer.Context, as_json: Json = False) -> None:
    """List the signed heads; --json writes the file that `league verify --heads` reads."""
    if context.invoked_subcommand is None:
        with existing_league() as league, connect(league.database.url) as conn:
            verify_command.show_heads(stored_heads(conn), as_json=as_json)


@heads_app.command(name="sign")
def heads_sign(
    new_key: Annotated[
        bool, typer.Option("--new-key", help="The league changes its key: sign though another key signed before.")
    ] = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Sign the head of the log with LEAGUE_SIGNING_KEY (or the key beside the embedded database)."""
    with existing_league() as league:
        key = raw(required_key(settings()).public_key())
        audit_trail.record(league.store, HeadRequested(key.hex()), Request(actor, "manual"))
        head = league.sign_head(new_key=new_key)
    verify_command.show_heads([] if head is None else [head], as_json=as_json)


@heads_app.command(name="public-key")
def heads_public_key() -> None:
    """Print the public key of the signed heads, as PEM."""
    print(public_pem(required_key(settings())), end="")  # noqa: T201  # for a file, as it is


@heads_app.command(name="prove")
def heads_prove(
    kept: Annotated[list[Path], typer.Argument(metavar="FILE", help="Signed heads kept elsewhere.")],
    out: Out,
    public_key: SignedBy = None,
) -> None:
    """Write a small file that proves that the log only grew since the last of the kept heads."""
    with existing_league() as league:
        prove_command.prove_since(league, kept, out, public_key or [])


@app.command(rich_help_panel=PANEL)
def prove(
    what: Annotated[str, typer.Argument(metavar="MATCH|POSITION", help="A match's id, or a position of the log.")],
    out: Out,
    public_key: SignedBy = None,
) -> None:
    """Write a small file that proves that a match is in the log, under the last signed head."""
    with existing_league() as league:
        prove_command.prove(league, what, out, public_key or [])


@app.command(rich_help_panel=PANEL, name="check-proof")
def check_proof(
    file: Annotated[Path, typer.Argument(help="What `league prove` or `league heads prove` wrote.")],
    public_key: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="The league's public key, from a source you trust; may be repeated."),
    ],
    heads: Heads = None,
) -> None:
    """Check a proof, without a database; exit code 1 if it does not hold. That the log only grew needs --heads."""
    if not prove_command.check(file, heads or [], public_key):
        raise typer.Exit(FAILURE)
