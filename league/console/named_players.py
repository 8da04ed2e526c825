"""The players whom people name in a form: by a whole name, whatever its case and accents, or by an id."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from league.console.asking import document_in
from league.domain.player_names import name_key
from league.wording.language import _

DOCUMENT = Path(__file__).parent / "named_players.graphql"
LONGEST = 100
"""Characters of a name."""

Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


async def ids_of_named(ask: Ask, texts: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """The ids of the players named in some controls, and by control why a text names none; empty texts are left out."""
    ids: dict[str, str] = {}
    errors: dict[str, str] = {}
    for control, text in texts.items():
        who = text.strip()
        if not who:
            continue
        if len(who) > LONGEST:
            errors[control] = _("A name has at most {most} characters.", most=LONGEST)
            continue
        data = await ask(document_in(DOCUMENT), {"text": who})
        found = [one for one in data["search"]["nodes"] if one["__typename"] == "Player"]
        called = [one for one in found if one["playerId"] == who] or [
            one for one in found if name_key(one["displayName"]) == name_key(who)
        ]
        if len(called) == 1:
            ids[control] = called[0]["playerId"]
        elif called:
            errors[control] = _("Several players are called so. Write the id: {players}.", players=_ids_of(called))
        elif close := data["similarPlayers"] or found[:3]:
            errors[control] = _("No player has this name. Close names: {players}.", players=_names_of(close))
        else:
            errors[control] = _("No player has this name. Register the player first.")
    return ids, errors


def _ids_of(players: list[dict[str, Any]]) -> str:
    return "; ".join(_described(one["displayName"], one["region"], one["playerId"]) for one in players)


def _names_of(players: list[dict[str, Any]]) -> str:
    """Names to type, without ids: one that two players have is refused with both ids."""
    return "; ".join(dict.fromkeys(_described(one["displayName"], one["region"]) for one in players))


def _described(name: str, *more: str | None) -> str:
    known = ", ".join(filter(None, more))
    return f"{name} ({known})" if known else name
