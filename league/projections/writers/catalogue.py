"""The read tables of players, merges, seasons, editions and the league's settings; and the rules that apply.

Facts are stored with the ids of the log. When a match is scored, and when its players are written, merged players get
their canonical ids. So all rows of a run have one id for a person.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import groupby

import msgspec

from league.domain import rulebook
from league.domain.league import LeagueCreated, SeasonClosed, SeasonOpened, SettingsChanged
from league.domain.match import MatchState
from league.domain.members import MemberRemoved
from league.domain.player import (
    MERGES_STREAM,
    Aliases,
    MergeEvent,
    Merges,
    MergeUndone,
    PlayerErased,
    PlayerMoved,
    PlayerRegistered,
    PlayerRenamed,
    PlayersMerged,
    canonical,
    evolve_merges,
    moved,
)
from league.domain.rulebook import EditionAdopted, EditionPublished
from league.domain.rules import Rulebook
from league.domain.timeline import EditionSpan, Timeline
from league.eventlog import sealing
from league.eventlog.records import LoggedEvent, state_after
from league.eventlog.store import EventStore
from league.projections import tables as t
from league.projections.copy_rows import copy_rows
from league.projections.folds.match_fold import HashedEdition, RulesTimeline
from league.projections.runs import Conn, HashSpan, first_value
from league.projections.writers.match_rows import FACTS_PAGE, load_facts, match_players

SHARED_TABLES = (
    "league", "players", "player_aliases", "seasons", "match_facts", "match_players", "disputes", "pending_matches",
    "published_standings", "closed_months", "adoptions", "promotions", "promotion_moves",
)  # fmt: skip
"""Tables that all runs share and that a rebuild fills again. Editions stay: a run may use an unpublished one."""


def apply(conn: Conn, page: Iterable[LoggedEvent]) -> Timeline | None:
    """Apply events of the streams of players, merges, seasons, editions and settings, in order.

    Returns the last timeline that they adopt, or None.
    """
    timeline = None
    for registrations, some in groupby(page, key=lambda stored: isinstance(stored.event, PlayerRegistered)):
        if registrations:
            _register(conn, some)
        else:
            for stored in some:
                timeline = _apply(conn, stored) or timeline
    return timeline


def _register(conn: Conn, page: Iterable[LoggedEvent]) -> None:
    """Store new players by COPY: a statement for each of them took longer than to fold a small league."""
    rows = (
        (stored.stream.partition(":")[2], stored.event.name, stored.event.region, stored.recorded_at)
        for stored in page
        if isinstance(stored.event, PlayerRegistered)
    )
    copy_rows(conn, t.players, rows)


def _apply(conn: Conn, stored: LoggedEvent) -> Timeline | None:  # noqa: C901  # one case for each event
    event = stored.event
    id_ = stored.stream.partition(":")[2]
    match event:
        case LeagueCreated():
            conn.execute("INSERT INTO league (name, time_zone) VALUES (%s, %s)", (event.name, event.time_zone))
        case SettingsChanged():
            conn.execute(
                "UPDATE league SET name = coalesce(%s, name), time_zone = coalesce(%s, time_zone),"
                " confirmation = coalesce(%s, confirmation), colour = nullif(coalesce(%s, colour), ''),"
                " second_colour = nullif(coalesce(%s, second_colour), ''), logo = nullif(coalesce(%s, logo), '')",
                (event.name, event.time_zone, event.confirmation, event.colour, event.second_colour, event.logo),
            )
        case PlayerRenamed():
            conn.execute("UPDATE players SET name = %s WHERE player_id = %s", (event.name, id_))
        case PlayerMoved():
            conn.execute("UPDATE players SET region = %s WHERE player_id = %s", (event.region, id_))
        case PlayerErased():
            conn.execute("UPDATE players SET name = NULL WHERE player_id = %s", (id_,))
            # The event destroyed the key, but a restored backup may have brought it back.
            sealing.destroy_key(conn, stored.stream)
        case MemberRemoved():
            sealing.destroy_key(conn, stored.stream)
        case SeasonOpened():
            conn.execute(
                "INSERT INTO seasons (season_id, name, starts_at, ends_at) VALUES (%s, %s, %s, %s)",
                (event.season, event.name, event.start, event.end),
            )
        case SeasonClosed():
            conn.execute("UPDATE seasons SET ends_at = %s WHERE season_id = %s", (event.end, event.season))
        case PlayersMerged() | MergeUndone():
            store_merge(conn, event)
        case EditionPublished():
            store_edition(conn, HashedEdition(event.hash, event.document), event.edition, event.title)
        case EditionAdopted():
            _store_adoption(conn, stored.position, stored.recorded_at, event.timeline)
            return event.timeline
        case _:
            raise TypeError(f"{stored.name} is no event of the catalogue")
    return None


def _store_adoption(conn: Conn, position: int, adopted_at: datetime, timeline: Timeline) -> None:
    """Store when a timeline was adopted. The migration has stored those that were not folded yet."""
    conn.execute(
        "INSERT INTO adoptions (position, adopted_at, timeline) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        (position, adopted_at, msgspec.json.encode(timeline).decode()),
    )


def store_edition(conn: Conn, edition: HashedEdition, number: int | None, title: str | None = None) -> None:
    """Store an edition that rows may refer to; without a number it is a candidate.

    `title`: of a published edition; None: that of its document. A candidate with the rules of a published edition
    leaves that edition its title.
    """
    conn.execute(
        "INSERT INTO editions (hash, edition, title, document) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (hash) DO UPDATE SET edition = coalesce(excluded.edition, editions.edition),"
        " title = CASE WHEN excluded.edition IS NULL THEN editions.title ELSE excluded.title END,"
        " document = excluded.document",
        (edition.hash, number, title or edition.rulebook.title, rulebook.canonical(edition.rulebook)),
    )


def load_edition(conn: Conn, hash_: str) -> HashedEdition | None:
    """The edition with this hash."""
    row = conn.execute("SELECT document FROM editions WHERE hash = %s", (hash_,)).fetchone()
    return None if row is None else HashedEdition(hash_, msgspec.json.decode(row[0], type=Rulebook))


def published(conn: Conn) -> dict[int, HashedEdition]:
    """The published editions by number."""
    rows = conn.execute("SELECT edition, hash, document FROM editions WHERE edition IS NOT NULL")
    return {
        number: HashedEdition(hash_, msgspec.json.decode(document, type=Rulebook)) for number, hash_, document in rows
    }


def rules_of_run(conn: Conn, run: int) -> RulesTimeline:
    """The rules under which a run is folded."""
    spans = msgspec.convert(first_value(conn, "SELECT timeline FROM runs WHERE run = %s", (run,)), list[HashSpan])
    hashes = list(dict.fromkeys(span.hash for span in spans))
    editions = {}
    for number, hash_ in enumerate(hashes, 1):
        edition = load_edition(conn, hash_)
        assert edition is not None, f"run {run} uses an edition that is gone"
        editions[number] = edition
    return RulesTimeline(tuple(EditionSpan(span.start, hashes.index(span.hash) + 1) for span in spans), editions)


# ---------------------------------------------------------------- merged players


def aliases_of(conn: Conn) -> Aliases:
    """The merged ids, each with the canonical id of the player it was merged into."""
    return dict(conn.execute("SELECT player_id, canonical_id FROM player_aliases").fetchall())


def merges_of(conn: Conn) -> Merges:
    """The merges in force."""
    return Merges(dict(conn.execute("SELECT player_id, merged_into FROM player_aliases").fetchall()))


def aliases_at(store: EventStore, position: int) -> Aliases:
    """The merged ids as of a log position, each with its canonical id."""
    events = [stored for stored in store.load(MERGES_STREAM) if stored.position <= position]
    return state_after(events, evolve_merges, Merges()).aliases()


def store_merge(conn: Conn, event: MergeEvent) -> None:
    """Change the aliases by a merge or its undoing. All are written again, since whole chains may change."""
    merges = evolve_merges(merges_of(conn), event)
    conn.execute("DELETE FROM player_aliases")
    rows = ((drop, merges.into[drop], end) for drop, end in merges.aliases().items())
    copy_rows(conn, t.player_aliases, rows)


def facts_of_moved(conn: Conn, before: Aliases, after: Aliases, stored: Aliases) -> Iterator[dict[str, MatchState]]:
    """The facts of the matches with a player whose canonical id differs between `before` and `after`, page by page.

    `stored`: the aliases under which `match_players` was written, which are `before` or `after`.
    """
    ids = moved(before, after)
    under = list({*canonical([*ids], stored)})
    found = conn.execute("SELECT DISTINCT match_id FROM match_players WHERE player_id = ANY(%s)", (under,)).fetchall()
    matches = sorted(match for (match,) in found)
    for start in range(0, len(matches), FACTS_PAGE):
        states = load_facts(conn, matches[start : start + FACTS_PAGE])
        yield {match: state for match, state in states.items() if state.played and ids.intersection(state.played.seats)}


def move_match_players(conn: Conn, states: Mapping[str, MatchState], before: Aliases, after: Aliases) -> None:
    """Replace the rows of who played these matches, which were written under the aliases `before`."""
    written = [*match_players(states, before)]
    players, began, matches = ([row[column] for row in written] for column in range(3))
    conn.execute(
        "DELETE FROM match_players AS p USING unnest(%b::text[], %b::timestamptz[], %b::text[])"
        " AS d (player, began, match) WHERE p.player_id = d.player AND p.began_at = d.began AND p.match_id = d.match",
        (players, began, matches),
    )
    copy_rows(conn, t.match_players, match_players(states, after))
