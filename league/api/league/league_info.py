"""The league itself and its settings, and the viewer of a request."""

from datetime import datetime
from hashlib import sha256
from typing import Annotated

import strawberry
from strawberry import field

from league.api.auth.permissions import PERMISSIONS
from league.api.auth.web_sessions import WebSessions
from league.api.graphql.executing.answer_cache import cacheable
from league.api.graphql.executing.context import Info
from league.api.graphql.leaf_types import BigInt, argument, optional
from league.api.graphql.shaping.from_rows import FromRow
from league.api.graphql.shaping.mutations import USUAL_OF_NEW, Answer, OverwritingInput, Success, carry_out, mutation
from league.api.graphql.shaping.object_fields import LeagueRef, NoticeRef, field_of
from league.api.graphql.shaping.relay import Connection, PageableList, cacheable_paged, global_id
from league.api.graphql.shaping.shared_fields import player_field
from league.api.graphql.shaping.user_errors import ChangedSinceError, Role
from league.api.graphql.threads import in_checking_thread
from league.api.league.members import MemberStanding
from league.api.league.notices import NoticeKind
from league.api.league.waiting import Waiting, waiting_for
from league.domain.colours import text_on
from league.domain.league import ChangeSettings
from league.projections.projector import ProjectionLag, lag
from league.projections.queries import catalogue as reads
from league.projections.queries import notices
from league.projections.queries.catalogue import LeagueRow
from league.projections.queries.notices import NoticeRow
from league.projections.queries.snapshot import Snapshot, short


@strawberry.type(description="The league and the state of its log.")
class League(FromRow):
    name: str = field(description="The name for people.")
    time_zone: str = field(description="Where its months begin and end, such as `America/Havana`.")
    confirmation: bool = field(description="Whether matches that end by hand await confirmation by their players.")
    colour: str | None = field(description="The club's colour, such as `#b3261e`: the background of headings.")
    second_colour: str | None = field(description="The club's second colour: the line below headings.")
    logo: str | None = field(
        description="The SHA-256 of the club's logo. Its picture, 256 pixels square, is at `/logo/<this>.png`."
    )

    @field(description="What can be read on `colour`: black or white, with a contrast of at least 4.5.")
    @cacheable
    def text_colour(self) -> str | None:
        return None if self.colour is None else text_on(self.colour)

    @field(description="The position of the log up to which this answer is folded.")
    @cacheable
    async def position(self, info: Info) -> BigInt:
        return BigInt(await info.context.reader.once(_position))

    @field(description="The position of the latest event in the log, moves at live tables left out.")
    async def head(self, info: Info) -> BigInt:
        return BigInt((await info.context.reader.once(_lag)).head)

    @field(description="Seconds for which the oldest event beyond `position` has been waiting.")
    async def lag_seconds(self, info: Info) -> float:
        return (await info.context.reader.once(_lag)).seconds

    @cacheable_paged(
        Connection[NoticeRef],
        "What moved ratings without a match in the last 30 days, the latest first: promotions, rollbacks, adoptions, "
        "and corrections that moved somebody outside their match by a point or more.",
    )
    def notices(
        self,
        kinds: Annotated[
            list[NoticeKind] | None, argument("Only notices of one of these kinds, such as PROMOTION; null: all.")
        ] = None,
    ) -> PageableList[NoticeRow]:
        wanted = None if kinds is None else tuple(kind.value for kind in kinds)
        return PageableList(NoticeRow, lambda _: (notices.notices(wanted), notices.NOTICES_LATEST_FIRST))


@strawberry.type(description="A browser that is signed in.")
class WebSession:
    token_id: str = field(description="The id by which `endSessions` and `revokeToken` end the session.")
    browser: str = field(description="What the browser calls itself.")
    began_at: datetime = field(description="When it signed in.")
    expires_at: datetime = field(description="When it has to sign in again.")
    is_current: bool = field(description="Whether this request comes from it.")


@strawberry.type(description="The sender of the request, known by the bearer token or by the session of a page.")
class Viewer:
    id: strawberry.ID = field(
        description="An id for caches of clients, made from a hash of `sub`; `node` does not accept it."
    )
    sub: str = field(description="The subject of the token; the actor of what is written with it.")
    roles: list[Role] = field(description="The roles that the token grants.")
    may: list[str] = field(
        description="What these roles allow, at least in your own affairs: mutations by the names of their fields, "
        "uploads such as `uploadPhoto`, and what is read, such as `readMembers` (the list `members`); "
        "docs/api/permissions.md lists all. Strings, not an enum: a client compares them with the names of the fields "
        "that it sends, and each new mutation adds one."
    )
    token_id: str | None = field(description="The token's `jti`, by which an admin can revoke it.")
    expires_at: datetime | None = field(description="When the token expires.")

    @field(
        description="Whether an admin has let this person in; null for tokens and links, which an admin made. A "
        "person who waits or was declined has no roles."
    )
    async def standing(self, info: Info) -> MemberStanding | None:
        sessions = WebSessions(info.context.source.engine)
        standing = await in_checking_thread(sessions.standing_of, info.context.viewer)
        return None if standing is None else MemberStanding(standing)

    @field(description="The browsers that are signed in as this person, the newest first.")
    async def sessions(self, info: Info) -> list[WebSession]:
        viewer = info.context.viewer
        found = await in_checking_thread(WebSessions(info.context.source.engine).of, viewer)
        return [
            WebSession(
                token_id=one.token_id,
                browser=one.browser,
                began_at=one.began_at,
                expires_at=one.expires_at,
                is_current=one.token_id == viewer.jti,
            )
            for one in found
        ]

    player = player_field("The player whose id in the league is `sub`.", "sub", null=True)

    @field(description="What waits for the viewer: results to confirm, and what the viewer may decide for others.")
    async def waiting(self, info: Info) -> Waiting:
        return await waiting_for(info)


@short
def _position(snapshot: Snapshot) -> int:
    return snapshot.position


def _lag(snapshot: Snapshot) -> ProjectionLag:
    return lag(snapshot.conn.connection.driver_connection)  # type: ignore[arg-type]  # psycopg's own connection


@strawberry.type
class LeagueQueries:
    @field(description="The league; null before it has been created and projected.")
    @cacheable
    async def league(self, info: Info) -> League | None:
        row = await info.context.reader.once(reads.settings)
        return None if row is None else League.of(row)

    @field(description="The sender of the request; null without a token.")
    def viewer(self, info: Info) -> Viewer | None:
        viewer = info.context.viewer
        if viewer.sub is None:
            return None
        return Viewer(
            id=strawberry.ID(global_id("Viewer", sha256(viewer.sub.encode()).hexdigest())),
            sub=viewer.sub,
            roles=[Role(role) for role in viewer.roles],
            may=[operation for operation in PERMISSIONS if viewer.reach(operation) is not None],
            token_id=viewer.jti,
            expires_at=info.context.session.expires_at,
        )


@strawberry.input(description="The settings to change; a setting that is null stays.")
class ChangeSettingsInput(OverwritingInput):
    name: str | None = optional("The name of the league, 1 to 100 characters.")
    time_zone: str | None = optional("Where its months begin and end, such as `America/Havana`.")
    confirmation: bool | None = optional("Whether matches that end from now on await confirmation by their players.")
    photo_confidence: float | None = optional(
        "The confidence, from 0 to 1, below which a count of a photo says that it cannot tell."
    )
    colour: str | None = optional("The club's colour, such as `#b3261e`. Empty: remove it.")
    second_colour: str | None = optional("The club's second colour. Empty: remove it.")
    remove_logo: bool = strawberry.field(
        default=False, description="Remove the club's logo, for good. `POST /logo` stores one."
    )


@strawberry.type(description="A mutation that changed the league.")
class LeagueSuccess(Success):
    @field_of(LeagueRef | None, "The league afterwards; null with an error when the read side does not follow in time.")
    async def league(self, info: Info) -> LeagueRow | None:
        return await info.context.reader.once(reads.settings)


@strawberry.type
class SettingsMutations:
    @mutation(
        "Change the name, the time zone and the demands of the league. Another time zone moves matches to other "
        "months: `previewTimeZone` says which. Role: admin.",
        of=LeagueSuccess,
        refusals=(ChangedSinceError, *USUAL_OF_NEW),
        result="The result of changing settings.",
    )
    async def change_settings(self, info: Info, given: ChangeSettingsInput) -> Answer:
        command = ChangeSettings(
            given.name, given.time_zone, given.confirmation, given.photo_confidence, given.colour, given.second_colour,
            "" if given.remove_logo else None,
        )  # fmt: skip
        return {"position": await carry_out(info, given, lambda: command)}
