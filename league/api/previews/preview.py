"""What a command on a match would do to the league, before it is sent."""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Annotated

import strawberry
from strawberry import UNSET, field

from league.api.graphql.arguments import MatchId
from league.api.graphql.context import Info
from league.api.graphql.enums import RatedSubject, RatingMode, SeriesMode
from league.api.graphql.ids import local_id
from league.api.graphql.mutations import INPUT, moved
from league.api.graphql.scalars import BigInt
from league.api.graphql.threads import in_writing_thread
from league.api.graphql.user_errors import (
    AlreadyExistsError,
    ForbiddenError,
    InTheFutureError,
    InvalidInputError,
    MatchOverError,
    NotFoundError,
    SeriesLockedError,
    WrongStateError,
    graphql_name,
)
from league.api.matches.hand_input import PATHS
from league.api.matches.hand_mutations import CorrectHandInput, RecordHandInput
from league.api.matches.match_mutations import (
    EndMatchInput,
    ForfeitMatchInput,
    OpenMatchInput,
    RecordResultInput,
    ReopenMatchInput,
    VoidMatchInput,
)
from league.api.replays.other_results import HandResult, MatchResult, hand_of, result_of
from league.api.replays.run_difference import BadgeMove, OfCompetitor, PlaceMove
from league.application.bootstrap import clock
from league.application.dispatch import decide
from league.application.preview import preview, preview_without
from league.domain.deciders import Command
from league.domain.refusals import InvalidInput, Refusal
from league.projections.difference.moves import MoveRow
from league.projections.replays import preview as reads

MOST_COMMANDS = 200

WhatIfPlayer = Annotated[
    strawberry.ID, strawberry.argument(description="For whom: a player, by global id or the id in the league.")
]


@strawberry.input(
    one_of=True, description="A command on a match, with the input that its mutation takes; keys do not matter here."
)
class MatchCommandInput:
    open_match: OpenMatchInput | None = field(default=UNSET, description="A match begins.")
    record_hand: RecordHandInput | None = field(default=UNSET, description="A hand is recorded.")
    record_result: RecordResultInput | None = field(default=UNSET, description="A result is announced.")
    end_match: EndMatchInput | None = field(default=UNSET, description="Play stops.")
    forfeit_match: ForfeitMatchInput | None = field(default=UNSET, description="A side gives up.")
    reopen_match: ReopenMatchInput | None = field(default=UNSET, description="The end is taken back.")
    correct_hand: CorrectHandInput | None = field(default=UNSET, description="A hand was another one.")
    void_match: VoidMatchInput | None = field(default=UNSET, description="The match counts for nothing.")

    def named(self) -> tuple[str, Callable[[], Command]]:
        """The name of its mutation, and what makes the command."""
        name, given = next((name, given) for name, given in vars(self).items() if given is not UNSET)
        if isinstance(given, OpenMatchInput):
            return "openMatch", partial(given.read, given.match_id or str(uuid.uuid4()))
        return graphql_name(name), given.read


@strawberry.input(description="What is thought of.")
class PreviewInput:
    commands: list[MatchCommandInput] = field(
        description=f"Commands on matches, each on top of those before it, such as the three that record a late match; "
        f"1 to {MOST_COMMANDS}."
    )


@strawberry.type(description="A rating that would move.")
class PreviewedMove(OfCompetitor):
    subject: RatedSubject = field(description="Whether it is a player's or a team's.")
    mode: RatingMode = field(description="In what the rating was earned.")
    before: float | None = field(description="As it is, unrounded; null: none.")
    after: float | None = field(description="As it would be, unrounded; null: none.")
    change: float | None = field(description="Rating points gained; null where there is no rating before or after.")


@strawberry.type(description="One of the matches of the commands that would have another winner, score or status.")
class PreviewedResult:
    match_id: str = field(description="The match's id in the league.")
    before: MatchResult | None = field(description="As it is; null: it is not there.")
    after: MatchResult | None = field(description="As it would be.")


@strawberry.type(description="A hand that would have another winner, other points, or would start or stop counting.")
class PreviewedHand:
    match_id: str = field(description="The match's id in the league.")
    number: int = field(description="Its number in the match, from 1.")
    before: HandResult | None = field(description="As it is; null: it is not there.")
    after: HandResult | None = field(description="As it would be; null: it would not be there.")


@strawberry.type(description="Standings of a month's series that would change.")
class PreviewedMonth:
    month: str = field(description="Such as `2026-03`.")
    mode: SeriesMode = field(description="Who competes.")
    standings_changed: int = field(description="Standings with another rank or another total.")
    closed: bool = field(description="Whether the month is closed: the list that was published stays as it is.")


@strawberry.type(
    description="What would change, in figures and by the largest changes: of each list at most "
    f"{reads.MOST} rows. Boards are those of the whole league, without inactive players."
)
class Preview:
    position: BigInt = field(description="The position of the log up to which the league is looked at.")
    players_moved: int = field(description="Players with a rating in 1v1 or in 2v2 that would move.")
    teams_moved: int = field(description="Teams with a rating that would move.")
    matches_rated_anew: int = field(description="Matches that would give other changes of ratings.")
    badges_gained: int = field(description="Badges that would be earned.")
    badges_lost: int = field(description="Badges that would be lost.")
    ranks_changed: int = field(description="Ranks on boards of ratings and achievements that would change.")
    moves: list[PreviewedMove] = field(description="Ratings that would move, the largest move first.")
    results: list[PreviewedResult] = field(description="Matches of the commands whose result would change.")
    hands: list[PreviewedHand] = field(description="Hands of these matches whose score would change.")
    badges: list[BadgeMove] = field(description="Badges gained, lost, or earned by another event; by player.")
    places: list[PlaceMove] = field(description="Places with another rank, the largest change first.")
    months: list[PreviewedMonth] = field(description="Months of the series with standings that would change.")


PreviewPayload = Annotated[
    Preview
    | InvalidInputError
    | NotFoundError
    | AlreadyExistsError
    | InTheFutureError
    | MatchOverError
    | SeriesLockedError
    | WrongStateError
    | ForbiddenError,
    strawberry.union("PreviewPayload", description="What would happen, or why it would be refused."),
]


@strawberry.type
class PreviewQueries:
    @field(
        description="What commands on matches would do to ratings, badges, boards and standings; nothing is stored. It "
        "takes as long as the correction itself. Roles: those who may send the commands for any match."
    )
    async def preview(self, info: Info, given: Annotated[PreviewInput, INPUT]) -> PreviewPayload:
        if not 1 <= len(given.commands) <= MOST_COMMANDS:
            raise InvalidInput("commands", f"1 to {MOST_COMMANDS} commands")
        return _shown(await in_writing_thread(_preview, info, given))

    @field(
        description="What would be different for a player if a match had not been: the preview of voiding it, of which "
        "ratings, badges, places and standings are only the player's and their pairs'. Nothing is stored; it takes as "
        "long as the correction itself. Roles: those who may void a match, and auditors."
    )
    async def what_if_not(self, info: Info, match: MatchId, player: WhatIfPlayer) -> PreviewPayload:
        return _shown(await in_writing_thread(_without, info, local_id("Match", match), local_id("Player", player)))


def _preview(info: Info, given: PreviewInput) -> reads.Preview:
    """Blocks; raises Refusal, whose field names the command that is refused."""
    league, states = info.context.league, info.context.states()
    commands: list[Command] = []
    for number, one in enumerate(given.commands):
        name, make = one.named()
        info.context.viewer.require(name)
        try:
            commands.append(make())
            decide(commands[-1:], states)
        except Refusal as refusal:
            raise _at(f"commands.{number}.{name}", refusal) from None
    return preview(league.database.url, league.store, clock, commands)


def _without(info: Info, match: str, player: str) -> reads.Preview:
    """Blocks; raises Refusal."""
    info.context.viewer.require("whatIfNot")
    league = info.context.league
    return preview_without(league.database.url, league.store, clock, match, player)


def _at(path: str, refusal: Refusal) -> Refusal:
    """The same refusal, with its field as a path of the input."""
    found = moved(refusal, PATHS)
    if isinstance(at := getattr(found, "at", None), str):
        found.at = f"{path}.{at}"  # type: ignore[attr-defined]  # it has one, as read above
    return found


def _shown(found: reads.Preview) -> Preview:
    figures = ("players_moved", "teams_moved", "matches_rated_anew", "badges_gained", "badges_lost", "ranks_changed")
    return Preview(
        position=BigInt(found.position),
        **{name: getattr(found, name) for name in figures},
        moves=[_move(row) for row in found.moves],
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
        badges=[BadgeMove.of(row) for row in found.badges],
        places=[PlaceMove.of(row) for row in found.places],
        months=[
            PreviewedMonth(month=row.month, mode=SeriesMode(row.mode), standings_changed=row.changed, closed=row.closed)
            for row in found.months
        ],
    )


def _move(row: MoveRow) -> PreviewedMove:
    return PreviewedMove(
        competitor_id=row.id,
        subject=RatedSubject(row.subject),
        mode=RatingMode(row.mode),
        before=row.before,
        after=row.after,
        change=row.change,
    )
