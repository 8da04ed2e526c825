"""Names for the ids in what the API refuses. Commands know ids; people know a player by name, a match by who plays it.

A refusal quotes an id as `'p017'`. What it quotes and no node has, such as the name of a ruleset, stays as it is.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from league.api.graphql.shaping.relay import global_id
from league.domain.sentences import say
from league.wording.language import spoken
from league.wording.matches import joined
from league.wording.numbers import day_of_week

QUOTED = re.compile(r"'([^'\\\s]{1,200})'")
MOST = 12
"""Limit on the ids for which one answer is searched."""
DOCUMENT = """query NamesOfIds($ids: [ID!]!) {
  league { timeZone }
  nodes(ids: $ids) {
    __typename
    id
    ... on Player { displayName }
    ... on Team { displayName }
    ... on Season { name }
    ... on Match { beganAt sides { players { displayName } } }
  }
}"""
KINDS = ("Player", "Team", "Season", "Match")

Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


def refusals_in(answer: Any) -> Iterator[dict[str, Any]]:
    """Every object of an answer that has a message, however deep."""
    if isinstance(answer, dict):
        if isinstance(answer.get("message"), str):
            yield answer
        for value in answer.values():
            yield from refusals_in(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from refusals_in(value)


async def name_ids(answer: Mapping[str, Any], ask: Ask) -> None:
    """Put names in place of the ids in the messages of an answer."""
    refusals = list(refusals_in(answer))
    ids = list(dict.fromkeys(id_ for one in refusals for id_ in QUOTED.findall(one["message"])))[:MOST]
    if not ids:
        return
    asked = {global_id(kind, id_): id_ for id_ in ids for kind in KINDS}
    data = await ask(DOCUMENT, {"ids": list(asked)})
    zone = ZoneInfo(data["league"]["timeZone"]) if data["league"] else None
    names = {asked[node["id"]]: _name(node, zone) for node in data["nodes"] if node is not None and node["id"] in asked}
    for one in refusals:
        one["message"] = QUOTED.sub(lambda found: names.get(found[1], found[0]), one["message"])


def _name(node: Mapping[str, Any], zone: ZoneInfo | None) -> str:
    match node["__typename"]:
        case "Match":
            first, *others = (joined(one["displayName"] for one in side["players"]) for side in node["sides"])
            against = {
                "side": first,
                "others": joined(others),
                "day": day_of_week(datetime.fromisoformat(node["beganAt"]), zone),
            }
            return spoken(say("“{side} against {others}, {day}”", **against))
        case "Season":
            return f"“{node['name']}”"
    return str(node["displayName"])
