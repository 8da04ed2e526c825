"""Bounds on what a request carries, counted before graphql-core sees it.

graphql-core validates documents and coerces variables on the event loop, in a time that grows with the square of
repeated fields and of unknown keys, and goes on after the client has left. What is counted here takes a time in
proportion to its size.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from graphql import (
    ArgumentNode,
    DocumentNode,
    FieldNode,
    FloatValueNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLInputType,
    IntValueNode,
    ListValueNode,
    Node,
    ObjectFieldNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    ValueNode,
    ValuesOfCorrectTypeRule,
    VariableDefinitionNode,
    VisitorAction,
)
from graphql.language import SKIP
from graphql.utilities import validate_input_literal

from league.api.graphql.leaf_types import UnfitValue
from league.api.graphql.request_errors import NumberTooLong, TooComplex
from league.domain.sentences import say

MOST_BYTES = 32 * 1024
"""Limit on a document, in UTF-8. The usual introspection query has 2 KB."""
MOST_TOKENS = 2_000
"""Limit on the tokens of a document: words, brackets, texts."""
MOST_VALUES = 5_000
"""Limit on all variables together; a hand turn by turn has about 200."""
MOST_KEYS = 100
"""Limit on keys per object, in variables or in the document. Our largest input has 12."""
MOST_DIGITS = 100
"""Limit on the digits of a number. Python reads at most 4,300."""
MOST_FIELDS = 200
"""Limit on fields in one place of the answer, fragments included. Fields of one name count as often as written."""
MOST_PAIRS = 5_000
"""Limit on pairs of fields to compare. Validation compares every two fields of one name in one place, and every two
fragments, at 14 microseconds a pair: with 200 fields in each of three places a document of 4 KB would still take a
second."""
MOST_VISITED = 5_000
"""Limit on fields of one operation. A fragment counts wherever it is used: fragments that use each other twice would
otherwise grow with a power of two."""

_TOKEN_OR_COMMENT = re.compile(
    r'"""(?:\\"""|[\s\S])*?"""'  # a block of text
    r'|"(?:\\.|[^"\\\n\r])*"'  # a text
    r"|#[^\n\r]*"
    r"|[A-Za-z_][A-Za-z_0-9]*|-?[0-9][0-9.eE+-]*|\.\.\.|[!$&():=@\[\]{|}]"
)


def check_text(document: str) -> None:
    """Raise TooComplex for a document of too many bytes or tokens."""
    # Half a character, which JSON can hold, has no UTF-8.
    _check(say("bytes of document"), len(document.encode(errors="surrogatepass")), MOST_BYTES)
    _check(say("tokens"), count_tokens(document), MOST_TOKENS)


def count_tokens(document: str) -> int:
    """How many tokens graphql-core would read."""
    return sum(1 for token in _TOKEN_OR_COMMENT.finditer(document) if token[0][0] != "#")


def read_int(digits: str) -> int | float:
    """A whole number of JSON; infinite if it has too many digits, so that `check_variables` can tell where it is."""
    return int(digits) if len(digits) <= MOST_DIGITS else math.inf


def check_variables(variables: Mapping[str, Any]) -> None:
    """Raise TooComplex for too many values or too many keys in one object, NumberTooLong for a number."""
    values = 0
    level: list[Any] = [variables]
    while level:
        for one in level:
            if isinstance(one, dict):
                _check(say("keys in one object of the variables"), len(one), MOST_KEYS)
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        values += len(level)
    _check(say("values in the variables"), values, MOST_VALUES)
    _check_numbers(variables)


def _check_numbers(variables: Mapping[str, Any]) -> None:
    waiting: list[tuple[str, Any]] = [(f"${name}", value) for name, value in variables.items()]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [(f"{name}.{key}", inner) for key, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{name}.{index}", inner) for index, inner in enumerate(value)]
        elif isinstance(value, float) and not math.isfinite(value):
            raise NumberTooLong(name, MOST_DIGITS)


Place = list[tuple[SelectionSetNode, frozenset[str]]]
"""Selections that are merged in one place of the answer, each with the fragments that it lies in."""
Fields = list[tuple[FieldNode | FragmentSpreadNode, frozenset[str]]]
"""Fields with the fragments that they lie in."""


def check_selections(document: DocumentNode) -> None:
    """Raise TooComplex for too many keys in an object or too many fields to validate, NumberTooLong for a number."""
    _check_literals(document)
    fragments = fragments_of(document)
    operations = [part for part in document.definitions if isinstance(part, OperationDefinitionNode)]
    pairs = visited = 0
    places: list[Place] = [[(operation.selection_set, frozenset())] for operation in operations]
    # Validation reads fragments that no operation uses, too.
    places += [[(part.selection_set, frozenset([name]))] for name, part in fragments.items()]
    while places:
        found = _fields_of(places.pop(), fragments)
        count = sum(len(fields) for fields in found.values())
        _check(say("fields in one selection with its fragments"), count, MOST_FIELDS)
        visited += count
        _check(say("fields with those of fragments"), visited, MOST_VISITED)
        pairs += sum(len(fields) * (len(fields) - 1) // 2 for fields in found.values())
        _check(say("pairs of fields to compare"), pairs, MOST_PAIRS)
        places += filter(None, map(_inner, found.values()))


def fragments_of(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    """The fragments of a document, by name."""
    return {part.name.value: part for part in document.definitions if isinstance(part, FragmentDefinitionNode)}


def _check_literals(document: DocumentNode) -> None:
    waiting: list[tuple[str, Node]] = [("", document)]
    """Each with the name of the argument that it is in."""
    while waiting:
        argument, node = waiting.pop()
        if isinstance(node, ArgumentNode):
            argument = node.name.value
        elif isinstance(node, ObjectFieldNode):
            argument = f"{argument}.{node.name.value}"
        elif isinstance(node, VariableDefinitionNode):
            argument = f"${node.variable.name.value}"
        elif isinstance(node, ObjectValueNode):
            _check(say("keys in one object of the document"), len(node.fields), MOST_KEYS)
        elif isinstance(node, IntValueNode | FloatValueNode) and _is_too_long(node.value):
            raise NumberTooLong(argument, MOST_DIGITS, node)
        for key in node.keys:
            part = getattr(node, key)
            parts = part if isinstance(part, tuple | list) else (part,)
            waiting += [(argument, one) for one in parts if isinstance(one, Node)]


def _is_too_long(number: str) -> bool:
    return len(number) > MOST_DIGITS or math.isinf(float(number))


def _fields_of(place: Place, fragments: Mapping[str, FragmentDefinitionNode]) -> dict[str, Fields]:
    """The fields of a place by their name in the answer, and under `...` the fragments that are spread there."""
    found: dict[str, Fields] = {}
    waiting, entered = list(place), set[str]()
    while waiting:
        selections, within = waiting.pop()
        for part in selections.selections:
            if isinstance(part, FieldNode):
                found.setdefault((part.alias or part.name).value, []).append((part, within))
            elif isinstance(part, FragmentSpreadNode):
                found.setdefault("...", []).append((part, within))
                name = part.name.value
                # A fragment that contains itself is refused by validation.
                if name in fragments and name not in entered and name not in within:
                    entered.add(name)
                    waiting.append((fragments[name].selection_set, within | {name}))
            else:
                waiting.append((part.selection_set, within))  # type: ignore[attr-defined]  # an inline fragment
    return found


def _inner(fields: Fields) -> Place:
    return [
        (field.selection_set, within)
        for field, within in fields
        if isinstance(field, FieldNode) and field.selection_set is not None
    ]


def _check(what: str, has: int, most: int) -> None:
    if has > most:
        raise TooComplex(what, has, most)


class FittingLiterals(ValuesOfCorrectTypeRule):
    """GraphQL's rule, whose errors have no place where one of our scalars refuses a literal."""

    _argument = ""
    """The argument being visited, or the variable with a `$`."""

    def enter_argument(self, node: ArgumentNode, *_others: Any) -> None:
        """Note the name of an argument, also of a directive."""
        self._argument = node.name.value

    def enter_variable_definition(self, node: VariableDefinitionNode, *_others: Any) -> None:
        """Note the variable whose default follows."""
        self._argument = f"${node.variable.name.value}"

    def is_valid_value_node(self, node: ValueNode, input_type: GraphQLInputType | None) -> VisitorAction:
        """Report what is wrong with the literal of an argument, as a whole."""

        def report(error: GraphQLError, path: list[str | int]) -> None:
            if error.nodes:
                self.report_error(error)
                return
            argument = ".".join([self._argument, *map(str, path)])
            reason = error.sentence if isinstance(error, UnfitValue) else error.message
            message = say("`{argument}`: {reason}", argument=argument, reason=reason)
            self.report_error(GraphQLError(message, _within(node, path), extensions={"argument": argument}))

        if input_type:
            validate_input_literal(node, input_type, report, None, None, self.context.hide_suggestions)
        return SKIP


def _within(node: ValueNode, path: list[str | int]) -> ValueNode:
    """The literal at a path of a literal; the last one on the way if the path goes on, as a list of one item has it."""
    for step in path:
        if isinstance(node, ObjectValueNode):
            node = next(field.value for field in node.fields if field.name.value == step)
        elif isinstance(node, ListValueNode) and isinstance(step, int):
            node = node.values[step]
    return node
