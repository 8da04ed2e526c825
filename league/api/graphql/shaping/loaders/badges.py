"""Badges, and the progress of players."""

from msgspec import Struct

from league.api.graphql.executing.context import Info
from league.domain.rules import Badges
from league.projections.queries import badges as reads
from league.projections.queries.badges import BadgeRow, Measured, Progress


class ProgressWithBadges(Struct, frozen=True):
    """A player's progress in one measure, and the badges already earned in it, latest first."""

    progress: Progress
    earned: list[BadgeRow]


async def badges(info: Info, player: str) -> list[BadgeRow]:
    """The badges of a player, latest first."""
    return await info.context.reader.load(reads.badges_by_player, player) or []


async def badges_of_pair(info: Info, pair: str) -> list[BadgeRow]:
    """The badges that two players earned in matches that they played as partners, latest first."""
    return await info.context.reader.load(reads.badges_by_pair, pair) or []


async def rules(info: Info, edition_hash: str | None = None) -> Badges | None:
    """The badges of an edition; without a hash those of the displayed edition, None if there is none."""
    if edition_hash is None:
        return await info.context.reader.once(reads.shown_rules)
    return await info.context.reader.load(reads.rules_by_edition, edition_hash)


async def progress(info: Info, player: str) -> list[ProgressWithBadges]:
    """A player's progress in each measure of the displayed edition; empty without one."""
    shown = await rules(info)
    if shown is None:
        return []
    earned = await badges(info, player)
    measured = await info.context.reader.load(reads.measured_by_player, player) or Measured()
    held = {row.badge for row in earned}
    return [
        ProgressWithBadges(one, [row for row in earned if row.measure == one.measure])
        for one in reads.progress_of(measured, held, shown)
    ]
