"""`league trail`: who did what, and its rows for the export."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from itertools import islice
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec
import typer
from sqlalchemy import Connection

from league.cli import terminal
from league.cli.named import find
from league.cli.opening import in_utc, reading_run
from league.cli.options import TIMES, Json, moment
from league.cli.terminal import local, print_zone
from league.domain.audit_trail import SOURCES
from league.domain.match import MatchOpened
from league.projections.queries.log import StoredEvent
from league.projections.queries.pages import PageOf, count, read_page
from league.projections.queries.players import former_ids, names_of
from league.projections.queries.snapshot import Snapshot
from league.projections.queries.trail import (
    TrailEntry,
    TrailFilter,
    check_known,
    entry_of,
    every_entry,
    openings_of,
    order_of,
)
from league.projections.queries.trail import trail as trail_query
from league.wording.language import _
from league.wording.matches import Around, Names
from league.wording.trail import players_in, words

COLUMNS = (
    "position", "recorded_at", "played_at", "kind", "version", "stream", "match", "players", "actor", "source", "key",
    "what", "body",
)  # fmt: skip
"""The columns of the export."""

PAGE = 1_000


def rows(conn: Connection) -> Iterator[dict[str, Any]]:
    """A row for every event of the log, the oldest first; players by their ids, times in UTC."""
    entries = every_entry(conn, TrailFilter())
    while page := list(islice(entries, PAGE)):
        yield from documents(page, openings_of(conn, page), {}, UTC)


def told_of(entry: TrailEntry, openings: Mapping[str, MatchOpened], names: Names, zone: tzinfo) -> Around:
    """What is known of an entry: the players of the match at which it happened, where there is one."""
    opened = openings.get(entry.played_in or "")
    return Around(names, zone=zone) if opened is None else Around(names, opened.mode, opened.seats, zone)


def documents(
    entries: list[TrailEntry], openings: Mapping[str, MatchOpened], names: Names, zone: tzinfo
) -> Iterator[dict[str, Any]]:
    """A row for each entry; players by these names, or by their ids."""
    for entry in entries:
        log = entry.log
        yield {
            "position": log.position,
            "recorded_at": log.recorded_at,
            "played_at": log.played_at,
            "kind": entry.kind,
            "version": entry.version,
            "stream": log.stream,
            "match": entry.match,
            "players": entry.players(openings),
            "actor": log.actor,
            "source": log.source,
            "key": log.key,
            "what": words(log.stream, entry.event, told_of(entry, openings, names, zone)),
            "body": msgspec.json.decode(entry.body),
        }


def trail(
    player: Annotated[
        str | None,
        typer.Option(help="About this player (an id or a name), with their matches, series and tokens."),
    ] = None,
    match: Annotated[str | None, typer.Option(help="About this match.")] = None,
    actor: Annotated[str | None, typer.Option(help="By this actor.")] = None,
    source: Annotated[str | None, typer.Option(help=f"From this source: {', '.join(SOURCES)}.")] = None,
    kind: Annotated[str | None, typer.Option(help="Of this kind, such as match-voided.")] = None,
    from_: Annotated[
        datetime | None,
        typer.Option("--from", parser=moment, metavar="TIME", help=f"Recorded at this time or later. {TIMES}"),
    ] = None,
    to: Annotated[
        datetime | None, typer.Option("--to", parser=moment, metavar="TIME", help="Recorded before this time.")
    ] = None,
    first: Annotated[int, typer.Option(help="How many events to print.", min=1)] = 20,
    as_json: Json = False,
) -> None:
    """Print who did what, the latest event first.

    The trail has every event of the log: play, corrections, changes of the rules, tokens, replays, imports and
    exports.
    """
    with reading_run(None, None) as (league, snapshot):
        start, end = in_utc(from_, league), in_utc(to, league)
        about = None if player is None else find(snapshot, player, "player")
        merged = () if about is None else tuple(former_ids(snapshot, [about])[about])
        wanted = TrailFilter(about, match, actor, source, kind, recorded_from=start, recorded_before=end, merged=merged)
        _print(snapshot, wanted, first, as_json=as_json)


def _print(snapshot: Snapshot, wanted: TrailFilter, first: int, *, as_json: bool) -> None:
    query = trail_query(wanted)
    check_known(snapshot.conn, wanted)
    rows = read_page(snapshot.conn, StoredEvent, query, order_of(wanted, latest_first=True), PageOf(first)).rows
    entries, total = [entry_of(row) for row in rows], count(snapshot.conn, query)
    named = {player for entry in entries for player in players_in(entry.log.stream, entry.event)}
    openings, zone = openings_of(snapshot.conn, entries), ZoneInfo(snapshot.zone)
    seated = {player for opened in openings.values() for player in opened.seats}
    names = names_of(snapshot.conn, named | seated)
    if as_json:
        terminal.print_json({"total": total, "entries": list(documents(entries, openings, names, zone))})
        return
    if not entries:
        terminal.out.print(_("The trail has no such entry."))
        return
    position = _("position")
    terminal.table(
        _("Who did what, the latest first"),
        (position, _("recorded"), _("by"), _("what")),
        [
            (
                entry.log.position,
                local(entry.log.recorded_at, zone),
                _by(entry),
                words(entry.log.stream, entry.event, told_of(entry, openings, names, zone)),
            )
            for entry in entries
        ],
        (position,),
    )
    terminal.print_more(len(entries), total)
    print_zone(zone)


def _by(entry: TrailEntry) -> str:
    """The actor, and the source unless somebody typed it: `kim`, `demo (import)`."""
    return entry.log.actor if entry.log.source == "manual" else f"{entry.log.actor} ({entry.log.source})"
