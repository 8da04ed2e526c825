"""Facts of a hand that photos fill in, for inputs that name photos."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import strawberry

from league.api.graphql.executing.context import Context
from league.domain.hand import HandFacts
from league.domain.match_faults import NO_PHOTOS
from league.domain.refusals import InvalidInput
from league.domain.rules import Mode
from league.features import declared

Filled: TypeAlias = Callable[[HandFacts, int, Mode], HandFacts]
"""The facts of a hand of the match, given its number and the mode, with what photos show. Raises Refusal."""
Fill: TypeAlias = Callable[[Context, str, Sequence[strawberry.ID]], Awaitable[Filled]]
"""What the named photos of a match fill in. Raises NotFound for one that the viewer may not see."""


async def filled_from(context: Context, match: str, photos: Sequence[strawberry.ID]) -> Filled:
    """What the named photos of a match fill in. Raises NotFound, and InvalidInput where no feature takes photos."""
    if not photos:
        return lambda facts, _hand, _mode: facts
    fills: list[Fill] = declared("evidence")
    if not fills:
        raise InvalidInput("photos", NO_PHOTOS)
    return await fills[0](context, match, photos)
