"""The lines of a recorded season: their types, and the commands that they stand for.

The facts that follow from a hand's turns must agree with the facts written beside them.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Literal

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
from league.domain.refusals import InvalidInput, Refusal
from league.domain.result import Announced
from league.domain.rules import Competition, Mode, Ruleset
from league.domain.sentences import say
from league.domain.tiles import Tile, ordered
from league.domain.transcript import Transcript, derive_facts


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all lines: an unknown key is an error, never ignored."""


class PlayerLine(_Line, frozen=True):
    """A line of `players.jsonl`."""

    player: str
    name: str
    region: str | None = None


class Ended(_Line, frozen=True):
    """How a hand ended."""

    by: Literal["domino", "block"]
    seat: int | None = None
    locker: int | None = None
    tile: Tile | None = None
    fits_both_ends: bool | None = None
    ends_equal: bool | None = None
    blocks_too: bool | None = None


class Passes(_Line, frozen=True):
    """What is known of passes where the turns are not."""

    opening_pass: bool | None = None
    corridos: tuple[int, ...] | None = None
    drew: tuple[int, ...] | None = None
    corridos_by_side: tuple[int, ...] | None = None


class HandLine(_Line, frozen=True):
    """A hand of a line of `matches.jsonl`."""

    ended: Ended
    starter: int | None = None
    dealt: tuple[tuple[Tile, ...], ...] | None = None
    plays: tuple[Turn, ...] | None = None
    leftover: tuple[Held, ...] | None = None
    passes: Passes | None = None
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
    """Not known: the match is imported as a competitive one."""
    starting_draw: tuple[Tile, ...] | None = None
    announced: Announced | None = None
    forfeited_by: int | None = None
    """The side that gave up."""


def opening_of(read: MatchLine, played_at: datetime) -> OpenMatch:
    """The match before its first hand, according to a line."""
    draw = None if read.starting_draw is None else tuple(ordered(tile) for tile in read.starting_draw)
    return OpenMatch(
        read.match, read.ruleset, read.mode, read.competition or "competitive", read.seats, draw, played_at
    )


def hands_of(read: MatchLine, ruleset: Ruleset) -> tuple[RecordedHand, ...]:
    """The hands of a line. Raises InvalidInput, or Faults where there are several, with paths within the line."""
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


def _contradictions_of_ending(ended: Ended) -> Iterator[InvalidInput]:
    if ended.by == "domino" and ended.locker is not None:
        yield InvalidInput("ended.locker", say("a hand that ended by a domino has no locker"))
    if ended.by == "block" and ended.seat is not None:
        reason = say("in a block no seat went out; name the seat that locked as `locker`")
        yield InvalidInput("ended.seat", reason)


def _written(line: HandLine, seats: int) -> HandFacts:
    ended, passes = line.ended, line.passes or Passes()
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
    """Where a line says something else than its turns."""
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
    """A fact by its turns, and as it is written."""
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
