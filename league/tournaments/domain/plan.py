"""The plan of a tournament: a document with a hash, and what is wrong with one (rules, Tournaments)."""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct, ValidationError, field
from msgspec.structs import replace

from league.domain.collected_refusals import Faults
from league.domain.player_names import there_are
from league.domain.refusals import InvalidInput, Refusal
from league.domain.rules import Competition
from league.domain.sentences import Sentence, say

Format = Literal["round_robin", "swiss", "rotating_partners", "fixtures"]
MeetingWindow = int | Literal["all"]
"""Rounds in which a meeting counts."""
TieBreak = Literal[
    "difference",
    "points_for",
    "buchholz",
    "buchholz_cut",
    "buchholz_median",
    "sonneborn_berger",
    "direct",
    "best_hand",
    "fewest_byes",
]

USUAL_TIE_BREAKS: tuple[TieBreak, ...] = ("buchholz", "difference", "points_for")
MOST_ROUNDS = 100


class PlanAward(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a bye or a walkover gives."""

    won: bool = True
    for_: int | None = field(name="for", default=None)
    """Points; None: half of the target, rounded down."""
    against: int = 0


class Plan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """What is decided before the first round."""

    name: str
    format: Format
    ruleset: str
    mode: Literal["1v1", "2v2"] = "2v2"
    competition: Competition = "special"
    rounds: int | None = None
    """None where the format says how many: a round robin, fixtures."""
    legs: int = 1
    """How often everybody meets everybody in a round robin: once or twice."""
    first_round: Literal["rating", "drawn"] = "drawn"
    opponent_window: MeetingWindow | None = None
    """None: all rounds in a Swiss tournament, three with rotating partners."""
    partner_window: MeetingWindow = 3
    partners: Literal["near", "drawn"] = "near"
    full_cycle: bool = False
    """With rotating partners: whether everybody has everybody as partner once (8, 12 or 16 players)."""
    region_rounds: int = 0
    locked_play_casually: bool = False
    """Whether a pair that the series has locked may meet in a casual match."""
    tie_breaks: tuple[TieBreak, ...] = USUAL_TIE_BREAKS
    score_cap: int | None = None
    """None: the target of the ruleset."""
    bye: PlanAward = PlanAward()
    walkover: PlanAward = PlanAward()
    minutes: int | None = None
    """Of a round; None: no clock."""
    at_bell: Literal["finish_hand", "one_more"] = "finish_hand"
    check_in: bool = False
    late_entries: int = 0
    """The last round before which competitors may still enter; 0: none after the first round is published."""


def parse_plan(document: Mapping[str, Any], further_faults: Callable[[Plan], Iterable[Refusal]] | None = None) -> Plan:
    """Read a plan from plain values. Raises the one fault, or Faults with all that is wrong."""
    try:
        plan = msgspec.convert(dict(document), Plan)
    except msgspec.ValidationError as error:
        raise _misfit("plan", Plan, error) from None
    Faults.check([*faults_of_plan(plan), *(further_faults(plan) if further_faults else ())])
    return plan


def plan_hash(plan: Plan) -> str:
    """The SHA-256 of the plan as JSON with sorted keys and without defaults, as hexadecimal.

    So a setting that is added later does not change the hash of older plans.
    """
    return hashlib.sha256(msgspec.json.encode(plan, order="sorted")).hexdigest()


def but_rounds(plan: Plan) -> Plan:
    """What a plan says beside the number of rounds, with its window of opponents written out."""
    window = opponent_window(plan)
    return replace(plan, rounds=None, opponent_window="all" if window is None else window)


def players_of_competitor(plan: Plan) -> int:
    """How many players enter together: two in tournaments of pairs that stay."""
    return 2 if plan.mode == "2v2" and plan.format != "rotating_partners" else 1


def opponent_window(plan: Plan) -> int | None:
    """The rounds in which a meeting of opponents counts; None: all."""
    if plan.opponent_window is None:
        return 3 if plan.format == "rotating_partners" else None
    return None if plan.opponent_window == "all" else plan.opponent_window


def faults_of_plan(plan: Plan) -> Iterator[Refusal]:
    """What its settings have that cannot be."""
    if not plan.name.strip():
        yield InvalidInput("plan.name", say("must not be empty"))
    if plan.format == "rotating_partners" and plan.mode != "2v2":
        yield InvalidInput("plan.mode", say("partners rotate in 2v2 only"))
    if plan.format in {"swiss", "rotating_partners"} and plan.rounds is None:
        yield InvalidInput("plan.rounds", say("a tournament of this format needs a number of rounds"))
    if plan.rounds is not None and not 1 <= plan.rounds <= MOST_ROUNDS:
        yield InvalidInput("plan.rounds", say("must be from 1 to {most}", most=MOST_ROUNDS))
    if plan.late_entries and plan.format == "round_robin":
        yield InvalidInput("plan.late_entries", say("everybody meets everybody, so nobody can enter late"))
    if plan.full_cycle and plan.format != "rotating_partners":
        yield InvalidInput("plan.full_cycle", say("only rotating partners have a full cycle"))
    if plan.legs not in {1, 2}:
        yield InvalidInput("plan.legs", say("must be 1 or 2"))
    yield from faults_of_tie_breaks("plan.tie_breaks", plan.tie_breaks, plan.format)
    yield from _negative(plan)


def faults_of_tie_breaks(at: str, tie_breaks: Sequence[TieBreak], format_: Format) -> Iterator[Refusal]:
    """What an order of tie-breaks has that cannot be."""
    if len(set(tie_breaks)) < len(tie_breaks):
        yield InvalidInput(at, say("names a tie-break twice"))
    if "direct" in tie_breaks and format_ == "rotating_partners":
        yield InvalidInput(at, say("`direct` needs competitors who meet; partners that rotate do not"))


def _negative(plan: Plan) -> Iterator[Refusal]:
    numbers: Sequence[tuple[str, Any, int]] = (
        ("opponent_window", plan.opponent_window, 0),
        ("partner_window", plan.partner_window, 0),
        ("region_rounds", plan.region_rounds, 0),
        ("late_entries", plan.late_entries, 0),
        ("score_cap", plan.score_cap, 1),
        ("minutes", plan.minutes, 1),
        ("bye.for", plan.bye.for_, 0),
        ("bye.against", plan.bye.against, 0),
        ("walkover.for", plan.walkover.for_, 0),
        ("walkover.against", plan.walkover.against, 0),
    )
    for name, value, least in numbers:
        if isinstance(value, int) and value < least:
            yield InvalidInput(f"plan.{name}", say("must be at least {least}", least=least))


# ---------------------------------------------------------------- what is wrong with a document, in sentences


_AT = " - at `$"
"""Stands between what msgspec says and the path."""
_UNKNOWN = re.compile(r"Invalid enum value '(.*)'")
_TEMPLATES = (
    (re.compile(r"Object contains unknown field `(?P<key>.*)`"), say("Object contains unknown field `{key}`")),
    (re.compile(r"Object missing required field `(?P<key>.*)`"), say("Object missing required field `{key}`")),
    (re.compile(r"Expected `(?P<wanted>.*)`, got `(?P<given>.*)`"), say("must be {wanted}, and is {given}")),
)
"""By what msgspec says, our sentence. `wanted` and `given` are names of JSON's types."""


def _misfit(name: str, kind: type[Struct], error: ValidationError) -> InvalidInput:
    """The refusal of a document of this kind, whose paths begin with `name`."""
    said, _, path = str(error).partition(_AT)
    path = path.rstrip("`")
    return InvalidInput(f"{name}{path}", _sentence(kind, said, path))


def _sentence(kind: type[Struct], said: str, path: str) -> str:
    if (found := _UNKNOWN.fullmatch(said)) is not None:
        field = re.split(r"[.\[]", path.lstrip("."))[0]
        return _none_of(found[1], _choices(get_type_hints(kind)[field]))
    for pattern, template in _TEMPLATES:
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
