"""Players and pairs: their ratings, badges and months of the series."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import SeriesMode
from league.api.graphql.request_errors import RequestError
from league.domain.player import displayed
from league.domain.refusals import InvalidInput
from league.domain.rules import BadgeRules, SeriesRules
from league.domain.seating import JOINT, CompetitorId, competitor_of, is_pair, players_of
from league.projections.boards.board import BoardKey
from league.projections.boards.definitions import rating_board
from league.projections.folds.league_fold import RatingRow
from league.projections.queries import encounters
from league.projections.queries.badges import (
    BadgeRow,
    MeasuredValues,
    MeasureProgress,
    badges_by_player,
    measured_by_player,
    progress_of,
    rules_by_edition,
    shown_rules,
)
from league.projections.queries.encounters import MonthOutlook
from league.projections.queries.places import PlaceAmongProvisional, places_among_provisional, ranks_on
from league.projections.queries.players import PlayerRow, players_by_id, ratings_by_id
from league.projections.queries.ratings import ratings_at
from league.projections.queries.series import CompetitorMonth, ModeMonth, month_named, present_month
from league.projections.queries.snapshot import Snapshot, short
from league.wording.language import spoken


async def player(info: Info, id_: str) -> PlayerRow | None:
    """The player with this id in the league, merged ids resolved."""
    return await info.context.reader.load(players_by_id, id_)


async def players(info: Info, ids: Sequence[str]) -> list[PlayerRow]:
    """The registered players among these, in this order."""
    rows = await asyncio.gather(*(player(info, id_) for id_ in ids))
    return [row for row in rows if row is not None]


async def read_as(info: Info, id_: CompetitorId) -> CompetitorId | None:
    """The player or the pair that an id stands for, merged ids resolved; None if a player is not registered."""
    ids = players_of(id_)
    found = await players(info, ids)
    return competitor_of([row.player_id for row in found]) if len(found) == len(ids) else None


async def competitor(info: Info, id_: str) -> PlayerRow | str | None:
    """A player, or the id of a pair (two ids joined by `+`); None when one of them is not registered."""
    if not is_pair(CompetitorId(id_)):
        return await player(info, id_)
    return await read_as(info, competitor_of(id_.split(JOINT)))


async def display_names(info: Info, ids: Iterable[str]) -> dict[str, str]:
    """The names to show for players and pairs that are registered, by id."""
    seats, reader = {id_: players_of(CompetitorId(id_)) for id_ in ids}, info.context.reader
    known = reader.known(players_by_id)
    missing = {player for players in seats.values() for player in players if player not in known}
    if missing:
        await reader.load_all(players_by_id, missing)
    rows = {id_: [known[player] for player in players] for id_, players in seats.items()}
    shown = {id_: " & ".join(displayed(row.player_id, row.name) for row in its if row) for id_, its in rows.items()}
    return {id_: name for id_, name in shown.items() if name}


async def rated_team(info: Info, id_: str) -> str | None:
    """The id of a fixed pair that has a rated match, merged ids resolved; None for any other pair."""
    read = await read_as(info, CompetitorId(id_)) if is_pair(CompetitorId(id_)) else None
    return read if read is not None and await ratings(info, "team", read) else None


class RatingAtMoment(Struct, frozen=True):
    """A rating at a moment of play; None: now."""

    row: RatingRow
    as_of: datetime | None


async def ratings(info: Info, subject: str, id_: str, as_of: datetime | None = None) -> list[RatingAtMoment]:
    """The ratings of a player (`player`) or a pair (`team`), now or at a moment of play."""

    @short
    def ask(snapshot: Snapshot, ids: Sequence[str]) -> dict[str, list[RatingRow]]:
        if as_of is None:
            return ratings_by_id(snapshot, subject, ids)
        return dict(ratings_at(snapshot, subject, as_of, ids))

    rows = await info.context.reader.load(ask, id_, kind=("ratings", subject, as_of)) or []
    return [RatingAtMoment(row, as_of) for row in rows]


def board_of_rating(rating: RatingAtMoment) -> BoardKey:
    """The board of the whole league that lists ratings of this kind, at the moment of the rating."""
    return BoardKey(rating_board(rating.row.subject, rating.row.mode).kind, as_of=rating.as_of)


async def rank(info: Info, rating: RatingAtMoment) -> int | None:
    """The rank of a rating on the board that lists ratings of its kind; None when the board gives it none."""
    board = board_of_rating(rating)

    @short
    def ask(snapshot: Snapshot, ids: Sequence[str]) -> Mapping[str, int]:
        return ranks_on(snapshot, board, ids)

    return await info.context.reader.load(ask, rating.row.id, kind=("ranks", board))


async def among_provisional(info: Info, board: BoardKey, id_: str) -> PlaceAmongProvisional | None:
    """The place of a competitor among the provisional ones of a board; None for established ones."""

    @short
    def ask(snapshot: Snapshot, ids: Sequence[str]) -> Mapping[str, PlaceAmongProvisional]:
        return places_among_provisional(snapshot, board, ids)

    return await info.context.reader.load(ask, id_, kind=("provisional", board))


class ProgressWithBadges(Struct, frozen=True):
    """A player's progress in one measure, and the badges already earned in it, latest first."""

    progress: MeasureProgress
    earned: list[BadgeRow]


async def badges(info: Info, player: str) -> list[BadgeRow]:
    """The badges of a player, latest first."""
    return await info.context.reader.load(badges_by_player, player) or []


async def badge_rules(info: Info, edition_hash: str | None = None) -> BadgeRules | None:
    """The badges of an edition; without a hash those of the displayed edition, None if there is none."""
    if edition_hash is None:
        return await info.context.reader.once(shown_rules)
    return await info.context.reader.load(rules_by_edition, edition_hash)


async def progress(info: Info, player: str) -> list[ProgressWithBadges]:
    """A player's progress in each measure of the displayed edition; empty without one."""
    shown = await badge_rules(info)
    if shown is None:
        return []
    earned = await badges(info, player)
    measured = await info.context.reader.load(measured_by_player, player) or MeasuredValues()
    held = {row.badge for row in earned}
    return [
        ProgressWithBadges(one, [row for row in earned if row.measure == one.measure])
        for one in progress_of(measured, held, shown)
    ]


async def month(info: Info, mode: SeriesMode, name: str | None, as_of: datetime | None = None) -> ModeMonth:
    """A month by its name; None: the latest one with games by `as_of`. RequestError names the argument."""
    try:
        return await info.context.reader.read(month_named, mode.value, name, as_of)
    except InvalidInput as refusal:
        raise RequestError(f"`{refusal.at}`: {spoken(refusal.reason)}.", argument=refusal.at) from None


async def month_of(info: Info, competitor_id: CompetitorId, name: str | None) -> CompetitorMonth:
    """A month of a player (in 1v1) or of a pair (in 2v2); None: the present month. Raises RequestError."""
    if name is None:
        name = await info.context.reader.read(present_month, info.context.clock())
    mode = SeriesMode.TWO_ON_TWO if is_pair(competitor_id) else SeriesMode.ONE_ON_ONE
    return CompetitorMonth(competitor_id, await month(info, mode, name))


async def series_rules(info: Info, month: ModeMonth) -> SeriesRules:
    """The rules for a match of this month that begins now; an operation reads them once."""

    def ask(snapshot: Snapshot, months: Sequence[ModeMonth]) -> dict[ModeMonth, SeriesRules]:
        now = info.context.clock()
        return {one: encounters.rules_at(snapshot, one, now) for one in months}

    found = await info.context.reader.load(ask, month, kind=encounters.rules_at)
    assert found is not None, "there are rules for each month"
    return found


async def open_matches(info: Info, month: ModeMonth, own: CompetitorId) -> Mapping[str, int]:
    """A competitor's open matches that count in the series of a month, by opponent; read for many at once."""

    def ask(snapshot: Snapshot, competitors: Sequence[CompetitorId]) -> dict[CompetitorId, dict[str, int]]:
        return encounters.open_matches(snapshot, month, competitors)

    return await info.context.reader.load(ask, own, kind=(encounters.open_matches, month)) or {}


async def outlook(info: Info, own: CompetitorId, other: CompetitorId, name: str | None) -> MonthOutlook:
    """Two competitors in a month, and what their next game would change. Raises RequestError."""
    found = (await month_of(info, own, name)).month
    return await info.context.reader.read(encounters.outlook, found, own, other, info.context.clock())
