"""The tournaments of a recorded season: `tournaments.jsonl` and the files beside it, with the columns of the exports.

The lines of a tournament become its events. They are checked by exporting the tournament that the events make: every
value that a line gives must be the one that the export would have.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import BadLine, Faults
from league.domain.refusals import InvalidInput, NotFound, Refusal
from league.domain.sentences import say
from league.tournaments.domain.events import RoundDrawn, TournamentEvent
from league.tournaments.domain.state import TournamentState
from league.tournaments.seen import SeenTournament
from league.tournaments.tournament_states import KEPT, STREAM, results_of
from league.tournaments.transfer.exports import EXPORTS, entries_of, pairings_of, rounds_of
from league.tournaments.transfer.lines import EntryLine, PairingLine, RoundLine, TournamentLine
from league.tournaments.transfer.recorded_events import Recorded, Step, steps_of
from league.tournaments.transfer.recorded_faults import faults_of
from league.transfer.input_file import read_file
from league.transfer.json_lines import read_line
from league.transfer.match_import import Lines, MatchImport, Note
from league.transfer.recorded_season import lines_of

KINDS: dict[str, Any] = {
    "tournaments": TournamentLine,
    "entries": EntryLine,
    "rounds": RoundLine,
    "pairings": PairingLine,
}
"""The lines of each file."""
OF_MATCHES = frozenset({"status", "winner", "score"})
"""Columns of a pairing that follow from its match, whose own line is the one that counts."""


class Line(Struct, frozen=True):
    """A line of a file, read."""

    file: str
    number: int
    read: Any
    given: frozenset[str]
    """The columns that it has a value for."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What no other line of its file has."""
        key: tuple[Any, ...] = self.read.key
        return key


def take_tournaments(folder: Path, matches: MatchImport) -> Iterator[BadLine]:
    """Take the tournaments of a recorded season. Returns what is wrong with their lines."""
    if not any((folder / f"{name}.jsonl").exists() for name in KINDS):
        return
    report = Lines(say("tournaments"), "tournaments.jsonl")
    matches.report.others.append(report)
    lines, bad = _read(folder)
    if bad:
        yield from bad
        return
    known = {line.read.tournament for line in lines["tournaments"]}
    of_each: dict[str, list[Line]] = defaultdict(list)
    for line in (line for name in KINDS for line in lines[name]):
        of_each[line.read.tournament].append(line)
    for tournament, its_lines in of_each.items():
        if tournament not in known:
            for line in its_lines:
                yield BadLine(line.file, line.number, NotFound("tournament", "tournament", tournament))
            continue
        bad = [*_take(its_lines, matches, report)]
        yield from bad


def _read(folder: Path) -> tuple[dict[str, list[Line]], list[BadLine]]:
    """The lines of all files, and the faults of those that cannot be read or that stand there twice."""
    lines: dict[str, list[Line]] = {}
    bad: list[BadLine] = []
    for name, kind in KINDS.items():
        file, seen = f"{name}.jsonl", dict[tuple[Any, ...], int]()
        lines[name] = []
        path = folder / file
        for number, text in lines_of(
            read_file(path, "folder") if name == "tournaments" or path.exists() else b""
        ).items():
            try:
                read = read_line(text, kind)
            except Refusal as refused:
                bad += [BadLine(file, number, one) for one in Faults.of(refused)]
                continue
            written = msgspec.json.decode(text)
            line = Line(file, number, read, frozenset(key for key in written if written[key] is not None))
            if line.key in seen:
                refusal = InvalidInput("(line)", say("stands in line {line} already", line=seen[line.key]))
                bad.append(BadLine(file, number, refusal))
            seen.setdefault(line.key, number)
            lines[name].append(line)
    return lines, bad


def _take(lines: Sequence[Line], matches: MatchImport, report: Lines) -> Iterator[BadLine]:
    """Take one tournament, or say what is wrong with it."""
    first = lines[0]
    entries = [line.read for line in lines if isinstance(line.read, EntryLine)]
    rounds = [line.read for line in lines if isinstance(line.read, RoundLine)]
    pairings = [line.read for line in lines if isinstance(line.read, PairingLine)]
    matches.states.prefetch(f"player:{player}" for one in entries for player in one.players)
    matches.states.prefetch(f"match:{one.match}" for one in pairings if one.match is not None)
    recorded = Recorded(first.read, entries, rounds, [_with_known_match(one, matches) for one in pairings])
    faults = [BadLine(line.file, line.number, one) for line in lines for one in faults_of(line.read, recorded, matches)]
    if faults:
        yield from faults
        return
    states, stream = matches.states, f"{STREAM}{first.read.tournament}"
    stored = states.events(stream)
    if stored:
        imported = [one for one in stored if one.source == "import"] or stored
        steps = [Step(one.played_at or one.recorded_at, (cast(TournamentEvent, one.event),)) for one in imported]
    else:
        steps = steps_of(recorded, states.now)
    seen, drawings = _made(first.read.tournament, steps, matches)
    faults = [*_differences(lines, seen, drawings)]
    yield from faults
    if faults:
        return
    if stored:
        report.skipped += 1
        return
    for step in steps:
        matches.append(stream, step.events, step.at)
    matches.report.notes += _notes(seen, lines)
    if seen.state.plan is not None and seen.state.plan.minutes is not None:
        # A bell ends matches below the target.
        of_it = set(seen.state.matches())
        matches.report.notes = [
            note for note in matches.report.notes if note.doubt != "below_target" or note.match not in of_it
        ]
    report.added += 1


def _with_known_match(pairing: PairingLine, matches: MatchImport) -> PairingLine:
    """The line; without its match if the league does not have it, and need not."""
    known = pairing.match is None or bool(matches.states.events(f"match:{pairing.match}"))
    return pairing if known or not pairing.may_lack_match else replace(pairing, match=None)


def _made(id_: str, steps: Sequence[Step], matches: MatchImport) -> tuple[SeenTournament, dict[int, RoundDrawn]]:
    """The tournament that these events make, and its drawings by round."""
    state: TournamentState = TournamentState(id_)
    for step in steps:
        state = KEPT.after(state, step.events, [step.at] * len(step.events))
    assert state.plan is not None, "its first event is its plan"
    began_at = state.published[0].published_at if state.published else None
    ruleset = matches.rulebook.at(began_at or matches.states.now).rulesets[state.plan.ruleset]
    seen = SeenTournament(state, steps[0].at, ruleset, results_of(state.matches(), matches.states))
    drawings = {event.round: event for step in steps for event in step.events if isinstance(event, RoundDrawn)}
    return seen, drawings


def _differences(lines: Sequence[Line], seen: SeenTournament, drawings: dict[int, RoundDrawn]) -> Iterator[BadLine]:
    """Where the lines are not what an export of the tournament has."""
    rows = dict(_rows(seen, drawings))
    for line in lines:
        row = rows.pop((line.file, line.key), None)
        if row is None:
            yield BadLine(line.file, line.number, InvalidInput("(line)", say("the tournament has no such line")))
            continue
        others = OF_MATCHES if isinstance(line.read, PairingLine) else frozenset()
        for column in sorted(line.given - others):
            written, known = getattr(line.read, column), getattr(row, column)
            if written != known and not (column == "match" and line.read.may_lack_match):
                said = say("is {known} by the other lines or in the league", known=_shown(known))
                yield BadLine(line.file, line.number, InvalidInput(column, said))
    first = lines[0]
    for file, key in rows:
        named = ", ".join(map(str, key))
        refusal = InvalidInput("(line)", say("a line of {file} is missing: {key}", file=file, key=named))
        yield BadLine(first.file, first.number, refusal)


def _rows(seen: SeenTournament, drawings: dict[int, RoundDrawn]) -> Iterator[tuple[tuple[str, Any], Any]]:
    """The rows of the exports, as lines, by file and key."""
    parts: dict[str, Iterable[Any]] = {
        "tournaments": [seen],
        "entries": entries_of(seen),
        "rounds": rounds_of(seen, drawings),
        "pairings": pairings_of(seen, drawings),
    }
    for name, kind in KINDS.items():
        columns = EXPORTS[name].columns
        for part in parts[name]:
            row = msgspec.convert({heading: value(part) for heading, value in columns.items()}, kind)
            yield (f"{name}.jsonl", row.key), row


def _notes(seen: SeenTournament, lines: Sequence[Line]) -> Iterator[Note]:
    """Tables whose match gives another result than their line."""
    rows = dict(_rows(seen, {of.number: RoundDrawn(of.number, ()) for of in seen.state.rounds}))
    for line in lines:
        if isinstance(line.read, PairingLine) and line.read.table is not None:
            row = rows[line.file, line.key]
            if any(getattr(line.read, column) != getattr(row, column) for column in OF_MATCHES & line.given):
                text = say(
                    "round {round}, table {table}: its match gives another result than its line",
                    round=row.round,
                    table=row.table,
                )
                yield Note(seen.state.id, text)


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return msgspec.json.encode(value).decode()
