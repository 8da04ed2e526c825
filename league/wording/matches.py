"""A match by the names of those who play it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from league.wording.joining import joined
from league.wording.language import _

Names = Mapping[str, str]
"""The names of players and pairs by id; one without a name appears under the id."""

NO_NAMES: Names = MappingProxyType({})


def match_in_words(sides: Sequence[str], names: Names) -> str:
    """The sides of a match, such as `Ana R. & Luis P. against Eva C. & Rosa M.`."""
    first, *others = sides
    return _("{side} against {others}", side=people_in_words((first,), names), others=people_in_words(others, names))


def people_in_words(ids: Sequence[str], names: Names) -> str:
    """Players and pairs, such as `Ana R. and Luis P.`."""
    return joined(names.get(id_, id_) for id_ in ids)


def status_in_words(status: str) -> str:
    """The status of a match, such as `cut short`."""
    words = {
        "open": _("open"),
        # Translators: a match that awaits confirmation.
        "pending": _("pending"),
        "completed": _("completed"),
        "cut_short": _("cut short"),
        "forfeited": _("forfeited"),
        "announced": _("announced"),
        "voided": _("voided"),
    }
    return words.get(status, status)


def competition_in_words(competition: str) -> str:
    """What a match counts for, such as `competitive`."""
    # Translators: said of a match.
    words = {"competitive": _("competitive"), "casual": _("casual"), "special": _("special tournament")}
    return words.get(competition, competition)


def ending_in_words(ended_by: str) -> str:
    """How a hand ended."""
    words = {"domino": _("domino"), "block": _("block")}
    return words.get(ended_by, ended_by)
