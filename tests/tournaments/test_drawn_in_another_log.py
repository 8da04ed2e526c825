"""Rounds from an import were drawn in another log. `verify-round` says so, and accepts this only for imports."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from commands import League as Command
from commands import runner
from leagues import catch_up, exported, league_at, own_database
from msgspec.structs import replace
from random_tournaments import START, PlayedTournament

from league.application.bootstrap import clock, founding
from league.audit.proofs import write_log
from league.eventlog import encoded_rows
from league.infra.database import connect
from league.tournaments.domain import events as e
from league.tournaments.domain.evolve import evolve
from league.tournaments.domain.inputs import commit_seed
from league.tournaments.domain.refusals import CommitmentUsed
from league.tournaments.domain.state import TournamentState
from league.tournaments.recorded_events import RecordedTournament, steps_of
from league.tournaments.recorded_lines import EntryLine, PairingLine, RoundLine, TournamentLine
from league.tournaments.verified_rounds import LoggedTournamentEvent, RoundVerdict, rounds_in_log, verify_rounds
from league.transfer.recorded_season import import_season

COPA = Path(__file__).parents[2] / "examples" / "copa-2026"
KINDS: dict[str, Any] = {
    "tournaments": TournamentLine,
    "entries": EntryLine,
    "rounds": RoundLine,
    "pairings": PairingLine,
}
BEFORE = 100
"""How many events the importing log has before the import."""
Change = Callable[[list[LoggedTournamentEvent]], list[LoggedTournamentEvent]]


@pytest.fixture(scope="module", params=[8, 24])
def lines(request: pytest.FixtureRequest) -> dict[str, list[Any]]:
    """The exported lines of a tournament of another log, with six rounds: once Swiss, once fixtures."""
    played = PlayedTournament(Random(request.param), most=14)
    played.play()
    rows = played.rows()
    return {
        name: [msgspec.json.decode(msgspec.json.encode(row), type=kind) for row in rows[name]]
        for name, kind in KINDS.items()
    }


@pytest.fixture(scope="module")
def imported(lines: dict[str, list[Any]]) -> list[LoggedTournamentEvent]:
    """The log of a league that imported the tournament."""
    recorded = RecordedTournament(lines["tournaments"][0], lines["entries"], lines["rounds"], lines["pairings"])
    events = [event for step in steps_of(recorded, START) for event in step.events]
    return [
        LoggedTournamentEvent(
            "copa", position, event, f"{position:064x}" if isinstance(event, e.RoundDrawn) else "", "import"
        )
        for position, event in enumerate(events, BEFORE)
    ]


def verified(lines: dict[str, list[Any]], logged: list[LoggedTournamentEvent]) -> list[RoundVerdict]:
    return list(verify_rounds(lines["tournaments"], lines["rounds"], lines["pairings"], rounds_in_log(logged)))


def said(verdicts: list[RoundVerdict]) -> set[str]:
    return {str(flaw) for verdict in verdicts for flaw in verdict.flaws}


def test_rounds_of_an_import_hold_and_name_their_log(
    lines: dict[str, list[Any]], imported: list[LoggedTournamentEvent]
) -> None:
    """Imported rounds hold, and name the position and root of their drawing in the other log."""
    found = verified(lines, imported)
    assert said(found) == set()
    there = [(one.elsewhere.position, one.elsewhere.root) for one in found if one.elsewhere is not None]
    assert there == [(line.position, line.root) for line in lines["rounds"] if line.status != "drawn"]


def recorded_here(logged: list[LoggedTournamentEvent]) -> list[LoggedTournamentEvent]:
    """Drawings of this league that merely claim another log."""
    drawings = e.RoundDrawn | e.RoundPaired
    return [replace(one, source="manual") if isinstance(one.event, drawings) else one for one in logged]


def paired_here(logged: list[LoggedTournamentEvent]) -> list[LoggedTournamentEvent]:
    return [replace(one, source="manual") if isinstance(one.event, e.RoundPaired) else one for one in logged]


def paired_later(logged: list[LoggedTournamentEvent]) -> list[LoggedTournamentEvent]:
    """A log with an event between a drawing and its tables, which imports never have."""
    return [replace(one, position=2 * one.position) for one in logged]


def into_another_tournament(logged: list[LoggedTournamentEvent]) -> list[LoggedTournamentEvent]:
    """A log whose tournament began in this league, while imports bring whole tournaments."""
    return [replace(one, source="manual") if isinstance(one.event, e.TournamentPlanned) else one for one in logged]


@pytest.mark.parametrize("forge", [recorded_here, paired_here, paired_later, into_another_tournament])
def test_a_drawing_that_merely_claims_another_log_is_a_fault(
    lines: dict[str, list[Any]], imported: list[LoggedTournamentEvent], forge: Change
) -> None:
    """A root that is not of this log is a fault, unless the round came with an import."""
    found = verified(lines, forge(imported))
    assert "its root is not that of the log up to its drawing" in said(found)
    assert all(one.elsewhere is None for one in found)


def other_root(line: RoundLine) -> RoundLine:
    return replace(line, root="00" * 32)


def other_position(line: RoundLine) -> RoundLine:
    return replace(line, position=line.position + 1)


def without_commitments(line: RoundLine) -> RoundLine:
    return replace(line, commitments=())


def without_bytes(line: RoundLine) -> RoundLine:
    return replace(line, contributions=())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (other_root, "its position and root are not those that came with the import"),
        (other_position, "its position and root are not those that came with the import"),
        (without_commitments, "its commitments are not those that the log has before its drawing"),
        (without_bytes, "came and were left out"),
    ],
)
def test_a_line_has_what_came_with_the_import(
    lines: dict[str, list[Any]],
    imported: list[LoggedTournamentEvent],
    change: Callable[[RoundLine], RoundLine],
    fault: str,
) -> None:
    """A line must keep the imported root and commitments, though nobody can prove them with this log."""
    changed = {**lines, "rounds": [change(line) for line in lines["rounds"]]}
    assert any(fault in flaw for flaw in said(verified(changed, imported)))


def test_a_round_that_is_drawn_anew_after_the_import_is_of_this_log(
    lines: dict[str, list[Any]], imported: list[LoggedTournamentEvent]
) -> None:
    """A round that is drawn again after the import belongs to this log: the imported drawing is not its last one."""
    last = max(line.round for line in lines["rounds"])
    kinds = e.RoundDrawn | e.RoundPaired | e.RoundPublished
    again = [one for one in imported if isinstance(one.event, kinds) and one.event.round == last]
    here = [replace(one, position=one.position + 10 * BEFORE, source="manual") for one in again]
    assert any(
        "its last drawing in the log is at position" in flaw for flaw in said(verified(lines, [*imported, *here]))
    )
    unnumbered = [replace(line, drawing=None) for line in lines["rounds"] if line.counts]
    found = verified({**lines, "rounds": unnumbered}, [*imported, *here])
    assert [one.round for one in found if one.elsewhere is None] == [last], "older exports have only the last drawing"
    assert "its root is not that of the log up to its drawing" in said(found)


def test_a_commitment_that_came_with_an_import_is_used(
    lines: dict[str, list[Any]], imported: list[LoggedTournamentEvent]
) -> None:
    """A commitment from an import counts as used, because its bytes are public."""
    state = TournamentState("copa")
    for one in imported:
        state = evolve(state, one.event, START)
    known = next(one.commitment for line in lines["rounds"] for one in line.commitments)
    entry = next(id_ for id_, entry in state.entries.items() if entry.withdrawn_at is None)
    with pytest.raises(CommitmentUsed):
        commit_seed(entry, known, replace(state, promises={}))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return runner(monkeypatch, capsys)


def test_verify_round_notes_the_log_of_an_imported_season(
    command: Command, embedded_server: str, tmp_path: Path
) -> None:
    """The command says that imported rounds were drawn in another log, and ends with exit code 0."""
    with own_database(embedded_server) as url, league_at(url) as league:
        import_season(COPA, league.store, clock, "organiser", founding=founding())
        catch_up(league)
        for what in KINDS:
            text = "".join(json.dumps(row, default=str) + "\n" for row in exported(url, what))
            (tmp_path / f"{what}.jsonl").write_text(text, encoding="utf-8")
        with connect(url) as conn, (tmp_path / "log.jsonl").open("wb") as file:
            write_log(encoded_rows.rows(conn), file)
    first = json.loads((COPA / "rounds.jsonl").read_text(encoding="utf-8").splitlines()[0])
    shown = command("verify-round", tmp_path, "--round", 1)
    assert shown.code == 0, shown.out
    said = "".join(shown.out.split())
    assert f"drawninanotherlog,atposition{first['position']},withtheroot{first['root']}" in said
    document = command("verify-round", tmp_path, "--round", 1, "--json").document
    assert document["elsewhere"] == {"position": first["position"], "root": first["root"]}
