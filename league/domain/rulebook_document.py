"""A rulebook edition as a document: read from TOML, merged over another edition, checked, hashed, compared."""

import hashlib
import re
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeVar

import msgspec

from league.domain.player import is_id
from league.domain.refusals import InvalidRulebook, Problem
from league.domain.rules import Rating, Rulebook, Rules, Ruleset
from league.domain.seating import SEATS
from league.domain.tiles import full_set

T = TypeVar("T")


def parse_rulebook(text: str, base: Rulebook | None = None) -> Rulebook:
    """Read an edition from TOML. With a base the text may name only what it changes.

    Raises InvalidRulebook, naming the key.
    """
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError) as error:
        raise InvalidRulebook((Problem("(file)", f"not TOML: {error}"),)) from None
    except RecursionError:
        raise InvalidRulebook((Problem("(file)", "is nested too deeply"),)) from None
    return rulebook_from(document, base)


def rulebook_from(document: Mapping[str, Any], base: Rulebook | None = None) -> Rulebook:
    """Validate a document of plain values. Raises InvalidRulebook, naming the key."""
    try:
        return _validated(_merge(to_document(base), document) if base else dict(document))
    except RecursionError:
        raise InvalidRulebook((Problem("(file)", "is nested too deeply"),)) from None


def to_document(rulebook: Rules) -> dict[str, Any]:
    """The edition (or a section of it) as plain values, complete; numbers with a fraction are Decimal."""
    document: dict[str, Any] = msgspec.to_builtins(rulebook, builtin_types=(Decimal,))
    return document


def canonical(rulebook: Rulebook) -> bytes:
    """The edition as JSON in one spelling: the bytes that its hash is made of."""
    return _plain_json(_normal(to_document(rulebook)))


def content_hash(rulebook: Rulebook) -> str:
    """The SHA-256 by which rows and runs refer to an edition, as hexadecimal."""
    return hashlib.sha256(canonical(rulebook)).hexdigest()


def differences(before: Rulebook, after: Rulebook) -> list[tuple[str, Any, Any]]:
    """What two editions say otherwise: dotted key, value before, value after (None: not there)."""
    old, new = dict(_leaves("", to_document(before))), dict(_leaves("", to_document(after)))
    return [(key, old.get(key), new.get(key)) for key in sorted(old | new) if old.get(key) != new.get(key)]


def _validated(document: dict[str, Any]) -> Rulebook:
    if problems := tuple(_unfit(document)):
        raise InvalidRulebook(problems)
    rulesets = document.get("rulesets")
    if isinstance(rulesets, dict):
        document["rulesets"] = {name: _extended(name, rulesets, ()) for name in rulesets}
        for name, ruleset in document["rulesets"].items():
            _decoded(ruleset, Ruleset, f"rulesets.{name}")
    rulebook = _decoded(document, Rulebook, "")
    problems = (
        *_quoted_numbers(document, rulebook), *_impossible_rulesets(rulebook), *_impossible_rating(rulebook.rating)
    )  # fmt: skip
    if problems:
        raise InvalidRulebook(problems)
    return rulebook


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
        raise InvalidRulebook((Problem(at, f"there is no ruleset {parent!r}"),))
    if parent in (*seen, name):
        raise InvalidRulebook((Problem(at, "extends itself"),))
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


WORDS = {"Invalid decimal string": "Expected a number", "Expected `decimal`, got `str`": "Expected a number"}
"""What the library says, where it would puzzle people."""


def _decoded(document: Any, kind: type[T], at: str) -> T:
    try:
        return msgspec.json.decode(_plain_json(document), type=kind)
    except msgspec.DecodeError as error:
        reason, _, path = str(error).partition(" - at `$")
        keys = [at, path.rstrip("`").lstrip(".")]
        if unknown := re.search(r"(?:unknown|required) field `(.*)`", reason):
            keys.append(unknown[1])
        at = ".".join(key for key in keys if key) or "(file)"
        raise InvalidRulebook((Problem(at, WORDS.get(reason, reason)),)) from None


def _quoted_numbers(document: Any, rulebook: Rulebook) -> list[Problem]:
    """A decimal is read from a string too; a rulebook must write it as a number."""
    read = dict(_leaves("", to_document(rulebook)))
    return [
        Problem(key, "expected a number, got a string")
        for key, written in _leaves("", document)
        if isinstance(written, str) and isinstance(read.get(key), Decimal)
    ]


LARGEST = 1_000_000
"""What a rulebook says beyond this is a slip of the pen, and would break sums further on."""
MOST_PLACES = 12
"""Digits after the point. The terms of M are counted in whole units, which must not become too small to count."""


def _unfit(document: Any) -> Iterator[Problem]:
    """Numbers that are none or too large to be meant, and text that cannot be kept."""
    for key, value in _leaves("", document, into_lists=True):
        if isinstance(value, Decimal) and not value.is_finite():
            yield Problem(key, "a number is wanted")
        elif isinstance(value, int | Decimal) and not -LARGEST <= value <= LARGEST:
            yield Problem(key, f"a number from -{LARGEST} to {LARGEST} is wanted")
        elif isinstance(value, Decimal) and value != round(value, MOST_PLACES):
            yield Problem(key, f"at most {MOST_PLACES} digits after the point")
        if "\x00" in key or (isinstance(value, str) and "\x00" in value):
            yield Problem(key.replace("\x00", "?"), "has a character that no text has")


def _impossible_rulesets(rulebook: Rulebook) -> Iterator[Problem]:
    for name, rules in rulebook.rulesets.items():
        at = f"rulesets.{name}"
        if not is_id(name):
            yield Problem(at, "a name has 1 to 64 characters, no spaces, no ':' and no '+'")
        if not rules.modes:
            yield Problem(f"{at}.modes", "name at least one mode")
        seats = max((max(SEATS[mode]) for mode in rules.modes), default=0)
        if rules.tiles_each * seats > len(full_set(rules.set)):
            yield Problem(f"{at}.tiles_each", f"{seats} hands of {rules.tiles_each} are more than the set")
    for name in rulebook.rating.modifier.differential.points_by_ruleset:
        if name not in rulebook.rulesets:
            yield Problem(f"rating.modifier.differential.points_by_ruleset.{name}", "there is no such ruleset")


LARGEST_K = 1_000
LARGEST_TERM = 100


def _impossible_rating(rating: Rating) -> Iterator[Problem]:
    if rating.cap is True or (rating.cap is not False and rating.cap < 0):
        yield Problem("rating.cap", "a number from 0, or false for no cap")
    for rule, k in to_document(rating.k).items():
        if not 0 <= k <= LARGEST_K:
            yield Problem(f"rating.k.{rule}", f"K lies between 0 and {LARGEST_K}")
    for key, value in _leaves("rating.modifier", to_document(rating.modifier), into_lists=True):
        if key.endswith(".value") and abs(value) > LARGEST_TERM:
            yield Problem(key, f"a term of M lies between -{LARGEST_TERM} and {LARGEST_TERM}")
    for name, share in to_document(rating.overall).items():
        if not 0 <= share <= 1:
            yield Problem(f"rating.overall.{name}", "a share lies between 0 and 1")


def _leaves(at: str, value: Any, *, into_lists: bool = False) -> list[tuple[str, Any]]:
    """Every value of a document with its dotted key; lists are values, or go on by number."""
    if isinstance(value, list | tuple) and into_lists:
        value = {str(number): item for number, item in enumerate(value)}
    if not isinstance(value, dict):
        return [(at, value)]
    below = ((f"{at}.{key}" if at else key, item) for key, item in value.items())
    return [leaf for key, item in below for leaf in _leaves(key, item, into_lists=into_lists)]
