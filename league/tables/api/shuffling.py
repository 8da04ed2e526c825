"""Contributing to the shuffle of a hand, and answering the offer to have it dealt anew."""

import strawberry
from strawberry import field

from league.api.graphql.executing.context import Info
from league.api.graphql.shaping.mutations import USUAL, Answer, mutation
from league.tables.api.table_errors import HandOverError, NotSeatedError
from league.tables.api.table_success import AtTableInput, TableSuccess, act, table_of
from league.tables.domain.commands import AnswerReshuffle, ContributeSeed


@strawberry.input(description="What you add to the seed of a hand.")
class ContributeSeedInput(AtTableInput):
    hand: int = field(description="The number of the hand.")
    contribution: str = field(description="32 random bytes, as 64 hexadecimal digits.")


@strawberry.input(description="An offer to have a hand dealt anew, to accept.")
class AcceptReshuffleInput(AtTableInput):
    hand: int = field(description="The number of the hand.")


@strawberry.input(description="An offer to have a hand dealt anew, to decline.")
class DeclineReshuffleInput(AtTableInput):
    hand: int = field(description="The number of the hand.")


@strawberry.type
class ShuffleMutations:
    @mutation(
        "Add 32 random bytes to the seed of a hand, after its commitment was published. What does not come "
        "in time counts as zeros. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, HandOverError, *USUAL),
        result="The result of contributing to the seed.",
    )
    async def contribute_seed(self, info: Info, given: ContributeSeedInput) -> Answer:
        table = table_of(given)
        position = await act(
            info,
            given,
            table,
            lambda player: ContributeSeed(table, player, given.hand, given.contribution),
        )
        return {"position": position, "table_id": table}

    @mutation(
        "Have all hands dealt anew, where you were offered it. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, HandOverError, *USUAL),
        result="The result of accepting a reshuffle.",
    )
    async def accept_reshuffle(self, info: Info, given: AcceptReshuffleInput) -> Answer:
        table = table_of(given)
        position = await act(
            info,
            given,
            table,
            lambda player: AnswerReshuffle(table, player, given.hand, accept=True),
        )
        return {"position": position, "table_id": table}

    @mutation(
        "Keep your tiles, where you were offered a reshuffle. Role: player, for themselves.",
        of=TableSuccess,
        refusals=(NotSeatedError, HandOverError, *USUAL),
        result="The result of declining a reshuffle.",
    )
    async def decline_reshuffle(self, info: Info, given: DeclineReshuffleInput) -> Answer:
        table = table_of(given)
        position = await act(
            info,
            given,
            table,
            lambda player: AnswerReshuffle(table, player, given.hand, accept=False),
        )
        return {"position": position, "table_id": table}
