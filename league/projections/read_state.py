"""The state of the read side: one value for all rows that everybody reads."""

from msgspec import Struct

from league.projections.runs import Conn

CHANNEL = "league_projected"
"""The channel on which each commit that leads to another state announces it, as JSON."""


class State(Struct, frozen=True, order=True, array_like=True):
    """What the rows of the official run, and those that all runs share, are a function of.

    Each commit that changes such rows leads to a greater state: the projector's moves the position, any other raises
    the generation. In one generation there is one official run.
    """

    generation: int
    run: int
    position: int


def tell_state(conn: Conn) -> None:
    """Tell the processes that serve the league the state that this transaction makes.

    Last in a transaction: others that raise the generation wait until then.
    """
    conn.execute("SELECT tell_state()")


def raise_generation(conn: Conn) -> None:
    """Bump the generation and announce it.

    Last in a transaction: others that raise it, or announce the state, wait until then.
    """
    conn.execute("SELECT raise_generation()")
