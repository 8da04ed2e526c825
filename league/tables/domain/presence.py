"""Which players a table believes to be connected, and which to be away."""

from league.tables.domain.state import TableState


def present(state: TableState) -> list[str]:
    """The players who play their seats themselves and are there: the table has to hear when they are away."""
    return [
        seat.player
        for seat in state.seats
        if seat.player is not None and seat.played_by == "player" and seat.away_since is None
    ]


def away(state: TableState) -> list[str]:
    """The players whose connection is lost, also those for whom an AI plays because of it: they may come back."""
    return [
        seat.player
        for seat in state.seats
        if seat.player is not None and (seat.away_since is not None or seat.handed_over == "away")
    ]
