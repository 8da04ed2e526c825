"""Stored explanations of rounds: the choices that made each table, as rows that everybody reads.

An explanation follows from one drawing of a round, which never changes, so it is computed once: by a worker
(`explaining`), after the round is published or when somebody first asks. Its row waits until then. A rebuild keeps what
fits its drawing, and verification compares the hash of all inputs and computes a few tables again.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct
from sqlalchemy import text

from league.domain.sentences import say, say_count
from league.projections.queries.snapshot import Snapshot
from league.projections.row_part import SampledResults
from league.projections.runs import Conn, raise_generation
from league.tournaments.domain.events import RoundDrawn
from league.tournaments.domain.state import RoundState, TournamentState
from league.tournaments.rounds_to_explain import SITTING_OUT, Choices, RoundToExplain
from league.tournaments.why_paired import nothing_is_chosen

EXPLAINER = 2
"""Version of the code that explains. Raise it when equal inputs give another explanation."""
MOST_DEATHS = 2
"""After this many processes that died, a round is explained without the search of next best rounds."""

_STATE = msgspec.msgpack.Decoder(TournamentState)
_DRAWING = msgspec.msgpack.Decoder(RoundDrawn)
_CHOICES = msgspec.json.Decoder(Choices)


# ---------------------------------------------------------------- rows that wait, and their end


_ASK = """
    INSERT INTO tournament_explanations AS known (tournament_id, round, drawing, explainer)
    SELECT %(tournament)s, %(round)s, max(number), %(explainer)s FROM tournament_drawings
    WHERE (tournament_id, round) = (%(tournament)s, %(round)s) HAVING max(number) = %(drawing)s
    ON CONFLICT (tournament_id, round) DO UPDATE SET
        drawing = excluded.drawing, explainer = excluded.explainer, asked_at = excluded.asked_at, deaths = 0,
        searched = NULL, input = NULL
    WHERE (known.drawing, known.explainer) < (excluded.drawing, excluded.explainer)
"""
_FORGET = "DELETE FROM tournament_explanations WHERE (tournament_id, round) = (%s, %s)"
_FORGET_CHOICES = "DELETE FROM tournament_choices WHERE (tournament_id, round) = (%s, %s)"
_WAITING = """
    SELECT tournament_id, round FROM tournament_explanations WHERE input IS NULL AND explainer = %s
    ORDER BY asked_at, tournament_id, round LIMIT %s
"""
_ROW = """
    SELECT drawing, asked_at, deaths FROM tournament_explanations
    WHERE (tournament_id, round) = (%s, %s) AND input IS NULL AND explainer = %s
"""
_INPUT = """
    SELECT state, drawing FROM tournaments JOIN tournament_drawings USING (tournament_id)
    WHERE (tournament_id, round, number) = (%s, %s, %s)
"""
_DIED = "UPDATE tournament_explanations SET deaths = deaths + 1 WHERE (tournament_id, round) = (%s, %s)"
_END = """
    UPDATE tournament_explanations SET input = %s, searched = %s
    WHERE (tournament_id, round, asked_at) = (%s, %s, %s) AND input IS NULL
"""
_ADD_CHOICES = "INSERT INTO tournament_choices (tournament_id, round, number, choices) VALUES (%s, %s, %s, %s::jsonb)"


def ask_for_explanation(conn: Conn, tournament: str, number: int, drawing: int) -> None:
    """Let the last drawing of a round wait for a worker, unless it is explained or waits already."""
    given = {"tournament": tournament, "round": number, "drawing": drawing, "explainer": EXPLAINER}
    conn.execute(_ASK, given)


def follow_rounds(conn: Conn, before: TournamentState, after: TournamentState, *, asks: bool) -> None:
    """After a change of a tournament, forget explanations of drawings that count no more.

    `asks`: whether each round that was published by the change waits for its explanation now.
    """
    for of in after.rounds:
        was = before.round(of.number)
        if was is not None and _counts_no_more(before, was, after, of):
            _forget(conn, after.id, of.number)
        is_new = was is None or was.status != "published" or was.drawings != of.drawings
        if asks and of.status == "published" and is_new and not nothing_is_chosen(after.known_plan):
            ask_for_explanation(conn, after.id, of.number, of.drawings)


def _counts_no_more(before: TournamentState, was: RoundState, after: TournamentState, of: RoundState) -> bool:
    if was.drawings != of.drawings or was.status != of.status == "withdrawn":
        return True
    return of.status == "drawn" and after.plan is not before.plan


def _forget(conn: Conn, tournament: str, number: int) -> None:
    conn.execute(_FORGET, (tournament, number))
    conn.execute(_FORGET_CHOICES, (tournament, number))


def waiting_rounds(conn: Conn, most: int) -> list[tuple[str, int]]:
    """The rounds that wait for an explanation, by tournament and number, those asked for first at the beginning."""
    return [(tournament, number) for tournament, number in conn.execute(_WAITING, (EXPLAINER, most))]


def is_waiting(conn: Conn, tournament: str, number: int) -> bool:
    """Whether a round waits for an explanation by this version of the code."""
    return bool(conn.execute(_ROW, (tournament, number, EXPLAINER)).rowcount)


def note_death(conn: Conn, tournament: str, number: int) -> None:
    """Note that the process that explained a round has died."""
    conn.execute(_DIED, (tournament, number))


def explain_stored_round(conn: Conn, tournament: str, number: int) -> None:
    """Explain a round that waits, and store that at once. `conn` is in autocommit mode.

    Nothing is stored if the round was drawn again or withdrawn meanwhile: its row is gone then.
    """
    row = conn.execute(_ROW, (tournament, number, EXPLAINER)).fetchone()
    if row is None:
        return
    drawing, asked_at, deaths = row
    round_ = _to_explain(conn, tournament, number, drawing)
    if round_ is None:
        _forget(conn, tournament, number)
        return
    searches = deaths < MOST_DEATHS
    found = round_.explained(searches=searches)
    rows = [(tournament, number, table, msgspec.json.encode(of).decode()) for table, of in found.items()]
    with conn.transaction(), conn.cursor() as cursor:
        if cursor.execute(_END, (round_.input_hash, searches, tournament, number, asked_at)).rowcount:
            cursor.execute(_FORGET_CHOICES, (tournament, number))
            cursor.executemany(_ADD_CHOICES, rows)
            raise_generation(conn)  # last, since others wait for its lock


def _to_explain(conn: Conn, tournament: str, number: int, drawing: int) -> RoundToExplain | None:
    """A drawing of a round; None if it is not the round's last one, or has no tables, or counts for nothing."""
    row = conn.execute(_INPUT, (tournament, number, drawing)).fetchone()
    if row is None:
        return None
    state = _STATE.decode(row[0])
    of = state.round(number)
    if of is None or of.drawings != drawing or of.root is None or of.status == "withdrawn":
        return None
    return None if nothing_is_chosen(state.known_plan) else RoundToExplain(state, of, _DRAWING.decode(row[1]))


# ---------------------------------------------------------------- read


class RoundKey(NamedTuple):
    """One drawing of a round."""

    tournament: str
    round: int
    drawing: int


class TableKey(NamedTuple):
    """A table of one drawing of a round."""

    tournament: str
    round: int
    drawing: int
    number: int


class StoredExplanation(Struct, frozen=True):
    """The explanation of a table, or that its round waits for one."""

    is_there: bool
    """Whether the round is explained."""
    choices: Choices
    """The choices that made the table."""


_STORED = text("""
    SELECT e.tournament_id, e.round, e.drawing, asked.number, e.input IS NOT NULL, c.choices::text
    FROM unnest(
        CAST(:tournaments AS text[]), CAST(:rounds AS integer[]), CAST(:drawings AS integer[]),
        CAST(:numbers AS integer[])
    ) AS asked (tournament_id, round, drawing, number)
    JOIN tournament_explanations AS e USING (tournament_id, round, drawing)
    LEFT JOIN tournament_choices AS c ON e.input IS NOT NULL
        AND (c.tournament_id, c.round, c.number) = (e.tournament_id, e.round, asked.number)
    WHERE e.explainer = :explainer
""")


def stored_explanations(snapshot: Snapshot, keys: Sequence[TableKey]) -> dict[TableKey, StoredExplanation]:
    """The explanations of these tables that are stored or wait. The others are asked for by nobody yet."""
    names = ("tournaments", "rounds", "drawings", "numbers")
    given = {name: list(column) for name, column in zip(names, zip(*keys, strict=True), strict=True)}
    return {
        TableKey(*key): StoredExplanation(is_there, () if choices is None else _CHOICES.decode(choices))
        for *key, is_there, choices in snapshot.conn.execute(_STORED, {**given, "explainer": EXPLAINER})
    }


_EXPLAINED = text("""
    SELECT round, drawing FROM tournament_explanations
    WHERE tournament_id = :tournament AND input IS NOT NULL AND explainer = :explainer ORDER BY round
""")


def explained_drawings(snapshot: Snapshot, tournament: str) -> list[tuple[int, int]]:
    """The rounds of a tournament that are explained, each with the number of its drawing."""
    given = {"tournament": tournament, "explainer": EXPLAINER}
    return [(round_, drawing) for round_, drawing in snapshot.conn.execute(_EXPLAINED, given)]


# ---------------------------------------------------------------- made again, and verified


TABLES = ("tournament_explanations", "tournament_choices")
BOOKKEEPING = {
    "tournament_explanations.asked_at": "the order in which rounds that wait are explained",
    "tournament_explanations.deaths": "processes that died while they explained the round",
    "tournament_explanations.searched": "whether next best rounds were searched depends on these deaths",
}
SAMPLE = 3
"""Tables that verification explains again."""

_KNOWN = "SELECT tournament_id, round, drawing, explainer, input FROM league.tournament_explanations ORDER BY 1, 2"
_KEEP = """
    INSERT INTO tournament_explanations
    SELECT * FROM league.tournament_explanations WHERE (tournament_id, round) = (%s, %s)
"""
_WAIT = "UPDATE tournament_explanations SET input = NULL, searched = NULL WHERE (tournament_id, round) = (%s, %s)"
_KEEP_CHOICES = """
    INSERT INTO tournament_choices SELECT * FROM league.tournament_choices WHERE (tournament_id, round) = (%s, %s)
"""
_NUMBERS = "SELECT number, choices::text FROM league.tournament_choices WHERE (tournament_id, round) = (%s, %s)"
_CHOSEN = f"""
    SELECT tournament_id, round, number, drawing, searched, choices::text
    FROM tournament_explanations JOIN tournament_choices USING (tournament_id, round)
    WHERE input IS NOT NULL AND explainer = %s
    ORDER BY sha256(%s::bytea || convert_to(concat_ws(' ', tournament_id, round, number), 'UTF8')), 1, 2, 3
    LIMIT {SAMPLE}
"""  # noqa: S608  # a constant
_OLDER = "SELECT count(*) FROM tournament_explanations WHERE input IS NOT NULL AND explainer < %s"


def make_explanations(conn: Conn) -> None:
    """Keep the stored explanations that fit the drawings in the log; the others wait, or go with their drawing.

    An explanation by older code is kept unread: nobody shows it, and whoever asks gets a new one.
    """
    for tournament, number, drawing, explainer, input_ in conn.execute(_KNOWN).fetchall():
        round_ = _to_explain(conn, tournament, number, drawing)
        if round_ is None:
            continue
        at = (tournament, number)
        conn.execute(_KEEP, at)
        conn.execute(_KEEP_CHOICES, at)
        if input_ is not None and explainer >= EXPLAINER and not _fits(conn, round_, input_):
            conn.execute(_WAIT, at)  # nobody reads its choices, and the worker replaces them


def _fits(conn: Conn, round_: RoundToExplain, input_: str) -> bool:
    """Whether a stored explanation was computed from this round, and has all of its tables."""
    stored = dict(conn.execute(_NUMBERS, (round_.state.id, round_.of.number)).fetchall())
    try:
        named = {number: _sides(_CHOICES.decode(choices)) for number, choices in stored.items()}
    except msgspec.MsgspecError:
        return False
    # A table that was paired by hand later keeps the choices that it had before, and so does who plays there now.
    numbers = {SITTING_OUT, *(table.number for table in round_.of.tables)}
    has_all = all(ids <= named.get(number, set()) for number, ids in round_.named.items())
    return input_ == round_.input_hash and has_all and named.keys() <= numbers


def _sides(choices: Choices) -> set[str]:
    return {id_ for choice in choices for id_ in (*choice.one, *choice.other)}


def sample_explanations(conn: Conn, last_hash: bytes) -> SampledResults:
    """Explain a few tables again, chosen by the hash of the last event, and compare them with what is stored."""
    faults = list(_sampled(conn, last_hash))
    (older,) = conn.execute(_OLDER, (EXPLAINER,)).fetchone() or (0,)
    notes: list[str] = []
    if older:
        note = say_count(
            "{count} explanation of a round is by an older version of what explains: it is not compared, nobody reads "
            "it, and a worker makes it again when somebody asks",
            "{count} explanations of rounds are by older versions of what explains: they are not compared, nobody "
            "reads them, and a worker makes them again when somebody asks",
            older,
        )
        notes.append(note)
    return SampledResults(faults, notes)


def _sampled(conn: Conn, last_hash: bytes) -> Iterator[str]:
    chosen = conn.execute(_CHOSEN, (EXPLAINER, last_hash)).fetchall()
    for tournament, number, table, drawing, searched, choices in chosen:
        round_ = _to_explain(conn, tournament, number, drawing)
        if round_ is None or table not in round_.named:
            continue
        known = _CHOICES.decode(choices)
        if table == SITTING_OUT:  # who plays at a table that was paired by hand later had choices before
            known = tuple(one for one in known if {*one.one} <= round_.named[table])
        if round_.choices(table, round_.explainer(searches=searched)) != known:
            yield say(
                "table tournament_choices, row tournament {tournament}, round {round}, number {table}: choices is not "
                "what its drawing gives; delete the round's row in tournament_explanations, and it is explained again",
                tournament=tournament,
                round=number,
                table=table,
            )
