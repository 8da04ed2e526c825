"""Rows of a difference: a rating, a place, a standing, an encounter or a badge in each of two runs."""

from datetime import datetime
from enum import Enum
from typing import Any, Self

import strawberry
from strawberry import field
from strawberry.scalars import JSON

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import (
    BigInt,
    BoardKind,
    ModifierRule,
    RatedSubject,
    RatingMode,
    SeriesMode,
    word,
)
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromRow, made_of
from league.api.graphql.shaping.object_fields import RuleDifferenceRef, field_of
from league.api.graphql.shaping.shared_fields import competitor_field, edition_field, event_field, match_field
from league.domain.rulebook import rule_changes
from league.projections.difference import ratings as reads
from league.projections.difference.places import BadgeMoveRow
from league.projections.difference.ratings import DivergenceRow, MoveRow
from league.projections.difference.series import EncounterMoveRow
from league.projections.difference.two_runs import TwoRuns
from league.projections.queries.snapshot import Snapshot
from league.wording.facts import other_term_in_words


@strawberry.type(description="A player or a pair that differs between two runs.")
class CompetitorFields(FromRow, competitor_id="id"):
    competitor_id: str = field(description="The player's id in the league, or both ids of a team joined by `+`.")

    competitor = competitor_field("The player or the team, as in the official league.")


@strawberry.type(description="A rating in two runs.")
class RatingMove(CompetitorFields):
    subject: RatedSubject = field(description="Whether it is a player's or a team's.")
    mode: RatingMode = field(description="The mode of the rating.")
    before: float | None = field(description="In the first run, unrounded; null: no such rating.")
    after: float | None = field(description="In the second run, unrounded; null: no such rating.")
    change: float | None = field(description="Rating points gained; null where a run has no such rating.")
    two: strawberry.Private[TwoRuns]

    @classmethod
    def of(cls, found: tuple[TwoRuns, MoveRow]) -> Self:
        """A row of moves between two runs."""
        two, row = found
        return made_of(cls, row, two=two)

    @field(description="The rank on the board of these ratings in the first run; null: none.")
    async def rank_before(self, info: Info) -> int | None:
        return (await self._ranks(info)).before

    @field(description="The rank on that board in the second run; null: none.")
    async def rank_after(self, info: Info) -> int | None:
        return (await self._ranks(info)).after

    async def _ranks(self, info: Info) -> reads.RanksInTwoRuns:
        of = self.subject.value, self.mode.value

        def ranks(snapshot: Snapshot, ids: Any) -> Any:
            return reads.ranks(snapshot.conn, self.two, *of, ids)

        kind = ("ranks", self.two.first, self.two.second, of)
        return await info.context.reader.load(ranks, self.competitor_id, kind=kind) or reads.RanksInTwoRuns()


@strawberry.type(description="What a match does to a rating in two runs, by other points.")
class ChangeMove(CompetitorFields, rating_before="after_before", rating_after="after_after"):
    subject: RatedSubject = field(description="Whether it is a player's rating or a team's.")
    mode: RatingMode = field(description="The mode in which the match was played.")
    match_id: str = field(description="The match's id in the league.")
    decided_at: datetime = field(description="When it was decided; the earlier time where the runs differ.")
    rating_before: float | None = field(description="The rating after the match in the first run; null: not rated.")
    rating_after: float | None = field(description="The rating after the match in the second run; null: not rated.")
    change_before: float | None = field(description="Rating points gained in the first run; null: not rated.")
    change_after: float | None = field(description="Rating points gained in the second run; null: not rated.")
    difference: float = field(
        description="Points gained in the second run less those in the first; a run that does not rate it counts as 0."
    )

    match = match_field("The match, as in the official league; null when the league does not have it.", null=True)


@strawberry.type(description="A place on a leaderboard that differs in rank or value, or that only one run has.")
class PlaceMove(CompetitorFields, of_month="month"):
    board: BoardKind = field(description="Which board.")
    rank_before: int | None = field(description="In the first run; null while provisional, or without the place.")
    rank_after: int | None = field(description="In the second run; null while provisional, or without the place.")
    value_before: float | None = field(
        description="The board's value in the first run, unrounded; null without the place."
    )
    value_after: float | None = field(
        description="The board's value in the second run, unrounded; null without the place."
    )
    change: int | None = field(description="Ranks gained, negative when lost; null without a rank in both.")
    value_change: float | None = field(
        description="What the board's value gained, unrounded; null without the place in both."
    )
    of_month: strawberry.Private[str]  # empty on boards other than the series

    @field(description="On the board of the series the month, such as `2026-03`; null on other boards.")
    def month(self) -> str | None:
        return self.of_month or None


@strawberry.type(description="A standing in the series of a month that differs in its rank or its total.")
class StandingMove(CompetitorFields):
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Who competes.")
    rank_before: int | None = field(description="In the first run; null: no game counts.")
    rank_after: int | None = field(description="In the second run; null: no game counts.")
    total_before: int | None = field(description="Points in the first run; null: no game counts.")
    total_after: int | None = field(description="Points in the second run; null: no game counts.")
    change: int | None = field(description="Points gained; null without a standing in both.")


@strawberry.type(description="The games of two competitors against each other in the series of a month, in a run.")
class EncounterInRun:
    a_wins: int = field(description="Games that `a` won.")
    b_wins: int = field(description="Games that `b` won.")
    series_points: int = field(description="Series points that `a` holds of `b`; negative if `b` holds them.")
    game_points: int = field(description="Game points of `a` less those of `b`.")
    locked: bool = field(description="Whether the two have played as many games as count.")
    ignored: int = field(description="Games after that, which do not count.")


@strawberry.type(description="An encounter of the series with other games, other points, or that one run only locks.")
class EncounterMove(FromRow):
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Who competes.")
    a: str = field(description="The id of the first competitor: a player, or both ids of a team joined by `+`.")
    b: str = field(description="The id of the second competitor.")
    before: EncounterInRun | None = field(description="In the first run; null: the two have no game there.")
    after: EncounterInRun | None = field(description="In the second run; null: the two have no game there.")

    competitor_a = competitor_field("The first competitor, as in the official league.", "a")
    competitor_b = competitor_field("The second competitor, as in the official league.", "b")

    @classmethod
    def of(cls, row: EncounterMoveRow) -> Self:
        """A row of encounters."""
        before, after = (_encounter(row, when) for when in ("before", "after"))
        return made_of(cls, row, before=before, after=after)


def _encounter(row: EncounterMoveRow, when: str) -> EncounterInRun | None:
    names = ("a_wins", "b_wins", "a_series_points", "a_game_points", "locked", "ignored")
    a_wins, b_wins, series, game, locked, ignored = (getattr(row, f"{name}_{when}") for name in names)
    if locked is None:
        return None
    return EncounterInRun(
        a_wins=a_wins, b_wins=b_wins, series_points=series, game_points=game, locked=locked, ignored=ignored
    )


@strawberry.enum(description="How a badge differs.")
class BadgeFate(Enum):
    GAINED = word("gained", "Only the second run awards it.")
    LOST = word("lost", "Only the first run awards it.")
    EARNED_OTHERWISE = word("earned_otherwise", "Both runs award it, for different events.")


@strawberry.type(description="The event that earns a badge in a run.")
class BadgeEarning:
    earned_at: datetime = field(
        description="When the match that earned it was decided, or when the month that earned it ended."
    )
    match_id: str | None = field(description="The match's id in the league; null when a closed month earned it.")
    position: BigInt = field(description="The position of the event in the log.")

    event = event_field("The event.", null=True)


@strawberry.type(description="A badge that is gained, lost, or earned by a different event.")
class BadgeMove(CompetitorFields, fate="what"):
    badge: str = field(description="The measure and the threshold, such as `streak-5`.")
    fate: BadgeFate = field(description="How the badge differs.")
    before: BadgeEarning | None = field(description="What earned it in the first run; null: the run does not award it.")
    after: BadgeEarning | None = field(description="What earned it in the second run; null: the run does not award it.")

    @classmethod
    def of(cls, row: BadgeMoveRow) -> Self:
        """A row of badges."""
        return made_of(cls, row, **earnings(row))


def earnings(row: BadgeMoveRow) -> dict[str, BadgeEarning | None]:
    """What earns a badge in each of two runs, by the fields of `BadgeMove`."""
    return {when: _earning(row, when) for when in ("before", "after")}


def _earning(row: BadgeMoveRow, when: str) -> BadgeEarning | None:
    earned_at, match, position = (getattr(row, f"{name}_{when}") for name in ("earned_at", "match_id", "position"))
    return None if position is None else BadgeEarning(earned_at=earned_at, match_id=match, position=BigInt(position))


@strawberry.enum(description="A term of a rating change, in the order of the formula.")
class FormulaTerm(Enum):
    BEFORE = word("before", "The rating before the match.")
    K = word("k", "K.")
    K_RULE = word("k_rule", "The rule that chose K.")
    OUTCOME = word("outcome", "S: 1 for a win, 0 for a loss.")
    MODIFIER_RULE = word("modifier_rule", "What one rule of the modifier adds; `rule` names it.")
    CAPPED = word("capped", "Whether the modifier was capped.")
    MODIFIER = word("modifier", "M, the modifier.")
    EXPECTED = word("expected", "E, the expected score.")


@strawberry.type(description="A term of a rating change that differs.")
class OtherTerm:
    term: FormulaTerm = field(description="Which term.")
    rule: ModifierRule | None = field(description="The rule of a MODIFIER_RULE; null for other terms.")
    before: JSON | None = field(
        description="In the first run: a number, for K_RULE a name, for CAPPED true or false; null: it is not there."
    )
    after: JSON | None = field(description="The value in the second run, in the form of `before`.")
    read: strawberry.Private[reads.DifferingTerm]

    @field(description="The term with both values, in the language of the request, such as `K: 40 → 32`.")
    def text(self) -> str:
        return other_term_in_words(self.read.term, self.read.before, self.read.after)

    @classmethod
    def of(cls, other: reads.DifferingTerm) -> "OtherTerm":
        """A term of the read side, whose name may have a rule of the modifier after a dot."""
        name, _dot, rule = other.term.partition(".")
        return cls(
            term=FormulaTerm.MODIFIER_RULE if rule else FormulaTerm(name),
            rule=ModifierRule(rule) if rule else None,
            before=other.before,
            after=other.after,
            read=other,
        )


@strawberry.type(
    description="Where a rating diverges: the first match after which two runs rate a player or a team differently."
)
class RatingDivergence(CompetitorFields, rating_before="after_before", rating_after="after_after"):
    subject: RatedSubject = field(description="Whether it is a player's rating or a team's.")
    mode: RatingMode = field(description="The mode in which the match was played.")
    match_id: str = field(description="The match's id in the league.")
    decided_at: datetime = field(description="When it was decided; the earlier time where the runs differ.")
    rating_before: float | None = field(
        description="The rating after the match in the first run; null: the match is not rated there."
    )
    rating_after: float | None = field(
        description="The rating after the match in the second run; null: the match is not rated there."
    )
    terms: list[OtherTerm] = field(description="The terms that differ, in the order of the formula.")
    position_before: BigInt | None = field(description="The position of the event that decided it in the first run.")
    position_after: BigInt | None = field(description="The position of the event that decided it in the second run.")

    match = match_field("The match, as in the official league; null when the league does not have it.", null=True)

    @classmethod
    def of(cls, row: DivergenceRow) -> Self:
        """A row of divergences."""
        return made_of(cls, row, terms=[OtherTerm.of(one) for one in reads.terms_of(row)])


@strawberry.type(
    description="A span of play time for which two runs have different rules. They apply to matches that began in it."
)
class RulesInSpan(FromRow, first_hash="before", second_hash="after"):
    start: datetime | None = field(name="from", description="When the span starts; null: at the beginning.")
    end: datetime | None = field(name="to", description="When the span ends, exclusive; null: it has no end.")
    first_hash: strawberry.Private[str]
    second_hash: strawberry.Private[str]

    before = edition_field("The edition in the first run.", "first_hash")
    after = edition_field("The edition in the second run.", "second_hash")

    @field_of(list[RuleDifferenceRef], "The settings that differ.")
    async def changes(self, info: Info) -> list[Any]:
        rules = [await loaders.runs.rulebook(info, hash_) for hash_ in (self.first_hash, self.second_hash)]
        return rule_changes(*rules)


@strawberry.type(description="A season in which two runs differ.")
class OtherSeason(FromRow):
    season_id: str = field(description="The season's id in the league.")
    name: str = field(description="The season's name.")
    results: int = field(description="Matches that began in it, with a different winner, score or status.")
    hands: int = field(description="Hands of its matches that differ.")


@strawberry.type(description="A month in which two runs differ, and how many rows of each list concern it.")
class OtherMonth(FromRow):
    month: str = field(description="Such as `2026-03`, by the league's clock.")
    results: int = field(description="Matches that began in it, with a different winner, score or status.")
    hands: int = field(description="Hands of its matches that differ.")
    standings_of_players: int = field(description="Standings of players in its series that differ.")
    standings_of_pairs: int = field(description="Standings of pairs in its series that differ.")
    encounters: int = field(description="Encounters of its series that differ.")
