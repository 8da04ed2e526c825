"""Compares names as people write them: equal names, close names, and the word that was probably meant."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
from heapq import nlargest
from itertools import chain

from league.domain.sentences import Sentence, say

MOST_CLOSE = 3
"""Limit on the names that a hint lists."""
CLOSE = 0.8
"""Similarity, from 0 to 1, from which two names are close: `Anna Peres` and `Ana Pérez`, but not `Luis` and `Luz`."""

COMPARED = 40
"""Limit on the known names that are compared letter by letter with each name of a list."""

BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Characters that Unicode lists as letters and symbols but that show nothing: Hangul fillers, an empty Braille cell."""
SELECTORS = re.compile(r"[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that show nothing and are not in the category Cf: joiners of marks, variation selectors."""


def name_key(name: str) -> str:
    """A key that is equal for all spellings of a name: without case, accents, invisible characters and extra spaces.

    `name_key(" José  PÉREZ ") == name_key("jose perez")`. Names with the same key look like one name. The database
    computes the same key in its function `folded`.
    """
    apart = name
    for _ in range(2):  # case folding can yield an accented letter, and removing an accent can yield a capital
        apart = unicodedata.normalize("NFKD", apart).casefold()
    seen = (" " if character in BLANK else character for character in apart if not _is_ignored(character))
    return " ".join("".join(seen).split())


def _is_ignored(character: str) -> bool:
    """Whether a character is an accent or shows nothing."""
    is_format = unicodedata.category(character) == "Cf"
    return is_format or unicodedata.combining(character) != 0 or SELECTORS.match(character) is not None


def closest_names(name: str, known: Iterable[str], most: int = MOST_CLOSE) -> list[str]:
    """The known names that `name` may stand for, the closest first, at most `most` of them.

    A name is close if its letters are nearly the same, or if every word of one name begins a word of the other or is
    nearly the same (`Ana`, `Anna` and `Pérez, Ana` fit `Ana Pérez`, `J. Luis` fits `José Luis`). Names with the same
    key come first.
    """
    key = name_key(name)
    pairs = _pairs(key)
    keys = ((other, name_key(other)) for other in dict.fromkeys(known))
    return _closest(key, pairs, ((other, other_key, _pairs(other_key)) for other, other_key in keys), most)


def _closest(key: str, pairs: set[str], known: Iterable[tuple[str, str, set[str]]], most: int) -> list[str]:
    """The names that are close to a key, the closest first. Each known name comes with its key and its pairs."""
    alike = ((_similarity(key, other), name) for name, other, theirs in known if _share_letters(pairs, theirs))
    close = [(score, name) for score, name in alike if score >= CLOSE]
    return [name for _, name in sorted(close, key=lambda one: (-one[0], one[1]))[:most]]


class KnownNames:
    """Finds equal and close names for many names. The known names are prepared once."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        """`keys`: the key of each known name."""
        self._known = [(name, key, _pairs(key)) for name, key in keys.items()]
        self._by_key: dict[str, list[str]] = {}
        self._having: dict[str, list[int]] = {}
        for number, (name, key, pairs) in enumerate(self._known):
            self._by_key.setdefault(key, []).append(name)
            for pair in pairs:
                self._having.setdefault(pair, []).append(number)

    def equal(self, name: str) -> list[str]:
        """The known names with the same key."""
        return self._by_key.get(name_key(name), [])

    def closest(self, name: str) -> list[str]:
        """What `closest_names` finds among the `COMPARED` names that share the most letters with a name."""
        key = name_key(name)
        pairs = _pairs(key)
        shared = Counter(chain.from_iterable(self._having.get(pair, ()) for pair in pairs))
        shares = ((count / (len(pairs) + len(self._known[number][2])), number) for number, count in shared.items())
        alike = (self._known[number] for _, number in nlargest(COMPARED, shares))
        return _closest(key, pairs, alike, MOST_CLOSE)


def pieces_of(name: str) -> list[str]:
    """Pieces of a name for an index: close names mostly share some.

    The pieces are pairs of neighbouring letters, and the first letter of each word after a space.
    """
    words = _words(name_key(name))
    return sorted({f" {word[0]}" for word in words} | _pairs(" ".join(words)))


def _pairs(key: str) -> set[str]:
    """All pairs of neighbouring letters within the words."""
    return {word[at : at + 2] for word in _words(key) for at in range(len(word) - 1)}


def _share_letters(one: set[str], other: set[str]) -> bool:
    """Whether two names can be close. A cheap test that excludes nearly all names of a large league."""
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
    """The similarity of two texts, from 0 to 1; 0 if it is clearly less than `CLOSE`."""
    compared = SequenceMatcher(None, key, other)
    # These upper bounds are cheaper than the ratio.
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
    """The allowed word closest to `given`, regardless of case and accents; None if none is close."""
    by_key = {name_key(word): word for word in allowed}
    found = get_close_matches(name_key(given), by_key, n=1)
    return by_key[found[0]] if found else None


def there_are(given: str, allowed: Iterable[str]) -> Sentence:
    """A sentence that lists the allowed words. The nearest comes last, since a long message loses its middle."""
    words = tuple(allowed)
    near = nearest(given, words)
    if near is None or len(words) == 1:
        return say("there are {known}", known=", ".join(words))
    return say("there are {known}; the nearest is {nearest}", known=", ".join(words), nearest=near)
