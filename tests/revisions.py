"""Random revisions of edition 1, as TOML: other numbers in one to five places, which all rulebooks may have."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

TARGETS = {
    "cuban-2026": {"cuban-150": (100, 110, 120, 140, 170, 200)},
    "caribbean-2026": {
        "doscientos-200": (100, 150, 250),
        "doscientos-100": (60, 80, 150),
        "caribbean-500-bonus": (300, 400, 600),
        "partnership-6": (4, 5, 8),
        "chiva-4": (3, 5),
    },
    "dominican-2026": {
        "dominican-200": (120, 150, 170, 250),
        "dominican-250": (150, 200, 300),
        "dominican-500": (300, 400, 600),
        "dominican-500-bonus": (300, 400, 600),
    },
}
"""The rulesets of each recorded season, and other targets for them."""

_SETTINGS: dict[str, Callable[[Random], str]] = {
    "rating.k.standard": lambda random: str(random.randint(4, 60)),
    "rating.k.provisional": lambda random: str(random.randint(10, 80)),
    "rating.k.casual": lambda random: str(random.randint(4, 40)),
    "rating.provisional_below": lambda random: str(random.randint(1, 40)),
    "rating.start": lambda random: str(random.choice((1200, 1400, 1600))),
    "rating.scale": lambda random: str(random.choice((200, 300, 500, 800))),
    "rating.cap": lambda random: random.choice(("false", "0.2", "0.5", "1.5")),
    "rating.modifier.differential.value": lambda random: random.choice(("0", "0.1", "0.4")),
    "rating.modifier.pollona.value": lambda random: random.choice(("0", "0.3", "1")),
    "series.game_points": lambda random: str(random.randint(1, 9)),
    "series.limit": lambda random: str(random.randint(2, 9)),
    "badges.pollonas": lambda random: random.choice(("[1, 3]", "[2, 4, 8]")),
    "badges.streak": lambda random: random.choice(("[2, 4]", "[3, 6, 9]")),
    "boards.active_days": lambda random: str(random.choice((10, 20, 400))),
}


def random_revision(random: Random, season: str) -> str:
    """A revision that changes something for the matches of a recorded season."""
    names = random.sample(sorted(_SETTINGS), random.randint(1, 4))
    lines = [f"{name} = {_SETTINGS[name](random)}" for name in names]
    for ruleset, targets in TARGETS[season].items():
        if random.random() < 0.5:  # about half of them end elsewhere, so that results change
            lines.append(f"rulesets.{ruleset}.target = {random.choice(targets)}")
        if random.random() < 0.25:  # some decide blocks otherwise, so that hands change
            winner = random.choice(("side_total", "lowest_hand", "locker_vs_next"))
            lines.append(f"rulesets.{ruleset}.block_winner = '{winner}'")
    return "\n".join(lines)
