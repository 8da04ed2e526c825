"""What devices of competitors add to the chance of a drawing (rules, Tournaments, Drawing).

Each promises random bytes before the drawing and gives them after it, so that nobody chooses a seed alone.
"""

import hashlib
import re
from datetime import datetime, timedelta

from league.domain.refusals import InvalidInput, NotFound
from league.domain.sentences import say
from league.tournaments.domain import commands as c
from league.tournaments.domain import events as e
from league.tournaments.domain.refusals import (
    AlreadyCommitted,
    AlreadyContributed,
    CommitmentUsed,
    DrawingClosed,
    NoCommitment,
    OtherCommitment,
)
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.domain.wrong_states import AlreadyWithdrawn

WAIT = timedelta(seconds=10)
"""How long a drawing waits for bytes, at most."""
BYTES = 32
_HEXADECIMAL = re.compile(rf"[0-9a-f]{{{2 * BYTES}}}")


def fits(contribution: str, commitment: str) -> bool:
    """Whether a contribution is 32 bytes in hexadecimal whose SHA-256 is the commitment."""
    if not _HEXADECIMAL.fullmatch(contribution):
        return False
    return hashlib.sha256(bytes.fromhex(contribution)).hexdigest() == commitment


def commit_seed(competitor: str, commitment: str, state: TournamentState) -> e.SeedCommitted:
    """A competitor's device promises bytes to the next drawing.

    Raises InvalidInput, AlreadyCommitted, CommitmentUsed, WrongState.
    """
    _check_hexadecimal("commitment", commitment)
    if state.entries[competitor].withdrawn_at is not None:
        raise AlreadyWithdrawn(
            say("competitor {competitor!r}", competitor=competitor), say("out of the tournament"),
            say("they take part in no drawing"), "competitor",
        )  # fmt: skip
    if state.promise(competitor) is not None:
        raise AlreadyCommitted(competitor)
    _check_unused("commitment", commitment, state)
    return e.SeedCommitted(competitor, commitment)


def contribute_seed(command: c.ContributeSeed, of: RoundState, state: TournamentState) -> list[e.TournamentEvent]:
    """A competitor's device gives the bytes that a drawing asks for, and its next commitment.

    Raises InvalidInput, NotFound, NoCommitment, OtherCommitment, AlreadyContributed, DrawingClosed, CommitmentUsed.
    """
    who = command.competitor, of.number
    _check_hexadecimal("contribution", command.contribution)
    if command.drawing > of.drawings or command.drawing < 1:
        raise NotFound("drawing", "drawing", str(command.drawing))
    if command.drawing < of.drawings:
        raise DrawingClosed(*who)
    promised = next((one for one in of.commitments if one.id == command.competitor), None)
    if promised is None:
        raise NoCommitment(*who)
    if not fits(command.contribution, promised.commitment):
        raise OtherCommitment(*who)
    if any(one.id == command.competitor for one in of.contributions):
        raise AlreadyContributed(*who)
    if of.status != "drawn" or of.root is not None:
        raise DrawingClosed(*who)
    given = e.SeedContributed(of.number, of.drawings, command.competitor, command.contribution)
    if command.next_commitment is None:
        return [given]
    _check_hexadecimal("next_commitment", command.next_commitment)
    is_free = state.promise(command.competitor) is None and state.entries[command.competitor].withdrawn_at is None
    if not is_free:
        return [given]
    _check_unused("next_commitment", command.next_commitment, state)
    return [given, e.SeedCommitted(command.competitor, command.next_commitment)]


def is_asking(of: RoundState, now: datetime) -> bool:
    """Whether a drawing still waits for bytes."""
    return of.asked_at is not None and bool(of.missing) and now < of.asked_at + WAIT


def _check_hexadecimal(at: str, given: str) -> None:
    if not _HEXADECIMAL.fullmatch(given):
        raise InvalidInput(at, say("must be {count} bytes in hexadecimal, in lower case", count=BYTES))


def _check_unused(at: str, commitment: str, state: TournamentState) -> None:
    """Raise CommitmentUsed for a hash that the log of the tournament has: whose it is, or that its bytes are public.

    Those of imported rounds came with their tables alone.
    """
    paired = (one.commitment for of in state.rounds for one in of.commitments)
    if commitment in state.committed or commitment in paired:
        raise CommitmentUsed(at)
