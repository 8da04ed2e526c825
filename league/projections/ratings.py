"""Fold 2, the league: decided matches in the order (decided, match id), one rating change after the other."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct

from league.domain.rating import (
    ModifierTerm,
    capped,
    expected_score,
    k_factor,
    modifier_terms,
    overall_rating,
    rating_after,
)
from league.domain.rules import Rating
from league.projections.decided import DecidedMatch

Subject = tuple[str, str, str]
"""`player` or `team`; the id; the mode."""

RATED_MODES = ("1v1", "2v2")


class Change(Struct, frozen=True, array_like=True):
    """One rating change, with every term of it: `after` is `before + k * ((outcome + modifier) - expected)`."""

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
    modifier_terms: tuple[ModifierTerm, ...]
    capped: bool
    opponents: float
    """The rating that `expected` met."""
    own: float
    """The rating that `expected` read for the own side."""
    matches_before: int
    edition: str
    position: int


class Standing(Struct, array_like=True):
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


class LeagueState(Struct):
    """All that later matches read of earlier ones; it grows with players, never with matches."""

    standings: dict[str, Standing] = {}
    """By `subject|mode|id`."""
    last_seen: dict[str, datetime] = {}
    """By player, the latest decided match of any kind."""
    edition: str | None = None
    """Of the latest decided match: it says how ratings are shown (provisional, overall)."""


def key_of(subject: Subject) -> str:
    """The key of a subject in the state."""
    kind, id_, mode = subject
    return f"{kind}|{mode}|{id_}"


def team_id(players: tuple[str, ...]) -> str:
    """The id of a fixed pair: its two player ids, sorted and joined by `+`, whatever their seats."""
    return "+".join(sorted(players))


def evolve(state: LeagueState, match: DecidedMatch, rules: Rating) -> list[Change]:
    """Take one decided match into the state and return its rating changes (CDS text, whole).

    Changes `state` in place: to copy the standings of every player for each match would make the fold many times
    slower. Apart from that it reads its arguments only; no I/O, no clock.
    """
    state.edition = match.edition
    for side in match.sides:
        for player in side:
            state.last_seen[player] = match.decided_at
    if match.mode == "individuals":
        return []
    changes = list(_player_changes(state, match, rules))
    if match.mode == "2v2":
        changes += _team_changes(state, match, rules)
    for change in changes:
        standing = Standing(change.after, change.matches_before + 1, match.decided_at)
        state.standings[key_of((change.subject, change.id, change.mode))] = standing
    return changes


def _standing(state: LeagueState, subject: Subject, rules: Rating) -> tuple[float, int]:
    found = state.standings.get(key_of(subject))
    return (found.rating, found.matches) if found else (float(rules.start), 0)


def _player_changes(state: LeagueState, match: DecidedMatch, rules: Rating) -> Iterator[Change]:
    before = [[_standing(state, ("player", p, match.mode), rules) for p in side] for side in match.sides]
    averages = [sum(rating for rating, _ in side) / len(side) for side in before]
    for number, side in enumerate(match.sides):
        meeting = Meeting(averages[number], averages[1 - number])
        for player, (rating, matches) in zip(side, before[number], strict=True):
            own = rating if rules.expected == "own_vs_side_average" else meeting.own
            subject = ("player", player, match.mode)
            yield _change(match, rules, subject, rating, matches, own, meeting, won=number == match.winner)


def _team_changes(state: LeagueState, match: DecidedMatch, rules: Rating) -> Iterator[Change]:
    teams = [("team", team_id(side), match.mode) for side in match.sides]
    before = [_standing(state, team, rules) for team in teams]
    for number, team in enumerate(teams):
        (own, matches), (opponents, _) = before[number], before[1 - number]
        yield _change(match, rules, team, own, matches, own, Meeting(own, opponents), won=number == match.winner)


class Meeting(NamedTuple):
    """The ratings of the two sides, as one of them sees it."""

    own: float
    opponents: float


def _change(
    match: DecidedMatch,
    rules: Rating,
    subject: Subject,
    before: float,
    matches: int,
    own: float,
    meeting: Meeting,
    *,
    won: bool,
) -> Change:
    k_rule, k = k_factor(before, matches, match.competition, rules)
    expected = expected_score(own, meeting.opponents, float(rules.scale))
    terms: list[ModifierTerm] = []
    if match.status != "forfeited":
        terms = modifier_terms(
            won, match.achievements, match.difference, match.ruleset, meeting.own, meeting.opponents, rules
        )
    total = sum((value for _, value in terms), Decimal(0))
    kept = capped(total, rules)
    outcome, modifier = float(won), float(kept)
    return Change(
        decided_at=match.decided_at,
        match=match.match,
        mode=match.mode,
        subject=subject[0],
        id=subject[1],
        before=before,
        after=rating_after(before, float(k), outcome, modifier, expected),
        k=float(k),
        k_rule=k_rule,
        outcome=outcome,
        expected=expected,
        modifier=modifier,
        modifier_terms=tuple(terms),
        capped=kept != total,
        opponents=meeting.opponents,
        own=own,
        matches_before=matches,
        edition=match.edition,
        position=match.position,
    )


def subjects_of(state: LeagueState) -> set[tuple[str, str]]:
    """Everybody and every team with a rating."""
    return {(kind, id_) for kind, _, id_ in (key.split("|", 2) for key in state.standings)}


def rating_rows(state: LeagueState, subject: str, id_: str, rules: Rating) -> list[RatingRow]:
    """The rows that show a player or a team: one a mode that was played, and a player's overall rating."""
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
