"""A rulebook edition as data: every number and every choice of the rules, validated and frozen."""

import hashlib
import math
import re
import tomllib
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from league.domain.refusals import InvalidRulebook, Problem
from league.domain.tiles import SetName, full_set

Mode = Literal["1v1", "2v2", "individuals"]
Competition = Literal["competitive", "casual", "special"]
Count = Literal["match", "hand"]

T = TypeVar("T")

Positive = Annotated[int, Meta(ge=1)]
NotNegative = Annotated[int, Meta(ge=0)]
Share = Decimal


class Rules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of every section: an unknown key is an error, never ignored."""


class Bonuses(Rules, frozen=True, omit_defaults=True):
    """What a hand or a match adds beside the leftover pips, in points. A bonus that is left out is not played."""

    first_hand: NotNegative | None = None
    """To the winner of hand 1 (Caribbean text, First Round Bonus)."""
    double_out: NotNegative | None = None
    """Going out with a double (Caribbean text, Double Out)."""
    domino_without_draw: NotNegative | None = None
    """Going out without having drawn; only where the hand has a boneyard (Caribbean text, Domino)."""
    block_won: NotNegative | None = None
    """Winning a block (Caribbean text, Block Win)."""
    shutout: NotNegative | None = None
    """Every loser without a point (Caribbean text, Shutout); see the setting `shutout`."""
    capicua: NotNegative | None = None
    """A capicúa that is not void (Dominican text 2.4)."""
    chuchazo: NotNegative | None = None
    """Going out with the double blank (Dominican text 2.5)."""
    opening_pass: NotNegative | None = None
    """Pase primera mano, to the starter's side (Dominican text 2.2)."""
    pase_corrido: NotNegative | None = None
    """Each pase corrido, to the side of the seat that made it (Dominican text 2.3)."""
    key_bone: NotNegative | None = None
    """On top of the hand's point, when the closing tile fitted both ends (Caribbean text, Key Bone)."""
    rounds: tuple[NotNegative, ...] = ()
    """To the winner of hand 1, 2, 3, … (Dominican text 3, round bonuses)."""


class Ruleset(Rules, frozen=True):
    """One way to play a match."""

    title: str
    description: str
    set: SetName
    tiles_each: Positive
    modes: tuple[Mode, ...]
    scoring: Literal["points", "hands", "row"]
    """`points`: leftover pips; `hands`: a point a hand; `row`: no score, hands won in a row."""
    target: Positive
    """Points, hand points or hands in a row that end the match."""
    block_winner: Literal["side_total", "lowest_hand", "locker_vs_next"]
    block_tie: Literal["previous_winner", "starting_draw", "starter", "locker", "no_score"]
    counted_pips: Literal["opponents", "all_others"]
    capicua: Literal["fits_both_ends", "ends_equal"]
    capicua_void_on: tuple[Literal["double", "blank_half", "double_blank"], ...]
    viajera_from: Positive
    """Leftover pips in one hand, bonuses apart."""
    first_starter: Literal["starting_draw", "highest_double"]
    next_starter: Literal["hand_winner"]
    cannot_play: Literal["pass", "draw_until_playable", "draw_one"]
    """Drawing is for two or three seats; with four nobody draws."""
    shutout: Literal["per_match", "per_hand", "off"]
    reset: Literal["to_zero", "winner_keeps_hand", "off"]
    """What happens to the score when the side that is behind wins a hand; only with scoring `hands`."""
    bonuses: Bonuses


class KFactors(Rules, frozen=True):
    """K by the first rule that applies, in this order (CDS text 4)."""

    casual: Decimal
    provisional: Decimal
    special: Decimal
    veteran: Decimal
    standard: Decimal


class Veteran(Rules, frozen=True):
    """Who is a veteran: this many rated matches in the mode, and this rating before the match."""

    matches: NotNegative
    rating: Decimal


class Differential(Rules, frozen=True):
    """CDS text 3.1: `value` for every full `points` of the final score's difference."""

    value: Decimal
    points: Positive
    points_by_ruleset: dict[str, Positive] = {}


class Bonus(Rules, frozen=True):
    """A term that a match earns at most once."""

    value: Decimal


class CountedBonus(Rules, frozen=True):
    """A term that is earned once a match, or once for every hand."""

    value: Decimal
    count: Count


class RecoveryStep(Rules, frozen=True):
    """CDS text 3.3: won after trailing by at least `behind` points at the end of some hand."""

    behind: Positive
    value: Decimal


class Strength(Rules, frozen=True):
    """CDS text 3.5: `value` for every full `gap` of rating between the sides."""

    value: Decimal
    gap: Positive


class Modifier(Rules, frozen=True):
    """The performance modifier M (CDS text 3)."""

    differential: Differential
    pollona: Bonus
    viajera: CountedBonus
    capicua: CountedBonus
    capicua_blocks: CountedBonus
    recovery: tuple[RecoveryStep, ...]
    """The highest step that was reached counts, and only that one."""
    block_won: CountedBonus
    critical_block: Bonus
    strength: Strength


class Overall(Rules, frozen=True):
    """CDS text 1.3: how the two modes make one rating."""

    main_weight: Share
    """Weight of the mode with more matches."""
    balanced_share: Share
    """While the larger share of matches is at most this, both modes weigh the same."""


class Rating(Rules, frozen=True):
    """The Domino Score (CDS text)."""

    start: Decimal
    scale: Positive
    """Rating points that make ten to one (CDS text 2.1)."""
    expected: Literal["side_average", "own_vs_side_average"]
    provisional_below: NotNegative
    """Rated matches in the mode before a rating is established."""
    k: KFactors
    veteran: Veteran
    cap: Decimal | bool
    """M is kept between minus this and plus this; `false`: no cap."""
    modifier: Modifier
    overall: Overall


class Boards(Rules, frozen=True):
    """Who stands on the rating boards."""

    active_days: Positive
    """Days of 24 hours within which a player must have finished a match."""


class Rulebook(Rules, frozen=True):
    """One edition of all rules of the league."""

    title: str
    rulesets: dict[str, Ruleset]
    rating: Rating
    boards: Boards

    def ruleset(self, name: str) -> Ruleset | None:
        """The ruleset of this name, or None."""
        return self.rulesets.get(name)


def parse_rulebook(text: str, base: Rulebook | None = None) -> Rulebook:
    """Read an edition from TOML. With a base the text may name only what it changes.

    Raises InvalidRulebook, naming the key.
    """
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRulebook((Problem("(file)", f"not TOML: {error}"),)) from None
    return rulebook_from(document, base)


def rulebook_from(document: Mapping[str, Any], base: Rulebook | None = None) -> Rulebook:
    """Validate a document of plain values. Raises InvalidRulebook, naming the key."""
    merged = _merge(to_document(base), document) if base else dict(document)
    if problems := tuple(_out_of_range(merged)):
        raise InvalidRulebook(problems)
    rulesets = merged.get("rulesets")
    if isinstance(rulesets, dict):
        merged["rulesets"] = {name: _extended(name, rulesets, ()) for name in rulesets}
        for name, ruleset in merged["rulesets"].items():
            _decoded(ruleset, Ruleset, f"rulesets.{name}")
    rulebook = _decoded(merged, Rulebook, "")
    problems = (*_quoted_numbers(merged, rulebook), *_impossible(rulebook))
    if problems:
        raise InvalidRulebook(problems)
    return rulebook


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


class Span(Struct, frozen=True):
    """From `start` on (None: from the beginning) matches that began then are played under `edition`."""

    start: datetime | None
    edition: int


Timeline = tuple[Span, ...]
"""Which edition holds when, by the time a match began; the first span starts at None, the others ascend."""


def edition_at(timeline: Timeline, began_at: datetime) -> int:
    """The number of the edition under which a match that began then is played."""
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
    middle = [Span(start, edition)]
    if end is not None:
        middle.append(Span(end, edition_at(timeline, end)))
    spans: list[Span] = []
    for span in (*before, *middle, *after):
        if not spans or spans[-1].edition != span.edition:
            spans.append(span)
    return tuple(spans)


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


def _decoded(document: Any, kind: type[T], at: str) -> T:
    try:
        return msgspec.json.decode(_plain_json(document), type=kind)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        keys = [at, path.rstrip("`").lstrip(".")]
        if unknown := re.search(r"(?:unknown|required) field `(.*)`", reason):
            keys.append(unknown[1])
        raise InvalidRulebook((Problem(".".join(k for k in keys if k) or "(file)", reason),)) from None


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


def _out_of_range(document: Any) -> list[Problem]:
    """Numbers that are none, or too large to be meant."""
    problems = []
    for key, value in _leaves("", document):
        values = value if isinstance(value, list | tuple) else [value]
        numbers: list[Any] = [number for number in values if isinstance(number, int | Decimal)]
        if not all(math.isfinite(n) and abs(n) <= LARGEST for n in numbers):
            problems.append(Problem(key, f"a number from -{LARGEST} to {LARGEST} is wanted"))
    return problems


def _impossible(rulebook: Rulebook) -> list[Problem]:
    problems = []
    for name, rules in rulebook.rulesets.items():
        at = f"rulesets.{name}"
        seats = max((4 if mode != "1v1" else 2 for mode in rules.modes), default=0)
        if not rules.modes:
            problems.append(Problem(f"{at}.modes", "name at least one mode"))
        if rules.tiles_each * seats > len(full_set(rules.set)):
            problems.append(Problem(f"{at}.tiles_each", f"{seats} hands of {rules.tiles_each} are more than the set"))
    rating = rulebook.rating
    if rating.cap is True or (rating.cap is not False and rating.cap < 0):
        problems.append(Problem("rating.cap", "a number from 0, or false for no cap"))
    for name, share in to_document(rating.overall).items():
        if not 0 <= share <= 1:
            problems.append(Problem(f"rating.overall.{name}", "a share lies between 0 and 1"))
    for name in rulebook.rating.modifier.differential.points_by_ruleset:
        if name not in rulebook.rulesets:
            at = f"rating.modifier.differential.points_by_ruleset.{name}"
            problems.append(Problem(at, "there is no such ruleset"))
    return problems


def _leaves(at: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in _leaves(f"{at}.{key}" if at else key, item)]
    return [(at, value)]
