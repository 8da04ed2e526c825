"""Rating boards under other rules, with the moves from the official ones."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select

from league.domain.rating import overall_rating
from league.domain.rules import Rulebook
from league.lab.projections.columns import EPOCH, MICROSECOND
from league.lab.projections.kernel import Rated
from league.lab.projections.trial import Trial
from league.projections import tables as t
from league.projections.boards.board import Board, is_of_region
from league.projections.boards.definitions import BOARDS
from league.projections.boards.ratings import RatingBoard
from league.projections.folds.match_fold import Rules
from league.projections.queries.snapshot import Snapshot

r = t.ratings.c


class TriedPlace(NamedTuple):
    """A competitor on a rating board under the tried rules, and under those in force."""

    id: str
    rank: int | None
    """None while provisional."""
    value: float
    matches: int
    provisional: bool
    last_decided_at: datetime
    rank_before: int | None
    value_before: float

    @property
    def change(self) -> float:
        """Rating points gained."""
        return self.value - self.value_before


class _Value(NamedTuple):
    value: float
    matches: int
    provisional: bool


def tried_board(snapshot: Snapshot, board: Board, trial: Trial) -> list[TriedPlace]:
    """A whole rating board, in its order."""
    definition = BOARDS[board.kind]
    assert isinstance(definition, RatingBoard), "other boards do not read ratings"
    listed = _listed(snapshot, board, definition)
    before = _values(definition, listed, trial, trial.before, trial.rules)
    after = _values(definition, listed, trial, trial.after, trial.tried)
    ranks_before, ranks = _ranks(before), _ranks(after)
    in_order = sorted(after, key=lambda id_: (after[id_].provisional, -after[id_].value, id_))
    return [
        TriedPlace(id_, ranks.get(id_), *after[id_], listed[id_], ranks_before.get(id_), before[id_].value)
        for id_ in in_order
    ]


def _listed(snapshot: Snapshot, board: Board, definition: RatingBoard) -> Mapping[str, datetime]:
    """Who is on the board, which no rating decides, and when their latest match was decided."""
    assert snapshot.shown is not None, "there is a match"
    query = select(r.id, r.last_decided_at).where(
        r.run == snapshot.run, r.subject == definition.subject, r.mode == definition.mode
    )
    if not board.include_inactive:
        query = query.where(r.last_decided_at >= snapshot.shown.active_since)
    if board.region is not None:
        query = query.where(is_of_region(definition.subject, r.id, board.region))
    return {row.id: row.last_decided_at for row in snapshot.conn.execute(query)}


def _values(
    definition: RatingBoard, listed: Mapping[str, datetime], trial: Trial, rated: Rated, rules: Rules
) -> dict[str, _Value]:
    rulebook = shown_under(trial, rules)
    by_mode: list[dict[str, _Value]] = []
    for mode in definition.modes:
        found = {}
        for id_ in listed:
            number = trial.columns.number_of((definition.subject, id_, mode))
            if number is not None and rated.played[number]:
                matches = int(rated.played[number])
                found[id_] = _Value(float(rated.ratings[number]), matches, matches < rulebook.rating.provisional_below)
        by_mode.append(found)
    if len(by_mode) == 1:
        return by_mode[0]
    a, b = by_mode
    return {id_: _overall(a.get(id_), b.get(id_), rulebook) for id_ in listed}


def _overall(a: _Value | None, b: _Value | None, rulebook: Rulebook) -> _Value:
    if a is None or b is None:
        found = a or b
        assert found is not None, "who is on the board has a rating"
        return found
    value = overall_rating(a.value, a.matches, b.value, b.matches, rulebook.rating.overall)
    return _Value(value, a.matches + b.matches, a.provisional and b.provisional)


def shown_under(trial: Trial, rules: Rules) -> Rulebook:
    """The edition of the latest decided match: it decides how ratings are shown."""
    return rules.at(EPOCH + trial.columns.began_at[-1] * MICROSECOND).rulebook


def _ranks(values: Mapping[str, _Value]) -> dict[str, int]:
    """Of established competitors, from 1, shared by equal values."""
    established = sorted((-one.value, id_) for id_, one in values.items() if not one.provisional)
    ranks: dict[str, int] = {}
    rank, last = 0, None
    for number, (below, id_) in enumerate(established, 1):
        if below != last:
            rank, last = number, below
        ranks[id_] = rank
    return ranks
