"""The events in the golden bodies of nights."""

from __future__ import annotations

from typing import Any

from league.nights.events import PlayerCame, PlayerLeft


def of_nights() -> dict[str, list[Any]]:
    """The events by stored name."""
    return {"player-came/1": [PlayerCame("p017")], "player-left/1": [PlayerLeft("p017")]}
