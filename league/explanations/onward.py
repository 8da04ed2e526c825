"""Follows a term's basis to the explanation of that basis, and so on, back to the deal."""

from zoneinfo import ZoneInfo

from league.domain.series import bounds
from league.explanations.explanation import Basis, Explanation
from league.explanations.hands import explain_hand
from league.explanations.places import explain_standing
from league.explanations.rating_changes import explain_change
from league.projections.queries.series import Month
from league.projections.queries.snapshot import Snapshot


def explain_basis(snapshot: Snapshot, basis: Basis) -> Explanation | None:
    """Explain a basis: the points of a hand, the latest change of a rating, or the standing of a month.

    None for a match as a whole, which `explain_match` explains.
    """
    if basis.match is not None and basis.hand is not None:
        return explain_hand(snapshot, basis.match, basis.hand)
    if basis.competitor is None:
        return None
    if basis.match is not None:
        return explain_change(snapshot, basis.match, basis.competitor)
    assert basis.month is not None, "a standing is that of a month"
    assert basis.mode is not None, "a standing is that of a mode"
    month = Month(basis.mode, basis.month, *bounds(basis.month, ZoneInfo(snapshot.zone)))
    return explain_standing(snapshot, month, basis.competitor)
