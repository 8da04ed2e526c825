"""Recorded seasons: two JSON Lines files, `players.jsonl` and `matches.jsonl`, checked whole and stored whole.

Lines that are stored already are skipped. If one line is bad, nothing of the season is stored.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from league.application.dispatch import Clock, decide
from league.application.retry import retried
from league.application.stream_states import StreamStates
from league.domain import match, match_decider, match_faults, player
from league.domain.audit_trail import STREAM, FolderImported
from league.domain.deciders import Command
from league.domain.match import ImportMatch, OpenMatch, RecordedHand
from league.domain.refusals import BadLine, Faults, InvalidInput, NotFound, Refusal, SeasonRefused, WrongState
from league.domain.result import result_of
from league.domain.rules import Rulebook
from league.domain.seating import sides_of
from league.domain.series_entry import Encounter, MatchEntered, is_entered
from league.domain.transcript import Transcript
from league.eventlog.store import Append, EventStore, Request
from league.transfer.json_lines import read_line
from league.transfer.recorded_lines import MatchLine, PlayerLine, differences, hands_of, opening_of

Progress = Callable[[int, int], None]
"""Called with (lines checked, lines in all)."""


class Note(Struct, frozen=True):
    """Something in a match that an organiser may want to check."""

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
    founding: Sequence[Command] = (),
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Import a recorded season, all of it or nothing, and report what was added and skipped.

    Where there is no league yet, `founding` creates it in the same transaction. With `dry_run` nothing is stored and
    the report lists every fault. Raises SeasonRefused with every fault of every line, NotFound when a file is missing,
    Conflict when other writers keep changing the same matches.
    """

    def attempt() -> Report:
        plan = Plan(folder, StreamStates(store, clock()), founding, progress)
        if plan.report.refused and not dry_run:
            raise SeasonRefused(plan.report.refused)
        if dry_run or not plan.appends:
            plan.report.position = store.head()
            return plan.report
        imported = Append(STREAM, store.version(STREAM), (plan.act(),))
        plan.report.position = store.append([*plan.appends, imported], Request(actor, "import"))
        return plan.report

    return retried(attempt)


class Plan:
    """All lines checked against the current league: what to append, and what is wrong."""

    def __init__(
        self, folder: Path, states: StreamStates, founding: Sequence[Command] = (), progress: Progress | None = None
    ) -> None:
        exists = states.league().name is not None
        self.states, self.report = states, Report()
        self.appends = [] if exists else decide(founding, states)
        self.rulebook = states.rulebook()
        self._bad: list[BadLine] = []
        self._entered: list[tuple[str, str, datetime]] = []
        """By series stream, the matches that take part, and when they began."""
        in_players, in_matches = _bytes(folder / "players.jsonl"), _bytes(folder / "matches.jsonl")
        self._folder, self._matches_sha256 = folder.resolve().name, sha256(in_matches).hexdigest()
        players, matches = _lines(in_players), _lines(in_matches)
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
        self._enter()
        self.report.refused = tuple(self._bad)
        self.report.events = sum(len(append.events) for append in self.appends)

    def act(self) -> FolderImported:
        """The record of the import for the log."""
        new = self.report
        return FolderImported(self._folder, self._matches_sha256, new.players_added, new.matches_added, new.hands_added)

    def _prefetch(self, lines: Iterable[bytes], kind: str) -> None:
        """Load all streams that the lines name, as far as the lines can be read."""
        named = set()
        for line in lines:
            try:
                value = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue  # refused when the line is checked
            if isinstance(value, dict) and isinstance(value.get(kind), str) and player.is_id(value[kind]):
                named.add(f"{kind}:{value[kind]}")
        self.states.prefetch(named)

    def _check(self, file: str, number: int, line: bytes, take: Callable[[bytes], None]) -> None:
        try:
            take(line)
        except Refusal as refused:
            self._bad += [BadLine(file, number, refusal) for refusal in Faults.of(refused)]

    def _append(self, stream: str, events: list[Any], played_at: datetime | None) -> None:
        append = Append(stream, len(self.states.events(stream)), tuple(events), played_at)
        self.appends.append(append)
        self.states.foresee(append)

    def _player(self, line: bytes) -> None:
        read = read_line(line, PlayerLine)
        command = player.RegisterPlayer(read.player, read.name, read.region)
        Faults.check(player.faults_of_registration(command))
        known = self.states.player(read.player)
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
        read = read_line(line, MatchLine)
        command, edition = self._checked(read)
        opening = command.opening
        assert opening.played_at is not None, "a line has a time"
        stream = f"match:{read.match}"
        if stored := self.states.events(stream):
            Faults.check(differences(_as_recorded(read.match, stored), command))
            self.report.matches_skipped += 1
            return
        events = match_decider.import_match(command, edition, self.states.known_players(read.seats), self.states.now)
        self._append(stream, events, opening.played_at)
        if is_entered(opening.mode, opening.competition, edition.series):
            sides = sides_of(opening.mode, opening.seats)
            encounter = Encounter.of(opening.mode, sides, opening.played_at, self.states.zone())
            self._entered.append((encounter.stream, read.match, opening.played_at))
        self.report.matches_added += 1
        self.report.hands_added += len(command.hands)
        self.report.notes += _notes(read.match, self.states.match(read.match), edition)

    def _checked(self, read: MatchLine) -> tuple[ImportMatch, Rulebook]:
        """The command of a line, and the edition of its time. Raises every fault of the line.

        The players of a match that is stored already are not checked: they may have been erased since.
        """
        now = self.states.now
        of_time = [*match_faults.faults_of_time(read.played_at, now)]
        played_at = now if of_time else read.played_at.astimezone(UTC)
        edition, opening = self.rulebook.at(played_at), opening_of(read, played_at)
        faults: list[Refusal] = [*player.faults_of_id("match", read.match), *of_time]
        ruleset = edition.ruleset(read.ruleset)
        seated = ruleset is not None and not [*match_faults.faults_of_seating(opening, ruleset)]
        if not (seated and self.states.events(f"match:{read.match}")):
            known, erased = self._known_players(read.seats)
            found = match_faults.faults_of_import(opening, read.announced, len(read.hands), edition, known, now)
            faults += [*erased, *found]
        hands: tuple[RecordedHand, ...] = ()
        # In an impossible match the faults of its hands would only mislead.
        if ruleset is not None and seated:
            try:
                hands = hands_of(read, ruleset)
            except Refusal as refused:
                faults += Faults.of(refused)
        Faults.check(faults)
        return ImportMatch(opening, hands, read.announced), edition

    def _known_players(self, seats: Sequence[str]) -> tuple[frozenset[str], list[Refusal]]:
        """The players whom the league knows, and by seat why erased ones cannot play."""
        self.states.prefetch(f"player:{player_id}" for player_id in seats)
        known, erased = set(), list[Refusal]()
        for seat, player_id in enumerate(seats):
            try:
                if player.can_be_seated(seat, player_id, self.states.player(player_id)):
                    known.add(player_id)
            except WrongState as refused:
                known.add(player_id)
                erased.append(refused)
        return frozenset(known), erased

    def _enter(self) -> None:
        """Enter the matches that count in their series. None is refused: a match beyond the limit counts zero."""
        self.states.prefetch(stream for stream, _, _ in self._entered)
        for stream, match_id, played_at in self._entered:
            self._append(stream, [MatchEntered(match_id)], played_at)


def _lines(said: bytes) -> dict[int, bytes]:
    """The lines that are not empty, by their numbers."""
    return {number: line for number, line in enumerate(said.split(b"\n"), 1) if line.strip()}


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound("folder", "file", str(path)) from None
    except OSError as error:
        raise InvalidInput("folder", f"{path} cannot be read: {error.strerror}") from None


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


def _as_recorded(match_id: str, stored: list[Any]) -> ImportMatch:
    """The recorded match as imported, before any later change."""
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
