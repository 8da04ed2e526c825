"""References to types of other features, and fields of such types.

GraphQL types refer to each other in circles (a match has players, a player has matches); Python modules must not. So no
feature imports another: a field names its type by one of these references, its resolver returns the row or the struct
that a loader fetched, and the type's `of` converts it. Strawberry resolves the references when it builds the schema.
"""

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Annotated, Any, get_args

import strawberry
from strawberry import field
from strawberry.types.lazy_type import StrawberryLazyReference

if TYPE_CHECKING:
    from league.api.badges.badges import BadgeProgress, EarnedBadge
    from league.api.explanations.explanations import Explanation
    from league.api.explanations.side_by_side import ExplanationsSideBySide
    from league.api.league.seasons import Season
    from league.api.log.log_events import LogEvent
    from league.api.matches.hands import Hand, ScoreTerm
    from league.api.matches.matches import Match
    from league.api.matches.scoring import DerivedFacts
    from league.api.matches.turns import HandTurn
    from league.api.photos.photos import Photo
    from league.api.players.players import Competitor, Player, Team
    from league.api.ratings.changes import RatingChange
    from league.api.ratings.journal import JournalEntry
    from league.api.ratings.rating_series import RatingSeries
    from league.api.ratings.ratings import Rating
    from league.api.replays.run_difference import RatingDivergence
    from league.api.rules.editions import Edition, Ruleset, TimelineSpan
    from league.api.series.encounters import Encounter, SeriesEntry
    from league.api.tables.tables import Table

BadgeProgressRef = Annotated["BadgeProgress", strawberry.lazy("league.api.badges.badges")]
EarnedBadgeRef = Annotated["EarnedBadge", strawberry.lazy("league.api.badges.badges")]
ExplanationRef = Annotated["Explanation", strawberry.lazy("league.api.explanations.explanations")]
ExplanationsSideBySideRef = Annotated["ExplanationsSideBySide", strawberry.lazy("league.api.explanations.side_by_side")]
SeasonRef = Annotated["Season", strawberry.lazy("league.api.league.seasons")]
LogEventRef = Annotated["LogEvent", strawberry.lazy("league.api.log.log_events")]
HandRef = Annotated["Hand", strawberry.lazy("league.api.matches.hands")]
ScoreTermRef = Annotated["ScoreTerm", strawberry.lazy("league.api.matches.hands")]
MatchRef = Annotated["Match", strawberry.lazy("league.api.matches.matches")]
DerivedFactsRef = Annotated["DerivedFacts", strawberry.lazy("league.api.matches.scoring")]
HandTurnRef = Annotated["HandTurn", strawberry.lazy("league.api.matches.turns")]
PhotoRef = Annotated["Photo", strawberry.lazy("league.api.photos.photos")]
CompetitorRef = Annotated["Competitor", strawberry.lazy("league.api.players.players")]
PlayerRef = Annotated["Player", strawberry.lazy("league.api.players.players")]
TeamRef = Annotated["Team", strawberry.lazy("league.api.players.players")]
RatingChangeRef = Annotated["RatingChange", strawberry.lazy("league.api.ratings.changes")]
JournalEntryRef = Annotated["JournalEntry", strawberry.lazy("league.api.ratings.journal")]
RatingSeriesRef = Annotated["RatingSeries", strawberry.lazy("league.api.ratings.rating_series")]
RatingRef = Annotated["Rating", strawberry.lazy("league.api.ratings.ratings")]
RatingDivergenceRef = Annotated["RatingDivergence", strawberry.lazy("league.api.replays.run_difference")]
EditionRef = Annotated["Edition", strawberry.lazy("league.api.rules.editions")]
RulesetRef = Annotated["Ruleset", strawberry.lazy("league.api.rules.editions")]
TimelineSpanRef = Annotated["TimelineSpan", strawberry.lazy("league.api.rules.editions")]
EncounterRef = Annotated["Encounter", strawberry.lazy("league.api.series.encounters")]
SeriesEntryRef = Annotated["SeriesEntry", strawberry.lazy("league.api.series.encounters")]
TableRef = Annotated["Table", strawberry.lazy("league.api.tables.tables")]


def field_of(kind: Any, description: str) -> Any:
    """A field of this type: `X`, `X | None` or `list[X]`, where X is a type or a reference to one.

    Its resolver returns what `X.of` accepts, None, or a list of it.
    """
    made = maker_of(kind)

    def build(found: Any) -> Any:
        if found is None:
            return None
        return [made(one) for one in found] if isinstance(found, list) else made(found)

    def decorate(resolver: Callable[..., Any]) -> Any:
        if iscoroutinefunction(resolver):

            @wraps(resolver)
            async def resolve(*args: Any, **kwargs: Any) -> Any:
                return build(await resolver(*args, **kwargs))

        else:

            @wraps(resolver)
            def resolve(*args: Any, **kwargs: Any) -> Any:
                return build(resolver(*args, **kwargs))

        return field(graphql_type=kind, description=description)(resolve)

    return decorate


def maker_of(kind: Any) -> Callable[[Any], Any]:
    """The function that makes an object of type X in `X`, `X | None`, `list[X]` or `Connection[X]`: its `of`."""
    of: Callable[[Any], Any] | None = None

    def make(found: Any) -> Any:
        nonlocal of
        if of is None:  # resolved late: a reference needs all modules to be imported
            of = _type_in(kind).of
        return of(found)

    return make


def _type_in(kind: Any) -> Any:
    for reference in getattr(kind, "__metadata__", ()):
        if isinstance(reference, StrawberryLazyReference):
            return reference.resolve_forward_ref(kind.__origin__).resolve_type()
    inner = [part for part in get_args(kind) if part is not type(None)]
    return _type_in(inner[0]) if inner else kind
