"""The rulebook of the league: the published editions, the timeline that says which holds when, and their documents.

A document is read from TOML, merged over another edition, checked (`rulebook_check`), hashed and compared. A table here
lists the settings that were added after edition 1, with the values that editions without them have.
"""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import datetime
from decimal import Decimal
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from league.domain.collected_refusals import InvalidRulebook, RulebookFault
from league.domain.refusals import AlreadyExists, InvalidInput, NotFound
from league.domain.rulebook_check import faults_in, leaves
from league.domain.rules import COUNTED_COMPETITIONS, Bonuses, LiveTableRules, Rulebook, RulebookSection
from league.domain.sentences import say
from league.domain.wrong_states import AlreadyInForce, NoLeagueYet


class EditionSpan(Struct, frozen=True):
    """Matches that began at or after `start` (None: since the beginning) are played under `edition`."""

    start: datetime | None
    edition: int


Timeline = tuple[EditionSpan, ...]
"""The edition for each time at which a match began. The first span starts at None, the others ascend."""


def check_span(start: datetime | None, end: datetime | None) -> None:
    """Raise InvalidInput unless the span of play time [start, end) has a length; None means without bound."""
    for at, time in (("start", start), ("end", end)):
        if time is not None and time.tzinfo is None:
            raise InvalidInput(at, say("needs an offset from UTC"))
    if start is not None and end is not None and end <= start:
        raise InvalidInput("end", say("is not after the start"))


def edition_at(timeline: Timeline, began_at: datetime) -> int:
    """The number of the edition for a match that began at this time."""
    current = timeline[0].edition
    for span in timeline[1:]:
        if span.start is not None and span.start > began_at:
            break
        current = span.edition
    return current


def overlay(timeline: Timeline, edition: int, start: datetime | None, end: datetime | None) -> Timeline:
    """The timeline with one edition laid over [start, end); None means without bound."""
    before = [s for s in timeline if start is not None and (s.start is None or s.start < start)]
    after = [s for s in timeline if end is not None and s.start is not None and s.start > end]
    middle = [EditionSpan(start, edition)]
    if end is not None:
        middle.append(EditionSpan(end, edition_at(timeline, end)))
    spans: list[EditionSpan] = []
    for span in (*before, *middle, *after):
        if not spans or spans[-1].edition != span.edition:
            spans.append(span)
    return tuple(spans)


# ---------------------------------------------------------------- events


class EditionPublished(Struct, frozen=True):
    """An edition was published. It never changes, and can now be adopted."""

    edition: int
    hash: str
    document: Rulebook


class EditionAdopted(Struct, frozen=True):
    """The whole timeline of the rules. The last timeline in the log is in force."""

    timeline: Timeline


RulebookEvent = EditionPublished | EditionAdopted

# ---------------------------------------------------------------- commands


class PublishEdition(Struct, frozen=True):
    """Publish an edition under the next number."""

    document: Rulebook


class AdoptEdition(Struct, frozen=True):
    """Put an edition in force for matches that began within [start, end); None means without bound."""

    edition: int
    start: datetime | None = None
    end: datetime | None = None


class AdoptTimeline(Struct, frozen=True):
    """Put the timeline of a run in force, and publish its new editions."""

    spans: tuple[tuple[datetime | None, str, Rulebook], ...]
    """The spans: each with its start, and the hash and the document of its edition."""


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


def evolve(state: RulebookState, event: RulebookEvent) -> RulebookState:
    """The state after an event."""
    match event:
        case EditionPublished():
            return RulebookState((*state.editions, event), state.timeline)
        case EditionAdopted():
            return RulebookState(state.editions, event.timeline)


# ---------------------------------------------------------------- decide


def publish_edition(command: PublishEdition, state: RulebookState) -> list[RulebookEvent]:
    """Publish an edition. Raises AlreadyExists if a published edition has the same hash."""
    new = content_hash(command.document)
    for published in state.editions:
        if published.hash == new:
            raise AlreadyExists("document", "edition", str(published.edition), say("it has the same rules"))
    return [EditionPublished(len(state.editions) + 1, new, command.document)]


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
    """Adopt a whole timeline. Raises WrongState if it is in force, InvalidInput if it lacks a ruleset in use."""
    hashes = [published.hash for published in state.editions]
    events: list[RulebookEvent] = []
    spans = []
    for start, hash_, rulebook in command.spans:
        if hash_ not in hashes:
            check_rulesets(rulebook, state)
            hashes.append(hash_)
            events.append(EditionPublished(len(hashes), hash_, rulebook))
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

    Raises InvalidRulebook with every fault, each with its key.
    """
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError) as error:
        raise InvalidRulebook((RulebookFault("(file)", say("not TOML: {error}", error=error)),)) from None
    except RecursionError:
        raise InvalidRulebook((RulebookFault("(file)", say("is nested too deeply")),)) from None
    return rulebook_from(document, base)


def rulebook_from(document: Mapping[str, Any], base: Rulebook | None = None) -> Rulebook:
    """Validate a document of plain values. Raises InvalidRulebook with every fault, each with its key."""
    try:
        return _validated(_merge(to_document(base), document) if base else dict(document))
    except RecursionError:
        raise InvalidRulebook((RulebookFault("(file)", say("is nested too deeply")),)) from None


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


def differences(before: Rulebook, after: Rulebook) -> list[tuple[str, Any, Any]]:
    """The settings in which two editions differ: dotted key, value before and value after; None if it is absent."""
    both = (leaves("", written_out(to_document(edition))) for edition in (before, after))
    old, new = ({key: value for key, value in of_one if value != {}} for of_one in both)  # an empty table has none
    return [(key, old.get(key), new.get(key)) for key in sorted(old | new) if old.get(key) != new.get(key)]


def _validated(document: dict[str, Any]) -> Rulebook:
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
    problems.update(dict.fromkeys(_without_inherited(faults_in(document, unread), parents)))
    if problems:
        raise InvalidRulebook(tuple(problems))
    return msgspec.json.decode(_plain_json(in_one_form(document)), type=Rulebook)


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
    """A ruleset with the settings of the one it extends: it may say `extends = "other"` and name only differences."""
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


# ---------------------------------------------------------------- settings after edition 1


ADDED_AFTER_EDITION_1: dict[str, Any] = {
    "rating.k.provisional_below": None,
    "series.competitions": COUNTED_COMPETITIONS,
    "rulesets.*.live": {},
    **{f"rulesets.*.live.{setting.name}": setting.default for setting in fields(LiveTableRules)},
}
"""The default of each setting that edition 1 does not have, by dotted key. None: another setting gives the value.

`*` in a key stands for every item: `rulesets.*.title` is the title of every ruleset.
"""

LEFT_OUT_AT_DEFAULT: dict[str, Any] = {
    **ADDED_AFTER_EDITION_1,
    **{f"rulesets.*.bonuses.{bonus.name}": bonus.default for bonus in fields(Bonuses)},
}
"""Settings that the hash omits at their default: those added after edition 1, and bonuses that are not played.

Only this list decides about the hash. `omit_defaults` of a section omits defaults from the log and changes no hash.
"""


def in_one_form(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document in the form that is hashed, in which equal rules are written alike.

    Sorts competitions, writes a cap with equal halves as one number, omits a `provisional_below` of K that equals the
    rating's, and omits the settings of `LEFT_OUT_AT_DEFAULT` at their default. The document must have no faults.
    """
    found: dict[str, Any] = deepcopy(dict(document))
    rating, series = found["rating"], found["series"]
    if isinstance(cap := rating["cap"], dict) and cap["below"] == cap["above"]:
        rating["cap"] = cap["above"]
    if rating["k"].get("provisional_below") == rating["provisional_below"]:
        del rating["k"]["provisional_below"]
    if "competitions" in series:
        series["competitions"] = tuple(sorted(series["competitions"]))
    for key, default in reversed(LEFT_OUT_AT_DEFAULT.items()):  # a section after its settings
        path, _, name = key.rpartition(".")
        for section in _sections(found, path):
            if name in section and section[name] == default:
                del section[name]
    return found


def written_out(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with every setting that was added after edition 1, unless another setting gives its value."""
    found: dict[str, Any] = deepcopy(dict(document))
    for key, default in ADDED_AFTER_EDITION_1.items():
        path, _, name = key.rpartition(".")
        for section in _sections(found, path) if default is not None else ():
            section.setdefault(name, deepcopy(default))
    return found


def _sections(value: Any, path: str) -> Iterator[dict[str, Any]]:
    """The tables at a path: several if it has a `*`, none if the document has no table there."""
    part, _, rest = path.partition(".")
    if not part:
        if isinstance(value, dict):
            yield value
        return
    if part == "*":
        below = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    else:
        below = [value[part]] if isinstance(value, dict) and part in value else ()
    for item in below:
        yield from _sections(item, rest)
