"""The plan of a tournament: its settings, its hash, and the checks of a plan's document (rules, Tournaments)."""

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

Format = Literal["round_robin", "swiss", "rotating_partners", "fixtures", "knockout", "groups"]
MeetingWindow = int | Literal["all"]
"""How many earlier rounds count for a meeting or partnership."""
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

RulesVersion = Literal[1, 2]
"""Version of the rules by which a tournament counts."""

NEWEST_RULES: RulesVersion = 2
USUAL_TIE_BREAKS: tuple[TieBreak, ...] = ("buchholz", "difference", "points_for")
USUAL_IN_GROUPS: tuple[TieBreak, ...] = ("direct", "difference", "points_for")
USUAL_ADVANCE = 2
MOST_ROUNDS = 100
MOST_SETUP = 24 * 60
"""Limit on `setup_minutes`."""
MOST_GAMES = 15
"""Limit on the matches of a tie."""
GIVEN_MEETINGS: frozenset[Format] = frozenset({"round_robin", "fixtures", "groups"})
"""Formats that say beforehand who meets whom."""
Withdrawals = Literal["annul_below_half", "keep"]
"""What becomes of the meetings of a competitor who leaves.

`annul_below_half`: who has played fewer than half of them is out, and none of them counts; `keep`: they count.
"""
WITH_WITHDRAWALS: frozenset[Format] = frozenset({"round_robin", "groups"})
"""Formats in which everybody's meetings are known beforehand, so that leaving has its own rule."""
WITH_KNOCKOUT: frozenset[Format] = frozenset({"knockout", "groups"})
"""Formats that end with a knock-out. They determine their number of rounds."""
WITH_REQUESTED_BYES: frozenset[Format] = frozenset({"swiss", "rotating_partners"})
"""Formats in which a competitor may ask for a bye (rules, Tournaments, Results)."""


class PlanAward(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a bye or a walkover gives."""

    won: bool = True
    for_: int | None = field(name="for", default=None)
    """Match points; None: half of the target, rounded down."""
    against: int = 0
    """Match points of the other side."""


class RequestedByeAward(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a bye gives to a competitor who asked for it."""

    won: bool = False
    for_: int = field(name="for", default=0)
    """Match points."""
    against: int = 0
    """Match points of the other side."""


class Plan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The settings of a tournament. They are decided before its first round."""

    name: str
    format: Format
    ruleset: str
    mode: Literal["1v1", "2v2"] = "2v2"
    competition: Competition = "special"
    rounds: int | None = None
    """Number of rounds; None if the format determines it, as a round robin or fixtures do."""
    legs: int = 1
    """How often everybody meets everybody in a round robin: 1 or 2."""
    first_round: Literal["rating", "drawn"] = "drawn"
    opponent_window: MeetingWindow | None = None
    """How many earlier rounds count for opponents; None: three with rotating partners, otherwise all."""
    partner_window: MeetingWindow = 3
    partners: Literal["near", "drawn"] = "near"
    full_cycle: bool = False
    """With rotating partners: whether every player is every other's partner once (8, 12 or 16 players)."""
    region_rounds: int = 0
    """Number of first rounds in which competitors of one region do not meet."""
    locked_play_casually: bool = False
    """Whether a pair that the series has locked may meet in a casual match."""
    tie_breaks: tuple[TieBreak, ...] | None = None
    """None: the usual ones of the format."""
    score_cap: int | None = None
    """The most match points of a side that count; None: the target of the ruleset."""
    bye: PlanAward = PlanAward()
    walkover: PlanAward = PlanAward()
    minutes: int | None = None
    """Length of a round in minutes; None means untimed."""
    setup_minutes: int = 0
    """Minutes between the publication of a round and the beginning of its time, in which people find their tables."""
    at_bell: Literal["finish_hand", "one_more"] = "finish_hand"
    check_in: bool = False
    late_entries: int = 0
    """Competitors may enter until this round is published; 0: until the first round is."""
    difference_cap: int | None = None
    """The most that one outcome adds to, or takes from, the tie-break `difference`; None: no limit."""
    requested_bye: RequestedByeAward = RequestedByeAward()
    withdrawals: Withdrawals | None = None
    """None: `annul_below_half` in formats that have this rule."""
    best_of: int | tuple[int, ...] = 1
    """The most matches of a tie. In a row of numbers, the last is that of the final, the one before of the semi-finals.

    The first number is also that of all earlier rounds.
    """
    third_place: bool | None = None
    """Whether the losers of the semi-finals play for the third place; None: if four or more enter the knock-out."""
    groups: int | None = None
    """Number of groups."""
    advance: int | None = None
    """How many of each group enter the knock-out; None: two."""
    rules: RulesVersion = 1
    """Version of the rules. Plans that were made before version 2 have none in their document."""


NEEDED = ("name", "format", "ruleset")
"""Settings without a default: every plan has them."""


def parse_plan(
    document: Mapping[str, Any],
    further_faults: Callable[[Plan], Iterable[Refusal]] | None = None,
    rules: RulesVersion = NEWEST_RULES,
) -> Plan:
    """Read a plan from plain values.

    `further_faults`: checks beyond those of the settings themselves; `rules`: the version that the plan follows, which
    is no setting. Raises the only fault, or Faults with all of them.
    """
    if "rules" in document:
        raise InvalidInput("plan.rules", say("is not a setting: a plan keeps the rules under which it was made"))
    try:
        plan = msgspec.convert({**document, "rules": rules}, Plan)
    except msgspec.ValidationError as error:
        raise _misfit("plan", Plan, error) from None
    Faults.check([*faults_of_plan(plan), *(further_faults(plan) if further_faults else ())])
    return _without_written_defaults(plan)


def _without_written_defaults(plan: Plan) -> Plan:
    """The plan with a document that lacks the defaults, also those that somebody wrote out.

    The encoder leaves out a struct or a tuple only if it is the default object itself.
    """
    defaults = {one.name: one.default for one in msgspec.structs.fields(Plan) if one.name not in NEEDED}
    if plan.best_of == (1,):
        plan = replace(plan, best_of=1)
    kept = replace(plan, **{name: value for name, value in defaults.items() if getattr(plan, name) == value})
    return replace(kept, tie_breaks=None) if plan.tie_breaks == usual_tie_breaks(plan.format) else kept


def changed_document(plan: Plan, changes: Mapping[str, Any], remove: Sequence[str]) -> dict[str, Any]:
    """The document of a plan in which settings changed, and those in `remove` returned to their defaults.

    Raises InvalidInput for a removal of something else than a setting with a default, or of one that changes as well.
    """
    removable = {one.encode_name for one in msgspec.structs.fields(Plan)} - {*NEEDED, "rules"}
    for at, name in enumerate(remove):
        if name not in removable:
            raise InvalidInput(f"remove.{at}", say("{name} cannot be removed", name=repr(name)))
        if name in changes:
            raise InvalidInput(f"remove.{at}", say("{name} is changed as well", name=repr(name)))
    kept = {name: value for name, value in msgspec.to_builtins(plan).items() if name not in {*remove, "rules"}}
    return {**kept, **changes}


def plan_hash(plan: Plan) -> str:
    """The SHA-256 of the plan as JSON with sorted keys and without defaults, as hexadecimal.

    Because defaults are left out, a setting that is added later does not change the hash of older plans.
    """
    return hashlib.sha256(msgspec.json.encode(plan, order="sorted")).hexdigest()


def but_rounds(plan: Plan) -> Plan:
    """The plan without its number of rounds, and with the defaults that depend on its format written out."""
    window = opponent_window(plan)
    written_out = {"opponent_window": "all" if window is None else window, "withdrawals": withdrawals_of(plan)}
    return replace(plan, rounds=None, **written_out)


def players_of_competitor(plan: Plan) -> int:
    """How many players enter together: two if fixed pairs play, otherwise one."""
    return 2 if plan.mode == "2v2" and plan.format != "rotating_partners" else 1


def tie_breaks_of(plan: Plan) -> tuple[TieBreak, ...]:
    """The tie-breaks that order the standing, in their order."""
    return usual_tie_breaks(plan.format) if plan.tie_breaks is None else plan.tie_breaks


def usual_tie_breaks(format_: Format) -> tuple[TieBreak, ...]:
    """The tie-breaks of a plan that names none. A knock-out has none."""
    if format_ == "knockout":
        return ()
    return USUAL_IN_GROUPS if format_ == "groups" else USUAL_TIE_BREAKS


def games_of_tie(plan: Plan, ties: int) -> int:
    """The most matches of a tie in a round of the bracket with this many places for ties: 1 in the final."""
    if isinstance(plan.best_of, int):
        return plan.best_of
    before_final = (ties - 1).bit_length()
    return plan.best_of[max(0, len(plan.best_of) - 1 - before_final)]


def opponent_window(plan: Plan) -> int | None:
    """How many earlier rounds count for meetings of opponents; None: all."""
    if plan.opponent_window is None:
        return 3 if plan.format == "rotating_partners" else None
    return None if plan.opponent_window == "all" else plan.opponent_window


def withdrawals_of(plan: Plan) -> Withdrawals | None:
    """What becomes of the meetings of a competitor who leaves; None: the format, or version 1, has no such rule."""
    if plan.rules == 1 or plan.format not in WITH_WITHDRAWALS:
        return None
    return plan.withdrawals or "annul_below_half"


def faults_of_plan(plan: Plan) -> Iterator[Refusal]:
    """The faults of a plan's settings."""
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
    yield from faults_of_tie_breaks("plan.tie_breaks", tie_breaks_of(plan), plan.format)
    yield from _newer_than_the_rules(plan)
    yield from _faults_of_knockout(plan)
    if plan.requested_bye != RequestedByeAward() and plan.format not in WITH_REQUESTED_BYES:
        yield InvalidInput("plan.requested_bye", say("only Swiss rounds and rotating partners have requested byes"))
    if plan.withdrawals is not None and plan.format not in WITH_WITHDRAWALS:
        yield InvalidInput("plan.withdrawals", say("only round robins and groups have a rule for who leaves"))
    yield from _out_of_range(plan)


def _faults_of_knockout(plan: Plan) -> Iterator[Refusal]:
    """The faults of settings of groups and of a knock-out."""
    if plan.format in WITH_KNOCKOUT:
        yield from _not_in_knockout(plan)
    else:
        given = {"best_of": plan.best_of != 1, "third_place": plan.third_place is not None}
        for name in (name for name, is_set in given.items() if is_set):
            yield InvalidInput(f"plan.{name}", say("only a knock-out has this setting"))
    if plan.format != "groups":
        given = {"groups": plan.groups is not None, "advance": plan.advance is not None}
        for name in (name for name, is_set in given.items() if is_set):
            yield InvalidInput(f"plan.{name}", say("only a tournament with groups has this setting"))
    elif plan.groups is None:
        yield InvalidInput("plan.groups", say("a tournament of this format needs a number of groups"))
    counts = (plan.best_of,) if isinstance(plan.best_of, int) else plan.best_of
    if not counts or any(count not in range(1, MOST_GAMES + 1, 2) for count in counts):
        yield InvalidInput("plan.best_of", say("must be an odd number from 1 to {most}, or several", most=MOST_GAMES))


def _not_in_knockout(plan: Plan) -> Iterator[Refusal]:
    """The faults of settings that a tournament with a knock-out does not have."""
    if plan.rounds is not None:
        yield InvalidInput("plan.rounds", say("follows from the number of competitors in this format; leave it out"))
    if plan.late_entries:
        yield InvalidInput("plan.late_entries", say("the first drawing decides all places, so nobody can enter late"))
    if plan.bye != PlanAward():
        yield InvalidInput("plan.bye", say("a bye gives nothing in this format"))


def _newer_than_the_rules(plan: Plan) -> Iterator[Refusal]:
    """The faults of settings that the version of the plan's rules does not have."""
    if plan.rules > 1:
        return
    newer = {
        "difference_cap": plan.difference_cap is not None,
        "setup_minutes": plan.setup_minutes != 0,
        "requested_bye": plan.requested_bye != RequestedByeAward(),
        "withdrawals": plan.withdrawals is not None,
        "format": plan.format in WITH_KNOCKOUT,
    }
    for name in (name for name, is_set in newer.items() if is_set):
        yield InvalidInput(f"plan.{name}", say("this tournament was planned under earlier rules, which lack it"))


def faults_of_tie_breaks(at: str, tie_breaks: Sequence[TieBreak], format_: Format) -> Iterator[Refusal]:
    """The faults of an order of tie-breaks in this format. `at`: the field with the order."""
    if len(set(tie_breaks)) < len(tie_breaks):
        yield InvalidInput(at, say("names a tie-break twice"))
    if tie_breaks and format_ == "knockout":
        yield InvalidInput(at, say("a knock-out has no tie-breaks"))
    if "direct" in tie_breaks and format_ == "rotating_partners":
        yield InvalidInput(at, say("`direct` needs competitors who meet; partners that rotate do not"))


def _out_of_range(plan: Plan) -> Iterator[Refusal]:
    numbers: Sequence[tuple[str, Any, int]] = (
        ("opponent_window", plan.opponent_window, 0),
        ("partner_window", plan.partner_window, 0),
        ("region_rounds", plan.region_rounds, 0),
        ("late_entries", plan.late_entries, 0),
        ("score_cap", plan.score_cap, 1),
        ("difference_cap", plan.difference_cap, 1),
        ("minutes", plan.minutes, 1),
        ("groups", plan.groups, 2),
        ("advance", plan.advance, 1),
        ("bye.for", plan.bye.for_, 0),
        ("bye.against", plan.bye.against, 0),
        ("walkover.for", plan.walkover.for_, 0),
        ("walkover.against", plan.walkover.against, 0),
        ("requested_bye.for", plan.requested_bye.for_, 0),
        ("requested_bye.against", plan.requested_bye.against, 0),
    )
    if not 0 <= plan.setup_minutes <= MOST_SETUP:
        yield InvalidInput("plan.setup_minutes", say("must be from {least} to {most}", least=0, most=MOST_SETUP))
    for name, value, least in numbers:
        if isinstance(value, int) and value < least:
            yield InvalidInput(f"plan.{name}", say("must be at least {least}", least=least))


# ---------------------------------------------------------------- what is wrong with a document, in sentences


_AT = " - at `$"
"""Separates msgspec's message from the path."""
_UNKNOWN = re.compile(r"Invalid enum value '(.*)'")
_TEMPLATES = (
    (re.compile(r"Object contains unknown field `(?P<key>.*)`"), say("Object contains unknown field `{key}`")),
    (re.compile(r"Object missing required field `(?P<key>.*)`"), say("Object missing required field `{key}`")),
    (re.compile(r"Expected `(?P<wanted>.*)`, got `(?P<given>.*)`"), say("must be {wanted}, and is {given}")),
)
"""Our sentence for each message of msgspec. `wanted` and `given` are names of JSON types."""


def _misfit(name: str, kind: type[Struct], error: ValidationError) -> InvalidInput:
    """The refusal for a document that does not fit `kind`. `name`: how its paths begin."""
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
    """The words that a setting of this type allows."""
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [choice for part in get_args(kind) for choice in _choices(part)]
