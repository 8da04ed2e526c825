"""Writes the rows of fold 2: the ledger of rating changes, current ratings, checkpoints to resume from, the journal.

The journal tells how each official rating came about, step by step, even where a correction rewrote the ledger.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import asdict
from psycopg import sql

from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.folds import careers, league_fold
from league.projections.folds.badges import Career
from league.projections.folds.careers import AwardedBadge, Careers, LeagueCalendar
from league.projections.folds.league_fold import (
    RATED_MODES,
    LedgerChange,
    RatingState,
    Subject,
    key_of,
    rating_rows,
    subjects_of,
)
from league.projections.folds.match_fold import DecidedMatch, RulesTimeline
from league.projections.runs import Conn, first_value, table_of
from league.projections.writers.checkpoints import (
    CHECKPOINT_EVERY,
    CarriedState,
    LeagueFoldState,
    state_before,
    store_checkpoint,
)
from league.projections.writers.match_rows import Key, TouchedMatches, decided_after, sort_key
from league.projections.writers.series_rows import SeriesFold, calendar_of, store_badges, store_honours

PAGE = 2_000

_JSON = msgspec.json.Encoder(decimal_format="number")


class FoldCause(Struct, frozen=True):
    """The cause of a fold: new matches, a correction of known matches, merged players, or other rules."""

    kind: str
    """`match`, `correction`, `merge`, `adoption`."""
    position: int
    """The position of the event that caused the fold."""
    match: str | None = None
    """The match, if the cause concerns only one."""
    competitors: frozenset[str] = frozenset()
    """The players and pairs in the matches concerned; changes of other ratings are ripples."""

    def of(self, id_: str) -> str:
        """The cause as it applies to a player or a pair."""
        return self.kind if self.kind == "adoption" or id_ in self.competitors else "ripple"


def fold_from(
    conn: Conn,
    run: int,
    rules: RulesTimeline,
    touched: TouchedMatches,
    reached: LeagueFoldState | None,
    cause: FoldCause | None = None,
    calendar: LeagueCalendar | None = None,
    progress: Callable[[int], None] | None = None,
) -> LeagueFoldState | None:
    """Bring the ledger and the ratings of a run up to date from the first touched place on.

    `reached`: the state in memory; None to resume from a checkpoint. `cause`: the cause for the journal; None to write
    no journal. `calendar`: None for the calendar of the read tables. `progress` is called with the number of matches
    rated. Returns the state after the last match.
    """
    key = touched.earliest
    calendar = calendar or calendar_of(conn)
    if key is None:
        if touched.rules:
            store_honours(conn, run, rules, calendar.closings)
        return reached
    dirty = {("player", player) for player in touched.players}
    shown_under = reached.state.ratings.edition if reached else _shown_edition(conn, run)
    is_first = shown_under is None  # the run has no ratings yet, so there are no rows to replace
    series = SeriesFold(conn, run, rules, calendar, is_first=is_first)
    rewritten: set[tuple[str, str]] = set()
    if reached is None or reached.last is None or sort_key(key) <= sort_key(reached.last):
        rewritten = set() if is_first else _forget(conn, run, key)
        dirty |= rewritten
        series.forget(key)
        reached = _resume(conn, run, rules, key)
    taken = 0
    while page := decided_after(conn, run, reached.last, PAGE):
        changes = _fold_page(conn, run, rules, page, reached)
        series.take(page)
        if cause is not None and not rewritten:
            write_matches(conn, changes)
        # A match that is not rated still shows that its players are active.
        dirty.update(("player", player) for match in page for side in match.sides for player in side)
        dirty.update((change.subject, change.id) for change in changes)
        taken += len(page)
        if progress is not None:
            progress(taken)
    if reached.state.ratings.edition != shown_under:
        # The latest match's edition defines how ratings are displayed, so all of them are written again.
        dirty |= subjects_of(reached.state.ratings)
    if cause is not None and rewritten:
        write_moves(conn, run, cause, reached.state.ratings, dirty)
    _store_current(conn, run, reached.state, rules, dirty, is_first=is_first)
    series.close()
    changed = series.changed_closed_months()
    if touched.rules or changed:
        store_honours(conn, run, rules, calendar.closings, None if touched.rules else changed)
    _note_shown(conn, run, reached)
    return reached


def rate_all(conn: Conn, run: int, rules: RulesTimeline, progress: Callable[[int], None]) -> None:
    """Rate the matches of a run that has no ratings yet. Stores changes, ratings, achievements and badges of matches.

    `progress` is called with the number of matches rated.
    """
    reached, taken = LeagueFoldState(), 0
    while page := decided_after(conn, run, reached.last, PAGE):
        _fold_page(conn, run, rules, page, reached)
        taken += len(page)
        progress(taken)
    state = reached.state
    everybody = subjects_of(state.ratings) | {("player", player) for player in state.careers}
    _store_current(conn, run, state, rules, everybody, is_first=True)
    _note_shown(conn, run, reached)


def play_series(conn: Conn, run: int, rules: RulesTimeline, calendar: LeagueCalendar) -> None:
    """Store the series of a run that has none yet: its games, pairs and standings."""
    series, last = SeriesFold(conn, run, rules, calendar, is_first=True), None
    while page := decided_after(conn, run, last, PAGE):
        series.take(page)
        last = (page[-1].decided_at, page[-1].match)
    series.close()


def _note_shown(conn: Conn, run: int, reached: LeagueFoldState) -> None:
    """Note what decides how ratings are displayed: the latest match and its edition."""
    latest = reached.last[0] if reached.last else None
    shown = "UPDATE runs SET latest_decided_at = %s, shown_edition = %s WHERE run = %s"
    conn.execute(shown, (latest, reached.state.ratings.edition, run))


def _shown_edition(conn: Conn, run: int) -> str | None:
    """The hash of the edition under which the ratings of a run were written; None before the first."""
    edition: str | None = first_value(conn, "SELECT shown_edition FROM runs WHERE run = %s", (run,))
    return edition


def _fold_page(
    conn: Conn, run: int, rules: RulesTimeline, page: Sequence[DecidedMatch], reached: LeagueFoldState
) -> list[LedgerChange]:
    """Apply the next matches, and store their rating changes and badges."""
    changes: list[LedgerChange] = []
    badges: list[AwardedBadge] = []

    def rows() -> Iterator[tuple[Any, ...]]:
        for match in page:
            more, earned = _take(reached.state, match, rules)
            reached.note(match, more)
            changes.extend(more)
            badges.extend(earned)
            for change in more:
                # The row takes the fields in their order: the fields of LedgerChange are the columns of `changes`.
                terms = _JSON.encode(change.modifier_terms).decode()
                yield (run, *(asdict(change) | {"modifier_terms": terms}).values())

    # Matches are rated while the database stores the changes of those before them.
    copy_rows(conn, t.changes, rows(), run)
    store_badges(conn, run, badges)
    if reached.since_checkpoint >= CHECKPOINT_EVERY:
        store_checkpoint(conn, run, reached)
    return changes


def _take(
    state: CarriedState, match: DecidedMatch, rules: RulesTimeline
) -> tuple[list[LedgerChange], list[AwardedBadge]]:
    """Apply one match to everything that is carried over."""
    edition = rules.by_hash[match.edition]
    changes = league_fold.evolve(state.ratings, match, edition.formula)
    return changes, careers.evolve(state.careers, match, changes, edition.rulebook)


def _resume(conn: Conn, run: int, rules: RulesTimeline, before: Key) -> LeagueFoldState:
    """The state before a place in the rating order: the last checkpoint before it, folded forward from there."""
    folded = state_before(conn, run, before)
    while page := decided_after(conn, run, folded.last, PAGE):
        for match in page:
            if sort_key((match.decided_at, match.match)) >= sort_key(before):
                return folded
            changes, _ = _take(folded.state, match, rules)
            folded.note(match, changes)
    return folded


def _forget(conn: Conn, run: int, key: Key) -> set[tuple[str, str]]:
    """Remove the rows of fold 2 from a place in the rating order on. Returns the subjects of the removed changes."""
    later = sql.SQL("DELETE FROM {} WHERE (decided_at, match_id) >= (%s, %s)")
    conn.execute(later.format(table_of(run, "checkpoints")), key)
    earned = sql.SQL("DELETE FROM {} WHERE match_id IS NOT NULL AND (earned_at, match_id) >= (%s, %s)")
    conn.execute(earned.format(table_of(run, "badges")), key)
    # The database returns each subject once: the ledger grows with the log, the subjects only with the players.
    removed = sql.SQL("WITH removed AS ({} RETURNING subject, id) SELECT DISTINCT subject, id FROM removed")
    subjects = conn.execute(removed.format(later.format(table_of(run, "changes"))), key)
    return {(subject, id_) for subject, id_ in subjects}


def _store_current(
    conn: Conn, run: int, state: CarriedState, rules: RulesTimeline, dirty: set[tuple[str, str]], *, is_first: bool
) -> None:
    """Replace the ratings and the achievements of the touched subjects."""
    if not is_first:
        _remove_current(conn, run, dirty)
    _store_ratings(conn, run, state.ratings, rules, dirty)
    _store_careers(conn, run, state.careers, dirty)


def _remove_current(conn: Conn, run: int, dirty: set[tuple[str, str]]) -> None:
    """Remove the ratings of the touched subjects and the achievements of the players: some may have no match left."""
    ratings_of = sql.SQL(
        "DELETE FROM {} AS r USING unnest(%b::text[], %b::text[]) AS d (subject, id)"
        " WHERE r.subject = d.subject AND r.id = d.id"
    )
    conn.execute(ratings_of.format(table_of(run, "ratings")), ([s for s, _ in dirty], [i for _, i in dirty]))
    achievements_of = sql.SQL("DELETE FROM {} WHERE player_id = ANY(%b)").format(table_of(run, "achievements"))
    conn.execute(achievements_of, ([id_ for subject, id_ in dirty if subject == "player"],))


def _store_ratings(conn: Conn, run: int, state: RatingState, rules: RulesTimeline, dirty: set[tuple[str, str]]) -> None:
    """Write the ratings of the touched subjects that have a match."""
    if state.edition is None:
        return
    rating = rules.by_hash[state.edition].rulebook.rating
    rows = (
        (run, row.subject, row.id, row.mode, row.rating, row.matches, row.provisional, row.last_decided_at)
        for subject, id_ in sorted(dirty)
        for row in rating_rows(state, subject, id_, rating)
    )
    copy_rows(conn, t.ratings, rows, run)


def _store_careers(conn: Conn, run: int, known: Careers, dirty: set[tuple[str, str]]) -> None:
    """Write the achievements of the touched players who have a match."""
    players = sorted(id_ for subject, id_ in dirty if subject == "player" and id_ in known)
    rows = (_achievement_row(run, player, known[player]) for player in players)
    copy_rows(conn, t.achievements, rows, run)


def _achievement_row(run: int, player: str, c: Career) -> tuple[Any, ...]:
    best = _JSON.encode(c.best).decode()
    return (run, player, c.matches, c.hands_won, c.capicuas, c.viajeras, c.pollonas, c.streak, best, c.wins)


# ---------------------------------------------------------------- the journal


DIFFERENCE = """
    INSERT INTO journal (position, cause, subject, id, mode, before, after)
    SELECT %s, %s, subject, id, mode, coalesce(a.rating, (
        SELECT before FROM {changes} AS c
        WHERE (c.subject, c.id, c.mode) = (b.subject, b.id, b.mode) AND matches_before = 0)), b.rating
    FROM (SELECT DISTINCT ON (subject, id, mode) subject, id, mode, after AS rating FROM journal
          ORDER BY subject, id, mode, entry DESC) AS a
    FULL JOIN {ratings} AS b USING (subject, id, mode)
    WHERE mode <> 'overall' AND a.rating IS DISTINCT FROM b.rating
    ORDER BY subject, id, mode
"""


def write_matches(conn: Conn, changes: Iterable[LedgerChange]) -> None:
    """Record the rating changes of matches in the journal, one entry for each change."""
    rows = ((c.position, "match", c.subject, c.id, c.mode, c.match, c.before, c.after) for c in changes)
    copy_rows(conn, t.journal, rows)


def write_moves(
    conn: Conn, run: int, cause: FoldCause, state: RatingState, subjects: Iterable[tuple[str, str]]
) -> None:
    """Record the net effect of rewriting the ledger from some place on, for the ratings that still exist."""
    subjects = sorted(subjects)
    before = _ratings(conn, run, subjects)
    after: dict[Subject, float] = {}
    for subject, id_ in subjects:
        for mode in RATED_MODES:
            if standing := state.standings.get(key_of((subject, id_, mode))):
                after[subject, id_, mode] = standing.rating
    entered = _entered(conn, run, after.keys() - before.keys())
    rows = []
    for key in sorted(before.keys() | after.keys()):
        subject, id_, mode = key
        if before.get(key) != after.get(key):
            old = before.get(key, entered.get(key))
            rows.append((cause.position, cause.of(id_), subject, id_, mode, cause.match, old, after.get(key)))
    copy_rows(conn, t.journal, rows)


def write_difference(conn: Conn, kind: str, position: int, run: int) -> None:
    """Record a new official run, by a `promotion` or a `rebuild`: from the journal's last ratings to the run's."""
    query = sql.SQL(DIFFERENCE).format(ratings=table_of(run, "ratings"), changes=table_of(run, "changes"))
    conn.execute(query, (position, kind))


def _ratings(conn: Conn, run: int, subjects: Iterable[tuple[str, str]]) -> dict[Subject, float]:
    kinds, ids = map(list, zip(*subjects, strict=True))
    query = sql.SQL(
        "SELECT subject, id, mode, rating FROM {} JOIN unnest(%s::text[], %s::text[]) AS d (subject, id)"
        " USING (subject, id) WHERE mode <> 'overall'"
    )
    rows = conn.execute(query.format(table_of(run, "ratings")), (kinds, ids))
    return {(subject, id_, mode): rating for subject, id_, mode, rating in rows}


def _entered(conn: Conn, run: int, subjects: Collection[Subject]) -> dict[Subject, float]:
    """The ratings with which these subjects began."""
    if not subjects:
        return {}
    columns = [list(column) for column in zip(*subjects, strict=True)]
    query = sql.SQL(
        "SELECT subject, id, mode, before FROM {} JOIN unnest(%s::text[], %s::text[], %s::text[])"
        " AS d (subject, id, mode) USING (subject, id, mode) WHERE matches_before = 0"
    )
    rows = conn.execute(query.format(table_of(run, "changes")), columns)
    return {(subject, id_, mode): rating for subject, id_, mode, rating in rows}
