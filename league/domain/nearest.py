"""What was probably meant by a word that is not one of those allowed."""

from collections.abc import Iterable
from difflib import get_close_matches

from league.domain.player_names import name_key
from league.domain.sentences import Sentence, say


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
