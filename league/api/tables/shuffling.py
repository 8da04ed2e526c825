"""Contributing to the shuffle of a hand, and answering the offer to have it dealt anew."""

from typing import Annotated

import strawberry
from strawberry import field

from league.api.graphql.context import Info
from league.api.graphql.mutations import INPUT
from league.api.graphql.table_errors import HandOverError, NotSeatedError
from league.api.tables.table_success import AtTableInput, TableErrors, TableSuccess, act, table_of
from league.domain.table.commands import AnswerReshuffle, ContributeSeed


@strawberry.input(description="What you add to the seed of a hand.")
class ContributeSeedInput(AtTableInput):
    hand: int = field(description="The number of the hand.")
    contribution: str = field(description="32 random bytes, as 64 hexadecimal digits.")


@strawberry.type(description="The contribution counts. If it was the last one, the hand is dealt.")
class ContributeSeedSuccess(TableSuccess):
    pass


ContributeSeedPayload = Annotated[
    ContributeSeedSuccess | NotSeatedError | HandOverError | TableErrors,
    strawberry.union("ContributeSeedPayload", description="The result of contributing to the seed."),
]


@strawberry.input(description="An offer to have a hand dealt anew, to accept.")
class AcceptReshuffleInput(AtTableInput):
    hand: int = field(description="The number of the hand.")


@strawberry.type(description="All hands are dealt anew.")
class AcceptReshuffleSuccess(TableSuccess):
    pass


AcceptReshufflePayload = Annotated[
    AcceptReshuffleSuccess | NotSeatedError | HandOverError | TableErrors,
    strawberry.union("AcceptReshufflePayload", description="The result of accepting a reshuffle."),
]


@strawberry.input(description="An offer to have a hand dealt anew, to decline.")
class DeclineReshuffleInput(AtTableInput):
    hand: int = field(description="The number of the hand.")


@strawberry.type(description="You keep your tiles.")
class DeclineReshuffleSuccess(TableSuccess):
    pass


DeclineReshufflePayload = Annotated[
    DeclineReshuffleSuccess | NotSeatedError | HandOverError | TableErrors,
    strawberry.union("DeclineReshufflePayload", description="The result of declining a reshuffle."),
]


@strawberry.type
class ShuffleMutations:
    @strawberry.mutation(
        description="Add 32 random bytes to the seed of a hand, after its commitment was published. What does not come "
        "in time counts as zeros. Role: player, for themselves."
    )
    async def contribute_seed(self, info: Info, given: Annotated[ContributeSeedInput, INPUT]) -> ContributeSeedPayload:
        table = table_of(given)
        position = await act(
            info,
            "contributeSeed",
            given,
            table,
            lambda player: ContributeSeed(table, player, given.hand, given.contribution),
        )
        return ContributeSeedSuccess(position=position, table_id=table)

    @strawberry.mutation(
        description="Have all hands dealt anew, where you were offered it. Role: player, for themselves."
    )
    async def accept_reshuffle(
        self, info: Info, given: Annotated[AcceptReshuffleInput, INPUT]
    ) -> AcceptReshufflePayload:
        table = table_of(given)
        position = await act(
            info,
            "acceptReshuffle",
            given,
            table,
            lambda player: AnswerReshuffle(table, player, given.hand, accept=True),
        )
        return AcceptReshuffleSuccess(position=position, table_id=table)

    @strawberry.mutation(
        description="Keep your tiles, where you were offered a reshuffle. Role: player, for themselves."
    )
    async def decline_reshuffle(
        self, info: Info, given: Annotated[DeclineReshuffleInput, INPUT]
    ) -> DeclineReshufflePayload:
        table = table_of(given)
        position = await act(
            info,
            "declineReshuffle",
            given,
            table,
            lambda player: AnswerReshuffle(table, player, given.hand, accept=False),
        )
        return DeclineReshuffleSuccess(position=position, table_id=table)
