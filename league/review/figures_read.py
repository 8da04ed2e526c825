"""What reviews have stored of the play of a player or a pair, for those who may see it."""

from collections.abc import Collection, Sequence

from msgspec import Struct
from sqlalchemy import text

from league.domain.competitor import CompetitorId, players_of
from league.projections.queries.merges import former_ids
from league.projections.queries.snapshot import Snapshot
from league.review.play_figures import HandLosses, PlayFigures, play_figures

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
