"""The players whom people name in a form: by a whole name, whatever its case and accents, or by an id."""

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
"""Characters of a name."""
MOST_SUGGESTED = 4
"""Players that one control suggests."""
PICK, PICKED_FOR = "pick:", "pick-for:"
"""Before the name of a control: the suggestion that was tapped, and the text for which it was made."""


class Suggestion(Struct, frozen=True):
    """A player whom a text may mean."""

    value: str
    """What the control gets: the name, or the id where the name is not enough."""
    name: str
    more: str
    """The region, and the id where it is needed; may be empty."""


class NamedPlayers(Struct, frozen=True):
    """Who is named in the controls of a form."""

    ids: dict[str, str] = field(default_factory=dict)
    """By control, the id of the player."""
    errors: dict[str, str] = field(default_factory=dict)
    """By control, why its text names none."""
    suggested: dict[str, list[Suggestion]] = field(default_factory=dict)
    """By control, whom its text may mean, the nearest first."""


Ask = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]


def with_picks(form: FormData | QueryParams, controls: Iterable[str]) -> FormData:
    """The form with each suggestion that was tapped in its control, unless another text was typed there since."""
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
    """The players named in some controls; empty texts are left out."""
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
    """Each player once."""
    once = list({one["playerId"]: one for one in players}.values())
    names = Counter(name_key(one["displayName"]) for one in once)
    made = []
    for one in once:
        id_, name = one["playerId"], one["displayName"]
        is_enough = names[name_key(name)] == 1 and len(name) <= LONGEST and escaped(name) == name
        more = ", ".join(filter(None, (one["region"], None if is_enough else id_)))
        made.append(Suggestion(name if is_enough else id_, name, more))
    return made
