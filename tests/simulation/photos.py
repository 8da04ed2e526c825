"""Photos of a simulated league: what people do with them, and what must be stored of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from random import Random
from typing import Any
from unittest.mock import patch

from league.application.bootstrap import League
from league.application.stream_states import StreamStates
from league.domain.deciders import Command
from league.domain.match import CorrectHand, RecordHand
from league.infra.database import connect
from league.infra.photo_store import OVERLAYS, PICTURES, PhotoStore, overlay_name, picture_name
from league.photos.domain.photo import ConfirmCount, CorrectCount, ErasePhoto, UploadPhoto
from league.photos.photo_commands import STREAM, photo_state
from league.photos.photo_jobs import DAMAGED, DIED
from league.vision import pip_counter
from league.vision.pip_counter import CountedTile, PipCount
from tests.simulation.people import EACH, FIRST, World, hand, open_match

PHOTOS_OF_A_PICTURE = 2
"""People upload a picture again, some of them after it was erased."""
ROWS = "SELECT photo_id, to_count, to_remove, erased FROM photos ORDER BY photo_id"
UPLOADED = "SELECT substr(originator_id, 7) FROM stored_events WHERE topic = 'photo-uploaded/1' ORDER BY 1"


def photo_command(league: League, world: World, random: Random) -> Command:
    """What somebody does with a photo, or with the hand that it shows."""
    if not world.matches:
        return open_match(world, random)
    match = random.choice(sorted(world.matches)[-4:])
    number, seats = world.hands.get(match, 0) + 1, world.matches[match]
    if not world.photos or random.random() < 0.3:
        content = b"picture %d" % (len(world.photos) // PHOTOS_OF_A_PICTURE)
        world.pictures[sha256(content).hexdigest()] = content
        taken = f"f{len(world.photos) + (random.random() < 0.8)}"  # sometimes under the id of another photo
        shown = random.randint(max(1, number - 1), number)
        return UploadPhoto(
            taken, match, shown, random.randrange(seats), None, sha256(content).hexdigest(), len(content),
            "image/jpeg", 800, 600,
        )  # fmt: skip
    photo = random.choice(world.photos[-4:])
    uploaded = photo_state(StreamStates(league.store, league.dispatcher.clock()), photo).uploaded
    if uploaded is None or random.random() < 0.2:
        return ErasePhoto(photo, "no consent")
    if random.random() < 0.5:
        return random.choice((ConfirmCount(photo), CorrectCount(photo, None, random.randint(0, 60))))
    facts = hand(world.matches[uploaded.match], random)
    if uploaded.hand <= world.hands.get(uploaded.match, 0):
        return CorrectHand(uploaded.match, uploaded.hand, facts, "by its photo", photos=(photo,))
    return RecordHand(uploaded.match, facts, None, FIRST + EACH * (world.opened + 1), photos=(photo,))


@contextmanager
def quick_counter() -> Iterator[None]:
    """Inside this context a picture is read by its last digit: the counter itself has tests of its own."""

    def read(picture: bytes, **_: Any) -> PipCount:
        pips = int(picture.split()[1]) % 10
        tile = CountedTile(0, pips, ((0, 0), (1, 0), (1, 1), (0, 1)), 0.9)
        return PipCount((tile,), None if pips == 0 else pips, 0.9, "no_tiles" if pips == 0 else None, 800, 600)

    with patch.multiple(pip_counter, count_pips=read, overlay=lambda picture, _: b"overlay of " + picture):
        yield


# ---------------------------------------------------------------- what must hold


def faults_of_photos(league: League, place: str) -> Iterator[str]:
    """Where the row of a photo, or what is stored of it, is not what its events say. All jobs are done."""
    states, store = StreamStates(league.store, league.dispatcher.clock()), PhotoStore(place)
    with connect(league.database.url) as conn:
        rows = {photo: rest for photo, *rest in conn.execute(ROWS)}
        photos = [photo for (photo,) in conn.execute(UPLOADED)]
    if photos != list(rows):
        yield f"photos {photos} were uploaded, and rows are of {list(rows)}"
    pictures, overlays = set(store.names(PICTURES)), set(store.names(OVERLAYS))
    used: set[str] = set()
    for photo in photos:
        state = photo_state(states, photo)
        assert state.uploaded is not None, "it was uploaded"
        if rows.get(photo) != [False, False, state.erased]:
            yield f"{STREAM}{photo} is {state}, and its row {rows.get(photo)}"
        if not state.erased:
            used.add(picture_name(state.uploaded.sha256))
            given_up = state.proposal is not None and state.proposal.reason in (DAMAGED, DIED)
            if state.proposal is None or (overlay_name(photo) not in overlays and not given_up):
                yield f"{STREAM}{photo} is not counted: {state}"
        elif overlay_name(photo) in overlays:
            yield f"{STREAM}{photo} is erased, and the copy with its tiles is left"
    if used - pictures:
        yield f"the pictures {used - pictures} are gone, and photos have them"
    if erased := pictures - used:
        yield f"the pictures {erased} are left, and no photo has them"
