"""`league verify`: checks that the log is unchanged, and that the official run follows from it.

`league digest` prints the digest with which a rebuild of an exported log is compared.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Annotated, Any, BinaryIO

import psycopg
import typer

from league.application.bootstrap import League, clock, open_league
from league.audit.database_checks import faults_of, publications, request_faults, schema_faults
from league.audit.head_signing import stored_heads
from league.audit.proofs import read_log
from league.audit.shadow_rebuild import (
    DoesNotFold,
    LeagueDigest,
    RunComparison,
    compare,
    digest_in,
    digest_of,
    official_digest,
)
from league.audit.signed_heads import LogHead, earliest_first, flaw_of, heads_in, public_keys_in
from league.audit.verification import EMPTY, JudgedPart, VerificationFault, beginning_at, verify_log
from league.cli import terminal
from league.cli.entry import FAILURE
from league.cli.opening import existing_league, settings
from league.cli.terminal import Heads, Json
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.eventlog import encoded_rows, sealing
from league.eventlog.codec import ERASING, PRIVATE
from league.eventlog.recorder import StoreUnavailable
from league.infra.database import connect, database_time
from league.infra.embedded_postgres import EmbeddedDatabaseMissing
from league.projections import runs
from league.wording.language import spoken
from league.wording.verdicts import (
    PartVerdict,
    VerificationFindings,
    VerificationInputs,
    export_verdict,
    holds,
    judged,
    keys_verdict,
    publications_note,
    requests_verdict,
    schema_verdict,
    tables_verdict,
    unused_keys_note,
)

STANDARD_INPUT = Path("/dev/stdin")

_JUDGED = {True: ("green", say("good")), False: ("bold red", say("bad")), None: ("yellow", say("not checked"))}
"""The style and the word of each verdict."""
_PARTS = {
    "log": say("log"),
    "heads": say("heads"),
    "keys": say("keys"),
    "requests": say("requests"),
    "tables": say("tables"),
    "schema": say("schema"),
}


def verify(
    heads: Heads = None,
    public_key: Annotated[
        list[Path] | None,
        typer.Option("--public-key", metavar="FILE", help="Trust only these public keys. Repeatable."),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Check a log from `league export log` (-: standard input). Needs no database."
        ),
    ] = None,
    digest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With --log: the file from `league digest` to compare with.")
    ] = None,
    after_head: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=(
                "Check only what came after the last head in this file, which you kept outside and an earlier"
                " `league verify` found good. Does not check the tables."
            ),
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild/--no-rebuild", help="Fold the log again, and compare the result.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Check that the log is unchanged, and that the league follows from it.

    The command recomputes the hash chain, checks the signed heads, folds the log again, and compares the result with
    what the league shows. It ends with exit code 1 if it finds a fault. docs/verify.md explains the checks.
    """
    if log is not None:
        if after_head is not None:
            raise InvalidInput("after_head", say("an export is checked as a whole: leave out --after-head"))
        found = verify_file(log, heads or [], public_key or [], digest, rebuild=rebuild)
    else:
        if digest is not None:
            raise InvalidInput("digest", say("--digest needs --log; without --log the official run itself is compared"))
        # An empty database is checked, too: heads kept outside prove that it held a league.
        with open_league(settings()) as league:
            found = verify_league(league, heads or [], public_key or [], after_head, rebuild=rebuild)
    _print(found, as_json=as_json)
    if found.faults:
        raise typer.Exit(FAILURE)


def verify_league(
    league: League, heads: Sequence[Path], keys: Sequence[Path], after_head: Path | None = None, *, rebuild: bool
) -> VerificationFindings:
    """Check the log of a league, its keys, its stored heads and those in files.

    `after_head`: a file whose last head was found good before. If the log still has the event that this head signs,
    only what came after it is checked. `rebuild`: if the whole log is valid, fold it, and compare the rows that readers
    see. Raises InvalidInput.
    """
    kept, trusted = heads_in(heads), public_keys_in(keys)
    known = None if after_head is None else _last_head_in(after_head, trusted)
    with connect(league.database.url) as conn:
        # The log as it is now, unaffected by later appends.
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")

        def key_faults() -> Iterator[VerificationFault]:
            yield from (
                VerificationFault("key", says, stream=stream)
                for stream, says in sealing.key_faults(conn, PRIVATE, ERASING)
            )
            yield from (
                VerificationFault("key", says, stream=stream) for stream, says in sealing.seal_faults(conn, PRIVATE)
            )

        total = encoded_rows.head_of(conn)
        now = database_time(conn)
        beginning = (known and beginning_at(conn, known)) or EMPTY
        given = VerificationInputs([*kept, *([known] if known else [])], trusted, stored_heads(conn)).since(
            beginning.position
        )
        with (
            terminal.progress(say("checking events")) as progress,
            closing(encoded_rows.rows(conn, beginning.position or None)) as rows,
        ):
            report = verify_log(rows, given.heads, trusted, lambda at: progress(at, total), beginning, now)
        of_keys = faults_of(conn, "key", key_faults)
        of_requests = faults_of(
            conn,
            "request",
            lambda: (VerificationFault("request", says, position) for position, says in request_faults(conn)),
        )
        of_schema = faults_of(
            conn, "schema", lambda: (VerificationFault("schema", says) for says in schema_faults(conn))
        )
        unused, published = sealing.unused_keys(conn), publications(conn)
    folded, tables = None, PartVerdict(None, say("--no-rebuild"))
    if beginning.position:
        tables = PartVerdict(None, say("they follow from the whole log, which --after-head does not read"))
    elif rebuild:
        folded = _fold_league(league)
        tables = tables_verdict(folded)
    of_tables = [VerificationFault("run", says) for says in (folded.faults if folded else [])]
    return judged(
        report,
        given,
        [*of_schema, *of_keys, *of_requests, *of_tables],
        {
            "keys": keys_verdict(len(of_keys)),
            "requests": requests_verdict(len(of_requests)),
            "tables": tables,
            "schema": schema_verdict(len(of_schema)),
        },
        more_notes=[
            *([unused_keys_note(unused)] if unused else []),
            *([publications_note(published)] if published else []),
            *(folded.notes if folded else []),
        ],
        folded=folded,
    )


def _last_head_in(file: Path, trusted: Sequence[bytes]) -> LogHead:
    """The head with the highest position in a file. Raises InvalidInput if it cannot have been found good."""
    head = earliest_first(heads_in([file]))[-1]
    if trusted and head.key not in trusted:
        raise InvalidInput("after_head", say("{file}: its last head is by a key that was not given", file=file))
    if flaw := flaw_of(head):
        raise InvalidInput("after_head", say("{file}: its last head {flaw}", file=file, flaw=flaw))
    return head


def _fold_league(league: League) -> RunComparison:
    """Fold the log again, and compare. If an altered log does not fold, that is a fault."""
    try:
        with terminal.progress(say("folding events")) as progress:
            return compare(league.database.url, league.store, league.project, progress)
    except (StoreUnavailable, psycopg.OperationalError):
        raise
    except Exception as error:  # noqa: BLE001  # altered data can make a fold fail in any way
        return RunComparison(
            None, league.store.head(), None, [say("the log does not fold into a league ({error})", error=repr(error))]
        )


def verify_file(
    log: Path, heads: Sequence[Path], keys: Sequence[Path], digest: Path | None, *, rebuild: bool
) -> VerificationFindings:
    """Check an exported log (`-`: standard input) and the heads in files. Needs no database of the league.

    `rebuild`: if the log is valid, fold it in a temporary database. `digest`: a file with the digest of the official
    league, to compare with.
    """
    if digest is not None and not rebuild:
        raise InvalidInput("digest", say("it is compared with what the log folds to: leave out --no-rebuild"))
    given = VerificationInputs(heads_in(heads), public_keys_in(keys))
    official = None if digest is None else digest_in(digest)
    folded, tables = None, PartVerdict(None, say("ratings were not checked: --no-rebuild"))
    with ExitStack() as opened:
        file = _open(log, opened)
        size = os.fstat(file.fileno()).st_size
        progress = opened.enter_context(terminal.progress(say("checking bytes")))
        report = verify_log(
            read_log(file), given.heads, given.trusted, lambda _: progress(file.tell(), size), now=clock()
        )
        if not holds("log", report.faults):
            tables = PartVerdict(None, say("the log does not hold"))
        elif rebuild:
            try:
                folded = _fold(file, report.events, official)
                tables = export_verdict(folded, compared=official is not None)
            except EmbeddedDatabaseMissing:
                if official is not None:
                    raise
                tables = PartVerdict(
                    None, say("ratings were not checked: to fold this log needs the extra `league[embedded]`")
                )
    faults = [] if folded is None else [VerificationFault("run", says) for says in folded.faults]
    absent = PartVerdict(None, say("an export does not hold them"))
    verdicts: dict[JudgedPart, PartVerdict] = {"keys": absent, "requests": absent, "tables": tables, "schema": absent}
    return judged(report, given, faults, verdicts, folded=folded)


def _fold(file: BinaryIO, end: int, official: LeagueDigest | None) -> RunComparison:
    """Fold a valid log up to the position of the official league's digest, and compare; without a digest, fold all."""
    until = end if official is None else official.position
    if official is not None and official.folds != runs.FOLDS:
        says = say(
            "the digest is of another version of the folds ({folds}, and ours is {ours})",
            folds=official.folds,
            ours=runs.FOLDS,
        )
        return RunComparison(None, until, None, [say("{says}: nothing can be compared with it", says=says)])
    if until > end:
        return RunComparison(
            None,
            end,
            None,
            [say("the digest is of the league at position {until}, but the log ends at {end}", until=until, end=end)],
        )
    file.seek(0)
    try:
        with terminal.progress(say("folding events")) as progress:
            digest = digest_of(read_log(file), until, progress)
    except DoesNotFold as error:
        return RunComparison(None, until, None, [say("the log does not fold into a league ({error})", error=error)])
    if official is None or digest == official.digest:
        return RunComparison(None, until, digest, [])
    says = say(
        "at position {until} the official league has the digest {digest}, but the log folds to {digest_2}",
        until=until,
        digest=official.digest,
        digest_2=digest,
    )
    return RunComparison(None, until, digest, [says])


def _print(found: VerificationFindings, *, as_json: bool) -> None:
    if as_json:
        terminal.print_json(_document(found))
        return
    for part, verdict in found.verdicts.items():
        style, judged_as = _JUDGED[verdict.ok]
        terminal.out.print(
            f"[bold]{spoken(_PARTS[part]):<12}[/] [{style}]{spoken(judged_as):<14}[/]  {terminal.quoted(verdict.says)}",
            soft_wrap=True,
        )
    for note in found.notes:
        terminal.out.print(f"[yellow]{spoken(say('note'))}[/] {terminal.quoted(note)}", soft_wrap=True)
    for fault in found.faults:
        place = "".join(f" {part}" for part in _place(fault))
        terminal.out.print(
            f"[bold red]{fault.kind}[/]{terminal.quoted(place)}: {terminal.quoted(fault.says)}", soft_wrap=True
        )
    if not holds("log", found.faults):
        terminal.out.print(say("[bold red]The log does not hold.[/]"))
    elif found.faults:
        terminal.out.print(say("[bold red]The log holds, but not all is well.[/]"))
    elif any(verdict.ok is None for verdict in found.verdicts.values()):
        terminal.out.print(say("[bold green]All that was checked is well.[/]"))
    else:
        terminal.out.print(say("[bold green]All is well.[/]"))


def _document(found: VerificationFindings) -> dict[str, Any]:
    log, folded = found.log, found.folded
    return {
        "ok": not found.faults,
        "verdicts": found.verdicts,
        "events": log.events,
        "after": log.after,
        "hash": log.hash.hex(),
        "root": log.root.hex(),
        "heads": {"agreed": len(log.agreed), "outside": found.outside, "strangers": len(log.strangers)},
        "run": folded and {"run": folded.run, "position": folded.position, "digest": folded.digest},
        "faults": found.faults,
        "notes": found.notes,
    }


def _place(fault: VerificationFault) -> Iterator[str]:
    """Where a fault was found."""
    if fault.until is not None:
        yield say("between positions {position} and {until}", position=fault.position, until=fault.until)
    elif fault.position is not None:
        yield say("at position {position}", position=fault.position)
    if fault.stream is not None:
        yield say("in {stream}", stream=fault.stream)


def _open(log: Path, opened: ExitStack) -> BinaryIO:
    """Open the file of a log. `opened` closes it. Raises InvalidInput."""
    try:
        file: BinaryIO = opened.enter_context((STANDARD_INPUT if str(log) == "-" else log).open("rb"))
        if not file.seekable():
            # A pipe can be read only once, and has no length.
            copy = opened.enter_context(TemporaryFile())  # noqa: SIM115  # it is closed with the others
            copyfileobj(file, copy)
            copy.seek(0)
            return copy
        return file
    except FileNotFoundError:
        raise InvalidInput("log", say("{log} is not there", log=log)) from None
    except OSError as error:
        raise InvalidInput("log", f"{log}: {error.strerror}") from error


def digest() -> None:
    """Print the digest of the official run.

    Send it along with an exported log: `league verify --log FILE --digest FILE` compares it with what the log folds
    to.
    """
    with existing_league() as league:
        league.project()
        terminal.print_json(official_digest(league.database.url, league.project))
