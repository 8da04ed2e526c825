"""`league verify-deal`: checks the deal of a finished hand, without a database."""

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from league.cli import terminal
from league.cli.entry import FAILURE
from league.cli.terminal import Json
from league.domain.dealing import NO_CONTRIBUTION
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.tables.domain.proof_of_deal import ProofOfDeal, faults_of_deal
from league.wording.language import spoken


def verify_deal(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The proof of a deal, as the API gives it; `-`: standard input.")
    ],
    as_json: Json = False,
) -> None:
    """Check the deal of a finished hand, without a database.

    The command shuffles again, from the secret and what the players added, and compares: the commitment, the starting
    draw, each deal and who starts the first hand. It takes each turn by the rules in the file. It ends with exit code 1
    if something is wrong.
    docs/verify-deal.md explains the checks.
    """
    proof = _read(file)
    faults = list(faults_of_deal(proof))
    if as_json:
        rows = [{"field": fault.at, "reason": fault.reason} for fault in faults]
        terminal.print_json({"holds": not faults, "faults": rows})
    elif faults:
        for fault in faults:
            terminal.out.print(
                say("[bold red]wrong[/] {fault}", fault=terminal.quoted(fault.line(spoken))), soft_wrap=True
            )
    else:
        _show(proof)
    if faults:
        raise typer.Exit(FAILURE)


def _read(file: Path) -> ProofOfDeal:
    """The proof in a file. Raises InvalidInput."""
    try:
        content = sys.stdin.buffer.read() if file == Path("-") else file.read_bytes()
        return msgspec.json.decode(content, type=ProofOfDeal)
    except FileNotFoundError:
        raise InvalidInput("file", say("{file} is not there", file=file)) from None
    except OSError as error:
        raise InvalidInput("file", f"{file}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput("file", say("{file} is no proof of a deal: {error}", file=file, error=error)) from None


def _show(proof: ProofOfDeal) -> None:
    of = terminal.quoted(
        say("hand {hand} of table {table}, {ruleset}", hand=proof.hand, table=proof.table, ruleset=proof.ruleset)
    )
    terminal.out.print(say("[bold green]The deal holds:[/] {of}.", of=of), soft_wrap=True)
    terminal.out.print(f"{spoken(say('commitment'))}  {proof.commitment}", soft_wrap=True)
    for seat, contribution in enumerate(proof.contributions):
        added = spoken(say("added nothing")) if contribution == NO_CONTRIBUTION.hex() else contribution
        terminal.out.print(f"{spoken(say('seat'))} {seat}      {added}", soft_wrap=True)
    anew = (
        say("with {reshuffle_doubles} doubles", reshuffle_doubles=proof.reshuffle_doubles)
        if proof.reshuffle_doubles
        else say("never")
    )
    rules = say(
        "{set}, {tiles_each} tiles each, {cannot_play}; dealt anew {anew}",
        set=proof.set,
        tiles_each=proof.tiles_each,
        cannot_play=proof.cannot_play,
        anew=anew,
    )
    terminal.out.print(
        say(
            "rules       {rules}; the first hand starts by {first_starter}",
            rules=rules,
            first_starter=proof.first_starter,
        ),
        soft_wrap=True,
    )
    if proof.drawn_before is not None:
        drawn = " ".join(f"{a}-{b}" for a, b in proof.drawn_before)
        terminal.out.print(
            say(
                "The starting draw, {drawn}, was made before the hand was dropped and dealt again: it is not proven.",
                drawn=drawn,
            ),
            soft_wrap=True,
        )
    terminal.out.print(
        say(
            "Compare the commitment with the one that you saw before the deal, and with what you added "
            "yourself: without that the file proves only that it agrees with itself."
        ),
        soft_wrap=True,
    )
