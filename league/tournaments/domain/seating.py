"""The seats of a table: who opens its match, and under which id."""

from league.tournaments.domain.seed import tie_value
from league.tournaments.domain.state import TableOfRound

Side = tuple[str, ...]


def sides_of_players(sides: tuple[Side, Side], seed: str) -> tuple[Side, Side]:
    """The players of each side by seat. A pair `a+b` sits in the order of its tie values (stage `seat`)."""
    return _players(sides[0], seed), _players(sides[1], seed)


def seats(table: TableOfRound, seed: str) -> tuple[str, ...]:
    """The players in order of play: in 2v2 seats 0 and 2 are side 0."""
    first, second = sides_of_players(table.sides, seed)
    return tuple(player for pair in zip(first, second, strict=True) for player in pair)


def match_id(tournament: str, number: int, table: int, before: int) -> str:
    """The id of a table's match; `before`: how many matches the table has had."""
    again = f"-{before + 1}" if before else ""
    return f"{tournament}-r{number}-t{table}{again}"


def _players(side: Side, seed: str) -> Side:
    if len(side) > 1:
        return side
    return tuple(sorted(side[0].split("+"), key=lambda player: tie_value(seed, "seat", player)))
