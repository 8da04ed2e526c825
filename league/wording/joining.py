"""Names in a row: `Ana and Luis`, `Ana y Luis`, `Ana e Inés`."""

import re
from collections.abc import Iterable
from functools import reduce

from league.domain.player_names import name_key
from league.wording.language import _, language

SOUNDS_AS_I = re.compile(r"(h?i(?![aeou])|y(?![aeiou]))")
"""How a word begins before which Spanish says `e` for `y`; `hielo` and `Yolanda` begin with another sound."""


def joined(names: Iterable[str]) -> str:
    """The names with the word for `and` between them."""
    row = list(names)
    return reduce(_with_next, row) if row else ""


def _with_next(before: str, name: str) -> str:
    if language() == "es" and SOUNDS_AS_I.match(name_key(name)):
        return f"{before} e {name}"
    return before + _(" and ") + name
