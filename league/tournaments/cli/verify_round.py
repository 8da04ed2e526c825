"""`league verify-round`: checks the rounds of tournaments from exports, without a database."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
import typer

from league.audit.log_file import read_log
from league.audit.merkle import Tree
from league.audit.verification import Unreadable
from league.cli import terminal
from league.cli.exit_codes import FAILURE
from league.cli.options import Json
from league.domain.refusals import InvalidInput, NotFound
from league.eventlog.codec import decode_body
from league.eventlog.envelopes import Envelope
from league.eventlog.hash_chain import FIRST, decode, hash_of
from league.tournaments.domain.events import RoundDrawn, TournamentEvent
from league.tournaments.tournament_states import STREAM
from league.tournaments.transfer.lines import PairingLine, RoundLine, TournamentLine
from league.tournaments.transfer.rounds_in_log import Logged, rounds_in_log
from league.tournaments.transfer.verified_rounds import Verdict, read_lines, verify_rounds
from league.wording.language import _, spoken

_ENVELOPE = msgspec.json.Decoder(Envelope[msgspec.Raw])


def verify_round(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="With tournaments.jsonl, rounds.jsonl and pairings.jsonl, and log.jsonl if you have it.",
        ),
    ],
    tournament: Annotated[str | None, typer.Option(metavar="ID", help="Only of this tournament.")] = None,
    round_: Annotated[int | None, typer.Option("--round", help="Only this round.")] = None,
    as_json: Json = False,
) -> None:
    """Check that the inputs of published rounds give their tables, from exports alone.

    It needs no server, database or key. With log.jsonl (`league export log`) it also checks that the inputs and the
    tables are those of the log, and that the seed follows from the log up to the last drawing. A round that came with
    an import was drawn in another log, which is named. The command ends with exit code 1 if a round does not hold.
    """
    log = folder / "log.jsonl"
    in_log = rounds_in_log(_logged(log)) if log.exists() else None
    found = verify_rounds(
        _read(folder / "tournaments.jsonl", TournamentLine),
        _read(folder / "rounds.jsonl", RoundLine),
        _read(folder / "pairings.jsonl", PairingLine),
        in_log,
    )
    wanted = [one for one in found if tournament in {None, one.tournament} and round_ in {None, one.round}]
    if not wanted:
        raise NotFound("round", "round", str(round_ or tournament or folder))
    for verdict in wanted:
        _show(verdict, with_log=in_log is not None, as_json=as_json)
    if any(verdict.flaws for verdict in wanted):
        raise typer.Exit(FAILURE)


def _show(verdict: Verdict, *, with_log: bool, as_json: bool) -> None:
    flaws = [spoken(flaw) for flaw in verdict.flaws]
    if as_json:
        terminal.print_json(
            {
                "tournament": verdict.tournament,
                "round": verdict.round,
                "holds": not flaws,
                "log": with_log,
                "flaws": flaws,
                "by_hand": list(verdict.by_hand),
                "promised": verdict.promised,
                "missing": list(verdict.missing),
                "elsewhere": msgspec.to_builtins(verdict.elsewhere),
            }
        )
        return
    name = _("Round {round} of {tournament}", round=verdict.round, tournament=verdict.tournament)
    if flaws:
        terminal.out.print(f"[bold red]{terminal.quoted(name)}:[/] {terminal.quoted('; '.join(flaws))}.")
        return
    said = _("the inputs give these tables")
    if with_log:
        said = _("the inputs are those of the log, and give these tables")
    if verdict.promised:
        given = verdict.promised - len(verdict.missing)
        said = _("{said}; bytes of {given} of {promised} devices", said=said, given=given, promised=verdict.promised)
    if verdict.missing:
        said = _("{said}; missing: {competitors}", said=said, competitors=", ".join(verdict.missing))
    if verdict.by_hand:
        tables = ", ".join(map(str, verdict.by_hand))
        said = _("{said}; somebody has paired by hand: table {tables}", said=said, tables=tables)
    if verdict.elsewhere is not None:
        position, root = verdict.elsewhere.position, verdict.elsewhere.root
        said = _(
            "{said}; drawn in another log, at position {position}, with the root {root}",
            said=said, position=position, root=root,
        )  # fmt: skip
    terminal.out.print(f"{terminal.quoted(name)}: {terminal.quoted(said)}.")


def _read(file: Path, kind: Any) -> list[Any]:
    try:
        return read_lines(file.read_bytes(), kind)
    except FileNotFoundError:
        what = file.stem
        reason = _("{file} is not there; `league export {what}` writes it", file=file, what=what)
        raise InvalidInput("folder", reason) from None
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput("folder", f"{file}: {error}") from error


def _logged(file: Path) -> Iterator[Logged]:
    """The events of tournaments in a log. Raises InvalidInput where the log is not a chain."""
    tree, last = Tree(), FIRST
    try:
        with file.open("rb") as opened:
            for encoded, hash_ in read_log(opened):
                if hash_of(last, encoded) != hash_:
                    number = tree.size + 1
                    reason = _("{file}: event {number} does not follow from the one before", file=file, number=number)
                    raise InvalidInput("folder", reason)
                last = hash_
                tree.extend([hash_])
                entry = decode(encoded)
                if entry.stream.startswith(STREAM):
                    envelope = _ENVELOPE.decode(entry.state)
                    event = cast(TournamentEvent, decode_body(entry.name, bytes(envelope.body)))
                    root = tree.root().hex() if isinstance(event, RoundDrawn) else ""
                    yield Logged(entry.stream.removeprefix(STREAM), entry.position, event, root, envelope.source)
    except Unreadable as error:
        raise InvalidInput("folder", f"{file}: {error}") from error
