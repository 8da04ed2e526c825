"""What is wrong with a document that is no plan, in sentences that can be translated."""

import re
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct, ValidationError

from league.domain.nearest import there_are
from league.domain.refusals import InvalidInput
from league.domain.sentences import Sentence, say

AT = " - at `$"
"""Stands between what msgspec says and the path."""
UNKNOWN = re.compile(r"Invalid enum value '(.*)'")
TEMPLATES = (
    (re.compile(r"Object contains unknown field `(?P<key>.*)`"), say("Object contains unknown field `{key}`")),
    (re.compile(r"Object missing required field `(?P<key>.*)`"), say("Object missing required field `{key}`")),
    (re.compile(r"Expected `(?P<wanted>.*)`, got `(?P<given>.*)`"), say("must be {wanted}, and is {given}")),
)
"""By what msgspec says, our sentence. `wanted` and `given` are names of JSON's types."""


def misfit(name: str, kind: type[Struct], error: ValidationError) -> InvalidInput:
    """The refusal of a document of this kind, whose paths begin with `name`."""
    said, _, path = str(error).partition(AT)
    path = path.rstrip("`")
    return InvalidInput(f"{name}{path}", _sentence(kind, said, path))


def _sentence(kind: type[Struct], said: str, path: str) -> str:
    if (found := UNKNOWN.fullmatch(said)) is not None:
        field = re.split(r"[.\[]", path.lstrip("."))[0]
        return _none_of(found[1], _choices(get_type_hints(kind)[field]))
    for pattern, template in TEMPLATES:
        if (found := pattern.fullmatch(said)) is not None:
            return say(template.template, **found.groupdict())
    return said


def _none_of(value: str, choices: list[str]) -> Sentence:
    return say("{value} is unknown; {there_are}", value=repr(value), there_are=there_are(value, choices))


def _choices(kind: Any) -> list[str]:
    """The words between which a setting chooses."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [choice for part in get_args(kind) for choice in _choices(part)]
