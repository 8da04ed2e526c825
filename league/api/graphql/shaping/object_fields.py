"""Fields whose values are objects: of types of other features, and loaded by a key.

GraphQL types refer to each other in circles (a match has players, a player has matches); Python modules must not. So no
feature imports another: a field names its type by one of these references, its resolver returns the row or the struct
that a loader fetched, and the type's `of` converts it. Strawberry resolves the references when it builds the schema.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import iscoroutinefunction
from typing import Annotated, Any, TypeAlias, get_args

from strawberry import field
from strawberry.types.lazy_type import LazyType, StrawberryLazyReference

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.executing.plain_fields import Ask, FieldLoad
from league.api.graphql.executing.reader import Reader


class LazyReference(StrawberryLazyReference):
    """A reference to a type by its name and its module, which is imported when the schema is built."""

    def __init__(self, name: str, module: str) -> None:
        super().__init__(module)
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LazyReference) and (self.name, self.module) == (other.name, other.module)

    def __hash__(self) -> int:
        return hash((self.name, self.module))

    def resolve_forward_ref(self, _: object) -> LazyType[Any, Any]:
        """The lazy type that Strawberry resolves later."""
        return LazyType(self.name, self.module)


# "Any" is for the type checker, and quoted because Strawberry asks references of quoted names only.
BadgeProgressRef: TypeAlias = Annotated["Any", LazyReference("BadgeProgress", "league.api.badges")]
EarnedBadgeRef: TypeAlias = Annotated["Any", LazyReference("EarnedBadge", "league.api.badges")]
ExplanationRef: TypeAlias = Annotated["Any", LazyReference("Explanation", "league.api.explanations")]
ExplanationsSideBySideRef: TypeAlias = Annotated[
    "Any", LazyReference("ExplanationsSideBySide", "league.api.explanations")
]
LeagueRef: TypeAlias = Annotated["Any", LazyReference("League", "league.api.league.league_info")]
MemberRef: TypeAlias = Annotated["Any", LazyReference("Member", "league.api.league.members")]
NoticeRef: TypeAlias = Annotated["Any", LazyReference("Notice", "league.api.league.notices")]
PlayerNoticeRef: TypeAlias = Annotated["Any", LazyReference("PlayerNotice", "league.api.league.notices")]
PromotionRef: TypeAlias = Annotated["Any", LazyReference("Promotion", "league.api.league.notices")]
SeasonRef: TypeAlias = Annotated["Any", LazyReference("Season", "league.api.league.seasons")]
LogEventRef: TypeAlias = Annotated["Any", LazyReference("LogEvent", "league.api.log")]
HandRef: TypeAlias = Annotated["Any", LazyReference("Hand", "league.api.matches.hands")]
ScoreTermRef: TypeAlias = Annotated["Any", LazyReference("ScoreTerm", "league.api.matches.hands")]
MatchRef: TypeAlias = Annotated["Any", LazyReference("Match", "league.api.matches.matches")]
DerivedFactsRef: TypeAlias = Annotated["Any", LazyReference("DerivedFacts", "league.api.matches.scoring")]
HandTurnRef: TypeAlias = Annotated["Any", LazyReference("HandTurn", "league.api.matches.hands")]
CompetitorRef: TypeAlias = Annotated["Any", LazyReference("Competitor", "league.api.players.players")]
PlayerRef: TypeAlias = Annotated["Any", LazyReference("Player", "league.api.players.players")]
TeamRef: TypeAlias = Annotated["Any", LazyReference("Team", "league.api.players.players")]
RatingChangeRef: TypeAlias = Annotated["Any", LazyReference("RatingChange", "league.api.ratings")]
JournalEntryRef: TypeAlias = Annotated["Any", LazyReference("JournalEntry", "league.api.ratings")]
RatingSeriesRef: TypeAlias = Annotated["Any", LazyReference("RatingSeries", "league.api.ratings")]
ReplayRef: TypeAlias = Annotated["Any", LazyReference("Replay", "league.api.replays.replays")]
PlaceAmongProvisionalRef: TypeAlias = Annotated["Any", LazyReference("PlaceAmongProvisional", "league.api.ratings")]
RatingRef: TypeAlias = Annotated["Any", LazyReference("Rating", "league.api.ratings")]
RatingDivergenceRef: TypeAlias = Annotated[
    "Any", LazyReference("RatingDivergence", "league.api.replays.run_difference")
]
EditionRef: TypeAlias = Annotated["Any", LazyReference("Edition", "league.api.rules")]
RuleDifferenceRef: TypeAlias = Annotated["Any", LazyReference("RuleDifference", "league.api.rules")]
RulesetRef: TypeAlias = Annotated["Any", LazyReference("Ruleset", "league.api.rules")]
TimelineSpanRef: TypeAlias = Annotated["Any", LazyReference("TimelineSpan", "league.api.rules")]
SeriesEncounterRef: TypeAlias = Annotated["Any", LazyReference("SeriesEncounter", "league.api.series.encounters")]
SeriesEntryRef: TypeAlias = Annotated["Any", LazyReference("SeriesEntry", "league.api.series.encounters")]


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


def cacheable_field_of(kind: Any, description: str) -> Any:
    """Like `field_of`, for a resolver that is `@cacheable`."""
    return lambda resolver: field_of(kind, description)(cacheable(resolver))


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
        if isinstance(reference, LazyReference):
            return reference.resolve_forward_ref(None).resolve_type()
    inner = [part for part in get_args(kind) if part is not type(None)]
    return _type_in(inner[0]) if inner else kind


def loaded_field(kind: Any, description: str, ask: Ask, key: Callable[[Any], Any]) -> Any:
    """A field of this type, `X` or `X | None`, whose value one question answers by one key.

    `ask` finds what `X.of` accepts for many keys at once, in the official run's tables; `key` is the key of an object,
    or None where the field is null. Prefer it to `field_of` with a loader wherever it is enough.
    """
    of = maker_of(kind)

    def keys(root: Any) -> Sequence[Any]:
        wanted = key(root)
        return () if wanted is None else (wanted,)

    def make(_: Any, found: list[Any]) -> Any:
        return of(found[0]) if found and found[0] is not None else None

    return made_field(kind, description, FieldLoad(ask, keys, make))


def made_field(kind: Any, description: str, load: FieldLoad) -> Any:
    """A field of this type whose value is made from what one question answers by some keys of the object."""

    def made(root: Any, keys: Sequence[Any], known: Mapping[Any, Any]) -> Any:
        return load.make(root, [known[key] for key in keys])

    async def loaded(root: Any, keys: Sequence[Any], reader: Reader) -> Any:
        await reader.load_all(load.ask, keys)
        return made(root, keys, reader.known(load.ask))

    @cacheable
    def resolve(root: Any, info: Info) -> Any:
        reader, keys = info.context.reader, load.keys(root)
        known = reader.known(load.ask)
        return made(root, keys, known) if all(key in known for key in keys) else loaded(root, keys, reader)

    resolve.load = load  # type: ignore[attr-defined]  # functions have no such attribute by themselves
    return field(resolver=resolve, graphql_type=kind, description=description)
