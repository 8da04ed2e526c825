"""From what a term rests on to the explanation of that, and so on, back to the deal."""

from league.explanations.explanation import Basis, Explanation
from league.explanations.hands import explain_hand
from league.explanations.rating_changes import explain_change
from league.projections.reads.snapshot import Snapshot


def explain_basis(snapshot: Snapshot, basis: Basis) -> Explanation | None:
    """Why a hand scored what it did, or a rating had become what it was. None for a match as a whole, or a month."""
    if basis.match is not None and basis.hand is not None:
        return explain_hand(snapshot, basis.match, basis.hand)
    if basis.match is not None and basis.rating is not None:
        return explain_change(snapshot, basis.match, basis.rating)
    return None
