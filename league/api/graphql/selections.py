"""What an operation selects of a type in one place, and how its plain fields are answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from graphql import GraphQLObjectType, GraphQLSchema, OperationDefinitionNode
from graphql.execution.collect_fields import CollectedFields, FieldDetails
from msgspec import Struct

from league.api.graphql.completing_code import Function, Get, Make, Write, WriteGet, an_object
from league.api.graphql.documents import KEPT
from league.api.graphql.kept_by_size import KeptBySize
from league.api.graphql.loaded_fields import Load
from league.api.graphql.reader import Reader

Fields = dict[str, list[FieldDetails]]
"""The fields of a selection by their names in the answer; more than one node where they are merged."""


class Step(Struct):
    """A field of a selection."""

    name: str
    """In the answer."""
    nodes: list[FieldDetails]
    get: Get | None = None
    """Reads it of an object; None for one that is loaded, and for one that graphql-core resolves."""
    write_get: WriteGet | None = None
    """The code that reads it; None: graphql-core resolves it."""
    write: Write | None = None
    """The code that completes it; None: graphql-core does."""
    load: Load | None = None
    inner: Selection | None = None
    """What is selected of the value."""


class Selection:
    """What a document selects of a type in one place."""

    def __init__(self, kind: GraphQLObjectType, steps: list[Step]) -> None:
        self.steps = steps
        self.loading: list[Step] = [step for step in steps if step.load or (step.inner and step.inner.loading)]
        """The fields that are loaded, or have such fields below."""
        plain = [(step, step.write_get, step.write) for step in steps]
        self.fields = [(step.name, get, write) for step, get, write in plain if get is not None and write is not None]
        """The plain fields: their names in the answer, and their code."""
        self.is_plain = len(self.fields) == len(steps)
        """Whether all of it is, to the leaves."""
        self._kind = kind
        self._whole: Make | None = None
        self._parts: list[Make] | None = None

    @property
    def write(self) -> Write:
        """The code that completes an object of which only plain fields are selected."""
        return an_object(self._kind, self.fields)

    @property
    def whole(self) -> Make:
        """The function that completes such an object."""
        if self._whole is None:
            function = Function()
            self._whole = function.made_of(self.write(function, "o"))
        return self._whole

    @property
    def parts(self) -> list[Make]:
        """Functions that answer the plain fields of an object, each some of them: one that fails is left out."""
        if self._parts is None:
            by_themselves = {step.name for step in self.loading}  # what is not loaded yet must not stop others
            together = [field for field in self.fields if field[0] not in by_themselves]
            apart = [[field] for field in self.fields if field[0] in by_themselves]
            self._parts = [_answering(fields) for fields in (together, *apart) if fields]
        return self._parts

    def missing(self, reader: Reader, rows: Iterable[Any]) -> dict[Load, dict[Any, None]]:
        """What rows need and the reader does not have, as far as is known before anything is loaded."""
        missing: dict[Load, dict[Any, None]] = {}
        waiting = [(self, rows)]
        while waiting:
            of, objects = waiting.pop()
            present = [one for one in objects if one is not None]
            for step in of.loading:
                below: list[Any] = []
                if step.load is None:
                    assert step.get is not None
                    below = [step.get(one) for one in present]
                else:
                    known = reader.known(step.load.ask)
                    keys = [key for one in present if (key := step.load.key(one)) is not None]
                    if unknown := [key for key in keys if key not in known]:
                        missing.setdefault(step.load, {}).update(dict.fromkeys(unknown))
                    elif step.inner is not None and step.inner.loading:
                        get = getter_of_loaded(reader, step.load)
                        below = [get(one) for one in present]
                if step.inner is not None and below:
                    waiting.append((step.inner, _flat(below)))
        return missing


def _answering(fields: list[tuple[str, WriteGet, Write]]) -> Make:
    function = Function()
    parts = (f"{name!r}: {write(function, get(function, 'o'))}" for name, get, write in fields)
    return function.made_of(f"{{{', '.join(parts)}}}")


def _flat(values: Iterable[Any]) -> list[Any]:
    return [one for value in values for one in (value if isinstance(value, list) else (value,))]


def getter_of_loaded(reader: Reader, load: Load) -> Get:
    """How an operation reads a loaded field. Raises KeyError for what its reader has not loaded."""
    known, made = reader.known(load.ask), dict[Any, Any]()

    def get(one: Any) -> Any:
        key = load.key(one)
        if key is None:
            return None
        if key not in made:
            found = known[key]
            made[key] = None if found is None else load.make(found)
        return made[key]

    return get


class Selections:
    """The selections of an operation that were found so far."""

    def __init__(self, *, compiles: bool) -> None:
        self.compiles = compiles
        """Whether plain fields are answered by compiled code. To compile costs more than one answer gains by it."""
        self.size = 0
        """How many fields they have."""
        self.subfields: dict[tuple[object, ...], CollectedFields] = {}
        """By type, and by the places in the document of the fields whose subfields they are."""
        self.of_fields: dict[int, tuple[Fields, Selection]] = {}
        """By the id of the fields. These are kept, so that no others get their id."""

    def add(self, fields: Fields, selection: Selection) -> None:
        """Remember what was found."""
        self.of_fields[id(fields)] = (fields, selection)
        self.size += len(fields)


def selections_of(schema: GraphQLSchema, operation: OperationDefinitionNode) -> Selections:
    """The selections of an operation. They are compiled when it comes for the second time, and then kept.

    Where variables may decide what is selected they are found anew each time.
    """
    assert operation.loc is not None, "documents are parsed with places"
    text = operation.loc.source.body
    key = (schema, text, operation.loc.start)
    kept = _KEPT.get(key)
    if kept is not None:
        return kept
    if _CAME.get(hash(key)) is None:
        _CAME.add(hash(key), True)
        return Selections(compiles=False)
    found = Selections(compiles=True)
    if "@" not in text:
        _KEPT.add(key, found)
    return found


MOST_FIELDS = 50_000
"""Of all selections that are kept. A field takes some kilobytes at most."""
_KEPT = KeptBySize[tuple[GraphQLSchema, str, int], Selections](KEPT, MOST_FIELDS, lambda found: found.size)
_CAME = KeptBySize[int, bool](4 * KEPT, 4 * KEPT, lambda _: 1)
"""Hashes of the operations that came before."""
