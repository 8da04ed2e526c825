"""House rules: a ruleset that a club makes from another one. It holds for the matches that begin from a day on."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import InvalidRulebook, RulebookFault
from league.domain.player_names import name_key
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound
from league.domain.rulebook import (
    EditionAdopted,
    EditionPublished,
    RulebookEvent,
    RulebookState,
    content_hash,
    read_toml,
    rulebook_from,
    to_document,
)
from league.domain.rulebook_defaults import written_out
from league.domain.rules import Rulebook, Ruleset
from league.domain.sentences import say
from league.domain.timeline import EditionSpan, check_span, edition_at

LONGEST_TITLE = 50


class AdoptHouseRules(Struct, frozen=True):
    """Make house rules, and add them to the rules of all matches that begin at or after `start`.

    It holds what somebody asked for, so that a repeated request is equal whatever the rules have become.
    """

    base: str
    """The name of the ruleset that the club starts from, in the edition that holds at `start`."""
    title: str
    """What the club calls it."""
    settings: str
    """What it changes, as TOML: `target = 100`."""
    start: datetime
    seen: int | None = None
    """The number of the edition beside which somebody read the settings; a setting that is as there is no change.

    None: all of them are changes.
    """


class HouseRules(Struct, frozen=True):
    """House rules that nobody has adopted yet."""

    name: str
    ruleset: Ruleset
    base: Ruleset
    """The ruleset from which it is made."""
    extended: EditionPublished
    """The edition that holds at the start without them."""
    number: int
    """The number under which that edition is published once more, with them."""


def house_name(title: str) -> str:
    """The name of the ruleset that a club calls so: `house-el-patio`. Raises InvalidInput."""
    words = re.findall("[a-z0-9]+", name_key(title))
    if not words or len(title) > LONGEST_TITLE:
        raise InvalidInput(
            "title", say("a name has 1 to {most} characters, with a letter from a to z or a digit", most=LONGEST_TITLE)
        )
    return "-".join(["house", *words])


def house_rules(command: AdoptHouseRules, state: RulebookState) -> HouseRules:
    """The house rules that somebody asks for.

    Raises NotFound, InvalidInput, AlreadyExists if an edition has a ruleset of this name, and InvalidRulebook with the
    keys of the settings.
    """
    extended = state.published_at(command.start)
    check_span(command.start, None)
    name, edition = house_name(command.title), extended.document
    taken = [published.document.rulesets[name] for published in state.editions if name in published.document.rulesets]
    if taken:
        raise AlreadyExists("title", "ruleset", taken[-1].title, say("choose another name"))
    if command.base not in edition.rulesets:
        raise NotFound("base", "ruleset", command.base, tuple(sorted(edition.rulesets)))
    settings = read_toml(command.settings)
    if command.seen is not None:
        seen = state.edition(command.seen).rulesets.get(command.base)
        settings = settings if seen is None else changed_settings(settings, _whole(seen))
    changes = {**settings, "extends": command.base, "title": command.title}
    ruleset = _changed(edition, name, changes)
    return HouseRules(name, ruleset, edition.rulesets[command.base], extended, len(state.editions) + 1)


def changed_settings(settings: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not as in the base. False means that a setting is off, as one that the base lacks is."""
    changed: dict[str, Any] = {}
    for key, value in settings.items():
        known = base.get(key, False)
        if isinstance(value, Mapping) and isinstance(known, Mapping):
            if inside := changed_settings(value, known):
                changed[key] = inside
        elif _in_one_order(value) != _in_one_order(known):
            changed[key] = value
    return changed


def with_house_rules(edition: Rulebook, name: str, ruleset: Ruleset) -> Rulebook:
    """The edition with a house ruleset. It keeps its title: readers see what it changes, in their language."""
    return replace(edition, rulesets={**edition.rulesets, name: ruleset})


def adopt_house_rules(command: AdoptHouseRules, state: RulebookState) -> list[RulebookEvent]:
    """Publish each edition that holds from the start on once more, with the house ruleset, and adopt them.

    So all other rules stay as they are, at every time. Raises as `house_rules` does.
    """
    made = house_rules(command, state)
    later = [span for span in state.timeline if span.start is not None and span.start > command.start]
    held = [EditionSpan(command.start, edition_at(state.timeline, command.start)), *later]
    spans = [span for span in state.timeline if span.start is None or span.start < command.start]
    events: list[RulebookEvent] = []
    numbers: dict[int, int] = {}
    for span in held:
        if span.edition not in numbers:
            numbers[span.edition] = made.number + len(events)
            rulebook = with_house_rules(state.edition(span.edition), made.name, made.ruleset)
            events.append(EditionPublished(numbers[span.edition], content_hash(rulebook), rulebook))
        spans.append(EditionSpan(span.start, numbers[span.edition]))
    return [*events, EditionAdopted(tuple(spans))]


def _changed(edition: Rulebook, name: str, changes: Mapping[str, Any]) -> Ruleset:
    """A ruleset of the edition with changes. Raises InvalidRulebook with the keys of the changes."""
    try:
        return rulebook_from({"rulesets": {name: changes}}, edition).rulesets[name]
    except InvalidRulebook as refused:
        at = f"rulesets.{name}."
        faults = tuple(RulebookFault(fault.at.removeprefix(at), fault.reason) for fault in refused.problems)
        raise InvalidRulebook(faults) from None


def _whole(ruleset: Ruleset) -> dict[str, Any]:
    """A ruleset as plain values, with the settings that its document leaves out."""
    whole: dict[str, Any] = written_out({"rulesets": {"": to_document(ruleset)}})["rulesets"][""]
    return whole


def _in_one_order(value: Any) -> Any:
    """Choices in order, since a form may send them in another one; any other value as it is."""
    if isinstance(value, list | tuple):
        return sorted(value) if all(isinstance(one, str) for one in value) else list(value)
    return value
