"""The lines of a recorded season: their types, and the commands that they stand for.

A line of JSON is read as its type; every fault is reported with its path.
"""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from league.domain.collected_refusals import Faults
from league.domain.hand import (
    Closing,
    HandFacts,
    Held,
    corridos_by_side,
    held_pips,
    pips_by_seat,
    pips_by_side,
    spelled,
    with_statement_of,
)
from league.domain.hand_faults import complete, faults_of, faults_of_statement
from league.domain.match import ImportMatch, OpenMatch, RecordedHand
from league.domain.play import Turn
from league.domain.refusals import InvalidInput, NotFound, Refusal, shortened
from league.domain.result import AnnouncedResult
from league.domain.rules import Competition, Mode, Ruleset
from league.domain.sentences import say
from league.domain.tiles import Tile, ordered
from league.domain.transcript import Transcript, derive_facts


def read_file(path: Path, at: str = "file") -> bytes:
    """The content of a file. Raises NotFound, InvalidInput, which name the option `at`."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound(at, "file", str(path)) from None
    except OSError as error:
        raise InvalidInput(at, say("{path} cannot be read: {reason}", path=path, reason=error.strerror)) from None


# ---------------------------------------------------------------- a line of JSON as a type


T = TypeVar("T")

WHOLE = "(line)"
"""The field of a fault that concerns the line as a whole."""


def read_line(line: bytes, kind: type[T]) -> T:
    """Read a line of JSON as a type. Raises InvalidInput, or Faults if there are several."""
    try:
        repeated = _repeated_keys(line)
        read = msgspec.json.decode(line)
    except (ValueError, msgspec.DecodeError) as error:
        raise InvalidInput(WHOLE, say("not JSON: {error}", error=error)) from None
    except RecursionError:
        raise InvalidInput(WHOLE, say("is nested too deeply")) from None
    try:
        fitting = msgspec.convert(read, kind)
    except msgspec.ValidationError:
        Faults.check([*repeated, *_misfits("", read, kind)])
        raise
    Faults.check(repeated)
    return fitting


class _Repeating(dict[str, Any]):
    """A JSON object in which some keys were written more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.repeated = sorted(key for key, count in counts.items() if count > 1)


def _repeated_keys(line: bytes) -> list[InvalidInput]:
    """A fault for each key that an object of the line has more than once."""
    repeating = False

    def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeating
        document = dict(pairs)
        if len(document) == len(pairs):
            return document
        repeating = True
        return _Repeating(pairs)

    document = json.loads(line, object_pairs_hook=read_object)
    return [*_repeated_in("", document)] if repeating else []


def _repeated_in(at: str, value: Any) -> Iterator[InvalidInput]:
    if isinstance(value, _Repeating):
        for key in value.repeated:
            yield InvalidInput(_join(at, shortened(key)), say("is written more than once"))
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _repeated_in(_join(at, key), item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _repeated_in(_join(at, number), item)


def _misfits(at: str, value: Any, kind: Any) -> Iterator[InvalidInput]:
    """Where a value does not match a type: unknown and missing keys, and values of other types."""
    if value is not None:
        kind = _without_none(kind)
    if isinstance(value, dict) and _is_object(kind):
        yield from _misfits_in_object(at, value, kind)
    elif isinstance(value, list) and get_origin(kind) is tuple and get_args(kind)[1:] == (...,):
        for number, item in enumerate(value):
            yield from _misfits(_join(at, number), item, get_args(kind)[0])
    else:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            yield _misfit(at, error)


def _misfits_in_object(at: str, value: dict[str, Any], kind: type[Struct]) -> Iterator[InvalidInput]:
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key in value:
        if key not in fields:
            yield InvalidInput(at or WHOLE, say("Object contains unknown field `{key}`", key=key))
    for key, field in fields.items():
        if key in value:
            yield from _misfits(_join(at, key), value[key], field.type)
        elif field.required:
            yield InvalidInput(at or WHOLE, say("Object missing required field `{key}`", key=key))


def _without_none(kind: Any) -> Any:
    """The one type of `X | None`; other types as they are."""
    some = [one for one in get_args(kind) if one is not NoneType]
    return some[0] if get_origin(kind) in (Union, UnionType) and len(some) == 1 else kind


def _misfit(at: str, error: msgspec.ValidationError) -> InvalidInput:
    reason, _, path = str(error).partition(" - at `$")
    below = path.rstrip("`").replace("[", ".").replace("]", "").lstrip(".")
    return InvalidInput(_join(at, below) if below else at or WHOLE, reason)


def _is_object(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct) and not kind.__struct_config__.array_like


def _join(at: str, key: str | int) -> str:
    return f"{at}.{key}" if at else str(key)


# ---------------------------------------------------------------- the lines of matches and players


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all lines: an unknown key is an error, never ignored."""


class PlayerLine(_Line, frozen=True):
    """A line of `players.jsonl`."""

    player: str
    name: str
    region: str | None = None


class HandEnd(_Line, frozen=True):
    """How a hand ended."""

    by: Literal["domino", "block"]
    seat: int | None = None
    locker: int | None = None
    tile: Tile | None = None
    fits_both_ends: bool | None = None
    ends_equal: bool | None = None
    blocks_too: bool | None = None


class HandPasses(_Line, frozen=True):
    """What is known of the passes of a hand whose turns are not known."""

    opening_pass: bool | None = None
    corridos: tuple[int, ...] | None = None
    drew: tuple[int, ...] | None = None
    corridos_by_side: tuple[int, ...] | None = None


class HandLine(_Line, frozen=True):
    """A hand of a line of `matches.jsonl`."""

    ended: HandEnd
    starter: int | None = None
    dealt: tuple[tuple[Tile, ...], ...] | None = None
    plays: tuple[Turn, ...] | None = None
    leftover: tuple[Held, ...] | None = None
    passes: HandPasses | None = None
    side_leftover: tuple[int | None, ...] | None = None
    stated_winner: int | None = None
    stated_capicua: bool | None = None


class MatchLine(_Line, frozen=True):
    """A line of `matches.jsonl`."""

    match: str
    ruleset: str
    mode: Mode
    played_at: Annotated[datetime, Meta(tz=True)]
    seats: tuple[str, ...]
    hands: tuple[HandLine, ...]
    competition: Competition | None = None
    """None: not known; the match is imported as competitive."""
    starting_draw: tuple[Tile, ...] | None = None
    announced: AnnouncedResult | None = None
    forfeited_by: int | None = None
    """The side that gave up."""


def opening_of(read: MatchLine, played_at: datetime) -> OpenMatch:
    """The match before its first hand, according to a line."""
    draw = None if read.starting_draw is None else tuple(ordered(tile) for tile in read.starting_draw)
    return OpenMatch(
        read.match, read.ruleset, read.mode, read.competition or "competitive", read.seats, draw, played_at
    )


def hands_of(read: MatchLine, ruleset: Ruleset) -> tuple[RecordedHand, ...]:
    """The hands of a line. Raises InvalidInput, or Faults if there are several, with paths within the line."""
    hands, faults = list[RecordedHand](), list[Refusal]()
    for number, hand in enumerate(read.hands):
        try:
            hands.append(hand_of(hand, ruleset, read.mode, len(read.seats)))
        except (InvalidInput, Faults) as refused:
            of_hand = [fault for fault in Faults.of(refused) if isinstance(fault, InvalidInput)]
            faults += [InvalidInput(f"hands.{number}.{fault.at}", fault.reason) for fault in of_hand]
    Faults.check(faults)
    return tuple(hands)


def hand_of(line: HandLine, ruleset: Ruleset, mode: Mode, seats: int) -> RecordedHand:
    """The hand in a line. Raises InvalidInput, or Faults if there are several, with paths within the hand."""
    Faults.check(_contradictions_of_ending(line.ended))
    written = _written(line, seats)
    if line.plays is not None and line.dealt is not None:
        transcript = Transcript(line.dealt, line.plays)
        derived = with_statement_of(written, derive_facts(transcript, ruleset, seats))
        Faults.check(_contradictions_of_turns(derived, written, line, mode))
        Faults.check(faults_of_statement(derived, mode, seats))
        return RecordedHand(derived, transcript)
    written = complete(written, ruleset, mode)
    faults: list[Refusal] = [*faults_of(written, ruleset, mode, seats)]
    if line.plays is not None or line.dealt is not None:
        missing = "plays" if line.plays is None else "dealt"
        faults.insert(0, InvalidInput(missing, say("`dealt` and `plays` are known together or not at all")))
    Faults.check(faults)
    return RecordedHand(spelled(written))


def _contradictions_of_ending(ended: HandEnd) -> Iterator[InvalidInput]:
    if ended.by == "domino" and ended.locker is not None:
        yield InvalidInput("ended.locker", say("a hand that ended by a domino has no locker"))
    if ended.by == "block" and ended.seat is not None:
        reason = say("in a block no seat went out; name the seat that locked as `locker`")
        yield InvalidInput("ended.seat", reason)


def _written(line: HandLine, seats: int) -> HandFacts:
    ended, passes = line.ended, line.passes or HandPasses()
    return HandFacts(
        starter=line.starter,
        ended_by=ended.by,
        seat=ended.seat if ended.by == "domino" else ended.locker,
        leftover=(None,) * seats if line.leftover is None else line.leftover,
        closing=Closing(ended.tile, ended.fits_both_ends, ended.ends_equal, ended.blocks_too),
        opening_pass=passes.opening_pass,
        corridos=passes.corridos,
        drew=passes.drew,
        side_leftover=line.side_leftover,
        side_corridos=passes.corridos_by_side,
        stated_winner=line.stated_winner,
        stated_capicua=line.stated_capicua,
    )


def _contradictions_of_turns(
    derived: HandFacts, written: HandFacts, line: HandLine, mode: Mode
) -> Iterator[InvalidInput]:
    """Where the facts in a line contradict its turns."""
    for at, by_turns, as_written in _both(derived, spelled(written), line, mode):
        if as_written is not None and as_written != by_turns:
            yield InvalidInput(
                at,
                say(
                    "is written as {written}, but the turns give {given}",
                    written=_plain(as_written), given=_plain(by_turns),
                ),
            )  # fmt: skip


def _both(derived: HandFacts, written: HandFacts, line: HandLine, mode: Mode) -> Iterator[tuple[str, Any, Any]]:
    """For each fact: its path, its value according to the turns, and its value as written."""
    if len(written.leftover) != len(derived.leftover):
        yield "leftover", len(derived.leftover), len(written.leftover)
        return
    yield "starter", derived.starter, written.starter
    yield "ended.by", derived.ended_by, written.ended_by
    yield "ended.seat" if derived.ended_by == "domino" else "ended.locker", derived.seat, written.seat
    for name in ("tile", "fits_both_ends", "ends_equal", "blocks_too"):
        yield f"ended.{name}", getattr(derived.closing, name), getattr(written.closing, name)
    for seat, (turns, held) in enumerate(zip(derived.leftover, written.leftover, strict=True)):
        yield f"leftover.{seat}", held_pips(turns) if isinstance(held, int) else turns, held
    if written.side_leftover is not None:
        totals = pips_by_side(derived, pips_by_seat(derived), mode)
        if len(totals) != len(written.side_leftover):
            yield "side_leftover", len(totals), len(written.side_leftover)
            return
        for side, (turns, total) in enumerate(zip(totals, written.side_leftover, strict=True)):
            yield f"side_leftover.{side}", turns, total
    if line.passes is not None:
        by_side = corridos_by_side(derived, mode)
        yield "passes.corridos_by_side", by_side, line.passes.corridos_by_side
        yield "passes.opening_pass", derived.opening_pass, written.opening_pass
        yield "passes.corridos", derived.corridos, written.corridos
        if line.passes.drew is not None:
            yield "passes.drew", sorted(derived.drew or ()), sorted(line.passes.drew)


def differences(stored: ImportMatch, written: ImportMatch) -> Iterator[InvalidInput]:
    """Where a line differs from what is stored."""
    return _differences("", _as_line(stored), _as_line(written))


def _differences(at: str, stored: Any, written: Any) -> Iterator[InvalidInput]:
    if isinstance(stored, dict) and isinstance(written, dict):
        for key in stored | written:
            yield from _differences(f"{at}.{key}", stored.get(key), written.get(key))
    elif isinstance(stored, list | tuple) and isinstance(written, list | tuple) and len(stored) == len(written):
        for number, (a, b) in enumerate(zip(stored, written, strict=True)):
            yield from _differences(f"{at}.{number}", a, b)
    elif stored != written:
        reason = say("{stored} is stored, {written} is written", stored=_plain(stored), written=_plain(written))
        yield InvalidInput(at.lstrip("."), reason)


def _as_line(recorded: ImportMatch) -> dict[str, Any]:
    """A recorded match under the keys of its line."""
    opening = msgspec.structs.asdict(recorded.opening)
    hands = []
    for hand in recorded.hands:
        facts, turns = hand.facts, hand.transcript
        seat = "seat" if facts.ended_by == "domino" else "locker"
        hands.append(
            {
                "starter": facts.starter,
                "dealt": None if turns is None else turns.dealt,
                "plays": None if turns is None else msgspec.to_builtins(turns.plays),
                "ended": {"by": facts.ended_by, seat: facts.seat, **msgspec.structs.asdict(facts.closing)},
                "leftover": facts.leftover,
                **_said(facts, "side_leftover", "stated_winner", "stated_capicua"),
                "passes": {
                    "opening_pass": facts.opening_pass,
                    "corridos": facts.corridos,
                    **({} if facts.side_corridos is None else {"corridos_by_side": facts.side_corridos}),
                    "drew": facts.drew,
                },
            }
        )
    announced = None if recorded.announced is None else msgspec.structs.asdict(recorded.announced)
    return {**opening, "hands": hands, "announced": announced, "forfeited_by": recorded.forfeited_by}


def _said(facts: HandFacts, *names: str) -> dict[str, Any]:
    """The facts of these names that are known."""
    return {name: value for name in names if (value := getattr(facts, name)) is not None}


def _plain(value: Any) -> str:
    return msgspec.json.encode(value).decode()
