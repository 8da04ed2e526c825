"""The rows of what decisions have cost: they follow from the moves of a review, and from who sat where."""

from collections.abc import Sequence

from league.projections.runs import Conn
from league.review.decisions import PlayedHand
from league.review.moves import FOUR, ReviewedMove, losses_by_kind
from league.review.options import counts_hands

ADD = """
    INSERT INTO review_losses (match_id, hand, seat, kind, player_id, partner_id, decisions, mistakes, lost)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


def write_losses(
    conn: Conn, match: str, number: int, hand: PlayedHand, seats: Sequence[str], moves: Sequence[ReviewedMove]
) -> None:
    """Write what the decisions of a hand have cost. None has a row where the ruleset counts no points."""
    if counts_hands(hand.ruleset):
        return
    for loss in losses_by_kind(moves):
        partner = seats[(loss.seat + 2) % FOUR] if hand.mode == "2v2" else None
        of = (match, number, loss.seat, loss.kind, seats[loss.seat], partner)
        conn.execute(ADD, (*of, loss.decisions, loss.mistakes, loss.lost))
