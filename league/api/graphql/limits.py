"""How much one document may request, counted before execution."""

from collections.abc import Sequence
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
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

from league.api.graphql.relay import DEFAULT, MOST

MOST_POINTS = 1_000
"""Of a rating series; a chart is rarely wider."""
DEEPEST = 18
MOST_ALIASES = 30
DEAREST = 50_000
"""The most fields that an answer may have, if every list is as long as it can be."""
PLAIN_LIST = 4
"""The assumed length of a list without pages; most have fewer entries."""
EXPLAINED = ("RatingChange", "Hand", "Match", "SeriesStanding", "EarnedBadge", "BoardPlace")
HEAVY = {
    ("Edition", "document"): 50,
    ("Match", "proof"): 1_000,
    ("Explanation", "against"): 200,
    ("ExplanationBasis", "match"): 50,  # a standing may have hundreds
    ("ExplanationBasis", "explanation"): 20,  # many terms are based on the same hands
    **{(name, "explanation"): 100 for name in EXPLAINED},
}
"""Fields that are expensive by themselves."""
LONGER = {("Explanation", "terms"): 8}
"""Lists without pages that are longer than most."""
MOST_TOKENS = 2_000
"""The most tokens of a document: words and brackets; a text counts as one."""


class Weight(Struct, frozen=True):
    """The weight of a part of a document."""

    depth: int = 0
    aliases: int = 0
    cost: int = 0

    def beside(self, other: "Weight") -> "Weight":
        """Both together."""
        return Weight(max(self.depth, other.depth), self.aliases + other.aliases, self.cost + other.cost)


class Limits(ValidationRule):
    """Refuses documents that are too deep, have too many aliases or cost too much.

    Each fragment is weighed once; otherwise fragments that double each other would take time that doubles with each
    line.
    """

    def enter_operation_definition(self, node: OperationDefinitionNode, *_: Any) -> None:
        """Weigh an operation."""
        root = self.context.schema.get_root_type(node.operation)
        self._fragments: dict[str, Weight] = {}
        weight = self._of(node.selection_set, root)
        for what, has, most in (
            ("levels", weight.depth, DEEPEST),
            ("aliases", weight.aliases, MOST_ALIASES),
            ("fields at most, lists counted", weight.cost, DEAREST),
        ):
            if has > most:
                extensions = {"code": "TOO_COMPLEX", "has": min(has, 2**53), "most": most}
                shown = has if has < DEAREST**2 else "far too many"
                message = f"The operation has {shown} {what}; {most} are allowed."
                self.report_error(GraphQLError(message, node, extensions=extensions))

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
        name = (getattr(parent, "name", ""), node.name.value)
        times = 1 if defined is None else LONGER.get(name) or _times(node, defined)
        own = HEAVY.get(name, 1)
        return Weight(inner.depth + 1, inner.aliases + (node.alias is not None), own + inner.cost * times)

    def _meta(self, name: str) -> Any:
        """The types behind `__schema` and `__type`, which no type defines as its fields."""
        return self.context.schema.get_type({"__schema": "__Schema", "__type": "__Type"}.get(name, ""))


def _times(node: FieldNode, defined: GraphQLField) -> int:
    """How often the selection of a field may occur."""
    if "first" in defined.args:
        # The rows are below both `edges` and `nodes`, so the page counts here and the two lists count once;
        # the same holds for the `points` of a series.
        sizes = [argument.value for argument in node.arguments or () if argument.name.value in ("first", "last")]
        return max((_size(size, MOST) for size in sizes), default=DEFAULT)
    if "points" in defined.args:
        wanted = [argument.value for argument in node.arguments or () if argument.name.value == "points"]
        return max((_size(size, MOST_POINTS) for size in wanted), default=defined.args["points"].default_value)
    if "ids" in defined.args:
        given = [argument.value for argument in node.arguments or () if argument.name.value == "ids"]
        return max((_count(ids) for ids in given), default=MOST)
    kind = defined.type.of_type if isinstance(defined.type, GraphQLNonNull) else defined.type
    paged = node.name.value in ("edges", "nodes", "points")
    return PLAIN_LIST if isinstance(kind, GraphQLList) and not paged else 1


def _count(value: Any) -> int:
    # A single id may be given without brackets, and a variable may have as many as are allowed.
    if isinstance(value, VariableNode):
        return MOST
    return len(value.values) if isinstance(value, ListValueNode) else 1


def _size(value: Any, most: int) -> int:
    # A variable may have any allowed value.
    return min(int(value.value), most) if isinstance(value, IntValueNode) else most


RULES: Sequence[type[ValidationRule]] = (Limits,)
