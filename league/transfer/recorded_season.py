"""Imports recorded seasons: `players.jsonl`, `matches.jsonl` and files of features, all of it or nothing.

Lines that are stored already are skipped. If one line is bad, nothing of the season is stored.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from league.application.dispatch import Clock, store_decided
from league.application.storing import retried
from league.application.stream_states import StreamStates
from league.domain import match, player
from league.domain.audit_trail import STREAM, FolderImported
from league.domain.collected_refusals import BadLine, Faults, SeasonRefused
from league.domain.deciders import Command
from league.domain.match import ImportMatch, OpenMatch, RecordedHand
from league.domain.player import canonical
from league.domain.refusals import InvalidInput, Refusal
from league.domain.sentences import say
from league.domain.texts_and_times import tidied
from league.domain.transcript import Transcript
from league.eventlog.records import Append, AppendRequest
from league.eventlog.store import EventStore
from league.features import declared
from league.transfer.match_import import ImportReport, MatchImport, Progress
from league.transfer.recorded_lines import (
    MatchLine,
    PlayerLine,
    differences,
    read_file,
    read_line,
)
from league.transfer.transfer_part import TransferPart

FILES = ("players.jsonl", "matches.jsonl")


def import_season(
    folder: Path,
    store: EventStore,
    clock: Clock,
    actor: str,
    *,
    founding: Sequence[Command] = (),
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import a recorded season, all of it or nothing, and report what was added and skipped.

    Where there is no league yet, `founding` creates it in the same transaction. With `dry_run` nothing is stored and
    the report lists every fault. Raises SeasonRefused with every fault of every line, NotFound when a file is missing,
    Conflict when other writers keep changing what it rests on.
    """

    def attempt() -> ImportReport:
        states = StreamStates(store, clock())
        plan = SeasonPlan(folder, states, founding, progress)
        if plan.report.refused and not dry_run:
            states.check_unchanged()
            raise SeasonRefused(plan.report.refused)
        if dry_run or not plan.appends:
            plan.report.position = store.head()
            return plan.report
        imported = Append(STREAM, store.version(STREAM), (plan.act(),))
        plan.report.position = store_decided([*plan.appends, imported], states, AppendRequest(actor, "import"))
        return plan.report

    return retried(attempt)


class SeasonPlan:
    """All lines checked against the current league: what to append, and what is wrong."""

    def __init__(
        self, folder: Path, states: StreamStates, founding: Sequence[Command] = (), progress: Progress | None = None
    ) -> None:
        self.report = ImportReport()
        self._import, self._states = MatchImport(states, self.report, founding), states
        self._bad: list[BadLine] = []
        in_players, in_matches = (read_file(folder / name, "folder") for name in FILES)
        self._folder, self._matches_sha256 = folder.resolve().name, sha256(in_matches).hexdigest()
        players, matches = lines_of(in_players), lines_of(in_matches)
        total = len(players) + len(matches)
        self._prefetch(players.values(), "player")
        self._prefetch(matches.values(), "match")
        done = 0
        for file, lines, take in zip(FILES, (players, matches), (self._player, self._match), strict=True):
            for number, line in lines.items():
                self._check(file, number, line, take)
                done += 1
                if progress is not None:
                    progress(done, total)
        for part in declared(TransferPart):
            if part.recorded is not None:
                self._bad += part.recorded(folder, self._import)
        self._import.finish()
        self.report.refused = tuple(self._bad)

    @property
    def appends(self) -> list[Append]:
        """What the season adds to the log."""
        return self._import.appends

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
        self._states.prefetch(named)

    def _check(self, file: str, number: int, line: bytes, take: Callable[[bytes], None]) -> None:
        try:
            take(line)
        except Refusal as refused:
            self._bad += [BadLine(file, number, refusal) for refusal in Faults.of(refused)]

    def _player(self, line: bytes) -> None:
        read = read_line(line, PlayerLine)
        command = player.RegisterPlayer(read.player, read.name, read.region)
        Faults.check(player.faults_of_registration(command))
        known = self._states.player(read.player)
        if known.registered and (known.name is None or tidied(known.name) == tidied(read.name)):
            if tidied(known.region or "") != tidied(read.region or ""):
                raise InvalidInput(
                    "region",
                    say(
                        "player {player!r} is known in {known!r}, not {written!r}",
                        player=read.player,
                        known=known.region,
                        written=read.region,
                    ),
                )
            self.report.players_skipped += 1
            return
        self._import.register(command)

    def _match(self, line: bytes) -> None:
        read = read_line(line, MatchLine)
        command, edition = self._import.checked(read)
        if stored := self._states.events(f"match:{read.match}"):
            recorded = _as_recorded(read.match, stored)
            Faults.check(differences(self._read_as(recorded), self._read_as(command)))
            self.report.matches_skipped += 1
            return
        self._import.add(command, edition)

    def _read_as(self, match: ImportMatch) -> ImportMatch:
        """A match with canonical ids: a line may name a merged player by any of their ids."""
        seats = canonical(match.opening.seats, self._import.aliases)
        return replace(match, opening=replace(match.opening, seats=seats))


def lines_of(said: bytes) -> dict[int, bytes]:
    """The lines that are not empty, by their numbers."""
    return {number: line for number, line in enumerate(said.split(b"\n"), 1) if line.strip()}


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
    return ImportMatch(opening, hands, played.announced, played.forfeited_by)
