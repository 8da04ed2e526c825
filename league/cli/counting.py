"""Numbers with the word for what they count."""

from collections.abc import Callable, Mapping

from league.wording import language


def counted(number: int, what: str) -> str:
    """`1 player`, `2 players`, in the language that is spoken."""
    return COUNTED[what](number)


COUNTED: Mapping[str, Callable[[int], str]] = {
    "badge": lambda number: language.counted("{count} badge", "{count} badges", number),
    "event": lambda number: language.counted("{count} event", "{count} events", number),
    "hand": lambda number: language.counted("{count} hand", "{count} hands", number),
    "match": lambda number: language.counted("{count} match", "{count} matches", number),
    "player": lambda number: language.counted("{count} player", "{count} players", number),
    "rank": lambda number: language.counted("{count} rank", "{count} ranks", number),
    "standing": lambda number: language.counted("{count} standing", "{count} standings", number),
    "team": lambda number: language.counted("{count} pair", "{count} pairs", number),
}
"""By what is counted, the number with its word."""
