"""What fields cost, in points of about 20 microseconds of work of the server and its database.

`make bench` measures the work of requests beside their prices.
"""

from graphql import GraphQLField
from msgspec import Struct
from strawberry.types.field import StrawberryField


class Price(Struct, frozen=True):
    """What a field costs by itself, without what is selected of it."""

    each: int
    """For every row in whose selection it stands."""
    once: int = 0
    """For each place in the document: rows ask the database together."""


PLAIN = Price(1)
"""A value that is at hand."""
LOADED = Price(1, 10)
"""An object that is loaded for all rows together."""
READ = Price(4, 15)
"""Another field that asks the database."""
PAGE = Price(15, 50)
"""A connection."""
COUNT = Price(10, 40)
"""The `totalCount` of a connection, besides its page."""
PREVIEW = Price(7_500)
"""What would change: all matches since the first one that would are computed again, 150 ms for a season of 420."""

PRICES = {
    ("Badge", "holders"): Price(20, 500),
    ("BadgeEarning", "event"): Price(5, 150),
    ("Board", "around"): Price(300),
    ("BoardMoves", "day"): Price(5, 500),
    ("BoardMoves", "week"): Price(5, 500),
    ("BoardMoves", "month"): Price(5, 500),
    ("BoardPlace", "explanation"): Price(250, 1_000),
    ("EarnedBadge", "explanation"): Price(900, 500),
    ("Edition", "difference"): Price(100),
    ("Edition", "document"): Price(50),
    ("Edition", "inWords"): Price(50),
    ("Explanation", "against"): Price(500),
    ("ExplanationBasis", "explanation"): Price(20),  # many terms rest on the same hands
    ("ExplanationBasis", "match"): Price(50),  # of a standing there may be hundreds
    ("Hand", "explanation"): Price(140, 150),
    ("Hand", "review"): Price(60),
    ("Hand", "transcript"): Price(60),
    ("HandEnded", "finished"): Price(40),
    ("LeagueDifference", "totals"): Price(500),
    ("Match", "explanation"): Price(200, 150),
    ("Match", "hand"): Price(10, 150),
    ("Match", "hands"): Price(10, 150),
    ("Match", "log"): Price(10, 150),
    ("Match", "proof"): Price(1_000),
    ("Match", "table"): Price(60),
    ("Player", "badgeProgress"): Price(15, 150),
    ("Player", "badges"): Price(10, 100),
    ("Player", "ratingSeries"): Price(15, 100),
    ("Player", "reviewedPlay"): Price(60),
    ("Player", "series"): Price(15, 100),
    **{(kind, "statistics"): Price(4, 50) for kind in ("Competitor", "Player", "Team")},  # as of a moment; else 0.3 ms
    ("Query", "headToHead"): Price(200),
    ("Query", "preview"): PREVIEW,
    ("Query", "previewMerge"): PREVIEW,
    ("Query", "previewRound"): Price(2_000),
    ("Query", "previewTimeZone"): PREVIEW,
    ("Query", "previewUndoMerge"): PREVIEW,
    ("Query", "ratingDistribution"): Price(150),
    ("Query", "ratingDrift"): Price(300),
    ("Query", "replay"): Price(200),
    ("Query", "similarPlayers"): Price(250),
    ("Query", "whatIf"): Price(200),
    ("Query", "whatIfNot"): PREVIEW,
    ("Rating", "rank"): Price(5, 250),
    ("RatingChange", "explanation"): Price(200, 150),
    ("SeriesEntry", "opponents"): Price(450, 250),
    ("SeriesEntry", "standing"): Price(70, 100),
    ("SeriesMonth", "encounters"): Price(450, 250),  # 4,950 encounters are made to read a page of them
    ("SeriesStanding", "explanation"): Price(150, 1_000),
    ("Statistics", "bestWin"): Price(20, 100),
    ("Statistics", "peakRating"): Price(20, 100),
    ("Statistics", "play"): Price(100, 500),
    ("Team", "reviewedPlay"): Price(60),
    ("Statistics", "worstLoss"): Price(20, 100),
    ("Table", "finishedHands"): Price(60),
    ("Team", "ratingSeries"): Price(15, 100),
    ("Team", "series"): Price(15, 100),
    ("Tournament", "standing"): Price(100),
    ("TournamentRound", "isOutdated"): Price(50),
    ("TournamentRound", "proofOfCommitment"): Price(50),
    ("TournamentRound", "wouldChange"): Price(1_000),
    ("TournamentTable", "why"): Price(100),  # computed once for each table
}
"""Of fields that cost something else than others of their kind."""


def price_of(parent: str, name: str, field: GraphQLField) -> Price:
    """What a field of the schema costs."""
    declared = PRICES.get((parent, name))
    if declared is not None:
        return declared
    if parent.endswith("Connection"):
        return COUNT if name == "totalCount" else PLAIN
    if "first" in field.args:
        return PAGE
    defined: StrawberryField | None = field.extensions.get("strawberry-definition")
    resolver = None if defined is None else defined.base_resolver
    if resolver is None or resolver.info_parameter is None:
        return PLAIN
    return LOADED if hasattr(resolver.wrapped_func, "load") else READ
