"""`league verify`: whether the log is what was appended, and the official league what the log folds to."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct, structs
from rich.markup import escape

from league import console, log_rows, sealing
from league.bootstrap import League
from league.database import connect
from league.domain.refusals import InvalidInput
from league.embedded_postgres import EmbeddedDatabaseMissing
from league.event_codec import PRIVATE
from league.head_signing import stored_heads
from league.log_file import read_log
from league.projections import runs
from league.projections.digests import Digest, digest_in
from league.projections.exported import DoesNotFold, digest_of
from league.projections.unseen import Folded, compare
from league.signed_heads import Head, heads_in, public_keys_in
from league.signed_heads import as_json as written
from league.verification import Fault, LogReport, verify_log

NO_HEAD = (
    "no head kept outside was given (--heads): who can write to the database could have written the log and its heads"
    " anew, or dropped the last events"
)
NO_DIGEST = (
    "no digest of the official league was given (--digest, from `league digest`): nobody compared what people read with"
    " what this log folds to"
)
NOT_FOLDED = "ratings were not checked: this log was not folded"
NO_KEY = "no public key was given (--public-key): whoever signed the heads is believed"


class Verified(Struct, frozen=True):
    """What was found."""

    log: LogReport
    outside: int
    """Heads that were given by file, of those that agree."""
    folded: Folded | None
    faults: list[Fault]
    notes: list[str]


def verify_league(league: League, heads: Sequence[Path], keys: Sequence[Path], *, rebuild: bool) -> Verified:
    """Check the log of a league, its keys, the heads that it stores and those in files.

    `rebuild`: where the log holds, fold it, and compare what people read.
    """
    kept, trusted = heads_in(heads), public_keys_in(keys)
    with connect(league.database.url) as conn:
        # The log as it is now, whatever is appended meanwhile.
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        total = log_rows.head_of(conn)
        faults = [Fault("key", says, stream=stream) for stream, says in sealing.key_faults(conn)]
        known = [*kept, *(head for head in stored_heads(conn) if head not in kept)]
        with console.progress("checking events") as progress:
            report = verify_log(log_rows.rows(conn), known, trusted, lambda position: progress(position, total))
        if not report.faults:
            faults += [Fault("key", says, stream=stream) for stream, says in sealing.seal_faults(conn, PRIVATE)]
    folded = None
    if rebuild and not report.faults:
        with console.progress("folding events") as progress:
            folded = compare(league.database.url, league.store, progress)
        faults += [Fault("run", says) for says in folded.faults]
    return _verified(report, kept, trusted, folded, faults)


def verify_file(
    log: Path, heads: Sequence[Path], keys: Sequence[Path], digest: Path | None, *, rebuild: bool
) -> Verified:
    """Check an exported log and the heads in files. Needs no database of the league.

    `rebuild`: where the log holds, fold it elsewhere; `digest`: of the official league, which it has to fold to.
    """
    if digest is not None and not rebuild:
        raise InvalidInput("digest", "it is compared with what the log folds to: leave out --no-rebuild")
    kept, trusted = heads_in(heads), public_keys_in(keys)
    official = None if digest is None else digest_in(digest)
    with ExitStack() as opened:
        try:
            file = opened.enter_context(log.open("rb"))
        except OSError as error:
            raise InvalidInput("log", f"{log}: {error.strerror}") from error
        progress = opened.enter_context(console.progress("checking bytes"))
        size = log.stat().st_size
        report = verify_log(read_log(file), kept, trusted, lambda _: progress(file.tell(), size))
        found = _verified(report, kept, trusted, None)
        if report.faults:
            return found
        if not rebuild:
            return _with_note(found, f"{NOT_FOLDED} (--no-rebuild)")
        return _folded(found, file, official)


def _folded(found: Verified, file: BinaryIO, official: Digest | None) -> Verified:
    """Fold a log that holds, as far as the digest of the official league that it is compared with."""
    end = found.log.events
    until = end if official is None else official.position
    if official is not None and official.folds != runs.FOLDS:
        says = f"the digest is of another version of the folds ({official.folds}, and ours is {runs.FOLDS})"
        return _with_fault(found, f"{says}: nothing can be compared with it")
    if until > end:
        return _with_fault(found, f"the digest is of the league at position {until}, but the log ends at {end}")
    file.seek(0)
    try:
        with console.progress("folding events") as progress:
            digest = digest_of(read_log(file), until, progress)
    except DoesNotFold as error:
        return _with_fault(found, f"the log does not fold into a league ({error})")
    except EmbeddedDatabaseMissing:
        if official is not None:
            raise
        return _with_note(found, f"{NOT_FOLDED}, which needs the extra `league[embedded]`")
    if official is not None and digest != official.digest:
        says = f"at position {until} the official league has the digest {official.digest}"
        return _with_fault(found, f"{says}, but the log folds to {digest}")
    found = structs.replace(found, folded=Folded(None, until, digest, []))
    return _with_note(found, NO_DIGEST) if official is None else found


def _with_note(found: Verified, note: str) -> Verified:
    return structs.replace(found, notes=[*found.notes, note])


def _with_fault(found: Verified, says: str) -> Verified:
    return structs.replace(found, faults=[*found.faults, Fault("run", says)])


def show(found: Verified, *, as_json: bool) -> None:
    """Print what was found."""
    log, folded = found.log, found.folded
    if as_json:
        console.print_json(_document(found))
        return
    console.out.print(f"{log.events} events are as they were appended; the hash of the last is {log.hash.hex()}.")
    if log.agreed:
        last = log.agreed[-1]
        console.out.print(
            f"{len(log.agreed)} signed heads agree, {found.outside} of them kept outside; the last, of "
            f"{last.signed_at:%Y-%m-%d %H:%M} UTC, signs position {last.position}."
        )
    if folded is not None and not folded.faults:
        if folded.run is not None:
            what = f"The official league (run {folded.run}, position {folded.position}) is what the log folds to"
        elif NO_DIGEST in found.notes:
            what = f"The log folds to this (position {folded.position})"
        else:
            what = f"The official league (position {folded.position}) is what the log folds to"
        console.out.print(f"{what}: digest {folded.digest}.")
    for note in found.notes:
        console.out.print(f"[yellow]note[/] {escape(note)}")
    for fault in found.faults:
        where = "" if fault.position is None else f"at position {fault.position}"
        stream = "" if fault.stream is None else f"in {fault.stream}"
        place = "".join(f" {part}" for part in (where, stream) if part)
        console.out.print(f"[bold red]{fault.kind}[/]{escape(place)}: {escape(fault.says)}", soft_wrap=True)
    if found.log.faults:
        console.out.print("[bold red]The log does not hold.[/]")
    elif found.faults:
        console.out.print("[bold red]The log holds, but not all is well.[/]")
    else:
        console.out.print("[bold green]All is well.[/]")


def show_heads(heads: Sequence[Head], *, as_json: bool) -> None:
    """Print heads; as JSON they are the file to keep outside."""
    if as_json:
        console.print_json([written(head) for head in heads])
        return
    rows = [(head.position, f"{head.signed_at:%Y-%m-%d %H:%M:%S}", head.root.hex(), head.key.hex()) for head in heads]
    console.table("Signed heads (UTC)", ("position", "signed", "root", "key"), rows, ("position",))


def _document(found: Verified) -> dict[str, Any]:
    log, folded = found.log, found.folded
    return {
        "ok": not found.faults,
        "events": log.events,
        "hash": log.hash.hex(),
        "root": log.root.hex(),
        "heads": {"agreed": len(log.agreed), "outside": found.outside},
        "run": folded and {"run": folded.run, "position": folded.position, "digest": folded.digest},
        "faults": found.faults,
        "notes": found.notes,
    }


def _verified(
    report: LogReport,
    kept: Sequence[Head],
    trusted: Sequence[bytes],
    folded: Folded | None,
    more_faults: Sequence[Fault] = (),
) -> Verified:
    faults, notes = [*report.faults, *more_faults], list[str]()
    outside = [head for head in report.agreed if head in kept]
    if not kept:
        notes.append(NO_HEAD)
    elif outside and outside[-1].position < report.events and not report.faults:
        notes.append(f"events after position {outside[-1].position} rest on the chain alone: no head signs them")
    if not trusted and report.agreed:
        notes.append(NO_KEY)
    return Verified(report, len(outside), folded, faults, notes)
