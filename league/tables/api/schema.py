"""Live tables in the schema."""

from league.api.graphql.executing.context import Info
from league.api.schema_part import SchemaPart
from league.tables.api import seen_tables
from league.tables.api.moments import MOMENTS
from league.tables.api.phrases import PhraseMutations, PhraseQueries, PhraseSaid
from league.tables.api.seen_tables import SeenTable
from league.tables.api.table_changes import TableSubscriptions
from league.tables.api.table_mutations import MoveMutations, SeatMutations, ShuffleMutations, TableMutations
from league.tables.api.table_queries import TableQueries
from league.tables.api.table_success import TABLE_REFUSALS
from league.tables.api.tables import Table


async def _table(info: Info, local: str) -> SeenTable | None:
    # Beyond the state of the read side, and another one for each viewer.
    return await seen_tables.table(info.context.beyond_the_state(), local)


SCHEMA = SchemaPart(
    queries=(TableQueries, PhraseQueries),
    mutations=(TableMutations, SeatMutations, ShuffleMutations, MoveMutations, PhraseMutations),
    subscriptions=(TableSubscriptions,),
    types=(*MOMENTS, PhraseSaid),
    refusals=TABLE_REFUSALS,
    nodes={"Table": (_table, Table.of)},
)
