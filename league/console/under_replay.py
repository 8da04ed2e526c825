"""Pages of the league as it would be under a replay: `?replay=N` in their addresses.

Such a page executes its document with `@readFrom(run:)`, which decides who may read the run.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode

from graphql import OperationDefinitionNode, parse
from starlette.requests import Request

from league.console.addresses import as_number
from league.console.asking import NoPage
from league.domain.sentences import say

REPLAY = "replay"
"""The parameter of an address that has the number of a replay."""

READ = """
query ReplayToRead($number: Int!) {
  league { name timeZone position }
  replay(number: $number) {
    number state title isShown knownAt requestedAt
    run { number position isOfficial }
  }
}
"""
"""Asks for the replay in the address. It is null for a visitor who may not read it."""

Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Executes a document with variables for a visitor. Raises NoPage."""


async def replay_to_read(ask: Ask, request: Request) -> Mapping[str, Any] | None:
    """The replay that the address names, with `league`; None if it names none.

    Raises NoPage, with the replays that are there, if it is not there or has no run, or the visitor may not read it.
    """
    written = request.query_params.get(REPLAY)
    if not written:
        return None
    try:
        number = as_number(written)
    except NoPage:
        raise no_replay(written) from None
    data = await ask(READ, {"number": number})
    replay = data["replay"]
    if replay is None or replay["run"] is None:
        raise no_replay(number, None if replay is None else replay["state"])
    return {**replay, "league": data["league"]}


def is_candidate(replay: Mapping[str, Any] | None) -> bool:
    """Whether a page shows the run of this replay, not the official one."""
    return replay is not None and not replay["run"]["isOfficial"]


def under(
    replay: Mapping[str, Any] | None, document: str, variables: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]]:
    """A page's document and its variables, which name the run of a candidate."""
    if replay is None or not is_candidate(replay):
        return document, variables
    return reading_a_run(document), {**variables, "run": replay["run"]["number"]}


@cache
def reading_a_run(document: str) -> str:
    """A query that reads the run `$run` in all of its fields."""
    [operation] = [one for one in parse(document).definitions if isinstance(one, OperationDefinitionNode)]
    assert operation.name is not None, "the queries of pages have names"
    assert operation.name.loc is not None
    assert operation.selection_set.loc is not None
    variables, fields = operation.variable_definitions or (), operation.selection_set.loc.start
    if variables:
        assert variables[-1].loc is not None
        end = variables[-1].loc.end
        declared = f"{document[:end]}, $run: Int!{document[end:fields]}"
    else:
        end = operation.name.loc.end
        declared = f"{document[:end]}($run: Int!){document[end:fields]}"
    return f"{declared}@readFrom(run: $run) {document[fields:]}"


def asking(path: str, query: Mapping[str, Any]) -> str:
    """A path with the query of its address."""
    return f"{path}?{urlencode(query)}" if query else path


_THERE = "query ReplaysThatAreThere { replays(first: 50) { nodes { number title run { number } } } }"


def no_replay(number: int | str, state: str | None = None) -> NoPage:
    """The refusal of a page about a replay, with links to those that are there.

    `number`: as the address has it. `state`: the state of the replay as the API names it; None if the visitor can read
    no such replay.
    """
    if state == "DROPPED":
        message = say("Replay {number} was dropped, so nothing of it can be read any more.", number=number)
    elif state is None:
        message = say("There is no replay {number}.", number=number)
    else:
        message = say("Replay {number} has no figures: it is not folded, or not any more.", number=number)
    refusal = NoPage(404, message)
    refusal.there = _THERE
    return refusal
