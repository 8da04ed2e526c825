"""Candidates: replays that revise rules. Their titles, what they must change, and how many may be shown."""

from datetime import datetime
from typing import ClassVar

from league.domain.refusals import InvalidInput, Refusal
from league.domain.rulebook import RulebookState, canonical
from league.domain.rules import Rulebook
from league.domain.sentences import joined, say
from league.domain.texts_and_times import check_readable
from league.domain.timeline import overlay

LONGEST_TITLE = 120
"""Limit on the characters of a candidate's title."""
MOST_SHOWN = 3
"""Limit on the candidates that everybody may read at the same time."""


def checked_title(title: str | None) -> str | None:
    """A title in its stored form; None if it is missing or blank. Raises InvalidInput."""
    title = (title or "").strip()
    if len(title) > LONGEST_TITLE:
        raise InvalidInput("title", say("a title has at most {longest} characters", longest=LONGEST_TITLE))
    check_readable("title", title)
    return title or None


class NothingRevised(InvalidInput, code="NOTHING_REVISED"):
    """A revision that changes no rule of any match of its period."""


class TooManyShown(Refusal, code="TOO_MANY_SHOWN"):
    """As many candidates as may be shown are shown already."""

    at: ClassVar[str] = "replay"
    says: ClassVar[str] = say(
        "{most} replays are shown already, and no more may be: {listed}; withdraw one of them first"
    )
    shown: tuple[int, ...]
    """Their numbers."""

    @property
    def sentence(self) -> str:
        """The message, with the numbers of those that are shown."""
        return say(self.says, most=len(self.shown), listed=joined(", ", map(str, self.shown)))


def check_revised(candidate: Rulebook, in_force: Rulebook) -> None:
    """Raise NothingRevised for a document that changes nothing of the rules in force."""
    if canonical(candidate) == canonical(in_force):
        raise NothingRevised(
            "rules",
            say(
                "it changes nothing of the rules in force; to apply them to other matches, give the number of their "
                "edition"
            ),
        )


def check_changed(candidate: Rulebook, start: datetime | None, end: datetime | None, rulebook: RulebookState) -> None:
    """Raise NothingRevised for an edition that is in force already for all matches that began within [start, end)."""
    wanted = canonical(candidate)
    equal = [published.edition for published in rulebook.editions if canonical(published.document) == wanted]
    if any(overlay(rulebook.timeline, edition, start, end) == rulebook.timeline for edition in equal):
        raise NothingRevised("rules", say("these rules are in force already, for all matches of the period"))
