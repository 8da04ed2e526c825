"""The rows that people read are compared with the log: every changed row is found, and no right row is a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
import pytest
from leagues import (
    PLAYERS,
    adopt,
    announced,
    at,
    catch_up,
    domino,
    found,
    league_at,
    opened,
    own_database,
    played,
    rebuild,
    revised,
    send,
)
from psycopg import sql

from league.application.bootstrap import League
from league.audit.row_comparison import differing_rows
from league.audit.shadow_rebuild import ShadowProjector, compare
from league.domain.disputes import DisputeResult
from league.domain.league import ChangeSettings, CloseMonth, OpenSeason
from league.domain.match import CorrectHand, RecordHand, VoidMatch
from league.domain.play import Turn
from league.domain.player import ErasePlayer, MergePlayers, RegisterPlayer
from league.domain.transcript import Transcript
from league.eventlog.records import AppendRequest
from league.infra.database import connect
from league.projections import runs
from league.projections.projector import Projector
from league.projections.replays.replay import ReplayPeriod, replay
from league.projections.rows_again import bookkeeping, tables_made_again
from league.projections.runs import Conn, run_digest
from league.projections.tables import metadata
from league.wording.language import speaking, spoken

ADMIN = AppendRequest("admin", "manual")
HONOURS = "badges.month_won = [1]\nbadges.unbeaten_month = { games = 2, thresholds = [1] }\nbadges.streak = [2]"
LOCKED = Transcript(
    (
        ((6, 6), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 7), (0, 8), (0, 9), (1, 1)),
        ((1, 2), (1, 3), (1, 4), (1, 5), (1, 7), (1, 8), (1, 9), (2, 2), (2, 3), (2, 4)),
    ),
    (Turn(0, (6, 6)),),
)
"""A hand that the first tile locks."""
COMPARED = [table for table in metadata.tables.values() if table.name not in bookkeeping()]


def live(league: League) -> None:
    """All that may happen: a match of each kind, a closed month, corrections, an erasure, a merge, a promotion."""
    found(league)
    adopt(league, HONOURS)
    send(league, OpenSeason("s1", "Spring", at(-900), at(900)))
    for number in range(4):
        send(league, announced(f"m{number}", ("ana", PLAYERS[1 + number % 3]), number))
    send(league, played("h1", PLAYERS[:4], 8, domino(0, 0, 90, 3, 4, both=True), domino(1, 60, 0, 60, 2)))
    send(league, played("h2", ("eva", "flor"), 9, domino(0, 0, 90), domino(0, 0, 80)))
    send(league, opened("h3", ("ana", "bea"), 10), RecordHand("h3", transcript=LOCKED))
    catch_up(league)
    send(league, CloseMonth("2026-03"), ErasePlayer("flor"))
    catch_up(league)
    send(league, CorrectHand("h2", 1, domino(1, 70, 0), "misread"), VoidMatch("m3", "never played"))
    catch_up(league)
    send(
        league, RegisterPlayer("dora-2", "Dora"), announced("m4", ("dora-2", "bea"), 4), MergePlayers("dora", "dora-2")
    )
    catch_up(league)
    rules = revised(f"{HONOURS}\nrating.k.provisional = 32")
    league.promoter.promote(replay(league.database.url, rules, ReplayPeriod(at(5))), ADMIN)
    assert faults(league) == [], "also before the adoption is folded"
    send(league, announced("late", ("bea", "cira"), 2.5), DisputeResult("late", "bea", "she did not win"))
    send(league, ChangeSettings(confirmation=True), announced("pending", ("cira", "dora"), 11))
    catch_up(league)


class Beside(NamedTuple):
    """A connection that sees the official run, and another one in temporary tables."""

    conn: Conn
    official: int
    rebuilt: int

    def after(self, statement: str) -> list[str]:
        """What differs after this change, which is taken back."""
        with self.conn.transaction(force_rollback=True):
            self.conn.execute(statement.encode())
            return list(differing_rows(self.conn, self.official, self.rebuilt))


@pytest.fixture(scope="module")
def beside(embedded_server: str) -> Iterator[Beside]:
    with own_database(embedded_server) as url, league_at(url) as league:
        live(league)
        with ShadowProjector(url, league.store) as shadow:
            folded = shadow.compare(url, None)
            assert folded is not None
            assert folded.faults == []
            shadow._conn.execute("RESET ROLE")  # the writer may not do all that tests do here
            yield Beside(shadow._conn, folded.run, shadow._run)


def test_nothing_is_found_where_nobody_changed_anything(beside: Beside) -> None:
    """An untouched league has no fault, with rows in every table that could be compared."""
    assert list(differing_rows(beside.conn, beside.official, beside.rebuilt)) == []
    for table in COMPARED:
        rows = sql.SQL("SELECT EXISTS (TABLE league.{})").format(sql.Identifier(table.name))
        assert beside.conn.execute(rows).fetchone() == (True,), table.name


def test_every_table_of_the_database_is_compared_or_has_a_reason(beside: Beside) -> None:
    """A new table or column is compared at once; each reason in `bookkeeping` names an existing table or column."""
    query = "SELECT relname FROM pg_class WHERE relnamespace = 'league'::regnamespace AND relkind IN ('r', 'p')"
    there = {name for (name,) in beside.conn.execute(query + " AND NOT relispartition")}
    log = {"stored_events", "signed_heads", "sealing_keys", "requests", "alembic_version"}
    again = set(tables_made_again())
    folded, reasons = {table.name for table in COMPARED}, {name for name in bookkeeping() if "." not in name}
    assert there - log == folded | again | reasons
    assert len(there - log) == len(folded) + len(again) + len(reasons), "each once"
    columns = {f"{table.name}.{column.name}" for table in COMPARED for column in table.columns}
    columns |= {
        f"{table}.{column}"
        for table, column in beside.conn.execute("SELECT table_name, column_name FROM information_schema.columns")
        if table in again
    }
    assert {name for name in bookkeeping() if "." in name} <= columns


OTHER = {
    "boolean": "NOT {0}",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 second'",
    "jsonb": """'{{"x": 1}}'""",
    "ARRAY": "'{{7}}'",
    "bytea": "'x'",
    "text": "coalesce({0}, '') || 'x'",
}
"""A changed value for a column, by its type; a number becomes one more."""
ANOTHER_ROW = ("the log does not say so", "it is missing")


LAST = "(tableoid, ctid) = (SELECT tableoid, ctid FROM league.{} {} ORDER BY ctid DESC LIMIT 1)"
CHANGE = "UPDATE league.{} SET {} = {} WHERE {}"
REMOVE = "DELETE FROM league.{} WHERE {}"
OF_OFFICIAL = "WHERE run = (SELECT run FROM league.official_run)"
COLUMNS = """
    SELECT column_name, data_type FROM information_schema.columns
    WHERE table_schema = 'league' AND table_name = %s AND is_generated = 'NEVER' AND column_name <> 'run'
"""


@pytest.mark.heavy
@pytest.mark.parametrize("table", [table.name for table in COMPARED])
def test_any_column_of_a_row_that_is_changed_is_named(beside: Beside, table: str) -> None:
    """A changed column, a removed row and a row that is turned into another are each named."""
    # Rows of a month may go without their month.
    beside.conn.execute(
        "ALTER TABLE league.published_standings DROP CONSTRAINT IF EXISTS published_standings_month_fkey"
    )
    known = metadata.tables[table]
    row = LAST.format(table, OF_OFFICIAL if "run" in known.columns else "")
    for name, type_ in beside.conn.execute(COLUMNS, (table,)).fetchall():
        if f"{table}.{name}" not in bookkeeping():
            other = OTHER.get(type_, "coalesce({0}, 0) + 1").format(name)
            said = beside.after(CHANGE.format(table, name, other, row))
            assert all(one.startswith(f"table {table}") for one in said)
            if known.columns[name].primary_key or not known.primary_key:
                assert [one.rpartition(": ")[2] for one in said] == [*ANOTHER_ROW]
            else:
                assert [f": {name} is " in one for one in said] == [True], said
    if known.primary_key and table != "runs":
        # As if somebody had removed the key of the table first.
        copy = "CREATE TABLE league.twice AS SELECT * FROM league.{0} WHERE {1}; ALTER TABLE league.{0} RENAME TO once;"
        both = "CREATE VIEW league.{0} AS TABLE league.once UNION ALL TABLE league.twice"
        (said,) = beside.after((copy + both).format(table, row))
        assert said.startswith(f"table {table}")
        assert said.endswith(ANOTHER_ROW[0])
    if table != "runs":
        (said,) = beside.after(REMOVE.format(table, row))
        assert said.startswith(f"table {table}")
        assert said.endswith(ANOTHER_ROW[1])


def test_a_fault_is_said_in_words(beside: Beside) -> None:
    """A fault names the table, the row, the column, and both values."""
    said = beside.after("UPDATE league.published_standings SET rank = 9 WHERE mode = '1v1' AND id = 'ana'")
    assert said == ["table published_standings, row month 2026-03, mode 1v1, id ana: rank is 9, but the log says 1"]
    assert beside.after("UPDATE league.players SET name = 'Mallory' WHERE player_id IN ('cira', 'bea')") == [
        "table players, row player bea: name is Mallory, but the log says Bea",
        "table players, row player cira: name is Mallory, but the log says Cira",
    ]
    assert beside.after("INSERT INTO league.editions VALUES ('x', 99, 'Mine', 'x')") == [
        "table editions, row hash x: the log does not say so"
    ]


def test_no_row_hides_behind_others(beside: Beside) -> None:
    """Up to 20 extra, missing and different rows each are named; the others are counted."""
    said = beside.after(
        "DELETE FROM league.players WHERE player_id = 'ana'; "
        "UPDATE league.players SET name = 'Mallory' WHERE player_id IN ('cira', 'bea'); "
        "INSERT INTO league.players (player_id, name, registered_at) "
        "SELECT 'p' || to_char(n, 'FM000'), 'P', now() FROM generate_series(1, 23) AS n"
    )
    assert said == [
        *(f"table players, row player p{n:03}: the log does not say so" for n in range(1, 21)),
        "table players: 3 more rows do not follow from the log",
        "table players, row player ana: it is missing",
        "table players, row player bea: name is Mallory, but the log says Bea",
        "table players, row player cira: name is Mallory, but the log says Cira",
    ]


def test_a_fault_is_said_in_the_language_of_who_reads_it(beside: Beside) -> None:
    """Each kind of difference has words in each language, even where a row lacks a value."""
    some = beside.after(
        "DELETE FROM league.players WHERE player_id = 'ana'; "
        "UPDATE league.players SET name = 'M' WHERE player_id IN ('bea', 'flor')"
    )
    with speaking("es"):
        assert [spoken(said) for said in some] == [
            "tabla players, fila player ana: falta",
            "tabla players, fila player bea: name es M, pero el registro dice Bea",
            "tabla players, fila player flor: name es M, pero el registro dice nada",
        ]


# ---------------------------------------------------------------- a league in which somebody has been


@pytest.fixture
def league(league_url: str) -> Iterator[League]:
    with league_at(league_url) as made:
        for number in range(3):
            send(made, announced(f"m{number}", ("ana", PLAYERS[1 + number]), number))
        catch_up(made)
        yield made


def faults(league: League) -> list[str]:
    """What is wrong with the official run."""
    return compare(league.database.url, league.store, league.project).faults


def do(league: League, statement: str, *parameters: Any) -> None:
    """What the program's own role may do."""
    with connect(league.database.url) as conn:
        conn.execute(statement.encode(), parameters)


def do_as_superuser(league: League, statement: str) -> None:
    """What the program's own role may not do."""
    with psycopg.connect(league.database.url) as conn:
        conn.execute(statement.encode())


@pytest.mark.heavy
def test_the_comparison_can_not_be_switched_off(league: League) -> None:
    """A run of another version, no official run, one that is ahead of the log, and one without rows are faults."""
    head = league.store.head()
    assert faults(league) == []
    do(league, "UPDATE runs SET code = 'x'")
    (said,) = faults(league)
    assert "another version" in said
    do(league, "UPDATE runs SET code = %s, position = 1000", runs.FOLDS)
    (said,) = faults(league)
    assert f"is folded up to 1000, but the log ends at {head}" in said
    do(league, "UPDATE runs SET position = %s", head - 1)
    assert faults(league) != []
    do(league, "UPDATE runs SET position = %s", head)
    assert faults(league) == []
    do_as_superuser(league, "DROP TABLE achievements_1")
    assert "table achievements, row player ana: it is missing" in faults(league)
    do_as_superuser(league, "DROP TABLE matches_1")
    (said,) = faults(league)
    assert "are gone" in said
    do(league, "DELETE FROM official_run")
    (said,) = faults(league)
    assert "there is no official run" in said


@pytest.mark.heavy
def test_the_journal_has_to_lead_to_the_ratings(league: League) -> None:
    """A last step that is changed or gone is found, and a rebuild goes on from there; one amid others stays found."""
    change = "UPDATE journal SET after = 9999 WHERE entry = (SELECT {}(entry) FROM journal WHERE id = 'ana')"
    do(league, change.format("max"))
    (said,) = faults(league)
    assert said.startswith("table journal, player ana, 1v1: it ends at 9999.0, but the rating is 1")
    rebuild(league)
    assert faults(league) == []
    do(league, "DELETE FROM journal WHERE id = 'bea'")
    (said,) = faults(league)
    assert said.startswith("table journal, player bea, 1v1: it ends at nothing, but the rating is 1")
    rebuild(league)
    assert faults(league) == []
    do(league, change.format("min"))
    (said,) = faults(league)
    assert said.startswith("table journal, player ana, 1v1: entry ")
    assert said.endswith("the one before it ended at 9999.0")
    rebuild(league)
    assert faults(league) == [said]


@pytest.mark.heavy
def test_a_rebuild_mends_whatever_was_changed(league: League) -> None:
    """A rebuild repairs every change, even in editions, which it does not remove: document, number, candidate."""
    do(league, "UPDATE editions SET document = 'x', title = 'Mine', edition = 7")
    do(league, "INSERT INTO editions VALUES ('x', 1, 'Mine', 'x')")
    do(league, "UPDATE players SET name = 'Mallory'")
    do(league, "UPDATE ratings SET rating = rating + 500")
    assert list(dict.fromkeys(said.split(",")[0] for said in faults(league) if "journal" not in said)) == [
        "table players", "table editions", "table ratings",
    ]  # fmt: skip
    rebuild(league)
    assert faults(league) == []


@pytest.mark.heavy
def test_who_is_erased_meanwhile_is_no_fault(league: League) -> None:
    """The key is gone before the erasure is projected, and the name may still be there."""
    send(league, ErasePlayer("ana"))
    assert faults(league) == []
    catch_up(league)
    assert faults(league) == []
    do(league, "UPDATE players SET name = 'Ana' WHERE player_id = 'ana'")
    (said,) = faults(league)
    assert "player ana: name is Ana, but the log says nothing" in said


@pytest.mark.heavy
def test_what_is_projected_meanwhile_is_not_compared(league: League) -> None:
    """The official league is compared as it was when the comparison began."""
    head = league.store.head()

    def happens_meanwhile(*_: int) -> None:
        send(league, announced("meanwhile", ("ana", "eva"), 9))
        catch_up(league)

    folded = compare(league.database.url, league.store, league.project, happens_meanwhile)
    assert (folded.position, folded.faults) == (head, [])
    assert compare(league.database.url, league.store, league.project).position == head + 3


def test_nothing_is_noticed_and_nothing_is_left(league: League) -> None:
    """A comparison runs while somebody projects, and leaves no table behind."""
    url = league.database.url
    with Projector(url, league.store), connect(url) as conn:
        tables = """
            SELECT array_agg(relname ORDER BY relname) FROM pg_class
            WHERE relnamespace::regnamespace::text IN ('league', 'runs')
        """
        before = conn.execute(tables).fetchone()
        folded = compare(url, league.store, league.project)
        assert conn.execute(tables).fetchone() == before
    assert (folded.run, folded.position, folded.faults) == (1, league.store.head(), [])
    with connect(url) as conn:
        assert folded.digest == run_digest(conn, 1)
