"""Live updates of a replay."""

from collections.abc import AsyncGenerator
from typing import Any

import strawberry
from strawberry import subscription

from league.api.graphql.executing.context import Info
from league.api.graphql.request_errors import RequestError
from league.api.graphql.shaping import loaders
from league.api.graphql.shaping.each_change import each_change
from league.api.replays.replays import OVER, Number, Replay
from league.application.jobs import CHANNEL as REPLAYS
from league.projections.queries.replays import replay as read_replay
from league.projections.queries.snapshot import Snapshot
from league.wording.language import _


@strawberry.type
class ReplaySubscriptions:
    @subscription(
        description="A replay: its current state, then each further step, until it is neither waiting nor running."
    )
    async def replay_changed(self, info: Info, number: Number) -> AsyncGenerator[Replay, None]:
        def state(snapshot: Snapshot) -> Any:
            return (read_replay(snapshot, number),)

        async for _state in each_change(info, state, (REPLAYS,)):
            found = await loaders.replays.replay(info, number)
            if found is None:
                raise RequestError(_("There is no replay {number}.", number=number), argument="number")
            shown = Replay.of(found)
            yield shown
            if shown.state in OVER:
                return
