"""Names of players as people write them: when two names are one, and which known names are close to one."""

import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher

MOST_CLOSE = 3
"""Names that a hint lists."""
CLOSE = 0.8
"""From this similarity on, of 0 to 1, two names are close: `Anna Peres` and `Ana Pérez`, but not `Luis` and `Luz`."""


def name_key(name: str) -> str:
    """What two spellings of one name have in common: without case, accents and superfluous spaces.

    `name_key(" José  PÉREZ ") == name_key("jose perez")`.
    """
    apart = name
    for _ in range(2):  # a folded letter can be a letter with an accent, and a letter without its accent be a capital
        apart = unicodedata.normalize("NFKD", apart).casefold()
    return " ".join("".join(character for character in apart if not unicodedata.combining(character)).split())


def closest_names(name: str, known: Iterable[str], most: int = MOST_CLOSE) -> list[str]:
    """The known names that `name` may stand for, the closest first, at most `most` of them.

    A name is close when its letters nearly are the same, or when every word of the shorter name begins a word of the
    longer one (`Ana`, `J. Luis` and `Pérez, Ana` fit `Ana Pérez` and `José Luis`). Those with the same key are among
    them, and come first.
    """
    key = name_key(name)
    scored = [(_similarity(key, name_key(other)), other) for other in dict.fromkeys(known)]
    close = [(score, other) for score, other in scored if score >= CLOSE]
    return [other for _, other in sorted(close, key=lambda one: (-one[0], one[1]))[:most]]


def _similarity(key: str, other: str) -> float:
    """1 for equal keys; more than `CLOSE` for close ones."""
    if key == other:
        return 1.0
    if begins_words(key, other) or begins_words(other, key):
        return max(CLOSE, SequenceMatcher(None, key, other).ratio())
    return SequenceMatcher(None, key, other).ratio()


def begins_words(short: str, long: str) -> bool:
    """Whether each word of one name begins a different word of the other."""
    words, free = _words(short), _words(long)
    for word in words:
        fits = next((one for one in free if one.startswith(word)), None)
        if fits is None:
            return False
        free.remove(fits)
    return bool(words)


def _words(key: str) -> list[str]:
    return "".join(character if character.isalnum() else " " for character in key).split()
