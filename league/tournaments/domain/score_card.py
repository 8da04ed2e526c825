"""The score card of a competitor: what each published round came to for them (rules, Tournaments, Results)."""

from collections.abc import Iterator

from msgspec import Struct

from league.tournaments.domain.outcomes import (
    OutcomeKind,
    Outcomes,
    PointRules,
    RoundOutcome,
    table_result,
)
from league.tournaments.domain.results import Results, TableStatus
from league.tournaments.domain.state import RoundState, TableOfRound, TournamentState

WITHOUT_PLAY: dict[TableStatus, OutcomeKind] = {"walkover": "walkover", "double_absence": "double_absence"}
"""The kind of a round by the status of its table. Any other status is one of a match."""


class CardRound(Struct, frozen=True):
    """A round on the score card of a competitor."""

    of: RoundState
    kind: OutcomeKind | None
    """What they did in it; None: they took no part."""
    table: TableOfRound | None = None
    """Their table; None if they had none."""
    side: int | None = None
    """Their side at the table."""
    outcome: RoundOutcome | None = None
    """What it came to; None while it counts nothing."""


def score_card(
    state: TournamentState, results: Results, points: PointRules, outcomes: Outcomes, competitor: str
) -> list[CardRound]:
    """The published rounds of a competitor, in their order. `outcomes`: those of all published rounds."""
    return [*_rounds(state, results, points, outcomes, competitor)]


def _rounds(
    state: TournamentState, results: Results, points: PointRules, outcomes: Outcomes, competitor: str
) -> Iterator[CardRound]:
    found = {one.round: one for one in outcomes[competitor]}
    for of in state.published:
        outcome = found.get(of.number)
        at = next(((table, side) for table in of.tables for side in (0, 1) if competitor in table.sides[side]), None)
        if at is not None:
            kind = WITHOUT_PLAY.get(table_result(at[0], results, points).status, "match")
            yield CardRound(of, kind, *at, outcome)
        elif competitor in of.byes:
            yield CardRound(of, "bye", outcome=outcome)
        elif competitor in of.requested:
            yield CardRound(of, "requested_bye", outcome=outcome)
        else:
            yield CardRound(of, None)
