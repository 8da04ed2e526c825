"""Fold 2, the league: decided matches in the order (decided, match id) become rating changes, and games of the series.

A game of the monthly series is a decided match between two competitors, in the month in which it began.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import chain
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from league.domain.rating import Earned, RatingFormula, earned_in, overall_rating, rate
from league.domain.rules import RatingRules, SeriesRules
from league.domain.seating import competitor_of
from league.domain.series import Encounter, game_points, is_locked, series_points, stake
from league.projections.folds.match_fold import DecidedMatch

Subject = tuple[str, str, str]
"""`player` or `team`; the id; the mode."""

RATED_MODES = ("1v1", "2v2")


BEYOND_LIMIT = "beyond_limit"
"""Why a game counts zero; any other reason is the name of a competition that the edition does not count."""


# ---------------------------------------------------------------- ratings


class LedgerChange(Struct, frozen=True, gc=False, array_like=True):
    """One rating change, with every term of it: `after` is `before + k * ((outcome + modifier) - expected)`.

    The fields are in the order of the columns of the table `changes`, since rows are made of them in this order.
    """

    decided_at: datetime
    match: str
    mode: str
    subject: str
    id: str
    before: float
    after: float
    k: float
    k_rule: str
    outcome: float
    expected: float
    modifier: float
    modifier_terms: tuple[tuple[str, float], ...]
    capped: bool
    opponents: float
    """The opponents' rating that `expected` was computed from."""
    own: float
    """The rating of the subject's own side that `expected` was computed from."""
    matches_before: int
    edition: str
    position: int


class RatedStanding(Struct, array_like=True):
    """A subject's rating in one mode."""

    rating: float
    matches: int
    last_decided_at: datetime


class RatingRow(Struct, frozen=True, array_like=True):
    """A row of the table of ratings."""

    mode: str
    subject: str
    id: str
    rating: float
    matches: int
    provisional: bool
    last_decided_at: datetime


class RatingState(Struct):
    """The state that later matches need from earlier ones. It grows with the players, never with the matches."""

    standings: dict[str, RatedStanding] = {}
    """Ratings by key, which is `subject|mode|id`."""
    last_seen: dict[str, datetime] = {}
    """When each player's latest match of any kind was decided."""
    edition: str | None = None
    """The edition of the latest decided match: it defines how ratings are displayed (provisional, overall)."""


def key_of(subject: Subject) -> str:
    """The key of a subject in the state."""
    kind, id_, mode = subject
    return f"{kind}|{mode}|{id_}"


def evolve(state: RatingState, match: DecidedMatch, formula: RatingFormula) -> list[LedgerChange]:
    """Apply one decided match to the state and return its rating changes (CDS text, whole).

    Changes `state` in place: copying the standings of every player for each match would make the fold many times
    slower. Otherwise pure: no I/O, no clock.
    """
    state.edition = match.edition
    for side in match.sides:
        for player in side:
            state.last_seen[player] = match.decided_at
    if match.mode == "individuals":
        return []
    earned = None
    if match.status != "forfeited":
        earned = earned_in(match.achievements, match.difference, match.ruleset, formula)
    changes = _changes(state, match, "player", match.sides, earned, formula)
    if match.mode == "2v2":
        changes += _changes(state, match, "team", [(competitor_of(side),) for side in match.sides], earned, formula)
    return changes


def _changes(
    state: RatingState,
    match: DecidedMatch,
    subject: str,
    sides: Sequence[Sequence[str]],
    earned: Earned | None,
    formula: RatingFormula,
) -> list[LedgerChange]:
    """The rating changes of the match's players, or of its teams. `earned` is None for a forfeited match."""
    standings = state.standings
    keys = [[key_of((subject, id_, match.mode)) for id_ in side] for side in sides]
    before = [
        [(found.rating, found.matches) if (found := standings.get(key)) else (formula.start, 0) for key in side]
        for side in keys
    ]
    rated = rate(before, match.winner, match.competition, earned, formula)
    changes = []
    for key, id_, r in zip(chain(*keys), chain(*sides), rated, strict=True):
        standings[key] = RatedStanding(r.after, r.matches_before + 1, match.decided_at)
        change = LedgerChange(
            decided_at=match.decided_at,
            match=match.match,
            mode=match.mode,
            subject=subject,
            id=id_,
            before=r.before,
            after=r.after,
            k=r.k,
            k_rule=r.k_rule,
            outcome=r.outcome,
            expected=r.expected,
            modifier=r.modifier,
            modifier_terms=tuple([(rule, units / formula.one) for rule, units in r.terms]),
            capped=r.capped,
            opponents=r.opponents,
            own=r.own,
            matches_before=r.matches_before,
            edition=match.edition,
            position=match.position,
        )
        changes.append(change)
    return changes


def subjects_of(state: RatingState) -> set[tuple[str, str]]:
    """Every player and every team with a rating."""
    return {(kind, id_) for kind, _, id_ in (key.split("|", 2) for key in state.standings)}


def rating_rows(state: RatingState, subject: str, id_: str, rules: RatingRules) -> list[RatingRow]:
    """The rating rows of a player or a team: one per mode played, and a player's overall rating."""
    played = [(mode, s) for mode in RATED_MODES if (s := state.standings.get(key_of((subject, id_, mode))))]
    rows = [
        RatingRow(mode, subject, id_, s.rating, s.matches, s.matches < rules.provisional_below, s.last_decided_at)
        for mode, s in played
    ]
    if subject == "player" and rows:
        overall = rows[0].rating
        if len(rows) == len(RATED_MODES):
            a, b = rows
            overall = overall_rating(a.rating, a.matches, b.rating, b.matches, rules.overall)
        matches = sum(row.matches for row in rows)
        provisional = all(row.provisional for row in rows)
        rows.append(RatingRow("overall", subject, id_, overall, matches, provisional, state.last_seen[id_]))
    return rows


# ---------------------------------------------------------------- the monthly series


class SeriesGame(Struct, frozen=True, gc=False, array_like=True):
    """A decided match in the series of its month."""

    encounter: Encounter
    match: str
    decided_at: datetime
    a_won: bool
    counts_zero: str | None
    """The reason for counting zero; None if the game counts."""
    edition: str

    @property
    def takes_part(self) -> bool:
        """Whether it is a game of the series, including games beyond the limit."""
        return takes_part(self.counts_zero)


class PairTally(Struct, frozen=True, gc=False):
    """The games and points of two competitors against each other in a month. Points are `a`'s; `b` has the negative.

    The fields are in the order of the last columns of the table `series_pairs`, since rows are made of them.
    """

    entered_at: datetime
    entered_match: str
    start: int
    """The entry points of either competitor, if this was the first game of their month."""
    a_wins: int = 0
    b_wins: int = 0
    ignored: int = 0
    """Games beyond the limit."""
    a_series_points: int = 0
    a_game_points: int = 0
    locked: bool = False
    stake: int = 0
    """The difference between winning and losing the next game."""


def game_of(pair: PairTally | None, match: DecidedMatch, rules: SeriesRules, zone: ZoneInfo) -> SeriesGame:
    """The series game of a match between two players or two pairs; `pair`: their earlier games of the month."""
    encounter = encounter_of(match, zone)
    why: str | None = None
    if match.competition not in rules.competitions:
        why = match.competition
    elif pair is not None and is_locked(pair.a_wins, pair.b_wins, rules):
        why = BEYOND_LIMIT
    a_won = encounter.a == competitor_of(match.sides[match.winner])
    return SeriesGame(encounter, match.match, match.decided_at, a_won, why, match.edition)


def takes_part(counts_zero: str | None) -> bool:
    """Whether a game that counts zero for this reason (None: it counts) belongs to a competition that counts."""
    return counts_zero is None or counts_zero == BEYOND_LIMIT


def encounter_of(match: DecidedMatch, zone: ZoneInfo) -> Encounter:
    """Who met in which month."""
    return Encounter.of(match.mode, match.sides, match.began_at, zone)


def after_game(pair: PairTally | None, game: SeriesGame, rules: SeriesRules) -> PairTally | None:
    """The pair after a game. Points are recomputed, not added up, under the rules of the latest game."""
    if not game.takes_part:
        return pair
    if pair is None:
        pair = PairTally(game.decided_at, game.match, rules.start)
    ignored = pair.ignored + (game.counts_zero == BEYOND_LIMIT)
    a_wins = pair.a_wins + (game.a_won and game.counts_zero is None)
    b_wins = pair.b_wins + (not game.a_won and game.counts_zero is None)
    return replace(
        pair,
        a_wins=a_wins,
        b_wins=b_wins,
        ignored=ignored,
        a_series_points=series_points(a_wins, b_wins, rules),
        a_game_points=game_points(a_wins, b_wins, rules),
        locked=is_locked(a_wins, b_wins, rules),
        stake=stake(a_wins, b_wins, rules),
    )
