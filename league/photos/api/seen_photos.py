"""Photos as their viewers see them, from their streams in the log."""

from collections.abc import Sequence

from msgspec import Struct

from league.api.graphql.executing.context import Context
from league.api.graphql.shaping.relay import local_id
from league.api.graphql.threads import in_thread
from league.domain.match import HandCorrected, HandPhotographed
from league.domain.refusals import NotFound
from league.eventlog.records import Stored, state_after
from league.infra.database import connect
from league.photos.application.photo_commands import STREAM, photo_state
from league.photos.domain.photo import PhotoState, PhotoUploaded, evolve

OF_MATCH = "SELECT photo_id FROM photos WHERE match_id = %s ORDER BY hand, photo_id"


class SeenPhoto(Struct, frozen=True):
    """A photo with its place in the log."""

    id: str
    uploaded: PhotoUploaded
    state: PhotoState
    position: int
    """Of its last event."""
    is_evidence: bool
    """Whether the facts of the recorded hand rest on it."""


async def photo(context: Context, id_: str) -> SeenPhoto | None:
    """A photo; None for one that the league does not know, or that the viewer may not see."""
    return await in_thread(_photo, context, id_)


async def photos_of(context: Context, match: str) -> list[SeenPhoto] | None:
    """The photos of a match by hand; None where the viewer may not see them."""
    return await in_thread(_photos_of, context, match)


async def named(context: Context, match: str, photos: Sequence[str]) -> dict[str, SeenPhoto]:
    """The photos of a match that an input names, by id. Raises NotFound for one that the viewer may not see."""
    seen = {photo.id: photo for photo in await photos_of(context, match) or []}
    ids = [local_id("Photo", photo) for photo in photos]
    for number, id_ in enumerate(ids):
        if id_ not in seen:
            raise NotFound(f"photos.{number}", "photo", id_)
    return {id_: seen[id_] for id_ in ids}


def seated(context: Context, id_: str) -> list[str]:
    """The players of the match of a photo. Blocks."""
    states = context.states()
    uploaded = photo_state(states, id_).uploaded
    played = None if uploaded is None else states.match(uploaded.match).played
    return [] if played is None else list(played.seats)


def may_see(context: Context, seats: Sequence[str]) -> bool:
    """Whether the viewer may see the photos of a match with these players. Blocks."""
    reach = context.viewer.reach("readPhoto")
    return reach == "any" or (reach == "own" and context.is_one_of(seats))


def _photo(context: Context, id_: str) -> SeenPhoto | None:
    if context.viewer.reach("readPhoto") is None or not may_see(context, seated(context, id_)):
        return None
    events = context.states().events(f"{STREAM}{id_}")
    match = events[0].event.match if events and isinstance(events[0].event, PhotoUploaded) else ""
    return _seen(id_, events, evidence_in(context.states().events(f"match:{match}"))) if match else None


def _photos_of(context: Context, match: str) -> list[SeenPhoto] | None:
    if context.viewer.reach("readPhoto") is None:
        return None
    states = context.states()
    played = states.match(match).played
    if played is None or not may_see(context, played.seats):
        return None
    with connect(context.league.database.url) as conn:
        ids = [id_ for (id_,) in conn.execute(OF_MATCH, (match,))]
    states.prefetch(f"{STREAM}{id_}" for id_ in ids)
    evidence = evidence_in(states.events(f"match:{match}"))
    found = [_seen(id_, states.events(f"{STREAM}{id_}"), evidence) for id_ in ids]
    return [one for one in found if one is not None]


def _seen(id_: str, events: Sequence[Stored], evidence: dict[int, tuple[str, ...]]) -> SeenPhoto | None:
    state = state_after(events, evolve, PhotoState())
    if state.uploaded is None:
        return None
    is_evidence = id_ in evidence.get(state.uploaded.hand, ())
    return SeenPhoto(id_, state.uploaded, state, events[-1].position, is_evidence)


def evidence_in(events: Sequence[Stored]) -> dict[int, tuple[str, ...]]:
    """By hand of a match, the photos on which its facts rest. A correction takes back those before it."""
    found: dict[int, tuple[str, ...]] = {}
    for stored in events:
        match stored.event:
            case HandPhotographed(hand=hand, photos=photos):
                found[hand] = photos
            case HandCorrected(hand=hand):
                found.pop(hand, None)
    return found
