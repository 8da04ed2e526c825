"""What decisions have cost: the rows that are stored of each reviewed hand, and what a viewer may see of them."""

from collections.abc import Collection, Sequence

from msgspec import Struct
from sqlalchemy import text

from league.domain.competitor import CompetitorId, players_of
from league.projections.queries.merges import former_ids
from league.projections.queries.snapshot import Snapshot
from league.projections.runs import Conn
from league.review.decisions import PlayedHand
from league.review.moves import FOUR, ReviewedMove, losses_by_kind
from league.review.options import counts_hands
from league.review.play_figures import HandLosses, PlayFigures, play_figures

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


_CONSENTING = text("SELECT player_id FROM review_consents WHERE player_id = ANY(:players)")
# Nothing counts of the hands of a voided or a forfeited match. A month is one of the league's time zone.
_LOSSES = """
    SELECT l.match_id, l.hand, l.seat, l.kind, to_char(m.began_at AT TIME ZONE :zone, 'YYYY-MM'),
        l.decisions, l.mistakes, l.lost
    FROM review_losses AS l JOIN matches AS m ON m.run = :run AND m.match_id = l.match_id
        AND m.status NOT IN ('voided', 'forfeited')
    WHERE {whose}
"""
_OF_PLAYER = text(_LOSSES.format(whose="l.player_id = ANY(:one)"))
_OF_PAIR = text(
    _LOSSES.format(
        whose="(l.player_id = ANY(:one) AND l.partner_id = ANY(:other)"
        " OR l.player_id = ANY(:other) AND l.partner_id = ANY(:one))"
    )
)


class SeenPlay(Struct, frozen=True):
    """What a viewer sees of the play of a player or a pair."""

    consents: bool
    """Whether the player, or both of the pair, let others see the figures."""
    figures: PlayFigures | None
    """None where the viewer may not see them."""


def seen_play(snapshot: Snapshot, competitor: str, viewer: str | None) -> SeenPlay:
    """The figures of a player or a pair; `viewer`: the player who asks, by any id."""
    players = players_of(CompetitorId(competitor))
    former = former_ids(snapshot, players)
    ids = [[player, *former[player]] for player in players]
    consents = consenting(snapshot, players) == set(players)
    if not consents and not any(viewer in of_player for of_player in ids):
        return SeenPlay(consents, None)
    return SeenPlay(consents, play_figures(_losses(snapshot, ids)))


def consenting(snapshot: Snapshot, players: Collection[str]) -> frozenset[str]:
    """Those of these players who let others see what reviews say of their play."""
    return frozenset(snapshot.conn.scalars(_CONSENTING, {"players": list(players)}))


def _losses(snapshot: Snapshot, ids: Sequence[list[str]]) -> list[HandLosses]:
    of = {"one": ids[0], "other": ids[-1], "run": snapshot.run, "zone": snapshot.zone}
    query = _OF_PLAYER if len(ids) == 1 else _OF_PAIR
    return [HandLosses(*row) for row in snapshot.conn.execute(query, of)]
