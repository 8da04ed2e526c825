"""Terms and facts in words: what each is about and what it says, and what was not judged for want of a fact.

Terms, units and rules are in plain words, by their names. Facts have names for seats and sides.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from league.domain.bonuses import HAND_TERMS
from league.domain.not_judged import ANNOUNCED, HAND, PREVIOUS, WINNER, NotJudged
from league.domain.sentences import joined, say, say_count, say_each
from league.explanations.explanation import ChangedFact, Fact
from league.explanations.rating_changes import K_REASONS, MODIFIER_TERMS
from league.projections.boards.definitions import BOARDS, AchievementBoard
from league.wording.language import spoken
from league.wording.matches import NO_NAMES, Names, competition_in_words, ending_in_words, status_in_words
from league.wording.numbers import figure, moment_of

SCORING_RULES: Mapping[str, str] = {name: term.label for name, term in HAND_TERMS.items()}
"""What each rule gives points for."""

MODIFIER_RULES: Mapping[str, str] = {
    name: say(text, pips=say("the ruleset's `viajera_from`")) for name, text in MODIFIER_TERMS.items()
}
"""What each rule adds to the modifier M for."""

_COUNTED = {count for board in BOARDS.values() if isinstance(board, AchievementBoard) for count in board.counts}

_OTHERS = {
    # of a match
    "hand": say("what a hand gave to a side"),
    "announced": say("the score that the table announced"),
    # of a rating change
    "before": say("the rating before the match; of a badge what had counted before the match that earned it"),
    "outcome": say("whether the match was won"),
    "cap": say("what the cap cuts off M"),
    "expected": say("the score to be expected from the ratings before the match"),
    "k": say("how far one match can move the rating"),
    # of a badge
    "added": say("what counted in the match that earned the badge"),
    "month": say("a month that counts for the badge"),
    "rating": say("the rating that earned the badge, or the highest so far"),
    "threshold": say("what earns the badge"),
    # of a place
    "1v1": say("the rating in matches of two players"),
    "2v2": say("the rating in matches of two pairs"),
    "rank": say("the rank with who is next to it"),
    "provisional": say("rated matches that are too few for a rank"),
    "active": say("days since the last match that counts for the board"),
    **dict.fromkeys(sorted(_COUNTED), say("what the board counts, in all decided matches")),
    # of a standing
    "start": say("points at the beginning of the month"),
    "series_points": say("series points from the games against an opponent"),
    "game_points": say("game points from the games against an opponent"),
    "competitive": say("competitive games that do not count"),
    "casual": say("casual games that do not count"),
    "special": say("games of special tournaments that do not count"),
    "beyond_limit": say("games after the two were locked for the month, which do not count"),
}

TERMS: Mapping[str, str] = {
    name: joined("; ", dict.fromkeys(one[name] for one in (SCORING_RULES, MODIFIER_RULES, _OTHERS) if name in one))
    for name in {**SCORING_RULES, **MODIFIER_RULES, **_OTHERS}
}
"""What each term of an explanation is."""

TERM_LABELS: Mapping[str, str] = say_each(
    "added", "announced", "before", "block won", "cap", "casual", "chuchazo", "competitive", "critical block",
    "differential", "double out", "expected", "first hand", "game points", "hand", "hand won", "hands won",
    "key bone", "leftover", "month", "opening pass", "outcome", "pase corrido", "pollona", "pollonas", "provisional",
    "rank", "rating", "recovery", "reset", "round bonus", "series points", "shutout", "start", "strength",
    "threshold", "viajera", "viajeras", "wins",
) | {
    "active": say("activity"),
    "beyond_limit": say("beyond the limit"),
    "capicua": say("capicúa"),
    "capicua_blocks": say("capicúa that blocks"),
    "capicua_doubled": say("doubled capicúa"),
    "capicuas": say("capicúas"),
    "domino_without_draw": say("domino without a draw"),
    "ending": say("ending"),
    "k": say("K"),
    "special": say("special tournament"),
}  # fmt: skip
"""The short name of each term, for people. Modes have none."""

UNITS: Mapping[str, str] = {
    **say_each("matches", "pollonas", "recoveries", "viajeras", "wins"),
    "blocks": say("blocks won"),
    "capicuas": say("capicúas"),
    "month_won": say("months won"),
    "rating": say("rating points"),
    "score": say("of a win"),
    "streak": say("wins in a row"),
    "threshold": say("at least"),
    "unbeaten_month": say("months without a loss"),
    "upset": say("upsets"),
}
"""The unit of each count."""

SOURCES = say_each(
    "CDS text", "Caribbean text", "Cuban text", "Dominican text", "ToT text", "high K", "medium K", "low K",
    "only competitive games count", "House rules",
)  # fmt: skip
"""The texts that rules come from, and what names their sections."""


def label_of(term: str) -> str:
    """A short name of a term."""
    return spoken(TERM_LABELS.get(term, term))


_FORMULA_TERMS: Mapping[str, str] = {
    "k_rule": say("rule of K"),
    "capped": say("M is capped"),
    "modifier": say("M"),
}
"""Short names of the terms in which two rating changes can differ, beside those of explanations."""


def other_term_in_words(term: str, before: Any, after: Any) -> str:
    """A term of a rating change that differs between two runs, such as `K: 40 → 32`; None: a run does not have it."""
    name = term.removeprefix("modifier.")
    label = spoken(_FORMULA_TERMS[term]) if term in _FORMULA_TERMS else label_of(name)
    return f"{label}: {_of_formula(before)} → {_of_formula(after)}"


def _of_formula(value: Any) -> str:
    match value:
        case None:
            return spoken(say("none"))
        case bool():
            return spoken(say("yes") if value else say("no"))
        case str():
            return spoken(K_REASONS.get(value, value))
    return figure(value)


def unit_in_words(unit: str) -> str:
    """The unit of a number in words. The unit of a badge is the key of its measure, such as `recoveries_50`."""
    return spoken(UNITS.get(re.sub(r"_\d+$", "", unit), unit))


def clause_in_words(clause: str) -> str:
    """The section of a source text."""
    return re.sub("|".join(SOURCES.values()), lambda found: spoken(say(found[0])), clause)


# ---------------------------------------------------------------- facts


FACT_LABELS: Mapping[str, str] = say_each(
    "arithmetic", "by", "capped", "competition", "ended by", "games", "hand", "hands", "locked it", "match",
    "matches", "mode", "opening pass", "opponent", "own rating", "pair", "photo", "players who share it",
    "provisional", "rank", "rated matches", "rated matches before", "rating", "rating before", "rule", "ruleset",
    "score", "score before", "series points", "shares the rank with", "shown as", "status", "the last of them",
    "threshold", "weight", "went out",
) | {
    "active_since": say("listed if active since"),
    "began_at": say("began"),
    "behind_at_most": say("points behind at most"),
    "blocks_too": say("blocked the table too"),
    "closing_tile": say("last tile"),
    "corridos": say("pases corridos"),
    "corridos_by_side": say("pases corridos by side"),
    "decided_at": say("decided"),
    "drew": say("drew from the boneyard"),
    "earned_at": say("earned"),
    "ends_equal": say("both ends equal"),
    "fits_both_ends": say("could go on either end"),
    "inactive_are_shown": say("inactive players are listed"),
    "last_decided_at": say("last match decided"),
    "locked": say("locked for the month"),
    "locker": say("locked it"),
    "losses": say("lost"),
    "opponents_average": say("average of the opponents' ratings"),
    "opponents_rating": say("rating of the opponents"),
    "own_average": say("average of the own side's ratings"),
    "shown_at": say("as of"),
    "side_that_won": say("won by"),
    "starter": say("started"),
    "stated_capicua": say("capicúa on the score sheet"),
    "stated_winner": say("winner on the score sheet"),
    "winning_seat": say("hand won by"),
    "wins": say("won"),
}  # fmt: skip
"""The label of each fact: what it is about."""

FACT_LABELS_OF = {
    "next_above": say("next above, {who}"),
    "next_below": say("next below, {who}"),
    "other_side": say("rating of {who}, opponent"),
    "own_side": say("rating of {who}, own side"),
}
"""Labels of facts about somebody whom the value does not name."""

VALUES = {**say_each("yes", "no", "none", "nobody"), "not known": say("not known")}
SEATS = ("corridos", "drew")
"""Facts that list seats."""
TIMES = ("active_since", "began_at", "decided_at", "earned_at", "last_decided_at", "shown_at")


class FactInWords(Struct, frozen=True):
    """What a fact is about, and what it says."""

    label: str
    value: str


class FactContext(Struct, frozen=True):
    """What facts need to become words: names, seats and the time zone."""

    names: Names = NO_NAMES
    seats: Mapping[int, str] = MappingProxyType({})
    """Player ids by seat; empty if the explanation does not name them."""
    zone: tzinfo | None = None

    def named(self, id_: str) -> str:
        """The name of a player or a pair."""
        return self.names.get(id_, id_)

    def at_seats(self, numbers: Iterable[str]) -> str:
        """Who sits at these seats."""
        return ", ".join(
            self.named(self.seats[int(seat)]) if int(seat) in self.seats else spoken(say("seat {seat}", seat=seat))
            for seat in numbers
        )


def seats_of(facts: Iterable[Fact]) -> dict[int, str]:
    """Player ids by seat, from the facts of a hand or a match."""
    found = ((re.fullmatch(r"seat (\d+)", fact.name), fact) for fact in facts if fact.value.startswith("side "))
    return {int(seat[1]): fact.of for seat, fact in found if seat is not None and fact.of is not None}


def fact_in_words(fact: Fact, table: FactContext) -> FactInWords:
    """A fact for people."""
    label = _label(fact.name, fact.of, table)
    return FactInWords(spoken(label), spoken(_value(fact.name, fact.value, fact.of, table)))


def change_in_words(changed: ChangedFact, table: FactContext) -> str:
    """A fact that was corrected, before and now."""
    before, after = (
        say("none") if value is None else _value(changed.name, value, changed.of, table)
        for value in (changed.before, changed.after)
    )
    label = _label(changed.name, changed.of, table)
    return say("{fact}: {before}, now {after}", fact=label, before=before, after=after)


def _label(name: str, of: str | None, table: FactContext) -> str:
    if name in FACT_LABELS:
        return spoken(FACT_LABELS[name])
    who = None if of is None else table.named(of)
    if name in FACT_LABELS_OF and who is not None:
        return say(FACT_LABELS_OF[name], who=who)
    place = re.fullmatch(r"(leftover of |dealt to )?(seat|side) (\d+)", name)
    if place is None:
        return spoken(name)
    what, kind, number = place.groups()
    if what is None and kind == "seat" and int(number) in table.seats:
        return say("player {number} at the table", number=int(number) + 1)
    if who is None:
        who = say("seat {seat}", seat=number) if kind == "seat" else say("side {side}", side=number)
    return say("dealt to {who}", who=who) if what == "dealt to " else say("left with {who}", who=who)


def _value(name: str, value: str, of: str | None, table: FactContext) -> str:  # noqa: PLR0911  # one return for each kind
    if of is not None and (value == of or name == "side_that_won" or re.fullmatch(r"(seat|side) \d+", value)):
        return table.named(of)
    if value in VALUES:
        return spoken(VALUES["nobody" if name in SEATS and value == "none" else value])
    if name in SEATS and re.fullmatch(r"\d+(, \d+)*", value):
        return table.at_seats(value.split(", "))
    if (pips := re.fullmatch(r"(\d+) pips(: .*)?", value)) is not None:
        return spoken(say_count("{count} pip", "{count} pips", int(pips[1]))) + (pips[2] or "")
    if (place := re.fullmatch(r"(\S+), (?:provisional|rank (\d+))", value)) is not None:
        number = _number(place[1])
        if place[2] is None:
            return say("{number}, provisional", number=number)
        return say("{number}, rank {rank}", number=number, rank=place[2])
    if name in TIMES:
        with suppress(ValueError):
            moment = datetime.fromisoformat(value)
            return moment_of(moment, table.zone) if table.zone is not None else f"{moment_of(moment, UTC)} UTC"
    kinds = {"competition": competition_in_words, "status": status_in_words, "ended_by": ending_in_words}
    if name in kinds:
        return kinds[name](value)
    return spoken(K_REASONS[value]) if name == "rule" and value in K_REASONS else _number(spoken(value))


def _number(text: str) -> str:
    """A decimal number without the places that do not matter; any other text as it is."""
    return figure(float(text)) if re.fullmatch(r"-?\d+\.\d+", text) else text


# ---------------------------------------------------------------- what was not judged


FACTS = {
    "announced.score": say("the announced score"),
    "announced.winner": say("the announced winner"),
    "ended.blocks_too": say("whether nobody could have moved after the last tile"),
    "ended.ends_equal": say("whether both ends were equal after the last tile"),
    "ended.fits_both_ends": say("whether the last tile could have gone on either end"),
    "ended.locker": say("which seat locked the hand"),
    "ended.seat": say("which seat went out"),
    "ended.tile": say("the last tile"),
    "passes.corridos": say("which seats made a pase corrido"),
    "passes.corridos_by_side": say("how many pases corridos each side made"),
    "passes.drew": say("which seats drew from the boneyard"),
    "passes.opening_pass": say("whether there was an opening pass that scores"),
    "leftover.0": say("what the first seat still held"),
    "leftover.1": say("what the second seat still held"),
    "leftover.2": say("what the third seat still held"),
    "leftover.3": say("what the fourth seat still held"),
    PREVIOUS: say("who won the hand before"),
    "side_leftover.0": say("how many pips the first side still held"),
    "side_leftover.1": say("how many pips the second side still held"),
    "side_leftover.2": say("how many pips the third side still held"),
    "side_leftover.3": say("how many pips the fourth side still held"),
    "starter": say("which seat started"),
    "stated_capicua": say("whether the score sheet claims a capicúa"),
    "stated_winner": say("which side won the hand, as the score sheet states it"),
}
"""What each fact tells, by its path. Paths number seats and sides from 0; the words do not."""

RULES = {
    **MODIFIER_RULES,
    **{name: term.label for name, term in HAND_TERMS.items()},
    WINNER: say("who won the hand"),
    ANNOUNCED: say("what the table announced"),
    HAND: say("a hand after the end of the match"),
}
"""What each rule judges."""


def fact_at_in_words(at: str | None) -> str:
    """What the fact at a path tells; None stands for all hands of the match."""
    return say("the hands of the match") if at is None else spoken(FACTS[at])


def rule_in_words(rule: str) -> str:
    """What a rule judges, by its name."""
    return spoken(RULES[rule]).partition(":")[0]


def not_judged_in_words(found: NotJudged) -> str:
    """What was not judged, and what would be needed."""
    rule, fact = rule_in_words(found.rule), fact_at_in_words(found.at)
    match found.why:
        case "unknown" if found.rule == WINNER and found.at != "stated_winner":
            return say(
                "Not judged: {rule}. For that, record {fact}, or the side that the score sheet names.",
                rule=rule, fact=fact,
            )  # fmt: skip
        case "unknown":
            return say("Not judged: {rule}. For that, record {fact}.", rule=rule, fact=fact)
        case "not_played":
            return say("Not used: {rule}. The ruleset does not play it.", rule=rule)
        case "facts_hold":
            return say("Not used: {fact}. The facts of the hands say something else, and they hold.", fact=fact)
        case "after_end":
            return say("Not judged: the hand. It came after the end of the match, and counts for nothing.")
