"""Names as people write them: when two names are one, which known names are close to one, and what was meant."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

from league.domain.sentences import Sentence, say

MOST_CLOSE = 3
"""Names that a hint lists."""
CLOSE = 0.8
"""From this similarity on, of 0 to 1, two names are close: `Anna Peres` and `Ana Pérez`, but not `Luis` and `Luz`."""

BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols by their category that are drawn as nothing: fillers of Hangul, an empty Braille cell."""
SELECTORS = re.compile(r"[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that are drawn as nothing and are no format characters (Cf): joiners of marks, selectors of a letter's form."""


def name_key(name: str) -> str:
    """What two spellings of one name have in common: without case, accents, invisible characters and extra spaces.

    `name_key(" José  PÉREZ ") == name_key("jose perez")`. Names with the same key look like one name. The database
    computes the same in its function `folded`.
    """
    apart = name
    for _ in range(2):  # a folded letter can be a letter with an accent, and a letter without its accent be a capital
        apart = unicodedata.normalize("NFKD", apart).casefold()
    seen = (" " if character in BLANK else character for character in apart if not _is_ignored(character))
    return " ".join("".join(seen).split())


def _is_ignored(character: str) -> bool:
    """Whether it is an accent, or drawn as nothing."""
    is_format = unicodedata.category(character) == "Cf"
    return is_format or unicodedata.combining(character) != 0 or SELECTORS.match(character) is not None


def closest_names(name: str, known: Iterable[str], most: int = MOST_CLOSE) -> list[str]:
    """The known names that `name` may stand for, the closest first, at most `most` of them.

    A name is close when its letters are nearly the same, or when every word of the shorter name begins a word of the
    longer one or is nearly the same (`Ana`, `Anna` and `Pérez, Ana` fit `Ana Pérez`, `J. Luis` fits `José Luis`).
    Those with the same key are among them, and come first.
    """
    key = name_key(name)
    pairs = _pairs(key)
    scored = []
    for other in dict.fromkeys(known):
        other_key = name_key(other)
        if _share_letters(pairs, _pairs(other_key)):
            scored.append((_similarity(key, other_key), other))
    close = [(score, other) for score, other in scored if score >= CLOSE]
    return [other for _, other in sorted(close, key=lambda one: (-one[0], one[1]))[:most]]


def pieces_of(name: str) -> list[str]:
    """What close names mostly share: pairs of neighbouring letters, and the first letter of each word after a space."""
    words = _words(name_key(name))
    return sorted({f" {word[0]}" for word in words} | _pairs(" ".join(words)))


def _pairs(key: str) -> set[str]:
    """The neighbouring letters of the words."""
    return {word[at : at + 2] for word in _words(key) for at in range(len(word) - 1)}


def _share_letters(one: set[str], other: set[str]) -> bool:
    """Whether two names may be close at all; nearly all names of a large league differ more."""
    return len(one & other) * 3 >= min(len(one), len(other))


def _similarity(key: str, other: str) -> float:
    """1 for equal keys; at least `CLOSE` for close ones."""
    if key == other:
        return 1.0
    similarity = _ratio(key, other)
    if similarity < CLOSE and (_fits_words(key, other) or _fits_words(other, key)):
        return CLOSE
    return similarity


def _ratio(key: str, other: str) -> float:
    """How much of two texts is the same, from 0 to 1; 0 where it is clearly less than `CLOSE`."""
    compared = SequenceMatcher(None, key, other)
    # Upper bounds, which cost less.
    if compared.real_quick_ratio() < CLOSE or compared.quick_ratio() < CLOSE:
        return 0.0
    return compared.ratio()


def _fits_words(short: str, long: str) -> bool:
    """Whether each word of one name begins a different word of the other, or is nearly the same."""
    words, free = _words(short), _words(long)
    for word in words:
        found = next((one for one in free if one.startswith(word) or _ratio(word, one) >= CLOSE), None)
        if found is None:
            return False
        free.remove(found)
    return bool(words)


def _words(key: str) -> list[str]:
    return re.findall(r"\w+", key)


def nearest(given: str, allowed: Iterable[str]) -> str | None:
    """The allowed word that is nearly the same, whatever case and accents; None if none is."""
    by_key = {name_key(word): word for word in allowed}
    found = get_close_matches(name_key(given), by_key, n=1)
    return by_key[found[0]] if found else None


def there_are(given: str, allowed: Iterable[str]) -> Sentence:
    """What is allowed in place of a word. The nearest comes last: a long message loses its middle."""
    words = tuple(allowed)
    near = nearest(given, words)
    if near is None or len(words) == 1:
        return say("there are {known}", known=", ".join(words))
    return say("there are {known}; the nearest is {nearest}", known=", ".join(words), nearest=near)
