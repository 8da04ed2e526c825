"""The schema, combined from its features; `python -m league.api.schema` writes it to schema.graphql."""

from collections.abc import Callable
from pathlib import Path

import strawberry
from graphql import print_schema
from strawberry.extensions import SchemaExtension
from strawberry.schema.config import StrawberryConfig

from league.api.backups import BackupQueries
from league.api.badges import BadgeQueries
from league.api.boards.board_changes import BoardSubscriptions
from league.api.boards.boards import BoardQueries
from league.api.finding import NodeQueries, SearchQueries
from league.api.graphql.executing.accounting import Charging, LogOperation, Measuring
from league.api.graphql.executing.answer_cache import CachedIntrospection
from league.api.graphql.executing.documents import ReadDocument, core_of
from league.api.graphql.executing.operations import LeagueSchema, OwnContext
from league.api.graphql.executing.plain_fields import ReadsPlainFields
from league.api.graphql.executing.read_from import read_from_directive
from league.api.graphql.leaf_types import SCALARS
from league.api.graphql.live.open_sessions import SocketSlots
from league.api.graphql.live.watches import ExecutesWhatIsNotFinished
from league.api.graphql.request_errors import ErrorCode
from league.api.graphql.shaping.user_errors import IN_EVERY_UNION, REFUSALS, RefusalHandler
from league.api.house_rules import HouseRulesMutations, HouseRulesQueries
from league.api.league.credentials import SessionMutations, SignInLinkMutations, TokenMutations
from league.api.league.league_info import LeagueQueries, SettingsMutations
from league.api.league.members import MemberMutations, MemberQueries
from league.api.league.notices import NoticeQueries
from league.api.league.seasons import SeasonMutations, SeasonQueries
from league.api.log import SignedHeadQueries, TrailQueries
from league.api.matches.dispute_mutations import DisputeMutations
from league.api.matches.disputes import DISPUTE_REFUSALS, DisputeQueries
from league.api.matches.match_changes import MatchSubscriptions
from league.api.matches.match_mutations import HandMutations, MatchMutations
from league.api.matches.matches import MatchQueries
from league.api.matches.scoring import ScoringQueries
from league.api.matches.what_if_hand import WhatIfHandQueries
from league.api.players.checked_names import CheckedNameQueries
from league.api.players.merges import MERGE_REFUSALS, MergeMutations, MergeQueries
from league.api.players.player_mutations import PlayerMutations
from league.api.players.player_queries import HeadToHeadQueries, PlayerQueries
from league.api.previews import MergePreviewQueries, PreviewQueries, TimeZonePreviewQueries
from league.api.ratings import RatingQueries, RatingSpreadQueries
from league.api.replays.official_timelines import OfficialTimelineQueries
from league.api.replays.promotion_previews import PromotionPreviewQueries
from league.api.replays.proposals import ProposalQueries
from league.api.replays.replay_mutations import ReplayMutations
from league.api.replays.replays import ReplayQueries, ReplaySubscriptions
from league.api.rules import RulebookMutations, RulebookQueries
from league.api.schema_part import SchemaPart
from league.api.series.month_mutations import MonthMutations
from league.api.series.series import SeriesQueries
from league.features import declared

PARTS = declared(SchemaPart)
"""The parts that features add to the schema."""

FILE = Path(__file__).with_name("schema.graphql")

DESCRIPTION = """The API of a domino league: recorded hands in, rated players, boards and reasons out.

Deprecation policy: nothing is removed or changes its meaning without notice. What goes away is marked `@deprecated`
with what takes its place, and stays for at least six months. Fields, arguments with a default, types, enum values and
members of unions may be added at any time, so read unions by `__typename` and expect new ones."""


@strawberry.type(
    description="Queries. Only `trail`, `event`, `preview`, `previewMerge`, `previewUndoMerge`, "
    "`previewTimeZone`, `previewHouseRules`, `previewPromotion`, `whatIfHand`, `checkNames`, `disputes`, `member`, "
    "`members`, `merges`, `nameTwins` and `lastBackup` need a token."
)
class Query(
    LeagueQueries, BoardQueries, BadgeQueries, PlayerQueries, MatchQueries, RatingQueries, SeasonQueries,
    SeriesQueries, RulebookQueries, ReplayQueries, ProposalQueries, PreviewQueries, ScoringQueries, HeadToHeadQueries,
    WhatIfHandQueries, HouseRulesQueries,
    RatingSpreadQueries, TrailQueries, SignedHeadQueries, BackupQueries, NodeQueries,
    SearchQueries, DisputeQueries, CheckedNameQueries, MemberQueries, MergeQueries, NoticeQueries,
    MergePreviewQueries, TimeZonePreviewQueries, OfficialTimelineQueries, PromotionPreviewQueries,
    *(more for part in PARTS for more in part.queries),  # type: ignore[misc]
):  # fmt: skip
    pass


@strawberry.type(description="Mutations. Each needs a bearer token with a role that allows it.")
class Mutation(
    PlayerMutations, MatchMutations, HandMutations, SeasonMutations, MonthMutations, RulebookMutations, ReplayMutations,
    TokenMutations, DisputeMutations, MemberMutations, SessionMutations, MergeMutations,
    SettingsMutations, SignInLinkMutations, HouseRulesMutations, *(more for part in PARTS for more in part.mutations),  # type: ignore[misc]
):  # fmt: skip
    pass


@strawberry.type(description="Live updates, over a WebSocket or as server-sent events.")
class Subscription(
    BoardSubscriptions, MatchSubscriptions, ReplaySubscriptions,
    *(more for part in PARTS for more in part.subscriptions),  # type: ignore[misc]
):  # fmt: skip
    pass


class Executor(ReadsPlainFields, ExecutesWhatIsNotFinished):
    """How the league's operations are executed."""


def schema_with(*more: Callable[[], SchemaExtension]) -> LeagueSchema:
    """The schema, with more extensions than it always has."""
    errors = {**REFUSALS, **DISPUTE_REFUSALS, **MERGE_REFUSALS}
    for part in PARTS:
        errors.update(part.refusals)
    made = LeagueSchema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=[ErrorCode, *(type_ for part in PARTS for type_ in part.types)],  # no field returns them
        config=StrawberryConfig(scalar_map=SCALARS),
        exception_handlers=[RefusalHandler(error, errors) for error in IN_EVERY_UNION],
        execution_context_class=Executor,
        extensions=[
            SocketSlots, LogOperation, OwnContext, ReadDocument, Measuring, Charging, CachedIntrospection, *more,
        ],
    )  # fmt: skip
    # Strawberry has no argument for the description of the schema, and none for directives of operations.
    core = core_of(made)
    core.description = DESCRIPTION
    core.directives = (*core.directives, read_from_directive(core))
    return made


schema = schema_with()
core = core_of(schema)


def exported() -> str:
    """The schema in the schema definition language: the content of schema.graphql."""
    return print_schema(core) + "\n"  # Strawberry's own printer leaves out the description


if __name__ == "__main__":
    FILE.write_text(exported())
