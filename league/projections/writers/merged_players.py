"""Merged players in the read tables: which id is read as which, and whose matches move when that changes.

Facts keep the ids of the log. They are read through the aliases where they are scored and where it is written who
played, so all rows of a run have one id for a person.
"""

from collections.abc import Iterator, Mapping

from league.domain.match import MatchState
from league.domain.merges import STREAM, Aliases, MergeEvent, Merges, canonical, evolve, moved
from league.eventlog.folding import state_after
from league.eventlog.store import EventStore
from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.runs import Conn
from league.projections.writers.match_rows import FACTS_PAGE, load_facts, match_players


def aliases_of(conn: Conn) -> Aliases:
    """The ids that are read as other ones."""
    return dict(conn.execute("SELECT player_id, canonical_id FROM player_aliases").fetchall())


def merges_of(conn: Conn) -> Merges:
    """The merges in force."""
    return Merges(dict(conn.execute("SELECT player_id, merged_into FROM player_aliases").fetchall()))


def aliases_at(store: EventStore, position: int) -> Aliases:
    """The ids that are read as other ones by the log up to a position."""
    events = [stored for stored in store.load(STREAM) if stored.position <= position]
    return state_after(events, evolve, Merges()).aliases()


def store_merge(conn: Conn, event: MergeEvent) -> None:
    """Change the aliases by a merge or its undoing; chains move as a whole, so all of them are written again."""
    merges = evolve(merges_of(conn), event)
    conn.execute("DELETE FROM player_aliases")
    rows = ((drop, merges.into[drop], end) for drop, end in merges.aliases().items())
    copy_rows(conn, t.player_aliases, rows)


def facts_of_moved(conn: Conn, before: Aliases, after: Aliases, stored: Aliases) -> Iterator[dict[str, MatchState]]:
    """The facts of the matches that seat an id that is read as another one, page by page.

    `stored`: the aliases under which `match_players` was written, one of the two.
    """
    ids = moved(before, after)
    under = list({*canonical([*ids], stored)})
    found = conn.execute("SELECT DISTINCT match_id FROM match_players WHERE player_id = ANY(%s)", (under,)).fetchall()
    matches = sorted(match for (match,) in found)
    for start in range(0, len(matches), FACTS_PAGE):
        states = load_facts(conn, matches[start : start + FACTS_PAGE])
        yield {match: state for match, state in states.items() if state.played and ids.intersection(state.played.seats)}


def move_match_players(conn: Conn, states: Mapping[str, MatchState], before: Aliases, after: Aliases) -> None:
    """Write anew who played these matches, which were written under the aliases before."""
    written = [*match_players(states, before)]
    players, began, matches = ([row[column] for row in written] for column in range(3))
    conn.execute(
        "DELETE FROM match_players AS p USING unnest(%b::text[], %b::timestamptz[], %b::text[])"
        " AS d (player, began, match) WHERE p.player_id = d.player AND p.began_at = d.began AND p.match_id = d.match",
        (players, began, matches),
    )
    copy_rows(conn, t.match_players, match_players(states, after))
