"""Which literals of a document do not fit, with the argument that they are in."""

from typing import Any

from graphql import (
    ArgumentNode,
    GraphQLError,
    GraphQLInputType,
    ListValueNode,
    ObjectValueNode,
    ValueNode,
    ValuesOfCorrectTypeRule,
    VariableDefinitionNode,
    VisitorAction,
)
from graphql.language import SKIP
from graphql.utilities import validate_input_literal

from league.wording.language import _


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
            message = _("`{argument}`: {reason}", argument=argument, reason=error.message)
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
