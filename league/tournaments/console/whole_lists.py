"""Lists that pages show whole: the API gives at most 100 rows of a list at once, so the page asks again for more."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from league.console.asking import Ask, Completes, Visitor, document_in

FOLDER = Path(__file__).parent
Again = Callable[[Mapping[str, str]], Awaitable[dict[str, Any]]]
"""Asks a document again, with a cursor."""


def whole(document: str, *lists: str, of: str = "tournament") -> Completes:
    """Completes the lists of a page, each named by its path from the tournament, such as `round.tables`.

    `document` is the file of a query with these lists. A cursor's variable is named after its list: `$tablesAfter`.
    `of`: the field of the query from which the paths start.
    """

    async def complete(ask: Ask, asked: Mapping[str, Any], data: dict[str, Any], _visitor: Visitor) -> None:
        def again(cursor: Mapping[str, str]) -> Awaitable[dict[str, Any]]:
            return ask(document_in(FOLDER / document), {**asked, **cursor})

        if data[of] is not None:
            for path in lists:
                await _complete(again, data, f"{of}.{path}")
            flatten(data[of])

    return complete


async def _complete(again: Again, data: dict[str, Any], path: str) -> None:
    listed = _at(data, path)
    while listed is not None and listed["pageInfo"]["hasNextPage"]:
        more = await again({f"{path.rpartition('.')[2]}After": listed["pageInfo"]["endCursor"]})
        found = _at(more, path)
        if found is None:  # it is gone meanwhile, as a draft that was published
            return
        listed["nodes"] += found["nodes"]
        listed["pageInfo"] = found["pageInfo"]


def _at(data: dict[str, Any], path: str) -> Any:
    found: Any = data
    for name in path.split("."):
        found = None if found is None else found.get(name)
    return found


def flatten(data: dict[str, Any]) -> None:
    """Replace each connection within `data` by the list of its nodes. Templates see lists."""
    for name, value in data.items():
        data[name] = _flat(value)


def _flat(value: Any) -> Any:
    if isinstance(value, dict):
        if "nodes" in value:
            return [_flat(one) for one in value["nodes"]]
        flatten(value)
    elif isinstance(value, list):
        return [_flat(one) for one in value]
    return value
