"""How much one document may request, counted before execution."""

from collections.abc import Collection
from typing import Any

from graphql import (
    EnumValueNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValidationRule,
    VariableNode,
    get_named_type,
)
from msgspec import Struct
from strawberry.types.field import StrawberryField

from league.api.graphql.request_errors import TooComplex
from league.domain.sentences import say


class Price(Struct, frozen=True):
    """What a field costs by itself, without what is selected of it."""

    each: int
    """Points for every row in whose selection it stands."""
    once: int = 0
    """Points for each place in the document: rows ask the database together."""


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
"""Prices of fields that cost something else than others of their kind, by type and field."""


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


MOST = 100
"""The most rows on a page."""
DEFAULT = 20

MOST_POINTS = 1_000
"""Limit on the points of a rating series; a chart is rarely wider."""
MOST_AROUND = 50
"""Places on either side of one on a board."""
DEEPEST = 18
MOST_ALIASES = 30
DEAREST = 20_000
"""Points of an operation when every list is as long as it may be. It takes at most as long as 1,000 times the least."""
PLAIN_LIST = 4
"""What a list without pages counts for; most have fewer entries."""
SEARCH = {
    "PLAYERS": 200,  # 2 to 8 ms among 5,000 players
    "TEAMS": 700,  # 6 to 20 ms among 20,000 pairs
    "SEASONS": 100,
    "MATCHES": 500,  # among 100,000 matches 2 ms for one word, 35 for several
}
"""What a search takes by itself for each of its kinds."""
MUTATION = 100
"""What each mutation takes by itself: most add events to the log, which keeps them for ever."""
IN_THE_PAST = 450
"""What a board or a rating at an earlier moment takes by itself: its rows are looked for in the ledger."""
PREVIEWED = 50
"""Rows of each list of a preview, at most."""
TIMES = {
    ("Explanation", "terms"): 8,
    ("Match", "hands"): 10,
    **{
        ("Preview", name): PREVIEWED
        for name in ("moves", "results", "hands", "badges", "places", "months", "notJudgedInMatches")
    },
    ("PlacesAround", "places"): 1,  # `around` counts, by its radius
    ("Player", "badges"): 12,
    ("Query", "badges"): 35,  # those of the shipped edition
    ("Team", "badges"): 12,
    ("Side", "players"): 1,  # the sides of a match, four at most, have four players together
    ("__Schema", "types"): 120,  # some 300, of plain fields
    ("__Schema", "directives"): 6,
    # By types together, as they are listed below `types`.
    ("__Type", "fields"): 4,
    ("__Type", "inputFields"): 1,
    ("__Type", "interfaces"): 1,
    ("__Type", "possibleTypes"): 1,
    ("__Type", "enumValues"): 1,
    ("__Field", "args"): 1,
    ("__Type", "ofType"): 0.5,  # of a list or a required value; the usual introspection asks for nine levels
}
"""How long lists are that have no pages and are longer or shorter than most; of `ofType`, how often it is not null."""


COST = say("points of query cost")
SIZES = ("first", "last", "points", "radius", "ids")
"""Arguments that say how many rows there may be."""
SIZED = say(
    " A size in a variable counts as the largest one, such as {most} rows of a page: write it into the document.",
    most=MOST,
)


class Weight(Struct, frozen=True):
    """The weight of a part of a document."""

    depth: int = 0
    aliases: int = 0
    each: int = 0
    """Points for every row in whose selection it stands."""
    once: int = 0
    """Points that do not grow with the rows."""

    @property
    def cost(self) -> int:
        """All points."""
        return self.each + self.once

    def beside(self, other: "Weight") -> "Weight":
        """Both together."""
        aliases, each = self.aliases + other.aliases, self.each + other.each
        return Weight(max(self.depth, other.depth), aliases, each, self.once + other.once)


class Limits(ValidationRule):
    """Refuses documents that are too deep, have too many aliases or cost too much.

    Each fragment is weighed once; otherwise fragments that double each other would take time that doubles with each
    line.
    """

    def enter_operation_definition(self, node: OperationDefinitionNode, *_: Any) -> None:
        """Check the weight of an operation."""
        weight = self.weight(node)
        for what, has, most in (
            (say("levels"), weight.depth, DEEPEST),
            (say("aliases"), weight.aliases, MOST_ALIASES),
            (COST, weight.cost, DEAREST),
        ):
            if has > most:
                is_cost = what == COST
                self.report_error(TooComplex(what, has, most, SIZED if is_cost and self._is_sized_by_variable else ""))

    def weight(self, operation: OperationDefinitionNode) -> Weight:
        """The weight of an operation."""
        self._fragments: dict[str, Weight] = {}
        self._is_sized_by_variable = False
        return self._of(operation.selection_set, self.context.schema.get_root_type(operation.operation))

    def _of(self, selections: SelectionSetNode | None, parent: Any) -> Weight:
        total = Weight()
        for selection in selections.selections if selections else ():
            if isinstance(selection, FieldNode):
                total = total.beside(self._field(selection, parent))
            elif isinstance(selection, InlineFragmentNode):
                on = selection.type_condition
                inner = self.context.schema.get_type(on.name.value) if on else parent
                total = total.beside(self._of(selection.selection_set, inner))
            elif isinstance(selection, FragmentSpreadNode):
                total = total.beside(self._fragment(selection.name.value))
        return total

    def _fragment(self, name: str) -> Weight:
        if name not in self._fragments:
            # The weight of a fragment that contains itself; another rule refuses those.
            self._fragments[name] = Weight()
            fragment: FragmentDefinitionNode | None = self.context.get_fragment(name)
            if fragment is not None:
                on = self.context.schema.get_type(fragment.type_condition.name.value)
                self._fragments[name] = self._of(fragment.selection_set, on)
        return self._fragments[name]

    def _field(self, node: FieldNode, parent: Any) -> Weight:
        has_fields = isinstance(parent, GraphQLObjectType | GraphQLInterfaceType)
        defined: GraphQLField | None = parent.fields.get(node.name.value) if has_fields else None
        kind = get_named_type(defined.type) if defined else self._meta(node.name.value)
        inner = self._of(node.selection_set, kind)
        for given in node.arguments or ():
            if given.name.value in SIZES and isinstance(given.value, VariableNode):
                self._is_sized_by_variable = True
        name = (getattr(parent, "name", ""), node.name.value)
        times = 1 if defined is None else TIMES.get(name) or _times(node, defined)
        price = PLAIN if defined is None else price_of(*name, defined)
        own = price.each + (IN_THE_PAST if _names(node, "asOf") else 0)
        if parent is self.context.schema.mutation_type:
            own += MUTATION
        if name == ("Query", "search"):
            own += sum(SEARCH.get(kind, 0) for kind in _kinds(node))
        aliases, each = inner.aliases + (node.alias is not None), own + int(inner.each * times)
        return Weight(inner.depth + 1, aliases, each, price.once + inner.once)

    def _meta(self, name: str) -> Any:
        """The types behind `__schema` and `__type`, which no type defines as its fields."""
        return self.context.schema.get_type({"__schema": "__Schema", "__type": "__Type"}.get(name, ""))


def _names(node: FieldNode, argument: str) -> bool:
    return any(given.name.value == argument for given in node.arguments or ())


def _times(node: FieldNode, defined: GraphQLField) -> int:
    """How often the selection of a field may occur."""
    if "first" in defined.args:
        # The rows are below both `edges` and `nodes`, so the page counts here and the two lists count once;
        # the same holds for the `points` of a series.
        sizes = [argument.value for argument in node.arguments or () if argument.name.value in ("first", "last")]
        return max((_size(size, MOST) for size in sizes), default=DEFAULT)
    if "points" in defined.args:
        return _number(node, defined, "points", MOST_POINTS)
    if "radius" in defined.args:
        return 2 * _number(node, defined, "radius", MOST_AROUND) + 1
    if "ids" in defined.args:
        given = [argument.value for argument in node.arguments or () if argument.name.value == "ids"]
        return max((_count(ids) for ids in given), default=MOST)
    kind = defined.type.of_type if isinstance(defined.type, GraphQLNonNull) else defined.type
    paged = node.name.value in ("edges", "nodes", "points")
    return PLAIN_LIST if isinstance(kind, GraphQLList) and not paged else 1


def _kinds(node: FieldNode) -> Collection[str]:
    """What a search may look for: all kinds, unless the document names them."""
    for given in node.arguments or ():
        if given.name.value == "kinds":
            # A single kind may be given without brackets.
            values = given.value.values if isinstance(given.value, ListValueNode) else (given.value,)
            named = [value.value for value in values if isinstance(value, EnumValueNode)]
            return set(named) if len(named) == len(values) else SEARCH
    return SEARCH


def _number(node: FieldNode, defined: GraphQLField, name: str, most: int) -> int:
    """The number in an argument, or its default."""
    given = [argument.value for argument in node.arguments or () if argument.name.value == name]
    default: int = defined.args[name].default_value
    return max((_size(value, most) for value in given), default=default)


def _count(value: Any) -> int:
    # A single id may be given without brackets, and a variable may have as many as are allowed.
    if isinstance(value, VariableNode):
        return MOST
    return len(value.values) if isinstance(value, ListValueNode) else 1


def _size(value: Any, most: int) -> int:
    # A variable may have any allowed value.
    return min(int(value.value), most) if isinstance(value, IntValueNode) else most
