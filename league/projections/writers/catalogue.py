"""The read tables of players, seasons, editions and the league's settings; and the rules that apply."""

from collections.abc import Iterable
from itertools import groupby

import msgspec

from league.domain.league import LeagueCreated, SettingsChanged
from league.domain.members import MemberRemoved
from league.domain.merges import MergeUndone, PlayersMerged
from league.domain.player import PlayerErased, PlayerMoved, PlayerRegistered, PlayerRenamed
from league.domain.rulebook import EditionAdopted, EditionPublished
from league.domain.rulebook_document import canonical
from league.domain.rules import Rulebook
from league.domain.season import SeasonClosed, SeasonOpened
from league.domain.timeline import Span, Timeline
from league.eventlog import sealing
from league.eventlog.records import Stored
from league.projections.copy_rows import copy_rows
from league.projections.folds.match_fold import Edition, Rules
from league.projections.runs import Conn, HashSpan
from league.projections.tables import players
from league.projections.writers.merged_players import store_merge

SHARED = (
    "league", "players", "player_aliases", "seasons", "match_facts", "match_players", "disputes", "pending_matches",
    "published_standings", "closed_months",
)  # fmt: skip
"""Tables that all runs share and a rebuild folds again. Editions stay: a run may use an unpublished one."""


def apply(conn: Conn, page: Iterable[Stored]) -> Timeline | None:
    """Apply events of these streams, in order. Returns the new timeline if one of them adopts one."""
    timeline = None
    for registrations, some in groupby(page, key=lambda stored: isinstance(stored.event, PlayerRegistered)):
        if registrations:
            _register(conn, some)
        else:
            for stored in some:
                timeline = _apply(conn, stored) or timeline
    return timeline


def _register(conn: Conn, page: Iterable[Stored]) -> None:
    """Store new players by COPY: a statement for each of them took longer than to fold a small league."""
    rows = (
        (stored.stream.partition(":")[2], stored.event.name, stored.event.region, stored.recorded_at)
        for stored in page
        if isinstance(stored.event, PlayerRegistered)
    )
    copy_rows(conn, players, rows)


def _apply(conn: Conn, stored: Stored) -> Timeline | None:  # noqa: C901  # one case for each event
    event = stored.event
    id_ = stored.stream.partition(":")[2]
    match event:
        case LeagueCreated():
            conn.execute("INSERT INTO league (name, time_zone) VALUES (%s, %s)", (event.name, event.time_zone))
        case SettingsChanged():
            conn.execute(
                "UPDATE league SET name = coalesce(%s, name), time_zone = coalesce(%s, time_zone),"
                " confirmation = coalesce(%s, confirmation)",
                (event.name, event.time_zone, event.confirmation),
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
            keep_edition(conn, Edition(event.hash, event.document), event.edition)
        case EditionAdopted():
            return event.timeline
        case _:
            raise TypeError(f"{stored.name} is no event of the catalogue")
    return None


def keep_edition(conn: Conn, edition: Edition, number: int | None) -> None:
    """Store an edition that rows may refer to; without a number it is a candidate."""
    conn.execute(
        "INSERT INTO editions (hash, edition, title, document) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (hash) DO UPDATE SET edition = coalesce(excluded.edition, editions.edition),"
        " title = excluded.title, document = excluded.document",
        (edition.hash, number, edition.rulebook.title, canonical(edition.rulebook)),
    )


def load_edition(conn: Conn, hash_: str) -> Edition | None:
    """The edition with this hash."""
    row = conn.execute("SELECT document FROM editions WHERE hash = %s", (hash_,)).fetchone()
    return None if row is None else Edition(hash_, msgspec.json.decode(row[0], type=Rulebook))


def published(conn: Conn) -> dict[int, Edition]:
    """The published editions by number."""
    rows = conn.execute("SELECT edition, hash, document FROM editions WHERE edition IS NOT NULL")
    return {number: Edition(hash_, msgspec.json.decode(document, type=Rulebook)) for number, hash_, document in rows}


def rules_of_run(conn: Conn, run: int) -> Rules:
    """The rules under which a run is folded."""
    row = conn.execute("SELECT timeline FROM runs WHERE run = %s", (run,)).fetchone()
    assert row is not None, f"there is no run {run}"
    spans = msgspec.convert(row[0], list[HashSpan])
    hashes = list(dict.fromkeys(span.hash for span in spans))
    editions = {}
    for number, hash_ in enumerate(hashes, 1):
        edition = load_edition(conn, hash_)
        assert edition is not None, f"run {run} uses an edition that is gone"
        editions[number] = edition
    return Rules(tuple(Span(span.start, hashes.index(span.hash) + 1) for span in spans), editions)
