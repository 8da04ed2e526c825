"""Finds every fault of a rulebook document, each with its dotted key, so that all can be fixed at once.

The structs of `league.domain.rules` define the settings of each section. Rules that no struct can express are here.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, get_args

from msgspec import inspect

from league.domain.collected_refusals import RulebookFault
from league.domain.house_settings import faults_of_house_rules
from league.domain.player import is_id
from league.domain.player_names import there_are
from league.domain.rules import Rulebook
from league.domain.seating import SEATS
from league.domain.sentences import Sentence, either, say
from league.domain.setting_names import FALSE, setting_name
from league.domain.texts_and_times import faults_of_text, is_control
from league.domain.tiles import SetName, full_set

LARGEST = 1_000_000
"""Limit on numbers, below and above 0. A larger one is a typing error and would break later sums."""
MOST_PLACES = 12
"""Limit on digits after the point. Terms of M are counted in whole units, which more digits would make too small."""
LARGEST_K = 1_000
HOUSE_NAME = re.compile(r"house-[a-z0-9]+(-[a-z0-9]+)*")
LARGEST_TERM = 100
LONGEST_QUOTE = 40
"""Limit on the characters of a wrong value that a message repeats."""


class NumberRange(NamedTuple):
    """The values that a number with a fraction may have."""

    settings: re.Pattern[str]
    """Matches the dotted keys of the settings, without the indexes of lists."""
    least: int
    most: int
    fault: Sentence
    """Why another number is refused."""


RANGES = (
    NumberRange(
        re.compile(r"rating\.cap"),
        0,
        LARGEST,
        say(
            "must be a number from 0, {false} for no cap, or a number each for {below} and {above}",
            false=FALSE,
            below=setting_name("rating.cap.below"),
            above=setting_name("rating.cap.above"),
        ),
    ),
    NumberRange(
        re.compile(r"rating\.cap\.\w+"),
        0,
        LARGEST,
        say("must be a number from 0: how far M may lie on this side of 0"),
    ),
    NumberRange(
        re.compile(r"rating\.k\.(?!provisional_below)\w+"),
        0,
        LARGEST_K,
        say("must be a K from 0 to {largest_k}", largest_k=LARGEST_K),
    ),
    NumberRange(
        re.compile(r"rating\.modifier\..*\.value"),
        -LARGEST_TERM,
        LARGEST_TERM,
        say("must be a term of M from -{largest_term} to {largest_term}", largest_term=LARGEST_TERM),
    ),
    NumberRange(re.compile(r"rating\.overall\.\w+"), 0, 1, say("must be a share from 0 to 1")),
)
_INDEX = re.compile(r"\[\d+\]")


def faults_in(document: Mapping[str, Any], unread: Collection[str] = ()) -> tuple[RulebookFault, ...]:
    """The faults of a document, one for each key. `unread`: rulesets that were refused before and are not in it."""
    found: dict[str, RulebookFault] = {}
    for problem in chain(_unfit(document), _faults(rulebook_type(), document, ""), _impossible(document, unread)):
        found.setdefault(problem.at, problem)
    return tuple(found.values())


def with_unknown_rulesets(
    faults: Iterable[RulebookFault], document: Mapping[str, Any], known: Collection[str]
) -> tuple[RulebookFault, ...]:
    """The faults, with one for each ruleset whose name is misspelt in place of all that it lacks.

    `document` changes an edition that has the `known` rulesets. A new ruleset has a title, or extends another one.
    """
    written = _table(document, "rulesets")
    misspelt = {
        name
        for name, ruleset in written.items()
        if known and name not in known and isinstance(ruleset, Mapping) and not {"extends", "title"} & ruleset.keys()
    }
    found: dict[str, RulebookFault] = {}
    for fault in faults:
        name = next((one for one in misspelt if fault.at.startswith(f"rulesets.{one}.")), None)
        if name is not None:
            fault = RulebookFault(f"rulesets.{name}", say("is no ruleset; {known}", known=there_are(name, known)))  # noqa: PLW2901
        found.setdefault(fault.at, fault)
    return tuple(found.values())


def range_of(setting: str) -> NumberRange | None:
    """The range of a number with a fraction, by its dotted key; None if only the limits of all numbers hold."""
    return next((one for one in RANGES if one.settings.fullmatch(setting)), None)


def leaves(at: str, value: Any, *, into_lists: bool = False) -> list[tuple[str, Any]]:
    """Every value of a document with its dotted key.

    An empty table is one value. A list is one value too, unless `into_lists` is true: then its items are `modes[0]` ….
    """
    if isinstance(value, list | tuple) and into_lists:
        return [leaf for n, item in enumerate(value) for leaf in leaves(f"{at}[{n}]", item, into_lists=True)]
    if not isinstance(value, dict) or not value:
        return [(at, value)]
    below = ((f"{at}.{key}" if at else key, item) for key, item in value.items())
    return [leaf for key, item in below for leaf in leaves(key, item, into_lists=into_lists)]


# ---------------------------------------------------------------- values that no setting can have


def _unfit(document: Mapping[str, Any]) -> Iterator[RulebookFault]:
    """Numbers that are not finite, too large or too precise, and texts that the log cannot store."""
    for key, value in leaves("", document, into_lists=True):
        if isinstance(value, Decimal) and not value.is_finite():
            yield RulebookFault(key, say("must be a finite number"))
        elif isinstance(value, int | Decimal) and not -LARGEST <= value <= LARGEST:
            least = say("must be a number from -{largest}", largest=LARGEST)
            yield RulebookFault(
                key, least if value < 0 else say("must be a number of at most {largest}", largest=LARGEST)
            )
        elif isinstance(value, Decimal) and value != round(value, MOST_PLACES):
            yield RulebookFault(
                key, say("must have at most {most_places} digits after the point", most_places=MOST_PLACES)
            )
        for fault in (
            *faults_of_text(key, key),
            *faults_of_text(key, value if isinstance(value, str) else "", with_lines=True),
        ):
            yield RulebookFault(
                "".join("?" if is_control(character) else character for character in key), fault.sentence
            )


# ---------------------------------------------------------------- rules that the structs define


def without_settings_off(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without optional settings that it switches off with `false`, such as a bonus of the base."""
    found: dict[str, Any] = _switched_on(rulebook_type(), document)
    return found


def _switched_on(kind: inspect.Type, value: Any) -> Any:
    """A value without what is switched off within it."""
    match kind:
        case inspect.StructType() if isinstance(value, Mapping):
            types = {field.encode_name: field.type for field in kind.fields}
            inside = {key: _switched_on(types[key], item) if key in types else item for key, item in value.items()}
            return {key: item for key, item in inside.items() if not (item is False and _is_optional(types.get(key)))}
        case inspect.DictType() if isinstance(value, Mapping):
            inside = {key: _switched_on(kind.value_type, item) for key, item in value.items()}
            is_of_numbers = isinstance(kind.value_type, inspect.IntType | inspect.DecimalType)
            return {key: item for key, item in inside.items() if not (item is False and is_of_numbers)}
    return value


def _is_optional(kind: inspect.Type | None) -> bool:
    return isinstance(kind, inspect.UnionType) and any(isinstance(one, inspect.NoneType) for one in kind.types)


@cache
def rulebook_type() -> inspect.Type:
    """The type of a rulebook, with its fields."""
    return inspect.type_info(Rulebook)


def _faults(kind: inspect.Type, value: Any, at: str) -> Iterator[RulebookFault]:
    """Unknown keys, missing keys and wrong values within `value`, which has the key `at`."""
    match kind:
        case inspect.StructType() if isinstance(value, Mapping):
            yield from _faults_of_section(kind, value, at)
        case inspect.DictType() if isinstance(value, Mapping):
            for key, item in value.items():
                yield from _faults(kind.value_type, item, f"{at}.{key}")
        case inspect.VarTupleType() if isinstance(value, list | tuple):
            for number, item in enumerate(value):
                yield from _faults(kind.item_type, item, f"{at}[{number}]")
        case inspect.UnionType():
            yield from _faults_of_choice(kind, value, at)
        case _ if not _fits(kind, value):
            yield RulebookFault(
                at or "(file)", say("must be {kind}, not {value}", kind=_wanted(kind), value=_quoted(value))
            )


def _faults_of_section(kind: inspect.StructType, section: Mapping[str, Any], at: str) -> Iterator[RulebookFault]:
    known = {field.encode_name: field for field in kind.fields}
    for key, value in section.items():
        inside = f"{at}.{key}" if at else key
        if key in known:
            yield from _faults(known[key].type, value, inside)
        else:
            yield RulebookFault(inside, say("is not a setting"))
    for key, field in known.items():
        if field.required and key not in section:
            yield RulebookFault(f"{at}.{key}" if at else key, say("is missing"))


def _faults_of_choice(kind: inspect.UnionType, value: Any, at: str) -> Iterator[RulebookFault]:
    """Faults of a setting with several kinds of values. `false` switches such a setting off; `true` is refused."""
    table = next((one for one in kind.types if isinstance(one, inspect.StructType)), None)
    if table is not None and isinstance(value, Mapping):
        yield from _faults_of_section(table, value, at)
    elif value is True or not any(_fits(one, value) for one in kind.types):
        yield RulebookFault(at, say("must be {kind}, not {value}", kind=_wanted(kind), value=_quoted(value)))


_PLAIN: dict[type[inspect.Type], type] = {
    inspect.BoolType: bool,
    inspect.StrType: str,
    inspect.NoneType: type(None),
}


def _fits(kind: inspect.Type, value: Any) -> bool:
    """Whether a value other than a table or a list is of this kind."""
    match kind:
        case inspect.LiteralType():
            return isinstance(value, str) and value in kind.values
        case inspect.DecimalType():
            return _is_number(value)
        case inspect.IntType():
            whole = isinstance(value, int) and not isinstance(value, bool)
            return whole and (kind.ge is None or value >= kind.ge) and (kind.le is None or value <= kind.le)
    plain = _PLAIN.get(type(kind))
    return plain is not None and isinstance(value, plain)


_IN_WORDS: dict[type[inspect.Type], str] = {
    inspect.BoolType: say("true or false"),
    inspect.StrType: "text",
    inspect.DecimalType: say("a number"),
    inspect.VarTupleType: say("a list"),
    inspect.DictType: say("a table"),
    inspect.StructType: say("a table"),
}


def _wanted(kind: inspect.Type) -> str:
    """A kind of value in words."""
    match kind:
        case inspect.UnionType():
            off = (inspect.BoolType, inspect.NoneType)
            return either(dict.fromkeys(FALSE if isinstance(one, off) else _wanted(one) for one in kind.types))
        case inspect.LiteralType():
            return say("one of {str}", str=", ".join(map(str, kind.values)))
        case inspect.IntType():
            if kind.le is not None:
                return say("a whole number from {ge} to {le}", ge=kind.ge, le=kind.le)
            return say("a whole number") if kind.ge is None else say("a whole number of at least {ge}", ge=kind.ge)
    return _IN_WORDS[type(kind)]


def _quoted(value: Any) -> str:
    """A wrong value in words."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return say(
                "the text {value!r}", value=value if len(value) <= LONGEST_QUOTE else value[:LONGEST_QUOTE] + "…"
            )
        case int() | Decimal():
            return str(value)
        case list() | tuple():
            return say("a list")
        case Mapping():
            return say("a table")
    return say("a date or a time")


# ---------------------------------------------------------------- rules that no struct can define


def _impossible(document: Mapping[str, Any], unread: Collection[str]) -> Iterator[RulebookFault]:
    rulesets = _table(document, "rulesets")
    for name, ruleset in rulesets.items():
        yield from _impossible_ruleset(name, ruleset if isinstance(ruleset, Mapping) else {})
    rating = _table(document, "rating")
    yield from _impossible_rating(rating)
    for name in _table(rating, "modifier", "differential", "points_by_ruleset"):
        if name not in rulesets and name not in unread:
            yield RulebookFault(
                f"rating.modifier.differential.points_by_ruleset.{name}", say("there is no such ruleset")
            )
    competitions = _table(document, "series").get("competitions")
    if isinstance(competitions, list | tuple):
        if not competitions:
            yield RulebookFault("series.competitions", say("must name at least one competition"))
        for number, name in enumerate(competitions):
            if name in competitions[:number]:
                yield RulebookFault(f"series.competitions[{number}]", say("is named twice"))
    yield from _impossible_badges(_table(document, "badges"))


def _impossible_ruleset(name: str, rules: Mapping[str, Any]) -> Iterator[RulebookFault]:
    at = f"rulesets.{name}"
    if not is_id(name):
        yield RulebookFault(at, say("a name has 1 to 64 characters, no spaces, no ':' and no '+'"))
    if name.startswith("house-") and not HOUSE_NAME.fullmatch(name):
        yield RulebookFault(
            at,
            say(
                "the name of a house ruleset is `house-`, then small letters a to z, digits, and single hyphens between"
            ),
        )
    yield from faults_of_house_rules(at, rules)
    modes, tiles_each = rules.get("modes"), rules.get("tiles_each")
    if not isinstance(modes, list | tuple):
        return
    if not modes:
        yield RulebookFault(f"{at}.modes", say("must name at least one mode"))
    seats = max((max(counts) for mode, counts in SEATS.items() if mode in modes), default=0)
    tiles = next((len(full_set(name)) for name in get_args(SetName) if name == rules.get("set")), None)
    if tiles is not None and isinstance(tiles_each, int) and tiles_each * seats > tiles:
        yield RulebookFault(
            f"{at}.tiles_each",
            say("{seats} hands of {tiles_each} are more than the set", seats=seats, tiles_each=tiles_each),
        )


def _impossible_badges(badges: Mapping[str, Any]) -> Iterator[RulebookFault]:
    """Steps of one badge that have the same name, and would count every match twice."""
    recoveries = badges.get("recoveries")
    seen: set[Any] = set()
    for number, step in enumerate(recoveries if isinstance(recoveries, list | tuple) else ()):
        behind = step.get("behind") if isinstance(step, Mapping) else None
        if isinstance(behind, int) and behind in seen:
            yield RulebookFault(
                f"badges.recoveries[{number}].behind",
                say("{behind} has a step already: write its thresholds there", behind=behind),
            )
        seen |= {behind} if isinstance(behind, int) else set()


def _impossible_rating(rating: Mapping[str, Any]) -> Iterator[RulebookFault]:
    for key, value in leaves("rating", rating, into_lists=True):
        found = range_of(_INDEX.sub("", key))
        if found is not None and _is_number(value) and not found.least <= value <= found.most:
            yield RulebookFault(key, found.fault)


def _table(document: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    """The table at a path; empty if there is none."""
    found: Any = document
    for part in path:
        found = found.get(part) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, Decimal) and value.is_finite())
    )
