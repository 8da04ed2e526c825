"""`league correct`: replaces the facts of a hand."""

from pathlib import Path
from typing import Annotated

import typer

from league.application.bootstrap import clock
from league.application.stream_states import StreamStates
from league.cli.correcting import OnlyPreview, Reason, preview_and_send
from league.cli.opening import existing_league
from league.cli.options import Actor, Json, MatchArgument, Yes
from league.domain.hand import HandFacts
from league.domain.match import CorrectHand
from league.domain.refusals import InvalidInput, NotFound
from league.transfer.json_lines import read_line
from league.transfer.recorded_lines import HandLine, hand_of


def correct(
    match: MatchArgument,
    hand: Annotated[int, typer.Argument(metavar="HAND", help="The number of the hand, from 1.")],
    facts: Annotated[
        Path, typer.Option(metavar="FILE", help="A JSON file with the hand, in the format of a recorded season.")
    ],
    reason: Reason,
    preview: OnlyPreview = False,
    yes: Yes = False,
    as_json: Json = False,
    actor: Actor = "cli",
) -> None:
    """Replace the facts of a hand.

    The command prints what would change and asks for confirmation first. The log keeps the facts before.
    """
    with existing_league() as league:
        read = _read_facts(facts, match, StreamStates(league.store, clock()))
        command = CorrectHand(match, hand, read, reason)
        preview_and_send(league, command, actor, ask=not yes, only_preview=preview, as_json=as_json)


def _read_facts(file: Path, match: str, states: StreamStates) -> HandFacts:
    played = states.match(match).played
    if played is None:
        raise NotFound("match", "match", match)
    try:
        line = file.read_bytes()
    except FileNotFoundError:
        raise InvalidInput("facts", f"{file} is not there") from None
    except OSError as error:
        raise InvalidInput("facts", f"{file} cannot be read: {error.strerror}") from None
    ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    return hand_of(read_line(line, HandLine), ruleset, played.mode, len(played.seats)).facts
