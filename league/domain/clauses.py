"""Where each rule comes from: the section of its source text, and the settings that hold its numbers.

The texts: Cuban (rules for a web app), Caribbean (game rules), Dominican (rules plan), CDS (Cuban Domino Score) and ToT
(the monthly series). Where the texts leave a gap, edition 1 decides it by its settings.
"""

from typing import NamedTuple


class Clause(NamedTuple):
    """A section of a source text, and the dotted keys of an edition that hold its numbers and choices."""

    section: str
    settings: tuple[str, ...] = ()


FAMILIES = {"cuban": "Cuban", "dominican": "Dominican"}
"""By the first part of a ruleset's name; all others are those of the Caribbean text."""

BLOCK = {
    "Cuban": "Cuban text, Winning a Round and Round Tie Resolution",
    "Dominican": "Dominican text 2.6",
    "Caribbean": "Caribbean text, Blocked Game",
}
"""Who wins a block, by the family of the ruleset."""

BLOCK_SETTINGS = ("block_winner", "block_tie")

RATING_TERMS = {
    "before": Clause("CDS text 2", ("rating.start",)),
    "outcome": Clause("CDS text 2"),
    "expected": Clause("CDS text 2.1", ("rating.scale", "rating.expected")),
    "cap": Clause("CDS text 3", ("rating.cap",)),
    "differential": Clause(
        "CDS text 3.1", ("rating.modifier.differential.value", "rating.modifier.differential.points")
    ),
    "pollona": Clause("CDS text 3.2", ("rating.modifier.pollona.value",)),
    "viajera": Clause("CDS text 3.2", ("rating.modifier.viajera.value", "rating.modifier.viajera.count")),
    "capicua": Clause("CDS text 3.2", ("rating.modifier.capicua.value", "rating.modifier.capicua.count")),
    "capicua_blocks": Clause(
        "CDS text 3.2", ("rating.modifier.capicua_blocks.value", "rating.modifier.capicua_blocks.count")
    ),
    "recovery": Clause("CDS text 3.3", ("rating.modifier.recovery",)),
    "block_won": Clause("CDS text 3.4", ("rating.modifier.block_won.value", "rating.modifier.block_won.count")),
    "critical_block": Clause("CDS text 3.4", ("rating.modifier.critical_block.value",)),
    "strength": Clause("CDS text 3.5", ("rating.modifier.strength.value", "rating.modifier.strength.gap")),
}
"""By part of the rating's formula, the terms of its modifier M among them."""

K_RULES = {
    "casual": Clause("CDS text 4, low K", ("rating.k.casual",)),
    "provisional": Clause("CDS text 4, high K", ("rating.k.provisional", "rating.provisional_below")),
    "special": Clause("CDS text 4, high K", ("rating.k.special",)),
    "veteran": Clause("CDS text 4, low K", ("rating.k.veteran", "rating.veteran.matches", "rating.veteran.rating")),
    "standard": Clause("CDS text 4, medium K", ("rating.k.standard",)),
}
"""By the rule that chose K."""

SERIES_TERMS = {
    "start": Clause("ToT text 1", ("series.start",)),
    "series_points": Clause("ToT text 3", ("series.pool", "series.pool_from_game")),
    "game_points": Clause("ToT text 2", ("series.game_points",)),
    "beyond_limit": Clause("ToT text 2", ("series.limit",)),
    "casual": Clause("ToT text 2: only competitive games count", ("series.competitions",)),
    "special": Clause("ToT text 2: only competitive games count", ("series.competitions",)),
    "competitive": Clause("ToT text 2", ("series.competitions",)),
}
"""By part of a standing in the monthly series."""

BADGES = Clause("CDS text 7")
"""All badges; each has its thresholds as a setting."""

BOARD_TERMS = {
    "rating": Clause("CDS text 7"),
    "overall": Clause("CDS text 1.3", ("rating.overall.main_weight", "rating.overall.balanced_share")),
    "achievement": Clause("CDS text 7"),
    "capicuas_per_hand": Clause("CDS text 7", ("boards.capicuas_per_hand_from",)),
    "active": Clause("CDS text 7", ("boards.active_days",)),
    "rank": Clause("CDS text 7"),
    "provisional": Clause("CDS text 7", ("rating.provisional_below",)),
}
"""By part of a place on a board. No text says that equal values share a rank; edition 1 decided it."""


def section_of(setting: str) -> str | None:
    """The section of the text that a setting of the rating comes from; None: edition 1 decided it."""
    clauses = (*RATING_TERMS.values(), *K_RULES.values(), *BOARD_TERMS.values())
    return next((clause.section for clause in clauses if any(setting.startswith(of) for of in clause.settings)), None)


def family_of(ruleset: str) -> str:
    """The source text of a ruleset, by its name."""
    return FAMILIES.get(ruleset.partition("-")[0], "Caribbean")
