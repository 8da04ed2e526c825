"""The standing of a tournament: matches won, then the tie-breaks of its plan in their order (rules, Tournaments)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

TieBreak = Literal[
    "difference",
    "points_for",
    "buchholz",
    "buchholz_cut",
    "buchholz_median",
    "sonneborn_berger",
    "direct",
    "best_hand",
    "fewest_byes",
]
Kind = Literal["match", "bye", "walkover", "double_absence"]


class Outcome(Struct, frozen=True):
    """What a round came to for one competitor. Of a table that counts nothing there is none."""

    round: int
    kind: Kind
    won: bool
    own: int = 0
    """Points of the own side, limited by the plan's `score_cap`."""
    other: int = 0
    """The best score beside it, limited likewise."""
    opponents: tuple[str, ...] = ()
    """Both, where each player counts alone; nobody without a match."""
    best_hand: int = 0
    """The most points of the own side in one counted hand."""
    known: bool = True
    """False where the match counts 0 and 0, for nobody wrote its score down."""


Outcomes = Mapping[str, Sequence[Outcome]]
"""Of every competitor, also of those without any."""


class Part(Struct, frozen=True):
    """What one outcome, or one opponent of it, adds to a value of a standing."""

    round: int
    value: int
    opponent: str | None = None
    counts: bool = True
    """Whether it is part of the sum; `buchholz_cut` and `buchholz_median` leave some out."""


class Place(Struct, frozen=True):
    """A competitor's place."""

    id: str
    rank: int
    """From 1; those who are equal in everything share it."""
    won: int
    values: tuple[int, ...]
    """Of the tie-breaks, in their order."""


def standing(outcomes: Outcomes, tie_breaks: Sequence[TieBreak]) -> list[Place]:
    """The places, the first one first; those who share a rank are in the order of their ids."""
    groups = _split([sorted(outcomes)], lambda group: {id_: won(outcomes[id_]) for id_ in group})
    values: dict[str, list[int]] = {id_: [] for id_ in outcomes}
    for tie_break in tie_breaks:

        def value_of(group: Sequence[str], tie_break: TieBreak = tie_break) -> Mapping[str, int]:
            return {id_: value(tie_break, id_, outcomes, group) for id_ in group}

        for group in groups:
            for id_, found in value_of(group).items():
                values[id_].append(found)
        groups = _split(groups, value_of)
    places, rank = [], 1
    for group in groups:
        places += [Place(id_, rank, won(outcomes[id_]), tuple(values[id_])) for id_ in group]
        rank += len(group)
    return places


def won(outcomes: Iterable[Outcome]) -> int:
    """Matches won."""
    return sum(one.won for one in outcomes)


def value(tie_break: TieBreak, competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> int:
    """A value of a standing; of more than one competitor the higher one is better. `tied`: who is equal so far."""
    if tie_break == "best_hand":
        return max((one.best_hand for one in outcomes[competitor]), default=0)
    return sum(part.value for part in parts(tie_break, competitor, outcomes, tied) if part.counts)


def parts(tie_break: TieBreak, competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> list[Part]:
    """What a value is made of, in the order of the rounds."""
    return _PARTS[tie_break](competitor, outcomes, tied)


def _sonneborn_berger(competitor: str, outcomes: Outcomes) -> list[Part]:
    """For each opponent who was beaten the matches that they have won; byes and walkovers add nothing."""
    beaten = [one for one in outcomes[competitor] if one.won and one.kind == "match"]
    return [Part(one.round, won(outcomes[id_]), id_) for one in beaten for id_ in one.opponents]


def _buchholz(competitor: str, outcomes: Outcomes) -> list[Part]:
    """For each opponent the matches that they have won; a bye or a walkover adds the own ones once."""
    found: list[Part] = []
    for one in outcomes[competitor]:
        if one.kind == "match":
            found += [Part(one.round, won(outcomes[id_]), id_) for id_ in one.opponents]
        elif one.kind in {"bye", "walkover"}:
            found.append(Part(one.round, won(outcomes[competitor])))
    return found


def _without(found: Sequence[Part], lowest: int, highest: int) -> list[Part]:
    """All parts, of which the lowest and the highest do not count: the earliest of equal ones."""
    ordered = sorted(range(len(found)), key=lambda at: found[at].value)
    left_out = set(ordered[:lowest])
    rest = sorted((at for at in ordered if at not in left_out), key=lambda at: -found[at].value)
    left_out |= set(rest[:highest])
    return [Part(part.round, part.value, part.opponent, counts=at not in left_out) for at, part in enumerate(found)]


def _direct(competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> list[Part]:
    """The matches won among those still tied, if all of them have met each other."""

    def met(id_: str) -> set[str]:
        return {other for one in outcomes[id_] if one.kind == "match" for other in one.opponents}

    if not all(set(tied) - {id_} <= met(id_) for id_ in tied):
        return []
    return [
        Part(one.round, int(one.won), other)
        for one in outcomes[competitor]
        if one.kind == "match"
        for other in one.opponents
        if other in tied
    ]


_PARTS: Mapping[TieBreak, Callable[[str, Outcomes, Sequence[str]], list[Part]]] = {
    "difference": lambda id_, outcomes, _: [Part(one.round, one.own - one.other) for one in outcomes[id_]],
    "points_for": lambda id_, outcomes, _: [Part(one.round, one.own) for one in outcomes[id_]],
    "buchholz": lambda id_, outcomes, _: _buchholz(id_, outcomes),
    "buchholz_cut": lambda id_, outcomes, _: _without(_buchholz(id_, outcomes), lowest=1, highest=0),
    "buchholz_median": lambda id_, outcomes, _: _without(_buchholz(id_, outcomes), lowest=1, highest=1),
    "sonneborn_berger": lambda id_, outcomes, _: _sonneborn_berger(id_, outcomes),
    "direct": _direct,
    "best_hand": lambda id_, outcomes, _: [Part(one.round, one.best_hand) for one in outcomes[id_]],
    "fewest_byes": lambda id_, outcomes, _: [Part(one.round, -1) for one in outcomes[id_] if one.kind == "bye"],
}


def _split(
    groups: Sequence[Sequence[str]], value_of: Callable[[Sequence[str]], Mapping[str, int]]
) -> list[Sequence[str]]:
    """Groups of those who are equal, the better ones first."""
    found: list[Sequence[str]] = []
    for group in groups:
        values = value_of(group)
        best_first = sorted(set(values.values()), reverse=True)
        found += [[id_ for id_ in group if values[id_] == each] for each in best_first]
    return found
