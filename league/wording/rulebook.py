"""The rulebook in words for players: what each setting decides, and what each choice means."""

from collections.abc import Iterator
from typing import Any

from league.domain.bonuses import BONUSES
from league.domain.rulebook_document import to_document
from league.domain.rules import Badges, Ruleset
from league.projections.folds.badges import BADGES as MEASURED
from league.projections.folds.badges import measure_of

SETTINGS = {
    "set": "tiles",
    "tiles_each": "tiles dealt to each seat",
    "modes": "played",
    "scoring": "what is scored",
    "target": "ends at",
    "block_winner": "a block is won by",
    "block_tie": "a tied block goes to",
    "counted_pips": "the winner scores the pips of",
    "capicua": "a capicúa is a domino whose last tile",
    "capicua_void_on": "a capicúa is void on",
    "viajera_from": "a viajera is a hand of at least",
    "first_starter": "the first hand is started by",
    "next_starter": "later hands are started by",
    "cannot_play": "who cannot play",
    "shutout": "the shutout bonus is given",
    "reset": "when the side that is behind wins a hand",
}
"""What each setting of a ruleset decides."""

LIVE = {
    "turn_seconds": "seconds for a turn at a live table",
    "on_timeout": "when a player's time runs out, later than in the first turn of a hand",
    "timeouts_before_ai": "timeouts in a row after which an AI plays for the player",
    "contribution_seconds": "seconds in which players may add to the shuffle",
    "reshuffle_doubles": "doubles in a dealt hand from which a reshuffle is offered",
    "reshuffle_seconds": "seconds in which a reshuffle may be accepted",
    "away_after_seconds": "seconds without a sign of life after which a player is away",
    "away_seconds": "seconds in a match for which the table waits for a player who is away",
    "return_seconds": "seconds to come back after no server was running",
}
"""What each setting of `live`, of a ruleset, decides."""

CHOICES = {
    ("scoring", "points"): "leftover pips",
    ("scoring", "hands"): "a point for a hand",
    ("scoring", "row"): "nothing: hands won in a row count",
    ("block_winner", "side_total"): "the side with the lowest sum",
    ("block_winner", "lowest_hand"): "the lowest single hand",
    ("block_winner", "locker_vs_next"): "the locker or the next seat, the one with fewer pips",
    ("block_tie", "previous_winner"): "the side that won the hand before",
    ("block_tie", "starting_draw"): "the seat with the highest starting draw",
    ("block_tie", "starter"): "the seat that started the hand",
    ("block_tie", "locker"): "the seat that locked it",
    ("block_tie", "no_score"): "no side",
    ("counted_pips", "opponents"): "the losing side or sides",
    ("counted_pips", "all_others"): "every other seat, the partner too",
    ("capicua", "fits_both_ends"): "could go on either end",
    ("capicua", "ends_equal"): "leaves both ends alike",
    ("capicua_void_on", "double"): "a double",
    ("capicua_void_on", "blank_half"): "a tile with a blank",
    ("capicua_void_on", "double_blank"): "the double blank",
    ("first_starter", "starting_draw"): "the highest starting draw",
    ("first_starter", "highest_double"): "the holder of the highest double, which is played first",
    ("next_starter", "hand_winner"): "the seat that won the hand before",
    ("cannot_play", "pass"): "passes",
    ("cannot_play", "draw_until_playable"): "draws until a tile fits, then passes; with four seats passes",
    ("cannot_play", "draw_one"): "draws one tile, then passes; with four seats passes",
    ("shutout", "per_match"): "once, when a match ends with every loser on 0",
    ("shutout", "per_hand"): "in every hand in which only the winner scores",
    ("shutout", "off"): "never",
    ("reset", "to_zero"): "the score goes back to 0-0, and the hand scores nothing",
    ("reset", "winner_keeps_hand"): "the score goes back to 0-0, and the hand counts",
    ("reset", "off"): "nothing special happens",
    ("on_timeout", "pass"): "the seat passes, and this pass earns no bonus",
    ("on_timeout", "play"): "an AI plays for this turn",
}
"""What each choice means."""

UNITS = {
    "points": "points",
    "hands": "hand points",
    "row": "hands won in a row",
}

RATING = {
    "start": "rating before the first match",
    "scale": "rating points that make ten to one",
    "expected": "E compares",
    "provisional_below": "rated matches in the mode below which a rating is shown as provisional",
    "k.casual": "K of a casual match",
    "k.provisional": "K while provisional",
    "k.special": "K of a special tournament",
    "k.veteran": "K of a veteran",
    "k.standard": "K of all others",
    "k.provisional_below": "rated matches in the mode below which K is provisional",
    "veteran.matches": "matches that make a veteran",
    "veteran.rating": "rating that makes a veteran",
    "cap": "M is kept between minus and plus",
    "cap.below": "M is kept from minus",
    "cap.above": "M is kept to plus",
    "modifier.differential.value": "M for each full step of the final score's difference",
    "modifier.differential.points": "points of such a step",
    "modifier.differential.points_by_ruleset": "points of such a step in some rulesets",
    "modifier.pollona.value": "M for a pollona",
    "modifier.viajera.value": "M for a viajera",
    "modifier.viajera.count": "counted once a",
    "modifier.capicua.value": "M for a capicúa",
    "modifier.capicua.count": "counted once a",
    "modifier.capicua_blocks.value": "M on top when the capicúa blocks too",
    "modifier.capicua_blocks.count": "counted once a",
    "modifier.recovery": "M for winning after trailing",
    "modifier.block_won.value": "M for a hand won by a block",
    "modifier.block_won.count": "counted once a",
    "modifier.critical_block.value": "M for locking the block that ends the match",
    "modifier.strength.value": "M for each full step of rating between the sides",
    "modifier.strength.gap": "rating points of such a step",
    "overall.main_weight": "weight of the mode with more matches",
    "overall.balanced_share": "both modes weigh the same while the larger share is at most",
}
"""What each number of the rating decides."""

BOARDS = {
    "active_days": "days within which a player must have finished a match",
    "capicuas_per_hand_from": "hands to have won, for the board of capicúas per hand won",
}
"""What each number of the boards decides."""

BADGES = {key: words for badge in MEASURED.values() for key, words in badge.settings.items()}
"""What each setting of the badges decides."""

SERIES = {
    "start": "points with which a competitor enters a month",
    "game_points": "points that a win gives and a loss takes",
    "limit": "wins of either after which two are locked for the month",
    "pool": "series points that move with the share of wins",
    "pool_from_game": "game of two competitors from which on series points are given",
    "competitions": "matches that count",
}
"""What each number of the monthly series decides."""


def ruleset_lines(ruleset: Ruleset) -> Iterator[tuple[str, str, str]]:
    """The settings of a ruleset as (key, what it decides, its value in words), without bonuses that are not played."""
    document = to_document(ruleset)
    for key, value in document.items():
        if key in SETTINGS:
            yield key, SETTINGS[key], said(key, value, ruleset)
    for key, value in document["bonuses"].items():
        yield f"bonuses.{key}", BONUSES[key].label, _points(value)
    for key, words in LIVE.items():
        yield f"live.{key}", words, said(key, getattr(ruleset.live, key), ruleset)


def setting_of_ruleset(key: str) -> str:
    """What a setting of a ruleset decides, by its dotted key; empty for the title and the description."""
    above, _, name = key.rpartition(".")
    if above.endswith(".bonuses"):
        return BONUSES[name].label
    return (LIVE if above.endswith(".live") else SETTINGS).get(name, "")


def badge_in_words(measure: str, threshold: int, rules: Badges) -> str:
    """What a badge is awarded for; `rules` are those of its edition."""
    return measure_of(rules, measure).in_words(threshold)


def said(key: str, value: Any, ruleset: Ruleset) -> str:
    """A setting's value in words."""
    if isinstance(value, list | tuple):
        return ", ".join(CHOICES.get((key, item), str(item)) for item in value) or "nothing"
    if key == "target":
        return f"{value} {UNITS[ruleset.scoring]}"
    if key == "viajera_from":
        return f"{value} leftover pips"
    if key == "reshuffle_doubles" and not value:
        return "never"
    return CHOICES.get((key, value), str(value))


def _points(value: Any) -> str:
    return ", ".join(f"+{points}" for points in (value if isinstance(value, list | tuple) else (value,)))
