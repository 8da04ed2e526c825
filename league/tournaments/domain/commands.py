"""The commands on tournaments."""

from datetime import date
from typing import Any

from msgspec import Struct

from league.tournaments.domain.drawn import RoundPairings, SeedCommitment


class PlanTournament(Struct, frozen=True):
    """Plan a tournament."""

    tournament: str
    plan: dict[str, Any]
    """The settings that `docs/tournaments.md` describes."""


class ChangePlan(Struct, frozen=True, omit_defaults=True):
    """Change settings of the plan. Once the first round is published, only the number of rounds may change."""

    tournament: str
    plan: dict[str, Any]
    """The settings that change. All others stay."""
    remove: tuple[str, ...] = ()
    """Settings that return to the default of the format."""


class EnterCompetitor(Struct, frozen=True):
    """Enter a player, or a pair."""

    tournament: str
    players: tuple[str, ...]
    fixed_table: int | None = None
    replaces: str | None = None
    """The withdrawn competitor whose place they take."""


class CheckIn(Struct, frozen=True, omit_defaults=True):
    """Record that competitors have arrived."""

    tournament: str
    competitors: tuple[str, ...]
    commitment: str | None = None
    """What the device of the only listed competitor promises to the next drawing, as in `CommitSeed`."""


class Withdraw(Struct, frozen=True):
    """Take a competitor out of the rounds to come."""

    tournament: str
    competitor: str
    reason: str | None = None


class Return(Struct, frozen=True):
    """Let a competitor who withdrew play again."""

    tournament: str
    competitor: str


class RequestBye(Struct, frozen=True):
    """Ask for a bye of a round, before it is drawn."""

    tournament: str
    competitor: str
    round: int


class TakeBackBye(Struct, frozen=True):
    """Take back the request for a bye of a round, before it is drawn."""

    tournament: str
    competitor: str
    round: int


class CommitSeed(Struct, frozen=True):
    """Promise random bytes of a competitor's device to the next drawing."""

    tournament: str
    competitor: str
    commitment: str
    """The SHA-256 of 32 bytes, in lower-case hexadecimal."""


class ContributeSeed(Struct, frozen=True):
    """Give the bytes that a competitor's device has promised to a drawing."""

    tournament: str
    round: int
    drawing: int
    """How many times the round was drawn."""
    competitor: str
    contribution: str
    """32 bytes in lower-case hexadecimal."""
    next_commitment: str | None = None
    """A commitment to the next drawing. It is ignored if the competitor already has one."""


class DrawRound(Struct, frozen=True, omit_defaults=True):
    """Close the inputs of the next round. If a round is drawn and not published, draw that round again."""

    tournament: str
    again: str | None = None
    """Why the earlier drawing of the round is dropped. Required if there is one."""
    meetings: tuple[tuple[str, str], ...] | None = None
    """Only for `fixtures`: who meets; None: as in a round robin."""
    day: date | None = None
    """Only for `fixtures`: the day on which they are played."""
    until: date | None = None
    """Only for `fixtures`: the last day on which they may be played."""
    again_without: tuple[str, str] | None = None
    """Two whom the series has locked since the drawing. Only the server sends this, never a person."""


class PairRound(Struct, frozen=True):
    """Store the tables that follow from the drawing. Only the server sends this, never a person."""

    tournament: str
    round: int
    drawing: int
    """How many times the round was drawn. Tables of an earlier drawing are refused."""
    position: int
    """Position of the drawing in the log."""
    root: str
    """Root of the log up to and with the drawing, hexadecimal."""
    signed: bool
    """Whether a key has signed that root."""
    paired: RoundPairings
    seed: str
    """The seed from which the tables follow. It is refused if more bytes have been stored meanwhile."""
    commitments: tuple[SeedCommitment, ...] = ()
    """The commitments whose bytes were asked for, with their positions."""


class PublishRound(Struct, frozen=True, omit_defaults=True):
    """Announce the tables, and open their matches."""

    tournament: str
    round: int
    even_if_outdated: bool = False
    """Whether to publish although the inputs would be different now."""


class WithdrawRound(Struct, frozen=True):
    """Withdraw the last published round before play begins. It is drawn anew under the same number."""

    tournament: str
    round: int
    reason: str


class OpenGame(Struct, frozen=True):
    """Open the next game of a tie, if it is to be played. It follows from each result of the game before."""

    tournament: str
    round: int
    table: int


class OpenFixture(Struct, frozen=True):
    """Open a fixture's match when play begins."""

    tournament: str
    round: int
    table: int


class NewTable(Struct, frozen=True):
    """A table with its new sides."""

    table: int
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """The competitors of each side, by seat."""


class ChangePairings(Struct, frozen=True):
    """Pair tables by hand. Everybody who sat there stays in the round: at a table, or sitting out."""

    tournament: str
    round: int
    tables: tuple[NewTable, ...]
    reason: str


class RecordAbsence(Struct, frozen=True):
    """Record that one side, or both, did not come. The match of the table is voided."""

    tournament: str
    round: int
    table: int
    sides: tuple[int, ...]


class ClaimAbsence(Struct, frozen=True):
    """Say that the other side did not come to a competitor's table. Nothing is decided by that alone."""

    tournament: str
    competitor: str
    """One of the side that is there."""
    round: int


class ConfirmAbsence(Struct, frozen=True):
    """Confirm what the other side claims: that a competitor's own side did not come. It is recorded as an absence."""

    tournament: str
    competitor: str
    """One of the side that did not come."""
    round: int


class ReplaceMatch(Struct, frozen=True):
    """Open another match at a table whose match was voided, or where an absent side came after all."""

    tournament: str
    round: int
    table: int
    reason: str


class CloseRound(Struct, frozen=True):
    """Close a round in which all tables have a result."""

    tournament: str
    round: int


class ConfirmRound(Struct, frozen=True):
    """Confirm, for everybody, all results of a round that await confirmation, except those that are disputed."""

    tournament: str
    round: int


class EndTournament(Struct, frozen=True):
    """End the tournament."""

    tournament: str
