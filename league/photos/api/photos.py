"""Photos of leftover tiles in the schema: queries, mutations, a subscription, and photos as evidence of a hand."""

from collections.abc import AsyncGenerator, Callable, Sequence
from enum import Enum
from typing import Annotated, Any

import strawberry
from sqlalchemy import text
from strawberry import field, subscription

from league.api.graphql.executing.context import Context, Info
from league.api.graphql.leaf_types import BigInt, Tile, argument, optional, word
from league.api.graphql.request_errors import UnknownId
from league.api.graphql.shaping.each_change import each_change
from league.api.graphql.shaping.from_rows import FromItems, made_of
from league.api.graphql.shaping.mutations import (
    USUAL,
    Answer,
    MutationInput,
    OverwritingInput,
    Success,
    carry_out,
    mutation,
    with_input_path,
)
from league.api.graphql.shaping.object_fields import field_of
from league.api.graphql.shaping.relay import Node, global_id, local_id
from league.api.graphql.shaping.shared_fields import match_field
from league.api.graphql.shaping.user_errors import ChangedSinceError
from league.api.graphql.threads import in_thread
from league.api.matches.hands import PATHS, HandFactsInput, read_facts
from league.api.matches.scoring import ScoredHand, ScoreHandPayload
from league.api.schema_part import Filled, SchemaPart
from league.domain.deciders import Command
from league.domain.hand import HandFacts
from league.domain.refusals import Refusal
from league.domain.rules import Mode
from league.domain.sentences import say
from league.domain.texts_and_times import reason_of_command
from league.photos.api.seen_photos import SeenPhoto, endpoints, photos_named, seated, seen_photo, shared
from league.photos.domain.photo import ConfirmCount, CorrectCount, CountProposed, ErasePhoto, PhotoState, ReadTile
from league.photos.domain.photo_evidence import recorded_without, score_with_photos, with_leftovers
from league.photos.photo_commands import STREAM, photo_state
from league.photos.photo_jobs import CHANNEL
from league.photos.words import words_of_reason
from league.projections.queries.snapshot import Snapshot

KnownFacts = Annotated[
    HandFactsInput | None,
    argument("The other facts of the hand; leave null what its photos show. Null means the recorded facts."),
]
OtherPhotos = Annotated[list[strawberry.ID] | None, argument("Other photos of the hand, whose counts are used too.")]
PhotoId = Annotated[strawberry.ID, argument("Global id, or the photo's id in the league.")]


@strawberry.enum(description="The state of a photo.")
class PhotoStatus(Enum):
    COUNTING = word("counting", "The computer has not answered yet.")
    PROPOSED = word("proposed", "There is a count for a person to confirm or to correct.")
    UNCLEAR = word("unclear", "The computer cannot tell; a person gives the tiles or their pips.")
    CONFIRMED = word("confirmed", "A person found the proposal right.")
    CORRECTED = word("corrected", "A person named the tiles.")
    TYPED = word("typed", "A person gave only the pips.")
    ERASED = word("erased", "The picture was erased.")


@strawberry.type(description="A point of the picture, in pixels.")
class PicturePoint(FromItems):
    x: float = field(description="From the left.")
    y: float = field(description="From the top.")


@strawberry.type(description="A tile as the computer reads it.")
class ReadTileOfPhoto:
    tile: Tile = field(description="The tile, the lower half first.")
    a: int = field(description="Its lower half.")
    b: int = field(description="Its higher half.")
    confidence: float = field(description="From 0 to 1.")
    outline: list[PicturePoint] = field(description="Its corners on the picture.")

    @classmethod
    def of(cls, read: ReadTile) -> "ReadTileOfPhoto":
        """A tile of a proposal."""
        a, b = read.tile
        return made_of(cls, read, a=a, b=b)


@strawberry.type(description="What the computer reads on a photo. It decides nothing.")
class PhotoProposal:
    tiles: list[ReadTileOfPhoto] = field(description="The tiles that it found, even if it cannot tell the total.")
    total: int | None = field(description="The pips of all tiles; null if it cannot tell.")
    confidence: float = field(description="Confidence that the total is right, from 0 to 1.")
    can_tell: bool = field(description="Whether there is a total. Otherwise a person gives the tiles or their pips.")
    reason: str | None = field(description="Why it cannot tell; null if it can.")

    @classmethod
    def of(cls, proposal: CountProposed) -> "PhotoProposal":
        """A stored proposal."""
        return made_of(
            cls,
            proposal,
            can_tell=proposal.total is not None,
            reason=None if proposal.reason is None else words_of_reason(proposal.reason),
        )


@strawberry.type(
    description="A photo of the tiles that a seat or a side still held when a hand ended. Scorekeepers, admins, "
    "auditors and the players of the match may see it."
)
class Photo(Node):
    photo_id: str = field(description="The id in the league.")
    match_id: str = field(description="The id in the league of its match.")
    hand: int = field(description="The number of its hand, which may not be recorded yet.")
    seat: int | None = field(description="The seat whose tiles it shows; null if it shows the tiles of a side.")
    side: int | None = field(description="The side whose tiles it shows; null if it shows the tiles of a seat.")
    status: PhotoStatus = field(description="The state of the photo.")
    proposal: PhotoProposal | None = field(description="What the computer reads on it; null while it is counting.")
    tiles: list[Tile] | None = field(description="The settled tiles; null until a person names or confirms tiles.")
    pips: int | None = field(description="The settled pips of the tiles; null until a person settles them.")
    is_evidence: bool = field(description="Whether the facts of the recorded hand are based on it.")
    sha256: str = field(description="SHA-256 of the stored picture, in hexadecimal. It stays if the picture is erased.")
    media_type: str = field(description="Media type of the stored picture.")
    width: int = field(description="Width of the stored picture, in pixels.")
    height: int = field(description="Height of the stored picture, in pixels.")
    picture_path: str | None = field(
        description="Path of the picture on this server. A request needs the token. Null if the picture was erased."
    )
    overlay_path: str | None = field(
        description="Path of a copy on which each tile has its outline and numbers; null before the proposal, or if "
        "the picture was erased."
    )
    position: BigInt = field(description="The position of its last event.")

    @classmethod
    def of(cls, seen: SeenPhoto) -> "Photo":
        """A photo that its viewer may see."""
        uploaded, state = seen.uploaded, seen.state
        path = None if state.erased else f"/photos/{seen.id}"
        proposal = state.proposal
        return made_of(
            cls,
            uploaded,
            id=strawberry.ID(global_id("Photo", seen.id)),
            photo_id=seen.id,
            match_id=uploaded.match,
            status=status_of(state),
            proposal=None if proposal is None else PhotoProposal.of(proposal),
            tiles=state.tiles,
            pips=state.pips,
            is_evidence=seen.is_evidence,
            position=seen.position,
            picture_path=path,
            overlay_path=None if path is None or proposal is None else f"{path}/overlay",
        )

    match = match_field("Its match; null for a moment after the match was opened.", null=True)

    @field(
        description="What the hand would score with the photo's count: the settled count, otherwise the proposed one. "
        "Nothing is stored. Null while there is no count, or if the hand is not recorded yet and `facts` is missing."
    )
    async def score(self, info: Info, facts: KnownFacts = None, photos: OtherPhotos = None) -> ScoreHandPayload | None:
        return await in_thread(_score, info.context, self.photo_id, facts, photos or [])


def _score(
    context: Context, photo: str, given: HandFactsInput | None, others: Sequence[strawberry.ID]
) -> ScoredHand | None:
    """Score the hand of a photo. Blocks; raises Refusal."""
    states = context.states()
    state = photo_state(states, photo)
    uploaded = state.uploaded
    assert uploaded is not None, "the viewer sees it"
    played = states.match(uploaded.match).played
    assert played is not None, "its photo was accepted"
    facts = recorded_without(uploaded, played) if given is None else read_facts(given)
    if facts is None or (state.settled is None and state.proposed_tiles is None):
        return None
    ruleset = states.rulebook().at(played.began_at).rulesets[played.ruleset]
    named = [(id_, photo_state(states, id_)) for id_ in (local_id("Photo", other) for other in others)]
    try:
        hand = score_with_photos(facts, uploaded.match, uploaded.hand, played, ruleset, [*named, (photo, state)])
    except Refusal as refusal:
        raise with_input_path(refusal, PATHS) from None
    return ScoredHand.of(hand.facts, ruleset, played.mode, hand.score, hand.before)


def status_of(state: PhotoState) -> PhotoStatus:
    """The status that follows from a photo's state."""
    if state.erased:
        return PhotoStatus.ERASED
    if state.settled is not None:
        return PhotoStatus(state.settled)
    if state.proposal is None:
        return PhotoStatus.COUNTING
    return PhotoStatus.UNCLEAR if state.proposal.total is None else PhotoStatus.PROPOSED


@strawberry.type
class PhotoQueries:
    @field_of(Photo | None, "A photo of leftover tiles; null if it does not exist, or if the viewer may not see it.")
    async def photo(self, info: Info, id: PhotoId) -> SeenPhoto | None:  # noqa: A002  # the argument's name in the schema
        return await seen_photo(info.context, local_id("Photo", id))


# ---------------------------------------------------------------- mutations


@strawberry.input(description="A photo.")
class OnPhotoInput(MutationInput):
    photo: strawberry.ID = field(description="Global id, or the id in the league.")

    @property
    def local(self) -> str:
        """The id in the league."""
        return local_id("Photo", self.photo)


@strawberry.input(description="A photo whose proposed count is right.")
class ConfirmPhotoInput(OnPhotoInput, OverwritingInput):
    pass


@strawberry.input(description="What is on a photo: its tiles, or only their pips.")
class CorrectPhotoCountInput(OnPhotoInput, OverwritingInput):
    tiles: list[Tile] | None = optional("All tiles on the photo, not only those that were misread.")
    pips: int | None = optional("The pips of all tiles, only if the tiles are not given.")

    def read(self) -> CorrectCount:
        """The input as the domain's type."""
        return CorrectCount(self.local, None if self.tiles is None else tuple(self.tiles), self.pips)


@strawberry.input(description="A photo to erase.")
class ErasePhotoInput(OnPhotoInput):
    reason: str = field(description="The reason, for readers of the log.")

    def read(self) -> ErasePhoto:
        """The input as the domain's type. Raises InvalidInput."""
        return ErasePhoto(self.local, reason_of_command(self.reason))


@strawberry.type(description="A mutation that changed a photo.")
class PhotoSuccess(Success):
    local: strawberry.Private[str]

    @field_of(Photo | None, "The photo afterwards; null if the viewer may not see it.")
    async def photo(self, info: Info) -> SeenPhoto | None:
        return await seen_photo(info.context, self.local)


@strawberry.type
class PhotoMutations:
    @mutation(
        "Confirm the proposed count of a photo, which settles it. `recordHand` and `correctHand` accept it then. "
        "Roles: scorekeeper, admin; player: of matches they sit in.",
        of=PhotoSuccess,
        refusals=(ChangedSinceError, *USUAL),
        result="The result of confirming a count.",
    )
    async def confirm_photo(self, info: Info, given: ConfirmPhotoInput) -> Answer:
        return await _sent(info, given, lambda: ConfirmCount(given.local))

    @mutation(
        "Settle the count of a photo by its tiles or their pips, whatever was proposed, and also before "
        "a proposal. Roles: scorekeeper, admin; player: of matches they sit in.",
        of=PhotoSuccess,
        refusals=(ChangedSinceError, *USUAL),
        result="The result of correcting a count.",
    )
    async def correct_photo_count(self, info: Info, given: CorrectPhotoCountInput) -> Answer:
        return await _sent(info, given, given.read)

    @mutation(
        "Remove a picture and its overlay permanently. What was read on it and its hash stay in the log. Roles: admin.",
        of=PhotoSuccess,
        refusals=USUAL,
        result="The result of erasing a photo.",
    )
    async def erase_photo(self, info: Info, given: ErasePhotoInput) -> Answer:
        return await _sent(info, given, given.read)


async def _sent(info: Info, given: OnPhotoInput, make: Callable[[], Command]) -> Answer:
    def players() -> list[str]:
        return seated(info.context, given.local)

    return {"position": await carry_out(info, given, make, owners=players, owned="photo"), "local": given.local}


# ---------------------------------------------------------------- the subscription

_VERSION = text("SELECT max(originator_version) FROM stored_events WHERE originator_id = :stream")


@strawberry.type
class PhotoSubscriptions:
    @subscription(
        description="A photo as it is now, and again after each change: when the computer proposes a count, and when a "
        "person settles it. It completes when the picture is erased. Fails with the code UNKNOWN_ID if the photo does "
        "not exist, or if the viewer may not see it."
    )
    async def photo_changed(
        self,
        info: Info,
        id: PhotoId,  # noqa: A002  # the argument's name in the schema
    ) -> AsyncGenerator[Photo, None]:
        photo = local_id("Photo", id)

        def version(snapshot: Snapshot) -> Any:
            return snapshot.conn.execute(_VERSION, {"stream": f"{STREAM}{photo}"}).scalar()

        async for _state in each_change(info, version, (CHANNEL,)):
            seen = await seen_photo(info.context, photo)
            if seen is None:
                raise UnknownId(say("`id`: the league has no photo {id!r} that you may see.", id=id), argument="id")
            yield Photo.of(seen)
            if seen.state.erased:
                return


# ---------------------------------------------------------------- the evidence of a hand


async def fill(context: Context, match: str, photos: Sequence[strawberry.ID]) -> Filled:
    """A function that fills in a hand's leftovers from these photos. Raises NotFound if the viewer may not see one."""
    seen = await photos_named(context, match, photos)
    states = [(photo.id, photo.state) for photo in seen.values()]

    def filled(facts: HandFacts, hand: int, mode: Mode) -> HandFacts:
        return with_leftovers(facts, match, hand, mode, states, proposed=True)

    return filled


# ---------------------------------------------------------------- the schema


async def _photo(info: Info, local: str) -> SeenPhoto | None:
    # A photo is read from the log, not from the read tables, and only some viewers may see it.
    return await seen_photo(info.context.beyond_the_state(), local)


SCHEMA = SchemaPart(
    queries=(PhotoQueries,),
    mutations=(PhotoMutations,),
    subscriptions=(PhotoSubscriptions,),
    nodes={"Photo": (_photo, Photo.of)},
    evidence=fill,
    channels=(CHANNEL,),
    shared=shared,
    endpoints=endpoints,
)
