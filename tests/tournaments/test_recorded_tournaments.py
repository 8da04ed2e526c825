"""Recorded tournaments: the files that one league exports make the same tournament in another league."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from leagues import catch_up, exported, league_at, own_database
from played_tournaments import Score, finish, planned, published, register
from random_plans import RULEBOOK
from random_tournaments import START, PlayedTournament
from scripted_knockouts import Knockout, won_by
from signed_leagues import unsigned_league
from test_version_1 import without_new_columns
from tournament_rows import Rows, drawings_in, rows_of

from league.application.bootstrap import League, clock, founding
from league.cli.opening import reading
from league.domain.collected_refusals import SeasonRefused
from league.projections.queries.snapshot import chosen_run, snapshot_of
from league.tournaments import recorded_tournaments
from league.tournaments.corrected_rounds import is_outdated
from league.tournaments.domain import commands as c
from league.tournaments.domain.corrected_results import RoundThen
from league.tournaments.domain.drawn import berger_round
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.events import CACHED
from league.tournaments.recorded_events import RecordedTournament, steps_of
from league.tournaments.recorded_lines import EntryLine, PairingLine, RoundLine, TournamentLine
from league.tournaments.recorded_tournaments import faults_of
from league.tournaments.seen_tournaments import SeenTournament
from league.tournaments.tournament_queries import drawings_by_tournament, tournaments_by_id
from league.tournaments.verified_rounds import verify_rounds
from league.transfer.match_import import ImportReport
from league.transfer.recorded_season import import_season

FILES: dict[str, Any] = {
    "tournaments": TournamentLine,
    "entries": EntryLine,
    "rounds": RoundLine,
    "pairings": PairingLine,
}
COPA = Path(__file__).parents[2] / "examples" / "copa-2026"
WHAT = (*FILES, "tournament_standings")


@pytest.mark.parametrize("number", range(40))
def test_the_lines_of_a_tournament_make_it_again(rng: Random, number: int) -> None:
    """Lines of any tournament, with late entries, absences, voids and tables by hand, give equal exports again."""
    played = PlayedTournament(Random(rng.random() + number), most=14, rules=1 + number % 2)
    played.play()
    make_again(played)


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("format_", ["knockout", "groups"])
def test_the_lines_of_a_knock_out_make_it_again(rng: Random, format_: str, number: int) -> None:
    """Lines of a knock-out, alone or after groups, give equal exports again."""
    played = PlayedTournament(Random(rng.random() + number), most=14, format_=format_)
    played.play()
    make_again(played)


def test_the_lines_of_a_final_to_which_nobody_came_make_it_again() -> None:
    """Both finalists had left: the drawing of the final has no inputs."""
    cup = Knockout(4, third_place=False)
    for first, _ in cup.meetings():
        cup.win(first)
        cup.leave(first)
    cup.draw()
    assert cup.rows()["rounds"][-1]["input"] == []
    make_again(cup)


def test_the_lines_of_a_tie_that_changed_before_the_final_was_published_make_it_again() -> None:
    """Its row is not corrected, and its present winner was not left out of the drawing."""
    cup = Knockout(4, third_place=False)
    for first, _ in cup.meetings():
        cup.win(first)
    table = cup.state.rounds[0].tables[0]
    cup.draw()
    cup.results[str(table.match)] = won_by(1)
    cup.then = {1: RoundThen(cup.state.rounds[0], dict(cup.results))}
    assert not cup.changed()
    recorded, _ = recorded_of(cup.rows())
    events = [event for step in steps_of(recorded, cup.now) for event in step.events]
    assert {event.left for event in events if isinstance(event, RoundDrawn)} == {()}


BAD_LINES = {
    "a first game without a line": ("pairings", {"table": 1}, None),
    "a tie that was paired by hand": ("pairings", {"table": 1}, {"by_hand": True}),
    "a winner that is no side": ("pairings", {"table": 1}, {"winner": 2}),
    "a table that its inputs do not give": ("pairings", {"table": 1}, {"table": 9}),
    "a tie for the third place in the first round": ("pairings", {"table": 1}, {"third_place": True}),
    "a table without sides": ("pairings", {"table": 1}, {"sides": []}),
    "a bye without a line": ("pairings", {"table": None}, None),
    "a round without a stage": ("rounds", {"round": 1}, {"stage": None}),
    "a round beyond the final": ("rounds", {"round": 2}, {"round": 9}),
    "a later round without inputs of the first one": ("rounds", {"round": 1}, {"input": []}),
}
"""The file, which line of the drawing that counts is bad, and what changes there; None: it is missing."""


@pytest.mark.parametrize("bad", BAD_LINES)
def test_bad_lines_of_a_knock_out_are_refused(bad: str) -> None:
    """Each is a fault of a line, before anything is made of the lines. The check of rounds reads them to the end."""
    cup = Knockout(7, best_of=3)
    for first, _ in cup.meetings():
        cup.win(first)
        cup.win(first)
    cup.draw()
    what, which, change = BAD_LINES[bad]
    rows = cup.rows()
    counting = {(of.number, of.drawings) for of in cup.state.rounds}
    line = next(
        one for one in rows[what] if which.items() <= one.items() and (one["round"], one["drawing"]) in counting
    )
    rows[what] = [one for one in rows[what] if one is not line] + ([] if change is None else [{**line, **change}])
    recorded, lines = recorded_of(rows)
    known: Any = _KnownMatches(cup.rows())
    assert [fault for line in lines for fault in faults_of(line, recorded, known)]
    assert [*verify_rounds([recorded.tournament], recorded.rounds, recorded.pairings, None)]


def test_more_entrants_than_a_tournament_can_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """An import has the limit of `enterCompetitor`: among those who take part, and in each round."""
    cup = Knockout(4)
    rows = cup.rows()
    recorded, lines = recorded_of(rows)
    known: Any = _KnownMatches(rows)
    assert not [fault for line in lines for fault in faults_of(line, recorded, known)]
    monkeypatch.setattr(recorded_tournaments, "MOST_ENTRANTS", 3)
    refused = [str(fault) for line in lines for fault in faults_of(line, recorded, known)]
    assert {fault.partition(":")[0] for fault in refused} == {"tournament", "input"}
    assert all("competitors take part; plan another tournament" in fault for fault in refused)


def recorded_of(rows: Rows) -> tuple[RecordedTournament, list[Any]]:
    """The only tournament in exported rows, and all its lines."""
    lines = {
        name: [msgspec.json.decode(msgspec.json.encode(row), type=kind) for row in rows[name]]
        for name, kind in FILES.items()
    }
    (tournament,) = lines["tournaments"]
    recorded = RecordedTournament(tournament, lines["entries"], lines["rounds"], lines["pairings"])
    return recorded, [line for name in lines for line in lines[name]]


def make_again(played: PlayedTournament) -> None:
    """Make a tournament again from its lines, which have no fault."""
    before = played.rows()
    recorded, lines = recorded_of(before)
    league: Any = _KnownMatches(before)
    assert not [fault for line in lines for fault in faults_of(line, recorded, league)]
    state = TournamentState("copa")
    steps = steps_of(recorded, START)
    for step in steps:
        state = CACHED.after(state, step.events, [step.at] * len(step.events))
    assert state.plan is not None
    seen = SeenTournament(state, START, RULEBOOK.rulesets[state.plan.ruleset], played.results)
    drawings = drawings_in(event for step in steps for event in step.events)
    after, known = rows_of(seen, drawings), rows_of(played.seen, played.drawings)  # no line has earlier results
    assert {name: after[name] for name in WHAT} == {name: known[name] for name in WHAT}


class _KnownMatches:
    """What an import knows about players and matches: all that are in these rows."""

    def __init__(self, rows: Rows) -> None:
        self.now = START.replace(year=START.year + 1)
        self.aliases: dict[str, str] = {}
        self.rulebook = self
        self.states = self
        self._sides = {row["match"]: row["sides"] for row in rows["pairings"] if row["match"] is not None}
        self._mode = rows["tournaments"][0]["mode"]

    def at(self, _when: datetime) -> Any:
        return RULEBOOK

    def events(self, stream: str) -> list[str]:
        return [stream]

    def match(self, match: str) -> Any:
        seats = tuple(player for seats in zip(*self._sides[match], strict=True) for player in seats)
        return SimpleNamespace(played=SimpleNamespace(mode=self._mode, seats=seats))


@pytest.fixture(scope="module")
def recorded(embedded_server: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded season of seven pairs: two rounds with an absence and a forfeit, and a round not yet published."""
    folder = tmp_path_factory.mktemp("recorded")
    with unsigned_league(embedded_server) as found:
        players = register(found, 14)
        pairs = [players[at : at + 2] for at in range(0, 14, 2)]
        planned(found, pairs, format="swiss", late_entries=2, check_in=True)
        for one in pairs[:6]:
            found.dispatcher.send(c.CheckIn("copa", ("+".join(one),)), "organiser")
        published(found)
        found.dispatcher.send(c.RecordAbsence("copa", 1, 1, (1,)), "organiser")
        finish(found)
        found.dispatcher.send(c.CheckIn("copa", ("p13+p14",)), "organiser")
        found.dispatcher.send(c.Withdraw("copa", "p01+p02"), "organiser")
        published(found)
        finish(found, forfeited=1)
        catch_up(found)
        _write(found, folder)
    return folder


@pytest.fixture
def season(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the recorded season that a test may change."""
    return Path(shutil.copytree(recorded, tmp_path, dirs_exist_ok=True))


def _write(found: League, folder: Path) -> None:
    url = found.database.url
    for name in WHAT:
        _lines(folder / f"{name}.jsonl", exported(url, name))
    matches = [row for row in exported(url, "matches") if row["status"] != "voided"]
    _lines(folder / "matches.jsonl", [_as_recorded(row) for row in matches])
    players = [f"p{number:02}" for number in range(1, 15)]
    regions = ("Granma", "Holguín", None)
    _lines(
        folder / "players.jsonl",
        [{"player": id_, "name": f"Player {id_}", "region": regions[at % 3]} for at, id_ in enumerate(players)],
    )


def _as_recorded(row: dict[str, Any]) -> dict[str, Any]:
    seats = [player for pair in zip(*row["sides"], strict=True) for player in pair]
    forfeited = row["status"] == "forfeited"
    return {
        "match": row["match"], "ruleset": row["ruleset"], "mode": row["mode"], "competition": "special",
        "played_at": row["played_at"], "seats": seats, "hands": [],
        "announced": None if forfeited else {"winner": row["winner"], "score": row["score"]},
        "forfeited_by": 1 - row["winner"] if forfeited else None,
    }  # fmt: skip


def _lines(file: Path, rows: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(row, default=str) + "\n" for row in rows), encoding="utf-8")


def _rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def elsewhere(embedded_server: str) -> Iterator[League]:
    """An empty league."""
    with own_database(embedded_server) as url, league_at(url) as found:
        yield found


def _import(found: League, folder: Path) -> ImportReport:
    report = import_season(folder, found.store, clock, "organiser", founding=founding())
    catch_up(found)
    return report


def test_a_tournament_is_the_same_in_the_league_that_imports_it(season: Path, elsewhere: League) -> None:
    """An import gives equal entries, rounds, tables and standings. Only the match that an absence voided is missing."""
    report = _import(elsewhere, season)
    (lines,) = report.others
    assert (lines.added, lines.skipped, report.notes) == (1, 0, [])
    for name in WHAT:
        wanted = _rows(season, name)
        for row in wanted:
            if row.get("status") == "walkover":
                row["match"] = None
        assert json.loads(json.dumps(exported(elsewhere.database.url, name), default=str)) == wanted, name


@pytest.mark.heavy
def test_a_round_robin_that_somebody_left_is_the_same_elsewhere(
    embedded_server: str, tmp_path: Path, elsewhere: League
) -> None:
    """A walkover against somebody who left has no match, and who is annulled here is annulled there."""
    with unsigned_league(embedded_server) as found:
        players = register(found, 5)
        planned(found, [[player] for player in players], format="round_robin", mode="1v1", rounds=None)
        first = published(found)
        finish(found)
        leaver = berger_round(2, first.order)[0][0]  # who has an opponent in the second round
        found.dispatcher.send(c.Withdraw("copa", leaver), "organiser")
        published(found)
        finish(found)
        catch_up(found)
        _write(found, tmp_path)
    assert _import(elsewhere, tmp_path).notes == []
    for name in WHAT:
        assert json.loads(json.dumps(exported(elsewhere.database.url, name), default=str)) == _rows(tmp_path, name)
    (gone,) = [row for row in _rows(tmp_path, "tournament_standings") if row["annulled"]]
    assert (gone["id"], gone["rank"], gone["lost"]) == (leaver, None, 0)
    unplayed = [row for row in _rows(tmp_path, "pairings") if row["status"] == "walkover"]
    assert [(row["match"], row["counts"], row["annulled"]) for row in unplayed] == [(None, None, True)]


def test_an_import_again_skips_the_tournament(season: Path, elsewhere: League) -> None:
    """A second import adds no event, even if the tournament has gone on."""
    _import(elsewhere, season)
    elsewhere.dispatcher.send(c.Withdraw("copa", "p13+p14"), "organiser")
    again = _import(elsewhere, season)
    assert ([(one.added, one.skipped) for one in again.others], again.events) == ([(0, 1)], 0)


def at_the_bell(_of: RoundState, table: int) -> Score:
    """A score below the target at every table but table 1, where the loser has reached it."""
    return (160, 155) if table == 1 else (120, 100)


@pytest.mark.heavy
@pytest.mark.parametrize("minutes", [30, None])
def test_scores_below_the_target_are_noted_where_no_bell_ends_a_match(
    embedded_server: str, tmp_path: Path, elsewhere: League, minutes: int | None
) -> None:
    """Timed rounds get no note about low scores. Other doubts are noted, and so are matches outside."""
    with unsigned_league(embedded_server) as played:
        pairs = [(f"p{at:02}", f"p{at + 1:02}") for at in range(1, 9, 2)]
        register(played, 14)
        planned(played, pairs, format="swiss", minutes=minutes)
        one, two = published(played).tables
        finish(played, score=at_the_bell)
        catch_up(played)
        _write(played, tmp_path)
    outside = {**_rows(tmp_path, "matches")[0], "match": "outside", "announced": {"winner": 0, "score": [140, 0]}}
    _lines(tmp_path / "matches.jsonl", [*_rows(tmp_path, "matches"), outside])
    report = _import(elsewhere, tmp_path)
    below = set() if minutes else {(two.match, "below_target")}
    expected = {(one.match, "loser_at_target"), ("outside", "below_target")} | below
    assert {(note.match, note.doubt) for note in report.notes} == expected


def change(name: str, at: int, **values: Any) -> Any:
    def apply(folder: Path) -> None:
        rows = _rows(folder, name)
        rows[at].update(values)
        _lines(folder / f"{name}.jsonl", rows)

    return apply


def drop(name: str, at: int) -> Any:
    def apply(folder: Path) -> None:
        rows = _rows(folder, name)
        del rows[at]
        _lines(folder / f"{name}.jsonl", rows)

    return apply


def input_twice(folder: Path) -> None:
    rows = _rows(folder, "rounds")
    rows[0]["input"][1]["id"] = rows[0]["input"][0]["id"] = "p03+p04"
    _lines(folder / "rounds.jsonl", rows)


def mixed(folder: Path) -> None:
    """Each side has one player of each pair."""
    rows = _rows(folder, "pairings")
    (a, b), (d, e) = rows[0]["sides"]
    rows[0]["sides"] = [[a, d], [b, e]]
    _lines(folder / "pairings.jsonl", rows)


def at_two_tables(folder: Path) -> None:
    rows = _rows(folder, "pairings")
    rows[0]["sides"] = [["p01", "p02"], ["p03", "p04"]]
    rows[1]["sides"] = [["p01", "p02"], ["p05", "p06"]]
    _lines(folder / "pairings.jsonl", rows)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (change("tournaments", 0, rounds=3), "tournaments.jsonl line 1: rounds: is 2"),
        (change("tournaments", 0, colour="red"), "tournaments.jsonl line 1: (line): Object contains unknown field"),
        (change("entries", 0, id="p01+p99"), "entries.jsonl line 1: id: there is no player 'p99'"),
        (change("entries", 1, entered_at="2999-01-01T00:00:00Z"), "entries.jsonl line 2: entered_at:"),
        (change("entries", 1, tournament="otra"), "entries.jsonl line 2: tournament: there is no tournament 'otra'"),
        (change("rounds", 0, root="00" * 32), "rounds.jsonl line 1: seed: its seed does not follow from its root"),
        (change("rounds", 1, round=3), "rounds.jsonl line 2: round: rounds count from 1"),
        (change("pairings", 1, match="copa-r2-t1"), "pairings.jsonl line 2: match: was played by"),
        (change("pairings", 1, match="nothing"), "pairings.jsonl line 2: match: there is no match 'nothing'"),
        (change("pairings", 1, table=1), "pairings.jsonl line 2: (line): stands in line 1 already"),
        (change("pairings", 1, sides=[["p01", "p02"]]), "pairings.jsonl line 2: sides: a table has two sides"),
        (drop("entries", 6), "competitor 'p13+p14'"),
        (change("tournaments", 0, status="planned"), 'tournaments.jsonl line 1: status: is "running"'),
        (change("tournaments", 0, status="ended"), "rounds.jsonl line 2: status: a tournament ends after"),
        (change("entries", 1, id="p04+p03"), "entries.jsonl line 2: id: a pair enters as `a+b`"),
        (change("entries", 1, id="p03+p03"), "entries.jsonl line 2: id: a pair enters as `a+b`"),
        (change("entries", 0, withdrawn_at="2001-01-01T00:00:00Z"), "entries.jsonl line 1: withdrawn_at: is before"),
        (change("rounds", 0, status="published"), "rounds.jsonl line 1: status: a round is closed before the next"),
        (change("rounds", 1, published_at="2001-01-01T00:00:00Z"), "rounds.jsonl line 2: published_at: is before the"),
        (
            change("rounds", 1, published_at="2001-01-01T00:00:00Z"),
            "rounds.jsonl line 2: input: 'p03+p04' entered after",
        ),
        (change("rounds", 1, input=[]), "rounds.jsonl line 2: round 2 is short of competitors: 0 competitors"),
        (input_twice, "rounds.jsonl line 1: input: 'p03+p04' is named twice"),
        (mixed, "pairings.jsonl line 1: sides: there is no competitor 'p"),
        (change("pairings", 1, sides=[["p01"], ["p02"]]), "pairings.jsonl line 2: sides: a side has 2 players"),
        (change("pairings", 1, sides=[[], []]), "pairings.jsonl line 2: sides: a side has 2 players"),
        (change("pairings", 0, sides=[["p13", "p14"], ["p01", "p02"]]), "sides: 'p13+p14' is not among the inputs"),
        (at_two_tables, "pairings.jsonl line 2: sides: player 'p01' is named twice in this round"),
    ],
)
def test_a_line_that_cannot_be_is_named(season: Path, elsewhere: League, spoil: Any, said: str) -> None:
    """A wrong line is named, and nothing of the season is stored."""
    spoil(season)
    with pytest.raises(SeasonRefused) as refused:
        _import(elsewhere, season)
    assert any(said in str(line) for line in refused.value.lines), [str(line) for line in refused.value.lines]
    assert elsewhere.store.head() == 0


def test_a_line_that_is_stored_otherwise_is_refused_with_the_difference(season: Path, elsewhere: League) -> None:
    """A line that differs from the stored tournament, here in a region, is refused with the difference."""
    _import(elsewhere, season)
    change("entries", 0, region="Oriente")(season)
    with pytest.raises(SeasonRefused) as refused:
        _import(elsewhere, season)
    assert [str(line) for line in refused.value.lines] == [
        "entries.jsonl line 1: region: is null by the other lines or in the league"
    ]


def test_a_match_with_another_result_than_its_line_is_noted(season: Path, elsewhere: League) -> None:
    """If a match and its line differ, the match counts and a note says so."""
    change("pairings", 1, winner=1)(season)
    report = _import(elsewhere, season)
    assert [str(note.text) for note in report.notes] == [
        "round 1, table 2: its match gives another result than its line"
    ]


@pytest.mark.heavy
def test_the_tournament_of_the_demo_is_exported_as_it_was_recorded(elsewhere: League) -> None:
    """The demo's tournament is exported as it was recorded, with the standing that it had under version 1 of the rules.

    Only the match of the walkover is unknown.
    """
    _import(elsewhere, COPA)
    lines = {name: json.loads(json.dumps(exported(elsewhere.database.url, name), default=str)) for name in FILES}
    for row in lines["pairings"]:
        if row["status"] == "walkover":
            row["match"] = "copa-junio-r3-t3"
    for name in FILES:
        assert without_new_columns(lines[name], _rows(COPA, name)) == _rows(COPA, name), name
    standing = json.loads(json.dumps(exported(elsewhere.database.url, "tournament_standings")))
    before = [json.loads(line) for line in (Path(__file__).parent / "version-1-copa.jsonl").read_text().splitlines()]
    assert without_new_columns(standing, before) == before
    read = {name: [msgspec.convert(row, kind) for row in lines[name]] for name, kind in FILES.items()}
    found = verify_rounds(read["tournaments"], read["rounds"], read["pairings"], None)
    assert [(one.round, one.flaws) for one in found] == [(number, ()) for number in range(1, 6)]
    with reading(elsewhere) as conn:
        snapshot = snapshot_of(conn, chosen_run(conn, None))
        seen = tournaments_by_id(snapshot, ["copa-junio"])["copa-junio"]
        drawings = drawings_by_tournament(snapshot, ["copa-junio"])["copa-junio"]
    assert not any(is_outdated(seen, of, drawings[of.number, of.drawings]) for of in seen.state.rounds), (
        "no result was corrected"
    )
