"""The rulebook in words for players: what each setting decides, and what each choice means."""

from collections.abc import Iterator, Mapping
from typing import Any

from league.domain.bonuses import BONUSES
from league.domain.rulebook import to_document
from league.domain.rulebook_check import leaves
from league.domain.rulebook_defaults import written_out
from league.domain.rules import BadgeRules, Rulebook, Ruleset
from league.domain.sentences import Sentence, say
from league.domain.setting_names import NamedInDocument, in_other_words
from league.projections.folds.badges import BADGES as MEASURED
from league.projections.folds.badges import measure_of
from league.wording.language import spoken

SETTINGS = {
    "set": say("tiles"),
    "tiles_each": say("tiles dealt to each seat"),
    "modes": say("played"),
    "scoring": say("what is scored"),
    "target": say("ends at"),
    "block_winner": say("a block is won by"),
    "block_tie": say("a tied block goes to"),
    "counted_pips": say("the winner scores the pips of"),
    "capicua": say("a capicúa is a domino whose last tile"),
    "capicua_void_on": say("a capicúa is void on"),
    "viajera_from": say("a viajera is a hand of at least"),
    "capicua_doubles": say("a capicúa counts the leftover pips twice"),
    "hand_points": say("the winner of a hand scores"),
    "ending": say("points by the way in which a hand ended"),
    "first_starter": say("the first hand is started by"),
    "next_starter": say("later hands are started by"),
    "cannot_play": say("who cannot play"),
    "shutout": say("the shutout bonus is given"),
    "reset": say("when the side that is behind wins a hand"),
}
"""What each setting of a ruleset decides."""

OF_PIPS = ("counted_pips", "viajera_from")
"""The settings that are read only where hands score pips."""

ENDINGS = {
    "domino": say("a domino"),
    "double": say("a domino with a double"),
    "both_ends": say("a domino whose last tile fitted both ends"),
    "double_both_ends": say("a domino with a double that fitted both ends"),
    "block": say("a block"),
}
"""Each way in which a hand can end, in a ruleset whose hands score by it."""

LIVE = {
    "turn_seconds": say("seconds for a turn at a live table"),
    "on_timeout": say("when a player's time runs out, later than in the first turn of a hand"),
    "timeouts_before_ai": say("timeouts in a row after which an AI plays for the player"),
    "contribution_seconds": say("seconds in which players may add to the shuffle"),
    "reshuffle_doubles": say("doubles in a dealt hand from which a reshuffle is offered"),
    "reshuffle_seconds": say("seconds in which a reshuffle may be accepted"),
    "away_after_seconds": say("seconds without a sign of life after which a player is away"),
    "away_seconds": say("seconds in a match for which the table waits for a player who is away"),
    "return_seconds": say("seconds to come back after no server was running"),
    "gathering_seconds": say("seconds that a table waits for play to begin"),
}
"""What each setting in a ruleset's `live` decides."""

CHOICES = {
    ("set", "double-six"): say("double-six"),
    ("set", "double-nine"): say("double-nine"),
    ("modes", "individuals"): say("each on their own"),
    ("scoring", "points"): say("leftover pips"),
    ("scoring", "hands"): say("a point for a hand"),
    ("scoring", "row"): say("nothing: hands won in a row count"),
    ("block_winner", "side_total"): say("the side with the lowest sum"),
    ("block_winner", "lowest_hand"): say("the lowest single hand"),
    ("block_winner", "locker_vs_next"): say("the locker or the next seat, the one with fewer pips"),
    ("block_tie", "previous_winner"): say("the side that won the hand before"),
    ("block_tie", "starting_draw"): say("the seat with the highest starting draw"),
    ("block_tie", "starter"): say("the seat that started the hand"),
    ("block_tie", "locker"): say("the seat that locked it"),
    ("block_tie", "no_score"): say("no side"),
    ("block_tie", "next_starts"): say("no side, and the seat after the starter starts the next hand"),
    ("counted_pips", "opponents"): say("the losing side or sides"),
    ("counted_pips", "all_others"): say("every other seat, the partner too"),
    ("counted_pips", "all_on_block"): say("the losing side or sides, and after a block of every side, also its own"),
    ("hand_points", "pips"): say("leftover pips"),
    ("hand_points", "by_ending"): say("a number by the way in which the hand ended"),
    ("capicua", "fits_both_ends"): say("could go on either end"),
    ("capicua", "ends_equal"): say("leaves both ends alike"),
    ("capicua_void_on", "double"): say("a double"),
    ("capicua_void_on", "blank_half"): say("a tile with a blank"),
    ("capicua_void_on", "double_blank"): say("the double blank"),
    ("first_starter", "starting_draw"): say("the highest starting draw"),
    ("first_starter", "highest_double"): say("the holder of the highest double, which is played first"),
    ("next_starter", "hand_winner"): say("the seat that won the hand before"),
    ("cannot_play", "pass"): say("passes"),
    ("cannot_play", "draw_until_playable"): say("draws until a tile fits, then passes; with four seats passes"),
    ("cannot_play", "draw_one"): say("draws one tile, then passes; with four seats passes"),
    ("shutout", "per_match"): say("once, when a match ends with every loser on 0"),
    ("shutout", "per_hand"): say("in every hand in which only the winner scores"),
    ("shutout", "off"): say("never"),
    ("reset", "to_zero"): say("the score goes back to 0-0, and the hand scores nothing"),
    ("reset", "winner_keeps_hand"): say("the score goes back to 0-0, and the hand counts"),
    ("reset", "off"): say("nothing special happens"),
    ("on_timeout", "pass"): say("the seat passes, and this pass earns no bonus"),
    ("on_timeout", "play"): say("an AI plays for this turn"),
    ("expected", "side_average"): say("the averages of the two sides"),
    ("expected", "own_vs_side_average"): say("each player's rating with the average of the other side"),
    ("count", "match"): say("match"),
    ("count", "hand"): say("hand"),
    ("competitions", "competitive"): say("competitive"),
    ("competitions", "casual"): say("casual"),
    ("competitions", "special"): say("special tournament"),
}
"""What each choice means."""

PARTS = {
    "behind": say("behind by at least {value}"),
    "value": say("M {value}"),
    "thresholds": say("{value} matches"),
}
"""What each number of a step of M or of a badge decides."""

COLUMNS = {
    "behind": say("match points behind, at least"),
    "value": say("M"),
    "thresholds": say("matches that earn a badge"),
}
"""What each column of the steps of M, and of badges with steps, decides."""

NAMES = {
    "title": say("its name"),
    "description": say("what it says about itself"),
}
"""The texts of a ruleset."""

OFF = {
    "rating.cap": say("off: M has no limit"),
    "rating.k.provisional_below": say("as a rating is shown as provisional"),
    "bonuses": say("not given"),
    "ending": say("off: the winner scores leftover pips"),
}
"""What it means that a setting is off, by its dotted key, its name, or the name of its table."""

UNITS = {
    "points": say("points"),
    "hands": say("hand points"),
    "row": say("hands won in a row"),
}

RATING = {
    "start": say("rating before the first match"),
    "scale": say("rating points that make ten to one"),
    "expected": say("E compares"),
    "provisional_below": say("rated matches in the mode below which a rating is shown as provisional"),
    "k.casual": say("K of a casual match"),
    "k.provisional": say("K while provisional"),
    "k.special": say("K of a special tournament"),
    "k.veteran": say("K of a veteran"),
    "k.standard": say("K of all others"),
    "k.provisional_below": say("rated matches in the mode below which K is provisional"),
    "veteran.matches": say("matches that make a veteran"),
    "veteran.rating": say("rating that makes a veteran"),
    "cap": say("M is kept between minus and plus"),
    "cap.below": say("M is kept from minus"),
    "cap.above": say("M is kept to plus"),
    "modifier.differential.value": say("M for each full step of the final score's difference"),
    "modifier.differential.points": say("points of such a step"),
    "modifier.differential.points_by_ruleset": say("points of such a step in some rulesets"),
    "modifier.pollona.value": say("M for a pollona"),
    "modifier.viajera.value": say("M for a viajera"),
    "modifier.viajera.count": say("counted once a"),
    "modifier.capicua.value": say("M for a capicúa"),
    "modifier.capicua.count": say("counted once a"),
    "modifier.capicua_blocks.value": say("M on top when the capicúa blocks too"),
    "modifier.capicua_blocks.count": say("counted once a"),
    "modifier.recovery": say("M for winning after trailing"),
    "modifier.block_won.value": say("M for a hand won by a block"),
    "modifier.block_won.count": say("counted once a"),
    "modifier.critical_block.value": say("M for locking the block that ends the match"),
    "modifier.strength.value": say("M for each full step of rating between the sides"),
    "modifier.strength.gap": say("rating points of such a step"),
    "overall.main_weight": say("weight of the mode with more matches"),
    "overall.balanced_share": say("both modes weigh the same while the larger share is at most"),
}
"""What each number of the rating decides."""

BOARDS = {
    "active_days": say("days within which a player must have finished a match"),
    "capicuas_per_hand_from": say("hands to have won, for the board of capicúas per hand won"),
}
"""What each number of the boards decides."""

BADGES = {key: words for badge in MEASURED.values() for key, words in badge.settings.items()}
"""What each setting of the badges decides."""

SERIES = {
    "start": say("points with which a competitor enters a month"),
    "game_points": say("points that a win gives and a loss takes"),
    "limit": say("wins of either after which two are locked for the month"),
    "pool": say("series points that move with the share of wins"),
    "pool_from_game": say("game of two competitors from which on series points are given"),
    "competitions": say("matches that count"),
}
"""What each number of the monthly series decides."""


GROUPS: Mapping[str, Sentence] = {
    "k": say("K"),
    "veteran": say("Veterans"),
    "modifier": say("Performance modifier M"),
    "overall": say("Overall rating"),
    "bonuses": say("Bonuses"),
    "live": say("Live tables"),
}
"""The title of each table within a section or a ruleset; settings of other tables stand with those around them."""

SECTIONS: Mapping[str, tuple[Sentence, Mapping[str, str]]] = {
    "rating": (say("Domino Score (CDS)"), RATING),
    "series": (say("Monthly series"), SERIES),
    "badges": (say("Badges"), BADGES),
    "boards": (say("Leaderboards"), BOARDS),
}
"""The sections other than the rulesets: the title of each, and what its settings decide."""


def section_lines(rulebook: Rulebook, section: str) -> Iterator[tuple[str, str, str]]:
    """The settings of a section as (key, what it decides, its value)."""
    words = SECTIONS[section][1]
    for key, value in leaves("", written_out(to_document(rulebook))[section]):
        yield key, spoken(words.get(key, key)), spoken(value_in_words(key, value))


def ruleset_lines(ruleset: Ruleset) -> Iterator[tuple[str, str, str]]:
    """The settings of a ruleset as (key, what it decides, its value in words).

    Leaves out bonuses that are not played, and settings of pips where hands score by their ending.
    """
    document = to_document(ruleset)
    unread = OF_PIPS if ruleset.hand_points == "by_ending" else ()
    for key, value in document.items():
        if key in SETTINGS and key not in unread:
            yield key, spoken(SETTINGS[key]), spoken(said(key, value, ruleset))
    for key, value in document["bonuses"].items():
        yield f"bonuses.{key}", spoken(BONUSES[key].label), _points(value)
    for key, words in LIVE.items():
        yield f"live.{key}", spoken(words), spoken(said(key, getattr(ruleset.live, key), ruleset))


def setting_of_ruleset(key: str) -> str:
    """What a setting of a ruleset decides, by its dotted key; empty for the title and the description."""
    above, _, name = key.rpartition(".")
    if above.endswith(".bonuses"):
        return spoken(BONUSES[name].label)
    if above.endswith(".ending"):
        return spoken(say("points for {ending}", ending=ENDINGS[name]))
    return spoken((LIVE if above.endswith(".live") else SETTINGS).get(name, ""))


def setting_in_words(key: str) -> str:
    """What a setting of the rulebook decides, by its dotted key; empty for titles and descriptions."""
    section, _, rest = key.partition(".")
    if section == "rulesets":
        return setting_of_ruleset(key)
    return spoken(SECTIONS[section][1].get(rest, "")) if section in SECTIONS else ""


def off_in_words(key: str) -> str:
    """What it means that a setting is off, by its dotted key."""
    *_, table, name = key.split(".")
    return spoken(OFF.get(key) or OFF.get(name) or OFF.get(table) or say("off"))


def fault_in_words(reason: str) -> str:
    """What is wrong with a setting, with the words of a form in place of the names in its document."""

    def words(named: NamedInDocument) -> str:
        if not named.key:
            return spoken(say("switched off"))
        return f"“{setting_in_words(named.key) if named.value is None else choice_in_words(named.key, named.value)}”"

    return spoken(in_other_words(reason, words))


def choice_in_words(key: str, choice: str) -> str:
    """A choice of a setting, by its dotted key."""
    return spoken(CHOICES.get((key.rpartition(".")[2], choice), choice))


def value_in_words(key: str, value: Any) -> str:
    """The value of a setting of a section, by the dotted key of the setting."""
    if value in (None, False) and ".bonuses." in key:
        return off_in_words(key)
    if value is None and ".ending" in key:
        return say("off")
    if isinstance(value, dict):
        return ": ".join(spoken(_part(name, item)) for name, item in value.items()) or say("none")
    if isinstance(value, list | tuple):
        return "; ".join(spoken(value_in_words(key, item)) for item in value) or say("none")
    return spoken(CHOICES.get((key.rpartition(".")[2], value), "")) or plain_value(value)


def _part(name: str, value: Any) -> str:
    """One number of a step."""
    number = ", ".join(map(str, value)) if isinstance(value, list | tuple) else spoken(plain_value(value))
    return say(PARTS[name], value=number) if name in PARTS else f"{name} {number}"


def plain_value(value: Any) -> str:
    """A value of the rulebook as its document writes it, without the syntax of TOML."""
    if value is None:
        return say("(not there)")
    if value is False:
        return say("off")
    if value is True:
        return say("on")
    if isinstance(value, dict):
        return ", ".join(f"{key} {spoken(plain_value(item))}" for key, item in value.items()) or say("none")
    if isinstance(value, list | tuple):
        return "; ".join(spoken(plain_value(item)) for item in value) or say("none")
    return str(value)


def badge_in_words(measure: str, threshold: int, rules: BadgeRules) -> str:
    """What a badge is awarded for; `rules` are those of its edition."""
    return spoken(measure_of(rules, measure).in_words(threshold))


def said(key: str, value: Any, ruleset: Ruleset) -> str:
    """A setting's value in words."""
    if isinstance(value, list | tuple):
        return ", ".join(spoken(CHOICES.get((key, item), str(item))) for item in value) or say("nothing")
    if isinstance(value, dict):
        return "; ".join(f"{spoken(ENDINGS[ending])}: {points}" for ending, points in value.items())
    if key == "target":
        return f"{value} {spoken(UNITS[ruleset.scoring])}"
    if key == "viajera_from":
        return say("{value} leftover pips", value=value)
    if key == "reshuffle_doubles" and not value:
        return say("never")
    by_ending = key == "scoring" and ruleset.hand_points == "by_ending"
    words = say("points by the way in which a hand ends") if by_ending else CHOICES.get((key, value))
    return spoken(words or plain_value(value))


def _points(value: Any) -> str:
    return ", ".join(f"+{points}" for points in (value if isinstance(value, list | tuple) else (value,)))
