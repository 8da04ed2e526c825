"""Results of matches and of their hands that differ between two runs, and which rules make the difference."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, SmallInteger, column, func, literal, or_, select
from sqlalchemy.dialects.postgresql import distinct_on

from league.domain.refusals import NotFound
from league.projections import tables as t
from league.projections.difference.two_runs import (
    DifferenceList,
    TwoRuns,
    before_and_after,
    joined,
    listed,
    rows_of,
    same_names,
)
from league.projections.queries.catalogue import all_seasons
from league.projections.queries.pages import Order, Query, grouped, typed
from league.projections.queries.series import month_named
from league.projections.queries.snapshot import Snapshot

m, h = t.matches.c, t.hands.c


class ResultRow(NamedTuple):
    """The result of a match in two runs; None where a run does not have it."""

    match_id: str
    ruleset: str
    mode: str
    began_at: datetime
    decided_at_before: datetime | None
    decided_at_after: datetime | None
    winner_before: int | None
    winner_after: int | None
    score_before: list[int] | None
    score_after: list[int] | None
    status_before: str | None
    status_after: str | None
    # a JSON document: [side, rule, points], added to the score of the match and to no hand
    terms_before: list[list[Any]] | None
    terms_after: list[list[Any]] | None
    edition_before: str | None
    """The hash of the edition under which the run scores the match."""
    edition_after: str | None


class BeganIn(Struct, frozen=True):
    """A span of time in which matches began; `to` is exclusive, and None where the span has no end."""

    from_: datetime
    to: datetime | None


def _wanted(mode: str | None, player: str | None, began: BeganIn | None) -> list[ColumnElement[bool]]:
    """Conditions on matches."""
    wanted: list[ColumnElement[bool]] = [] if mode is None else [m.mode == mode]
    wanted += [] if player is None else [literal(player) == func.any(m.seats)]
    wanted += [] if began is None else [m.began_at >= began.from_]
    return wanted if began is None or began.to is None else [*wanted, m.began_at < began.to]


def results(two: TwoRuns, *, mode: str | None = None, player: str | None = None, began: BeganIn | None = None) -> Query:
    """Rows of ResultRow: matches with a different winner, score or status."""
    rows, differs = _both_results(two, *_wanted(mode, player, began))
    return listed(rows.where(differs))


def result_of(conn: Connection, two: TwoRuns, match: str) -> ResultRow | None:
    """The result of a match in two runs, also if it is the same; None if neither run has the match."""
    rows, _ = _both_results(two, m.match_id == match)
    return next(typed(ResultRow, conn.execute(rows)), None)


def _both_results(two: TwoRuns, *wanted: ColumnElement[bool]) -> tuple[Query, ColumnElement[bool]]:
    """The results in both runs, and whether they differ."""
    of_first, of_second = rows_of(t.matches, two, *wanted)
    both, _ = joined(of_first, of_second, "match_id")
    either = ("match_id", "ruleset", "mode", "began_at")
    rows = select(
        *(func.coalesce(of_first.c[name], of_second.c[name]).label(name) for name in either),
        *before_and_after(of_first, of_second, "decided_at", "winner", "score", "status", "terms", "edition"),
    )
    differs = (of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("winner", "score", "status"))
    return rows.select_from(both), or_(*differs)


RESULTS = DifferenceList(
    ResultRow,
    results,
    {"by_beginning": Order((column("began_at", t.Time), column("match_id", t.Id)))},
    {
        "match": "match_id",
        **same_names("ruleset", "mode", "decided_at_before", "decided_at_after", "winner_before", "winner_after"),
        **same_names("score_before", "score_after", "status_before", "status_after", "terms_before", "terms_after"),
    },
)


# ---------------------------------------------------------------- hands


class HandMoveRow(NamedTuple):
    """A hand in two runs; None where a run does not score it."""

    match_id: str
    hand: int
    position: int
    """The position of the event that recorded or last corrected the hand."""
    winner_before: int | None
    winner_after: int | None
    points_before: list[int] | None
    points_after: list[int] | None
    counted_before: bool | None
    counted_after: bool | None
    terms_before: list[list[Any]] | None  # a JSON document: [side, rule, points] of each
    terms_after: list[list[Any]] | None


class FirstHand(NamedTuple):
    """The first hand of a match that is scored differently, and how many of its hands are."""

    hand: HandMoveRow
    hands: int


def other_hands(
    two: TwoRuns,
    matches: Sequence[str] | None = None,
    *,
    mode: str | None = None,
    player: str | None = None,
    began: BeganIn | None = None,
) -> Query:
    """Rows of HandMoveRow: hands with a different winner or different points, or that count in one run only.

    `matches`: only hands of these matches; None: all.
    """
    wanted = [] if matches is None else [h.match_id.in_(matches)]
    if of_match := _wanted(mode, player, began):
        theirs = select(m.match_id).where(m.run.in_((two.first, two.second)), *of_match)
        wanted.append(h.match_id.in_(theirs))
    of_first, of_second = rows_of(t.hands, two, *wanted)
    both, key = joined(of_first, of_second, "match_id", "hand")
    # A corrected hand shows the position of its correction.
    position = func.greatest(of_first.c.position, of_second.c.position).label("position")
    rows = select(*key, position, *before_and_after(of_first, of_second, "winner", "points", "counted", "terms"))
    differs = (of_first.c[name].is_distinct_from(of_second.c[name]) for name in ("winner", "points", "counted"))
    return listed(rows.select_from(both).where(or_(*differs)))


def first_hands(conn: Connection, two: TwoRuns, matches: Sequence[str]) -> Mapping[str, FirstHand]:
    """The first hand of each match that is scored differently, and the number of such hands."""
    rows = other_hands(two, matches).subquery()
    query = (
        select(rows, func.count().over(partition_by=rows.c.match_id).label("hands"))
        .ext(distinct_on(rows.c.match_id))
        .order_by(rows.c.match_id, rows.c.hand)
    )
    found = conn.execute(query).all()
    hands = typed(HandMoveRow, found)
    return {hand.match_id: FirstHand(hand, row.hands) for row, hand in zip(found, hands, strict=True)}


def hands_of_matches(conn: Connection, two: TwoRuns, matches: Sequence[str]) -> Mapping[str, list[HandMoveRow]]:
    """The hands of each match that are scored differently, in order."""
    rows = conn.execute(other_hands(two, matches).order_by("match_id", "hand"))
    return grouped(matches, ((row.match_id, row) for row in typed(HandMoveRow, rows)))


HANDS = DifferenceList(
    HandMoveRow,
    other_hands,
    {"by_match": Order((column("match_id", t.Id), column("hand", SmallInteger())))},
    {
        "match": "match_id",
        **same_names("hand", "position", "winner_before", "winner_after", "points_before", "points_after"),
        **same_names("counted_before", "counted_after", "terms_before", "terms_after"),
    },
)


# ---------------------------------------------------------------- what makes a score another


class OtherScore(Struct, frozen=True):
    """Points of a side by one rule in a match, where two runs give different ones; only hands that count are added."""

    side: int
    rule: str
    before: int
    after: int


class ScoreComparison(Struct, frozen=True):
    """What differs in how the score of a match comes about."""

    scores: tuple[OtherScore, ...]
    hands_before: int
    """Hands that count in the first run."""
    hands_after: int


def score_comparisons(conn: Connection, two: TwoRuns, matches: Sequence[str]) -> Mapping[str, ScoreComparison]:
    """The rules that give a side of each match other points, and how many of its hands count."""
    of_matches = select(m.run, m.match_id, m.terms).where(m.match_id.in_(matches))
    of_hands = select(h.run, h.match_id, h.terms).where(h.match_id.in_(matches), h.counted)
    points: Counter[tuple[str, int, str, int]] = Counter()
    hands: Counter[tuple[str, int]] = Counter()
    for query, is_hand in ((of_matches, False), (of_hands, True)):
        run = query.selected_columns.run
        for row in conn.execute(query.where(run.in_((two.first, two.second)))):
            hands[row.match_id, row.run] += is_hand
            for side, rule, more in row.terms:
                points[row.match_id, side, rule, row.run] += more
    keys: dict[str, dict[tuple[int, str], None]] = {match: {} for match in matches}
    for match, side, rule, _ in points:
        keys[match][side, rule] = None
    return {
        match: ScoreComparison(
            tuple(
                OtherScore(side, rule, before, after)
                for side, rule in sorted(of_match)
                for before, after in ((points[match, side, rule, two.first], points[match, side, rule, two.second]),)
                if before != after
            ),
            hands[match, two.first],
            hands[match, two.second],
        )
        for match, of_match in keys.items()
    }


def began_in(snapshot: Snapshot, season: str | None, month: str | None) -> BeganIn | None:
    """The span of a season, of a month, or what they share; None without either. Raises InvalidInput, NotFound."""
    spans: list[BeganIn] = []
    if season is not None:
        found = next((row for row in all_seasons(snapshot) if row.season_id == season), None)
        if found is None:
            raise NotFound("season", "season", season)
        spans.append(BeganIn(found.starts_at, found.ends_at))
    if month is not None:
        named = month_named(snapshot, "1v1", month)
        spans.append(BeganIn(named.starts_at, named.ends_at))
    if not spans:
        return None
    ends = [span.to for span in spans if span.to is not None]
    return BeganIn(max(span.from_ for span in spans), min(ends) if ends else None)
