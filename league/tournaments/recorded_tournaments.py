"""Imports the tournaments of a recorded season: `tournaments.jsonl` and three more files, with the exports' columns.

The lines of a tournament become its events. Each line is checked by itself. Then the tournament that the events make is
exported again, and every value in a line must equal the exported one.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from league.domain.collected_refusals import BadLine, Faults
from league.domain.player import canonical
from league.domain.refusals import InTheFuture, InvalidInput, NotFound, Refusal
from league.domain.seating import PARTNERS, competitor_of, sides_of
from league.domain.sentences import say, say_count
from league.tournaments.domain.drawn import seed_of
from league.tournaments.domain.entering import (
    MOST_ENTRANTS,
    TOO_MANY_ENTRANTS,
    check_tournament_id,
    faults_of_ruleset,
)
from league.tournaments.domain.events import RoundDrawn, TournamentEvent
from league.tournaments.domain.plan import WITH_KNOCKOUT, faults_of_plan, players_of_competitor, withdrawals_of
from league.tournaments.domain.rounds import check_many
from league.tournaments.domain.state import TournamentState
from league.tournaments.events import CACHED, STREAM
from league.tournaments.exports import EXPORTS, entries_of, pairings_of, rounds_of
from league.tournaments.recorded_events import (
    RecordedStep,
    RecordedTournament,
    competitors_of,
    in_order,
    same_inputs,
    steps_of,
)
from league.tournaments.recorded_knockouts import faults_of_bracket
from league.tournaments.recorded_lines import EntryLine, PairingLine, RoundLine, TournamentLine
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import Drawings
from league.tournaments.tournament_states import results_of
from league.transfer.match_import import FeatureLines, ImportNote, MatchImport
from league.transfer.recorded_lines import read_file, read_line
from league.transfer.recorded_season import lines_of
from league.transfer.transfer_part import TransferPart

KINDS: dict[str, Any] = {
    "tournaments": TournamentLine,
    "entries": EntryLine,
    "rounds": RoundLine,
    "pairings": PairingLine,
}
"""The type of line in each file, by the file's name without `.jsonl`."""
MOST_DRAWINGS = 1_000
"""Limit on the drawings of a round in an import."""
OF_MATCHES = frozenset({"status", "winner", "score", "counts", "annulled"})
"""Columns of a pairing that follow from its match. The line of the match decides, not these."""


HISTORY = "corrected"
"""A column of a pairing that follows from earlier results. An import has only the last one of each match."""


class NumberedLine(Struct, frozen=True):
    """A decoded line with its file and number."""

    file: str
    number: int
    read: Any
    given: frozenset[str]
    """The columns that have a value."""

    @property
    def key(self) -> tuple[Any, ...]:
        """A key that is unique among the lines of one file."""
        key: tuple[Any, ...] = self.read.key
        return key


def take_tournaments(folder: Path, matches: MatchImport) -> Iterator[BadLine]:
    """Import the tournaments of a recorded season. Yields the faults of their lines."""
    if not any((folder / f"{name}.jsonl").exists() for name in KINDS):
        return
    report = FeatureLines(say("tournaments"), "tournaments.jsonl")
    matches.report.others.append(report)
    lines, bad = _read(folder)
    if bad:
        yield from bad
        return
    known = {line.read.tournament for line in lines["tournaments"]}
    of_each: dict[str, list[NumberedLine]] = defaultdict(list)
    for line in (line for name in KINDS for line in lines[name]):
        of_each[line.read.tournament].append(line)
    for tournament, its_lines in of_each.items():
        if tournament not in known:
            for line in its_lines:
                yield BadLine(line.file, line.number, NotFound("tournament", "tournament", tournament))
            continue
        bad = [*_take(its_lines, matches, report)]
        yield from bad


def _read(folder: Path) -> tuple[dict[str, list[NumberedLine]], list[BadLine]]:
    """The lines of all files, and the faults of lines that cannot be read or are repeated."""
    lines: dict[str, list[NumberedLine]] = {}
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
            line = NumberedLine(file, number, read, frozenset(key for key in written if written[key] is not None))
            if line.key in seen:
                refusal = InvalidInput("(line)", say("stands in line {line} already", line=seen[line.key]))
                bad.append(BadLine(file, number, refusal))
            seen.setdefault(line.key, number)
            lines[name].append(line)
    return lines, bad


def _take(lines: Sequence[NumberedLine], matches: MatchImport, report: FeatureLines) -> Iterator[BadLine]:
    """Import one tournament, or yield the faults of its lines."""
    first = lines[0]
    entries = [line.read for line in lines if isinstance(line.read, EntryLine)]
    rounds = [line.read for line in lines if isinstance(line.read, RoundLine)]
    pairings = [line.read for line in lines if isinstance(line.read, PairingLine)]
    matches.states.prefetch(f"player:{player}" for one in entries for player in one.players)
    matches.states.prefetch(f"match:{one.match}" for one in pairings if one.match is not None)
    recorded = RecordedTournament(first.read, entries, rounds, [_with_known_match(one, matches) for one in pairings])
    faults = [BadLine(line.file, line.number, one) for line in lines for one in faults_of(line.read, recorded, matches)]
    if faults:
        yield from faults
        return
    states, stream = matches.states, f"{STREAM}{first.read.tournament}"
    stored = states.events(stream)
    if stored:
        imported = [one for one in stored if one.source == "import"] or stored
        steps = [
            RecordedStep(one.played_at or one.recorded_at, (cast(TournamentEvent, one.event),)) for one in imported
        ]
    else:
        steps = steps_of(recorded, states.now)
    seen, drawings = _made(first.read.tournament, steps, matches)
    lines = [_with_drawing(line, seen) for line in lines]
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
        # Rounds with a time limit end matches below the target, so such a score is no reason for doubt.
        of_it = set(seen.state.matches())
        matches.report.notes = [
            note for note in matches.report.notes if note.doubt != "below_target" or note.match not in of_it
        ]
    report.added += 1


def _with_known_match(pairing: PairingLine, matches: MatchImport) -> PairingLine:
    """The line, without its match if the league does not have it and need not have it."""
    known = pairing.match is None or bool(matches.states.events(f"match:{pairing.match}"))
    return pairing if known or not pairing.may_lack_match else replace(pairing, match=None)


def _made(id_: str, steps: Sequence[RecordedStep], matches: MatchImport) -> tuple[SeenTournament, Drawings]:
    """The tournament that these events make, and its drawings."""
    state: TournamentState = TournamentState(id_)
    for step in steps:
        state = CACHED.after(state, step.events, [step.at] * len(step.events))
    assert state.plan is not None, "its first event is its plan"
    began_at = state.published[0].published_at if state.published else None
    ruleset = matches.rulebook.at(began_at or matches.states.now).rulesets[state.plan.ruleset]
    seen = SeenTournament(state, steps[0].at, ruleset, results_of(state.matches(), matches.states))
    drawings: dict[tuple[int, int], RoundDrawn] = {}
    numbers = Counter[int]()
    for event in (event for step in steps for event in step.events if isinstance(event, RoundDrawn)):
        numbers[event.round] += 1
        drawings[event.round, numbers[event.round]] = event
    return seen, drawings


def _with_drawing(line: NumberedLine, seen: SeenTournament) -> NumberedLine:
    """The line with the number of its drawing, which lines of older exports lack."""
    read = line.read
    if not isinstance(read, RoundLine | PairingLine) or read.drawing is not None:
        return line
    of = seen.state.round(read.round)
    return replace(line, read=replace(read, drawing=1 if of is None else of.drawings))


def _differences(lines: Sequence[NumberedLine], seen: SeenTournament, drawings: Drawings) -> Iterator[BadLine]:
    """The faults of lines that differ from an export of the tournament, and of missing lines."""
    rows = dict(_rows(seen, drawings))
    for line in lines:
        row = rows.pop((line.file, line.key), None)
        if row is None:
            yield BadLine(line.file, line.number, InvalidInput("(line)", say("the tournament has no such line")))
            continue
        others = {*OF_MATCHES, HISTORY} if isinstance(line.read, PairingLine) else set()
        for column in sorted(line.given - others):
            written, known = getattr(line.read, column), getattr(row, column)
            is_same = same_inputs(written, known) if column == "input" else written == known
            if not is_same and not (column == "match" and line.read.may_lack_match):
                said = say("is {known} by the other lines or in the league", known=_shown(known))
                yield BadLine(line.file, line.number, InvalidInput(column, said))
    first = lines[0]
    for file, key in rows:
        named = ", ".join(map(str, key))
        refusal = InvalidInput("(line)", say("a line of {file} is missing: {key}", file=file, key=named))
        yield BadLine(first.file, first.number, refusal)


def _rows(seen: SeenTournament, drawings: Drawings) -> Iterator[tuple[tuple[str, Any], Any]]:
    """The rows of the exports as lines, each with its file and key."""
    parts: dict[str, Iterable[Any]] = {
        "tournaments": [seen],
        "entries": entries_of(seen),
        "rounds": rounds_of(seen, drawings, {}),
        "pairings": pairings_of(seen, drawings, {}),
    }
    for name, kind in KINDS.items():
        columns = EXPORTS[name].columns
        for part in parts[name]:
            row = msgspec.convert({heading: value(part) for heading, value in columns.items()}, kind)
            yield (f"{name}.jsonl", row.key), row


def _notes(seen: SeenTournament, lines: Sequence[NumberedLine]) -> Iterator[ImportNote]:
    """A note for each table whose match has another result than the line of the table."""
    known = [*seen.state.former, *seen.state.rounds]
    rows = dict(_rows(seen, {(of.number, of.drawings): RoundDrawn(of.number, ()) for of in known}))
    for line in lines:
        if isinstance(line.read, PairingLine) and line.read.table is not None:
            row = rows[line.file, line.key]
            if any(getattr(line.read, column) != getattr(row, column) for column in OF_MATCHES & line.given):
                text = say(
                    "round {round}, table {table}: its match gives another result than its line",
                    round=row.round,
                    table=row.table,
                )
                yield ImportNote(seen.state.id, text)


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return msgspec.json.encode(value).decode()


# ---------------------------------------------------------------- the faults of a line


def faults_of(read: Any, recorded: RecordedTournament, matches: MatchImport) -> Iterator[Refusal]:
    """The faults of one line of a tournament."""
    match read:
        case TournamentLine():
            yield from _faults_of_tournament(read, recorded, matches)
        case EntryLine():
            yield from _faults_of_entry(read, recorded, matches)
        case RoundLine():
            yield from _faults_of_round(read, recorded, matches)
        case PairingLine():
            yield from _faults_of_pairing(read, recorded)
            yield from _faults_of_match(read, matches)


def _faults_of_tournament(
    read: TournamentLine, recorded: RecordedTournament, matches: MatchImport
) -> Iterator[Refusal]:
    try:
        check_tournament_id(read.tournament)
        Faults.check(faults_of_plan(read.plan))
        Faults.check(faults_of_ruleset(read.plan, matches.rulebook.at(recorded.began_at or matches.states.now)))
    except Refusal as refused:
        yield from Faults.of(refused)
    if sum(one.withdrawn_at is None for one in recorded.entries) > MOST_ENTRANTS:
        yield InvalidInput("tournament", TOO_MANY_ENTRANTS)


def _faults_of_entry(read: EntryLine, recorded: RecordedTournament, matches: MatchImport) -> Iterator[Refusal]:
    size = players_of_competitor(recorded.tournament.plan)
    if len(set(read.players)) != size or len(read.players) != size or read.id != competitor_of(read.players):
        yield InvalidInput("id", say("a pair enters as `a+b`, a player alone"))
    for player in read.players:
        if not matches.states.events(f"player:{player}"):
            yield NotFound("id", "player", player)
    if read.replaces is not None and read.replaces not in recorded.entered:
        yield NotFound("replaces", "competitor", read.replaces)
    for column in ("entered_at", "withdrawn_at"):
        yield from _faults_of_time(column, getattr(read, column), matches.states.now)
    if read.withdrawn_at is not None and read.withdrawn_at < read.entered_at:
        yield InvalidInput("withdrawn_at", say("is before the entry"))


def _faults_of_round(read: RoundLine, recorded: RecordedTournament, matches: MatchImport) -> Iterator[Refusal]:
    if read.round not in range(1, len({one.round for one in recorded.rounds}) + 1):
        yield InvalidInput("round", say("rounds count from 1, and none is left out"))
    if read.seed != seed_of(read.root, read.tournament, read.round, [one.bytes for one in read.contributions]):
        yield InvalidInput("seed", say("its seed does not follow from its root"))
    yield from _faults_of_input(read, recorded)
    yield from _faults_of_status(read, recorded)
    yield from _faults_of_time("published_at", read.published_at, matches.states.now)
    ours = [one for one in recorded.of_round(read) if len(one.sides) == (1 if one.table is None else 2)]
    yield from faults_of_bracket(recorded.tournament.plan, read, ours, recorded.schedule(read))


def _faults_of_input(read: RoundLine, recorded: RecordedTournament) -> Iterator[Refusal]:
    ids = [one.id for one in read.input]
    if len(ids) > MOST_ENTRANTS:
        yield InvalidInput("input", TOO_MANY_ENTRANTS)
    if [one.place for one in read.input] != list(range(1, len(ids) + 1)):
        yield InvalidInput("input", say("its places do not count from 1"))
    for id_ in (*ids, *read.fixed):
        if id_ not in recorded.entered:
            yield NotFound("input", "competitor", id_)
    for id_ in sorted({id_ for id_ in ids if ids.count(id_) > 1}):
        yield InvalidInput("input", say("{competitor!r} is named twice", competitor=id_))
    for entry in recorded.entries:
        if entry.id in ids and read.published_at is not None and entry.entered_at > read.published_at:
            yield InvalidInput("input", say("{competitor!r} entered after this round", competitor=entry.id))
    if not ids and read.round > 1 and read.stage == "knockout":  # all who meet there had left
        return
    try:
        check_many(len(ids), recorded.tournament.plan, read.round)
    except Refusal as refused:
        yield refused


def _faults_of_status(read: RoundLine, recorded: RecordedTournament) -> Iterator[Refusal]:
    if (read.published_at is None) == read.is_announced:
        yield InvalidInput("published_at", say("a round has this time once it is published, and not before"))
    if read.drawing is not None and not 1 <= read.drawing <= MOST_DRAWINGS:
        yield InvalidInput("drawing", say("must be from 1 to {most}", most=MOST_DRAWINGS))
    ordered = in_order(recorded.rounds)
    later = ordered[ordered.index(read) + 1 :]
    if read.counts and any(one.round == read.round for one in later):
        yield InvalidInput("status", say("a round is drawn again after a drawing was dropped or withdrawn"))
    is_last = not any(one.round == read.round for one in later)
    if is_last and read.status != "closed" and later:
        yield InvalidInput("status", say("a round is closed before the next one is drawn"))
    if read.status == "published" and recorded.tournament.status == "ended":
        yield InvalidInput("status", say("a tournament ends after its rounds are closed"))
    before = [one.published_at for one in ordered[: ordered.index(read)] if one.published_at is not None]
    if read.published_at is not None and any(earlier > read.published_at for earlier in before):
        yield InvalidInput("published_at", say("is before the round before it"))


def _faults_of_pairing(read: PairingLine, recorded: RecordedTournament) -> Iterator[Refusal]:
    if (read.round, read.drawing) not in recorded.announced:
        yield NotFound("round", "round", str(read.round))
    if read.table is not None and read.table < 1:
        yield InvalidInput("table", say("must be at least {least}", least=1))
    if len(read.sides) != (1 if read.table is None else 2):
        yield InvalidInput("sides", say("a table has two sides, and who sits out is one"))
    else:
        yield from _faults_of_sides(read, recorded)
    if read.status == "requested_bye" and read.table is not None:
        yield InvalidInput("status", say("who asked for a bye has no table"))
    if read.status == "walkover" and read.winner not in {0, 1}:
        yield InvalidInput("winner", say("a walkover has a winner: side 0 or side 1"))
    elif read.winner not in {None, 0, 1} or (read.winner is not None and read.table is None):
        yield InvalidInput("winner", say("must be side 0 or side 1 of a table, or null"))
    if read.game is not None and recorded.tournament.plan.format not in WITH_KNOCKOUT:
        yield InvalidInput("game", say("only a tie of a knock-out has several games"))


def _faults_of_sides(read: PairingLine, recorded: RecordedTournament) -> Iterator[Refusal]:
    """The faults of the players who sit at a table, or sit out."""
    plan = recorded.tournament.plan
    size = players_of_competitor(plan) if read.table is None else PARTNERS if plan.mode == "2v2" else 1
    if any(len(side) != size for side in read.sides):
        yield InvalidInput("sides", say_count("a side has {count} player", "a side has {count} players", size))
        return
    at = read.round, read.drawing
    drawn = {one.id for of in recorded.rounds if (of.round, of.drawing) == at for one in of.input}
    leavers_sit = withdrawals_of(plan) is not None or plan.format in WITH_KNOCKOUT
    if read.match is None and leavers_sit:  # who left is at tables that nobody plays
        drawn |= {one.id for of in recorded.rounds if of.round == 1 for one in of.input}
    for id_ in (id_ for side in read.sides for id_ in competitors_of(side, plan)):
        if id_ not in recorded.entered:
            yield NotFound("sides", "competitor", id_)
        elif read.status == "requested_bye" and id_ in drawn:
            yield InvalidInput("sides", say("{competitor!r} asked for a bye and is among the inputs", competitor=id_))
        elif read.status != "requested_bye" and id_ not in drawn:
            yield InvalidInput("sides", say("{competitor!r} is not among the inputs of the round", competitor=id_))
    of_round = Counter(
        player
        for one in recorded.pairings
        if (one.round, one.drawing) == at and one.is_first_game
        for side in one.sides
        for player in side
    )
    for player in sorted({player for side in read.sides for player in side}):
        if of_round[player] > 1:
            yield InvalidInput("sides", say("player {player!r} is named twice in this round", player=player))


def _faults_of_time(column: str, at: datetime | None, now: datetime) -> Iterator[Refusal]:
    if at is not None and at > now:
        yield InTheFuture(column, at, now)


def _faults_of_match(read: PairingLine, matches: MatchImport) -> Iterator[Refusal]:
    """The fault of a table whose match is unknown, or was played by others."""
    if read.match is None or read.may_lack_match:
        return
    played = matches.states.match(read.match).played
    if played is None:
        yield NotFound("match", "match", read.match)
        return
    sides = sides_of(played.mode, canonical(played.seats, matches.aliases))
    if [sorted(side) for side in sides] != [sorted(canonical(side, matches.aliases)) for side in read.sides]:
        said = " / ".join(" & ".join(side) for side in sides)
        yield InvalidInput("match", say("was played by {players}", players=said))


TRANSFER = TransferPart(recorded=take_tournaments, exports=EXPORTS)
