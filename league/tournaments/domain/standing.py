"""The standing of a tournament.

It is ordered by matches won, then by the tie-breaks of the plan in their order (rules, Tournaments).
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from league.tournaments.domain.outcomes import Outcomes, RoundOutcome
from league.tournaments.domain.plan import RulesVersion, TieBreak


class TieBreakTerm(Struct, frozen=True):
    """What one outcome, or one opponent in it, adds to a competitor's value of a tie-break."""

    round: int
    value: int
    opponent: str | None = None
    counts: bool = True
    """Whether it is part of the sum. `buchholz_cut` and `buchholz_median` leave some terms out."""


class StandingPlace(Struct, frozen=True):
    """A competitor's place in the standing."""

    id: str
    rank: int | None
    """From 1. Competitors who are equal in everything share a rank. None: they are out of the standing."""
    won: int
    values: tuple[int | None, ...]
    """The values of the tie-breaks, in their order. Higher is better; None: not all who are tied have met."""
    lost: int = 0
    byes: int = 0
    group: int | None = None
    """Their group, from 1; None outside of groups."""
    group_rank: int | None = None
    """Rank in the group."""
    reached: int | None = None
    """The last published round in which they have a row of the bracket of a knock-out."""


def standing(
    outcomes: Outcomes, tie_breaks: Sequence[TieBreak], out: Collection[str] = frozenset()
) -> list[StandingPlace]:
    """The places by rank, best first. Competitors who share a rank are in the order of their ids.

    `out`: competitors who have no rank. They come last.
    """
    ranked = _ranked({id_: found for id_, found in outcomes.items() if id_ not in out}, tie_breaks)
    without = _ranked({id_: found for id_, found in outcomes.items() if id_ in out}, tie_breaks)
    return [*ranked, *(replace(place, rank=None) for place in without)]


def ranks_of(outcomes: Outcomes, tie_breaks: Sequence[TieBreak]) -> dict[str, int]:
    """The rank of each competitor."""
    return {place.id: place.rank for place in _ranked(outcomes, tie_breaks) if place.rank is not None}


class _MatchesWon(dict[str, int]):
    """Matches won by competitor, counted when first asked for: many have the same opponents."""

    def __init__(self, outcomes: Outcomes) -> None:
        super().__init__()
        self._outcomes = outcomes

    def __missing__(self, id_: str) -> int:
        self[id_] = won(self._outcomes[id_])
        return self[id_]


def rank_of(
    competitor: str,
    outcomes: Outcomes,
    wins: Mapping[str, int],
    tie_breaks: Sequence[TieBreak],
    out: Collection[str] = frozenset(),
) -> int | None:
    """The rank that a competitor has in `standing`. Only those who are level with them so far are compared.

    `wins`: matches won by competitor.
    """
    if competitor in out:
        return None
    level: Sequence[str] = [id_ for id_ in outcomes if id_ not in out]
    rank = 1

    def narrow(values: Mapping[str, int | None]) -> None:
        nonlocal level, rank
        own = values[competitor]
        rank += sum((each or 0) > (own or 0) for each in values.values())
        level = [id_ for id_ in level if values[id_] == own]

    narrow({id_: wins[id_] for id_ in level})
    for tie_break in tie_breaks:
        if len(level) > 1:
            narrow(_values(tie_break, level, outcomes, wins))
    return rank


def who_has_rank(
    rank: int,
    outcomes: Outcomes,
    wins: Mapping[str, int],
    tie_breaks: Sequence[TieBreak],
    out: Collection[str] = frozenset(),
) -> tuple[int, Sequence[str]]:
    """How many have a better rank than this one in `standing`, and who has it.

    Only those who may have it are compared. `wins`: matches won by competitor.
    """
    better, level = 0, [id_ for id_ in outcomes if id_ not in out]
    values: Mapping[str, int | None] = wins
    for tie_break in (None, *tie_breaks):
        if tie_break is not None and len(level) > 1:
            values = _values(tie_break, level, outcomes, wins)
        for alike in _split([level], values.__getitem__):
            level = alike
            if better + len(alike) >= rank:
                break
            better += len(alike)
        else:
            return better, ()  # there are fewer
    return (better, level) if better + 1 == rank else (better + len(level), ())


def _values(
    tie_break: TieBreak, tied: Sequence[str], outcomes: Outcomes, wins: Mapping[str, int]
) -> Mapping[str, int | None]:
    """The values of all who are tied."""
    if tie_break == "direct" and not _have_met(outcomes, tied):
        return dict.fromkeys(tied)
    return {id_: _value(tie_break, id_, outcomes, tied, wins) for id_ in tied}


def _ranked(outcomes: Outcomes, tie_breaks: Sequence[TieBreak]) -> list[StandingPlace]:
    wins = _MatchesWon(outcomes)
    groups = _split([sorted(outcomes)], wins.__getitem__)
    values: dict[str, list[int | None]] = {id_: [] for id_ in outcomes}
    for tie_break in tie_breaks:
        for group in groups:
            for id_, found in _values(tie_break, group, outcomes, wins).items():
                values[id_].append(found)
        groups = _split(groups, lambda id_: values[id_][-1])
    places, rank = [], 1
    for group in groups:
        places += [_place(id_, rank, wins[id_], outcomes[id_], tuple(values[id_])) for id_ in group]
        rank += len(group)
    return places


def _place(
    id_: str, rank: int, wins: int, own: Sequence[RoundOutcome], values: tuple[int | None, ...]
) -> StandingPlace:
    return StandingPlace(id_, rank, wins, values, sum([one.lost for one in own]), _byes(own))


def won(outcomes: Iterable[RoundOutcome]) -> int:
    """How many matches were won."""
    return sum([one.won for one in outcomes])


def value(tie_break: TieBreak, competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> int | None:
    """A competitor's value of a tie-break; higher is better. `tied`: ids of all who are equal so far.

    None for `direct` if not all who are tied have met.
    """
    if tie_break == "direct" and not _have_met(outcomes, tied):
        return None
    return _value(tie_break, competitor, outcomes, tied, _MatchesWon(outcomes))


def _value(
    tie_break: TieBreak, competitor: str, outcomes: Outcomes, tied: Sequence[str], wins: Mapping[str, int]
) -> int:
    """A competitor's value of a tie-break. For `direct` all who are tied have met. `wins`: matches won."""
    return _TIE_BREAKS[tie_break].value(competitor, outcomes[competitor], tied, wins)


def _direct_wins(own: Sequence[RoundOutcome], tied: Sequence[str]) -> int:
    among = set(tied)
    return sum([id_ in among for one in own if one.won for id_ in one.opponents])


def _added(competitor: str, own: Sequence[RoundOutcome], wins: Mapping[str, int]) -> list[int]:
    """What the terms of `buchholz` add."""
    added = [wins[id_] for one in own for id_ in one.opponents]
    return added + [wins[competitor] for one in own if one.adds_own_wins]


def _byes(own: Sequence[RoundOutcome]) -> int:
    return sum([one.kind == "bye" for one in own])


def as_read(tie_break: TieBreak, value: int | None, rules: RulesVersion) -> int | None:
    """The value of a tie-break as exports and the API say it: from version 2, byes are said as their number.

    Tournaments of version 1 keep what was said of them: minus one for each bye, and 0 where not all have met.
    """
    if rules == 1:
        return value or 0
    return -value if tie_break == "fewest_byes" and value is not None else value


def terms(tie_break: TieBreak, competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> list[TieBreakTerm]:
    """The terms of a competitor's value of a tie-break, in the order of the rounds."""
    if tie_break == "direct" and not _have_met(outcomes, tied):
        return []
    return _TIE_BREAKS[tie_break].terms(competitor, outcomes, tied, _MatchesWon(outcomes))


def _sonneborn_berger(competitor: str, outcomes: Outcomes, wins: Mapping[str, int]) -> list[TieBreakTerm]:
    """Each beaten opponent adds the matches that they have won."""
    beaten = [one for one in outcomes[competitor] if one.won]
    return [TieBreakTerm(one.round, wins[id_], id_) for one in beaten for id_ in one.opponents]


def _buchholz(competitor: str, outcomes: Outcomes, wins: Mapping[str, int]) -> list[TieBreakTerm]:
    """Each opponent adds the matches that they have won. Where there was none, the competitor's own wins may count."""
    found: list[TieBreakTerm] = []
    for one in outcomes[competitor]:
        found += [TieBreakTerm(one.round, wins[id_], id_) for id_ in one.opponents]
        if one.adds_own_wins:
            found.append(TieBreakTerm(one.round, wins[competitor]))
    return found


def _without(found: Sequence[TieBreakTerm], lowest: int, highest: int) -> list[TieBreakTerm]:
    """All terms. The lowest and the highest ones do not count; among equal terms the earliest is left out."""
    ordered = sorted(range(len(found)), key=lambda at: found[at].value)
    left_out = set(ordered[:lowest])
    rest = sorted((at for at in ordered if at not in left_out), key=lambda at: -found[at].value)
    left_out |= set(rest[:highest])
    return [
        TieBreakTerm(part.round, part.value, part.opponent, counts=at not in left_out) for at, part in enumerate(found)
    ]


def _have_met(outcomes: Outcomes, tied: Sequence[str]) -> bool:
    """Whether all who are tied have met each other at tables that count."""
    among = set(tied)
    return all(among <= {id_, *(other for one in outcomes[id_] for other in one.opponents)} for id_ in tied)


def _direct(competitor: str, outcomes: Outcomes, tied: Sequence[str]) -> list[TieBreakTerm]:
    """The matches won against those still tied, who have all met each other."""
    among = set(tied)
    return [
        TieBreakTerm(one.round, int(one.won), other)
        for one in outcomes[competitor]
        for other in one.opponents
        if other in among
    ]


class _Counted(NamedTuple):
    """How a tie-break counts. It has the sum apart, because making the terms of 1,000 competitors takes long."""

    value: Callable[[str, Sequence[RoundOutcome], Sequence[str], Mapping[str, int]], int]
    """The sum, from the id, its outcomes, all who are tied, and the matches won."""
    terms: Callable[[str, Outcomes, Sequence[str], Mapping[str, int]], list[TieBreakTerm]]
    """The terms of the sum, for people."""


_TIE_BREAKS: Mapping[TieBreak, _Counted] = {
    "difference": _Counted(
        lambda _, own, *__: sum([one.difference for one in own]),
        lambda id_, outcomes, *_: [TieBreakTerm(one.round, one.difference) for one in outcomes[id_]],
    ),
    "points_for": _Counted(
        lambda _, own, *__: sum([one.own for one in own]),
        lambda id_, outcomes, *_: [TieBreakTerm(one.round, one.own) for one in outcomes[id_]],
    ),
    "buchholz": _Counted(
        lambda id_, own, _, wins: sum(_added(id_, own, wins)),
        lambda id_, outcomes, _, wins: _buchholz(id_, outcomes, wins),
    ),
    "buchholz_cut": _Counted(
        lambda id_, own, _, wins: sum(sorted(_added(id_, own, wins))[1:]),
        lambda id_, outcomes, _, wins: _without(_buchholz(id_, outcomes, wins), lowest=1, highest=0),
    ),
    "buchholz_median": _Counted(
        lambda id_, own, _, wins: sum(sorted(_added(id_, own, wins))[1:-1]),
        lambda id_, outcomes, _, wins: _without(_buchholz(id_, outcomes, wins), lowest=1, highest=1),
    ),
    "sonneborn_berger": _Counted(
        lambda _, own, __, wins: sum([wins[other] for one in own if one.won for other in one.opponents]),
        lambda id_, outcomes, _, wins: _sonneborn_berger(id_, outcomes, wins),
    ),
    "direct": _Counted(
        lambda _, own, tied, __: _direct_wins(own, tied), lambda id_, outcomes, tied, _: _direct(id_, outcomes, tied)
    ),
    "best_hand": _Counted(
        lambda _, own, *__: max([one.best_hand for one in own], default=0),
        lambda id_, outcomes, *_: [TieBreakTerm(one.round, one.best_hand) for one in outcomes[id_]],
    ),
    "fewest_byes": _Counted(
        lambda _, own, *__: -_byes(own),
        lambda id_, outcomes, *_: [TieBreakTerm(one.round, -1) for one in outcomes[id_] if one.kind == "bye"],
    ),
}


def _split(groups: Sequence[Sequence[str]], value_of: Callable[[str], int | None]) -> list[list[str]]:
    """Split each group by value, higher values first."""
    found: list[list[str]] = []
    for group in groups:
        alike: dict[int | None, list[str]] = {}
        for id_ in group:
            alike.setdefault(value_of(id_), []).append(id_)
        found += [alike[each] for each in sorted(alike, key=lambda each: each or 0, reverse=True)]
    return found
