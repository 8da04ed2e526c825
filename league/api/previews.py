"""Previews of what commands on matches, a merge or another time zone would change in the league."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Annotated

import strawberry
from msgspec.structs import replace
from strawberry import UNSET, field

from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, RatedSubject, RatingMode, SeriesMode, argument
from league.api.graphql.shaping.arguments import REFUSED_TO_OTHERS, MatchId, check_may_read
from league.api.graphql.shaping.from_rows import FromItems, FromRow, made_of
from league.api.graphql.shaping.mutations import INPUT, with_input_path
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.shaping.user_errors import (
    AlreadyExistsError,
    InTheFutureError,
    InvalidInputError,
    MatchOverError,
    NotFoundError,
    SeriesLockedError,
    WrongHandError,
    WrongStateError,
    graphql_name,
)
from league.api.graphql.threads import in_writing_thread
from league.api.matches.disputes import DisputeIsOpenError, NoSuchDisputeError
from league.api.matches.hands import PATHS
from league.api.matches.match_mutations import (
    CorrectHandInput,
    CorrectResultInput,
    EndMatchInput,
    ForfeitMatchInput,
    OpenMatchInput,
    RecordHandInput,
    RecordResultInput,
    ReopenMatchInput,
    VoidMatchInput,
)
from league.api.matches.scoring import NotJudged
from league.api.players.merges import AlreadyMergedError, MergeCircleError, NotMergedError, PlayedTogetherError
from league.api.replays.other_results import HandResult, MatchResult, hand_of, result_of
from league.api.replays.run_difference import BadgeMove, CompetitorFields, PlaceMove
from league.application.dispatch import decide
from league.application.preview import preview, preview_merge, preview_time_zone, preview_without
from league.domain.collected_refusals import Faults
from league.domain.deciders import Command
from league.domain.match import CorrectHand, RecordHand
from league.domain.player import MergePlayers, UndoMerge
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.projections.replays import preview as reads

MOST_COMMANDS = 200

WhatIfPlayer = Annotated[strawberry.ID, argument("The player: global id or id in the league.")]


@strawberry.input(
    one_of=True, description="A command on a match, with the input of its mutation; idempotency keys are ignored."
)
class MatchCommandInput:
    open_match: OpenMatchInput | None = field(default=UNSET, description="Open a match.")
    record_hand: RecordHandInput | None = field(default=UNSET, description="Record a hand.")
    record_result: RecordResultInput | None = field(default=UNSET, description="Record an announced result.")
    correct_result: CorrectResultInput | None = field(default=UNSET, description="Correct an announced result.")
    end_match: EndMatchInput | None = field(default=UNSET, description="End a match before its end condition is met.")
    forfeit_match: ForfeitMatchInput | None = field(default=UNSET, description="Forfeit for a side.")
    reopen_match: ReopenMatchInput | None = field(default=UNSET, description="Reopen the match.")
    correct_hand: CorrectHandInput | None = field(default=UNSET, description="Correct a hand.")
    void_match: VoidMatchInput | None = field(default=UNSET, description="Void the match.")

    def named(self) -> tuple[str, Callable[[], Command]]:
        """The name of its mutation, and the function that makes the command."""
        name, given = next((name, given) for name, given in vars(self).items() if given is not UNSET)
        if isinstance(given, OpenMatchInput):
            return "openMatch", partial(given.read, given.match_id or str(uuid.uuid4()))
        return graphql_name(name), given.read


@strawberry.input(description="The commands to preview.")
class PreviewInput:
    commands: list[MatchCommandInput] = field(
        description=f"Commands on matches, each on top of those before it, such as the three that record a late match; "
        f"1 to {MOST_COMMANDS}."
    )


@strawberry.type(description="A rating that would move.")
class PreviewedMove(CompetitorFields):
    subject: RatedSubject = field(description="Whether it is a player's or a team's.")
    mode: RatingMode = field(description="The mode in which the rating was earned.")
    before: float | None = field(description="The current value, unrounded; null: no rating.")
    after: float | None = field(description="The value after the commands, unrounded; null: no rating.")
    change: float | None = field(description="Rating points gained; null where there is no rating before or after.")


@strawberry.type(description="One of the matches of the commands that would have a different winner, score or status.")
class PreviewedResult:
    match_id: str = field(description="The match's id in the league.")
    before: MatchResult | None = field(description="The current result; null: there is no such match.")
    after: MatchResult | None = field(description="The result after the commands.")


@strawberry.type(
    description="A hand that would have a different winner or different points, or would start or stop counting."
)
class PreviewedHand:
    match_id: str = field(description="The match's id in the league.")
    number: int = field(description="Its number in the match, from 1.")
    before: HandResult | None = field(description="The current score; null: there is no such hand.")
    after: HandResult | None = field(description="The score after the commands; null: there would be no such hand.")


@strawberry.type(description="Standings of a month's series that would change.")
class PreviewedMonth(FromRow, standings_changed="changed"):
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Who competes.")
    standings_changed: int = field(description="Standings with a different rank or total.")
    closed: bool = field(description="Whether the month is closed: the published list stays unchanged.")


@strawberry.type(description="Something in a match of the commands that the rules would not judge.")
class NotJudgedInMatch(FromItems):
    match_id: str = field(description="The match's id in the league.")
    not_judged: NotJudged = field(description="What would not be judged, and what it would need.")


@strawberry.type(
    description="What would change: figures, and the largest changes. Each list has at most "
    f"{reads.MOST} rows. Boards are those of the whole league, without inactive players."
)
class Preview:
    position: BigInt = field(description="The position of the log at which the league is compared.")
    players_moved: int = field(description="Players with a rating in 1v1 or in 2v2 that would move.")
    teams_moved: int = field(description="Teams with a rating that would move.")
    matches_rated_anew: int = field(description="Matches with different rating changes.")
    badges_gained: int = field(description="Badges that would be earned.")
    badges_lost: int = field(description="Badges that would be lost.")
    ranks_changed: int = field(description="Ranks on boards of ratings and achievements that would change.")
    moves: list[PreviewedMove] = field(description="Ratings that would move, largest move first.")
    results: list[PreviewedResult] = field(description="Matches of the commands whose result would change.")
    hands: list[PreviewedHand] = field(description="Hands of these matches whose score would change.")
    badges: list[BadgeMove] = field(description="Badges gained, lost, or earned by a different event; by player.")
    places: list[PlaceMove] = field(description="Places with a different rank, largest change first.")
    months: list[PreviewedMonth] = field(description="Months of the series with standings that would change.")
    not_judged_in_matches: list[NotJudgedInMatch] = field(
        description="What the rules would not judge in the matches of the commands."
    )

    @classmethod
    def of(cls, found: reads.PreviewedChanges) -> "Preview":
        """The preview of the changes that were found."""
        return made_of(
            cls,
            found,
            results=[
                PreviewedResult(match_id=row.match_id, before=result_of(row, "before"), after=result_of(row, "after"))
                for row in found.results
            ],
            hands=[
                PreviewedHand(
                    match_id=row.match_id, number=row.hand, before=hand_of(row, "before"), after=hand_of(row, "after")
                )
                for row in found.hands
            ],
            not_judged_in_matches=[NotJudgedInMatch.of(one) for one in found.not_judged[: reads.MOST]],
        )


PreviewPayload = Annotated[
    Preview
    | InvalidInputError
    | NotFoundError
    | AlreadyExistsError
    | InTheFutureError
    | MatchOverError
    | WrongHandError
    | SeriesLockedError
    | WrongStateError
    | DisputeIsOpenError
    | NoSuchDisputeError,
    strawberry.union("PreviewPayload", description="What the commands would change, or why they would be refused."),
]


@strawberry.type
class PreviewQueries:
    @field(
        description="What commands on matches would do to ratings, badges, boards and standings; nothing is stored. It "
        "takes as long as the correction itself. Roles: those who may send the commands for any match; "
        + REFUSED_TO_OTHERS
    )
    async def preview(self, info: Info, given: Annotated[PreviewInput, INPUT]) -> PreviewPayload:
        if not 1 <= len(given.commands) <= MOST_COMMANDS:
            raise InvalidInput("commands", say("1 to {most_commands} commands", most_commands=MOST_COMMANDS))
        return Preview.of(await in_writing_thread(_preview, info, given))

    @field(
        description="What would be different for a player without a match: the preview of voiding it, with "
        "the ratings, badges, places and standings of this player and their pairs only. Nothing is stored; it takes as "
        "long as the correction itself. Roles: those who may void a match, and auditors; " + REFUSED_TO_OTHERS
    )
    async def what_if_not(self, info: Info, match: MatchId, player: WhatIfPlayer) -> PreviewPayload:
        return Preview.of(await in_writing_thread(_without, info, local_id("Match", match), local_id("Player", player)))


def _preview(info: Info, given: PreviewInput) -> reads.PreviewedChanges:
    """Blocks; raises Refusal, whose field names the refused command."""
    league, states = info.context.league, info.context.states()
    commands: list[Command] = []
    for number, one in enumerate(given.commands):
        name, make = one.named()
        check_may_read(info.context.viewer, name)
        try:
            commands.append(_with_proposals(make()))
            decide(commands[-1:], states)
        except Refusal as refusal:
            raise _at(f"commands.{number}.{name}", refusal, own_id=name == "openMatch") from None
    return preview(league.database.url, league.store, info.context.clock, commands)


def _with_proposals(command: Command) -> Command:
    """The command with the counts that photos propose, where no person has settled them yet."""
    is_hand = isinstance(command, RecordHand | CorrectHand)
    return replace(command, proposed=True) if is_hand else command


def _without(info: Info, match: str, player: str) -> reads.PreviewedChanges:
    """Blocks; raises Refusal."""
    check_may_read(info.context.viewer, "whatIfNot")
    league = info.context.league
    return preview_without(league.database.url, league.store, info.context.clock, match, player)


def _at(path: str, refusal: Refusal, *, own_id: bool) -> Refusal:
    """The refusal with its field as a path of the input; `own_id`: the input gives its match an id."""
    found = with_input_path(refusal, {**PATHS, "match": "matchId" if own_id else "match"})
    for one in Faults.of(found):
        if isinstance(at := getattr(one, "at", None), str):
            one.at = f"{path}.{at}"  # type: ignore[attr-defined]  # it has one, as read above
    return found


@strawberry.type(description="What a merge, or its undoing, would change.")
class MergePreview:
    matches: int = field(
        description="Matches that would count for the player who stays or, if a merge is undone, for the dropped "
        "player again. Voided ones are included."
    )
    changes: Preview = field(description="What would be different in the league.")


PreviewMergePayload = Annotated[
    MergePreview
    | InvalidInputError
    | NotFoundError
    | WrongStateError
    | AlreadyMergedError
    | MergeCircleError
    | PlayedTogetherError,
    strawberry.union("PreviewMergePayload", description="What a merge would change, or why it would be refused."),
]

PreviewUndoMergePayload = Annotated[
    MergePreview | InvalidInputError | NotMergedError,
    strawberry.union(
        "PreviewUndoMergePayload", description="What the undoing of a merge would change, or why it would be refused."
    ),
]

Keep = Annotated[strawberry.ID, argument("The player who stays: global id or id in the league.")]
Drop = Annotated[
    strawberry.ID, argument("The player whose matches would count for `keep`: global id or id in the league.")
]


@strawberry.type
class MergePreviewQueries:
    @field(
        description="What merging two players would do to ratings, badges, boards and standings; nothing is stored. It "
        "takes as long as the merge itself. Roles: those who may merge; " + REFUSED_TO_OTHERS
    )
    async def preview_merge(self, info: Info, keep: Keep, drop: Drop) -> PreviewMergePayload:
        command = MergePlayers(local_id("Player", keep), local_id("Player", drop))
        return await in_writing_thread(_merge_preview, info, "mergePlayers", command)

    @field(
        description="What the undoing of a merge would do to ratings, badges, boards and standings; nothing is stored. "
        "Until it is undone, the `competitor` of a dropped id is the player who stays: tell the two apart by "
        "`competitorId`. Roles: those who may undo a merge; " + REFUSED_TO_OTHERS
    )
    async def preview_undo_merge(self, info: Info, keep: Keep, drop: Drop) -> PreviewUndoMergePayload:
        command = UndoMerge(local_id("Player", keep), local_id("Player", drop))
        return await in_writing_thread(_merge_preview, info, "undoMerge", command)


def _merge_preview(info: Info, operation: str, command: MergePlayers | UndoMerge) -> MergePreview:
    """Blocks; raises Refusal."""
    check_may_read(info.context.viewer, operation)
    league = info.context.league
    found = preview_merge(league.database.url, league.store, info.context.clock, command)
    return MergePreview(matches=found.matches, changes=Preview.of(found.changes))


@strawberry.type(description="What another time zone of the league would change.")
class TimeZonePreview:
    matches: int = field(description="Matches that would count in another month.")
    closed_months: list[str] = field(
        description="The closed months that would lose some of these matches or get some, such as `2026-03`."
    )
    changes: Preview = field(description="What would be different in the league.")


PreviewTimeZonePayload = Annotated[
    TimeZonePreview | InvalidInputError | WrongStateError,
    strawberry.union(
        "PreviewTimeZonePayload", description="What another time zone would change, or why it would be refused."
    ),
]

Zone = Annotated[str, argument("The time zone, such as `America/Havana`.")]


@strawberry.type
class TimeZonePreviewQueries:
    @field(
        description="What another time zone would do: matches near midnight may count in other months, closed ones "
        "too. Nothing is stored. It takes as long as the change itself. Roles: those who may change the settings; "
        + REFUSED_TO_OTHERS
    )
    async def preview_time_zone(self, info: Info, time_zone: Zone) -> PreviewTimeZonePayload:
        return await in_writing_thread(_zone_preview, info, time_zone)


def _zone_preview(info: Info, time_zone: str) -> TimeZonePreview:
    """Blocks; raises Refusal."""
    check_may_read(info.context.viewer, "changeSettings")
    league = info.context.league
    found = preview_time_zone(league.database.url, league.store, info.context.clock, time_zone)
    return TimeZonePreview(
        matches=found.matches, closed_months=list(found.closed_months), changes=Preview.of(found.changes)
    )
