"""Clubs' sheets: what people write is read, only what is new is added, and what is exported is imported as it was."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from databases import MIGRATED, copy_of
from hostile_files import workbook_of_attributes, workbook_of_one_cell
from hypothesis import example, given
from hypothesis import strategies as st
from leagues import league_at
from openpyxl import Workbook
from sqlalchemy import Connection

from league.application.bootstrap import League
from league.application.registering import named_players
from league.application.stream_states import StreamStates
from league.cli.opening import reading
from league.domain.collected_refusals import SheetRefused
from league.domain.match import VoidMatch
from league.domain.player import MergePlayers, RegisterPlayer
from league.domain.refusals import InvalidInput, KeyReused, UnknownName
from league.eventlog.records import AppendRequest
from league.projections.queries.snapshot import chosen_run
from league.transfer.export import EXPORTS, cell
from league.transfer.recorded_season import import_season
from league.transfer.sheets import columns, sheet_export
from league.transfer.sheets.cells import (
    WrittenTime,
    cell_of,
    is_formula,
    quoted,
    read_moment,
    read_tile,
    write_moment,
    write_tile,
)
from league.transfer.sheets.columns import HANDS, MATCHES
from league.transfer.sheets.people import SheetPeople
from league.transfer.sheets.sheet_import import SheetFile, SheetOptions, SheetReport, hash_of, import_sheet
from league.wording.language import speaking, spoken

NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)
NAMES = ("Ana Pérez", "Luis Núñez", "Eva Díaz", "Juan José", "Ramón y Cajal", "María", "Óscar", "Íñigo")
REGISTER = SheetOptions(register=True)


@contextmanager
def a_league(server: str) -> Iterator[League]:
    """A league in Santo Domingo without players."""
    with copy_of(server, MIGRATED) as url, league_at(url) as opened:
        opened.create("Club", "America/Santo_Domingo", "test")
        yield opened


@pytest.fixture
def league(embedded_server: str) -> Iterator[League]:
    with a_league(embedded_server) as opened:
        yield opened


@pytest.fixture
def other_league(embedded_server: str) -> Iterator[League]:
    with a_league(embedded_server) as opened:
        yield opened


@contextmanager
def read_rows(league: League) -> Iterator[tuple[Connection, int]]:
    """The read tables, and the official run."""
    league.project()
    with reading(league) as conn:
        yield conn, chosen_run(conn, None)


def clock() -> datetime:
    return NOW


def take(
    league: League,
    matches: str | bytes,
    hands: str | None = None,
    options: SheetOptions = REGISTER,
    key: str | None = None,
) -> SheetReport:
    content = matches.encode() if isinstance(matches, str) else matches
    file = SheetFile("sheet", content, None if hands is None else hands.encode())
    hashed = None if key is None else hash_of(file, options)
    return import_sheet(file, options, league.store, clock, AppendRequest("test", "import", key, hashed))


def faults(league: League, *sheets: Any, options: SheetOptions = REGISTER) -> list[tuple[str, str]]:
    """The places and the reasons of a refused sheet, of which nothing is stored."""
    head = league.store.head()
    with pytest.raises(SheetRefused) as refused:
        take(league, *sheets, options=options)
    assert league.store.head() == head
    return [(f"{one.sheet} {one.place}".strip(), one.refusal.message) for one in refused.value.cells]


def text_of(rows: list[list[Any]], separator: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    return out.getvalue()


def workbook(
    matches: list[list[Any]], hands: list[list[Any]] | None = None, change: Callable[[Any], Any] | None = None
) -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in matches:
        sheet.append(row)
    if hands is not None:
        other = book.create_sheet("Manos")
        for row in hands:
            other.append(row)
    if change is not None:
        change(book)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


# ---------------------------------------------------------------- as people write


def as_written(rng: Random, name: str) -> str:
    """A name as somebody writes it: in other letters, with and without accents."""
    plain = name.translate(str.maketrans("áéíóúñÓÍ", "aeiounOI"))
    return rng.choice((name, name.upper(), name.lower(), plain, plain.upper(), f" {plain.replace(' ', '  ')} "))


def a_row(rng: Random, day: date) -> list[str]:
    players = rng.sample(NAMES, 4)
    on = rng.choice((day.isoformat(), f"{day:%d/%m/%Y}", f"{day.day}/{day.month}/{day.year}", f"{day:%d-%m-%Y}"))
    when = rng.choice(("", "", f" {rng.randrange(18, 24)}:{rng.randrange(60):02}"))
    sides = [
        rng.choice((" / ", "&", " + ", " y ", " and ", "/")).join(as_written(rng, name) for name in side)
        for side in (players[:2], players[2:])
    ]
    score = sorted((200 + rng.randrange(40), rng.randrange(190)), reverse=rng.random() < 0.5)
    kind = rng.choice(("", "competitiva", "AMISTOSA", "Torneo"))
    return [on + when, *sides, *map(str, score), kind]


def a_sheet(rng: Random, rows: int) -> list[list[str]]:
    """Rows of September to November, in the order in which they were played."""
    days = sorted(date(2026, 9, 1) + timedelta(days=rng.randrange(80)) for _ in range(rows))
    return [a_row(rng, day) for day in days]


HEADINGS = ["Fecha", "LADO 1", "lado  2", "Puntos 1", "puntos2", "Tipo"]


@pytest.mark.heavy
def test_a_year_of_rows_is_imported_once(league: League, rng: Random) -> None:
    """500 rows as people write them; the same again adds nothing, and a longer copy adds only what is new."""
    for number, name in enumerate(NAMES):
        league.dispatcher.send(RegisterPlayer(f"p{number}", name), "test")
    rows = a_sheet(rng, 500)
    last_month, options = rows[:120], SheetOptions(rules="dominican-200")
    first = take(league, text_of([HEADINGS, *last_month], ";"), options=options)
    assert (first.matches_added, first.matches_skipped) == (120, 0)

    whole = take(league, "\ufeff" + text_of([HEADINGS, *rows], "\t"), options=options)
    assert (whole.matches_added, whole.matches_skipped, whole.players_added) == (380, 120, 0)

    head = league.store.head()
    again = take(league, text_of([HEADINGS, *rows]), options=options)
    assert (again.matches_added, again.matches_skipped, league.store.head()) == (0, 500, head)

    more = [a_row(rng, date(2026, 11, 19)) for _ in range(7)]
    longer = take(league, workbook([HEADINGS, *rows, *more]), options=options)
    assert (longer.matches_added, longer.matches_skipped) == (7, 500)


def test_rows_without_a_time_keep_their_order(league: League) -> None:
    """They begin at midnight of the league's zone, a second after each other; an equal row is another match."""
    rows = [["2026-11-14", "Ana", "Eva"], ["14/11/2026", "eva", "ANA"], ["14.11.2026", "ana", "Eva"]]
    sheet = text_of([["date", "side 1", "side 2", "winner"], *[[*row, 1] for row in rows]])
    report = take(league, sheet, options=SheetOptions("chiva-4", register=True))
    assert (report.matches_added, report.players_added) == (3, 2)
    with read_rows(league) as (conn, run):
        found = sorted(row["played_at"] for row in EXPORTS["matches"].rows(conn, run))
    midnight = datetime(2026, 11, 14, 4, tzinfo=UTC)
    assert found == [midnight, midnight + timedelta(seconds=1), midnight + timedelta(seconds=2)]


MATCH = ["date", "rules", "side 1", "side 2", "score 1", "score 2"]
ROW = ["14/11/2026", "dominican-200", "Ana / Luis", "Eva / Juan", 200, 135]


def test_an_equal_row_with_another_score_is_refused(league: League) -> None:
    """It names the cell, what is stored and what is written; partners in the other order are the same row."""
    take(league, text_of([MATCH, ROW]))
    turned = ["2026-11-14", "dominican-200", "Luis y Ana", "JUAN & eva", 200, 140]
    assert faults(league, text_of([MATCH, turned])) == [("sheet F2", "135 is stored, 140 is written")]


def test_a_corrected_match_is_imported_again_without_harm(league: League) -> None:
    """A match that was voided since is skipped: the sheet says what was recorded."""
    take(league, text_of([MATCH, ROW]))
    match = next(stored.stream for stored in league.store.read_after(0, 1_000) if stored.stream.startswith("match:"))
    league.dispatcher.send(VoidMatch(match.removeprefix("match:"), "wrong players"), "test")
    assert take(league, text_of([MATCH, ROW])).matches_skipped == 1


def test_a_key_is_answered_once(league: League) -> None:
    """A repeated sheet under its key stores nothing again. Another sheet under that key is refused."""
    first = take(league, text_of([MATCH, ROW]), key="k")
    assert take(league, text_of([MATCH, ROW]), key="k").position == first.position
    with pytest.raises(KeyReused):
        take(league, text_of([MATCH, ROW, ROW]), key="k")


def test_partners_are_told_from_names_with_and(league: League) -> None:
    """A cell that is a whole known name is never split, alone or beside a partner."""
    for player, name in (("r", "Ramón y Cajal"), ("a", "Ana"), ("b", "Bea and Co"), ("c", "Cira")):
        league.dispatcher.send(RegisterPlayer(player, name), "test")
    people = SheetPeople(named_players(league.store), {})
    assert people.side("ramon Y cajal") == ("r",)
    assert people.side("Ramón y Cajal y Ana") == ("r", "a")
    assert people.side("Ana and Bea and Co") == ("a", "b")
    assert people.side("c&RAMON Y CAJAL") == ("c", "r")


KNOWN = {"a": "Ana", "i": "Inés", "l": "Luis", "rc": "Ramón y Cajal", "og": "Gómez, Oscar", "h": "Hilda"}


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("José Ortega y Gasset / Ana", ("José Ortega y Gasset", "Ana")),
        ("Ana & Marta con Pedro", ("Ana", "Marta con Pedro")),
        ("Pérez, Rosa + Luis", ("Pérez, Rosa", "Luis")),
        ("ana e ines", ("Ana", "Inés")),
        ("Luis E HILDA", ("Luis", "Hilda")),
        ("Ana, Luis", ("Ana", "Luis")),
        ("Ana - Luis", ("Ana", "Luis")),
        ("Ana – Luis", ("Ana", "Luis")),  # noqa: RUF001  # as a spreadsheet corrects it
        ("Ana con Ramón y Cajal", ("Ana", "Ramón y Cajal")),
        ("Ramón y Cajal, Ana", ("Ramón y Cajal", "Ana")),
        ("Gómez, Oscar", ("Gómez, Oscar",)),
        ("Gómez, Oscar y Ana", ("Gómez, Oscar", "Ana")),
        ("Ana y Nuevo", ("Ana", "Nuevo")),
        ("Luis e Hugo", ("Luis e Hugo",)),
        ("Ana-Luisa", ("Ana-Luisa",)),
    ],
)
def test_a_cell_is_split_between_partners_where_it_is_clear(cell: str, names: tuple[str, ...]) -> None:
    """A cell is split at a sign only, or at a word, or, if both parts are known, at what names may also contain."""
    people = SheetPeople(KNOWN, {}, register=True)
    assert tuple(people.name(player) for player in people.side(cell)) == names


@pytest.mark.parametrize(
    ("cell", "partners"),
    [
        ("Ana, Pedro", "'Ana' and 'Pedro'"),
        ("Pedro e Inés", "'Pedro' and 'Inés'"),
        ("Marta - Pedro", "'Marta' and 'Pedro'"),
        ("Marta con Pedro", "'Marta' and 'Pedro'"),
        ("Pérez, Ana y Luis", "'Pérez, Ana' and 'Luis'"),
        ("José Ortega y Gasset y Marta", "'José Ortega' and 'Gasset y Marta'"),
    ],
)
@pytest.mark.parametrize("register", [True, False])
def test_a_cell_that_can_be_read_in_two_ways_is_refused(cell: str, partners: str, register: bool) -> None:
    """An ambiguous cell is refused with both readings, and registers nobody, unless its meaning was given."""
    people = SheetPeople(KNOWN, {}, register=register)
    with pytest.raises(UnknownName) as refused:
        people.side(cell)
    assert f"{cell!r} is one player, or the partners {partners}: write" in refused.value.message
    assert refused.value.name == cell
    assert not people.registered
    said = SheetPeople(KNOWN, {}, meant={cell: None})
    assert [said.name(player) for player in said.side(cell)] == [cell]


def test_a_name_that_a_sheet_registers_has_no_invisible_characters() -> None:
    """A registered name has no invisible characters, and a cell that has them names the known player."""
    people = SheetPeople(KNOWN, {}, register=True)
    assert people.side("A\u200bna\u200e") == ("a",)
    [new] = people.side("Ma\u00adrta\u200b")
    assert people.name(new) == "Marta"
    assert people.side("Marta") == (new,)


def test_rows_of_merged_players_come_again(league: League) -> None:
    """With the old name or the right one, with an id or without one: nothing is new, and both names are one player."""
    for player, name in (("a", "Ana"), ("b", "Anita"), ("c", "Cira"), ("d", "ana")):
        league.dispatcher.send(RegisterPlayer(player, name), "test")
    head, *rows = [
        [*MATCH, "partida"],
        ["14/11/2026", "cuban-150", "Anita", "Cira", 205, 62, "m1"],
        ["15/11/2026", "cuban-150", "Anita", "Cira", 200, 62, ""],
        ["16/11/2026", "cuban-150", "a", "Cira", 210, 62, ""],
    ]
    assert take(league, text_of([head, *rows])).matches_added == 3
    assert (
        "several players are called 'Ana'" in faults(league, text_of([head, [*rows[0][:2], "Ana", *rows[0][3:]]]))[0][1]
    )
    league.dispatcher.send_all([MergePlayers("a", "b"), MergePlayers("a", "d")], "test")
    right = [[*row[:2], "ANA", *row[3:]] for row in rows]
    for again in (text_of([head, *rows]), text_of([head, *right]), exported(league, "es")[0]):
        report = take(league, again)
        assert (report.matches_added, report.matches_skipped, report.players_added) == (0, 3, 0)
    new = take(league, text_of([head, *right, right[2]]))
    assert (new.matches_added, new.matches_skipped) == (1, 3)


# ---------------------------------------------------------------- hands

HAND = ["partida", "mano", "sale", "final", "ficha", "cierra", "ganador", "quedan 1", "quedan 2", "capicúa",
        "chuchazo", "pase corrido 1", "pase corrido 2", "pase de salida"]  # fmt: skip
PAPER = [
    ["m1", 1, "Ana", "domino", "4-1", "Luis", "", "", 35, "x", "", 1, "", "x"],
    ["m1", 2, "", "tranque", "", "", 2, 41, 12, "", "", "", 2, ""],
    ["m1", 3, "eva", "DOMINÓ", "", "", 1, "", 60, "?", "x", "?", "?", "?"],
    ["m3", 1, "Eva", "domino", "6-6", "Eva", "", 25, "", "", "", "", "", ""],
]
PLAYED = [
    [*MATCH, "partida", "abandono"],
    ["14/11/2026 21:30", "dominican-200", "Ana / Luis", "Eva / Juan", 205, 62, "m1", ""],
    ["15/11/2026", "dominican-200", "Ana / Eva", "Luis / Juan", 120, 150, "", 2],
    ["16/11/2026", "doscientos-100", "Ana", "Eva", "", "", "m3", 1],
]


@pytest.mark.heavy
def test_hands_as_on_paper_come_back_as_they_were(league: League, other_league: League) -> None:
    """Exported with names and imported into a new league: the same matches, hands, boards and ratings; CSV and XLSX."""
    report = take(league, text_of(PLAYED), text_of([HAND, *PAPER]))
    assert (report.matches_added, report.hands_added, report.players_added) == (3, 4, 4)

    for language in ("en", "es"):
        matches, hands = exported(league, language)
        assert take(league, matches, hands).matches_skipped == 3
    book = io.BytesIO()
    with read_rows(league) as (conn, run):
        people = SheetPeople(named_players(league.store), {})
        sheet_export.write_xlsx(sheet_export.sheets_of(league.store, clock, conn, run), people, "es", book)
    assert take(other_league, book.getvalue()).matches_added == 3
    assert exported(other_league, "en") == exported(league, "en")
    for what in ("matches", "hands", "ratings", "standings", "boards"):
        assert by_name(other_league, what) == by_name(league, what)


def test_a_forfeit_moves_ratings_by_the_result_alone(league: League) -> None:
    """The side that gave up was 108 points ahead: M is 0 all the same, without any term, and there is no score."""
    sheet = "fecha;lado 1;lado 2;puntos 1;puntos 2;abandono;partida\n"
    sheet += "01/09/2026 20:00;Ana Fort;Beto Gil;150;0;;ff1\n02/09/2026 20:00;Ana Fort;Beto Gil;;;1;ff2\n"
    take(league, sheet, options=SheetOptions("cuban-150", register=True))
    names = named_players(league.store)
    with read_rows(league) as (conn, run):
        ratings = {
            names[row["id"]]: row["rating"] for row in EXPORTS["ratings"].rows(conn, run) if row["mode"] == "1v1"
        }
        changes = [row for row in EXPORTS["changes"].rows(conn, run) if row["match"] == "ff2"]
        scores = {row["match"]: row["score"] for row in EXPORTS["matches"].rows(conn, run)}
    assert {str(name): round(rating, 3) for name, rating in ratings.items()} == {
        "Ana Fort": 1531.976,
        "Beto Gil": 1476.024,
    }
    assert [(row["modifier"], row["modifier_terms"], row["capped"]) for row in changes] == [(0.0, [], False)] * 2
    assert scores == {"ff1": [150, 0], "ff2": None}


def test_a_forfeit_of_a_recorded_season_comes_back_from_a_sheet(
    league: League, other_league: League, tmp_path: Path
) -> None:
    """A forfeit comes back from a sheet, even if the table had announced the side that gave up as the winner."""
    for number, name in enumerate(("Ana", "Eva"), 1):
        league.dispatcher.send(RegisterPlayer(f"p{number}", name), "test")
    line = {
        "match": "m1", "ruleset": "cuban-150", "mode": "1v1", "played_at": "2026-02-03T20:15:00+00:00",
        "seats": ["p1", "p2"], "hands": [], "announced": {"winner": 0, "score": [140, 20]}, "forfeited_by": 0,
    }  # fmt: skip
    (tmp_path / "players.jsonl").touch()
    (tmp_path / "matches.jsonl").write_text(json.dumps(line))
    import_season(tmp_path, league.store, clock, "test")
    matches, _ = exported(league, "en")
    assert take(league, matches).matches_skipped == 1
    assert take(other_league, matches).matches_added == 1
    assert by_name(other_league, "matches") == by_name(league, "matches")


def test_one_of_several_gives_up_in_a_sheet(league: League, other_league: League) -> None:
    """If one of several gives up, the best score of the others wins; the sheet is written as it was read."""
    heading = ["date", "rules", "side 1", "side 2", "side 3", "score 1", "score 2", "score 3", "forfeit"]
    row = ["14/11/2026", "doscientos-200", "Ana", "Eva", "Luis", 150, 90, 120, 1]
    take(league, text_of([heading, row]))
    matches, _ = exported(league, "en")
    assert take(league, matches).matches_skipped == 1
    assert take(other_league, matches).matches_added == 1
    with read_rows(other_league) as (conn, run):
        assert [(one["status"], one["winner"]) for one in EXPORTS["matches"].rows(conn, run)] == [("forfeited", 2)]


def exported(league: League, language: Any) -> tuple[str, str]:
    """The league as sheets of CSV."""
    matches, hands = io.StringIO(), io.StringIO()
    with read_rows(league) as (conn, run):
        people = SheetPeople(named_players(league.store), {})
        rows = sheet_export.sheets_of(league.store, clock, conn, run)
        sheet_export.write_csv(rows, people, language, matches, hands)
    return matches.getvalue(), hands.getvalue()


def by_name(league: League, what: str) -> list[str]:
    """The rows of an export, with names for ids, in an order that ids do not move."""
    names = named_players(league.store)
    with read_rows(league) as (conn, run):
        rows = [repr(sorted(row.items())) for row in EXPORTS[what].rows(conn, run)]
    for player, name in names.items():
        rows = [row.replace(player, str(name)) for row in rows]
    # A pair's ids stand in their own order.
    return sorted("".join(sorted(row)) for row in rows)


# ---------------------------------------------------------------- bad input


def changed(row: list[Any], at: int, value: Any) -> list[Any]:
    return [*row[:at], value, *row[at + 1 :]]


BAD: dict[str, tuple[Any, str, str]] = {
    "nothing": ("", "A1", "empty"),
    "another encoding": ("fecha,puntos 1\nx,a\xf1o\x81\n".encode("latin-1"), "B2", "neither UTF-8"),
    "UTF-16": ("fecha".encode("utf-16"), "A1", "UTF-16"),
    "two headings alike": ([[*MATCH, "FECHA"], ROW], "G1", "the same column as 'date' in A"),
    "an unknown column": ([[*MATCH, "umpire"], ROW], "G1", "no column 'umpire'"),
    "a missing column": ([["date", "side 1"], ["2026-11-14", "Ana"]], "1", "'side 2' is missing"),
    "a cell without a heading": ([MATCH, [*ROW, "x"]], "G2", "no heading"),
    "a day that there is not": ([MATCH, changed(ROW, 0, "31/02/2026")], "A2", "no day '31/02/2026'"),
    "a month before its day": ([MATCH, changed(ROW, 0, "11/14/2026")], "A2", "the day comes before the month"),
    "no date": ([MATCH, changed(ROW, 0, "yesterday")], "A2", "not a date"),
    "tomorrow": ([MATCH, changed(ROW, 0, "2026-11-21")], "A2", "in the future"),
    "unknown rules": ([MATCH, changed(ROW, 1, "chess")], "B2", "no ruleset 'chess'"),
    "rules of pairs": ([MATCH, ["2026-11-14", "dominican-200", "Ana", "Eva", 200, 1]], "B2", "is played in pairs"),
    "a name of two": ([MATCH, changed(ROW, 2, "twin / Luis")], "C2", "write an id, t1, t2"),
    "one against two": ([MATCH, changed(ROW, 2, "Ana")], "C2", "two pairs"),
    "three partners": ([MATCH, changed(ROW, 2, "Ana/Luis/Bea")], "C2", "two partners"),
    "somebody twice": ([MATCH, changed(ROW, 2, "Eva / Luis")], "D2", "cannot play against"),
    "a score without a side": ([[*MATCH, "score 3"], [*ROW, 10]], "G2", "without a side"),
    "half a score": ([MATCH, changed(ROW, 5, "")], "F2", "missing"),
    "a score in words": ([MATCH, changed(ROW, 5, "ten")], "F2", "not a whole number"),
    "no result": ([MATCH, [*ROW[:4], "", ""]], "2", "no result"),
    "equal scores": ([MATCH, changed(ROW, 5, 200)], "2", "the scores are equal"),
    "a winner that is none": ([[*MATCH, "winner"], [*ROW, 3]], "G2", "no side 3"),
    "a winner who gave up": ([[*MATCH[:4], "winner", "forfeit"], [*ROW[:4], 1, 1]], "E2", "this side gave up"),
    "a winner with less": ([[*MATCH, "winner"], [*ROW, 2]], "G2", "higher score"),
    "an id with a space": ([[*MATCH, "match"], [*ROW, "a b"]], "G2", "not an id"),
    "a huge cell": ([MATCH, changed(ROW, 2, "A" * 200_000)], "C2", "200000 characters"),
    "a bell": ([MATCH, changed(ROW, 2, "A\x07na / Luis")], "C2", "cannot be printed"),
}


@pytest.fixture(scope="module")
def kept_league(embedded_server: str) -> Iterator[League]:
    """A league for sheets that are refused; two of its players have one name."""
    with a_league(embedded_server) as league:
        for player in ("t1", "t2"):
            league.dispatcher.send(RegisterPlayer(player, "Twin"), "test")
        yield league


@pytest.mark.parametrize("name", BAD)
def test_a_bad_sheet_is_refused_at_its_cell(kept_league: League, name: str) -> None:
    """Nothing of it is stored; the refusal names sheet, row and column as a spreadsheet does."""
    sheet, place, reason = BAD[name]
    found = faults(kept_league, text_of(sheet) if isinstance(sheet, list) else sheet)
    assert [where.removeprefix("sheet ") for where, _ in found] == [place]
    assert reason in found[0][1]


def test_all_faults_of_a_sheet_are_named_at_once(kept_league: League) -> None:
    """All faults of all rows and hands are named at once; unknown names come with the closest names."""
    sheet = text_of([MATCH, changed(ROW, 0, "31/02/2026"), changed(ROW, 2, "Ana / Twinn")])
    found = faults(kept_league, sheet, options=SheetOptions())
    assert ("sheet A2", "there is no day '31/02/2026'; the day comes before the month") in found
    assert ("sheet C3", "there is no player 'Twinn'; the closest names are Twin (t1)") in found
    assert ("sheet C2", "there is no player 'Luis'") in found

    many = faults(kept_league, text_of([MATCH, *[changed(ROW, 0, "?")] * 1_000]))
    assert len(many) == 200


SPANISH = ["fecha", "lado 1", "lado 2", "puntos 1", "puntos 2"]


def cells(
    league: League, sheet: list[list[Any]], options: SheetOptions
) -> list[tuple[str, int | None, str | None, str]]:
    """Sheet, row, heading and reason of each fault of a refused sheet."""
    with pytest.raises(SheetRefused) as refused:
        take(league, text_of(sheet), options=options)
    assert refused.value.count == len(refused.value.cells)
    return [(one.sheet, one.row, one.heading, one.refusal.message) for one in refused.value.cells]


def test_what_every_row_lacks_is_named_once_with_its_column(kept_league: League) -> None:
    """What every row lacks is named once, at the headings; what only some rows lack is named at each of them."""
    rows = [[f"{day}/11/2026", "Ana", "Eva", 150, day] for day in (1, 2, 3)]
    found = cells(kept_league, [["Enero"], SPANISH, *rows], REGISTER)
    assert [one[:3] for one in found] == [("sheet", 2, "reglas")]
    assert "--rules" in found[0][3]

    rows[1][4] = 150
    found = cells(kept_league, [SPANISH, *rows], SheetOptions("cuban-150", register=True))
    assert found == [("sheet", 3, "ganador", "the scores are equal: name the winner")]

    found = cells(
        kept_league, [SPANISH, *[[*row[:3], "", ""] for row in rows]], SheetOptions("cuban-150", register=True)
    )
    assert [one[:3] for one in found] == [("sheet", 1, "ganador")]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Nov 14, 2027, 01:00 is in the future (now it is Nov 20, 2026, 11:00)"),
        ("es", "14 nov 2027, 01:00 está en el futuro (ahora es 20 nov 2026, 11:00)"),
    ],
)
def test_a_time_in_the_future_is_said_by_the_clock_of_the_league(kept_league: League, language: Any, said: str) -> None:
    """A time in the future is told by the league's clock, as people write it in their language."""
    with pytest.raises(SheetRefused) as refused, speaking(language):
        take(kept_league, text_of([MATCH, changed(ROW, 0, "14/11/2027 01:00")]))
    with speaking(language):
        assert refused.value.cells[0].refusal.said(spoken) == said


def test_an_empty_cell_of_rules_says_what_to_do(kept_league: League) -> None:
    """If the sheet has a column of rules, each empty cell in it is a fault that says what to do."""
    rows = [["1/11/2026", "Ana", "Eva", 150, 3, rules] for rules in ("", "cuban-150", "")]
    found = cells(kept_league, [[*SPANISH, "reglas"], *rows], REGISTER)
    assert [one[:3] for one in found] == [("sheet", 2, "reglas"), ("sheet", 4, "reglas")]
    assert all("--rules" in one[3] for one in found)


@pytest.mark.parametrize(
    ("headings", "named"),
    [(["fecha", "lado 1"], "lado 2"), (["date", "side 1"], "side 2"), (["x", "y"], "date (fecha)")],
)
def test_a_missing_column_is_named_in_the_language_of_the_file(
    kept_league: League, headings: list[str], named: str
) -> None:
    """A missing column is named in the file's language, or in both languages if that is unclear."""
    found = cells(kept_league, [headings, ["1/11/2026", "Ana"]], REGISTER)
    missing = [one for one in found if "is missing" in one[3]]
    assert missing[0][1:] == (1, named, f"the column {named!r} is missing")


def test_a_fault_of_a_match_names_players_as_the_sheet_does(kept_league: League) -> None:
    """A fault of a match names players as the sheet does, never by an id that it does not have."""
    found = faults(kept_league, text_of([MATCH, changed(ROW, 2, "Eva / Luis")]))
    assert found == [("sheet D2", "'Eva' cannot play against or with themselves")]


BAD_HANDS: dict[str, tuple[list[Any], str, str]] = {
    "of no match": (["m9", *PAPER[0][1:]], "A2", "'m9'"),
    "not the first": (changed(PAPER[0], 1, 2), "B2", "hand 1 is missing"),
    "started by a stranger": (changed(PAPER[0], 2, "Zoe"), "C2", "none of the players"),
    "no ending": (changed(PAPER[0], 3, ""), "D2", "empty"),
    "no such ending": (changed(PAPER[0], 3, "rain"), "D2", "none of"),
    "no such tile": (changed(PAPER[0], 4, "7-1"), "E2", "no tile"),
    "a domino of nobody": (changed(PAPER[0], 5, ""), "F2", "went out"),
    "impossible pips": (changed(PAPER[0], 8, 900), "I2", "900"),
    "pips that tell of one seat": (changed(PAPER[0], 7, 900), "H2", "900 pips are impossible"),
    "a chuchazo with another tile": (changed(PAPER[0], 10, "x"), "K2", "0-0"),
    "half of the passes": (changed(PAPER[0], 12, "?"), "M2", "every side or of none"),
}


@pytest.mark.parametrize("name", BAD_HANDS)
def test_a_bad_hand_is_refused_at_its_cell(kept_league: League, name: str) -> None:
    row, place, reason = BAD_HANDS[name]
    found = faults(kept_league, text_of(PLAYED[:2]), text_of([HAND, row]))
    assert [why for where, why in found if where == f"hands {place}" and reason in why], found


def merge(book: Any) -> None:
    book.active.merge_cells("C2:D2")


def compute(book: Any) -> None:
    book.active["E2"] = "=100+100"


def rewritten(content: bytes, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """An XLSX file with one of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == part else old.read(name))
    return out.getvalue()


def with_entity(xml: bytes) -> bytes:
    entity = b'<!DOCTYPE worksheet [<!ENTITY secret SYSTEM "file:///etc/passwd">]>'
    return entity + re.sub(rb"<\?xml.*?\?>", b"", xml).replace(b"<v>200</v>", b"<v>&secret;</v>")


BOOK = workbook([MATCH, ROW])
SHEET = "xl/worksheets/sheet1.xml"
BAD_BOOKS: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "merged cells": (lambda: workbook([MATCH, [*ROW[:3], "", *ROW[4:]]], change=merge), "Sheet C2", "merged"),
    "a formula without a value": (lambda: workbook([MATCH, ROW], change=compute), "Sheet E2", "formula"),
    "external entities": (lambda: rewritten(BOOK, SHEET, with_entity), "", "Entities"),
    "a zip bomb": (lambda: rewritten(BOOK, SHEET, lambda _: bytes(300 * 1024 * 1024)), "", "unpacks to"),
    "a bomb of cells": (lambda: rewritten(BOOK, SHEET, lambda _: b"<row>" + b"<c/>" * 200_000), "", "far more cells"),
    "a bomb of rows": (lambda: rewritten(BOOK, SHEET, lambda _: b"<row></row>" * 3_000_000), "", "far more cells"),
    "a bomb of texts": (lambda: rewritten(BOOK, "xl/styles.xml", lambda _: bytes(40 * 1024 * 1024)), "", "unpacks to"),
    "a cell without end": (lambda: workbook_of_one_cell(1_000_000), "", "far more text"),
    "a tag without end": (lambda: workbook_of_attributes(200_000), "", "far more text"),
    "a torn file": (lambda: BOOK[:-30], "", "XLSX"),
    "a torn sheet": (lambda: rewritten(BOOK, SHEET, lambda xml: xml[:-200]), "Sheet", "cannot be read"),
}
"""What is wrong with a workbook, what makes it, where it is wrong, and what the refusal says."""


@pytest.mark.heavy
@pytest.mark.parametrize("name", BAD_BOOKS)
def test_a_bad_workbook_is_refused(kept_league: League, name: str) -> None:
    """What openpyxl itself would read as empty cells, follow or unpack."""
    make, place, reason = BAD_BOOKS[name]
    content = make()
    found = faults(kept_league, content)
    assert any(where.startswith(place) and reason in why for where, why in found), found


@pytest.mark.heavy
def test_cells_of_a_spreadsheet_are_read_by_what_they_mean(kept_league: League) -> None:
    """Dates with and without a time, numbers, a formula's value, and a tile that the spreadsheet took for a date."""
    midnight, evening = datetime(2026, 11, 13), datetime(2026, 11, 13, 21, 30)  # noqa: DTZ001  # as a spreadsheet has it
    hand = ["m1", 1, "Ana", "domino", date(2026, 4, 1), "Luis", "", "", 35.0, True, "", "", "", ""]
    rows = [[midnight, *ROW[1:], ""], [evening, *ROW[1:4], "", "", "m1"]]
    report = take(kept_league, workbook([[*MATCH, "match"], *rows], [HAND, hand]))
    assert (report.matches_added, report.hands_added) == (2, 1)
    played = StreamStates(kept_league.store, NOW).match("m1").played
    assert played is not None
    assert played.began_at == datetime(2026, 11, 14, 1, 30, tzinfo=UTC)
    assert played.hands[0].closing.tile == (1, 4)


# ---------------------------------------------------------------- laws of cells


FIRST, LAST = datetime(1950, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001  # bounds have no zone


@given(st.datetimes(FIRST, LAST, timezones=st.just(UTC)))
@example(datetime(2026, 11, 1, 4, 30, tzinfo=UTC))
@example(datetime(2026, 11, 1, 5, 30, tzinfo=UTC))
def test_a_written_time_of_play_is_read_as_it_was(began_at: datetime) -> None:
    """A written time of play is read as it was, even in the hour that a clock shows twice."""
    zone = ZoneInfo("America/Havana")
    moment = read_moment(write_moment(WrittenTime.of(began_at, zone)))
    assert moment.in_zone(zone) == began_at


@given(st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_a_written_tile_is_read_as_it_was(tile: tuple[int, int]) -> None:
    low, high = sorted(tile)
    assert read_tile(write_tile((low, high))) == (low, high)


@pytest.mark.parametrize(
    "as_written",
    ["04-ene", "4-Jan", "1-Apr", "01-abr.", "Apr-01", "abr. 1", "1-abril-26", "01/04/2026", "04/01/26", "2026-04-01"],
)
def test_a_tile_that_a_spreadsheet_made_a_date_is_read_back(as_written: str) -> None:
    """A tile that became a date is read back from CSV and XLSX in both languages: day and month are the halves."""
    assert read_tile(as_written) == (1, 4)


@pytest.mark.parametrize("as_written", ["1 de", "4-mar-abr", "mar-abr", "1-4-4-1", "1-xyz", "4-ma"])
def test_what_is_neither_tile_nor_date_is_no_tile(as_written: str) -> None:
    with pytest.raises(InvalidInput, match="is not a tile"):
        read_tile(as_written)


FORMULAS = ["=1+1", "@x", "＝1+1", "＠x", "\u200b=1+1", "\ufeff\u200e+1", "\u00ad-1", "\t=1"]  # noqa: RUF001


@pytest.mark.parametrize("text", FORMULAS)
def test_what_a_spreadsheet_may_compute_is_quoted_in_every_export(text: str) -> None:
    """A text that looks like a formula is quoted, even after invisible characters or with full-width signs."""
    assert quoted(text) == f"'{text}"
    assert str(cell(text)).startswith("'")
    assert cell_of(quoted(text)) == text or text.startswith("\t")


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1).filter(lambda text: text.strip() == text))
@example("＝1+1")  # noqa: RUF001  # a full-width sign
@example("\u200b=1+1")
def test_a_written_text_is_read_as_it_was_and_is_no_formula(text: str) -> None:
    """A written text is read as it was, unless it begins with a quote before the sign of a formula."""
    assert not is_formula(quoted(text))
    if not text.startswith("'"):
        assert cell_of(quoted(text)) == text


def test_doubtful_scores_are_noted_and_stored(kept_league: League) -> None:
    """Each with its match; a forfeit is as it was announced."""
    head = ["fecha", "reglas", "lado 1", "lado 2", "puntos 1", "puntos 2", "abandono", "partida"]
    rows = [
        ["2026-11-01", "cuban-150", "Ana", "Eva", *score, forfeit, f"d{number}"]
        for number, (*score, forfeit) in enumerate(
            [(1500, 95, ""), (160, 155, ""), (149, 95, ""), (155, 20, ""), (60, 20, 2)]
        )
    ]
    report = take(kept_league, text_of([head, *rows]))
    assert report.matches_added == 5
    assert [(note.match, note.doubt) for note in report.notes] == [
        ("d0", "above_one_hand"), ("d1", "loser_at_target"), ("d2", "below_target"),
    ]  # fmt: skip
    above = "1500 points are more than a match to 150 can end with (301 at most)"
    assert report.notes[0].line == f"sheet 2: {above}"


def test_what_is_noted_of_hands_names_their_rows(league: League) -> None:
    """Notes on hands name their rows in the sheet of hands."""
    hands = [row[:10] for row in (HAND, *PAPER[:3])]
    report = take(league, text_of(PLAYED[:2]), text_of([["Noviembre"], *hands]))
    assert report.not_judged
    assert {str(one.place) for one in report.not_judged.values()} <= {"hands 3", "hands 4", "hands 5"}


def test_a_table_as_a_club_keeps_it_is_imported(kept_league: League) -> None:
    """A title, a row of totals, decimal zeros and Windows-1252: the report says what was guessed, of no match."""
    rows = [["Peña Núñez"], MATCH, [*ROW[:4], "201,0", "17,0"], ["Totales", "", "", "", "201,0", "17,0"]]
    report = take(kept_league, text_of(rows).encode("cp1252"))
    assert report.matches_added == 1
    assert [(note.match, note.line) for note in report.notes if "1252" in note.text] == [(None, report.notes[0].text)]


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_template_is_a_sheet_that_can_be_imported(kept_league: League, language: Any) -> None:
    """A template, with its example, can be imported in both languages."""
    book = io.BytesIO()
    columns.write_xlsx_template(language, book)
    report = take(kept_league, book.getvalue())
    assert report.matches_added + report.matches_skipped == 1
    out = io.StringIO()
    columns.write_csv_template(MATCHES, language, out)
    hands = io.StringIO()
    columns.write_csv_template(HANDS, language, hands)
    assert take(kept_league, out.getvalue(), hands.getvalue()).matches_skipped == 1
