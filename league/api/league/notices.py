"""Notices, which tell for a while why ratings moved; and what promotions moved, which stays."""

from datetime import datetime
from enum import Enum
from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, RatedSubject, RatingMode, argument, word
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.object_fields import (
    EditionRef,
    MatchRef,
    NoticeRef,
    PlayerNoticeRef,
    PlayerRef,
    PromotionRef,
    cacheable_field_of,
    loaded_field,
)
from league.api.graphql.shaping.relay import Connection, PageableList, cacheable_paged
from league.api.graphql.shaping.shared_fields import competitor_field, detail_field, event_field
from league.domain.rating import shown
from league.projections.queries import notices as reads
from league.projections.queries.candidates import Revision
from league.projections.queries.catalogue import editions_by_hash
from league.projections.queries.matches import matches_by_id
from league.projections.queries.notices import NoticeRow, PlayerNoticeRow, PromotionMoveRow, PromotionRow
from league.projections.queries.players import players_by_id
from league.wording.candidates import title_of
from league.wording.notices import changed, edition_in_words

# ---------------------------------------------------------------- notices


@strawberry.enum(description="What a notice tells of.")
class NoticeKind(Enum):
    PROMOTION = word("promotion", "A replay was promoted: other rules are in force.")
    ROLLBACK = word("rollback", "Earlier rules are in force again.")
    ADOPTION = word("adoption", "An edition was adopted for matches that had been rated.")
    CORRECTION = word("correction", "A match was corrected, reopened or voided, and ratings of others moved.")


@strawberry.type(
    description="What everybody is told for 30 days after rules changed, or after a correction moved somebody outside "
    "its match by a point or more."
)
class Notice(FromRow):
    kind: NoticeKind = field(description="What it tells of.")
    position: BigInt = field(description="The position of the event that it tells of, by which `notice` finds it.")
    since: datetime = field(description="When the event was recorded.")
    until: datetime = field(description="When the notice ends; it is removed soon after.")
    row: strawberry.Private[NoticeRow]

    event = event_field("The event that it tells of; its actor is who did it.", "position", null=True)

    @field(description="What changed, as a sentence without a full stop.")
    @cacheable
    async def text(self, info: Info) -> str:
        told = self.row.told
        title = told.title
        if title is None and told.edition is not None:
            edition = await loaders.runs.edition(info, told.edition)
            before = None if told.revises is None else await loaders.runs.rulebook(info, told.revises)
            revision = Revision(before, await loaders.runs.rulebook(info, told.edition))
            title = title_of(revision, None) or edition_in_words(edition.edition, edition.title)
        return changed(self.row.kind, title, told.match, told.event)

    @field(description="The reason that was given for other rules; null: none, or the notice tells of a correction.")
    def reason(self) -> str | None:
        return None if self.row.kind == "correction" else self.row.told.reason

    # The form of a correction says that readers of the log see the reason.
    correction_reason = detail_field("The reason that was given for a correction.", "reason_of_correction")

    @property
    def reason_of_correction(self) -> str | None:
        """The reason of a correction; None for other notices."""
        return self.row.told.reason if self.row.kind == "correction" else None

    @field(description="How many players it moved; for a correction by a point or more, outside its match.")
    def players_moved(self) -> int:
        return self.row.told.players

    @field(description="The largest of these moves in one mode, in rating points, up or down; 0 if nobody moved.")
    def largest_move(self) -> float:
        return self.row.told.largest

    edition = loaded_field(
        EditionRef | None,
        "The edition that came into force; null for a correction.",
        editions_by_hash,
        lambda notice: notice.row.told.edition,
    )
    match = loaded_field(
        MatchRef | None,
        "The match that was corrected; null where rules changed.",
        matches_by_id,
        lambda notice: notice.row.told.match,
    )

    undone_by = loaded_field(
        NoticeRef | None,
        "The notice of the rollback that undid these rules; null: they stand or came back, or a match was corrected.",
        reads.undone_by,
        lambda notice: None if notice.row.kind == "correction" else notice.row.position,
    )

    @cacheable_field_of(
        list[NoticeRef], "The notices of the rules that this rollback undid, the latest first; empty for other notices."
    )
    async def undoes(self, info: Info) -> list[NoticeRow]:
        return await info.context.reader.load(reads.undone_rules, self.row.position) or []

    @cacheable_paged(Connection[PlayerNoticeRef], "The players whom it moved, the largest move first.")
    def players(self) -> PageableList[PlayerNoticeRow]:
        position = self.row.position
        return PageableList(PlayerNoticeRow, lambda _: (reads.players_moved(position), reads.PLAYERS_BY_MOVE))

    promotion = loaded_field(
        PromotionRef | None,
        "The figures of the promotion or the rollback; null for other notices.",
        reads.promotions_at,
        lambda notice: notice.row.position if notice.row.kind in ("promotion", "rollback") else None,
    )


@strawberry.type(
    description="What a rating is made of. After a promotion or a rollback these are all its matches; after an "
    "adoption or a correction the matches from the first one that was rated again. `start`, `outcome`, `expected` and "
    "`modifier` add up to the rating."
)
class RatingParts(FromRow):
    matches: int = field(description="The rated matches.")
    start: float = field(description="The rating before the first of them.")
    outcome: float = field(description="The sum of K times S, the result, over the matches.")
    expected: float = field(description="The sum of K times E, the expected score, with a minus.")
    modifier: float = field(description="The sum of K times M, which says how the matches were won or lost.")


@strawberry.type(description="A rating that moved without a match.")
class NoticeMove(FromRow):
    mode: RatingMode = field(description="The mode of the rating.")
    before: float | None = field(description="The rating before, unrounded; null: there was none.")
    after: float | None = field(description="The rating after, unrounded; null: there is none any more.")
    change: float | None = field(description="`after` less `before`, unrounded; null where one of them is.")
    rank_before: int | None = field(
        description="The rank before on the board of the mode; null without one, and after adoptions and corrections."
    )
    rank_after: int | None = field(description="The rank after; null like `rankBefore`.")
    old: RatingParts | None = field(description="What the rating before is made of; null for the overall rating.")
    new: RatingParts | None = field(description="What the rating after is made of; null for the overall rating.")

    @field(description="The displayed `before`: rounded half up.")
    def shown_before(self) -> int | None:
        return None if self.before is None else shown(self.before)

    @field(description="The displayed `after`: rounded half up.")
    def shown_after(self) -> int | None:
        return None if self.after is None else shown(self.after)


@strawberry.type(description="What a notice tells a player.")
class PlayerNotice:
    player_id: str = field(description="The player's id in the league at that time.")
    moves: list[NoticeMove] = field(description="The ratings of the player that moved.")
    row: strawberry.Private[PlayerNoticeRow]

    @classmethod
    def of(cls, row: PlayerNoticeRow) -> "PlayerNotice":
        """A notice of a player."""
        return cls(player_id=row.player_id, moves=[NoticeMove.of(move) for move in row.moved], row=row)

    notice = loaded_field(NoticeRef, "The notice.", reads.notices_by_position, lambda one: one.row.position)
    player = loaded_field(PlayerRef, "The player.", players_by_id, lambda one: one.player_id)


# ---------------------------------------------------------------- promotions


@strawberry.type(description="A rating that a promotion moved.")
class PromotionMove(FromRow, competitor_id="id"):
    competitor_id: str = field(
        description="The player's id in the league at that time, or both ids of a pair joined by `+`."
    )
    mode: RatingMode = field(description="The mode of the rating.")
    before: float | None = field(description="The rating before, unrounded; null: there was none.")
    after: float | None = field(description="The rating after, unrounded; null: there is none any more.")
    rank_before: int | None = field(description="The rank before on the board of the mode; null without one.")
    rank_after: int | None = field(description="The rank after; null without one.")

    competitor = competitor_field("The player or the pair.")

    @field(description="`after` less `before`, unrounded; null where one of them is.")
    def change(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before


@strawberry.type(
    description="What a promotion or a rollback moved, at the moment at which it was carried out. It follows from the "
    "log. Moves are counted over 1v1 and 2v2; the overall rating is derived from these."
)
class Promotion(FromRow):
    position: BigInt = field(description="The position of the event that adopted the rules.")
    players_moved: int = field(description="Players with a rating that moved.")
    teams_moved: int = field(description="Pairs whose rating moved.")
    largest_move: float = field(description="In rating points, up or down; 0 if no rating moved.")
    median_move: float = field(description="The median of the ratings that moved; 0 if none did.")
    mean_move: float = field(description="The mean of the ratings that moved; 0 if none did.")
    mean_before: float | None = field(description="The mean of all players' ratings before; null without one.")
    mean_after: float | None = field(description="The mean of all players' ratings after; null without one.")
    matches_changed: int = field(description="Matches with another winner, score or status.")
    hands_changed: int = field(description="Hands with another winner or other points, or that count in one only.")
    standings_changed: int = field(description="Standings of the series with another rank or total.")
    encounters_changed: int = field(description="Pairs of competitors with other games or points in the series.")
    badges_gained: int = field(description="Badges that only the new rules award.")
    badges_lost: int = field(description="Badges that only the old rules awarded.")
    badges_earned_otherwise: int = field(description="Badges that another event earns.")
    row: strawberry.Private[PromotionRow]

    event = event_field("The event that adopted the rules.", "position", null=True)
    edition = loaded_field(
        EditionRef | None,
        "The edition that came into force; null until the adoption is folded.",
        reads.adoptions_by_position,
        lambda one: one.row.position,
    )

    @field(description="When the rules were adopted; null until the adoption is folded.")
    @cacheable
    async def adopted_at(self, info: Info) -> datetime | None:
        adoption = await info.context.reader.load(reads.adoptions_by_position, self.row.position)
        return None if adoption is None else adoption.adopted_at

    @cacheable_paged(Connection[PromotionMove], "The ratings that moved, the largest move first.")
    def moves(
        self,
        mode: Annotated[RatingMode | None, argument("Only this mode; null: all.")] = None,
        of: Annotated[RatedSubject | None, argument("Only players, or only pairs; null: both.")] = None,
    ) -> PageableList[PromotionMoveRow]:
        query = reads.promotion_moves(
            self.row.folded_to, None if mode is None else mode.value, None if of is None else of.value
        )
        return PageableList(PromotionMoveRow, lambda _: (query, reads.MOVES_LARGEST_FIRST))


Position = Annotated[BigInt, argument("The position of its event.")]


@strawberry.type
class NoticeQueries:
    @cacheable_field_of(Notice | None, "The notice of an event; null: there is none, or it has ended.")
    async def notice(self, info: Info, position: Position) -> NoticeRow | None:
        return await info.context.reader.load(reads.shown_by_position, int(position))

    @cacheable_paged(
        Connection[Promotion],
        "What each promotion and each rollback moved, the latest first; without those from before this was stored.",
    )
    def promotions(self) -> PageableList[PromotionRow]:
        return PageableList(PromotionRow, lambda _: (reads.promotions(), reads.PROMOTIONS_LATEST_FIRST))

    @cacheable_field_of(Promotion | None, "What a promotion or a rollback moved; null: none adopted rules there.")
    async def promotion(self, info: Info, position: Position) -> PromotionRow | None:
        return await info.context.reader.load(reads.promotions_at, int(position))
