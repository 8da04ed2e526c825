"""The facts behind explanations in words: what each is about and what it says, with names for seats and sides."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from types import MappingProxyType

from msgspec import Struct

from league.domain.sentences import say
from league.explanations.explanation import Changed, Fact
from league.wording.language import _, counted, spoken
from league.wording.matches import NO_NAMES, Names, competition_in_words, ending_in_words, status_in_words
from league.wording.numbers import figure, moment_of
from league.wording.reasons import K_RULES

LABELS: Mapping[str, str] = {
    "active_since": say("listed if active since"),
    "arithmetic": say("arithmetic"),
    "began_at": say("began"),
    "behind_at_most": say("points behind at most"),
    "blocks_too": say("blocked the table too"),
    "by": say("by"),
    "capped": say("capped"),
    "closing_tile": say("last tile"),
    "competition": say("competition"),
    "corridos": say("pases corridos"),
    "corridos_by_side": say("pases corridos by side"),
    "decided_at": say("decided"),
    "drew": say("drew from the boneyard"),
    "earned_at": say("earned"),
    "ended_by": say("ended by"),
    "ends_equal": say("both ends equal"),
    "fits_both_ends": say("could go on either end"),
    "games": say("games"),
    "hand": say("hand"),
    "hands": say("hands"),
    "inactive_are_shown": say("inactive players are listed"),
    "last_decided_at": say("last match decided"),
    "locked": say("locked for the month"),
    "locked_it": say("locked it"),
    "locker": say("locked it"),
    "losses": say("lost"),
    "match": say("match"),
    "matches": say("matches"),
    "mode": say("mode"),
    "opening_pass": say("opening pass"),
    "opponent": say("opponent"),
    "opponents_average": say("average of the opponents' ratings"),
    "opponents_rating": say("rating of the opponents"),
    "own_average": say("average of the own side's ratings"),
    "own_rating": say("own rating"),
    "pair": say("pair"),
    "photo": say("photo"),
    "players_who_share_it": say("players who share it"),
    "provisional": say("provisional"),
    "rank": say("rank"),
    "rated_matches": say("rated matches"),
    "rated_matches_before": say("rated matches before"),
    "rating": say("rating"),
    "rating_before": say("rating before"),
    "rule": say("rule"),
    "ruleset": say("ruleset"),
    "score": say("score"),
    "score_before": say("score before"),
    "series_points": say("series points"),
    "shares_the_rank_with": say("shares the rank with"),
    "shown_as": say("shown as"),
    "shown_at": say("as of"),
    "side_that_won": say("won by"),
    "starter": say("started"),
    "stated_capicua": say("capicúa on the score sheet"),
    "stated_winner": say("winner on the score sheet"),
    "status": say("status"),
    "the_last_of_them": say("the last of them"),
    "threshold": say("threshold"),
    "weight": say("weight"),
    "went_out": say("went out"),
    "winning_seat": say("hand won by"),
    "wins": say("won"),
}
"""By the name of a fact, what it is about."""

LABELS_OF = {
    "next_above": say("next above, {who}"),
    "next_below": say("next below, {who}"),
    "other_side": say("rating of {who}, opponent"),
    "own_side": say("rating of {who}, own side"),
}
"""The same for facts about somebody whom the value does not name."""

VALUES = {
    "yes": say("yes"),
    "no": say("no"),
    "none": say("none"),
    "nobody": say("nobody"),
    "not known": say("not known"),
}
SEATS = ("corridos", "drew")
"""Facts that list seats."""
TIMES = ("active_since", "began_at", "decided_at", "earned_at", "last_decided_at", "shown_at")


class FactInWords(Struct, frozen=True):
    """What a fact is about, and what it says."""

    label: str
    value: str


class Table(Struct, frozen=True):
    """What is known of where facts were observed."""

    names: Names = NO_NAMES
    seats: Mapping[int, str] = MappingProxyType({})
    """The ids of the players by seat, where the explanation has them."""
    zone: tzinfo | None = None

    def named(self, id_: str) -> str:
        """The name of a player or a pair."""
        return self.names.get(id_, id_)

    def at_seats(self, numbers: Iterable[str]) -> str:
        """Who sits at these seats."""
        return ", ".join(
            self.named(self.seats[int(seat)]) if int(seat) in self.seats else _("seat {seat}", seat=seat)
            for seat in numbers
        )


def seats_of(facts: Iterable[Fact]) -> dict[int, str]:
    """The players by seat, as the facts of a hand or a match name them."""
    found = ((re.fullmatch(r"seat (\d+)", fact.name), fact) for fact in facts if fact.value.startswith("side "))
    return {int(seat[1]): fact.of for seat, fact in found if seat is not None and fact.of is not None}


def fact_in_words(fact: Fact, table: Table) -> FactInWords:
    """A fact for people."""
    return FactInWords(_label(fact.name, fact.of, table), _value(fact.name, fact.value, fact.of, table))


def change_in_words(changed: Changed, table: Table) -> str:
    """A fact that was corrected, before and now."""
    before, after = (
        _("none") if value is None else _value(changed.name, value, changed.of, table)
        for value in (changed.before, changed.after)
    )
    label = _label(changed.name, changed.of, table)
    return _("{fact}: {before}, now {after}", fact=label, before=before, after=after)


def _label(name: str, of: str | None, table: Table) -> str:
    if name in LABELS:
        return spoken(LABELS[name])
    who = None if of is None else table.named(of)
    if name in LABELS_OF and who is not None:
        return _(LABELS_OF[name], who=who)
    place = re.fullmatch(r"(leftover of |dealt to )?(seat|side) (\d+)", name)
    if place is None:
        return spoken(name)
    what, kind, number = place.groups()
    if what is None and kind == "seat" and int(number) in table.seats:
        return _("player {number} at the table", number=int(number) + 1)
    if who is None:
        who = _("seat {seat}", seat=number) if kind == "seat" else _("side {side}", side=number)
    return _("dealt to {who}", who=who) if what == "dealt to " else _("left with {who}", who=who)


def _value(name: str, value: str, of: str | None, table: Table) -> str:  # noqa: PLR0911  # one return for each kind
    if of is not None and (value == of or name == "side_that_won" or re.fullmatch(r"(seat|side) \d+", value)):
        return table.named(of)
    if value in VALUES:
        return spoken(VALUES["nobody" if name in SEATS and value == "none" else value])
    if name in SEATS and re.fullmatch(r"\d+(, \d+)*", value):
        return table.at_seats(value.split(", "))
    if (pips := re.fullmatch(r"(\d+) pips(: .*)?", value)) is not None:
        return counted("{count} pip", "{count} pips", int(pips[1])) + (pips[2] or "")
    if (place := re.fullmatch(r"(\S+), (?:provisional|rank (\d+))", value)) is not None:
        number = _number(place[1])
        if place[2] is None:
            return _("{number}, provisional", number=number)
        return _("{number}, rank {rank}", number=number, rank=place[2])
    if name in TIMES:
        with suppress(ValueError):
            moment = datetime.fromisoformat(value)
            return moment_of(moment, table.zone) if table.zone is not None else f"{moment_of(moment, UTC)} UTC"
    kinds = {"competition": competition_in_words, "status": status_in_words, "ended_by": ending_in_words}
    if name in kinds:
        return kinds[name](value)
    return spoken(K_RULES[value]) if name == "rule" and value in K_RULES else _number(spoken(value))


def _number(text: str) -> str:
    """A number with the decimal places that matter; any other text as it is."""
    return figure(float(text)) if re.fullmatch(r"-?\d+\.\d+", text) else text
