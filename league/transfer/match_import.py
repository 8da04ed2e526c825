"""Imports matches that were written down elsewhere: checks each against the league, and reports what was added."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from league.application.dispatch import decide
from league.application.stream_states import StreamStates
from league.domain import match_decider, match_faults, player
from league.domain.collected_refusals import BadLine, Faults
from league.domain.deciders import Command
from league.domain.match import ImportMatch, RecordedHand
from league.domain.match_faults import Doubt, notes_on
from league.domain.not_judged import NotJudged, not_judged_in_match
from league.domain.player import canonical
from league.domain.refusals import Refusal, WrongState
from league.domain.result import MatchFacts, ScoredMatch, result_of
from league.domain.rules import Rulebook
from league.domain.seating import sides_of
from league.domain.sentences import joined, say
from league.domain.series import Encounter, MatchEntered, is_entered
from league.eventlog.records import Append
from league.transfer.recorded_lines import (
    MatchLine,
    hands_of,
    opening_of,
)

Progress = Callable[[int, int], None]
"""Called with (lines checked, lines in all)."""


class SheetPlace(Struct, frozen=True):
    """A row of a sheet."""

    sheet: str
    row: int
    """As the spreadsheet numbers it."""

    def __str__(self) -> str:
        return f"{self.sheet} {self.row}"


class MatchPlaces(Struct, frozen=True):
    """The rows of a sheet that hold a match."""

    match: SheetPlace
    hands: tuple[SheetPlace, ...] = ()
    """The rows of its hands, in order."""

    def of(self, hand: int | None) -> SheetPlace:
        """The row of the hand with this number; None: the row of the match."""
        return self.match if hand is None else self.hands[hand - 1]


class ImportNote(Struct, frozen=True):
    """Something that an organiser may want to check."""

    match: str | None
    """None for a note on how a whole file was read."""
    text: str
    doubt: Doubt | None = None
    """What makes an announced score doubtful; None for any other note."""
    place: SheetPlace | None = None
    """The row that the note is about; None if no sheet was imported."""

    @property
    def line(self) -> str:
        """The text, preceded by its row or its match."""
        where = self.match if self.place is None else str(self.place)
        return self.text if where is None else joined(": ", [where, self.text])


class UnjudgedRule(Struct):
    """Something that the rules did not judge in the hands of an import, and how often."""

    found: NotJudged
    """What was not judged in the first hand concerned."""
    match: str
    """The match of that hand."""
    place: SheetPlace | None = None
    """The row of that hand; None if no sheet was imported."""
    hands: int = 1
    """The number of hands concerned."""


class FeatureLines(Struct):
    """The result of importing the lines of a feature's file."""

    name: str
    """What the lines are, in words."""
    file: str
    added: int = 0
    skipped: int = 0


class ImportReport(Struct):
    """The result of an import, or with `dry_run` the result that it would have."""

    players_added: int = 0
    players_skipped: int = 0
    matches_added: int = 0
    matches_skipped: int = 0
    hands_added: int = 0
    events: int = 0
    position: int = 0
    refused: tuple[BadLine, ...] = ()
    others: list[FeatureLines] = []
    """The results for the files of features."""
    notes: list[ImportNote] = []
    not_judged: dict[tuple[str, str, str | None], UnjudgedRule] = {}
    """Keyed by rule, reason and fact: what was not judged because a fact is unknown, or facts deny a statement."""


class MatchImport:
    """Collects what to append for the players and matches of an import, and counts them in `report`."""

    def __init__(self, states: StreamStates, report: ImportReport, founding: Sequence[Command] = ()) -> None:
        """`founding`: the commands that create the league if there is none."""
        exists = states.league().name is not None
        self.states, self.report = states, report
        self.appends = [] if exists else decide(founding, states)
        self.rulebook = states.rulebook()
        self.aliases = states.merges().aliases()
        """The merged ids, each with its canonical id."""
        self._entered: list[tuple[str, str, datetime]] = []
        """The matches that take part in a series: the stream of the series, the match, and when it began."""

    def register(self, command: player.RegisterPlayer) -> None:
        """Register a player. Raises AlreadyExists, InvalidInput."""
        known = self.states.player(command.player)
        self.append(f"player:{command.player}", player.register_player(command, known), None)
        self.report.players_added += 1

    def checked(self, read: MatchLine) -> tuple[ImportMatch, Rulebook]:
        """The command for a match, and the rules that applied when it was played. Raises every fault of the match.

        The players of a match that is stored already are not checked: they may have been erased since.
        """
        now = self.states.now
        of_time = [*match_faults.faults_of_time(read.played_at, now)]
        played_at = now if of_time else read.played_at.astimezone(UTC)
        edition, opening = self.rulebook.at(played_at), opening_of(read, played_at)
        faults: list[Refusal] = [*player.faults_of_id("match", read.match), *of_time]
        ruleset = edition.ruleset(read.ruleset)
        seated = ruleset is not None and not [*match_faults.faults_of_seating(opening, ruleset)]
        command = ImportMatch(opening, (), read.announced, read.forfeited_by)
        if not (seated and self.states.events(f"match:{read.match}")):
            known, erased = self._known_players(read.seats)
            found = match_faults.faults_of_import(command, len(read.hands), edition, known, now)
            faults += [*erased, *player.faults_of_seats(read.seats, self.aliases), *found]
        hands: tuple[RecordedHand, ...] = ()
        # In an impossible match the faults of its hands would only mislead.
        if ruleset is not None and seated:
            try:
                hands = hands_of(read, ruleset)
            except Refusal as refused:
                faults += Faults.of(refused)
        with self.states.telling_times():
            Faults.check(faults)
        return ImportMatch(opening, hands, read.announced, read.forfeited_by), edition

    def add(self, command: ImportMatch, edition: Rulebook, places: MatchPlaces | None = None) -> None:
        """Add a match that the league does not have. `places`: its rows, if a sheet is imported. Raises Refusal."""
        opening, now = command.opening, self.states.now
        assert opening.played_at is not None, "a recorded match has a time"
        events = match_decider.import_match(command, edition, self.states.known_players(opening.seats), now)
        self.append(f"match:{opening.match}", events, opening.played_at)
        if is_entered(opening.mode, opening.competition, edition.series):
            sides = sides_of(opening.mode, canonical(opening.seats, self.aliases))
            encounter = Encounter.of(opening.mode, sides, opening.played_at, self.states.zone())
            self._entered.append((encounter.stream, opening.match, opening.played_at))
        self.report.matches_added += 1
        self.report.hands_added += len(command.hands)
        state = self.states.match(opening.match)
        assert state.played is not None, "it was added"
        ruleset = edition.rulesets[opening.ruleset]
        result = result_of(state.played, ruleset)
        notes = [*_notes(opening.match, state.played, result)]
        if result.status == "announced" and state.played.announced is not None:
            doubtful = notes_on(state.played.announced, ruleset, opening.mode, len(opening.seats))
            notes += [ImportNote(opening.match, one.sentence, one.doubt) for one in doubtful]
        where = None if places is None else places.match
        self.report.notes += notes if where is None else [replace(note, place=where) for note in notes]
        for found in not_judged_in_match(state.played, ruleset, result):
            if found.hand is not None and found.why in ("unknown", "facts_hold"):
                self._count(opening.match, found, None if places is None else places.of(found.hand))

    def finish(self) -> None:
        """Enter the matches that count in their series. None is refused: a match beyond the limit counts zero."""
        self.states.prefetch(stream for stream, _, _ in self._entered)
        for stream, match_id, played_at in self._entered:
            self.append(stream, [MatchEntered(match_id)], played_at)
        self.report.events = sum(len(append.events) for append in self.appends)

    def _count(self, match_id: str, found: NotJudged, place: SheetPlace | None) -> None:
        known = self.report.not_judged.get((found.rule, found.why, found.at))
        if known is None:
            self.report.not_judged[found.rule, found.why, found.at] = UnjudgedRule(found, match_id, place)
        else:
            known.hands += 1

    def append(self, stream: str, events: Sequence[Any], played_at: datetime | None) -> None:
        """Add events to a stream."""
        append = Append(stream, self.states.version(stream), tuple(events), played_at)
        self.appends.append(append)
        self.states.foresee(append)

    def _known_players(self, seats: Sequence[str]) -> tuple[frozenset[str], list[Refusal]]:
        """The players in these seats whom the league knows, and a refusal for each erased one."""
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


def _notes(match_id: str, played: MatchFacts, result: ScoredMatch) -> Iterator[ImportNote]:
    if result.status == "cut_short":
        yield ImportNote(match_id, say("cut short"))
    elif result.status == "open":
        yield ImportNote(match_id, say("open"))
    for number, hand in enumerate(result.hands, 1):
        if not hand.counted:
            text = say("hand {hand} was played after the match had ended, and counts for nothing", hand=number)
            yield ImportNote(match_id, text)
        elif hand.winner is None:
            yield ImportNote(match_id, say("hand {hand} has no winner", hand=number))
    announced = played.announced
    if announced is not None and result.status != "announced":
        if announced.winner != result.winner and result.status == "forfeited":
            yield ImportNote(match_id, say("the side that gave up was announced as the winner"))
        elif announced.winner != result.winner:
            yield ImportNote(match_id, say("its hands give another winner than the announced one"))
        elif announced.score is not None and announced.score != result.score:
            text = say(
                "announced {announced}; its hands give {score}",
                announced=list(announced.score),
                score=list(result.score or ()),
            )
            yield ImportNote(match_id, text)
