"""A rulebook edition as a document: read from TOML, merged over another edition, checked, hashed, compared."""

import hashlib
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from league.domain.collected_refusals import InvalidRulebook, Problem
from league.domain.rulebook_check import faults_in, leaves
from league.domain.rulebook_growth import in_one_form, written_out
from league.domain.rules import Rulebook, Rules
from league.domain.sentences import say


def parse_rulebook(text: str, base: Rulebook | None = None) -> Rulebook:
    """Read an edition from TOML. With a base the text may name only what it changes.

    Raises InvalidRulebook with every fault, each with its key.
    """
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError) as error:
        raise InvalidRulebook((Problem("(file)", say("not TOML: {error}", error=error)),)) from None
    except RecursionError:
        raise InvalidRulebook((Problem("(file)", say("is nested too deeply")),)) from None
    return rulebook_from(document, base)


def rulebook_from(document: Mapping[str, Any], base: Rulebook | None = None) -> Rulebook:
    """Validate a document of plain values. Raises InvalidRulebook with every fault, each with its key."""
    try:
        return _validated(_merge(to_document(base), document) if base else dict(document))
    except RecursionError:
        raise InvalidRulebook((Problem("(file)", say("is nested too deeply")),)) from None


def to_document(rulebook: Rules) -> dict[str, Any]:
    """The edition (or a section of it) as plain values; numbers with a fraction are Decimal.

    Bonuses that are not played and settings added after edition 1 are left out at their default.
    """
    document: dict[str, Any] = msgspec.to_builtins(rulebook, builtin_types=(Decimal,))
    return document


def canonical(rulebook: Rulebook) -> bytes:
    """The edition as JSON in one spelling: the bytes that its hash is made of."""
    return _plain_json(_normal(in_one_form(to_document(rulebook))))


def content_hash(rulebook: Rulebook) -> str:
    """The SHA-256 under which an edition is published, as hexadecimal.

    For new editions only: rows and runs refer to a published edition by the hash that was stored with it.
    """
    return hashlib.sha256(canonical(rulebook)).hexdigest()


def differences(before: Rulebook, after: Rulebook) -> list[tuple[str, Any, Any]]:
    """The settings in which two editions differ: dotted key, value before, value after (None: not there)."""
    old, new = (_settings(edition) for edition in (before, after))
    return [(key, old.get(key), new.get(key)) for key in sorted(old | new) if old.get(key) != new.get(key)]


def _settings(edition: Rulebook) -> dict[str, Any]:
    """Every setting by its dotted key. An empty table has none."""
    return {key: value for key, value in leaves("", written_out(to_document(edition))) if value != {}}


def _validated(document: dict[str, Any]) -> Rulebook:
    problems: dict[Problem, None] = {}
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


def _without_inherited(problems: tuple[Problem, ...], parents: Mapping[str, str]) -> list[Problem]:
    """A fault that a ruleset has from the one it extends is named once, at the parent."""

    def at_parent(problem: Problem) -> Problem | None:
        _, name, *rest = [*problem.at.split(".", 2), ""]
        parent = parents.get(name)
        return None if parent is None else Problem(f"rulesets.{parent}.{rest[0]}", problem.reason)

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
    """A ruleset may say `extends = "other"` and name only what differs."""
    ruleset = rulesets[name]
    if not isinstance(ruleset, dict) or "extends" not in ruleset:
        return ruleset
    parent = ruleset["extends"]
    at = f"rulesets.{name}.extends"
    if not isinstance(parent, str) or parent not in rulesets:
        raise InvalidRulebook((Problem(at, say("there is no ruleset {parent!r}", parent=parent)),))
    if parent in (*seen, name):
        raise InvalidRulebook((Problem(at, say("extends itself")),))
    own = {key: value for key, value in ruleset.items() if key != "extends"}
    return _merge(_extended(parent, rulesets, (*seen, name)), own)


def _plain_json(document: Any) -> bytes:
    return msgspec.json.Encoder(decimal_format="number", order="sorted").encode(document)


def _normal(value: Any) -> Any:
    """Numbers that are equal are spelled alike: 0.10 as 0.1, 20.0 as 20."""
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value.normalize()
    return value
