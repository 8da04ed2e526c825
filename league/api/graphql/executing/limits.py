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


class FieldPrice(Struct, frozen=True):
    """Price of a field in points, without the fields that are selected below it."""

    each: int
    """Points for each row of which the field is selected."""
    once: int = 0
    """Points for each place in the document: all rows ask the database together."""


PLAIN = FieldPrice(1)
"""Price of a value that is at hand."""
LOADED = FieldPrice(1, 10)
"""Price of an object that is loaded for all rows together."""
READ = FieldPrice(4, 15)
"""Price of any other field that asks the database."""
PAGE = FieldPrice(15, 50)
"""Price of a connection."""
COUNT = FieldPrice(10, 40)
"""Price of the `totalCount` of a connection, besides its page."""
AT_HAND = FieldPrice(3)
"""Price of a connection whose rows came with the object that has it, and of its `totalCount`."""
PREVIEW = FieldPrice(7_500)
"""Price of a preview. It computes all matches again from the first changed one on: 150 ms for a season of 420."""

_BESIDE_A_RANK = (
    "annulled", "bestRank", "byes", "group", "groupRank", "lost", "provisionalRank", "provisionalWon", "reached",
    "unknownScores", "values", "withdrew", "worstRank",
)  # fmt: skip
LISTS_AT_HAND = {
    "ScoreCard": ("rounds",),
    "TieBreakValue": ("parts",),
    "Tournament": ("bracket", "correctedTies", "entries", "rounds", "tablesOf"),
    "TournamentDraft": ("byes", "tables"),
    "TournamentPlace": ("outcomes",),
    "TournamentPreview": ("byes", "tables"),
    "TournamentRound": ("byes", "commitments", "contributions", "requestedByes", "table", "tables"),
    **{
        f"{rows}Connection": ("totalCount",)
        for rows in (
            "BracketTie", "DrawingCommitment", "DrawingContribution", "ProvisionalPlace", "ScoreCardRound",
            "TableOfPlayer", "TieBreakPart",
            "TournamentBye", "TournamentEntry", "TournamentOutcome", "TournamentPlace", "TournamentRound",
            "TournamentTable", "WouldBeTable",
        )
    },
}  # fmt: skip
"""Lists and counts for which nobody asks the database, by type: a tournament is read whole, and paged in memory."""
PRICES = {
    ("Badge", "holders"): FieldPrice(20, 500),
    ("BadgeEarning", "event"): FieldPrice(5, 150),
    ("Board", "around"): FieldPrice(300),
    ("BoardMoves", "day"): FieldPrice(5, 500),
    ("BoardMoves", "week"): FieldPrice(5, 500),
    ("BoardMoves", "month"): FieldPrice(5, 500),
    ("BoardPlace", "amongProvisional"): FieldPrice(5, 250),
    ("BoardPlace", "explanation"): FieldPrice(250, 1_000),
    ("EarnedBadge", "explanation"): FieldPrice(900, 500),
    ("Edition", "difference"): FieldPrice(100),
    ("Edition", "document"): FieldPrice(50),
    ("Edition", "inWords"): FieldPrice(50),
    ("Explanation", "against"): FieldPrice(500),
    ("ExplanationBasis", "explanation"): FieldPrice(20),  # many terms rest on the same hands
    ("ExplanationBasis", "match"): FieldPrice(50),  # of a standing there may be hundreds
    ("Hand", "explanation"): FieldPrice(140, 150),
    ("Hand", "review"): FieldPrice(60),
    ("Hand", "transcript"): FieldPrice(60),
    ("HandEnded", "finished"): FieldPrice(40),
    ("LeagueDifference", "totals"): FieldPrice(500),
    ("Match", "explanation"): FieldPrice(200, 150),
    ("Match", "hand"): FieldPrice(10, 150),
    ("Match", "hands"): FieldPrice(10, 150),
    ("Match", "log"): FieldPrice(10, 150),
    ("Match", "proof"): FieldPrice(1_000),
    ("Match", "table"): FieldPrice(60),
    ("Player", "badgeProgress"): FieldPrice(15, 150),
    ("Player", "badges"): FieldPrice(10, 100),
    ("Player", "ratingSeries"): FieldPrice(15, 100),
    ("Player", "reviewedPlay"): FieldPrice(60),
    ("Player", "series"): FieldPrice(15, 100),
    **{
        (kind, "statistics"): FieldPrice(4, 50) for kind in ("Competitor", "Player", "Team")
    },  # as of a moment; else 0.3 ms
    ("Query", "checkNames"): FieldPrice(2_000),  # 200 names, in a league of 5,000 players
    ("Query", "headToHead"): FieldPrice(200),
    ("Query", "preview"): PREVIEW,
    ("Query", "previewHouseRules"): FieldPrice(500),
    ("Query", "previewMerge"): PREVIEW,
    ("Query", "previewRound"): FieldPrice(2_000),
    ("Query", "previewTimeZone"): PREVIEW,
    ("Query", "previewUndoMerge"): PREVIEW,
    ("Query", "ratingDistribution"): FieldPrice(150),
    ("Query", "ratingDrift"): FieldPrice(300),
    ("Query", "replay"): FieldPrice(200),
    ("Query", "similarPlayers"): FieldPrice(250),
    ("Query", "whatIf"): FieldPrice(200),
    ("Query", "whatIfHand"): FieldPrice(500),
    ("Query", "whatIfNot"): PREVIEW,
    ("Rating", "amongProvisional"): FieldPrice(5, 250),
    ("Rating", "rank"): FieldPrice(5, 250),
    ("RatingChange", "explanation"): FieldPrice(200, 150),
    ("Ruleset", "howToScore"): FieldPrice(5),
    ("SeriesEntry", "opponents"): FieldPrice(450, 250),
    ("SeriesEntry", "standing"): FieldPrice(70, 100),
    ("SeriesMonth", "encounters"): FieldPrice(450, 250),  # 4,950 encounters are made to read a page of them
    ("SeriesStanding", "explanation"): FieldPrice(150, 1_000),
    ("Statistics", "bestWin"): FieldPrice(20, 100),
    ("Statistics", "peakRating"): FieldPrice(20, 100),
    ("Statistics", "play"): FieldPrice(100, 500),
    ("Team", "reviewedPlay"): FieldPrice(60),
    ("Statistics", "worstLoss"): FieldPrice(20, 100),
    ("Table", "finishedHands"): FieldPrice(60),
    ("Team", "ratingSeries"): FieldPrice(15, 100),
    ("Team", "series"): FieldPrice(15, 100),
    **{(kind, name): AT_HAND for kind, names in LISTS_AT_HAND.items() for name in names},
    **{("Tournament", f"unconfirmed{of}"): FieldPrice(1) for of in ("Results", "Rounds")},
    ("Tournament", "scoreCard"): FieldPrice(60),  # ranks after nine rounds: 1 ms for 16 competitors
    ("Tournament", "provisionalStanding"): FieldPrice(5, 5),
    ("Tournament", "standing"): FieldPrice(5, 5),  # 0.3 ms for 16 competitors; computed once for all who ask
    # What belongs to a rank, a score or a table's number: all of it is read in less than a point's time.
    **{("TournamentPlace", name): FieldPrice(0) for name in _BESIDE_A_RANK},
    **{("TournamentTable", name): FieldPrice(0) for name in ("annulled", "byHand", "group", "thirdPlace")},
    **{("TournamentSide", name): FieldPrice(0) for name in ("claimedAbsent", "gamesWon", "matchScore", "won")},
    ("Query", "tournament"): LOADED,
    **{(of, "isOutdated"): FieldPrice(5, 10) for of in ("TournamentRound", "TournamentDraft")},  # 0.5 ms for 16
    ("TournamentRound", "proofOfCommitment"): FieldPrice(50),
    ("TournamentRound", "wouldChange"): FieldPrice(1_000),
    ("TournamentDraft", "wouldChange"): FieldPrice(1_000),
    # Rows that a worker has computed: 0.2 ms with its sentences.
    **{(of, "why"): FieldPrice(4, 20) for of in ("TournamentTable", "TournamentBye")},
    **{(of, "whyState"): LOADED for of in ("TournamentTable", "TournamentBye")},
    **{("TournamentMatch", name): LOADED for name in ("bestOf", "game")},
    ("WhatIf", "difference"): FieldPrice(5_000),  # as long as two thirds of a preview: nothing is scored again
}
"""Prices by type and field, for fields that cost more or less than others of their kind."""


def price_of(parent: str, name: str, field: GraphQLField) -> FieldPrice:
    """The price of a field of the schema."""
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
"""Limit on the rows of a page."""
DEFAULT = 20

MOST_POINTS = 1_000
"""Limit on the points of a rating series; a chart is rarely wider."""
MOST_AROUND = 50
"""Limit on the places on either side of a place on a board."""
DEEPEST = 18
MOST_ALIASES = 30
DEAREST = 20_000
"""Limit on the points of an operation, with every list as long as it may be."""
PLAIN_LIST = 4
"""Entries for which a list without pages counts; most have fewer."""
SEARCH = {
    "PLAYERS": 200,  # 2 to 8 ms among 5,000 players
    "TEAMS": 700,  # 6 to 20 ms among 20,000 pairs
    "SEASONS": 100,
    "MATCHES": 500,  # among 100,000 matches 2 ms for one word, 35 for several
}
"""Points of a search for each of its kinds, besides its fields."""
MUTATION = 100
"""Points of each mutation, besides its fields: most add events to the log, which keeps them for ever."""
IN_THE_PAST = 450
"""Points of a board or a rating at an earlier moment, besides its fields: the ledger is searched for its rows."""
PREVIEWED = 50
"""Limit on the rows of each list of a preview."""
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
    ("Ruleset", "howToScore"): 15,
    ("Team", "badges"): 12,
    ("TournamentPlace", "tieBreaks"): 3,
    ("TournamentSide", "competitorIds"): 1,
    ("TournamentSide", "players"): 1.5,  # one or two
    ("TournamentTable", "relaxed"): 1,
    ("TournamentTable", "games"): 1,
    ("TournamentTable", "sides"): 2,
    ("BracketTie", "sides"): 2,
    ("Side", "players"): 1,  # the sides of a match, four at most, have four players together
    ("Waiting", "toConfirm"): 10,
    ("__Schema", "types"): 120,  # some 300, of plain fields
    ("__Schema", "directives"): 6,
    # For all types together, since these lists are below `types`.
    ("__Type", "fields"): 4,
    ("__Type", "inputFields"): 1,
    ("__Type", "interfaces"): 1,
    ("__Type", "possibleTypes"): 1,
    ("__Type", "enumValues"): 1,
    ("__Field", "args"): 1,
    ("__Type", "ofType"): 0.5,  # of a list or a required value; the usual introspection asks for nine levels
}
"""Lengths of lists without pages that are longer or shorter than most; for `ofType`, how often it is not null."""


COST = say("points of query cost")
SIZES = ("first", "last", "points", "radius", "ids")
"""Arguments that say how many rows there may be."""
SIZED = say(
    " A size in a variable counts as the largest one, such as {most} rows of a page: write it into the document.",
    most=MOST,
)


class DocumentWeight(Struct, frozen=True):
    """The weight of a part of a document."""

    depth: int = 0
    aliases: int = 0
    each: int = 0
    """Points for each row of which the part is selected."""
    once: int = 0
    """Points that do not grow with the rows."""

    @property
    def cost(self) -> int:
        """All points together."""
        return self.each + self.once

    def beside(self, other: "DocumentWeight") -> "DocumentWeight":
        """The weight of both parts together."""
        aliases, each = self.aliases + other.aliases, self.each + other.each
        return DocumentWeight(max(self.depth, other.depth), aliases, each, self.once + other.once)


class DocumentLimits(ValidationRule):
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

    def weight(self, operation: OperationDefinitionNode) -> DocumentWeight:
        """The weight of an operation."""
        self._fragments: dict[str, DocumentWeight] = {}
        self._is_sized_by_variable = False
        return self._of(operation.selection_set, self.context.schema.get_root_type(operation.operation))

    def _of(self, selections: SelectionSetNode | None, parent: Any) -> DocumentWeight:
        total = DocumentWeight()
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

    def _fragment(self, name: str) -> DocumentWeight:
        if name not in self._fragments:
            # The weight of a fragment that contains itself; another rule refuses those.
            self._fragments[name] = DocumentWeight()
            fragment: FragmentDefinitionNode | None = self.context.get_fragment(name)
            if fragment is not None:
                on = self.context.schema.get_type(fragment.type_condition.name.value)
                self._fragments[name] = self._of(fragment.selection_set, on)
        return self._fragments[name]

    def _field(self, node: FieldNode, parent: Any) -> DocumentWeight:
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
        return DocumentWeight(inner.depth + 1, aliases, each, price.once + inner.once)

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
    """The kinds that a search may look for: all, unless the document names some."""
    for given in node.arguments or ():
        if given.name.value == "kinds":
            # A single kind may be given without brackets.
            values = given.value.values if isinstance(given.value, ListValueNode) else (given.value,)
            named = [value.value for value in values if isinstance(value, EnumValueNode)]
            return set(named) if len(named) == len(values) else SEARCH
    return SEARCH


def _number(node: FieldNode, defined: GraphQLField, name: str, most: int) -> int:
    """The number in an argument, or its default value."""
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
