"""Recorded seasons: two JSON Lines files, `players.jsonl` and `matches.jsonl`, checked whole and stored whole.

What can be derived from the turns of a hand is checked against what is written. A line that is stored already is
skipped; one bad line, and nothing of the season is stored.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from league.dispatch import Clock, World
from league.domain import match, match_decider, player
from league.domain.hand import Closing, HandFacts, Held, checked, complete, held_pips, spelled
from league.domain.match import ImportMatch, OpenMatch, RecordedHand
from league.domain.refusals import BadLine, Conflict, InvalidInput, NotFound, Refusal, SeasonRefused
from league.domain.result import Announced, result_of
from league.domain.rules import Competition, Mode, Rulebook, Ruleset
from league.domain.tiles import Tile, ordered
from league.domain.transcript import Transcript, Turn, derive_facts
from league.event_store import Append, EventStore, Request, VersionConflict

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Told (lines checked, lines in all)."""

ATTEMPTS = 3
"""How often the season is checked anew when somebody else changed one of its matches meanwhile."""


class _Line(Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what is read: an unknown key is an error, never ignored."""


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


class HandLine(_Line, frozen=True):
    """A hand of a line of `matches.jsonl`."""

    ended: Ended
    starter: int | None = None
    dealt: tuple[tuple[Tile, ...], ...] | None = None
    plays: tuple[Turn, ...] | None = None
    leftover: tuple[Held, ...] | None = None
    passes: Passes | None = None


class MatchLine(_Line, frozen=True):
    """A line of `matches.jsonl`."""

    match: str
    ruleset: str
    mode: Mode
    competition: Competition
    played_at: Annotated[datetime, Meta(tz=True)]
    seats: tuple[str, ...]
    hands: tuple[HandLine, ...]
    starting_draw: tuple[Tile, ...] | None = None
    announced: Announced | None = None


class Note(Struct, frozen=True):
    """Something in a match that an organiser may want to look at."""

    match: str
    text: str


class Report(Struct):
    """What an import did, or with `dry_run` would have done."""

    players_added: int = 0
    players_skipped: int = 0
    matches_added: int = 0
    matches_skipped: int = 0
    hands_added: int = 0
    events: int = 0
    position: int = 0
    refused: tuple[BadLine, ...] = ()
    notes: list[Note] = []


def import_season(
    folder: Path,
    store: EventStore,
    clock: Clock,
    actor: str,
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Import a recorded season, all of it or nothing, and report what was added and skipped.

    With `dry_run` nothing is stored and the report lists every bad line. Raises SeasonRefused with every bad line,
    NotFound when a file is missing, Conflict when others keep changing the same matches.
    """
    conflict: VersionConflict | None = None
    for _ in range(ATTEMPTS):
        plan = _Plan(folder, World(store, clock()), progress)
        if dry_run or not plan.appends:
            if plan.report.refused and not dry_run:
                raise SeasonRefused(plan.report.refused)
            plan.report.position = store.head()
            return plan.report
        if plan.report.refused:
            raise SeasonRefused(plan.report.refused)
        try:
            plan.report.position = store.append(plan.appends, Request(actor, "import"))
        except VersionConflict as error:
            conflict = error
            continue
        return plan.report
    assert conflict is not None
    raise Conflict(conflict.stream)


class _Plan:
    """All lines checked against the league as it stands: what is to be appended, and what is wrong."""

    def __init__(self, folder: Path, world: World, progress: Progress | None) -> None:
        self.world, self.appends, self.report = world, list[Append](), Report()
        self.rulebook = world.rulebook()
        self._bad: list[BadLine] = []
        players, matches = _lines(folder / "players.jsonl"), _lines(folder / "matches.jsonl")
        total = len(players) + len(matches)
        self._prefetch(players.values(), "player")
        self._prefetch(matches.values(), "match")
        for done, (number, line) in enumerate(players.items(), 1):
            self._check("players.jsonl", number, line, self._player)
            if progress is not None:
                progress(done, total)
        for done, (number, line) in enumerate(matches.items(), len(players) + 1):
            self._check("matches.jsonl", number, line, self._match)
            if progress is not None:
                progress(done, total)
        self.report.refused = tuple(self._bad)
        self.report.events = sum(len(append.events) for append in self.appends)

    def _prefetch(self, lines: Iterable[bytes], kind: str) -> None:
        """Load the streams that the lines name, as far as they can be read, all at once."""
        named = set()
        for line in lines:
            try:
                value = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            if isinstance(value, dict) and isinstance(value.get(kind), str) and player.is_id(value[kind]):
                named.add(f"{kind}:{value[kind]}")
        self.world.prefetch(named)

    def _check(self, file: str, number: int, line: bytes, take: Callable[[bytes], None]) -> None:
        try:
            take(line)
        except Refusal as refusal:
            self._bad.append(BadLine(file, number, refusal))

    def _append(self, stream: str, events: list[Any], played_at: datetime | None) -> None:
        append = Append(stream, len(self.world.events(stream)), tuple(events), played_at)
        self.appends.append(append)
        self.world.foresee(append)

    def _player(self, line: bytes) -> None:
        read = _decoded(line, PlayerLine)
        player.check_id("player", read.player)
        command = player.RegisterPlayer(read.player, read.name, read.region)
        known = self.world.player(read.player)
        if known.registered and known.name in (read.name.strip(), None):
            if known.region != ((read.region or "").strip() or None):
                raise InvalidInput(
                    "region", f"player {read.player!r} is known in {known.region!r}, not {read.region!r}"
                )
            self.report.players_skipped += 1
            return
        self._append(f"player:{read.player}", player.register_player(command, known), None)
        self.report.players_added += 1

    def _match(self, line: bytes) -> None:
        read = _decoded(line, MatchLine)
        player.check_id("match", read.match)
        match_decider.check_time(read.played_at, self.world.now)
        played_at = read.played_at.astimezone(UTC)
        edition = self.rulebook.at(played_at)
        command = _command(read, played_at, edition)
        stream = f"match:{read.match}"
        if stored := self.world.events(stream):
            before = _as_recorded(read.match, stored)
            if before != command:
                raise _difference(before, command)
            self.report.matches_skipped += 1
            return
        events = match_decider.import_match(command, edition, self.world.known_players(read.seats), self.world.now)
        self._append(stream, list(events), played_at)
        self.report.matches_added += 1
        self.report.hands_added += len(command.hands)
        self.report.notes += _notes(read.match, self.world.match(read.match), edition)


def _lines(path: Path) -> dict[int, bytes]:
    """The lines that are not empty, by their numbers."""
    try:
        lines = enumerate(path.read_bytes().split(b"\n"), 1)
        return {number: line for number, line in lines if line.strip()}
    except FileNotFoundError:
        raise NotFound("folder", "file", str(path)) from None
    except OSError as error:
        raise InvalidInput("folder", f"{path} cannot be read: {error.strerror}") from None


def _decoded(line: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        at = path.rstrip("`").replace("[", ".").replace("]", "").lstrip(".")
        raise InvalidInput(at or "(line)", reason) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput("(line)", f"not JSON: {error}") from None


def _command(read: MatchLine, played_at: datetime, edition: Rulebook) -> ImportMatch:
    ruleset = edition.ruleset(read.ruleset)
    if ruleset is None:
        raise NotFound("ruleset", "ruleset", read.ruleset)
    draw = None if read.starting_draw is None else tuple(ordered(tile) for tile in read.starting_draw)
    opening = OpenMatch(read.match, read.ruleset, read.mode, read.competition, read.seats, draw, played_at)
    # The seating is checked first: a hand of a match that cannot be would only be misunderstood.
    match_decider.check_seating(opening, ruleset)
    hands = []
    for number, hand in enumerate(read.hands):
        try:
            hands.append(_hand(hand, ruleset, len(read.seats)))
        except InvalidInput as refusal:
            raise InvalidInput(f"hands.{number}.{refusal.at}", refusal.reason) from None
    return ImportMatch(opening, tuple(hands), read.announced)


def _hand(line: HandLine, ruleset: Ruleset, seats: int) -> RecordedHand:
    written = _written(line, ruleset, seats)
    if (line.plays is None) != (line.dealt is None):
        raise InvalidInput(
            "plays" if line.plays is None else "dealt", "the deal and the turns are known together or not"
        )
    if line.plays is None or line.dealt is None:
        return RecordedHand(checked(written, ruleset, seats))
    transcript = Transcript(line.dealt, line.plays)
    derived = derive_facts(transcript, ruleset, seats)
    for at, by_turns, as_written in _both(derived, spelled(written), line):
        if as_written is not None and as_written != by_turns:
            raise InvalidInput(at, f"is written as {_plain(as_written)}, but the turns give {_plain(by_turns)}")
    return RecordedHand(derived, transcript)


def _written(line: HandLine, ruleset: Ruleset, seats: int) -> HandFacts:
    ended, passes = line.ended, line.passes or Passes()
    if ended.by == "domino" and ended.locker is not None:
        raise InvalidInput("ended.locker", "a hand that ended by a domino has no locker")
    if ended.by == "block" and ended.seat is not None:
        raise InvalidInput("ended.seat", "in a block nobody went out; its seat is the `locker`")
    facts = HandFacts(
        starter=line.starter,
        ended_by=ended.by,
        seat=ended.seat if ended.by == "domino" else ended.locker,
        leftover=(None,) * seats if line.leftover is None else line.leftover,
        closing=Closing(ended.tile, ended.fits_both_ends, ended.ends_equal, ended.blocks_too),
        opening_pass=passes.opening_pass,
        corridos=passes.corridos,
        drew=passes.drew,
    )
    return complete(facts, ruleset)


def _both(derived: HandFacts, written: HandFacts, line: HandLine) -> Iterator[tuple[str, Any, Any]]:
    """Where a hand says it, what the turns say, and what is written."""
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
    if line.passes is not None:
        yield "passes.opening_pass", derived.opening_pass, written.opening_pass
        yield "passes.corridos", derived.corridos, written.corridos
        if line.passes.drew is not None:
            yield "passes.drew", sorted(derived.drew or ()), sorted(line.passes.drew)


def _as_recorded(match_id: str, stored: list[Any]) -> ImportMatch:
    """The recorded match that was imported, whatever happened to it since."""
    imported = [event for event in stored if event.source == "import"] or stored
    state, transcripts = match.MatchState(), dict[int, Transcript]()
    for event in imported:
        state = match.evolve(state, event.event, event.played_at or event.recorded_at, event.position)
        if isinstance(event.event, match.HandTranscribed):
            transcripts[event.event.hand] = event.event.transcript
    played = state.played
    assert played is not None
    opening = OpenMatch(
        match_id, played.ruleset, played.mode, played.competition, played.seats, played.starting_draw, played.began_at
    )
    hands = tuple(RecordedHand(facts, transcripts.get(number)) for number, facts in enumerate(played.hands, 1))
    return ImportMatch(opening, hands, played.announced)


def _difference(before: ImportMatch, after: ImportMatch) -> InvalidInput:
    """The first place at which a line says otherwise than what is stored."""
    return next(_differences("", _as_line(before), _as_line(after)))


def _differences(at: str, stored: Any, written: Any) -> Iterator[InvalidInput]:
    if isinstance(stored, dict) and isinstance(written, dict):
        for key in stored:
            yield from _differences(f"{at}.{key}", stored[key], written[key])
    elif isinstance(stored, list | tuple) and isinstance(written, list | tuple) and len(stored) == len(written):
        for number, (a, b) in enumerate(zip(stored, written, strict=True)):
            yield from _differences(f"{at}.{number}", a, b)
    elif stored != written:
        yield InvalidInput(at.lstrip("."), f"{_plain(stored)} is stored, {_plain(written)} is written")


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
                "passes": {"opening_pass": facts.opening_pass, "corridos": facts.corridos, "drew": facts.drew},
            }
        )
    announced = None if recorded.announced is None else msgspec.structs.asdict(recorded.announced)
    return {**opening, "hands": hands, "announced": announced}


def _notes(match_id: str, state: match.MatchState, edition: Rulebook) -> Iterator[Note]:
    played = state.played
    assert played is not None
    result = result_of(played, edition.rulesets[played.ruleset])
    if result.status in ("cut_short", "open"):
        yield Note(match_id, result.status.replace("_", " "))
    for number, hand in enumerate(result.hands, 1):
        if not hand.counted:
            yield Note(match_id, f"hand {number} was played after the match had ended, and counts for nothing")
        elif hand.winner is None:
            yield Note(match_id, f"hand {number} has no winner")
    announced = played.announced
    if announced is not None and result.status != "announced":
        if announced.winner != result.winner:
            yield Note(
                match_id, f"side {announced.winner} was announced as the winner; by its hands it is {result.winner}"
            )
        elif announced.score is not None and announced.score != result.score:
            yield Note(match_id, f"announced {list(announced.score)}; its hands give {list(result.score or ())}")


def _plain(value: Any) -> str:
    return msgspec.json.encode(value).decode()
