"""Changes of rules as pages show them: a ruleset that is new is one line, which unfolds to its settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from league.wording.language import spoken
from league.wording.rulebook import NAMES, value_in_words

Change = Mapping[str, Any]
"""A setting that differs, as the API answers it: `setting`, `decides`, `before` and `after`."""


def changed_setting(change: Change) -> str:
    """What a setting that differs decides; for a text of a ruleset, which one it is."""
    text = NAMES.get(change["setting"].rpartition(".")[2])
    return str(change["decides"] or (change["setting"] if text is None else spoken(text)))


class NewRuleset(Struct, frozen=True):
    """A ruleset that only the rules after the change have."""

    name: str
    title: str
    rows: Sequence[Change]
    """Its settings, without titles and descriptions."""


class FoldedChanges(Struct, frozen=True):
    """The changes of rules, those of new rulesets apart."""

    rows: Sequence[Change]
    new: Sequence[NewRuleset]


def folded(changes: Sequence[Change]) -> FoldedChanges:
    """The changes of rules, those of new rulesets apart. Every ruleset has a title, so a new one has a new title.

    Leaves out the title of the edition, which decides nothing and stands in headings.
    """
    absent = spoken(value_in_words("title", None))
    titles = {
        key.removesuffix("title"): change["after"]
        for change in changes
        if (key := change["setting"]).startswith("rulesets.") and key.count(".") == 2  # noqa: PLR2004  # rulesets.name.title
        and key.endswith(".title") and change["before"] == absent
    }  # fmt: skip
    new = [
        NewRuleset(
            start.split(".")[1],
            title,
            [change for change in changes if change["setting"].startswith(start) and change["decides"]],
        )
        for start, title in titles.items()
    ]
    hidden = ("title", *titles)
    return FoldedChanges([one for one in changes if not one["setting"].startswith(hidden)], new)
