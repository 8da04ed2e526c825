"""Random valid documents over a schema: aliases, merged fields, fragments, directives, `__typename`."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from graphql import GraphQLField, GraphQLSchema, get_named_type, is_abstract_type, is_leaf_type, is_required_argument

Arguments = Mapping[str, str]
"""The text of the arguments of a field, by `Type.field`; other fields are asked without arguments, if they may be."""

DIRECTIVES = ("", "", "", "", " @include(if: $yes)", " @skip(if: $no)", " @include(if: $no)", " @skip(if: true)")
MOST_FIELDS = 5


def random_document(random: Random, schema: GraphQLSchema, arguments: Arguments, depth: int) -> str:
    """A query whose fields lie at most `depth` levels deep."""
    writer = _Writer(random, schema, arguments)
    query = f"query ($yes: Boolean! = true, $no: Boolean! = false) {{ {writer.selections(schema.query_type, depth)} }}"
    used = "__typename @include(if: $yes) @skip(if: $no)"
    return query.replace("{ ", f"{{ {used} ", 1) + " ".join(writer.fragments)


class _Writer:
    def __init__(self, random: Random, schema: GraphQLSchema, arguments: Arguments) -> None:
        self._random, self._schema, self._arguments = random, schema, arguments
        self.fragments: list[str] = []
        self._aliases = 0

    def selections(self, kind: Any, depth: int, *, alone: bool = True) -> str:
        """What is selected of a type. Not `alone`: beside other types, whose fields may have the same names."""
        if is_abstract_type(kind):
            possible = sorted(self._schema.get_possible_types(kind), key=lambda one: one.name)
            chosen = self._random.sample(possible, self._random.randint(1, len(possible)))
            return " ".join(f"... on {one.name} {{ {self.selections(one, depth, alone=False)} }}" for one in chosen)
        names = [name for name, field in kind.fields.items() if self._may_ask(kind, name, field, depth)]
        chosen = [self._random.choice(names) for _ in range(self._random.randint(0, MOST_FIELDS))] if names else []
        parts = [self._field(kind, name, depth, alone) for name in chosen]
        parts += [f"{self._alias()}__typename"] * (not parts or self._random.random() < 0.3)
        half = len(parts) // 2
        match self._random.randrange(4):
            case 0:
                parts[half:] = [f"... on {kind.name}{self._directive()} {{ {' '.join(parts[half:])} }}"]
            case 1:
                name = f"F{len(self.fragments)}"
                self.fragments.append(f" fragment {name} on {kind.name} {{ {' '.join(parts[half:])} }}")
                parts[half:] = [f"...{name}{self._directive()}"]
        return " ".join(parts)

    def _field(self, kind: Any, name: str, depth: int, alone: bool) -> str:
        field = kind.fields[name]
        inner = get_named_type(field.type)
        # Fields of one name are merged: also what is selected of them.
        alias = "" if alone and self._random.random() < 0.7 else self._alias()
        asked = f"{alias}{name}{self._arguments.get(f'{kind.name}.{name}', '')}{self._directive()}"
        return asked if is_leaf_type(inner) else f"{asked} {{ {self.selections(inner, depth - 1)} }}"

    def _may_ask(self, kind: Any, name: str, field: GraphQLField, depth: int) -> bool:
        is_known = not any(map(is_required_argument, field.args.values())) or f"{kind.name}.{name}" in self._arguments
        return is_known and (depth > 1 or is_leaf_type(get_named_type(field.type)))

    def _alias(self) -> str:
        self._aliases += 1
        return f"a{self._aliases}: "

    def _directive(self) -> str:
        return self._random.choice(DIRECTIVES)
