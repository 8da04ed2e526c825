"""The lists of a difference as CSV files: the rows of `league difference`, filtered like the lists of the API."""

from collections.abc import Iterator, Mapping
from enum import Enum
from tempfile import SpooledTemporaryFile
from typing import Any, TextIO, cast

from league.api.graphql.executing.context import Context
from league.api.graphql.leaf_types import BoardKind, MatchMode, RatedSubject, RatingMode, SeriesMode
from league.api.replays.difference import PlaceOrder, runs_held
from league.api.replays.run_difference import BadgeFate
from league.domain.refusals import InvalidInput
from league.domain.sentences import say
from league.projections.difference.places import board_of
from league.projections.difference.results import began_in
from league.projections.difference.two_runs import TwoRuns
from league.projections.queries.snapshot import Snapshot
from league.transfer.export import PartOfList, columns_of_difference, rows_of_difference, write_csv

POINTS = 500
"""Points of a file: as many as an upload takes."""
IN_MEMORY = 1024 * 1024
"""Bytes of a file above which it is on the disk until it is sent."""
CHUNK = 64 * 1024

WORDS: Mapping[str, Mapping[str, type[Enum]]] = {
    "moves": {"mode": RatingMode, "subject": RatedSubject},
    "places": {"board": BoardKind, "mode": SeriesMode},
    "standings": {"mode": SeriesMode},
    "encounters": {"mode": SeriesMode},
    "badges": {"fate": BadgeFate},
    "results": {"mode": MatchMode},
    "hands": {"mode": MatchMode},
    "divergences": {"mode": RatingMode, "subject": RatedSubject},
    "changes": {"mode": RatingMode, "subject": RatedSubject},
    "seasons": {},
    "months": {},
}
"""The filters of each list that are words, as the API names them."""
_TEXTS = {"moves": ("once",), "changes": ("of",), "standings": ("month",), "encounters": ("month",)}
"""Other filters of a list, which its query takes as they are; what is more is read in `conditions_of`."""


async def difference_file(
    context: Context, run: int, against: int | None, what: str, asked: Mapping[str, str]
) -> Iterator[bytes] | None:
    """The whole filtered list as the bytes of a CSV file; None if a run was removed.

    `asked`: the filters by the names of the API's arguments, empty texts for none. Raises InvalidInput, NotFound.
    """
    if context.client is not None:
        context.rate_limits.spend(context.client, POINTS)

    def written(snapshot: Snapshot) -> TextIO | None:
        two = runs_held(snapshot, run, against)
        return None if two is None else _written(snapshot, two, what, asked)

    try:
        file = await context.reader.read(written)
    finally:
        await context.reader.close()
    return None if file is None else _bytes_of(file)


def _written(snapshot: Snapshot, two: TwoRuns, what: str, asked: Mapping[str, str]) -> TextIO:
    order = PlaceOrder.LARGEST_VALUE_FIRST.value if what == "places" else None
    part = PartOfList(asked.get("player") or None, conditions=conditions_of(snapshot, what, asked), order=order)
    spooled = SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8", newline="")  # noqa: SIM115  # closed when it is sent
    file = cast(TextIO, spooled)  # it has all that a text file has, which its type does not say
    write_csv(rows_of_difference(snapshot.conn, two, what, part), file, columns_of_difference(what))
    file.seek(0)
    return file


def _bytes_of(file: TextIO) -> Iterator[bytes]:
    with file:
        while text := file.read(CHUNK):
            yield text.encode()


def conditions_of(snapshot: Snapshot, what: str, asked: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of a list's query. Raises InvalidInput, NotFound."""
    words = {name: _word(name, kind, asked[name]) for name, kind in WORDS[what].items() if asked.get(name)}
    texts = {name: asked[name] for name in ("region", "month", "season", "of", "once") if asked.get(name)}
    match what:
        case "places":
            board, mode = words.get("board", "global"), words.get("mode", "1v1")
            return {"boards": [board_of(snapshot, board, texts.get("region"), texts.get("month"), mode)]}
        case "results" | "hands":
            began = began_in(snapshot, texts.get("season"), texts.get("month"))
            more: dict[str, Any] = {} if began is None else {"began": began}
        case "badges":
            return {"what": words["fate"]} if words else {}
        case _:
            more = {name: texts[name] for name in _TEXTS.get(what, ()) if name in texts}
    return {**words, **more}


def _word(name: str, kind: type[Enum], written: str) -> Any:
    """The word of the domain that the API names so. Raises InvalidInput."""
    if written not in kind.__members__:
        raise InvalidInput(
            name, say("{written} is none of {names}", written=written, names=", ".join(kind.__members__))
        )
    return kind[written].value
