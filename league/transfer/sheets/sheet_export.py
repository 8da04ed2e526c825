"""Writes ended matches as sheets with names, which `sheet_import` can read again.

The import compares rows of matches that the league already has with the rows that are made here.
"""

import csv
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, select

from league.application.dispatch import Clock
from league.application.stream_states import StreamStates
from league.domain.hand import HandFacts, corridos_by_side, pips_by_seat, pips_by_side
from league.domain.refusals import Refusal
from league.domain.result import MatchFacts, result_of
from league.domain.rules import Rulebook
from league.domain.scoring import HandScore
from league.domain.seating import count_sides
from league.eventlog.records import match_after
from league.eventlog.store import EventStore
from league.projections import tables as t
from league.transfer.sheets.cells import Mark, WrittenTime, cell_of, quoted
from league.transfer.sheets.columns import HANDS, HANDS_TITLE, MATCHES, MATCHES_TITLE, Language, SheetColumn
from league.transfer.sheets.people import SheetPeople

Values = dict[str, Any]
"""A row by English heading: players by their ids, sides and hands by numbers from 1."""


class StoredMatch(Struct, frozen=True):
    """The rows of a match."""

    match: Values
    hands: list[Values]


def stored_match(match_id: str, played: MatchFacts, edition: Rulebook, zone: ZoneInfo) -> StoredMatch:
    """The rows of a match that the league has."""
    result = result_of(played, edition.rulesets[played.ruleset])
    announced, winner = played.announced, result.winner
    score = (announced and announced.score) or (None if played.forfeited_by is not None else result.score)
    values: Values = {
        "date": WrittenTime.of(played.began_at, zone),
        "rules": played.ruleset,
        "kind": played.competition,
        **{f"side {side}": players for side, players in enumerate(played.sides, 1)},
        **{f"score {side}": points for side, points in enumerate(score or (), 1)},
        "match": match_id,
    }
    if played.forfeited_by is not None:
        values["forfeit"] = played.forfeited_by + 1
    # In a forfeited match the sheet has the winner that follows from it, not the announced one.
    known = winner if announced is None or played.forfeited_by is not None else announced.winner
    if known is not None:
        values["winner"] = known + 1
    hands = [
        _hand(number, facts, scored, played, match_id)
        for number, (facts, scored) in enumerate(zip(played.hands, result.hands, strict=True), 1)
    ]
    return StoredMatch(values, hands)


def _hand(number: int, facts: HandFacts, scored: HandScore, played: MatchFacts, match_id: str) -> Values:
    seats, closing = played.seats, facts.closing
    # Who has won a block may follow from what a sheet does not hold, such as the pips of each seat.
    winner = facts.stated_winner
    if winner is None and (facts.ended_by == "block" or facts.seat is None):
        winner = scored.winner
    claimed = facts.stated_capicua
    if claimed is None and facts.ended_by == "domino":
        claimed = scored.capicua
    pips = pips_by_side(facts, pips_by_seat(facts), played.mode)
    corridos = corridos_by_side(facts, played.mode)
    values: Values = {
        "match": match_id,
        "hand": number,
        "starts": None if facts.starter is None else seats[facts.starter],
        "ended": facts.ended_by,
        "tile": closing.tile,
        "closed by": None if facts.seat is None else seats[facts.seat],
        "winner": None if winner is None else winner + 1,
        **{f"left {side}": pips for side, pips in enumerate(pips, 1)},
        "capicua": _mark(claimed) if facts.ended_by == "domino" or facts.stated_capicua is not None else "no",
        "chuchazo": "yes" if facts.ended_by == "domino" and closing.tile == (0, 0) else None,
        "opening pass": _mark(facts.opening_pass),
    }
    known = {heading: value for heading, value in values.items() if value is not None}
    sides = range(count_sides(played.mode, len(seats)))
    return known | {f"pase corrido {side + 1}": None if corridos is None else corridos[side] for side in sides}


def _mark(fact: bool | None) -> Mark:
    return "unknown" if fact is None else "yes" if fact else "no"


def ended_matches(states: StreamStates, ids: list[str]) -> Iterator[StoredMatch]:
    """The rows of the matches among `ids` that have a result. All are loaded together."""
    states.prefetch(f"match:{match_id}" for match_id in ids)
    for match_id in ids:
        played = states.match(match_id).played
        assert played is not None, "a match is opened"
        edition = states.rulebook().at(played.began_at)
        if not played.voided and result_of(played, edition.rulesets[played.ruleset]).winner is not None:
            read = replace(played, seats=states.read_as(played.seats))
            yield stored_match(match_id, read, edition, states.zone())


def as_recorded(states: StreamStates, match_id: str) -> MatchFacts:
    """A match as it was imported, before any later change."""
    events = states.events(f"match:{match_id}")
    played = match_after([event for event in events if event.source == "import"] or events).played
    assert played is not None, "a match is opened"
    return played


# ---------------------------------------------------------------- writing


AT_ONCE = 500
"""Matches that are loaded together."""
ENDED = ("completed", "cut_short", "forfeited", "announced")

CellOut = str | int | None


def sheets_of(store: EventStore, clock: Clock, conn: Connection, run: int) -> Iterator[StoredMatch]:
    """The rows of all ended matches, in the order in which they were decided."""
    m = t.matches.c
    query = select(m.match_id).where(m.run == run, m.status.in_(ENDED)).order_by(m.decided_at, m.match_id)
    ids = list(conn.scalars(query))
    for start in range(0, len(ids), AT_ONCE):
        yield from ended_matches(StreamStates(store, clock()), ids[start : start + AT_ONCE])


def write_csv(
    matches: Iterator[StoredMatch], people: SheetPeople, language: Language, out: TextIO, hands_out: TextIO | None
) -> None:
    """Write the sheet of matches, and the sheet of hands where there is a file for it."""
    sheet = csv.writer(out, lineterminator="\n")
    sheet.writerow(headings(MATCHES, language))
    hands = None if hands_out is None else csv.writer(hands_out, lineterminator="\n")
    if hands is not None:
        hands.writerow(headings(HANDS, language))
    for match in matches:
        sheet.writerow(cells_of(match.match, MATCHES, people))
        if hands is not None:
            hands.writerows(cells_of(hand, HANDS, people) for hand in match.hands)


def write_xlsx(matches: Iterator[StoredMatch], people: SheetPeople, language: Language, out: BinaryIO) -> None:
    """Write a workbook with a sheet of matches and a sheet of hands."""
    from openpyxl import Workbook  # noqa: PLC0415  # it takes a quarter of a second

    book = Workbook(write_only=True)
    sheet = book.create_sheet(MATCHES_TITLE[language])
    hands = book.create_sheet(HANDS_TITLE[language])
    sheet.append(headings(MATCHES, language))
    hands.append(headings(HANDS, language))
    for match in matches:
        sheet.append(cells_of(match.match, MATCHES, people))
        for hand in match.hands:
            hands.append(cells_of(hand, HANDS, people))
    book.save(out)


def headings(columns: tuple[SheetColumn, ...], language: Language) -> list[str]:
    """The first row of a sheet."""
    return [column.heading(language) for column in columns]


def cells_of(values: Values, columns: tuple[SheetColumn, ...], people: SheetPeople) -> list[CellOut]:
    """A row of a sheet."""
    return [_cell(column, values, people) for column in columns]


def _cell(column: SheetColumn, values: Values, people: SheetPeople) -> CellOut:
    if column.name not in values:
        return None
    value: Any = values[column.name]
    if column.name.startswith("side "):
        return _called(value, people)
    if column.name in ("starts", "closed by"):
        return _called((value,), people)
    cell = column.write(value)
    return quoted(cell) if isinstance(cell, str) else cell


def _called(players: tuple[str, ...], people: SheetPeople) -> str:
    """Players by their names, or by their ids where the names would be read as other players."""
    names = quoted(" / ".join(people.name(player) or player for player in players))
    try:
        found = people.side(str(cell_of(names)))
    except Refusal:
        found = ()
    return names if found == players and names.isprintable() else quoted(" / ".join(players))
