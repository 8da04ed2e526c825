"""Finds the players whom people name in a form: by a whole name, in any case and with any accents, or by an id."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from starlette.datastructures import FormData, QueryParams

from league.console.asking import document_in
from league.domain.player_names import name_key
from league.domain.sentences import say
from league.domain.texts_and_times import escaped

DOCUMENT = Path(__file__).parent / "named_players.graphql"
LONGEST = 100
"""Limit on the characters of a name."""
MOST_SUGGESTED = 4
"""Limit on the players that one control suggests."""
PICK, PICKED_FOR = "pick:", "pick-for:"
"""Prefixes to the name of a control: for the suggestion that was tapped, and for the text that it belongs to."""


class Suggestion(Struct, frozen=True):
    """A player whom a text may mean."""

    value: str
    """The text for the control: the name, or the id if the name is not enough."""
    name: str
    more: str
    """The region, and the id if it is needed; may be empty."""


class NamedPlayers(Struct, frozen=True):
    """The players named in the controls of a form."""

    ids: dict[str, str] = field(default_factory=dict)
    """The id of the player, by control."""
    errors: dict[str, str] = field(default_factory=dict)
    """Why a text names no player, by control."""
    suggested: dict[str, list[Suggestion]] = field(default_factory=dict)
    """The players whom a text may mean, the closest first, by control."""


Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


def with_picks(form: FormData | QueryParams, controls: Iterable[str]) -> FormData:
    """The form with each tapped suggestion put into its control, unless another text was typed there since."""
    picked = {
        control: form[f"{PICK}{control}"]
        for control in controls
        if f"{PICK}{control}" in form and form.get(f"{PICKED_FOR}{control}") == form.get(control)
    }
    return FormData(
        [
            (name, picked.get(name, value))
            for name, value in form.multi_items()
            if not name.startswith((PICK, PICKED_FOR))
        ]
    )


async def players_named(ask: Ask, texts: Mapping[str, str]) -> NamedPlayers:
    """The players named in these controls. Empty texts are skipped."""
    named = NamedPlayers()
    for control, text in texts.items():
        who = text.strip()
        if not who:
            continue
        if len(who) > LONGEST:
            named.errors[control] = say("A name has at most {most} characters.", most=LONGEST)
            continue
        data = await ask(document_in(DOCUMENT), {"text": who})
        found = [one for one in data["search"]["nodes"] if one["__typename"] == "Player"]
        called = [one for one in found if one["playerId"] == who] or [
            one for one in found if name_key(one["displayName"]) == name_key(who)
        ]
        if len(called) == 1:
            named.ids[control] = called[0]["playerId"]
        elif called:
            named.errors[control] = say("Several players are called so. Choose who is meant:")
            named.suggested[control] = _suggestions(called)
        elif close := [*found, *data["similarPlayers"]]:
            named.errors[control] = say("No player has exactly this name. Choose who is meant, or write another name:")
            named.suggested[control] = _suggestions(close)[:MOST_SUGGESTED]
        else:
            named.errors[control] = say("No player has this name. Register the player first.")
    return named


def _suggestions(players: list[dict[str, Any]]) -> list[Suggestion]:
    """A suggestion for each player, each once."""
    once = list({one["playerId"]: one for one in players}.values())
    names = Counter(name_key(one["displayName"]) for one in once)
    made = []
    for one in once:
        id_, name = one["playerId"], one["displayName"]
        is_enough = names[name_key(name)] == 1 and len(name) <= LONGEST and escaped(name) == name
        more = ", ".join(filter(None, (one["region"], None if is_enough else id_)))
        made.append(Suggestion(name if is_enough else id_, name, more))
    return made
