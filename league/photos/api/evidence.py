"""What the photos that an input names say about a hand: counts that are settled, or else proposed."""

from collections.abc import Sequence

import strawberry

from league.api.graphql.executing.context import Context
from league.api.matches.hands import Filled
from league.domain.hand import HandFacts
from league.domain.rules import Mode
from league.photos.api import seen_photos
from league.photos.domain.photo_evidence import with_leftovers


async def fill(context: Context, match: str, photos: Sequence[strawberry.ID]) -> Filled:
    """What the named photos of a match fill in. Raises NotFound for one that the viewer may not see."""
    seen = await seen_photos.named(context, match, photos)
    states = [(photo.id, photo.state) for photo in seen.values()]

    def filled(facts: HandFacts, hand: int, mode: Mode) -> HandFacts:
        return with_leftovers(facts, match, hand, mode, states, proposed=True)

    return filled
