"""The rulebook of the league: the published editions, the timeline that says which holds when, and their documents.

A document is read from TOML, merged over another edition, checked (`rulebook_check`), hashed and compared.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import InvalidRulebook, RulebookFault
from league.domain.most_points import targets_out_of_reach
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound
from league.domain.rulebook_check import faults_in, leaves, with_unknown_rulesets, without_settings_off
from league.domain.rulebook_defaults import in_one_form, written_out
from league.domain.rules import Rulebook, RulebookSection
from league.domain.sentences import say
from league.domain.timeline import EditionSpan, Timeline, check_span, edition_at, overlay
from league.domain.wrong_states import AlreadyInForce, NoLeagueYet

# ---------------------------------------------------------------- events


class EditionPublished(Struct, frozen=True, omit_defaults=True):
    """An edition was published. It never changes, and can now be adopted."""

    edition: int
    hash: str
    document: Rulebook
    given_title: str | None = None
    """The title that somebody gave it in place of its document's; None: nobody did."""

    @property
    def title(self) -> str:
        """Its title, which another edition may have too: see `EditionTitle`."""
        return self.given_title or self.document.title


class EditionAdopted(Struct, frozen=True):
    """The whole timeline of the rules. The last timeline in the log is in force."""

    timeline: Timeline


RulebookEvent = EditionPublished | EditionAdopted

# ---------------------------------------------------------------- commands


class PublishEdition(Struct, frozen=True):
    """Publish an edition under the next number."""

    document: Rulebook


class PublishChanges(Struct, frozen=True):
    """Publish an edition that changes another one.

    It holds what somebody asked for, so that a repeated request is equal whatever the rules have become.
    """

    text: str
    """The changes, as TOML."""
    base: int | None = None
    """The number of the edition that they change; None: the one in force."""


class AdoptEdition(Struct, frozen=True):
    """Put an edition in force for matches that began within [start, end); None means without bound."""

    edition: int
    start: datetime | None = None
    end: datetime | None = None


class AdoptTimeline(Struct, frozen=True):
    """Put the timeline of a run in force, and publish its new editions."""

    spans: tuple[tuple[datetime | None, str, Rulebook], ...]
    """The spans: each with its start, and the hash and the document of its edition."""
    title: str | None = None
    """The title of the new edition; None: that of its document."""


# ---------------------------------------------------------------- state


class RulebookState(Struct, frozen=True):
    """The editions by number (from 1), and the timeline."""

    editions: tuple[EditionPublished, ...] = ()
    timeline: Timeline = ()

    def at(self, began_at: datetime) -> Rulebook:
        """The rules for a match that began at this time. Raises WrongState before the first adoption."""
        return self.published_at(began_at).document

    def published_at(self, began_at: datetime) -> EditionPublished:
        """The edition for a match that began at this time, with its number and hash. Raises as `at` does."""
        if not self.timeline:
            raise NoLeagueYet(say("the league"), say("not there"), say("create it first (`league init`)"))
        return self.editions[edition_at(self.timeline, began_at) - 1]

    def published(self, number: int) -> EditionPublished:
        """The published edition of this number, with its hash. Raises NotFound."""
        if not 1 <= number <= len(self.editions):
            known = tuple(str(known) for known in range(1, len(self.editions) + 1))
            raise NotFound("edition", "edition", str(number), known)
        return self.editions[number - 1]

    def edition(self, number: int) -> Rulebook:
        """The document of the published edition of this number. Raises NotFound."""
        return self.published(number).document

    def with_rulesets_in_use(self, edition: Rulebook) -> Rulebook:
        """The edition with the rulesets of the timeline that it lacks: house rules may begin on a later day."""
        adopted = [self.edition(span.edition).rulesets for span in self.timeline]
        lacking = {name: ruleset for rulesets in adopted for name, ruleset in rulesets.items()}
        return replace(edition, rulesets={**lacking, **edition.rulesets})


def evolve(state: RulebookState, event: RulebookEvent) -> RulebookState:
    """The state after an event."""
    match event:
        case EditionPublished():
            return RulebookState((*state.editions, event), state.timeline)
        case EditionAdopted():
            return RulebookState(state.editions, event.timeline)


# ---------------------------------------------------------------- decide


def publish_edition(command: PublishEdition, state: RulebookState) -> list[RulebookEvent]:
    """Publish an edition. Raises AlreadyExists if a published edition has the same hash, or only another title."""
    new, rules = content_hash(command.document), command.document
    for published in state.editions:
        has_other_title = published.document.title != rules.title
        if published.hash == new or (has_other_title and replace(published.document, title=rules.title) == rules):
            same = say("it has the same rules, so adopt that one")
            raise AlreadyExists("document", "edition", str(published.edition), same)
    return [EditionPublished(len(state.editions) + 1, new, command.document)]


def publish_changes(command: PublishChanges, state: RulebookState, now: datetime) -> list[RulebookEvent]:
    """Publish an edition that changes another one. It keeps the rulesets in use.

    Raises NotFound for an edition that there is not, InvalidRulebook, and AlreadyExists as `publish_edition` does.
    """
    number = command.base
    if number is not None and not 1 <= number <= len(state.editions):
        raise NotFound("base_edition", "edition", str(number))
    base = state.at(now) if number is None else state.edition(number)
    return publish_edition(PublishEdition(state.with_rulesets_in_use(parse_rulebook(command.text, base))), state)


def adopt_edition(command: AdoptEdition, state: RulebookState) -> list[RulebookEvent]:
    """Adopt an edition over a span of play time.

    Raises NotFound, and InvalidInput for an impossible span or an edition that lacks a ruleset in use.
    """
    adopted = state.edition(command.edition)
    check_span(command.start, command.end)
    if not state.timeline:
        if command.start is not None or command.end is not None:
            raise InvalidInput("start", say("the first adoption has no start and no end"))
        return [EditionAdopted((EditionSpan(None, command.edition),))]
    check_rulesets(adopted, state)
    return [EditionAdopted(overlay(state.timeline, command.edition, command.start, command.end))]


def adopt_timeline(command: AdoptTimeline, state: RulebookState) -> list[RulebookEvent]:
    """Adopt a whole timeline. Raises WrongState if it is in force.

    The caller makes sure that each recorded match has its ruleset: the run of the timeline has folded them.
    """
    hashes = [published.hash for published in state.editions]
    events: list[RulebookEvent] = []
    spans = []
    for start, hash_, rulebook in command.spans:
        if hash_ not in hashes:
            hashes.append(hash_)
            events.append(EditionPublished(len(hashes), hash_, rulebook, command.title))
        spans.append(EditionSpan(start, hashes.index(hash_) + 1))
    if tuple(spans) == state.timeline:
        raise AlreadyInForce(say("the timeline of the rules"), say("in force"), say("there is nothing to promote"))
    return [*events, EditionAdopted(tuple(spans))]


def check_rulesets(candidate: Rulebook, state: RulebookState) -> None:
    """Raise InvalidInput if an edition lacks a ruleset of an adopted one, whose matches it could then not score."""
    for span in state.timeline:
        for name in state.edition(span.edition).rulesets:
            if name not in candidate.rulesets:
                raise InvalidInput(
                    f"rulesets.{name}",
                    say("is missing; edition {edition} has it, and it may be in use", edition=span.edition),
                )


# ---------------------------------------------------------------- document


def parse_rulebook(text: str, base: Rulebook | None = None) -> Rulebook:
    """Read an edition from TOML. With a base, the text needs only the settings that differ from it.

    `false` switches off a setting that may be left out: a bonus of the base, or the points of a step in a ruleset.
    Raises InvalidRulebook with every fault, each with its key.
    """
    return rulebook_from(read_toml(text), base)


def read_toml(text: str) -> dict[str, Any]:
    """The values of a document in TOML; numbers with a fraction are Decimal. Raises InvalidRulebook."""
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError) as error:
        raise InvalidRulebook((RulebookFault("(file)", say("not TOML: {error}", error=error)),)) from None
    except RecursionError:
        raise InvalidRulebook((RulebookFault("(file)", say("is nested too deeply")),)) from None


def rulebook_from(document: Mapping[str, Any], base: Rulebook | None = None) -> Rulebook:
    """Validate a document of plain values. Raises InvalidRulebook with every fault, each with its key."""
    try:
        return _validated(_merge(to_document(base), document) if base else dict(document), base)
    except RecursionError:
        raise InvalidRulebook((RulebookFault("(file)", say("is nested too deeply")),)) from None
    except InvalidRulebook as refused:
        known = base.rulesets if base else ()
        raise InvalidRulebook(with_unknown_rulesets(refused.problems, document, known)) from None


def to_document(rulebook: RulebookSection) -> dict[str, Any]:
    """The edition, or a section of it, as plain values; numbers with a fraction are Decimal.

    Omits bonuses that are not played, and settings added after edition 1 that have their default.
    """
    document: dict[str, Any] = msgspec.to_builtins(rulebook, builtin_types=(Decimal,))
    return document


def canonical(rulebook: Rulebook) -> bytes:
    """The edition as JSON in canonical form. Its hash is computed from these bytes."""
    return _plain_json(_normal(in_one_form(to_document(rulebook))))


def content_hash(rulebook: Rulebook) -> str:
    """The SHA-256 under which an edition is published, as hexadecimal.

    Use it for new editions only. Rows and runs refer to a published edition by the hash that was stored with it.
    """
    return hashlib.sha256(canonical(rulebook)).hexdigest()


def rating_hash(rulebook: Rulebook) -> str:
    """The SHA-256 of the section `rating` alone: editions that rate alike have it in common, whatever else differs."""
    return hashlib.sha256(_plain_json(_normal(in_one_form(to_document(rulebook))["rating"]))).hexdigest()


def differences(before: Rulebook, after: Rulebook) -> list[tuple[str, Any, Any]]:
    """The settings in which two editions differ: dotted key, value before and value after; None if it is absent."""
    both = (leaves("", written_out(to_document(edition))) for edition in (before, after))
    old, new = ({key: value for key, value in of_one if value != {}} for of_one in both)  # an empty table has none
    return [(key, old.get(key), new.get(key)) for key in sorted(old | new) if old.get(key) != new.get(key)]


def rule_changes(before: Rulebook, after: Rulebook) -> list[tuple[str, Any, Any]]:
    """The `differences` of two editions without their own titles, which decide nothing."""
    return [change for change in differences(before, after) if change[0] != "title"]


def _validated(document: dict[str, Any], base: Rulebook | None) -> Rulebook:
    problems: dict[RulebookFault, None] = {}
    parents: dict[str, str] = {}
    unread: set[str] = set()
    if isinstance(rulesets := document.get("rulesets"), dict):
        document["rulesets"] = whole = {}
        for name, ruleset in rulesets.items():
            try:
                whole[name] = _extended(name, rulesets, ())
            except InvalidRulebook as refused:
                problems.update(dict.fromkeys(refused.problems))
                unread.add(name)
            else:
                parents |= {name: ruleset["extends"]} if isinstance(ruleset, dict) and "extends" in ruleset else {}
    document = without_settings_off(document)
    problems.update(dict.fromkeys(_without_inherited(faults_in(document, unread), parents)))
    if problems:
        raise InvalidRulebook(tuple(problems))
    rulebook = msgspec.json.decode(_plain_json(in_one_form(document)), type=Rulebook)
    if unreached := tuple(targets_out_of_reach(rulebook, base)):
        raise InvalidRulebook(unreached)
    return rulebook


def _without_inherited(problems: tuple[RulebookFault, ...], parents: Mapping[str, str]) -> list[RulebookFault]:
    """The faults without those that a ruleset inherits from its parent, where they are named already."""

    def at_parent(problem: RulebookFault) -> RulebookFault | None:
        _, name, *rest = [*problem.at.split(".", 2), ""]
        parent = parents.get(name)
        return None if parent is None else RulebookFault(f"rulesets.{parent}.{rest[0]}", problem.reason)

    known = set(problems)
    return [problem for problem in problems if at_parent(problem) not in known]


def _merge(base: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in changes.items():
        below = merged.get(key)
        both = isinstance(below, dict) and isinstance(value, dict)
        merged[key] = _merge(below, value) if both else value  # type: ignore[arg-type]  # both are dicts here
    return merged


def _extended(name: str, rulesets: dict[str, Any], seen: tuple[str, ...]) -> Any:
    """A ruleset with the settings of the one it extends: it may say `extends = "other"` and name only differences.

    A house ruleset keeps the name of the other one instead of its description, which would say what the house changes.
    """
    ruleset = rulesets[name]
    if not isinstance(ruleset, dict) or "extends" not in ruleset:
        return ruleset
    parent = ruleset["extends"]
    at = f"rulesets.{name}.extends"
    if not isinstance(parent, str) or parent not in rulesets:
        raise InvalidRulebook((RulebookFault(at, say("there is no ruleset {parent!r}", parent=parent)),))
    if parent in (*seen, name):
        raise InvalidRulebook((RulebookFault(at, say("extends itself")),))
    own = {key: value for key, value in ruleset.items() if key != "extends"}
    if name.startswith("house-"):
        own = {"made_from": parent, "description": "", **own}
    return _merge(_extended(parent, rulesets, (*seen, name)), own)


def _plain_json(document: Any) -> bytes:
    return msgspec.json.Encoder(decimal_format="number", order="sorted").encode(document)


def _normal(value: Any) -> Any:
    """The value with equal numbers in equal spelling: 0.10 as 0.1, 20.0 as 20."""
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value.normalize()
    return value
