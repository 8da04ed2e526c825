"""The states of live tables, which a process keeps: a move loads only the events that are newer."""

from typing import cast

from league.application.stream_states import KeptStates, KeptStream, StreamStates
from league.tables.domain.evolve import evolve
from league.tables.domain.state import TableState

KIND = "table"
STREAM = f"{KIND}:"
"""How the names of the streams of live tables begin."""
KEPT = KeptStream(KIND, TableState, evolve)


def table_state(states: StreamStates, table: str) -> TableState:
    """A live table, with what was decided since it was stored; one without events if there is none."""
    return cast(TableState, states.kept_state(STREAM + table))


def stored_table(kept_states: KeptStates, table: str) -> TableState:
    """A live table as it is stored now; one without events if there is none."""
    return cast(TableState, kept_states.load(STREAM + table))
