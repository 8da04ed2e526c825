"""The seats of a table: who opens its match, and under which id."""

from collections.abc import Mapping

from league.tournaments.domain.seed import tie_value
from league.tournaments.domain.state import Entry, TableOfRound


def sides_of_players(table: TableOfRound, entries: Mapping[str, Entry], seed: str) -> tuple[tuple[str, ...], ...]:
    """The players of each side by seat. A pair that entered sits in the order of its tie values (stage `seat`)."""
    return tuple(_players(side, entries, seed) for side in table.sides)


def seats(table: TableOfRound, entries: Mapping[str, Entry], seed: str) -> tuple[str, ...]:
    """The players in order of play: in 2v2 seats 0 and 2 are side 0."""
    first, second = sides_of_players(table, entries, seed)
    return tuple(player for pair in zip(first, second, strict=True) for player in pair)


def match_id(tournament: str, number: int, table: int, before: int) -> str:
    """The id of a table's match; `before`: how many matches the table has had. Ids that are taken are skipped."""
    again = f"-{before + 1}" if before else ""
    return f"{tournament}-r{number}-t{table}{again}"


def _players(side: tuple[str, ...], entries: Mapping[str, Entry], seed: str) -> tuple[str, ...]:
    if len(side) > 1:
        return side
    return tuple(sorted(entries[side[0]].players, key=lambda player: tie_value(seed, "seat", player)))
